#include "floors/floors.h"

#include "floors/rules.h"
#include "floors/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const floor_rule_names[FLOOR_RULES] = {
    "score", "shift",       "difference",  "texture",          "bright",
    "dark",  "frame_score", "frame_shift", "frame_difference", "frame_texture"};

const struct floor_rule_row floor_rule_rows[FLOOR_RULES] = {
    [FLOOR_SCORE] = {false, -1, 0.002, 0, 0.15, FLOOR_SCORE},
    [FLOOR_SHIFT] = {true, 0, 0.05, 0, 0, FLOOR_SHIFT},
    [FLOOR_DIFFERENCE] = {true, 1, 0.02, 0, 0, FLOOR_DIFFERENCE},
    [FLOOR_TEXTURE] = {false, -1, 0.01, 0.8, 0.05, FLOOR_TEXTURE},
    [FLOOR_BRIGHT] = {true, 1, 0.3, 0, 0.05, FLOOR_BRIGHT},
    [FLOOR_DARK] = {true, 1, 0.3, 0, 0, FLOOR_DARK},
    [FLOOR_FRAME_SCORE] = {.tile = FLOOR_SCORE},
    [FLOOR_FRAME_SHIFT] = {true, .tile = FLOOR_SHIFT},
    [FLOOR_FRAME_DIFFERENCE] = {true, .tile = FLOOR_DIFFERENCE},
    [FLOOR_FRAME_TEXTURE] = {.tile = FLOOR_TEXTURE},
};

size_t floor_rule_values(const struct floor_grid *grid, enum floor_rule rule)
{
    return floor_tiles_of(grid) * (floor_rule_rows[rule].each_channel ? grid->channels : 1);
}

size_t floor_rule_start(const struct floor_grid *grid, enum floor_rule rule)
{
    size_t before = 0;
    for (int r = 0; r < (int)rule; r++) before += floor_rule_values(grid, r);
    return before;
}

size_t floor_all_values(const struct floor_grid *grid)
{
    return floor_rule_start(grid, FLOOR_TILE_RULES);
}

bool floor_has_channel(enum floor_rule rule) { return floor_rule_rows[rule].each_channel; }

double floor_beyond(enum floor_rule rule, double z)
{
    const int side = floor_rule_rows[rule].side;
    return side == 0 ? fabs(z) : side * z;
}

struct floor_place floor_place_whole(const struct floor_grid *grid, uint32_t channel)
{
    return (struct floor_place){.width = grid->width, .height = grid->height, .channel = channel};
}

struct floor_place floor_place_at(const struct floor_grid *grid, enum floor_rule rule, size_t at)
{
    const size_t tiles = floor_tiles_of(grid), tile = at % tiles;
    const uint32_t x = (uint32_t)(tile % grid->columns) * grid->tile;
    const uint32_t y = (uint32_t)(tile / grid->columns) * grid->tile;
    return (struct floor_place){
        .x = x,
        .y = y,
        .width = floor_least(grid->tile, grid->width - x),
        .height = floor_least(grid->tile, grid->height - y),
        .channel = floor_rule_rows[rule].each_channel ? (uint32_t)(at / tiles) : 0};
}

/* ---- The whole frame ------------------------------------------------------------------------- */

void whole_add(struct whole *whole, size_t channel, double z)
{
    const double size = fmin(fmax(fabs(z) - WHOLE_LEAST, 0), WHOLE_MOST);
    whole->sum[channel] += copysign(size, z);
    whole->tiles[channel]++;
}

double whole_z(const struct whole *whole, size_t channel)
{
    const size_t tiles = whole->tiles[channel];
    return tiles > 0 ? whole->sum[channel] / sqrt((double)tiles) : 0;
}

enum floor_rule whole_rule(enum floor_rule tile)
{
    int rule = FLOOR_TILE_RULES;
    while (rule < FLOOR_RULES && floor_rule_rows[rule].tile != tile) rule++;
    return (enum floor_rule)rule;
}

