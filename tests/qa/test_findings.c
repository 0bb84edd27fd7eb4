/* Findings: the table of kinds, lists of kinds, what a finding says, lists of findings, and what
 * results have of them. */
#include "check.h"
#include "judged.h"
#include "lines/lines.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct finding_place WHOLE, SPOT = {5, 6, 1, 2};

/* ---- The table ------------------------------------------------------------------------------- */

/* Every kind that is no limit has a name of its own, by which it is found, and a meaning. */
Test(findings, kinds_have_names_and_meanings)
{
    for (int kind = FINDING_MISSING; kind < FINDING_KINDS; kind++) {
        const struct finding_row *row = finding_row(kind);
        cr_assert(row->name && row->name[0], "%d", kind);
        cr_expect_eq(finding_named(row->name, strlen(row->name)), kind, "%s", row->name);
        cr_expect_eq(strspn(row->name, "abcdefghijklmnopqrstuvwxyz-"), strlen(row->name));
        cr_expect(row->meaning && row->meaning[0], "%s", row->name);
        cr_expect(!row->option && !row->in_file, "%s", row->name);
        cr_expect(row->by != 0 || kind == FINDING_FAILED, "nobody makes %s", row->name);
        cr_expect(strcmp(row->name, "all") != 0 && strcmp(row->name, "none") != 0);
    }
    cr_expect_eq(finding_named("min_tile", 8), FINDING_KINDS); /* a limit */
    cr_expect_eq(finding_named("nans", 3), FINDING_NAN);
    cr_expect_eq(finding_named("na", 2), FINDING_KINDS);
    cr_expect_eq(finding_named("", 0), FINDING_KINDS);
}

/* Names of limits are no other kind's, since reasons of a verdict have both. */
Test(findings, limits_have_names_of_their_own)
{
    for (int a = 0; a < FINDING_KINDS; a++)
        for (int b = 0; b < a; b++) cr_expect_str_neq(finding_row(a)->name, finding_row(b)->name);
    for (int kind = 0; kind < FINDING_MISSING; kind++)
        cr_expect(finding_row(kind)->option && !finding_row(kind)->meaning, "%d", kind);
}

