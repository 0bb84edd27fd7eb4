/* The frames of a check: threads look at them, and in order they become shots. */
#include "check/check.h"
#include "check/seen.h"

#include "base/refuse.h"
#include "base/results.h"
#include "engine/batch.h"
#include "facts/record.h"
#include "pair/layers.h"
#include "pair/pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Frames ---------------------------------------------------------------------------------- */

enum { CODED = 2 /* levels by which codecs of video change one colour */ };

/* Looks at a frame, instead of scoring it. */
static ssimcu_status look(void *user, ssimcu_context *lane, const struct pair *pair,
                          ssimcu_score *score, ssimcu_message *message)
{
    struct check *check = user;
    struct waiting *waiting = calloc(1, sizeof *waiting);
    struct seen *seen = malloc(sizeof *seen);
    (void)lane;
    score->score = NAN;
    if (!waiting || !seen) {
        free(waiting), free(seen);
        return no_memory(message);
    }
    const ssimcu_status status =
        seen_look(pair->plane[1], pair->format[1] ? CODED : 0, seen, message);
    if (status != SSIMCU_OK) {
        seen_free(seen);
        free(waiting), free(seen);
        return status;
    }
    pthread_mutex_lock(&check->lock);
    *waiting = (struct waiting){pair->record, seen, check->waiting};
    check->waiting = waiting;
    pthread_mutex_unlock(&check->lock);
    return SSIMCU_OK;
}

/* Returns what was seen of a record's frame; NULL: it was not read. */
static struct seen *seen_of(struct check *check, const struct record *record)
{
    struct seen *seen = NULL;
    pthread_mutex_lock(&check->lock);
    struct waiting **at = &check->waiting;
    while (*at && (*at)->record != record) at = &(*at)->next;
    struct waiting *found = *at;
    if (found) *at = found->next, seen = found->seen;
    pthread_mutex_unlock(&check->lock);
    free(found);
    return seen;
}

/* ---- What was found ---------------------------------------------------------------------------
 */

/* Tells the caller what was found in a frame. */
static ssimcu_status tell(struct check *check, const struct check_shot *shot,
                          const struct shot_frame *frame)
{
    ssimcu_status status = SSIMCU_OK;
    for (size_t i = 0; i < frame->found.count && status == SSIMCU_OK; i++) {
        const struct finding *own = &frame->found.finding[i];
        const ssimcu_finding finding = {.struct_size = sizeof finding,
                                        .kind = check_kind_name(own->kind),
                                        .fails = check->fails >> own->kind & 1,
                                        .sequence = shot->name,
                                        .path = frame->path,
                                        .frame = frame->number,
                                        .x = own->place.x,
                                        .y = own->place.y,
                                        .width = own->place.width,
                                        .height = own->place.height,
                                        .number = own->number,
                                        .text = own->text,
                                        .layer = shot->layer};
        if (!check->given.finding) continue;
        pthread_mutex_lock(&check->hooks.lock);
        status = check->given.finding(check->given.user, &finding);
        pthread_mutex_unlock(&check->hooks.lock);
        if (status != SSIMCU_OK) (void)hooks_failed(status, &check->message);
    }
    return status;
}

static void count(struct check_count *count, const struct shot_frame *frame, bool fails)
{
    const bool missing = !frame->path;
    count->frames += !missing;
    count->read += frame->read;
    count->found += frame->found.count > 0;
    count->failed += fails;
    for (size_t i = 0; i < frame->found.count; i++) {
        if (missing) count->missing += (uint64_t)frame->found.finding[i].number;
        count->of_kind[frame->found.finding[i].kind]++;
    }
}

static ssimcu_status deliver(struct check *check, const struct check_shot *shot,
                             const struct shot_frame *frame)
{
    ssimcu_status status = tell(check, shot, frame);
    if (status == SSIMCU_OK)
        status = check_results_add(check->results, check_line_frame(shot, frame, check->fails),
                                   &check->message);
    if (status != SSIMCU_OK) return status; /* it has no line, so it does not count */
    check_junit_add(&check->junit, shot, frame, check->fails);
    count(&check->count, frame, check_frame_fails(frame, check->fails));
    return status;
}

