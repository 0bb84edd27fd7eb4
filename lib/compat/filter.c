/* The mean of an SSIM map, one row of windows after the other: first down the window's columns,
 * then along the rows. So memory is a few rows, whatever the picture's height is. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOMENTS = 5 }; /* means of ref, out, ref^2, out^2, ref * out */

struct rows {
    double *down[MOMENTS];  /* width + 2 pad: what columns add up to; zeros in the pad */
    double *whole[MOMENTS]; /* one for each window */
};

struct ssimcu_compat_plane ssimcu_compat_plane_of(const struct ssimcu_compat_pair *pair,
                                                  uint32_t index)
{
    return (struct ssimcu_compat_plane){pair->ref->plane[index], pair->out->plane[index],
                                        pair->ref->width[index], pair->ref->height[index]};
}

void ssimcu_compat_gaussian(double tap[SSIMCU_COMPAT_GAUSSIAN])
{
    double sum = 0;
    for (int i = 0; i < SSIMCU_COMPAT_GAUSSIAN; i++) {
        const double x = i - SSIMCU_COMPAT_GAUSSIAN / 2;
        tap[i] = exp(-x * x / (2 * 1.5 * 1.5));
        sum += tap[i];
    }
    for (int i = 0; i < SSIMCU_COMPAT_GAUSSIAN; i++) tap[i] /= sum;
}

/* Adds a row of the pictures to the sums down the columns. */
static void add_row(const struct rows *rows, const struct ssimcu_compat_plane *plane, uint32_t y,
                    const struct ssimcu_compat_window *window, double tap)
{
    const double *ref = plane->ref + (size_t)y * plane->width;
    const double *out = plane->out + (size_t)y * plane->width;
    double *sum[MOMENTS];
    for (int i = 0; i < MOMENTS; i++) sum[i] = rows->down[i] + window->pad;
    for (uint32_t x = 0; x < plane->width; x++) {
        const double a = ref[x] / window->unit, b = out[x] / window->unit;
        sum[0][x] += tap * a;
        sum[1][x] += tap * b;
        sum[2][x] += tap * (a * a);
        sum[3][x] += tap * (b * b);
        sum[4][x] += tap * (a * b);
    }
}

/* Computes the moments of a row of windows, whose first row is the picture's row y - pad. */
static void fill_rows(const struct rows *rows, const struct ssimcu_compat_plane *plane, uint32_t y,
                      const struct ssimcu_compat_window *window, uint32_t across)
{
    const size_t wide = (size_t)plane->width + 2 * window->pad;
    for (int i = 0; i < MOMENTS; i++) memset(rows->down[i], 0, wide * sizeof *rows->down[i]);
    for (uint32_t k = 0; k < window->size; k++) {
        const uint32_t at = y + k - window->pad; /* wraps above the picture */
        if (at < plane->height) add_row(rows, plane, at, window, window->tap[k]);
    }
    for (int i = 0; i < MOMENTS; i++) {
        memset(rows->whole[i], 0, across * sizeof *rows->whole[i]);
        for (uint32_t k = 0; k < window->size; k++)
            for (uint32_t x = 0; x < across; x++)
                rows->whole[i][x] += window->tap[k] * rows->down[i][x + k];
    }
}

/* Adds up the SSIM of a row of windows. */
static double sum_row(const struct rows *rows, const struct ssimcu_compat_window *window,
                      uint32_t across)
{
    const double c1 = pow(0.01 * window->peak, 2), c2 = pow(0.03 * window->peak, 2);
    double *const *m = rows->whole, sum = 0;
    for (uint32_t x = 0; x < across; x++) {
        const double a = m[0][x], b = m[1][x];
        const double aa = window->unbias * (m[2][x] - a * a);
        const double bb = window->unbias * (m[3][x] - b * b);
        const double ab = window->unbias * (m[4][x] - a * b);
        sum += (2 * a * b + c1) / (a * a + b * b + c1) * ((2 * ab + c2) / (aa + bb + c2));
    }
    return sum;
}

int ssimcu_compat_mean_ssim(const struct ssimcu_compat_plane *plane,
                            const struct ssimcu_compat_window *window, double *mean)
{
    const uint32_t lost = window->size - 1 - 2 * window->pad;
    const uint32_t across = plane->width - lost, down = plane->height - lost;
    const size_t wide = (size_t)plane->width + 2 * window->pad;
    double *memory = malloc(2 * MOMENTS * wide * sizeof *memory), sum = 0;
    if (!memory) return 1;
    struct rows rows;
    for (int i = 0; i < MOMENTS; i++) {
        rows.down[i] = memory + (size_t)(2 * i) * wide;
        rows.whole[i] = memory + (size_t)(2 * i + 1) * wide;
    }
    for (uint32_t y = 0; y < down; y++) {
        fill_rows(&rows, plane, y, window, across);
        sum += sum_row(&rows, window, across);
    }
    free(memory);
    *mean = sum / ((double)across * down);
    return 0;
}

int ssimcu_compat_mean_planes(const struct ssimcu_compat_pair *pair,
                              const struct ssimcu_compat_window *window,
                              ssimcu_compat_mean *mean_of, double *score, double channel[3])
{
    double sum = 0;
    for (uint32_t i = 0; i < pair->ref->planes; i++) {
        const struct ssimcu_compat_plane plane = ssimcu_compat_plane_of(pair, i);
        if (mean_of(&plane, window, &channel[i])) return 1;
        sum += channel[i];
    }
    *score = sum / pair->ref->planes;
    return 0;
}
