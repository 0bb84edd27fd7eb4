/* The last step of a tile, for ssim_tile.h. It adds fractions of 1 - SSIM to sums of the tile's
 * columns. If scores per tile of the grid are wanted, it also adds them to sums of its cells.
 *
 * A CELL is what the tile and a tile of the grid share. For cells, too, windows are added up column
 * by column, for one row of cells at a time. At the end of the row the columns are added to their
 * cells. The columns' sums of the score are the same, to the bit, as without cells.
 *
 * COLUMNS. The two sums differ in two places alone. The first is columns that share a division but
 * are of two cells. Then 1 over the common denominator separates them. With tiles of 64 pixels and
 * valid padding that is a sixth of the vectors of RGB and three quarters of those of grey.
 *
 * ROWS. The second is two rows that are of two cells. Then each window is divided for itself: one
 * pair of rows in 32. A part that is 0 stays 0 both ways, so that a cell without a difference gives
 * exactly 1.
 *
 * SHIFT. A cell also has the sum of mean(d) of each channel, with the sign of OUT minus REF. It is
 * added up in float, because at most a row of cells is. It takes 1.5 to 3 % of the time.
 *
 * FEATURES (core/tile_grid.h), if they are wanted, are added up beside the shift, in every other
 * row (bench/results/ssim-cpu.md). Columns that do not count are dropped when columns are
 * joined. */
#ifndef SSIMCU_SSIM_SUMS_H
#define SSIMCU_SSIM_SUMS_H

#include "ssim_tiles.h"

#include <stdalign.h>
#include <string.h>

enum { STRUCTURE_ROWS = 16 };

/* What score_rows stores to and what it loads from, `blurred`, is aligned to this. Rows of
 * `blurred` are 384 bytes, so its loads of a vector fall on every second line of a page. If the
 * lines between were stored to for the vector before, some CPUs seem to take each load for one of a
 * store under way, depending on the pages that the memory happens to have. Then features took 1.10
 * to 1.15 of a score with tiles in one process of seven (bench/results/ssim-cpu.md). */
enum { STORED = 128 };

struct cells {
    double *row;     /* cells of the current row; NULL: none are wanted */
    uint32_t stride; /* cells from one row to the next */
    size_t count;    /* cells of the tile, the distance between a cell's numbers */
    uint32_t step;   /* channels that lie side by side */
    uint32_t height; /* rows of whole cells */
    uint32_t end;    /* the tile's first row of windows after the current row of cells */
    uint8_t column[SSIM_TILE_COLUMNS];         /* each column's cell in the row */
    uint8_t parted[SSIM_TILE_COLUMNS / LANES]; /* one flag per dvec of the left half: its columns
                                                  and those half a tile on are of different cells */
    alignas(64) double sum[SSIM_TILE_COLUMNS]; /* sums of the current row of cells */
    uint32_t features;                         /* 0: they are not wanted */
    int32_t sign_bit; /* of a float; loaded, because gcc makes a constant anew each time */
    alignas(STORED) float shift[SSIM_TILE_COLUMNS]; /* of mean(d), */
    alignas(STORED) float later[SSIM_TILE_COLUMNS]; /* of a row of the next cells */
    /* Sums and maxima of the current row of cells. The maximum for BRIGHT is minus that, hence a
       minimum. */
    alignas(STORED) float feature[SSIMCU_TILE_FEATURES][SSIM_TILE_COLUMNS];
    alignas(64) int32_t even[SSIM_TILE_COLUMNS]; /* all bits of columns that count for them */
};

/* Sums of a tile. The columns' sums are of (1 - SSIM) / 2. */
struct sums {
    uint32_t columns, rows; /* size of the tile */
    /* p and q of two rows, for p / (p + q) */
    alignas(STORED) float fraction[2][2][SSIM_TILE_COLUMNS];
    alignas(64) double column[SSIM_TILE_COLUMNS];
    int structure; /* (1 - contrast times structure) / 2, which is v / (v + b), is wanted as well */
    alignas(STORED) float structure_part[SSIM_TILE_COLUMNS]; /* sums of STRUCTURE_ROWS rows */
    alignas(64) double structure_column[SSIM_TILE_COLUMNS];
    struct cells cells;
};

/* Fractions in double. */
struct fraction {
    dvec top, bottom;
};

INLINE struct fraction load_fraction(const struct sums *sums, int w, uint32_t j)
{
    const dvec p = dvec_from(&sums->fraction[w][0][j]), q = dvec_from(&sums->fraction[w][1][j]);
    return (struct fraction){p, p + q};
}

