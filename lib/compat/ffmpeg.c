/* FFmpeg's filters ssim and psnr. */
#include "tools.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 4 }; /* windows are 2 x 2 blocks and begin at every block */

struct sums {
    int64_t ref, out, squares, product;
};

/* Sums the samples of a row of blocks. */
static void sum_blocks(const struct ssimcu_compat_plane *plane, uint32_t row, struct sums *block)
{
    for (uint32_t i = 0; i < plane->width / BLOCK; i++) {
        struct sums sums = {0, 0, 0, 0};
        for (uint32_t y = 0; y < BLOCK; y++)
            for (uint32_t x = 0; x < BLOCK; x++) {
                const size_t at = (size_t)(row * BLOCK + y) * plane->width + i * BLOCK + x;
                const int64_t a = (int64_t)plane->ref[at], b = (int64_t)plane->out[at];
                sums.ref += a;
                sums.out += b;
                sums.squares += a * a + b * b;
                sums.product += a * b;
            }
        block[i] = sums;
    }
}

/* Computes the SSIM of 64 samples. Integers become floats where FFmpeg's do. */
static float window_ssim(const struct sums *above, const struct sums *below, int64_t c1, int64_t c2)
{
    const int64_t a = above[0].ref + above[1].ref + below[0].ref + below[1].ref;
    const int64_t b = above[0].out + above[1].out + below[0].out + below[1].out;
    const int64_t squares =
        above[0].squares + above[1].squares + below[0].squares + below[1].squares;
    const int64_t product =
        above[0].product + above[1].product + below[0].product + below[1].product;
    const int64_t variances = 64 * squares - a * a - b * b, covariance = 64 * product - a * b;
    return (float)(2 * a * b + c1) * (float)(2 * covariance + c2) /
           ((float)(a * a + b * b + c1) * (float)(variances + c2));
}

static int plane_ssim(const struct ssimcu_compat_plane *plane, double peak, double *score)
{
    const uint32_t across = plane->width / BLOCK, down = plane->height / BLOCK;
    const int64_t c1 = (int64_t)(0.01 * 0.01 * peak * peak * 64 + 0.5);
    const int64_t c2 = (int64_t)(0.03 * 0.03 * peak * peak * 64 * 63 + 0.5);
    struct sums *memory = malloc(2 * (size_t)across * sizeof *memory);
    if (!memory) return 1;
    double sum = 0;
    for (uint32_t y = 0; y < down; y++) {
        const struct sums *above = memory + (size_t)((y + 1) % 2) * across;
        struct sums *below = memory + (size_t)(y % 2) * across;
        sum_blocks(plane, y, below);
        for (uint32_t x = 0; y > 0 && x + 1 < across; x++)
            sum += window_ssim(above + x, below + x, c1, c2);
    }
    free(memory);
    *score = sum / ((double)(across - 1) * (down - 1));
    return 0;
}

int ssimcu_compat_ffmpeg_ssim(const struct ssimcu_compat_pair *pair, double *score,
                              double channel[3])
{
    double sum = 0, areas = 0;
    for (uint32_t i = 0; i < pair->ref->planes; i++) {
        const struct ssimcu_compat_plane plane = ssimcu_compat_plane_of(pair, i);
        const double area = (double)plane.width * plane.height;
        if (plane_ssim(&plane, pair->peak, &channel[i])) return 1;
        sum += channel[i] * area;
        areas += area;
    }
    *score = sum / areas;
    return 0;
}

/* Sums the squares of a plane's differences. The sums of rows are exact. */
static double sum_squares(const struct ssimcu_compat_plane *plane)
{
    double sum = 0;
    for (uint32_t y = 0; y < plane->height; y++) {
        const size_t row = (size_t)y * plane->width;
        double squares = 0;
        for (size_t at = row; at < row + plane->width; at++) {
            const double difference = plane->ref[at] - plane->out[at];
            squares += difference * difference;
        }
        sum += squares;
    }
    return sum;
}

int ssimcu_compat_ffmpeg_psnr(const struct ssimcu_compat_pair *pair, double *score,
                              double channel[3])
{
    const double square = pair->peak * pair->peak;
    double sum = 0, areas = 0;
    for (uint32_t i = 0; i < pair->ref->planes; i++) {
        const struct ssimcu_compat_plane plane = ssimcu_compat_plane_of(pair, i);
        const double area = (double)plane.width * plane.height, squares = sum_squares(&plane);
        channel[i] = 10 * log10(square * area / squares);
        sum += squares;
        areas += area;
    }
    *score = 10 * log10(square * areas / sum);
    return 0;
}
