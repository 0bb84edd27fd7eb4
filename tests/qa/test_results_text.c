/* Results as text, to the letter: JUnit XML, and lines of JSON. */
#include "check.h"
#include "expected.h"

#include "base/json.h"
#include "lines/junit.h"
#include "lines/lines.h"
#include "put_hints.h"
#include "record/record.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char directory[] = "/tmp/ssimcu-test-text-XXXXXX";

static void make_directory(void) { cr_assert(mkdtemp(directory)); }

static void remove_directory(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", directory);
    cr_expect(system(command) == 0);
}

static const char *xml_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "%s/run.xml", directory);
    return path;
}

TestSuite(results_text, .init = make_directory, .fini = remove_directory);

/* ---- A run ----------------------------------------------------------------------------------- */

/* Frames with every kind of fault. `before`: score and tile of the baseline; 0: none. */
static const struct row {
    const char *shot, *hints;
    int frame;
    ssimcu_record_kind kind;
    double score, tile, before[2], seconds;
} rows[] = {{"a", "", 1, RECORD_SCORED, 0.75, 0.5, {0.75, 0.5}, 0.25},
            {"a", "", 2, RECORD_SCORED, 0.5, 0.25, {1, 1}, 0.5},
            {"a", "duplicate", 3, RECORD_SCORED, 1, 1, {1, 1}, 0},
            {"b<", "", 1, RECORD_SCORED, 0.625, 0, {0}, 0},
            {"b<", "", 2, RECORD_MISSING, 0, 0, {0}, 0},
            {"b<", "", 3, RECORD_FAILED, 0, 0, {0}, 0}};
enum { ROWS = sizeof rows / sizeof rows[0] };

static const struct limits LIMITS = {
    .has = 1u << SSIMCU_LIMIT_MIN_FRAME | 1u << SSIMCU_LIMIT_MIN_TILE |
           1u << SSIMCU_LIMIT_MAX_DROP | 1u << SSIMCU_LIMIT_MAX_TILE_DROP,
    .number = {[SSIMCU_LIMIT_MIN_FRAME] = 0.5625,
               [SSIMCU_LIMIT_MIN_TILE] = 0.375,
               [SSIMCU_LIMIT_MAX_DROP] = 0.25,
               [SSIMCU_LIMIT_MAX_TILE_DROP] = 0.5},
    .has_score = 1,
    .min_score = {0.875},
    .has_fail_on = true,
    .fail_on = (finding_mask)1 << FINDING_DUPLICATE,
    .max_bad = 0,
    .allow_missing = false};

struct run {
    struct limits limits;
    struct summary summary;
    struct verdict verdict;
    struct junit_cases cases;
};

static void add_row(struct run *run, const struct row *row)
{
    const struct verdict_baseline before = {row->before[0], row->before[1], row->before[1] > 0},
                                  *baseline = row->before[0] > 0 ? &before : NULL;
    struct record record = {.frame = row->frame,
                            .kind = row->kind,
                            .shot = (char *)(uintptr_t)row->shot,
                            .scored.score = row->score,
                            .scored.channels = 1,
                            .scored.channel = {row->score},
                            .scored.layout = "grey",
                            .scored.backend = row->frame == 2 ? "cuda" : "cpu",
                            .seconds = row->seconds,
                            .missing = {false, row->kind == RECORD_MISSING},
                            .status = SSIMCU_ERROR_DATA,
                            .message = {"\"cut\""},
                            .scored.tile = {row->tile, 64, 128, row->tile > 0 ? 64 : 0, 32}};
    put_hints(&record, row->hints);
    record.side[0].path = (char *)"ref&.png";
    if (!record.missing[1]) record.side[1].path = (char *)"out.png";
    if (row->score == 1)
        record.scored.light[0] = (ssimcu_light_share){.known = true, .clamped = 0.125};
    if (row->score == 1) record.text[RECORD_LEFT] = (char *)"A\nN.x";
    summary_add(&run->summary, &record);
    const struct judged judged = verdict_add(&run->verdict, &record, baseline);
    junit_add(&run->cases, &record, &judged);
    findings_free(&record.findings);
}

static struct run run_of(const struct limits *limits, size_t first, size_t end, bool by_part)
{
    struct run run = {.limits = *limits, .cases.by_part = by_part};
    summary_start(&run.summary, 2);
    verdict_start(&run.verdict, limits);
    for (size_t i = first; i < end; i++) add_row(&run, &rows[i]);
    run.summary.complete = true;
    cr_assert(summary_finish(&run.summary) && verdict_finish(&run.verdict, &run.summary));
    return run;
}

static void release(struct run *run)
{
    summary_free(&run->summary);
    verdict_free(&run->verdict);
    junit_free(&run->cases);
}

/* ---- JUnit XML ------------------------------------------------------------------------------- */

/* Reads the file, and removes the values of these attributes, and properties of the build. */
static char *read_xml(void)
{
    static const char *const vary[] = {" timestamp=\"", " hostname=\""};
    static char text[1 << 14];
    FILE *from = fopen(xml_path(), "re");
    cr_assert(from);
    text[fread(text, 1, sizeof text - 1, from)] = '\0';
    fclose(from);
    for (int i = 0; i < 2; i++) {
        char *at = strstr(text, vary[i]) + strlen(vary[i]);
        memmove(at, strchr(at, '"'), strlen(strchr(at, '"')) + 1);
    }
    for (char *at; (at = strstr(text, "<property name=\"ssimcu\"")) ||
                   (at = strstr(text, "<property name=\"commit\""));)
        memmove(at, strchr(at, '\n') + 7, strlen(strchr(at, '\n') + 7) + 1);
    return text;
}

