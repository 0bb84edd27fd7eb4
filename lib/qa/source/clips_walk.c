/* Walking through clips: the source goes to every frame of every side in turn, and passes over
 * unwanted ones. */
#include "pair/pair.h"
#include "source/clips.h"

#include "fail.h"

#include <math.h>
#include <stdlib.h>

int64_t clips_first(const struct source_input *input)
{
    return input->offset < 0 ? -input->offset : 0;
}

ssimcu_clip_place clips_step(struct clips_side *side, bool wanted, void *data)
{
    ssimcu_message why = {{0}};
    ssimcu_clip_place place = {.offset = -1};
    bool end;
    side->ends_badly = false;
    if (side->ended) return place;
    const ssimcu_status status =
        ssimcu_clip_next(side->clip, wanted ? data : NULL, &place, &end, &why);
    side->ended = end && status == SSIMCU_OK;
    side->ends_badly = end && status != SSIMCU_OK;
    side->time = place.held ? place.coded.time : NAN;
    if (!wanted) ssimcu_clip_release(side->clip, place);
    if (!wanted) place.held = NULL;
    if (status != SSIMCU_OK && side->status == SSIMCU_OK) {
        side->status = status;
        side->why = why;
    }
    return place;
}

void clips_leave(ssimcu_clip *clip, struct clips_frame *frame)
{
    if (!frame || atomic_fetch_sub(&frame->users, 1) > 1) return;
    ssimcu_clip_release(clip, frame->place);
    free(frame);
}

/* ---- Pairs by time --------------------------------------------------------------------------- */

/* Returns the interval between frames, from the rate; 0: unknown. */
static double interval_of(const struct clips_side *side)
{
    const ssimcu_clip_format *format = ssimcu_clip_shape(side->clip);
    return format->rate[0] > 0 ? (double)format->rate[1] / format->rate[0] : 0;
}

/* Returns how far apart the times of a pair may be. This is a little less than half of the shorter
 * interval, so that no frame is equally near to two others. */
static double tolerance(const struct clips *clips, const struct clips_side *out)
{
    const double ref = interval_of(&clips->side[0]), interval = interval_of(out);
    return 0.499 * (interval > 0 && interval < ref ? interval : ref);
}

/* Reports that a frame of OUT is left out, if no frame of REF is passed over. */
static void print_left_out(const struct clips *clips, const struct clips_side *out)
{
    const struct source_input *input = clips->base.input;
    const uint32_t at = (uint32_t)(out - clips->side) - 1;
    char line[400];
    if (input->frames || input->shards > 1 || clips->base.scored) return;
    if (!input->limits || !input->limits->remark) return;
    snprintf(line, sizeof line,
             "%.300s: --align: frame %lld was left out: REF has no frame at its time",
             source_out_name(input, at), (long long)out->next - 1);
    input->limits->remark(input->limits->user, line);
}

/* An OUT frame without a time pairs with the next frame of REF. REF may have no frame because it
 * was passed over together with its pair. After REF's end, the frames of OUT later than REF's last
 * one follow. */
ssimcu_clip_place clips_align(struct clips *clips, struct clips_side *out)
{
    const bool ended = clips->side[0].ended;
    const double most = tolerance(clips, out),
                 time = ended ? clips->last_time : clips->side[0].time;
    const ssimcu_clip_place none = {0};
    out->lacks = false;
    if (!clips->ref_frame && !ended) return none;
    for (;;) {
        if (!out->ahead.held) {
            out->ahead = clips_step(out, true, NULL);
            out->next++;
        }
        const ssimcu_clip_place place = out->ahead;
        const double late = place.coded.time - time;
        out->lacks = place.held && !ended && late > most;
        if (out->lacks) return none;
        out->ahead = none;
        if (!place.held || !(ended ? late <= most : late < -most)) return place;
        ssimcu_clip_release(out->clip, place);
        print_left_out(clips, out);
    }
}

/* Passes over a frame of OUT. Paired by time, OUT follows REF until REF has ended. */
static void pass_out(struct clips *clips, struct clips_side *out)
{
    if (!clips->base.input->align)
        (void)clips_step(out, false, NULL);
    else if (clips->side[0].ended)
        ssimcu_clip_release(out->clip, clips_align(clips, out));
}

/* Notes the time of REF's last frame; if that was not decoded, its time follows from the rate. */
static void note_time(struct clips *clips)
{
    const struct clips_side *const ref = &clips->side[0];
    if (!ref->ended)
        clips->last_time = isnan(ref->time) ? clips->last_time + interval_of(ref) : ref->time;
}

