#include "verdict/verdict.h"
#include "base/results.h"
#include "facts/record.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool verdict_any_limit(const struct limits *limits)
{
    bool any = limits->file || limits->has_score != 0;
    for (int f = 0; f < FAULT_MISSING; f++) any = any || limits_has(limits, f);
    return any;
}

void verdict_start(struct verdict *verdict, const struct limits *limits)
{
    *verdict = (struct verdict){.limits = *limits};
    if (!limits->file) return;
    verdict->matched = calloc(limits->file->rules + 1, sizeof *verdict->matched);
    verdict->out_of_memory = !verdict->matched;
}

static void free_frame(struct verdict_frame *frame)
{
    free(frame->part);
    free(frame->hints);
    free(frame->ref);
    free(frame->out);
    free(frame->reason);
}

void verdict_free(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->listed; i++) free_frame(&verdict->frame[i]);
    free(verdict->frame);
    free(verdict->matched);
    ranking_free(&verdict->furthest);
    for (int i = 0; i < FAULT_HINT; i++) free(verdict->extreme[i].part);
    free(verdict->clamped_part);
    hinted_free(&verdict->hinted);
    *verdict = (struct verdict){0};
}

/* Returns whether `kinds`, with commas between, has the first word of any of the hints. */
static bool has_kind(const char *kinds, const char *hints)
{
    size_t length;
    for (const char *own; (own = record_next_kind(&hints, &length));)
        if (record_lists_kind(kinds, own, length)) return true;
    return false;
}

/* Holds a scored record against the limits that are numbers. */
static void judge_numbers(struct judged *judged, const struct record *record)
{
    const struct verdict_baseline *baseline = judged->has_baseline ? &judged->baseline : NULL;
    for (int i = 0; i < FAULT_HINT; i++) {
        double excess = INFINITY;
        if (!limits_has(&judged->own, i)) continue;
        if (!faults_can_judge(i, &judged->own, record, baseline))
            judged->unjudged |= 1u << i;
        else if (faults_is_beyond(i, &judged->own, record, baseline))
            judged->faults |= 1u << i;
        if (!(judged->unjudged >> i & 1)) excess = faults_excess(i, &judged->own, record, baseline);
        if (judged->furthest < FAULT_COUNT && !(excess > judged->excess)) continue;
        judged->excess = excess;
        judged->furthest = i;
    }
    judged->faults |= judged->unjudged;
}

struct judged verdict_judge(const struct limits *limits, const struct record *record,
                            const struct verdict_baseline *baseline, uint64_t *matched)
{
    struct judged judged = {.own = limits_for(limits, record, matched),
                            .furthest = FAULT_COUNT,
                            .has_baseline = baseline != NULL};
    if (baseline) judged.baseline = *baseline;
    if (record->kind == RECORD_FAILED) judged.faults = 1u << FAULT_FAILED;
    if (record->kind == RECORD_MISSING)
        judged.faults = judged.own.allow_missing ? 0 : 1u << FAULT_MISSING;
    if (record->kind != RECORD_SCORED) return judged;
    judge_numbers(&judged, record);
    if (judged.own.hints && has_kind(judged.own.hints, record->scored.hints))
        judged.faults |= 1u << FAULT_HINT;
    return judged;
}

bool verdict_is_limited(const struct judged *judged)
{
    return judged->furthest < FAULT_COUNT && limits_has(&judged->own, judged->furthest);
}

double verdict_excess(const struct judged *judged)
{
    return verdict_is_limited(judged) ? judged->excess : NAN;
}

static bool is_unjudged(const struct judged *judged)
{
    return judged->unjudged >> judged->furthest & 1;
}

const char *verdict_standing(const struct judged *judged)
{
    if (is_unjudged(judged)) return "not judged";
    return judged->excess > 1 ? "furthest beyond" : "nearest to a limit";
}

ssimcu_tile verdict_place(const struct judged *judged, const struct record *record)
{
    ssimcu_tile place;
    const bool found = judged->excess < INFINITY && verdict_is_limited(judged) &&
                       faults_place(judged->furthest, &judged->own, record, &place);
    return found ? place : record->scored.tile;
}

/* Copies a text that says something. */
static bool copy(char **to, const char *text)
{
    return text_copy(to, text && text[0] ? text : NULL);
}

static const char *reason_of(const struct record *record)
{
    if (record->kind == RECORD_SCORED) return NULL;
    return record->kind == RECORD_FAILED ? record->message.text : record_missing(record);
}

/* Lists a frame, unless VERDICT_FRAMES are listed. Returns false if memory runs out. */
static bool list_frame(struct verdict *verdict, const struct verdict_frame *frame,
                       const struct record *record)
{
    if (verdict->listed == VERDICT_FRAMES) return true;
    if (!results_grow(&verdict->frame, verdict->listed, &verdict->room, sizeof *frame))
        return false;
    struct verdict_frame *own = &verdict->frame[verdict->listed++];
    *own = *frame;
    const bool part = copy(&own->part, record->part),
               hints = copy(&own->hints, record->scored.hints),
               ref = copy(&own->ref, record->side[0].path),
               out = copy(&own->out, record->side[1].path),
               text = copy(&own->reason, reason_of(record));
    return part && hints && ref && out && text;
}