INLINE struct fraction add_fractions(struct fraction a, struct fraction b)
{
    return (struct fraction){dvec_fma(a.top, b.bottom, b.top * a.bottom), a.bottom * b.bottom};
}

INLINE struct fraction load_rows(const struct sums *sums, int second, uint32_t j)
{
    const struct fraction first = load_fraction(sums, 0, j);
    return second ? add_fractions(first, load_fraction(sums, 1, j)) : first;
}

INLINE void add_to(double *sum, dvec values)
{
    dvec sums;
    memcpy(&sums, sum, sizeof sums);
    sums += values;
    memcpy(sum, &sums, sizeof sums);
}

/* Adds the rows' fractions to the columns' sums; `second` says whether there are two rows. In a
 * whole tile one division serves four windows, because columns half a tile apart are of one
 * channel. */
INLINE void add_up(struct sums *sums, int second, int with_cells)
{
    const uint32_t half = SSIM_TILE_COLUMNS / 2;
    const int whole = second && sums->columns == SSIM_TILE_COLUMNS;
    for (uint32_t j = 0; j < (whole ? half : sums->columns); j += LANES / 2) {
        const struct fraction left = load_rows(sums, second, j),
                              right = whole ? load_rows(sums, 1, j + half) : left,
                              all = whole ? add_fractions(left, right) : left;
        const dvec quotient = all.top / all.bottom;
        add_to(&sums->column[j], quotient);
        if (!with_cells) continue;
        if (whole && sums->cells.parted[j / (LANES / 2)]) {
            const dvec inverse = 1.0 / all.bottom;
            add_to(&sums->cells.sum[j], left.top * right.bottom * inverse);
            add_to(&sums->cells.sum[j + half], right.top * left.bottom * inverse);
        } else {
            add_to(&sums->cells.sum[j], quotient);
        }
    }
}

/* Adds the rows' contrast times structure to the columns' sums, before floats round it. */
INLINE void end_structure(struct sums *sums)
{
    for (uint32_t j = 0; j < sums->columns; j += LANES / 2)
        add_to(&sums->structure_column[j], dvec_from(&sums->structure_part[j]));
    memset(sums->structure_part, 0, sizeof sums->structure_part);
}

/* Returns whether two rows, of which the first is `row`, are both of the current row of cells. */
INLINE int are_of_one_cell(const struct sums *sums, uint32_t row)
{
    return row + 1 < sums->rows && row + 1 != sums->cells.end;
}

/* Adds mean(d) of a vector of windows in two rows. If the newer is of other cells, it is kept for
 * them. */
INLINE void add_shift(struct cells *cells, uint32_t j, vec older, vec newer, const int of_one_cell)
{
    vec sum = vec_load(&cells->shift[j]) + older;
    if (of_one_cell)
        sum += newer;
    else
        vec_store(&cells->later[j], newer);
    vec_store(&cells->shift[j], sum);
}

enum {
    DIFFERENCE = SSIMCU_TILE_DIFFERENCE - SSIMCU_TILE_NUMBERS,
    TEXTURE = SSIMCU_TILE_TEXTURE - SSIMCU_TILE_NUMBERS,
    BRIGHT = SSIMCU_TILE_BRIGHT - SSIMCU_TILE_NUMBERS,
    DARK = SSIMCU_TILE_DARK - SSIMCU_TILE_NUMBERS
};

/* Features of windows in a vector of columns. */
struct features {
    vec difference, texture, bright, dark;
};

/* `d` is mean(d) with the sign of REF minus OUT. It lends its sign to the variance, so that one
 * minimum and one maximum serve BRIGHT and DARK. What comes from memory is their second operand, so
 * that it needs no instruction of its own. */
INLINE void join_window(struct features *all, vec d, vec var_s, vec var_d, int32_t sign_bit)
{
    const ivec sign = (ivec)d & sign_bit;
    const vec own = (vec)((ivec)var_d ^ sign);
    all->difference += (vec)((ivec)d ^ sign);
    all->texture += var_s + var_d;
    all->bright = vec_min(own, all->bright);
    all->dark = vec_max(own, all->dark);
}

INLINE struct features load_features(const struct cells *cells, uint32_t j)
{
    return (struct features){
        vec_load(&cells->feature[DIFFERENCE][j]), vec_load(&cells->feature[TEXTURE][j]),
        vec_load(&cells->feature[BRIGHT][j]), vec_load(&cells->feature[DARK][j])};
}

INLINE void store_features(struct cells *cells, uint32_t j, const struct features *all)
{
    vec_store(&cells->feature[DIFFERENCE][j], all->difference);
    vec_store(&cells->feature[TEXTURE][j], all->texture);
    vec_store(&cells->feature[BRIGHT][j], all->bright);
    vec_store(&cells->feature[DARK][j], all->dark);
}

