/* Cells of a tile, for ssim_sums.h. A CELL is the intersection of the tile and a tile of the grid.
 * Windows are summed column by column, for one row of cells at a time. At the end of the row the
 * columns are added to their cells.
 *
 * LEVEL SHIFT. A cell has the sum of mean(d) of each channel, with the sign of OUT minus REF. The
 * sum is in float, because it covers at most a row of cells. It takes 1.5 to 3 % of the time.
 *
 * FEATURES (core/tile_grid.h), if requested, are summed at the same time, in every other row. Their
 * loads and stores cost more than their arithmetic, so there are few (bench/results/ssim-cpu.md).
 * DIFFERENCE and TEXTURE alternate, and a row's maxima wait for those of the next row that counts.
 * Columns that do not count are dropped when columns are joined. */
#pragma once

#include "ssim_rows.h"

#include <stdalign.h>

/* Alignment of the memory that score_rows stores to, and of `blurred`, which it loads. Rows of
 * `blurred` have 384 bytes, so a vector's loads fall on every second line of a page. Without
 * alignment, the previous vector may store to the lines in between. Some CPUs then seem to mistake
 * each load for one of a pending store, depending on the physical pages. Features then took 1.10 to
 * 1.15 times a score with tiles in one process of seven (bench/results/ssim-cpu.md). */
enum { STORED = 128 };

struct cells {
    double *row;      /* values of the current row of cells; NULL: not requested */
    uint32_t numbers; /* values per cell */
    size_t stride;    /* values from one row to the next */
    uint32_t step;    /* interleaved channels */
    uint32_t height;  /* rows of complete cells */
    uint32_t y0;      /* the tile's first row of windows in the frame */
    uint32_t end;     /* the tile's first row of windows after the current row of cells */
    uint8_t column[SSIM_TILE_COLUMNS];         /* each column's cell in the row */
    uint8_t parted[SSIM_TILE_COLUMNS / LANES]; /* one flag per dvec of the left half: its columns
                                                  and those half a tile later belong to different
                                                  cells */
    alignas(64) double sum[SSIM_TILE_COLUMNS]; /* sums of the current row of cells */
    uint32_t features;                         /* 0: not requested */
    int32_t sign_bit; /* sign bit of a float; loaded, because gcc would rebuild a constant each
                         time */
    alignas(STORED) float shift[SSIM_TILE_COLUMNS]; /* sums of mean(d), */
    alignas(STORED) float later[SSIM_TILE_COLUMNS]; /* and of a row of the next cells */
    /* Sums and maxima of the current row of cells. BRIGHT has the negated maximum, hence a
       minimum. */
    alignas(STORED) float feature[SSIMCU_TILE_FEATURES][SSIM_TILE_COLUMNS];
    alignas(STORED) float waiting[SSIM_TILE_COLUMNS]; /* maxima not yet in `feature`; 0: none */
};

enum {
    DIFFERENCE = SSIMCU_TILE_DIFFERENCE - SSIMCU_TILE_NUMBERS,
    TEXTURE = SSIMCU_TILE_TEXTURE - SSIMCU_TILE_NUMBERS,
    BRIGHT = SSIMCU_TILE_BRIGHT - SSIMCU_TILE_NUMBERS,
    DARK = SSIMCU_TILE_DARK - SSIMCU_TILE_NUMBERS
};

/* Adds mean(d) of a vector of windows in two rows. If the newer row belongs to other cells, it is
 * kept for them. */
INLINE void add_shift(struct cells *cells, uint32_t j, vec older, vec newer, const int of_one_cell)
{
    vec sum = vec_load(&cells->shift[j]) + older;
    if (of_one_cell)
        sum += newer;
    else
        vec_store(&cells->later[j], newer);
    vec_store(&cells->shift[j], sum);
}

/* The features that a counting row of windows adds to. */
struct turn {
    int difference; /* DIFFERENCE, otherwise TEXTURE */
    int waits;      /* its maxima wait for those of the next counting row, which belongs to the same
                       cells */
};

