/* The host side of CUDA for pairs in host memory: stream, memory, transfers, times. launch.c
 * handles kernels, memory.c the parts of the memory, device.c devices, and request.c pairs in
 * device memory. Everything is queued on the context's stream, and only collect waits. Consecutive
 * plans use the same device memory, because the stream keeps their order. Each plan has separate
 * results and marks. */
#include "cuda/metrics.h"
#include "fail.h"
#include "state.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_FLOATS = 32 }; /* planes and maps start each row on 128 bytes, a cache line */

/* ---- Opening and closing --------------------------------------------------------------------- */

/* Returns the state's event `index` among those that measure time, or NULL past the last. */
static cudaEvent_t *timing_event(struct ssimcu_backend_state *state, int index)
{
    enum { EACH = 5 };
    if (index == SSIMCU_CUDA_RUNS * EACH) return &state->end;
    if (index > SSIMCU_CUDA_RUNS * EACH) return NULL;
    struct ssimcu_cuda_run *run = &state->run[index / EACH];
    cudaEvent_t *const event[EACH] = {&run->upload, &run->marks.begin, &run->marks.planes,
                                      &run->marks.ssim, &run->marks.reduce};
    return event[index % EACH];
}

static void close_state(struct ssimcu_backend_state *state)
{
    if (!state) return;
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    ssimcu_cuda_scale_free(state);
    ssimcu_cuda_free(&state->patches);
    ssimcu_cuda_free(&state->block);
    ssimcu_cuda_free(&state->host_results);
    cudaEvent_t *event;
    for (int i = 0; (event = timing_event(state, i)) != NULL; i++)
        if (*event) (void)cudaEventDestroy(*event);
    if (state->done) (void)cudaEventDestroy(state->done);
    if (state->stream) (void)cudaStreamDestroy(state->stream);
    (void)cudaGetLastError();
    ssimcu_cuda_leave(before);
    free(state);
}

/* Creates the event that lets a wait sleep. Without it the wait spins, which is correct but
 * occupies the core. */
static void wait_asleep(struct ssimcu_backend_state *state)
{
    if (cudaEventCreateWithFlags(&state->done, cudaEventBlockingSync | cudaEventDisableTiming) ==
        cudaSuccess)
        return;
    (void)cudaGetLastError();
    state->done = NULL;
}

static ssimcu_status start(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    TRY(ssimcu_cuda_check_current(state->device, message));
    int code = 0;
    TRY_CUDA(ssimcu_code_architecture(&code), "device start");
    state->traits = (struct ssimcu_traits){.uploads = 1,
                                           .has_tensor_cores = code >= SSIMCU_TENSOR_CODE,
                                           .row_floats = ROW_FLOATS,
                                           .partials = ssimcu_cuda_partials};
    TRY_CUDA(cudaStreamCreateWithFlags(&state->stream, cudaStreamNonBlocking), "device start");
    cudaEvent_t *event;
    for (int i = 0; (event = timing_event(state, i)) != NULL; i++)
        TRY_CUDA(cudaEventCreate(event), "device start");
    return SSIMCU_OK;
}

static ssimcu_status open_state(const struct ssimcu_config *config, uint32_t index,
                                struct ssimcu_backend_state **state, ssimcu_message *message)
{
    *state = NULL;
    TRY(ssimcu_cuda_check_index(index, message));
    struct ssimcu_backend_state *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, "a context");
    made->device = (int)index;
    made->host_results.pinned = made->patches.pinned = 1;
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(made->device);
    const ssimcu_status status = start(made, message);
    if (status == SSIMCU_OK && config->settings.wait_asleep) wait_asleep(made);
    ssimcu_cuda_leave(before);
    if (status != SSIMCU_OK) close_state(made);
    if (status == SSIMCU_OK) *state = made;
    return status;
}

static const struct ssimcu_traits *traits(const struct ssimcu_backend_state *state)
{
    return &state->traits;
}

/* ---- Pinned memory --------------------------------------------------------------------------- */

static ssimcu_status pin(const struct ssimcu_backend_state *state, void *data, size_t bytes,
                         ssimcu_message *message)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    const cudaError_t error = cudaHostRegister(data, bytes, cudaHostRegisterPortable);
    ssimcu_cuda_leave(before);
    TRY_CUDA(error, "pinned memory");
    return SSIMCU_OK;
}

static void unpin(const struct ssimcu_backend_state *state, void *data)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    (void)cudaHostUnregister(data);
    (void)cudaGetLastError();
    ssimcu_cuda_leave(before);
}

