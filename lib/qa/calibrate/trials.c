#include "calibrate/trials.h"

#include "base/refuse.h"
#include "base/results.h"
#include "engine/score.h"
#include "facts/record.h"
#include "pair/pair.h"
#include "pair/region.h"

#include "sample_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHOSEN = 24, UNKNOWN_EVERY = 16, REACH = 5 /* pixels by which a window reaches further */ };
enum { DRAWS = 64 /* places that are tried until one touches no ignored tile */ };

const uint32_t trial_sizes[TRIAL_SIZES] = {8, 16, 32, 64, 0};

/* Returns a number that the name of a pair makes. */
static uint64_t hash_of(const struct record *record)
{
    uint64_t hash = 1469598103934665603u ^ (uint64_t)record->frame * 31 ^ record->out;
    for (const char *at = record->part ? record->part : ""; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    return hash;
}

bool trials_choose(const struct record *record, int64_t pairs)
{
    uint64_t random = hash_of(record);
    const uint32_t every = pairs < 0        ? UNKNOWN_EVERY
                           : pairs > CHOSEN ? (uint32_t)(pairs / CHOSEN)
                                            : 1;
    return damage_draw(&random, every) == 0;
}

/* ---- A trial --------------------------------------------------------------------------------- */

/* The part of a pair that is scored again, in pixels of the first plane. */
struct area {
    uint32_t x, y, width, height;
};

/* Finds the tiles that damage from `from` to `to` touches along one side, and the part around them:
 * one tile more, as far as the frame goes. */
static void find_tiles(uint32_t tile, uint32_t pixels, uint32_t tiles, uint32_t from, uint32_t to,
                       uint32_t *first, uint32_t *count, uint32_t *start, uint32_t *end)
{
    const uint32_t low = (from > REACH ? from - REACH : 0) / tile;
    const uint32_t high = floor_least((to + REACH - 1) / tile, tiles - 1);
    *first = floor_least(low, tiles - 1);
    *count = high - *first + 1;
    *start = (*first > 0 ? *first - 1 : 0) * tile;
    *end = high + 1 >= tiles ? pixels : floor_least((high + 2) * tile, pixels);
}

static struct area area_of(const struct floor_grid *grid, const struct damage_square *square,
                           struct trial *trial)
{
    struct area area;
    uint32_t right, bottom;
    find_tiles(grid->tile, grid->width, grid->columns, square->x, square->x + square->width,
               &trial->column, &trial->columns, &area.x, &right);
    find_tiles(grid->tile, grid->height, grid->rows, square->y, square->y + square->height,
               &trial->row, &trial->rows, &area.y, &bottom);
    area.width = right - area.x;
    area.height = bottom - area.y;
    trial->left = trial->column - area.x / grid->tile;
    trial->top = trial->row - area.y / grid->tile;
    return area;
}

static bool copy(const ssimcu_frame *from, ssimcu_frame *to)
{
    const size_t row = (size_t)from->width * from->channels * ssimcu_sample_size(from->bits);
    *to = *from;
    to->pitch = row;
    to->data = malloc(row * from->height);
    for (uint32_t y = 0; y < from->height && to->data; y++)
        memcpy((char *)to->data + y * row, (const char *)from->data + y * from->pitch, row);
    return to->data != NULL;
}

/* Makes a plane of both sides in an area, OUT with its damage. */
static bool damage_plane(const struct pair *pair, uint32_t plane, const struct area *area,
                         const struct damage_square *square, const struct trial *trial,
                         uint64_t random, struct pair *part)
{
    const ssimcu_frame *first = pair->plane[0], *own = &pair->plane[0][plane];
    const uint32_t across = floor_divide_up(first->width, own->width);
    const uint32_t down = floor_divide_up(first->height, own->height);
    const uint32_t x = area->x / across, y = area->y / down;
    const struct contract_region region = {
        .x = x,
        .y = y,
        .width = floor_least(floor_divide_up(area->width, across), own->width - x),
        .height = floor_least(floor_divide_up(area->height, down), own->height - y)};
    const struct damage_square scaled = {(square->x - area->x) / across,
                                         (square->y - area->y) / down, square->width / across,
                                         square->height / down};
    ssimcu_frame *ref = &part->plane[0][plane], *out = &part->plane[1][plane];
    ssimcu_frame before = pair->plane[1][plane];
    *ref = *own;
    region_cut(&region, ref);
    region_cut(&region, &before);
    if (!copy(&before, out)) return false;
    const struct damaged frames = {ref, &before, out, plane, pair->planes > 1};
    damage_apply(trial->kind, &frames, &scaled, random);
    return true;
}

/* Returns the place of a tile's value in a rule. */
static size_t place_of(const struct floor_grid *grid, uint32_t channel, uint32_t column,
                       uint32_t row)
{
    return ((size_t)channel * grid->rows + row) * grid->columns + column;
}

/* Returns whether the trial touches an ignored tile. */
static bool is_ignored(const struct floor_values *values, const struct trial *trial)
{
    for (uint32_t y = 0; values->ignored && y < trial->rows; y++)
        for (uint32_t x = 0; x < trial->columns; x++)
            if (values->ignored[place_of(&values->grid, 0, trial->column + x, trial->row + y)])
                return true;
    return false;
}

/* Draws a square, and the area around it. Returns false if no place touches nothing ignored. */
static bool draw_place(const struct floor_values *values, struct trial *trial, uint64_t *random,
                       struct damage_square *square, struct area *area)
{
    const struct floor_grid *grid = &values->grid;
    const uint32_t size = trial_sizes[trial->size];
    if (size == 0) {
        *square = (struct damage_square){0, 0, grid->width, grid->height};
        *area = area_of(grid, square, trial);
        return !values->ignored || memchr(values->ignored, 0, floor_tiles_of(grid));
    }
    for (int i = 0; i < DRAWS; i++) {
        *square = (struct damage_square){damage_draw(random, grid->width - size + 1),
                                         damage_draw(random, grid->height - size + 1), size, size};
        *area = area_of(grid, square, trial);
        if (!is_ignored(values, trial)) return true;
    }
    return false;
}

/* Lets a trial of the whole frame ignore what its pair does. Returns false if memory runs out. */
static bool copy_ignored(const struct floor_values *from, struct trial *trial)
{
    const size_t tiles = floor_tiles_of(&from->grid);
    if (trial_sizes[trial->size] > 0 || !from->ignored) return true;
    trial->values.ignored = malloc(tiles);
    if (trial->values.ignored) memcpy(trial->values.ignored, from->ignored, tiles);
    return trial->values.ignored != NULL;
}

/* Returns whether a kind of damage is tried in a size: what is slight in the whole frame alone, and
 * of these kinds one of each pair. */
static bool is_tried(int kind, int size, uint64_t turn)
{
    enum { OF_FRAME = DAMAGES - DAMAGE_OF_FRAME };
    const bool whole = trial_sizes[size] == 0;
    if (kind < DAMAGE_OF_FRAME) return !whole;
    return whole && turn % OF_FRAME == (uint64_t)(kind - DAMAGE_OF_FRAME);
}

/* Damages a square of a pair and scores the tiles around it. The trial gets no values if there is
 * no place for it. */
static ssimcu_status try_one(ssimcu_context *lane, const struct pair *pair,
                             const struct floor_values *values, struct trial *trial,
                             uint64_t *random, ssimcu_message *message)
{
    struct pair part = {.planes = pair->planes}; /* REF lies in the pair's memory, OUT in its own */
    struct floor_tiles tiles = {0};
    struct damage_square square;
    struct area area;
    ssimcu_score score = SSIMCU_INIT(score);
    bool good = true;
    if (!draw_place(values, trial, random, &square, &area)) return SSIMCU_OK;
    for (uint32_t p = 0; p < pair->planes && good; p++)
        good = damage_plane(pair, p, &area, &square, trial, *random, &part);
    ssimcu_status status = good
                               ? score_pair(lane, &part, values->grid.tile, &tiles, &score, message)
                               : no_memory(message);
    if (status == SSIMCU_OK &&
        !(floor_values_make(&tiles, score.channels, &trial->values) && copy_ignored(values, trial)))
        status = no_memory(message);
    floor_tiles_free(&tiles);
    for (uint32_t p = 0; p < pair->planes; p++) free(part.plane[1][p].data);
    return status;
}

ssimcu_status trials_make(ssimcu_context *lane, const struct pair *pair,
                          const struct floor_values *values, struct trials *trials,
                          ssimcu_message *message)
{
    const uint32_t side = floor_least(values->grid.width, values->grid.height);
    const uint32_t colours = pair->plane[0]->channels > 2 ? 3 : 1;
    uint64_t random = hash_of(pair->record);
    const uint64_t turn = (uint64_t)pair->record->frame + pair->record->out;
    ssimcu_message why = {{0}};
    ssimcu_status status = SSIMCU_OK;
    for (int kind = 0; kind < DAMAGES; kind++)
        for (int size = 0; size < TRIAL_SIZES && status == SSIMCU_OK; size++) {
            struct trial trial = {
                .run = pair->record->out, .kind = (enum damage)kind, .size = size};
            if (!results_grow(&trials->trial, trials->count, &trials->room, sizeof trial))
                return no_memory(message);
            if (!is_tried(kind, size, turn)) continue;
            if (!damage_is_for(kind, pair->exact, pair->planes > 1, colours) ||
                trial_sizes[size] > side / 2)
                continue;
            status = try_one(lane, pair, values, &trial, &random, &why);
            if (trial.values.value[0]) trials->trial[trials->count++] = trial;
            /* Damaged samples may be such as no score has, such as light that became too bright. */
            if (status == SSIMCU_ERROR_DATA || status == SSIMCU_ERROR_TOO_SMALL)
                status = SSIMCU_OK, why.text[0] = '\0';
        }
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", why.text);
}

/* ---- What came of them ----------------------------------------------------------------------- */

bool trials_move(struct trials *to, struct trials *from)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!results_grow(&to->trial, to->count, &to->room, sizeof *to->trial)) return false;
        to->trial[to->count++] = from->trial[i];
        from->trial[i].values = (struct floor_values){0};
    }
    from->count = 0;
    return true;
}

