/* What a batch and its shots come to. */
#include "check.h"
#include "lines/lines.h"
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

static void sum_up(struct summary *summary, const struct record *record, size_t count)
{
    for (size_t i = 0; i < count; i++) summary_add(summary, &record[i]);
    cr_assert(summary_finish(summary));
}

Test(summary, statistics_of_four_known_scores)
{
    const struct record record[] = {scored(3, 0.5), scored(1, 1), scored(2, 0.25), scored(4, 0.5)};
    struct summary summary;
    summary_start(&summary, 0);
    sum_up(&summary, record, 4);
    const ssimcu_statistics *all = &summary.numbers.metrics[0].all;
    cr_assert(all->mean == 0.5625 && all->min == 0.25 && all->max == 1 && all->p50 == 0.5);
    cr_assert(all->has_harmonic_mean && fabs(all->harmonic_mean - 4.0 / 9) < 1e-15);
    cr_assert(fabs(all->stddev - sqrt(0.296875 / 4)) < 1e-15);
    cr_assert(fabs(all->p5 - 0.2875) < 1e-15 && fabs(all->p1 - 0.2575) < 1e-15);
    cr_assert_eq(summary.worst.count, 0u);
    summary_free(&summary);
}

/* Worst tiles have statistics of their own, also of a shot whose frames do not follow each other. A
 * frame without a tile does not count. */
Test(summary, tiles_of_all_and_of_parts)
{
    struct summary summary;
    summary_start(&summary, 0);
    for (int64_t n = 0; n < 30; n++) {
        struct record record = scored(n, 0.9);
        record.shot = n / 10 == 1 ? "b" : "a";
        record.scored.tile = (ssimcu_tile){0.5 + (double)n / 100, 0, 0, n != 5 ? 64 : 0, 64};
        summary_add(&summary, &record);
    }
    cr_assert(summary_finish(&summary) && summary.shots == 2);
    const struct summary_shot *a = &summary.shot[0], *b = &summary.shot[1];
    cr_assert(summary.numbers.tiled == 29 && summary.numbers.tiles.min == 0.5 &&
              summary.numbers.tiles.max == 0.79);
    cr_assert(a->numbers.tiled == 19 && a->worst_tile == 0 && b->numbers.tiled == 10 &&
              b->worst_tile == 10);
    cr_assert_float_eq(a->numbers.tiles.p5, 0.509, 1e-12);
    cr_assert_float_eq(a->numbers.tiles.p50, 0.7, 1e-12);
    cr_assert_float_eq(b->numbers.tiles.min, 0.6, 1e-12);
    cr_assert_float_eq(b->numbers.tiles.p1, 0.6009, 1e-12);
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
        cr_assert_not(summary.numbers.metrics[0].all.has_harmonic_mean);
        cr_assert(isfinite(summary.numbers.metrics[0].all.harmonic_mean) &&
                  isfinite(summary.numbers.metrics[0].all.stddev));
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
    record[0].scored.tile.score = 0.1;
    record[2].scored.tile.width = 0;
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
    record[0].shot = record[1].shot = record[3].shot = a;
    record[2].shot = b;
    struct record missing = {.frame = 6,
                             .kind = RECORD_MISSING,
                             .shot = b,
                             .missing = {false, true}},
                  failed = {.frame = 7, .kind = RECORD_FAILED, .shot = b};
    struct summary summary;
    summary_start(&summary, 1);
    summary_add(&summary, &missing);
    summary_add(&summary, &failed);
    sum_up(&summary, record, 5);
    cr_assert(summary.pairs == 7 && summary.scored == 5 && summary.missing == 1 &&
              summary.failed == 1 && summary.shots == 2);
    const struct summary_shot *first = &summary.shot[0], *second = &summary.shot[1];
    cr_assert_str_eq(first->name, "b");
    cr_assert(first->pairs == 3 && first->scored == 1 && first->missing == 1 && first->failed == 1);
    const ssimcu_statistics *one = &first->numbers.metrics[0].all,
                            *three = &second->numbers.metrics[0].all;
    cr_assert(one->mean == 1 && one->min == 1 && first->worst == 3);
    cr_assert_str_eq(second->name, "a");
    cr_assert(second->pairs == 3 && second->scored == 3 && three->mean == 1.0 / 3);
    cr_assert(three->min == 0.25 && second->worst == 2); /* the earlier of two equal ones */
    summary_free(&summary);
}

/* Returns what the JSON of a summary says of frames, from the first of these texts to the next of
 * the second; the caller frees it. */
static char *numbers_in(const struct summary *summary, const char *from, const char *to)
{
    char *line = summary_to_json(summary, NULL), *start = line ? strstr(line, from) : NULL;
    start = start ? strstr(start, "\"frames\"") : NULL;
    char *const end = start ? strstr(start, to) : NULL;
    cr_assert(end != NULL, "%s", line);
    char *const text = strndup(start, (size_t)(end - start));
    free(line);
    return text;
}

