#include "learned/learned.h"

#include "learned/rules.h"
#include "learned/values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const learned_rule_names[LEARNED_RULES] = {
    "score", "level_shift", "difference",        "texture",          "bright",
    "dark",  "frame_score", "frame_level_shift", "frame_difference", "frame_texture"};

const char *learned_rule_words(char text[LEARNED_WORDS], enum learned_rule rule)
{
    snprintf(text, LEARNED_WORDS, "%s", learned_rule_names[rule]);
    for (char *at = text; *at; at++)
        if (*at == '_') *at = ' ';
    return text;
}

const struct learned_rule_row learned_rule_rows[LEARNED_RULES] = {
    [LEARNED_SCORE] = {false, -1, 0.002, 0, 0.15, LEARNED_SCORE},
    [LEARNED_LEVEL_SHIFT] = {true, 0, 0.05, 0, 0, LEARNED_LEVEL_SHIFT},
    [LEARNED_DIFFERENCE] = {true, 1, 0.02, 0, 0, LEARNED_DIFFERENCE},
    [LEARNED_TEXTURE] = {false, -1, 0.01, 0.8, 0.05, LEARNED_TEXTURE},
    [LEARNED_BRIGHT] = {true, 1, 0.3, 0, 0.05, LEARNED_BRIGHT},
    [LEARNED_DARK] = {true, 1, 0.3, 0, 0, LEARNED_DARK},
    [LEARNED_FRAME_SCORE] = {.tile = LEARNED_SCORE},
    [LEARNED_FRAME_LEVEL_SHIFT] = {true, .tile = LEARNED_LEVEL_SHIFT},
    [LEARNED_FRAME_DIFFERENCE] = {true, .tile = LEARNED_DIFFERENCE},
    [LEARNED_FRAME_TEXTURE] = {.tile = LEARNED_TEXTURE},
};

size_t learned_rule_values(const struct learned_grid *grid, enum learned_rule rule)
{
    return learned_tiles_of(grid) * (learned_rule_rows[rule].each_channel ? grid->channels : 1);
}

size_t learned_rule_start(const struct learned_grid *grid, enum learned_rule rule)
{
    size_t before = 0;
    for (int r = 0; r < (int)rule; r++) before += learned_rule_values(grid, r);
    return before;
}

size_t learned_all_values(const struct learned_grid *grid)
{
    return learned_rule_start(grid, LEARNED_TILE_RULES);
}

bool learned_has_channel(enum learned_rule rule) { return learned_rule_rows[rule].each_channel; }

double learned_beyond(enum learned_rule rule, double z)
{
    const int side = learned_rule_rows[rule].side;
    return side == 0 ? fabs(z) : side * z;
}

struct learned_place learned_place_at(const struct learned_grid *grid, enum learned_rule rule,
                                      size_t at)
{
    const size_t tiles = learned_tiles_of(grid), tile = at % tiles;
    const uint32_t x = (uint32_t)(tile % grid->columns) * grid->tile;
    const uint32_t y = (uint32_t)(tile / grid->columns) * grid->tile;
    return (struct learned_place){
        .x = x,
        .y = y,
        .width = learned_least(grid->tile, grid->width - x),
        .height = learned_least(grid->tile, grid->height - y),
        .channel = learned_rule_rows[rule].each_channel ? (uint32_t)(at / tiles) : 0};
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

enum learned_rule whole_rule(enum learned_rule tile)
{
    int rule = LEARNED_TILE_RULES;
    while (rule < LEARNED_RULES && learned_rule_rows[rule].tile != tile) rule++;
    return (enum learned_rule)rule;
}

void whole_judge(const struct whole *whole, const struct learned_grid *grid, enum learned_rule tile,
                 double z[LEARNED_RULES], struct learned_place place[LEARNED_RULES])
{
    const enum learned_rule rule = whole_rule(tile);
    if (rule == LEARNED_RULES) return;
    uint32_t worst = 0;
    for (uint32_t c = 1; c < 3; c++)
        if (fabs(whole_z(whole, c)) > fabs(whole_z(whole, worst))) worst = c;
    z[rule] = learned_beyond(rule, whole_z(whole, worst));
    place[rule] =
        (struct learned_place){.width = grid->width, .height = grid->height, .channel = worst};
}

void learned_judge(const struct learned_frame *learned, const struct learned_values *values,
                   const unsigned char *ignored, struct learned_excess *excess)
{
    const size_t tiles = learned_tiles_of(&values->grid);
    *excess = (struct learned_excess){.known = true};
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        struct whole whole = {0};
        const size_t before = learned_rule_start(&values->grid, rule);
        const size_t count = learned_rule_values(&values->grid, rule);
        size_t worst = count;
        for (size_t i = 0; i < count; i++) {
            if (ignored && ignored[i % tiles]) continue;
            const double signed_z = learned_z(learned, before + i, values->value[rule][i]);
            const double z = learned_beyond(rule, signed_z);
            whole_add(&whole, i / tiles, signed_z);
            if (worst < count && !(z > excess->z[rule])) continue;
            excess->z[rule] = z;
            worst = i;
        }
        excess->place[rule] = learned_place_at(&values->grid, rule, worst);
        whole_judge(&whole, &values->grid, rule, excess->z, excess->place);
    }
}

