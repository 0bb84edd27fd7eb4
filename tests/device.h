/* Running single kernels from a test. device_cuda.c where the build has CUDA, else device_stub.c.
 */
#ifndef SSIMCU_TEST_DEVICE_H
#define SSIMCU_TEST_DEVICE_H

#include "core/permute_plan.h"
#include "core/pixel.h"
#include "ssimcu.h"

#include <stddef.h>

/* Executes the plan on the backend: from src + src_offset to dst + dst_offset. All dst_bytes of
 * dst, poison included, go to the device and come back. */
void device_permute(ssimcu_device device, const struct ssimcu_permute_plan *plan, uint8_t *dst,
                    size_t dst_bytes, size_t dst_offset, const uint8_t *src, size_t src_bytes,
                    size_t src_offset);

/* Converts a frame into float planes on the CUDA device: all `floats` of `planes`, poison included,
 * go there and come back. */
void device_permute_pixels(const struct ssimcu_pixel_rule *rule, const ssimcu_frame *frame,
                           float *planes, size_t floats, size_t pitch_floats, size_t plane_floats);

/* 8-bit frames on the host, as ssimcu_ssim_u8_task describes them. */
struct device_frames {
    const uint8_t *ref, *out; /* `bytes` each */
    size_t bytes;
    size_t offset; /* of the first sample */
    int width, height, channels, frames;
    int interleaved, zero_pad;
    size_t pitch_bytes, plane_bytes, frame_bytes;
};

/* Scores them with one launch of the u8 kernel on the CUDA device: the sum of 1 - SSIM per plane,
 * and the map, planes without gaps, unless it is NULL. */
void device_ssim_u8(const struct device_frames *frames, double *sums, float *map);

#endif
