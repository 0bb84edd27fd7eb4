#define _GNU_SOURCE /* memfd_create */
#include "targets.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void fuzz_fail(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

void *fuzz_copy(const void *data, size_t size)
{
    void *copy = malloc(size ? size : 1);
    FUZZ_CHECK(copy);
    if (size) memcpy(copy, data, size);
    return copy;
}

static void write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, data, size);
        FUZZ_CHECK(written > 0);
        data += written;
        size -= (size_t)written;
    }
}

static struct fuzz_file named(int fd)
{
    struct fuzz_file file = {.fd = fd};
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", fd);
    return file;
}

struct fuzz_file fuzz_file_open(const void *data, size_t size)
{
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_CHECK(fd >= 0);
    write_all(fd, data, size);
    return named(fd);
}

struct fuzz_file fuzz_pipe_open(const void *data, size_t size)
{
    int end[2];
    FUZZ_CHECK(size <= 32768 && pipe2(end, O_CLOEXEC) == 0);
    write_all(end[1], data, size);
    close(end[1]);
    return named(end[0]);
}

void fuzz_file_close(struct fuzz_file *file)
{
    close(file->fd);
    file->fd = -1;
}

bool fuzz_is_line(const char *text) { return text[0] != '\0' && !strchr(text, '\n'); }