void learned_judge_tiles(const struct learned_frame *learned, const struct learned_values *values,
                         const unsigned char *ignored, const double max_excess[LEARNED_RULES],
                         float *excess)
{
    const size_t tiles = learned_tiles_of(&values->grid);
    struct learned_excess whole;
    float least = 0;
    learned_judge(learned, values, ignored, &whole);
    for (int rule = LEARNED_TILE_RULES; rule < LEARNED_RULES; rule++)
        if (max_excess[rule] > 0 && whole.z[rule] > max_excess[rule]) least = 1;
    for (size_t i = 0; i < tiles; i++) excess[i] = ignored && ignored[i] ? 0 : least;
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        const size_t before = learned_rule_start(&values->grid, rule);
        for (size_t i = 0; i < learned_rule_values(&values->grid, rule); i++) {
            if (!(max_excess[rule] > 0) || (ignored && ignored[i % tiles])) continue;
            const double z =
                learned_beyond(rule, learned_z(learned, before + i, values->value[rule][i]));
            excess[i % tiles] = fmaxf(excess[i % tiles], (float)(z / max_excess[rule]));
        }
    }
}

bool learned_same_grid(const struct learned_grid *a, const struct learned_grid *b)
{
    return a->tile == b->tile && a->width == b->width && a->height == b->height &&
           a->columns == b->columns && a->rows == b->rows && a->channels == b->channels;
}

bool learned_same_ignored(const struct learned_values *a, const struct learned_values *b)
{
    if (!a->ignored || !b->ignored) return a->ignored == b->ignored;
    return memcmp(a->ignored, b->ignored, learned_tiles_of(&a->grid)) == 0;
}

bool learned_values_new(const struct learned_grid *grid, struct learned_values *values)
{
    *values = (struct learned_values){.grid = *grid};
    float *at = malloc(learned_all_values(grid) * sizeof *at);
    for (int rule = 0; rule < LEARNED_TILE_RULES && at; rule++) {
        values->value[rule] = at;
        at += learned_rule_values(grid, rule);
    }
    return at != NULL;
}

bool learned_frame_new(const struct learned_grid *grid, struct learned_frame *learned)
{
    const size_t count = learned_all_values(grid);
    *learned = (struct learned_frame){.grid = *grid};
    learned->mean = malloc(count * sizeof *learned->mean);
    learned->sigma = malloc(count * sizeof *learned->sigma);
    if (learned->mean && learned->sigma) return true;
    learned_frame_free(learned);
    return false;
}

void learned_values_free(struct learned_values *values)
{
    free(values->value[0]);
    free(values->ignored);
    *values = (struct learned_values){0};
}

void learned_frame_free(struct learned_frame *learned)
{
    free(learned->mean);
    free(learned->sigma);
    *learned = (struct learned_frame){0};
}
