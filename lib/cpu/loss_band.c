/* A band goes down the frame row by row. Let s = REF + OUT and d = REF - OUT. Their row y completes
 * the windows of row y - 5. The derivatives of these complete the gradient of row y - 10. So only
 * rings of eleven rows are kept. */
#include "loss_band.h"

#include "loss_rows.h"

#include <string.h>

enum {
    RING = SSIMCU_TAPS,
    EDGE = SSIMCU_RADIUS, /* columns without samples before and after each row */
    MEANS = 4,            /* means of s, d, s^2 and d^2 */
    LINE = 8              /* doubles of a cache line */
};

/* The rows of a band's memory. */
enum {
    ROWS_S = 0,
    ROWS_D = ROWS_S + RING,
    ROWS_MASK = ROWS_D + RING,
    ROWS_BY = ROWS_MASK + RING,         /* derivatives with respect to the four means, one ring
                                           each */
    ROWS_DOWN = ROWS_BY + MEANS * RING, /* vertical sums */
    ROWS_ACROSS = ROWS_DOWN + MEANS,    /* horizontal sums */
    ROW_LOST = ROWS_ACROSS + MEANS,
    ROW_WEIGHT,
    ROWS
};

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t stride_of(const struct ssimcu_loss_task *task)
{
    return ((size_t)task->width + 2 * EDGE + LINE - 1) / LINE * LINE;
}

size_t ssimcu_loss_band_doubles(const struct ssimcu_loss_task *task)
{
    return ROWS * stride_of(task);
}

/* Returns the first column of a row of the band's memory, after the edge. */
static double *row_at(const struct ssimcu_loss_band *band, int row)
{
    return band->memory + row * band->stride + EDGE;
}

static double *ring_at(const struct ssimcu_loss_band *band, int rows, int y)
{
    return row_at(band, rows + (y + RING * EDGE) % RING);
}

/* Finds the rows under the windows of row y, with their edges. */
static void rows_around(const struct ssimcu_loss_band *band, int rows, int y,
                        const double *row[SSIMCU_TAPS])
{
    for (int k = 0; k < SSIMCU_TAPS; k++) row[k] = ring_at(band, rows, y - EDGE + k) - EDGE;
}

