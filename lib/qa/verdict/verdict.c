#include "verdict/verdict.h"
#include "base/results.h"
#include "record/record.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

bool verdict_any_limit(const struct limits *limits)
{
    bool any = limits->file || limits->has_score != 0;
    for (int f = 0; f < FINDING_MISSING; f++) any = any || limits_has(limits, f);
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
    free(frame->shot);
    free(frame->ref);
    free(frame->out);
    findings_free(&frame->findings);
}

void verdict_free(struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->listed; i++) free_frame(&verdict->frame[i]);
    free(verdict->frame);
    free(verdict->matched);
    ranking_free(&verdict->furthest);
    for (int i = 0; i < FINDING_FAIL_ON; i++) free(verdict->extreme[i].shot);
    free(verdict->clamped_shot);
    hinted_free(&verdict->hinted);
    *verdict = (struct verdict){0};
}

/* Judges a scored record by the numeric limits. */
static void judge_numbers(struct judged *judged, const struct record *record)
{
    const struct verdict_baseline *baseline = judged->has_baseline ? &judged->baseline : NULL;
    for (int i = 0; i < FINDING_FAIL_ON; i++) {
        double excess = INFINITY;
        if (!limits_has(&judged->own, i)) continue;
        if (!limit_can_judge(i, &judged->own, record, baseline))
            judged->unjudged |= finding_bit(i);
        else if (limit_is_beyond(i, &judged->own, record, baseline))
            judged->fails |= finding_bit(i);
        if (!(judged->unjudged >> i & 1)) excess = limit_excess(i, &judged->own, record, baseline);
        if (judged->furthest < FINDING_KINDS && !(excess > judged->excess)) continue;
        judged->excess = excess;
        judged->furthest = i;
    }
    judged->fails |= judged->unjudged;
}

/* Returns the kinds of findings by which a frame fails in addition to its limits. */
static finding_mask fails_on(const struct limits *limits)
{
    if (limits->has_fail_on) return limits->fail_on;
    return limits->alone ? findings_default(FINDING_BY_CHECK) : 0;
}

struct judged verdict_judge(const struct limits *limits, const struct record *record,
                            const struct verdict_baseline *baseline, uint64_t *matched)
{
    struct judged judged = {.own = limits_for(limits, record, matched),
                            .furthest = FINDING_KINDS,
                            .has_baseline = baseline != NULL};
    if (baseline) judged.baseline = *baseline;
    judged.fails = findings_kinds(&record->findings) & fails_on(&judged.own);
    if (judged.own.alone) return judged;
    if (record->kind == RECORD_FAILED) judged.fails |= finding_bit(FINDING_FAILED);
    if (record->kind == RECORD_MISSING && !judged.own.allow_missing)
        judged.fails |= finding_bit(FINDING_MISSING);
    if (record->kind == RECORD_SCORED) judge_numbers(&judged, record);
    return judged;
}

bool verdict_is_limited(const struct judged *judged)
{
    return judged->furthest < FINDING_KINDS && limits_has(&judged->own, judged->furthest);
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
    return judged->excess > 1 ? "furthest over a limit" : "nearest to a limit";
}

ssimcu_tile verdict_place(const struct judged *judged, const struct record *record)
{
    ssimcu_tile place;
    const bool found = judged->excess < INFINITY && verdict_is_limited(judged) &&
                       limit_place(judged->furthest, &judged->own, record, &place);
    return found ? place : record->scored.tile;
}

/* Copies a text that is not empty. */
static bool copy(char **to, const char *text)
{
    return text_copy(to, text && text[0] ? text : NULL);
}

/* Lists a frame, unless VERDICT_FRAMES are listed. Returns false if memory runs out. */
static bool list_frame(struct verdict *verdict, const struct judged *judged,
                       const struct record *record)
{
    if (verdict->listed == VERDICT_FRAMES) return true;
    if (!results_grow(&verdict->frame, verdict->listed, &verdict->room, sizeof *verdict->frame))
        return false;
    struct verdict_frame *own = &verdict->frame[verdict->listed++];
    *own = (struct verdict_frame){.frame = record->frame, .judged = *judged};
    const bool shot = copy(&own->shot, record->shot), ref = copy(&own->ref, record->side[0].path),
               out = copy(&own->out, record->side[1].path);
    return shot && ref && out && findings_copy(&own->findings, &record->findings);
}

