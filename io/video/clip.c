#define _POSIX_C_SOURCE 200809L /* pread, fstat */

#include "video/clip.h"

#include "fail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ssimcu_clip {
    ssimcu_clip_format format;
    ssimcu_reader *reader;
    bool y4m;
    bool is_file;
    bool ended;
    uint64_t frames; /* gone to so far */
    int64_t start;   /* of a file: its first frame */
    int64_t offset;  /* of a file: the next frame */
    int64_t size;    /* of a file, when it was opened */
    char name[];
};

/* ---- Formats --------------------------------------------------------------------------------- */

bool ssimcu_clip_number(const char **text, uint32_t *number)
{
    const char *digit = *text;
    uint32_t value = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        value = value * 10 + (uint32_t)(*digit - '0');
        if (value >= 1u << 24) return false;
    }
    const bool any = digit != *text;
    *text = digit;
    *number = value;
    return any;
}

bool ssimcu_clip_make_format(uint32_t width, uint32_t height, uint32_t chroma, uint32_t bits,
                             ssimcu_clip_format *format)
{
    uint32_t across, down; /* luma samples for each chroma sample */
    switch (chroma) {
    case 400:
    case 444: across = 1, down = 1; break;
    case 422: across = 2, down = 1; break;
    case 420: across = 2, down = 2; break;
    case 411: across = 4, down = 1; break;
    default: return false;
    }
    if (bits < 8 || bits > 16 || width == 0 || height == 0) return false;
    *format = (ssimcu_clip_format){.planes = chroma == 400 ? 1 : 3};
    for (uint32_t p = 0; p < format->planes; p++) {
        ssimcu_frame *plane = &format->plane[p];
        plane->width = p == 0 ? width : (width + across - 1) / across;
        plane->height = p == 0 ? height : (height + down - 1) / down;
        plane->channels = 1;
        plane->bits = bits;
        plane->pitch = (size_t)plane->width * (bits > 8 ? 2 : 1);
        format->frame_bytes += plane->pitch * plane->height;
    }
    return true;
}

void ssimcu_clip_planes(const ssimcu_clip_format *format, void *data,
                        ssimcu_frame plane[SSIMCU_MAX_PLANES])
{
    uint8_t *at = data;
    for (uint32_t p = 0; p < format->planes; p++) {
        plane[p] = format->plane[p];
        plane[p].data = at;
        at += plane[p].pitch * plane[p].height;
    }
}

/* ---- Opening --------------------------------------------------------------------------------- */

static ssimcu_status check_limits(const ssimcu_clip *clip, const ssimcu_image_options *limits,
                                  ssimcu_message *message)
{
    const ssimcu_frame *luma = &clip->format.plane[0];
    const uint32_t side =
        limits && limits->max_side ? limits->max_side : (uint32_t)SSIMCU_IMAGE_MAX_SIDE;
    const uint64_t pixels =
        limits && limits->max_pixels ? limits->max_pixels : (uint64_t)SSIMCU_IMAGE_MAX_PIXELS;
    if (luma->width > side || luma->height > side)
        return ssimcu_fail(message, SSIMCU_ERROR_LIMIT,
                           "%.300s: %ux%u pixels, the limit is %u on a side", clip->name,
                           luma->width, luma->height, side);
    if ((uint64_t)luma->width * luma->height > pixels)
        return ssimcu_fail(message, SSIMCU_ERROR_LIMIT,
                           "%.300s: %ux%u pixels, the limit is %llu in all", clip->name,
                           luma->width, luma->height, (unsigned long long)pixels);
    return SSIMCU_OK;
}

