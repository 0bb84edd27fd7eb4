/* Limits of learned limits: the rule that is furthest beyond its own, records without learned
 * limits, and the words. */
#include "check.h"
#include "judged.h"
#include "lines/lines.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The limits of two shots; texture does not count in the second. */
static struct limits_shot shots[] = {{"*", {5, 5, 5, 5, 50, 6.125}},
                                     {"sh030/*", {5, 0, 0, 0, 50, 0}}};

static struct limits_file file = {
    .path = "dir/limits.json",
    .learned = {.path = "dir/limits.learned", .tile = 32, .shot = shots, .shots = 2}};

static struct limits learned(void)
{
    struct limits limits = {0};
    limits.file = &file;
    return limits;
}

static struct record beyond(const char *shot, double score, double bright, double dark)
{
    return (struct record){.frame = 7,
                           .kind = RECORD_SCORED,
                           .shot = (char *)(uintptr_t)shot,
                           .scored.score = 1,
                           .scored.channels = 3,
                           .scored.channel = {1, 1, 1},
                           .scored.layout = "rgb",
                           .scored.backend = "cpu",
                           .learned = {.known = true,
                                       .z = {score, 1, 2, 3, bright, dark},
                                       .place = {[LEARNED_SCORE] = {32, 64, 32, 32, 0},
                                                 [LEARNED_BRIGHT] = {0, 0, 20, 8, 2},
                                                 [LEARNED_DARK] = {64, 128, 32, 32, 1}}}};
}

