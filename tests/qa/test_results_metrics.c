/* Metrics beside SSIM: in records, as JSON and CSV, in summaries and verdicts. */
#include "base/json.h"
#include "check.h"
#include "judged.h"
#include "lines/fact.h"
#include "record/compat.h"
#include "record/contract.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALL = 1 << SSIMCU_METRIC_PSNR | 1 << SSIMCU_METRIC_MS_SSIM | 1 << SSIMCU_METRIC_SSIMULACRA2
};

/* A frame whose PSNR is that of the mse. */
static struct record frame_of(int64_t frame, double mse, double ssimulacra2)
{
    const double psnr = mse > 0 ? 10 * log10(1 / mse) : INFINITY;
    return (struct record){.frame = frame,
                           .kind = RECORD_SCORED,
                           .scored.score = mse > 0 ? 0.75 : 1,
                           .scored.channels = 3,
                           .scored.channel = {0.5, 0.75, 1},
                           .scored.layout = "rgb",
                           .scored.backend = "cpu",
                           .metrics = ALL,
                           .metric = {0, psnr, 0.875, ssimulacra2},
                           .metric_channel = {{0}, {psnr, psnr, INFINITY}, {0.25, 0.5, 1}, {NAN}},
                           .mse = mse};
}

/* ---- Names and numbers ----------------------------------------------------------------------- */

Test(results_metrics, names_limits_and_texts)
{
    ssimcu_metric metric;
    char text[TEXT_DIGITS];
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        cr_assert(metrics_find(metrics_name(m), strlen(metrics_name(m)), &metric));
        cr_assert_eq((int)metric, m);
        cr_assert(!metrics_allow(m, NAN) && !metrics_allow(m, INFINITY));
        cr_assert_eq((int)finding_row(limits_fault(m))->metric, m);
    }
    cr_assert(metrics_find("psnr,ssim", 4, &metric) && metric == SSIMCU_METRIC_PSNR);
    cr_assert(!metrics_find("psnrs", 5, &metric) && !metrics_find("", 0, &metric));
    cr_assert(!metrics_allow(SSIMCU_METRIC_PSNR, 0) && metrics_allow(SSIMCU_METRIC_PSNR, 200));
    cr_assert(metrics_allow(SSIMCU_METRIC_SSIMULACRA2, -99));
    cr_assert_eq((int)finding_row(SSIMCU_LIMIT_MIN_TILE)->metric, (int)SSIMCU_METRIC_SSIM);
    cr_assert_str_eq(metrics_text(text, SSIMCU_METRIC_PSNR, INFINITY), "inf");
    cr_assert_str_eq(metrics_text(text, SSIMCU_METRIC_PSNR, 1), "1.000000000");
    cr_assert_str_eq(metrics_text(text, SSIMCU_METRIC_MS_SSIM, 1 - 1e-12), "0.999999999");
    cr_assert_str_eq(metrics_text(text, SSIMCU_METRIC_SSIMULACRA2, -7.25), "-7.250000000");
    cr_assert_str_eq(metrics_text(text, SSIMCU_METRIC_SSIMULACRA2, 100), "100.000000000");
    cr_assert_str_eq(metrics_text(text, SSIMCU_METRIC_SSIMULACRA2, 100 - 1e-12), "99.999999999");
}

/* Every limit has all its words, and the lowest value of a metric has the metric's. */
Test(results_metrics, each_fault_has_a_row)
{
    char text[64];
    for (int f = 0; f < FINDING_KINDS; f++) {
        const struct finding_row *row = finding_row(f);
        cr_assert(row->name && (row->option != NULL) == (f < FINDING_MISSING), "%d", f);
        if (row->option) cr_assert(row->in_file);
        if (f < FINDING_FAIL_ON) cr_assert(row->title && row->frames && row->pair);
        cr_assert_eq(row->unjudged != NULL, f < FINDING_FAIL_ON);
        cr_assert_eq(row->noun != NULL, f < FINDING_LEARNED);
    }
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) {
        const struct finding_row *row = finding_row(limits_fault(m));
        snprintf(text, sizeof text, "min_frame_%s", metrics_key(m));
        cr_assert_str_eq(row->name, text);
        snprintf(text, sizeof text, "--min-frame %s", metrics_name(m));
        cr_assert_str_eq(row->option, text);
        cr_assert_str_eq(row->title, metrics_title(m));
    }
}

