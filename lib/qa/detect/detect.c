/* The frames of a check: threads analyse them, and they become shots in order. */
#include "detect/detect.h"

#include "base/refuse.h"
#include "base/text.h"
#include "detect/frame/frame_stats.h"
#include "detect/loops/loops.h"
#include "pair/layers.h"
#include "pair/pair.h"
#include "record/record.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The statistics of a frame, until its record comes in order. */
struct waiting {
    const struct record *record;
    struct frame_stats *stats;
    struct waiting *next;
};

enum { SPARE = 4 /* a frame is dropped for each that is taken; a few threads wait for them */ };

struct detection {
    const struct detect_config *config;
    struct shot shot;
    size_t at;            /* index of its sequence */
    pthread_mutex_t lock; /* guards `waiting` */
    struct waiting *waiting;
    struct patches spare[SPARE]; /* patches that are no longer needed, guarded by `lock` */
    uint64_t done;               /* number of frames read */
    ssimcu_status status;        /* why it ended early */
    ssimcu_message message;
};

/* ---- Frames ---------------------------------------------------------------------------------- */

enum { CODED = 2 /* levels by which video codecs change one colour */ };

/* Takes patches whose memory may be used again; if there are none, their members are NULL. */
static struct patches take_spare(struct detection *detection)
{
    struct patches spare = {.row = NULL};
    pthread_mutex_lock(&detection->lock);
    for (int i = 0; i < SPARE && !spare.row; i++) {
        spare = detection->spare[i];
        detection->spare[i] = (struct patches){.row = NULL};
    }
    pthread_mutex_unlock(&detection->lock);
    return spare;
}

/* Puts the spare patches of the shot there. */
static void put_spare(struct detection *detection)
{
    struct patches *spare = &detection->shot.spare;
    pthread_mutex_lock(&detection->lock);
    for (int i = 0; i < SPARE && spare->row; i++)
        if (!detection->spare[i].row) {
            detection->spare[i] = *spare;
            *spare = (struct patches){.row = NULL};
        }
    pthread_mutex_unlock(&detection->lock);
}

/* Analyses a frame, instead of scoring it. */
static ssimcu_status look(void *user, ssimcu_context *lane, const struct pair *pair,
                          ssimcu_score *score, ssimcu_message *message)
{
    struct detection *detection = user;
    struct waiting *waiting = calloc(1, sizeof *waiting);
    struct frame_stats *stats = malloc(sizeof *stats);
    (void)lane;
    score->score = NAN;
    if (!waiting || !stats) {
        free(waiting), free(stats);
        return no_memory(message);
    }
    const uint32_t tolerance = pair->format[1] ? CODED : 0;
    struct patches spare = take_spare(detection);
    const ssimcu_status status =
        frame_stats_scan_by(detect_loops_best(), pair->plane[1], tolerance, &spare, stats, message);
    patches_free(&spare);
    if (status != SSIMCU_OK) {
        frame_stats_free(stats);
        free(waiting), free(stats);
        return status;
    }
    colours_take(pair->plane[1], pair->planes, tolerance, &stats->colours);
    pthread_mutex_lock(&detection->lock);
    *waiting = (struct waiting){pair->record, stats, detection->waiting};
    detection->waiting = waiting;
    pthread_mutex_unlock(&detection->lock);
    return SSIMCU_OK;
}

/* Returns the statistics of a record's frame; NULL: it was not read. */
static struct frame_stats *stats_of(struct detection *detection, const struct record *record)
{
    struct frame_stats *stats = NULL;
    pthread_mutex_lock(&detection->lock);
    struct waiting **at = &detection->waiting;
    while (*at && (*at)->record != record) at = &(*at)->next;
    struct waiting *found = *at;
    if (found) *at = found->next, stats = found->stats;
    pthread_mutex_unlock(&detection->lock);
    free(found);
    return stats;
}

/* ---- Shots ----------------------------------------------------------------------------------- */

/* Returns how many frames have a finding of a kind. */
static size_t count_kind(const struct shot *shot, enum finding_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < shot->count; i++) {
        const struct findings *list = &shot->frame[i].found;
        for (size_t k = 0; k < list->count; k++) count += list->at[k].kind == kind;
    }
    return count;
}

/* Removes the missing frames. */
static void leave_missing(struct shot *shot)
{
    size_t kept = 0;
    for (size_t i = 0; i < shot->count; i++) {
        if (shot->frame[i].path)
            shot->frame[kept++] = shot->frame[i];
        else
            findings_free(&shot->frame[i].found);
    }
    shot->count = kept;
}

/* Keeps the findings that are faults in such a layer. Data such as depth is not a picture: it has
 * natural edges and infinities, and names of objects are not numbers. */
