/* SSIMULACRA2 of one tile of one scale. It is the only source for all instruction sets
 * (ssim_level.h).
 *
 * THE FORM. With s = x + y, d = x - y, their means S, D and variances under the nine taps:
 *
 *     ssim     D^2 + (1 - D^2) 2 var(d) / (var(s) + var(d) + 2 C2), at least 0
 *     edges    (|y - mean(y)| - |x - mean(x)|) / (1 + |x - mean(x)|), with
 *              2 (x - mean(x)) = (s - S) + (d - D) and 2 (y - mean(y)) = (s - S) - (d - D):
 *              artefacts if above 0, lost detail if below
 *
 * All are exactly 0 if d is 0. Outside the frame x and y are 0.
 *
 * ROUNDING. mean(q^2) - mean(q)^2 loses digits if the mean is far from 0. So s and d are measured
 * from their means over the tile's middle row. Windows too far from these for their variances are
 * recomputed in double (s2_far). Without both, flat patches of distant colours were off by 1.6e-3
 * at a score of -154.
 *
 * DATA FLOW, row by row. Four rows ahead: samples -> linear light (a table) -> roots of cone
 * responses -> s and d of X, Y and B (`ring`, nine rows). Then, for each channel: vertical means of
 * s, d, s^2 and d^2 (`mean`, one row), horizontal means, maps, sums. At the first scale, two rows
 * of light make one of the next scale.
 *
 * WHY THIS SIZE. 240 columns and a margin of 8 on both sides are whole vectors of every level. A
 * margin's roots are a fifteenth of the work. The ring needs 54 KB; a channel reads 18 KB of it. */
#include "ssimulacra2_light.h"

#include <stdalign.h>

enum { S2_TAPS = 2 * SSIMCU_S2_RADIUS + 1, S2_RING = S2_TAPS };

struct s2_tile {
    const struct ssimcu_s2_task *task;
    uint32_t x0, y0, columns, rows;     /* pixels of the tile */
    float bytes[SSIMCU_PAIR][S2_BYTES]; /* light of each byte, if a side has bytes */
    alignas(64) float light[2][SSIMCU_PAIR][SSIMCU_S2_CHANNELS][S2_READS]; /* two rows */
    alignas(64) float ring[S2_RING][SSIMCU_S2_CHANNELS][QUANTITIES][S2_READS];
    alignas(64) float mean[MOMENTS][S2_READS + LANES];
    alignas(64) float inside[S2_COLUMNS];         /* 1 for columns inside the frame, otherwise 0 */
    float origin[SSIMCU_S2_CHANNELS][QUANTITIES]; /* typical s and d in the tile */
    alignas(64) float sum[SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS][LANES]; /* sums of a row */
    double (*sums)[SSIMCU_S2_SUMS];
};

/* Makes a row of the next scale from the tile's part of two rows, the second of which is y. */
static void s2_halve(const struct s2_tile *tile, uint32_t y, int top, int bottom)
{
    const struct ssimcu_pyramid_scale *half = &tile->task->half;
    const uint32_t columns = tile->columns;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 0; c < half->planes; c++) {
            const float *a = &tile->light[top][slot][c][S2_MARGIN],
                        *b = &tile->light[bottom][slot][c][S2_MARGIN];
            float *to = half->plane[slot][c] + (size_t)(y / 2) * half->width + tile->x0 / 2;
            for (uint32_t i = 0; i < columns / 2; i++)
                to[i] = 0.25f * ((a[2 * i] + a[2 * i + 1]) + (b[2 * i] + b[2 * i + 1]));
            if (columns % 2) to[columns / 2] = 0.5f * (a[columns - 1] + b[columns - 1]);
        }
}

/* ---- Colour ---------------------------------------------------------------------------------- */

/* Returns the cube root of numbers from 0.003 to 2. The bits of a float approximate its logarithm,
 * which gives 1 / root within 4 %. Two Newton steps and a correction of the root make it exact
 * except for its last bits. No step divides. */
INLINE vec s2_root(vec v)
{
    const vec bits = __builtin_convertvector((ivec)v, vec) * (-1.0f / 3) + 0x1.5287560p30f;
    vec r = (vec) __builtin_convertvector(bits, ivec);
    for (int i = 0; i < 2; i++) r *= 4.0f / 3 - v * (1.0f / 3) * r * r * r;
    const vec root = v * r * r;
    return vec_fma(r * r * (1.0f / 3), v - root * root * root, root);
}

/* Cone responses of a pixel, and their roots. */
struct s2_cones {
    vec response[3], root[3];
};

