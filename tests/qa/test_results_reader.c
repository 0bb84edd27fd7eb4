/* Earlier results read back: which lines are refused, which of two lines stays, and what several
 * files have in common. */
#include "base/json.h"
#include "check.h"
#include "lines/results_reader.h"
#include "record/record.h"
#include "scratch.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

TestSuite(results_reader, .init = scratch_enter, .fini = scratch_leave);

/* ---- Files ----------------------------------------------------------------------------------- */

#define HEADER(contract, input, more)                                                              \
    "{\"type\":\"batch\",\"schema\":4,\"contract\":{\"tile\":" contract "},\"input\":{" input      \
    "}" more "}\n"
#define INPUT "\"ref\":\"r\",\"frames\":\"1-9\""
#define CPU ",\"device\":{\"cpu\":\"A\",\"cuda\":\"G\"}"
#define START HEADER("64", INPUT, CPU)
#define SCORED(frame, score, backend)                                                              \
    "{\"type\":\"frame\",\"frame\":" frame ",\"status\":\"ok\",\"score\":" score                   \
    ",\"channels\":{\"grey\":0.5},\"bits\":8,\"background\":null,\"backend\":\"" backend           \
    "\",\"ref\":null,\"out\":null}\n"
#define MISSING(frame)                                                                             \
    "{\"type\":\"frame\",\"frame\":" frame ",\"status\":\"missing\",\"missing\":\"out\",\"ref\":"  \
    "null,\"out\":null}\n"
#define FAILED(frame)                                                                              \
    "{\"type\":\"frame\",\"frame\":" frame ",\"status\":\"data\",\"message\":\"cut\",\"ref\":"     \
    "null,\"out\":null}\n"
#define END(complete, frames, scored, missing, failed)                                             \
    "{\"type\":\"summary\",\"complete\":" complete ",\"frames\":" frames ",\"scored\":" scored     \
    ",\"missing\":" missing ",\"failed\":" failed
#define SUMMARY(complete, frames, scored, missing, failed)                                         \
    END(complete, frames, scored, missing, failed) "}\n"
#define THREE START SCORED("7", "0.5", "cpu") MISSING("8") FAILED("9")

static void put_file(const char *name, const char *text, size_t length)
{
    (void)remove(name); /* some file systems wait for the disk if a file is emptied and written */
    FILE *to = fopen(name, "we");
    cr_assert(to && fwrite(text, 1, length, to) == length && fclose(to) == 0);
}

