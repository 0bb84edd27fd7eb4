/* Requests: pairs in device memory on the caller's streams. */
#include "device.h"
#include "picture.h"
#include "ssimcu_cuda.h"

#include <criterion/logging.h>
#include <math.h>
#include <stdlib.h>

#define CUDA_TEST(suite, name)                                                                     \
    static void suite##_##name(void);                                                              \
    Test(suite, name)                                                                              \
    {                                                                                              \
        if (check_has_cuda()) suite##_##name();                                                    \
    }                                                                                              \
    static void suite##_##name(void)

enum { FRAMES = 3 };

static ssimcu_context *open_cuda(ssimcu_pad pad, ssimcu_color color, ssimcu_alpha alpha)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings,
                                      .device = SSIMCU_DEVICE_CUDA,
                                      .pad = pad,
                                      .color = color,
                                      .alpha = alpha};
    return check_open(&settings);
}

static ssimcu_context *open_default(void)
{
    return open_cuda(SSIMCU_PAD_VALID, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_WORST);
}

/* A picture and its copy on the device. */
struct sent {
    struct picture host;
    ssimcu_view view; /* of the copy */
    void *memory;
};

static struct sent send(const ssimcu_frame *frames, uint32_t count, struct picture_kind kind)
{
    struct sent sent = {.host = picture_make(frames, count, kind)};
    sent.memory = device_copy(sent.host.memory, sent.host.bytes);
    sent.view = picture_view_at(&sent.host, sent.memory);
    return sent;
}

static void free_sent(struct sent *sent)
{
    device_free(sent->memory);
    picture_free(&sent->host);
}

static ssimcu_request *make(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                            const ssimcu_tiles *tiles)
{
    ssimcu_request *request = NULL;
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_request_create(context, ref, out, tiles, &request, &why), SSIMCU_OK, "%s",
                 why.text);
    return request;
}

static void submit(ssimcu_request *request, const ssimcu_view *ref, const ssimcu_view *out,
                   struct CUstream_st *stream)
{
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_request_submit(request, ref, out, stream, &why), SSIMCU_OK, "%s", why.text);
}

static ssimcu_score score_of(ssimcu_request *request, uint32_t frame, ssimcu_tiles *tiles)
{
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_request_score(request, frame, &score, tiles, &why), SSIMCU_OK, "%s",
                 why.text);
    return score;
}

/* FRAMES pairs of random 8-bit frames near each other, of any number of channels. */
struct frames {
    ssimcu_frame ref[FRAMES], out[FRAMES];
};

static struct frames make_frames(uint32_t width, uint32_t height, uint32_t ref_channels,
                                 uint32_t out_channels, uint32_t seed)
{
    struct frames frames;
    check_random random = {seed};
    for (int f = 0; f < FRAMES; f++) {
        ssimcu_frame *side[] = {&frames.ref[f], &frames.out[f]};
        for (int s = 0; s < 2; s++) {
            const uint32_t channels = s ? out_channels : ref_channels;
            *side[s] = check_frame(width, height, channels, 8);
            for (uint32_t y = 0; y < height; y++)
                for (uint32_t x = 0; x < width; x++)
                    for (uint32_t c = 0; c < channels; c++)
                        check_set_sample(side[s], x, y, c,
                                         (x * (c + 1) + y * (uint32_t)(f + 1)) % 200 +
                                             check_between(&random, 0, 20u << s));
        }
    }
    return frames;
}

static void free_frames(struct frames *frames)
{
    for (int f = 0; f < FRAMES; f++) {
        ssimcu_frame_free(&frames->ref[f]);
        ssimcu_frame_free(&frames->out[f]);
    }
}

static struct picture_kind kind_of(int index, size_t padding)
{
    static const struct picture_kind type[] = {{.type = SSIMCU_TYPE_U8, .peak = 255},
                                               {.type = SSIMCU_TYPE_U16, .peak = 65535},
                                               {.type = SSIMCU_TYPE_F16, .peak = 255.0 / 256},
                                               {.type = SSIMCU_TYPE_F32, .peak = 255}};
    struct picture_kind kind = type[index / 3];
    kind.layout = (ssimcu_layout)(index % 3);
    kind.padding = padding;
    return kind;
}

