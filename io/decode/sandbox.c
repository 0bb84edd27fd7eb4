#define _GNU_SOURCE
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#if __has_include(<linux/landlock.h>)
#    include <linux/landlock.h>
#endif

/* Landlock denies all files even without seccomp. */
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

/* System calls of a decoder, its C library and its threads, and of a sanitizer (pipe). All others
 * fail with ENOSYS, so that a C library falls back to an older call. */
static const char allowed[] =
    "brk clock_getres clock_gettime clock_nanosleep close dup exit exit_group fadvise64 fstat "
    "futex getcpu getpid getrandom getrusage gettid gettimeofday lseek madvise membarrier mmap "
    "mprotect mremap munmap nanosleep pipe2 ppoll pread64 read recvmsg restart_syscall rseq "
    "rt_sigaction rt_sigprocmask rt_sigreturn sched_getaffinity sched_yield sendmsg "
    "set_robust_list sigaltstack sysinfo uname write pipe poll";

/* Calls that make memory shared with the caller. */
static const char memory[] = "ftruncate memfd_create";

/* Allowed commands of fcntl. F_SETOWN and F_SETSIG would signal other processes. */
static const int commands[] = {F_DUPFD, F_DUPFD_CLOEXEC, F_GETFD,     F_SETFD,
                               F_GETFL, F_SETFL,         F_ADD_SEALS, F_GET_SEALS};

/* Refused calls, which reach beyond the process. */
static const char refused[] = "openat openat2 socket connect execve execveat open";

/* Adds a rule for calls whose names are separated by spaces. */
static void add_calls(scmp_filter_ctx filter, const char *names, uint32_t answer)
{
    char name[32];
    for (int read = 0; sscanf(names, "%31s%n", name, &read) == 1; names += read)
        (void)seccomp_rule_add(filter, answer, seccomp_syscall_resolve_name(name), 0);
}

/* Makes a test of a call's argument. clang warns about the header's macros for it. */
static struct scmp_arg_cmp test(unsigned arg, enum scmp_compare compare, scmp_datum_t a,
                                scmp_datum_t b)
{
    return (struct scmp_arg_cmp){.arg = arg, .op = compare, .datum_a = a, .datum_b = b};
}

/* Allows a call if its first argument passes one test, and refuses it if it passes the other. */
static void add_test(scmp_filter_ctx filter, int number, struct scmp_arg_cmp is,
                     struct scmp_arg_cmp other)
{
    (void)seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 1, is);
    (void)seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 1, other);
}

static void enter_seccomp(bool makes_memory)
{
    const scmp_datum_t pid = (scmp_datum_t)getpid();
    const scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
    if (!filter) return;
    (void)seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    add_calls(filter, allowed, SCMP_ACT_ALLOW);
    if (makes_memory) add_calls(filter, memory, SCMP_ACT_ALLOW);
    add_calls(filter, refused, SCMP_ACT_ERRNO(EACCES));
    /* Allows threads but not processes, signals to itself as in abort, and thread names. */
    add_test(filter, SCMP_SYS(clone), test(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD),
             test(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    add_test(filter, SCMP_SYS(tgkill), test(0, SCMP_CMP_EQ, pid, 0), test(0, SCMP_CMP_NE, pid, 0));
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
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* prevents a core handler, too */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    enter_landlock();
    enter_seccomp(makes_memory);
}
