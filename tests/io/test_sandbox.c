/* What a worker cannot do once it is in its sandbox. */
#define _GNU_SOURCE /* F_SETSIG, memfd_create, pipe2 */
#include "decode/serve.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_SECCOMP = 77 };

/* Runs a function in a child, in the sandbox, and returns what it returns. */
static int sandboxed(bool makes_memory, int (*function)(pid_t), pid_t other)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        sandbox_enter(makes_memory);
        const bool enforced = kill(other, 0) != 0 && errno == ENOSYS;
        _exit(enforced ? function(other) : NO_SECCOMP);
    }
    cr_assert(child > 0 && waitpid(child, &status, 0) == child);
    cr_assert(WIFEXITED(status), "signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == NO_SECCOMP) cr_skip_test("this kernel has no seccomp");
    return WEXITSTATUS(status);
}

/* Has the kernel signal the owner of a pipe as soon as something lies in there. */
static int signal_by_pipe(pid_t other)
{
    const struct f_owner_ex owner = {F_OWNER_PID, other};
    int end[2];
    if (pipe2(end, O_NONBLOCK) != 0) return 1;
    if (fcntl(end[0], F_SETOWN, other) == 0) return 2;
    if (fcntl(end[0], F_SETOWN_EX, &owner) == 0) return 3;
    if (fcntl(end[0], F_SETSIG, SIGTERM) == 0) return 4;
    if (fcntl(end[0], F_NOTIFY, DN_ACCESS) == 0 || fcntl(end[0], F_SETLEASE, F_RDLCK) == 0)
        return 5;
    (void)fcntl(end[0], F_SETFL, O_ASYNC | O_NONBLOCK);
    return write(end[1], "x", 1) == 1 ? 0 : 6;
}

static int signal_itself(pid_t other)
{
    if (kill(other, SIGTERM) == 0) return 1;
    return sigqueue(other, SIGTERM, (union sigval){.sival_int = 0}) == 0 ? 2 : 0;
}

Test(sandbox, signals_no_other_process, .timeout = 20)
{
    int status = 0, gate[2];
    char byte = 0;
    cr_assert(pipe2(gate, O_CLOEXEC) == 0);
    const pid_t other = fork();
    if (other == 0) {
        close(gate[1]);
        _exit((int)read(gate[0], &byte, 1)); /* until it is let go */
    }
    const int by_pipe = sandboxed(false, signal_by_pipe, other),
              by_call = sandboxed(true, signal_itself, other);
    close(gate[1]);
    cr_assert(waitpid(other, &status, 0) == other);
    cr_expect(by_pipe == 0 && by_call == 0, "%d, %d", by_pipe, by_call);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static int make_memory(pid_t other)
{
    (void)other;
    const int made = memfd_create("sandbox", MFD_CLOEXEC);
    if (made < 0) return errno == ENOSYS ? 1 : 2;
    return ftruncate(made, 100) == 0 ? 0 : 3;
}

/* Memory that others see is not counted as a process's own, so only who needs it makes it. */
Test(sandbox, makes_shared_memory_only_where_it_must, .timeout = 20)
{
    cr_expect_eq(sandboxed(false, make_memory, getpid()), 1);
    cr_expect_eq(sandboxed(true, make_memory, getpid()), 0);
}
