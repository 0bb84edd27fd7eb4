/* A library to preload: it makes the n-th call of one kind fail, in whatever program runs.
 *
 *   FAULT        alloc (malloc and its kin), thread (pthread_create), or system calls:
 *                read, write, open, sync (fsync, rename)
 *   FAULT_AT     n, from 1
 *   FAULT_ALWAYS set: every call after that fails, too
 *   FAULT_ERRNO  the error of system calls
 *   FAULT_MARK   a file that is made when a call fails: without it n was beyond the last call
 *
 * Seccomp catches system calls, so that those of the C library itself count, too. A trapped call
 * comes in as SIGSYS. The handler makes it from the one place that the filter lets pass. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum kind { NOTHING, ALLOC, THREAD, READ, WRITE, OPEN, SYNC };

static enum kind kind;
static long fail_at;
static bool always;
static int error_number = EIO;
static const char *mark;
static atomic_long calls;

/* ---- System calls ---------------------------------------------------------------------------- */

extern const char fault_passed[] __attribute__((visibility("hidden")));

__attribute__((noinline)) static long pass(long number, const long argument[6])
{
    register long r10 __asm__("r10") = argument[3];
    register long r8 __asm__("r8") = argument[4];
    register long r9 __asm__("r9") = argument[5];
    long result;
    __asm__ volatile("syscall\n.global fault_passed\n.hidden fault_passed\nfault_passed:"
                     : "=a"(result)
                     : "a"(number), "D"(argument[0]), "S"(argument[1]), "d"(argument[2]), "r"(r10),
                       "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

static bool fails(enum kind of)
{
    if (kind != of) return false;
    const long call = atomic_fetch_add(&calls, 1) + 1;
    if (call != fail_at && !(always && call > fail_at)) return false;
    if (mark) {
        const long make[6] = {AT_FDCWD, (long)mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600};
        const long fd = pass(SYS_openat, make);
        if (fd >= 0) (void)pass(SYS_close, (const long[6]){fd});
    }
    return true;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    greg_t *const r = ((ucontext_t *)context)->uc_mcontext.gregs;
    const long argument[6] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
    r[REG_RAX] = fails(kind) ? -error_number : pass(info->si_syscall, argument);
}

static void trap(const int *number)
{
    const uint64_t from = (uint64_t)(uintptr_t)fault_passed;
    struct sock_filter filter[16] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)from, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(from >> 32), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    unsigned short length = 6;
    for (; *number >= 0; number++) {
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, *number, 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    }
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    const struct sock_fprog program = {length, filter};
    struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(99);
}

/* Lets SIGSYS through to threads that block every signal. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before)
{
    static int (*next)(int, const sigset_t *, sigset_t *);
    if (!next)
        next = (int (*)(int, const sigset_t *, sigset_t *))dlsym(RTLD_NEXT, "pthread_sigmask");
    sigset_t without;
    if (!set) return next(how, set, before);
    without = *set;
    if (how != SIG_UNBLOCK) sigdelset(&without, SIGSYS);
    return next(how, &without, before);
}

/* ---- Memory and threads ---------------------------------------------------------------------- */

static void *(*next_malloc)(size_t), *(*next_calloc)(size_t, size_t),
    *(*next_realloc)(void *, size_t);
static void *(*next_aligned)(size_t, size_t);
static int (*next_posix)(void **, size_t, size_t);
static void (*next_free)(void *);
static _Alignas(16) char early[4096]; /* memory for dlsym itself */
static size_t early_used;
static bool looking;

static void *take_early(size_t size)
{
    const size_t at = early_used;
    early_used += (size + 15) / 16 * 16;
    return early_used <= sizeof early ? early + at : NULL;
}

static bool is_early(const void *memory)
{
    return (const char *)memory >= early && (const char *)memory < early + sizeof early;
}

/* Returns whether the next functions are known; they are not while they are looked for. */
static bool ready(void)
{
    if (next_free) return true;
    if (looking) return false;
    looking = true;
    next_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    next_calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    next_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    next_aligned = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "aligned_alloc");
    next_posix = (int (*)(void **, size_t, size_t))dlsym(RTLD_NEXT, "posix_memalign");
    next_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    looking = false;
    return true;
}

static void *lose(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    if (!ready()) return take_early(size);
    return fails(ALLOC) ? lose() : next_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    if (!ready()) return take_early(count * size);
    return fails(ALLOC) ? lose() : next_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    if (!ready() || is_early(old)) return take_early(size);
    return fails(ALLOC) ? lose() : next_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return !ready() || fails(ALLOC) ? lose() : next_aligned(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    return !ready() || fails(ALLOC) ? ENOMEM : next_posix(memory, alignment, size);
}

void free(void *memory)
{
    if (memory && !is_early(memory) && ready()) next_free(memory);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    static int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (!next)
        next = (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))dlsym(
            RTLD_NEXT, "pthread_create");
    return fails(THREAD) ? EAGAIN : next(thread, attributes, run, argument);
}

/* ---- Start ----------------------------------------------------------------------------------- */

__attribute__((constructor)) static void start(void)
{
    static const struct {
        const char *name;
        enum kind kind;
        int number[6];
    } groups[] = {
        {"alloc", ALLOC, {-1}},
        {"thread", THREAD, {-1}},
        {"read", READ, {SYS_read, SYS_pread64, SYS_readv, -1}},
        {"write", WRITE, {SYS_write, SYS_pwrite64, SYS_writev, -1}},
        {"open", OPEN, {SYS_open, SYS_openat, SYS_creat, -1}},
        {"sync", SYNC, {SYS_fsync, SYS_rename, SYS_renameat, SYS_renameat2, -1}},
    };
    const char *wanted = getenv("FAULT"), *at = getenv("FAULT_AT"), *number = getenv("FAULT_ERRNO");
    if (!wanted || !at) return;
    (void)ready();
    fail_at = atol(at);
    always = getenv("FAULT_ALWAYS") != NULL;
    mark = getenv("FAULT_MARK");
    if (number) error_number = atoi(number);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        if (strcmp(wanted, groups[i].name) != 0) continue;
        kind = groups[i].kind;
        if (groups[i].number[0] >= 0) trap(groups[i].number);
    }
}
