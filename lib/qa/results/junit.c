#include "results/junit.h"

#include "results/guard.h"
#include "results/json.h"
#include "results/lines.h"
#include "results/results.h"
#include "results/text.h"
#include "results/xml.h"

#include "fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 1024, FRAMES_NAMED = 16 };

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
static void put_sides(FILE *to, const char *const path[2])
{
    for (int side = 0; side < 2; side++) {
        if (!path[side]) continue;
        fputs(side ? "OUT " : "REF ", to);
        xml_text(to, path[side]);
        fputc('\n', to);
    }
}

/* Writes in words what is wrong with a scored frame. */
static void describe(const struct verdict *verdict, const struct verdict_frame *frame, char *text,
                     size_t size)
{
    const struct record_tile *tile = &frame->tile;
    char score[TEXT_DIGITS], other[TEXT_DIGITS], place[RECORD_TILE_TEXT];
    size_t used = 0;
    text_digits(score, frame->score);
    for (int i = 0; i < FAULT_MISSING && used < size; i++) {
        if (!(frame->faults >> i & 1)) continue;
        const char *and = used > 0 ? "; " : "";
        if (i == FAULT_HINT) continue; /* the hints follow */
        const double limit = verdict_limit(verdict, i);
        if (!verdict_can_judge(i, tile, frame->has_baseline ? &frame->baseline : NULL))
            used += (size_t)snprintf(text + used, size - used, "%s%s", and, verdict_unjudged[i]);
        else if (i == FAULT_FRAME)
            used += (size_t)snprintf(text + used, size - used, "%sscore %s under %.9g", and, score,
                                     limit);
        else if (i == FAULT_DROP)
            used += (size_t)snprintf(text + used, size - used, "%sscore %s, was %s", and, score,
                                     text_digits(other, frame->baseline.score));
        else if (i == FAULT_TILE)
            used += (size_t)snprintf(text + used, size - used, "%stile %s under %.9g", and,
                                     record_tile_text(place, tile), limit);
        else
            used += (size_t)snprintf(text + used, size - used, "%stile %s, was %s", and,
                                     record_tile_text(place, tile),
                                     text_digits(other, frame->baseline.tile));
    }
    if (frame->hints && used < size)
        snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", frame->hints);
}

/* Returns the first of the faults, by which a failure is known. */
static const char *kind_of(unsigned faults)
{
    int first = 0;
    while (first < FAULT_COUNT - 1 && !(faults >> first & 1)) first++;
    return verdict_fault_names[first];
}

/* ---- Cases ----------------------------------------------------------------------------------- */

static void put_case(FILE *to, const char *class, const char *name, double seconds)
{
    fputs("    <testcase", to);
    xml_attribute(to, "classname", class);
    xml_attribute(to, "name", name);
    fprintf(to, " time=\"%.3f\"", seconds > 0 ? seconds : 0);
}

/* Writes the element that says why a case has not passed, and its message. */
static const char *put_fault(FILE *to, unsigned faults, const char *text)
{
    const unsigned error = 1u << FAULT_FAILED | 1u << FAULT_MISSING;
    const char *const element = faults & error ? "error" : "failure";
    fprintf(to, ">\n      <%s type=\"%s\"", element, kind_of(faults));
    xml_attribute(to, "message", text);
    fputc('>', to);
    return element;
}