static ssimcu_status read_header(ssimcu_clip *clip, ssimcu_message *message)
{
    char line[SSIMCU_Y4M_HEADER_BYTES];
    long length;
    ssimcu_message why = {{0}};
    const ssimcu_status status = ssimcu_reader_line(clip->reader, line, sizeof line, &length, &why);
    if (status == SSIMCU_ERROR_DATA)
        return ssimcu_fail(message, status, "%.300s: not a y4m stream", clip->name);
    if (status != SSIMCU_OK) return ssimcu_fail(message, status, "%s", why.text);
    if (length <= 0 || strlen(line) != (size_t)length)
        return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%.300s: %s", clip->name,
                           length < 0 ? "empty, expected a y4m stream" : "not a y4m stream");
    if (!ssimcu_reader_was_whole(clip->reader))
        return ssimcu_fail(message, SSIMCU_ERROR_DATA, "%.300s: truncated y4m header", clip->name);
    clip->start = length + 1;
    return ssimcu_y4m_parse(clip->name, line, &clip->format, message);
}

static ssimcu_status look_at_file(ssimcu_clip *clip, ssimcu_message *message)
{
    struct stat info;
    if (fstat(ssimcu_reader_fd(clip->reader), &info) != 0)
        return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", clip->name, strerror(errno));
    /* standard input may be a file that somebody has read from: its places are not ours */
    clip->is_file = S_ISREG(info.st_mode) && ssimcu_reader_fd(clip->reader) != STDIN_FILENO;
    clip->size = info.st_size;
    clip->offset = clip->start;
    const size_t bytes = clip->format.frame_bytes;
    if (clip->y4m || !clip->is_file || (clip->size > 0 && (uint64_t)clip->size % bytes == 0))
        return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.300s: %lld bytes are not a whole number of frames of %zu bytes (check "
                       "--size and --format)",
                       clip->name, (long long)clip->size, bytes);
}

ssimcu_status ssimcu_clip_open(const char *path, const ssimcu_clip_format *raw,
                               const ssimcu_image_options *limits, ssimcu_stopped *stopped,
                               ssimcu_clip **clip, ssimcu_message *message)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    *clip = NULL;
    ssimcu_clip *made = calloc(1, sizeof *made + strlen(name) + 1);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    strcpy(made->name, name);
    made->y4m = !raw;
    if (raw) made->format = *raw;
    ssimcu_status status = ssimcu_reader_open(path, stopped, &made->reader, message);
    if (status == SSIMCU_OK && !raw) status = read_header(made, message);
    if (status == SSIMCU_OK) status = check_limits(made, limits, message);
    if (status == SSIMCU_OK) status = look_at_file(made, message);
    if (status != SSIMCU_OK)
        ssimcu_clip_close(&made);
    else
        *clip = made;
    return status;
}

void ssimcu_clip_close(ssimcu_clip **clip)
{
    if (!clip || !*clip) return;
    ssimcu_reader_close(&(*clip)->reader);
    free(*clip);
    *clip = NULL;
}

const ssimcu_clip_format *ssimcu_clip_shape(const ssimcu_clip *clip) { return &clip->format; }

bool ssimcu_clip_is_pipe(const ssimcu_clip *clip) { return !clip->is_file; }

int64_t ssimcu_clip_count(const ssimcu_clip *clip)
{
    if (!clip->is_file) return -1;
    const int64_t each =
        (int64_t)clip->format.frame_bytes + (clip->y4m ? (int64_t)sizeof "FRAME" : 0);
    return (clip->size - clip->start) / each;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Reads as much of `size` bytes as the file has at `offset`. */
static ssimcu_status read_at(const ssimcu_clip *clip, int64_t offset, void *to, size_t size,
                             size_t *got, ssimcu_message *message)
{
    *got = 0;
    while (*got < size) {
        const ssize_t count = pread(ssimcu_reader_fd(clip->reader), (uint8_t *)to + *got,
                                    size - *got, (off_t)(offset + (int64_t)*got));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", clip->name,
                               strerror(errno));
        if (count == 0) break;
        *got += (size_t)count;
    }
    return SSIMCU_OK;
}

