/* Doubts of a calibration: runs that are the same, a run that is REF, and a REF that is far from
 * all runs. Noise alone raises none. */
#include "check.h"
#include "learned/training_checks.h"

#include <math.h>
#include <stdlib.h>

enum { RUNS = 5, COLUMNS = 6, ROWS = 4, TILES = COLUMNS * ROWS };

static const struct learned_grid grid = {32, 192, 128, COLUMNS, ROWS, 3};
static const char *const names[RUNS] = {"a", "b", "c", "d", "e"};

/* Returns a number of a normal distribution, nearly: a sum of twelve. */
static double draw(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += rand() / (double)RAND_MAX;
    return sum;
}

/* Makes the values of a run: REF's noise is in all of them. */
static struct learned_values make(const double *ref, double noise)
{
    struct learned_values values = {.grid = grid};
    float *at = calloc(learned_all_values(&grid), sizeof *at);
    cr_assert_not_null(at);
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        values.value[rule] = at;
        for (size_t i = 0; i < learned_rule_values(&grid, rule); i++)
            *at++ = (float)(rule == LEARNED_LEVEL_SHIFT ? noise * draw() - ref[i]
                            : rule == LEARNED_SCORE     ? 0.5 + 0.01 * draw()
                                                        : draw());
    }
    return values;
}

static void make_all(struct learn_sample sample[RUNS])
{
    static const double ref[3 * TILES];
    for (int i = 0; i < RUNS; i++) sample[i] = (struct learn_sample){.values = make(ref, 1)};
}

static void free_all(struct learn_sample sample[RUNS])
{
    for (int i = 0; i < RUNS; i++) learned_values_free(&sample[i].values);
}

/* Makes run `to` what run `from` is, but for what is ignored in one tile. */
static void copy(struct learn_sample *sample, int from, int to, size_t tile)
{
    for (size_t i = 0; i < learned_all_values(&grid); i++)
        if (tile >= TILES || i % TILES != tile)
            sample[to].values.value[0][i] = sample[from].values.value[0][i];
}

static void make_ref(struct learned_values *values)
{
    for (size_t i = 0; i < TILES; i++) values->value[LEARNED_SCORE][i] = 1;
    for (size_t i = 0; i < 3 * TILES; i++) values->value[LEARNED_LEVEL_SHIFT][i] = 0;
}

static ssimcu_status check(const struct training_checks *checks, const char *expected)
{
    ssimcu_message message = {{0}};
    const ssimcu_status status = checks_check(checks, names, &message);
    cr_assert_not_null(strstr(message.text, expected), "%s", message.text);
    return status;
}

Test(training_checks, other_runs_are_none)
{
    struct training_checks checks = {0};
    struct learn_sample sample[RUNS];
    cr_assert_eq(checks_begin(&checks, RUNS, NULL), SSIMCU_OK);
    cr_assert_eq(check(&checks, ""), SSIMCU_OK);
    make_all(sample);
    checks_take(&checks, sample);
    cr_assert_eq(check(&checks, ""), SSIMCU_OK);
    copy(sample, 1, 3, TILES); /* a frame without noise */
    make_ref(&sample[2].values);
    checks_take(&checks, sample);
    cr_assert_eq(check(&checks, ""), SSIMCU_OK);
    free_all(sample);
    checks_free(&checks);
}

Test(training_checks, a_copy_is_named)
{
    struct training_checks checks = {0};
    struct learn_sample sample[RUNS];
    cr_assert_eq(checks_begin(&checks, RUNS, NULL), SSIMCU_OK);
    for (int frame = 0; frame < 3; frame++) {
        make_all(sample);
        copy(sample, 1, 3, TILES);
        if (frame == 1) learned_values_free(&sample[3].values); /* the copy lacks a frame */
        checks_take(&checks, sample);
        free_all(sample);
    }
    cr_assert_eq(check(&checks, "d equals b in every tile"), SSIMCU_ERROR_DATA);
    checks_free(&checks);
}

Test(training_checks, a_tile_decides_unless_it_is_ignored)
{
    for (int ignores = 0; ignores < 2; ignores++) {
        struct training_checks checks = {0};
        struct learn_sample sample[RUNS];
        cr_assert_eq(checks_begin(&checks, RUNS, NULL), SSIMCU_OK);
        make_all(sample);
        copy(sample, 0, 4, 7);
        for (int i = 0; i < RUNS && ignores; i++) {
            sample[i].values.ignored = calloc(TILES, 1);
            sample[i].values.ignored[7] = 1;
        }
        checks_take(&checks, sample);
        cr_assert_eq(check(&checks, ignores ? "e equals a" : ""),
                     ignores ? SSIMCU_ERROR_DATA : SSIMCU_OK);
        free_all(sample);
        checks_free(&checks);
    }
}

Test(training_checks, ref_among_the_runs_and_equal_runs_are_named)
{
    struct training_checks checks = {0};
    struct learn_sample sample[RUNS];
    cr_assert_eq(checks_begin(&checks, RUNS, NULL), SSIMCU_OK);
    make_all(sample);
    make_ref(&sample[2].values);
    sample[2].values.value[LEARNED_SCORE][5] = 1 - 2e-5f; /* as a file of tiles rounds */
    checks_take(&checks, sample);
    cr_assert_eq(check(&checks, "c equals REF"), SSIMCU_ERROR_DATA);
    checks_free(&checks);
    cr_assert_eq(checks_begin(&checks, RUNS, NULL), SSIMCU_OK);
    for (int i = 1; i < RUNS; i++) copy(sample, 0, i, TILES);
    checks_take(&checks, sample);
    cr_assert_eq(check(&checks, "all runs are equal"), SSIMCU_ERROR_DATA);
    free_all(sample);
    checks_free(&checks);
}

/* REF is as far from its runs as a run is from the others: over 200 frames with noise alone, never
 * as far as a fault of ten times the noise of a tile. */
Test(training_checks, ref_is_judged_as_a_run)
{
    double highest = 0, most = 0;
    for (int frame = 0; frame < 200; frame++) {
        double ref[3 * TILES];
        struct learn_sample sample[RUNS];
        struct learned_frame learned;
        struct checks_ref found;
        for (int i = 0; i < 3 * TILES; i++) ref[i] = draw();
        if (frame == 199) ref[TILES + 9] += 20;
        for (int i = 0; i < RUNS; i++) sample[i] = (struct learn_sample){.values = make(ref, 1)};
        cr_assert(learn_statistics(sample, RUNS, &learned));
        unsigned char ignored[TILES] = {[9] = frame == 199};
        cr_assert(checks_judge_ref(&learned, ignored, &found));
        highest = fmax(highest, found.z);
        most += found.most / 200;
        if (frame == 199) {
            cr_assert(checks_judge_ref(&learned, NULL, &found));
            cr_assert_gt(found.z, 10);
            cr_assert(found.place.x == 96 && found.place.y == 32 && found.place.channel == 1);
        }
        learned_frame_free(&learned);
        free_all(sample);
    }
    cr_assert_lt(highest, 6);
    cr_assert_float_eq(most, 1.7, 0.2);
}
