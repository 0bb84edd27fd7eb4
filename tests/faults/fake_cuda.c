/* A CUDA runtime for tests, without a GPU: device memory is host memory, everything is done at
 * once, and the k-th call fails. Its kernels are in fake_kernels.c.
 *
 *   FAKE_CUDA_AT     k, from 1; calls that only ask for the last error do not count
 *   FAKE_CUDA_ERROR  the number of the error, as in cudaError_t
 *   FAKE_CUDA_MARK   a file that is made when a call fails
 *   FAKE_CUDA_DEVICES  how many devices there are; 1 if it is not set
 *   FAKE_CUDA_COUNTS   a file that says at the end how often each device has read memory that
 *                      lies there, and how often host memory was pinned
 *   FAKE_CUDA_CALLS    a file that gets a line for each call that starts a driver: "call", and also
 *                      "describe N" or "take N" if it is about that device
 *
 * As in the real runtime, an error that a kernel or a lost device leaves stays: every later call
 * fails, too. */
#include "fake_cuda.h"
#include "fake_call.h"

#include <cuda.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls;
static cudaError_t stays; /* every call's answer from now on */

/* Returns whether all later calls fail after this error. */
static int is_lasting(cudaError_t error)
{
    return error == cudaErrorLaunchFailure || error == cudaErrorDevicesUnavailable ||
           error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver;
}

static void leave_mark(void)
{
    const char *mark = getenv("FAKE_CUDA_MARK");
    const int fd = mark ? open(mark, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (fd >= 0) close(fd);
}

/* Adds a line to the file of calls. */
static void note(const char *line)
{
    const char *path = getenv("FAKE_CUDA_CALLS");
    const int fd = path ? open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd < 0) return;
    (void)!write(fd, line, strlen(line));
    close(fd);
}

static void note_device(const char *what, int device)
{
    char line[32];
    snprintf(line, sizeof line, "%s %d\n", what, device);
    note(line);
}

cudaError_t fake_cuda_call(void)
{
    const char *at = getenv("FAKE_CUDA_AT"), *number = getenv("FAKE_CUDA_ERROR");
    note("call\n");
    pthread_mutex_lock(&lock);
    cudaError_t error = stays;
    if (at && number && ++calls == atol(at)) {
        error = (cudaError_t)atoi(number);
        if (is_lasting(error)) stays = error;
        leave_mark();
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---- Devices --------------------------------------------------------------------------------- */

cudaError_t cudaGetLastError(void) { return cudaSuccess; }
const char *cudaGetErrorName(cudaError_t error)
{
    return error ? "cudaErrorOfATest" : "cudaSuccess";
}
const char *cudaGetErrorString(cudaError_t error)
{
    return error ? "as the test wants" : "no error";
}

int fake_cuda_devices(void)
{
    const char *number = getenv("FAKE_CUDA_DEVICES");
    return number ? atoi(number) : 1;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = 0;
    ANSWER;
    *count = fake_cuda_devices();
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    note("call\n");
    *version = 11000;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

/* As in the real runtime, a thread has the device of its context, or else that of cudaSetDevice. */
static _Thread_local int current;
static _Thread_local CUcontext context;
static char contexts[16]; /* their addresses are the devices' contexts */

static int device_now(void) { return context ? (int)((char *)context - contexts) : current; }

cudaError_t cudaGetDevice(int *device)
{
    note("call\n");
    *device = device_now();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    note_device("take", device);
    ANSWER;
    if (device < 0 || device >= fake_cuda_devices()) return cudaErrorInvalidDevice;
    current = device;
    context = (CUcontext)&contexts[device];
    return cudaSuccess;
}

static CUresult get_context(CUcontext *now) { return *now = context, CUDA_SUCCESS; }
static CUresult set_context(CUcontext now) { return context = now, CUDA_SUCCESS; }

static CUresult retain_context(CUcontext *made, CUdevice device)
{
    note_device("take", device);
    if (fake_cuda_call() != cudaSuccess) return CUDA_ERROR_UNKNOWN;
    *made = (CUcontext)&contexts[device];
    return CUDA_SUCCESS;
}

static CUresult release_context(CUdevice device) { return (void)device, CUDA_SUCCESS; }

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **call, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    (void)version, (void)flags;
    note("call\n");
    if (strcmp(name, "cuCtxGetCurrent") == 0) *(CUresult(**)(CUcontext *))call = get_context;
    if (strcmp(name, "cuCtxSetCurrent") == 0) *(CUresult(**)(CUcontext))call = set_context;
    if (strcmp(name, "cuDevicePrimaryCtxRetain") == 0)
        *(CUresult(**)(CUcontext *, CUdevice))call = retain_context;
    if (strcmp(name, "cuDevicePrimaryCtxRelease") == 0)
        *(CUresult(**)(CUdevice))call = release_context;
    *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    note_device("describe", device);
    ANSWER;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "A device of a test");
    properties->major = 7;
    properties->totalGlobalMem = 1 << 30;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)attribute, (void)device;
    ANSWER;
    *value = 0;
    return cudaSuccess;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    ANSWER;
    *memory = malloc(bytes);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t cudaMallocHost(void **memory, size_t bytes) { return cudaMalloc(memory, bytes); }

cudaError_t cudaFree(void *memory)
{
    free(memory);
    ANSWER;
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *memory) { return cudaFree(memory); }

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned flags)
{
    (void)memory, (void)bytes, (void)flags;
    ANSWER;
    fake_cuda_pins();
    return cudaSuccess;
}