static ssimcu_status truncated(const ssimcu_clip *clip, size_t got, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.300s: truncated: the last frame has %zu of %zu bytes", clip->name, got,
                       clip->format.frame_bytes);
}

static ssimcu_status no_frame(const ssimcu_clip *clip, ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.300s: damaged y4m stream (no FRAME line before frame %llu)", clip->name,
                       (unsigned long long)clip->frames);
}

static ssimcu_status next_in_file(ssimcu_clip *clip, ssimcu_clip_place *place, bool *end,
                                  ssimcu_message *message)
{
    char line[SSIMCU_Y4M_FRAME_BYTES];
    size_t got = 0;
    const size_t wanted = clip->y4m ? sizeof line : 1;
    const ssimcu_status status = read_at(clip, clip->offset, line, wanted, &got, message);
    *end = status == SSIMCU_OK && got == 0;
    if (status != SSIMCU_OK || *end) return status;
    if (clip->y4m) {
        char *newline = memchr(line, '\n', got);
        if (!newline) return no_frame(clip, message);
        *newline = '\0';
        if (!ssimcu_y4m_is_frame(line)) return no_frame(clip, message);
        clip->offset += newline - line + 1;
    }
    place->offset = clip->offset;
    clip->offset += (int64_t)clip->format.frame_bytes;
    return SSIMCU_OK;
}

static ssimcu_status next_in_pipe(ssimcu_clip *clip, void *data, bool *end, ssimcu_message *message)
{
    char line[SSIMCU_Y4M_FRAME_BYTES];
    size_t got = 0;
    if (clip->y4m) {
        long length = 0;
        const ssimcu_status status =
            ssimcu_reader_line(clip->reader, line, sizeof line, &length, message);
        *end = status == SSIMCU_OK && length < 0;
        if (status != SSIMCU_OK || *end) return status;
        if (!ssimcu_y4m_is_frame(line)) return no_frame(clip, message);
    }
    const size_t bytes = clip->format.frame_bytes;
    const ssimcu_status status = ssimcu_reader_bytes(clip->reader, data, bytes, &got, message);
    if (status != SSIMCU_OK || got == bytes) return status;
    *end = !clip->y4m && got == 0;
    return *end ? SSIMCU_OK : truncated(clip, got, message);
}

ssimcu_status ssimcu_clip_next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                               ssimcu_message *message)
{
    *end = clip->ended;
    place->offset = -1;
    if (clip->ended) return SSIMCU_OK;
    const ssimcu_status status = clip->is_file ? next_in_file(clip, place, end, message)
                                               : next_in_pipe(clip, data, end, message);
    clip->ended = *end || status != SSIMCU_OK;
    clip->frames++;
    return status;
}

/* Samples of two bytes, little-endian in the stream. */
static ssimcu_status check_words(const ssimcu_clip *clip, void *data, ssimcu_message *message)
{
    uint16_t *const sample = data;
    const size_t count = clip->format.frame_bytes / 2;
    const uint16_t one = 1;
    if (*(const uint8_t *)&one != 1)
        for (size_t i = 0; i < count; i++) sample[i] = (uint16_t)(sample[i] << 8 | sample[i] >> 8);
    uint16_t seen = 0;
    for (size_t i = 0; i < count; i++) seen |= sample[i];
    const uint32_t bits = clip->format.plane[0].bits;
    if (seen >> bits == 0) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.300s: a sample is above %u, the most of %u bits", clip->name,
                       (1u << bits) - 1, bits);
}

ssimcu_status ssimcu_clip_read(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                               ssimcu_message *message)
{
    if (place.offset >= 0) {
        size_t got;
        const size_t bytes = clip->format.frame_bytes;
        const ssimcu_status status = read_at(clip, place.offset, data, bytes, &got, message);
        if (status != SSIMCU_OK) return status;
        if (got < bytes) return truncated(clip, got, message);
    }
    return clip->format.plane[0].bits > 8 ? check_words(clip, data, message) : SSIMCU_OK;
}
