/* Code that all video formats share. It chooses the format of a path and checks the order of
 * calls. */
#define _POSIX_C_SOURCE 200809L /* fstat, S_ISREG */

#include "fail.h"
#include "image/foreign.h"
#include "image/image_limits.h"
#include "pipe.h"
#include "video/clip_codec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIPE_START_BYTES = 16 /* every writer soon writes this many */, PASSED = -2 };

static const ssimcu_clip_codec *const codecs[] = {&ssimcu_codec_y4m, &ssimcu_codec_raw,
                                                  &ssimcu_codec_av, NULL};

/* ---- Opening --------------------------------------------------------------------------------- */

/* Reads the first bytes of a regular file or a pipe. They stay in the pipe. */
static size_t read_start(const char *path, const ssimcu_stop *stop, char *start, size_t most)
{
    size_t size = 0;
    struct stat info;
    ssimcu_reader *reader;
    const bool standard = strcmp(path, "-") == 0;
    if (standard ? fstat(STDIN_FILENO, &info) != 0 : stat(path, &info) != 0) return 0;
    if (S_ISFIFO(info.st_mode)) return ssimcu_pipe_start(path, stop, start, PIPE_START_BYTES);
    if (standard || !S_ISREG(info.st_mode)) return 0;
    if (ssimcu_reader_open(path, NULL, &reader, NULL) != SSIMCU_OK) return 0;
    if (ssimcu_reader_bytes(reader, start, most, &size, NULL) != SSIMCU_OK) size = 0;
    ssimcu_reader_close(&reader);
    return size;
}

/* Returns the format of a path, or NULL if no format claims it. */
static const ssimcu_clip_codec *codec_of(const char *path, const ssimcu_stop *stop)
{
    char start[SSIMCU_FOREIGN_BYTES];
    const size_t size = read_start(path, stop, start, sizeof start);
    for (const ssimcu_clip_codec *const *codec = codecs; *codec; codec++)
        if ((*codec)->is && (*codec)->is(path, start, size)) return *codec;
    return NULL;
}

bool ssimcu_clip_is_video(const char *path, const ssimcu_stop *stop)
{
    return codec_of(path, stop) != NULL;
}

ssimcu_status ssimcu_clip_open_how(const char *path, const ssimcu_clip_format *raw,
                                   const ssimcu_image_options *limits, const ssimcu_stop *stop,
                                   const ssimcu_clip_how *how, ssimcu_clip **clip,
                                   ssimcu_message *message)
{
    const ssimcu_clip_gpu *const gpu = how ? how->gpu : NULL;
    const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
    ssimcu_clip *const made = *clip = calloc(1, sizeof *made + strlen(name) + 1);
    if (!made) return ssimcu_no_memory(message, NULL);
    strcpy(made->name, name);
    made->gpu = gpu ? (int)gpu->index : -1;
    made->begin = gpu ? gpu->begin : NULL;
    made->begin_user = gpu ? gpu->user : NULL;
    made->stream = how ? how->stream : 0;
    made->any_size = how && how->any_size;
    made->fd = -1;
    made->count = -1;
    made->limits = ssimcu_limits_fill(limits);
    made->stop = stop;
    made->codec = raw ? &ssimcu_codec_raw : codec_of(path, stop);
    if (!made->codec) made->codec = &ssimcu_codec_y4m; /* reads a pipe, or reports the error */
    if (raw) made->format = *raw;
    ssimcu_status status = made->codec->open(made, path, message);
    if (status == SSIMCU_OK && made->stream > 0 && made->format.streams == 0)
        status = ssimcu_clip_no_stream(made, 1, message);
    if (status != SSIMCU_OK) ssimcu_clip_close(clip);
    return status;
}

const char *ssimcu_clip_why_not_gpu(const ssimcu_clip *clip) { return clip->why_not_gpu.text; }

void ssimcu_clip_close(ssimcu_clip **clip)
{
    if (!clip || !*clip) return;
    (*clip)->codec->close(*clip);
    free(*clip);
    *clip = NULL;
}

const ssimcu_clip_format *ssimcu_clip_shape(const ssimcu_clip *clip) { return &clip->format; }

void ssimcu_clip_overrule(ssimcu_clip *clip, ssimcu_range range, const char *matrix)
{
    if (clip->format.rgb) return;
    if (range != SSIMCU_RANGE_UNKNOWN) clip->format.range = range;
    if (matrix) clip->format.matrix = matrix;
}