/* Moves REF on to a wanted frame. */
static void step_ref(struct clips *clips, struct pair *pair)
{
    struct clips_side *ref = &clips->side[0];
    const ssimcu_clip_place place =
        clips_step(ref, true, clips->data ? clips->data : pair->memory[0]);
    clips->offset = place.offset;
    note_time(clips);
    if (!place.held) return;
    clips->ref_frame = malloc(sizeof *clips->ref_frame);
    if (clips->ref_frame) {
        clips->ref_frame->place = place;
        atomic_init(&clips->ref_frame->users,
                    1); /* the source, until the OUTs have had their turn */
    } else {
        ssimcu_clip_release(ref->clip, place);
        ref->status = ssimcu_no_memory(&ref->why, "a frame");
    }
}

/* ---- Wanted frames --------------------------------------------------------------------------- */

bool clips_before_out(const struct source_input *input, int64_t frame)
{
    return frame + input->offset < 0;
}

/* Returns a frame's place among those of all shares. `at`: its place in the list, if any. */
static uint64_t position_of(const struct source_input *input, size_t at, int64_t frame)
{
    return input->frames ? at : (uint64_t)(frame - clips_first(input));
}

/* Returns whether this reader has the pair at this position. Positions never decrease. */
static bool is_ours(struct clips *clips, uint64_t position)
{
    const struct source_input *input = clips->base.input;
    struct chunks *all = input->chunks;
    if (!share_has(input, position)) return false;
    if (!all) return true;
    const uint64_t chunk = share_chunk(input, position);
    while (clips->current_chunk <= chunk) clips->current_chunk = share_take(all, input->reader);
    return clips->current_chunk == chunk + 1;
}

/* Returns whether this frame is requested and in this share. */
static bool is_wanted(struct clips *clips, int64_t frame)
{
    const struct source_input *input = clips->base.input;
    const ssimcu_ranges *frames = input->frames;
    const size_t at = clips->wanted_at;
    if (frames ? frames->number[at] != frame : frame < clips_first(input)) return false;
    clips->wanted_at++;
    clips->index = share_index(input, position_of(input, at, frame));
    return is_ours(clips, position_of(input, at, frame));
}

/* A side that is cut off where the other ends is not shorter: its cut counts. */
void clips_note_end(const struct clips *clips, struct clips_side *out)
{
    const struct source_input *input = clips->base.input;
    const bool both = clips->side[0].ended && out->ended,
               either = clips->side[0].ended || out->ended,
               badly = clips->side[0].ends_badly || out->ends_badly;
    const ssimcu_ranges *frames = input->frames;
    const bool open = !frames || clips->wanted_at > frames->count - frames->open;
    out->over = (both && open) || (either && input->shortest && !badly);
}

/* Moves the error of an unwanted frame to `damage`, because the frame has no record. A damaged clip
 * is at its end, though wanted frames may follow. */
static void pass_over(const struct clips *clips, struct clips_side *side, ssimcu_message *damage)
{
    if (side->status != SSIMCU_OK)
        (void)ssimcu_fail(damage, side->status, "frame %lld (passed over): %.450s",
                          (long long)clips->frame, side->why.text);
    side->status = SSIMCU_OK;
}

/* Passes over the frames that OUTs have before REF begins. */
static void pass_beginnings(struct clips *clips)
{
    for (uint32_t o = 1; o <= clips->outs; o++)
        for (int64_t i = 0; i < clips->base.input->offset && clips->side[o].clip; i++)
            if (!clips->side[o].ended) (void)clips_step(&clips->side[o], false, NULL);
}

static void pass_frame(struct clips *clips)
{
    bool over = true;
    (void)clips_step(&clips->side[0], false, NULL);
    note_time(clips);
    for (uint32_t o = 1; o <= clips->outs; o++) {
        struct clips_side *out = &clips->side[o];
        if (out->over) continue;
        if (!clips_before_out(clips->base.input, clips->frame)) pass_out(clips, out);
        clips_note_end(clips, out);
        over = over && out->over;
        if (!out->over) pass_over(clips, out, &clips->base.out[o - 1].damage);
    }
    if (!over) pass_over(clips, &clips->side[0], &clips->base.damage);
}

/* ---- Frames that need no decoding ------------------------------------------------------------ */

/* Returns the next frame to decode, at `position` or later. If there is none, returns the last
 * frame to go to. */
static int64_t next_wanted(struct clips *clips)
{
    const struct source *source = &clips->base;
    const struct source_input *input = source->input;
    const ssimcu_ranges *frames = input->frames;
    const int64_t first = clips_first(input);
    size_t at = clips->wanted_at;
    int64_t frame = clips->position > first ? clips->position : first, last = -1;
    for (;; frame++, at++) {
        if (frames && at >= frames->count) return frames->number[frames->count - 1];
        if (frames) frame = frames->number[at];
        const uint64_t position = position_of(input, at, frame);
        if (last >= 0 && input->chunks && share_chunk(input, position) >= clips->current_chunk)
            return last; /* this reader's chunk ends first */
        if (input->end > 0 && position >= input->end) return last >= 0 ? last : frame;
        if (is_ours(clips, position) && !(source->scored && source->scored(source->user, frame)))
            return frame;
        last = frame;
    }
}