/* Returns the turn of row `row` of the tile, which has `rows`. */
INLINE struct turn turn_of(const struct cells *cells, uint32_t row, uint32_t rows)
{
    const int difference = (cells->y0 + row) % SSIMCU_TILE_SUM_ROWS == 0;
    return (struct turn){difference, difference && row + 2 < cells->end && row + 2 < rows};
}

INLINE void add_to_column(float *column, vec value) { vec_store(column, value + vec_load(column)); }

/* Adds features of a vector of windows. `d` is mean(d) with the sign of REF minus OUT. Its sign is
 * transferred to the variance, so that one minimum and one maximum serve BRIGHT and DARK. Memory is
 * their second operand, so that loading needs no further instruction. */
INLINE void add_features(struct cells *cells, uint32_t j, vec d, vec var_s, vec var_d,
                         const struct turn turn)
{
    const ivec sign = (ivec)d & cells->sign_bit;
    const vec own = (vec)((ivec)var_d ^ sign);
    if (turn.difference)
        add_to_column(&cells->feature[DIFFERENCE][j], (vec)((ivec)d ^ sign));
    else
        add_to_column(&cells->feature[TEXTURE][j], var_s + var_d);
    if (turn.waits) {
        vec_store(&cells->waiting[j], own);
        return;
    }
    const vec waiting = vec_load(&cells->waiting[j]);
    float *const bright = &cells->feature[BRIGHT][j], *const dark = &cells->feature[DARK][j];
    vec_store(bright, vec_min(vec_min(own, waiting), vec_load(bright)));
    vec_store(dark, vec_max(vec_max(own, waiting), vec_load(dark)));
}

/* Columns are joined in parallel parts, which are vectors with few dependencies. The parts of a
 * vector's lanes are joined to PARTS. Both numbers are multiples of 6, so that the columns of a
 * part belong to one channel, and are all even or all odd pixels. */
enum { PARTS = 12, VECTORS = 3, SIDE = VECTORS * LANES, SIDES = SSIM_TILE_COLUMNS / SIDE };

/* Mask of the columns that belong to a cell: all bits of their lanes are set. */
struct members {
    ivec of[SSIM_TILE_COLUMNS / LANES];
};

INLINE struct members columns_between(uint32_t from, uint32_t to)
{
    static const int32_t lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    struct members members;
    ivec column;
    memcpy(&column, lanes, sizeof column);
    for (uint32_t i = 0; i < SSIM_TILE_COLUMNS / LANES; i++, column += LANES)
        members.of[i] = (column >= (int32_t)from) & (column < (int32_t)to);
    return members;
}

enum join { SUM, LEAST, MOST };

INLINE vec join_vectors(vec a, vec b, const enum join how)
{
    if (how == SUM) return a + b;
    return how == LEAST ? vec_min(a, b) : vec_max(a, b);
}

/* Four lanes, because gcc's vectors of parts would wait for each other's stores. */
typedef float quad __attribute__((vector_size(16)));
typedef int32_t iquad __attribute__((vector_size(16)));

INLINE quad join_quads(quad a, quad b, const enum join how)
{
    const iquad less = a < b;
    return how == SUM ? a + b : (quad)(((iquad)b & less) | ((iquad)a & ~less));
}

/* Joins columns of a cell to PARTS parts. */
INLINE void join_columns(const float column[SSIM_TILE_COLUMNS], const struct members *members,
                         const enum join how, float part[PARTS])
{
    float side[SIDE];
    for (uint32_t v = 0; v < VECTORS; v++) {
        vec all = (vec)((ivec)vec_load(&column[v * LANES]) & members->of[v]);
        for (uint32_t i = v + VECTORS; i < SIDES * VECTORS; i += VECTORS)
            all =
                join_vectors(all, (vec)((ivec)vec_load(&column[i * LANES]) & members->of[i]), how);
        vec_store(&side[v * LANES], how == LEAST ? -all : all);
    }
    for (uint32_t k = 0; k < PARTS; k += 4) {
        quad all, own;
        memcpy(&all, &side[k], sizeof all);
        for (uint32_t i = k + PARTS; i < SIDE; i += PARTS) {
            memcpy(&own, &side[i], sizeof own);
            all = join_quads(all, own, how);
        }
        memcpy(&part[k], &all, sizeof all);
    }
}

