/* The fast SSIM of one tile. It is the only source for all instruction sets (ssim_level.h).
 *
 * THE FORM is that of the GPU kernel. With s = x + y, d = x - y, a = mean(s)^2 + 2 C1, b = var(s) +
 * 2 C2, D = mean(d) and v = var(d):
 *
 *     1 - SSIM = 2 (a v + b D^2) / ((a + D^2) (b + v)) = 2 p / (p + q)
 *     with p = a (v / b) + D^2 and q = D^2 (v / b) + a
 *
 * This is exactly 0 if d is 0, the same for (x, y) and (y, x), and free of cancellation.
 *
 * DATA FLOW. A tile is up to 96 samples of interleaved output columns by up to SSIM_TILE_ROWS rows.
 * Interleaved pixels stay interleaved: a sample's neighbour in its channel is `step` samples later,
 * so nothing is sorted into planes. Two rows are processed at a time:
 *
 *   - samples -> s and d (`raw`, a ring of RAW_RING rows, read two rows ahead)
 *   - -> horizontal means of q and q^2 for q = s, d (`blurred`, a ring of 12 rows)
 *   - -> vertical means for two rows of windows, from 12 loads instead of 22
 *   - -> p and q (`fraction`)
 *   - -> p / (p + q), in a loop of its own (ssim_sums.h), with one division for four
 *   - -> a double per column and, for scores per tile of the grid, one per column of each
 *
 * Everything stays in the first-level cache. Symmetric taps are added before they are weighted.
 *
 * ROUNDING. mean(q^2) - mean(q)^2 loses digits if the mean is far from 0. So every column measures
 * s and d from a separate origin. If the mean of a vector of windows has moved far from its origin,
 * the vector gets a new origin. Then the last 12 rows of its columns are blurred again from `raw`.
 * Let p, q be the means of s and d from their origins. An error of v counts with 1 / (b + v), an
 * error of var(s) with v / (b + v)^2. Hence "far" means
 *
 *     FAR_S p^2 v + FAR_D q^2 (b + v) > (b + v)^2
 *
 * Only the newer of two rows is tested. Means of neighbours differ by less than 0.7 of the
 * deviation under them, so if the newer is near, the older is not much farther.
 *
 * Worst error of a mean in 40,000 random frames from 1x1 to 300x60, padded or not: 1.5e-7 with
 * ramps, 1.2e-7 with periodic patterns, 9e-8 with patches, 8e-8 with flat ones, 7e-8 otherwise.
 * Without moving origins it is 6e-5. An origin of d that always starts at 0 is 0.5 to 1 ms faster,
 * but exceeds 1e-7 on flat pairs: 3.3e-7. A FAR_S of 0.5 with a FAR_D of 1 also exceeds it: 2.9e-7.
 *
 * DARK WINDOWS. mean(s) itself is off by up to e |p|, e = 1.4e-7: by 6.1e-5 with p = -488. If v is
 * 0, that changes 1 - SSIM by 4 e |p| mean(s) D^2 / (a + D^2)^2. In a dark flat patch below a
 * bright one, with x and y a constant apart, all windows round alike and the change is 7.7e-6. So s
 * is also far if
 *
 *     FAR_MEAN |p| mean(s) D^2 > (a + D^2)^2
 *
 * Samples are not negative, so p < 0 wherever this holds clearly. It is tested only where mean(s)
 * is below about a third of its origin, that is p < `dark`. That test is one subtraction and a
 * minimum: 0.4 to 1 % more instructions for a photo. Comparing p^2 with mean(s)^2 + 32 in every
 * window would take 2.3 to 5 %.
 *
 * The worst error of two flat levels is 3.0e-7; without this test it is 5.7e-6. The worst of
 * 100,000 random pairs of flat patches, ramps and steps is 3.8e-7, with 10 pairs over 2e-7. Without
 * this test it is 5.6e-6, with 342 pairs. The rest may be the error of mean(d), which is up to 7.6
 * from its origin in flat frames.
 *
 * FLOATS. p and q are floats, so each is rounded once more than in double. In flat pairs of 8 bits,
 * all windows round alike and are off by 2.8e-8 at most. With a v and b D^2 in float instead it is
 * 7.1e-8; with the last fraction in float too, 1.6e-7.
 *
 * WHY THESE SIZES. Times are of a 4K RGB photo, one thread, AVX-512, Zen 5.
 * bench/results/ssim-cpu.md has more.
 *
 *   - 96 columns need 37 KB. 144 columns exceed the cache and are a twentieth slower.
 *   - Reading two rows ahead keeps unaligned loads off stores still under way: a tenth.
 *   - The prefetch saves 2 ms.
 *   - Half of the horizontal taps are shuffles of two aligned loads: 2 ms. This is only for
 *     AVX-512, because its unaligned vectors load once per cycle.
 *   - The second loop saves 2 ms, because enough windows are in flight that nothing waits for a
 *     division.
 *   - There, one division for four windows instead of two takes 27.7 ms instead of 30.8; one
 *     for eight takes 28.3. */
