/* fused-ssim with its padding "same": the mean of a map with a window for each pixel and zeros
 * around the picture. It processes one row of windows at a time: first down the columns, then along
 * the rows. So it needs memory for a few rows, whatever the picture's height. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    TAPS = 11,
    PAD = TAPS / 2,
    MOMENTS = 5 /* means of ref, out, ref^2, out^2, ref * out */
};

struct rows {
    double *down[MOMENTS];  /* width + 2 PAD sums down the columns; zeros in the pad */
    double *whole[MOMENTS]; /* one per window */
};

/* Fills in the Gaussian of sigma 1.5, normalised. */
static void fill_taps(double tap[TAPS])
{
    double sum = 0;
    for (int i = 0; i < TAPS; i++) {
        const double x = i - TAPS / 2;
        tap[i] = exp(-x * x / (2 * 1.5 * 1.5));
        sum += tap[i];
    }
    for (int i = 0; i < TAPS; i++) tap[i] /= sum;
}

/* Adds a row of the pictures to the sums down the columns. */
static void add_row(const struct rows *rows, const struct ssimcu_compat_plane *plane, uint32_t y,
                    double peak, double tap)
{
    const double *ref = plane->ref + (size_t)y * plane->width;
    const double *out = plane->out + (size_t)y * plane->width;
    double *sum[MOMENTS];
    for (int i = 0; i < MOMENTS; i++) sum[i] = rows->down[i] + PAD;
    for (uint32_t x = 0; x < plane->width; x++) {
        const double a = ref[x] / peak, b = out[x] / peak;
        sum[0][x] += tap * a;
        sum[1][x] += tap * b;
        sum[2][x] += tap * (a * a);
        sum[3][x] += tap * (b * b);
        sum[4][x] += tap * (a * b);
    }
}

/* Computes the moments of a row of windows that starts at the picture's row y - PAD. */
static void fill_rows(const struct rows *rows, const struct ssimcu_compat_plane *plane, uint32_t y,
                      const double tap[TAPS], double peak)
{
    const size_t wide = (size_t)plane->width + 2 * PAD;
    for (int i = 0; i < MOMENTS; i++) memset(rows->down[i], 0, wide * sizeof *rows->down[i]);
    for (uint32_t k = 0; k < TAPS; k++) {
        const uint32_t at = y + k - PAD; /* wraps above the picture */
        if (at < plane->height) add_row(rows, plane, at, peak, tap[k]);
    }
    for (int i = 0; i < MOMENTS; i++) {
        memset(rows->whole[i], 0, plane->width * sizeof *rows->whole[i]);
        for (uint32_t k = 0; k < TAPS; k++)
            for (uint32_t x = 0; x < plane->width; x++)
                rows->whole[i][x] += tap[k] * rows->down[i][x + k];
    }
}

/* Adds up the SSIM of a row of windows. */
static double sum_row(const struct rows *rows, uint32_t across)
{
    const double c1 = pow(0.01, 2), c2 = pow(0.03, 2);
    double *const *m = rows->whole, sum = 0;
    for (uint32_t x = 0; x < across; x++) {
        const double a = m[0][x], b = m[1][x];
        const double aa = m[2][x] - a * a;
        const double bb = m[3][x] - b * b;
        const double ab = m[4][x] - a * b;
        sum += (2 * a * b + c1) / (a * a + b * b + c1) * ((2 * ab + c2) / (aa + bb + c2));
    }
    return sum;
}

/* Computes the mean of a plane's map. Returns non-zero if memory ran out. */
static int mean_ssim(const struct ssimcu_compat_plane *plane, const double tap[TAPS], double peak,
                     double *mean)
{
    const size_t wide = (size_t)plane->width + 2 * PAD;
    double *memory = malloc(2 * MOMENTS * wide * sizeof *memory), sum = 0;
    if (!memory) return 1;
    struct rows rows;
    for (int i = 0; i < MOMENTS; i++) {
        rows.down[i] = memory + (size_t)(2 * i) * wide;
        rows.whole[i] = memory + (size_t)(2 * i + 1) * wide;
    }
    for (uint32_t y = 0; y < plane->height; y++) {
        fill_rows(&rows, plane, y, tap, peak);
        sum += sum_row(&rows, plane->width);
    }
    free(memory);
    *mean = sum / ((double)plane->width * plane->height);
    return 0;
}

int ssimcu_compat_fused_ssim(const struct ssimcu_compat_pair *pair, double *score,
                             double channel[3])
{
    double tap[TAPS], sum = 0;
    fill_taps(tap);
    for (uint32_t i = 0; i < pair->ref->planes; i++) {
        const struct ssimcu_compat_plane plane = ssimcu_compat_plane_of(pair, i);
        if (mean_ssim(&plane, tap, pair->peak, &channel[i])) return 1;
        sum += channel[i];
    }
    *score = sum / pair->ref->planes;
    return 0;
}