/* Both origins share kinds that say the same of a frame. */
Test(findings, who_makes_them)
{
    static const struct {
        enum finding_kind kind;
        unsigned by;
        bool fails;
    } rows[] = {{FINDING_MISSING, FINDING_BY_CHECK, true},
                {FINDING_FAILED, 0, false},
                {FINDING_BLACK, FINDING_BY_PAIR, false},
                {FINDING_SOLID, FINDING_BY_PAIR | FINDING_BY_CHECK, true},
                {FINDING_DUPLICATE, FINDING_BY_FRAMES | FINDING_BY_CHECK, true},
                {FINDING_ALPHA, FINDING_BY_PAIR | FINDING_BY_CHECK, true},
                {FINDING_SEED, FINDING_BY_LEARNED, false},
                {FINDING_NEGATIVE, FINDING_BY_CHECK, false},
                {FINDING_FOREIGN_FRAME, FINDING_BY_CHECK, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct finding_row *row = finding_row(rows[i].kind);
        cr_expect(row->by == rows[i].by && row->fails == rows[i].fails, "%s", row->name);
    }
    const finding_mask pairs = findings_by(FINDING_OF_PAIRS), check = findings_by(FINDING_BY_CHECK);
    cr_expect_eq(pairs & check, finding_bit(FINDING_SOLID) | finding_bit(FINDING_DUPLICATE) |
                                    finding_bit(FINDING_ALPHA) | finding_bit(FINDING_GAMMA) |
                                    finding_bit(FINDING_CHANNEL_SWAP));
    cr_expect_eq(pairs | check | finding_bit(FINDING_FAILED),
                 ((finding_mask)1 << FINDING_KINDS) - finding_bit(FINDING_MISSING));
    cr_expect_eq(check & ~findings_default(FINDING_BY_CHECK), finding_bit(FINDING_NEGATIVE) |
                                                                  finding_bit(FINDING_BLANK) |
                                                                  finding_bit(FINDING_HEADER));
}

/* ---- Lists of kinds -------------------------------------------------------------------------- */

Test(findings, lists_of_kinds)
{
    const finding_mask pairs = findings_by(FINDING_OF_PAIRS), check = findings_by(FINDING_BY_CHECK);
    const struct {
        const char *list;
        unsigned by;
        finding_mask kinds;
    } rows[] = {{"none", FINDING_BY_CHECK, 0},
                {"all", FINDING_BY_CHECK, check},
                {"all", FINDING_OF_PAIRS, pairs},
                {"all", FINDING_OF_PAIRS | FINDING_BY_CHECK, pairs | check},
                {"nan,flat-area", FINDING_BY_CHECK,
                 finding_bit(FINDING_NAN) | finding_bit(FINDING_FLAT_AREA)},
                {"nan,all", FINDING_BY_CHECK, check},
                {"missing", FINDING_BY_CHECK, finding_bit(FINDING_MISSING)},
                {"channel-swap", FINDING_OF_PAIRS, finding_bit(FINDING_CHANNEL_SWAP)},
                {"frame-order,nan,nan", FINDING_BY_CHECK,
                 finding_bit(FINDING_FRAME_ORDER) | finding_bit(FINDING_NAN)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        finding_mask kinds = 1;
        cr_expect_eq(findings_read(rows[i].list, rows[i].by, "--x", &kinds, NULL), SSIMCU_OK, "%s",
                     rows[i].list);
        cr_expect_eq(kinds, rows[i].kinds, "%s", rows[i].list);
    }
}

/* Kinds that another origin makes are unknown, as words that are no kinds; the message has all that
 * are known. */
Test(findings, lists_that_are_refused)
{
    static const struct {
        const char *list;
        unsigned by;
    } rows[] = {{"", FINDING_BY_CHECK},
                {"nan,", FINDING_BY_CHECK},
                {",nan", FINDING_BY_CHECK},
                {"nan,,block", FINDING_BY_CHECK},
                {"nans", FINDING_BY_CHECK},
                {"nan block", FINDING_BY_CHECK},
                {"nan,none", FINDING_BY_CHECK},
                {"NAN", FINDING_BY_CHECK},
                {"min_tile", FINDING_OF_PAIRS},
                {"fail_on", FINDING_OF_PAIRS},
                {"failed", FINDING_OF_PAIRS},
                {"shift", FINDING_BY_CHECK},
                {"nan,channel-shift", FINDING_BY_CHECK},
                {"nan", FINDING_OF_PAIRS},
                {"duplicate,missing", FINDING_OF_PAIRS}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        finding_mask kinds;
        ssimcu_message why = {{0}};
        cr_expect_eq(findings_read(rows[i].list, rows[i].by, "--some", &kinds, &why),
                     SSIMCU_ERROR_ARGUMENT, "%s", rows[i].list);
        cr_expect_eq(strncmp(why.text, "--some ", 7), 0, "%s", why.text);
        cr_expect(strstr(why.text, ": expected kinds separated by commas: "), "%s", why.text);
        cr_expect(strstr(why.text, ", all or none"), "%s", why.text);
        cr_expect_eq(strstr(why.text, ", shift,") != NULL, rows[i].by == FINDING_OF_PAIRS);
    }
}

/* The names of all kinds there are have room. */
Test(findings, names)
{
    char text[FINDING_NAMES];
    const finding_mask two = finding_bit(FINDING_NAN) | finding_bit(SSIMCU_LIMIT_MIN_TILE);
    cr_expect_str_eq(findings_names(text, 0, ";"), "");
    cr_expect_str_eq(findings_names(text, two, ";"), "min_tile;nan");
    (void)findings_names(text, ((finding_mask)1 << FINDING_KINDS) - 1, ", ");
    cr_expect(strlen(text) + 1 < FINDING_NAMES && strstr(text, ", foreign-frame"), "%s", text);
}

/* ---- What they say --------------------------------------------------------------------------- */

/* A kind and a place are said, unless the text says them: a hint begins with its kind, and a limit
 * has both. */
Test(findings, lines)
{
    static const struct {
        enum finding_kind kind;
        struct finding_place place;
        const char *text, *line;
    } rows[] = {{FINDING_NAN, {5, 6, 1, 2}, "3 samples", "nan: 3 samples at 1x2+5+6"},
                {FINDING_NAN, {0}, "3 samples", "nan: 3 samples"},
                {FINDING_SHIFT, {0}, "shift +1 +0", "shift +1 +0"},
                {FINDING_DUPLICATE, {0}, "duplicate", "duplicate"},
                {FINDING_DUPLICATE,
                 {0},
                 "it repeats the one before",
                 "duplicate: it repeats the one before"},
                {FINDING_MISSING, {0}, "missing: out", "missing: out"},
                {FINDING_FAILED, {0}, "x.png: cut off", "x.png: cut off"},
                {(enum finding_kind)SSIMCU_LIMIT_MIN_TILE,
                 {64, 128, 64, 32},
                 "tile 0.25 at 64x32+64+128 under --min-tile 0.5",
                 "tile 0.25 at 64x32+64+128 under --min-tile 0.5"}};
    struct findings list = {0};
    char line[FINDING_LINE], all[1024], few[24];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct finding *made =
            findings_add(&list, rows[i].kind, rows[i].place, NAN, "%s", rows[i].text);
        cr_assert(made);
        cr_expect_str_eq(finding_line(line, made), rows[i].line, "%s", line);
    }
    cr_expect_str_eq(findings_line(all, sizeof all, &list,
                                   finding_bit(FINDING_NAN) | finding_bit(FINDING_SHIFT)),
                     "nan: 3 samples at 1x2+5+6; nan: 3 samples; shift +1 +0", "%s", all);
    cr_expect_str_eq(findings_line(all, sizeof all, &list, 0), "");
    (void)findings_line(few, sizeof few, &list, ~(finding_mask)0);
    cr_expect_str_eq(few, "nan: 3 samples at 1x2+5"); /* as much as there is room for */
    findings_free(&list);
}

/* ---- Lists of findings ----------------------------------------------------------------------- */

Test(findings, lists)
{
    struct findings list = {0}, copy;
    char text[FINDING_TEXT + 200];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    cr_expect(findings_copy(&copy, &list) && copy.count == 0 && !copy.at);
    for (int i = 0; i < 100; i++) {
        struct finding *made =
            findings_add(&list, i % 2 ? FINDING_NAN : FINDING_BLACK, SPOT, i, "%d %s", i, text);
        cr_assert(made && !made->fails && isnan(made->limit) && made->value == i);
        cr_expect_eq(strlen(made->text), FINDING_TEXT - 1u); /* a text that is cut off ends */
        made->fails = i == 99;
    }
    cr_expect_eq(findings_kinds(&list), finding_bit(FINDING_NAN) | finding_bit(FINDING_BLACK));
    cr_expect_eq(findings_failing(&list), finding_bit(FINDING_NAN));
    cr_assert(findings_copy(&copy, &list) && copy.count == 100 && copy.at != list.at);
    findings_keep(&list, finding_bit(FINDING_BLACK));
    cr_expect(list.count == 50 && list.at[0].value == 0 && list.at[25].value == 50 &&
              list.at[49].value == 98);
    findings_keep(&list, 0);
    cr_expect(list.count == 0 && findings_failing(&list) == 0);
    findings_free(&list);
    cr_expect(copy.at[0].value == 0 && copy.at[50].value == 50 && copy.at[99].fails);
    cr_assert(findings_add(&copy, FINDING_GARBAGE, WHOLE, NAN, "one more"));
    cr_expect(copy.count == 101 && copy.at[100].kind == FINDING_GARBAGE && copy.at[99].value == 99);
    findings_free(&copy);
    cr_expect(!copy.at && copy.count == 0);
    findings_free(&copy);
}

/* A number that no shot can lack is one frame. */
Test(findings, frames_that_are_missing)
{
    static const double numbers[][2] = {{1, 1},   {2, 2},        {999999, 999999}, {0, 1},  {-3, 1},
                                        {NAN, 1}, {INFINITY, 1}, {1e300, 1},       {0.5, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct finding gap = {.kind = FINDING_MISSING, .value = numbers[i][0]};
        cr_expect_eq(finding_lacks(&gap), (uint64_t)numbers[i][1], "%g", numbers[i][0]);
    }
}

/* ---- Results --------------------------------------------------------------------------------- */

/* A frame without a reference, with one finding. */
static struct record checked(enum finding_kind kind, struct finding_place place, double value)
{
    struct record record = {.frame = 7, .kind = RECORD_CHECKED};
    record.shot = strdup("sh010"), record.side[1].path = strdup("a.7.png");
    cr_assert(findings_add(&record.findings, kind, place, value, "a \"sentence\", of it"));
    return record;
}

static void expect_back(enum finding_kind kind, struct finding_place place, double value)
{
    struct record record = checked(kind, place, value), back;
    struct finding *made = &record.findings.at[0];
    made->fails = true;
    char *line = record_to_json(&record), text[40] = "";
    cr_assert_eq(record_from_json(line, &back), SSIMCU_OK, "%s", line);
    cr_assert_eq(back.findings.count, 1u, "%s", line);
    const struct finding *got = &back.findings.at[0];
    cr_expect(got->kind == kind && !got->fails && isnan(got->limit), "%s", line);
    cr_expect(isnan(value) ? isnan(got->value) : got->value == value, "%s", line);
    cr_expect_eq(memcmp(&got->place, &place, sizeof place), 0, "%s", line);
    cr_expect_str_eq(got->text, made->text);
    snprintf(text, sizeof text, "\"kind\":\"%s\",\"fails\":true", finding_row(kind)->name);
    cr_expect(strstr(line, text), "%s", line);
    cr_expect_eq(strstr(line, "\"value\":") != NULL, !isnan(value), "%s", line);
    cr_expect_eq(strstr(line, "\"x\":") != NULL, place.width > 0, "%s", line);
    free(line);
    record_clear(&record), record_clear(&back);
}

/* The first kind, one in the middle and the last come back, with and without place and number. */
Test(findings, json_and_back)
{
    static const enum finding_kind kinds[] = {FINDING_MISSING, FINDING_UNREADABLE, FINDING_ALPHA,
                                              FINDING_NAN, FINDING_KINDS - 1};
    const struct finding_place last = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        expect_back(kinds[i], WHOLE, NAN);
        expect_back(kinds[i], SPOT, 0.1);
        expect_back(kinds[i], (struct finding_place){0, 0, 1, 1}, 0);
        expect_back(kinds[i], WHOLE, -3);
        expect_back(kinds[i], last, NAN);
    }
}

/* Two columns of CSV: the kinds that fail, and all findings in words. */
Test(findings, columns_of_csv)
{
    static const enum finding_kind kinds[] = {FINDING_MISSING, FINDING_ALPHA, FINDING_KINDS - 1};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (int fails = 0; fails < 2; fails++) {
            struct record record = checked(kinds[i], fails ? SPOT : WHOLE, 3);
            const char *name = finding_row(kinds[i])->name;
            char expected[200];
            cr_assert(findings_add(&record.findings, FINDING_BLANK, WHOLE, NAN, "blank"));
            record.findings.at[0].fails = record.findings.at[1].fails = fails;
            char *line = record_to_csv(&record);
            snprintf(expected, sizeof expected,
                     "%s%s%s,\"%s: a \"\"sentence\"\", of it%s; blank\",sh010",
                     fails && kinds[i] < FINDING_BLANK ? name
                     : fails                           ? "blank"
                                                       : "",
                     fails ? ";" : "",
                     !fails                     ? ""
                     : kinds[i] < FINDING_BLANK ? "blank"
                                                : name,
                     name, fails ? " at 1x2+5+6" : "");
            cr_expect(strstr(line, expected), "%s, not %s", line, expected);
            free(line);
            record_clear(&record);
        }
}

/* Who reads a record judges it again: what limits said, and that a pair is missing or has failed,
 * is not read. */
Test(findings, what_is_not_read_back)
{
    struct record record = checked((enum finding_kind)SSIMCU_LIMIT_MIN_FRAME, SPOT, 0.5), back;
    for (int kind = 0; kind < FINDING_MISSING; kind++)
        cr_assert(findings_add(&record.findings, (enum finding_kind)kind, WHOLE, 1, "x"));
    cr_assert(findings_add(&record.findings, FINDING_FAILED, WHOLE, NAN, "cut"));
    char *line = record_to_json(&record);
    cr_assert_eq(record_from_json(line, &back), SSIMCU_OK, "%s", line);
    cr_expect_eq(back.findings.count, 0u, "%s", line);
    free(line);
    record_clear(&record), record_clear(&back);
    record = checked(FINDING_MISSING, WHOLE, NAN);
    record.kind = RECORD_MISSING, record.missing[1] = true, record.side[0].path = strdup("r.png");
    line = record_to_json(&record);
    cr_assert_eq(record_from_json(line, &back), SSIMCU_OK, "%s", line);
    cr_expect_eq(back.findings.count, 0u, "a pair that is missing");
    free(line);
    record_clear(&record), record_clear(&back);
}

/* A finding that is damaged makes its line damaged; a kind of a later version is passed over. */
Test(findings, findings_that_are_none)
{
    static const char *const damaged[] = {
        "7",
        "{}",
        "[7]",
        "[{\"kind\":\"nan\"}]",
        "[{\"text\":\"nan\"}]",
        "[{\"kind\":7,\"text\":\"x\"}]",
        "[{\"kind\":\"nan\",\"text\":\"x\",\"value\":\"3\"}]",
        "[{\"kind\":\"nan\",\"text\":\"x\",\"width\":1}]",
        "[{\"kind\":\"nan\",\"text\":\"x\",\"x\":-1,\"y\":0,\"width\":1,\"height\":1}]",
        "[{\"kind\":\"nan\",\"text\":\"x\",\"x\":0,\"y\":0,\"width\":4294967296,\"height\":1}]",
        "[{\"kind\":\"nan\",\"text\":\"x\",\"x\":0,\"y\":0,\"width\":1,\"height\":0.5}]"};
    for (size_t i = 0; i <= sizeof damaged / sizeof *damaged; i++) {
        const bool later = i == sizeof damaged / sizeof *damaged;
        char line[400];
        struct record back;
        snprintf(line, sizeof line,
                 "{\"type\":\"frame\",\"frame\":1,\"status\":\"checked\",\"ref\":null,\"out\":"
                 "{\"path\":\"x\"},\"findings\":%s}",
                 later ? "[{\"kind\":\"of-2030\",\"text\":\"x\"}]" : damaged[i]);
        cr_expect_eq(record_from_json(line, &back), later ? SSIMCU_OK : SSIMCU_ERROR_DATA, "%s",
                     line);
        if (!later) continue;
        cr_expect_eq(back.findings.count, 0u);
        record_clear(&back);
    }
}

/* ---- Limits ---------------------------------------------------------------------------------- */

static struct record scored(void)
{
    struct record record = {.frame = 3,
                            .kind = RECORD_SCORED,
                            .scored.score = 0.5,
                            .scored.channels = 1,
                            .scored.layout = "grey",
                            .scored.backend = "cpu",
                            .scored.tile = {0.25, 64, 128, 32, 16},
                            .scored.level_shift = {-5, 0, 1, 2, 3, 4},
                            .scored.diff = {1, 0.125, 40, 9, 8, 7, 6}};
    record.metrics = 1u << SSIMCU_METRIC_PSNR;
    record.metric[SSIMCU_METRIC_PSNR] = 30;
    return record;
}

/* Each limit that a frame is beyond is a finding, with its number, the limit and its place. */
Test(findings, of_limits)
{
    static const struct {
        int kind;
        double limit, value;
        struct finding_place place;
        const char *text;
    } rows[] = {
        {SSIMCU_LIMIT_MIN_FRAME, 0.75, 0.5, {0}, "score 0.500000000 under --min-frame 0.75"},
        {(enum finding_kind)SSIMCU_LIMIT_MIN_TILE,
         0.5,
         0.25,
         {64, 128, 32, 16},
         "tile 0.250000000 at 32x16+64+128 under --min-tile 0.5"},
        {SSIMCU_LIMIT_MAX_DROP,
         0.25,
         0.375,
         {0},
         "score 0.500000000, was 0.875000000: over --max-drop 0.25"},
        {SSIMCU_LIMIT_MAX_TILE_DROP,
         0.25,
         0.5,
         {64, 128, 32, 16},
         "tile 0.250000000 at 32x16+64+128, was 0.750000000: over --max-tile-drop 0.25"},
        {SSIMCU_LIMIT_MAX_LEVEL_SHIFT,
         4,
         5,
         {1, 2, 3, 4},
         "level shift -5.000 of grey at 3x4+1+2 over --max-level-shift 4"},
        {SSIMCU_LIMIT_MAX_DIFF_RATIO,
         0.0625,
         0.125,
         {9, 8, 7, 6},
         "diff ratio 0.125000000 at 7x6+9+8 over --max-diff-ratio 0.0625"},
        {SSIMCU_LIMIT_MAX_DIFF_CLUSTER,
         39,
         40,
         {9, 8, 7, 6},
         "diff cluster 40 pixels at 7x6+9+8 over --max-diff-cluster 39"},
        {FINDING_OF_METRIC(SSIMCU_METRIC_PSNR),
         31,
         30,
         {0},
         "psnr 30.000000000 under --min-frame psnr=31"}};
    enum { ROWS = sizeof rows / sizeof *rows };
    const struct verdict_baseline before = {0.875, 0.75, true};
    struct record record = scored();
    struct limits limits = {0};
    struct verdict verdict;
    for (int i = 0; i < ROWS; i++) limits_set(&limits, rows[i].kind, rows[i].limit);
    verdict_start(&verdict, &limits);
    (void)verdict_add(&verdict, &record, &before);
    cr_assert_eq(record.findings.count, (size_t)ROWS);
    for (int i = 0; i < ROWS; i++) {
        const struct finding *found = &record.findings.at[i];
        cr_expect((int)found->kind == rows[i].kind && found->fails, "%d: %s", i, found->text);
        cr_expect(found->value == rows[i].value && found->limit == rows[i].limit, "%d: %g, %g", i,
                  found->value, found->limit);
        cr_expect_eq(memcmp(&found->place, &rows[i].place, sizeof found->place), 0, "%d", i);
        cr_expect_str_eq(found->text, rows[i].text, "%s", found->text);
    }
    cr_expect(verdict.found == 1 && verdict.of_kind[SSIMCU_LIMIT_MAX_DIFF_CLUSTER] == 1);
    verdict_free(&verdict);
    findings_free(&record.findings);
}

/* What keeps to its limits has no finding; what cannot be held against one has it without a number
 * and a place. */
Test(findings, of_limits_that_are_kept_or_idle)
{
    struct record record = scored();
    struct limits limits = {0};
    struct verdict verdict;
    limits_set(&limits, SSIMCU_LIMIT_MIN_FRAME, 0.5);
    limits_set(&limits, SSIMCU_LIMIT_MIN_TILE, 0.25);
    limits_set(&limits, SSIMCU_LIMIT_MAX_LEVEL_SHIFT, 5);
    limits_set(&limits, SSIMCU_LIMIT_MAX_DIFF_CLUSTER, 40);
    verdict_start(&verdict, &limits);
    (void)verdict_add(&verdict, &record, NULL);
    cr_expect(record.findings.count == 0 && verdict.found == 0);
    record.scored.tile.width = 0, record.scored.diff.known = 0;
    (void)verdict_add(&verdict, &record, NULL);
    cr_assert_eq(record.findings.count, 2u);
    for (int i = 0; i < 2; i++) {
        const struct finding *found = &record.findings.at[i];
        cr_expect(found->fails && isnan(found->value) && found->place.width == 0, "%d", i);
        cr_expect(found->limit == (i ? 40 : 0.25), "%d: %g", i, found->limit);
        cr_expect_str_eq(found->text, finding_row(found->kind)->unjudged);
    }
    verdict_free(&verdict);
    findings_free(&record.findings);
}

/* A pair that is missing or has failed has a finding that says so, once. */
Test(findings, of_pairs_that_have_no_score)
{
    struct record missing = {.frame = 1, .kind = RECORD_MISSING, .missing = {false, true}},
                  failed = {.frame = 2,
                            .kind = RECORD_FAILED,
                            .status = SSIMCU_ERROR_DATA,
                            .message = {"x.png: cut off"}};
    struct limits limits = {0};
    struct verdict verdict;
    verdict_start(&verdict, &limits);
    (void)verdict_add(&verdict, &missing, NULL);
    (void)verdict_add(&verdict, &failed, NULL);
    cr_assert(missing.findings.count == 1 && failed.findings.count == 1);
    cr_expect(missing.findings.at[0].kind == FINDING_MISSING && missing.findings.at[0].fails);
    cr_expect_str_eq(missing.findings.at[0].text, "missing: out");
    cr_expect(failed.findings.at[0].kind == FINDING_FAILED && failed.findings.at[0].fails);
    cr_expect_str_eq(failed.findings.at[0].text, "x.png: cut off");
    verdict_free(&verdict);
    findings_free(&missing.findings), findings_free(&failed.findings);
    limits.allow_missing = true;
    verdict_start(&verdict, &limits);
    (void)verdict_add(&verdict, &missing, NULL);
    cr_assert_eq(missing.findings.count, 1u);
    cr_expect_not(missing.findings.at[0].fails);
    verdict_free(&verdict);
    findings_free(&missing.findings);
}
