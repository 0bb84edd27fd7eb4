/* The host side of CUDA for pairs in host memory: stream, buffers, transfers; path.c knows the
 * kernels, device.c the devices, request.c pairs in device memory. Everything is queued on the
 * context's stream; download is the one place that waits. Pairs that are queued one behind the
 * other use the same device memory, for the stream keeps their order; each has its own sums and
 * marks.
 *
 * Large 8-bit pairs are scored from the uploaded samples: the permute stage then writes nothing and
 * takes no time. */
#include "fail.h"
#include "state.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

static void close_state(struct ssimcu_backend_state *state)
{
    if (!state) return;
    const int before = ssimcu_cuda_enter(state->device);
    struct device_buffer *const buffers[] = {&state->frame[0],  &state->frame[1], &state->planes[0],
                                             &state->planes[1], &state->partial,  &state->sums,
                                             &state->map,       &state->means};
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        (void)cudaFree(buffers[i]->data);
    (void)cudaFreeHost(state->host_sums);
    for (int i = 0; i < SSIMCU_MAX_CHANNELS * MARKS; i++)
        if (state->mark[i / MARKS][i % MARKS])
            (void)cudaEventDestroy(state->mark[i / MARKS][i % MARKS]);
    if (state->done) (void)cudaEventDestroy(state->done);
    if (state->stream) (void)cudaStreamDestroy(state->stream);
    (void)cudaGetLastError();
    ssimcu_cuda_leave(before);
    free(state);
}

static ssimcu_status start(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    TRY_CUDA(cudaSetDevice(state->device), "device start");
    int major = 0;
    TRY_CUDA(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, state->device),
             "device start");
    state->path.has_tensor_cores = major >= SSIMCU_TENSOR_MAJOR;
    TRY_CUDA(cudaStreamCreateWithFlags(&state->stream, cudaStreamNonBlocking), "device start");
    for (int i = 0; i < SSIMCU_MAX_CHANNELS * MARKS; i++)
        TRY_CUDA(cudaEventCreate(&state->mark[i / MARKS][i % MARKS]), "device start");
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
    ssimcu_status status = ssimcu_cuda_check_index(index, message);
    if (status != SSIMCU_OK) return status;
    struct ssimcu_backend_state *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "cuda: out of memory");
    made->device = (int)index;
    int before = 0;
    (void)cudaGetDevice(&before);
    status = start(made, message);
    ssimcu_cuda_leave(before);
    if (status == SSIMCU_OK)
        *state = made;
    else
        close_state(made);
    return status;
}

/* Without the event the wait goes on spinning, which is slower for others and as right. */
static void wait_asleep(struct ssimcu_backend_state *state)
{
    const int before = ssimcu_cuda_enter(state->device);
    if (cudaEventCreateWithFlags(&state->done, cudaEventBlockingSync | cudaEventDisableTiming) !=
        cudaSuccess) {
        (void)cudaGetLastError();
        state->done = NULL;
    }
    ssimcu_cuda_leave(before);
}

static ssimcu_status pin(const struct ssimcu_backend_state *state, void *data, size_t bytes,
                         ssimcu_message *message)
{
    const int before = ssimcu_cuda_enter(state->device);
    const cudaError_t error = cudaHostRegister(data, bytes, cudaHostRegisterPortable);
    ssimcu_cuda_leave(before);
    TRY_CUDA(error, "pinned memory");
    return SSIMCU_OK;
}

static void unpin(const struct ssimcu_backend_state *state, void *data)
{
    const int before = ssimcu_cuda_enter(state->device);
    (void)cudaHostUnregister(data);
    (void)cudaGetLastError();
    ssimcu_cuda_leave(before);
}

static int enter(const struct ssimcu_backend_state *state)
{
    return ssimcu_cuda_enter(state->device);
}

static cudaError_t set_mark(struct ssimcu_backend_state *state, int mark)
{
    return cudaEventRecord(state->mark[state->pairs][mark], state->stream);
}

/* Memory that a pair under way may still use is given back only after it. */
static cudaError_t grow(struct ssimcu_backend_state *state, struct device_buffer *buffer,
                        size_t need)
{
    if (buffer->bytes < need && state->pairs > 0) {
        const cudaError_t error = cudaStreamSynchronize(state->stream);
        if (error != cudaSuccess) return error;
    }
    return ssimcu_cuda_grow(buffer, need);
}

