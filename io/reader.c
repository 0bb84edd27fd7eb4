#define _POSIX_C_SOURCE 200809L

#include "reader.h"

#include "fail.h"
#include "pipe.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16, ASK_MS = 100 };

struct ssimcu_reader {
    int fd;
    bool own_fd;
    const ssimcu_stop *stop;
    bool whole;     /* the last line ended in a line break */
    bool too_long;  /* the last line was too long; the next call skips the rest */
    size_t at, end; /* unread bytes of `buffer`, from `at` to `end` */
    uint8_t buffer[BUFFER_BYTES];
    char name[];
};

static ssimcu_status file_error(const ssimcu_reader *reader, int error, ssimcu_message *message)
{
    FAIL(FILE, "%.300s: %s", reader->name, strerror(error));
}

ssimcu_status ssimcu_reader_open(const char *path, const ssimcu_stop *stop, ssimcu_reader **reader,
                                 ssimcu_message *message)
{
    const bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    ssimcu_reader *const made = *reader = malloc(sizeof *made + strlen(name) + 1);
    if (!made) return ssimcu_no_memory(message, NULL);
    *made = (ssimcu_reader){.own_fd = !standard, .stop = stop};
    strcpy(made->name, name);
    made->fd = standard ? STDIN_FILENO : ssimcu_pipe_open(path);
    struct stat info;
    ssimcu_status status = SSIMCU_OK;
    if (made->fd < 0 || fstat(made->fd, &info) != 0)
        status = file_error(made, errno, message);
    else if (S_ISDIR(info.st_mode))
        status = file_error(made, EISDIR, message);
    if (status != SSIMCU_OK) ssimcu_reader_close(reader);
    return status;
}

void ssimcu_reader_close(ssimcu_reader **reader)
{
    if (!reader || !*reader) return;
    if ((*reader)->own_fd && (*reader)->fd >= 0) close((*reader)->fd);
    free(*reader);
    *reader = NULL;
}

bool ssimcu_reader_was_whole(const ssimcu_reader *reader) { return reader->whole; }

int ssimcu_reader_fd(const ssimcu_reader *reader) { return reader->fd; }

/* Waits for data. Returns false if `stop` ended the wait. */
static bool wait_for_input(const ssimcu_reader *reader)
{
    struct pollfd wait = {.fd = reader->fd, .events = POLLIN};
    if (!reader->stop) return true;
    do {
        if (ssimcu_is_stopped(reader->stop)) return false;
    } while (poll(&wait, 1, ASK_MS) == 0 || (wait.revents == 0 && errno == EINTR));
    return true;
}

/* Reads once into `to`. *got is 0 at the end of the input. */
static ssimcu_status read_some(ssimcu_reader *reader, void *to, size_t size, size_t *got,
                               ssimcu_message *message)
{
    *got = 0;
    for (;;) {
        if (!wait_for_input(reader)) return SSIMCU_OK;
        const ssize_t count = read(reader->fd, to, size);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
        if (count < 0) return file_error(reader, errno, message);
        *got = (size_t)count;
        return SSIMCU_OK;
    }
}

ssimcu_status ssimcu_reader_bytes(ssimcu_reader *reader, void *to, size_t size, size_t *got,
                                  ssimcu_message *message)
{
    *got = 0;
    while (*got < size) {
        const size_t left = size - *got;
        uint8_t *target = to ? (uint8_t *)to + *got : NULL;
        size_t count = reader->end - reader->at < left ? reader->end - reader->at : left;
        if (count > 0) {
            if (target) memcpy(target, reader->buffer + reader->at, count);
            reader->at += count;
        } else { /* Large reads bypass the buffer. */
            void *into = target ? target : reader->buffer;
            const size_t most = target || left < BUFFER_BYTES ? left : BUFFER_BYTES;
            const ssimcu_status status = read_some(reader, into, most, &count, message);
            if (status != SSIMCU_OK || count == 0) return status;
        }
        *got += count;
    }
    return SSIMCU_OK;
}

/* Fills the buffer if it is empty; it stays empty at the end of the input. */
static ssimcu_status fill(ssimcu_reader *reader, ssimcu_message *message)
{
    if (reader->at < reader->end) return SSIMCU_OK;
    reader->at = 0;
    return read_some(reader, reader->buffer, BUFFER_BYTES, &reader->end, message);
}

ssimcu_status ssimcu_reader_peek(ssimcu_reader *reader, const void **bytes, size_t *size,
                                 ssimcu_message *message)
{
    const ssimcu_status status = fill(reader, message);
    *bytes = reader->buffer + reader->at;
    *size = status == SSIMCU_OK ? reader->end - reader->at : 0;
    return status;
}

ssimcu_status ssimcu_reader_line(ssimcu_reader *reader, char *line, size_t size, long *length,
                                 ssimcu_message *message)
{
    size_t used = 0;
    *length = -1;
    reader->whole = false;
    for (;;) {
        TRY(fill(reader, message));
        if (reader->at == reader->end) break;
        const uint8_t *from = reader->buffer + reader->at;
        const size_t have = reader->end - reader->at;
        const uint8_t *newline = memchr(from, '\n', have);
        const size_t count = newline ? (size_t)(newline - from) : have;
        if (reader->too_long) {
            reader->at += count + (newline != NULL);
            reader->too_long = !newline;
            continue;
        }
        reader->too_long = count > size - 1 - used;
        if (reader->too_long)
            FAIL(DATA, "%.300s: a line is longer than %zu bytes", reader->name, size - 1);
        memcpy(line + used, from, count);
        used += count;
        reader->at += count + (newline != NULL);
        *length = (long)used;
        reader->whole = newline != NULL;
        if (newline) break;
    }
    line[used] = '\0';
    return SSIMCU_OK;
}
