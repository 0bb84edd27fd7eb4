#include "lines/junit.h"

#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "base/xml.h"
#include "record/header.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 1024, FRAMES_NAMED = 16 };

/* Returns whether one of the kinds is an error. All others are failures. */
static bool is_error(finding_mask kinds)
{
    for (int kind = 0; kind < FINDING_KINDS; kind++)
        if (kinds >> kind & 1 && finding_row(kind)->broken) return true;
    return false;
}

/* Returns whether a frame is a failure or an error. A frame that max_bad allows is neither. */
static bool counts(const struct verdict *verdict, const struct junit_case *frame)
{
    return frame->fails != 0 && (!frame->scored || verdict->too_many);
}

static bool is_skipped(const struct junit_case *frame)
{
    return frame->fails == 0 && !frame->scored;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Names both sides, one per line; NULL: none. */
static void put_sides(FILE *to, const char *ref, const char *out)
{
    const char *const path[] = {ref, out};
    for (int side = 0; side < 2; side++) {
        if (!path[side]) continue;
        fputs(side ? "OUT " : "REF ", to);
        xml_text(to, path[side]);
        fputc('\n', to);
    }
}

/* Returns the first of the kinds, which names the case. Errors precede failures. */
static const char *kind_of(finding_mask kinds)
{
    const bool error = is_error(kinds);
    int first = 0;
    while (!(kinds >> first & 1) || finding_row(first)->broken != error) first++;
    return finding_row(first)->name;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* Writes a duration, unless it is 0 or less, which means unknown. */
static void put_time(FILE *to, double seconds)
{
    if (seconds > 0) fprintf(to, " time=\"%.3f\"", seconds);
}

static void put_case(FILE *to, const char *class, const char *name, double seconds)
{
    fputs("    <testcase", to);
    xml_attribute(to, "classname", class);
    xml_attribute(to, "name", name);
    put_time(to, seconds);
}

/* Writes the element with the reason why a case did not pass. */
static const char *put_fault(FILE *to, finding_mask faults, const char *text)
{
    const char *const element = is_error(faults) ? "error" : "failure";
    fprintf(to, ">\n      <%s type=\"%s\"", element, kind_of(faults));
    xml_attribute(to, "message", text);
    fputc('>', to);
    return element;
}

static void put_frame(FILE *to, const struct verdict *verdict, const struct junit_case *frame)
{
    char name[32];
    snprintf(name, sizeof name, "frame %" PRId64, frame->frame);
    put_case(to, frame->shot ? frame->shot : "ssimcu.frame", frame->name ? frame->name : name,
             frame->seconds);
    if (frame->fails == 0 && frame->why) {
        fputs(">\n      <system-out>", to);
        xml_text(to, frame->why);
        fputs("</system-out>\n    </testcase>\n", to);
        return;
    }
    if (!counts(verdict, frame)) {
        fputs(is_skipped(frame) ? "><skipped/></testcase>\n" : "/>\n", to);
        return;
    }
    const char *const element = put_fault(to, frame->fails, frame->why);
    put_sides(to, frame->side[0], frame->side[1]);
    fprintf(to, "</%s>\n    </testcase>\n", element);
}

/* Writes the frames of one shot as one case. */
static void put_part(FILE *to, const struct verdict *verdict, const struct junit_case *frame,
                     size_t count)
{
    char text[MESSAGE];
    size_t bad = 0, used = 0;
    finding_mask faults = 0;
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        seconds += frame[i].seconds;
        if (!counts(verdict, &frame[i])) continue;
        faults |= frame[i].fails;
        bad++;
    }
    put_case(to, frame->shot ? frame->shot : "ssimcu.frame", "frames", seconds);
    if (bad == 0) {
        fputs("/>\n", to);
        return;
    }
    used = (size_t)snprintf(text, sizeof text, "%zu of %zu frames:", bad, count);
    for (size_t i = 0, named = 0; i < count && named < FRAMES_NAMED; i++)
        if (counts(verdict, &frame[i])) {
            used += frame[i].frame < 0
                        ? (size_t)snprintf(text + used, sizeof text - used, " %.100s",
                                           frame[i].name ? frame[i].name : "")
                        : (size_t)snprintf(text + used, sizeof text - used, " %" PRId64,
                                           frame[i].frame);
            named++;
        }
    if (bad > FRAMES_NAMED) snprintf(text + used, sizeof text - used, " ...");
    fprintf(to, "</%s>\n    </testcase>\n", put_fault(to, faults, text));
}

/* Returns the number of frames from `at` on that form one case. */
static size_t case_length(const struct junit_run *run, size_t at)
{
    const struct junit_cases *const cases = run->cases;
    size_t end = at + 1;
    if (!cases->by_part) return 1;
    while (end < cases->count && cases->at[end].shot == cases->at[at].shot) end++;
    return end - at;
}

static void put_cases(FILE *to, const struct junit_run *run, const struct verdict *verdict)
{
    for (size_t at = 0, count; at < run->cases->count; at += count) {
        const struct junit_case *const frame = &run->cases->at[at];
        count = case_length(run, at);
        if (run->cases->by_part)
            put_part(to, verdict, frame, count);
        else
            put_frame(to, verdict, frame);
    }
}

/* Returns the kind of the first of these limits on the run's score. */
static const char *first_kind(uint32_t metrics)
{
    int first = 0;
    while (!(metrics >> first & 1)) first++;
    return verdict_mean_kinds[first];
}

static void put_whole(FILE *to, const struct junit_run *run, const struct verdict *verdict,
                      const struct summary *summary)
{
    char mean[TEXT_DIGITS], text[VERDICT_LIMIT];
    const bool alone = verdict->limits.alone;
    put_case(to, "ssimcu", "all frames", run->seconds);
    if (run->code == SSIMCU_EXIT_SCORED) {
        fputs("/>\n", to);
        return;
    }
    if (verdict->passed) { /* no frame caused the end of the run */
        fprintf(to, ">\n      <failure type=\"exit %d\"", (int)run->code);
        xml_attribute(to, "message", run->why[0] ? run->why : "an output could not be written");
        fputs("/>\n    </testcase>\n", to);
        return;
    }
    const char *type = verdict->nothing_scored ? (alone ? "no frame" : "no score")
                       : verdict->incomplete   ? "incomplete"
                       : verdict->low_mean     ? first_kind(verdict->low_mean)
                                               : "frames";
    fprintf(to, ">\n      <failure type=\"%s\" message=\"", type);
    fprintf(to,
            "%" PRIu64 " frame%s: %" PRIu64 " %s, %" PRIu64 " missing, %" PRIu64 " failed, %" PRIu64
            " %s",
            summary->pairs, text_plural(summary->pairs), summary->scored + summary->checked,
            alone ? "checked" : "scored", summary->missing, summary->failed, verdict->bad,
            alone ? "with findings that fail" : "outside the limits");
    if (summary->numbers.metrics[SSIMCU_METRIC_SSIM].scored > 0)
        fprintf(to, "; mean %s",
                text_digits(mean, summary->numbers.metrics[SSIMCU_METRIC_SSIM].all.mean));
    if (verdict->low_mean & 1u << SSIMCU_METRIC_SSIM)
        fprintf(to, " under --min-score %.9g", limits_score(&verdict->limits, SSIMCU_METRIC_SSIM));
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        if (verdict->low_mean >> m & 1)
            fprintf(to, "; %s", verdict_mean_text(text, verdict, summary, m));
    if (verdict->incomplete) fputs("; incomplete", to);
    fputs("\"/>\n    </testcase>\n", to);
}

/* ---- The suite ------------------------------------------------------------------------------- */

struct totals {
    size_t cases, failures, errors, skipped;
};

static struct totals count_cases(const struct junit_run *run, const struct verdict *verdict)
{
    struct totals totals = {.cases = 1, .failures = run->code != SSIMCU_EXIT_SCORED};
    for (size_t at = 0, count; at < run->cases->count; at += count, totals.cases++) {
        const struct junit_case *const frame = &run->cases->at[at];
        finding_mask faults = 0;
        count = case_length(run, at);
        for (size_t i = 0; i < count; i++)
            if (counts(verdict, &frame[i])) faults |= frame[i].fails;
        totals.errors += is_error(faults);
        totals.failures += faults && !is_error(faults);
        totals.skipped += !run->cases->by_part && is_skipped(frame);
    }
    return totals;
}

/* Starts the suite. Ant's schema requires a date, a host and times. An unknown time is left out,
 * because 0 would be wrong. */
static void put_suite(FILE *to, struct totals totals, double seconds)
{
    char host[256] = "", date[32];
    const time_t now = time(NULL);
    struct tm utc;
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') strcpy(host, "localhost");
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &utc));
    fprintf(to, "  <testsuite id=\"0\" package=\"ssimcu\" name=\"ssimcu\" timestamp=\"%s\"", date);
    put_time(to, seconds);
    xml_attribute(to, "hostname", host);
    fprintf(to, " skipped=\"%zu\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", totals.skipped,
            totals.cases, totals.failures, totals.errors);
}