/* Columns are joined in parts side by side, which are vectors and wait little for each other. It is
 * a multiple of 3, so that the columns of a part are of one channel. */
enum { PARTS = 12, VECTORS = 3, SIDE = VECTORS * LANES };

/* Adds columns to a cell's sums of mean(d) of its channels, with the sign of OUT minus REF. */
INLINE void end_shift(const struct cells *cells, uint32_t from, uint32_t to, double *cell)
{
    float part[PARTS] = {0};
    uint32_t j = from;
    for (; j + PARTS <= to; j += PARTS)
        for (uint32_t k = 0; k < PARTS; k++) part[k] += cells->shift[j + k];
    for (uint32_t k = 0; j + k < to; k++) part[k] += cells->shift[j + k];
    for (uint32_t c = 0; c < cells->step; c++) {
        double sum = 0;
        for (uint32_t k = c; k < PARTS; k += cells->step) sum += (double)part[k];
        cell[c * cells->count] -= sum;
    }
}

/* Sets all bits of the lanes whose columns, from j on, lie in [from, to). */
INLINE ivec columns_between(uint32_t j, uint32_t from, uint32_t to)
{
    static const int32_t lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    ivec column;
    memcpy(&column, lanes, sizeof column);
    column += (int32_t)j;
    return (column >= (int32_t)from) & (column < (int32_t)to);
}

/* Joins those of columns [from, to) that count to SIDE parts side by side. The maxima for BRIGHT
 * become positive. */
INLINE void join_columns(const struct cells *cells, uint32_t from, uint32_t to,
                         float part[SSIMCU_TILE_FEATURES][SIDE])
{
    vec all[SSIMCU_TILE_FEATURES][VECTORS] = {{{0}}};
    for (uint32_t j = 0; j < SSIM_TILE_COLUMNS; j += SIDE)
        for (uint32_t v = 0; v < VECTORS; v++) {
            const uint32_t at = j + v * LANES;
            ivec even;
            memcpy(&even, &cells->even[at], sizeof even);
            const ivec mine = columns_between(at, from, to) & even;
            for (int f = 0; f < SSIMCU_TILE_FEATURES; f++) {
                const vec own = (vec)((ivec)vec_load(&cells->feature[f][at]) & mine);
                if (f <= TEXTURE)
                    all[f][v] += own;
                else
                    all[f][v] = f == BRIGHT ? vec_min(all[f][v], own) : vec_max(all[f][v], own);
            }
        }
    for (int f = 0; f < SSIMCU_TILE_FEATURES; f++)
        for (uint32_t v = 0; v < VECTORS; v++)
            vec_store(&part[f][v * LANES], f == BRIGHT ? -all[f][v] : all[f][v]);
}

/* Joins the parts of a feature to one for each of `step` channels. */
INLINE void join_parts(const float part[SIDE], const int most, const uint32_t step, float to[])
{
    float few[PARTS];
    for (uint32_t k = 0; k < PARTS; k++) {
        few[k] = part[k];
        for (uint32_t i = PARTS; i < SIDE; i += PARTS)
            few[k] = ssimcu_join_feature(few[k], part[i + k], most);
    }
    for (uint32_t c = 0; c < step; c++) {
        to[c] = few[c];
        for (uint32_t k = c + step; k < PARTS; k += step)
            to[c] = ssimcu_join_feature(to[c], few[k], most);
    }
}

/* Adds columns to a cell's features of its channels. */
INLINE void end_features(const struct cells *cells, uint32_t from, uint32_t to, double *cell,
                         const uint32_t step)
{
    float part[SSIMCU_TILE_FEATURES][SIDE], own[SSIMCU_MAX_CHANNELS];
    join_columns(cells, from, to, part);
    for (int f = DIFFERENCE; f <= DARK; f++) {
        const int most = f >= BRIGHT;
        join_parts(part[f], most, step, own);
        for (uint32_t c = 0; c < step; c++, cell += cells->count)
            *cell = !most                    ? *cell + (double)own[c]
                    : *cell < (double)own[c] ? (double)own[c]
                                             : *cell;
    }
}

/* Adds columns [from, to), which are of one cell, to it. */
static void end_cell(const struct cells *cells, uint32_t from, uint32_t to, double *cell)
{
    double sum = 0;
    for (uint32_t j = from; j < to; j++) sum += cells->sum[j];
    *cell += 2.0 * sum;
    cell += cells->count;
    end_shift(cells, from, to, cell);
    if (!cells->features) return;
    cell += cells->step * cells->count;
    if (cells->step == 3)
        end_features(cells, from, to, cell, 3);
    else
        end_features(cells, from, to, cell, 1);
}