/* A batch of one kind against the host's path, each pair alone against the batch, bit for bit, and
 * the tiles against the CPU's. */
static void check_batch(ssimcu_context *context, const ssimcu_settings *settings,
                        const struct frames *frames, struct picture_kind ref_kind,
                        struct picture_kind out_kind, uint32_t tile)
{
    struct sent ref = send(frames->ref, FRAMES, ref_kind),
                out = send(frames->out, FRAMES, out_kind);
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = tile, .height = tile + 5};
    ssimcu_tiles *wanted = tile ? &tiles : NULL;
    ssimcu_settings on_cpu = *settings;
    on_cpu.device = SSIMCU_DEVICE_CPU;
    ssimcu_context *cpu = check_open(&on_cpu);
    struct CUstream_st *stream = device_stream();
    ssimcu_request *batch = make(context, &ref.view, &out.view, wanted);
    submit(batch, &ref.view, &out.view, stream);
    for (uint32_t f = 0; f < FRAMES; f++) {
        struct picture host[] = {picture_make(&frames->ref[f], 1, ref_kind),
                                 picture_make(&frames->out[f], 1, out_kind)};
        struct sent one[] = {send(&frames->ref[f], 1, ref_kind),
                             send(&frames->out[f], 1, out_kind)};
        ssimcu_tiles expected = tiles;
        ssimcu_score score = {.struct_size = sizeof score};
        if (wanted) {
            cr_assert_eq(ssimcu_views_layout(cpu, &host[0].view, &host[1].view, NULL, &tiles, NULL),
                         SSIMCU_OK);
            expected = tiles;
            tiles.data = malloc((size_t)tiles.rows * tiles.columns * sizeof *tiles.data);
            expected.data = malloc((size_t)tiles.rows * tiles.columns * sizeof *tiles.data);
        }
        cr_assert_eq(ssimcu_compare_views(cpu, &host[0].view, &host[1].view, &score, NULL,
                                          wanted ? &expected : NULL, NULL),
                     SSIMCU_OK);
        const ssimcu_score got = score_of(batch, f, wanted);
        check_near(got.score, score.score, 1e-6, "%ux%u, layouts %d %d, types %d %d, frame %u",
                   frames->ref->width, frames->ref->height, (int)ref_kind.layout,
                   (int)out_kind.layout, (int)ref_kind.type, (int)out_kind.type, f);
        cr_assert_eq(got.channels, score.channels);
        cr_assert_eq(got.bits, score.bits);
        for (uint32_t i = 0; wanted && i < tiles.rows * tiles.columns; i++)
            check_near(tiles.data[i], expected.data[i], 1e-6, "tile %u", i);
        ssimcu_request *alone = make(context, &one[0].view, &one[1].view, wanted);
        submit(alone, &one[0].view, &one[1].view, stream);
        cr_assert_eq(score_of(alone, 0, NULL).score, got.score, "alone, frame %u", f);
        ssimcu_request_destroy(&alone);
        free_sent(&one[0]), free_sent(&one[1]);
        picture_free(&host[0]), picture_free(&host[1]);
        if (wanted) free(tiles.data), free(expected.data);
    }
    ssimcu_request_destroy(&batch);
    device_stream_free(stream);
    ssimcu_close(&cpu);
    free_sent(&ref), free_sent(&out);
}

CUDA_TEST(request, every_kind)
{
    static const uint32_t size[][2] = {{11, 11}, {67, 41}, {643, 431}};
    for (size_t s = 0; s < sizeof size / sizeof size[0]; s++)
        for (uint32_t channels = 1; channels <= 3; channels += 2) {
            const ssimcu_settings settings = {.struct_size = sizeof settings,
                                              .device = SSIMCU_DEVICE_CUDA,
                                              .pad = channels == 1 ? SSIMCU_PAD_ZERO
                                                                   : SSIMCU_PAD_VALID};
            ssimcu_context *context = check_open(&settings);
            struct frames frames = make_frames(size[s][0], size[s][1], channels, channels, 1);
            for (int i = 0; i < 12; i++) {
                const size_t padding = (size_t)(i * 5 + (int)s) % 4;
                check_batch(context, &settings, &frames, kind_of(i, padding), kind_of(i, padding),
                            i % 4 == 1 ? 32 : 0);
                if (s < 2 || i < 3) /* strides that differ */
                    check_batch(context, &settings, &frames, kind_of(i, padding),
                                kind_of((i + 4) % 12, 1), 0);
            }
            free_frames(&frames);
            ssimcu_close(&context);
        }
}