/* What is not known is NaN in a score, and no part of the record. */
Test(results_metrics, of_a_score)
{
    ssimcu_score score = {.metric = {0.5, NAN, 0.25, NAN}, .mse = NAN};
    struct record record = frame_of(1, 0.5, 3);
    record.metrics = 0;
    record_metrics(&record, &score);
    cr_assert_eq(record.metrics, 1u << SSIMCU_METRIC_MS_SSIM);
    cr_assert(record_value(&record, SSIMCU_METRIC_MS_SSIM) == 0.25);
    cr_assert(record_value(&record, SSIMCU_METRIC_SSIM) == record.scored.score);
    cr_assert(isnan(record_value(&record, SSIMCU_METRIC_PSNR)));
    cr_assert_null(record_metric_channels(&record, SSIMCU_METRIC_SSIMULACRA2));
    record.kind = RECORD_FAILED;
    cr_assert(isnan(record_value(&record, SSIMCU_METRIC_SSIM)));
}

/* ---- Lines ----------------------------------------------------------------------------------- */

Test(results_metrics, json_and_back)
{
    const double mse[] = {0.001, 0};
    for (int i = 0; i < 2; i++) {
        struct record record = frame_of(7, mse[i], -12.5), read;
        char *line = record_to_json(&record);
        cr_assert_not_null(line);
        cr_assert_eq(strstr(line, "\"psnr\":{\"score\":null") != NULL, i == 1, "%s", line);
        cr_assert_eq(record_from_json(line, &read), SSIMCU_OK);
        cr_assert(read.metrics == ALL && read.mse == record.mse);
        cr_assert_arr_eq(&read.metric[1], &record.metric[1], 3 * sizeof(double));
        cr_assert_arr_eq(read.metric_channel[1], record.metric_channel[1], 6 * sizeof(double));
        record_clear(&read);
        free(line);
    }
}

Test(results_metrics, json_that_is_wrong)
{
    static const char *const wrong[] = {"7",
                                        "{\"psnr\":{\"score\":30.0}}",
                                        "{\"psnr\":{\"score\":\"inf\",\"mse\":0.0}}",
                                        "{\"psnr\":{\"score\":30.0,\"mse\":-1.0}}",
                                        "{\"ssimulacra2\":{\"score\":null}}",
                                        "{\"ms_ssim\":{\"score\":1.5}}",
                                        "{\"ms_ssim\":{\"score\":0.5,\"channels\":{\"r\":0.5}}}",
                                        "{\"ssimulacra2\":{\"score\":101.0}}",
                                        "{\"ssimulacra2\":{}}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct record record = frame_of(7, 0.5, 1);
        ssimcu_status status;
        record.metrics = 0;
        json_t *json = json_from_text(wrong[i], strlen(wrong[i]), &status);
        if (!json) json = json_integer(7); /* a bare number is no document */
        cr_expect_neq(fact_metrics.from_json((struct fact_target){json, &record, NULL}), SSIMCU_OK,
                      "%s", wrong[i]);
        json_decref(json);
    }
}

Test(results_metrics, csv_has_them_behind_the_older_columns)
{
    struct record record = frame_of(7, 0, 100), plain = {.frame = 8, .scored.layout = "grey"};
    plain.scored.backend = "cpu";
    char *line = record_to_csv(&record), *other = record_to_csv(&plain);
    const char *none = ",,,,,,,,,,,,,,,,,,,,,,,";
    cr_assert(strstr(line, ",,inf,0,inf,inf,inf,0.875,0.25,0.5,1,100,,"), "%s", line);
    cr_assert_str_eq(other + strlen(other) - strlen(none), none, "%s", other);
    size_t commas[3] = {0};
    char *header = record_csv_names();
    const char *const texts[] = {line, other, header};
    for (int i = 0; i < 3; i++)
        for (const char *c = texts[i]; *c; c++) commas[i] += *c == ',';
    cr_assert(commas[0] == commas[2] && commas[1] == commas[2]);
    free(line), free(other), free(header);
}

/* A spreadsheet takes an empty field for no number, and a number for a channel that is there. */
Test(results_metrics, csv_has_no_number_for_a_channel_that_is_not_there)
{
    struct record grey = frame_of(7, 0, 100);
    grey.scored.channels = 1, grey.scored.layout = "grey";
    char *line = record_to_csv(&grey);
    cr_expect(strstr(line, ",,inf,0,inf,,,0.875,0.25,,,100,,"), "%s", line);
    free(line);
}

