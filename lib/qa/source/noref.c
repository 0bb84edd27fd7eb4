#include "source/noref.h"

#include "base/refuse.h"
#include "image/channels.h"
#include "image/holds.h"
#include "pair/pair.h"
#include "pair/slots.h"
#include "pair/streams.h"
#include "record/record.h"
#include "source/kind.h"
#include "source/noref_shots.h"
#include "source/share.h"

#include "sample_size.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A clip, open until its last frame is returned. */
struct noref_clip {
    ssimcu_clip *clip;
    uint32_t users; /* frames lent, plus 1 while the clip is read */
};

struct noref {
    struct source base;
    struct noref_items items;
    struct noref_made made;           /* sequences of the items */
    size_t at, file;                  /* the sequence being read, and its next file */
    struct noref_clip *clip;          /* the clip being read; NULL: pictures */
    int64_t frame;                    /* the clip's next frame */
    bool told;                        /* a frame of the clip has a record */
    const struct noref_item *reading; /* the clip's item */
    ssimcu_image_options reads;       /* options for reading video */
    pthread_mutex_t lock;             /* guards the users of clips */
};

static bool any_video(const struct noref *noref)
{
    bool any = false;
    for (size_t i = 0; i < noref->items.count; i++) any = any || noref->items.item[i].video;
    return any;
}

/* ---- Sequences ------------------------------------------------------------------------------- */

struct noref_shot *noref_shots(struct source *source, size_t *count)
{
    struct noref *noref = (struct noref *)source;
    *count = noref->made.count;
    return noref->made.sequence;
}