static ssimcu_status reserve(struct ssimcu_backend_state *state, const struct ssimcu_shape *shape,
                             ssimcu_message *message)
{
    struct ssimcu_path *path = &state->path;
    path->shape = *shape;
    path->frames = 1;
    const struct ssimcu_path_bytes bytes = ssimcu_path_bytes(path);
    TRY_CUDA(cudaSetDevice(state->device), "device");
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        TRY_CUDA(grow(state, &state->frame[slot], shape->frame_bytes[slot]),
                 "device memory for a frame");
    TRY_CUDA(grow(state, &state->partial, bytes.partial), "device memory");
    TRY_CUDA(grow(state, &state->sums, SSIMCU_MAX_CHANNELS * sizeof(double)), "device memory");
    TRY_CUDA(grow(state, &state->map, bytes.map), "device memory for the map");
    TRY_CUDA(grow(state, &state->means, bytes.means), "device memory for the tiles");
    path->partial = state->partial.data;
    path->map = bytes.map ? state->map.data : NULL;
    path->means = state->means.data;
    return SSIMCU_OK;
}

/* Copies the samples without what lies between rows and planes; they keep their layout. */
static ssimcu_status upload(struct ssimcu_backend_state *state, int slot, const ssimcu_view *view,
                            ssimcu_message *message)
{
    const struct ssimcu_samples host = ssimcu_view_samples(view);
    const size_t row = ssimcu_view_row_bytes(view), plane = row * view->height;
    ssimcu_view dense = *view;
    dense.layout = view->layout == SSIMCU_LAYOUT_HWC ? SSIMCU_LAYOUT_HWC : SSIMCU_LAYOUT_CHW;
    dense.pitch = row;
    dense.plane_stride = plane;
    dense.data[0] = state->frame[slot].data;
    state->path.source[slot] = ssimcu_view_samples(&dense);
    if (slot == SSIMCU_REF) TRY_CUDA(set_mark(state, MARK_START), "upload");
    for (uint32_t p = 0; p < ssimcu_view_planes(view); p++)
        TRY_CUDA(cudaMemcpy2DAsync((char *)state->frame[slot].data + p * plane, row,
                                   host.channel[p], view->pitch, row, view->height,
                                   cudaMemcpyHostToDevice, state->stream),
                 "upload");
    state->uploaded = 1;
    return SSIMCU_OK;
}

/* Both rules decide, so the work starts with the second. */
static ssimcu_status permute(struct ssimcu_backend_state *state, int slot,
                             const struct ssimcu_pixel_rule *rule, ssimcu_message *message)
{
    struct ssimcu_path *path = &state->path;
    path->rule[slot] = *rule;
    if (slot == SSIMCU_REF) {
        TRY_CUDA(set_mark(state, MARK_UPLOADED), "permute");
        return SSIMCU_OK;
    }
    for (int i = 0; i < SSIMCU_PAIR && !ssimcu_path_reads_samples(path); i++) {
        TRY_CUDA(grow(state, &state->planes[i], ssimcu_path_bytes(path).planes),
                 "device memory for planes");
        path->planes[i] = state->planes[i].data;
    }
    TRY_CUDA(ssimcu_path_permute(path, 0, state->stream), "permute");
    return SSIMCU_OK;
}

static ssimcu_status run_ssim(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    TRY_CUDA(set_mark(state, MARK_PERMUTED), "ssim");
    TRY_CUDA(ssimcu_path_ssim(&state->path, 0, state->stream), "ssim");
    return SSIMCU_OK;
}

static ssimcu_status reduce(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    TRY_CUDA(set_mark(state, MARK_SCORED), "reduce");
    state->path.sums = (double *)state->sums.data + state->sums_count;
    TRY_CUDA(ssimcu_path_reduce(&state->path, state->stream), "reduce");
    TRY_CUDA(ssimcu_path_means(&state->path, 0, state->stream), "means of tiles");
    TRY_CUDA(set_mark(state, MARK_REDUCED), "reduce");
    state->pairs++;
    state->sums_count += state->path.shape.planes;
    return SSIMCU_OK;
}

/* Time between a mark and the next; 0 when it cannot be had, for a time must not cost a score. */
static double between(const cudaEvent_t *mark)
{
    float ms = 0;
    if (cudaEventElapsedTime(&ms, mark[0], mark[1]) == cudaSuccess) return ms;
    (void)cudaGetLastError();
    return 0;
}

