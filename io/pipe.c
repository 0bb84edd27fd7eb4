#define _GNU_SOURCE /* tee, pipe2 */

#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ASK_MS = 100, PAUSE_MS = 5, HELD = 2 };

/* Descriptors of the pipes that are held open, each plus 1; 0: a free slot. A thread that removes
 * one may close it at once, so finding and removing are one step, under the lock. */
static int held[HELD];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_same(int fd, const char *path)
{
    struct stat a, b;
    return fstat(fd, &a) == 0 && stat(path, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Returns the slot of the pipe at `path`, or NULL. */
static int *find(const char *path)
{
    for (int i = 0; i < HELD; i++)
        if (held[i] > 0 && is_same(held[i] - 1, path)) return &held[i];
    return NULL;
}

/* Opens the pipe without waiting for its writer and puts it into a free slot. Returns NULL if the
 * pipe cannot be opened or no slot is free. */
static int *put(const char *path)
{
    int *place = held;
    while (place<held + HELD && * place> 0) place++;
    if (place == held + HELD) return NULL;
    *place = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) + 1;
    return *place > 0 ? place : NULL;
}

/* Holds the pipe. Returns its descriptor, which the table owns, or -1. */
static int hold(const char *path)
{
    pthread_mutex_lock(&lock);
    const int *place = find(path);
    if (!place) place = put(path);
    const int fd = place ? *place - 1 : -1;
    pthread_mutex_unlock(&lock);
    return fd;
}

int ssimcu_pipe_open(const char *path)
{
    pthread_mutex_lock(&lock);
    int *const place = find(path);
    const int fd = place ? *place - 1 : -1;
    if (place) *place = 0;
    pthread_mutex_unlock(&lock);
    if (fd < 0) return open(path, O_RDONLY | O_CLOEXEC);
    (void)fcntl(fd, F_SETFL, 0); /* reads block from here on */
    return fd;
}

/* Copies the current contents of the pipe and leaves them there. Returns -1 if the system cannot
 * copy it. */
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
        if (!ended && (size_t)got < size) poll(NULL, 0, PAUSE_MS); /* the writer has not finished */
    }
    return got > 0 ? (size_t)got : 0;
}
