/* The last step of a tile, for ssim_tile.h. It adds fractions of 1 - SSIM to sums of the tile's
 * columns. If scores per tile of the grid are requested, it also adds them to sums of its cells.
 *
 * CELLS (ssim_cells.h) are summed column by column as well. The columns' sums of the score are the
 * same, bit for bit, as without cells.
 *
 * COLUMNS. The two sums differ in only two places. The first is columns that share a division but
 * belong to two cells. Then 1 over the common denominator separates them. With tiles of 64 pixels
 * and valid padding this is a sixth of the vectors of RGB and three quarters of those of grey.
 *
 * ROWS. The second is two rows that belong to two cells. Then each window is divided separately:
 * one pair of rows in 32. A part that is 0 stays 0 in both cases, so that a cell without a
 * difference gives exactly 1. */
#pragma once

#include "ssim_cells.h"

enum { STRUCTURE_ROWS = 16 };

/* Sums of a tile. The columns' sums are of (1 - SSIM) / 2. */
struct sums {
    uint32_t columns, rows; /* size of the tile */
    /* p and q of two rows, for p / (p + q) */
    alignas(STORED) float fraction[2][2][SSIM_TILE_COLUMNS];
    alignas(64) double column[SSIM_TILE_COLUMNS];
    int structure; /* (1 - contrast times structure) / 2, which is v / (v + b), is requested, too */
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

INLINE void add_to(double *sum, dvec values) { dvec_store(sum, dvec_load(sum) + values); }

/* Adds the rows' fractions to the columns' sums; `second`: there are two rows. In a complete tile
 * one division serves four windows, because columns half a tile apart belong to one channel. */
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

/* Adds the rows' contrast times structure to the columns' sums before floats would round it. */
INLINE void end_structure(struct sums *sums)
{
    for (uint32_t j = 0; j < sums->columns; j += LANES / 2)
        add_to(&sums->structure_column[j], dvec_from(&sums->structure_part[j]));
    memset(sums->structure_part, 0, sizeof sums->structure_part);
}

/* Returns whether rows `row` and `row` + 1 both belong to the current row of cells. */
INLINE int are_of_one_cell(const struct sums *sums, uint32_t row)
{
    return row + 1 < sums->rows && row + 1 != sums->cells.end;
}

/* Adds one of two rows only to the cells. */
static void add_row_to_cells(struct sums *sums, int w)
{
    for (uint32_t j = 0; j < sums->columns; j += LANES / 2) {
        const struct fraction row = load_fraction(sums, w, j);
        add_to(&sums->cells.sum[j], row.top / row.bottom);
    }
}

/* Like add_up, with cells, for rows of windows `row` and `row` + 1. */
INLINE void add_up_with_cells(struct sums *sums, uint32_t row)
{
    struct cells *cells = &sums->cells;
    const int second = row + 1 < sums->rows, parted = second && row + 1 == cells->end;
    add_up(sums, second, !parted);
    if (parted) {
        add_row_to_cells(sums, 0);
        end_row_of_cells(cells, sums->columns);
        memcpy(cells->shift, cells->later, sizeof cells->shift);
        add_row_to_cells(sums, 1);
    }
    if (row + 2 >= cells->end || row + 2 >= sums->rows) end_row_of_cells(cells, sums->columns);
}

/* Prepares for a tile whose first window is x0, y0; all sums are 0. `to` is its cells, or NULL. */
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
    cells->y0 = y0; /* score_rows reads these two even without cells */
    cells->end = 0;
    if (!to) return;
    memset(cells->parted, 0, sizeof cells->parted);
    cells->features = grid->features;
    clear_columns(cells);
    cells->sign_bit = INT32_MIN;
    cells->step = step;
    cells->numbers = ssimcu_tile_doubles(grid, step);
    cells->stride =
        (size_t)ssimcu_ssim_cells(SSIM_TILE_COLUMNS / step, grid->width) * cells->numbers;
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

/* Adds the columns' sums to those of the tile: 1 - SSIM of each plane, followed by 1 - contrast
 * times structure if requested. */
static void end_sums(const struct sums *sums, uint32_t step, double *to)
{
    for (uint32_t j = 0; j < sums->columns; j++) to[j % step] += 2.0 * sums->column[j];
    for (uint32_t j = 0; sums->structure && j < sums->columns; j++)
        to[SSIMCU_MAX_CHANNELS + j % step] += 2.0 * sums->structure_column[j];
}