/* Returns how far the tiles are beyond a rule of their floors. */
static double judge(const struct trial *trial, const struct floor_frame *floor,
                    enum floor_rule rule)
{
    const struct floor_grid *whole = &floor->grid, *part = &trial->values.grid;
    const size_t start = floor_rule_start(whole, rule);
    const size_t channels = floor_rule_values(whole, rule) / floor_tiles_of(whole);
    double most = -INFINITY;
    for (uint32_t c = 0; c < channels; c++)
        for (uint32_t y = 0; y < trial->rows; y++)
            for (uint32_t x = 0; x < trial->columns; x++) {
                const size_t at = place_of(whole, c, trial->column + x, trial->row + y);
                const size_t own = place_of(part, c, trial->left + x, trial->top + y);
                const double z = floor_z(floor, start + at, trial->values.value[rule][own]);
                most = fmax(most, floor_beyond(rule, z));
            }
    return most;
}

void trials_judge(struct trials *trials, const struct floor_frame *floor)
{
    for (size_t i = 0; i < trials->count; i++) {
        struct trial *trial = &trials->trial[i];
        if (!trial->values.value[0]) continue;
        struct floor_excess whole = {0}; /* a square moves the numbers of the frame too little */
        if (trial_sizes[trial->size] == 0)
            floor_judge(floor, &trial->values, trial->values.ignored, &whole);
        memcpy(trial->z, whole.z, sizeof trial->z);
        for (int rule = 0; rule < FLOOR_TILE_RULES && trial_sizes[trial->size] > 0; rule++)
            trial->z[rule] = judge(trial, floor, rule);
        floor_values_free(&trial->values);
    }
}