/* ---- Reserving ------------------------------------------------------------------------------- */

static ssimcu_status reserve(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                             uint32_t plans, ssimcu_message *message)
{
    state->plans = state->runs = 0;
    state->results_bytes = 0;
    state->layout = ssimcu_cuda_lay_out(plan, plans, 1);
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    ssimcu_status status = ssimcu_cuda_grow(&state->block, state->layout.end, message);
    if (status == SSIMCU_OK)
        status = ssimcu_cuda_grow(&state->host_results, state->layout.results_bytes, message);
    ssimcu_cuda_leave(before);
    return status;
}

/* ---- Submitting ------------------------------------------------------------------------------ */

/* Copies the samples without the padding between rows and planes, and sets *samples to the copy. */
static ssimcu_status upload(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                            int slot, char *to, struct ssimcu_samples *samples,
                            ssimcu_message *message)
{
    const struct ssimcu_samples *host = &plan->host[slot];
    const uint32_t channels = plan->rule[0][slot].channels, planes = host->planar ? channels : 1;
    const size_t sample = ssimcu_sample_bytes(host->type), pixel = host->step * sample;
    const size_t row = (size_t)plan->samples[slot].pitch_bytes, plane = row * plan->shape.height;
    const size_t used = row - pixel + channels / planes * sample; /* bytes that hold samples */
    *samples = plan->samples[slot];
    for (uint32_t c = 0; c < channels; c++)
        samples->channel[c] = to + c * (host->planar ? plane : sample);
    for (uint32_t p = 0; p < planes; p++)
        TRY_CUDA(cudaMemcpy2DAsync(to + p * plane, row, host->channel[p], (size_t)host->pitch_bytes,
                                   used, plan->shape.height, cudaMemcpyDefault, state->stream),
                 "upload");
    return SSIMCU_OK;
}

/* Uploads the pair, and U and V for SSIMULACRA2 if it is Y. */
static ssimcu_status upload_all(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                                struct ssimcu_cuda_place *place, ssimcu_message *message)
{
    const struct ssimcu_cuda_metrics_layout layout = ssimcu_cuda_metrics_lay_out(plan);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        TRY(upload(state, plan, slot,
                   ssimcu_cuda_part(state->block.data, state->layout.samples[slot]),
                   &place->samples[slot], message));
    for (int i = 0; plan->chroma && i < SSIMCU_CUDA_CHROMA * SSIMCU_PAIR; i++) {
        const int p = i / SSIMCU_PAIR, slot = i % SSIMCU_PAIR;
        TRY(upload(state, &plan->chroma[p], slot,
                   ssimcu_cuda_part(place->metrics, layout.chroma[p][slot]),
                   &place->chroma[p][slot], message));
    }
    return SSIMCU_OK;
}

static ssimcu_status launch(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                            const struct ssimcu_cuda_place *place, ssimcu_message *message)
{
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        struct ssimcu_cuda_run *run = &state->run[state->runs++];
        run->uploads = pass == 0;
        run->has_planes = plan->kernel != SSIMCU_KERNEL_SAMPLES;
        TRY_CUDA(ssimcu_cuda_launch(plan, pass, place, &run->marks, state->stream), "scoring");
    }
    return SSIMCU_OK;
}

static ssimcu_status queue(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                           float *map, ssimcu_message *message)
{
    const size_t map_row = plan->shape.map_width * sizeof(float);
    struct ssimcu_cuda_place place = ssimcu_cuda_place(&state->layout, state->block.data);
    place.results += state->results_bytes / sizeof *place.results;
    TRY_CUDA(cudaEventRecord(state->run[state->runs].upload, state->stream), "upload");
    TRY_CUDA(ssimcu_cuda_set_curves(plan, state->curve, &place, state->stream), "upload");
    TRY(upload_all(state, plan, &place, message));
    TRY(launch(state, plan, &place, message));
    if (map) /* Planes follow each other on both sides, so they are rows of one tall picture. */
        TRY_CUDA(cudaMemcpy2DAsync(map, map_row, place.map, (size_t)plan->map_pitch * sizeof(float),
                                   map_row, (size_t)plan->shape.map_height * plan->shape.planes,
                                   cudaMemcpyDeviceToHost, state->stream),
                 "download");
    return SSIMCU_OK;
}

