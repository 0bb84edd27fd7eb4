#include "detect/areas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELL = 2 * PATCH,
    QUARTERS = 4, /* of a level, in `second` */
    REACH = 2,    /* cells by which a texture may have moved */
    FAINT = 12,   /* levels of second difference that are not garbage, as in grain */
    FLOOR = 4,    /* levels that any texture may have */
    LARGE = 40    /* part of a frame */
};
#define MEAN 2.0  /* the mean of a large area must exceed the others by so much more */
#define ROUGH 0.5 /* times as rough as both others: a cell that garbage covers in part */

/* Returns the largest second difference of both others around a cell, in levels. */
static double around(const struct temporal *temporal, uint32_t x, uint32_t y)
{
    const struct patches *patches = &temporal->now->patches;
    uint16_t most = 0;
    for (int o = 0; o < 2; o++)
        for (uint32_t j = y > REACH ? y - REACH : 0; j <= y + REACH && j < patches->cells_down; j++)
            for (uint32_t i = x > REACH ? x - REACH : 0;
                 i <= x + REACH && i < patches->cells_across; i++) {
                const uint16_t second =
                    temporal->other[o]->patches.second[(size_t)j * patches->cells_across + i];
                if (second > most) most = second;
            }
    return (double)most / QUARTERS;
}

/* Returns how many times a cell is as rough as the others. */
static double roughness(const struct temporal *temporal, uint32_t x, uint32_t y)
{
    const struct patches *patches = &temporal->now->patches;
    const size_t at = (size_t)y * patches->cells_across + x;
    const double over = (double)patches->second[at] / QUARTERS - FAINT;
    for (int o = 0; o < 2; o++) /* most cells end here */
        if (over < ROUGH * ((double)temporal->other[o]->patches.second[at] / QUARTERS + FLOOR))
            return 0;
    return over / (around(temporal, x, y) + FLOOR);
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

bool squares_garbage(const struct temporal *temporal, struct garbage *found)
{
    const struct patches *patches = &temporal->now->patches;
    const size_t cells = (size_t)patches->cells_across * patches->cells_down;
    uint8_t *rough = malloc(cells + 1);
    struct finding_place box = {0, 0, 1, 1};
    *found = (struct garbage){.times = 0};
    if (!rough) return false;
    for (uint32_t y = 0; y < patches->cells_down; y++)
        for (uint32_t x = 0; x < patches->cells_across; x++) {
            const double times = roughness(temporal, x, y);
            rough[(size_t)y * patches->cells_across + x] = times > ROUGH;
            if (times > found->times) found->times = times, box.x = x, box.y = y;
        }
    if (found->times > ROUGH) areas_widen(rough, patches->cells_across, patches->cells_down, &box);
    found->times = fmax(found->times, roughness_of(temporal, &box));
    found->place =
        (struct finding_place){box.x * CELL, box.y * CELL, box.width * CELL, box.height * CELL};
    free(rough);
    return true;
}
