#include "source/alone.h"

#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "facts/record.h"
#include "image/holds.h"
#include "pair/pair.h"
#include "pair/slots.h"
#include "pair/streams.h"
#include "source/alone_sequences.h"
#include "source/kind.h"

#include "reader.h"
#include "sample_size.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A clip, open until its last frame is given back. */
struct alone_clip {
    ssimcu_clip *clip;
    uint32_t users; /* frames that are lent, and 1 while it is read */
};

struct alone {
    struct source base;
    struct alone_item *item; /* own */
    size_t count, room;
    struct alone_made made;           /* their sequences */
    size_t at, file;                  /* the sequence that is read now, and its next file */
    struct alone_clip *clip;          /* what is read now; NULL: pictures */
    int64_t frame;                    /* its next frame */
    bool told;                        /* some frame of it has a record */
    const struct alone_item *reading; /* what it is */
    ssimcu_image_options reads;       /* how video is read */
    pthread_mutex_t lock;             /* guards the users of clips */
};

/* ---- What there is --------------------------------------------------------------------------- */

/* Returns the name of a picture's sequence: its path with a # for its number. */
static char *name_sequence(const char *path)
{
    char *name = strdup(path);
    size_t start, end;
    if (!name) return NULL;
    char *const base = name + (text_base(path) - path);
    if (!ssimcu_sequence_digits(base, &start, &end)) return name;
    base[start] = '#';
    memmove(base + start + 1, base + end, strlen(base + end) + 1);
    return name;
}

static ssimcu_status add(struct alone *alone, const char *path, enum form form,
                         ssimcu_message *message)
{
    const bool video = form & (FORM_VIDEO | FORM_RAW);
    const char *base = text_base(path);
    size_t start, end;
    if (!results_grow(&alone->item, alone->count, &alone->room, sizeof *alone->item))
        return no_memory(message);
    const int64_t number =
        ssimcu_sequence_digits(base, &start, &end) ? strtoll(base + start, NULL, 10) : -1;
    const ssimcu_ranges *frames = alone->base.input->frames;
    if (frames && !video && !ssimcu_ranges_hold(frames, number)) return SSIMCU_OK;
    struct alone_item *item = &alone->item[alone->count++];
    *item = (struct alone_item){.path = strdup(path),
                                .part = video ? strdup(path) : name_sequence(path),
                                .video = video,
                                .raw = form == FORM_RAW,
                                .number = number};
    return item->path && item->part ? SSIMCU_OK : no_memory(message);
}

static int by_sequence(const void *a, const void *b)
{
    const struct alone_item *x = a, *y = b;
    const int order = strcmp(x->part, y->part);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

static ssimcu_status add_files(struct alone *alone, const struct source_input *one,
                               const enum form *form, ssimcu_message *message)
{
    ssimcu_sequence files = {0};
    const size_t first = alone->count;
    ssimcu_status status = kind_list_files(one, form, 0, &files, message);
    for (size_t i = 0; i < files.count && status == SSIMCU_OK; i++)
        status = add(alone, files.file[i].path, FORM_PICTURE, message);
    if (status == SSIMCU_OK && files.count > 0 && alone->count == first)
        status = ssimcu_fail(message, SSIMCU_ERROR_FILE,
                             "%.300s: has none of the frames that are asked for", one->path[1]);
    ssimcu_sequence_free(&files);
    if (status == SSIMCU_OK)
        qsort(alone->item + first, alone->count - first, sizeof *alone->item, by_sequence);
    return status;
}

/* Adds all that a path stands for. A pipe has no places to which a thread could go back. A `listed`
 * path at which nothing is counts as a picture, which cannot be read. */
static ssimcu_status add_path(struct alone *alone, const char *path, bool listed,
                              ssimcu_message *message)
{
    struct source_input one = *alone->base.input;
    enum form form[2];
    struct stat info;
    one.path[0] = one.path[1] = path;
    one.list = NULL, one.frames = NULL; /* frames that are not asked for are dropped one by one */
    const bool there = stat(path, &info) == 0;
    if (strcmp(path, "-") == 0 || (there && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)))
        return refuse(message, "%.300s: frames that are checked lie in files", path);
    one.recursive = one.recursive && there && S_ISDIR(info.st_mode); /* a file has nothing below */
    const ssimcu_status status = kind_forms(&one, form, message);
    if (status != SSIMCU_OK) return status;
    if (form[0] & (FORM_DIRECTORY | FORM_PATTERN)) return add_files(alone, &one, form, message);
    if (!there && listed) return add(alone, path, FORM_PICTURE, message);
    if (!there) return ssimcu_fail(message, SSIMCU_ERROR_FILE, "%.300s: %s", path, strerror(errno));
    return add(alone, path, form[0], message);
}

