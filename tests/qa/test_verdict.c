/* What a batch comes to, and whether it kept to its limits. */
#include "check.h"
#include "lines/lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct record scored(int64_t frame, double score)
{
    return (struct record){.frame = frame,
                           .kind = RECORD_SCORED,
                           .score = score,
                           .channels = 1,
                           .channel = {score},
                           .layout = "grey",
                           .backend = "cpu",
                           .tile = {true, score - 0.5, (uint32_t)frame, 0, 64, 64}};
}

static void sum_up(struct summary *summary, const struct record *record, size_t count)
{
    for (size_t i = 0; i < count; i++) summary_add(summary, &record[i]);
    cr_assert(summary_finish(summary));
}

/* ---- Summary --------------------------------------------------------------------------------- */

Test(summary, statistics_of_four_known_scores)
{
    const struct record record[] = {scored(3, 0.5), scored(1, 1), scored(2, 0.25), scored(4, 0.5)};
    struct summary summary;
    summary_start(&summary, 0);
    sum_up(&summary, record, 4);
    const struct statistics *all = &summary.all;
    cr_assert(all->mean == 0.5625 && all->min == 0.25 && all->max == 1 && all->p50 == 0.5);
    cr_assert(all->has_harmonic_mean && fabs(all->harmonic_mean - 4.0 / 9) < 1e-15);
    cr_assert(fabs(all->stddev - sqrt(0.296875 / 4)) < 1e-15);
    cr_assert(fabs(all->p5 - 0.2875) < 1e-15 && fabs(all->p1 - 0.2575) < 1e-15);
    cr_assert_eq(summary.worst.count, 0u);
    summary_free(&summary);
}

/* Worst tiles have statistics of their own, also of a part whose frames do not follow each other. A
 * frame without a tile does not count. */
Test(summary, tiles_of_all_and_of_parts)
{
    struct summary summary;
    summary_start(&summary, 0);
    for (int64_t n = 0; n < 30; n++) {
        struct record record = scored(n, 0.9);
        record.part = n / 10 == 1 ? "b" : "a";
        record.tile = (struct record_tile){n != 5, 0.5 + (double)n / 100, 0, 0, 64, 64};
        summary_add(&summary, &record);
    }
    cr_assert(summary_finish(&summary) && summary.parts == 2);
    const struct summary_part *a = &summary.part[0], *b = &summary.part[1];
    cr_assert(summary.tiled == 29 && summary.tiles.min == 0.5 && summary.tiles.max == 0.79);
    cr_assert(a->tiled == 19 && a->worst_tile == 0 && b->tiled == 10 && b->worst_tile == 10);
    cr_assert_float_eq(a->tiles.p5, 0.509, 1e-12);
    cr_assert_float_eq(a->tiles.p50, 0.7, 1e-12);
    cr_assert_float_eq(b->tiles.min, 0.6, 1e-12);
    cr_assert_float_eq(b->tiles.p1, 0.6009, 1e-12);
    summary_free(&summary);
}

/* 1 / 0 is no number to print. */
Test(summary, no_harmonic_mean_of_0_and_below)
{
    const double lowest[] = {0, -0.0, -0.5};
    for (size_t i = 0; i < sizeof lowest / sizeof lowest[0]; i++) {
        const struct record record[] = {scored(1, 1), scored(2, lowest[i])};
        struct summary summary;
        summary_start(&summary, 1);
        sum_up(&summary, record, 2);
        cr_assert_not(summary.all.has_harmonic_mean);
        cr_assert(isfinite(summary.all.harmonic_mean) && isfinite(summary.all.stddev));
        summary.complete = true;
        char *line = summary_to_json(&summary, NULL);
        cr_assert(line && !strstr(line, "inf") && !strstr(line, "nan"), "%s", line);
        free(line);
        summary_free(&summary);
    }
}

