/* Limits and faults in words. */
#include "verdict/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const verdict_fault_names[FAULT_COUNT] = {
    "min_frame", "min_tile",       "max_drop",          "max_tile_drop",
    "max_shift", "min_frame_psnr", "min_frame_ms_ssim", "min_frame_ssimulacra2",
    "floor",     "fail_on_hint",   "missing",           "failed"};

const char *const verdict_mean_kinds[SSIMCU_METRICS] = {
    "min_score", "min_score_psnr", "min_score_ms_ssim", "min_score_ssimulacra2"};

const char *const verdict_options[FAULT_MISSING] = {"--min-frame",
                                                    "--min-tile",
                                                    "--max-drop",
                                                    "--max-tile-drop",
                                                    "--max-shift",
                                                    "--min-frame " METRIC_PSNR,
                                                    "--min-frame " METRIC_MS_SSIM,
                                                    "--min-frame " METRIC_SSIMULACRA2,
                                                    "--limits",
                                                    "--fail-on-hint"};

static const char *const verdict_whats[FAULT_FLOOR] = {
    "score", "tile", "score", "tile", "shift", METRIC_PSNR, METRIC_MS_SSIM, METRIC_SSIMULACRA2};

const char *const verdict_unjudged[FAULT_MISSING] = {
    "without " METRIC_SSIM,    "without tiles",
    "not in the baseline",     "without a tile in the baseline",
    "without a shift",         "without " METRIC_PSNR,
    "without " METRIC_MS_SSIM, "without " METRIC_SSIMULACRA2,
    "without floors"};

/* ---- What is beyond a limit ---------------------------------------------------------------------
 */

/* Says which rule of its floors the record is furthest beyond. */
static void say_floor(char text[VERDICT_BEYOND], const struct limits *limits,
                      const struct record *record)
{
    const enum floor_rule worst = record_floor_worst(limits->max_excess, record->floor.z);
    char what[RECORD_TILE_TEXT];
    snprintf(text, VERDICT_BEYOND, "%s %s %s %.9g of %.150s",
             record_floor_text(what, record->layout, &record->floor, worst),
             verdict_side(FAULT_FLOOR), VERDICT_EXCESS, limits->max_excess[worst],
             limits->rule[FAULT_FLOOR]);
}

const char *verdict_beyond(char text[VERDICT_BEYOND], const struct limits *limits, enum fault fault,
                           const struct record *record, const struct verdict_baseline *baseline)
{
    const bool of_tile = fault == FAULT_TILE || fault == FAULT_TILE_DROP;
    const struct limits own = limits_for(limits, record, NULL);
    const ssimcu_metric metric = limits_metric(fault);
    if (fault == FAULT_FLOOR) {
        say_floor(text, &own, record);
        return text;
    }
    char what[RECORD_TILE_TEXT], was[TEXT_DIGITS], limit[VERDICT_LIMIT];
    size_t used = (size_t)snprintf(
        text, VERDICT_BEYOND, "%s %s", verdict_whats[fault],
        fault == FAULT_SHIFT ? record_shift_text(what, record->layout, &record->shift)
        : of_tile            ? record_tile_text(what, &record->tile)
                             : metrics_text(what, metric, record_value(record, metric)));
    if (verdict_is_drop(fault))
        used += (size_t)snprintf(text + used, VERDICT_BEYOND - used, ", was %s:",
                                 text_digits(was, of_tile ? baseline->tile : baseline->score));
    snprintf(text + used, VERDICT_BEYOND - used, " %s %s", verdict_side(fault),
             verdict_limit_text(limit, &own, fault));
    return text;
}

/* ---- Limits -----------------------------------------------------------------------------------
 */

const char *verdict_name_in_file(enum fault fault)
{
    static const char *const of_metrics[SSIMCU_METRICS] = {NULL, "min_frame " METRIC_PSNR,
                                                           "min_frame " METRIC_MS_SSIM,
                                                           "min_frame " METRIC_SSIMULACRA2};
    if (limits_metric(fault) != SSIMCU_METRIC_SSIM) return of_metrics[limits_metric(fault)];
    return fault == FAULT_FLOOR ? VERDICT_EXCESS : verdict_fault_names[fault];
}

const char *verdict_score_text(char text[VERDICT_LIMIT], const struct limits *limits,
                               ssimcu_metric metric)
{
    const bool other = metric != SSIMCU_METRIC_SSIM;
    snprintf(text, VERDICT_LIMIT, "--min-score %s%s%.9g", other ? metrics_names[metric] : "",
             other ? "=" : "", limits->min_score[metric]);
    return text;
}

const char *verdict_mean_text(char text[VERDICT_LIMIT], const struct verdict *verdict,
                              const struct summary *summary, ssimcu_metric metric)
{
    const bool other = metric != SSIMCU_METRIC_SSIM,
               any = summary->numbers.metrics[metric].scored > 0 ||
                     isnan(summary->numbers.metrics[metric].score);
    char mean[TEXT_DIGITS], limit[VERDICT_LIMIT];
    snprintf(text, VERDICT_LIMIT, "%s%s%s under %.300s", other ? metrics_names[metric] : "",
             other ? " " : "",
             any ? metrics_text(mean, metric, summary->numbers.metrics[metric].score)
                 : "of no frame",
             verdict_score_text(limit, &verdict->limits, metric));
    return text;
}

const char *verdict_limit_text(char text[VERDICT_LIMIT], const struct limits *limits,
                               enum fault fault)
{
    const char *rule = limits->rule[fault];
    const char *name = rule ? verdict_name_in_file(fault) : verdict_options[fault];
    char number[TEXT_DIGITS + 16];
    if (fault == FAULT_FLOOR) {
        snprintf(text, VERDICT_LIMIT, "%s of %.300s", name, rule);
        return text;
    }
    if (fault < FAULT_FLOOR) snprintf(number, sizeof number, "%.9g", limits_number(limits, fault));
    snprintf(text, VERDICT_LIMIT, "%s%s%.300s%s%.150s", name,
             limits_metric(fault) != SSIMCU_METRIC_SSIM ? "=" : " ",
             fault == FAULT_HINT ? limits->hints : number, rule ? " of " : "", rule ? rule : "");
    return text;
}

const char *verdict_limit_name(char text[VERDICT_LIMIT], const struct limits *limits,
                               enum fault fault)
{
    if (limits_has(limits, fault) || !limits->file) return verdict_limit_text(text, limits, fault);
    snprintf(text, VERDICT_LIMIT, "%s of %.300s", verdict_name_in_file(fault),
             text_base(limits->file->path));
    return text;
}