/* ---- The summary ----------------------------------------------------------------------------- */

static void sum_up(struct summary *summary, const struct record *record, size_t count)
{
    summary_start(summary, 2);
    summary->metric = SSIMCU_METRIC_SSIMULACRA2;
    for (size_t i = 0; i < count; i++) summary_add(summary, &record[i]);
    summary->complete = true;
    cr_assert(summary_finish(summary));
}

/* Identical frames count for the mean mse, and not for the mean of PSNR. */
Test(results_metrics, infinite_values_poison_nothing)
{
    const struct record record[] = {frame_of(3, 0.0001, 90), frame_of(1, 0, 100),
                                    frame_of(2, 0.01, -20), frame_of(4, 0, 95)};
    struct summary summary;
    sum_up(&summary, record, 4);
    const struct summary_metric *psnr = &summary.numbers.metrics[SSIMCU_METRIC_PSNR];
    cr_assert(psnr->scored == 4 && psnr->identical == 2);
    check_near(psnr->score, 10 * log10(4 / 0.0101), 1e-12, "mean mse");
    check_near(psnr->all.mean, 30, 1e-12, "mean");
    check_near(psnr->all.stddev, 10, 1e-12, "stddev");
    check_near(psnr->all.harmonic_mean, 2 / (1.0 / 20 + 1.0 / 40), 1e-12, "harmonic");
    cr_assert(psnr->all.min == record[2].metric[1] && isinf(psnr->all.max));
    cr_assert(isinf(psnr->all.p50) && isfinite(psnr->all.min));
    const struct summary_metric *last = &summary.numbers.metrics[SSIMCU_METRIC_SSIMULACRA2];
    cr_assert(last->score == 66.25 && last->all.mean == 66.25 && !last->all.has_harmonic_mean);
    cr_assert(summary.worst.count == 2 && summary.worst.entry[0].frame == 2);
    cr_assert(summary.worst.entry[0].value == -20 && summary.worst.entry[1].frame == 3);
    summary_free(&summary);
}

/* Alone or all alike, the value is that of each to the bit; no frame may have one at all. */
Test(results_metrics, frames_that_are_alike)
{
    struct record record[] = {frame_of(1, 0.0123, 90), frame_of(2, 0.0123, 90),
                              frame_of(3, 0.0123, 90)};
    struct summary summary;
    for (size_t n = 1; n <= 3; n += 2) {
        sum_up(&summary, record, n);
        cr_assert_eq(summary.numbers.metrics[SSIMCU_METRIC_PSNR].score, record[0].metric[1]);
        summary_free(&summary);
    }
    for (int i = 0; i < 3; i++) record[i].mse = 0, record[i].metric[1] = INFINITY;
    record[0].metrics = record[1].metrics = 1u << SSIMCU_METRIC_PSNR, record[2].metrics = 0;
    sum_up(&summary, record, 3);
    const struct summary_metric *psnr = &summary.numbers.metrics[SSIMCU_METRIC_PSNR];
    cr_assert(psnr->scored == 2 && isinf(psnr->score) && isinf(psnr->all.mean));
    cr_assert_eq(psnr->all.stddev, 0);
    cr_assert_eq(summary.numbers.metrics[SSIMCU_METRIC_MS_SSIM].scored, 0u);
    cr_assert_eq(summary.worst.count, 0u);
    char *json = summary_to_json(&summary, NULL);
    cr_assert(strstr(json, "\"metrics\":{\"psnr\":{\"score\":null,\"frames\":2,\"identical\":2,"));
    free(json);
    summary_free(&summary);
}

/* ---- The verdict ----------------------------------------------------------------------------- */