Test(verdict_learned, each_rule_has_a_limit)
{
    const struct limits limits = learned();
    const struct {
        const char *shot;
        double score, bright, dark;
        bool bad;
    } cases[] = {{"a", 5, 50, 6.125, false},    {"a", nextafter(5, 6), 0, 0, true},
                 {"a", 0, 50.5, 0, true},       {"a", 0, 0, nextafter(6.125, 7), true},
                 {"a", -1e9, -1, -2, false},    {"sh030", 5, 50, 1e9, false},
                 {"sh030", 5.5, 50, 1e9, true}, {NULL, 0, 0, 7, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct record record =
            beyond(cases[i].shot, cases[i].score, cases[i].bright, cases[i].dark);
        cr_assert_eq(verdict_judge(&limits, &record, NULL, NULL).fails,
                     cases[i].bad ? 1u << FINDING_LEARNED : 0u, "%zu", i);
    }
}

/* Measured by its limit, dark is further beyond than bright. */
Test(verdict_learned, in_words)
{
    const struct limits limits = learned();
    struct record record = beyond("a", 4, 60, 9.125);
    char text[VERDICT_BEYOND], name[VERDICT_LIMIT];
    cr_assert_str_eq(beyond_text(text, &limits, FINDING_LEARNED, &record),
                     "dark 9.12 of g at 32x32+64+128 over max_excess 6.125 of *");
    record = beyond("sh030", 4, 60, 9.125);
    cr_assert_str_eq(beyond_text(text, &limits, FINDING_LEARNED, &record),
                     "bright 60.00 of b at 20x8+0+0 over max_excess 50 of sh030/*");
    record = beyond("sh030", 6, 0, 0);
    cr_assert_str_eq(beyond_text(text, &limits, FINDING_LEARNED, &record),
                     "score 6.00 at 32x32+32+64 over max_excess 5 of sh030/*");
    record.learned.place[LEARNED_SCORE].width = 0; /* read from results that had another place */
    cr_assert_str_eq(beyond_text(text, &limits, FINDING_LEARNED, &record),
                     "score 6.00 over max_excess 5 of sh030/*");
    cr_assert_str_eq(verdict_limit_name(name, &limits, FINDING_LEARNED),
                     "max_excess of limits.json");
}

/* Without limits, or with none for any rule, the highest counts. */
Test(verdict_learned, the_worst_rule)
{
    const double z[LEARNED_RULES] = {4, 1, 2, -3, 60, 9},
                 low[LEARNED_RULES] = {-4, -1, -2, -3, -6, -9, -9, -9, -9, -9};
    cr_assert_eq(record_learned_worst(NULL, z), LEARNED_BRIGHT);
    cr_assert_eq(record_learned_worst((const double[LEARNED_RULES]){0}, z), LEARNED_BRIGHT);
    cr_assert_eq(record_learned_worst(shots[0].max_excess, z), LEARNED_DARK);
    cr_assert_eq(record_learned_worst(NULL, low), LEARNED_LEVEL_SHIFT);
    cr_assert_eq(record_learned_worst(shots[1].max_excess, low), LEARNED_BRIGHT);
}

/* A frame without learned limits is beyond them: a limit never passes what it did not judge. */
Test(verdict_learned, what_has_no_learned_is_not_judged)
{
    const struct limits limits = learned();
    struct verdict verdict;
    struct summary summary;
    verdict_start(&verdict, &limits);
    summary_start(&summary, 0);
    for (int i = 0; i < 4; i++) {
        struct record record = beyond("a", 0, i == 1 ? 75 : i == 2 ? 100 : 0, 0);
        record.frame = i;
        record.learned.known = i != 3;
        summary_add(&summary, &record);
        add_judged(&verdict, &record, NULL);
    }
    summary.complete = true;
    cr_assert(summary_finish(&summary) && verdict_finish(&verdict, &summary));
    cr_assert(!verdict.passed && verdict.count[FINDING_LEARNED] == 3 && verdict.bad == 3);
    cr_assert(verdict.limited[FINDING_LEARNED] == 4 && verdict.unjudged[FINDING_LEARNED] == 1);
    cr_assert(verdict.extreme[FINDING_LEARNED].known &&
              verdict.extreme[FINDING_LEARNED].frame == 2);
    cr_assert(strncmp(verdict.extreme[FINDING_LEARNED].text, "bright 100.00 ", 14) == 0);
    char *line = summary_to_json(&summary, &verdict);
    cr_assert(
        strstr(line, "{\"kind\":\"learned\",\"count\":3,\"frames\":[\"a/1\",\"a/2\",\"a/3\"]}"));
    cr_assert(strstr(line, "\"kind\":\"learned\",\"fails\":true,\"value\":75.0,\"limit\":50.0,"));
    cr_assert(strstr(line, " over max_excess 50 of *\""));
    cr_assert(
        strstr(line, "\"kind\":\"learned\",\"fails\":true,\"text\":\"without learned limits"));
    free(line);
    verdict_free(&verdict);
    summary_free(&summary);
}

/* A frame of a shot that was never learnt cannot be judged, so it counts as over its learned
 * limits. */
Test(verdict_learned, learned_of_other_shots_do_not_pass)
{
    struct limits_shot other = {"sh99/*", {5, 5, 5, 5, 5, 5}};
    struct limits_file only = {
        .path = "l.json", .learned = {.path = "l.learned", .tile = 32, .shot = &other, .shots = 1}};
    struct limits limits = learned();
    struct verdict verdict;
    struct summary summary;
    const struct record record = beyond("a", 0, 0, 0);
    limits.file = &only;
    verdict_start(&verdict, &limits);
    summary_start(&summary, 0);
    summary_add(&summary, &record);
    add_judged(&verdict, &record, NULL);
    summary.complete = true;
    cr_assert(summary_finish(&summary) && verdict_finish(&verdict, &summary));
    cr_assert(!verdict.passed && verdict.bad == 1 && verdict.unjudged[FINDING_LEARNED] == 1);
    verdict_free(&verdict);
    summary_free(&summary);
}

/* Numbers that were written by hand, or that a disk has lost, are no record. */
Test(verdict_learned, what_is_read_must_be_whole)
{
    static const char *const changes[][2] = {{"\"worst\":\"dark\"", "\"worst\":\"dork\""},
                                             {"\"worst\":\"dark\",", ""},
                                             {"\"texture\":3.0", "\"texture\":\"3\""},
                                             {"\"texture\":3.0,", ""},
                                             {"\"y\":128", "\"y\":-1"},
                                             {"\"channel\":\"g\"", "\"channel\":\"y\""}};
    struct record record = beyond("a", 0, 0, 9.5), again;
    record.learned_worst = LEARNED_DARK;
    char *line = record_to_json(&record);
    cr_assert_eq(record_from_json(line, &again), SSIMCU_OK);
    cr_assert(again.learned.known && again.learned.z[LEARNED_DARK] == 9.5);
    record_clear(&again);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char changed[2048];
        const char *at = strstr(line, changes[i][0]);
        cr_assert(at, "%s in %s", changes[i][0], line);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - line), line, changes[i][1],
                 at + strlen(changes[i][0]));
        cr_expect_eq(record_from_json(changed, &again), SSIMCU_ERROR_DATA, "%s", changed);
    }
    free(line);
}

