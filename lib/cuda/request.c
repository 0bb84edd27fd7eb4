/* Pairs in device memory, on the caller's stream: everything is allocated once, a submission queues
 * launches, a download into pinned memory and an event, and nothing else.
 *
 * The device memory is one block: planes of one pair (none where samples are read as they lie),
 * partial sums and results of all pairs. Pairs and passes follow each other on the stream, so they
 * can share it. */
#include "state.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 256 }; /* each part of the block starts at a multiple, as an allocation does */

/* Where each part of the block starts, and its end. */
struct block {
    size_t planes[SSIMCU_PAIR], partial, map, results, end;
};

struct ssimcu_backend_request {
    int device;
    int reads_host_memory; /* the device can read pageable host memory */
    struct ssimcu_request_plan plan;
    struct ssimcu_path path; /* of the first pass; frames, memory */
    struct block block;
    void *memory;      /* device */
    double *results;   /* pinned: the sums of every pass, then the means of every pass */
    size_t sums_count; /* of one pass */
    size_t means_count;
    cudaEvent_t done;
};

static struct ssimcu_path make_path(const struct ssimcu_backend_state *state,
                                    const struct ssimcu_request_plan *plan)
{
    struct ssimcu_path path = {
        .shape = plan->shape,
        .frames = plan->frames,
        .has_tensor_cores = state->path.has_tensor_cores,
    };
    memcpy(path.source, plan->source, sizeof path.source);
    memcpy(path.rule, plan->rule[0], sizeof path.rule);
    return path;
}

static size_t take(size_t *end, size_t bytes)
{
    const size_t start = *end;
    *end += (bytes + PART_BYTES - 1) / PART_BYTES * PART_BYTES;
    return start;
}

static struct block lay_out(const struct ssimcu_path *path, uint32_t passes)
{
    const struct ssimcu_path_bytes bytes = ssimcu_path_bytes(path);
    const int planes = !ssimcu_path_reads_samples(path);
    struct block block = {.end = 0};
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        block.planes[slot] = take(&block.end, planes ? bytes.planes : 0);
    block.partial = take(&block.end, bytes.partial);
    block.map = take(&block.end, bytes.map);
    block.results = take(&block.end, (bytes.sums + bytes.means) * passes);
    return block;
}

static size_t results_bytes(const struct ssimcu_path *path, uint32_t passes)
{
    const struct ssimcu_path_bytes bytes = ssimcu_path_bytes(path);
    return (bytes.sums + bytes.means) * passes;
}

static ssimcu_status check_size(const struct ssimcu_path *path, ssimcu_message *message)
{
    if (ssimcu_path_fits(path)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_LIMIT, "frames: %u of %ux%u pixels are too many",
                       path->frames, path->shape.width, path->shape.height);
}

ssimcu_status ssimcu_cuda_request_bytes(const struct ssimcu_backend_state *state,
                                        const struct ssimcu_request_plan *plan,
                                        uint64_t *device_bytes, uint64_t *pinned_bytes,
                                        ssimcu_message *message)
{
    const struct ssimcu_path path = make_path(state, plan);
    *device_bytes = lay_out(&path, plan->passes).end;
    *pinned_bytes = results_bytes(&path, plan->passes);
    return check_size(&path, message);
}

static ssimcu_status start(struct ssimcu_backend_request *work, ssimcu_message *message)
{
    const unsigned flags =
        cudaEventDisableTiming | (work->plan.wait_asleep ? cudaEventBlockingSync : 0);
    TRY_CUDA(cudaSetDevice(work->device), "device");
    TRY_CUDA(cudaDeviceGetAttribute(&work->reads_host_memory, cudaDevAttrPageableMemoryAccess,
                                    work->device),
             "device");
    TRY_CUDA(cudaEventCreateWithFlags(&work->done, flags), "request");
    TRY_CUDA(cudaMallocHost((void **)&work->results, results_bytes(&work->path, work->plan.passes)),
             "pinned memory");
    TRY_CUDA(cudaMalloc(&work->memory, work->block.end), "device memory for a request");
    return SSIMCU_OK;
}

ssimcu_status ssimcu_cuda_request_open(const struct ssimcu_backend_state *state,
                                       const struct ssimcu_request_plan *plan,
                                       struct ssimcu_backend_request **work,
                                       ssimcu_message *message)
{
    *work = NULL;
    struct ssimcu_backend_request *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "cuda: out of memory");
    made->device = state->device;
    made->plan = *plan;
    made->path = make_path(state, plan);
    made->block = lay_out(&made->path, plan->passes);
    made->sums_count = (size_t)plan->shape.planes * plan->frames;
    made->means_count = (size_t)plan->shape.grid.columns * plan->shape.grid.rows * plan->frames;
    ssimcu_status status = check_size(&made->path, message);
    if (status == SSIMCU_OK) {
        const int before = ssimcu_cuda_enter(made->device);
        status = start(made, message);
        ssimcu_cuda_leave(before);
    }
    if (status == SSIMCU_OK)
        *work = made;
    else
        ssimcu_cuda_request_close(made);
    return status;
}