/* Notes the frame if it is the furthest beyond the limit of a kind. */
static void note_extreme(struct verdict *verdict, int fault, const struct judged *judged,
                         const struct record *record)
{
    struct verdict_extreme *extreme = &verdict->extreme[fault];
    const struct limits *limits = &judged->own;
    const double excess = limit_excess(fault, limits, record, &judged->baseline);
    if (extreme->known && !(excess > extreme->excess)) return;
    free(extreme->shot);
    *extreme = (struct verdict_extreme){.known = true, .excess = excess, .frame = record->frame};
    (void)limit_text(extreme->text, fault, limits, record);
    if (!copy(&extreme->shot, record->shot)) verdict->out_of_memory = true;
}

/* Counts the limits of a scored frame, and those that it exceeds. */
static void count_limits(struct verdict *verdict, const struct judged *judged,
                         const struct record *record)
{
    for (int i = 0; i < FINDING_MISSING; i++) {
        const bool unjudged = judged->unjudged >> i & 1, bad = judged->fails >> i & 1;
        verdict->limited[i] += limits_has(&judged->own, i);
        verdict->unjudged[i] += unjudged;
        if (bad && !unjudged && finding_row(i)->extreme) note_extreme(verdict, i, judged, record);
    }
    verdict->bad += judged->fails != 0;
}

const char *verdict_scale(const struct judged *judged)
{
    const struct finding_row *row = finding_row(judged->furthest);
    const double best = metrics_best(row->metric);
    if (row->over || row->metric == SSIMCU_METRIC_PSNR ||
        limits_number(&judged->own, judged->furthest) == best)
        return "its limit";
    return best == 1 ? "as far from 1 as allowed" : "as far from 100 as allowed";
}

/* Ranks a frame by its excess. */
static void note_furthest(struct verdict *verdict, const struct judged *judged,
                          const struct record *record)
{
    char text[VERDICT_FURTHEST], what[VERDICT_FURTHEST + 40];
    const double excess = is_unjudged(judged) ? INFINITY : fmin(judged->excess, DBL_MAX);
    if (!verdict_is_limited(judged)) return;
    snprintf(what, sizeof what, "%s%s%s", is_unjudged(judged) ? "" : verdict_scale(judged),
             is_unjudged(judged) ? "" : ": ", verdict_furthest(text, judged, record));
    if (!ranking_add(&verdict->furthest, record, -excess, what)) verdict->out_of_memory = true;
}

/* Notes the frame with the most clamped pixels. */
static void note_clamped(struct verdict *verdict, const struct record *record)
{
    const double clamped = record_clamped(record->scored.light);
    verdict->clamped += clamped > RECORD_CLAMPED_MOST;
    if (!(clamped > verdict->most_clamped)) return;
    verdict->most_clamped = clamped;
    verdict->clamped_frame = record->frame;
    free(verdict->clamped_shot);
    if (!copy(&verdict->clamped_shot, record->shot)) verdict->out_of_memory = true;
}

/* Returns the number that was judged; for learned limits, that of the rule that is furthest beyond.
 * NaN: learned limits could not judge the record. */
static double limit_number(const struct judged *judged, int fault, const struct record *record)
{
    const double *most = judged->own.max_excess;
    if (fault != FINDING_LEARNED) return limits_number(&judged->own, fault);
    return judged->unjudged >> fault & 1 ? NAN
                                         : most[record_learned_worst(most, record->learned.z)];
}

/* Adds a finding for each limit that the record is beyond, or that could not judge it. */
static void add_limits(const struct judged *judged, struct record *record)
{
    char text[VERDICT_BEYOND];
    for (int i = 0; i < FINDING_FAIL_ON; i++) {
        const bool unjudged = judged->unjudged >> i & 1;
        ssimcu_tile at = {0};
        if (!(judged->fails >> i & 1)) continue;
        if (!unjudged) (void)limit_place(i, &judged->own, record, &at);
        const struct finding_place place = {at.x, at.y, at.width, at.height};
        struct finding *made = findings_add(
            &record->findings, (enum finding_kind)i, place,
            unjudged ? NAN : limit_value(i, &judged->own, record, &judged->baseline), "%s",
            unjudged ? finding_row(i)->unjudged : verdict_beyond(text, judged, i, record));
        if (made) made->limit = limit_number(judged, i, record);
    }
}

