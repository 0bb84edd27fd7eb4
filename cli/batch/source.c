#define _POSIX_C_SOURCE 200809L

#include "batch/source.h"

#include "fail.h"

#include "reader.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LIST_LINE = 1 << 14 };

struct source {
    const struct options *options;
    uint64_t position; /* frames gone to, wanted or not */
    size_t wanted_at;  /* clips: how far --frames has been used up */
    /* pictures */
    ssimcu_sequence sequence[2];
    ssimcu_pairs pairs;
    ssimcu_frame still; /* the one reference, decoded; data is NULL where there is none */
    ssimcu_reader *list;
    /* clips */
    ssimcu_clip *clip[2];
    bool ended[2];
};

static const char *path_of(const struct options *options, int side)
{
    return side == 0 ? options->ref : options->out;
}

/* ---- Opening --------------------------------------------------------------------------------- */

static ssimcu_status open_sequence(struct source *source, int side, enum source_kind kind,
                                   ssimcu_message *message)
{
    const struct batch_options *batch = &source->options->batch;
    const char *path = path_of(source->options, side);
    if (kind == SOURCE_DIRECTORY)
        return ssimcu_sequence_directory(path, &source->sequence[side], message);
    return ssimcu_sequence_pattern(path, batch->has_frames ? &batch->frames : NULL,
                                   &source->sequence[side], message);
}

static ssimcu_status decode(const char *path, const ssimcu_image_options *limits,
                            ssimcu_frame *frame, ssimcu_message *message)
{
    ssimcu_image *image = NULL;
    ssimcu_status status = ssimcu_image_open(path, limits, &image, message);
    if (status != SSIMCU_OK) return status;
    *frame = ssimcu_image_shape(image);
    status = ssimcu_frame_alloc(frame, message);
    if (status == SSIMCU_OK) status = ssimcu_image_decode(image, frame, message);
    if (status != SSIMCU_OK) ssimcu_frame_free(frame);
    ssimcu_image_close(&image);
    return status;
}

static ssimcu_status open_pictures(struct source *source, const enum source_kind kind[2],
                                   ssimcu_message *message)
{
    const struct options *options = source->options;
    const ssimcu_ranges *ranges = options->batch.has_frames ? &options->batch.frames : NULL;
    const bool still = kind[0] == SOURCE_PICTURE;
    ssimcu_status status = SSIMCU_OK;
    if (kind[1] == SOURCE_PICTURE && still && ranges)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--frames: two pictures have no frame numbers");
    if (kind[1] == SOURCE_PICTURE && still) { /* two pictures, and an option of batches */
        source->pairs.pair = malloc(sizeof *source->pairs.pair);
        if (!source->pairs.pair) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
        source->pairs.pair[source->pairs.count++] =
            (struct ssimcu_pair){0, options->ref, options->out};
        return SSIMCU_OK;
    }
    if (kind[1] == SOURCE_PICTURE)
        return ssimcu_fail(message, SSIMCU_ERROR_FILE,
                           "%.300s: is a %s, but OUT is one picture (one reference against many: "
                           "the picture comes first)",
                           options->ref, kind[0] == SOURCE_DIRECTORY ? "directory" : "sequence");
    for (int side = still; side < 2 && status == SSIMCU_OK; side++)
        status = open_sequence(source, side, kind[side], message);
    if (status != SSIMCU_OK) return status;
    if (!still)
        return ssimcu_pairs_match(&source->sequence[0], &source->sequence[1], ranges,
                                  options->batch.shortest, &source->pairs, message);
    status = decode(options->ref, &options->image, &source->still, message);
    return status != SSIMCU_OK ? status
                               : ssimcu_pairs_still(options->ref, &source->sequence[1], ranges,
                                                    &source->pairs, message);
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

static ssimcu_status open_clips(struct source *source, const enum source_kind kind[2],
                                ssimcu_stopped *stopped, ssimcu_message *message)
{
    const struct options *options = source->options;
    if (kind[0] < SOURCE_Y4M || kind[1] < SOURCE_Y4M)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "one side is video, the other is pictures: they cannot be compared");
    if (strcmp(options->ref, "-") == 0 && strcmp(options->out, "-") == 0)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "standard input can be REF or OUT, not both");
    if (options->settings.color != SSIMCU_COLOR_RGB)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--color is for pictures: the planes of video are scored as they are");
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++)
        status = ssimcu_clip_open(path_of(options, side),
                                  kind[side] == SOURCE_RAW ? &options->batch.raw : NULL,
                                  &options->image, stopped, &source->clip[side], message);
    return status != SSIMCU_OK ? status
                               : compare_formats(ssimcu_clip_shape(source->clip[0]),
                                                 ssimcu_clip_shape(source->clip[1]), message);
}

