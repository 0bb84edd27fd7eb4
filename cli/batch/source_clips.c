/* Source: two clips of any format, frame n of REF against n + offset of OUT. */
#include "batch/source.h"

#include "fail.h"

#include <stdio.h>
#include <string.h>

struct clips {
    struct batch_source base;
    ssimcu_clip *clip[2];
    bool ended[2];
    int64_t position; /* the frame of REF to go to next */
    size_t wanted_at; /* how far input->frames has been used up */
    int64_t told;     /* the clips know which frame is wanted next, up to this one */
};

/* The first frame that both sides may have. */
static int64_t first_of(const struct batch_input *input)
{
    return input->offset < 0 ? -input->offset : 0;
}

static int64_t count(const struct batch_source *source)
{
    const struct clips *clips = (const struct clips *)source;
    const struct batch_input *input = source->input;
    if (input->frames) return (int64_t)input->frames->count;
    const int64_t a = ssimcu_clip_count(clips->clip[0]), b = ssimcu_clip_count(clips->clip[1]);
    if (a < 0 && b < 0) return -1;
    const int64_t out_end = b - input->offset; /* on REF's count */
    int64_t end = (a < out_end) == input->shortest ? a : out_end;
    if (a < 0 || b < 0) end = a < 0 ? out_end : a;
    return end > first_of(input) ? end - first_of(input) : 0;
}

static size_t need(const struct batch_source *source)
{
    return ssimcu_clip_shape(((const struct clips *)source)->clip[0])->frame_bytes;
}

static uint64_t held(const struct batch_source *source)
{
    const struct clips *clips = (const struct clips *)source;
    return ssimcu_clip_held(clips->clip[0]) + ssimcu_clip_held(clips->clip[1]);
}

/* Moves one clip on and notes what that came to. */
static void step(struct clips *clips, int side, bool wanted, struct batch_pair *pair)
{
    ssimcu_message why = {{0}};
    ssimcu_clip_place place = {0};
    const ssimcu_status status = ssimcu_clip_next(
        clips->clip[side], wanted ? pair->memory[side] : NULL, &place, &clips->ended[side], &why);
    pair->place[side] = place.offset;
    pair->held[side] = wanted ? place.held : NULL;
    if (!wanted) ssimcu_clip_release(clips->clip[side], place);
    if (status != SSIMCU_OK && pair->record.kind != RECORD_FAILED)
        record_fail(&pair->record, status, &why);
}

/* Whether OUT has not begun at this frame. */
static bool is_before_out(const struct batch_input *input, int64_t frame)
{
    return frame + input->offset < 0;
}

/* Whether this frame is asked for, and in this share. */
static bool is_wanted(struct clips *clips, int64_t frame)
{
    const struct batch_input *input = clips->base.input;
    const ssimcu_ranges *frames = input->frames;
    if (!frames)
        return frame >= first_of(input) &&
               source_in_share(input, (uint64_t)(frame - first_of(input)));
    return frames->number[clips->wanted_at] == frame && source_in_share(input, clips->wanted_at++);
}

/* The next frame to decode, `position` or behind it; where none is, the last to go to. */
static int64_t next_wanted(const struct clips *clips)
{
    const struct batch_source *source = &clips->base;
    const struct batch_input *input = source->input;
    const ssimcu_ranges *frames = input->frames;
    const int64_t first = first_of(input);
    size_t at = clips->wanted_at;
    int64_t frame = clips->position > first ? clips->position : first;
    for (;; frame++, at++) {
        if (frames && at >= frames->count) return frames->number[frames->count - 1];
        if (frames) frame = frames->number[at];
        if (source_in_share(input, frames ? at : (uint64_t)(frame - first)) &&
            !(source->scored && source->scored(source->user, frame)))
            return frame;
    }
}

/* Tells the clips how many frames nobody will read, which they need not decode. */
static void tell_clips(struct clips *clips)
{
    const int64_t position = clips->position, offset = clips->base.input->offset;
    if (position < clips->told) return;
    const int64_t wanted = next_wanted(clips);
    const int64_t out = position == 0 || position + offset < 0 ? 0 : position + offset;
    clips->told = wanted + 1;
    if (wanted > position) ssimcu_clip_pass(clips->clip[0], (uint64_t)(wanted - position));
    if (wanted + offset > out) ssimcu_clip_pass(clips->clip[1], (uint64_t)(wanted + offset - out));
}

