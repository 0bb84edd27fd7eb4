#include "calibrate/source.h"

#include "pair/pair.h"
#include "record/record.h"

#include "fail.h"

#include <stdlib.h>

/* One source for each run. The next pair of each is kept, so that the first frame of all comes
 * first. */
struct runs {
    struct source base;
    uint32_t count;
    struct run {
        struct source_input input;
        struct source *source;
        struct pair next; /* its record is `record` */
        struct record record;
        bool has_next, ended;
    } * run;
};

static int64_t count_pairs(const struct source *source, uint32_t out)
{
    const struct source *own = ((const struct runs *)source)->run[out].source;
    return own->kind->count ? own->kind->count(own, 0) : -1;
}

static void look_ahead(struct run *run)
{
    if (run->has_next || run->ended) return;
    run->record = (struct record){0};
    run->next = (struct pair){.record = &run->record};
    run->ended = !run->source->kind->next(run->source, &run->next);
    run->has_next = !run->ended;
}

static bool next(struct source *source, struct pair *pair)
{
    struct runs *runs = (struct runs *)source;
    struct run *first = NULL;
    for (uint32_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->run[i];
        look_ahead(run);
        if (!run->has_next) continue;
        if (!first || record_order(run->record.shot, run->record.frame, first->record.shot,
                                   first->record.frame) < 0)
            first = run;
    }
    if (!first) return false;
    first->has_next = false;
    *pair->record = first->record;
    pair->place[0] = first->next.place[0];
    pair->place[1] = first->next.place[1];
    pair->out = (uint32_t)(first - runs->run);
    return true;
}

static ssimcu_status load(const struct source *source, struct pair *pair, ssimcu_message *message)
{
    const struct source *own = ((const struct runs *)source)->run[pair->out].source;
    return own->kind->load(own, pair, message);
}

static void release(const struct source *source, struct pair *pair)
{
    const struct source *own = ((const struct runs *)source)->run[pair->out].source;
    if (own->kind->release) own->kind->release(own, pair);
}

static void close_runs(struct source *source)
{
    struct runs *runs = (struct runs *)source;
    for (uint32_t i = 0; runs->run && i < runs->count; i++) {
        if (runs->run[i].has_next) record_clear(&runs->run[i].record);
        source_close(runs->run[i].source);
    }
    free(runs->run);
}

static const struct source_kind operations = {
    .count = count_pairs, .next = next, .load = load, .release = release, .close = close_runs};

static ssimcu_status open_run(const struct source_input *input, uint32_t at, struct run *run,
                              ssimcu_message *message)
{
    run->input = *input;
    run->input.path[1] = input->out[at];
    run->input.out = NULL;
    run->input.outs = 1;
    return source_open(&run->input, &run->source, message);
}

/* Opens pictures, of which the first run is open and becomes the source's. */
static ssimcu_status open_pictures(const struct source_input *input, const struct run *first,
                                   struct source **source, ssimcu_message *message)
{
    struct runs *runs = calloc(1, sizeof *runs);
    struct run *run = calloc(input->outs, sizeof *run);
    struct source_out *out = calloc(input->outs, sizeof *out);
    if (!runs || !run || !out) {
        free(runs), free(run), free(out);
        source_close(first->source);
        return ssimcu_no_memory(message, "the runs");
    }
    runs->base = (struct source){.kind = &operations,
                                 .input = input,
                                 .layers = first->source->layers,
                                 .outs = input->outs,
                                 .out = out};
    runs->run = run;
    runs->count = input->outs;
    run[0].source = first->source;
    run[0].input = first->input;
    run[0].source->input = &run[0].input;
    ssimcu_status status = SSIMCU_OK;
    for (uint32_t i = 1; i < runs->count && status == SSIMCU_OK; i++)
        status = open_run(input, i, &run[i], message);
    *source = &runs->base;
    if (status == SSIMCU_OK) return status;
    source_close(*source);
    *source = NULL;
    return status;
}

/* Opens the first run, or of video the first one that can be compared. */
static ssimcu_status open_any(const struct source_input *input, struct run *run,
                              ssimcu_message *message)
{
    const ssimcu_status status = open_run(input, 0, run, message);
    ssimcu_status other = status;
    ssimcu_message why; /* the first run's is told */
    for (uint32_t i = 1; i < input->outs && other == SSIMCU_ERROR_MISMATCH; i++)
        other = open_run(input, i, run, &why);
    if (other != SSIMCU_OK || status == SSIMCU_OK) return status;
    if (source_is_video(run->source)) return SSIMCU_OK;
    source_close(run->source);
    return status;
}

ssimcu_status calibrate_source_open(const struct source_input *input, struct source **source,
                                    ssimcu_message *message)
{
    struct run first = {0};
    *source = NULL;
    TRY(open_any(input, &first, message));
    if (!source_is_video(first.source)) return open_pictures(input, &first, source, message);
    source_close(first.source);
    return source_open(input, source, message);
}

/* Returns the width of the first picture of REF; 0: it is not known. */
static uint32_t picture_width(struct runs *runs)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < runs->count && width == 0; i++) {
        ssimcu_image *image = NULL;
        look_ahead(&runs->run[i]);
        const char *path = runs->run[i].record.side[0].path;
        if (!runs->run[i].has_next || !path) continue;
        if (ssimcu_image_open(path, runs->base.input->limits, &image, NULL) == SSIMCU_OK)
            width = ssimcu_image_shape(image).width;
        ssimcu_image_close(&image);
    }
    return width;
}

/* Does the same for video. Tiles of planes of a quarter of the width must be four times as wide as
 * the least tile. */
static uint32_t clip_width(const struct source_input *input, uint32_t *least)
{
    ssimcu_clip *clip = NULL;
    const ssimcu_clip_how how = {.stream = input->stream[0]};
    if (ssimcu_clip_open_how(input->path[0], input->raw, input->limits, input->stop, &how, &clip,
                             NULL) != SSIMCU_OK)
        return 0;
    const ssimcu_clip_format *format = ssimcu_clip_shape(clip);
    const uint32_t width = format->plane[0].width;
    if (format->chroma == 411) *least = 44;
    ssimcu_clip_close(&clip);
    return width;
}

uint32_t calibrate_source_tile(const struct source *source)
{
    const struct source_input *input = source->input;
    uint32_t least = 32, width = input->region.width;
    const bool pictures = source->kind->next == next;
    const uint32_t whole =
        pictures ? picture_width((struct runs *)(uintptr_t)source) : clip_width(input, &least);
    if (width == 0) width = whole;
    return width > 2500 ? 128 : width > 1000 ? 64 : least;
}
