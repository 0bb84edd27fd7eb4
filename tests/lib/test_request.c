/* Requests: the scores of pairs in device memory, of any kind. */
#include "request.h"

#include <math.h>
#include <stdlib.h>

/* Scores a batch of one kind. It must score as the host's path does, each pair alone must have
 * the batch's bits, and the tiles must be the CPU's. */
static void check_batch(ssimcu_context *context, const ssimcu_settings *settings,
                        const struct frames *frames, struct picture_kind ref_kind,
                        struct picture_kind out_kind, uint32_t tile)
{
    struct sent ref = sent_make(frames->ref, FRAMES, ref_kind),
                out = sent_make(frames->out, FRAMES, out_kind);
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = tile, .height = tile + 5};
    ssimcu_tiles *wanted = tile ? &tiles : NULL;
    ssimcu_settings on_cpu = *settings;
    on_cpu.device = SSIMCU_DEVICE_CPU;
    ssimcu_context *cpu = check_open(&on_cpu);
    struct CUstream_st *stream = device_stream();
    ssimcu_request *batch = request_make(context, &ref.view, &out.view, wanted);
    request_submit(batch, &ref.view, &out.view, stream);
    for (uint32_t f = 0; f < FRAMES; f++) {
        struct picture host[] = {picture_make(&frames->ref[f], 1, ref_kind),
                                 picture_make(&frames->out[f], 1, out_kind)};
        struct sent one[] = {sent_make(&frames->ref[f], 1, ref_kind),
                             sent_make(&frames->out[f], 1, out_kind)};
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
        const ssimcu_score got = request_score(batch, f, wanted);
        check_near(got.score, score.score, 1e-6, "%ux%u, layouts %d %d, types %d %d, frame %u",
                   frames->ref->width, frames->ref->height, (int)ref_kind.layout,
                   (int)out_kind.layout, (int)ref_kind.type, (int)out_kind.type, f);
        cr_assert_eq(got.channels, score.channels);
        cr_assert_eq(got.bits, score.bits);
        for (uint32_t i = 0; wanted && i < tiles.rows * tiles.columns; i++)
            check_near(tiles.data[i], expected.data[i], 1e-5, "tile %u", i);
        ssimcu_request *alone = request_make(context, &one[0].view, &one[1].view, wanted);
        request_submit(alone, &one[0].view, &one[1].view, stream);
        cr_assert_eq(request_score(alone, 0, NULL).score, got.score, "alone, frame %u", f);
        ssimcu_request_destroy(&alone);
        sent_free(&one[0]), sent_free(&one[1]);
        picture_free(&host[0]), picture_free(&host[1]);
        if (wanted) free(tiles.data), free(expected.data);
    }
    ssimcu_request_destroy(&batch);
    device_stream_free(stream);
    ssimcu_close(&cpu);
    sent_free(&ref), sent_free(&out);
}

CUDA_TEST(request, every_kind_scores_as_its_frame)
{
    static const uint32_t size[][2] = {{11, 11}, {67, 41}, {643, 431}};
    for (size_t s = 0; s < sizeof size / sizeof size[0]; s++)
        for (uint32_t channels = 1; channels <= 3; channels += 2) {
            const ssimcu_settings settings = {.struct_size = sizeof settings,
                                              .device = SSIMCU_DEVICE_CUDA,
                                              .pad = channels == 1 ? SSIMCU_PAD_ZERO
                                                                   : SSIMCU_PAD_VALID};
            ssimcu_context *context = check_open(&settings);
            struct frames frames = frames_make(size[s][0], size[s][1], channels, channels, 1);
            for (int i = 0; i < 15; i++) {
                const size_t padding = (size_t)(i * 5 + (int)s) % 4;
                check_batch(context, &settings, &frames, request_kind(i, padding),
                            request_kind(i, padding), i % 4 == 1 ? 32 : 0);
                if (s < 2 || i < 3) /* different strides for the two sides */
                    check_batch(context, &settings, &frames, request_kind(i, padding),
                                request_kind((i + 4) % 15, 1), 0);
            }
            frames_free(&frames);
            ssimcu_close(&context);
        }
}

/* Strides and addresses of 16 bytes, whatever the type, suit the paths that need alignment. Then
 * the opposite: planes unevenly apart, at a size that the tensor cores take. */
