/* The yardstick of every other code path, in double: the tests and the benchmarks hold the
 * library against it. oracle.c, which is simpler still, holds it against the contract's text. */
#ifndef SSIMCU_TEST_SSIM_REFERENCE_H
#define SSIMCU_TEST_SSIM_REFERENCE_H

#include "core/pixel.h"
#include "ssimcu.h"

/* Converts interleaved samples to float planes, planes and rows without padding. */
void reference_planes(const struct ssimcu_pixel_rule *rule, const ssimcu_frame *frame,
                      float *planes);

/* Scores one such plane by SSIM. `white` is in units of the planes. Adds 1 - SSIM over all window
 * positions to *sum; writes the map unless it is NULL. Returns 0, or -1 when out of memory. */
int reference_ssim(const float *ref, const float *out, uint32_t width, uint32_t height,
                   int zero_pad, double white, double *sum, float *map);

/* Scores frames of 8 or 16 bits without alpha, in RGB, as the pipeline does: samples of 8 bits are
 * widened beside others. Sets the mean SSIM and writes the map, all channels. Returns 0, or -1 when
 * out of memory. */
int reference_score(const ssimcu_frame *ref, const ssimcu_frame *out, int zero_pad, double *score,
                    float *map);

/* Makes scores per tile out of a map, window by window as ssimcu.h defines them, in
 * score[rows][columns]. windows[rows][columns] gets how many windows of one channel each tile
 * has. */
void reference_tiles(const ssimcu_map *map, const ssimcu_tiles *tiles, double *score,
                     double *windows);

/* Makes the shifts of tiles of frames of 8 or 16 bits without alpha, in RGB, as ssimcu.h defines
 * them, in shift[channels][rows][columns]. Returns 0, or -1 when out of memory. */
int reference_shifts(const ssimcu_frame *ref, const ssimcu_frame *out, int zero_pad,
                     const ssimcu_tiles *tiles, double *shift);

/* Likewise makes their features, in feature[SSIMCU_FEATURES][channels][rows][columns]. */
int reference_features(const ssimcu_frame *ref, const ssimcu_frame *out, int zero_pad,
                       const ssimcu_tiles *tiles, double *feature);

#endif
