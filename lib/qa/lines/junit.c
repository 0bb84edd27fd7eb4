#include "lines/junit.h"

#include "base/guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "base/xml.h"
#include "facts/header.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 1024, FRAMES_NAMED = 16 };

/* Faults that are an error; the others are a failure. */
enum { ERRORS = 1 << FAULT_MISSING | 1 << FAULT_FAILED };

/* Returns whether a frame is a failure or an error. Frames that max_bad forgives are not. */
static bool counts(const struct verdict *verdict, const struct junit_case *frame)
{
    return frame->faults != 0 && (!frame->scored || verdict->too_many);
}

static bool is_skipped(const struct junit_case *frame)
{
    return frame->faults == 0 && !frame->scored;
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Names both sides, a line each; NULL: there is none. */
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

/* Returns the first of the faults, by which a case is known, an error before a failure. */
static const char *kind_of(unsigned faults)
{
    int first = 0;
    if (faults & ERRORS) faults &= ERRORS;
    while (first < FAULT_COUNT - 1 && !(faults >> first & 1)) first++;
    return faults_row(first)->name;
}

/* ---- Cases ----------------------------------------------------------------------------------- */

/* Writes a duration, unless it is unknown, which is 0 or less. */
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

/* Writes the element that says why a case has not passed, and its message. */
static const char *put_fault(FILE *to, unsigned faults, const char *text)
{
    const char *const element = faults & ERRORS ? "error" : "failure";
    fprintf(to, ">\n      <%s type=\"%s\"", element, kind_of(faults));
    xml_attribute(to, "message", text);
    fputc('>', to);
    return element;
}

static void put_frame(FILE *to, const struct verdict *verdict, const struct junit_case *frame)
{
    char name[32];
    snprintf(name, sizeof name, "frame %" PRId64, frame->frame);
    put_case(to, frame->part ? frame->part : "ssimcu.frame", name, frame->seconds);
    if (frame->faults == 0 && frame->why) {
        fputs(">\n      <system-out>", to);
        xml_text(to, frame->why);
        fputs("</system-out>\n    </testcase>\n", to);
        return;
    }
    if (!counts(verdict, frame)) {
        fputs(is_skipped(frame) ? "><skipped/></testcase>\n" : "/>\n", to);
        return;
    }
    const char *const element = put_fault(to, frame->faults, frame->why);
    put_sides(to, frame->side[0], frame->side[1]);
    fprintf(to, "</%s>\n    </testcase>\n", element);
}

/* Writes the frames of one part as one case. */
static void put_part(FILE *to, const struct verdict *verdict, const struct junit_case *frame,
                     size_t count)
{
    char text[MESSAGE];
    size_t bad = 0, used = 0;
    unsigned faults = 0;
    double seconds = 0;
    for (size_t i = 0; i < count; i++) {
        seconds += frame[i].seconds;
        if (!counts(verdict, &frame[i])) continue;
        faults |= frame[i].faults;
        bad++;
    }
    put_case(to, frame->part ? frame->part : "ssimcu.frame", "frames", seconds);
    if (bad == 0) {
        fputs("/>\n", to);
        return;
    }
    used = (size_t)snprintf(text, sizeof text, "%zu of %zu frames:", bad, count);
    for (size_t i = 0, named = 0; i < count && named < FRAMES_NAMED; i++)
        if (counts(verdict, &frame[i])) {
            used += (size_t)snprintf(text + used, sizeof text - used, " %" PRId64, frame[i].frame);
            named++;
        }
    if (bad > FRAMES_NAMED) snprintf(text + used, sizeof text - used, " ...");
    fprintf(to, "</%s>\n    </testcase>\n", put_fault(to, faults, text));
}

/* Returns the number of frames from `at` on that are one case. */
static size_t case_length(const struct junit_run *run, size_t at)
{
    const struct junit_cases *const cases = run->cases;
    size_t end = at + 1;
    if (!cases->by_part) return 1;
    while (end < cases->count && cases->at[end].part == cases->at[at].part) end++;
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

/* Returns the kind of the first of these limits of the run's score. */
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
    put_case(to, "ssimcu", "all frames", run->seconds);
    if (verdict->passed) {
        fputs("/>\n", to);
        return;
    }
    const char *type = verdict->nothing_scored ? "no score"
                       : verdict->incomplete   ? "incomplete"
                       : verdict->low_mean     ? first_kind(verdict->low_mean)
                                               : "frames";
    fprintf(to, ">\n      <failure type=\"%s\" message=\"", type);
    fprintf(to,
            "%" PRIu64 " frames: %" PRIu64 " scored, %" PRIu64 " missing, %" PRIu64
            " failed, %" PRIu64 " below a limit",
            summary->pairs, summary->scored, summary->missing, summary->failed, verdict->bad);
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
    struct totals totals = {.cases = 1, .failures = !verdict->passed};
    for (size_t at = 0, count; at < run->cases->count; at += count, totals.cases++) {
        const struct junit_case *const frame = &run->cases->at[at];
        unsigned faults = 0;
        count = case_length(run, at);
        for (size_t i = 0; i < count; i++)
            if (counts(verdict, &frame[i])) faults |= frame[i].faults;
        totals.errors += (faults & ERRORS) != 0;
        totals.failures += faults && !(faults & ERRORS);
        totals.skipped += !run->cases->by_part && is_skipped(frame);
    }
    return totals;
}

/* Starts the suite. Ant's schema wants a date and a host. It wants times as well, but one that is
 * unknown is left out: 0 would be untrue. */
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

/* Names the program and what it was to compare. */
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

/* Writes the score of the run and the lowest of its frames, of each metric. */
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

/* Says what was compared, by which limits, with what result, and where the report is. */
static void put_properties(FILE *to, const struct junit_run *run, const struct verdict *verdict,
                           const struct summary *summary)
{
    fputs("    <properties>\n", to);
    put_origin(to, run->side[0], run->side[1]);
    put_known(to, "list", run->list);
    put_devices(to, run);
    put_known(to, "compat", contract_compat(run->contract));
    put_known(to, "definition", contract_definition(run->contract));
    for (int m = 0; m < SSIMCU_METRICS; m++)
        put_limit(to, verdict_mean_kinds[m], limits_score(&verdict->limits, m));
    for (int i = 0; i < FAULT_FLOOR; i++)
        put_limit(to, faults_row(i)->name, limits_number(&verdict->limits, i));
    put_known(to, faults_row(FAULT_HINT)->name, verdict->limits.hints);
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
const struct draft_kind junit_kind = {.name = "JUnit XML", .starts = STARTS};

/* Writes the file: `end`, or the verdict if that is NULL. */
static ssimcu_status write_file(const char *path, const struct junit_end *end,
                                const struct junit_run *run, const struct verdict *verdict,
                                const struct summary *summary, ssimcu_message *message)
{
    struct draft draft;
    ssimcu_status status =
        draft_open(&draft, path, results_beside(path, ".tmp"), &junit_kind, DRAFT_REPLACE, message);
    if (draft.file && end) put_early_end(draft.file, end);
    if (draft.file && !end) put_all(draft.file, run, verdict, summary);
    if (status == SSIMCU_OK) status = draft_end(&draft, 0, message);
    draft_drop(&draft);
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
    const ssimcu_status status = guard_remove(path, &junit_kind, message);
    return status == SSIMCU_OK ? write_file(path, end, NULL, NULL, NULL, message) : status;
}
