#include "floors/tells.h"

#include "floors/rules.h"

#include <math.h>

enum { LEAST_TILES = 4, MANY_TILES = 24, RULES = FLOOR_TEXTURE + 1 };

/* A range of z. */
struct range {
    double low, high;
};

/* The ranges of each word, rule by rule. */
static const struct range words[][RULES] = {
    [FLOOR_TELLS_NOISE] = {[FLOOR_SCORE] = {-INFINITY, -0.5},
                           [FLOOR_SHIFT] = {-2.5, 2.5},
                           [FLOOR_DIFFERENCE] = {2, INFINITY},
                           [FLOOR_TEXTURE] = {2, INFINITY}},
    [FLOOR_TELLS_DENOISED] = {[FLOOR_SCORE] = {0.5, INFINITY},
                              [FLOOR_SHIFT] = {-2.5, 2.5},
                              [FLOOR_DIFFERENCE] = {-INFINITY, 0.5},
                              [FLOOR_TEXTURE] = {-INFINITY, -2}},
    [FLOOR_TELLS_ALIKE] = {[FLOOR_SCORE] = {-1.5, 1.5},
                           [FLOOR_SHIFT] = {-1.5, 1.5},
                           [FLOOR_DIFFERENCE] = {-1.5, 1.5},
                           [FLOOR_TEXTURE] = {-1.5, 1.5}}};

/* Returns whether most values of a rule lie within a range. */
static bool most_lie(const struct floor_frame *floor, const struct floor_values *values,
                     const unsigned char *ignored, enum floor_rule rule, const struct range *range)
{
    const size_t tiles = floor_tiles_of(&values->grid);
    const size_t count = floor_rule_values(&values->grid, rule);
    const size_t before = floor_rule_start(&values->grid, rule);
    size_t all = 0, within = 0;
    for (size_t i = 0; i < count; i++) {
        if (ignored && ignored[i % tiles]) continue;
        const double z = floor_z(floor, before + i, values->value[rule][i]);
        all++;
        within += z >= range->low && z <= range->high;
    }
    return all >= LEAST_TILES && 2 * within > all;
}

/* ---- All tiles together ---------------------------------------------------------------------- */

/* What the tiles of a rule add up to: the least and the most of its channels, and the least share
 * of tiles that lie on the same side as their sum. */
struct together {
    double least, most, agree;
};

static struct together add_up(const struct floor_frame *floor, const struct floor_values *values,
                              const unsigned char *ignored, enum floor_rule rule)
{
    const size_t tiles = floor_tiles_of(&values->grid);
    const size_t channels = floor_rule_values(&values->grid, rule) / tiles;
    const size_t before = floor_rule_start(&values->grid, rule);
    struct together all = {INFINITY, -INFINITY, 1};
    for (size_t c = 0; c < channels; c++) {
        struct whole whole = {0};
        size_t above = 0;
        for (size_t i = c * tiles; i < (c + 1) * tiles; i++) {
            if (ignored && ignored[i % tiles]) continue;
            const double z = floor_z(floor, before + i, values->value[rule][i]);
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

/* Tells more or less noise by what all tiles add up to. Most of them must agree, so that
 * a part of the frame is not taken for all of it. */
static enum floor_tells tell_together(const struct floor_frame *floor,
                                      const struct floor_values *values,
                                      const unsigned char *ignored)
{
    struct together by[RULES];
    for (int rule = 0; rule < RULES; rule++) by[rule] = add_up(floor, values, ignored, rule);
    const struct together *score = &by[FLOOR_SCORE], *shift = &by[FLOOR_SHIFT],
                          *difference = &by[FLOOR_DIFFERENCE], *texture = &by[FLOOR_TEXTURE];
    const double shifted = fmax(fabs(shift->least), fabs(shift->most));
    if (floor_tiles_of(&values->grid) < MANY_TILES || difference->agree < 0.75 ||
        texture->agree < 0.75 || score->agree < 0.75)
        return FLOOR_TELLS_NOTHING;
    if (score->most < -4 && difference->least > 7 && texture->least > 5 &&
        2 * shifted < difference->least && (-score->most > texture->most || difference->least > 12))
        return FLOOR_TELLS_NOISE;
    if (score->least > 3 && difference->most < -5 && texture->most < -4 && shifted < 4)
        return FLOOR_TELLS_DENOISED;
    return FLOOR_TELLS_NOTHING;
}

enum floor_tells floor_tell(const struct floor_frame *floor, const struct floor_values *values,
                            const unsigned char *ignored)
{
    const enum floor_tells together = tell_together(floor, values, ignored);
    for (int word = FLOOR_TELLS_NOISE; word <= FLOOR_TELLS_ALIKE; word++) {
        bool good = true;
        for (int rule = 0; rule < RULES && good; rule++)
            good = most_lie(floor, values, ignored, rule, &words[word][rule]);
        if (good && (word != FLOOR_TELLS_ALIKE || together == FLOOR_TELLS_NOTHING))
            return (enum floor_tells)word;
    }
    return together;
}