/* 16-byte strides and addresses, whatever the type: the ways that need alignment. And the opposite,
 * with planes unevenly apart, at a size that the tensor cores take. */
CUDA_TEST(request, aligned_and_uneven_frames)
{
    static const size_t paddings[] = {0, 1, 3, 16, 32};
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = SSIMCU_DEVICE_CUDA};
    ssimcu_context *context = check_open(&settings);
    struct frames frames = make_frames(704, 416, 3, 3, 2);
    for (int i = 0; i < 12; i++)
        for (size_t k = 0; k < sizeof paddings / sizeof paddings[0]; k++)
            check_batch(context, &settings, &frames, kind_of(i, paddings[k]),
                        kind_of(i, paddings[k]), paddings[k] == 32 ? 64 : 0);
    free_frames(&frames);
    ssimcu_close(&context);
}

CUDA_TEST(request, alpha_and_luma)
{
    for (int color = SSIMCU_COLOR_RGB; color <= SSIMCU_COLOR_Y709; color++)
        for (int alpha = SSIMCU_ALPHA_WORST; alpha <= SSIMCU_ALPHA_WHITE; alpha++) {
            const ssimcu_settings settings = {.struct_size = sizeof settings,
                                              .device = SSIMCU_DEVICE_CUDA,
                                              .color = (ssimcu_color)color,
                                              .alpha = (ssimcu_alpha)alpha};
            ssimcu_context *context = check_open(&settings);
            struct frames frames = make_frames(53, 37, 4, 4, 3);
            struct frames mixed = make_frames(53, 37, 2, 3, 4);
            for (int i = 0; i < 12; i++) {
                check_batch(context, &settings, &frames, kind_of(i, 2), kind_of(i, 1), 16);
                check_batch(context, &settings, &mixed, kind_of(i, 0), kind_of(i, 0), 0);
            }
            free_frames(&frames), free_frames(&mixed);
            ssimcu_close(&context);
        }
}

/* Opaque alpha scores as no alpha does, over whichever background. */
CUDA_TEST(request, opaque_alpha)
{
    ssimcu_context *context = open_default();
    struct frames rgba = make_frames(60, 50, 4, 4, 5);
    for (int f = 0; f < FRAMES; f++)
        for (uint32_t y = 0; y < 50; y++)
            for (uint32_t x = 0; x < 60; x++) {
                check_set_sample(&rgba.ref[f], x, y, 3, 255);
                check_set_sample(&rgba.out[f], x, y, 3, 255);
            }
    struct sent ref = send(rgba.ref, FRAMES, kind_of(0, 0)),
                out = send(rgba.out, FRAMES, kind_of(0, 0));
    ssimcu_request *request = make(context, &ref.view, &out.view, NULL);
    submit(request, &ref.view, &out.view, NULL);
    for (uint32_t f = 0; f < FRAMES; f++)
        check_near(score_of(request, f, NULL).score,
                   check_compare(context, &rgba.ref[f], &rgba.out[f]).score, 1e-7, "frame %u", f);
    ssimcu_request_destroy(&request);
    free_sent(&ref), free_sent(&out);
    free_frames(&rgba);
    ssimcu_close(&context);
}