static ssimcu_status submit(struct ssimcu_backend_state *state, const struct ssimcu_plan *plan,
                            float *map, ssimcu_message *message)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    const ssimcu_status status = queue(state, plan, map, message);
    ssimcu_cuda_leave(before);
    state->submitted[state->plans++] =
        ssimcu_plan_results(plan, (const char *)state->host_results.data + state->results_bytes);
    state->results_bytes += plan->bytes.results;
    return status;
}

/* ---- Collecting ------------------------------------------------------------------------------ */

/* Returns the time between two marks. It is 0 if it cannot be read, because that must not fail a
 * score. */
static double between(cudaEvent_t from, cudaEvent_t to)
{
    float ms = 0;
    if (cudaEventElapsedTime(&ms, from, to) == cudaSuccess) return ms;
    (void)cudaGetLastError();
    return 0;
}

static void add_times(const struct ssimcu_backend_state *state, ssimcu_stage_ms *ms)
{
    for (uint32_t i = 0; i < state->runs; i++) {
        const struct ssimcu_cuda_run *run = &state->run[i];
        const struct ssimcu_cuda_marks *marks = &run->marks;
        if (run->uploads) ms->upload += between(run->upload, marks->begin);
        if (run->has_planes) ms->planes += between(marks->begin, marks->planes);
        ms->ssim += between(run->has_planes ? marks->planes : marks->begin, marks->ssim);
        ms->reduce += between(marks->ssim, marks->reduce);
    }
    if (state->runs > 0)
        ms->download += between(state->run[state->runs - 1].marks.reduce, state->end);
}

static ssimcu_status queue_download(struct ssimcu_backend_state *state, ssimcu_message *message)
{
    if (state->results_bytes == 0) return SSIMCU_OK;
    TRY_CUDA(cudaMemcpyAsync(state->host_results.data,
                             ssimcu_cuda_part(state->block.data, state->layout.results),
                             state->results_bytes, cudaMemcpyDeviceToHost, state->stream),
             "download");
    TRY_CUDA(cudaEventRecord(state->end, state->stream), "download");
    return SSIMCU_OK;
}

static ssimcu_status collect(struct ssimcu_backend_state *state, struct ssimcu_results *results,
                             ssimcu_stage_ms *ms, ssimcu_message *message)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    const ssimcu_status queued = queue_download(state, message);
    const ssimcu_status waited = ssimcu_cuda_wait(state->stream, state->done, message);
    if (queued == SSIMCU_OK && waited == SSIMCU_OK) {
        memcpy(results, state->submitted, state->plans * sizeof *results);
        add_times(state, ms);
    }
    ssimcu_cuda_leave(before);
    return queued != SSIMCU_OK ? queued : waited;
}

/* ---- Reading back ---------------------------------------------------------------------------- */

static ssimcu_status read_rows(struct ssimcu_backend_state *state, const struct ssimcu_rows *rows,
                               ssimcu_message *message)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    const cudaError_t error =
        cudaMemcpy2DAsync(rows->to, rows->to_pitch, rows->from, rows->from_pitch, rows->bytes,
                          rows->count, cudaMemcpyDefault, state->stream);
    const ssimcu_status waited = ssimcu_cuda_wait(state->stream, state->done, message);
    ssimcu_cuda_leave(before);
    TRY_CUDA(error, "reading a view");
    return waited;
}

/* ---- Permute --------------------------------------------------------------------------------- */

static ssimcu_status permute(const struct ssimcu_permute_plan *plan, void *dst, const void *src,
                             void *runner, ssimcu_message *message)
{
    const cudaError_t error = ssimcu_permute_cuda(plan, dst, src, runner);
    if (error == cudaErrorInsufficientDriver) return ssimcu_cuda_explain_driver(message);
    TRY_CUDA(error, "permute");
    return SSIMCU_OK;
}

const struct ssimcu_backend ssimcu_backend_cuda = {
    .name = "cuda",
    .build = "cpu, cuda " SSIMCU_TEXT(SSIMCU_CUDA_VERSION),
    .count = ssimcu_cuda_count,
    .describe = ssimcu_cuda_describe,
    .open = open_state,
    .close = close_state,
    .traits = traits,
    .pin = pin,
    .unpin = unpin,
    .reserve = reserve,
    .submit = submit,
    .collect = collect,
    .read = read_rows,
    .patches = ssimcu_cuda_patches,
    .scale = ssimcu_cuda_scale,
    .requests = &ssimcu_cuda_requests,
    .loss_bytes = ssimcu_cuda_loss_bytes,
    .loss = ssimcu_cuda_loss,
    .loss_scale = ssimcu_cuda_loss_scale,
    .permute = permute,
};