static ssimcu_status add(struct results_reader *earlier, const char *text, bool latest,
                         ssimcu_message *why)
{
    put_file("more.jsonl", text, strlen(text));
    return results_reader_add(earlier, "more.jsonl", latest, why);
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* What a file comes to: "" for a file that is read, else a part of the message. */
static const struct {
    const char *text, *why;
    size_t count;
    bool complete;
} files[] = {
    {THREE SUMMARY("true", "3", "1", "1", "1"), "", 3, true},
    {THREE SUMMARY("false", "3", "1", "1", "1"), "", 3, false},
    {THREE, "", 3, false},
    {THREE "{\"type\":\"fra", "", 3, false}, /* half a line is dropped */
    {START, "", 0, false},
    {"", "", 0, false},
    {THREE SUMMARY("true", "2", "1", "1", "1"), "counts 2 frames (1 scored), the lines are 3 (1)",
     0, false},
    {THREE SUMMARY("true", "3", "2", "1", "1"), "counts 3 frames (2 scored), the lines are 3 (1)",
     0, false},
    {THREE SUMMARY("true", "3", "1", "0", "1"), "counts 3 frames", 0, false},
    {THREE SUMMARY("true", "3", "1", "1", "2"), "counts 3 frames", 0, false},
    {THREE SUMMARY("true", "\"3\"", "1", "1", "1"), "line 5 is not a line of results", 0, false},
    {THREE SUMMARY("true", "3", "null", "1", "1"), "line 5 is", 0, false},
    {THREE SUMMARY("true", "3", "1", "1.5", "1"), "line 5 is", 0, false},
    {THREE SUMMARY("true", "3", "1", "1", "true"), "line 5 is", 0, false},
    {START SUMMARY("true", "0", "0", "0", "0") FAILED("9"), "line 3 is", 0, false},
    {START START, "line 2 is", 0, false},
    {FAILED("9"), "line 1 is", 0, false},
    {START "{\"type\":\"frames\"}\n", "line 2 is", 0, false},
    {START "{}\n", "line 2 is", 0, false},
    {START "\n", "line 2 is", 0, false},
    {START FAILED("-1"), "line 2 is", 0, false},
    {THREE SCORED("10", "1.5", "cpu"), "line 5 is", 0, false},
    {HEADER("64", INPUT, ",\"shard\":[3,3]"), "", 0, false},
    {HEADER("64", INPUT, ",\"shard\":[3,3],\"segment\":[5]"), "", 0, false},
    {HEADER("64", INPUT, ",\"shard\":[2,3],\"segment\":[5,6]"), "", 0, false},
    {HEADER("64", INPUT, ",\"shard\":[2,3],\"segment\":[5,5]"), "line 1 is", 0, false},
    {HEADER("64", INPUT, ",\"shard\":[2,3],\"segment\":[-1,5]"), "line 1 is", 0, false},
    {HEADER("64", INPUT, ",\"shard\":[2,3],\"segment\":[]"), "line 1 is", 0, false},
    {HEADER("64", INPUT, ",\"shard\":[0,3]"), "line 1 is", 0, false},
    {HEADER("64", INPUT, ",\"shard\":[4,3]"), "line 1 is", 0, false},
    {HEADER("64", INPUT, ",\"shard\":[1,16777217]"), "line 1 is", 0, false},
    {HEADER("64", INPUT, ",\"device\":7"), "line 1 is", 0, false},
    {"{\"type\":\"batch\",\"schema\":4,\"contract\":{}}\n", "line 1 is", 0, false},
    {"{\"type\":\"batch\",\"schema\":4,\"input\":{}}\n", "line 1 is", 0, false},
    {"{\"type\":\"batch\",\"schema\":3,\"contract\":{},\"input\":{}}\n",
     "results of schema 3, this version reads schema 4", 0, false},
    {"{\"type\":\"batch\",\"schema\":5,\"contract\":{},\"input\":{}}\n",
     "results of schema 5, this version reads schema 4", 0, false},
    {"frame,status,score,channels\n", "found CSV", 0, false},
};

static void read_files(void)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct results_reader earlier = {0};
        ssimcu_message why = {{0}};
        const ssimcu_status status = add(&earlier, files[i].text, false, &why);
        cr_expect_eq(status == SSIMCU_OK, files[i].why[0] == '\0', "file %zu: %s", i, why.text);
        cr_expect(strstr(why.text, files[i].why), "file %zu: %s, not %s", i, why.text,
                  files[i].why);
        if (status == SSIMCU_OK)
            cr_expect(earlier.complete == files[i].complete && earlier.count == files[i].count,
                      "file %zu", i);
        results_reader_free(&earlier);
    }
}

Test(results_reader, lines_that_are_none_are_named) { read_files(); }

Test(results_reader, a_byte_0_is_in_no_line)
{
    static const char text[] = START FAILED("9") "\0\n";
    struct results_reader earlier = {0};
    ssimcu_message why = {{0}};
    put_file("zero.jsonl", text, sizeof text - 1);
    cr_expect_eq(results_reader_add(&earlier, "zero.jsonl", false, &why), SSIMCU_ERROR_DATA);
    cr_expect_str_eq(why.text, "zero.jsonl: line 3 is not a line of results");
    results_reader_free(&earlier);
    why.text[0] = '\0';
    cr_expect_eq(results_reader_add(&earlier, "none.jsonl", false, &why), SSIMCU_ERROR_FILE);
    cr_expect_str_eq(why.text, "none.jsonl: No such file or directory");
}

/* Adds a line of `length` bytes, with its end or without, after one frame. */
static ssimcu_status add_long(const char *line, size_t length, bool ended, bool *complete,
                              ssimcu_message *why)
{
    static const char first[] = START MISSING("8");
    struct results_reader earlier = {0};
    char *text = malloc(sizeof first + length);
    const size_t begin = sizeof first - 1, used = strlen(line);
    memcpy(text, first, begin);
    memcpy(text + begin, line, used);
    memset(text + begin + used, ' ', length - used);
    if (ended) text[begin + length - 1] = '\n';
    put_file("long.jsonl", text, begin + length);
    const ssimcu_status status = results_reader_add(&earlier, "long.jsonl", false, why);
    *complete = status == SSIMCU_OK && earlier.complete;
    results_reader_free(&earlier);
    free(text);
    return status;
}

