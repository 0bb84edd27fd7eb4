/* Whether a batch kept to its limits. */
#include "check.h"
#include "judged.h"
#include "lines/lines.h"
#include "put_hints.h"
#include "record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct record scored(int64_t frame, double score)
{
    return (struct record){.frame = frame,
                           .kind = RECORD_SCORED,
                           .scored.score = score,
                           .scored.channels = 1,
                           .scored.channel = {score},
                           .scored.layout = "grey",
                           .scored.backend = "cpu",
                           .scored.tile = {score - 0.5, (uint32_t)frame, 0, 64, 64}};
}

static const struct limits NO_LIMITS;

static void judge(struct verdict *verdict, const struct limits *limits, const struct record *record,
                  size_t count, bool complete)
{
    struct summary summary;
    summary_start(&summary, 0);
    verdict_start(verdict, limits);
    for (size_t i = 0; i < count; i++) {
        add_judged(verdict, &record[i], NULL);
        summary_add(&summary, &record[i]);
    }
    cr_assert(summary_finish(&summary));
    summary.complete = complete;
    cr_assert(verdict_finish(verdict, &summary));
    summary_free(&summary);
}

static bool passes(const struct limits *limits, const struct record *record, size_t count)
{
    struct verdict verdict;
    judge(&verdict, limits, record, count, true);
    const bool passed = verdict.passed;
    verdict_free(&verdict);
    return passed;
}

/* A value equal to a limit keeps it. */
Test(verdict, equal_to_the_limit_passes)
{
    const struct record record[] = {scored(1, 0.1), scored(2, 0.7)};
    struct limits mean = NO_LIMITS, frame = NO_LIMITS, tile = NO_LIMITS;
    cr_assert(passes(&NO_LIMITS, record, 2));
    limits_set_score(&mean, SSIMCU_METRIC_SSIM, (0.1 + 0.7) / 2);
    limits_set(&frame, SSIMCU_LIMIT_MIN_FRAME, 0.1);
    limits_set(&tile, SSIMCU_LIMIT_MIN_TILE, 0.1 - 0.5);
    cr_assert(passes(&mean, record, 2) && passes(&frame, record, 2) && passes(&tile, record, 2));
    limits_set_score(&mean, SSIMCU_METRIC_SSIM, nextafter(limits_score(&mean, 0), 1));
    limits_set(&frame, SSIMCU_LIMIT_MIN_FRAME,
               nextafter(limits_number(&frame, SSIMCU_LIMIT_MIN_FRAME), 1));
    limits_set(&tile, SSIMCU_LIMIT_MIN_TILE,
               nextafter(limits_number(&tile, SSIMCU_LIMIT_MIN_TILE), 1));
    cr_assert_not(passes(&mean, record, 2));
    cr_assert_not(passes(&frame, record, 2));
    cr_assert_not(passes(&tile, record, 2));
}

/* The frame with the most clamped pixels is named: the first, the middle or the last, and of equal
 * ones the first. */
Test(verdict, the_most_clamped_frame)
{
    for (int most = 0; most <= 3; most++) {
        struct record record[] = {scored(1, 1), scored(2, 1), scored(3, 1)};
        struct verdict verdict;
        for (int i = 0; i < 3; i++)
            record[i].scored.light[i % 2] =
                (ssimcu_light_share){.known = true, .clamped = i == most ? 0.5 : 0.25};
        judge(&verdict, &NO_LIMITS, record, 3, true);
        cr_expect_eq(verdict.clamped_frame, most < 3 ? most + 1 : 1);
        cr_expect_eq(verdict.most_clamped, most < 3 ? 0.5 : 0.25);
        verdict_free(&verdict);
    }
}

/* A finding makes a frame fail if its kind is named, however the frame was read. */
Test(verdict, findings_can_fail)
{
    struct record record[] = {scored(1, 1), scored(2, 1)};
    struct limits limits = NO_LIMITS;
    put_hints(&record[1], "depth REF 16 OUT 8; frame-offset +1");
    cr_assert(passes(&limits, record, 2)); /* of pairs no kind fails on itself */
    limits.has_fail_on = true;
    cr_assert(passes(&limits, record, 2));
    limits.fail_on = finding_bit(FINDING_DUPLICATE) | finding_bit(FINDING_GAIN);
    cr_assert(passes(&limits, record, 2));
    limits.fail_on = finding_bit(FINDING_DUPLICATE) | finding_bit(FINDING_FRAME_OFFSET);
    cr_assert_not(passes(&limits, record, 2));
    limits.max_bad = 1;
    cr_assert(passes(&limits, record, 2));
    record[1].by_nvdec[1] = true; /* its frames were read back */
    limits.max_bad = 0;
    cr_assert_not(passes(&limits, record, 2));
    record_clear(&record[1]);
}

