/* The numbers that other tools print. A mode is a tool. It computes the tool's metric as the tool
 * does, with its windows, its constants and, if they show in its digits, its roundings. The sources
 * are the tools' own; tests/compat/check.py runs them and compares.
 *
 *   - SKIMAGE: structural_similarity of scikit-image with its defaults and data_range = the peak.
 *     The window is a 7 x 7 box, with sample covariance. The score is the mean of the channels.
 *   - FFMPEG: FFmpeg's filters ssim and psnr, for 8 to 16 bits. They score each plane. The score is
 *     ssim's All, the mean by area, or psnr's average, of the mean square error by area.
 *     The assembler of FFmpeg 5.1 for x86 counts a window beyond the right edge in planes of 8 bits
 *     whose width is 8 to 11 above a multiple of 16. This mode does not, like FFmpeg's C code and
 *     like FFmpeg 9.
 *   - VMAF: float_ssim and float_ms_ssim of libvmaf, for 8 to 16 bits. They score the first plane
 *     alone, which should be luma.
 *   - SSIM_M: ssim.m of Wang, 2009, L = the peak. It first shrinks pictures whose smaller side is
 *     384 or more. The score is the mean of the channels.
 *   - FUSED_SSIM: fused-ssim with padding "same": an 11 x 11 Gaussian over samples / peak, L = 1,
 *     zeros outside, one window per pixel. The score is the mean of the channels.
 *   - SSIMULACRA2: its authors' program, version 2.1, on a CPU with fused multiply-add. It blurs by
 *     a recursion in float, which strays from the definition.
 *
 * Everything runs on the calling thread. Nothing is shared between calls. */
#ifndef SSIMCU_COMPAT_H
#define SSIMCU_COMPAT_H

#include "ssimcu.h"

enum ssimcu_compat_mode {
    SSIMCU_COMPAT_SKIMAGE,
    SSIMCU_COMPAT_FFMPEG,
    SSIMCU_COMPAT_VMAF,
    SSIMCU_COMPAT_SSIM_M,
    SSIMCU_COMPAT_FUSED_SSIM,
    SSIMCU_COMPAT_SSIMULACRA2,
    SSIMCU_COMPAT_MODES /* how many there are */
};

enum ssimcu_compat_metric {
    SSIMCU_COMPAT_SSIM = 0,
    SSIMCU_COMPAT_PSNR = 1, /* dB; infinite for identical pictures */
    SSIMCU_COMPAT_MS_SSIM = 2,
    SSIMCU_COMPAT_METRIC_SSIMULACRA2 = 3
};

/* A picture as planes of code values, row after row without padding: Y, U, V or R, G, B, or one
 * plane alone. Planes may differ in size. SSIMULACRA2 wants sRGB and takes one plane as grey. The
 * caller owns the planes. */
struct ssimcu_compat_picture {
    uint32_t width[3], height[3]; /* of each plane, 1 to 2^24 - 1 */
    uint32_t planes;              /* 1 or 3 */
    uint32_t bits;                /* 8 to 16: the peak is 2^bits - 1; 0: floats whose white is 1 */
    const double *plane[3];
};

/* Returns the tool's name, such as "ssim.m", or NULL for an unknown mode. */
const char *ssimcu_compat_name(enum ssimcu_compat_mode mode);

/* Returns the mode of that name, or SSIMCU_COMPAT_MODES if there is none. */
enum ssimcu_compat_mode ssimcu_compat_find(const char *name);

/* Returns non-zero if the mode has the metric. */
int ssimcu_compat_has(enum ssimcu_compat_mode mode, enum ssimcu_compat_metric metric);

/* Scores `out` against `ref`. channel[] gets the planes' scores, and 0 for those that the tool does
 * not score or has no number of. A score is infinite or NaN if the tool's is: PSNR of identical
 * pictures, and libvmaf's MS-SSIM if a scale's structure is below 0 on average.
 * Errors: ARGUMENT, MISMATCH, TOO_SMALL (the tool cannot score pictures that small), UNSUPPORTED
 * (the mode lacks the metric, or the tool does not take floats), MEMORY. */
ssimcu_status ssimcu_compat_score(enum ssimcu_compat_mode mode, enum ssimcu_compat_metric metric,
                                  const struct ssimcu_compat_picture *ref,
                                  const struct ssimcu_compat_picture *out, double *score,
                                  double channel[3], ssimcu_message *message);

#endif
