#include "device.h"

#include "fail.h"

#include <cuda.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

ssimcu_status ssimcu_cuda_fail(cudaError_t error, const char *what, ssimcu_message *message)
{
    (void)cudaGetLastError();
    const ssimcu_status status =
        error == cudaErrorMemoryAllocation ? SSIMCU_ERROR_MEMORY : SSIMCU_ERROR_DEVICE;
    return ssimcu_fail(message, status, "cuda: %s: %s (%s)", what, cudaGetErrorString(error),
                       cudaGetErrorName(error));
}

/* The runtime reports "insufficient driver" even if there is no driver. */
ssimcu_status ssimcu_cuda_explain_driver(ssimcu_message *message)
{
    int driver = 0, runtime = 0;
    (void)cudaDriverGetVersion(&driver);
    (void)cudaRuntimeGetVersion(&runtime);
    (void)cudaGetLastError();
    if (driver == 0) FAIL(DEVICE, "cuda: no NVIDIA driver found");
    FAIL(DEVICE, "cuda: the NVIDIA driver is too old: it has CUDA %d.%d, %d.%d is needed",
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
    FAIL(DEVICE, "cuda: no usable device");
}

ssimcu_status ssimcu_cuda_check_index(uint32_t index, ssimcu_message *message)
{
    uint32_t devices = 0;
    const ssimcu_status status = ssimcu_cuda_count(&devices, message);
    if (status != SSIMCU_OK || index < devices) return status;
    FAIL(DEVICE, "cuda:%u: no such device, %u found", index, devices);
}

ssimcu_status ssimcu_cuda_describe(const struct ssimcu_config *config, uint32_t index,
                                   ssimcu_device_info *info, ssimcu_message *message)
{
    (void)config;
    TRY(ssimcu_cuda_check_index(index, message));
    struct cudaDeviceProp properties;
    TRY_CUDA(cudaGetDeviceProperties(&properties, (int)index), "device properties");
    snprintf(info->name, sizeof info->name, "%.127s", properties.name);
    info->memory_bytes = properties.totalGlobalMem;
    info->compute = (uint32_t)(10 * properties.major + properties.minor);
    return SSIMCU_OK;
}

/* Driver calls that restore a thread's current device without starting it. The runtime's
 * cudaSetDevice would start that device. */
static CUresult (*get_context)(CUcontext *);
static CUresult (*set_context)(CUcontext);
static CUresult (*retain_context)(CUcontext *, CUdevice);
static CUresult (*release_context)(CUdevice);

/* Leaves *call NULL if the call does not exist. `since` is the first driver version with it. */
static void find_call(const char *name, unsigned since, void **call)
{
    enum cudaDriverEntryPointQueryResult result;
#if CUDART_VERSION >= 12050
    (void)cudaGetDriverEntryPointByVersion(name, call, since, cudaEnableDefault, &result);
#else
    (void)since;
    (void)cudaGetDriverEntryPoint(name, call, cudaEnableDefault, &result);
#endif
}

static void find_calls(void)
{
    find_call("cuCtxGetCurrent", 4000, (void **)&get_context);
    find_call("cuCtxSetCurrent", 4000, (void **)&set_context);
    find_call("cuDevicePrimaryCtxRetain", 7000, (void **)&retain_context);
    find_call("cuDevicePrimaryCtxRelease", 11000, (void **)&release_context);
    (void)cudaGetLastError();
}

static bool has_calls(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, find_calls);
    return get_context && set_context && retain_context && release_context;
}

/* Makes the device current through the driver, whose ordinals equal the runtime's. */
static bool take(int device, struct CUctx_st **before)
{
    CUcontext context;
    if (!has_calls() || get_context(before) != CUDA_SUCCESS ||
        retain_context(&context, device) != CUDA_SUCCESS)
        return false;
    if (set_context(context) == CUDA_SUCCESS) return true;
    (void)release_context(device);
    return false;
}

struct ssimcu_cuda_current ssimcu_cuda_enter(int device)
{
    struct ssimcu_cuda_current before = {.device = device, .taken = -1};
    (void)cudaGetDevice(&before.device);
    if (before.device != device && take(device, &before.context))
        before.taken = device;
    else if (before.device != device)
        (void)cudaSetDevice(device);
    (void)cudaGetLastError();
    return before;
}

void ssimcu_cuda_leave(struct ssimcu_cuda_current before)
{
    int now = before.device;
    if (before.taken >= 0) {
        (void)set_context(before.context);
        (void)release_context(before.taken); /* the runtime holds another reference */
    } else if (cudaGetDevice(&now) == cudaSuccess && now != before.device) {
        (void)cudaSetDevice(before.device);
    }
    (void)cudaGetLastError();
}

ssimcu_status ssimcu_cuda_check_current(int device, ssimcu_message *message)
{
    int now = device;
    TRY_CUDA(cudaGetDevice(&now), "device start");
    if (now != device) TRY_CUDA(cudaSetDevice(device), "device start");
    return SSIMCU_OK;
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