/* How much of its limit a frame uses, and the tile that a page boxes, are those of the rule that is
 * furthest beyond, not of the lowest SSIM. */
Test(verdict_learned, excess_and_place)
{
    const struct limits limits = learned();
    struct record record = beyond("a", 4, 60, 9.1875);
    char text[VERDICT_FURTHEST];
    record.scored.tile = (ssimcu_tile){0.25, 7, 8, 32, 32};
    struct judged judged = verdict_judge(&limits, &record, NULL, NULL);
    ssimcu_tile place = verdict_place(&judged, &record);
    cr_assert(judged.excess == 1.5 && judged.furthest == FINDING_LEARNED);
    cr_assert(place.x == 64 && place.y == 128 && place.width == 32 && place.height == 32);
    cr_assert_str_eq(verdict_furthest(text, &judged, &record),
                     "dark 9.19 (limit 6.125) of g at 32x32+64+128");
    const double whole[LEARNED_RULES] = {5, 7, 7, 9, 60, 7.5, 4, 4, 4, 4};
    struct limits frame = limits;
    frame.file = NULL;
    frame.max_excess = whole;
    record.learned.z[LEARNED_FRAME_TEXTURE] = 6;
    record.learned.place[LEARNED_FRAME_TEXTURE] =
        (struct learned_place){.width = 320, .height = 180};
    judged.own = frame;
    judged.excess = 1.5;
    cr_assert_str_eq(verdict_furthest(text, &judged, &record), "frame texture 6.00 (limit 4)");
    place = verdict_place(&judged, &record);
    cr_assert(place.x == 64 && place.width == 32, "the tile that is furthest");
    cr_assert(verdict_excess(&judged) == 1.5);
    cr_assert_str_eq(verdict_standing(&judged), "furthest over a limit");
    record.learned.known = false;
    judged = verdict_judge(&limits, &record, NULL, NULL);
    cr_assert_str_eq(verdict_standing(&judged), "not judged");
    place = verdict_place(&judged, &record);
    cr_assert(isinf(judged.excess) && place.x == 7 && place.y == 8, "not judged: the worst tile");
    cr_assert_str_eq(verdict_furthest(text, &judged, &record),
                     "without learned limits for this REF");
    const struct limits none = {0};
    judged = verdict_judge(&none, &record, NULL, NULL);
    place = verdict_place(&judged, &record);
    cr_assert(!verdict_is_limited(&judged) && place.x == 7);
}

/* A value that is no number, as another tool may print, is beyond its limit: it was judged. */
Test(verdict_learned, no_number_is_beyond)
{
    struct limits limits = {0};
    struct record record = beyond("a", 4, 60, 9);
    limits_set(&limits, limits_fault(SSIMCU_METRIC_PSNR), 30);
    record.metrics = 1u << SSIMCU_METRIC_SSIM | 1u << SSIMCU_METRIC_PSNR;
    record.metric[SSIMCU_METRIC_PSNR] = NAN;
    struct judged judged = verdict_judge(&limits, &record, NULL, NULL);
    cr_assert(isinf(verdict_excess(&judged)));
    cr_assert_str_eq(verdict_standing(&judged), "furthest over a limit");
    record.metrics = 1u << SSIMCU_METRIC_SSIM;
    judged = verdict_judge(&limits, &record, NULL, NULL);
    cr_assert_str_eq(verdict_standing(&judged), "not judged");
    const struct limits none = {0};
    judged = verdict_judge(&none, &record, NULL, NULL);
    cr_assert(isnan(verdict_excess(&judged)));
}