void check_hand_out(struct check *check, const struct check_shot *shot)
{
    for (size_t i = 0; i < shot->count && check->status == SSIMCU_OK; i++)
        check->status = deliver(check, shot, &shot->frame[i]);
    if (check->status == SSIMCU_OK)
        check->status = check_results_flush(check->results, &check->message);
}

/* Returns the name of the first sequence that must be looked at; NULL: there is none. */
static const char *first_name(const struct check *check)
{
    for (size_t i = 0; i < check->sequences; i++)
        if (!check->sequence[i].left_out) return check->sequence[i].name;
    return NULL;
}

/* Hands out what earlier results have of the sequences before one; NULL: of all that are left. */
static void hand_out_known(struct check *check, const char *name)
{
    for (; check->at < check->sequences && check->status == SSIMCU_OK; check->at++) {
        const struct check_found *known = check->known[check->at];
        struct check_shot shot = {0};
        if (name && strcmp(check->sequence[check->at].name, name) == 0) return;
        if (!known) continue;
        check->status = check_earlier_shot(known, &shot, &check->message);
        if (check->status == SSIMCU_OK) check_hand_out(check, &shot);
        check_shot_free(&shot);
    }
}

/* ---- Shots ----------------------------------------------------------------------------------- */

/* Removes findings of other kinds than these. */
static void keep(struct check_shot *shot, check_mask kinds)
{
    for (size_t i = 0; i < shot->count; i++) {
        struct findings_list *list = &shot->frame[i].found;
        size_t kept = 0;
        for (size_t k = 0; k < list->count; k++)
            if (kinds >> list->finding[k].kind & 1) list->finding[kept++] = list->finding[k];
        list->count = kept;
    }
}

/* Returns how many frames have a finding of a kind. */
static size_t count_kind(const struct check_shot *shot, enum check_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < shot->count; i++) {
        const struct findings_list *list = &shot->frame[i].found;
        for (size_t k = 0; k < list->count; k++) count += list->finding[k].kind == kind;
    }
    return count;
}

/* Keeps what is a fault in such a layer. Data, such as depth, is no picture: it has edges and
 * infinity of its own, and names of objects are no numbers. */
static void keep_of_layer(struct check_shot *shot, const struct alone_sequence *own)
{
    enum { HABIT = 10 /* one frame in so many */ };
    const struct layer *layer = own->reads;
    const check_mask any = 1u << CHECK_UNREADABLE | 1u << CHECK_LAYERS | 1u << CHECK_SIZE |
                           1u << CHECK_FORMAT,
                     data = any | 1u << CHECK_NAN | 1u << CHECK_FLAT, missing = 1u << CHECK_MISSING,
                     blank = 1u << CHECK_BLANK;
    const bool whole = !layer->layer && !layer->channels,
               light = layer->channels && strchr(layer->channels, ',');
    check_mask kinds = whole ? ~0u : layer->exact ? any : light ? ~(missing | blank) : data;
    if (!own->further) kinds |= missing; /* one layer tells */
    if (!whole && !light && HABIT * count_kind(shot, CHECK_NAN) > shot->count + HABIT)
        kinds &= ~(1u << CHECK_NAN);
    keep(shot, kinds);
}

static int by_number(const void *a, const void *b)
{
    const struct shot_frame *x = a, *y = b;
    return (x->number > y->number) - (x->number < y->number);
}

/* Adds what is asked for and not there: all up to the next frame that is there as one. */
static void add_asked(struct check_shot *shot, const ssimcu_ranges *frames)
{
    const size_t there = shot->count;
    for (size_t i = 0, at = 0, end; i < frames->count; i = end) {
        while (at < there && shot->frame[at].number < frames->number[i]) at++;
        const int64_t next = at < there ? shot->frame[at].number : INT64_MAX;
        for (end = i; end < frames->count && frames->number[end] < next;) end++;
        if (end == i) {
            end++; /* it is there */
            continue;
        }
        if (!results_grow(&shot->frame, shot->count, &shot->room, sizeof *shot->frame)) {
            shot->out_of_memory = true;
            return;
        }
        struct shot_frame *frame = &shot->frame[shot->count++];
        *frame = (struct shot_frame){.number = frames->number[i]};
        unlike_missing(&frame->found, frames->number[i], frames->number[end - 1],
                       (int64_t)(end - i));
    }
    qsort(shot->frame, shot->count, sizeof *shot->frame, by_number);
}