static void add_times(const struct ssimcu_backend_state *state, uint32_t pairs, ssimcu_stage_ms *ms)
{
    for (uint32_t i = 0; i < pairs; i++) {
        const cudaEvent_t *mark = state->mark[i];
        if (state->uploaded) ms->upload += between(&mark[MARK_START]);
        ms->permute += between(&mark[MARK_UPLOADED]);
        ms->ssim += between(&mark[MARK_PERMUTED]);
        ms->reduce += between(&mark[MARK_SCORED]);
        if (i + 1 == pairs) ms->download += between(&mark[MARK_REDUCED]);
    }
}

/* Queues the copies of the results, and the end of it all. */
static ssimcu_status queue_download(struct ssimcu_backend_state *state, float *map, double *means,
                                    ssimcu_message *message)
{
    const struct ssimcu_shape *shape = &state->path.shape;
    const size_t map_row = shape->map_width * sizeof(float);
    if (state->pairs == 0) return SSIMCU_OK;
    TRY_CUDA(cudaMemcpyAsync(state->host_sums, state->sums.data,
                             state->sums_count * sizeof *state->host_sums, cudaMemcpyDeviceToHost,
                             state->stream),
             "download");
    if (map) /* planes follow each other on both sides, so they are rows of one tall picture */
        TRY_CUDA(cudaMemcpy2DAsync(map, map_row, state->map.data,
                                   (size_t)ssimcu_path_map_pitch(shape) * sizeof(float), map_row,
                                   (size_t)shape->map_height * shape->planes,
                                   cudaMemcpyDeviceToHost, state->stream),
                 "download");
    if (means)
        TRY_CUDA(cudaMemcpyAsync(means, state->means.data, ssimcu_path_bytes(&state->path).means,
                                 cudaMemcpyDeviceToHost, state->stream),
                 "download");
    TRY_CUDA(cudaEventRecord(state->mark[state->pairs - 1][MARK_END], state->stream), "download");
    return SSIMCU_OK;
}

static ssimcu_status wait_for_stream(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    if (state->done) {
        TRY_CUDA(cudaEventRecord(state->done, state->stream), "scoring");
        TRY_CUDA(cudaEventSynchronize(state->done), "scoring");
    } else {
        TRY_CUDA(cudaStreamSynchronize(state->stream), "scoring");
    }
    return SSIMCU_OK;
}

static ssimcu_status download(struct ssimcu_backend_state *state, double *sums, float *map,
                              double *means, ssimcu_stage_ms *ms, ssimcu_message *message)
{
    const ssimcu_status queued = queue_download(state, map, means, message);
    const ssimcu_status waited = wait_for_stream(state, message);
    const uint32_t pairs = state->pairs, count = state->sums_count;
    state->pairs = state->sums_count = 0;
    if (queued != SSIMCU_OK || waited != SSIMCU_OK) return queued != SSIMCU_OK ? queued : waited;
    memcpy(sums, state->host_sums, count * sizeof *sums);
    add_times(state, pairs, ms);
    state->uploaded = 0;
    return SSIMCU_OK;
}

static ssimcu_status permute_plan(const struct ssimcu_permute_plan *plan, void *dst,
                                  const void *src, void *runner, ssimcu_message *message)
{
    const cudaError_t error = ssimcu_permute_cuda(plan, dst, src, runner);
    if (error == cudaErrorInsufficientDriver) return ssimcu_cuda_explain_driver(message);
    TRY_CUDA(error, "permute");
    return SSIMCU_OK;
}

const struct ssimcu_backend ssimcu_backend_cuda = {
    .name = "cuda",
    .build = "cpu, cuda " TEXT(SSIMCU_CUDA_VERSION),
    .count = ssimcu_cuda_count,
    .describe = ssimcu_cuda_describe,
    .open = open_state,
    .close = close_state,
    .wait_asleep = wait_asleep,
    .pin = pin,
    .unpin = unpin,
    .enter = enter,
    .leave = ssimcu_cuda_leave,
    .reserve = reserve,
    .upload = upload,
    .permute = permute,
    .ssim = run_ssim,
    .reduce = reduce,
    .download = download,
    .request_bytes = ssimcu_cuda_request_bytes,
    .request_open = ssimcu_cuda_request_open,
    .request_close = ssimcu_cuda_request_close,
    .request_submit = ssimcu_cuda_request_submit,
    .request_poll = ssimcu_cuda_request_poll,
    .request_wait = ssimcu_cuda_request_wait,
    .permute_plan = permute_plan,
};
