#define _GNU_SOURCE /* tee, pipe2 */

#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { ASK_MS = 100, PAUSE_MS = 5 };

/* What is in the pipe now; -1 where it cannot be copied. */
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

size_t ssimcu_pipe_start(const char *path, ssimcu_stopped *stopped, char *start, size_t size)
{
    const bool standard = strcmp(path, "-") == 0;
    const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = 0;
    bool ended = fd < 0;
    while (!ended && (size_t)got < size && !(stopped && stopped())) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        if (poll(&wait, 1, ASK_MS) <= 0) continue;
        got = copy_start(fd, start, size);
        ended = got < 0 || (wait.revents & POLLHUP);
        if (!ended && (size_t)got < size) poll(NULL, 0, PAUSE_MS); /* the rest is on its way */
    }
    return got > 0 ? (size_t)got : 0;
}