int64_t ssimcu_clip_count(const ssimcu_clip *clip) { return clip->count; }

uint64_t ssimcu_clip_held(const ssimcu_clip *clip) { return clip->held; }

void ssimcu_clip_describe(const ssimcu_clip *clip, char *text, size_t size)
{
    static const char *const ranges[] = {"", ", limited range", ", full range"};
    const ssimcu_clip_format *format = &clip->format;
    const int64_t count = ssimcu_clip_count(clip);
    const char *const coding = format->coding ? format->coding : "";
    char frames[40] = "", name[16], rate[40] = "";
    if (count >= 0 && !format->coding) /* a container's count is only a hint */
        snprintf(frames, sizeof frames, "%lld frame%s of ", (long long)count,
                 count == 1 ? "" : "s");
    ssimcu_clip_name(format, name, sizeof name);
    if (format->rate[1] == 1)
        snprintf(rate, sizeof rate, ", %u a second", format->rate[0]);
    else if (format->rate[1] > 0)
        snprintf(rate, sizeof rate, ", %u/%u a second", format->rate[0], format->rate[1]);
    const char *const why = clip->why_not_gpu.text;
    snprintf(text, size, "%.300s: %s%ux%u %s%s%s%s%s%s%s%.150s", clip->name, frames,
             format->plane[0].width, format->plane[0].height, name, rate, ranges[format->range],
             coding[0] ? ", " : "", coding,
             format->on_device ? ", decoded by NVDEC"
             : coding[0]       ? ", decoded by the CPU"
                               : "",
             why[0] ? ": " : "", why);
}

/* ---- Frames ---------------------------------------------------------------------------------- */

ssimcu_status ssimcu_clip_next(ssimcu_clip *clip, void *data, ssimcu_clip_place *place, bool *end,
                               ssimcu_message *message)
{
    *end = clip->ended;
    *place = (ssimcu_clip_place){.offset = -1};
    if (clip->ended) return SSIMCU_OK;
    if (clip->passed > 0) {
        clip->passed--;
        clip->frames++;
        place->offset = PASSED;
        return SSIMCU_OK;
    }
    const ssimcu_status status = clip->codec->next(clip, data, place, end, message);
    clip->ended = *end || status != SSIMCU_OK;
    clip->frames++;
    return status;
}

void ssimcu_clip_pass(ssimcu_clip *clip, uint64_t count)
{
    if (clip->ended || clip->passed > 0 || count == 0 || !clip->codec->skip) return;
    if (clip->codec->skip(clip, clip->frames + count)) clip->passed = count;
}

uint64_t ssimcu_clip_key_distance(ssimcu_clip *clip)
{
    if (clip->codec->key_distance) return clip->codec->key_distance(clip);
    return ssimcu_clip_count(clip) >= 0;
}

uint64_t ssimcu_clip_key_before(ssimcu_clip *clip, uint64_t frame)
{
    if (clip->codec->key_before) return clip->codec->key_before(clip, frame);
    return ssimcu_clip_count(clip) >= 0 ? frame : 0;
}

bool ssimcu_clip_is_beyond(ssimcu_clip *clip, uint64_t frame)
{
    if (clip->codec->is_beyond) return clip->codec->is_beyond(clip, frame);
    const int64_t count = ssimcu_clip_count(clip);
    return count >= 0 && frame >= (uint64_t)count;
}

ssimcu_status ssimcu_clip_read(const ssimcu_clip *clip, ssimcu_clip_place place, void *data,
                               ssimcu_message *message)
{
    if (place.offset == PASSED)
        FAIL(FILE, "%.300s: changed during the run: its frame was skipped as known", clip->name);
    return clip->codec->read(clip, place, data, message);
}

ssimcu_status ssimcu_clip_view(const ssimcu_clip *clip, ssimcu_clip_place place,
                               ssimcu_frame plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    return clip->codec->view(clip, place, plane, message);
}

ssimcu_status ssimcu_clip_device_view(const ssimcu_clip *clip, ssimcu_clip_place place,
                                      ssimcu_view plane[SSIMCU_MAX_PLANES], ssimcu_message *message)
{
    return clip->codec->device_view(clip, place, plane, message);
}

void ssimcu_clip_release(const ssimcu_clip *clip, ssimcu_clip_place place)
{
    if (place.held) clip->codec->release(clip, place);
}
