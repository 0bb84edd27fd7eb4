/* Requests score pairs in device memory on the caller's stream. The description is checked once,
 * when the request is made, and a submission must repeat it. */
#include "api/context.h"
#include "fail.h"
#include "plan/outputs.h"
#include "plan/view.h"
#include "sized.h"
#include "ssimcu_cuda.h"

#include <stdlib.h>
#include <string.h>

struct ssimcu_request {
    const struct ssimcu_backend_requests *calls;
    struct ssimcu_backend_request *work;
    struct ssimcu_plan plan;
    ssimcu_view pair[SSIMCU_PAIR];
    int submitted;
    ssimcu_message failed; /* why the device cannot be used any more; empty while it can */
};

static ssimcu_status check_pair(const ssimcu_view *ref, const ssimcu_view *out, int want_data,
                                ssimcu_view pair[SSIMCU_PAIR], ssimcu_message *message)
{
    const ssimcu_status status =
        ssimcu_view_check(ref, "ref", want_data, &pair[SSIMCU_REF], message);
    return status != SSIMCU_OK
               ? status
               : ssimcu_view_check(out, "out", want_data, &pair[SSIMCU_OUT], message);
}

/* Fills in what a request knows before it has memory. */
static ssimcu_status describe(const ssimcu_context *context, const ssimcu_view *ref,
                              const ssimcu_view *out, const ssimcu_tiles *tiles,
                              struct ssimcu_request *request, ssimcu_message *message)
{
    *request = (struct ssimcu_request){0};
    if (!context) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "context is NULL");
    request->calls = context->backend->requests;
    ssimcu_status status = check_pair(ref, out, 0, request->pair, message);
    if (status == SSIMCU_OK)
        status = ssimcu_context_plan(context, request->pair, NULL, tiles, &request->plan, message);
    if (status == SSIMCU_OK && !request->calls)
        status =
            ssimcu_fail(message, SSIMCU_ERROR_DEVICE,
                        "context: its device is %s, which has no device memory", context->device);
    return status;
}

ssimcu_status ssimcu_request_memory(const ssimcu_context *context, const ssimcu_view *ref,
                                    const ssimcu_view *out, const ssimcu_tiles *tiles,
                                    ssimcu_memory *memory, ssimcu_message *message)
{
    struct ssimcu_request request;
    ssimcu_memory own;
    ssimcu_status status =
        ssimcu_sized_read(&own, sizeof own, SSIMCU_MEMORY_OLDEST, memory, "memory", message);
    if (status == SSIMCU_OK) status = describe(context, ref, out, tiles, &request, message);
    if (status == SSIMCU_OK)
        status = request.calls->bytes(&request.plan, &own.device_bytes, &own.pinned_bytes, message);
    if (status == SSIMCU_OK) ssimcu_sized_write(memory, &own);
    return status;
}

ssimcu_status ssimcu_request_create(ssimcu_context *context, const ssimcu_view *ref,
                                    const ssimcu_view *out, const ssimcu_tiles *tiles,
                                    ssimcu_request **request, ssimcu_message *message)
{
    struct ssimcu_request described;
    if (!request) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "request is NULL");
    *request = NULL;
    ssimcu_status status = describe(context, ref, out, tiles, &described, message);
    if (status != SSIMCU_OK) return status;
    struct ssimcu_request *made = malloc(sizeof *made);
    if (!made) return ssimcu_no_memory(message, "a request");
    *made = described;
    status = made->calls->open(context->state, &made->plan,
                               context->config.settings.wait_asleep != 0, &made->work, message);
    if (status == SSIMCU_OK)
        *request = made;
    else
        free(made);
    return status;
}

void ssimcu_request_destroy(ssimcu_request **request)
{
    if (!request || !*request) return;
    (*request)->calls->close((*request)->work);
    free(*request);
    *request = NULL;
}

static ssimcu_status check_request(const ssimcu_request *request, ssimcu_message *message)
{
    if (!request) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "request is NULL");
    if (!request->failed.text[0]) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_DEVICE, "the request's device has failed: %.400s",
                       request->failed.text);
}