#include "ssim_rows.h"
#include "ssim_sums.h"

/* With eight lanes the next rows are read after these are scored, in place of rows that no new
 * origin needs any more. This is 5 to 6 % faster with AVX2, but 3 to 7 % slower for floats with
 * AVX-512.
 */
enum { RING = SSIMCU_TAPS + 1, READS_LATE = LANES == 8, RAW_RING = READS_LATE ? RING : RING + 2 };

static const float FAR_S = 1.0f, FAR_D = 2.0f, FAR_MEAN = 4.0f, DARKER = 2.0f / 3.0f;

/* A tile's place and its working memory. */
struct tile {
    uint32_t x0, y0;  /* first window position */
    uint32_t columns; /* interleaved samples of windows across */
    uint32_t rows;    /* rows of windows */
    int32_t first_x;  /* first pixel under a window; negative in the padding */
    int32_t first_y;
    int what;   /* as in the task */
    int direct; /* read_direct can read it without reading past the rows' ends */
    alignas(64) float raw[RAW_RING][QUANTITIES][RAW_COLUMNS];
    alignas(STORED) float blurred[RING][MOMENTS][SSIM_TILE_COLUMNS];
    alignas(64) float origin[QUANTITIES][SSIM_TILE_COLUMNS];
    alignas(64) float dark[SSIM_TILE_COLUMNS]; /* p below which mean(s) may be far off */
    float c1, c2;                              /* twice C1 and C2, in units of the task */
    float coarse;                              /* about a thirtieth of white */
    uint8_t (*clamped)[SSIMCU_PAIR];           /* clamped pixels of each row */
    struct sums sums;
};

struct taps {
    vec weight[SSIMCU_RADIUS + 1]; /* weights of taps 0 and 10, 1 and 9, ..., 5 */
};

/* Rounds numbers under 2^22 to the nearest integer. Added to 1.5 * 2^23, a float has no digits
 * behind the point. */
#define ROUNDER 0x1.8p23f
INLINE vec vec_round(vec v) { return (v + ROUNDER) - ROUNDER; }

/* Returns the vector n samples after `from`, where pair[0] and then pair[1] lie. If it is shifted
 * out of the pair, n < LANES. */
INLINE vec vec_on(const float *from, const vec pair[2], uint32_t n)
{
#ifdef VEC_HAS_SLIDE
    (void)from;
    return vec_slide(pair[0], pair[1], n);
#else
    (void)pair;
    return vec_load(from + n);
#endif
}

/* Blurs one vector of columns of one row horizontally: means of q - origin and of its square. */
INLINE void blur_columns(struct tile *tile, const struct taps *taps, int q, uint32_t row,
                         uint32_t j, const uint32_t step)
{
    const float *from = &tile->raw[row % RAW_RING][q][j];
    const vec origin = vec_load(&tile->origin[q][j]);
    const vec pair[2] = {vec_load(from), vec_load(from + LANES)};
    const vec middle = vec_on(from, pair, SSIMCU_RADIUS * step) - origin;
    vec mean = taps->weight[SSIMCU_RADIUS] * middle, square = mean * middle;
    for (uint32_t k = 0; k < SSIMCU_RADIUS; k++) {
        const vec left = vec_on(from, pair, k * step) - origin;
        const vec right = vec_load(from + (SSIMCU_TAPS - 1 - k) * step) - origin;
        mean = vec_fma(taps->weight[k], left + right, mean);
        square = vec_fma(taps->weight[k], vec_fma(left, left, right * right), square);
    }
    vec_store(&tile->blurred[row % RING][q][j], mean);
    vec_store(&tile->blurred[row % RING][SS + q][j], square);
}

/* Means of s and d, measured from the origins, and their variances, for a vector of windows in each
 * of two rows. A variance of s that would round to less than 0 becomes 0, so that b is never 0.
 */
struct moments {
    vec mean[2][QUANTITIES], variance[2][QUANTITIES];
};

