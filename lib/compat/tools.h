/* The tools' functions for compat.c, which has checked the pictures. Each fills channel[] and
 * returns non-zero if memory runs out. */
#pragma once

#include "compat.h"

/* Two pictures whose planes have the same sizes and bits. */
struct ssimcu_compat_pair {
    const struct ssimcu_compat_picture *ref, *out;
    double peak;
};

typedef int ssimcu_compat_tool(const struct ssimcu_compat_pair *pair, double *score,
                               double channel[3]);

ssimcu_compat_tool ssimcu_compat_ffmpeg_ssim;
ssimcu_compat_tool ssimcu_compat_ffmpeg_psnr;
ssimcu_compat_tool ssimcu_compat_vmaf_ssim;
ssimcu_compat_tool ssimcu_compat_vmaf_ms_ssim;
ssimcu_compat_tool ssimcu_compat_fused_ssim;
ssimcu_compat_tool ssimcu_compat_ssimulacra2;

/* ---- What several tools share -----------------------------------------------------------------
 */

/* A plane of both pictures. */
struct ssimcu_compat_plane {
    const double *ref, *out;
    uint32_t width, height;
};

/* Returns one plane of a pair. */
static inline struct ssimcu_compat_plane
ssimcu_compat_plane_of(const struct ssimcu_compat_pair *pair, uint32_t index)
{
    return (struct ssimcu_compat_plane){pair->ref->plane[index], pair->out->plane[index],
                                        pair->ref->width[index], pair->ref->height[index]};
}

/* Returns the sample that represents position `at` in a picture mirrored at its borders, with the
 * outermost samples doubled. `at` is less than `size` beyond a border. */
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