/* Returns whether this reader's chunk begins beyond the end of the share or of every pair of sides,
 * and is not reached yet. Going there would decode frames of other readers. */
static bool is_beyond(const struct clips *clips)
{
    const struct source_input *input = clips->base.input;
    if (!input->chunks) return false;
    if (input->frames)
        return clips->current_chunk > share_chunk(input, input->frames->count - 1) + 1;
    const int64_t begin =
        clips_first(input) + (int64_t)((clips->current_chunk - 1) * input->chunks->length);
    if (begin <= clips->position) return false;
    if (input->end > 0 && (uint64_t)(begin - clips_first(input)) >= input->end) return true;
    const bool ref = ssimcu_clip_is_beyond(clips->side[0].clip, (uint64_t)begin);
    if (ref == input->shortest) return ref;
    for (uint32_t o = 1; o <= clips->outs; o++) {
        const struct clips_side *out = &clips->side[o];
        if (!out->over && !ssimcu_clip_is_beyond(out->clip, (uint64_t)(begin + input->offset)))
            return false;
    }
    return true;
}

/* Ends clips that certainly lack the next listed frame. To find that out, one of several readers
 * would decode the frames of others. */
static void end_clips(struct clips *clips)
{
    const struct source_input *input = clips->base.input;
    if (!input->chunks || !input->frames) return;
    const int64_t frame = input->frames->number[clips->wanted_at];
    if (frame <= clips->position) return;
    for (uint32_t s = 0; s <= clips->outs; s++) {
        struct clips_side *side = &clips->side[s];
        const int64_t side_frame = s > 0 ? frame + input->offset : frame;
        if (side->clip && !side->ended && side_frame >= 0)
            side->ended = ssimcu_clip_is_beyond(side->clip, (uint64_t)side_frame);
    }
}

/* Tells the clips how many frames they need not decode because no pair uses them. Returns false if
 * no pair needs any more frames. */
static bool tell_clips(struct clips *clips)
{
    const int64_t position = clips->position, offset = clips->base.input->offset;
    if (position < clips->told_until) return true;
    const int64_t wanted = next_wanted(clips);
    const int64_t out = position == 0 || position + offset < 0 ? 0 : position + offset;
    if (is_beyond(clips)) return false;
    clips->told_until = wanted + 1;
    if (wanted > position) ssimcu_clip_pass(clips->side[0].clip, (uint64_t)(wanted - position));
    for (uint32_t o = 1; o <= clips->outs; o++)
        if (clips->side[o].clip && wanted + offset > out && !clips->base.input->align)
            ssimcu_clip_pass(clips->side[o].clip, (uint64_t)(wanted + offset - out));
    return true;
}

/* ---- Next frame ------------------------------------------------------------------------------ */

/* Finds out whether every OUT has ended or is over, and whether every OUT is over. */
static void look_ahead(const struct clips *clips, bool *ended, bool *over)
{
    *ended = *over = true;
    for (uint32_t o = 1; o <= clips->outs; o++) {
        *ended = *ended && (clips->side[o].ended || clips->side[o].over);
        *over = *over && clips->side[o].over;
    }
}

/* Returns whether all remaining frames belong to later shares. */
static bool is_behind_share(const struct clips *clips)
{
    const struct source_input *input = clips->base.input;
    const int64_t position = clips->position - clips_first(input);
    return input->end > 0 && position >= 0 && (uint64_t)position >= input->end;
}

/* Notes that an open-ended list has ended before the clips. Returns false. */
static bool note_rest(struct clips *clips)
{
    if (clips->base.input->frames->open > 0)
        (void)ssimcu_fail(&clips->base.damage, SSIMCU_ERROR_LIMIT,
                          "--frames without an end: expected at most %d frames", SSIMCU_MAX_FRAMES);
    return false;
}

bool clips_find_frame(struct clips *clips, struct pair *pair)
{
    const ssimcu_ranges *frames = clips->base.input->frames;
    bool ended, over;
    clips->side[0].status = SSIMCU_OK; /* the records have reported it */
    for (;;) {
        if (frames && clips->wanted_at == frames->count) return note_rest(clips);
        if (is_behind_share(clips)) return false;
        end_clips(clips);
        look_ahead(clips, &ended, &over);
        const bool both = clips->side[0].ended && ended;
        if (over || (both && frames && clips->wanted_at >= frames->count - frames->open))
            return false;
        if (frames && both) clips->position = frames->number[clips->wanted_at];
        if (!tell_clips(clips)) return false;
        if (clips->position == 0) pass_beginnings(clips);
        clips->frame = clips->position++;
        if (is_wanted(clips, clips->frame)) break;
        pass_frame(clips);
    }
    step_ref(clips, pair);
    return true;
}