/* A frame without a reference fails by the kinds that clean work does not have, or by those of
 * --fail-on alone. */
Test(verdict, findings_of_frames_without_a_reference)
{
    struct record record[] = {{.frame = 1, .kind = RECORD_CHECKED},
                              {.frame = 2, .kind = RECORD_CHECKED}};
    struct limits limits = NO_LIMITS;
    struct verdict verdict;
    limits.alone = true;
    const struct finding_place whole = {0};
    cr_assert(findings_add(&record[1].findings, FINDING_BLANK, whole, NAN, "blank"));
    cr_assert(passes(&limits, record, 2));
    cr_assert(findings_add(&record[1].findings, FINDING_NAN, whole, 3, "3 samples"));
    cr_assert_not(passes(&limits, record, 2));
    limits.has_fail_on = true;
    cr_assert(passes(&limits, record, 2));
    limits.fail_on = finding_bit(FINDING_BLANK);
    judge(&verdict, &limits, record, 2, true);
    cr_assert(!verdict.passed && verdict.too_many && verdict.bad == 1 && verdict.found == 1);
    cr_assert(verdict.count[FINDING_BLANK] == 1 && verdict.count[FINDING_NAN] == 0);
    cr_assert(verdict.of_kind[FINDING_BLANK] == 1 && verdict.of_kind[FINDING_NAN] == 1);
    cr_assert(verdict.listed == 1 && verdict.frame[0].findings.count == 2);
    cr_assert(verdict.frame[0].findings.at[0].fails && !verdict.frame[0].findings.at[1].fails);
    verdict_free(&verdict);
    record_clear(&record[1]);
}

Test(verdict, frames_and_faults)
{
    struct record record[] = {scored(1, 0.9), scored(2, 0.4), scored(3, 0.9), scored(4, 0.7)};
    struct limits limits = NO_LIMITS;
    limits_set(&limits, SSIMCU_LIMIT_MIN_FRAME, 0.5);
    limits_set(&limits, SSIMCU_LIMIT_MIN_TILE, 0.3);
    record[2].scored.tile =
        (ssimcu_tile){.score = 1}; /* unknown: nothing to hold the limit against */
    record[3].scored.tile.score = -0.5;
    put_hints(&record[3], "duplicate");
    struct verdict verdict;
    judge(&verdict, &limits, record, 4, true);
    cr_assert(!verdict.passed && !verdict.low_mean && verdict.too_many && verdict.bad == 3);
    cr_assert(verdict.count[SSIMCU_LIMIT_MIN_FRAME] == 1 &&
              verdict.count[SSIMCU_LIMIT_MIN_TILE] == 3 &&
              verdict.unjudged[SSIMCU_LIMIT_MIN_TILE] == 1);
    cr_assert_eq(verdict.listed, 3u);
    cr_assert(verdict.frame[0].frame == 2 &&
              verdict.frame[0].judged.fails ==
                  (1u << SSIMCU_LIMIT_MIN_FRAME | 1u << SSIMCU_LIMIT_MIN_TILE));
    cr_assert(verdict.frame[1].frame == 3 &&
              verdict.frame[1].judged.fails == 1u << SSIMCU_LIMIT_MIN_TILE);
    cr_assert(verdict.frame[2].frame == 4 &&
              verdict.frame[2].judged.fails == 1u << SSIMCU_LIMIT_MIN_TILE);
    cr_assert_eq(findings_kinds(&verdict.frame[0].findings), verdict.frame[0].judged.fails);
    cr_assert_eq(findings_kinds(&verdict.frame[2].findings),
                 finding_bit(FINDING_DUPLICATE) | finding_bit(SSIMCU_LIMIT_MIN_TILE));
    cr_assert_str_eq(verdict.frame[2].findings.at[0].text, "duplicate");
    record_clear(&record[3]);
    cr_assert(verdict.extreme[SSIMCU_LIMIT_MIN_TILE].known &&
              verdict.extreme[SSIMCU_LIMIT_MIN_TILE].frame == 4);
    cr_assert(strncmp(verdict.extreme[SSIMCU_LIMIT_MIN_TILE].text, "-0.500000000", 12) == 0);
    verdict_free(&verdict);
}

