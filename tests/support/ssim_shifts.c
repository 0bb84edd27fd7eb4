/* Shifts of tiles, window by window, in double. */
#include "ssim_reference.h"

#include "core/contract.h"

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
