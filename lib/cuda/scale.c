/* Scaling on CUDA: memory for scaled planes, and tables that are uploaded once. */
#include "fail.h"
#include "kernels.h"
#include "state.h"

#include <stdlib.h>

/* The tables of an axis in device memory. */
struct ssimcu_cuda_taps {
    struct ssimcu_cuda_taps *next;
    const int32_t *host; /* identifies the tables */
    void *device;
};

void ssimcu_cuda_scale_free(struct ssimcu_backend_state *state)
{
    for (int i = 0; i < SSIMCU_SCALE_PLACES; i++) ssimcu_cuda_free(&state->scaled[i]);
    while (state->taps) {
        struct ssimcu_cuda_taps *const next = state->taps->next;
        (void)cudaFree(state->taps->device);
        free(state->taps);
        state->taps = next;
    }
}

/* Replaces the taps by those in device memory, and uploads them if they are new. */
static ssimcu_status upload(struct ssimcu_backend_state *state, struct ssimcu_taps *taps,
                            ssimcu_message *message)
{
    const size_t left = taps->to * sizeof *taps->left;
    const size_t bytes = left + (size_t)taps->to * taps->width * sizeof *taps->weight;
    struct ssimcu_cuda_taps *entry = state->taps;
    while (entry && entry->host != taps->left) entry = entry->next;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!entry) return ssimcu_no_memory(message, "the weights of a scale");
        entry->next = state->taps;
        state->taps = entry;
        TRY_CUDA(cudaMalloc(&entry->device, bytes), "device memory");
        TRY_CUDA(cudaMemcpyAsync(entry->device, taps->left, bytes, cudaMemcpyHostToDevice,
                                 state->stream),
                 "upload");
        entry->host = taps->left; /* only now, so that they are uploaded again after an error */
    }
    taps->left = entry->device;
    taps->weight = (const int16_t *)(const void *)((const char *)entry->device + left);
    return SSIMCU_OK;
}

static ssimcu_status queue(struct ssimcu_backend_state *state, struct ssimcu_scale_task *task,
                           uint32_t place, ssimcu_message *message)
{
    struct ssimcu_cuda_memory *const plane = &state->scaled[place];
    const int32_t *const across = task->across.left, *const down = task->down.left;
    TRY(ssimcu_cuda_grow(plane, (size_t)task->dst_pitch * task->down.to, message));
    TRY(upload(state, &task->across, message));
    TRY(upload(state, &task->down, message));
    task->dst = plane->data;
    TRY_CUDA(ssimcu_scale_cuda(task, across, down, state->stream), "scaling");
    return SSIMCU_OK;
}

ssimcu_status ssimcu_cuda_scale(struct ssimcu_backend_state *state, struct ssimcu_scale_task *task,
                                uint32_t place, ssimcu_message *message)
{
    const struct ssimcu_cuda_current before = ssimcu_cuda_enter(state->device);
    const ssimcu_status status = queue(state, task, place, message);
    ssimcu_cuda_leave(before);
    return status;
}