INLINE struct s2_cones s2_cones(vec r, vec g, vec b)
{
    static const double opsin[3][3] = SSIMCU_S2_OPSIN;
    struct s2_cones cones;
    for (int i = 0; i < 3; i++) {
        const vec blue = vec_fma(vec_all((float)opsin[i][2]), b, vec_all((float)SSIMCU_S2_BIAS)),
                  rest = vec_fma(vec_all((float)opsin[i][1]), g, blue);
        cones.response[i] = vec_fma(vec_all((float)opsin[i][0]), r, rest);
        cones.root[i] = s2_root(cones.response[i]);
    }
    return cones;
}

/* Converts sums or differences of roots to those of X, Y and B, without the offsets that make them
 * positive. */
INLINE void s2_xyb(const vec root[3], vec xyb[SSIMCU_S2_CHANNELS])
{
    xyb[1] = (root[0] + root[1]) * 0.5f;
    xyb[0] = (root[0] - root[1]) * 7.0f;
    xyb[2] = root[2] - xyb[1];
}

/* Computes s and d of two pixels. The difference of roots a and b is computed as (a^3 - b^3) / (a^2
 * + a b + b^2), which keeps its digits if they are nearly equal. */
INLINE void s2_colors(const struct s2_cones *x, const struct s2_cones *y, vec s[SSIMCU_S2_CHANNELS],
                      vec d[SSIMCU_S2_CHANNELS])
{
    vec sum[3], difference[3];
    for (int i = 0; i < 3; i++) {
        const vec a = x->root[i], b = y->root[i];
        sum[i] = a + b;
        difference[i] = (x->response[i] - y->response[i]) / vec_fma(a, a, vec_fma(a, b, b * b));
    }
    s2_xyb(sum, s);
    s2_xyb(difference, d);
}

/* Offsets that make X, Y and B positive. */
static const double s2_lift[SSIMCU_S2_CHANNELS] = {0.42, 0.01 - SSIMCU_S2_BIAS_ROOT, 0.55};

/* Sets columns [from, to) of a row of the ring, which lie outside the frame. */
static void s2_fill(const struct s2_tile *tile, float (*row)[QUANTITIES][S2_READS], uint32_t from,
                    uint32_t to)
{
    for (uint32_t c = 0; c < SSIMCU_S2_CHANNELS; c++)
        for (int q = 0; q < QUANTITIES; q++)
            for (uint32_t i = from; i < to; i++) row[c][q][i] = -tile->origin[c][q];
}

/* Computes s and d of a row of light. */
static void s2_color_row(const struct s2_tile *tile,
                         float light[SSIMCU_PAIR][SSIMCU_S2_CHANNELS][S2_READS],
                         float (*row)[QUANTITIES][S2_READS])
{
    const int grey = tile->task->scale.planes == 1;
    const struct s2_span span = s2_span(tile->task, tile->x0);
    for (uint32_t j = 0; j < S2_READS; j += LANES) {
        struct s2_cones side[SSIMCU_PAIR];
        vec sum[SSIMCU_S2_CHANNELS], difference[SSIMCU_S2_CHANNELS];
        for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
            const vec r = vec_load(&light[slot][0][j]);
            side[slot] =
                grey ? s2_cones(r, r, r)
                     : s2_cones(r, vec_load(&light[slot][1][j]), vec_load(&light[slot][2][j]));
        }
        s2_colors(&side[SSIMCU_REF], &side[SSIMCU_OUT], sum, difference);
        for (uint32_t c = 0; c < SSIMCU_S2_CHANNELS; c++) {
            const float lift = (float)(2 * s2_lift[c] - (double)tile->origin[c][S]);
            vec_store(&row[c][S][j], sum[c] + lift);
            vec_store(&row[c][D][j], difference[c] - tile->origin[c][D]);
        }
    }
    s2_fill(tile, row, 0, span.left);
    s2_fill(tile, row, span.left + span.count, S2_READS);
}

/* ---- Maps ------------------------------------------------------------------------------------ */

struct s2_taps {
    vec weight[SSIMCU_S2_RADIUS + 1]; /* weights of taps 0 and 8, ..., 4 */
};

/* Computes vertical means of channel c. `oldest` is the slot of the first of nine rows. */
INLINE void s2_blur_rows(struct s2_tile *tile, const struct s2_taps *taps, uint32_t c,
                         uint32_t oldest)
{
    const float *row[S2_TAPS][QUANTITIES];
    for (uint32_t k = 0; k < S2_TAPS; k++)
        for (int q = 0; q < QUANTITIES; q++) row[k][q] = tile->ring[(oldest + k) % S2_RING][c][q];
    for (uint32_t j = 0; j < S2_READS; j += LANES)
        for (int q = 0; q < QUANTITIES; q++) {
            const vec middle = vec_load(row[SSIMCU_S2_RADIUS][q] + j);
            vec mean = taps->weight[SSIMCU_S2_RADIUS] * middle, square = mean * middle;
            for (uint32_t k = 0; k < SSIMCU_S2_RADIUS; k++) {
                const vec up = vec_load(row[k][q] + j),
                          down = vec_load(row[S2_TAPS - 1 - k][q] + j);
                mean = vec_fma(taps->weight[k], up + down, mean);
                square = vec_fma(taps->weight[k], vec_fma(up, up, down * down), square);
            }
            vec_store(&tile->mean[q][j], mean);
            vec_store(&tile->mean[SS + q][j], square);
        }
}

