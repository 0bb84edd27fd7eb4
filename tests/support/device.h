/* Running single kernels from a test. device_cuda.c is used if the build has CUDA, else
 * device_stub.c, whose functions are never reached: the tests skip if there is no device. */
#ifndef SSIMCU_TEST_DEVICE_H
#define SSIMCU_TEST_DEVICE_H

#include "core/permute_plan.h"
#include "core/samples.h"
#include "ssimcu_permute.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Executes the plan on the CUDA device: from src + src_at to dst + dst_at. All dst_bytes of dst,
 * poison included, go to the device and come back. Device memory is kept from call to call. */
void device_permute(const struct ssimcu_permute_plan *plan, uint8_t *dst, size_t dst_bytes,
                    size_t dst_at, const uint8_t *src, size_t src_bytes, size_t src_at);

/* Does the same with ssimcu_permute_async. */
ssimcu_status device_permute_async(const ssimcu_permute_layout *layout, uint8_t *dst,
                                   size_t dst_bytes, size_t dst_at, const uint8_t *src,
                                   size_t src_bytes, size_t src_at, ssimcu_message *message);

/* Runs ssimcu_permute_async on arrays too large to keep on the host, of 1-byte elements, dense
 * in the destination. The source's bytes are a hash of their 64-bit place. A kernel looks up
 * every element and the guard bytes around them. Returns MEMORY if the device has too little. */
ssimcu_status device_permute_huge(const ssimcu_permute_layout *layout, uint64_t *wrong,
                                  ssimcu_message *message);

/* A frame's samples on the host. Their channels point into `memory`. All its `bytes`, and not
 * one more, go to the device, `shift` bytes behind an aligned address. */
struct device_samples {
    struct ssimcu_samples samples;
    const void *memory;
    size_t bytes, shift;
    uint32_t width, height; /* pixels */
};

/* Converts them into float planes on the CUDA device: all `floats` of `planes`, poison included,
 * go there and come back. */
void device_planes(const struct device_samples *from, const struct ssimcu_pixel_rule *rule,
                   float *planes, size_t floats, size_t pitch_floats, size_t plane_floats);

/* The paths of the SSIM stage. The tensor cores take bytes, float planes or samples of any type;
 * without them it takes float planes. */
enum device_path { DEVICE_U8, DEVICE_F32, DEVICE_FMA, DEVICE_ANY };

/* Frames on the host, as ssimcu_ssim_task describes them. */
struct device_frames {
    enum device_path path;
    const void *ref, *out; /* `bytes` each */
    size_t bytes;
    size_t offset; /* bytes before the first sample */
    int width, height, channels, frames;
    int interleaved, zero_pad;
    size_t pitch_bytes, plane_bytes, frame_bytes;
    uint32_t type; /* DEVICE_ANY: the samples' type in core/samples.h, and more of the task */
    int pairs;
    float peak;
};

/* Scores them with one launch on the CUDA device. The result is the sum of 1 - SSIM per plane,
 * and, unless `map` is NULL, the map: planes without gaps. */
void device_ssim(const struct device_frames *frames, double *sums, float *map);

/* ---- Device memory and streams, for tests of device frames ---- */

void *device_copy(const void *from, size_t bytes);           /* not a byte more */
void device_fetch(void *to, const void *from, size_t bytes); /* copies back to the host */
void device_free(void *memory);
size_t device_free_bytes(void); /* the current device's */

struct CUstream_st *device_stream(void);
void device_stream_free(struct CUstream_st *stream);
void device_stream_wait(struct CUstream_st *stream);

/* Holds the stream up until *gate is not 0; the gate stays until the stream has passed. */
void device_hold(struct CUstream_st *stream, int *gate);
void device_let_go(int *gate);

/* Return and set the thread's current device. */
int device_current(void);
void device_make_current(int device);

/* Returns whether kernels can read any host memory. */
int device_reads_host_memory(void);

/* Runs a kernel that writes to memory that does not exist. From then on every CUDA call fails,
 * until the reset. */
void device_break(void);
void device_reset(void);

#ifdef __cplusplus
}
#endif

#endif