/* A frame with two faults is one bad frame; max_bad forgives no mean and no missing frame. */
Test(verdict, max_bad_forgives_frames_but_no_mean)
{
    const struct record record[] = {scored(1, 0.2),
                                    scored(2, 0.9),
                                    scored(3, 0.3),
                                    {.frame = 4, .kind = RECORD_MISSING, .missing = {true, false}}};
    struct limits limits = NO_LIMITS;
    limits_set(&limits, SSIMCU_LIMIT_MIN_FRAME, 0.5);
    limits_set(&limits, SSIMCU_LIMIT_MIN_TILE, 0.2);
    limits.max_bad = 1;
    cr_assert_not(passes(&limits, record, 3));
    limits.max_bad = 2;
    cr_assert(passes(&limits, record, 3));
    struct verdict verdict;
    judge(&verdict, &limits, record, 4, true); /* forgiven frames are no reason */
    cr_assert(!verdict_counts(&verdict, SSIMCU_LIMIT_MIN_FRAME) &&
              verdict_counts(&verdict, FINDING_MISSING));
    verdict_free(&verdict);
    cr_assert_not(passes(&limits, record, 4));
    limits.allow_missing = true;
    cr_assert(passes(&limits, record, 4));
    limits_set_score(&limits, SSIMCU_METRIC_SSIM, 0.5);
    cr_assert_not(passes(&limits, record, 3));
}

Test(verdict, of_less_than_a_whole_batch)
{
    const struct record record[] = {scored(1, 1), {.frame = 2, .kind = RECORD_FAILED}};
    struct verdict verdict;
    judge(&verdict, &NO_LIMITS, record, 1, false);
    cr_assert(verdict.incomplete && !verdict.passed);
    verdict_free(&verdict);
    judge(&verdict, &NO_LIMITS, record, 2, true);
    cr_assert(!verdict.passed && verdict.count[FINDING_FAILED] == 1 && verdict.bad == 0);
    cr_assert(verdict_counts(&verdict, FINDING_FAILED));
    verdict_free(&verdict);
    struct limits limits = NO_LIMITS;
    limits_set_score(&limits, SSIMCU_METRIC_SSIM, 0.5);
    judge(&verdict, &limits, record + 1, 1, true); /* no mean is no low mean */
    cr_assert(verdict.nothing_scored && !verdict.low_mean && !verdict.passed);
    verdict_free(&verdict);
}

Test(verdict, a_drop_is_more_than_max_drop_below)
{
    const struct record record = scored(1, 0.5);
    const struct verdict_baseline equal = {.score = 0.75}, more = {.score = nextafter(0.75, 1)},
                                  less = {.score = 0.25};
    struct limits limits = NO_LIMITS;
    limits_set(&limits, SSIMCU_LIMIT_MAX_DROP, 0.25);
    struct verdict verdict;
    verdict_start(&verdict, &limits);
    add_judged(&verdict, &record, &equal);
    add_judged(&verdict, &record, &less);
    cr_assert_eq(verdict.count[SSIMCU_LIMIT_MAX_DROP], 0u);
    add_judged(&verdict, &record, &more);
    cr_assert(verdict.count[SSIMCU_LIMIT_MAX_DROP] == 1 && verdict.listed == 1);
    cr_assert(verdict.frame[0].judged.has_baseline &&
              verdict.frame[0].judged.baseline.score == more.score);
    add_judged(&verdict, &record, NULL);
    cr_assert(verdict.count[SSIMCU_LIMIT_MAX_DROP] == 2 &&
              verdict.unjudged[SSIMCU_LIMIT_MAX_DROP] == 1);
    verdict_free(&verdict);
}

/* The drop of a worst tile needs a tile on both sides, and is independent of the score's. */
Test(verdict, a_tile_drops_by_itself)
{
    struct record record = scored(1, 0.5);
    const struct verdict_baseline equal = {0.9, 0.75, true}, more = {0.5, nextafter(0.75, 1), true},
                                  untiled = {.score = 0.5};
    struct limits limits = NO_LIMITS;
    limits_set(&limits, SSIMCU_LIMIT_MAX_TILE_DROP, 0.25);
    record.scored.tile.width = 64;
    record.scored.tile.score = 0.5;
    struct verdict verdict;
    verdict_start(&verdict, &limits);
    add_judged(&verdict, &record, &equal);
    cr_assert_eq(verdict.count[SSIMCU_LIMIT_MAX_TILE_DROP], 0u);
    add_judged(&verdict, &record, &more);
    cr_assert(verdict.count[SSIMCU_LIMIT_MAX_TILE_DROP] == 1 &&
              verdict.unjudged[SSIMCU_LIMIT_MAX_TILE_DROP] == 0);
    cr_assert(verdict.frame[0].judged.baseline.tile == more.tile);
    add_judged(&verdict, &record, &untiled);
    add_judged(&verdict, &record, NULL);
    record.scored.tile.width = 0;
    add_judged(&verdict, &record, &equal);
    cr_assert(verdict.count[SSIMCU_LIMIT_MAX_TILE_DROP] == 4 &&
              verdict.unjudged[SSIMCU_LIMIT_MAX_TILE_DROP] == 3);
    cr_assert_eq(verdict.count[SSIMCU_LIMIT_MAX_DROP], 0u);
    verdict_free(&verdict);
}

