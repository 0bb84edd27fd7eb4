/* The SSIM of one tile in double: its part of the map, and the score of a small frame. It is the
 * only source for all instruction sets (ssim_level.h).
 *
 * WHY A SECOND ONE. The score is a mean over many windows, in which the errors of float cancel. The
 * errors of a single window reach 3e-6, and the mean of a few hundred windows 1.2e-6. Here an
 * element of the map is the double value rounded to float, within 3e-8.
 *
 * THE FORM is that of ssim_tile.h: exactly 1 if the frames agree, and the same bits for (x, y) and
 * (y, x). It needs no origins, because it computes in double.
 *
 * DATA FLOW. Row by row: samples -> s = x + y and d = x - y (`raw`) -> horizontal means of q and
 * q^2 for q = s, d (`blurred`, a ring of 11 rows) -> vertical means -> SSIM -> the planes of the
 * map, and the sums of columns and cells (ssim_sums.h). The ring is never rotated: its rows stay in
 * place and the weights rotate. */
#include "ssim_rows.h"

#include <math.h>

struct exact_tile {
    const struct ssimcu_ssim_cpu_task *task;
    uint32_t x0, y0;         /* first window position */
    uint32_t columns, rows;  /* interleaved samples of windows across; rows of windows */
    uint32_t x, left, count; /* pixels of a row: the first, zeros before it, how many */
    alignas(64) float sample[SSIMCU_PAIR][RAW_COLUMNS]; /* zeros outside the frame */
    alignas(64) float low[SSIMCU_PAIR][RAW_COLUMNS];    /* remainders of the samples; see is_wide */
    alignas(64) double raw[QUANTITIES][RAW_COLUMNS];
    alignas(64) double blurred[SSIMCU_TAPS][MOMENTS][SSIM_TILE_COLUMNS];
    alignas(64) float ssim[SSIM_TILE_COLUMNS];         /* SSIM of a row of windows */
    alignas(64) double lost[SSIM_TILE_COLUMNS];        /* (1 - SSIM) / 2 */
    alignas(64) double mean[SSIM_TILE_COLUMNS];        /* mean(d) */
    alignas(64) double variance[2][SSIM_TILE_COLUMNS]; /* variances of s and d */
    int scored;                                        /* sums are requested */
    struct sums sums;
};

typedef float half_vec __attribute__((vector_size(sizeof(vec) / 2)));

typedef int32_t half_ivec __attribute__((vector_size(sizeof(vec) / 2)));

/* Returns integers, whose bits are in `from`, in plane units. */
INLINE dvec dvec_from_fixed(const float *from)
{
    half_ivec v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, dvec) * (double)(1 / SSIMCU_FIXED_ONE);
}

INLINE dvec dvec_all(double value) { return value - (dvec){0}; }

INLINE dvec exact_sample(const struct exact_tile *tile, int slot, uint32_t at)
{
    if (tile->task->fixed) return dvec_from_fixed(&tile->sample[slot][at]);
    return dvec_from(&tile->sample[slot][at]) + dvec_from(&tile->low[slot][at]);
}

/* Computes s and d of frame row y, in double, because float would round 16-bit samples. */
INLINE void exact_read(struct exact_tile *tile, uint32_t y, const uint32_t step)
{
    float *x_row = tile->sample[SSIMCU_REF], *y_row = tile->sample[SSIMCU_OUT];
    read_pixels(tile->task, SSIMCU_REF, tile->x, y, tile->count, x_row + tile->left * step,
                tile->low[SSIMCU_REF] + tile->left * step);
    read_pixels(tile->task, SSIMCU_OUT, tile->x, y, tile->count, y_row + tile->left * step,
                tile->low[SSIMCU_OUT] + tile->left * step);
    for (uint32_t i = 0; i < RAW_COLUMNS; i += LANES)
        for (int half = 0; half < 2; half++) {
            const uint32_t at = i + (uint32_t)half * LANES / 2;
            const dvec a = exact_sample(tile, SSIMCU_REF, at),
                       b = exact_sample(tile, SSIMCU_OUT, at);
            dvec_store(&tile->raw[S][at], a + b);
            dvec_store(&tile->raw[D][at], a - b);
        }
}