/* Notes the frame if none was further beyond the limit of a fault. */
static void note_extreme(struct verdict *verdict, int fault, const struct judged *judged,
                         const struct record *record)
{
    struct verdict_extreme *extreme = &verdict->extreme[fault];
    const struct limits *limits = &judged->own;
    const double excess = faults_excess(fault, limits, record, &judged->baseline);
    if (extreme->known && !(excess > extreme->excess)) return;
    free(extreme->part);
    *extreme = (struct verdict_extreme){.known = true, .excess = excess, .frame = record->frame};
    (void)faults_text(extreme->text, fault, limits, record);
    if (!copy(&extreme->part, record->part)) verdict->out_of_memory = true;
}

/* Counts the limits of a scored frame, and those that it is beyond. */
static void count_limits(struct verdict *verdict, const struct judged *judged,
                         const struct record *record)
{
    for (int i = 0; i < FAULT_MISSING; i++) {
        const bool unjudged = judged->unjudged >> i & 1, bad = judged->faults >> i & 1;
        verdict->limited[i] += limits_has(&judged->own, i);
        verdict->unjudged[i] += unjudged;
        if (bad && !unjudged && faults_row(i)->extreme) note_extreme(verdict, i, judged, record);
    }
    verdict->bad += judged->faults != 0;
}

/* Ranks a frame by its excess. */
static void note_furthest(struct verdict *verdict, const struct judged *judged,
                          const struct record *record)
{
    char text[VERDICT_FURTHEST];
    const double excess = is_unjudged(judged) ? INFINITY : fmin(judged->excess, DBL_MAX);
    if (verdict_is_limited(judged) &&
        !ranking_add(&verdict->furthest, record, -excess, verdict_furthest(text, judged, record)))
        verdict->out_of_memory = true;
}

/* Notes the frame with the most clamped pixels. */
static void note_clamped(struct verdict *verdict, const struct record *record)
{
    const double clamped = record_clamped(record->scored.light);
    verdict->clamped += clamped > RECORD_CLAMPED_MOST;
    if (!(clamped > verdict->most_clamped)) return;
    verdict->most_clamped = clamped;
    verdict->clamped_frame = record->frame;
    free(verdict->clamped_part);
    if (!copy(&verdict->clamped_part, record->part)) verdict->out_of_memory = true;
}

struct judged verdict_add(struct verdict *verdict, const struct record *record,
                          const struct verdict_baseline *baseline)
{
    const bool scored = record->kind == RECORD_SCORED;
    const struct judged judged =
        verdict_judge(&verdict->limits, record, baseline, verdict->matched);
    hinted_add(&verdict->hinted, record, judged.faults != 0);
    if (scored) note_clamped(verdict, record);
    if (scored) note_furthest(verdict, &judged, record);
    if (scored) count_limits(verdict, &judged, record);
    if (judged.faults == 0) return judged;
    for (int i = 0; i < FAULT_COUNT; i++) verdict->count[i] += judged.faults >> i & 1;
    struct verdict_frame frame = {.frame = record->frame,
                                  .judged = judged,
                                  .scored = scored,
                                  .score = record->scored.score,
                                  .tile = record->scored.tile,
                                  .shift = record->scored.shift,
                                  .floor = record->floor,
                                  .floor_worst =
                                      record_floor_worst(judged.own.max_excess, record->floor.z),
                                  .metrics = record->metrics,
                                  .layout = record->scored.layout};
    memcpy(frame.metric, record->metric, sizeof frame.metric);
    if (!list_frame(verdict, &frame, record)) verdict->out_of_memory = true;
    return judged;
}

/* Returns whether a limit could be held against none of the scored frames that have it. */
static bool has_idle_limit(const struct verdict *verdict)
{
    bool idle = false;
    for (int i = 0; i < FAULT_MISSING; i++)
        idle = idle || (verdict->limited[i] > 0 && verdict->unjudged[i] == verdict->limited[i]);
    return idle;
}

/* Returns whether no scored frame has a limit of the file. */
static bool is_unlimited(const struct verdict *verdict)
{
    bool limited = !verdict->limits.file || limits_file_has(verdict->limits.file) == 0;
    for (int i = 0; i < FAULT_MISSING; i++) limited = limited || verdict->limited[i] > 0;
    return !limited && !verdict->nothing_scored;
}

/* Returns the metrics whose score of the run is below its limit, 1 << ssimcu_metric added up. One
 * that no frame has is below. */
static uint32_t low_means(const struct limits *limits, const struct summary *summary)
{
    uint32_t low = 0;
    for (int m = 0; m < SSIMCU_METRICS && summary->scored > 0; m++) {
        const struct summary_metric *own = &summary->numbers.metrics[m];
        const bool is_low = own->scored == 0 || !(own->score >= limits_score(limits, m));
        if (limits->has_score >> m & 1 && is_low) low |= 1u << m;
    }
    return low;
}

bool verdict_finish(struct verdict *verdict, const struct summary *summary)
{
    verdict->nothing_scored = summary->scored == 0;
    verdict->incomplete = !summary->complete;
    verdict->low_mean = low_means(&verdict->limits, summary);
    verdict->too_many = verdict->bad > verdict->limits.max_bad || has_idle_limit(verdict);
    verdict->unlimited = is_unlimited(verdict);
    verdict->passed = !verdict->nothing_scored && !verdict->incomplete && !verdict->low_mean &&
                      !verdict->too_many && !verdict->unlimited &&
                      verdict->count[FAULT_MISSING] == 0 && verdict->count[FAULT_FAILED] == 0;
    return !verdict->out_of_memory && !verdict->hinted.out_of_memory;
}

bool verdict_counts(const struct verdict *verdict, int fault)
{
    return verdict->count[fault] > 0 && (fault >= FAULT_MISSING || verdict->too_many);
}
