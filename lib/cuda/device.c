#include "device.h"

#include "fail.h"

#include <stdio.h>

ssimcu_status ssimcu_cuda_fail(cudaError_t error, const char *what, ssimcu_message *message)
{
    (void)cudaGetLastError();
    const ssimcu_status status =
        error == cudaErrorMemoryAllocation ? SSIMCU_ERROR_MEMORY : SSIMCU_ERROR_DEVICE;
    return ssimcu_fail(message, status, "cuda: %s: %s (%s)", what, cudaGetErrorString(error),
                       cudaGetErrorName(error));
}

/* The runtime also says "insufficient driver" if there is none. */
ssimcu_status ssimcu_cuda_explain_driver(ssimcu_message *message)
{
    int driver = 0, runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    (void)cudaGetLastError();
    if (driver == 0)
        return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "cuda: no NVIDIA driver found");
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE,
                       "cuda: the NVIDIA driver is too old: it has CUDA %d.%d, %d.%d is needed",
                       driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
}

ssimcu_status ssimcu_cuda_count(uint32_t *devices, ssimcu_message *message)
{
    int found = 0;
    const cudaError_t error = cudaGetDeviceCount(&found);
    if (error == cudaErrorInsufficientDriver) return ssimcu_cuda_explain_driver(message);
    TRY_CUDA(error, "no usable device");
    *devices = (uint32_t)found;
    if (found > 0) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "cuda: no usable device");
}

ssimcu_status ssimcu_cuda_check_index(uint32_t index, ssimcu_message *message)
{
    uint32_t devices = 0;
    const ssimcu_status status = ssimcu_cuda_count(&devices, message);
    if (status != SSIMCU_OK || index < devices) return status;
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "cuda:%u: no such device, %u found", index,
                       devices);
}

ssimcu_status ssimcu_cuda_describe(const struct ssimcu_config *config, uint32_t index,
                                   ssimcu_device_info *info, ssimcu_message *message)
{
    (void)config;
    const ssimcu_status status = ssimcu_cuda_check_index(index, message);
    if (status != SSIMCU_OK) return status;
    struct cudaDeviceProp properties;
    TRY_CUDA(cudaGetDeviceProperties(&properties, (int)index), "device properties");
    snprintf(info->name, sizeof info->name, "%.127s", properties.name);
    info->memory_bytes = properties.totalGlobalMem;
    info->compute = (uint32_t)(10 * properties.major + properties.minor);
    return SSIMCU_OK;
}

/* An error here shows again at the first call that needs the device. */
int ssimcu_cuda_enter(int device)
{
    int before = device;
    if (cudaGetDevice(&before) != cudaSuccess || before != device) (void)cudaSetDevice(device);
    (void)cudaGetLastError();
    return before;
}

/* Switches only if the device differs, because making a device current starts it. */
void ssimcu_cuda_leave(int before)
{
    int now = before;
    if (cudaGetDevice(&now) == cudaSuccess && now != before) (void)cudaSetDevice(before);
    (void)cudaGetLastError();
}

ssimcu_status ssimcu_cuda_wait(cudaStream_t stream, cudaEvent_t done, ssimcu_message *message)
{
    if (done) {
        TRY_CUDA(cudaEventRecord(done, stream), "scoring");
        TRY_CUDA(cudaEventSynchronize(done), "scoring");
    } else {
        TRY_CUDA(cudaStreamSynchronize(stream), "scoring");
    }
    return SSIMCU_OK;
}

ssimcu_status ssimcu_cuda_grow(struct ssimcu_cuda_memory *memory, size_t bytes,
                               ssimcu_message *message)
{
    if (memory->bytes >= bytes) return SSIMCU_OK;
    ssimcu_cuda_free(memory);
    if (memory->pinned)
        TRY_CUDA(cudaMallocHost(&memory->data, bytes), "pinned memory");
    else
        TRY_CUDA(cudaMalloc(&memory->data, bytes), "device memory");
    memory->bytes = bytes;
    return SSIMCU_OK;
}

void ssimcu_cuda_free(struct ssimcu_cuda_memory *memory)
{
    (void)(memory->pinned ? cudaFreeHost(memory->data) : cudaFree(memory->data));
    memory->data = NULL;
    memory->bytes = 0;
}
