#include "learned/learn.h"

#include "learned/rules.h"

#include <math.h>
#include <stdlib.h>

/* Mean of a tile without training data, on the side that everything exceeds; its sigma is 1. */
static const double UNLEARNT = 1e5;

/* Mean, and sum of squared deviations, of each value of a rule. */
struct moments {
    size_t count; /* samples */
    double *mean, *squares, *smooth, *rows;
    double *without;    /* squares of all samples but one */
    double *beyond;     /* largest z of the channels of each tile */
    double *memory;     /* owned; memory of all these arrays */
    struct whole whole; /* tiles of the last sample judged */
};

/* Returns the values of the first sample that counts. All samples have its grid and ignored
 * tiles. */
static const struct learned_values *first_of(const struct learn_sample *sample)
{
    while (sample->left_out) sample++;
    return &sample->values;
}

/* Returns whether a tile is not ignored. */
static bool counts(const struct learned_values *sample, size_t tile)
{
    return !sample->ignored || !sample->ignored[tile];
}

static bool moments_new(struct moments *moments, size_t values)
{
    double *at = calloc(6 * values, sizeof *at);
    *moments = (struct moments){.memory = at,
                                .mean = at,
                                .squares = at + values,
                                .smooth = at + 2 * values,
                                .rows = at + 3 * values,
                                .without = at + 4 * values,
                                .beyond = at + 5 * values};
    return at != NULL;
}

static void add_up(struct moments *moments, const struct learn_sample *sample, size_t count,
                   enum learned_rule rule)
{
    const size_t values = learned_rule_values(&first_of(sample)->grid, rule);
    moments->count = 0;
    for (size_t i = 0; i < values; i++) moments->mean[i] = moments->squares[i] = 0;
    for (; count > 0; count--, sample++) {
        if (sample->left_out) continue;
        const float *value = sample->values.value[rule];
        const double n = (double)++moments->count;
        for (size_t i = 0; i < values; i++) {
            const double off = value[i] - moments->mean[i];
            moments->mean[i] += off / n;
            moments->squares[i] += off * (value[i] - moments->mean[i]);
        }
    }
}

/* Returns how many windows of a row of tiles of `side` pixels in all lie in tile `at`. */
static uint32_t windows_along(uint32_t side, uint32_t tile, size_t at)
{
    enum { BORDER = 5 }; /* pixels that are no centre of a window inside the frame */
    const uint32_t end = side > BORDER ? side - BORDER : 0;
    const uint32_t first = at > 0 ? (uint32_t)at * tile : BORDER;
    const uint32_t last = (uint32_t)(at + 1) * tile < end ? (uint32_t)(at + 1) * tile : end;
    return last > first ? last - first : 0;
}

/* Returns how many pixels lie under the windows of a tile. */
static double pixels_under(const struct learned_grid *grid, size_t tile)
{
    enum { REACH = 10 }; /* pixels by which a window is wider than its centre */
    const size_t x = tile % grid->columns, y = tile / grid->columns;
    return (double)(windows_along(grid->width, grid->tile, x) + REACH) *
           (windows_along(grid->height, grid->tile, y) + REACH);
}

/* Gives tiles with less than a quarter of a tile's windows at least the variance that the nearest
 * tile with more would have, if it had as few pixels. The tiles of a border are repeated, so a
 * corner's own windows would count for four of nine: by chance their runs are often alike. */
static void borrow(const struct learned_values *sample, size_t values, double *to)
{
    const struct learned_grid *grid = &sample->grid;
    const size_t w = grid->columns, tiles = learned_tiles_of(grid);
    for (size_t i = 0; i < values; i++) {
        const size_t tile = i % tiles, x = tile % w, y = tile / w;
        const uint32_t across = windows_along(grid->width, grid->tile, x),
                       down = windows_along(grid->height, grid->tile, y);
        if (4 * (uint64_t)across * down >= (uint64_t)grid->tile * grid->tile) continue;
        const bool left = x > 0 && 2 * across<grid->tile, up = y> 0 && 2 * down < grid->tile;
        const size_t back = left + (up ? w : 0);
        const double fewer = pixels_under(grid, tile - back) / pixels_under(grid, tile);
        if (counts(sample, tile - back)) to[i] = fmax(to[i], fewer * to[i - back]);
    }
}

/* Averages the rule's squares, `from`, over 3 x 3 tiles of each channel. Edges are repeated, and an
 * ignored tile is an edge for its neighbours. */
static void smooth(const struct learned_values *sample, enum learned_rule rule, const double *from,
                   double *rows, double *to)
{
    const size_t w = sample->grid.columns, h = sample->grid.rows;
    const size_t values = learned_rule_values(&sample->grid, rule);
    const double least = learned_rule_rows[rule].own;
    for (size_t i = 0; i < values; i++) {
        const size_t x = i % w, tile = i % (w * h);
        const bool left = x > 0 && counts(sample, tile - 1);
        const bool right = x + 1 < w && counts(sample, tile + 1);
        rows[i] = from[left ? i - 1 : i] + from[i] + from[right ? i + 1 : i];
    }
    for (size_t i = 0; i < values; i++) {
        const size_t y = i / w % h, tile = i % (w * h);
        const bool above = y > 0 && counts(sample, tile - w);
        const bool below = y + 1 < h && counts(sample, tile + w);
        to[i] = (rows[above ? i - w : i] + rows[i] + rows[below ? i + w : i]) / 9;
        to[i] = fmax(to[i], least * from[i]);
    }
    borrow(sample, values, to);
}

