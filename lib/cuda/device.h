/* Errors and the current device, for every file of the CUDA host side. */
#pragma once

#include "backend.h"

#include <cuda_runtime_api.h>

#define TRY_CUDA(call, what)                                                                       \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) return ssimcu_cuda_fail(error_, what, message);                 \
    } while (0)

/* Maps a CUDA error to a status and clears it from the runtime, so that it is reported once. */
ssimcu_status ssimcu_cuda_fail(cudaError_t error, const char *what, ssimcu_message *message);

/* Explains why there is no usable driver. Always fails with DEVICE. */
ssimcu_status ssimcu_cuda_explain_driver(ssimcu_message *message);

ssimcu_status ssimcu_cuda_count(uint32_t *devices, ssimcu_message *message);
ssimcu_status ssimcu_cuda_check_index(uint32_t index, ssimcu_message *message);
ssimcu_status ssimcu_cuda_describe(const struct ssimcu_config *config, uint32_t index,
                                   ssimcu_device_info *info, ssimcu_message *message);

/* A thread's current device, and its context if it was started. */
struct ssimcu_cuda_current {
    int device;
    int taken; /* the device that the driver has made current, or -1 */
    struct CUctx_st *context;
};

/* Makes a device current for this thread and returns the previous state. leave restores that state
 * without starting a device. */
struct ssimcu_cuda_current ssimcu_cuda_enter(int device);
void ssimcu_cuda_leave(struct ssimcu_cuda_current before);

/* Explains why a device could not be entered. */
ssimcu_status ssimcu_cuda_check_current(int device, ssimcu_message *message);

/* Growing memory of a device, or pinned host memory. It starts as zeros, except `pinned`. */
struct ssimcu_cuda_memory {
    void *data;
    size_t bytes;
    int pinned;
};

/* Makes room and drops the old contents. No work may be in progress. */
ssimcu_status ssimcu_cuda_grow(struct ssimcu_cuda_memory *memory, size_t bytes,
                               ssimcu_message *message);
void ssimcu_cuda_free(struct ssimcu_cuda_memory *memory);

/* Waits for the stream: asleep on the event, or spinning if it is NULL. */
ssimcu_status ssimcu_cuda_wait(cudaStream_t stream, cudaEvent_t done, ssimcu_message *message);