cudaError_t cudaHostUnregister(void *memory)
{
    (void)memory;
    ANSWER;
    return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *memory)
{
    (void)memory;
    ANSWER;
    memset(attributes, 0, sizeof *attributes);
    attributes->type = cudaMemoryTypeDevice;
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    (void)stream;
    ANSWER;
    memset(memory, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    (void)kind, (void)stream;
    ANSWER;
    fake_cuda_read(from, device_now());
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    (void)kind, (void)stream;
    ANSWER;
    fake_cuda_read(from, device_now());
    for (size_t y = 0; y < height; y++)
        memcpy((char *)to + y * to_pitch, (const char *)from + y * from_pitch, width);
    return cudaSuccess;
}

/* ---- Streams and events ---------------------------------------------------------------------- */

/* The state of a stream or an event. Requests ask their event before they use their memory
 * again. Contexts need not ask theirs, because all their work is on one stream. */
enum { ON_ITS_WAY = 1, IS_ASKED = 2, UNMARKED = 4, IS_CHECKED = 8 };

static cudaError_t make(void **object)
{
    ANSWER;
    *object = calloc(1, 1);
    return *object ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t end(void *object)
{
    free(object);
    ANSWER;
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    (void)flags;
    return make((void **)stream);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    const cudaError_t error = make((void **)event);
    if (error == cudaSuccess && !(flags & cudaEventBlockingSync)) *(char *)*event = IS_ASKED;
    return error;
}

/* Marks the event. A request does so twice: before it queues, to check the stream, and after it.
 * Work is on its way from the second mark until the caller has asked or waited for it, and for ever
 * if that mark failed. A caller that queues more meanwhile would use its memory twice. */
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    static const char text[] = "fake_cuda: queued while the work before is under way\n";
    char *const mark = (char *)event;
    (void)stream;
    if (*mark & (ON_ITS_WAY | UNMARKED)) {
        (void)!write(STDERR_FILENO, text, sizeof text - 1);
        _exit(99);
    }
    const cudaError_t error = fake_cuda_call();
    if (*mark & IS_CHECKED)
        *mark = (char)(IS_ASKED | (error == cudaSuccess ? ON_ITS_WAY : UNMARKED));
    else if (*mark && error == cudaSuccess)
        *mark |= IS_CHECKED;
    return error;
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    char *const mark = (char *)event;
    const cudaError_t answer = *mark & ON_ITS_WAY ? cudaErrorNotReady : cudaSuccess;
    *mark &= ~ON_ITS_WAY;
    ANSWER;
    return answer;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    *(char *)event &= ~ON_ITS_WAY;
    ANSWER;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to)
{
    (void)from, (void)to;
    *ms = 1;
    return fake_cuda_call();
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return make((void **)event); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return end(stream); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return end(event); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return (void)stream, fake_cuda_call(); }
