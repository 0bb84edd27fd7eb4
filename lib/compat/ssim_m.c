/* ssim.m: pictures are averaged over boxes before they are compared. */
#include "tools.h"

#include <stdlib.h>

/* Averages the box of each sample that is kept. The border is mirrored. A box of even size reaches
 * one sample further to the right and down, as imfilter's do. */
static void shrink(const double *src, uint32_t width, uint32_t height, uint32_t factor, double *dst)
{
    const int64_t before = (factor + 1) / 2 - 1;
    for (uint32_t y = 0; y < height; y += factor)
        for (uint32_t x = 0; x < width; x += factor) {
            double sum = 0;
            for (uint32_t v = 0; v < factor; v++) {
                const uint32_t row = ssimcu_compat_mirror(y + v - before, height);
                for (uint32_t u = 0; u < factor; u++)
                    sum += src[(size_t)row * width + ssimcu_compat_mirror(x + u - before, width)];
            }
            *dst++ = sum / ((double)factor * factor);
        }
}

static int score_plane(const struct ssimcu_compat_plane *plane,
                       const struct ssimcu_compat_window *window, double *score)
{
    const uint32_t factor = ssimcu_compat_shrink(plane->width, plane->height);
    if (factor == 1) return ssimcu_compat_mean_ssim(plane, window, score);
    const uint32_t width = (plane->width + factor - 1) / factor;
    const uint32_t height = (plane->height + factor - 1) / factor;
    double *memory = malloc(2 * (size_t)width * height * sizeof *memory);
    if (!memory) return 1;
    double *ref = memory, *out = memory + (size_t)width * height;
    shrink(plane->ref, plane->width, plane->height, factor, ref);
    shrink(plane->out, plane->width, plane->height, factor, out);
    const struct ssimcu_compat_plane small = {ref, out, width, height};
    const int failed = ssimcu_compat_mean_ssim(&small, window, score);
    free(memory);
    return failed;
}

int ssimcu_compat_ssim_m(const struct ssimcu_compat_pair *pair, double *score, double channel[3])
{
    struct ssimcu_compat_window window = {
        .size = SSIMCU_COMPAT_GAUSSIAN, .unit = 1, .peak = pair->peak, .unbias = 1};
    ssimcu_compat_gaussian(window.tap);
    return ssimcu_compat_mean_planes(pair, &window, score_plane, score, channel);
}