ssimcu_status source_open(const struct options *options, ssimcu_stopped *stopped,
                          struct source **source, ssimcu_message *message)
{
    const struct batch_options *batch = &options->batch;
    *source = NULL;
    struct source *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory");
    made->options = options;
    ssimcu_status status;
    if (batch->list) {
        status = ssimcu_reader_open(batch->list, stopped, &made->list, message);
    } else {
        enum source_kind kind[2];
        source_kinds(options, kind);
        const bool clips = kind[0] >= SOURCE_Y4M || kind[1] >= SOURCE_Y4M;
        if (batch->size && (kind[0] != SOURCE_RAW && kind[1] != SOURCE_RAW))
            status = ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                                 "--size and --format are for raw video: neither side is");
        else
            status = clips ? open_clips(made, kind, stopped, message)
                           : open_pictures(made, kind, message);
    }
    if (status != SSIMCU_OK)
        source_close(made);
    else
        *source = made;
    return status;
}

void source_close(struct source *source)
{
    if (!source) return;
    for (int side = 0; side < 2; side++) {
        ssimcu_sequence_free(&source->sequence[side]);
        ssimcu_clip_close(&source->clip[side]);
    }
    ssimcu_pairs_free(&source->pairs);
    ssimcu_reader_close(&source->list);
    ssimcu_frame_free(&source->still);
    free(source);
}

const ssimcu_frame *source_shared(const struct source *source)
{
    return source->still.data ? &source->still : NULL;
}

int64_t source_count(const struct source *source)
{
    const struct batch_options *batch = &source->options->batch;
    int64_t count = (int64_t)source->pairs.count;
    if (source->list) return -1;
    if (source->clip[0] && batch->has_frames) count = (int64_t)batch->frames.count;
    if (source->clip[0] && !batch->has_frames) {
        const int64_t a = ssimcu_clip_count(source->clip[0]),
                      b = ssimcu_clip_count(source->clip[1]);
        if (a < 0 || b < 0)
            count = a < 0 ? b : a;
        else
            count = (a < b) == batch->shortest ? a : b;
    }
    if (count < 0) return -1;
    const int64_t first = (int64_t)batch->shard - 1;
    return (count - first + (int64_t)batch->shards - 1) / (int64_t)batch->shards;
}

/* ---- Going on -------------------------------------------------------------------------------- */

static bool in_shard(const struct source *source, uint64_t position)
{
    const struct batch_options *batch = &source->options->batch;
    return position % batch->shards == batch->shard - 1;
}

static void fail(struct record *record, ssimcu_status status, const char *text)
{
    ssimcu_message message = {{0}};
    (void)ssimcu_fail(&message, SSIMCU_OK, "%.500s", text);
    record_fail(record, status, &message);
}

static void miss(struct record *record, int side)
{
    record->kind = RECORD_MISSING;
    record->missing[side] = true;
}

/* Names the files of a record and notes which are not there. */
static void name_files(struct record *record, const char *ref, const char *out)
{
    const char *const path[2] = {ref, out};
    for (int side = 0; side < 2; side++)
        if (!path[side] || !record_name(record, side, path[side])) miss(record, side);
}

static bool next_pair(struct source *source, struct record *record)
{
    while (source->position < source->pairs.count) {
        const struct ssimcu_pair *pair = &source->pairs.pair[source->position];
        if (!in_shard(source, source->position++)) continue;
        record->frame = pair->frame;
        name_files(record, pair->ref, pair->out);
        return true;
    }
    return false;
}

/* The frame of a list's pair is its line, from 1. */
static bool next_line(struct source *source, struct record *record)
{
    const struct batch_options *batch = &source->options->batch;
    char line[MAX_LIST_LINE];
    ssimcu_message why = {{0}};
    long length = 0;
    for (;;) {
        const ssimcu_status status =
            ssimcu_reader_line(source->list, line, sizeof line, &length, &why);
        if (status == SSIMCU_OK && length < 0) return false;
        record->frame = (int64_t)++source->position;
        if (status != SSIMCU_OK) { /* the list cannot be read on: its last record says so */
            record_fail(record, status, &why);
            ssimcu_reader_close(&source->list);
            return true;
        }
        if (length > 0 && line[length - 1] == '\r') line[--length] = '\0';
        if (length == 0) continue;
        if (batch->has_frames && !ssimcu_ranges_hold(&batch->frames, record->frame)) continue;
        if (in_shard(source, source->position - 1)) break;
    }
    char *tab = strchr(line, '\t');
    if (!tab || tab == line || tab[1] == '\0' || strchr(tab + 1, '\t')) {
        fail(record, SSIMCU_ERROR_DATA, "the list's line is not REF, a tab, OUT");
        return true;
    }
    *tab = '\0';
    name_files(record, line, tab + 1);
    return true;
}

/* Moves one clip on and notes what that came to. */
static void step_clip(struct source *source, int side, bool wanted, struct slot *slot)
{
    ssimcu_message why = {{0}};
    bool end = false;
    void *data = wanted ? slot->block[side].memory.data : NULL;
    const ssimcu_status status =
        ssimcu_clip_next(source->clip[side], data, &slot->place[side], &end, &why);
    source->ended[side] = end;
    if (status != SSIMCU_OK && wanted) record_fail(&slot->record, status, &why);
}