static ssimcu_status check_submitted(const ssimcu_request *request, ssimcu_message *message)
{
    const ssimcu_status status = check_request(request, message);
    if (status != SSIMCU_OK || request->submitted) return status;
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "request: nothing was submitted");
}

/* Passes on what a backend said, and keeps it if the device failed. */
static ssimcu_status note(ssimcu_request *request, ssimcu_status status, const ssimcu_message *why,
                          ssimcu_message *message)
{
    if (status == SSIMCU_ERROR_DEVICE) request->failed = *why;
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", why->text);
}

/* Checks that nothing is running. Part of a failed submission may still be under way. */
static ssimcu_status check_idle(ssimcu_request *request, ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    uint32_t done = 1;
    const ssimcu_status status = request->calls->poll(request->work, &done, &why);
    if (status != SSIMCU_OK || done) return note(request, status, &why, message);
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                       "request: the submission before is still under way");
}

ssimcu_status ssimcu_request_submit(ssimcu_request *request, const ssimcu_view *ref,
                                    const ssimcu_view *out, struct CUstream_st *stream,
                                    ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    struct ssimcu_samples samples[SSIMCU_PAIR];
    ssimcu_message why = {{0}};
    ssimcu_status status = check_request(request, message);
    if (status == SSIMCU_OK) status = check_pair(ref, out, 1, pair, message);
    if (status != SSIMCU_OK) return status;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        if (!ssimcu_view_matches(&pair[slot], &request->pair[slot]))
            return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                               "%s: not as described when the request was made",
                               slot == SSIMCU_REF ? "ref" : "out");
        samples[slot] = ssimcu_view_samples(&pair[slot]);
    }
    status = check_idle(request, message);
    if (status != SSIMCU_OK) return status;
    status = request->calls->submit(request->work, samples, stream, &why);
    request->submitted = status == SSIMCU_OK;
    return note(request, status, &why, message);
}

ssimcu_status ssimcu_request_poll(ssimcu_request *request, uint32_t *done, ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    if (!done) return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "done is NULL");
    *done = 0;
    const ssimcu_status status = check_submitted(request, message);
    if (status != SSIMCU_OK) return status;
    return note(request, request->calls->poll(request->work, done, &why), &why, message);
}

/* Waits, then hands out one pair's results. */
static ssimcu_status collect(ssimcu_request *request, uint32_t frame, ssimcu_score *score,
                             const struct ssimcu_tiles_memory *tiles, ssimcu_message *message)
{
    const struct ssimcu_plan *plan = &request->plan;
    struct ssimcu_results results;
    ssimcu_message why = {{0}};
    uint32_t pass = 0;
    ssimcu_status status = request->calls->collect(request->work, &results, &why);
    if (status != SSIMCU_OK) return note(request, status, &why, message);
    status = ssimcu_plan_score(plan, &results, frame, score, &pass, message);
    if (status != SSIMCU_OK) return status;
    const double *means = ssimcu_plan_means(plan, &results, frame, pass);
    ssimcu_outputs_write(plan, &means, 1, tiles, score);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_request_score(ssimcu_request *request, uint32_t frame, ssimcu_score *score,
                                   ssimcu_tiles *tiles, ssimcu_message *message)
{
    ssimcu_score own;
    struct ssimcu_tiles_memory memory;
    ssimcu_status status = check_submitted(request, message);
    if (status == SSIMCU_OK && frame >= request->plan.pairs)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "frame is %u, expected 0 to %u", frame,
                           request->plan.pairs - 1);
    if (status == SSIMCU_OK)
        status = ssimcu_sized_read(&own, sizeof own, SSIMCU_SCORE_OLDEST, score, "score", message);
    if (status == SSIMCU_OK) status = ssimcu_outputs_tiles(&request->plan, tiles, &memory, message);
    if (status == SSIMCU_OK) status = collect(request, frame, &own, &memory, message);
    if (status == SSIMCU_OK) ssimcu_sized_write(score, &own);
    return status;
}
