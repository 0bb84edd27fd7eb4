/* Requests on the caller's streams and devices: what waits, what stays as it was, and what
 * follows from errors. */
#include "request.h"

#include <criterion/logging.h>

/* The stream is held up: submit returns, poll says so, and nothing waits. */
CUDA_TEST(request, submit_waits_for_nothing)
{
    ssimcu_context *context = request_context();
    struct frames frames = frames_make(643, 431, 3, 3, 6);
    struct CUstream_st *stream = device_stream();
    for (int i = 0; i < 12; i += 3) {
        struct sent ref = sent_make(frames.ref, FRAMES, request_kind(i, 0)),
                    out = sent_make(frames.out, FRAMES, request_kind(i, 0));
        ssimcu_request *request = request_make(context, &ref.view, &out.view, NULL);
        uint32_t done = 7;
        static int gate;
        CHECK_FAILS(ssimcu_request_poll(request, &done, &message), SSIMCU_ERROR_ARGUMENT,
                    "nothing was submitted");
        cr_assert_eq(done, 0u);
        request_submit(request, &ref.view, &out.view, stream); /* the first use loads the kernels */
        const double first = request_score(request, 2, NULL).score;
        device_hold(stream, &gate);
        request_submit(request, &ref.view, &out.view, stream);
        cr_assert_eq(ssimcu_request_poll(request, &done, NULL), SSIMCU_OK);
        cr_assert_eq(done, 0u, "the stream did not wait");
        CHECK_FAILS(ssimcu_request_submit(request, &ref.view, &out.view, stream, &message),
                    SSIMCU_ERROR_ARGUMENT, "still under way");
        device_let_go(&gate);
        while (!done) cr_assert_eq(ssimcu_request_poll(request, &done, NULL), SSIMCU_OK);
        cr_assert_eq(request_score(request, 2, NULL).score, first);
        ssimcu_request_destroy(&request);
        sent_free(&ref), sent_free(&out);
    }
    device_stream_free(stream);
    frames_free(&frames);
    ssimcu_close(&context);
}

/* One stream is held up and another goes on. A request that is destroyed while it is under way
 * waits. */
CUDA_TEST(request, streams_are_independent)
{
    ssimcu_context *context = request_context();
    struct frames frames = frames_make(67, 41, 3, 3, 7);
    struct sent ref = sent_make(frames.ref, FRAMES, request_kind(0, 0)),
                out = sent_make(frames.out, FRAMES, request_kind(0, 0));
    struct CUstream_st *stream[] = {device_stream(), device_stream()};
    ssimcu_request *request[] = {request_make(context, &ref.view, &out.view, NULL),
                                 request_make(context, &ref.view, &out.view, NULL),
                                 request_make(context, &ref.view, &out.view, NULL)};
    static int gate;
    for (int i = 0; i < 3; i++) {
        request_submit(request[i], &ref.view, &out.view, stream[i % 2]);
        (void)request_score(request[i], 0, NULL);
    }
    device_hold(stream[0], &gate);
    request_submit(request[0], &ref.view, &out.view, stream[0]);
    request_submit(request[2], &ref.view, &out.view, stream[0]);
    request_submit(request[1], &ref.view, &out.view, stream[1]);
    uint32_t done = 1;
    for (uint32_t f = 0; f < FRAMES; f++)
        check_near(request_score(request[1], f, NULL).score,
                   check_score(&(ssimcu_settings){.struct_size = sizeof(ssimcu_settings),
                                                  .device = SSIMCU_DEVICE_CPU},
                               &frames.ref[f], &frames.out[f])
                       .score,
                   1e-6, "frame %u", f);
    cr_assert_eq(ssimcu_request_poll(request[0], &done, NULL), SSIMCU_OK);
    cr_assert_eq(done, 0u);
    device_let_go(&gate);
    ssimcu_request_destroy(&request[0]); /* waits for the stream */
    cr_assert_eq(request_score(request[2], 1, NULL).score,
                 request_score(request[1], 1, NULL).score);
    ssimcu_request_destroy(&request[1]), ssimcu_request_destroy(&request[2]);
    device_stream_free(stream[0]), device_stream_free(stream[1]);
    sent_free(&ref), sent_free(&out);
    frames_free(&frames);
    ssimcu_close(&context);
}

/* The caller's device stays current, whichever device the context has; a request outlives the
 * context. */