/* Returns the sigma of a value with smoothed variance v, trained on n samples. */
static double sigma_of(enum learned_rule rule, double v, double n)
{
    const double spread = learned_rule_rows[rule].spread;
    return sqrt(fmax(v, 0) + spread * spread) * sqrt(1 + 1 / n);
}

bool learn_statistics(const struct learn_sample *sample, size_t count,
                      struct learned_frame *learned)
{
    const struct learned_values *first = first_of(sample);
    struct moments moments;
    if (!learned_frame_new(&first->grid, learned)) return false;
    if (!moments_new(&moments, learned_all_values(&first->grid))) {
        learned_frame_free(learned);
        return false;
    }
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        const size_t values = learned_rule_values(&first->grid, rule);
        const size_t before = learned_rule_start(&first->grid, rule);
        add_up(&moments, sample, count, rule);
        const double n = (double)moments.count;
        smooth(first, rule, moments.squares, moments.rows, moments.smooth);
        for (size_t i = 0; i < values; i++) {
            if (!counts(first, i % learned_tiles_of(&first->grid))) {
                learned->mean[before + i] =
                    (float)(learned_rule_rows[rule].side < 0 ? UNLEARNT : -UNLEARNT);
                learned->sigma[before + i] = 1;
                continue;
            }
            learned->mean[before + i] = (float)moments.mean[i];
            learned->sigma[before + i] = (float)sigma_of(rule, moments.smooth[i] / (n - 1), n);
        }
    }
    learned->runs = (uint32_t)moments.count;
    free(moments.memory);
    return true;
}

/* Removes one value from the sum of squares: (x - mean)^2 n / (n - 1) less. */
static void leave_out(const struct moments *moments, const float *value, size_t values)
{
    const double n = (double)moments->count;
    for (size_t i = 0; i < values; i++) {
        const double off = value[i] - moments->mean[i];
        moments->without[i] = fmax(moments->squares[i] - off * off * n / (n - 1), 0);
    }
}

/* Judges a sample by the others, whose smoothed sums of squares are known. */
static void judge(struct moments *moments, const struct learned_values *sample,
                  enum learned_rule rule, struct learn_excess *excess)
{
    const size_t values = learned_rule_values(&sample->grid, rule);
    const size_t tiles = learned_tiles_of(&sample->grid);
    const double n = (double)moments->count;
    size_t worst = values;
    moments->whole = (struct whole){0};
    for (size_t i = 0; i < values; i++) {
        if (!counts(sample, i % tiles)) continue;
        const double off = sample->value[rule][i] - moments->mean[i];
        const double signed_z =
            off * n / (n - 1) / sigma_of(rule, moments->smooth[i] / (n - 2), n - 1);
        const double z = learned_beyond(rule, signed_z);
        whole_add(&moments->whole, i / tiles, signed_z);
        if (i < tiles || z > moments->beyond[i % tiles]) moments->beyond[i % tiles] = z;
        if (worst < values && !(z > excess->z[rule])) continue;
        excess->z[rule] = z;
        worst = i;
    }
    excess->place[rule] = learned_place_at(&sample->grid, rule, worst);
    whole_judge(&moments->whole, &sample->grid, rule, excess->z, excess->place);
}

/* Adds the frame's excess to the tail of its rule. */
static void add_whole(const struct whole *whole, enum learned_rule tile,
                      struct tail tails[LEARNED_RULES])
{
    const enum learned_rule rule = whole_rule(tile);
    if (rule == LEARNED_RULES) return;
    tails[rule].of_frames = true;
    for (size_t c = 0; c < 3 && whole->tiles[c] > 0; c++) {
        const double z = learned_beyond(rule, whole_z(whole, c));
        tail_add(&tails[rule], &z, 1);
    }
}

/* Adds the tiles' excess to the tail, except that of ignored tiles. */
static void add_tail(struct moments *moments, const struct learned_values *sample,
                     struct tail *tail)
{
    size_t left = 0;
    for (size_t i = 0; i < learned_tiles_of(&sample->grid); i++)
        if (counts(sample, i)) moments->beyond[left++] = moments->beyond[i];
    tail_add(tail, moments->beyond, left);
}

bool learn_leave_one_out(struct learn_sample *sample, size_t count, struct tail *tails)
{
    const struct learned_values *first = first_of(sample);
    struct moments moments;
    if (!moments_new(&moments, learned_all_values(&first->grid))) return false;
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        const size_t values = learned_rule_values(&first->grid, rule);
        add_up(&moments, sample, count, rule);
        for (size_t s = 0; s < count; s++) {
            if (sample[s].left_out) continue;
            leave_out(&moments, sample[s].values.value[rule], values);
            smooth(first, rule, moments.without, moments.rows, moments.smooth);
            judge(&moments, &sample[s].values, rule, &sample[s].excess);
            if (tails) add_tail(&moments, first, &tails[rule]);
            if (tails) add_whole(&moments.whole, rule, tails);
        }
        if (tails) tails[rule].shape = learned_rule_rows[rule].shape;
    }
    free(moments.memory);
    return true;
}