/* max_bad forgives frames that a limit could not be held against, but not all of them. */
Test(verdict, a_limit_that_judges_no_frame_fails)
{
    struct record record[] = {scored(1, 0.9),
                              scored(2, 0.9),
                              {.frame = 3, .kind = RECORD_MISSING, .missing = {true, false}}};
    struct limits limits = NO_LIMITS;
    limits.max_bad = 9;
    limits.allow_missing = true;
    record[0].scored.tile.width = record[1].scored.tile.width = 0;
    cr_assert(passes(&limits, record, 3)); /* no limit, nothing to judge */
    limits_set(&limits, SSIMCU_LIMIT_MIN_TILE, -0.9);
    cr_assert_not(passes(&limits, record, 3));
    record[1].scored.tile.width = 64;
    cr_assert(passes(&limits, record, 3));
    limits.max_bad = 0;
    cr_assert_not(passes(&limits, record, 3));
    limits.has = 0;
    limits.max_bad = 9;
    limits_set(&limits, SSIMCU_LIMIT_MAX_DROP, 0.5);
    cr_assert_not(passes(&limits, record, 3)); /* judge() has no baseline */
}

/* All bad frames are counted, but no more than VERDICT_FRAMES are named. */
Test(verdict, all_bad_frames_count_and_some_are_named)
{
    struct limits limits = NO_LIMITS;
    limits_set(&limits, SSIMCU_LIMIT_MIN_FRAME, 0.5);
    struct verdict verdict;
    verdict_start(&verdict, &limits);
    for (int64_t i = 0; i < VERDICT_FRAMES + 10; i++) {
        const struct record record = scored(i, 0.25);
        add_judged(&verdict, &record, NULL);
    }
    cr_assert_eq(verdict.listed, (size_t)VERDICT_FRAMES);
    cr_assert_eq(verdict.count[SSIMCU_LIMIT_MIN_FRAME], VERDICT_FRAMES + 10u);
    cr_assert_eq(verdict.bad, VERDICT_FRAMES + 10u);
    verdict_free(&verdict);
}

/* 1 is at the limit, whatever it is of; what is further beyond is more. */
Test(verdict, excess_of_each_limit)
{
    struct record record = scored(1, 0.875);
    record.scored.tile = (ssimcu_tile){0.5, 0, 0, 64, 64};
    record.scored.level_shift = (ssimcu_level_shift){-5, 0, 64, 0, 64, 64};
    record.metrics |= 1u << SSIMCU_METRIC_PSNR;
    record.metric[SSIMCU_METRIC_PSNR] = 34;
    const struct verdict_baseline baseline = {1, 0.75, true};
    const struct {
        int fault;
        double limit, excess;
    } cases[] = {{SSIMCU_LIMIT_MIN_FRAME, 0.75, 0.5},
                 {SSIMCU_LIMIT_MIN_FRAME, 1, 1.125},
                 {SSIMCU_LIMIT_MIN_TILE, 0.5, 1},
                 {SSIMCU_LIMIT_MIN_TILE, 0.75, 2},
                 {SSIMCU_LIMIT_MAX_DROP, 0.0625, 2},
                 {SSIMCU_LIMIT_MAX_TILE_DROP, 0.5, 0.5},
                 {SSIMCU_LIMIT_MAX_LEVEL_SHIFT, 2, 2.5},
                 {SSIMCU_LIMIT_MAX_LEVEL_SHIFT, 0, 6},
                 {limits_fault(SSIMCU_METRIC_PSNR), 40, 1.9952623149688795},
                 {limits_fault(SSIMCU_METRIC_PSNR), 34, 1}};
    struct limits all = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct limits limits = {0};
        limits_set(&limits, cases[i].fault, cases[i].limit);
        limits_set(&all, cases[i].fault, cases[i].limit);
        const struct judged judged = verdict_judge(&limits, &record, &baseline, NULL);
        cr_assert_float_eq(judged.excess, cases[i].excess, 1e-12, "%zu: %g", i, judged.excess);
        cr_assert_eq(judged.fails != 0, judged.excess > 1, "%zu", i);
        cr_assert_eq(judged.furthest, cases[i].fault);
    }
    cr_assert_eq(verdict_judge(&all, &record, &baseline, NULL).furthest,
                 SSIMCU_LIMIT_MAX_LEVEL_SHIFT);
}
