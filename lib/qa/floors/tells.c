#include "floors/tells.h"

#include <math.h>

enum { LEAST_TILES = 4, RULES = FLOOR_TEXTURE + 1 };

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

enum floor_tells floor_tell(const struct floor_frame *floor, const struct floor_values *values,
                            const unsigned char *ignored)
{
    for (int word = FLOOR_TELLS_NOISE; word <= FLOOR_TELLS_ALIKE; word++) {
        bool good = true;
        for (int rule = 0; rule < RULES && good; rule++)
            good = most_lie(floor, values, ignored, rule, &words[word][rule]);
        if (good) return (enum floor_tells)word;
    }
    return FLOOR_TELLS_NOTHING;
}