/* Blurs vertically: the windows of the older 11 of 12 rows, and of the newer 11. */
INLINE struct moments blur_rows(const struct tile *tile, const struct taps *taps,
                                const uint32_t oldest, uint32_t j)
{
    vec mean[2][MOMENTS];
    for (int m = 0; m < MOMENTS; m++) {
        vec low = vec_load(&tile->blurred[(oldest + SSIMCU_RADIUS) % RING][m][j]);
        vec high = vec_load(&tile->blurred[(oldest + SSIMCU_RADIUS + 1) % RING][m][j]);
        vec older = taps->weight[SSIMCU_RADIUS] * low, newer = taps->weight[SSIMCU_RADIUS] * high;
        for (uint32_t k = SSIMCU_RADIUS; k-- > 0;) {
            vec lower = vec_load(&tile->blurred[(oldest + k) % RING][m][j]);
            vec higher = vec_load(&tile->blurred[(oldest + SSIMCU_TAPS - k) % RING][m][j]);
            vec_keep(&lower);
            vec_keep(&higher);
            older = vec_fma(taps->weight[k], lower + high, older);
            newer = vec_fma(taps->weight[k], low + higher, newer);
            low = lower;
            high = higher;
        }
        mean[0][m] = older;
        mean[1][m] = newer;
    }
    struct moments windows;
    for (int w = 0; w < 2; w++) {
        const vec s = mean[w][S], d = mean[w][D], var_s = vec_fma(-s, s, mean[w][SS]);
        windows.mean[w][S] = s;
        windows.mean[w][D] = d;
        windows.variance[w][S] = vec_max(var_s, (vec){0});
        windows.variance[w][D] = vec_fma(-d, d, mean[w][DD]);
    }
    return windows;
}

/* Returns a number below 0 if the newer row's means are too far from their origins for its
 * variances. The weights are those of ROUNDING above. */
INLINE vec far_by_variance(const struct moments *windows, float c2, float weight_s, float weight_d)
{
    const vec s = windows->mean[1][S], d = windows->mean[1][D], v = windows->variance[1][D];
    const vec spread = windows->variance[1][S] + c2 + v;
    const vec lost = vec_fma(weight_s * s * s, v, weight_d * d * d * spread);
    return vec_fma(spread, spread, -lost);
}

/* Returns a number below 0 if the mean of s is too far from its origin for its own precision. */
INLINE vec far_by_mean(const struct tile *tile, const struct moments *windows, uint32_t j)
{
    const vec s = windows->mean[1][S];
    const vec mean_s = vec_load(&tile->origin[S][j]) + s;
    const vec mean_d = vec_load(&tile->origin[D][j]) + windows->mean[1][D];
    const vec dd = mean_d * mean_d, both = mean_s * mean_s + dd + tile->c1;
    return both * both + FAR_MEAN * s * mean_s * dd;
}

INLINE void store_origin(struct tile *tile, int q, uint32_t j, vec origin)
{
    vec_store(&tile->origin[q][j], origin);
    if (q == S) vec_store(&tile->dark[j], (origin + tile->coarse) * -DARKER);
}

/* Recomputes the moments of a vector of windows, `old`, with a new origin for s, d or both. The new
 * origin is the newer window's mean. It is set for each that is far by itself, or for s if they are
 * far only together. Nothing changes if a dark window proves not to be far. The function is not
 * inlined, so that the usual path keeps its registers. */
__attribute__((noinline)) static struct moments
from_new_origin(struct tile *tile, const struct taps *taps, const struct moments *old, uint32_t row,
                uint32_t j, uint32_t step)
{
    const int far_d = vec_any_negative(far_by_variance(old, tile->c2, 0, FAR_D)),
              far_s = vec_any_negative(far_by_variance(old, tile->c2, FAR_S, far_d ? 0 : FAR_D)) ||
                      vec_any_negative(far_by_mean(tile, old, j));
    if (!far_s && !far_d) return *old;
    for (int q = 0; q < QUANTITIES; q++) {
        if (!(q == S ? far_s : far_d)) continue;
        store_origin(tile, q, j, vec_load(&tile->origin[q][j]) + vec_round(old->mean[1][q]));
        for (uint32_t r = row; r < row + RING; r++) blur_columns(tile, taps, q, r, j, step);
    }
    return blur_rows(tile, taps, row % RING, j);
}

/* Adds v / (v + b) of one or two rows to the columns' sums, which are floats for a few rows. */
INLINE void add_structure(struct tile *tile, uint32_t j, const struct moments *windows,
                          const int second)
{
    const vec v = windows->variance[0][D], all = v + (windows->variance[0][S] + tile->c2);
    const vec other = windows->variance[1][D],
              other_all = other + (windows->variance[1][S] + tile->c2);
    const vec added = second ? vec_fma(v, other_all, other * all) / (all * other_all) : v / all;
    float *const part = &tile->sums.structure_part[j];
    vec_store(part, vec_load(part) + added);
}