Test(results_metrics, each_has_its_limits)
{
    const struct record record[] = {frame_of(1, 0.0001, 90), frame_of(2, 0.01, 50),
                                    frame_of(3, 0, 100)};
    struct limits limits = {0};
    struct summary summary;
    struct verdict verdict;
    char text[VERDICT_BEYOND], other[VERDICT_LIMIT];
    limits_set(&limits, limits_fault(SSIMCU_METRIC_SSIMULACRA2), 90);
    limits_set(&limits, limits_fault(SSIMCU_METRIC_PSNR), 20.5);
    limits_set_score(&limits, SSIMCU_METRIC_PSNR, 25);
    limits_set_score(&limits, SSIMCU_METRIC_MS_SSIM, 0.875);
    sum_up(&summary, record, 3);
    verdict_start(&verdict, &limits);
    for (int i = 0; i < 3; i++) add_judged(&verdict, &record[i], NULL);
    cr_assert(verdict_finish(&verdict, &summary));
    cr_assert_eq(verdict_judge(&limits, &record[1], NULL, NULL).fails,
                 1u << limits_fault(SSIMCU_METRIC_PSNR) |
                     1u << limits_fault(SSIMCU_METRIC_SSIMULACRA2));
    cr_assert(!verdict.passed && verdict.bad == 1 && verdict.count[SSIMCU_LIMIT_MIN_FRAME] == 0);
    cr_assert_eq(verdict.low_mean, 1u << SSIMCU_METRIC_PSNR);
    cr_assert_str_eq(
        beyond_text(text, &limits, limits_fault(SSIMCU_METRIC_SSIMULACRA2), &record[1]),
        "ssimulacra2 50.000000000 under --min-frame ssimulacra2=90");
    cr_assert_str_eq(verdict_mean_text(other, &verdict, &summary, SSIMCU_METRIC_PSNR),
                     "psnr 24.727998809 under --min-score psnr=25");
    summary_free(&summary);
    verdict_free(&verdict);
}

/* A limit that was held against nothing does not pass: neither of frames, nor of the run. */
Test(results_metrics, a_limit_on_what_is_not_known_fails)
{
    for (int of_run = 0; of_run < 2; of_run++) {
        struct record record = frame_of(1, 0.0001, 90);
        struct limits limits = {0};
        struct summary summary;
        struct verdict verdict;
        record.metrics = 1u << SSIMCU_METRIC_PSNR;
        if (of_run)
            limits_set_score(&limits, SSIMCU_METRIC_MS_SSIM, 0.5);
        else
            limits_set(&limits, limits_fault(SSIMCU_METRIC_MS_SSIM), 0.5);
        limits.max_bad = 9;
        sum_up(&summary, &record, 1);
        verdict_start(&verdict, &limits);
        add_judged(&verdict, &record, NULL);
        cr_assert(verdict_any_limit(&limits) && verdict_finish(&verdict, &summary));
        cr_assert(!verdict.passed &&
                  verdict.unjudged[limits_fault(SSIMCU_METRIC_MS_SSIM)] == !of_run);
        cr_assert_eq(verdict.low_mean, of_run ? 1u << SSIMCU_METRIC_MS_SSIM : 0);
        char *json = summary_to_json(&summary, &verdict);
        cr_assert(strstr(json, of_run ? "{\"kind\":\"min_score_ms_ssim\",\"limit\":0.5}"
                                      : "{\"kind\":\"min_frame_ms_ssim\",\"limit\":0.5,"),
                  "%s", json);
        free(json);
        summary_free(&summary);
        verdict_free(&verdict);
    }
}

/* A tool's NaN is null in JSON, the score of the run, and beyond every limit, whatever else there
 * is. */
Test(results_metrics, a_tool_may_have_no_number)
{
    struct record record[] = {frame_of(1, 0.0001, 90), frame_of(2, 0.01, 50)}, read;
    struct limits limits = {0};
    struct summary summary;
    struct verdict verdict;
    char text[VERDICT_BEYOND];
    limits_set(&limits, limits_fault(SSIMCU_METRIC_MS_SSIM), 1e-9);
    limits_set_score(&limits, SSIMCU_METRIC_MS_SSIM, 1e-9);
    record[1].metric[SSIMCU_METRIC_MS_SSIM] = -NAN;
    record[1].metric_channel[SSIMCU_METRIC_MS_SSIM][0] = NAN;
    char *line = record_to_json(&record[1]), *csv = record_to_csv(&record[1]);
    cr_assert(strstr(csv, ",nan,,,,"), "%s", csv);
    cr_assert(strstr(line, "\"ms_ssim\":{\"score\":null}"), "%s", line);
    cr_assert_eq(record_from_json(line, &read), SSIMCU_OK);
    cr_assert(read.metrics == ALL && isnan(read.metric[SSIMCU_METRIC_MS_SSIM]));
    for (int n = 1; n <= 2; n++) { /* of one frame, and of two */
        summary_start(&summary, 2);
        summary.metric = SSIMCU_METRIC_MS_SSIM;
        verdict_start(&verdict, &limits);
        for (int i = 2 - n; i < 2; i++) summary_add(&summary, &record[i]);
        for (int i = 2 - n; i < 2; i++) add_judged(&verdict, &record[i], NULL);
        summary.complete = true;
        cr_assert(summary_finish(&summary) && verdict_finish(&verdict, &summary));
        cr_assert(isnan(summary.numbers.metrics[SSIMCU_METRIC_MS_SSIM].score));
        cr_assert_eq(summary.worst.entry[0].frame, 2);
        cr_assert(!verdict.passed && verdict.count[limits_fault(SSIMCU_METRIC_MS_SSIM)] == 1);
        cr_assert_eq(verdict.low_mean, 1u << SSIMCU_METRIC_MS_SSIM);
        cr_assert_str_eq(
            beyond_text(text, &limits, limits_fault(SSIMCU_METRIC_MS_SSIM), &record[1]),
            "ms-ssim nan under --min-frame ms-ssim=1e-09");
        summary_free(&summary);
        verdict_free(&verdict);
    }
    record_clear(&read);
    free(line), free(csv);
}

