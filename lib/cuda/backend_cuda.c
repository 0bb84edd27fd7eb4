/* The host side of CUDA: device, stream, buffers, transfers; the launchers in kernels.h do the
 * work. Everything is queued on the context's stream; download is the one place that waits.
 *
 * Large 8-bit pairs are scored from the uploaded pixels: the permute stage then writes nothing and
 * takes no time. */
#include "backend.h"
#include "frame.h"
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* Planes and maps start each row on 128 bytes, a device cache line. */
enum { ROW_FLOATS = 32 };

/* Marks between the stages, on the stream. */
enum { MARK_START, MARK_UPLOADED, MARK_PERMUTED, MARK_SCORED, MARK_REDUCED, MARK_END, MARKS };

struct device_buffer {
    void *data;
    size_t bytes;
};

struct ssimcu_backend_state {
    int device;
    cudaStream_t stream;
    cudaEvent_t mark[MARKS];
    cudaEvent_t done; /* waited for asleep; NULL: the wait spins */
    int uploaded;     /* since the last download */
    struct ssimcu_shape shape;
    struct device_buffer frame[SSIMCU_PAIR], planes[SSIMCU_PAIR], partial, sums, map;
    double *host_sums; /* pinned */
    struct ssimcu_pixel_rule rule[SSIMCU_PAIR];
    int has_tensor_cores; /* that the kernels can use */
    int reads_pixels;     /* the pair is scored as it was uploaded, without planes */
    struct ssimcu_ssim_task task, task_u8;
};

#define TRY_CUDA(call, what)                                                                       \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) return fail(error_, what, message);                             \
    } while (0)

/* Maps a CUDA error to a status and clears it from the runtime, so that it is reported once. */
static ssimcu_status fail(cudaError_t error, const char *what, ssimcu_message *message)
{
    (void)cudaGetLastError();
    const ssimcu_status status =
        error == cudaErrorMemoryAllocation ? SSIMCU_ERROR_MEMORY : SSIMCU_ERROR_DEVICE;
    return ssimcu_fail(message, status, "cuda: %s: %s (%s)", what, cudaGetErrorString(error),
                       cudaGetErrorName(error));
}

/* The runtime says "insufficient driver" also where there is none. */
static ssimcu_status explain_driver(ssimcu_message *message)
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

static ssimcu_status count(uint32_t *devices, ssimcu_message *message)
{
    int found = 0;
    const cudaError_t error = cudaGetDeviceCount(&found);
    if (error == cudaErrorInsufficientDriver) return explain_driver(message);
    TRY_CUDA(error, "no usable device");
    *devices = (uint32_t)found;
    if (found > 0) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "cuda: no usable device");
}

static ssimcu_status check_index(uint32_t index, ssimcu_message *message)
{
    uint32_t devices = 0;
    const ssimcu_status status = count(&devices, message);
    if (status != SSIMCU_OK || index < devices) return status;
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "cuda:%u: no such device, %u found", index,
                       devices);
}

static ssimcu_status describe(const ssimcu_settings *settings, uint32_t index,
                              ssimcu_device_info *info, ssimcu_message *message)
{
    (void)settings;
    const ssimcu_status status = check_index(index, message);
    if (status != SSIMCU_OK) return status;
    struct cudaDeviceProp properties;
    TRY_CUDA(cudaGetDeviceProperties(&properties, (int)index), "device properties");
    snprintf(info->name, sizeof info->name, "%.127s", properties.name);
    info->memory_bytes = properties.totalGlobalMem;
    info->compute = (uint32_t)(10 * properties.major + properties.minor);
    return SSIMCU_OK;
}

static void close_state(struct ssimcu_backend_state *state)
{
    if (!state) return;
    (void)cudaSetDevice(state->device);
    struct device_buffer *const buffers[] = {&state->frame[0],  &state->frame[1], &state->planes[0],
                                             &state->planes[1], &state->partial,  &state->sums,
                                             &state->map};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        (void)cudaFree(buffers[i]->data);
    (void)cudaFreeHost(state->host_sums);
    for (int i = 0; i < MARKS; i++)
        if (state->mark[i]) (void)cudaEventDestroy(state->mark[i]);
    if (state->done) (void)cudaEventDestroy(state->done);
    if (state->stream) (void)cudaStreamDestroy(state->stream);
    free(state);
}