/* A part says all that a run of its frames alone says. */
Test(summary, parts_have_the_fields_of_a_run)
{
    static const char *const names[] = {"a", "b"};
    static const char *const fields[] = {"mean", "harmonic_mean", "min",    "max",   "p1",
                                         "p5",   "p50",           "stddev", "tiles", "channels",
                                         "psnr", "identical"};
    struct summary all, alone[2];
    summary_start(&all, 0), summary_start(&alone[0], 0), summary_start(&alone[1], 0);
    for (int64_t n = 0; n < 40; n++) {
        struct record record = scored(n, 1 - (double)(n * n % 37) / 64);
        record.scored.layout = n % 3 == 1 ? "grey" : "rgb",
        record.scored.channels = n % 3 == 1 ? 1 : 3;
        for (size_t c = 0; c < 3; c++)
            record.scored.channel[c] = record.scored.score - (double)c / 128;
        record.metrics = 1u << SSIMCU_METRIC_PSNR;
        record.metric[SSIMCU_METRIC_PSNR] = n == 4 ? INFINITY : 30 + (double)(n % 7);
        record.mse = n == 4 ? 0 : pow(10, -record.metric[SSIMCU_METRIC_PSNR] / 10);
        summary_add(&alone[n % 3 == 1], &record);
        record.shot = (char *)(uintptr_t)names[n % 3 == 1];
        summary_add(&all, &record);
    }
    cr_assert(summary_finish(&all) && summary_finish(&alone[0]) && summary_finish(&alone[1]));
    for (int i = 0; i < 2; i++) {
        char *whole = numbers_in(&alone[i], "summary", ",\"worst\"");
        char *shot = numbers_in(&all, i ? "\"shot\":\"b\"" : "\"shot\":\"a\"", ",\"worst\"");
        cr_assert_str_eq(shot, whole);
        for (size_t f = 0; f + !i < sizeof fields / sizeof fields[0]; f++)
            cr_assert(strstr(shot, fields[f]) != NULL, "%s in %s", fields[f], shot);
        free(whole), free(shot);
        summary_free(&alone[i]);
    }
    summary_free(&all);
}

/* Frames without SSIM count for what they have. */
Test(summary, frames_without_ssim)
{
    struct record record[] = {scored(1, 0.5), scored(2, NAN), scored(3, 0.25)};
    for (size_t i = 0; i < 3; i++) {
        record[i].metrics = 1u << SSIMCU_METRIC_SSIMULACRA2;
        record[i].metric[SSIMCU_METRIC_SSIMULACRA2] = 80 + (double)i;
    }
    record[1].scored.layout = CONTRACT_NO_LAYOUT, record[1].scored.channels = 0,
    record[1].scored.tile.width = 0;
    struct summary summary;
    summary_start(&summary, 3);
    summary.metric = SSIMCU_METRIC_SSIMULACRA2;
    sum_up(&summary, record, 3);
    const struct summary_metric *ssim = &summary.numbers.metrics[0];
    cr_assert(summary.scored == 3 && ssim->scored == 2 && ssim->score == 0.375);
    cr_assert_eq(summary.numbers.metrics[SSIMCU_METRIC_SSIMULACRA2].score, 81);
    cr_assert(summary.worst.count == 3 && isnan(summary.worst.entry[1].score));
    char *line = summary_to_json(&summary, NULL);
    cr_assert(line && !strstr(line, "nan"), "%s", line);
    free(line);
    summary_free(&summary);
    summary_start(&summary, 3);
    sum_up(&summary, &record[1], 1);
    cr_assert(summary.scored == 1 && ssim->scored == 0 && summary.worst.count == 0);
    line = summary_to_json(&summary, NULL);
    cr_assert(line && strstr(line, "\"mean\":null") && !strstr(line, "channels"), "%s", line);
    free(line);
    summary_free(&summary);
}

/* Channels have means only if the frames' channels mean the same. */
Test(summary, channel_means_need_one_layout)
{
    struct record record[] = {scored(1, 0.5), scored(2, 0.5), scored(3, 0.5)};
    for (size_t i = 0; i < 3; i++) {
        record[i].scored.layout = "yuv";
        record[i].scored.channels = 3;
        for (size_t c = 0; c < 3; c++) record[i].scored.channel[c] = (double)(i + c) / 8;
    }
    struct summary summary;
    summary_start(&summary, 0);
    sum_up(&summary, record, 3);
    cr_assert_str_eq(summary.numbers.layout, "yuv");
    cr_assert(summary.numbers.channels == 3 && summary.numbers.channel[0] == 0.125 &&
              summary.numbers.channel[1] == 0.25 && summary.numbers.channel[2] == 0.375);
    summary_free(&summary);
    record[1].scored.layout = "rgb";
    summary_start(&summary, 0);
    sum_up(&summary, record, 3); /* the third is as the first again: they differ all the same */
    cr_assert_null(summary.numbers.layout);
    summary_free(&summary);
}

/* Six frames at 25 a second, some of which OUT lacks. Time between two others counts; before the
 * first and after the last, nothing shows how much there was. */
Test(summary, time_of_frames_that_are_lacking)
{
    enum { FRAMES = 6, BYTES = 100 };
    static const char *const rows[] = {"......", "-.....", "..-...", ".....-", ".--...", "...--.",
                                       "--....", "....--", "-.--.-", ".----.", ".-.-.-"};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int first = FRAMES, last = 0, there = 0;
        struct summary summary;
        summary_start(&summary, 0);
        for (int i = 0; i < FRAMES; i++) {
            struct record record = scored(i, 0.5);
            if (rows[r][i] == '-')
                record.kind = RECORD_MISSING, record.missing[1] = true;
            else
                record.coded[1] = (ssimcu_coded){.known = 1, .bytes = BYTES, .time = 0.04 * i};
            if (rows[r][i] != '-') first = i < first ? i : first, last = i, there++;
            summary_add(&summary, &record);
        }
        cr_assert(summary_finish(&summary));
        const double seconds = 0.04 * (last - first + 1);
        cr_expect_float_eq(summary.coded.seconds, seconds, 1e-12, "%s: %.9g", rows[r],
                           summary.coded.seconds);
        cr_expect_float_eq(summary.coded.rate, 8 * BYTES * there / seconds, 1e-6, "%s", rows[r]);
        summary_free(&summary);
    }
}