/* Computes the horizontal means of q and q^2 of the last row read. */
INLINE void exact_blur(const struct exact_tile *tile, int q, double *means, double *squares,
                       const uint32_t step)
{
    static const double weight[SSIMCU_TAPS] = SSIMCU_GAUSSIAN;
    for (uint32_t j = 0; j < tile->columns; j += LANES / 2) {
        const double *from = &tile->raw[q][j];
        const dvec middle = dvec_load(from + SSIMCU_RADIUS * step);
        dvec mean = weight[SSIMCU_RADIUS] * middle, square = mean * middle;
        for (uint32_t k = 0; k < SSIMCU_RADIUS; k++) {
            const dvec left = dvec_load(from + k * step);
            const dvec right = dvec_load(from + (SSIMCU_TAPS - 1 - k) * step);
            mean = dvec_fma(dvec_all(weight[k]), left + right, mean);
            square = dvec_fma(dvec_all(weight[k]), dvec_fma(left, left, right * right), square);
        }
        dvec_store(means + j, mean);
        dvec_store(squares + j, square);
    }
}

/* Computes SSIM of a row of windows, and (1 - SSIM) / 2. Their last row in the ring is row `row` of
 * the tile. */
INLINE void exact_score(struct exact_tile *tile, uint32_t row)
{
    static const double weight[SSIMCU_TAPS] = SSIMCU_GAUSSIAN;
    const dvec c1 = dvec_all(2 * SSIMCU_C1(tile->task->white)),
               c2 = dvec_all(2 * SSIMCU_C2(tile->task->white));
    dvec turned[SSIMCU_TAPS]; /* weights of the ring's rows, in the ring's order */
    for (uint32_t k = 0; k < SSIMCU_TAPS; k++)
        turned[(row + 1 + k) % SSIMCU_TAPS] = dvec_all(weight[k]);
    for (uint32_t j = 0; j < tile->columns; j += LANES / 2) {
        dvec mean[MOMENTS];
        for (int m = 0; m < MOMENTS; m++) {
            mean[m] = turned[0] * dvec_load(&tile->blurred[0][m][j]);
            for (int k = 1; k < SSIMCU_TAPS; k++)
                mean[m] = dvec_fma(turned[k], dvec_load(&tile->blurred[k][m][j]), mean[m]);
        }
        const dvec s = mean[S], d = mean[D], d_2 = d * d;
        const dvec a = dvec_fma(s, s, c1);
        const dvec var_s = dvec_fma(-s, s, mean[SS]), b = var_s + c2;
        const dvec v = dvec_fma(-d, d, mean[DD]);
        const dvec lost = dvec_fma(a, v, b * d_2) / ((a + d_2) * (b + v));
        const half_vec ssim = __builtin_convertvector(1.0 - 2.0 * lost, half_vec);
        dvec_store(&tile->lost[j], lost);
        dvec_store(&tile->mean[j], d);
        dvec_store(&tile->variance[S][j], var_s);
        dvec_store(&tile->variance[D][j], v);
        memcpy(&tile->ssim[j], &ssim, sizeof ssim);
    }
}

/* Stores a row of windows in the planes of the map. Prefetches the lines of a later row: each row
 * is on another page, which the hardware does not prefetch. A 4K RGB photo's map takes 86 ms
 * instead of 125 (one thread, AVX-512). */
INLINE void exact_store(const struct exact_tile *tile, uint32_t window, const uint32_t step)
{
    const struct ssimcu_shape *shape = tile->task->shape;
    const uint32_t pixels = tile->columns / step;
    for (uint32_t c = 0; c < step; c++) {
        const size_t y = (size_t)c * shape->map_height + tile->y0 + window;
        float *to = tile->task->map + y * shape->map_width + tile->x0;
        if (window + PREFETCH_ROWS < tile->rows) {
            const float *next = to + (size_t)PREFETCH_ROWS * shape->map_width;
            for (uint32_t i = 0; i < pixels; i += 16) __builtin_prefetch(next + i, 1);
            __builtin_prefetch(next + pixels - 1, 1);
        }
        for (uint32_t i = 0; i < pixels; i++) to[i] = tile->ssim[i * step + c];
    }
}

