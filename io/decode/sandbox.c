#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#    include <linux/landlock.h>
#endif

/* Landlock keeps every file shut even where seccomp is missing. */
static void enter_landlock(void)
{
#ifdef LANDLOCK_ACCESS_FS_EXECUTE
    const struct landlock_ruleset_attr all = {.handled_access_fs =
                                                  (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
    const int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
    if (rules < 0) return;
    (void)syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
#endif
}

/* Calls that a decoder, its C library and its threads make, and a sanitizer (pipe). All others are
 * answered with ENOSYS, upon which a C library falls back to an older call. */
static const int allowed[] = {
    SCMP_SYS(brk),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(close),
    SCMP_SYS(dup),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(fadvise64),
    SCMP_SYS(fstat),
    SCMP_SYS(futex),
    SCMP_SYS(getcpu),
    SCMP_SYS(getpid),
    SCMP_SYS(getrandom),
    SCMP_SYS(getrusage),
    SCMP_SYS(gettid),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(lseek),
    SCMP_SYS(madvise),
    SCMP_SYS(membarrier),
    SCMP_SYS(mmap),
    SCMP_SYS(mprotect),
    SCMP_SYS(mremap),
    SCMP_SYS(munmap),
    SCMP_SYS(nanosleep),
    SCMP_SYS(pipe2),
    SCMP_SYS(ppoll),
    SCMP_SYS(pread64),
    SCMP_SYS(read),
    SCMP_SYS(recvmsg),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rseq),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sendmsg),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(sysinfo),
    SCMP_SYS(uname),
    SCMP_SYS(write),
    SCMP_SYS(pipe),
    SCMP_SYS(poll),
};

/* Calls that make memory which the caller sees as well. */
static const int memory[] = {SCMP_SYS(ftruncate), SCMP_SYS(memfd_create)};

/* What fcntl may do. F_SETOWN and F_SETSIG would signal other processes. */
static const int commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,
                               F_GETFL, F_SETFL,         F_ADD_SEALS, F_GET_SEALS};

/* Calls that would reach beyond the process: they are refused. */
static const int refused[] = {
    SCMP_SYS(openat), SCMP_SYS(openat2),  SCMP_SYS(socket), SCMP_SYS(connect),
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(open),
};

static void add_calls(scmp_filter_ctx filter, const int *number, size_t count, uint32_t answer)
{
    for (size_t i = 0; i < count; i++) (void)seccomp_rule_add(filter, answer, number[i], 0);
}

/* A test of an argument of a call. clang warns of the header's macros for it. */
static struct scmp_arg_cmp test(unsigned arg, enum scmp_compare compare, scmp_datum_t a,
                                scmp_datum_t b)
{
    return (struct scmp_arg_cmp){.arg = arg, .op = compare, .datum_a = a, .datum_b = b};
}

/* Allows a call if its first argument passes a test, and refuses it if that passes the other. */
static void add_test(scmp_filter_ctx filter, int number, struct scmp_arg_cmp is,
                     struct scmp_arg_cmp other)
{
    (void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 1, is);
    (void)seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 1, other);
}

static void enter_seccomp(bool makes_memory)
{
    const scmp_datum_t own = (scmp_datum_t)getpid();
    const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (!filter) return;
    (void)seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    add_calls(filter, allowed, sizeof allowed / sizeof *allowed, SCMP_ACT_ALLOW);
    if (makes_memory) add_calls(filter, memory, sizeof memory / sizeof *memory, SCMP_ACT_ALLOW);
    add_calls(filter, refused, sizeof refused / sizeof *refused, SCMP_ACT_ERRNO(EACCES));
    /* A thread, but no process; a signal to itself, as of abort; the name of a thread. */
    add_test(filter, SCMP_SYS(clone), test(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD),
             test(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    add_test(filter, SCMP_SYS(tgkill), test(0, SCMP_CMP_EQ, own, 0), test(0, SCMP_CMP_NE, own, 0));
    add_test(filter, SCMP_SYS(prctl), test(0, SCMP_CMP_EQ, PR_SET_NAME, 0),
             test(0, SCMP_CMP_NE, PR_SET_NAME, 0));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        (void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
                               test(1, SCMP_CMP_EQ, (scmp_datum_t)commands[i], 0));
    (void)seccomp_load(filter);
    seccomp_release(filter);
}

void sandbox_enter(bool makes_memory)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* a core handler is not called either */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    enter_landlock();
    enter_seccomp(makes_memory);
}
