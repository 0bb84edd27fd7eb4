/* Frames wait here until every run has come past them. shots.c learns them. */
#include "calibrate/learn.h"

#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "limits/reference.h"
#include "record/record.h"

#include <stdlib.h>

ssimcu_status learner_begin(struct learner *learner, uint32_t runs, ssimcu_message *message)
{
    learner->runs = learner->usable = runs;
    learner->stride = 1;
    learner->progress = calloc(runs, sizeof *learner->progress);
    return learner->progress ? checks_begin(&learner->checks, runs, message) : no_memory(message);
}

void learner_skip(struct learner *learner, uint32_t run)
{
    learner->progress[run].ended = true;
    learner->usable--;
}

/* Returns the frame, which begins to wait if it is new; NULL: memory ran out. */
static struct waiting *find_frame(struct learner *learner, const struct record *record)
{
    for (size_t i = 0; i < learner->count; i++) {
        struct waiting *frame = &learner->waiting[i];
        if (record_order(frame->shot, frame->frame, record->shot, record->frame) == 0) return frame;
    }
    struct waiting made = {.frame = record->frame, .layout = record->scored.layout};
    if (!results_grow(&learner->waiting, learner->count, &learner->room, sizeof made)) return NULL;
    made.sample = calloc(learner->runs, sizeof *made.sample);
    if (!text_copy(&made.shot, record->shot) || !made.sample) {
        free(made.shot);
        free(made.sample);
        return NULL;
    }
    made.referred = reference_take(&record->side[0], &made.reference, &made.unread);
    learner->waiting[learner->count] = made;
    return &learner->waiting[learner->count++];
}

ssimcu_status learner_try(struct learner *learner, const struct record *record,
                          struct injection *injection, ssimcu_message *message)
{
    pthread_mutex_lock(&learner->lock);
    struct waiting *frame = find_frame(learner, record);
    const bool moved = frame && injection_move(&frame->injection, injection);
    pthread_mutex_unlock(&learner->lock);
    return moved ? SSIMCU_OK : no_memory(message);
}

/* Takes the values out of a record. Returns false if memory runs out. */
static bool take_values(struct learner *learner, const struct record *record)
{
    pthread_mutex_lock(&learner->lock);
    struct waiting *frame = find_frame(learner, record);
    if (frame) {
        learned_values_free(&frame->sample[record->out].values);
        frame->sample[record->out].values = *record->values;
        *record->values = (struct learned_values){0};
    }
    pthread_mutex_unlock(&learner->lock);
    return frame != NULL;
}

static void free_frame(struct learner *learner, struct waiting *frame)
{
    for (uint32_t i = 0; i < learner->runs; i++) learned_values_free(&frame->sample[i].values);
    injection_free(&frame->injection);
    free(frame->sample);
    free(frame->shot);
}

/* Returns whether every run has come to the frame or past it. */
static bool is_complete(const struct learner *learner, const struct waiting *frame)
{
    for (uint32_t i = 0; i < learner->runs; i++) {
        const struct progress *run = &learner->progress[i];
        if (run->ended) continue;
        if (!run->any || record_order(run->shot, run->frame, frame->shot, frame->frame) < 0)
            return false;
    }
    return true;
}

/* Takes the first frame that waits, if it is complete. */
static bool take_first(struct learner *learner, struct waiting *taken)
{
    struct waiting *first = NULL;
    pthread_mutex_lock(&learner->lock);
    for (size_t i = 0; i < learner->count; i++) {
        struct waiting *frame = &learner->waiting[i];
        if (!first || record_order(frame->shot, frame->frame, first->shot, first->frame) < 0)
            first = frame;
    }
    const bool complete = first && is_complete(learner, first);
    if (complete) {
        *taken = *first;
        *first = learner->waiting[--learner->count];
    }
    pthread_mutex_unlock(&learner->lock);
    return complete;
}

static ssimcu_status learn_complete(struct learner *learner, ssimcu_message *message)
{
    struct waiting frame;
    ssimcu_status status = SSIMCU_OK;
    while (status == SSIMCU_OK && take_first(learner, &frame)) {
        status = learner_frame(learner, &frame, message);
        free_frame(learner, &frame);
    }
    return status;
}

ssimcu_status learner_take(struct learner *learner, const struct record *record,
                           ssimcu_message *message)
{
    struct progress *run = &learner->progress[record->out];
    if (record->kind == RECORD_SCORED && record->values && !take_values(learner, record))
        return no_memory(message);
    free(run->shot);
    if (!text_copy(&run->shot, record->shot)) return no_memory(message);
    run->frame = record->frame;
    run->any = true;
    run->missing += record->kind == RECORD_MISSING;
    return learn_complete(learner, message);
}

ssimcu_status learner_end(struct learner *learner, ssimcu_message *message)
{
    for (uint32_t i = 0; i < learner->runs; i++) {
        struct progress *run = &learner->progress[i];
        run->ended = true;
        if (run->missing > 0)
            learner_note(learner, "%.300s lacks %llu frame%s that other runs have", learner->run[i],
                         (unsigned long long)run->missing, text_plural(run->missing));
    }
    TRY(learn_complete(learner, message));
    TRY(checks_check(&learner->checks, learner->run, message));
    TRY(learner_end_shot(learner, message));
    if (learner->shots > 0) return SSIMCU_OK;
    FAIL(DATA, "calibrate: no frame could be learned");
}

void learner_free(struct learner *learner)
{
    for (size_t i = 0; i < learner->count; i++) free_frame(learner, &learner->waiting[i]);
    for (uint32_t i = 0; learner->progress && i < learner->runs; i++)
        free(learner->progress[i].shot);
    for (size_t i = 0; i < learner->samples; i++) learned_values_free(&learner->sample[i].values);
    for (size_t i = 0; i < learner->shots; i++) {
        free(learner->shot[i].shot);
        free(learner->shot[i].tails);
    }
    for (size_t i = 0; i < learner->notes; i++) free(learner->note[i]);
    free(learner->note);
    for (size_t i = 0; i < learner->founds; i++) free(learner->found[i].layer);
    free(learner->found);
    checks_free(&learner->checks);
    injection_free(&learner->injection);
    free(learner->waiting);
    free(learner->progress);
    free(learner->sample);
    free(learner->shot);
}