/* Adds what a list names, a path a line. */
static ssimcu_status add_list(struct alone *alone, const char *list, ssimcu_message *message)
{
    enum { MAX_LINE = 1 << 14 };
    ssimcu_reader *reader = NULL;
    char line[MAX_LINE];
    long length = 0;
    ssimcu_status status = ssimcu_reader_open(list, alone->base.input->stop, &reader, message);
    while (status == SSIMCU_OK) {
        status = ssimcu_reader_line(reader, line, sizeof line, &length, message);
        if (status != SSIMCU_OK || length < 0) break;
        if (length > 0 && line[length - 1] == '\r') line[--length] = '\0';
        if (length > 0) status = add_path(alone, line, true, message);
    }
    ssimcu_reader_close(&reader);
    return status;
}

static bool any_video(const struct alone *alone)
{
    bool any = false;
    for (size_t i = 0; i < alone->count; i++) any = any || alone->item[i].video;
    return any;
}

/* ---- Sequences ------------------------------------------------------------------------------- */

struct alone_sequence *alone_sequences(struct source *source, size_t *count)
{
    struct alone *alone = (struct alone *)source;
    *count = alone->made.count;
    return alone->made.sequence;
}

const char *alone_file(const struct source *source, size_t at)
{
    return ((const struct alone *)source)->item[at].path;
}

/* ---- Frames ---------------------------------------------------------------------------------- */

/* Gives up one use of a clip. The last one closes it. */
static void leave(struct alone *alone, struct alone_clip *clip)
{
    pthread_mutex_lock(&alone->lock);
    const bool last = --clip->users == 0;
    pthread_mutex_unlock(&alone->lock);
    if (!last) return;
    ssimcu_clip_close(&clip->clip);
    free(clip);
}

static void name(const struct alone *alone, const struct alone_item *item, int64_t frame,
                 struct record *record)
{
    ssimcu_message lost = {{0}};
    record->frame = frame;
    if (alone->clip) {
        record->stream = ssimcu_clip_shape(alone->clip->clip)->stream;
        record->streams = ssimcu_clip_shape(alone->clip->clip)->streams;
    }
    (void)record_name(record, 1, item->path); /* a file that went away fails when it is read */
    record->part = strdup(alone->made.sequence[alone->at].name);
    if (!record->part) record_fail(record, no_memory(&lost), &lost);
}

/* Opens the clip of an item. Returns false if it cannot be, and the record then says why. */
static bool open_clip(struct alone *alone, const struct alone_item *item, struct record *record)
{
    const struct source_input *input = alone->base.input;
    ssimcu_message why = {{0}};
    struct alone_clip *clip = calloc(1, sizeof *clip);
    const ssimcu_clip_how how = {.stream = input->stream[1]};
    const ssimcu_status status =
        clip ? ssimcu_clip_open_how(item->path, item->raw ? input->raw : NULL, &alone->reads,
                                    input->stop, &how, &clip->clip, &why)
             : no_memory(&why);
    alone->frame = 0, alone->told = false, alone->reading = item;
    if (status == SSIMCU_OK) {
        streams_remark(input->limits, item->path, ssimcu_clip_shape(clip->clip));
        clip->users = 1;
        alone->clip = clip;
        return true;
    }
    free(clip);
    name(alone, item, 0, record);
    record_fail(record, status, &why);
    return false;
}

/* Closes the clip at its end. Returns true if none of its frames has a record: it gets one. */
static bool end_clip(struct alone *alone, struct pair *pair)
{
    const bool asked = alone->base.input->frames && alone->frame > 0;
    ssimcu_message why = {{0}};
    leave(alone, alone->clip);
    alone->clip = NULL;
    if (alone->told) return false;
    name(alone, alone->reading, 0, pair->record);
    record_fail(pair->record,
                ssimcu_fail(&why, SSIMCU_ERROR_DATA, "the video has no frame%s",
                            asked ? " that is asked for" : ""),
                &why);
    return true;
}

/* Returns whether a frame of video is asked for, or, with `behind`, one at or behind it. */
static bool is_asked(const struct alone *alone, bool behind)
{
    const ssimcu_ranges *frames = alone->base.input->frames;
    if (!frames || (behind && frames->open > 0)) return true;
    if (behind) return alone->frame <= frames->number[frames->count - 1];
    return ssimcu_ranges_hold(frames, alone->frame);
}

/* Goes to the next frame that is asked for. Returns false if there is none. */
static bool find_frame(struct alone *alone, ssimcu_clip_place *place, ssimcu_status *status,
                       ssimcu_message *why)
{
    ssimcu_clip *clip = alone->clip->clip;
    for (; is_asked(alone, true); alone->frame++) {
        const bool asked = is_asked(alone, false);
        bool end = false;
        if (!asked) ssimcu_clip_pass(clip, 1);
        *status = ssimcu_clip_next(clip, NULL, place, &end, why);
        if (*status == SSIMCU_OK && end) return false;
        if (*status != SSIMCU_OK || asked) return true;
        ssimcu_clip_release(clip, *place);
    }
    return false;
}

/* Goes to the next frame of the clip. Returns false at its end. A clip without any is a record that
 * has failed. */
