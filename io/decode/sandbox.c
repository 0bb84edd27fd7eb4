#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
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

#if defined(__x86_64__)
#    define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#    define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

/* Calls that a decoder, its C library and its threads make, and a sanitizer (pipe). All others are
 * answered with ENOSYS, upon which a C library falls back to an older call. */
static const int allowed[] = {
    SYS_brk,
    SYS_clock_getres,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_close,
    SYS_dup,
    SYS_exit,
    SYS_exit_group,
    SYS_fadvise64,
    SYS_fcntl,
    SYS_fstat,
    SYS_ftruncate,
    SYS_futex,
    SYS_getcpu,
    SYS_getpid,
    SYS_getrandom,
    SYS_getrusage,
    SYS_gettid,
    SYS_gettimeofday,
    SYS_lseek,
    SYS_madvise,
    SYS_membarrier,
    SYS_memfd_create,
    SYS_mmap,
    SYS_mprotect,
    SYS_mremap,
    SYS_munmap,
    SYS_nanosleep,
    SYS_pipe2,
    SYS_ppoll,
    SYS_pread64,
    SYS_read,
    SYS_recvmsg,
    SYS_restart_syscall,
    SYS_rseq,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sched_getaffinity,
    SYS_sched_yield,
    SYS_sendmsg,
    SYS_set_robust_list,
    SYS_sigaltstack,
    SYS_sysinfo,
    SYS_uname,
    SYS_write,
#    ifdef SYS_poll
    SYS_pipe,
    SYS_poll,
#    endif
};

/* Calls that would reach beyond the process: they are refused. */
static const int refused[] = {
    SYS_openat, SYS_openat2, SYS_socket, SYS_connect, SYS_execve, SYS_execveat,
#    ifdef SYS_open
    SYS_open,
#    endif
};

enum { RULES = 2 * (sizeof allowed + sizeof refused) / sizeof *allowed + 32 };

struct filter {
    struct sock_filter rule[RULES];
    unsigned short length;
};

static void add(struct filter *filter, struct sock_filter rule)
{
    filter->rule[filter->length++] = rule;
}

static void answer(struct filter *filter, uint32_t what)
{
    add(filter, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

static void load(struct filter *filter, uint32_t offset)
{
    add(filter, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

/* Skips `count` rules unless the loaded word is `value`. */
static void unless(struct filter *filter, uint32_t value, uint8_t count)
{
    add(filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count));
}

static void add_calls(struct filter *filter, const int *number, size_t count, uint32_t what)
{
    for (size_t i = 0; i < count; i++) {
        unless(filter, (uint32_t)number[i], 1);
        answer(filter, what);
    }
}

/* The low word of an argument on a little-endian machine, as both architectures are. */
static uint32_t argument(unsigned index)
{
    return (uint32_t)(offsetof(struct seccomp_data, args) + 8 * index);
}

static void enter_seccomp(void)
{
    struct filter filter = {.length = 0};
    load(&filter, offsetof(struct seccomp_data, arch));
    add(&filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    answer(&filter, SECCOMP_RET_KILL_PROCESS);
    load(&filter, offsetof(struct seccomp_data, nr));
    add_calls(&filter, allowed, sizeof allowed / sizeof *allowed, SECCOMP_RET_ALLOW);
    add_calls(&filter, refused, sizeof refused / sizeof *refused, SECCOMP_RET_ERRNO | EACCES);
    unless(&filter, SYS_clone, 4); /* a thread, but no process */
    load(&filter, argument(0));
    add(&filter, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1));
    answer(&filter, SECCOMP_RET_ALLOW);
    answer(&filter, SECCOMP_RET_ERRNO | EPERM);
    unless(&filter, SYS_tgkill, 4); /* a signal to itself, as of abort */
    load(&filter, argument(0));
    unless(&filter, (uint32_t)getpid(), 1);
    answer(&filter, SECCOMP_RET_ALLOW);
    answer(&filter, SECCOMP_RET_ERRNO | EPERM);
    unless(&filter, SYS_prctl, 4); /* the name of a thread */
    load(&filter, argument(0));
    unless(&filter, PR_SET_NAME, 1);
    answer(&filter, SECCOMP_RET_ALLOW);
    answer(&filter, SECCOMP_RET_ERRNO | EPERM);
    answer(&filter, SECCOMP_RET_ERRNO | ENOSYS);
    const struct sock_fprog program = {filter.length, filter.rule};
    (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

#else

static void enter_seccomp(void) {}

#endif

void sandbox_enter(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* a core handler is not called either */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    enter_landlock();
    enter_seccomp();
}