void trials_count(struct trials *trials, const double limit[FLOOR_RULES],
                  struct trials_found *found)
{
    for (size_t i = 0; i < trials->count; i++) {
        const struct trial *trial = &trials->trial[i];
        bool beyond = false;
        for (int rule = 0; rule < FLOOR_RULES; rule++)
            beyond = beyond || trial->z[rule] > limit[rule];
        found->tried[trial->kind][trial->size]++;
        found->found[trial->kind][trial->size] += beyond;
    }
    trials->count = 0;
}

enum { ROW_BYTES = 128, NAME_WIDTH = 30, CELL_WIDTH = 10 };

const char *trials_head(char text[TRIAL_HEAD], int size)
{
    const uint32_t side = trial_sizes[size];
    snprintf(text, TRIAL_HEAD, side > 0 ? "%u x %u" : "frame", side, side);
    return text;
}

/* Writes the line above the table. */
static void write_head(char text[ROW_BYTES])
{
    int used = snprintf(text, ROW_BYTES, "%*s", NAME_WIDTH, "");
    for (int size = 0; size < TRIAL_SIZES; size++) {
        char cell[TRIAL_HEAD];
        used += snprintf(text + used, ROW_BYTES - (size_t)used, "%*s", CELL_WIDTH,
                         trials_head(cell, size));
    }
}

/* Writes what was found of a kind of damage. Returns whether it was tried. */
static bool write_row(const struct trials_found *found, int kind, char text[ROW_BYTES])
{
    int used = snprintf(text, ROW_BYTES, "%-*s", NAME_WIDTH, damage_names[kind]);
    bool any = false;
    for (int size = 0; size < TRIAL_SIZES; size++) {
        const uint64_t all = found->tried[kind][size];
        char cell[32] = "-";
        any = any || all > 0;
        if (all > 0)
            snprintf(cell, sizeof cell, "%.0f %%",
                     100.0 * (double)found->found[kind][size] / (double)all);
        used += snprintf(text + used, ROW_BYTES - (size_t)used, "%*s", CELL_WIDTH, cell);
    }
    return any;
}

ssimcu_status trials_tell(const struct trials_found *found, struct hooks *hooks,
                          ssimcu_message *message)
{
    char text[ROW_BYTES];
    ssimcu_status status = SSIMCU_OK;
    bool any = false;
    for (int kind = 0; kind < DAMAGES; kind++) any = write_row(found, kind, text) || any;
    if (!any) return SSIMCU_OK;
    char what[400];
    snprintf(what, sizeof what,
             "What these limits find in accepted frames%s%.250s, by the size of the square that is "
             "damaged:",
             found->layer ? " of " : "", found->layer ? found->layer : "");
    status = hooks_line(hooks, what);
    write_head(text);
    if (status == SSIMCU_OK) status = hooks_line(hooks, text);
    for (int kind = 0; kind < DAMAGES && status == SSIMCU_OK; kind++)
        if (write_row(found, kind, text)) status = hooks_line(hooks, text);
    return hooks_failed(status, message);
}

void trials_free(struct trials *trials)
{
    for (size_t i = 0; i < trials->count; i++) floor_values_free(&trials->trial[i].values);
    free(trials->trial);
    *trials = (struct trials){0};
}
