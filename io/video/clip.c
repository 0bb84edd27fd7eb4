/* What all video formats have in common: which of them a path is, and the order of calls. */
#define _POSIX_C_SOURCE 200809L /* S_ISREG */

#include "fail.h"
#include "image/image_limits.h"
#include "video/codec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

ssimcu_status ssimcu_clip_check_size(const ssimcu_clip *clip, const ssimcu_image_options *limits,
                                     ssimcu_message *message)
{
    const ssimcu_frame *luma = &clip->format.plane[0];
    return ssimcu_limits_check(limits, clip->name, luma->width, luma->height, message);
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* NULL where no format says that the path is its own. Only a regular file is looked into: a pipe's
 * first bytes would be taken away from whoever reads it. */
static const ssimcu_clip_codec *codec_of(const char *path)
{
    char start[16];
    size_t size = 0;
    struct stat info;
    if (strcmp(path, "-") == 0) return NULL;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
        ssimcu_reader *reader;
        if (ssimcu_reader_open(path, NULL, &reader, NULL) != SSIMCU_OK) return NULL;
        if (ssimcu_reader_bytes(reader, start, sizeof start, &size, NULL) != SSIMCU_OK) size = 0;
        ssimcu_reader_close(&reader);
    }
    for (const ssimcu_clip_codec *const *codec = codecs; *codec; codec++)
        if ((*codec)->is && (*codec)->is(path, start, size)) return *codec;
    return NULL;
}

bool ssimcu_clip_is_video(const char *path) { return codec_of(path) != NULL; }

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
    made->codec = raw ? &ssimcu_codec_raw : codec_of(path);
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