static void fill(double *to, int count, double value)
{
    for (int i = 0; i < count; i++) to[i] = value;
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static int has_gradient(const struct ssimcu_loss_task *task)
{
    return task->gradient[0].data || task->gradient[1].data;
}

static int is_outside(const struct ssimcu_loss_task *task, int y)
{
    return y < 0 || y >= task->height;
}

/* Reads a row of the mask. Without a mask the ring keeps its ones. Pixels outside the frame count
 * as inside the mask; under other rules no window is centred there. */
static void read_mask(struct ssimcu_loss_band *band, int y)
{
    const struct ssimcu_loss_task *const task = band->task;
    double *const mask = ring_at(band, ROWS_MASK, y);
    if (!task->mask.data) return;
    if (is_outside(task, y)) {
        fill(mask, task->width, 1);
        return;
    }
    const char *const from = ssimcu_loss_row(&task->mask, band->frame, 0, y);
    ssimcu_loss_read(&task->mask, from, task->width, mask);
    if (task->mask_rule != SSIMCU_LOSS_INSIDE) return;
    for (int x = 0; x < task->width; x++) mask[x] = mask[x] != 0;
}

static void multiply(double *restrict row, const double *restrict by, int count)
{
    for (int x = 0; x < count; x++) row[x] *= by[x];
}

static void turn(double *restrict s, double *restrict d, int count)
{
    for (int x = 0; x < count; x++) {
        const double ref = s[x], out = d[x];
        s[x] = ref + out;
        d[x] = ref - out;
    }
}

/* Reads a row of both sides. Samples outside the frame are 0. */
static void read_row(struct ssimcu_loss_band *band, int y)
{
    const struct ssimcu_loss_task *const task = band->task;
    double *const side[2] = {ring_at(band, ROWS_S, y), ring_at(band, ROWS_D, y)};
    const int outside = is_outside(task, y);
    for (int i = 0; i < 2; i++) {
        if (outside) {
            fill(side[i], task->width, 0);
            continue;
        }
        ssimcu_loss_read(&task->side[i],
                         ssimcu_loss_row(&task->side[i], band->frame, band->channel, y),
                         task->width, side[i]);
        if (task->mask.data && task->mask_rule == SSIMCU_LOSS_ZERO)
            multiply(side[i], ring_at(band, ROWS_MASK, y), task->width);
    }
    turn(side[0], side[1], task->width);
}

/* ---- Windows --------------------------------------------------------------------------------- */

/* Return the first window of a row, and the one past the last. There may be none. */
static int first_window(const struct ssimcu_loss_task *task) { return task->zero_pad ? 0 : EDGE; }

static int has_windows(const struct ssimcu_loss_task *task, int y)
{
    const int first = first_window(task);
    return y >= first && y < task->height - first;
}

/* Returns the weights of the windows of a row. */
static const double *window_weights(struct ssimcu_loss_band *band, int y)
{
    const double *row[SSIMCU_TAPS];
    double *const down = row_at(band, ROWS_DOWN), *const weight = row_at(band, ROW_WEIGHT);
    if (!ssimcu_loss_has_weights(band->task)) return row_at(band, ROW_WEIGHT); /* ones */
    if (band->task->mask_rule == SSIMCU_LOSS_MEAN) return ring_at(band, ROWS_MASK, y);
    rows_around(band, ROWS_MASK, y, row);
    ssimcu_loss_least_down(row, band->task->width + 2 * EDGE, down - EDGE);
    ssimcu_loss_least_across(down - EDGE, band->task->width, weight);
    return weight;
}

static double sum_of(const double *row, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += row[i];
    return sum;
}

/* Computes 1 - SSIM and the derivatives of a row of windows. */
static void make_windows(struct ssimcu_loss_band *band, int y)
{
    const int wide = band->task->width + 2 * EDGE, first = first_window(band->task);
    const int count = ssimcu_ssim_positions(band->task->width, band->task->zero_pad);
    const double *s[SSIMCU_TAPS], *d[SSIMCU_TAPS], *const weight = window_weights(band, y) + first;
    double *down[MEANS], *mean[MEANS], *const lost = row_at(band, ROW_LOST) + first;
    rows_around(band, ROWS_S, y, s);
    rows_around(band, ROWS_D, y, d);
    for (int i = 0; i < MEANS; i++) {
        down[i] = row_at(band, ROWS_DOWN + i) - EDGE;
        mean[i] = row_at(band, ROWS_ACROSS + i) + first;
    }
    ssimcu_loss_down(s, wide, down[0]);
    ssimcu_loss_down(d, wide, down[1]);
    ssimcu_loss_down_squares(s, wide, down[2]);
    ssimcu_loss_down_squares(d, wide, down[3]);
    for (int i = 0; i < MEANS; i++) ssimcu_loss_across(down[i] + first, count, mean[i]);
    ssimcu_loss_windows(mean[0], mean[1], mean[2], mean[3], count, lost);
    multiply(lost, weight, count);
    for (int i = 0; i < MEANS && has_gradient(band->task); i++) {
        double *const by = ring_at(band, ROWS_BY + i * RING, y) + first;
        memcpy(by, mean[i], (size_t)count * sizeof *by);
        multiply(by, weight, count);
    }
    if (y >= band->first && y < band->end) band->sums.windows += sum_of(lost, count);
}

/* Adds the pixels of a row. */
static void add_pixels(struct ssimcu_loss_band *band, int y)
{
    const double *const d = ring_at(band, ROWS_D, y), *weight = ring_at(band, ROWS_MASK, y);
    if (!ssimcu_loss_has_weights(band->task)) weight = row_at(band, ROW_WEIGHT);
    for (int x = 0; x < band->task->width; x++) {
        band->sums.absolute += weight[x] * (d[x] < 0 ? -d[x] : d[x]);
        band->sums.squares += weight[x] * (d[x] * d[x]);
    }
}

static void score_row(struct ssimcu_loss_band *band, int y)
{
    if (has_windows(band->task, y))
        make_windows(band, y);
    else
        for (int i = 0; i < MEANS; i++)
            fill(ring_at(band, ROWS_BY + i * RING, y), band->task->width, 0);
    if (y >= band->first && y < band->end) add_pixels(band, y);
}

/* ---- Gradients ------------------------------------------------------------------------------- */

/* Converts the sums over all windows around each pixel to the derivatives with respect to s and
 * d. */
static void join(const double part[3], const double *restrict s, const double *restrict d,
                 const double *restrict weight, const double *restrict by_ss,
                 const double *restrict by_dd, int count, double *restrict by_s,
                 double *restrict by_d)
{
    for (int x = 0; x < count; x++) {
        const double sign = (double)(d[x] > 0) - (double)(d[x] < 0);
        by_s[x] = part[0] * (by_s[x] + s[x] * by_ss[x]);
        by_d[x] = part[0] * (by_d[x] + d[x] * by_dd[x]) +
                  weight[x] * (part[1] * sign + part[2] * 2 * d[x]);
    }
}

/* REF is added in both s and d, OUT is subtracted in d. Samples are divided by white, and so are
 * their derivatives. */
static void write_row(struct ssimcu_loss_band *band, int y, int side, const double *by_s,
                      const double *by_d)
{
    const struct ssimcu_loss_samples *const to = &band->task->gradient[side];
    double *const row = row_at(band, ROW_LOST);
    const double factor = 1 / to->white, turned = side == 0 ? factor : -factor;
    if (!to->data) return;
    for (int x = 0; x < band->task->width; x++) row[x] = factor * by_s[x] + turned * by_d[x];
    ssimcu_loss_write(to, ssimcu_loss_row(to, band->frame, band->channel, y), band->task->width,
                      row);
}

static void make_gradient(struct ssimcu_loss_band *band, int y)
{
    const struct ssimcu_loss_task *const task = band->task;
    const double *by[SSIMCU_TAPS], *const mask = ring_at(band, ROWS_MASK, y);
    double *sum[MEANS];
    for (int i = 0; i < MEANS; i++) {
        double *const down = row_at(band, ROWS_DOWN + i) - EDGE;
        sum[i] = row_at(band, ROWS_ACROSS + i);
        rows_around(band, ROWS_BY + i * RING, y, by);
        ssimcu_loss_down(by, task->width + 2 * EDGE, down);
        ssimcu_loss_across(down, task->width, sum[i]);
    }
    join(band->part, ring_at(band, ROWS_S, y), ring_at(band, ROWS_D, y),
         ssimcu_loss_has_weights(task) ? mask : row_at(band, ROW_WEIGHT), sum[2], sum[3],
         task->width, sum[0], sum[1]);
    for (int i = 0; i < 2 && task->mask.data && !ssimcu_loss_has_weights(task); i++)
        multiply(sum[i], mask, task->width);
    for (int side = 0; side < 2; side++) write_row(band, y, side, sum[0], sum[1]);
}

/* ---- Bands ----------------------------------------------------------------------------------- */

void ssimcu_loss_band_make(struct ssimcu_loss_band *band)
{
    const int gradient = has_gradient(band->task), before = gradient ? 2 * EDGE : EDGE;
    for (int y = band->first - before; y < band->end + before; y++) {
        read_mask(band, y);
        read_row(band, y);
        const int windows = y - EDGE, done = y - 2 * EDGE;
        if (windows >= band->first - before + EDGE) score_row(band, windows);
        if (gradient && done >= band->first) make_gradient(band, done);
    }
}

void ssimcu_loss_band_count(struct ssimcu_loss_band *band)
{
    const int first = first_window(band->task), width = band->task->width;
    for (int y = band->first - EDGE; y < band->end + EDGE; y++) {
        const int centre = y - EDGE;
        read_mask(band, y);
        if (centre < band->first) continue;
        band->sums.absolute += sum_of(ring_at(band, ROWS_MASK, centre), width);
        if (has_windows(band->task, centre))
            band->sums.windows += sum_of(window_weights(band, centre) + first, width - 2 * first);
    }
}

/* Edges are 0 and stay so, like derivatives without a window. Edges of the mask are 1. */
void ssimcu_loss_band_clear(struct ssimcu_loss_band *band)
{
    const size_t stride = band->stride = stride_of(band->task);
    memset(band->memory, 0, ROWS * stride * sizeof *band->memory);
    for (int i = 0; i < RING; i++) fill(band->memory + (ROWS_MASK + i) * stride, (int)stride, 1);
    fill(band->memory + ROW_WEIGHT * stride, (int)stride, 1);
}
