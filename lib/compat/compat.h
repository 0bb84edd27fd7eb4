/* Reproduces the scores of other tools. A mode is a tool. It computes the tool's metric with the
 * tool's windows, constants and, if they affect the printed digits, roundings. It follows the
 * tools' sources; tests/compat/check.py runs the tools and compares.
 *
 * Everything runs on the calling thread. Nothing is shared between calls. */
#pragma once

#include "ssimcu.h"

enum { SSIMCU_COMPAT_MODES = SSIMCU_COMPAT_SSIMULACRA2 + 1 };

/* A picture as planes of code values, row after row without padding: Y, U, V or R, G, B, or a
 * single plane. Planes may differ in size. SSIMULACRA2 needs sRGB and takes one plane as grey. The
 * caller owns the planes. */
struct ssimcu_compat_picture {
    uint32_t width[3], height[3]; /* size of each plane, 1 to 2^24 - 1 */
    uint32_t planes;              /* 1 or 3 */
    uint32_t bits;                /* 8 to 16, with a peak of 2^bits - 1; 0: floats whose white is
                                     1 */
    const double *plane[3];
};

/* Returns non-zero if the mode has the metric. */
int ssimcu_compat_has(ssimcu_compat mode, ssimcu_metric metric);

/* Scores `out` against `ref`. Both have the same number of planes, with the same sizes and bits.
 * channel[] gets the planes' scores, and 0 for planes that the tool does not score or report. A
 * score is infinite or NaN if the tool's is: PSNR of identical pictures, and libvmaf's MS-SSIM if a
 * scale's mean structure is negative. Errors: ARGUMENT (planes or bits), TOO_SMALL (the tool cannot
 * score pictures that small), UNSUPPORTED (the mode lacks the metric, or the tool does not take
 * floats), MEMORY. */
ssimcu_status ssimcu_compat_score(ssimcu_compat mode, ssimcu_metric metric,
                                  const struct ssimcu_compat_picture *ref,
                                  const struct ssimcu_compat_picture *out, double *score,
                                  double channel[3], ssimcu_message *message);