/* Writes the verdict of a run that ends with this code, releases the run, and returns the file's
 * text.
 */
static char *write_ended(struct run *run, double seconds, ssimcu_exit code, const char *why)
{
    json_t *device = json_pack("{ssss}", "cpu", "CPU", "cuda", "GPU \"1\"");
    const struct junit_run said = {.cases = &run->cases,
                                   .device = device,
                                   .side = {"ref/", "out/"},
                                   .report = "r/index.html",
                                   .code = code,
                                   .why = why,
                                   .seconds = seconds};
    ssimcu_message message = {{0}};
    cr_assert_eq(junit_write(xml_path(), &said, &run->verdict, &run->summary, &message), SSIMCU_OK,
                 "%s", message.text);
    json_decref(device);
    release(run);
    return read_xml();
}

static char *write_xml(struct run *run, double seconds)
{
    return write_ended(run, seconds, run->verdict.passed ? SSIMCU_EXIT_SCORED : SSIMCU_EXIT_BELOW,
                       "");
}

/* Frames and places are those of the run; what is wrong is said in words. */
Test(results_text, a_case_for_each_frame)
{
    struct run run = run_of(&LIMITS, 0, ROWS, false);
    expect_file(write_xml(&run, 1.5), "junit.xml");
}

/* A frame that may be missing is skipped; one that is forgiven has passed. */
Test(results_text, frames_that_are_forgiven)
{
    struct limits limits = {0};
    limits_set(&limits, SSIMCU_LIMIT_MIN_FRAME, 0.5625);
    limits.max_bad = 1;
    limits.allow_missing = true;
    struct run run = run_of(&limits, 0, 5, false);
    expect_file(write_xml(&run, -1), "junit_forgiven.xml");
}

Test(results_text, a_case_for_each_part)
{
    struct run run = run_of(&LIMITS, 0, ROWS, true), good = run_of(&LIMITS, 0, 1, true),
               many = run_of(&LIMITS, 4, 4, true);
    expect_file(write_xml(&run, 0), "junit_shots.xml");
    cr_expect(strstr(write_xml(&good, 0), "name=\"frames\" time=\"0.250\"/>\n"));
    for (int i = 0; i < 17; i++) {
        struct row row = rows[4];
        row.frame = i;
        add_row(&many, &row);
    }
    cr_assert(summary_finish(&many.summary) && verdict_finish(&many.verdict, &many.summary));
    cr_expect(strstr(write_xml(&many, 0),
                     "\"17 of 17 frames: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 ...\""));
}

/* What ends a run that has passed is no frame's, and makes the file red. */
Test(results_text, a_run_that_has_passed_and_failed)
{
    const struct limits none = {0};
    struct run first = run_of(&none, 0, 1, false), second = run_of(&none, 0, 1, false);
    const char *text = write_ended(&first, 0, SSIMCU_EXIT_OUTPUT, "");
    cr_expect(strstr(text, "tests=\"2\" failures=\"1\" errors=\"0\""), "%s", text);
    cr_expect(
        strstr(text, "<failure type=\"exit 74\" message=\"an output could not be written\"/>"),
        "%s", text);
    text = write_ended(&second, 0, SSIMCU_EXIT_INTERNAL, "<why>");
    cr_expect(strstr(text, "<failure type=\"exit 70\" message=\"&lt;why&gt;\"/>"), "%s", text);
}

Test(results_text, an_early_end)
{
    const struct junit_end end = {SSIMCU_ERROR_FILE, "ref: <gone>", {"ref", NULL}};
    cr_assert_eq(junit_write_end(xml_path(), &end, NULL), SSIMCU_OK);
    expect_file(read_xml(), "junit_end.xml");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The summary's line of a run with a verdict, and of one without; each member on a line. */
Test(results_text, summaries)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    for (int share = 0; share < 2; share++) {
        struct run run = run_of(&LIMITS, share ? 5 : 1, ROWS, false);
        run.summary.complete = !share;
        char *line = summary_to_json(&run.summary, share ? NULL : &run.verdict);
        for (const char *at = line; *at; at++) {
            fputc(*at, to);
            if (*at == ',' && at[1] == '"') fputc('\n', to);
        }
        fputs("\n", to);
        free(line);
        release(&run);
    }
    fclose(to);
    expect_file(text, "summaries.json");
    free(text);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Nothing of a run stays in memory. A sanitizer's memory is its own. */
Test(results_text, nothing_stays_in_memory)
{
    enum { FIRST = 20, RUNS = 20, LEAST = 32 /* bytes of the smallest allocation */ };
    size_t before = 0;
    for (int k = 0; k < FIRST + RUNS; k++) {
        struct run run = run_of(&LIMITS, 0, ROWS, k % 2);
        if (k == FIRST) before = mallinfo2().uordblks; /* the allocator keeps a few for later */
        free(summary_to_json(&run.summary, &run.verdict));
        (void)write_xml(&run, 1);
    }
    struct run last = run_of(&LIMITS, 0, ROWS, false);
    cr_expect_lt(mallinfo2().uordblks, before + RUNS * LEAST);
    release(&last);
}