static ssimcu_status start(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    TRY_CUDA(cudaSetDevice(state->device), "device start");
    int major = 0;
    TRY_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, state->device),
             "device start");
    state->has_tensor_cores = major >= SSIMCU_TENSOR_MAJOR;
    TRY_CUDA(cudaStreamCreateWithFlags(&state->stream, cudaStreamNonBlocking), "device start");
    for (int i = 0; i < MARKS; i++) TRY_CUDA(cudaEventCreate(&state->mark[i]), "device start");
    TRY_CUDA(
        cudaMallocHost((void **)&state->host_sums, SSIMCU_MAX_CHANNELS * sizeof *state->host_sums),
        "pinned memory");
    return SSIMCU_OK;
}

static ssimcu_status open_state(const ssimcu_settings *settings, uint32_t index,
                                struct ssimcu_threads *threads, struct ssimcu_backend_state **state,
                                ssimcu_message *message)
{
    (void)settings, (void)threads;
    *state = NULL;
    ssimcu_status status = check_index(index, message);
    if (status != SSIMCU_OK) return status;
    struct ssimcu_backend_state *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "cuda: out of memory");
    made->device = (int)index;
    status = start(made, message);
    if (status == SSIMCU_OK)
        *state = made;
    else
        close_state(made);
    return status;
}

/* Without the event the wait goes on spinning, which is slower for others and as right. */
static void wait_asleep(struct ssimcu_backend_state *state)
{
    if (cudaEventCreateWithFlags(&state->done, cudaEventBlockingSync | cudaEventDisableTiming) ==
        cudaSuccess)
        return;
    (void)cudaGetLastError();
    state->done = NULL;
}

static ssimcu_status pin(const struct ssimcu_backend_state *state, void *data, size_t bytes,
                         ssimcu_message *message)
{
    TRY_CUDA(cudaSetDevice(state->device), "device");
    TRY_CUDA(cudaHostRegister(data, bytes, cudaHostRegisterPortable), "pinned memory");
    return SSIMCU_OK;
}

static void unpin(const struct ssimcu_backend_state *state, void *data)
{
    (void)cudaSetDevice(state->device);
    (void)cudaHostUnregister(data);
    (void)cudaGetLastError();
}

/* Makes room for `need` bytes; the old contents are not kept. */
static cudaError_t grow(struct device_buffer *buffer, size_t need)
{
    if (buffer->bytes >= need) return cudaSuccess;
    (void)cudaFree(buffer->data);
    *buffer = (struct device_buffer){0};
    const cudaError_t error = cudaMalloc(&buffer->data, need);
    if (error == cudaSuccess) buffer->bytes = need;
    return error;
}

static int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

/* Float planes, as the permute stage writes them; the buffers are set once they have grown. */
static struct ssimcu_ssim_task make_task(const struct ssimcu_backend_state *state,
                                         const struct ssimcu_shape *shape)
{
    const int64_t pitch = round_up(shape->width, ROW_FLOATS) * (int64_t)sizeof(float);
    const int64_t map_pitch = round_up(shape->map_width, ROW_FLOATS);
    const int64_t positions = (int64_t)shape->map_width * shape->map_height;
    return (struct ssimcu_ssim_task){
        .samples = SSIMCU_SSIM_F32,
        .tensor_cores = state->has_tensor_cores && positions >= SSIMCU_TENSOR_POSITIONS,
        .width = (int)shape->width,
        .height = (int)shape->height,
        .channels = (int)shape->planes,
        .frames = 1,
        .zero_pad = shape->zero_pad,
        .pitch_bytes = pitch,
        .plane_bytes = pitch * shape->height,
        .map_pitch_floats = map_pitch,
        .map_plane_floats = map_pitch * shape->map_height,
    };
}