/* `listed`: what the verdict knows of it; NULL: it has not listed so many frames. */
static void put_frame(FILE *to, const struct verdict *verdict, const struct junit_case *frame,
                      const struct verdict_frame *listed)
{
    char name[32], text[MESSAGE] = "";
    snprintf(name, sizeof name, "frame %" PRId64, frame->frame);
    put_case(to, frame->part ? frame->part : "ssimcu.frame", name, frame->seconds);
    if (!counts(verdict, frame)) {
        fputs(is_skipped(frame) ? "><skipped/></testcase>\n" : "/>\n", to);
        return;
    }
    if (!listed)
        snprintf(text, sizeof text, "%s", kind_of(frame->faults));
    else if (listed->reason)
        snprintf(text, sizeof text, "%s%s", frame->faults & 1u << FAULT_MISSING ? "missing: " : "",
                 listed->reason);
    else
        describe(verdict, listed, text, sizeof text);
    const char *const element = put_fault(to, frame->faults, text);
    if (listed) put_sides(to, (const char *const[2]){listed->ref, listed->out});
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
    if (!run->by_part) return 1;
    while (end < cases->count && cases->at[end].part == cases->at[at].part) end++;
    return end - at;
}

static void put_cases(FILE *to, const struct junit_run *run, const struct verdict *verdict)
{
    size_t faulty = 0; /* the verdict lists faulty frames in the same order */
    for (size_t at = 0, count; at < run->cases->count; at += count) {
        const struct junit_case *const frame = &run->cases->at[at];
        count = case_length(run, at);
        if (run->by_part) {
            put_part(to, verdict, frame, count);
            continue;
        }
        put_frame(to, verdict, frame,
                  frame->faults && faulty < verdict->listed ? &verdict->frame[faulty] : NULL);
        faulty += frame->faults != 0;
    }
}

static void put_whole(FILE *to, const struct junit_run *run, const struct verdict *verdict,
                      const struct summary *summary)
{
    char mean[TEXT_DIGITS];
    put_case(to, "ssimcu", "all frames", run->seconds);
    if (verdict->passed) {
        fputs("/>\n", to);
        return;
    }
    const char *type = verdict->nothing_scored ? "no score"
                       : verdict->incomplete   ? "incomplete"
                       : verdict->low_mean     ? "min_score"
                                               : "frames";
    fprintf(to, ">\n      <failure type=\"%s\" message=\"", type);
    fprintf(to,
            "%" PRIu64 " frames: %" PRIu64 " scored, %" PRIu64 " missing, %" PRIu64
            " failed, %" PRIu64 " below a limit",
            summary->pairs, summary->scored, summary->missing, summary->failed, verdict->bad);
    if (summary->scored > 0) fprintf(to, "; mean %s", text_digits(mean, summary->all.mean));
    if (verdict->low_mean) fprintf(to, " under %.9g", verdict->limits.min_score);
    if (verdict->incomplete) fputs("; incomplete", to);
    fputs("\"/>\n    </testcase>\n", to);
}

/* ---- The suite ------------------------------------------------------------------------------- */

struct totals {
    size_t cases, failures, errors, skipped;
};

static struct totals count_cases(const struct junit_run *run, const struct verdict *verdict)
{
    const unsigned error = 1u << FAULT_FAILED | 1u << FAULT_MISSING;
    struct totals totals = {.cases = 1, .failures = !verdict->passed};
    for (size_t at = 0, count; at < run->cases->count; at += count, totals.cases++) {
        const struct junit_case *const frame = &run->cases->at[at];
        unsigned faults = 0;
        count = case_length(run, at);
        for (size_t i = 0; i < count; i++)
            if (counts(verdict, &frame[i])) faults |= frame[i].faults;
        totals.errors += (faults & error) != 0;
        totals.failures += faults && !(faults & error);
        totals.skipped += !run->by_part && is_skipped(frame);
    }
    return totals;
}

/* Starts the suite. Ant's schema wants a date, a host and a time. */
static void put_suite(FILE *to, struct totals totals, double seconds)
{
    char host[256] = "", date[32];
    const time_t now = time(NULL);
    struct tm utc;
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') strcpy(host, "localhost");
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &utc));
    fprintf(to,
            "  <testsuite id=\"0\" package=\"ssimcu\" name=\"ssimcu\" timestamp=\"%s\" "
            "time=\"%.3f\"",
            date, seconds > 0 ? seconds : 0);
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