const char *noref_file(const struct source *source, size_t at)
{
    return ((const struct noref *)source)->items.item[at].path;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Drops one use of a clip. The last one closes it. */
static void leave(struct noref *noref, struct noref_clip *clip)
{
    pthread_mutex_lock(&noref->lock);
    const bool last = --clip->users == 0;
    pthread_mutex_unlock(&noref->lock);
    if (!last) return;
    ssimcu_clip_close(&clip->clip);
    free(clip);
}

static void name(const struct noref *noref, const struct noref_item *item, int64_t frame,
                 struct record *record)
{
    ssimcu_message lost = {{0}};
    record->frame = frame;
    const ssimcu_clip_format *const shape =
        noref->clip ? ssimcu_clip_shape(noref->clip->clip) : NULL;
    if (shape && shape->streams > 1) {
        char streams[40];
        snprintf(streams, sizeof streams, "%u of %u", shape->stream, shape->streams);
        record->text[RECORD_STREAMS] = strdup(streams);
    }
    (void)record_name(record, 1, item->path); /* a file that is gone by now fails when it is read */
    record->shot = strdup(noref->made.sequence[noref->at].name);
    if (!record->shot) record_fail(record, no_memory(&lost), &lost);
}

/* Names the record of a path that cannot be opened. */
static bool name_lost(const struct noref *noref, const struct noref_item *item,
                      struct record *record)
{
    ssimcu_message why = {{0}};
    name(noref, item, item->number, record);
    record_fail(record, ssimcu_fail(&why, SSIMCU_ERROR_FILE, "%.300s: %s", item->path, item->why),
                &why);
    return true;
}

/* Names the record of a sequence without a requested file. */
static bool name_none(const struct noref_shot *shot, struct record *record)
{
    ssimcu_message lost = {{0}};
    record->shot = strdup(shot->name);
    record_miss(record, 1);
    if (!record->shot) record_fail(record, no_memory(&lost), &lost);
    return true;
}

/* Opens the clip of an item. Returns false if that fails; the record then has the reason. */
static bool open_clip(struct noref *noref, const struct noref_item *item, struct record *record)
{
    const struct source_input *input = noref->base.input;
    ssimcu_message why = {{0}};
    struct noref_clip *clip = calloc(1, sizeof *clip);
    const ssimcu_clip_how how = {.stream = input->stream[1]};
    const ssimcu_status status =
        clip ? ssimcu_clip_open_how(item->path, item->raw ? input->raw : NULL, &noref->reads,
                                    input->stop, &how, &clip->clip, &why)
             : no_memory(&why);
    noref->frame = 0, noref->told = false, noref->reading = item;
    if (status == SSIMCU_OK) {
        streams_remark(input->limits, item->path, ssimcu_clip_shape(clip->clip));
        clip->users = 1;
        noref->clip = clip;
        return true;
    }
    free(clip);
    name(noref, item, 0, record);
    record_fail(record, status, &why);
    return false;
}

/* Closes the clip at its end. If none of its frames has a record, returns true, and the clip gets
 * one. */
static bool end_clip(struct noref *noref, struct pair *pair)
{
    const bool asked = noref->base.input->frames && noref->frame > 0;
    ssimcu_message why = {{0}};
    leave(noref, noref->clip);
    noref->clip = NULL;
    if (noref->told) return false;
    name(noref, noref->reading, 0, pair->record);
    if (asked)
        record_miss(pair->record, 1);
    else
        record_fail(pair->record, fail_data(&why, "the video has no frame"), &why);
    return true;
}

/* Returns whether a video frame is requested, or, with `behind`, that frame or a later one. */
static bool is_asked(const struct noref *noref, bool behind)
{
    const ssimcu_ranges *frames = noref->base.input->frames;
    if (!frames || (behind && frames->open > 0)) return true;
    if (behind) return noref->frame <= frames->number[frames->count - 1];
    return ssimcu_ranges_hold(frames, noref->frame);
}

/* Goes to the next requested frame. Returns false if there is none. */
static bool find_frame(struct noref *noref, ssimcu_clip_place *place, ssimcu_status *status,
                       ssimcu_message *why)
{
    ssimcu_clip *clip = noref->clip->clip;
    for (; is_asked(noref, true); noref->frame++) {
        const bool asked = is_asked(noref, false);
        bool end = false;
        if (!asked) ssimcu_clip_pass(clip, 1);
        *status = ssimcu_clip_next(clip, NULL, place, &end, why);
        if (*status == SSIMCU_OK && end) return false;
        if (*status != SSIMCU_OK || asked) return true;
        ssimcu_clip_release(clip, *place);
    }
    return false;
}

/* Adds to a message which frames of the clip come after a damaged one, and were not examined. */
static void add_unexamined(const struct noref *noref, int64_t damaged, ssimcu_message *why)
{
    const int64_t last = ssimcu_clip_count(noref->clip->clip) - 1;
    const size_t used = strlen(why->text), room = sizeof why->text - used;
    if (last == damaged) return;
    if (last < damaged)
        snprintf(why->text + used, room, "; the frames after it were not examined");
    else
        snprintf(why->text + used, room, "; frames %lld to %lld were not examined",
                 (long long)damaged + 1, (long long)last);
}

/* Goes to the next frame of the clip. Returns false at its end. A clip without frames gives a
 * failed record. */
static bool next_of_clip(struct noref *noref, struct pair *pair)
{
    ssimcu_clip_place place = {0};
    ssimcu_message why = {{0}};
    ssimcu_status status = SSIMCU_OK;
    if (!find_frame(noref, &place, &status, &why)) return end_clip(noref, pair);
    name(noref, noref->reading, noref->frame++, pair->record);
    noref->told = true;
    if (status != SSIMCU_OK) {
        add_unexamined(noref, noref->frame - 1, &why);
        record_fail(pair->record, status, &why);
        return true;
    }
    pthread_mutex_lock(&noref->lock);
    noref->clip->users++;
    pthread_mutex_unlock(&noref->lock);
    pair->loan[0] = noref->clip;
    pair->loan[1] = place.held;
    pair->place[1] = place.offset;
    if (place.coded.known)
        pair->record->coded[1] = (ssimcu_coded){.known = true, .time = place.coded.time};
    return true;
}

static bool next(struct source *source, struct pair *pair)
{
    struct noref *noref = (struct noref *)source;
    for (;;) {
        if (noref->clip && next_of_clip(noref, pair)) return true;
        if (noref->at == noref->made.count) return false;
        const struct noref_shot *shot = &noref->made.sequence[noref->at];
        if (shot->left_out || noref->file == shot->files + shot->empty) {
            noref->at++, noref->file = 0;
            continue;
        }
        pair->place[0] = (int64_t)noref->at;
        if (shot->empty) return noref->file++, name_none(shot, pair->record);
        const struct noref_item *item = &noref->items.item[shot->first + noref->file++];
        if (item->why) return name_lost(noref, item, pair->record);
        if (!item->video) name(noref, item, item->number, pair->record);
        if (!item->video || !open_clip(noref, item, pair->record)) return true;
    }
}

static ssimcu_status load_clip(const struct noref_clip *clip, struct pair *pair,
                               ssimcu_message *message)
{
    const ssimcu_clip_format *format = ssimcu_clip_shape(clip->clip);
    const ssimcu_clip_place place = {.offset = pair->place[1], .held = pair->loan[1]};
    const size_t bytes[2] = {0, place.held && !format->lies_apart ? 0 : format->frame_bytes};
    pair->planes = format->planes;
    if (bytes[1] > 0) TRY(slots_reserve(pair, bytes, 0, message));
    return kind_load_frame(clip->clip, 1, place, pair, message);
}

/* Notes what the file declares. Returns false if memory runs out. */
static bool note_declared(const ssimcu_image *image, struct record *record)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (int i = 0; i < SSIMCU_DECLARED && to; i++)
        fprintf(to, "%s\n", ssimcu_image_declared(image, (enum ssimcu_declared)i));
    if (!to || fclose(to) != 0) free(text), text = NULL;
    free(record->text[RECORD_DECLARED]);
    record->text[RECORD_DECLARED] = text;
    return text != NULL;
}