/* The same pair as it was uploaded. */
static struct ssimcu_ssim_task make_task_u8(const struct ssimcu_ssim_task *planes)
{
    struct ssimcu_ssim_task task = *planes;
    task.samples = SSIMCU_SSIM_U8;
    task.interleaved = 1;
    task.pitch_bytes = (int64_t)task.width * task.channels;
    return task;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static ssimcu_status reserve(struct ssimcu_backend_state *state, const struct ssimcu_shape *shape,
                             ssimcu_message *message)
{
    struct ssimcu_ssim_task task = make_task(state, shape), task_u8 = make_task_u8(&task);
    const size_t partials = larger(ssimcu_ssim_partials(&task), ssimcu_ssim_partials(&task_u8));
    const size_t map = (size_t)task.map_plane_floats * shape->planes * sizeof(float);
    TRY_CUDA(cudaSetDevice(state->device), "device");
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        TRY_CUDA(grow(&state->frame[slot], shape->frame_bytes[slot]), "device memory for a frame");
    TRY_CUDA(grow(&state->partial, partials * sizeof(double)), "device memory");
    TRY_CUDA(grow(&state->sums, SSIMCU_MAX_CHANNELS * sizeof(double)), "device memory");
    if (shape->want_map) TRY_CUDA(grow(&state->map, map), "device memory for the map");
    task_u8.ref = state->frame[SSIMCU_REF].data;
    task_u8.out = state->frame[SSIMCU_OUT].data;
    task.partial = task_u8.partial = state->partial.data;
    task.map = task_u8.map = shape->want_map ? state->map.data : NULL;
    state->task = task;
    state->task_u8 = task_u8;
    state->shape = *shape;
    return SSIMCU_OK;
}

static ssimcu_status upload(struct ssimcu_backend_state *state, int slot, const ssimcu_frame *frame,
                            ssimcu_message *message)
{
    const size_t row = ssimcu_frame_row_bytes(frame);
    if (slot == SSIMCU_REF)
        TRY_CUDA(cudaEventRecord(state->mark[MARK_START], state->stream), "upload");
    TRY_CUDA(cudaMemcpy2DAsync(state->frame[slot].data, row, frame->data, frame->pitch, row,
                               frame->height, cudaMemcpyHostToDevice, state->stream),
             "upload");
    state->uploaded = 1;
    return SSIMCU_OK;
}

/* Whether the planes would hold the uploaded samples as they are, so that the u8 kernel can read
 * those instead. */
static int can_read_pixels(const struct ssimcu_backend_state *state)
{
    if (!state->task.tensor_cores) return 0;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_pixel_rule *rule = &state->rule[slot];
        if (rule->bits != 8 || rule->peak != UINT8_MAX || rule->alpha || rule->luma[1]) return 0;
        if (rule->channels != state->shape.planes) return 0;
    }
    return 1;
}

static ssimcu_status write_planes(struct ssimcu_backend_state *state, int slot,
                                  ssimcu_message *message)
{
    const size_t bytes = (size_t)state->task.plane_bytes * state->shape.planes;
    TRY_CUDA(grow(&state->planes[slot], bytes), "device memory for planes");
    const struct ssimcu_permute_pixels_task task = {
        .rule = state->rule[slot],
        .width = state->shape.width,
        .height = state->shape.height,
        .frames = 1,
        .src = state->frame[slot].data,
        .src_bytes = state->shape.frame_bytes[slot],
        .dst = state->planes[slot].data,
        .dst_pitch_floats = state->task.pitch_bytes / (int64_t)sizeof(float),
        .dst_plane_floats = state->task.plane_bytes / (int64_t)sizeof(float),
    };
    TRY_CUDA(ssimcu_permute_pixels_cuda(&task, state->stream), "permute");
    return SSIMCU_OK;
}

/* Both rules decide, so the work starts with the second. */
static ssimcu_status permute(struct ssimcu_backend_state *state, int slot,
                             const struct ssimcu_pixel_rule *rule, ssimcu_message *message)
{
    state->rule[slot] = *rule;
    if (slot == SSIMCU_REF) {
        TRY_CUDA(cudaEventRecord(state->mark[MARK_UPLOADED], state->stream), "permute");
        return SSIMCU_OK;
    }
    state->reads_pixels = can_read_pixels(state);
    if (state->reads_pixels) return SSIMCU_OK;
    const ssimcu_status status = write_planes(state, SSIMCU_REF, message);
    return status == SSIMCU_OK ? write_planes(state, SSIMCU_OUT, message) : status;
}