/* A summary may be longer than 1 MiB; its first bytes count. A record may not. */
Test(results_reader, long_lines)
{
    static const struct {
        const char *line, *why;
        bool ended, complete;
    } lines[] = {
        {END("true", "1", "0", "1", "0") ",\"mean\":", "", true, true},
        {END("true", "1", "0", "1", "0") ",\"mean\":", "", false, false},
        {END("false", "1", "0", "1", "0") ",\"mean\":", "", true, false},
        {END("true", "1", "1", "0", "0") ",\"mean\":", "counts 1 frames (1 scored)", true, false},
        {"{\"type\":\"summary\"", "line 3 is not a line of results: it is longer", true, false},
        {"{\"type\":\"frame\"", "it is longer than 1048576 bytes", true, false}};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        bool complete = false;
        ssimcu_message why = {{0}};
        const ssimcu_status status =
            add_long(lines[i].line, (1 << 20) + 100, lines[i].ended, &complete, &why);
        cr_expect_eq(status, lines[i].why[0] ? SSIMCU_ERROR_DATA : SSIMCU_OK, "line %zu", i);
        cr_expect(strstr(why.text, lines[i].why), "line %zu: %s", i, why.text);
        cr_expect_eq(complete, lines[i].complete, "line %zu", i);
    }
}

/* ---- Two lines of a frame -------------------------------------------------------------------- */

/* The score that stays of two lines; 0: neither has one, -1: they disagree. `latest`: the same if
 * the newer is to win. */
static const struct {
    const char *first, *second;
    double stays, latest;
} pairs[] = {
    {SCORED("7", "0.5", "cpu"), SCORED("7", "0.5", "cpu"), 0.5, 0.5},
    {SCORED("7", "0.5", "cpu"), SCORED("7", "0.5000005", "cpu"), -1, 0.5000005},
    {SCORED("7", "0.5", "cpu"), SCORED("7", "0.5000005", "cuda"), 0.5, 0.5000005},
    {SCORED("7", "0.5", "cuda"), SCORED("7", "0.500002", "cpu"), -1, 0.500002},
    {SCORED("7", "0.5", "cpu"), FAILED("7"), 0.5, 0.5},
    {FAILED("7"), SCORED("7", "0.5", "cpu"), 0.5, 0.5},
    {MISSING("7"), SCORED("7", "0.25", "cpu"), 0.25, 0.25},
    {FAILED("7"), MISSING("7"), 0, 0},
};

static void join_pairs(void)
{
    for (size_t i = 0; i < 2 * sizeof pairs / sizeof pairs[0]; i++) {
        const bool latest = i % 2;
        const double expected = latest ? pairs[i / 2].latest : pairs[i / 2].stays;
        char text[2000];
        struct results_reader earlier = {0};
        struct record record = {0};
        ssimcu_message why = {{0}};
        snprintf(text, sizeof text, "%s%s%s", START, FAILED("3"), pairs[i / 2].first);
        cr_assert_eq(add(&earlier, text, latest, &why), SSIMCU_OK, "%s", why.text);
        snprintf(text, sizeof text, "%s%s", START, pairs[i / 2].second);
        const ssimcu_status status = add(&earlier, text, latest, &why);
        cr_expect_eq(status, expected < 0 ? SSIMCU_ERROR_MISMATCH : SSIMCU_OK, "%zu", i);
        if (expected < 0)
            cr_expect_str_eq(why.text,
                             "more.jsonl: frame 7 has another score than in an earlier file");
        cr_expect_eq(earlier.count, 2u, "%zu", i);
        cr_expect_eq(results_reader_find(&earlier, NULL, 7, &record), expected != 0, "%zu", i);
        if (expected > 0)
            cr_expect_eq(record.scored.score, expected, "%zu: %.9f", i, record.scored.score);
        record_clear(&record);
        cr_expect_not(results_reader_find(&earlier, NULL, 3, &record), "it has no score");
        cr_assert_eq(results_reader_record(&earlier, 1, &record, &why), SSIMCU_OK);
        if (expected == 0) cr_expect_eq(record.kind, RECORD_FAILED, "the first stays");
        record_clear(&record);
        results_reader_free(&earlier);
    }
}