/* The stream is held up: submit returns, poll says so, nothing was waited for. */
CUDA_TEST(request, submit_waits_for_nothing)
{
    ssimcu_context *context = open_default();
    struct frames frames = make_frames(643, 431, 3, 3, 6);
    struct CUstream_st *stream = device_stream();
    for (int i = 0; i < 12; i += 3) {
        struct sent ref = send(frames.ref, FRAMES, kind_of(i, 0)),
                    out = send(frames.out, FRAMES, kind_of(i, 0));
        ssimcu_request *request = make(context, &ref.view, &out.view, NULL);
        uint32_t done = 7;
        static int gate;
        CHECK_FAILS(ssimcu_request_poll(request, &done, &message), SSIMCU_ERROR_ARGUMENT,
                    "nothing was submitted");
        cr_assert_eq(done, 0u);
        submit(request, &ref.view, &out.view, stream); /* loads the kernels */
        const double first = score_of(request, 2, NULL).score;
        device_hold(stream, &gate);
        submit(request, &ref.view, &out.view, stream);
        cr_assert_eq(ssimcu_request_poll(request, &done, NULL), SSIMCU_OK);
        cr_assert_eq(done, 0u, "the stream did not wait");
        CHECK_FAILS(ssimcu_request_submit(request, &ref.view, &out.view, stream, &message),
                    SSIMCU_ERROR_ARGUMENT, "still under way");
        device_let_go(&gate);
        while (!done) cr_assert_eq(ssimcu_request_poll(request, &done, NULL), SSIMCU_OK);
        cr_assert_eq(score_of(request, 2, NULL).score, first);
        ssimcu_request_destroy(&request);
        free_sent(&ref), free_sent(&out);
    }
    device_stream_free(stream);
    free_frames(&frames);
    ssimcu_close(&context);
}

/* One stream is held up, another goes on; a request that is destroyed while under way waits. */
CUDA_TEST(request, streams_are_independent)
{
    ssimcu_context *context = open_default();
    struct frames frames = make_frames(67, 41, 3, 3, 7);
    struct sent ref = send(frames.ref, FRAMES, kind_of(0, 0)),
                out = send(frames.out, FRAMES, kind_of(0, 0));
    struct CUstream_st *stream[] = {device_stream(), device_stream()};
    ssimcu_request *request[] = {make(context, &ref.view, &out.view, NULL),
                                 make(context, &ref.view, &out.view, NULL),
                                 make(context, &ref.view, &out.view, NULL)};
    static int gate;
    for (int i = 0; i < 3; i++) {
        submit(request[i], &ref.view, &out.view, stream[i % 2]);
        (void)score_of(request[i], 0, NULL);
    }
    device_hold(stream[0], &gate);
    submit(request[0], &ref.view, &out.view, stream[0]);
    submit(request[2], &ref.view, &out.view, stream[0]);
    submit(request[1], &ref.view, &out.view, stream[1]);
    uint32_t done = 1;
    for (uint32_t f = 0; f < FRAMES; f++)
        check_near(score_of(request[1], f, NULL).score,
                   check_score(&(ssimcu_settings){.struct_size = sizeof(ssimcu_settings),
                                                  .device = SSIMCU_DEVICE_CPU},
                               &frames.ref[f], &frames.out[f])
                       .score,
                   1e-6, "frame %u", f);
    cr_assert_eq(ssimcu_request_poll(request[0], &done, NULL), SSIMCU_OK);
    cr_assert_eq(done, 0u);
    device_let_go(&gate);
    ssimcu_request_destroy(&request[0]); /* waits for the stream */
    cr_assert_eq(score_of(request[2], 1, NULL).score, score_of(request[1], 1, NULL).score);
    ssimcu_request_destroy(&request[1]), ssimcu_request_destroy(&request[2]);
    device_stream_free(stream[0]), device_stream_free(stream[1]);
    free_sent(&ref), free_sent(&out);
    free_frames(&frames);
    ssimcu_close(&context);
}

/* The caller's device stays current, whichever the context has; a request outlives the context. */
CUDA_TEST(request, current_device_is_restored)
{
    uint32_t count = 0;
    cr_assert_eq(ssimcu_device_count(SSIMCU_DEVICE_CUDA, &count, NULL), SSIMCU_OK);
    const ssimcu_settings settings = {.struct_size = sizeof settings,
                                      .device = SSIMCU_DEVICE_CUDA,
                                      .device_index = count - 1,
                                      .wait_asleep = 1};
    struct frames frames = make_frames(67, 41, 3, 3, 8);
    device_make_current((int)count - 1);
    struct sent ref = send(frames.ref, 1, kind_of(0, 0)), out = send(frames.out, 1, kind_of(0, 0));
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
    STAYS(request = make(context, &ref.view, &out.view, NULL));
    STAYS(ssimcu_close(&context));
    if (count > 1) { /* a stream of another device */
        struct CUstream_st *other = device_stream();
        CHECK_FAILS(ssimcu_request_submit(request, &ref.view, &out.view, other, &message),
                    SSIMCU_ERROR_ARGUMENT, "stream");
        device_stream_free(other);
    }
    STAYS(submit(request, &ref.view, &out.view, stream));
    STAYS(score = score_of(request, 0, NULL));
    STAYS(ssimcu_request_destroy(&request));
    check_near(score.score, first.score, 1e-9, "score");
#undef STAYS
    device_make_current((int)count - 1);
    device_stream_free(stream);
    free_sent(&ref), free_sent(&out);
    free_frames(&frames);
}