/* The earlier of equally bad frames comes first, whatever the order of arrival. */
Test(summary, ranking_of_equal_scores)
{
    const int64_t order[] = {7, 2, 9, 4, 1, 8};
    struct summary summary;
    summary_start(&summary, 3);
    for (size_t i = 0; i < 6; i++) {
        struct record record = scored(order[i], order[i] == 9 ? 0.25 : 0.5);
        record.side[1].path = strdup("out.png");
        summary_add(&summary, &record);
        record_clear(&record);
    }
    cr_assert(summary_finish(&summary));
    const int64_t expected[] = {9, 1, 2};
    cr_assert_eq(summary.worst.count, 3u);
    cr_assert_eq(summary.worst_tiles.count, 3u);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(summary.worst.entry[i].frame, expected[i]);
        cr_assert_eq(summary.worst_tiles.entry[i].frame, expected[i]);
        cr_assert_str_eq(summary.worst.entry[i].out, "out.png");
        cr_assert_null(summary.worst.entry[i].ref);
    }
    cr_assert(summary.worst_tiles.entry[0].value == -0.25);
    summary_free(&summary);
}

/* Tiles have a ranking of their own, and frames without tiles are not in it. */
Test(summary, ranking_of_tiles)
{
    struct record record[] = {scored(1, 0.9), scored(2, 0.8), scored(3, 0.7)};
    record[0].tile.score = 0.1;
    record[2].tile.known = false;
    struct summary summary;
    summary_start(&summary, 5);
    sum_up(&summary, record, 3);
    cr_assert(summary.worst.count == 3 && summary.worst.entry[0].frame == 3);
    cr_assert(summary.worst_tiles.count == 2 && summary.worst_tiles.entry[0].frame == 1);
    summary_free(&summary);
}

Test(summary, each_part_is_summed_up_by_itself)
{
    struct record record[] = {scored(1, 0.5), scored(2, 0.25), scored(3, 1), scored(4, 0.25),
                              scored(5, 0.75)};
    char a[] = "a", b[] = "b";
    record[0].part = record[1].part = record[3].part = a;
    record[2].part = b;
    struct record missing = {.frame = 6,
                             .kind = RECORD_MISSING,
                             .part = b,
                             .missing = {false, true}},
                  failed = {.frame = 7, .kind = RECORD_FAILED, .part = b};
    struct summary summary;
    summary_start(&summary, 1);
    summary_add(&summary, &missing);
    summary_add(&summary, &failed);
    sum_up(&summary, record, 5);
    cr_assert(summary.pairs == 7 && summary.scored == 5 && summary.missing == 1 &&
              summary.failed == 1 && summary.parts == 2);
    const struct summary_part *first = &summary.part[0], *second = &summary.part[1];
    cr_assert_str_eq(first->name, "b");
    cr_assert(first->pairs == 3 && first->scored == 1 && first->missing == 1 && first->failed == 1);
    cr_assert(first->mean == 1 && first->min == 1 && first->worst == 3);
    cr_assert_str_eq(second->name, "a");
    cr_assert(second->pairs == 3 && second->scored == 3 && second->mean == 1.0 / 3);
    cr_assert(second->min == 0.25 && second->worst == 2); /* the earlier of two equal ones */
    summary_free(&summary);
}

/* Channels have means only if the frames' channels mean the same. */
Test(summary, channel_means_need_one_layout)
{
    struct record record[] = {scored(1, 0.5), scored(2, 0.5), scored(3, 0.5)};
    for (size_t i = 0; i < 3; i++) {
        record[i].layout = "yuv";
        record[i].channels = 3;
        for (size_t c = 0; c < 3; c++) record[i].channel[c] = (double)(i + c) / 8;
    }
    struct summary summary;
    summary_start(&summary, 0);
    sum_up(&summary, record, 3);
    cr_assert_str_eq(summary.layout, "yuv");
    cr_assert(summary.channels == 3 && summary.channel[0] == 0.125 && summary.channel[1] == 0.25 &&
              summary.channel[2] == 0.375);
    summary_free(&summary);
    record[1].layout = "rgb";
    summary_start(&summary, 0);
    sum_up(&summary, record, 3); /* the third is as the first again: they differ all the same */
    cr_assert_null(summary.layout);
    summary_free(&summary);
}

/* ---- Verdict --------------------------------------------------------------------------------- */

