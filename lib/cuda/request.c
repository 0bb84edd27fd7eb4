/* Pairs in device memory, on the caller's stream. Everything is allocated once. A submission only
 * queues launches, a download into pinned memory if results are many, and an event. */
#include "fail.h"
#include "state.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct ssimcu_backend_request {
    int device;
    int reads_host_memory; /* the device can read pageable host memory */
    struct ssimcu_plan plan;
    struct ssimcu_cuda_layout layout;
    struct ssimcu_cuda_place place; /* parts of the block, and the plan's curves */
    void *block;                    /* device memory */
    double *results;                /* pinned memory */
    cudaEvent_t done;
};

/* Blocks and partial sums are counted in 32 bits. */
static ssimcu_status check_size(const struct ssimcu_plan *plan, ssimcu_message *message)
{
    if (plan->bytes.partial / sizeof(double) <= (size_t)INT_MAX) return SSIMCU_OK;
    FAIL(LIMIT, "frames: %u of %ux%u pixels are too many", plan->pairs, plan->shape.width,
         plan->shape.height);
}

static ssimcu_status count_bytes(const struct ssimcu_plan *plan, uint64_t *device_bytes,
                                 uint64_t *pinned_bytes, ssimcu_message *message)
{
    *device_bytes = ssimcu_cuda_lay_out(plan, 1, 0).end;
    *pinned_bytes = plan->bytes.results;
    return check_size(plan, message);
}

/* Sets the request's curves once, because all submissions read them. Waits for the copy, on the
 * default stream. */
static ssimcu_status set_curves(struct ssimcu_backend_request *request, ssimcu_message *message)
{
    request->place = ssimcu_cuda_place(&request->layout, request->block);
    if (!request->plan.fixed) return SSIMCU_OK;
    struct ssimcu_curve *curve = calloc(SSIMCU_PAIR, sizeof *curve);
    if (!curve) return ssimcu_no_memory(message, "a curve");
    const cudaError_t queued = ssimcu_cuda_set_curves(&request->plan, curve, &request->place, NULL);
    const cudaError_t copied = cudaStreamSynchronize(NULL);
    free(curve);
    TRY_CUDA(queued, "upload");
    TRY_CUDA(copied, "upload");
    return SSIMCU_OK;
}

static ssimcu_status start(struct ssimcu_backend_request *request, int wait_asleep,
                           ssimcu_message *message)
{
    const unsigned flags = cudaEventDisableTiming | (wait_asleep ? cudaEventBlockingSync : 0);
    TRY(ssimcu_cuda_check_current(request->device, message));
    TRY_CUDA(cudaDeviceGetAttribute(&request->reads_host_memory, cudaDevAttrPageableMemoryAccess,
                                    request->device),
             "device");
    TRY_CUDA(cudaEventCreateWithFlags(&request->done, flags), "request");
    TRY_CUDA(cudaMallocHost((void **)&request->results, request->plan.bytes.results),
             "pinned memory");
    TRY_CUDA(cudaMalloc(&request->block, request->layout.end), "device memory for a request");
    return set_curves(request, message);
}

static void close_request(struct ssimcu_backend_request *request)
{
    if (!request) return;
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(request->device);
    if (request->done) {
        (void)cudaEventSynchronize(request->done);
        (void)cudaEventDestroy(request->done);
    }
    (void)cudaFree(request->block);
    (void)cudaFreeHost(request->results);
    (void)cudaGetLastError();
    ssimcu_cuda_leave(before);
    free(request);
}

static ssimcu_status open_request(const struct ssimcu_backend_state *state,
                                  const struct ssimcu_plan *plan, int wait_asleep,
                                  struct ssimcu_backend_request **request, ssimcu_message *message)
{
    *request = NULL;
    struct ssimcu_backend_request *made = calloc(1, sizeof *made);
    if (!made) return ssimcu_no_memory(message, "a request");
    made->device = state->device;
    made->plan = *plan;
    made->layout = ssimcu_cuda_lay_out(plan, 1, 0);
    ssimcu_status status = check_size(plan, message);
    if (status == SSIMCU_OK) {
        const struct ssimcu_cuda_current before = ssimcu_cuda_enter(made->device);
        status = start(made, wait_asleep, message);
        ssimcu_cuda_leave(before);
    }
    if (status != SSIMCU_OK) close_request(made);
    if (status == SSIMCU_OK) *request = made;
    return status;
}

/* Checks a pointer. If the device could not read it, the crash would make the device unusable for
 * the whole process. */
static ssimcu_status check_pointer(const struct ssimcu_backend_request *request, const char *name,
                                   uint32_t index, const void *data, ssimcu_message *message)
{
    struct cudaPointerAttributes attributes;
    TRY_CUDA(cudaPointerGetAttributes(&attributes, data), "pointer");
    if (attributes.type == cudaMemoryTypeUnregistered && !request->reads_host_memory)
        FAIL(ARGUMENT, "%s: data[%u] is host memory, expected memory of cuda:%d", name, index,
             request->device);
    if (attributes.type == cudaMemoryTypeDevice && attributes.device != request->device)
        FAIL(ARGUMENT, "%s: data[%u] is memory of cuda:%d, expected cuda:%d", name, index,
             attributes.device, request->device);
    return SSIMCU_OK;
}

