/* What all video formats have in common: which of them a path is, and the order of calls. */
#define _POSIX_C_SOURCE 200809L /* fstat, S_ISREG */

#include "fail.h"
#include "image/image_limits.h"
#include "pipe.h"
#include "video/codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const ssimcu_clip_codec *const codecs[] = {&ssimcu_codec_y4m, &ssimcu_codec_raw, NULL};

/* ---- What formats share ---------------------------------------------------------------------- */

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

uint32_t ssimcu_clip_across(const ssimcu_clip_format *format)
{
    switch (format->chroma) {
    case 400:
    case 444: return 1;
    case 420:
    case 422: return 2;
    case 411: return 4;
    default: return 0;
    }
}

uint32_t ssimcu_clip_down(const ssimcu_clip_format *format)
{
    return format->chroma == 420 ? 2 : 1;
}

void ssimcu_clip_name(const ssimcu_clip_format *format, char *name, size_t size)
{
    const uint32_t bits = format->plane[0].bits;
    char depth[12] = "";
    if (bits > 8) snprintf(depth, sizeof depth, "%u", bits);
    if (format->chroma == 400)
        snprintf(name, size, "gray%s", depth);
    else
        snprintf(name, size, "yuv%up%s", format->chroma, depth);
}

bool ssimcu_clip_make_format(uint32_t width, uint32_t height, uint32_t chroma, uint32_t bits,
                             ssimcu_clip_format *format)
{
    *format = (ssimcu_clip_format){.planes = chroma == 400 ? 1 : 3, .chroma = chroma};
    const uint32_t across = ssimcu_clip_across(format), down = ssimcu_clip_down(format);
    if (across == 0 || bits < 8 || bits > 16 || width == 0 || height == 0) return false;
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

ssimcu_status ssimcu_clip_check_size(const ssimcu_clip *clip, const ssimcu_image_options *limits,
                                     ssimcu_message *message)
{
    const ssimcu_frame *luma = &clip->format.plane[0];
    return ssimcu_limits_check(limits, clip->name, luma->width, luma->height, message);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* The first bytes of a regular file, or of a pipe, where they stay. */
static size_t read_start(const char *path, ssimcu_stopped *stopped, char *start, size_t most)
{
    size_t size = 0;
    struct stat info;
    ssimcu_reader *reader;
    const bool standard = strcmp(path, "-") == 0;
    if (standard ? fstat(STDIN_FILENO, &info) != 0 : stat(path, &info) != 0) return 0;
    if (S_ISFIFO(info.st_mode)) return ssimcu_pipe_start(path, stopped, start, most);
    if (standard || !S_ISREG(info.st_mode)) return 0;
    if (ssimcu_reader_open(path, NULL, &reader, NULL) != SSIMCU_OK) return 0;
    if (ssimcu_reader_bytes(reader, start, most, &size, NULL) != SSIMCU_OK) size = 0;
    ssimcu_reader_close(&reader);
    return size;
}

/* NULL where no format says that the path is its own. */
static const ssimcu_clip_codec *codec_of(const char *path, ssimcu_stopped *stopped)
{
    char start[16];
    const size_t size = read_start(path, stopped, start, sizeof start);
    for (const ssimcu_clip_codec *const *codec = codecs; *codec; codec++)
        if ((*codec)->is && (*codec)->is(path, start, size)) return *codec;
    return NULL;
}

bool ssimcu_clip_is_video(const char *path, ssimcu_stopped *stopped)
{
    return codec_of(path, stopped) != NULL;
}

ssimcu_status ssimcu_clip_open(const char *path, const ssimcu_clip_format *raw,
                               const ssimcu_image_options *limits, ssimcu_stopped *stopped,
                               ssimcu_clip **clip, ssimcu_message *message)
{
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    const ssimcu_image_options filled = ssimcu_limits_fill(limits);
    *clip = NULL;
    ssimcu_clip *made = calloc(1, sizeof *made + strlen(name) + 1);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    strcpy(made->name, name);
    made->codec = raw ? &ssimcu_codec_raw : codec_of(path, stopped);
    if (!made->codec) made->codec = &ssimcu_codec_y4m; /* as a pipe, or its error says why not */
    if (raw) made->format = *raw;
    const ssimcu_status status = made->codec->open(made, path, &filled, stopped, message);
    if (status != SSIMCU_OK)
        ssimcu_clip_close(&made);
    else
        *clip = made;
    return status;
}

void ssimcu_clip_close(ssimcu_clip **clip)
{
    if (!clip || !*clip) return;
    (*clip)->codec->close(*clip);
    free(*clip);
    *clip = NULL;
}

const ssimcu_clip_format *ssimcu_clip_shape(const ssimcu_clip *clip) { return &clip->format; }

int64_t ssimcu_clip_count(const ssimcu_clip *clip) { return clip->codec->count(clip); }

void ssimcu_clip_describe(const ssimcu_clip *clip, char *text, size_t size)
{
    static const char *const ranges[] = {"", ", limited range", ", full range"};
    const ssimcu_clip_format *format = &clip->format;
    const int64_t count = ssimcu_clip_count(clip);
    char frames[40] = "", name[16], rate[40] = "";
    if (count >= 0)
        snprintf(frames, sizeof frames, "%lld frame%s of ", (long long)count,
                 count == 1 ? "" : "s");
    ssimcu_clip_name(format, name, sizeof name);
    if (format->rate[1] == 1)
        snprintf(rate, sizeof rate, ", %u a second", format->rate[0]);
    else if (format->rate[1] > 0)
        snprintf(rate, sizeof rate, ", %u/%u a second", format->rate[0], format->rate[1]);
    snprintf(text, size, "%.300s: %s%ux%u %s%s%s", clip->name, frames, format->plane[0].width,
             format->plane[0].height, name, rate, ranges[format->range]);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

ssimcu_status ssimcu_clip_next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                               ssimcu_message *message)
{
    *end = clip->ended;
    place->offset = -1;
    if (clip->ended) return SSIMCU_OK;
    const ssimcu_status status = clip->codec->next(clip, data, place, end, message);
    clip->ended = *end || status != SSIMCU_OK;
    clip->frames++;
    return status;
}

ssimcu_status ssimcu_clip_read(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                               ssimcu_message *message)
{
    return clip->codec->read(clip, place, data, message);
}