/* A sample that is not finite spoils its own pair alone. */
CUDA_TEST(request, not_finite)
{
    ssimcu_context *context = open_default();
    struct frames frames = make_frames(150, 31, 3, 3, 10);
    check_random random = {11};
    for (int i = 6; i < 12; i++)
        for (int round = 0; round < 10; round++) {
            static const double wrong[] = {NAN, INFINITY, -INFINITY, 3e9};
            struct picture host = picture_make(frames.ref, FRAMES, kind_of(i, (size_t)round % 3));
            struct sent out = send(frames.out, FRAMES, kind_of(i, 0));
            const double value = wrong[round % 4];
            picture_set(&host, 1, check_between(&random, 0, 149), check_between(&random, 0, 30),
                        check_between(&random, 0, 2), value);
            void *memory = device_copy(host.memory, host.bytes);
            const ssimcu_view ref = picture_view_at(&host, memory);
            ssimcu_request *request = make(context, &ref, &out.view, NULL);
            ssimcu_score score = {.struct_size = sizeof score, .score = 42};
            submit(request, &ref, &out.view, NULL);
            CHECK_FAILS(ssimcu_request_score(request, 1, &score, NULL, &message), SSIMCU_ERROR_DATA,
                        "not finite");
            cr_assert_eq(score.score, 42);
            for (uint32_t f = 0; f < FRAMES; f += 2)
                check_near(score_of(request, f, NULL).score,
                           check_compare(context, &frames.ref[f], &frames.out[f]).score, 1e-6,
                           "frame %u", f);
            ssimcu_request_destroy(&request);
            device_free(memory);
            free_sent(&out);
            picture_free(&host);
        }
    free_frames(&frames);
    ssimcu_close(&context);
}

/* Pointers that the device cannot read are found before a kernel crashes on them. */
CUDA_TEST(request, host_pointers_are_refused)
{
    ssimcu_context *context = open_default();
    struct frames frames = make_frames(67, 41, 3, 3, 12);
    for (int i = 0; i < 3; i++) {
        struct sent ref = send(frames.ref, 1, kind_of(i, 0)),
                    out = send(frames.out, 1, kind_of(i, 0));
        ssimcu_request *request = make(context, &ref.view, &out.view, NULL);
        ssimcu_message why = {{0}};
        const ssimcu_status status =
            ssimcu_request_submit(request, &ref.view, &out.host.view, NULL, &why);
        if (!device_reads_host_memory()) {
            cr_assert_eq(status, SSIMCU_ERROR_ARGUMENT, "%s", why.text);
            cr_assert_not_null(strstr(why.text, "out: data[0]"), "%s", why.text);
            submit(request, &ref.view, &out.view, NULL);
        }
        check_near(score_of(request, 0, NULL).score,
                   check_compare(context, &frames.ref[0], &frames.out[0]).score, 1e-6, "score");
        ssimcu_request_destroy(&request);
        free_sent(&ref), free_sent(&out);
    }
    free_frames(&frames);
    ssimcu_close(&context);
}

/* A kernel of the program's own crashes: context and request say so, again and again; after the
 * program's reset a new context works. */
CUDA_TEST(request, sticky_errors)
{
    struct frames frames = make_frames(67, 41, 3, 3, 13);
    ssimcu_context *context = open_default();
    const double expected = check_compare(context, &frames.ref[0], &frames.out[0]).score;
    struct picture host = picture_make(frames.ref, 1, kind_of(0, 0));
    ssimcu_view view = picture_view_at(&host, device_copy(host.memory, host.bytes));
    ssimcu_request *request = make(context, &view, &view, NULL);
    ssimcu_score score = {.struct_size = sizeof score};
    uint32_t done = 0;
    submit(request, &view, &view, NULL);
    cr_assert_eq(score_of(request, 0, NULL).score, 1.0);
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
    free_frames(&frames);
}
