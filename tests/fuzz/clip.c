#include "video/clip.h"
#include "targets.h"

#include <stdlib.h>
#include <string.h>

static const ssimcu_image_options limits = {.struct_size = sizeof limits, .max_pixels = 4096};
enum { MOST_FRAMES = 100 };

/* What came of a stream. */
struct outcome {
    ssimcu_status status;
    uint64_t sum; /* all samples' sum */
    int64_t frames;
};

static void read_frame(ssimcu_clip *clip, ssimcu_clip_place place, uint8_t *data,
                       struct outcome *outcome, ssimcu_message *why)
{
    const ssimcu_clip_format *format = ssimcu_clip_shape(clip);
    outcome->status = ssimcu_clip_read(clip, place, data, why);
    if (outcome->status != SSIMCU_OK) return;
    outcome->frames++;
    for (size_t i = 0; i < format->frame_bytes; i++) outcome->sum = outcome->sum * 31 + data[i];
    ssimcu_frame plane[SSIMCU_MAX_PLANES];
    ssimcu_clip_planes(format, data, plane);
    const ssimcu_frame *last = &plane[format->planes - 1];
    const uint8_t *end = (uint8_t *)last->data + (last->height - 1) * last->pitch +
                         (size_t)last->width * (last->bits > 8 ? 2 : 1);
    FUZZ_CHECK(end <= data + format->frame_bytes);
}

static struct outcome read_stream(const char *path, const ssimcu_clip_format *raw)
{
    struct outcome outcome = {0};
    ssimcu_clip *clip = NULL;
    ssimcu_message why = {{0}};
    outcome.status = ssimcu_clip_open_how(path, raw, &limits, NULL, NULL, &clip, &why);
    if (outcome.status != SSIMCU_OK) {
        FUZZ_CHECK(!clip && fuzz_is_line(why.text));
        return outcome;
    }
    const size_t bytes = ssimcu_clip_shape(clip)->frame_bytes;
    uint8_t *data = malloc(bytes);
    FUZZ_CHECK(bytes > 0 && data);
    bool end = false;
    for (int i = 0; outcome.status == SSIMCU_OK && i < MOST_FRAMES; i++) {
        ssimcu_clip_place place;
        outcome.status = ssimcu_clip_next(clip, data, &place, &end, &why);
        if (end) break;
        if (outcome.status == SSIMCU_OK) read_frame(clip, place, data, &outcome, &why);
    }
    FUZZ_CHECK(outcome.status == SSIMCU_OK || fuzz_is_line(why.text));
    free(data);
    ssimcu_clip_close(&clip);
    return outcome;
}

static const ssimcu_clip_format *raw_format(uint8_t choice, ssimcu_clip_format *format)
{
    static const char *const names[] = {"gray",      "yuv420p",   "yuv411p10le",
                                        "yuv422p12", "yuv444p16", "gray9"};
    static const char *const sizes[] = {"4x3", "1x1", "16x2", "5x7"};
    if (choice == 0) return NULL;
    const size_t of_names = sizeof names / sizeof names[0];
    FUZZ_CHECK(ssimcu_raw_parse(sizes[choice / of_names % 4], names[choice % of_names], format));
    return format;
}

void fuzz_clip(const uint8_t *data, size_t size)
{
    ssimcu_clip_format format;
    if (size < 1 || size > 32768) return;
    const ssimcu_clip_format *raw = raw_format(data[0], &format);
    struct fuzz_file file = fuzz_file_open(data + 1, size - 1);
    const struct outcome of_file = read_stream(file.path, raw);
    fuzz_file_close(&file);
    file = fuzz_pipe_open(data + 1, size - 1);
    const struct outcome of_pipe = read_stream(file.path, raw);
    fuzz_file_close(&file);
    if (raw) return; /* a file must hold a whole number of frames, a pipe ends with an error */
    FUZZ_CHECK(of_file.status == of_pipe.status && of_file.frames == of_pipe.frames);
    FUZZ_CHECK(of_file.sum == of_pipe.sum);
}
