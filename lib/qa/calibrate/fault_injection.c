#include "calibrate/fault_injection.h"

#include "base/refuse.h"
#include "base/results.h"
#include "engine/score.h"
#include "pair/pair.h"
#include "pair/region.h"
#include "record/record.h"

#include "sample_size.h"

#include <stdlib.h>
#include <string.h>

enum { CHOSEN = 24, UNKNOWN_EVERY = 16, REACH = 5 /* pixels by which a window reaches further */ };
enum { DRAWS = 64 /* places that are tried until one touches no ignored tile */ };

/* Sides of the squares, in pixels; 0: the frame. */
static const uint32_t injected_sizes[INJECTION_SIZES] = {8, 16, 32, 64, 0};

/* Returns a number that the name of a pair makes. */
static uint64_t hash_of(const struct record *record)
{
    uint64_t hash = 1469598103934665603u ^ (uint64_t)record->frame * 31 ^ record->out;
    for (const char *at = record->shot ? record->shot : ""; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    return hash;
}

bool injection_choose(const struct record *record, int64_t pairs)
{
    uint64_t random = hash_of(record);
    const uint32_t every = pairs < 0        ? UNKNOWN_EVERY
                           : pairs > CHOSEN ? (uint32_t)(pairs / CHOSEN)
                                            : 1;
    return fault_model_draw(&random, every) == 0;
}

/* ---- A trial --------------------------------------------------------------------------------- */

/* The part of a pair that is scored again, in pixels of the first plane. */
struct area {
    uint32_t x, y, width, height;
};

/* Finds the tiles that damage from `from` to `to` touches along one side, and the shot around them:
 * one tile more, as far as the frame goes. */
static void find_tiles(uint32_t tile, uint32_t pixels, uint32_t tiles, uint32_t from, uint32_t to,
                       uint32_t *first, uint32_t *count, uint32_t *start, uint32_t *end)
{
    const uint32_t low = (from > REACH ? from - REACH : 0) / tile;
    const uint32_t high = learned_least((to + REACH - 1) / tile, tiles - 1);
    *first = learned_least(low, tiles - 1);
    *count = high - *first + 1;
    *start = (*first > 0 ? *first - 1 : 0) * tile;
    *end = high + 1 >= tiles ? pixels : learned_least((high + 2) * tile, pixels);
}

static struct area area_of(const struct learned_grid *grid, const struct fault_model_square *square,
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
static bool fault_model_plane(const struct pair *pair, uint32_t plane, const struct area *area,
                              const struct fault_model_square *square, const struct trial *trial,
                              uint64_t random, struct pair *shot)
{
    const ssimcu_frame *first = pair->plane[0], *own = &pair->plane[0][plane];
    const uint32_t across = learned_divide_up(first->width, own->width);
    const uint32_t down = learned_divide_up(first->height, own->height);
    const uint32_t x = area->x / across, y = area->y / down;
    const struct contract_region region = {
        .x = x,
        .y = y,
        .width = learned_least(learned_divide_up(area->width, across), own->width - x),
        .height = learned_least(learned_divide_up(area->height, down), own->height - y)};
    const struct fault_model_square scaled = {(square->x - area->x) / across,
                                              (square->y - area->y) / down, square->width / across,
                                              square->height / down};
    ssimcu_frame *ref = &shot->plane[0][plane], *out = &shot->plane[1][plane];
    ssimcu_frame before = pair->plane[1][plane];
    *ref = *own;
    region_cut(&region, ref);
    region_cut(&region, &before);
    if (!copy(&before, out)) return false;
    const struct damaged frames = {ref, &before, out, plane, pair->planes > 1};
    fault_model_apply(trial->kind, &frames, &scaled, random);
    return true;
}

/* Returns the place of a tile's value in a rule. */
static size_t place_of(const struct learned_grid *grid, uint32_t channel, uint32_t column,
                       uint32_t row)
{
    return ((size_t)channel * grid->rows + row) * grid->columns + column;
}

/* Returns whether the trial touches an ignored tile. */
static bool is_ignored(const struct learned_values *values, const struct trial *trial)
{
    for (uint32_t y = 0; values->ignored && y < trial->rows; y++)
        for (uint32_t x = 0; x < trial->columns; x++)
            if (values->ignored[place_of(&values->grid, 0, trial->column + x, trial->row + y)])
                return true;
    return false;
}

/* Draws a square, and the area around it. Returns false if no place touches nothing ignored. */
static bool draw_place(const struct learned_values *values, struct trial *trial, uint64_t *random,
                       struct fault_model_square *square, struct area *area)
{
    const struct learned_grid *grid = &values->grid;
    const uint32_t size = injected_sizes[trial->size];
    if (size == 0) {
        *square = (struct fault_model_square){0, 0, grid->width, grid->height};
        *area = area_of(grid, square, trial);
        return !values->ignored || memchr(values->ignored, 0, learned_tiles_of(grid));
    }
    for (int i = 0; i < DRAWS; i++) {
        *square = (struct fault_model_square){fault_model_draw(random, grid->width - size + 1),
                                              fault_model_draw(random, grid->height - size + 1),
                                              size, size};
        *area = area_of(grid, square, trial);
        if (!is_ignored(values, trial)) return true;
    }
    return false;
}

/* Lets a trial of the whole frame ignore what its pair does. Returns false if memory runs out. */
static bool copy_ignored(const struct learned_values *from, struct trial *trial)
{
    const size_t tiles = learned_tiles_of(&from->grid);
    if (injected_sizes[trial->size] > 0 || !from->ignored) return true;
    trial->values.ignored = malloc(tiles);
    if (trial->values.ignored) memcpy(trial->values.ignored, from->ignored, tiles);
    return trial->values.ignored != NULL;
}

/* Returns whether a kind of damage is tried in a size: what is slight in the whole frame alone, and
 * of these kinds one of each pair. */
static bool is_tried(int kind, int size, uint64_t turn)
{
    enum { OF_FRAME = FAULT_MODELS - FAULT_MODEL_OF_FRAME };
    const bool whole = injected_sizes[size] == 0;
    if (kind < FAULT_MODEL_OF_FRAME) return !whole;
    return whole && turn % OF_FRAME == (uint64_t)(kind - FAULT_MODEL_OF_FRAME);
}

/* Damages a square of a pair and scores the tiles around it. The trial gets no values if there is
 * no place for it. */
static ssimcu_status try_one(ssimcu_context *lane, const struct pair *pair,
                             const struct learned_values *values, struct trial *trial,
                             uint64_t *random, ssimcu_message *message)
{
    struct pair shot = {.planes = pair->planes}; /* REF lies in the pair's memory, OUT in its own */
    struct learned_tiles tiles = {0};
    struct fault_model_square square;
    struct area area;
    ssimcu_score score = SSIMCU_INIT(score);
    bool good = true;
    if (!draw_place(values, trial, random, &square, &area)) return SSIMCU_OK;
    for (uint32_t p = 0; p < pair->planes && good; p++)
        good = fault_model_plane(pair, p, &area, &square, trial, *random, &shot);
    ssimcu_status status = good
                               ? score_pair(lane, &shot, values->grid.tile, &tiles, &score, message)
                               : no_memory(message);
    if (status == SSIMCU_OK && !(learned_values_make(&tiles, score.channels, &trial->values) &&
                                 copy_ignored(values, trial)))
        status = no_memory(message);
    learned_tiles_free(&tiles);
    for (uint32_t p = 0; p < pair->planes; p++) free(shot.plane[1][p].data);
    return status;
}

ssimcu_status injection_make(ssimcu_context *lane, const struct pair *pair,
                             const struct learned_values *values, struct injection *injection,
                             ssimcu_message *message)
{
    const uint32_t side = learned_least(values->grid.width, values->grid.height);
    const uint32_t colours = pair->plane[0]->channels > 2 ? 3 : 1;
    uint64_t random = hash_of(pair->record);
    const uint64_t turn = (uint64_t)pair->record->frame + pair->record->out;
    ssimcu_message why = {{0}};
    ssimcu_status status = SSIMCU_OK;
    for (int kind = 0; kind < FAULT_MODELS; kind++)
        for (int size = 0; size < INJECTION_SIZES && status == SSIMCU_OK; size++) {
            struct trial trial = {
                .run = pair->record->out, .kind = (enum fault_model)kind, .size = size};
            if (!results_grow(&injection->trial, injection->count, &injection->room, sizeof trial))
                return no_memory(message);
            if (!is_tried(kind, size, turn)) continue;
            if (!fault_model_is_for(kind, pair->exact, pair->planes > 1, colours) ||
                injected_sizes[size] > side / 2)
                continue;
            status = try_one(lane, pair, values, &trial, &random, &why);
            if (trial.values.value[0]) injection->trial[injection->count++] = trial;
            /* Damaged samples may be such as no score has, such as light that became too bright. */
            if (status == SSIMCU_ERROR_DATA || status == SSIMCU_ERROR_TOO_SMALL)
                status = SSIMCU_OK, why.text[0] = '\0';
        }
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", why.text);
}

/* ---- What came of them ----------------------------------------------------------------------- */

bool injection_move(struct injection *to, struct injection *from)
{
    for (size_t i = 0; i < from->count; i++) {
        if (!results_grow(&to->trial, to->count, &to->room, sizeof *to->trial)) return false;
        to->trial[to->count++] = from->trial[i];
        from->trial[i].values = (struct learned_values){0};
    }
    from->count = 0;
    return true;
}

/* Returns how far the tiles are beyond a rule of their learned limits. */
static double judge(const struct trial *trial, const struct learned_frame *learned,
                    enum learned_rule rule)
{
    const struct learned_grid *whole = &learned->grid, *shot = &trial->values.grid;
    const size_t start = learned_rule_start(whole, rule);
    const size_t channels = learned_rule_values(whole, rule) / learned_tiles_of(whole);
    double most = -INFINITY;
    for (uint32_t c = 0; c < channels; c++)
        for (uint32_t y = 0; y < trial->rows; y++)
            for (uint32_t x = 0; x < trial->columns; x++) {
                const size_t at = place_of(whole, c, trial->column + x, trial->row + y);
                const size_t own = place_of(shot, c, trial->left + x, trial->top + y);
                const double z = learned_z(learned, start + at, trial->values.value[rule][own]);
                most = fmax(most, learned_beyond(rule, z));
            }
    return most;
}

void injection_judge(struct injection *injection, const struct learned_frame *learned)
{
    for (size_t i = 0; i < injection->count; i++) {
        struct trial *trial = &injection->trial[i];
        if (!trial->values.value[0]) continue;
        struct learned_excess whole = {0}; /* a square moves the numbers of the frame too little */
        if (injected_sizes[trial->size] == 0)
            learned_judge(learned, &trial->values, trial->values.ignored, &whole);
        memcpy(trial->z, whole.z, sizeof trial->z);
        for (int rule = 0; rule < LEARNED_TILE_RULES && injected_sizes[trial->size] > 0; rule++)
            trial->z[rule] = judge(trial, learned, rule);
        learned_values_free(&trial->values);
    }
}

void injection_count(struct injection *injection, const double limit[LEARNED_RULES],
                     struct injection_found *found)
{
    for (size_t i = 0; i < injection->count; i++) {
        const struct trial *trial = &injection->trial[i];
        bool beyond = false;
        for (int rule = 0; rule < LEARNED_RULES; rule++)
            beyond = beyond || trial->z[rule] > limit[rule];
        found->tried[trial->kind][trial->size]++;
        found->found[trial->kind][trial->size] += beyond;
    }
    injection->count = 0;
}

enum { ROW_BYTES = 128, NAME_WIDTH = 30, CELL_WIDTH = 10 };

const char *injection_head(char text[INJECTION_HEAD], int size)
{
    const uint32_t side = injected_sizes[size];
    snprintf(text, INJECTION_HEAD, side > 0 ? "%u x %u" : "frame", side, side);
    return text;
}

/* Writes what was found of a kind of damage; -1: the line above the table. Returns whether it was
 * tried. */
static bool write_row(const struct injection_found *found, int kind, char text[ROW_BYTES])
{
    int used =
        snprintf(text, ROW_BYTES, "%-*s", NAME_WIDTH, kind < 0 ? "" : fault_model_names[kind]);
    bool any = kind < 0;
    for (int size = 0; size < INJECTION_SIZES; size++) {
        const uint64_t all = kind < 0 ? 0 : found->tried[kind][size];
        char cell[INJECTION_HEAD] = "-";
        any = any || all > 0;
        if (kind < 0) injection_head(cell, size);
        if (all > 0)
            snprintf(cell, sizeof cell, "%.0f %%",
                     100.0 * (double)found->found[kind][size] / (double)all);
        used += snprintf(text + used, ROW_BYTES - (size_t)used, "%*s", CELL_WIDTH, cell);
    }
    return any;
}

ssimcu_status injection_tell(const struct injection_found *found, struct hooks *hooks,
                             ssimcu_message *message)
{
    char text[ROW_BYTES];
    bool any = false;
    for (int kind = 0; kind < FAULT_MODELS; kind++) any = write_row(found, kind, text) || any;
    if (!any) return SSIMCU_OK;
    char what[400];
    snprintf(what, sizeof what,
             "Faults that these limits find in accepted frames%s%.250s, by the size of the damaged "
             "square:",
             found->layer ? " of " : "", found->layer ? found->layer : "");
    ssimcu_status status = hooks_print_line(hooks, what);
    for (int kind = -1; kind < FAULT_MODELS && status == SSIMCU_OK; kind++)
        if (write_row(found, kind, text)) status = hooks_print_line(hooks, text);
    return hooks_failed(status, message);
}

void injection_free(struct injection *injection)
{
    for (size_t i = 0; i < injection->count; i++) learned_values_free(&injection->trial[i].values);
    free(injection->trial);
    *injection = (struct injection){0};
}
