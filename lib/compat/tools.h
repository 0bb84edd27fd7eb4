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

#endif
