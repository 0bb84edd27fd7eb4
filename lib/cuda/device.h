/* Errors and the current device, for every file of the CUDA host side. */
#ifndef SSIMCU_CUDA_DEVICE_H
#define SSIMCU_CUDA_DEVICE_H

#include "backend.h"

#include <cuda_runtime_api.h>

#define TRY_CUDA(call, what)                                                                       \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) return ssimcu_cuda_fail(error_, what, message);                 \
    } while (0)

/* Maps a CUDA error to a status and clears it from the runtime, so that it is reported once. */
ssimcu_status ssimcu_cuda_fail(cudaError_t error, const char *what, ssimcu_message *message);

/* Says why there is no usable driver. Always fails with DEVICE. */
ssimcu_status ssimcu_cuda_explain_driver(ssimcu_message *message);

ssimcu_status ssimcu_cuda_count(uint32_t *devices, ssimcu_message *message);
ssimcu_status ssimcu_cuda_check_index(uint32_t index, ssimcu_message *message);
ssimcu_status ssimcu_cuda_describe(const struct ssimcu_config *config, uint32_t index,
                                   ssimcu_device_info *info, ssimcu_message *message);

/* What a thread had current: a device, and a context if it was started. */
struct ssimcu_cuda_current {
    int device;
    int taken; /* the device that the driver made current, or -1 */
    struct CUctx_st *context;
};

/* Makes a device current for this thread and returns what was before. leave makes that current
 * again and starts no device for it. */
struct ssimcu_cuda_current ssimcu_cuda_enter(int device);
void ssimcu_cuda_leave(struct ssimcu_cuda_current before);

/* Says why a device could not be entered. */
ssimcu_status ssimcu_cuda_check_current(int device, ssimcu_message *message);

/* Memory that grows, of a device or pinned. It starts as zeros, but for `pinned`. */
struct ssimcu_cuda_memory {
    void *data;
    size_t bytes;
    int pinned;
};

/* Makes room; the old contents are not kept. No work may be under way. */
ssimcu_status ssimcu_cuda_grow(struct ssimcu_cuda_memory *memory, size_t bytes,
                               ssimcu_message *message);
void ssimcu_cuda_free(struct ssimcu_cuda_memory *memory);

/* Waits for the stream: asleep by the event, or spinning if it is NULL. */
ssimcu_status ssimcu_cuda_wait(cudaStream_t stream, cudaEvent_t done, ssimcu_message *message);

#endif
