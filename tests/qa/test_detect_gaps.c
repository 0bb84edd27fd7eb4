/* How many frames make a gap that is named as one, and how many steps make another rate: just
 * fewer, as many and just more, at the first, a middle and the last place. */
#include "detect_shot.h"

#include "sequence/sequence.h"

enum { ENDS = 3 };

/* ---- Gaps ------------------------------------------------------------------------------------ */

/* Adds a frame that cannot be read. */
static void add_number(struct shot *shot, int64_t number)
{
    shot_add(shot, number, "x.png", "damaged", NULL);
}

/* Expects one gap of so many frames from this number on: a record for each, or one for all. */
static void expect_gap(const struct shot *shot, int64_t first, uint64_t count)
{
    uint64_t records = 0, lacks = 0;
    for (size_t i = 0; i < shot->count; i++) {
        const struct shot_frame *frame = &shot->frame[i];
        if (frame->found.at[0].kind != FINDING_MISSING) continue;
        cr_assert_eq(frame->number, first + (int64_t)lacks);
        records++;
        lacks += finding_lacks(&frame->found.at[0]);
    }
    cr_expect_eq(lacks, count, "%d frames from %d on", (int)count, (int)first);
    cr_expect_eq(records, count > GAPS_NAMED ? 1 : count, "%d frames from %d on", (int)count,
                 (int)first);
}

/* Each frame of a gap is named, up to GAPS_NAMED. Gaps are after the first frame, in the middle and
 * before the last frame. */
Test(detect_gaps, gaps_that_are_just_named)
{
    static const int places[ENDS] = {1, 5, FRAMES - 1};
    for (int p = 0; p < ENDS; p++)
        for (int64_t count = GAPS_NAMED - 1; count <= GAPS_NAMED + 1; count++) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) add_number(&shot, i + (i >= places[p]) * count);
            gaps_between(&shot);
            expect_gap(&shot, places[p], (uint64_t)count);
            shot_free(&shot);
        }
}

/* A gap is one among five frames, which have four steps. Fewer frames have no usual step. */
Test(detect_gaps, frames_that_are_just_a_sequence)
{
    for (int frames = 4; frames <= 6; frames++) {
        const int places[ENDS] = {1, frames / 2, frames - 1};
        for (int p = 0; p < ENDS; p++) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < frames; i++) add_number(&shot, i + (i >= places[p]));
            gaps_between(&shot);
            expect_gap(&shot, places[p], frames >= 5);
            shot_free(&shot);
        }
    }
}

/* Requested frames may also be missing before the first frame and after the last. */
Test(detect_gaps, requested_gaps_that_are_just_named)
{
    static const int places[] = {0, 1, 5, FRAMES - 1, FRAMES};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (int64_t count = GAPS_NAMED - 1; count <= GAPS_NAMED + 1; count++) {
            struct shot shot = {.numbered = false};
            ssimcu_ranges ranges;
            char text[32];
            for (int i = 0; i < FRAMES; i++) add_number(&shot, i + (i >= places[p]) * count);
            snprintf(text, sizeof text, "0-%d", (int)count + FRAMES - 1);
            cr_assert_eq(ssimcu_ranges_parse(text, &ranges, NULL), SSIMCU_OK);
            gaps_requested(&shot, &ranges);
            expect_gap(&shot, places[p], (uint64_t)count);
            ssimcu_ranges_free(&ranges);
            shot_free(&shot);
        }
}

/* The end of an open range is the last frame that exists; frames that exist and those before it are
 * no gaps. */
Test(detect_gaps, requested_ranges_without_an_end)
{
    static const int64_t numbers[] = {2, 3, 5, 8};
    struct shot shot = {.numbered = false};
    ssimcu_ranges ranges;
    int64_t missing = 0;
    for (int i = 0; i < 4; i++) add_number(&shot, numbers[i]);
    cr_assert_eq(ssimcu_ranges_parse("1-3,5-", &ranges, NULL), SSIMCU_OK);
    gaps_requested(&shot, &ranges);
    for (size_t i = 0; i < shot.count; i++)
        if (shot.frame[i].found.at[0].kind == FINDING_MISSING)
            missing = 10 * missing + shot.frame[i].number;
    cr_expect_eq(missing, 167, "%d", (int)missing);
    ssimcu_ranges_free(&ranges);
    shot_free(&shot);
}

/* ---- Times ----------------------------------------------------------------------------------- */

/* Judges frames of a video of which `count` steps from `begin` on have another length. Returns how
 * many findings there are. `*first` is the first finding. */
static size_t judge_times(struct shot *shot, int begin, int count, double length,
                          const struct finding **first)
{
    enum { STEPS = 60 };
    size_t found = 0;
    double time = 0;
    *first = NULL;
    for (int i = 0; i <= STEPS; i++) {
        add_number(shot, i);
        if (i > 0) time += i >= begin && i < begin + count ? length : 0.04;
        shot->frame[i].time = time;
        shot->frame[i].found.count = 0;
    }
    timing_judge(shot);
    for (size_t i = 0; i < shot->count; i++) {
        if (shot->frame[i].found.count > 0 && !*first) {
            *first = &shot->frame[i].found.at[0];
            cr_expect_eq(i, (size_t)begin, "the first finding is in frame %d", (int)i);
        }
        found += shot->frame[i].found.count;
    }
    return found;
}

/* Five steps of another length are another rate. Fewer are gaps if they are longer, at the
 * beginning, in the middle and at the end. */
Test(detect_gaps, steps_that_are_just_a_rate)
{
    for (int count = 4; count <= 6; count++) {
        const int begins[ENDS] = {1, 25, 61 - count};
        for (int p = 0; p < ENDS; p++)
            for (int longer = 0; longer < 2; longer++) {
                struct shot shot = {.numbered = false};
                const struct finding *first;
                const double length = longer ? 0.08 : 0.02;
                const size_t found = judge_times(&shot, begins[p], count, length, &first),
                             expected = count >= 5 ? 1
                                        : longer   ? 4
                                                   : 0;
                cr_expect_eq(found, expected, "%d steps of %g from %d on: %d findings", count,
                             length, begins[p], (int)found);
                if (first && count >= 5) cr_expect_float_eq(first->value, 1 / length, 1e-6);
                if (first && count < 5) cr_expect_eq(first->value, 1);
                shot_free(&shot);
            }
    }
}
