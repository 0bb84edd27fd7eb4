/* The CPU's stages, as backend_cpu.c binds them and the tests call them. */
#ifndef SSIMCU_CPU_H
#define SSIMCU_CPU_H

#include "backend.h"

/* Moves elements as the plan says, any path. Source and destination must not overlap. */
void ssimcu_permute_cpu(const struct ssimcu_permute_plan *plan, struct ssimcu_threads *threads,
                        void *dst, const void *src);

/* Interleaved samples -> float planes in 8-bit units, planes and rows without padding. */
void ssimcu_planes_cpu(const struct ssimcu_pixel_rule *rule, const ssimcu_frame *frame,
                       float *planes);

/* A map without padding -> the means of the tiles of the plan's grid. */
void ssimcu_tile_means_cpu(const struct ssimcu_plan *plan, const float *map,
                           struct ssimcu_threads *threads, double *means);

/* The reference: SSIM of one plane in double, as the paper writes it. Adds 1 - SSIM over all window
 * positions to *sum; writes the map unless it is NULL. Returns 0, or -1 when out of memory. */
int ssimcu_ssim_reference(const float *ref, const float *out, uint32_t width, uint32_t height,
                          int zero_pad, double *sum, float *map);

#endif
