/* Requests score pairs in device memory on the caller's stream. The description is checked once,
 * when the request is created, and each submission must match it. */
#include "api/prove.h"
#include "fail.h"
#include "plan/outputs.h"
#include "plan/view.h"
#include "sized.h"
#include "ssimcu_cuda.h"

#include <stdlib.h>

struct ssimcu_request {
    const struct ssimcu_backend_requests *calls;
    struct ssimcu_backend_request *work;
    struct ssimcu_plan plan;
    ssimcu_view pair[SSIMCU_PAIR];
    int submitted;
    ssimcu_message failed; /* why the device can no longer be used; otherwise empty */
};

static ssimcu_status check_pair(const ssimcu_view *ref, const ssimcu_view *out, int want_data,
                                ssimcu_view pair[SSIMCU_PAIR], ssimcu_message *message)
{
    TRY(ssimcu_view_check(ref, "ref", want_data, &pair[SSIMCU_REF], message));
    return ssimcu_view_check(out, "out", want_data, &pair[SSIMCU_OUT], message);
}

/* Fills in the parts of a request that need no memory. */
static ssimcu_status describe(const ssimcu_context *context, const ssimcu_view *ref,
                              const ssimcu_view *out, const ssimcu_tiles *tiles,
                              struct ssimcu_request *request, ssimcu_message *message)
{
    *request = (struct ssimcu_request){0};
    if (!context) FAIL(ARGUMENT, "context is NULL");
    request->calls = context->backend->requests;
    TRY(check_pair(ref, out, 0, request->pair, message));
    TRY(ssimcu_context_plan(context, request->pair, NULL, tiles, &request->plan, message));
    if (request->calls) return SSIMCU_OK;
    FAIL(DEVICE, "context: its device is %s, which has no device memory", context->device);
}

ssimcu_status ssimcu_request_memory(const ssimcu_context *context, const ssimcu_view *ref,
                                    const ssimcu_view *out, const ssimcu_tiles *tiles,
                                    ssimcu_memory *memory, ssimcu_message *message)
{
    struct ssimcu_request request;
    ssimcu_memory result;
    TRY(ssimcu_sized_read(&result, sizeof result, SSIMCU_MEMORY_OLDEST, memory, "memory", message));
    TRY(describe(context, ref, out, tiles, &request, message));
    TRY(request.calls->bytes(&request.plan, &result.device_bytes, &result.pinned_bytes, message));
    ssimcu_sized_write(memory, &result);
    return SSIMCU_OK;
}

static ssimcu_status prove(ssimcu_context *context, const struct ssimcu_plan *plan,
                           ssimcu_message *message)
{
    TRY(ssimcu_context_use(context, message));
    const ssimcu_status status = ssimcu_prove(context, plan, 1, message);
    ssimcu_context_leave(context);
    return status;
}

ssimcu_status ssimcu_request_create(ssimcu_context *context, const ssimcu_view *ref,
                                    const ssimcu_view *out, const ssimcu_tiles *tiles,
                                    ssimcu_request **request, ssimcu_message *message)
{
    struct ssimcu_request described;
    if (!request) FAIL(ARGUMENT, "request is NULL");
    *request = NULL;
    TRY(describe(context, ref, out, tiles, &described, message));
    TRY(prove(context, &described.plan, message));
    struct ssimcu_request *made = malloc(sizeof *made);
    if (!made) return ssimcu_no_memory(message, "a request");
    *made = described;
    const ssimcu_status status =
        made->calls->open(context->state, &made->plan, context->config.settings.wait_asleep != 0,
                          &made->work, message);
    if (status != SSIMCU_OK) free(made);
    if (status == SSIMCU_OK) *request = made;
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
    if (!request) FAIL(ARGUMENT, "request is NULL");
    if (!request->failed.text[0]) return SSIMCU_OK;
    FAIL(DEVICE, "the request's device has failed: %.400s", request->failed.text);
}

