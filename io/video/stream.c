#define _POSIX_C_SOURCE 200809L /* pread, fstat */

#include "video/stream.h"

#include "fail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ssimcu_status file_error(const ssimcu_clip *clip, ssimcu_message *message)
{
    FAIL(FILE, "%.300s: %s", clip->name, strerror(errno));
}

static ssimcu_status truncated(const ssimcu_clip *clip, size_t got, ssimcu_message *message)
{
    FAIL(DATA, "%.300s: truncated: the last frame has %zu of %zu bytes", clip->name, got,
         clip->format.frame_bytes);
}

ssimcu_status ssimcu_stream_open(ssimcu_clip *clip, const char *path, ssimcu_message *message)
{
    ssimcu_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return ssimcu_no_memory(message, NULL);
    clip->state = stream;
    TRY(ssimcu_reader_open(path, clip->stop, &stream->reader, message));
    const int fd = ssimcu_reader_fd(stream->reader);
    struct stat info;
    if (fstat(fd, &info) != 0) return file_error(clip, message);
    /* Standard input may be a file that another program has partly read, so its offsets are
     * unknown. */
    stream->is_file = S_ISREG(info.st_mode) && fd != STDIN_FILENO;
    stream->size = info.st_size;
    return SSIMCU_OK;
}

void ssimcu_stream_close(ssimcu_clip *clip)
{
    ssimcu_stream *stream = clip->state;
    if (stream) ssimcu_reader_close(&stream->reader);
    free(stream);
}

ssimcu_status ssimcu_stream_check(ssimcu_clip *clip, ssimcu_message *message)
{
    const ssimcu_stream *stream = clip->state;
    const int64_t each = (int64_t)(clip->format.frame_bytes + stream->between);
    if (stream->is_file) clip->count = (stream->size - stream->start) / each;
    return ssimcu_clip_format_check_size(clip, message);
}

/* Reads up to `size` bytes at `offset`. */
static ssimcu_status read_at(const ssimcu_clip *clip, int64_t offset, void *to, size_t size,
                             size_t *got, ssimcu_message *message)
{
    const ssimcu_stream *stream = clip->state;
    *got = 0;
    while (*got < size) {
        const ssize_t count = pread(ssimcu_reader_fd(stream->reader), (uint8_t *)to + *got,
                                    size - *got, (off_t)(offset + (int64_t)*got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return file_error(clip, message);
        if (count == 0) break;
        *got += (size_t)count;
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_stream_line(ssimcu_clip *clip, char *line, size_t size, bool *end,
                                 ssimcu_message *message)
{
    ssimcu_stream *stream = clip->state;
    if (!stream->is_file) {
        long length = 0;
        const ssimcu_status status =
            ssimcu_reader_line(stream->reader, line, size, &length, message);
        *end = status == SSIMCU_OK && length < 0;
        return status;
    }
    size_t got;
    const ssimcu_status status = read_at(clip, stream->offset, line, size, &got, message);
    *end = status == SSIMCU_OK && got == 0;
    if (status != SSIMCU_OK || *end) return status;
    char *newline = memchr(line, '\n', got);
    if (newline) stream->offset += newline - line + 1;
    *(newline ? newline : line) = '\0';
    return SSIMCU_OK;
}

/* Skips a frame of a file without reading it. The file's size shows whether the frame is complete,
 * even if it is never read. */
static ssimcu_status next_place(const ssimcu_clip *clip, ssimcu_clip_place *place, bool *end,
                                ssimcu_message *message)
{
    ssimcu_stream *stream = clip->state;
    const int64_t bytes = (int64_t)clip->format.frame_bytes;
    struct stat info;
    if (fstat(ssimcu_reader_fd(stream->reader), &info) != 0) return file_error(clip, message);
    const int64_t left = info.st_size > stream->offset ? info.st_size - stream->offset : 0;
    if (end) *end = left == 0;
    if (end && *end) return SSIMCU_OK;
    if (left < bytes) return truncated(clip, (size_t)left, message);
    place->offset = stream->offset;
    stream->offset += bytes;
    return SSIMCU_OK;
}

ssimcu_status ssimcu_stream_next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                                 ssimcu_message *message)
{
    ssimcu_stream *stream = clip->state;
    const size_t bytes = clip->format.frame_bytes;
    size_t got = 0;
    if (stream->is_file) return next_place(clip, place, end, message);
    const ssimcu_status status = ssimcu_reader_bytes(stream->reader, data, bytes, &got, message);
    if (status != SSIMCU_OK || got == bytes) return status;
    if (got > 0 || !end) return truncated(clip, got, message);
    *end = true;
    return SSIMCU_OK;
}

/* Converts 16-bit samples from little-endian to the machine's order, and checks them. */
static ssimcu_status check_words(const ssimcu_clip *clip, void *data, ssimcu_message *message)
{
    uint16_t *const sample = data;
    const size_t count = clip->format.frame_bytes / 2;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
        for (size_t i = 0; i < count; i++) sample[i] = (uint16_t)(sample[i] << 8 | sample[i] >> 8);
    uint16_t seen = 0;
    for (size_t i = 0; i < count; i++) seen |= sample[i];
    const uint32_t bits = clip->format.plane[0].bits;
    if (seen >> bits == 0) return SSIMCU_OK;
    FAIL(DATA, "%.300s: a sample is above %u, the maximum of %u bits", clip->name, (1u << bits) - 1,
         bits);
}

ssimcu_status ssimcu_stream_read(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                                 ssimcu_message *message)
{
    if (place.offset >= 0) {
        size_t got;
        const size_t bytes = clip->format.frame_bytes;
        TRY(read_at(clip, place.offset, data, bytes, &got, message));
        if (got < bytes) return truncated(clip, got, message);
    }
    return clip->format.plane[0].bits > 8 ? check_words(clip, data, message) : SSIMCU_OK;
}
