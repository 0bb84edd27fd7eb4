#include "check.h"
#include "device.h"
#include "kernels.h"
#include "ssimcu_cuda.h"

#include <time.h>

static void good(cudaError_t error)
{
    cr_assert_eq(error, cudaSuccess, "%s", cudaGetErrorString(error));
}

/* Memory is kept from call to call: otherwise twenty thousand small cases would mostly allocate. */
static struct buffer {
    uint8_t *data;
    size_t bytes;
} kept[2];

static uint8_t *send(struct buffer *buffer, const uint8_t *data, size_t bytes)
{
    if (buffer->bytes < bytes) {
        good(cudaFree(buffer->data));
        good(cudaMalloc((void **)&buffer->data, 2 * bytes));
        buffer->bytes = 2 * bytes;
    }
    good(cudaMemcpy(buffer->data, data, bytes, cudaMemcpyHostToDevice));
    return buffer->data;
}

void device_permute(const struct ssimcu_permute_plan *plan, uint8_t *dst, size_t dst_bytes,
                    size_t dst_at, const uint8_t *src, size_t src_bytes, size_t src_at)
{
    uint8_t *to = send(&kept[0], dst, dst_bytes), *from = send(&kept[1], src, src_bytes);
    good(ssimcu_permute_cuda(plan, to + dst_at, from + src_at, 0));
    good(cudaMemcpy(dst, to, dst_bytes, cudaMemcpyDeviceToHost));
}

ssimcu_status device_permute_async(const ssimcu_permute_layout *layout, uint8_t *dst,
                                   size_t dst_bytes, size_t dst_at, const uint8_t *src,
                                   size_t src_bytes, size_t src_at, ssimcu_message *message)
{
    uint8_t *to = send(&kept[0], dst, dst_bytes), *from = send(&kept[1], src, src_bytes);
    const ssimcu_status status =
        ssimcu_permute_async(layout, to + dst_at, from + src_at, NULL, message);
    good(cudaMemcpy(dst, to, dst_bytes, cudaMemcpyDeviceToHost));
    return status;
}

void device_planes(const struct device_samples *from, const struct ssimcu_pixel_rule *rule,
                   float *planes, size_t floats, size_t pitch_floats, size_t plane_floats)
{
    uint8_t *memory;
    struct ssimcu_planes_task task = {.samples = from->samples,
                                      .rule = *rule,
                                      .width = from->width,
                                      .height = from->height,
                                      .dst_pitch_floats = (int64_t)pitch_floats,
                                      .dst_plane_floats = (int64_t)plane_floats};
    good(cudaMalloc((void **)&memory, from->shift + from->bytes));
    good(cudaMalloc((void **)&task.dst, floats * sizeof(float)));
    good(cudaMemcpy(memory + from->shift, from->memory, from->bytes, cudaMemcpyHostToDevice));
    good(cudaMemcpy(task.dst, planes, floats * sizeof(float), cudaMemcpyHostToDevice));
    for (uint32_t c = 0; c < rule->channels; c++)
        task.samples.channel[c] =
            memory + from->shift +
            ((const uint8_t *)from->samples.channel[c] - (const uint8_t *)from->memory);
    good(ssimcu_planes_cuda(&task, 0));
    good(cudaMemcpy(planes, task.dst, floats * sizeof(float), cudaMemcpyDeviceToHost));
    good(cudaFree(memory));
    good(cudaFree(task.dst));
}

