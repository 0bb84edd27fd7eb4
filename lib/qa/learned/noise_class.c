#include "learned/noise_class.h"

#include "learned/rules.h"

#include <math.h>

enum { LEAST_TILES = 4, MANY_TILES = 24, RULES = LEARNED_TEXTURE + 1 };

/* A range of z. */
struct range {
    double low, high;
};

/* The ranges of each class, rule by rule. */
static const struct range words[][RULES] = {
    [NOISE_CLASS_NOISE] = {[LEARNED_SCORE] = {-INFINITY, -0.5},
                           [LEARNED_LEVEL_SHIFT] = {-2.5, 2.5},
                           [LEARNED_DIFFERENCE] = {2, INFINITY},
                           [LEARNED_TEXTURE] = {2, INFINITY}},
    [NOISE_CLASS_DENOISED] = {[LEARNED_SCORE] = {0.5, INFINITY},
                              [LEARNED_LEVEL_SHIFT] = {-2.5, 2.5},
                              [LEARNED_DIFFERENCE] = {-INFINITY, 0.5},
                              [LEARNED_TEXTURE] = {-INFINITY, -2}},
    [NOISE_CLASS_ALIKE] = {[LEARNED_SCORE] = {-1.5, 1.5},
                           [LEARNED_LEVEL_SHIFT] = {-1.5, 1.5},
                           [LEARNED_DIFFERENCE] = {-1.5, 1.5},
                           [LEARNED_TEXTURE] = {-1.5, 1.5}}};

/* Returns whether most values of a rule lie within a range. */
static bool most_lie(const struct learned_frame *learned, const struct learned_values *values,
                     const unsigned char *ignored, enum learned_rule rule,
                     const struct range *range)
{
    const size_t tiles = learned_tiles_of(&values->grid);
    const size_t count = learned_rule_values(&values->grid, rule);
    const size_t before = learned_rule_start(&values->grid, rule);
    size_t all = 0, within = 0;
    for (size_t i = 0; i < count; i++) {
        if (ignored && ignored[i % tiles]) continue;
        const double z = learned_z(learned, before + i, values->value[rule][i]);
        all++;
        within += z >= range->low && z <= range->high;
    }
    return all >= LEAST_TILES && 2 * within > all;
}

/* ---- All tiles together ---------------------------------------------------------------------- */

/* Sums over a rule's tiles: the least and the most of its channels. `agree`: the least share of
 * tiles on the same side as their sum. */
struct together {
    double least, most, agree;
};

static struct together add_up(const struct learned_frame *learned,
                              const struct learned_values *values, const unsigned char *ignored,
                              enum learned_rule rule)
{
    const size_t tiles = learned_tiles_of(&values->grid);
    const size_t channels = learned_rule_values(&values->grid, rule) / tiles;
    const size_t before = learned_rule_start(&values->grid, rule);
    struct together all = {INFINITY, -INFINITY, 1};
    for (size_t c = 0; c < channels; c++) {
        struct whole whole = {0};
        size_t above = 0;
        for (size_t i = c * tiles; i < (c + 1) * tiles; i++) {
            if (ignored && ignored[i % tiles]) continue;
            const double z = learned_z(learned, before + i, values->value[rule][i]);
            whole_add(&whole, 0, z);
            above += z > 0;
        }
        const double z = whole_z(&whole, 0),
                     share = (double)above / fmax(1, (double)whole.tiles[0]);
        all.least = fmin(all.least, z);
        all.most = fmax(all.most, z);
        all.agree = fmin(all.agree, z > 0 ? share : 1 - share);
    }
    return all;
}

/* Finds more or less noise from the sums over all tiles. Most tiles must agree, so that an area of
 * the frame does not stand for all of it. */
static enum noise_class tell_together(const struct learned_frame *learned,
                                      const struct learned_values *values,
                                      const unsigned char *ignored)
{
    struct together by[RULES];
    for (int rule = 0; rule < RULES; rule++) by[rule] = add_up(learned, values, ignored, rule);
    const struct together *score = &by[LEARNED_SCORE], *shift = &by[LEARNED_LEVEL_SHIFT],
                          *difference = &by[LEARNED_DIFFERENCE], *texture = &by[LEARNED_TEXTURE];
    const double shifted = fmax(fabs(shift->least), fabs(shift->most));
    if (learned_tiles_of(&values->grid) < MANY_TILES || difference->agree < 0.75 ||
        texture->agree < 0.75 || score->agree < 0.75)
        return NOISE_CLASS_NOTHING;
    if (score->most < -4 && difference->least > 7 && texture->least > 5 &&
        2 * shifted < difference->least && (-score->most > texture->most || difference->least > 12))
        return NOISE_CLASS_NOISE;
    if (score->least > 3 && difference->most < -5 && texture->most < -4 && shifted < 4)
        return NOISE_CLASS_DENOISED;
    return NOISE_CLASS_NOTHING;
}

enum noise_class noise_class_of(const struct learned_frame *learned,
                                const struct learned_values *values, const unsigned char *ignored)
{
    const enum noise_class together = tell_together(learned, values, ignored);
    for (int word = NOISE_CLASS_NOISE; word <= NOISE_CLASS_ALIKE; word++) {
        bool good = true;
        for (int rule = 0; rule < RULES && good; rule++)
            good = most_lie(learned, values, ignored, rule, &words[word][rule]);
        if (good && (word != NOISE_CLASS_ALIKE || together == NOISE_CLASS_NOTHING))
            return (enum noise_class)word;
    }
    return together;
}