static ssimcu_status run_ssim(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    TRY_CUDA(cudaEventRecord(state->mark[MARK_PERMUTED], state->stream), "ssim");
    state->task.ref = state->planes[SSIMCU_REF].data;
    state->task.out = state->planes[SSIMCU_OUT].data;
    TRY_CUDA(ssimcu_ssim_cuda(state->reads_pixels ? &state->task_u8 : &state->task, state->stream),
             "ssim");
    return SSIMCU_OK;
}

static ssimcu_status reduce(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    const size_t partials =
        ssimcu_ssim_partials(state->reads_pixels ? &state->task_u8 : &state->task);
    TRY_CUDA(cudaEventRecord(state->mark[MARK_SCORED], state->stream), "reduce");
    TRY_CUDA(ssimcu_reduce_cuda(state->task.partial, partials, state->task.channels,
                                state->sums.data, state->stream),
             "reduce");
    TRY_CUDA(cudaEventRecord(state->mark[MARK_REDUCED], state->stream), "reduce");
    return SSIMCU_OK;
}

/* Time between a mark and the next; 0 when it cannot be had, for a time must not cost a score. */
static double between(const struct ssimcu_backend_state *state, int mark)
{
    float ms = 0;
    if (cudaEventElapsedTime(&ms, state->mark[mark], state->mark[mark + 1]) == cudaSuccess)
        return ms;
    (void)cudaGetLastError();
    return 0;
}

static ssimcu_status download(struct ssimcu_backend_state *state, double *sums, float *map,
                              ssimcu_stage_ms *ms, ssimcu_message *message)
{
    const struct ssimcu_shape *shape = &state->shape;
    const size_t map_row = shape->map_width * sizeof(float);
    TRY_CUDA(cudaMemcpyAsync(state->host_sums, state->sums.data, shape->planes * sizeof *sums,
                             cudaMemcpyDeviceToHost, state->stream),
             "download");
    if (map) /* planes follow each other on both sides, so they are rows of one tall picture */
        TRY_CUDA(cudaMemcpy2DAsync(map, map_row, state->map.data,
                                   (size_t)state->task.map_pitch_floats * sizeof(float), map_row,
                                   (size_t)shape->map_height * shape->planes,
                                   cudaMemcpyDeviceToHost, state->stream),
                 "download");
    TRY_CUDA(cudaEventRecord(state->mark[MARK_END], state->stream), "download");
    if (state->done) {
        TRY_CUDA(cudaEventRecord(state->done, state->stream), "scoring");
        TRY_CUDA(cudaEventSynchronize(state->done), "scoring");
    } else {
        TRY_CUDA(cudaStreamSynchronize(state->stream), "scoring");
    }
    for (uint32_t c = 0; c < shape->planes; c++) sums[c] = state->host_sums[c];
    if (state->uploaded) ms->upload += between(state, MARK_START);
    ms->permute += between(state, MARK_UPLOADED);
    ms->ssim += between(state, MARK_PERMUTED);
    ms->reduce += between(state, MARK_SCORED);
    ms->download += between(state, MARK_REDUCED);
    state->uploaded = 0;
    return SSIMCU_OK;
}

static ssimcu_status permute_plan(const struct ssimcu_permute_plan *plan, void *dst,
                                  const void *src, void *runner, ssimcu_message *message)
{
    const cudaError_t error = ssimcu_permute_cuda(plan, dst, src, runner);
    if (error == cudaErrorInsufficientDriver) return explain_driver(message);
    TRY_CUDA(error, "permute");
    return SSIMCU_OK;
}

const struct ssimcu_backend ssimcu_backend_cuda = {
    .name = "cuda",
    .build = "cpu, cuda " TEXT(SSIMCU_CUDA_VERSION),
    .count = count,
    .describe = describe,
    .open = open_state,
    .close = close_state,
    .wait_asleep = wait_asleep,
    .pin = pin,
    .unpin = unpin,
    .reserve = reserve,
    .upload = upload,
    .permute = permute,
    .ssim = run_ssim,
    .reduce = reduce,
    .download = download,
    .permute_plan = permute_plan,
};