static bool next_of_clip(struct alone *alone, struct pair *pair)
{
    ssimcu_clip_place place = {0};
    ssimcu_message why = {{0}};
    ssimcu_status status = SSIMCU_OK;
    if (!find_frame(alone, &place, &status, &why)) return end_clip(alone, pair);
    name(alone, alone->reading, alone->frame++, pair->record);
    alone->told = true;
    if (status != SSIMCU_OK) {
        record_fail(pair->record, status, &why);
        return true;
    }
    pthread_mutex_lock(&alone->lock);
    alone->clip->users++;
    pthread_mutex_unlock(&alone->lock);
    pair->loan[0] = alone->clip;
    pair->loan[1] = place.held;
    pair->place[1] = place.offset;
    return true;
}

static bool next(struct source *source, struct pair *pair)
{
    struct alone *alone = (struct alone *)source;
    for (;;) {
        if (alone->clip && next_of_clip(alone, pair)) return true;
        if (alone->at == alone->made.count) return false;
        const struct alone_sequence *own = &alone->made.sequence[alone->at];
        if (own->left_out || alone->file == own->files) {
            alone->at++, alone->file = 0;
            continue;
        }
        const struct alone_item *item = &alone->item[own->first + alone->file++];
        pair->place[0] = (int64_t)alone->at;
        if (!item->video) name(alone, item, item->number, pair->record);
        if (!item->video || !open_clip(alone, item, pair->record)) return true;
    }
}

static ssimcu_status load_clip(const struct alone_clip *own, struct pair *pair,
                               ssimcu_message *message)
{
    const ssimcu_clip_format *format = ssimcu_clip_shape(own->clip);
    const ssimcu_clip_place place = {.offset = pair->place[1], .held = pair->loan[1]};
    const size_t bytes[2] = {0, place.held && !format->lies_apart ? 0 : format->frame_bytes};
    pair->planes = format->planes;
    const ssimcu_status status = bytes[1] > 0 ? slots_reserve(pair, bytes, 0, message) : SSIMCU_OK;
    return status == SSIMCU_OK ? kind_load_frame(own->clip, 1, place, pair, message) : status;
}

static ssimcu_status load_picture(const struct source *source, struct pair *pair,
                                  ssimcu_message *message)
{
    ssimcu_image *image = NULL;
    ssimcu_frame *frame = pair->plane[1];
    const struct alone_sequence *own =
        &((const struct alone *)source)->made.sequence[pair->place[0]];
    ssimcu_image_options options = *source->input->limits;
    if (own->reads) options.layer = own->reads->layer, options.channels = own->reads->channels;
    ssimcu_status status = ssimcu_image_open_in(slots_files(pair), pair->record->side[1].path,
                                                &options, &image, message);
    *frame = ssimcu_image_shape(image);
    frame->pitch = (size_t)frame->width * frame->channels * ssimcu_sample_size(frame->bits);
    const size_t bytes[2] = {0, frame->pitch * frame->height};
    pair->planes = 1;
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
    struct alone_clip *clip = pair->loan[0];
    if (!clip) return;
    ssimcu_clip_release(clip->clip, (ssimcu_clip_place){.held = pair->loan[1]});
    leave((struct alone *)(uintptr_t)source, clip);
}

static int64_t count(const struct source *source, uint32_t out)
{
    const struct alone *alone = (const struct alone *)source;
    int64_t files = 0;
    (void)out;
    for (size_t i = 0; i < alone->made.count; i++) {
        const struct alone_sequence *own = &alone->made.sequence[i];
        if (own->video && !own->left_out) return -1;
        if (!own->left_out) files += (int64_t)own->files;
    }
    return files;
}

static void close_alone(struct source *source)
{
    struct alone *alone = (struct alone *)source;
    if (alone->clip) leave(alone, alone->clip);
    for (size_t i = 0; i < alone->count; i++) free(alone->item[i].path), free(alone->item[i].part);
    free(alone->item);
    alone_made_free(&alone->made);
    pthread_mutex_destroy(&alone->lock);
}

static const struct source_kind operations = {
    .count = count, .next = next, .load = load, .release = release, .close = close_alone};

ssimcu_status alone_open(const struct source_input *input, struct source **source,
                         ssimcu_message *message)
{
    struct alone *alone = calloc(1, sizeof *alone);
    ssimcu_status status = SSIMCU_OK;
    *source = NULL;
    if (!alone) return no_memory(message);
    alone->base = (struct source){.kind = &operations, .input = input, .outs = 1};
    alone->reads = SSIMCU_INIT(image_options);
    if (input->limits) alone->reads = *input->limits;
    alone->reads.threads = input->threads;
    pthread_mutex_init(&alone->lock, NULL);
    for (uint32_t i = 0; i < input->outs && status == SSIMCU_OK; i++)
        status = add_path(alone, input->out[i], false, message);
    if (input->list && status == SSIMCU_OK) status = add_list(alone, input->list, message);
    if (status == SSIMCU_OK && input->stream[1] > 0 && !any_video(alone))
        status = refuse(message, "--stream is for video, and no frames are of one");
    if (status == SSIMCU_OK)
        status = alone_make(alone->item, &alone->count, input->layers ? input->limits : NULL,
                            &alone->made, message);
    if (status == SSIMCU_OK)
        *source = &alone->base;
    else
        source_close(&alone->base);
    return status;
}