/* Judges a shot that is at its end, and hands it out. */
static void end_shot(struct check *check)
{
    struct check_shot *shot = &check->shot;
    const ssimcu_ranges *frames = check->input.frames;
    const bool lost = shot->count == 1 && !shot->frame[0].read; /* a video that cannot be read */
    const bool asked = shot->name && frames && frames->open == 0 && !lost;
    if (asked) shot->numbered = false; /* what is asked for says which frames there must be */
    if (shot->name) check_shot_judge(shot);
    if (asked) add_asked(shot, frames);
    if (shot->layer) keep_of_layer(shot, &check->sequence[check->at]);
    if (shot->out_of_memory && check->status == SSIMCU_OK)
        check->status = no_memory(&check->message);
    if (shot->name && check->status == SSIMCU_OK) check_hand_out(check, shot);
    check_shot_free(shot);
}

static void begin_shot(struct check *check, const struct record *record)
{
    hand_out_known(check, record->part);
    const char *path = record->side[1].path;
    check->shot.name = strdup(record->part);
    const struct layer *layer = check->sequence[check->at].reads;
    if (layer) check->shot.layer = strdup(layer->name);
    check->shot.out_of_memory = !check->shot.name || (layer && !check->shot.layer);
    check->shot.numbered = path && strcmp(path, record->part) != 0; /* that of video is its path */
}

/* Says that a frame lacks the layer, which another of its sequence has. */
static void note_lacking(const struct check_shot *shot, struct shot_frame *frame)
{
    if (shot->layer && frame->found.count == 1) frame->found.finding[0].kind = CHECK_LAYERS;
}

static bool take(void *user, const struct record *record, bool known)
{
    struct check *check = user;
    struct seen *seen = seen_of(check, record);
    const bool read = record->kind == RECORD_SCORED && seen;
    const char *why = record->message.text[0] ? record->message.text : record_status(record);
    if (record->kind == RECORD_FAILED && record->status == SSIMCU_ERROR_MEMORY) {
        check->status = ssimcu_fail(&check->message, record->status, "%s", why); /* no damage */
        if (seen) seen_free(seen);
        free(seen);
        return false;
    }
    if (check->shot.name && record->part && strcmp(check->shot.name, record->part) != 0)
        end_shot(check);
    if (!check->shot.name && record->part) begin_shot(check, record);
    const size_t before = check->shot.count;
    check_shot_add(&check->shot, record->frame, record->side[1].path, read ? NULL : why, seen);
    if (check->shot.count > before) {
        check->shot.frame[before].file = record->side[1];
        check->shot.frame[before].file.path = NULL;
        check->shot.frame[before].stream = record->stream;
        check->shot.frame[before].streams = record->streams;
        if (record->kind == RECORD_FAILED && record->status == SSIMCU_ERROR_UNSUPPORTED)
            note_lacking(&check->shot, &check->shot.frame[before]);
    }
    if (check->status == SSIMCU_OK)
        check->status = hooks_record(&check->hooks, record, known, &check->message);
    return check->status == SSIMCU_OK;
}

/* ---- All frames ------------------------------------------------------------------------------ */

ssimcu_status check_look_at_all(struct check *check, ssimcu_message *message)
{
    const ssimcu_run_hooks *call = &check->hooks.call;
    struct batch_times times;
    const struct batch_config config = {.settings = {.struct_size = sizeof config.settings,
                                                     .device = SSIMCU_DEVICE_CPU,
                                                     .threads = check->options.settings.threads},
                                        .memory_bytes = check->run.memory_bytes,
                                        .no_hints = true,
                                        .score = look,
                                        .take = take,
                                        .user = check};
    if (call->begin) call->begin(call->user, source_count(check->source));
    hand_out_known(check, first_name(check));
    ssimcu_status status = check->status;
    if (status == SSIMCU_OK) {
        status = batch_run(&config, check->source, &times, message);
        check->hangs = times.abandoned;
    }
    if (status == SSIMCU_OK && check->status == SSIMCU_OK) end_shot(check);
    if (status == SSIMCU_OK && check->status == SSIMCU_OK) hand_out_known(check, NULL);
    if (call->end) call->end(call->user);
    if (check->status != SSIMCU_OK) /* the cause, if the batch was told to end */
        return ssimcu_fail(message, check->status, "%s", check->message.text);
    return status;
}