/* ---- The contract ---------------------------------------------------------------------------- */

Test(results_metrics, contract_names_them)
{
    ssimcu_settings settings = {.metrics = 0};
    struct contract contract = {.settings = &settings, .video = true};
    ssimcu_metric first = SSIMCU_METRIC_PSNR;
    json_t *plain = contract_to_json(&contract);
    settings.metrics = 1u << SSIMCU_METRIC_PSNR | 1u << SSIMCU_METRIC_SSIMULACRA2;
    contract.metric = SSIMCU_METRIC_SSIMULACRA2;
    json_t *more = contract_to_json(&contract);
    settings.pad = SSIMCU_PAD_ZERO;
    json_t *other = contract_to_json(&contract);
    cr_assert(contract_metrics(plain, &first) == 0 && first == SSIMCU_METRIC_SSIM);
    cr_assert_eq(contract_metrics(more, &first), settings.metrics);
    cr_assert_eq((int)first, (int)SSIMCU_METRIC_SSIMULACRA2);
    cr_assert(contract_same_ssim(plain, more) && contract_same_ssim(more, plain));
    cr_assert(!json_equal(plain, more) && !contract_same_ssim(more, other));
    json_decref(plain), json_decref(more), json_decref(other);
}

/* The contract says of which tool the numbers are. The windows are ssimcu's if the tool has none.
 */
Test(results_metrics, contract_names_the_tool)
{
    ssimcu_settings settings = SSIMCU_INIT(settings);
    struct contract contract = {.settings = &settings, .video = true};
    json_t *plain = contract_to_json(&contract);
    cr_assert_null(contract_compat(plain));
    for (int c = SSIMCU_COMPAT_FFMPEG; c <= SSIMCU_COMPAT_SSIMULACRA2; c++) {
        settings.compat = (ssimcu_compat)c;
        json_t *json = contract_to_json(&contract);
        cr_assert_str_eq(contract_compat(json), ssimcu_compat_name(settings.compat));
        cr_assert_str_eq(contract_definition(json), compat_definition(settings.compat));
        cr_assert_eq(json_object_get(json, "window") != NULL, c == SSIMCU_COMPAT_SSIMULACRA2);
        cr_assert(contract_same_tool(json, json) && !contract_same_tool(json, plain) &&
                  !contract_same_ssim(json, plain));
        json_decref(json);
    }
    json_decref(plain);
}

/* The table of tools says what the library can. */
Test(results_metrics, tools_have_what_the_library_has)
{
    for (int c = SSIMCU_COMPAT_FFMPEG; c <= SSIMCU_COMPAT_SSIMULACRA2; c++)
        for (int m = 0; m < SSIMCU_METRICS; m++) {
            ssimcu_context *context = NULL;
            ssimcu_settings settings = SSIMCU_INIT(settings);
            settings.metrics = 1u << m;
            settings.compat = (ssimcu_compat)c;
            const bool opens = ssimcu_open(&settings, &context, NULL) == SSIMCU_OK;
            cr_assert_eq(compat_has(settings.compat, (ssimcu_metric)m), opens, "%d %d", c, m);
            ssimcu_close(&context);
        }
}
