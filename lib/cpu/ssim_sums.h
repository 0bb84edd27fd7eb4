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
 * FEATURES (core/tile_grid.h) are added up beside the shift, if they are wanted. */
#ifndef SSIMCU_SSIM_SUMS_H
#define SSIMCU_SSIM_SUMS_H

#include "ssim_tiles.h"

#include <stdalign.h>
#include <string.h>

struct cells {
    double *row;     /* cells of the current row; NULL: none are wanted */
    uint32_t stride; /* cells from one row to the next */
    size_t count;    /* cells of the tile, the distance between a cell's numbers */
    uint32_t step;   /* channels that lie side by side */
    uint32_t height; /* rows of whole cells */
    uint32_t end;    /* the tile's first row of windows after the current row of cells */
    uint8_t column[SSIM_TILE_COLUMNS];          /* each column's cell in the row */
    uint8_t parted[SSIM_TILE_COLUMNS / LANES];  /* one flag per dvec of the left half: its columns
                                                   and those half a tile on are of different cells */
    alignas(64) double sum[SSIM_TILE_COLUMNS];  /* sums of the current row of cells */
    alignas(64) float shift[SSIM_TILE_COLUMNS]; /* likewise of mean(d), */
    alignas(64) float later[SSIM_TILE_COLUMNS]; /* and of a row that belongs to the next cells */
    uint32_t features;                          /* 0: they are not wanted */
    alignas(64) float feature[SSIMCU_TILE_FEATURES][SSIM_TILE_COLUMNS];
    alignas(64) float later_feature[SSIMCU_TILE_FEATURES][SSIM_TILE_COLUMNS];
};

/* Sums of a tile. The columns' sums are of (1 - SSIM) / 2. */
struct sums {
    uint32_t columns, rows;                              /* size of the tile */
    alignas(64) float fraction[2][2][SSIM_TILE_COLUMNS]; /* p and q of two rows, for p / (p + q) */
    alignas(64) double column[SSIM_TILE_COLUMNS];
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

/* Adds one of two rows to the cells alone. */
static void add_row_to_cells(struct sums *sums, int w)
{
    for (uint32_t j = 0; j < sums->columns; j += LANES / 2) {
        const struct fraction row = load_fraction(sums, w, j);
        add_to(&sums->cells.sum[j], row.top / row.bottom);
    }
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

/* What a vector of windows adds to the features of its columns. */
struct window_features {
    vec feature[SSIMCU_TILE_FEATURES];
};

/* `d` is mean(d) with the sign of REF minus OUT. */
INLINE struct window_features features_of(vec d, vec var_s, vec var_d)
{
    typedef __typeof__(d < d) mask;
    struct window_features of;
    of.feature[DIFFERENCE] = vec_max(d, -d);
    of.feature[TEXTURE] = var_s + var_d;
    of.feature[BRIGHT] = (vec)((mask)var_d & (d < (vec){0}));
    of.feature[DARK] = (vec)((mask)var_d & (d > (vec){0}));
    return of;
}

/* Joins a feature of two places: sums are added, of maxima the larger one stays. */
INLINE vec join_feature(int feature, vec a, vec b)
{
    if (feature < BRIGHT) return a + b;
    return vec_max(a, b);
}

/* Adds the features of two rows of windows to their columns, the newer's to those of the next cells
 * if the rows are not of one cell. */
INLINE void add_features(struct cells *cells, uint32_t j, const struct window_features *older,
                         const struct window_features *newer, const int of_one_cell)
{
    for (int f = 0; f < SSIMCU_TILE_FEATURES; f++) {
        vec sum = join_feature(f, vec_load(&cells->feature[f][j]), older->feature[f]);
        if (of_one_cell)
            sum = join_feature(f, sum, newer->feature[f]);
        else
            vec_store(&cells->later_feature[f][j], newer->feature[f]);
        vec_store(&cells->feature[f][j], sum);
    }
}

/* Adds a column's features to its cell, and clears them. */
static void end_features(struct cells *cells, double *cell, uint32_t j)
{
    for (uint32_t f = 0; f < cells->features; f++) {
        double *const to = &cell[cells->count * (1 + (1 + f) * cells->step + j % cells->step)];
        const double own = cells->feature[f][j];
        if (f < BRIGHT)
            *to += own;
        else if (*to < own)
            *to = own;
        cells->feature[f][j] = 0;
    }
}

static void end_row_of_cells(struct sums *sums)
{
    struct cells *cells = &sums->cells;
    for (uint32_t j = 0; j < sums->columns; j++) {
        double *const cell = cells->row + cells->column[j];
        cell[0] += 2.0 * cells->sum[j];
        cell[cells->count * (1 + j % cells->step)] -= cells->shift[j];
        end_features(cells, cell, j);
    }
    memset(cells->sum, 0, sizeof cells->sum);
    memset(cells->shift, 0, sizeof cells->shift);
    cells->row += cells->stride;
    cells->end += cells->height;
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
        memcpy(cells->feature, cells->later_feature, sizeof cells->feature);
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
    cells->row = to;
    if (!to) return;
    memset(cells->sum, 0, sizeof cells->sum);
    memset(cells->shift, 0, sizeof cells->shift);
    memset(cells->parted, 0, sizeof cells->parted);
    memset(cells->feature, 0, sizeof cells->feature);
    cells->features = grid->features;
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
        cells->column[j] = (uint8_t)column;
        if (sums->columns == SSIM_TILE_COLUMNS && j >= half)
            cells->parted[(j - half) / (LANES / 2)] |= column != cells->column[j - half];
    }
}

#endif