/* Names the devices that the scores are of. */
static void put_devices(FILE *to, const json_t *device)
{
    static const char *const backends[] = {"cpu", "cuda"};
    for (int i = 0; i < 2; i++) {
        const char *name = header_device(device, backends[i]);
        if (name) put_property(to, backends[i], name);
    }
}

/* Says what was compared, by which limits, with what result, and where the report is. */
static void put_properties(FILE *to, const struct junit_run *run, const struct verdict *verdict,
                           const struct summary *summary)
{
    char text[TEXT_DIGITS], *report = NULL;
    fputs("    <properties>\n", to);
    put_property(to, "ssimcu", ssimcu_version());
    put_devices(to, run->header->device);
    if (run->side[0]) put_property(to, "ref", run->side[0]);
    if (run->side[1]) put_property(to, "out", run->side[1]);
    put_limit(to, "min_score", verdict->limits.min_score);
    for (int i = 0; i < FAULT_HINT; i++)
        put_limit(to, verdict_fault_names[i], verdict_limit(verdict, i));
    if (verdict->limits.hints)
        put_property(to, verdict_fault_names[FAULT_HINT], verdict->limits.hints);
    if (summary->scored > 0) {
        put_property(to, "mean", text_digits(text, summary->all.mean));
        put_property(to, "lowest", text_digits(text, summary->all.min));
    }
    if (run->report && (report = results_beside(run->report, "/index.html")))
        put_property(to, "report", report);
    free(report);
    fputs("    </properties>\n", to);
}

static const char START[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
static const char END[] = "    <system-out/>\n    <system-err/>\n  </testsuite>\n</testsuites>\n";

static void put_early_end(FILE *to, const struct junit_end *end)
{
    fputs(START, to);
    put_suite(to, (struct totals){.cases = 1, .errors = 1}, 0);
    fputs("    <properties/>\n", to);
    put_case(to, "ssimcu", "all frames", 0);
    fprintf(to, ">\n      <error type=\"%s\"", ssimcu_status_name(end->status));
    xml_attribute(to, "message", end->text);
    fputc('>', to);
    put_sides(to, end->side);
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

/* Writes the file: `end`, or the verdict if that is NULL. */
static ssimcu_status write_file(const char *path, const struct junit_end *end,
                                const struct junit_run *run, const struct verdict *verdict,
                                const struct summary *summary, ssimcu_message *message)
{
    struct stat old;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode)) /* rename would replace it */
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: not a regular file", path);
    char *temporary = results_beside(path, ".tmp");
    if (!temporary) return results_no_memory(message);
    FILE *to = fopen(temporary, "we");
    bool good = to != NULL;
    if (good && end) put_early_end(to, end);
    if (good && !end) put_all(to, run, verdict, summary);
    if (good && (ferror(to) || fflush(to) != 0)) good = false;
    int error = errno;
    if (to && fclose(to) != 0 && good) good = false, error = errno;
    if (good && rename(temporary, path) != 0) good = false, error = errno;
    if (!good && to) (void)unlink(temporary);
    free(temporary);
    if (good) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", path, strerror(error));
}

ssimcu_status junit_write(const char *path, const struct junit_run *run,
                          const struct verdict *verdict, const struct summary *summary,
                          ssimcu_message *message)
{
    if (run->cases->out_of_memory) return results_no_memory(message);
    return write_file(path, NULL, run, verdict, summary, message);
}

ssimcu_status junit_write_end(const char *path, const struct junit_end *end,
                              ssimcu_message *message)
{
    const ssimcu_status status = junit_remove(path, message);
    return status == SSIMCU_OK ? write_file(path, end, NULL, NULL, NULL, message) : status;
}

ssimcu_status junit_remove(const char *path, ssimcu_message *message)
{
    return guard_remove(path, junit_may_go(path), "JUnit XML", message);
}

bool junit_may_go(const char *path)
{
    return guard_allows(path, (const char *const[]){START, NULL}, false);
}