static const struct limits NO_LIMITS = LIMITS_NONE;

static void judge(struct verdict *verdict, const struct limits *limits, const struct record *record,
                  size_t count, bool complete)
{
    struct summary summary;
    summary_start(&summary, 0);
    verdict_start(verdict, limits);
    for (size_t i = 0; i < count; i++) verdict_add(verdict, &record[i], NULL);
    sum_up(&summary, record, count);
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
    mean.min_score[0] = (0.1 + 0.7) / 2;
    frame.min_frame[0] = 0.1;
    tile.min_tile = 0.1 - 0.5;
    cr_assert(passes(&mean, record, 2) && passes(&frame, record, 2) && passes(&tile, record, 2));
    mean.min_score[0] = nextafter(mean.min_score[0], 1);
    frame.min_frame[0] = nextafter(frame.min_frame[0], 1);
    tile.min_tile = nextafter(tile.min_tile, 1);
    cr_assert_not(passes(&mean, record, 2));
    cr_assert_not(passes(&frame, record, 2));
    cr_assert_not(passes(&tile, record, 2));
}

/* A hint is a fault if its whole kind is named. A frame that hints never saw counts as beyond it.
 */
Test(verdict, hints_can_be_faults)
{
    struct record record[] = {scored(1, 1), scored(2, 1)};
    struct limits limits = NO_LIMITS;
    snprintf(record[1].hints, sizeof record[1].hints, "depth REF 16 OUT 8; frame +1");
    limits.hints = "stuck,gain";
    cr_assert(passes(&limits, record, 2));
    limits.hints = "frames,fram";
    cr_assert(passes(&limits, record, 2));
    limits.hints = "stuck,frame";
    cr_assert_not(passes(&limits, record, 2));
    limits.max_bad = 1;
    cr_assert(passes(&limits, record, 2));
    record[1].by_nvdec[1] = true; /* its frames were read back */
    limits.max_bad = 0;
    cr_assert_not(passes(&limits, record, 2));
}

Test(verdict, frames_and_faults)
{
    struct record record[] = {scored(1, 0.9), scored(2, 0.4), scored(3, 0.9), scored(4, 0.7)};
    struct limits limits = NO_LIMITS;
    limits.min_frame[0] = 0.5;
    limits.min_tile = 0.3;
    record[2].tile =
        (struct record_tile){.score = 1}; /* unknown: nothing to hold the limit against */
    record[3].tile.score = -0.5;
    snprintf(record[3].hints, sizeof record[3].hints, "stuck");
    struct verdict verdict;
    judge(&verdict, &limits, record, 4, true);
    cr_assert(!verdict.passed && !verdict.low_mean && verdict.too_many && verdict.bad == 3);
    cr_assert(verdict.count[FAULT_FRAME] == 1 && verdict.count[FAULT_TILE] == 3 &&
              verdict.unjudged[FAULT_TILE] == 1);
    cr_assert_eq(verdict.listed, 3u);
    cr_assert(verdict.frame[0].frame == 2 &&
              verdict.frame[0].faults == (1u << FAULT_FRAME | 1u << FAULT_TILE));
    cr_assert(verdict.frame[1].frame == 3 && verdict.frame[1].faults == 1u << FAULT_TILE);
    cr_assert(verdict.frame[2].frame == 4 && verdict.frame[2].faults == 1u << FAULT_TILE);
    cr_assert_null(verdict.frame[0].hints);
    cr_assert_str_eq(verdict.frame[2].hints, "stuck");
    cr_assert(verdict.lowest.frame == 4 && verdict.lowest.tile.score == -0.5);
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
    limits.min_frame[0] = 0.5;
    limits.min_tile = 0.2;
    limits.max_bad = 1;
    cr_assert_not(passes(&limits, record, 3));
    limits.max_bad = 2;
    cr_assert(passes(&limits, record, 3));
    struct verdict verdict;
    judge(&verdict, &limits, record, 4, true); /* forgiven frames are no reason */
    cr_assert(!verdict_counts(&verdict, FAULT_FRAME) && verdict_counts(&verdict, FAULT_MISSING));
    verdict_free(&verdict);
    cr_assert_not(passes(&limits, record, 4));
    limits.allow_missing = true;
    cr_assert(passes(&limits, record, 4));
    limits.min_score[0] = 0.5;
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
    cr_assert(!verdict.passed && verdict.count[FAULT_FAILED] == 1 && verdict.bad == 0);
    cr_assert(verdict_counts(&verdict, FAULT_FAILED));
    verdict_free(&verdict);
    struct limits limits = NO_LIMITS;
    limits.min_score[0] = 0.5;
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
    limits.max_drop = 0.25;
    struct verdict verdict;
    verdict_start(&verdict, &limits);
    verdict_add(&verdict, &record, &equal);
    verdict_add(&verdict, &record, &less);
    cr_assert_eq(verdict.count[FAULT_DROP], 0u);
    verdict_add(&verdict, &record, &more);
    cr_assert(verdict.count[FAULT_DROP] == 1 && verdict.listed == 1);
    cr_assert(verdict.frame[0].has_baseline && verdict.frame[0].baseline.score == more.score);
    verdict_add(&verdict, &record, NULL);
    cr_assert(verdict.count[FAULT_DROP] == 2 && verdict.unjudged[FAULT_DROP] == 1);
    verdict_free(&verdict);
}