INLINE vec s2_blur_columns(const struct s2_taps *taps, const float *from)
{
    vec mean = taps->weight[SSIMCU_S2_RADIUS] * vec_load(from + SSIMCU_S2_RADIUS);
    for (uint32_t k = 0; k < SSIMCU_S2_RADIUS; k++)
        mean =
            vec_fma(taps->weight[k], vec_load(from + k) + vec_load(from + S2_TAPS - 1 - k), mean);
    return mean;
}

/* Computes variances of s and d of channel c under a vector of windows, from column j on, in
 * double. It is not inlined, because it is rarely called. */
__attribute__((noinline)) static void s2_exact_variances(const struct s2_tile *tile, uint32_t c,
                                                         uint32_t j, uint32_t oldest,
                                                         vec variance[QUANTITIES])
{
    static const double weight[SSIMCU_S2_RADIUS + 1] = SSIMCU_S2_TAPS;
    for (int q = 0; q < QUANTITIES; q++) {
        double mean[LANES + S2_TAPS - 1] = {0}, square[LANES + S2_TAPS - 1] = {0};
        float exact[LANES];
        for (uint32_t k = 0; k < S2_TAPS; k++) {
            const float *row = &tile->ring[(oldest + k) % S2_RING][c][q][j];
            const double w = weight[k <= SSIMCU_S2_RADIUS ? k : S2_TAPS - 1 - k];
            for (uint32_t i = 0; i < LANES + S2_TAPS - 1; i++) {
                mean[i] += w * (double)row[i];
                square[i] += w * (double)row[i] * (double)row[i];
            }
        }
        for (uint32_t i = 0; i < LANES; i++) {
            double m = 0, mm = 0;
            for (uint32_t k = 0; k < S2_TAPS; k++) {
                const double w = weight[k <= SSIMCU_S2_RADIUS ? k : S2_TAPS - 1 - k];
                m += w * mean[i + k];
                mm += w * square[i + k];
            }
            exact[i] = (float)(mm - m * m);
        }
        variance[q] = vec_load(exact);
    }
}

INLINE vec vec_positive(vec v) { return vec_max(v, (vec){0}); }

INLINE vec vec_magnitude(vec v) { return vec_max(v, -v); }

/* Adds a map's values and their fourth powers to a row's sums. */
INLINE void s2_add(float (*sum)[LANES], vec value)
{
    const vec square = value * value;
    vec_store(sum[0], vec_load(sum[0]) + value);
    vec_store(sum[1], vec_fma(square, square, vec_load(sum[1])));
}

/* Returns a number below 0 if means are too far from their origins for the variances. An error in a
 * variance of d counts with 1 / spread, an error of s with var(d) / spread^2. Errors are about 1e-7
 * of the squares of the means. */
INLINE vec s2_far(const vec mean[MOMENTS], const vec variance[QUANTITIES])
{
    const float far = 0.3f;
    const vec spread = variance[S] + variance[D] + (float)(2 * SSIMCU_S2_C2);
    const vec lost = vec_fma(mean[S] * mean[S], variance[D], mean[D] * mean[D] * spread);
    return vec_fma(spread, spread, -far * lost);
}

/* Adds the maps of channel c to a row's sums. `now` is the slot of the row. */
INLINE void s2_map_row(struct s2_tile *tile, const struct s2_taps *taps, uint32_t c, uint32_t now)
{
    const float c2 = (float)(2 * SSIMCU_S2_C2);
    const uint32_t first = S2_MARGIN - SSIMCU_S2_RADIUS;
    float(*sum)[LANES] = tile->sum[c];
    for (uint32_t j = 0; j < tile->columns; j += LANES) {
        vec mean[MOMENTS];
        for (int m = 0; m < MOMENTS; m++)
            mean[m] = s2_blur_columns(taps, &tile->mean[m][first + j]);
        vec variance[QUANTITIES];
        for (int q = 0; q < QUANTITIES; q++)
            variance[q] = vec_positive(vec_fma(-mean[q], mean[q], mean[SS + q]));
        if (__builtin_expect(vec_any_negative(s2_far(mean, variance)), 0))
            s2_exact_variances(tile, c, first + j, (now + S2_RING - SSIMCU_S2_RADIUS) % S2_RING,
                               variance);
        const vec var_d = vec_positive(variance[D]), d = mean[D] + tile->origin[c][D], d_2 = d * d;
        const vec lost = 2.0f * var_d / (vec_positive(variance[S]) + var_d + c2),
                  ssim = vec_positive(vec_fma(1.0f - d_2, lost, d_2));
        const vec far_s = vec_load(&tile->ring[now][c][S][S2_MARGIN + j]) - mean[S],
                  far_d = vec_load(&tile->ring[now][c][D][S2_MARGIN + j]) - mean[D];
        const vec x = vec_magnitude(far_s + far_d), y = vec_magnitude(far_s - far_d);
        const vec edge = (y - x) / (2.0f + x), inside = vec_load(&tile->inside[j]);
        s2_add(&sum[0], ssim * inside);
        s2_add(&sum[2], vec_positive(edge) * inside);
        s2_add(&sum[4], vec_positive(-edge) * inside);
    }
}