static void put_property(FILE *to, const char *name, const char *value)
{
    fputs("      <property", to);
    xml_attribute(to, "name", name);
    xml_attribute(to, "value", value);
    fputs("/>\n", to);
}

static void put_limit(FILE *to, const char *name, double limit)
{
    char text[32];
    if (!isfinite(limit)) return;
    snprintf(text, sizeof text, "%.9g", limit);
    put_property(to, name, text);
}

/* Writes a property, unless its value is NULL. */
static void put_known(FILE *to, const char *name, const char *value)
{
    if (value) put_property(to, name, value);
}

/* Names the program and its inputs. */
static void put_origin(FILE *to, const char *ref, const char *out)
{
    put_property(to, "ssimcu", ssimcu_version());
    if (results_commit()[0]) put_property(to, "commit", results_commit());
    put_known(to, "ref", ref);
    put_known(to, "out", out);
}

/* Names the devices that scored. */
static void put_devices(FILE *to, const struct junit_run *run)
{
    static const char *const backends[] = {"cpu", "cuda"};
    const bool *const has = run->cases->has_backend;
    if (!has[0] && !has[1]) return;
    fputs("      <property name=\"device\" value=\"", to);
    for (int i = 0; i < 2; i++) {
        const char *name = header_device(run->device, backends[i]);
        if (i == 1 && has[0] && has[1]) fputs("; ", to);
        if (has[i]) xml_text(to, name ? name : backends[i]);
    }
    fputs("\"/>\n", to);
}

