/* Source: clips of any format. Frame n of REF is compared with frame n + offset of OUT, or of each
 * of several OUTs. Pairs come frame by frame, so that REF is read once and no clip runs ahead. */
#include "pair/pair.h"
#include "record/record.h"
#include "source/clips.h"

#include <math.h>
#include <string.h>

static int64_t count(const struct source *source, uint32_t out)
{
    const struct clips *clips = (const struct clips *)source;
    const struct source_input *input = source->input;
    if (input->frames && !input->frames->open) return (int64_t)input->frames->count;
    const int64_t a = ssimcu_clip_count(clips->side[0].clip);
    const int64_t b = ssimcu_clip_count(clips->side[1 + out].clip);
    if (a < 0 && b < 0) return -1;
    const int64_t out_end = b - input->offset; /* end of OUT in frames of REF */
    int64_t end = (a < out_end) == input->shortest ? a : out_end;
    if (a < 0 || b < 0) end = a < 0 ? out_end : a;
    if (input->frames) return (int64_t)ssimcu_ranges_until(input->frames, end);
    return end > clips_first(input) ? end - clips_first(input) : 0;
}

/* Frames in device memory count, too, because hints fetch parts of them. */
static void need(const struct source *source, size_t bytes[2])
{
    const struct clips *clips = (const struct clips *)source;
    bytes[0] = clips_shape(clips)->frame_bytes;
    bytes[1] = 0;
    for (uint32_t o = 1; o <= clips->outs; o++) {
        const struct clips_side *const out = &clips->side[o];
        if (!out->clip) continue;
        const ssimcu_clip_format *const format[2] = {clips_shape(clips),
                                                     ssimcu_clip_shape(out->clip)};
        for (int s = 0; s < 2; s++) {
            const size_t wanted = fit_bytes(&out->fit[s], format[s]);
            if (wanted > bytes[s]) bytes[s] = wanted;
        }
    }
}

static uint64_t decoder_bytes(const struct source *source)
{
    const struct clips *clips = (const struct clips *)source;
    uint64_t bytes = 0;
    for (uint32_t s = 0; s <= clips->outs; s++)
        if (clips->side[s].clip) bytes += ssimcu_clip_held(clips->side[s].clip);
    return bytes;
}

/* ---- Pairs ----------------------------------------------------------------------------------- */

/* Returns the path of a frame's file. A side of pictures has one file per frame; NULL: there are no
 * more. */
static const char *path_of(const struct clips_side *side, int64_t frame, const char *path)
{
    const ssimcu_sequence *files = &side->files;
    if (files->count == 0) return path;
    return frame >= 0 && (uint64_t)frame < files->count ? files->file[frame].path : NULL;
}

static void name(const struct clips *clips, const struct clips_side *out, struct pair *pair)
{
    const struct source_input *input = clips->base.input;
    struct record *record = pair->record;
    const struct clips_side *const side[2] = {&clips->side[0], out};
    const char *const path[2] = {
        path_of(side[0], clips->frame, input->path[0]),
        path_of(side[1], clips->frame + input->offset, kind_out_path(input, pair->out))};
    const bool none = clips_before_out(input, clips->frame) || out->lacks;
    if ((out->assumed[0] && !(record->text[RECORD_ASSUMED] = strdup(out->assumed))) ||
        (out->streams[0] && !(record->text[RECORD_STREAMS] = strdup(out->streams))))
        record_fail(record, SSIMCU_ERROR_MEMORY, &(ssimcu_message){"out of memory"});
    for (int s = 0; s < 2; s++)
        if (side[s]->status != SSIMCU_OK && record->kind != RECORD_FAILED)
            record_fail(record, side[s]->status, &side[s]->why);
    for (int s = 0; s < 2; s++) {
        if (path[s]) (void)record_name(record, s, path[s]);
        const bool missing = side[s]->ended || (s == 1 && none);
        if (missing && record->kind != RECORD_FAILED) record_miss(record, s);
    }
}

/* Notes what a side's container says about its frame. */
static void note_coded(ssimcu_clip_coded coded, ssimcu_coded *noted)
{
    *noted = (ssimcu_coded){coded.known, coded.bytes, isfinite(coded.time) ? coded.time : NAN};
}

/* Makes the pair of the current frame and this OUT. Returns false if the OUT is at its end. */
static bool take_turn(struct clips *clips, struct clips_side *out, struct pair *pair)
{
    ssimcu_clip_place place = {0};
    if (clips->base.input->align)
        place = clips_align(clips, out);
    else if (!clips_before_out(clips->base.input, clips->frame))
        place = clips_step(out, true, pair->memory[1]);
    clips_note_end(clips, out);
    if (out->over) {
        ssimcu_clip_release(out->clip, place);
        return false;
    }
    pair->out = (uint32_t)(out - clips->side) - 1;
    pair->record->frame = clips->frame;
    pair->index = clips->index;
    pair->place[0] = clips->offset;
    pair->place[1] = place.offset;
    pair->loan[0] = clips->ref_frame;
    pair->loan[1] = place.held;
    note_coded(place.coded, &pair->record->coded[1]);
    if (clips->ref_frame) note_coded(clips->ref_frame->place.coded, &pair->record->coded[0]);
    if (clips->ref_frame) atomic_fetch_add(&clips->ref_frame->users, 1);
    if (clips->data && clips->offset == -1 && !clips->ref_frame && !clips->side[0].ended)
        memcpy(pair->memory[0], clips->data, clips_shape(clips)->frame_bytes);
    name(clips, out, pair);
    out->status = SSIMCU_OK;
    return true;
}

