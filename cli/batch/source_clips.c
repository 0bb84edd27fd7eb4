/* Source: two clips, y4m or raw, frame n against frame n. */
#include "batch/source.h"

#include "fail.h"

#include <string.h>

struct clips {
    struct batch_source base;
    ssimcu_clip *clip[2];
    bool ended[2];
    uint64_t position; /* frames gone to, wanted or not */
    size_t wanted_at;  /* how far input->frames has been used up */
};

static int64_t count(const struct batch_source *source)
{
    const struct clips *clips = (const struct clips *)source;
    if (source->input->frames) return (int64_t)source->input->frames->count;
    const int64_t a = ssimcu_clip_count(clips->clip[0]), b = ssimcu_clip_count(clips->clip[1]);
    if (a < 0 || b < 0) return a < 0 ? b : a;
    return (a < b) == source->input->shortest ? a : b;
}

static size_t need(const struct batch_source *source)
{
    return ssimcu_clip_shape(((const struct clips *)source)->clip[0])->frame_bytes;
}

/* Moves one clip on and notes what that came to. */
static void step(struct clips *clips, int side, bool wanted, struct batch_pair *pair)
{
    ssimcu_message why = {{0}};
    ssimcu_clip_place place = {0};
    const ssimcu_status status = ssimcu_clip_next(
        clips->clip[side], wanted ? pair->memory[side] : NULL, &place, &clips->ended[side], &why);
    pair->place[side] = place.offset;
    if (status != SSIMCU_OK && pair->record.kind != RECORD_FAILED)
        record_fail(&pair->record, status, &why);
}

/* Moves both clips on. False where that is beyond the end; *wanted: the frame is asked for. */
static bool step_both(struct clips *clips, struct batch_pair *pair, bool *wanted)
{
    const struct batch_input *input = clips->base.input;
    const ssimcu_ranges *frames = input->frames;
    if (frames && clips->wanted_at == frames->count) return false;
    if (frames && clips->ended[0] && clips->ended[1])
        clips->position = (uint64_t)frames->number[clips->wanted_at];
    pair->record.frame = (int64_t)clips->position++;
    const bool here = !frames || frames->number[clips->wanted_at] == pair->record.frame;
    if (frames && here) clips->wanted_at++;
    *wanted = here && source_in_share(input, (uint64_t)pair->record.frame);
    for (int side = 0; side < 2; side++) step(clips, side, *wanted, pair);
    const bool both = clips->ended[0] && clips->ended[1];
    const bool either = clips->ended[0] || clips->ended[1];
    return !(both && !frames) && !(either && input->shortest);
}

/* A frame that is not wanted has no record. Where it is damaged the clip is at its end, though
 * there may be wanted frames behind it. */
static void pass_over(struct batch_source *source, struct record *record)
{
    if (record->kind == RECORD_FAILED)
        (void)ssimcu_fail(&source->damage, record->status, "frame %lld (passed over): %.450s",
                          (long long)record->frame, record->message.text);
    *record = (struct record){0};
}

static bool next(struct batch_source *source, struct batch_pair *pair)
{
    struct clips *clips = (struct clips *)source;
    struct record *record = &pair->record;
    bool wanted;
    do {
        if (!step_both(clips, pair, &wanted)) return false;
        if (!wanted) pass_over(source, record);
    } while (!wanted);
    for (int side = 0; side < 2; side++) {
        (void)record_name(record, side, source->input->path[side]);
        if (clips->ended[side] && record->kind != RECORD_FAILED) record_miss(record, side);
    }
    return true;
}

static ssimcu_status load(const struct batch_source *source, struct batch_pair *pair,
                          ssimcu_message *message)
{
    const struct clips *clips = (const struct clips *)source;
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++) {
        const ssimcu_clip *clip = clips->clip[side];
        void *data = pair->memory[side];
        status = ssimcu_clip_read(clip, (ssimcu_clip_place){pair->place[side]}, data, message);
        ssimcu_clip_planes(ssimcu_clip_shape(clip), data, pair->plane[side]);
    }
    pair->planes = ssimcu_clip_shape(clips->clip[0])->planes;
    return status;
}

static void close_clips(struct batch_source *source)
{
    struct clips *clips = (struct clips *)source;
    for (int side = 0; side < 2; side++) ssimcu_clip_close(&clips->clip[side]);
}

static ssimcu_status compare_formats(const ssimcu_clip_format *ref, const ssimcu_clip_format *out,
                                     ssimcu_message *message)
{
    const ssimcu_frame *a = &ref->plane[0], *b = &out->plane[0];
    if (a->width != b->width || a->height != b->height)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "sizes differ: REF is %ux%u, OUT is %ux%u", a->width, a->height,
                           b->width, b->height);
    if (a->bits != b->bits)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "depths differ: REF has %u bits, OUT has %u", a->bits, b->bits);
    if (ref->planes != out->planes || ref->plane[1].width != out->plane[1].width ||
        ref->plane[1].height != out->plane[1].height)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "colourspaces differ: the chroma planes of REF and OUT are not alike");
    if (ref->range && out->range && ref->range != out->range)
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "colour ranges differ: one side is full range, the other limited");
    return SSIMCU_OK;
}

static ssimcu_status open_clips(struct batch_source *source, const enum form form[2],
                                ssimcu_message *message)
{
    const struct batch_input *input = source->input;
    ssimcu_clip **clip = ((struct clips *)source)->clip;
    if (strcmp(input->path[0], "-") == 0 && strcmp(input->path[1], "-") == 0)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "standard input can be REF or OUT, not both");
    if (input->color != SSIMCU_COLOR_RGB)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--color is for pictures: the planes of video are scored as they are");
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        status = ssimcu_clip_open(input->path[side], form[side] == FORM_RAW ? input->raw : NULL,
                                  input->limits, input->stopped, &clip[side], message);
    return status != SSIMCU_OK
               ? status
               : compare_formats(ssimcu_clip_shape(clip[0]), ssimcu_clip_shape(clip[1]), message);
}

const struct source_row source_clips = {
    .kind = {.count = count, .need = need, .next = next, .load = load, .close = close_clips},
    .forms = FORM_VIDEO | FORM_RAW,
    .bytes = sizeof(struct clips),
    .open = open_clips,
};