void whole_judge(const struct whole *whole, const struct floor_grid *grid, enum floor_rule tile,
                 double z[FLOOR_RULES], struct floor_place place[FLOOR_RULES])
{
    const enum floor_rule rule = whole_rule(tile);
    if (rule == FLOOR_RULES) return;
    uint32_t worst = 0;
    for (uint32_t c = 1; c < 3; c++)
        if (fabs(whole_z(whole, c)) > fabs(whole_z(whole, worst))) worst = c;
    z[rule] = floor_beyond(rule, whole_z(whole, worst));
    place[rule] = floor_place_whole(grid, worst);
}

void floor_judge(const struct floor_frame *floor, const struct floor_values *values,
                 const unsigned char *ignored, struct floor_excess *excess)
{
    const size_t tiles = floor_tiles_of(&values->grid);
    *excess = (struct floor_excess){.known = true};
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++) {
        struct whole whole = {0};
        const size_t before = floor_rule_start(&values->grid, rule);
        const size_t count = floor_rule_values(&values->grid, rule);
        size_t worst = count;
        for (size_t i = 0; i < count; i++) {
            if (ignored && ignored[i % tiles]) continue;
            const double signed_z = floor_z(floor, before + i, values->value[rule][i]);
            const double z = floor_beyond(rule, signed_z);
            whole_add(&whole, i / tiles, signed_z);
            if (worst < count && !(z > excess->z[rule])) continue;
            excess->z[rule] = z;
            worst = i;
        }
        excess->place[rule] = floor_place_at(&values->grid, rule, worst);
        whole_judge(&whole, &values->grid, rule, excess->z, excess->place);
    }
}

void floor_judge_tiles(const struct floor_frame *floor, const struct floor_values *values,
                       const unsigned char *ignored, const double max_excess[FLOOR_RULES],
                       float *excess)
{
    const size_t tiles = floor_tiles_of(&values->grid);
    struct floor_excess whole;
    float least = 0;
    floor_judge(floor, values, ignored, &whole);
    for (int rule = FLOOR_TILE_RULES; rule < FLOOR_RULES; rule++)
        if (max_excess[rule] > 0 && whole.z[rule] > max_excess[rule]) least = 1;
    for (size_t i = 0; i < tiles; i++) excess[i] = ignored && ignored[i] ? 0 : least;
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++) {
        const size_t before = floor_rule_start(&values->grid, rule);
        for (size_t i = 0; i < floor_rule_values(&values->grid, rule); i++) {
            if (!(max_excess[rule] > 0) || (ignored && ignored[i % tiles])) continue;
            const double z = floor_beyond(rule, floor_z(floor, before + i, values->value[rule][i]));
            excess[i % tiles] = fmaxf(excess[i % tiles], (float)(z / max_excess[rule]));
        }
    }
}

bool floor_same_grid(const struct floor_grid *a, const struct floor_grid *b)
{
    return a->tile == b->tile && a->width == b->width && a->height == b->height &&
           a->columns == b->columns && a->rows == b->rows && a->channels == b->channels;
}

bool floor_same_ignored(const struct floor_values *a, const struct floor_values *b)
{
    if (!a->ignored || !b->ignored) return a->ignored == b->ignored;
    return memcmp(a->ignored, b->ignored, floor_tiles_of(&a->grid)) == 0;
}

bool floor_values_new(const struct floor_grid *grid, struct floor_values *values)
{
    *values = (struct floor_values){.grid = *grid};
    float *at = malloc(floor_all_values(grid) * sizeof *at);
    for (int rule = 0; rule < FLOOR_TILE_RULES && at; rule++) {
        values->value[rule] = at;
        at += floor_rule_values(grid, rule);
    }
    return at != NULL;
}

bool floor_frame_new(const struct floor_grid *grid, struct floor_frame *floor)
{
    const size_t count = floor_all_values(grid);
    *floor = (struct floor_frame){.grid = *grid};
    floor->mean = malloc(count * sizeof *floor->mean);
    floor->sigma = malloc(count * sizeof *floor->sigma);
    if (floor->mean && floor->sigma) return true;
    floor_frame_free(floor);
    return false;
}

void floor_values_free(struct floor_values *values)
{
    free(values->value[0]);
    free(values->ignored);
    *values = (struct floor_values){0};
}

void floor_frame_free(struct floor_frame *floor)
{
    free(floor->mean);
    free(floor->sigma);
    *floor = (struct floor_frame){0};
}