static ssimcu_status check_pointers(const struct ssimcu_backend_request *request,
                                    const struct ssimcu_samples samples[SSIMCU_PAIR],
                                    ssimcu_message *message)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 0; c < request->plan.rule[0][slot].channels; c++) {
            if (c > 0 && !samples[slot].planar) continue; /* its pixels belong to channel 0 */
            TRY(check_pointer(request, slot == SSIMCU_REF ? "ref" : "out", c,
                              samples[slot].channel[c], message));
        }
    return SSIMCU_OK;
}

/* Fails with DEVICE, whatever cause CUDA names, because work in progress has failed. Even a lack of
 * memory may stem from an earlier launch. A second query would then return old results. */
static ssimcu_status work_failed(cudaError_t error, const char *what, ssimcu_message *message)
{
    (void)ssimcu_cuda_fail(error, what, message);
    return SSIMCU_ERROR_DEVICE;
}

/* Checks that the stream belongs to the request's device, by recording the event: a stream of
 * another device refuses it. A kernel would not be refused. It would run there and crash on memory
 * that it cannot read. */
static ssimcu_status check_stream(const struct ssimcu_backend_request *request, cudaStream_t stream,
                                  ssimcu_message *message)
{
    const cudaError_t error = cudaEventRecord(request->done, stream);
    if (error == cudaErrorInvalidResourceHandle)
        FAIL(ARGUMENT, "stream: expected a stream of cuda:%d", request->device);
    return error == cudaSuccess ? SSIMCU_OK : work_failed(error, "submit", message);
}

/* Returns whether kernels write the results directly into pinned memory. This saves the final copy:
 * 4 us for a 4K pair (H100), 5 with tiles (H200). Counting pixels needs atomics, which host memory
 * may not support. */
static int writes_through(const struct ssimcu_plan *plan) { return !ssimcu_plan_counts(plan); }

static cudaError_t queue(const struct ssimcu_backend_request *request,
                         const struct ssimcu_samples samples[SSIMCU_PAIR], cudaStream_t stream)
{
    const struct ssimcu_plan *plan = &request->plan;
    struct ssimcu_cuda_place place = request->place;
    memcpy(place.samples, samples, sizeof place.samples);
    if (writes_through(plan)) place.results = request->results;
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        const cudaError_t error = ssimcu_cuda_launch(plan, pass, &place, NULL, stream);
        if (error != cudaSuccess) return error;
    }
    return writes_through(plan)
               ? cudaSuccess
               : cudaMemcpyAsync(request->results, place.results, plan->bytes.results,
                                 cudaMemcpyDeviceToHost, stream);
}

static ssimcu_status submit(struct ssimcu_backend_request *request,
                            const struct ssimcu_samples samples[SSIMCU_PAIR], void *stream,
                            ssimcu_message *message)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(request->device);
    ssimcu_status status = check_pointers(request, samples, message);
    if (status == SSIMCU_OK) status = check_stream(request, stream, message);
    if (status == SSIMCU_OK) {
        const cudaError_t queued = queue(request, samples, stream);
        /* The event is recorded even after an error, because queued work uses the memory until
         * then. */
        const cudaError_t marked = cudaEventRecord(request->done, stream);
        if (marked != cudaSuccess) /* no event marks when the memory is free again */
            status = work_failed(marked, "submit", message);
        else if (queued != cudaSuccess)
            status = ssimcu_cuda_fail(queued, "submit", message);
    }
    (void)cudaGetLastError();
    ssimcu_cuda_leave(before);
    return status;
}

static ssimcu_status poll(struct ssimcu_backend_request *request, uint32_t *done,
                          ssimcu_message *message)
{
    const cudaError_t error = cudaEventQuery(request->done);
    *done = error == cudaSuccess;
    if (error == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* work in progress is not an error */
        return SSIMCU_OK;
    }
    return error == cudaSuccess ? SSIMCU_OK : work_failed(error, "scoring", message);
}

static ssimcu_status collect(struct ssimcu_backend_request *request, struct ssimcu_results *results,
                             ssimcu_message *message)
{
    const cudaError_t error = cudaEventSynchronize(request->done);
    if (error != cudaSuccess) return work_failed(error, "scoring", message);
    *results = ssimcu_plan_results(&request->plan, request->results);
    return SSIMCU_OK;
}

const struct ssimcu_backend_requests ssimcu_cuda_requests = {
    .bytes = count_bytes,
    .open = open_request,
    .close = close_request,
    .submit = submit,
    .poll = poll,
    .collect = collect,
};