/* Stores (1 - SSIM) / 2 of both rows as a fraction p / (p + q): THE FORM above, divided by b. Adds
 * mean(d) and the features to the cells, if there are any. */
INLINE void score(struct tile *tile, uint32_t j, const struct moments *windows,
                  const int of_one_cell, const struct turn turn)
{
    const vec origin_s = vec_load(&tile->origin[S][j]), origin_d = vec_load(&tile->origin[D][j]);
    for (int w = 0; w < 2; w++) {
        const vec mean_s = origin_s + windows->mean[w][S], mean_d = origin_d + windows->mean[w][D];
        const vec a = vec_fma(mean_s, mean_s, vec_all(tile->c1));
        const vec dd = mean_d * mean_d;
        const vec ratio = windows->variance[w][D] / (windows->variance[w][S] + tile->c2);
        vec_store(&tile->sums.fraction[w][0][j], vec_fma(a, ratio, dd));
        vec_store(&tile->sums.fraction[w][1][j], vec_fma(dd, ratio, a));
    }
    struct cells *const cells = &tile->sums.cells;
    if (!cells->row) return;
    const vec older = origin_d + windows->mean[0][D], newer = origin_d + windows->mean[1][D];
    add_shift(cells, j, older, newer, of_one_cell);
    if (cells->features) /* the older row is even and counts, the newer does not */
        add_features(cells, j, older, windows->variance[0][S], windows->variance[0][D], turn);
}

/* Scores two rows of windows over the ring. The ring's oldest row, `row` of the tile, is in slot
 * `oldest`. */
INLINE void score_rows(struct tile *tile, const struct taps *taps, uint32_t row,
                       const uint32_t oldest, const uint32_t step)
{
    const uint32_t columns = tile->columns;
    const int of_one_cell = are_of_one_cell(&tile->sums, row);
    const struct turn turn = turn_of(&tile->sums.cells, row, tile->rows);
    for (uint32_t j = 0; j < columns; j += LANES) {
        struct moments windows = blur_rows(tile, taps, oldest, j);
        const vec near = vec_min(far_by_variance(&windows, tile->c2, FAR_S, FAR_D),
                                 windows.mean[1][S] - vec_load(&tile->dark[j]));
        if (__builtin_expect(vec_any_negative(near), 0)) {
            const struct moments old = windows;
            windows = from_new_origin(tile, taps, &old, row, j, step);
        }
        if (tile->what != SSIM_ALONE) add_structure(tile, j, &windows, row + 1 < tile->rows);
        if (tile->what != STRUCTURE_ALONE) score(tile, j, &windows, of_one_cell, turn);
    }
}

/* Writes s and d of row `row` of the tile to the raw ring. Samples outside the frame are 0; those
 * to the left and right already are. */
INLINE void read_row(const struct ssimcu_ssim_cpu_task *task, struct tile *tile, uint32_t row,
                     const uint32_t step, const int direct)
{
    float(*raw)[RAW_COLUMNS] = tile->raw[row % RAW_RING], *s = raw[S], *d = raw[D];
    const uint32_t height = task->shape->height, width = task->shape->width;
    const int64_t y = (int64_t)tile->first_y + row;
    if (y < 0 || y >= (int64_t)height) {
        memset(raw, 0, sizeof tile->raw[0]);
        return;
    }
    const uint32_t left = tile->first_x < 0 ? (uint32_t)-tile->first_x : 0;
    const uint32_t x = (uint32_t)tile->first_x + left;
    const uint32_t wanted = tile->columns / step + SSIMCU_TAPS - 1 - left;
    const uint32_t count = wanted < width - x ? wanted : width - x;
    if (direct) {
        read_direct(task, x, (uint32_t)y, s, d, tile->clamped[row]);
        return;
    }
    read_indirect(task, x, (uint32_t)y, count, left * step, s, d, tile->clamped[row]);
}

/* Sets the first origins. Every column starts from the mean of eight samples of the first window's
 * first two rows. For d that mean is rounded to coarse steps, so that it starts from 0 if the pair
 * differs only by noise. */
INLINE void set_origin(struct tile *tile, const uint32_t step)
{
    const float unit[QUANTITIES] = {1.0f, tile->coarse};
    for (int q = 0; q < QUANTITIES; q++)
        for (uint32_t j = 0; j < tile->columns; j += LANES) {
            vec sum = {0};
            for (int r = 0; r < 2; r++)
                for (uint32_t k = 2; k <= 8; k += 2)
                    sum += vec_load(&tile->raw[r][q][j + k * step]);
            store_origin(tile, q, j, vec_round(sum * (0.125f / unit[q])) * unit[q]);
        }
}