static void keep_of_layer(struct shot *shot, const struct noref_shot *sequence)
{
    enum { RECURRING = 10 /* one frame in so many */ };
    const struct layer *layer = sequence->reads;
    const finding_mask any = finding_bit(FINDING_UNREADABLE) | finding_bit(FINDING_MISSING_LAYER) |
                             finding_bit(FINDING_DIMENSIONS) | finding_bit(FINDING_PIXEL_FORMAT),
                       data = any | finding_bit(FINDING_NAN) | finding_bit(FINDING_SOLID),
                       missing = finding_bit(FINDING_MISSING), header = finding_bit(FINDING_HEADER),
                       blank = finding_bit(FINDING_BLANK);
    const bool whole = !layer->layer && !layer->channels,
               light = layer->channels && strchr(layer->channels, ',');
    finding_mask kinds = whole          ? ~(finding_mask)0
                         : layer->exact ? any
                         : light        ? ~(missing | header | blank)
                                        : data;
    if (!sequence->further) kinds |= missing | header; /* one layer reports them */
    if (!whole && !light && RECURRING * count_kind(shot, FINDING_NAN) > shot->count + RECURRING)
        kinds &= ~finding_bit(FINDING_NAN);
    for (size_t i = 0; i < shot->count; i++) findings_keep(&shot->frame[i].found, kinds);
    if (sequence->further) leave_missing(shot);
}

/* Makes the record of a frame. The shot keeps owning its texts and findings. */
static struct record record_of(const struct shot *shot, const struct shot_frame *frame)
{
    struct record record = {.frame = frame->number,
                            .kind = frame->read   ? RECORD_CHECKED
                                    : frame->path ? RECORD_FAILED
                                                  : RECORD_MISSING,
                            .shot = shot->name,
                            .side = {{0}, frame->file},
                            .missing = {false, !frame->path},
                            .coded = {{.time = NAN}, {.time = NAN}},
                            .findings = frame->found,
                            .last = frame == &shot->frame[shot->count - 1]};
    record.side[1].path = frame->path;
    record.text[RECORD_LAYER] = shot->layer;
    record.text[RECORD_STREAMS] = frame->streams;
    if (frame->read) record.text[RECORD_LEFT] = frame->left;
    record.status = frame->status;
    if (frame->why) (void)ssimcu_fail(&record.message, frame->status, "%s", frame->why);
    return record;
}

/* Hands out all frames of a shot. */
static void hand_out(struct detection *detection)
{
    const struct detect_config *config = detection->config;
    struct shot *shot = &detection->shot;
    for (size_t i = 0; i < shot->count && detection->status == SSIMCU_OK; i++) {
        struct record record = record_of(shot, &shot->frame[i]);
        const bool going = config->take(config->user, &record, false);
        shot->frame[i].found = record.findings; /* limits and detectors may have added some */
        if (!going) detection->status = SSIMCU_ERROR_INTERNAL; /* the receiver reports why */
    }
}

/* Gives advice if the numbers of a shot may not be those of frames. */
static void remark_numbers(const struct detect_config *config, const struct shot *shot)
{
    char line[500];
    const ssimcu_image_options *to = config->limits;
    const bool several = shot->of_several_sizes;
    if (!to || !to->remark || !(several || gaps_are_doubtful(shot))) return;
    snprintf(line, sizeof line, "%.300s: %s", shot->name,
             several
                 ? "pictures of several sizes are no sequence, so missing numbers are not reported"
                 : "icons, textures or UDIM tiles? Leave them out with --list, or --fail-on "
                   "without missing");
    to->remark(to->user, line);
}

/* Judges a shot at its end, and hands it out. */
static void end_shot(struct detection *detection)
{
    struct shot *shot = &detection->shot;
    const struct detect_config *config = detection->config;
    const ssimcu_ranges *frames = config->frames;
    const bool lost = !shot->numbered && shot->count == 1 && !shot->frame[0].read &&
                      shot->frame[0].number <= 0; /* it cannot be opened */
    const bool asked = shot->name && frames && !lost;
    if (asked) shot->numbered = false; /* the request says which frames must exist */
    if (shot->name) shot_judge(shot);
    if (asked) gaps_requested(shot, frames);
    if (shot->numbered && !config->sequence[detection->at].further) remark_numbers(config, shot);
    if (shot->layer) keep_of_layer(shot, &config->sequence[detection->at]);
    if (shot->out_of_memory && detection->status == SSIMCU_OK)
        detection->status = no_memory(&detection->message);
    if (shot->name && detection->status == SSIMCU_OK) hand_out(detection);
    shot_free(shot);
}

static void begin_shot(struct detection *detection, const struct record *record)
{
    const struct detect_config *config = detection->config;
    struct shot *shot = &detection->shot;
    while (strcmp(config->sequence[detection->at].name, record->shot) != 0) detection->at++;
    if (!config->before(config->user, detection->at)) detection->status = SSIMCU_ERROR_INTERNAL;
    const struct layer *layer = config->sequence[detection->at].reads;
    shot->name = strdup(record->shot);
    if (layer) shot->layer = strdup(layer->name);
    shot->out_of_memory = !shot->name || (layer && !shot->layer);
    shot->numbered = config->sequence[detection->at].numbered;
    shot->video = config->sequence[detection->at].video;
}

/* Returns whether a file is a picture, but not an EXR. */
static bool is_other_picture(const char *path, const ssimcu_image_options *limits)
{
    ssimcu_image *image = NULL;
    ssimcu_message ignored = {{0}};
    const bool other = ssimcu_image_open(path, limits, &image, &ignored) == SSIMCU_OK &&
                       strcmp(ssimcu_image_format(image), "EXR") != 0;
    ssimcu_image_close(&image);
    return other;
}

