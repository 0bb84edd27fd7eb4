#include "detect/areas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELL = 2 * PATCH,
    QUARTERS = 4, /* of a level, in `second` and `colour` */
    REACH = 2,    /* cells by which a texture may have moved */
    FAINT = 12,   /* levels of second difference that are not garbage, as in grain */
    FLOOR = 4,    /* levels that any texture may have */
    LARGE = 40    /* part of a frame */
};
#define MEAN 2.0  /* the mean of a large area must exceed the others by so much more */
#define ROUGH 0.5 /* times as rough as both others: a cell that garbage covers in part */

/* What is compared: the second differences of samples or of colours, in the mean of a square of
 * cells. */
struct rule {
    bool colour;
    uint32_t side;    /* of the square; garbage of 16 pixels covers most of 2 x 2 cells */
    int faint, floor; /* levels, as FAINT and FLOOR */
    double least;     /* times as rough as both others: garbage */
};

static const struct rule rules[] = {
    {false, 1, FAINT, FLOOR, 1},
    /* Channels of textures change together, those of garbage do not: the tuned films reach 0.83,
     * and garbage of 16 pixels has 3 in most. */
    {true, 2, 2 * FAINT, 4 * FLOOR, 1.25},
};
enum { RULES = sizeof rules / sizeof *rules };

/* Returns the units of a level in sum_of. */
static int units(const struct rule *rule) { return QUARTERS * (int)(rule->side * rule->side); }

/* Returns the sum of a square of cells. */
static int sum_of(const struct rule *rule, const struct frame_stats *stats, size_t at)
{
    const struct patches *patches = &stats->patches;
    const uint16_t *cell = (rule->colour ? patches->colour : patches->second) + at,
                   *below = cell + patches->cells_across;
    return rule->side == 1 ? cell[0] : cell[0] + cell[1] + below[0] + below[1];
}

/* Returns the largest sum of both others around a square. */
static int around(const struct rule *rule, const struct temporal *temporal, uint32_t x, uint32_t y)
{
    const struct patches *patches = &temporal->now->patches;
    int most = 0;
    for (int o = 0; o < 2; o++)
        for (uint32_t j = y > REACH ? y - REACH : 0;
             j <= y + REACH && j + rule->side <= patches->cells_down; j++)
            for (uint32_t i = x > REACH ? x - REACH : 0;
                 i <= x + REACH && i + rule->side <= patches->cells_across; i++) {
                const int sum =
                    sum_of(rule, temporal->other[o], (size_t)j * patches->cells_across + i);
                if (sum > most) most = sum;
            }
    return most;
}

/* Returns how many times a square is as rough as the others, and as garbage must be. */
static double roughness(const struct rule *rule, const struct temporal *temporal, uint32_t x,
                        uint32_t y)
{
    const size_t at = (size_t)y * temporal->now->patches.cells_across + x;
    const int over = sum_of(rule, temporal->now, at) - rule->faint * units(rule),
              floor = rule->floor * units(rule);
    if (over <= 0) return 0; /* most squares end here */
    for (int o = 0; o < 2; o++)
        if (over < ROUGH * (sum_of(rule, temporal->other[o], at) + floor)) return 0;
    return over / (double)(around(rule, temporal, x, y) + floor) / rule->least;
}

void areas_widen(const uint8_t *marks, uint32_t across, uint32_t down, struct finding_place *box)
{
    for (bool grown = true; grown;) {
        const uint32_t left = box->x > 0 ? box->x - 1 : 0, top = box->y > 0 ? box->y - 1 : 0,
                       right = box->x + box->width, bottom = box->y + box->height;
        grown = false;
        for (uint32_t y = top; y <= bottom && y < down; y++)
            for (uint32_t x = left; x <= right && x < across; x++) {
                if (!marks[(size_t)y * across + x]) continue;
                const struct finding_place old = *box;
                const uint32_t end[2] = {old.x + old.width, old.y + old.height};
                box->x = x < old.x ? x : old.x;
                box->y = y < old.y ? y : old.y;
                box->width = (x + 1 > end[0] ? x + 1 : end[0]) - box->x;
                box->height = (y + 1 > end[1] ? y + 1 : end[1]) - box->y;
                grown = grown || memcmp(&old, box, sizeof old) != 0;
            }
    }
}

