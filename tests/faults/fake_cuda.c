/* A CUDA runtime and kernels for tests, without a GPU: device memory is host memory, everything
 * is done at once, and the k-th call fails.
 *
 *   FAKE_CUDA_AT     k, from 1; calls that only ask for the last error do not count
 *   FAKE_CUDA_ERROR  the number of the error, as in cudaError_t
 *   FAKE_CUDA_MARK   a file that is made when a call fails
 *   FAKE_CUDA_DEVICES  how many devices there are; 1 if it is not set
 *   FAKE_CUDA_COUNTS   a file that says at the end how often each device has read memory that
 *                      lies there
 *
 * As in the real runtime, an error that a kernel or a lost device leaves stays: every later call
 * fails, too. The kernels' score is no SSIM but 1 less the mean absolute difference. It has to
 * be the same each time, not the right one. */
#include "fake_cuda.h"
#include "cpu/scale.h"
#include "kernels.h"
#include "light.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
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

/* Counts the call and returns its answer. */
static cudaError_t call(void)
{
    const char *at = getenv("FAKE_CUDA_AT"), *number = getenv("FAKE_CUDA_ERROR");
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

#define ANSWER                                                                                     \
    do {                                                                                           \
        const cudaError_t error_ = call();                                                         \
        if (error_ != cudaSuccess) return error_;                                                  \
    } while (0)

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
    *version = 11000;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = 13000;
    return cudaSuccess;
}

static _Thread_local int current;

cudaError_t cudaGetDevice(int *device)
{
    *device = current;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device)
{
    ANSWER;
    if (device < 0 || device >= fake_cuda_devices()) return cudaErrorInvalidDevice;
    current = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device)
{
    (void)device;
    ANSWER;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "A device of a test");
    properties->major = 7;
    properties->totalGlobalMem = 1 << 30;
    return cudaSuccess;
}