/* Moves both clips on. False where that is beyond the end; *wanted: the frame is asked for. */
static bool step_both(struct clips *clips, struct batch_pair *pair, bool *wanted)
{
    const struct batch_input *input = clips->base.input;
    const ssimcu_ranges *frames = input->frames;
    if (frames && clips->wanted_at == frames->count) return false;
    if (frames && clips->ended[0] && clips->ended[1])
        clips->position = frames->number[clips->wanted_at];
    tell_clips(clips);
    if (clips->position == 0) /* what OUT has before REF begins */
        for (int64_t i = 0; i < input->offset && !clips->ended[1]; i++) step(clips, 1, false, pair);
    const int64_t frame = pair->record.frame = clips->position++;
    *wanted = is_wanted(clips, frame);
    step(clips, 0, *wanted, pair);
    if (!is_before_out(input, frame)) step(clips, 1, *wanted, pair);
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
        const bool missing =
            clips->ended[side] || (side == 1 && is_before_out(source->input, record->frame));
        if (missing && record->kind != RECORD_FAILED) record_miss(record, side);
    }
    return true;
}

/* One side's frame: where its decoder has it, or in the pair's memory. */
static ssimcu_status load_side(const ssimcu_clip *clip, int side, struct batch_pair *pair,
                               ssimcu_message *message)
{
    const ssimcu_clip_place place = {pair->place[side], pair->held[side]};
    pair->format[side] = ssimcu_clip_shape(clip);
    void *data = pair->memory[side];
    if (place.held && !pair->pinned)
        return ssimcu_clip_view(clip, place, pair->plane[side], message);
    ssimcu_clip_planes(ssimcu_clip_shape(clip), data, pair->plane[side]);
    return ssimcu_clip_read(clip, place, data, message);
}

static void release(const struct batch_source *source, struct batch_pair *pair)
{
    const struct clips *clips = (const struct clips *)source;
    for (int side = 0; side < 2; side++)
        ssimcu_clip_release(clips->clip[side], (ssimcu_clip_place){-1, pair->held[side]});
}

static ssimcu_status load(const struct batch_source *source, struct batch_pair *pair,
                          ssimcu_message *message)
{
    const struct clips *clips = (const struct clips *)source;
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        status = load_side(clips->clip[side], side, pair, message);
    pair->planes = ssimcu_clip_shape(clips->clip[0])->planes;
    source_cut(&source->input->region, ssimcu_clip_shape(clips->clip[0]), pair);
    return status;
}

static void describe(const struct batch_source *source, int side, char *text, size_t size)
{
    ssimcu_clip_describe(((const struct clips *)source)->clip[side], text, size);
}

static void close_clips(struct batch_source *source)
{
    struct clips *clips = (struct clips *)source;
    for (int side = 0; side < 2; side++) ssimcu_clip_close(&clips->clip[side]);
}

static ssimcu_status open_clips(struct batch_source *source, const enum form form[2],
                                ssimcu_message *message)
{
    const struct batch_input *input = source->input;
    ssimcu_clip **clip = ((struct clips *)source)->clip;
    ssimcu_image_options limits = {.struct_size = sizeof limits};
    if (input->limits) limits = *input->limits;
    limits.threads = input->threads;
    if (strcmp(input->path[0], "-") == 0 && strcmp(input->path[1], "-") == 0)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "standard input can be REF or OUT, not both");
    if (input->color != SSIMCU_COLOR_RGB)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--color is for pictures: the planes of video are scored as they are");
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        status = ssimcu_clip_open(input->path[side], form[side] == FORM_RAW ? input->raw : NULL,
                                  &limits, input->stopped, &clip[side], message);
    if (status == SSIMCU_OK)
        status =
            source_compare_formats(ssimcu_clip_shape(clip[0]), ssimcu_clip_shape(clip[1]), message);
    if (status == SSIMCU_OK && input->region.width > 0)
        status = source_check_region(&input->region, ssimcu_clip_shape(clip[0]), message);
    return status;
}

const struct source_row source_clips = {
    .kind = {.video = true,
             .sequence = true,
             .count = count,
             .need = need,
             .held = held,
             .next = next,
             .load = load,
             .release = release,
             .describe = describe,
             .close = close_clips},
    .forms = FORM_VIDEO | FORM_RAW,
    .bytes = sizeof(struct clips),
    .open = open_clips,
};
