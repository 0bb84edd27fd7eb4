/* Shifts and features of tiles, window by window, in double. Features are made by the text of
 * ssimcu_feature: from variances of REF and of OUT, not of their sum and difference, under every
 * other window across and down, the sums' in every fourth row. */
#include "ssim_reference.h"

#include "core/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double GAUSSIAN[SSIMCU_TAPS] = SSIMCU_GAUSSIAN;

static double level(const ssimcu_frame *frame, int64_t x, int64_t y, uint32_t c)
{
    if (x < 0 || y < 0 || x >= (int64_t)frame->width || y >= (int64_t)frame->height) return 0;
    const char *row = (const char *)frame->data + (size_t)y * frame->pitch;
    const size_t i = (size_t)x * frame->channels + c;
    return frame->bits == 8 ? ((const uint8_t *)row)[i]
                            : ((const uint16_t *)row)[i] * 255 / 65535.0;
}

/* Returns the weighted mean of OUT minus REF along a row, from column x on. */
static double blur_row(const ssimcu_frame *ref, const ssimcu_frame *out, int64_t x, int64_t y,
                       uint32_t c)
{
    double sum = 0;
    for (int k = 0; k < SSIMCU_TAPS; k++)
        sum += GAUSSIAN[k] * (level(out, x + k, y, c) - level(ref, x + k, y, c));
    return sum;
}

/* Adds the windows of channel c to the tiles' sums, and counts them. */
static int add_channel(const ssimcu_frame *ref, const ssimcu_frame *out, int64_t pad,
                       const ssimcu_tiles *tiles, uint32_t c, double *sum, double *windows)
{
    const int64_t across = ref->width + 2 * pad - 10, down = ref->height + 2 * pad - 10;
    const int64_t rows = down + 10, border = SSIMCU_RADIUS - pad;
    double *blurred = malloc((size_t)(rows * across) * sizeof *blurred);
    if (!blurred) return -1;
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < across; x++)
            blurred[y * across + x] = blur_row(ref, out, x - pad, y - pad, c);
    for (int64_t y = 0; y < down; y++)
        for (int64_t x = 0; x < across; x++) {
            const size_t tile = (size_t)((y + border) / tiles->height * tiles->columns +
                                         (x + border) / tiles->width);
            for (int k = 0; k < SSIMCU_TAPS; k++)
                sum[tile] += GAUSSIAN[k] * blurred[(y + k) * across + x];
            windows[tile]++;
        }
    free(blurred);
    return 0;
}

int reference_shifts(const ssimcu_frame *ref, const ssimcu_frame *out, int zero_pad,
                     const ssimcu_tiles *tiles, double *shift)
{
    const size_t count = (size_t)tiles->columns * tiles->rows;
    double *windows = malloc(count * sizeof *windows);
    int failed = !windows;
    memset(shift, 0, count * ref->channels * sizeof *shift);
    for (uint32_t c = 0; c < ref->channels && !failed; c++) {
        double *own = shift + c * count;
        memset(windows, 0, count * sizeof *windows);
        failed = add_channel(ref, out, zero_pad ? SSIMCU_RADIUS : 0, tiles, c, own, windows) != 0;
        for (size_t i = 0; i < count; i++) own[i] /= windows[i];
    }
    free(windows);
    return failed ? -1 : 0;
}

/* ---- Features -------------------------------------------------------------------------------- */

/* What a window shows: means and variances of REF, OUT and OUT - REF. */
struct window {
    double mean[3], variance[3];
};

static struct window look(const ssimcu_frame *ref, const ssimcu_frame *out, int64_t x, int64_t y,
                          uint32_t c)
{
    struct window window = {{0}, {0}};
    double square[3] = {0};
    for (int j = 0; j < SSIMCU_TAPS; j++)
        for (int i = 0; i < SSIMCU_TAPS; i++) {
            const double weight = GAUSSIAN[i] * GAUSSIAN[j];
            const double a = level(ref, x + i, y + j, c), b = level(out, x + i, y + j, c);
            const double value[3] = {a, b, b - a};
            for (int k = 0; k < 3; k++) {
                window.mean[k] += weight * value[k];
                square[k] += weight * value[k] * value[k];
            }
        }
    for (int k = 0; k < 3; k++)
        window.variance[k] = fmax(square[k] - window.mean[k] * window.mean[k], 0);
    return window;
}

/* Takes a window into the features of its tile, `step` apart. `sum` is the one for which its row
 * counts. */
static void take(const struct window *window, ssimcu_feature sum, double *feature, size_t step)
{
    const double mean = window->mean[2], deviation = sqrt(window->variance[2]);
    double *const bright = &feature[SSIMCU_FEATURE_BRIGHT * step],
                  *const dark = &feature[SSIMCU_FEATURE_DARK * step];
    if (sum == SSIMCU_FEATURE_DIFFERENCE) feature[sum * step] += fabs(mean);
    if (sum == SSIMCU_FEATURE_TEXTURE)
        feature[sum * step] += window->variance[0] + window->variance[1];
    if (mean > 0) *bright = fmax(*bright, deviation);
    if (mean < 0) *dark = fmax(*dark, deviation);
}

int reference_features(const ssimcu_frame *ref, const ssimcu_frame *out, int zero_pad,
                       const ssimcu_tiles *tiles, double *feature)
{
    const size_t count = (size_t)tiles->columns * tiles->rows, step = count * ref->channels;
    const int64_t pad = zero_pad ? SSIMCU_RADIUS : 0, border = SSIMCU_RADIUS - pad;
    const int64_t across = ref->width + 2 * pad - 10, down = ref->height + 2 * pad - 10;
    double *const windows = calloc(2 * step, sizeof *windows); /* for each sum */
    if (!windows) return -1;
    memset(feature, 0, SSIMCU_FEATURES * step * sizeof *feature);
    for (uint32_t c = 0; c < ref->channels; c++)
        for (int64_t y = 0; y < down; y += 2) {
            const ssimcu_feature sum =
                y % 4 == 0 ? SSIMCU_FEATURE_DIFFERENCE : SSIMCU_FEATURE_TEXTURE;
            for (int64_t x = 0; x < across; x += 2) {
                const size_t tile =
                    c * count + (size_t)((y + border) / tiles->height * tiles->columns +
                                         (x + border) / tiles->width);
                const struct window window = look(ref, out, x - pad, y - pad, c);
                take(&window, sum, feature + tile, step);
                windows[sum * step + tile]++;
            }
        }
    for (size_t i = 0; i < step; i++) {
        double *const difference = &feature[SSIMCU_FEATURE_DIFFERENCE * step + i],
                      *const texture = &feature[SSIMCU_FEATURE_TEXTURE * step + i];
        *difference /= fmax(windows[SSIMCU_FEATURE_DIFFERENCE * step + i], 1);
        *texture = sqrt(*texture / fmax(windows[SSIMCU_FEATURE_TEXTURE * step + i], 1));
    }
    free(windows);
    return 0;
}