Test(results_reader, of_two_lines_one_stays) { join_pairs(); }

/* ---- Several files --------------------------------------------------------------------------- */

/* What the second file makes of both; `why` "": they go together. */
static const struct {
    const char *first, *second, *why;
    bool frames, device; /* they are of both */
    uint32_t shards;
} both[] = {
    {START, START, "", true, true, 0},
    {START, HEADER("32", INPUT, CPU),
     "these scores were made with other options: tile is 32, expected 64", true, true, 0},
    {START, HEADER("64", "\"ref\":\"s\",\"frames\":\"1-9\"", CPU), "ref is \"s\", expected \"r\"",
     true, true, 0},
    {START, HEADER("64", INPUT ",\"out\":\"o\"", CPU), "out is \"o\", expected none", true, true,
     0},
    {HEADER("64", INPUT ",\"out\":\"o\"", CPU), START, "out is none, expected \"o\"", true, true,
     0},
    {START, HEADER("64", "\"ref\":\"r\",\"frames\":\"2-9\"", CPU), "", false, true, 0},
    {START, HEADER("64", "\"ref\":\"r\"", CPU), "", false, true, 0},
    {START, HEADER("64", INPUT, ",\"device\":{\"cpu\":\"B\"}"), "", true, true, 0},
    {START, HEADER("64", INPUT, ""), "", true, false, 0},
    {HEADER("64", INPUT, CPU ",\"shard\":[1,3]"), HEADER("64", INPUT, CPU ",\"shard\":[3,3]"), "",
     true, true, 3},
    {HEADER("64", INPUT, CPU ",\"shard\":[1,3]"), HEADER("64", INPUT, CPU ",\"shard\":[1,2]"),
     "more.jsonl: share 1 of 2 does not fit the other shares, which are of 3", true, true, 3},
    {HEADER("64", INPUT, CPU ",\"shard\":[1,3]"),
     HEADER("64", "\"ref\":\"r\",\"frames\":\"2-9\"", CPU ",\"shard\":[3,3]"),
     "frames is \"2-9\", expected \"1-9\"", true, true, 3},
};

static void join_files(void)
{
    for (size_t i = 0; i < sizeof both / sizeof both[0]; i++) {
        struct results_reader earlier = {0};
        ssimcu_message why = {{0}};
        cr_assert_eq(add(&earlier, both[i].first, false, &why), SSIMCU_OK);
        const ssimcu_status status = add(&earlier, both[i].second, false, &why);
        cr_expect_eq(status, both[i].why[0] ? SSIMCU_ERROR_MISMATCH : SSIMCU_OK, "%zu", i);
        cr_expect(strstr(why.text, both[i].why), "%zu: %s", i, why.text);
        cr_expect_eq(json_object_get(earlier.header.input, "frames") != NULL, both[i].frames);
        cr_expect_eq(earlier.header.device != NULL, both[i].device, "%zu", i);
        cr_expect_eq(earlier.shards, both[i].shards, "%zu", i);
        if (both[i].shards && status == SSIMCU_OK)
            cr_expect(earlier.shard_read[1] && !earlier.shard_read[2] && earlier.shard_read[3]);
        results_reader_free(&earlier);
    }
}

Test(results_reader, files_that_go_together) { join_files(); }

/* Both files must be of a complete run, and frames are in order. */
Test(results_reader, two_files_are_complete_if_both_are)
{
    static const char *const ends[] = {SUMMARY("false", "1", "0", "1", "0"),
                                       SUMMARY("true", "1", "0", "1", "0")};
    for (int i = 0; i < 4; i++) {
        char text[2000];
        struct results_reader earlier = {0};
        snprintf(text, sizeof text, "%s%s%s", START, MISSING("9"), ends[i % 2]);
        cr_assert_eq(add(&earlier, text, false, NULL), SSIMCU_OK);
        snprintf(text, sizeof text, "%s%s%s", START, MISSING("8"), ends[i / 2]);
        cr_assert_eq(add(&earlier, text, false, NULL), SSIMCU_OK);
        cr_expect_eq(earlier.complete, i == 3, "%d", i);
        cr_expect(earlier.count == 2 && earlier.line[0].frame == 8 && earlier.line[1].frame == 9);
        results_reader_free(&earlier);
    }
}

/* ---- Resuming -------------------------------------------------------------------------------- */