/* Compute capability 7 has no tensor cores, and so one path less. */
cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    (void)device;
    ANSWER;
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? 7 : 0;
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
    fake_cuda_read(from, current);
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream)
{
    (void)kind, (void)stream;
    ANSWER;
    fake_cuda_read(from, current);
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

static cudaError_t done(void)
{
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
    const cudaError_t error = call();
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
    return done();
}

cudaError_t cudaEventCreate(cudaEvent_t *event) { return make((void **)event); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return end(stream); }
cudaError_t cudaEventDestroy(cudaEvent_t event) { return end(event); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return (void)stream, done(); }

/* ---- Kernels --------------------------------------------------------------------------------- */

cudaError_t ssimcu_permute_cuda(const struct ssimcu_permute_plan *plan, void *dst, const void *src,
                                cudaStream_t stream)
{
    (void)plan, (void)dst, (void)src, (void)stream;
    return done();
}

/* Floats, and the first byte of other samples. */
cudaError_t ssimcu_light_scan_cuda(const struct ssimcu_light_scan_task *task, cudaStream_t stream)
{
    (void)stream;
    ANSWER;
    const struct ssimcu_light_frame frame = {&task->samples, &task->rule, &task->bounds,
                                             (uint32_t)task->width, (uint32_t)task->height};
    *task->counts = ssimcu_light_scan(&frame, NULL);
    return cudaSuccess;
}

cudaError_t ssimcu_planes_cuda(const struct ssimcu_planes_task *task, cudaStream_t stream)
{
    (void)stream;
    ANSWER;
    const size_t bytes = ssimcu_sample_bytes(task->samples.type);
    for (uint32_t p = 0; p < task->rule.planes; p++)
        for (int64_t y = 0; y < task->height; y++)
            for (int64_t x = 0; x < task->width; x++) {
                const uint8_t *sample = task->samples.channel[p % task->rule.channels];
                sample += y * task->samples.pitch_bytes + x * (int64_t)(task->samples.step * bytes);
                float *to = &task->dst[p * task->dst_plane_floats + y * task->dst_pitch_floats + x];
                *to = *sample;
                if (task->samples.type == SSIMCU_SAMPLE_U16)
                    *to = (float)(sample[0] | sample[1] << 8) * task->rule.unit;
                if (task->samples.type == SSIMCU_SAMPLE_F32) memcpy(to, sample, sizeof *to);
            }
    return cudaSuccess;
}

size_t ssimcu_ssim_partials(const struct ssimcu_ssim_task *task) { return (size_t)task->channels; }

cudaError_t ssimcu_ssim_cuda(const struct ssimcu_ssim_task *task, cudaStream_t stream)
{
    (void)stream;
    ANSWER;
    const int width = ssimcu_ssim_positions(task->width, task->zero_pad);
    const int height = ssimcu_ssim_positions(task->height, task->zero_pad);
    const double white = task->peak > 0 ? task->peak : 255;
    for (int c = 0; c < task->channels; c++) {
        const int64_t plane = c * task->plane_bytes;
        task->partial[c] = 0;
        for (int y = 0; y < height; y++) {
            const float *ref =
                (const float *)((const char *)task->ref + plane + y * task->pitch_bytes);
            const float *out =
                (const float *)((const char *)task->out + plane + y * task->pitch_bytes);
            for (int x = 0; x < width; x++) {
                const double apart = fabs((double)ref[x] - (double)out[x]) / white;
                task->partial[c] += apart;
                if (task->map)
                    task->map[c * task->map_plane_floats + y * task->map_pitch_floats + x] =
                        (float)(1 - apart);
            }
        }
    }
    return cudaSuccess;
}

size_t ssimcu_ssim_cells(const struct ssimcu_ssim_task *task) { return task->grid.width ? 1 : 0; }

cudaError_t ssimcu_reduce_cuda(const struct ssimcu_ssim_task *task, int group, double *sums,
                               double *means, const struct ssimcu_sums *also, cudaStream_t stream)
{
    const int planes = task->channels * task->frames;
    const size_t each = ssimcu_ssim_partials(task) / (size_t)planes;
    const size_t tiles = (size_t)task->grid.rows * task->grid.columns;
    (void)stream, (void)also;
    ANSWER;
    for (int p = 0; p < planes; p++) {
        sums[p] = 0;
        for (size_t i = 0; i < each; i++) sums[p] += task->partial[(size_t)p * each + i];
    }
    const size_t numbers = tiles * ssimcu_tile_numbers_of(&task->grid, (uint32_t)group);
    for (size_t i = 0; i < (size_t)(planes / group) * numbers; i++)
        means[i] = i % numbers < tiles ? 1 : 0; /* scores, then shifts and features */
    return cudaSuccess;
}

/* ---- Kernels of other metrics, whose numbers no test of failures looks at ----------------------
 */

enum { FEW_BYTES = 256 };

size_t ssimcu_psnr_partials(const struct ssimcu_psnr_task *task) { return (void)task, 1; }
size_t ssimcu_ms_ssim_bytes(const struct ssimcu_ms_ssim_task *task)
{
    return (void)task, FEW_BYTES;
}
size_t ssimcu_ssimulacra2_bytes(const struct ssimcu_ssimulacra2_task *task)
{
    return (void)task, FEW_BYTES;
}

#define METRIC(name, kind)                                                                         \
    cudaError_t ssimcu_##name##_cuda(const struct ssimcu_##kind##_task *task, cudaStream_t stream) \
    {                                                                                              \
        (void)task, (void)stream;                                                                  \
        return done();                                                                             \
    }
METRIC(psnr, psnr)
METRIC(ms_ssim, ms_ssim)
METRIC(ms_pyramid, ms_ssim)
METRIC(video, video)

cudaError_t ssimcu_ssimulacra2_cuda(const struct ssimcu_ssimulacra2_task *task, double *sums,
                                    cudaStream_t stream)
{
    (void)task, (void)sums, (void)stream;
    return done();
}

void ssimcu_psnr_sums(const struct ssimcu_psnr_task *task, double *squares,
                      struct ssimcu_sums *sums)
{
    (void)task, (void)squares, (void)sums;
}

void ssimcu_ms_ssim_sums(const struct ssimcu_ms_ssim_task *task, double *lost, size_t lost_step,
                         struct ssimcu_sums *sums)
{
    (void)task, (void)lost, (void)lost_step, (void)sums;
}

cudaError_t ssimcu_sums_cuda(const struct ssimcu_sums *sums, cudaStream_t stream)
{
    (void)sums, (void)stream;
    return done();
}

/* What the CPU makes of it. */
cudaError_t ssimcu_scale_cuda(const struct ssimcu_scale_task *task, const int32_t *across,
                              const int32_t *down, cudaStream_t stream)
{
    (void)across, (void)down, (void)stream;
    uint16_t *const memory = malloc(ssimcu_scale_cpu_bytes(task));
    if (!memory) return cudaErrorMemoryAllocation;
    ssimcu_scale_cpu(task, memory);
    free(memory);
    return done();
}

cudaError_t ssimcu_patches_cuda(const struct ssimcu_patches_task *task, cudaStream_t stream)
{
    (void)stream;
    for (uint32_t n = 0; n < task->places; n++)
        for (uint32_t i = 0; i < task->place[n].columns * task->place[n].rows; i++)
            ssimcu_patch_copy(task, &task->place[n], i);
    return done();
}

cudaError_t ssimcu_mix_cuda(float *black, const float *white, float grey, size_t floats,
                            cudaStream_t stream)
{
    (void)black, (void)white, (void)grey, (void)floats, (void)stream;
    return done();
}
