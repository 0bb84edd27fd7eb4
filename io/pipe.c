#define _GNU_SOURCE /* tee, pipe2 */

#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ASK_MS = 100, PAUSE_MS = 5, HELD = 2 };

/* Descriptors of the pipes that are held open, each plus 1; 0: a free place. */
static atomic_int held[HELD];

static bool is_same(int fd, const char *path)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Returns the place that holds the pipe at `path`, -1 if none does. */
static int find(const char *path)
{
    for (int i = 0; i < HELD; i++) {
        const int fd = atomic_load(&held[i]) - 1;
        if (fd >= 0 && is_same(fd, path)) return i;
    }
    return -1;
}

/* Opens the pipe without waiting for its writer and holds it. Returns the descriptor, -1 if the
 * pipe cannot be opened or no place is free. */
static int hold(const char *path)
{
    const int place = find(path);
    if (place >= 0) return atomic_load(&held[place]) - 1;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    for (int i = 0; i < HELD && fd >= 0; i++) {
        int free_place = 0;
        if (atomic_compare_exchange_strong(&held[i], &free_place, fd + 1)) return fd;
    }
    if (fd >= 0) close(fd);
    return -1;
}

int ssimcu_pipe_open(const char *path)
{
    const int place = find(path);
    const int fd = place >= 0 ? atomic_exchange(&held[place], 0) - 1 : -1;
    if (fd < 0) return open(path, O_RDONLY | O_CLOEXEC);
    (void)fcntl(fd, F_SETFL, 0); /* reads block from here on */
    return fd;
}

/* Copies what is in the pipe now and leaves it there. Returns -1 if the system cannot copy it. */
static ssize_t copy_start(int fd, char *start, size_t size)
{
    int copy[2];
    if (pipe2(copy, O_CLOEXEC) != 0) return -1;
    ssize_t got = tee(fd, copy[1], size, SPLICE_F_NONBLOCK);
    if (got < 0 && errno == EAGAIN) got = 0;
    if (got > 0) got = read(copy[0], start, (size_t)got);
    close(copy[0]);
    close(copy[1]);
    return got;
}

size_t ssimcu_pipe_start(const char *path, const ssimcu_stop *stop, char *start, size_t size)
{
    const int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : hold(path);
    ssize_t got = 0;
    bool ended = fd < 0;
    while (!ended && (size_t)got < size && !ssimcu_is_stopped(stop)) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, ASK_MS) <= 0) continue;
        got = copy_start(fd, start, size);
        ended = got < 0 || (wait.revents & POLLHUP);
        if (!ended && (size_t)got < size) poll(NULL, 0, PAUSE_MS); /* the writer is still at work */
    }
    return got > 0 ? (size_t)got : 0;
}