/* Adds a row of windows to the features. */
INLINE void exact_add_features(struct exact_tile *tile, const struct turn turn)
{
    float(*column)[SSIM_TILE_COLUMNS] = tile->sums.cells.feature;
    for (uint32_t j = 0; j < tile->columns; j++) {
        const float d = (float)tile->mean[j], v = (float)tile->variance[D][j];
        if (turn.difference)
            column[DIFFERENCE][j] += fabsf(d);
        else
            column[TEXTURE][j] += (float)tile->variance[S][j] + v;
        if (d < 0 && column[BRIGHT][j] > -v) column[BRIGHT][j] = -v;
        if (d > 0 && column[DARK][j] < v) column[DARK][j] = v;
    }
}

INLINE void exact_add_structure(struct exact_tile *tile)
{
    const double c2 = 2 * SSIMCU_C2(tile->task->white);
    for (uint32_t j = 0; j < tile->columns; j++) {
        const double v = tile->variance[D][j];
        tile->sums.structure_column[j] += v / (v + tile->variance[S][j] + c2);
    }
}

/* Adds a row of windows to the sums of the columns and cells. */
INLINE void exact_add(struct exact_tile *tile, uint32_t window)
{
    struct sums *const sums = &tile->sums;
    for (uint32_t j = 0; j < tile->columns; j++) sums->column[j] += tile->lost[j];
    if (sums->structure) exact_add_structure(tile);
    if (!sums->cells.row) return;
    for (uint32_t j = 0; j < tile->columns; j++) {
        sums->cells.sum[j] += tile->lost[j];
        sums->cells.shift[j] += (float)tile->mean[j];
    }
    const struct turn turn = turn_of(&sums->cells, window, sums->rows);
    if (sums->cells.features && window % 2 == 0) exact_add_features(tile, turn);
    if (window + 1 == sums->cells.end || window + 1 == sums->rows)
        end_row_of_cells(&sums->cells, sums->columns);
}

INLINE void exact_rows(struct exact_tile *tile, const uint32_t step)
{
    const struct ssimcu_shape *shape = tile->task->shape;
    const int64_t first_y = (int64_t)tile->y0 - (shape->zero_pad ? SSIMCU_RADIUS : 0);
    for (uint32_t row = 0; row < tile->rows + SSIMCU_TAPS - 1; row++) {
        double(*blurred)[SSIM_TILE_COLUMNS] = tile->blurred[row % SSIMCU_TAPS];
        const int64_t y = first_y + row;
        if (y < 0 || y >= (int64_t)shape->height) {
            memset(blurred, 0, sizeof tile->blurred[0]);
        } else {
            exact_read(tile, (uint32_t)y, step);
            exact_blur(tile, S, blurred[S], blurred[SS], step);
            exact_blur(tile, D, blurred[D], blurred[DD], step);
        }
        if (row < SSIMCU_TAPS - 1) continue;
        exact_score(tile, row);
        if (tile->scored) exact_add(tile, row - (SSIMCU_TAPS - 1));
        if (tile->task->map) exact_store(tile, row - (SSIMCU_TAPS - 1), step);
    }
}

static void ssim_exact_tile(const struct ssimcu_ssim_cpu_task *task, uint32_t across, uint32_t down,
                            double *sums, double *cells)
{
    const struct ssimcu_shape *shape = task->shape;
    const uint32_t step = shape->planes, width = SSIM_TILE_COLUMNS / step;
    const uint32_t pad = shape->zero_pad ? SSIMCU_RADIUS : 0;
    struct exact_tile tile = {
        .task = task, .scored = sums != NULL, .x0 = across * width, .y0 = down * SSIM_TILE_ROWS};
    const uint32_t columns = shape->map_width - tile.x0, rows = shape->map_height - tile.y0;
    const uint32_t pixels = columns < width ? columns : width;
    tile.columns = pixels * step;
    tile.rows = rows < SSIM_TILE_ROWS ? rows : SSIM_TILE_ROWS;
    tile.left = tile.x0 < pad ? pad - tile.x0 : 0;
    tile.x = tile.x0 + tile.left - pad;
    const uint32_t wanted = pixels + SSIMCU_TAPS - 1 - tile.left, there = shape->width - tile.x;
    tile.count = wanted < there ? wanted : there;
    tile.sums.columns = tile.columns;
    tile.sums.rows = tile.rows;
    start_sums(&tile.sums, task, tile.x0, tile.y0, cells);
    if (step == 3)
        exact_rows(&tile, 3);
    else
        exact_rows(&tile, 1);
    if (sums) end_sums(&tile.sums, step, sums);
}