/* Scores a tile. `direct` is a constant, because a call in the loop would use the weights'
 * registers. A 4K RGB pair of 16 bits takes 31 ms; with one loop for both it takes 36 ms. */
INLINE void score_tile(const struct ssimcu_ssim_cpu_task *task, struct tile *tile,
                       const uint32_t step, const int direct)
{
    static const double weight[SSIMCU_TAPS] = SSIMCU_GAUSSIAN;
    const uint32_t last = tile->rows + SSIMCU_TAPS - 1, columns = tile->columns;
    struct taps taps;
    for (int k = 0; k <= SSIMCU_RADIUS; k++) taps.weight[k] = vec_all((float)weight[k]);
    for (uint32_t r = 0; r < 2; r++) read_row(task, tile, r, step, direct);
    set_origin(tile, step);
    for (uint32_t row = 0; row < last; row += 2) {
        for (uint32_t r = row + 2; !READS_LATE && r < row + 4 && r <= last; r++)
            read_row(task, tile, r, step, direct);
        for (uint32_t r = row; r < row + 2; r++)
            for (uint32_t j = 0; j < columns; j += LANES) {
                blur_columns(tile, &taps, S, r, j, step);
                blur_columns(tile, &taps, D, r, j, step);
            }
        const int full = row >= SSIMCU_TAPS - 1;
        const uint32_t window = row - (SSIMCU_TAPS - 1);
        switch (full ? window % RING : RING) { /* constant slots, not twelve pointers */
        case 0: score_rows(tile, &taps, window, 0, step); break;
        case 2: score_rows(tile, &taps, window, 2, step); break;
        case 4: score_rows(tile, &taps, window, 4, step); break;
        case 6: score_rows(tile, &taps, window, 6, step); break;
        case 8: score_rows(tile, &taps, window, 8, step); break;
        case 10: score_rows(tile, &taps, window, 10, step); break;
        }
        for (uint32_t r = row + 2; READS_LATE && r < row + 4 && r <= last; r++)
            read_row(task, tile, r, step, direct);
        if (!full) continue;
        if (tile->sums.cells.row)
            add_up_with_cells(&tile->sums, window);
        else if (tile->what != STRUCTURE_ALONE)
            add_up(&tile->sums, window + 1 < tile->rows, 0);
        if (tile->sums.structure && window % STRUCTURE_ROWS == 0) end_structure(&tile->sums);
    }
}

static void ssim_tile(const struct ssimcu_ssim_cpu_task *task, uint32_t across, uint32_t down,
                      double *sums, double *cells, uint8_t (*clamped)[SSIMCU_PAIR])
{
    const struct ssimcu_shape *shape = task->shape;
    const uint32_t step = shape->planes, width = SSIM_TILE_COLUMNS / step;
    const int32_t pad = shape->zero_pad ? SSIMCU_RADIUS : 0;
    struct tile tile;
    tile.x0 = across * width;
    tile.y0 = down * SSIM_TILE_ROWS;
    const uint32_t columns = shape->map_width - tile.x0, rows = shape->map_height - tile.y0;
    tile.columns = (columns < width ? columns : width) * step;
    tile.rows = rows < SSIM_TILE_ROWS ? rows : SSIM_TILE_ROWS;
    tile.first_x = (int32_t)tile.x0 - pad;
    tile.first_y = (int32_t)tile.y0 - pad;
    tile.direct = is_direct(task, SSIMCU_REF) && is_direct(task, SSIMCU_OUT) && tile.first_x >= 0 &&
                  (shape->width - (uint32_t)tile.first_x) * step >= RAW_COLUMNS;
    tile.clamped = clamped;
    tile.what = (int)task->what;
    tile.c1 = (float)(2 * SSIMCU_C1(task->white));
    tile.c2 = (float)(2 * SSIMCU_C2(task->white));
    tile.coarse = task->white > 192 ? 8.0f : 4.0f;
    memset(tile.raw, 0, sizeof tile.raw);
    tile.sums.columns = tile.columns;
    tile.sums.rows = tile.rows;
    start_sums(&tile.sums, task, tile.x0, tile.y0, cells);
    if (step == 3)
        tile.direct ? score_tile(task, &tile, 3, 1) : score_tile(task, &tile, 3, 0);
    else
        tile.direct ? score_tile(task, &tile, 1, 1) : score_tile(task, &tile, 1, 0);
    if (tile.sums.structure) end_structure(&tile.sums);
    end_sums(&tile.sums, step, sums);
}