/* Notes the channels that are not checked. One layer reports them for all. */
static bool note_left(const ssimcu_image *image, const struct noref_shot *shot,
                      struct record *record)
{
    const char *const list[2] = {NULL, ssimcu_image_channels(image)};
    if (shot->further) return true;
    return shot->layers ? layers_leave(shot->layers, list, record) : record_leave(record, list);
}

static ssimcu_status load_picture(const struct source *source, struct pair *pair,
                                  ssimcu_message *message)
{
    ssimcu_image *image = NULL;
    ssimcu_frame *frame = pair->plane[1];
    const struct noref_shot *shot = &((const struct noref *)source)->made.sequence[pair->place[0]];
    ssimcu_image_options options = *source->input->limits;
    if (shot->reads) options.layer = shot->reads->layer, options.channels = shot->reads->channels;
    ssimcu_status status = ssimcu_image_open_in(slots_files(pair), pair->record->side[1].path,
                                                &options, &image, message);
    const bool chosen = shot->reads && (options.layer || options.channels);
    if (status == SSIMCU_OK && chosen && strcmp(ssimcu_image_format(image), "EXR") != 0)
        status = ssimcu_fail(message, SSIMCU_ERROR_UNSUPPORTED, "%.300s: %s without layers",
                             pair->record->side[1].path, ssimcu_image_format(image));
    *frame = ssimcu_image_shape(image);
    frame->pitch = (size_t)frame->width * frame->channels * ssimcu_sample_size(frame->bits);
    const size_t bytes[2] = {0, frame->pitch * frame->height};
    pair->planes = 1;
    if (status == SSIMCU_OK &&
        !(note_declared(image, pair->record) && note_left(image, shot, pair->record)))
        status = no_memory(message);
    if (status == SSIMCU_OK)
        status = slots_reserve(pair, bytes, ssimcu_image_holds(image), message);
    frame->data = pair->memory[1];
    if (status == SSIMCU_OK) status = ssimcu_image_decode(image, frame, message);
    ssimcu_image_close(&image);
    return status;
}

static ssimcu_status load(const struct source *source, struct pair *pair, ssimcu_message *message)
{
    const ssimcu_status status = pair->loan[0] ? load_clip(pair->loan[0], pair, message)
                                               : load_picture(source, pair, message);
    memcpy(pair->plane[0], pair->plane[1], sizeof pair->plane[0]);
    pair->format[0] = pair->format[1];
    return status;
}

static void release(const struct source *source, struct pair *pair)
{
    struct noref_clip *clip = pair->loan[0];
    if (!clip) return;
    ssimcu_clip_release(clip->clip, (ssimcu_clip_place){.held = pair->loan[1]});
    leave((struct noref *)(uintptr_t)source, clip);
}

static int64_t count(const struct source *source, uint32_t out)
{
    const struct noref *noref = (const struct noref *)source;
    int64_t files = 0;
    (void)out;
    for (size_t i = 0; i < noref->made.count; i++) {
        const struct noref_shot *shot = &noref->made.sequence[i];
        if (shot->video && !shot->left_out) return -1;
        if (!shot->left_out) files += (int64_t)shot->files;
    }
    return files;
}

static void close_alone(struct source *source)
{
    struct noref *noref = (struct noref *)source;
    if (noref->clip) leave(noref, noref->clip);
    noref_items_free(&noref->items);
    noref_made_free(&noref->made);
    pthread_mutex_destroy(&noref->lock);
}

static void digest(const struct source *source, struct source_digest *digest)
{
    const struct noref *noref = (const struct noref *)source;
    for (size_t i = 0; i < noref->items.count; i++)
        source_digest_file(digest, noref->items.item[i].number, noref->items.item[i].path);
}

static const struct source_kind operations = {.digest = digest,
                                              .count = count,
                                              .next = next,
                                              .load = load,
                                              .release = release,
                                              .close = close_alone};

ssimcu_status noref_open(const struct source_input *input, struct source **source,
                         ssimcu_message *message)
{
    struct noref *noref = calloc(1, sizeof *noref);
    ssimcu_status status = SSIMCU_OK;
    *source = NULL;
    if (!noref) return no_memory(message);
    noref->base = (struct source){.kind = &operations, .input = input, .outs = 1};
    noref->reads = kind_options(input);
    noref->reads.threads = input->threads;
    pthread_mutex_init(&noref->lock, NULL);
    status = noref_add_paths(&noref->items, input, message);
    if (status == SSIMCU_OK && input->stream[1] > 0 && !any_video(noref))
        status = refuse(message, "--stream is for video, but no frame is of video");
    if (status == SSIMCU_OK)
        status =
            noref_make(&noref->items, input->layers ? input->limits : NULL, &noref->made, message);
    if (status == SSIMCU_OK)
        *source = &noref->base;
    else
        source_close(&noref->base);
    return status;
}