CUDA_TEST(request, aligned_and_uneven_frames)
{
    static const size_t paddings[] = {0, 1, 3, 16, 32};
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = SSIMCU_DEVICE_CUDA};
    ssimcu_context *context = check_open(&settings);
    struct frames frames = frames_make(704, 416, 3, 3, 2);
    for (int i = 0; i < 15; i++)
        for (size_t k = 0; k < sizeof paddings / sizeof paddings[0]; k++)
            check_batch(context, &settings, &frames, request_kind(i, paddings[k]),
                        request_kind(i, paddings[k]), paddings[k] == 32 ? 64 : 0);
    frames_free(&frames);
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
            struct frames frames = frames_make(53, 37, 4, 4, 3);
            struct frames mixed = frames_make(53, 37, 2, 3, 4);
            for (int i = 0; i < 15; i++) {
                check_batch(context, &settings, &frames, request_kind(i, 2), request_kind(i, 1),
                            16);
                check_batch(context, &settings, &mixed, request_kind(i, 0), request_kind(i, 0), 0);
            }
            frames_free(&frames), frames_free(&mixed);
            ssimcu_close(&context);
        }
}

/* Opaque alpha scores as no alpha does, over whichever background. */
CUDA_TEST(request, opaque_alpha)
{
    ssimcu_context *context = request_context();
    struct frames rgba = frames_make(60, 50, 4, 4, 5);
    for (int f = 0; f < FRAMES; f++)
        for (uint32_t y = 0; y < 50; y++)
            for (uint32_t x = 0; x < 60; x++) {
                check_set_sample(&rgba.ref[f], x, y, 3, 255);
                check_set_sample(&rgba.out[f], x, y, 3, 255);
            }
    struct sent ref = sent_make(rgba.ref, FRAMES, request_kind(0, 0)),
                out = sent_make(rgba.out, FRAMES, request_kind(0, 0));
    ssimcu_request *request = request_make(context, &ref.view, &out.view, NULL);
    request_submit(request, &ref.view, &out.view, NULL);
    for (uint32_t f = 0; f < FRAMES; f++)
        check_near(request_score(request, f, NULL).score,
                   check_compare(context, &rgba.ref[f], &rgba.out[f]).score, 1e-7, "frame %u", f);
    ssimcu_request_destroy(&request);
    sent_free(&ref), sent_free(&out);
    frames_free(&rgba);
    ssimcu_close(&context);
}

/* Features need more sums, which a request that was made without them has not. */
CUDA_TEST(request, features_are_asked_for_at_the_start)
{
    ssimcu_context *context = request_context();
    struct frames frames = frames_make(150, 131, 3, 3, 12);
    struct sent ref = sent_make(frames.ref, FRAMES, request_kind(0, 0)),
                out = sent_make(frames.out, FRAMES, request_kind(0, 0));
    enum { NUMBERS = 3 * 2 * 3 }; /* channels, rows and columns of tiles */
    double texture[2][NUMBERS], host[NUMBERS];
    ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = 64, .height = 64);
    ssimcu_score score = SSIMCU_INIT(score);
    const ssimcu_view first = check_view(&frames.ref[0]); /* a layout is of one frame */
    cr_assert_eq(ssimcu_views_layout(context, &first, &first, NULL, &tiles, NULL), SSIMCU_OK);
    cr_assert_eq(3 * tiles.rows * tiles.columns, NUMBERS);
    ssimcu_request *without = request_make(context, &ref.view, &out.view, &tiles);
    tiles.feature[SSIMCU_FEATURE_TEXTURE] = texture[0];
    ssimcu_request *with = request_make(context, &ref.view, &out.view, &tiles);
    request_submit(without, &ref.view, &out.view, NULL);
    CHECK_FAILS(ssimcu_request_score(without, 0, &score, &tiles, &message), SSIMCU_ERROR_ARGUMENT,
                "features");
    request_submit(with, &ref.view, &out.view, NULL);
    for (uint32_t f = 0; f < FRAMES; f++) {
        const ssimcu_view a = check_view(&frames.ref[f]), b = check_view(&frames.out[f]);
        tiles.feature[SSIMCU_FEATURE_TEXTURE] = texture[f % 2];
        (void)request_score(with, f, &tiles);
        tiles.feature[SSIMCU_FEATURE_TEXTURE] = host;
        cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, &tiles, NULL), SSIMCU_OK);
        cr_assert_arr_eq(texture[f % 2], host, sizeof host, "frame %u", f);
    }
    ssimcu_request_destroy(&without), ssimcu_request_destroy(&with);
    sent_free(&ref), sent_free(&out);
    frames_free(&frames);
    ssimcu_close(&context);
}