/* Returns how many times a large area is as rough as it is in the others, in the mean. Motion
 * hardly changes the mean of so many cells. */
static double roughness_of(const struct temporal *temporal, const struct finding_place *box)
{
    const struct frame_stats *const frame[3] = {temporal->now, temporal->other[0],
                                                temporal->other[1]};
    const struct patches *patches = &temporal->now->patches;
    const double cells = (double)box->width * box->height;
    double mean[3] = {0, 0, 0};
    if (LARGE * cells < (double)patches->cells_across * patches->cells_down) return 0;
    for (int f = 0; f < 3; f++)
        for (uint32_t y = box->y; y < box->y + box->height; y++)
            for (uint32_t x = box->x; x < box->x + box->width; x++)
                mean[f] += frame[f]->patches.second[(size_t)y * patches->cells_across + x] /
                           (QUARTERS * cells);
    return (mean[0] - FAINT) / (fmax(mean[1], mean[2]) + FLOOR) / MEAN;
}

/* Returns how rough an area is in the mean, as a share of its roughest cell. */
static double evenness(const struct patches *patches, const struct finding_place *box)
{
    double sum = 0, most = 0;
    for (uint32_t y = box->y; y < box->y + box->height; y++)
        for (uint32_t x = box->x; x < box->x + box->width; x++) {
            const double cell = patches->second[(size_t)y * patches->cells_across + x];
            sum += cell;
            most = fmax(most, cell);
        }
    return most > 0 ? sum / most / ((double)box->width * box->height) : 0;
}

/* Finds the roughest square by one rule. Returns how rough it is. `rough`: the cells that garbage
 * covers in part, if squares are cells. */
static double find(const struct rule *rule, const struct temporal *temporal, uint8_t *rough,
                   struct finding_place *box)
{
    const struct patches *patches = &temporal->now->patches;
    double most = 0;
    *box = (struct finding_place){0, 0, rule->side, rule->side};
    if (rule->colour && patches->channels < COLOURS) return 0;
    for (uint32_t y = 0; y + rule->side <= patches->cells_down; y++)
        for (uint32_t x = 0; x + rule->side <= patches->cells_across; x++) {
            const double times = roughness(rule, temporal, x, y);
            if (rule->side == 1) rough[(size_t)y * patches->cells_across + x] = times > ROUGH;
            if (times > most) most = times, box->x = x, box->y = y;
        }
    return most;
}

/* Finds the roughest square by all rules, in cells, and widens it by rough cells next to it. */
static void find_any(const struct temporal *temporal, uint8_t *rough, struct garbage *found)
{
    const struct patches *patches = &temporal->now->patches;
    struct finding_place box, ignored;
    const struct rule *by = NULL;
    *found = (struct garbage){.place = {0, 0, 1, 1}};
    for (size_t r = 0; r < RULES; r++) {
        const double times = find(&rules[r], temporal, rough, &box);
        if (rules[r].colour) found->sure = times;
        if (times > found->times) found->times = times, found->place = box, by = &rules[r];
    }
    if (found->times <= ROUGH) return;
    const struct rule cell = {by->colour, 1, by->faint, by->floor, 1};
    if (by->colour) (void)find(&cell, temporal, rough, &ignored);
    areas_widen(rough, patches->cells_across, patches->cells_down, &found->place);
}

bool squares_garbage(const struct temporal *temporal, struct garbage *found)
{
    const struct patches *patches = &temporal->now->patches;
    const size_t cells = (size_t)patches->cells_across * patches->cells_down;
    uint8_t *rough = cells > 0 ? malloc(cells) : NULL;
    *found = (struct garbage){.times = 0};
    if (!rough) return cells == 0; /* a frame less than a cell wide or high */
    find_any(temporal, rough, found);
    free(rough);
    struct finding_place *place = &found->place;
    found->times = fmax(found->times, roughness_of(temporal, place));
    found->even = evenness(patches, place);
    const bool most = 2 * (size_t)place->width * place->height > cells; /* another picture */
    *place = (struct finding_place){place->x * CELL, place->y * CELL, place->width * CELL,
                                    place->height * CELL};
    found->changes = temporal->outer && (most || temporal_changes_around(temporal, place));
    return true;
}