static ssimcu_status check_submitted(const ssimcu_request *request, ssimcu_message *message)
{
    TRY(check_request(request, message));
    if (request->submitted) return SSIMCU_OK;
    FAIL(ARGUMENT, "request: nothing was submitted");
}

/* Passes on a backend's error, and keeps it if the device failed. */
static ssimcu_status note(ssimcu_request *request, ssimcu_status status, const ssimcu_message *why,
                          ssimcu_message *message)
{
    if (status == SSIMCU_ERROR_DEVICE) request->failed = *why;
    return status == SSIMCU_OK ? status : ssimcu_fail(message, status, "%s", why->text);
}

/* Checks that nothing is running. Part of a failed submission may still be in progress. */
static ssimcu_status check_idle(ssimcu_request *request, ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    uint32_t done = 1;
    const ssimcu_status status = request->calls->poll(request->work, &done, &why);
    if (status != SSIMCU_OK || done) return note(request, status, &why, message);
    FAIL(ARGUMENT, "request: the submission before is still under way");
}

ssimcu_status ssimcu_request_submit(ssimcu_request *request, const ssimcu_view *ref,
                                    const ssimcu_view *out, struct CUstream_st *stream,
                                    ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    struct ssimcu_samples samples[SSIMCU_PAIR];
    ssimcu_message why = {{0}};
    TRY(check_request(request, message));
    TRY(check_pair(ref, out, 1, pair, message));
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        if (!ssimcu_view_matches(&pair[slot], &request->pair[slot]))
            FAIL(ARGUMENT, "%s: expected the description that the request was made with",
                 slot == SSIMCU_REF ? "ref" : "out");
        samples[slot] = ssimcu_view_samples(&pair[slot]);
    }
    TRY(check_idle(request, message));
    const ssimcu_status status = request->calls->submit(request->work, samples, stream, &why);
    request->submitted = status == SSIMCU_OK;
    return note(request, status, &why, message);
}

ssimcu_status ssimcu_request_poll(ssimcu_request *request, uint32_t *done, ssimcu_message *message)
{
    ssimcu_message why = {{0}};
    if (!done) FAIL(ARGUMENT, "done is NULL");
    *done = 0;
    TRY(check_submitted(request, message));
    return note(request, request->calls->poll(request->work, done, &why), &why, message);
}

/* Waits, then returns one pair's results. */
static ssimcu_status collect(ssimcu_request *request, uint32_t frame, ssimcu_score *score,
                             const struct ssimcu_tiles_memory *tiles, ssimcu_message *message)
{
    const struct ssimcu_plan *plan = &request->plan;
    struct ssimcu_results results;
    ssimcu_message why = {{0}};
    uint32_t pass = 0;
    ssimcu_status status = request->calls->collect(request->work, &results, &why);
    if (status != SSIMCU_OK) return note(request, status, &why, message);
    TRY(ssimcu_plan_score(plan, &results, frame, score, &pass, message));
    const double *means = ssimcu_plan_means(plan, &results, frame, pass);
    ssimcu_outputs_write(plan, &means, 1, tiles, score);
    return SSIMCU_OK;
}

ssimcu_status ssimcu_request_score(ssimcu_request *request, uint32_t frame, ssimcu_score *score,
                                   ssimcu_tiles *tiles, ssimcu_message *message)
{
    ssimcu_score result;
    struct ssimcu_tiles_memory memory;
    TRY(check_submitted(request, message));
    if (frame >= request->plan.pairs)
        FAIL(ARGUMENT, "frame is %u, expected 0 to %u", frame, request->plan.pairs - 1);
    TRY(ssimcu_sized_read(&result, sizeof result, SSIMCU_SCORE_OLDEST, score, "score", message));
    TRY(ssimcu_outputs_tiles(&request->plan, tiles, &memory, message));
    TRY(collect(request, frame, &result, &memory, message));
    ssimcu_sized_write(score, &result);
    return SSIMCU_OK;
}