static bool next(struct source *source, struct pair *pair)
{
    struct clips *clips = (struct clips *)source;
    bool has_pair = false;
    while (!has_pair) {
        if (clips->turn == 0 && !clips_find_frame(clips, pair)) return false;
        while (!has_pair && clips->turn < clips->outs) {
            struct clips_side *out = &clips->side[++clips->turn];
            has_pair = !out->over && take_turn(clips, out, pair);
        }
        pair->more = clips->turn < clips->outs;
        if (clips->turn < clips->outs) continue;
        clips->turn = 0;
        clips_leave(clips->side[0].clip, clips->ref_frame);
        clips->ref_frame = NULL;
    }
    return true;
}

ssimcu_status kind_load_frame(const ssimcu_clip *clip, int side, ssimcu_clip_place place,
                              struct pair *pair, ssimcu_message *message)
{
    pair->format[side] = ssimcu_clip_shape(clip);
    void *data = pair->memory[side];
    if (pair->format[side]->on_device) {
        pair->on_device[side] = true;
        memcpy(pair->plane[side], pair->format[side]->plane, sizeof pair->plane[side]);
        return ssimcu_clip_device_view(clip, place, pair->view[side], message);
    }
    if (place.held && !pair->pinned && !pair->format[side]->lies_apart)
        return ssimcu_clip_view(clip, place, pair->plane[side], message);
    ssimcu_clip_planes(ssimcu_clip_shape(clip), data, pair->plane[side]);
    return ssimcu_clip_read(clip, place, data, message);
}

/* Notes how far an ignored pixel spreads through the changes made to either side. */
static void note_spread(const uint32_t added[2], uint32_t spread[2])
{
    for (int axis = 0; axis < 2; axis++)
        if (added[axis] > spread[axis]) spread[axis] = added[axis];
}

/* Loads a side's frame and fits it to the other side; device_finish does that on the device. A lent
 * frame is read in place, because the fitted one is in the pair's memory. */
static ssimcu_status load_fitted(const ssimcu_clip *clip, int side, ssimcu_clip_place place,
                                 const struct fit *fit, struct pair *pair, bool any_size,
                                 ssimcu_message *message)
{
    const bool pinned = pair->pinned, in_place = fit->on || any_size;
    pair->pinned = pinned && !in_place;
    pair->fit[side] = NULL;
    ssimcu_status status = kind_load_frame(clip, side, place, pair, message);
    pair->pinned = pinned;
    pair->format[side] = fit->light ? NULL : &fit->format; /* light is a picture */
    if (status != SSIMCU_OK || !in_place) return status;
    if (pair->on_device[side]) {
        memcpy(pair->plane[side], fit->format.plane, sizeof pair->plane[side]);
        if (fit_changes(fit)) pair->fit[side] = fit;
        return SSIMCU_OK;
    }
    const ssimcu_clip_format *const shape = ssimcu_clip_shape(clip);
    ssimcu_frame *const plane = pair->plane[side];
    void *const memory = pair->memory[side];
    if (plane[0].width != shape->plane[0].width || plane[0].height != shape->plane[0].height) {
        uint32_t spread[2];
        status = fit_other_size(fit, shape, memory, plane, spread, message);
        if (status == SSIMCU_OK) note_spread(spread, pair->spread);
        return status;
    }
    if (!fit->on && pinned && plane[0].data != memory) fit_copy(fit, memory, plane);
    return fit->on ? fit_frame(fit, shape, memory, plane, message) : SSIMCU_OK;
}

static ssimcu_status load(const struct source *source, struct pair *pair, ssimcu_message *message)
{
    const struct clips *clips = (const struct clips *)source;
    const struct clips_side *const out = &clips->side[1 + pair->out];
    const ssimcu_clip *const clip[2] = {clips->side[0].clip, out->clip};
    const struct clips_frame *ref_frame = pair->loan[0];
    const ssimcu_clip_place place[2] = {
        {.offset = pair->place[0], .held = ref_frame ? ref_frame->place.held : NULL},
        {.offset = pair->place[1], .held = pair->loan[1]}};
    ssimcu_status status = SSIMCU_OK;
    const bool any_size = source->input->scale.to != SSIMCU_SCALE_NONE;
    pair->spread[0] = pair->spread[1] = 0;
    for (int s = 0; s < 2 && status == SSIMCU_OK; s++) {
        uint32_t spread[2];
        status = load_fitted(clip[s], s, place[s], &out->fit[s], pair, any_size, message);
        fit_spread(&out->fit[s], spread);
        note_spread(spread, pair->spread);
    }
    pair->planes = out->fit[0].light ? 1 : clips_shape(clips)->planes;
    region_cut_pair(&source->input->region, clips_shape(clips), pair);
    return status;
}

static void release(const struct source *source, struct pair *pair)
{
    const struct clips *clips = (const struct clips *)source;
    clips_leave(clips->side[0].clip, pair->loan[0]);
    ssimcu_clip_release(clips->side[1 + pair->out].clip,
                        (ssimcu_clip_place){.held = pair->loan[1]});
}

static const ssimcu_sequence *files(const struct source *source, uint32_t side)
{
    return &((const struct clips *)source)->side[side].files;
}

static void describe(const struct source *source, uint32_t side, char *text, size_t size)
{
    ssimcu_clip_describe(((const struct clips *)source)->side[side].clip, text, size);
}

const struct source_row source_clips = {
    .kind = {.video = true,
             .sequence = true,
             .count = count,
             .need = need,
             .segment = clips_segment,
             .split = clips_split,
             .decoder_bytes = decoder_bytes,
             .next = next,
             .load = load,
             .release = release,
             .files = files,
             .describe = describe,
             .close = clips_close},
    .forms = FORM_VIDEO | FORM_RAW | FORM_DIRECTORY | FORM_PATTERN,
    .bytes = sizeof(struct clips),
    .open = clips_open,
};
