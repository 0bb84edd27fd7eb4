#include "floors/doubts.h"

#include "floors/rules.h"

#include "base/refuse.h"
#include "base/statistics.h"

#include "fail.h"

#include <math.h>
#include <stdlib.h>

/* Score and levels that a run may differ from REF by, and still be REF: three times what a file of
 * tiles rounds by, and what a shift may be off by. */
static const double ROUNDED_SCORE = 5e-5, ROUNDED_SHIFT = 1e-3;

ssimcu_status doubts_begin(struct doubts *doubts, uint32_t runs, ssimcu_message *message)
{
    doubts->runs = runs;
    doubts->run = calloc(runs, sizeof *doubts->run);
    doubts->pair = calloc((size_t)runs * runs, sizeof *doubts->pair);
    return doubts->run && doubts->pair ? SSIMCU_OK : no_memory(message);
}

void doubts_free(struct doubts *doubts)
{
    free(doubts->run);
    free(doubts->pair);
    *doubts = (struct doubts){0};
}

/* ---- Runs that are the same ------------------------------------------------------------------ */

static bool is_ignored(const struct floor_values *values, size_t at)
{
    return values->ignored && values->ignored[at % floor_tiles_of(&values->grid)];
}

/* Returns whether OUT is REF in every tile that counts. */
static bool is_ref(const struct floor_values *values)
{
    const float *score = values->value[FLOOR_SCORE], *shift = values->value[FLOOR_SHIFT];
    for (size_t i = 0; i < floor_rule_values(&values->grid, FLOOR_SCORE); i++)
        if (!is_ignored(values, i) && !(score[i] >= 1 - ROUNDED_SCORE)) return false;
    for (size_t i = 0; i < floor_rule_values(&values->grid, FLOOR_SHIFT); i++)
        if (!is_ignored(values, i) && !(fabsf(shift[i]) <= ROUNDED_SHIFT)) return false;
    return true;
}

/* Returns whether two runs have the same numbers in every tile that counts. */
static bool is_same(const struct floor_values *a, const struct floor_values *b)
{
    if (!floor_same_grid(&a->grid, &b->grid)) return false;
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++)
        for (size_t i = 0; i < floor_rule_values(&a->grid, rule); i++)
            if (a->value[rule][i] != b->value[rule][i] && !is_ignored(a, i)) return false;
    return true;
}

void doubts_take(struct doubts *doubts, const struct learn_sample *sample)
{
    for (uint32_t j = 0; j < doubts->runs; j++) {
        struct doubts_run *run = &doubts->run[j];
        const struct floor_values *own = &sample[j].values;
        if (!own->value[0]) continue;
        run->seen = true;
        run->other = run->other || !is_ref(own);
        for (uint32_t i = 0; i < j; i++) {
            enum doubts_pair *pair = &doubts->pair[(size_t)j * doubts->runs + i];
            if (*pair == DOUBTS_OTHER || !sample[i].values.value[0]) continue;
            *pair = is_same(own, &sample[i].values) ? DOUBTS_SAME : DOUBTS_OTHER;
        }
    }
}

/* Finds the first pair of the same run. Returns how many pairs are not. */
static size_t find_same(const struct doubts *doubts, uint32_t same[2], size_t *count)
{
    size_t others = 0;
    *count = 0;
    for (uint32_t j = 0; j < doubts->runs; j++)
        for (uint32_t i = 0; i < j; i++) {
            const enum doubts_pair pair = doubts->pair[(size_t)j * doubts->runs + i];
            others += pair == DOUBTS_OTHER;
            if (pair != DOUBTS_SAME || (*count)++ > 0) continue;
            same[0] = i;
            same[1] = j;
        }
    return others;
}

ssimcu_status doubts_check(const struct doubts *doubts, const char *const *run,
                           ssimcu_message *message)
{
    uint32_t same[2] = {0};
    size_t count;
    const size_t others = find_same(doubts, same, &count);
    if (count > 0 && others == 0)
        return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                           "calibrate: all runs are the same in every tile, so nothing can be "
                           "learnt of noise: expected renders with other seeds");
    for (uint32_t i = 0; i < doubts->runs; i++)
        if (doubts->run[i].seen && !doubts->run[i].other)
            return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                               "calibrate: %.300s is the same as REF in every tile: expected a "
                               "render with another seed, or one run less",
                               run[i]);
    if (count == 0) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "calibrate: %.300s is the same as %.300s in every tile: expected a render "
                       "with another seed, or one run less",
                       run[same[1]], run[same[0]]);
}

/* ---- A REF that is far from all runs --------------------------------------------------------- */

bool doubts_judge_ref(const struct floor_frame *floor, const unsigned char *ignored,
                      struct doubts_ref *ref)
{
    const size_t start = floor_rule_start(&floor->grid, FLOOR_SHIFT);
    const size_t values = floor_rule_values(&floor->grid, FLOOR_SHIFT);
    const size_t tiles = floor_tiles_of(&floor->grid);
    double *z = malloc(values * sizeof *z);
    size_t count = 0;
    *ref = (struct doubts_ref){0};
    if (!z) return false;
    for (size_t i = 0; i < values; i++) {
        if (ignored && ignored[i % tiles]) continue;
        z[count] = floor_beyond(FLOOR_SHIFT, floor_z(floor, start + i, 0)); /* REF less REF */
        if (z[count] > ref->z) {
            ref->z = z[count];
            ref->place = floor_place_at(&floor->grid, FLOOR_SHIFT, i);
        }
        count++;
    }
    qsort(z, count, sizeof *z, statistics_by_value);
    if (count > 0) ref->most = z[(count - 1) * 9 / 10];
    free(z);
    return true;
}