/* Returns whether a readable picture lacks the layer of its shot, or a channel of it. */
static bool lacks_layer(const struct detection *detection, const char *path)
{
    const char *const one[2] = {path, NULL};
    const struct detect_config *config = detection->config;
    const struct layer *layer = config->sequence[detection->at].reads;
    struct layers layers;
    ssimcu_message ignored = {{0}};
    bool lacks = layers_find(one, config->limits, &layers, &ignored) == SSIMCU_OK;
    for (size_t i = 0; i < layers.count; i++)
        lacks = lacks && !(strcmp(layers.layer[i].name, layer->name) == 0 &&
                           text_same(layers.layer[i].channels, layer->channels));
    layers_free(&layers);
    return lacks || is_other_picture(path, config->limits);
}

static char *take_text(struct record *record, enum record_text text)
{
    char *taken = record->text[text];
    record->text[text] = NULL;
    return taken;
}

/* Adds what is known about the frame's file to the newest frame of the shot. */
static void note_file(struct detection *detection, struct record *record)
{
    struct shot *shot = &detection->shot;
    struct shot_frame *frame = &shot->frame[shot->count - 1];
    frame->file = record->side[1];
    frame->file.path = NULL;
    if (record->coded[1].known) frame->time = record->coded[1].time;
    frame->streams = take_text(record, RECORD_STREAMS);
    frame->declared = take_text(record, RECORD_DECLARED);
    frame->left = take_text(record, RECORD_LEFT);
    frame->status = record->kind == RECORD_FAILED ? record->status : SSIMCU_OK;
    if (!text_copy(&frame->why, record->message.text[0] ? record->message.text : NULL))
        shot->out_of_memory = true;
    if (frame->status == SSIMCU_ERROR_UNSUPPORTED && shot->layer && frame->found.count == 1 &&
        lacks_layer(detection, frame->path))
        frame->found.at[0].kind = FINDING_MISSING_LAYER;
}

static bool take(void *user, struct record *record, bool known)
{
    struct detection *detection = user;
    const struct detect_config *config = detection->config;
    struct shot *shot = &detection->shot;
    struct frame_stats *stats = stats_of(detection, record);
    const bool read = record->kind == RECORD_SCORED && stats;
    const char *why = record->message.text[0] ? record->message.text : record_status(record);
    (void)known;
    if (record->kind == RECORD_FAILED && record->status == SSIMCU_ERROR_MEMORY) {
        detection->status = ssimcu_fail(&detection->message, record->status, "%s", why);
        if (stats) frame_stats_free(stats);
        free(stats);
        return false; /* this is not damage */
    }
    if (shot->name && record->shot && strcmp(shot->name, record->shot) != 0) end_shot(detection);
    if (!shot->name && record->shot) begin_shot(detection, record);
    if (record->kind == RECORD_MISSING) return detection->status == SSIMCU_OK; /* at its end */
    const size_t before = shot->count;
    shot_add(shot, record->frame, record->side[1].path, read ? NULL : why, stats);
    if (shot->count > before) note_file(detection, record);
    put_spare(detection);
    detection->done++;
    if (config->progress) config->progress(config->user, (int64_t)detection->done);
    return detection->status == SSIMCU_OK;
}

/* ---- All frames ------------------------------------------------------------------------------ */

static void release(struct detection *detection)
{
    for (struct waiting *next; detection->waiting; detection->waiting = next) {
        next = detection->waiting->next;
        frame_stats_free(detection->waiting->stats);
        free(detection->waiting->stats), free(detection->waiting);
    }
    shot_free(&detection->shot);
    for (int i = 0; i < SPARE; i++) patches_free(&detection->spare[i]);
    pthread_mutex_destroy(&detection->lock);
    free(detection);
}

ssimcu_status detect_all(const struct detect_config *config, struct source *source,
                         struct batch_times *times, ssimcu_message *message)
{
    struct detection *detection = calloc(1, sizeof *detection);
    if (!detection) return no_memory(message);
    detection->config = config;
    pthread_mutex_init(&detection->lock, NULL);
    const struct batch_config batch = {.settings = {.struct_size = sizeof batch.settings,
                                                    .device = SSIMCU_DEVICE_CPU,
                                                    .threads = config->threads},
                                       .memory_bytes = config->memory_bytes,
                                       .no_hints = true,
                                       .score = look,
                                       .take = take,
                                       .user = detection,
                                       .stop = config->stop};
    ssimcu_status status = batch_run(&batch, source, times, message);
    const bool whole = status == SSIMCU_OK && !ssimcu_is_stopped(config->stop);
    if (whole && detection->status == SSIMCU_OK) end_shot(detection);
    if (detection->message.text[0]) /* the cause, if the batch was told to end */
        status = ssimcu_fail(message, detection->status, "%s", detection->message.text);
    if (!times->abandoned) release(detection); /* else a blocked thread may still use it */
    return status;
}