CUDA_TEST(request, current_device_is_restored)
{
    uint32_t count = 0;
    cr_assert_eq(ssimcu_device_count(SSIMCU_DEVICE_CUDA, &count, NULL), SSIMCU_OK);
    const ssimcu_settings settings = {.struct_size = sizeof settings,
                                      .device = SSIMCU_DEVICE_CUDA,
                                      .device_index = count - 1,
                                      .wait_asleep = 1};
    struct frames frames = frames_make(67, 41, 3, 3, 8);
    device_make_current((int)count - 1);
    struct sent ref = sent_make(frames.ref, 1, request_kind(0, 0)),
                out = sent_make(frames.out, 1, request_kind(0, 0));
    struct CUstream_st *stream = device_stream();
    device_make_current(0);
#define STAYS(...)                                                                                 \
    do {                                                                                           \
        __VA_ARGS__;                                                                               \
        cr_assert_eq(device_current(), 0, "%s", #__VA_ARGS__);                                     \
    } while (0)
    ssimcu_context *context = NULL;
    ssimcu_request *request = NULL;
    ssimcu_score first = {0}, score = {0};
    STAYS(context = check_open(&settings));
    STAYS(first = check_compare(context, &frames.ref[0], &frames.out[0]));
    STAYS(cr_assert_eq(ssimcu_frame_pin(context, &frames.ref[0], NULL), SSIMCU_OK));
    STAYS(ssimcu_frame_unpin(context, &frames.ref[0]));
    STAYS(request = request_make(context, &ref.view, &out.view, NULL));
    STAYS(ssimcu_close(&context));
    if (count > 1) { /* a stream of another device */
        struct CUstream_st *other = device_stream();
        CHECK_FAILS(ssimcu_request_submit(request, &ref.view, &out.view, other, &message),
                    SSIMCU_ERROR_ARGUMENT, "stream");
        device_stream_free(other);
    }
    STAYS(request_submit(request, &ref.view, &out.view, stream));
    STAYS(score = request_score(request, 0, NULL));
    STAYS(ssimcu_request_destroy(&request));
    check_near(score.score, first.score, 1e-9, "score");
#undef STAYS
    device_make_current((int)count - 1);
    device_stream_free(stream);
    sent_free(&ref), sent_free(&out);
    frames_free(&frames);
}

/* Pointers that the device cannot read are found before a kernel crashes on them. */
CUDA_TEST(request, host_pointers_are_refused)
{
    ssimcu_context *context = request_context();
    struct frames frames = frames_make(67, 41, 3, 3, 12);
    for (int i = 0; i < 3; i++) {
        struct sent ref = sent_make(frames.ref, 1, request_kind(i, 0)),
                    out = sent_make(frames.out, 1, request_kind(i, 0));
        ssimcu_request *request = request_make(context, &ref.view, &out.view, NULL);
        ssimcu_message why = {{0}};
        const ssimcu_status status =
            ssimcu_request_submit(request, &ref.view, &out.host.view, NULL, &why);
        if (!device_reads_host_memory()) {
            cr_assert_eq(status, SSIMCU_ERROR_ARGUMENT, "%s", why.text);
            cr_assert_not_null(strstr(why.text, "out: data[0]"), "%s", why.text);
            request_submit(request, &ref.view, &out.view, NULL);
        }
        check_near(request_score(request, 0, NULL).score,
                   check_compare(context, &frames.ref[0], &frames.out[0]).score, 1e-6, "score");
        ssimcu_request_destroy(&request);
        sent_free(&ref), sent_free(&out);
    }
    frames_free(&frames);
    ssimcu_close(&context);
}

/* A kernel of the program's own crashes: context and request say so, again and again. After the
 * program's reset a new context works. */
CUDA_TEST(request, sticky_errors)
{
    struct frames frames = frames_make(67, 41, 3, 3, 13);
    ssimcu_context *context = request_context();
    const double expected = check_compare(context, &frames.ref[0], &frames.out[0]).score;
    struct picture host = picture_make(frames.ref, 1, request_kind(0, 0));
    ssimcu_view view = picture_view_at(&host, device_copy(host.memory, host.bytes));
    ssimcu_request *request = request_make(context, &view, &view, NULL);
    ssimcu_score score = {.struct_size = sizeof score};
    uint32_t done = 0;
    request_submit(request, &view, &view, NULL);
    cr_assert_eq(request_score(request, 0, NULL).score, 1.0);
    device_break();
    CHECK_FAILS(ssimcu_compare(context, &frames.ref[0], &frames.out[0], &score, &message),
                SSIMCU_ERROR_DEVICE, "cuda");
    CHECK_FAILS(ssimcu_compare(context, &frames.ref[0], &frames.out[0], &score, &message),
                SSIMCU_ERROR_DEVICE, "has failed");
    CHECK_FAILS(ssimcu_request_submit(request, &view, &view, NULL, &message), SSIMCU_ERROR_DEVICE,
                "cuda");
    CHECK_FAILS(ssimcu_request_submit(request, &view, &view, NULL, &message), SSIMCU_ERROR_DEVICE,
                "has failed");
    CHECK_FAILS(ssimcu_request_poll(request, &done, &message), SSIMCU_ERROR_DEVICE, "has failed");
    ssimcu_request_destroy(&request);
    ssimcu_close(&context);
    device_reset();
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = SSIMCU_DEVICE_CUDA};
    ssimcu_message why = {{0}};
    const ssimcu_status status = ssimcu_open(&settings, &context, &why);
    if (status == SSIMCU_OK) {
        cr_assert_eq(check_compare(context, &frames.ref[0], &frames.out[0]).score, expected);
        ssimcu_close(&context);
    } else { /* some drivers want a new process */
        cr_assert_eq(status, SSIMCU_ERROR_DEVICE);
        cr_log_info("no context after the reset: %s", why.text);
    }
    picture_free(&host);
    frames_free(&frames);
}