static void end_row_of_cells(struct sums *sums)
{
    struct cells *cells = &sums->cells;
    for (uint32_t from = 0, to = 0; from < sums->columns; from = to) {
        while (to < sums->columns && cells->column[to] == cells->column[from]) to++;
        end_cell(cells, from, to, cells->row + cells->column[from]);
    }
    memset(cells->sum, 0, sizeof cells->sum);
    memset(cells->shift, 0, sizeof cells->shift);
    if (cells->features) memset(cells->feature, 0, sizeof cells->feature);
    cells->row += cells->stride;
    cells->end += cells->height;
}

/* Adds one of two rows to the cells alone. */
static void add_row_to_cells(struct sums *sums, int w)
{
    for (uint32_t j = 0; j < sums->columns; j += LANES / 2) {
        const struct fraction row = load_fraction(sums, w, j);
        add_to(&sums->cells.sum[j], row.top / row.bottom);
    }
}

/* Does what add_up does, with cells, for rows of windows `row` and the next. */
INLINE void add_up_with_cells(struct sums *sums, uint32_t row)
{
    struct cells *cells = &sums->cells;
    const int second = row + 1 < sums->rows, parted = second && row + 1 == cells->end;
    add_up(sums, second, !parted);
    if (parted) {
        add_row_to_cells(sums, 0);
        end_row_of_cells(sums);
        memcpy(cells->shift, cells->later, sizeof cells->shift);
        add_row_to_cells(sums, 1);
    }
    if (row + 2 >= cells->end || row + 2 >= sums->rows) end_row_of_cells(sums);
}

/* Prepares for a tile whose first window is x0, y0; all sums are 0. `to`: its cells, or NULL. */
static void start_sums(struct sums *sums, const struct ssimcu_ssim_cpu_task *task, uint32_t x0,
                       uint32_t y0, double *to)
{
    const struct ssimcu_shape *shape = task->shape;
    const struct ssimcu_tile_grid *grid = task->grid;
    const uint32_t step = shape->planes, half = SSIM_TILE_COLUMNS / 2;
    struct cells *cells = &sums->cells;
    memset(sums->column, 0, sizeof sums->column);
    sums->structure = task->what != SSIM_ALONE;
    if (sums->structure) {
        memset(sums->structure_part, 0, sizeof sums->structure_part);
        memset(sums->structure_column, 0, sizeof sums->structure_column);
    }
    cells->row = to;
    if (!to) return;
    memset(cells->sum, 0, sizeof cells->sum);
    memset(cells->shift, 0, sizeof cells->shift);
    memset(cells->parted, 0, sizeof cells->parted);
    memset(cells->feature, 0, sizeof cells->feature);
    memset(cells->even, 0, sizeof cells->even);
    cells->features = grid->features;
    cells->sign_bit = INT32_MIN;
    cells->step = step;
    cells->stride = ssimcu_ssim_cells(SSIM_TILE_COLUMNS / step, grid->width);
    cells->count = (size_t)cells->stride * ssimcu_ssim_cells(SSIM_TILE_ROWS, grid->height);
    cells->height = grid->height;
    uint32_t first, end;
    ssimcu_tile_span((y0 + grid->border) / grid->height, grid->height, grid->border,
                     shape->map_height, &first, &end);
    cells->end = end - y0;
    ssimcu_tile_span((x0 + grid->border) / grid->width, grid->width, grid->border, shape->map_width,
                     &first, &end);
    for (uint32_t j = 0, column = 0; j < sums->columns; j++) {
        if (x0 + j / step == end) column++, end += grid->width;
        cells->even[j] = -(int32_t)((x0 + j / step) % 2 == 0);
        cells->column[j] = (uint8_t)column;
        if (sums->columns == SSIM_TILE_COLUMNS && j >= half)
            cells->parted[(j - half) / (LANES / 2)] |= column != cells->column[j - half];
    }
}

/* Adds the columns' sums to those of the tile: 1 - SSIM of each plane, and behind them 1 - contrast
 * times structure, if that is wanted. */
static void end_sums(const struct sums *sums, uint32_t step, double *to)
{
    for (uint32_t j = 0; j < sums->columns; j++) to[j % step] += 2.0 * sums->column[j];
    for (uint32_t j = 0; sums->structure && j < sums->columns; j++)
        to[SSIMCU_MAX_CHANNELS + j % step] += 2.0 * sums->structure_column[j];
}

#endif
