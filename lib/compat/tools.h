/* What the tools' files offer to compat.c, which has checked the pictures. Each function fills
 * channel[] and returns non-zero if memory ran out. */
#ifndef SSIMCU_COMPAT_TOOLS_H
#define SSIMCU_COMPAT_TOOLS_H

#include "compat.h"

/* Two pictures of one form: their planes have the same sizes and bits. */
struct ssimcu_compat_pair {
    const struct ssimcu_compat_picture *ref, *out;
    double peak;
};

typedef int ssimcu_compat_tool(const struct ssimcu_compat_pair *pair, double *score,
                               double channel[3]);

ssimcu_compat_tool ssimcu_compat_skimage;
ssimcu_compat_tool ssimcu_compat_ffmpeg_ssim;
ssimcu_compat_tool ssimcu_compat_ffmpeg_psnr;
ssimcu_compat_tool ssimcu_compat_vmaf_ssim;
ssimcu_compat_tool ssimcu_compat_vmaf_ms_ssim;
ssimcu_compat_tool ssimcu_compat_ssim_m;
ssimcu_compat_tool ssimcu_compat_fused_ssim;
ssimcu_compat_tool ssimcu_compat_ssimulacra2;

/* ---- What several tools share (filter.c) ------------------------------------------------------
 */

enum { SSIMCU_COMPAT_GAUSSIAN = 11 };

/* How a map of SSIM is made. */
struct ssimcu_compat_window {
    double tap[SSIMCU_COMPAT_GAUSSIAN]; /* of the separable window */
    uint32_t size;                      /* how many taps */
    uint32_t pad;                       /* zeros on each side of the picture */
    double unit;                        /* what samples are divided by */
    double peak;                        /* L, in the same unit */
    double unbias;                      /* factor of variances and covariance */
};

/* A plane of both pictures. */
struct ssimcu_compat_plane {
    const double *ref, *out;
    uint32_t width, height;
};

/* Returns one plane of a pair. */
struct ssimcu_compat_plane ssimcu_compat_plane_of(const struct ssimcu_compat_pair *pair,
                                                  uint32_t index);

/* Fills in the Gaussian of sigma 1.5, normalised. */
void ssimcu_compat_gaussian(double tap[SSIMCU_COMPAT_GAUSSIAN]);

/* Computes the mean of the map of a plane over all positions of the window. Returns non-zero if
 * memory ran out. */
typedef int ssimcu_compat_mean(const struct ssimcu_compat_plane *plane,
                               const struct ssimcu_compat_window *window, double *mean);
ssimcu_compat_mean ssimcu_compat_mean_ssim;

/* Computes the mean of each plane's map, and the mean of those. Returns non-zero if memory ran
 * out. */
int ssimcu_compat_mean_planes(const struct ssimcu_compat_pair *pair,
                              const struct ssimcu_compat_window *window,
                              ssimcu_compat_mean *mean_of, double *score, double channel[3]);

/* Returns where a picture that is mirrored at its borders, whose outermost samples are doubled,
 * has its sample `at`, which is less than `size` beyond a border. */
static inline uint32_t ssimcu_compat_mirror(int64_t at, uint32_t size)
{
    if (at < 0) return (uint32_t)(-1 - at);
    return (uint32_t)(at < size ? at : 2 * (int64_t)size - 1 - at);
}

/* Returns the factor by which a picture shrinks so that its smaller side is about 256 samples. */
static inline uint32_t ssimcu_compat_shrink(uint32_t width, uint32_t height)
{
    const uint32_t factor = ((width < height ? width : height) + 128) / 256;
    return factor > 1 ? factor : 1;
}

#endif