/* The drop of a worst tile needs a tile on both sides, and is independent of the score's. */
Test(verdict, a_tile_drops_by_itself)
{
    struct record record = scored(1, 0.5);
    const struct verdict_baseline equal = {0.9, 0.75, true}, more = {0.5, nextafter(0.75, 1), true},
                                  untiled = {.score = 0.5};
    struct limits limits = NO_LIMITS;
    limits.max_tile_drop = 0.25;
    record.tile.known = true;
    record.tile.score = 0.5;
    struct verdict verdict;
    verdict_start(&verdict, &limits);
    verdict_add(&verdict, &record, &equal);
    cr_assert_eq(verdict.count[FAULT_TILE_DROP], 0u);
    verdict_add(&verdict, &record, &more);
    cr_assert(verdict.count[FAULT_TILE_DROP] == 1 && verdict.unjudged[FAULT_TILE_DROP] == 0);
    cr_assert(verdict.frame[0].baseline.tile == more.tile);
    verdict_add(&verdict, &record, &untiled);
    verdict_add(&verdict, &record, NULL);
    record.tile.known = false;
    verdict_add(&verdict, &record, &equal);
    cr_assert(verdict.count[FAULT_TILE_DROP] == 4 && verdict.unjudged[FAULT_TILE_DROP] == 3);
    cr_assert_eq(verdict.count[FAULT_DROP], 0u);
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
    record[0].tile.known = record[1].tile.known = false;
    cr_assert(passes(&limits, record, 3)); /* no limit, nothing to judge */
    limits.min_tile = -0.9;
    cr_assert_not(passes(&limits, record, 3));
    record[1].tile.known = true;
    cr_assert(passes(&limits, record, 3));
    limits.max_bad = 0;
    cr_assert_not(passes(&limits, record, 3));
    limits.min_tile = -INFINITY;
    limits.max_bad = 9;
    limits.max_drop = 0.5;
    cr_assert_not(passes(&limits, record, 3)); /* judge() has no baseline */
}

/* All bad frames are counted, but no more than VERDICT_FRAMES are named. */
Test(verdict, all_bad_frames_count_and_some_are_named)
{
    struct limits limits = NO_LIMITS;
    limits.min_frame[0] = 0.5;
    struct verdict verdict;
    verdict_start(&verdict, &limits);
    for (int64_t i = 0; i < VERDICT_FRAMES + 10; i++) {
        const struct record record = scored(i, 0.25);
        verdict_add(&verdict, &record, NULL);
    }
    cr_assert_eq(verdict.listed, (size_t)VERDICT_FRAMES);
    cr_assert_eq(verdict.count[FAULT_FRAME], VERDICT_FRAMES + 10u);
    cr_assert_eq(verdict.bad, VERDICT_FRAMES + 10u);
    verdict_free(&verdict);
}