/* Adds the sums of a row to those of the tile. */
static void s2_end_row(struct s2_tile *tile)
{
    for (uint32_t c = 0; c < SSIMCU_S2_CHANNELS; c++)
        for (uint32_t n = 0; n < SSIMCU_S2_SUMS; n++)
            for (int lane = 0; lane < LANES; lane++)
                tile->sums[c][n] += (double)tile->sum[c][n][lane];
    memset(tile->sum, 0, sizeof tile->sum);
}

/* Sets the origins. The ring is still unused. */
static void s2_set_origins(struct s2_tile *tile)
{
    s2_read_row(tile->task, tile->x0, tile->y0 + tile->rows / 2, tile->bytes, tile->light[0]);
    s2_color_row(tile, tile->light[0], tile->ring[0]);
    for (uint32_t c = 0; c < SSIMCU_S2_CHANNELS; c++)
        for (int q = 0; q < QUANTITIES; q++) {
            const float *value = &tile->ring[0][c][q][S2_MARGIN];
            float sum = 0;
            for (uint32_t i = 0; i < tile->columns; i++) sum += value[i];
            tile->origin[c][q] = sum / (float)tile->columns;
        }
}

/* Reads row `row` of the tile's rows into the ring; the first lies four rows above the tile. */
static void s2_take_row(struct s2_tile *tile, uint32_t row)
{
    const struct ssimcu_s2_task *task = tile->task;
    const int64_t y = (int64_t)tile->y0 + row - SSIMCU_S2_RADIUS;
    float(*ring)[QUANTITIES][S2_READS] = tile->ring[row % S2_RING];
    if (y < 0 || y >= task->scale.height) {
        s2_fill(tile, ring, 0, S2_READS);
        return;
    }
    const int even = y % 2 == 0, is_own = y >= tile->y0 && y < tile->y0 + tile->rows;
    s2_read_row(task, tile->x0, (uint32_t)y, tile->bytes, tile->light[!even]);
    s2_color_row(tile, tile->light[!even], ring);
    if (task->half.planes && is_own && (!even || y + 1 == task->scale.height))
        s2_halve(tile, (uint32_t)y, 0, !even);
}

static void ssimulacra2_tile(const struct ssimcu_s2_task *task, uint32_t across, uint32_t down,
                             double sums[SSIMCU_S2_CHANNELS][SSIMCU_S2_SUMS])
{
    static const double weight[SSIMCU_S2_RADIUS + 1] = SSIMCU_S2_TAPS;
    const struct ssimcu_pyramid_scale *scale = &task->scale;
    struct s2_tile tile = {
        .task = task, .x0 = across * S2_COLUMNS, .y0 = down * S2_ROWS, .sums = sums};
    struct s2_taps taps;
    for (int k = 0; k <= SSIMCU_S2_RADIUS; k++) taps.weight[k] = vec_all((float)weight[k]);
    tile.columns = scale->width - tile.x0 < S2_COLUMNS ? scale->width - tile.x0 : S2_COLUMNS;
    tile.rows = scale->height - tile.y0 < S2_ROWS ? scale->height - tile.y0 : S2_ROWS;
    for (uint32_t i = 0; i < tile.columns; i++) tile.inside[i] = 1;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        if (task->read[0] && s2_is_bytes(task->read[0], slot))
            s2_fill_bytes(task, slot, tile.bytes[slot]);
    s2_set_origins(&tile);
    for (uint32_t row = 0; row < tile.rows + S2_TAPS - 1; row++) {
        s2_take_row(&tile, row);
        if (row < S2_TAPS - 1) continue;
        for (uint32_t c = 0; c < SSIMCU_S2_CHANNELS; c++) {
            s2_blur_rows(&tile, &taps, c, (row + 1) % S2_RING);
            s2_map_row(&tile, &taps, c, (row + S2_RING - SSIMCU_S2_RADIUS) % S2_RING);
        }
        s2_end_row(&tile);
    }
}