/* Allocates not a byte more, so that a memory checker sees the end. */
void *device_copy(const void *from, size_t bytes)
{
    void *to;
    good(cudaMalloc(&to, bytes));
    good(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    good(cudaDeviceSynchronize()); /* a small copy may still be under way; other streams read it */
    return to;
}

/* Runs a task whose frames lie on the device and frees them. */
static void run(struct ssimcu_ssim_task *task, double *sums, float *map)
{
    const int planes = task->channels * task->frames;
    const int map_width = ssimcu_ssim_positions(task->width, task->zero_pad);
    const int map_height = ssimcu_ssim_positions(task->height, task->zero_pad);
    const size_t map_plane = (size_t)map_width * (size_t)map_height;
    const size_t map_bytes = map_plane * (size_t)planes * sizeof *map;
    const size_t partials = ssimcu_ssim_partials(task);
    double *device_sums;
    task->map_pitch_floats = map_width;
    task->map_plane_floats = (int64_t)map_plane;
    good(cudaMalloc((void **)&task->partial, partials * sizeof(double)));
    good(cudaMemset(task->partial, 0xff, partials * sizeof(double))); /* NaN: all are written */
    good(cudaMalloc((void **)&device_sums, (size_t)planes * sizeof(double)));
    if (map) {
        good(cudaMalloc((void **)&task->map, map_bytes));
        good(cudaMemset(task->map, 0xff, map_bytes));
    }
    good(ssimcu_ssim_cuda(task, 0));
    good(ssimcu_reduce_cuda(task, planes, device_sums, NULL, NULL, 0));
    good(cudaMemcpy(sums, device_sums, (size_t)planes * sizeof *sums, cudaMemcpyDeviceToHost));
    if (map) good(cudaMemcpy(map, task->map, map_bytes, cudaMemcpyDeviceToHost));
    good(cudaFree(task->partial));
    good(cudaFree(device_sums));
    good(cudaFree(task->map));
}

void device_ssim(const struct device_frames *frames, double *sums, float *map)
{
    uint8_t *ref = device_copy(frames->ref, frames->bytes),
            *out = device_copy(frames->out, frames->bytes);
    const bool any = frames->path == DEVICE_ANY;
    const enum ssimcu_ssim_samples type = (enum ssimcu_ssim_samples)frames->type;
    struct ssimcu_ssim_task task = {.samples = any                         ? type
                                               : frames->path == DEVICE_U8 ? SSIMCU_SSIM_U8
                                                                           : SSIMCU_SSIM_F32,
                                    .pairs = frames->pairs,
                                    .unbounded = any,
                                    .peak = frames->peak,
                                    .tensor_cores = frames->path != DEVICE_FMA,
                                    .ref = ref + frames->offset,
                                    .out = out + frames->offset,
                                    .width = frames->width,
                                    .height = frames->height,
                                    .channels = frames->channels,
                                    .frames = frames->frames,
                                    .interleaved = frames->interleaved,
                                    .zero_pad = frames->zero_pad,
                                    .pitch_bytes = (int64_t)frames->pitch_bytes,
                                    .plane_bytes = (int64_t)frames->plane_bytes,
                                    .frame_bytes = (int64_t)frames->frame_bytes};
    run(&task, sums, map);
    good(cudaFree(ref));
    good(cudaFree(out));
}

void device_fetch(void *to, const void *from, size_t bytes)
{
    good(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost));
}

void device_free(void *memory) { good(cudaFree(memory)); }

size_t device_free_bytes(void)
{
    size_t unused = 0, total = 0;
    good(cudaMemGetInfo(&unused, &total));
    return unused;
}

struct CUstream_st *device_stream(void)
{
    cudaStream_t stream;
    good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

void device_stream_free(struct CUstream_st *stream) { good(cudaStreamDestroy(stream)); }

void device_stream_wait(struct CUstream_st *stream) { good(cudaStreamSynchronize(stream)); }

/* Gives up after a minute: a test that waits for the stream fails then, and does not hang. */
static void wait_at_gate(void *gate)
{
    for (int i = 0; i < 60000 && !__atomic_load_n((int *)gate, __ATOMIC_ACQUIRE); i++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

void device_hold(struct CUstream_st *stream, int *gate)
{
    *gate = 0;
    good(cudaLaunchHostFunc(stream, wait_at_gate, gate));
}

void device_let_go(int *gate) { __atomic_store_n(gate, 1, __ATOMIC_RELEASE); }

int device_current(void)
{
    int device = -1;
    good(cudaGetDevice(&device));
    return device;
}

void device_make_current(int device) { good(cudaSetDevice(device)); }

int device_reads_host_memory(void)
{
    int reads = 0;
    good(cudaDeviceGetAttribute(&reads, cudaDevAttrPageableMemoryAccess, device_current()));
    return reads;
}

void device_reset(void) { (void)cudaDeviceReset(); }
