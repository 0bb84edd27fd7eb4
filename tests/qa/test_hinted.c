/* lib/qa/record/hinted.c: which hinted frames make one run, and what becomes of runs beyond those
 * that are kept. */
#include "check.h"
#include "put_hints.h"
#include "record/hinted.h"
#include "record/record.h"

#include <criterion/criterion.h>

static void add(struct hinted *hinted, int64_t frame, const char *shot, const char *hints, bool bad)
{
    struct record record = {.frame = frame, .shot = (char *)(uintptr_t)shot};
    put_hints(&record, hints);
    hinted_add(hinted, &record, bad);
    findings_free(&record.findings);
}

Test(hinted, frames_that_follow_each_other_are_a_run)
{
    struct hinted hinted = {0};
    add(&hinted, 1, "a", "", false);
    add(&hinted, 5, "a", "shift +1 +0", false);
    add(&hinted, 6, "a", "shift +2 +0", true);
    add(&hinted, 7, "a", "black", true);
    add(&hinted, 9, "a", "black", false); /* 8 lies between */
    add(&hinted, 10, "b", "black", false);
    static const struct {
        int64_t first, last;
        uint64_t count, bad;
        bool alike, from_start;
    } runs[] = {{5, 6, 2, 1, false, false},
                {7, 7, 1, 1, true, false},
                {9, 9, 1, 0, true, false},
                {10, 10, 1, 0, true, true}};
    cr_assert(hinted.runs == 4 && hinted.more == 0 && !hinted.out_of_memory);
    for (int i = 0; i < 4; i++) {
        const struct hinted_run *const run = &hinted.run[i];
        cr_expect(run->first == runs[i].first && run->last == runs[i].last, "run %d", i);
        cr_expect(run->count == runs[i].count && run->bad == runs[i].bad, "run %d", i);
        cr_expect(run->alike == runs[i].alike && run->from_start == runs[i].from_start, "%d", i);
    }
    hinted_free(&hinted);
}

/* Another frame is one run as long as no other hint comes between. */
Test(hinted, frames_of_one_distance_are_a_run)
{
    struct hinted hinted = {0};
    add(&hinted, 3, NULL, "frame-offset +1", false);
    add(&hinted, 8, NULL, "frame-offset +1", false);
    add(&hinted, 9, NULL, "frame-offset +2", false);
    cr_assert_eq(hinted.runs, 2);
    cr_expect(hinted.run[0].last == 8 && hinted.run[0].count == 2 && hinted.run[0].from_start);
    hinted_free(&hinted);
}

Test(hinted, frames_of_runs_that_are_not_kept_are_counted)
{
    struct hinted hinted = {0};
    for (int64_t i = 0; i < HINTED_RUNS; i++) add(&hinted, 2 * i, NULL, "black", false);
    cr_assert(hinted.runs == HINTED_RUNS && hinted.more == 0);
    for (int64_t i = 0; i < 3; i++) add(&hinted, 2 * HINTED_RUNS + i, NULL, "black", true);
    cr_expect(hinted.runs == HINTED_RUNS && hinted.more == 3 && !hinted.out_of_memory);
    cr_expect_eq(hinted.run[HINTED_RUNS - 1].count, 1);
    hinted_free(&hinted);
}