/* What a run leaves: FILE, FILE.resume and FILE.partial. */
static void put_left(const char *whole, const char *resume, const char *partial)
{
    static const char *const names[] = {"r.jsonl", "r.jsonl.resume", "r.jsonl.partial"};
    const char *const text[] = {whole, resume, partial};
    for (int i = 0; i < 3; i++) {
        (void)remove(names[i]);
        if (text[i]) put_file(names[i], text[i], strlen(text[i]));
    }
}

/* The newest line of a frame wins. Only what a partial file brings must be saved. */
static void resume_files(void)
{
    struct results_reader earlier = {0}, again = {0};
    struct record record = {0};
    put_left(START SCORED("1", "0.25", "cpu"), START SCORED("1", "0.5", "cpu") FAILED("2"),
             HEADER("64", INPUT, CPU ",\"shard\":[2,3]") SCORED("1", "0.75", "cpu") "{\"ty");
    cr_assert_eq(results_reader_resume(&earlier, "r.jsonl", NULL), SSIMCU_OK);
    cr_expect(earlier.unfinished && earlier.count == 2);
    cr_expect(results_reader_find(&earlier, NULL, 1, &record) && record.scored.score == 0.75);
    record_clear(&record);
    cr_assert_eq(results_reader_save(&earlier, "r.jsonl", NULL), SSIMCU_OK);
    results_reader_free(&earlier);
    cr_assert_eq(results_reader_add(&again, "r.jsonl.resume", false, NULL), SSIMCU_OK);
    cr_expect(again.count == 1 && again.line[0].frame == 1 && again.shards == 0);
    results_reader_free(&again);
    put_left(START SCORED("1", "0.25", "cpu"), NULL, "");
    cr_assert_eq(results_reader_resume(&earlier, "r.jsonl", NULL), SSIMCU_OK);
    cr_expect(!earlier.unfinished && earlier.count == 1);
    cr_expect_eq(results_reader_save(&earlier, "r.jsonl", NULL), SSIMCU_OK);
    cr_expect(access("r.jsonl.resume", F_OK) != 0, "nothing was to be saved");
    results_reader_free(&earlier);
}

Test(results_reader, what_a_run_has_left) { resume_files(); }

/* A file without a whole line may be the beginning of results, if it is no finished one. */
Test(results_reader, what_is_no_result_of_a_run)
{
    static const struct {
        const char *whole, *partial, *why;
    } cases[] = {{NULL, "{\"type\":\"ba", ""},
                 {NULL, "hello", "r.jsonl.partial: line 1 is not a line of results"},
                 {"{\"type\":\"ba", NULL, "r.jsonl: line 1 is not a line of results"},
                 {"hello\n", NULL, "r.jsonl: line 1 is not a line of results"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct results_reader earlier = {0};
        ssimcu_message why = {{0}};
        put_left(cases[i].whole, NULL, cases[i].partial);
        const ssimcu_status status = results_reader_resume(&earlier, "r.jsonl", &why);
        cr_expect_eq(status, cases[i].why[0] ? SSIMCU_ERROR_DATA : SSIMCU_OK, "%zu", i);
        cr_expect_str_eq(why.text, cases[i].why);
        results_reader_free(&earlier);
    }
    struct results_reader earlier = {0};
    put_left(NULL, "my notes", START FAILED("2"));
    cr_assert_eq(results_reader_add(&earlier, "r.jsonl.partial", false, NULL), SSIMCU_OK);
    earlier.unfinished = true;
    cr_expect_eq(results_reader_save(&earlier, "r.jsonl", NULL), SSIMCU_OK, "it replaces .resume");
    results_reader_free(&earlier);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Whatever the files hold, nothing of them stays in memory. A sanitizer's memory is its own. */
Test(results_reader, nothing_stays_in_memory)
{
    static void (*const all[])(void) = {read_files, join_pairs, join_files};
    enum { FIRST = 8, RUNS = 4, LEAST = 32 /* bytes of the smallest allocation */ };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (int k = 0; k < FIRST; k++) all[i](); /* the allocator keeps a few for later */
        const size_t before = mallinfo2().uordblks;
        for (int k = 0; k < RUNS; k++) all[i]();
        cr_expect_lt(mallinfo2().uordblks, before + RUNS * LEAST, "%zu", i);
    }
}