/* Writes, for each metric, the score of the run and the lowest of its frames. */
static void put_metrics(FILE *to, const struct summary *summary)
{
    char text[TEXT_DIGITS], name[32] = "lowest";
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const struct summary_metric *metric = &summary->numbers.metrics[m];
        const bool ssim = m == SSIMCU_METRIC_SSIM;
        if (metric->scored == 0) continue;
        put_property(to, ssim ? "mean" : metrics_key(m),
                     metrics_text(text, m, ssim ? metric->all.mean : metric->score));
        if (!ssim) snprintf(name, sizeof name, "lowest_%s", metrics_key(m));
        put_property(to, name, metrics_text(text, m, metric->all.min));
    }
}

/* Writes the inputs, the limits, the outcome and the place of the report. */
static void put_properties(FILE *to, const struct junit_run *run, const struct verdict *verdict,
                           const struct summary *summary)
{
    char kinds[FINDING_NAMES];
    fputs("    <properties>\n", to);
    put_origin(to, run->side[0], run->paths ? NULL : run->side[1]);
    for (size_t i = 0; i < json_array_size(run->paths); i++)
        put_known(to, "frames", json_string_value(json_array_get(run->paths, i)));
    put_known(to, "list", run->list);
    put_devices(to, run);
    put_known(to, "compat", contract_compat(run->contract));
    put_known(to, "definition", contract_definition(run->contract));
    for (int m = 0; m < SSIMCU_METRICS; m++)
        put_limit(to, verdict_mean_kinds[m], limits_score(&verdict->limits, m));
    for (int i = 0; i < FINDING_LEARNED; i++)
        put_limit(to, finding_row(i)->name, limits_number(&verdict->limits, i));
    if (verdict->limits.has_fail_on)
        put_property(to, finding_row(FINDING_FAIL_ON)->name,
                     findings_names(kinds, verdict->limits.fail_on, ","));
    put_known(to, "limits", verdict->limits.file ? verdict->limits.file->path : NULL);
    put_metrics(to, summary);
    put_known(to, "report", run->report);
    fputs("    </properties>\n", to);
}

static const char START[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
static const char END[] = "    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n";

static void put_early_end(FILE *to, const struct junit_end *end)
{
    fputs(START, to);
    put_suite(to, (struct totals){.cases = 1, .errors = 1}, 0);
    fputs("    <properties>\n", to);
    put_origin(to, end->side[0], end->side[1]);
    fputs("    </properties>\n", to);
    put_case(to, "ssimcu", "all frames", 0);
    fprintf(to, ">\n      <error type=\"%s\"", ssimcu_status_name(end->status));
    xml_attribute(to, "message", end->text);
    fputc('>', to);
    put_sides(to, end->side[0], end->side[1]);
    fprintf(to, "</error>\n    </testcase>\n%s", END);
}

static void put_all(FILE *to, const struct junit_run *run, const struct verdict *verdict,
                    const struct summary *summary)
{
    fputs(START, to);
    put_suite(to, count_cases(run, verdict), run->seconds);
    put_properties(to, run, verdict, summary);
    put_whole(to, run, verdict, summary);
    put_cases(to, run, verdict);
    fputs(END, to);
}

static const char *const STARTS[] = {START, NULL};
const struct atomic_file_kind junit_kind = {.name = "JUnit XML", .starts = STARTS};

/* Writes the file: `end`, or the verdict if `end` is NULL. */
static ssimcu_status write_file(const char *path, const struct junit_end *end,
                                const struct junit_run *run, const struct verdict *verdict,
                                const struct summary *summary, ssimcu_message *message)
{
    struct atomic_file draft;
    ssimcu_status status = atomic_file_open(&draft, path, results_beside(path, ".tmp"), &junit_kind,
                                            ATOMIC_FILE_REPLACE, message);
    if (draft.file && end) put_early_end(draft.file, end);
    if (draft.file && !end) put_all(draft.file, run, verdict, summary);
    if (status == SSIMCU_OK) status = atomic_file_end(&draft, 0, message);
    atomic_file_drop(&draft);
    return status;
}

ssimcu_status junit_write(const char *path, const struct junit_run *run,
                          const struct verdict *verdict, const struct summary *summary,
                          ssimcu_message *message)
{
    if (run->cases->out_of_memory) return no_memory(message);
    return write_file(path, NULL, run, verdict, summary, message);
}

ssimcu_status junit_write_end(const char *path, const struct junit_end *end,
                              ssimcu_message *message)
{
    TRY(guard_remove(path, &junit_kind, message));
    return write_file(path, end, NULL, NULL, NULL, message);
}