/* A sample that is not finite spoils its own pair alone. */
CUDA_TEST(request, a_sample_that_is_not_finite_spoils_its_pair_alone)
{
    ssimcu_context *context = request_context();
    struct frames frames = frames_make(150, 31, 3, 3, 10);
    check_random random = {11};
    for (int i = 6; i < 15; i++)
        for (int round = 0; round < 10; round++) {
            static const double wrong[] = {NAN, INFINITY, -INFINITY, 3e9};
            struct picture host =
                picture_make(frames.ref, FRAMES, request_kind(i, (size_t)round % 3));
            struct sent out = sent_make(frames.out, FRAMES, request_kind(i, 0));
            const double value = wrong[round % 4];
            picture_set(&host, 1, check_between(&random, 0, 149), check_between(&random, 0, 30),
                        check_between(&random, 0, 2), value);
            void *memory = device_copy(host.memory, host.bytes);
            const ssimcu_view ref = picture_view_at(&host, memory);
            ssimcu_request *request = request_make(context, &ref, &out.view, NULL);
            ssimcu_score score = {.struct_size = sizeof score, .score = 42};
            request_submit(request, &ref, &out.view, NULL);
            CHECK_FAILS(ssimcu_request_score(request, 1, &score, NULL, &message), SSIMCU_ERROR_DATA,
                        "not finite");
            cr_assert_eq(score.score, 42);
            for (uint32_t f = 0; f < FRAMES; f += 2)
                check_near(request_score(request, f, NULL).score,
                           check_compare(context, &frames.ref[f], &frames.out[f]).score, 1e-6,
                           "frame %u", f);
            ssimcu_request_destroy(&request);
            device_free(memory);
            sent_free(&out);
            picture_free(&host);
        }
    frames_free(&frames);
    ssimcu_close(&context);
}

/* Light that a curve cannot show counts in its own pair and side: the first, a middle and the last
 * pair. */
CUDA_TEST(request, clamped_samples_count_in_their_pair_alone)
{
    static const uint32_t pairs[] = {0, FRAMES / 2, FRAMES - 1};
    const struct picture_kind kind = {
        .layout = SSIMCU_LAYOUT_HWC, .type = SSIMCU_TYPE_F32, .peak = 1};
    ssimcu_context *context = request_context();
    struct frames frames = frames_make(150, 31, 3, 3, 12);
    for (int p = 0; p < 2 * 3; p++) {
        const int side = p % 2;
        const uint32_t pair = pairs[p / 2];
        struct picture host[2] = {picture_make(frames.ref, FRAMES, kind),
                                  picture_make(frames.out, FRAMES, kind)};
        void *memory[2];
        ssimcu_view view[2];
        for (uint32_t i = 0; i <= pair; i++) picture_set(&host[side], pair, 7 + i, 5, i % 3, 3);
        for (int s = 0; s < 2; s++) {
            memory[s] = device_copy(host[s].memory, host[s].bytes);
            view[s] = picture_view_at(&host[s], memory[s]);
            view[s].linear = 1;
        }
        ssimcu_request *request = request_make(context, &view[0], &view[1], NULL);
        request_submit(request, &view[0], &view[1], NULL);
        for (uint32_t f = 0; f < FRAMES; f++) {
            const ssimcu_score score = request_score(request, f, NULL);
            cr_expect_eq(score.light[side].clamped, f == pair ? pair + 1 : 0, "pair %u of %u", f,
                         pair);
            cr_expect_eq(score.light[!side].clamped, 0, "pair %u of %u", f, pair);
        }
        ssimcu_request_destroy(&request);
        for (int s = 0; s < 2; s++) device_free(memory[s]), picture_free(&host[s]);
    }
    frames_free(&frames);
    ssimcu_close(&context);
}