void ssimcu_cuda_request_close(struct ssimcu_backend_request *work)
{
    if (!work) return;
    const int before = ssimcu_cuda_enter(work->device);
    if (work->done) {
        (void)cudaEventSynchronize(work->done);
        (void)cudaEventDestroy(work->done);
    }
    (void)cudaFree(work->memory);
    (void)cudaFreeHost(work->results);
    (void)cudaGetLastError();
    ssimcu_cuda_leave(before);
    free(work);
}

/* A pointer that the device cannot read would end the whole process's use of it. */
static ssimcu_status check_pointer(const struct ssimcu_backend_request *work, const char *name,
                                   uint32_t index, const void *data, ssimcu_message *message)
{
    struct cudaPointerAttributes attributes;
    TRY_CUDA(cudaPointerGetAttributes(&attributes, data), "pointer");
    if (attributes.type == cudaMemoryTypeUnregistered && !work->reads_host_memory)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "%s: data[%u] is host memory, expected memory of cuda:%d", name, index,
                           work->device);
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != work->device)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "%s: data[%u] is memory of cuda:%d, expected cuda:%d", name, index,
                           attributes.device, work->device);
    return SSIMCU_OK;
}

static ssimcu_status check_pointers(const struct ssimcu_backend_request *work,
                                    const struct ssimcu_samples source[SSIMCU_PAIR],
                                    ssimcu_message *message)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 0; c < work->path.rule[slot].channels; c++) {
            if (c > 0 && source[slot].step > 1) continue; /* of the same pixels */
            const ssimcu_status status = check_pointer(work, slot == SSIMCU_REF ? "ref" : "out", c,
                                                       source[slot].channel[c], message);
            if (status != SSIMCU_OK) return status;
        }
    return SSIMCU_OK;
}

/* The path of one pass, with its memory. */
static struct ssimcu_path pass_path(const struct ssimcu_backend_request *work,
                                    const struct ssimcu_samples source[SSIMCU_PAIR], uint32_t pass)
{
    const uint32_t passes = work->plan.passes;
    struct ssimcu_path path = work->path;
    char *memory = work->memory;
    double *results = (double *)(void *)(memory + work->block.results);
    memcpy(path.source, source, sizeof path.source);
    memcpy(path.rule, work->plan.rule[pass], sizeof path.rule);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        path.planes[slot] = (float *)(void *)(memory + work->block.planes[slot]);
    path.partial = (double *)(void *)(memory + work->block.partial);
    path.map = work->means_count ? (float *)(void *)(memory + work->block.map) : NULL;
    path.sums = results + pass * work->sums_count;
    path.means = results + passes * work->sums_count + pass * work->means_count;
    return path;
}

static cudaError_t queue(struct ssimcu_backend_request *work,
                         const struct ssimcu_samples source[SSIMCU_PAIR], cudaStream_t stream)
{
    const size_t bytes = results_bytes(&work->path, work->plan.passes);
    for (uint32_t pass = 0; pass < work->plan.passes; pass++) {
        const struct ssimcu_path path = pass_path(work, source, pass);
        const cudaError_t error = ssimcu_path_run(&path, stream);
        if (error != cudaSuccess) return error;
    }
    return cudaMemcpyAsync(work->results, (char *)work->memory + work->block.results, bytes,
                           cudaMemcpyDeviceToHost, stream);
}

ssimcu_status ssimcu_cuda_request_submit(struct ssimcu_backend_request *work,
                                         const struct ssimcu_samples source[SSIMCU_PAIR],
                                         void *stream, ssimcu_message *message)
{
    const int before = ssimcu_cuda_enter(work->device);
    ssimcu_status status = check_pointers(work, source, message);
    if (status == SSIMCU_OK) {
        const cudaError_t queued = queue(work, source, stream);
        /* also after an error: what was queued uses the memory until this event */
        const cudaError_t marked = cudaEventRecord(work->done, stream);
        const cudaError_t error = queued != cudaSuccess ? queued : marked;
        if (error == cudaErrorInvalidResourceHandle)
            status = ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                                 "stream: expected a stream of cuda:%d", work->device);
        else if (error != cudaSuccess)
            status = ssimcu_cuda_fail(error, "submit", message);
    }
    (void)cudaGetLastError();
    ssimcu_cuda_leave(before);
    return status;
}

ssimcu_status ssimcu_cuda_request_poll(struct ssimcu_backend_request *work, uint32_t *done,
                                       ssimcu_message *message)
{
    const cudaError_t error = cudaEventQuery(work->done);
    *done = error == cudaSuccess;
    if (error == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* it is no error */
        return SSIMCU_OK;
    }
    TRY_CUDA(error, "scoring");
    return SSIMCU_OK;
}

ssimcu_status ssimcu_cuda_request_wait(struct ssimcu_backend_request *work, const double **sums,
                                       const double **means, ssimcu_message *message)
{
    TRY_CUDA(cudaEventSynchronize(work->done), "scoring");
    *sums = work->results;
    *means = work->results + work->sums_count * work->plan.passes;
    return SSIMCU_OK;
}