static bool next_clip_frame(struct source *source, struct slot *slot)
{
    const struct batch_options *batch = &source->options->batch;
    for (;;) {
        const bool asked = batch->has_frames && source->wanted_at < batch->frames.count;
        if (batch->has_frames && !asked) return false;
        if (asked && source->ended[0] && source->ended[1])
            source->position = (uint64_t)batch->frames.number[source->wanted_at];
        const int64_t frame = (int64_t)source->position;
        const bool here = !batch->has_frames || batch->frames.number[source->wanted_at] == frame;
        if (asked && here) source->wanted_at++;
        source->position++;
        const bool wanted = here && in_shard(source, (uint64_t)frame);
        struct record *record = &slot->record;
        record->frame = frame;
        for (int side = 0; side < 2; side++) step_clip(source, side, wanted, slot);
        const bool both = source->ended[0] && source->ended[1];
        if ((both && !batch->has_frames) ||
            (batch->shortest && (source->ended[0] || source->ended[1])))
            return false;
        if (!wanted) continue;
        for (int side = 0; side < 2; side++) {
            (void)record_name(record, side, path_of(source->options, side));
            if (source->ended[side] && record->kind != RECORD_FAILED) miss(record, side);
        }
        return true;
    }
}

bool source_next(struct source *source, struct slot *slot)
{
    slot->record = (struct record){.kind = RECORD_SCORED};
    slot->loaded = false;
    if (source->clip[0]) return next_clip_frame(source, slot);
    if (source->options->batch.list) return source->list && next_line(source, &slot->record);
    return next_pair(source, &slot->record);
}

/* ---- Reading --------------------------------------------------------------------------------- */

ssimcu_status source_prepare(const struct source *source, struct slots *slots, struct slot *slot,
                             ssimcu_message *message)
{
    if (!source->clip[0]) return SSIMCU_OK;
    const size_t each = ssimcu_clip_shape(source->clip[0])->frame_bytes;
    const size_t bytes[2] = {each, each};
    return slots_reserve(slots, slot, bytes, message);
}

static ssimcu_status load_clips(const struct source *source, struct slot *slot,
                                ssimcu_message *message)
{
    ssimcu_status status = SSIMCU_OK;
    for (int side = 0; side < 2 && status == SSIMCU_OK; side++) {
        void *data = slot->block[side].memory.data;
        status = ssimcu_clip_read(source->clip[side], slot->place[side], data, message);
        ssimcu_clip_planes(ssimcu_clip_shape(source->clip[side]), data, slot->plane[side]);
    }
    slot->planes = ssimcu_clip_shape(source->clip[0])->planes;
    return status;
}

static ssimcu_status check_pictures(const struct slot *slot, ssimcu_message *message)
{
    const ssimcu_frame *ref = &slot->plane[0][0], *out = &slot->plane[1][0];
    if (ref->width == out->width && ref->height == out->height) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "sizes differ: %.200s is %ux%u, %.200s is %ux%u", slot->record.side[0].path,
                       ref->width, ref->height, slot->record.side[1].path, out->width, out->height);
}

/* Both headers, then memory, then the pixels of both. */
static ssimcu_status load_images(const struct source *source, struct slots *slots,
                                 struct slot *slot, ssimcu_image *image[2], ssimcu_message *message)
{
    const int first = source->still.data ? 1 : 0;
    size_t bytes[2] = {0};
    ssimcu_status status = SSIMCU_OK;
    slot->planes = 1;
    slot->plane[0][0] = source->still;
    for (int side = first; side < 2 && status == SSIMCU_OK; side++) {
        ssimcu_frame *frame = &slot->plane[side][0];
        status = ssimcu_image_open(slot->record.side[side].path, &source->options->image,
                                   &image[side], message);
        if (status != SSIMCU_OK) break;
        *frame = ssimcu_image_shape(image[side]);
        frame->pitch = (size_t)frame->width * frame->channels * (frame->bits > 8 ? 2 : 1);
        bytes[side] = frame->pitch * frame->height;
    }
    if (status == SSIMCU_OK) status = check_pictures(slot, message);
    if (status == SSIMCU_OK) status = slots_reserve(slots, slot, bytes, message);
    for (int side = first; side < 2 && status == SSIMCU_OK; side++) {
        slot->plane[side][0].data = slot->block[side].memory.data;
        status = ssimcu_image_decode(image[side], &slot->plane[side][0], message);
    }
    return status;
}

ssimcu_status source_load(const struct source *source, struct slots *slots, struct slot *slot,
                          ssimcu_message *message)
{
    ssimcu_status status;
    if (source->clip[0]) {
        status = load_clips(source, slot, message);
    } else {
        ssimcu_image *image[2] = {NULL, NULL};
        status = load_images(source, slots, slot, image, message);
        ssimcu_image_close(&image[0]);
        ssimcu_image_close(&image[1]);
    }
    slot->loaded = status == SSIMCU_OK;
    return status;
}
