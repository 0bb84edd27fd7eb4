/* Limits and faults in words. */
#include "facts/record.h"
#include "verdict/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KIND_OF(id, name, key, ...) [SSIMCU_METRIC_##id] = "min_score_" key,
const char *const verdict_mean_kinds[SSIMCU_METRICS] = {[SSIMCU_METRIC_SSIM] = "min_score",
                                                        SSIMCU_OTHER_METRICS(KIND_OF)};

/* ---- What is beyond a limit ---------------------------------------------------------------------
 */

const char *verdict_furthest(char text[VERDICT_FURTHEST], const struct judged *judged,
                             const struct record *record)
{
    const struct fault_row *row = faults_row(judged->furthest);
    const char *noun =
        row->of == FAULT_OF_FLOOR || row->metric != SSIMCU_METRIC_SSIM ? NULL : row->noun;
    char number[RECORD_TILE_TEXT];
    if (judged->unjudged >> judged->furthest & 1)
        snprintf(text, VERDICT_FURTHEST, "%s", row->unjudged);
    else
        snprintf(text, VERDICT_FURTHEST, "%s%s%s", noun ? noun : "", noun ? " " : "",
                 faults_text(number, judged->furthest, &judged->own, record));
    return text;
}

const char *verdict_beyond(char text[VERDICT_BEYOND], const struct judged *judged, int fault,
                           const struct record *record)
{
    const struct fault_row *row = faults_row(fault);
    const struct limits *own = &judged->own;
    char what[RECORD_TILE_TEXT], was[TEXT_DIGITS], limit[VERDICT_LIMIT];
    (void)faults_text(what, fault, own, record);
    if (row->of == FAULT_OF_FLOOR) { /* its limits are many, one for each rule of the floors */
        const enum floor_rule worst = record_floor_worst(own->max_excess, record->floor.z);
        snprintf(text, VERDICT_BEYOND, "%s %s %s %.9g of %.150s", what, faults_side(fault),
                 row->in_file, own->max_excess[worst], own->rule[fault]);
        return text;
    }
    size_t used = (size_t)snprintf(text, VERDICT_BEYOND, "%s %s", row->noun, what);
    if (row->drop)
        used += (size_t)snprintf(text + used, VERDICT_BEYOND - used, ", was %s:",
                                 text_digits(was, faults_before(fault, &judged->baseline)));
    snprintf(text + used, VERDICT_BEYOND - used, " %s %s", faults_side(fault),
             verdict_limit_text(limit, own, fault));
    return text;
}

const char *verdict_wrong(char text[VERDICT_WRONG], const struct judged *judged,
                          const struct record *record, bool limit_of_hints)
{
    char beyond[VERDICT_BEYOND], limit[VERDICT_LIMIT];
    size_t used = 0;
    text[0] = '\0';
    if (record->kind != RECORD_SCORED) {
        const bool failed = record->kind == RECORD_FAILED;
        snprintf(text, VERDICT_WRONG, "%s%s",
                 failed ? "" : "missing: ", failed ? record->message.text : record_missing(record));
        return text;
    }
    for (int i = 0; i < FAULT_HINT + limit_of_hints && used < VERDICT_WRONG; i++) {
        if (!(judged->faults >> i & 1)) continue;
        const char *what = i == FAULT_HINT             ? verdict_limit_text(limit, &judged->own, i)
                           : judged->unjudged >> i & 1 ? faults_row(i)->unjudged
                                                       : verdict_beyond(beyond, judged, i, record);
        used +=
            (size_t)snprintf(text + used, VERDICT_WRONG - used, "%s%s", used > 0 ? "; " : "", what);
    }
    if (record->scored.hints[0] && used < VERDICT_WRONG)
        snprintf(text + used, VERDICT_WRONG - used, "%s%s", used > 0 ? "; " : "",
                 record->scored.hints);
    return text;
}

/* ---- Limits -----------------------------------------------------------------------------------
 */

const char *verdict_score_text(char text[VERDICT_LIMIT], const struct limits *limits,
                               ssimcu_metric metric)
{
    const bool other = metric != SSIMCU_METRIC_SSIM;
    snprintf(text, VERDICT_LIMIT, "--min-score %s%s%.9g", other ? metrics_name(metric) : "",
             other ? "=" : "", limits_score(limits, metric));
    return text;
}

const char *verdict_mean_text(char text[VERDICT_LIMIT], const struct verdict *verdict,
                              const struct summary *summary, ssimcu_metric metric)
{
    const bool other = metric != SSIMCU_METRIC_SSIM,
               any = summary->numbers.metrics[metric].scored > 0 ||
                     isnan(summary->numbers.metrics[metric].score);
    char mean[TEXT_DIGITS], limit[VERDICT_LIMIT];
    snprintf(text, VERDICT_LIMIT, "%s%s%s under %.300s", other ? metrics_name(metric) : "",
             other ? " " : "",
             any ? metrics_text(mean, metric, summary->numbers.metrics[metric].score)
                 : "of no frame",
             verdict_score_text(limit, &verdict->limits, metric));
    return text;
}

const char *verdict_limit_text(char text[VERDICT_LIMIT], const struct limits *limits, int fault)
{
    const struct fault_row *row = faults_row(fault);
    const char *rule = limits->rule[fault];
    const char *name = rule ? row->in_file : row->option;
    char number[TEXT_DIGITS + 16];
    if (fault == FAULT_FLOOR) {
        snprintf(text, VERDICT_LIMIT, "%s of %.300s", name, rule);
        return text;
    }
    if (fault < FAULT_FLOOR) snprintf(number, sizeof number, "%.9g", limits_number(limits, fault));
    snprintf(text, VERDICT_LIMIT, "%s%s%.300s%s%.150s", name,
             row->metric != SSIMCU_METRIC_SSIM ? "=" : " ",
             fault == FAULT_HINT ? limits->hints : number, rule ? " of " : "", rule ? rule : "");
    return text;
}

const char *verdict_limit_name(char text[VERDICT_LIMIT], const struct limits *limits, int fault)
{
    if (limits_has(limits, fault) || !limits->file) return verdict_limit_text(text, limits, fault);
    snprintf(text, VERDICT_LIMIT, "%s of %.300s", faults_row(fault)->in_file,
             text_base(limits->file->path));
    return text;
}
