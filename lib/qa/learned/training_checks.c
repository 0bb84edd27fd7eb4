#include "learned/training_checks.h"

#include "learned/rules.h"

#include "base/refuse.h"
#include "base/statistics.h"

#include <math.h>
#include <stdlib.h>

/* Largest differences of a run that is still REF, in score and in levels. They are three times the
 * rounding of a file of tiles, and the error of a level shift. */
static const double ROUNDED_SCORE = 5e-5, ROUNDED_SHIFT = 1e-3;

ssimcu_status checks_begin(struct training_checks *checks, uint32_t runs, ssimcu_message *message)
{
    checks->runs = runs;
    checks->run = calloc(runs, sizeof *checks->run);
    checks->pair = calloc((size_t)runs * runs, sizeof *checks->pair);
    return checks->run && checks->pair ? SSIMCU_OK : no_memory(message);
}

void checks_free(struct training_checks *checks)
{
    free(checks->run);
    free(checks->pair);
    *checks = (struct training_checks){0};
}

/* ---- Identical runs -------------------------------------------------------------------------- */

static bool is_ignored(const struct learned_values *values, size_t at)
{
    return values->ignored && values->ignored[at % learned_tiles_of(&values->grid)];
}

/* Returns whether OUT equals REF in every tile that counts. */
static bool is_ref(const struct learned_values *values)
{
    const float *score = values->value[LEARNED_SCORE], *shift = values->value[LEARNED_LEVEL_SHIFT];
    for (size_t i = 0; i < learned_rule_values(&values->grid, LEARNED_SCORE); i++)
        if (!is_ignored(values, i) && !(score[i] >= 1 - ROUNDED_SCORE)) return false;
    for (size_t i = 0; i < learned_rule_values(&values->grid, LEARNED_LEVEL_SHIFT); i++)
        if (!is_ignored(values, i) && !(fabsf(shift[i]) <= ROUNDED_SHIFT)) return false;
    return true;
}

/* Returns whether two runs have equal numbers in every tile that counts. */
static bool is_same(const struct learned_values *a, const struct learned_values *b)
{
    if (!learned_same_grid(&a->grid, &b->grid)) return false;
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++)
        for (size_t i = 0; i < learned_rule_values(&a->grid, rule); i++)
            if (a->value[rule][i] != b->value[rule][i] && !is_ignored(a, i)) return false;
    return true;
}

void checks_take(struct training_checks *checks, const struct learn_sample *sample)
{
    for (uint32_t j = 0; j < checks->runs; j++) {
        struct checks_run *run = &checks->run[j];
        const struct learned_values *values = &sample[j].values;
        if (!values->value[0]) continue;
        run->seen = true;
        run->other = run->other || !is_ref(values);
        for (uint32_t i = 0; i < j; i++) {
            enum checks_pair *pair = &checks->pair[(size_t)j * checks->runs + i];
            if (*pair == CHECKS_OTHER || !sample[i].values.value[0]) continue;
            *pair = is_same(values, &sample[i].values) ? CHECKS_SAME : CHECKS_OTHER;
        }
    }
}

/* Finds the first pair of identical runs. Returns how many pairs differ. */
static size_t find_same(const struct training_checks *checks, uint32_t same[2], size_t *count)
{
    size_t others = 0;
    *count = 0;
    for (uint32_t j = 0; j < checks->runs; j++)
        for (uint32_t i = 0; i < j; i++) {
            const enum checks_pair pair = checks->pair[(size_t)j * checks->runs + i];
            others += pair == CHECKS_OTHER;
            if (pair != CHECKS_SAME || (*count)++ > 0) continue;
            same[0] = i;
            same[1] = j;
        }
    return others;
}

ssimcu_status checks_check(const struct training_checks *checks, const char *const *run,
                           ssimcu_message *message)
{
    uint32_t same[2] = {0};
    size_t count;
    const size_t others = find_same(checks, same, &count);
    const char *questioned = count > 0 ? run[same[1]] : NULL,
               *twin = count > 0 ? run[same[0]] : NULL;
    if (count > 0 && others == 0)
        FAIL(DATA,
             "calibrate: all runs are equal in every tile: expected renders with different seeds");
    for (uint32_t i = checks->runs; i-- > 0;)
        if (checks->run[i].seen && !checks->run[i].other) questioned = run[i], twin = "REF";
    if (!questioned) return SSIMCU_OK;
    FAIL(DATA,
         "calibrate: %.300s equals %.300s in every tile: expected a render with another seed, or "
         "one run less",
         questioned, twin);
}

/* ---- A REF that is far from all runs --------------------------------------------------------- */

bool checks_judge_ref(const struct learned_frame *learned, const unsigned char *ignored,
                      struct checks_ref *ref)
{
    const size_t start = learned_rule_start(&learned->grid, LEARNED_LEVEL_SHIFT);
    const size_t values = learned_rule_values(&learned->grid, LEARNED_LEVEL_SHIFT);
    const size_t tiles = learned_tiles_of(&learned->grid);
    double *z = malloc(values * sizeof *z);
    size_t count = 0;
    *ref = (struct checks_ref){0};
    if (!z) return false;
    for (size_t i = 0; i < values; i++) {
        if (ignored && ignored[i % tiles]) continue;
        z[count] = learned_beyond(LEARNED_LEVEL_SHIFT,
                                  learned_z(learned, start + i, 0)); /* REF minus REF */
        if (z[count] > ref->z) {
            ref->z = z[count];
            ref->place = learned_place_at(&learned->grid, LEARNED_LEVEL_SHIFT, i);
        }
        count++;
    }
    qsort(z, count, sizeof *z, statistics_by_value);
    if (count > 0) ref->most = z[(count - 1) * 9 / 10];
    free(z);
    return true;
}