/* Adds findings of a missing or failed pair, and sets for each finding whether it fails. */
static void complete(const struct judged *judged, struct record *record)
{
    const struct finding_place whole = {0};
    if (judged->fails >> FINDING_FAILED & 1)
        (void)findings_add(&record->findings, FINDING_FAILED, whole, NAN, "%s",
                           record->message.text);
    if (record->kind == RECORD_MISSING && !judged->own.alone)
        (void)findings_add(&record->findings, FINDING_MISSING, whole, NAN, "missing: %s",
                           record_missing(record));
    add_limits(judged, record);
    for (size_t i = 0; i < record->findings.count; i++)
        record->findings.at[i].fails = judged->fails >> record->findings.at[i].kind & 1;
}

/* Counts the kinds of a record's findings, and those by which it fails. */
static void count_findings(struct verdict *verdict, const struct judged *judged,
                           const struct record *record)
{
    const finding_mask kinds = findings_kinds(&record->findings);
    for (int i = 0; i < FINDING_KINDS; i++) verdict->count[i] += judged->fails >> i & 1;
    for (int i = 0; i < FINDING_KINDS; i++) verdict->of_kind[i] += kinds >> i & 1;
    verdict->found += record->findings.count > 0;
    verdict->bad += judged->own.alone && judged->fails != 0;
}

struct judged verdict_add(struct verdict *verdict, struct record *record,
                          const struct verdict_baseline *baseline)
{
    const bool scored = record->kind == RECORD_SCORED;
    const struct judged judged =
        verdict_judge(&verdict->limits, record, baseline, verdict->matched);
    hinted_add(&verdict->hinted, record, judged.fails != 0);
    complete(&judged, record);
    if (scored) note_clamped(verdict, record);
    if (scored) note_furthest(verdict, &judged, record);
    if (scored) count_limits(verdict, &judged, record);
    count_findings(verdict, &judged, record);
    if (record->findings.out_of_memory ||
        (judged.fails != 0 && !list_frame(verdict, &judged, record)))
        verdict->out_of_memory = true;
    return judged;
}

/* Returns whether a limit could not judge any scored frame that has it. */
static bool has_idle_limit(const struct verdict *verdict)
{
    for (int i = 0; i < FINDING_MISSING; i++)
        if (verdict->limited[i] > 0 && verdict->unjudged[i] == verdict->limited[i]) return true;
    return false;
}

/* Returns whether the file's limits apply to none of the scored frames. */
static bool is_unlimited(const struct verdict *verdict)
{
    bool limited = !verdict->limits.file || limits_file_has(verdict->limits.file) == 0;
    for (int i = 0; i < FINDING_MISSING; i++) limited = limited || verdict->limited[i] > 0;
    return !limited && !verdict->nothing_scored;
}

/* Returns the metrics whose score of the run is below its limit, as the sum of 1 << ssimcu_metric.
 * A metric without any value is below. */
static uint32_t low_means(const struct limits *limits, const struct summary *summary)
{
    uint32_t low = 0;
    for (int m = 0; m < SSIMCU_METRICS && summary->scored > 0; m++) {
        const struct summary_metric *result = &summary->numbers.metrics[m];
        const bool is_low = result->scored == 0 || !(result->score >= limits_score(limits, m));
        if (limits->has_score >> m & 1 && is_low) low |= 1u << m;
    }
    return low;
}

bool verdict_finish(struct verdict *verdict, const struct summary *summary)
{
    verdict->nothing_scored = summary->scored + summary->checked == 0;
    verdict->incomplete = !summary->complete;
    verdict->low_mean = low_means(&verdict->limits, summary);
    verdict->too_many = verdict->bad > verdict->limits.max_bad || has_idle_limit(verdict);
    verdict->unlimited = is_unlimited(verdict);
    verdict->passed = !verdict->nothing_scored && !verdict->incomplete && !verdict->low_mean &&
                      !verdict->too_many && !verdict->unlimited &&
                      verdict->count[FINDING_MISSING] == 0 && verdict->count[FINDING_FAILED] == 0;
    return !verdict->out_of_memory && !verdict->hinted.out_of_memory;
}

bool verdict_counts(const struct verdict *verdict, int fault)
{
    return verdict->count[fault] > 0 && (finding_row(fault)->broken || verdict->too_many);
}
