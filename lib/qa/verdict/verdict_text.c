/* Limits and findings in words. */
#include "record/record.h"
#include "verdict/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_ALLOWED = 80 };

#define KIND_OF(id, name, key, ...) [SSIMCU_METRIC_##id] = "min_score_" key,
const char *const verdict_mean_kinds[SSIMCU_METRICS] = {[SSIMCU_METRIC_SSIM] = "min_score",
                                                        SSIMCU_OTHER_METRICS(KIND_OF)};

/* ---- Values beyond a limit ------------------------------------------------------------------- */

/* Writes what the number is held against: " (limit 7.86)", or " (drop 0.07, limit 0.01)". */
static void write_allowed(char text[TEXT_ALLOWED], const struct judged *judged,
                          const struct record *record)
{
    const int fault = judged->furthest;
    const struct limits *own = &judged->own;
    const bool learned = fault == FINDING_LEARNED;
    const double limit =
        learned ? own->max_excess[record_learned_worst(own->max_excess, record->learned.z)]
                : limits_number(own, fault);
    if (finding_row(fault)->drop)
        snprintf(text, TEXT_ALLOWED, " (drop %.9g, limit %.9g)",
                 limit_value(fault, own, record, &judged->baseline), limit);
    else
        snprintf(text, TEXT_ALLOWED, " (limit %.9g)", limit);
}

/* Returns the length of a number at the front of a text, before its channel and its place. */
static size_t number_length(const char *text)
{
    const char *of = strstr(text, " of "), *at = strstr(text, " at ");
    const char *end = of ? of : at;
    return end ? (size_t)(end - text) : strlen(text);
}

const char *verdict_furthest(char text[VERDICT_FURTHEST], const struct judged *judged,
                             const struct record *record)
{
    const struct finding_row *row = finding_row(judged->furthest);
    const char *noun = row->of == FINDING_OF_LEARNED ? NULL : row->noun;
    char number[RECORD_TILE_TEXT], allowed[TEXT_ALLOWED];
    if (judged->unjudged >> judged->furthest & 1) {
        snprintf(text, VERDICT_FURTHEST, "%s", row->unjudged);
        return text;
    }
    (void)limit_text(number, judged->furthest, &judged->own, record);
    write_allowed(allowed, judged, record);
    const size_t length = number_length(number);
    snprintf(text, VERDICT_FURTHEST, "%s%s%.*s%s%s", noun ? noun : "", noun ? " " : "", (int)length,
             number, allowed, number + length);
    return text;
}

const char *verdict_beyond(char text[VERDICT_BEYOND], const struct judged *judged, int fault,
                           const struct record *record)
{
    const struct finding_row *row = finding_row(fault);
    const struct limits *limits = &judged->own;
    char what[RECORD_TILE_TEXT], was[TEXT_DIGITS], limit[VERDICT_LIMIT];
    (void)limit_text(what, fault, limits, record);
    if (row->of == FINDING_OF_LEARNED) { /* it has many limits, one for each rule */
        const enum learned_rule worst = record_learned_worst(limits->max_excess, record->learned.z);
        snprintf(text, VERDICT_BEYOND, "%s %s %s %.9g of %.150s", what, limit_side(fault),
                 row->in_file, limits->max_excess[worst], limits->rule[fault]);
        return text;
    }
    size_t used = (size_t)snprintf(text, VERDICT_BEYOND, "%s %s", row->noun, what);
    if (row->drop)
        used +=
            (size_t)snprintf(text + used, VERDICT_BEYOND - used,
                             ", was %s:", text_digits(was, limit_before(fault, &judged->baseline)));
    snprintf(text + used, VERDICT_BEYOND - used, " %s %s", limit_side(fault),
             verdict_limit_text(limit, limits, fault));
    return text;
}

/* ---- Limits ---------------------------------------------------------------------------------- */

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
    const struct finding_row *row = finding_row(fault);
    const char *rule = limits->rule[fault];
    const char *name = rule ? row->in_file : row->option;
    char number[TEXT_DIGITS + 16], kinds[FINDING_NAMES];
    if (fault == FINDING_LEARNED) {
        snprintf(text, VERDICT_LIMIT, "%s of %.300s", name, rule);
        return text;
    }
    if (fault < FINDING_LEARNED)
        snprintf(number, sizeof number, "%.9g", limits_number(limits, fault));
    snprintf(text, VERDICT_LIMIT, "%s%s%.300s%s%.150s", name,
             row->metric != SSIMCU_METRIC_SSIM ? "=" : " ",
             fault == FINDING_FAIL_ON ? findings_names(kinds, limits->fail_on, ",") : number,
             rule ? " of " : "", rule ? rule : "");
    return text;
}

const char *verdict_limit_name(char text[VERDICT_LIMIT], const struct limits *limits, int fault)
{
    if (limits_has(limits, fault) || !limits->file) return verdict_limit_text(text, limits, fault);
    snprintf(text, VERDICT_LIMIT, "%s of %.300s", finding_row(fault)->in_file,
             text_base(limits->file->path));
    return text;
}