/* Sets a cell's sums of mean(d) of its channels, with the sign of OUT minus REF. */
INLINE void end_shift(const struct cells *cells, const struct members *members, double shift[],
                      const uint32_t step)
{
    float part[PARTS];
    join_columns(cells->shift, members, SUM, part);
    for (uint32_t c = 0; c < step; c++) {
        double sum = 0;
        for (uint32_t k = c; k < PARTS; k += step) sum -= (double)part[k];
        shift[c] = sum;
    }
}

/* Sets a feature of a cell's channels. Tiles begin at an even pixel, and even pixels count. */
INLINE void end_feature(const struct cells *cells, const struct members *members, int f,
                        const enum join how, float feature[], const uint32_t step)
{
    float part[PARTS];
    join_columns(cells->feature[f], members, how, part);
    for (uint32_t c = 0; c < step; c++) {
        float all = part[c];
        for (uint32_t k = c + 2 * step; k < PARTS; k += 2 * step)
            all = ssimcu_join_feature(all, part[k], how != SUM);
        feature[(uint32_t)f * step + c] = all;
    }
}

/* Returns the sum of columns [from, to). */
INLINE double add_columns(const double *sum, uint32_t from, uint32_t to)
{
    dvec all = {0};
    uint32_t j = from;
    for (; j + LANES / 2 <= to; j += LANES / 2) all += dvec_load(&sum[j]);
    double total = 0;
    for (; j < to; j++) total += sum[j];
    for (uint32_t k = 0; k < LANES / 2; k++) total += all[k];
    return total;
}

/* Sets the values of a cell with columns [from, to). */
INLINE void end_channels(const struct cells *cells, uint32_t from, uint32_t to, double *cell,
                         const uint32_t step)
{
    const struct members members = columns_between(from, to);
    float *const feature = (float *)(cell + ssimcu_tile_step(step));
    cell[0] = 2.0 * add_columns(cells->sum, from, to);
    end_shift(cells, &members, cell + 1, step);
    if (!cells->features) return;
    end_feature(cells, &members, DIFFERENCE, SUM, feature, step);
    end_feature(cells, &members, TEXTURE, SUM, feature, step);
    end_feature(cells, &members, BRIGHT, LEAST, feature, step);
    end_feature(cells, &members, DARK, MOST, feature, step);
}

static void end_cell(const struct cells *cells, uint32_t from, uint32_t to, double *cell)
{
    if (cells->step == 3)
        end_channels(cells, from, to, cell, 3);
    else
        end_channels(cells, from, to, cell, 1);
}

/* Clears the sums of the row of cells. gcc would generate slow instructions for memset and for a
 * constant of zeros. */
INLINE void clear_columns(struct cells *cells)
{
    vec zero = {0};
    vec_keep(&zero);
    for (uint32_t j = 0; j < SSIM_TILE_COLUMNS; j += LANES / 2)
        memcpy(&cells->sum[j], &zero, sizeof zero);
    for (uint32_t j = 0; j < SSIM_TILE_COLUMNS; j += LANES) {
        vec_store(&cells->shift[j], zero);
        if (!cells->features) continue;
        for (int f = 0; f < SSIMCU_TILE_FEATURES; f++) vec_store(&cells->feature[f][j], zero);
        vec_store(&cells->waiting[j], zero);
    }
}

/* Ends a row of cells of a tile with this many columns. */
static void end_row_of_cells(struct cells *cells, uint32_t columns)
{
    for (uint32_t from = 0, to = 0; from < columns; from = to) {
        while (to < columns && cells->column[to] == cells->column[from]) to++;
        end_cell(cells, from, to, cells->row + cells->column[from] * cells->numbers);
    }
    clear_columns(cells);
    cells->row += cells->stride;
    cells->end += cells->height;
}
