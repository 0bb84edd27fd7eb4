/* Linear light: every curve against a model in double that shares nothing with the library. The
 * pictures are renders with highlights, fireflies and noise. Also: what is counted and what is
 * refused. */
#include "number/light.h"
#include "render.h"
#include "request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 93, HEIGHT = 61 };

/* ---- Against it ------------------------------------------------------------------------------ */

static double lower(double a, double b) { return a < b ? a : b; }

static void check_pair(const ssimcu_settings *settings, const struct render *ref,
                       const struct render *out, const char *what)
{
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    ssimcu_score score = SSIMCU_INIT(score);
    cr_assert_eq(ssimcu_open(settings, &context, &why), SSIMCU_OK, "%s", why.text);
    const ssimcu_status status =
        ssimcu_compare_views(context, &ref->view, &out->view, &score, NULL, NULL, &why);
    cr_assert_eq(status, SSIMCU_OK, "%s: %s", what, why.text);
    const bool alpha = ref->channels % 2 == 0 || out->channels % 2 == 0;
    const double black = model_score(ref, out, settings, 0);
    const double expected = alpha ? lower(black, model_score(ref, out, settings, 1)) : black;
    check_near(score.score, expected, 1e-6,
               "%s, transfer %u, gain %g, color %u, types %u %u, "
               "layout %u, channels %u %u",
               what, settings->transfer, settings->gain, settings->color, ref->view.type,
               out->view.type, ref->view.layout, ref->channels, out->channels);
    if (settings->transfer != SSIMCU_TRANSFER_AUTO || settings->gain != 0) {
        cr_assert_eq(score.light[0].clamped, model_clamped(ref, settings), "%s: ref", what);
        cr_assert_eq(score.light[1].clamped, model_clamped(out, settings), "%s: out", what);
    }
    ssimcu_close(&context);
}

static ssimcu_settings make_settings(ssimcu_device device, ssimcu_transfer transfer)
{
    ssimcu_settings settings = SSIMCU_INIT(settings);
    settings.device = device;
    settings.transfer = transfer;
    settings.threads = 2;
    return settings;
}

static void check_size(const ssimcu_settings *settings, uint32_t width, uint32_t height,
                       const uint32_t channels[2], const ssimcu_type type[2], ssimcu_layout layout)
{
    check_random random = {21};
    struct render ref = render_make(width, height, channels[0], type[0], layout);
    struct render out = render_make(width, height, channels[1], type[1], layout);
    render_paint(&ref, &random, 0, 0);
    render_paint(&out, &random, 0.1, 5);
    check_pair(settings, &ref, &out, "render");
    free(ref.memory), free(out.memory);
}

BACKEND_TEST(light, every_curve_type_and_layout)
{
    static const double gains[] = {0, 4, 0.125};
    for (ssimcu_transfer transfer = SSIMCU_TRANSFER_AUTO; transfer <= SSIMCU_TRANSFER_HABLE;
         transfer++)
        for (size_t g = 0; g < 3; g++)
            for (unsigned way = 0; way < 8; way++) {
                ssimcu_settings settings = make_settings(device, transfer);
                const uint32_t channels[2] = {3, 3};
                const ssimcu_type type[2] = {SSIMCU_TYPE_F16 + (way & 1),
                                             SSIMCU_TYPE_F16 + (way >> 1 & 1)};
                settings.gain = gains[g];
                if (transfer == SSIMCU_TRANSFER_AUTO && g == 0) continue;
                check_size(&settings, WIDTH, HEIGHT, channels, type, (ssimcu_layout)(way >> 2));
            }
}

BACKEND_TEST(light, alpha_grey_and_luma)
{
    static const uint32_t channels[][2] = {{1, 1}, {1, 3}, {2, 2}, {4, 4}, {4, 3}, {2, 3}};
    static const ssimcu_type type[2] = {SSIMCU_TYPE_F32, SSIMCU_TYPE_F16};
    for (ssimcu_transfer transfer = SSIMCU_TRANSFER_SRGB; transfer <= SSIMCU_TRANSFER_HABLE;
         transfer++)
        for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++)
            for (int luma = 0; luma < 2; luma++)
                for (ssimcu_layout layout = SSIMCU_LAYOUT_HWC; layout <= SSIMCU_LAYOUT_CHW;
                     layout++) {
                    ssimcu_settings settings = make_settings(device, transfer);
                    settings.color = luma ? SSIMCU_COLOR_Y709 : SSIMCU_COLOR_RGB;
                    check_size(&settings, WIDTH, HEIGHT, channels[i], type, layout);
                }
}

static const ssimcu_type SMALL_TYPES[][2] = {{SSIMCU_TYPE_BF16, SSIMCU_TYPE_BF16},
                                             {SSIMCU_TYPE_BF16, SSIMCU_TYPE_F16},
                                             {SSIMCU_TYPE_F32, SSIMCU_TYPE_BF16},
                                             {SSIMCU_TYPE_F16, SSIMCU_TYPE_F16}};

BACKEND_TEST(light, bfloat16_scores_as_the_model)
{
    static const uint32_t channels[][2] = {{3, 3}, {4, 3}};
    const ssimcu_settings settings = make_settings(device, SSIMCU_TRANSFER_SRGB);
    for (size_t i = 0; i < 3; i++)
        for (int alpha = 0; alpha < 2; alpha++)
            for (ssimcu_layout layout = SSIMCU_LAYOUT_HWC; layout <= SSIMCU_LAYOUT_CHW; layout++)
                check_size(&settings, WIDTH, HEIGHT, channels[alpha], SMALL_TYPES[i], layout);
}

/* Scores with one context pairs whose samples stand for different things. */
BACKEND_TEST(light, types_and_peaks_in_turn)
{
    static const double peaks[][2] = {{1, 1}, {1, 4}, {4, 1}, {1, 1}};
    const ssimcu_settings settings = make_settings(device, SSIMCU_TRANSFER_SRGB);
    ssimcu_context *context = check_open(&settings);
    for (unsigned way = 0; way < 16; way++) {
        check_random random = {27};
        struct render pair[2];
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_message why = {{0}};
        for (int side = 0; side < 2; side++) {
            pair[side] =
                render_make(WIDTH, HEIGHT, 3, SMALL_TYPES[way >> 2][side], SSIMCU_LAYOUT_HWC);
            render_paint(&pair[side], &random, side ? 0.1 : 0, 0);
            pair[side].view.peak = peaks[way & 3][side];
        }
        cr_assert_eq(
            ssimcu_compare_views(context, &pair[0].view, &pair[1].view, &score, NULL, NULL, &why),
            SSIMCU_OK, "%s", why.text);
        check_near(score.score, model_score(&pair[0], &pair[1], &settings, 0), 1e-6, "way %u", way);
        free(pair[0].memory), free(pair[1].memory);
    }
    ssimcu_close(&context);
}

/* Every third sample of the memory counts, so that samples lie as far apart as pixels of one
 * block do. */
BACKEND_TEST(light, planes_of_every_third_sample)
{
    for (ssimcu_type type = SSIMCU_TYPE_F16; type <= SSIMCU_TYPE_BF16; type++) {
        const ssimcu_settings settings = make_settings(device, SSIMCU_TRANSFER_SRGB);
        const size_t bytes = type == SSIMCU_TYPE_F32 ? 4 : 2, count = (size_t)WIDTH * HEIGHT * 3;
        check_random random = {28};
        struct render pair[2];
        char *apart[2];
        ssimcu_context *context = check_open(&settings);
        ssimcu_score score = SSIMCU_INIT(score);
        for (int side = 0; side < 2; side++) {
            struct render *render = &pair[side];
            *render = render_make(WIDTH, HEIGHT, 3, type, SSIMCU_LAYOUT_CHW);
            render_paint(render, &random, side ? 0.1 : 0, 0);
            apart[side] = malloc(count * 3 * bytes);
            memset(apart[side], 0xff, count * 3 * bytes); /* NaN */
            for (size_t i = 0; i < count; i++)
                memcpy(apart[side] + 3 * i * bytes, (char *)render->memory + i * bytes, bytes);
        }
        ssimcu_view view[2] = {pair[0].view, pair[1].view};
        for (int side = 0; side < 2; side++) {
            view[side].pixel_stride = 3 * bytes;
            view[side].data[0] = apart[side];
        }
        cr_assert_eq(ssimcu_compare_views(context, &view[0], &view[1], &score, NULL, NULL, NULL),
                     SSIMCU_OK);
        check_near(score.score, model_score(&pair[0], &pair[1], &settings, 0), 1e-6, "type %u",
                   type);
        for (int side = 0; side < 2; side++) free(apart[side]), free(pair[side].memory);
        ssimcu_close(&context);
    }
}

/* These frames are large enough for the kernels of large frames. */
BACKEND_TEST(light, large_frames)
{
    static const uint32_t channels[2] = {3, 3};
    static const ssimcu_type type[2] = {SSIMCU_TYPE_F16, SSIMCU_TYPE_F16};
    for (ssimcu_transfer transfer = SSIMCU_TRANSFER_SRGB; transfer <= SSIMCU_TRANSFER_HABLE;
         transfer++) {
        const ssimcu_settings settings = make_settings(device, transfer);
        check_size(&settings, 811, 613, channels, type, SSIMCU_LAYOUT_HWC);
    }
}

BACKEND_TEST(light, white_and_peak)
{
    check_random random = {22};
    ssimcu_settings settings = make_settings(device, SSIMCU_TRANSFER_PU21);
    struct render ref = render_make(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
    struct render out = render_make(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
    render_paint(&ref, &random, 0, 0);
    render_paint(&out, &random, 0.1, 5);
    settings.white = 4000;
    check_pair(&settings, &ref, &out, "white");
    ref.view.peak = out.view.peak = 2.5;
    check_pair(&settings, &ref, &out, "peak");
    settings.transfer = SSIMCU_TRANSFER_SRGB;
    check_pair(&settings, &ref, &out, "peak");
    free(ref.memory), free(out.memory);
}

/* Frames of floats score as views of them; a PNG of the same picture is on the same scale. */
BACKEND_TEST(light, frames_and_pictures)
{
    check_random random = {23};
    struct render ref = render_make(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
    const ssimcu_settings settings = make_settings(device, SSIMCU_TRANSFER_SRGB);
    uint16_t *picture = malloc((size_t)WIDTH * HEIGHT * 3 * sizeof *picture);
    ssimcu_frame light = {WIDTH, HEIGHT, 3, SSIMCU_BITS_F32, WIDTH * 12, ref.memory, 0},
                 png = {WIDTH, HEIGHT, 3, 16, WIDTH * 6, picture, 0};
    render_paint(&ref, &random, 0.1, 0);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * 3; i++)
        picture[i] =
            (uint16_t)lrint(65535 * model_encode(&settings, (double)((float *)ref.memory)[i]));
    const ssimcu_score score = check_score(&settings, &light, &png);
    cr_assert(score.score > 0.999999 && score.score < 1, "%.9f", score.score);
    cr_assert_eq(score.bits, 0);
    cr_assert_eq(score.light[1].clamped, 0);
    cr_assert_eq(check_score(&settings, &light, &light).score, 1.0);
    ssimcu_context *context = check_open(&settings);
    ssimcu_settings pu21_settings = settings;
    ssimcu_score own = SSIMCU_INIT(score);
    ssimcu_close(&context);
    pu21_settings.transfer = SSIMCU_TRANSFER_PU21;
    context = check_open(&pu21_settings);
    CHECK_FAILS(ssimcu_compare(context, &light, &png, &own, &message), SSIMCU_ERROR_MISMATCH,
                "out has integers");
    ssimcu_close(&context);
    free(picture), free(ref.memory);
}

/* ---- What is not finite ---------------------------------------------------------------------- */

static void spoil(struct render *render)
{
    render_set(render, 7, 5, 1, NAN);
    render_set(render, 80, 5, 0, INFINITY);
    for (uint32_t i = 0; i < 14; i++) render_set(render, i, 50, 2, i % 2 ? NAN : -INFINITY);
}

BACKEND_TEST(light, not_finite_is_no_score)
{
    for (unsigned way = 0; way < 16; way++) {
        check_random random = {24};
        const ssimcu_transfer transfer = (ssimcu_transfer)(way >> 2);
        const ssimcu_settings settings = make_settings(device, transfer);
        struct render ref = render_make(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16 + (way & 1),
                                        (ssimcu_layout)(way >> 1 & 1));
        struct render out = ref;
        out.memory = malloc((size_t)WIDTH * HEIGHT * 12);
        out.view.data[0] = out.memory;
        render_paint(&ref, &random, 0, 0);
        render_paint(&out, &random, 0, 0);
        spoil(&out);
        ssimcu_context *context = check_open(&settings);
        ssimcu_score score = SSIMCU_INIT(score);
        CHECK_FAILS(
            ssimcu_compare_views(context, &ref.view, &out.view, &score, NULL, NULL, &message),
            SSIMCU_ERROR_DATA, ": out: 16 samples, the first at x 7, y 5");
        render_set(&ref, 92, 60, 2, NAN);
        CHECK_FAILS(
            ssimcu_compare_views(context, &ref.view, &out.view, &score, NULL, NULL, &message),
            SSIMCU_ERROR_DATA,
            "ref: 1 sample, the first at x 92, y 60; out: 16 samples, the first at x 7");
        ssimcu_close(&context);
        free(ref.memory), free(out.memory);
    }
}

/* Fails the test unless samples that are not finite in these places, in any order, are counted, and
 * the first of a row, then of the rows, is named. */
static void check_first(ssimcu_context *context, struct render pair[2], const uint32_t *places,
                        uint32_t count, int side)
{
    static const float values[] = {INFINITY, NAN, -INFINITY};
    uint32_t first = places[0];
    float before[8];
    char expected[80];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t x = places[i] % pair->width, y = places[i] / pair->width;
        before[i] = (float)render_get(&pair[side], x, y, i % 3);
        render_set(&pair[side], x, y, i % 3, values[(i + count) % 3]);
        first = places[i] < first ? places[i] : first;
    }
    snprintf(expected, sizeof expected, ": %s: %u sample%s, the first at x %u, y %u",
             side ? "out" : "ref", count, count > 1 ? "s" : "", first % pair->width,
             first / pair->width);
    ssimcu_score score = SSIMCU_INIT(score);
    CHECK_FAILS(
        ssimcu_compare_views(context, &pair[0].view, &pair[1].view, &score, NULL, NULL, &message),
        SSIMCU_ERROR_DATA, expected);
    for (uint32_t i = 0; i < count; i++)
        render_set(&pair[side], places[i] % pair->width, places[i] / pair->width, i % 3, before[i]);
}

/* Each place of the corners, edges and the middle is once the first of several, and once alone.
 * The sizes are those of a GPU's kernels: doubles, multiply-adds, tensor cores. */
BACKEND_TEST(light, the_first_of_several_that_are_not_finite)
{
    static const uint32_t sizes[][2] = {{31, 27}, {250, 143}, {530, 523}};
    for (size_t i = 0; i < 3 * 3 * 2; i++) {
        const uint32_t width = sizes[i % 3][0], height = sizes[i % 3][1], last = width * height - 1,
                       place[] = {last,
                                  last - width + 1,
                                  (height / 2 + 1) * width - 1,
                                  last / 2,
                                  height / 2 * width,
                                  width - 1,
                                  width / 2 + 1,
                                  0};
        const ssimcu_settings settings =
            make_settings(device, i / 9 ? SSIMCU_TRANSFER_SRGB : SSIMCU_TRANSFER_NONE);
        ssimcu_context *context = check_open(&settings);
        struct render pair[2];
        for (int side = 0; side < 2; side++) {
            check_random random = {29};
            pair[side] = render_make(width, height, 3, SSIMCU_TYPE_F16 + (ssimcu_type)(i / 3 % 3),
                                     (ssimcu_layout)(i % 2));
            render_paint(&pair[side], &random, side ? 0.1 : 0, 0);
        }
        for (uint32_t k = 0; k < 8; k++) {
            check_first(context, pair, &place[k], 1, (int)k % 2);
            check_first(context, pair, place, k + 1, (int)k / 2 % 2);
        }
        free(pair[0].memory), free(pair[1].memory);
        ssimcu_close(&context);
    }
}

/* A thread of a GPU takes pixels that lie ROUND apart (kernels/light/scan.cu). If two of them are
 * not finite, the message names the first. */
BACKEND_TEST(light, the_first_of_a_frame_of_many_pixels)
{
    enum { ROUND = 2048 * 256, WIDE = 1031, HIGH = 520, MORE = WIDE * HIGH - ROUND };
    static const uint32_t firsts[] = {0, MORE / 2, MORE - 1};
    const ssimcu_settings settings = make_settings(device, SSIMCU_TRANSFER_SRGB);
    ssimcu_context *context = check_open(&settings);
    for (int planar = 0; planar < 2; planar++) {
        struct render pair[2];
        for (int side = 0; side < 2; side++)
            pair[side] = render_make(WIDE, HIGH, 3, planar ? SSIMCU_TYPE_F32 : SSIMCU_TYPE_F16,
                                     planar ? SSIMCU_LAYOUT_CHW : SSIMCU_LAYOUT_HWC);
        for (int i = 0; i < 3; i++) {
            const uint32_t places[] = {firsts[i] + ROUND, firsts[i]};
            check_first(context, pair, places, 2, (i + planar) % 2);
            check_first(context, pair, places, 1, (i + planar) % 2);
        }
        free(pair[0].memory), free(pair[1].memory);
    }
    ssimcu_close(&context);
}

BACKEND_TEST(light, not_finite_as_zero)
{
    for (unsigned way = 0; way < 16; way++) {
        check_random random = {25};
        ssimcu_settings settings = make_settings(device, (ssimcu_transfer)(way >> 2));
        settings.nan_zero = 1;
        struct render ref = render_make(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16 + (way & 1),
                                        (ssimcu_layout)(way >> 1 & 1));
        struct render out = ref;
        out.memory = malloc((size_t)WIDTH * HEIGHT * 12);
        out.view.data[0] = out.memory;
        render_paint(&ref, &random, 0, 0);
        render_paint(&out, &random, 0.05, 0);
        spoil(&out);
        ssimcu_context *context = check_open(&settings);
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_message why = {{0}};
        cr_assert_eq(ssimcu_compare_views(context, &ref.view, &out.view, &score, NULL, NULL, &why),
                     SSIMCU_OK, "%s", why.text);
        cr_assert_eq(score.light[0].not_finite, 0);
        cr_assert_eq(score.light[1].not_finite, 16);
        for (uint32_t y = 0; y < HEIGHT; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                for (uint32_t c = 0; c < 3; c++)
                    if (!isfinite(render_get(&out, x, y, c))) render_set(&out, x, y, c, 0);
        check_near(score.score, model_score(&ref, &out, &settings, 0), 1e-6, "way %u", way);
        ssimcu_close(&context);
        free(ref.memory), free(out.memory);
    }
}

/* Only NaN and infinity count as 0. A finite sample far beyond the peak has no score, and its place
 * is told. */
BACKEND_TEST(light, too_large_is_not_taken_as_zero)
{
    check_random random = {26};
    ssimcu_settings settings = make_settings(device, SSIMCU_TRANSFER_NONE);
    settings.nan_zero = 1;
    struct render ref = render_make(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
    render_paint(&ref, &random, 0, 0);
    render_set(&ref, 7, 5, 1, 1e10);
    ssimcu_context *context = check_open(&settings);
    ssimcu_score score = SSIMCU_INIT(score);
    CHECK_FAILS(ssimcu_compare_views(context, &ref.view, &ref.view, &score, NULL, NULL, &message),
                SSIMCU_ERROR_DATA,
                "ref: 1 sample, the first at x 7, y 5; out: 1 sample, the first at x 7, y 5");
    ssimcu_close(&context);
    free(ref.memory);
}

/* ---- Device frames ----------------------------------------------------------------------------
 */

enum { PAIRS = 3, PAIR_BYTES = WIDTH * HEIGHT * 3 * 2 };

/* One submission holds three pairs. Each scores as if it were alone, and only the pair that is
 * not finite is an error. */
static void score_batch(ssimcu_context *context, ssimcu_view side[2])
{
    ssimcu_request *request = request_make(context, &side[0], &side[1], NULL);
    request_submit(request, &side[0], &side[1], NULL);
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        check_random random = {30 + pair};
        struct render ref = render_make(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16, SSIMCU_LAYOUT_HWC);
        struct render out = render_make(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16, SSIMCU_LAYOUT_HWC);
        const ssimcu_settings settings = make_settings(SSIMCU_DEVICE_CUDA, SSIMCU_TRANSFER_SRGB);
        ssimcu_score score = SSIMCU_INIT(score);
        render_paint(&ref, &random, 0, 0);
        render_paint(&out, &random, 0.1, 5);
        if (pair == 1) {
            CHECK_FAILS(ssimcu_request_score(request, pair, &score, NULL, &message),
                        SSIMCU_ERROR_DATA, ": out: 16 samples, the first at x 7, y 5");
        } else {
            score = request_score(request, pair, NULL);
            check_near(score.score, model_score(&ref, &out, &settings, 0), 1e-6, "pair %u", pair);
            cr_assert_eq(score.light[0].clamped, model_clamped(&ref, &settings));
            cr_assert_eq(score.light[1].clamped, model_clamped(&out, &settings));
        }
        free(ref.memory), free(out.memory);
    }
    ssimcu_request_destroy(&request);
}

CUDA_TEST(light, device_frames_cuda)
{
    const ssimcu_settings settings = make_settings(SSIMCU_DEVICE_CUDA, SSIMCU_TRANSFER_SRGB);
    ssimcu_context *context = check_open(&settings);
    uint8_t *memory[2] = {malloc(PAIRS * PAIR_BYTES), malloc(PAIRS * PAIR_BYTES)};
    ssimcu_view side[2];
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        check_random random = {30 + pair};
        for (int s = 0; s < 2; s++) {
            struct render one = render_make(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16, SSIMCU_LAYOUT_HWC);
            render_paint(&one, &random, s ? 0.1 : 0, s ? 5 : 0);
            if (s && pair == 1) spoil(&one);
            memcpy(memory[s] + pair * PAIR_BYTES, one.memory, PAIR_BYTES);
            side[s] = one.view;
            free(one.memory);
        }
    }
    for (int s = 0; s < 2; s++) {
        side[s].frames = PAIRS;
        side[s].data[0] = device_copy(memory[s], PAIRS * PAIR_BYTES);
    }
    score_batch(context, side);
    for (int s = 0; s < 2; s++) device_free((void *)(uintptr_t)side[s].data[0]), free(memory[s]);
    ssimcu_close(&context);
}

/* ---- The curves by themselves ---------------------------------------------------------------- */

/* Takes every half from 0 to 65504, and floats between them: within 3e-7 of the curve's own
 * range. */
Test(light, curves_lie_within_float_of_a_double)
{
    const ssimcu_transfer transfers[] = {SSIMCU_TRANSFER_SRGB, SSIMCU_TRANSFER_PU21,
                                         SSIMCU_TRANSFER_HABLE};
    check_random random = {26};
    for (size_t t = 0; t < 3; t++) {
        ssimcu_settings settings = make_settings(SSIMCU_DEVICE_CPU, transfers[t]);
        const struct ssimcu_light_rule light = {.transfer = transfers[t], .gain = 1, .nits = 100};
        double worst = 0;
        for (uint32_t i = 0; i < 0x7c00 * 8; i++) {
            const float v = ssimcu_sample_half((uint16_t)(i / 8)) *
                            (1 + (float)(i % 8) * (float)check_between(&random, 0, 1000) * 1e-7f);
            const double expected = model_encode(&settings, (double)v) / model_range(&settings);
            worst = fmax(
                worst, fabs((double)ssimcu_light_encode(&light, light.transfer, v, 1) - expected));
        }
        cr_log_info("transfer %u: within %.3g", transfers[t], worst);
        cr_assert_lt(worst, t == 1 ? 9e-7 : 3e-7, "transfer %u: %g", transfers[t], worst);
    }
}

/* Takes the same through the tables, and floats around the end of a curve's dark part: within a
 * whole number, 4e-9 of white, and the model's own digits. */
Test(light, tables_lie_within_a_whole_number_of_a_double)
{
    enum { WHITE = 128, AROUND = 4096 };
    static const float dark[] = {0.0031308f, 5e-5f, 0.0044459f};
    static struct ssimcu_curve curve;
    const ssimcu_transfer transfers[] = {SSIMCU_TRANSFER_SRGB, SSIMCU_TRANSFER_PU21,
                                         SSIMCU_TRANSFER_HABLE};
    for (size_t t = 0; t < 3; t++) {
        const ssimcu_settings settings = make_settings(SSIMCU_DEVICE_CPU, transfers[t]);
        const struct ssimcu_light_rule light = {
            .on = 1, .transfer = transfers[t], .gain = 1, .nits = 100};
        double worst = 0;
        ssimcu_curve_make(&curve, &light, WHITE);
        for (uint32_t i = 0; i < 0x7c00 + 2 * AROUND; i++) {
            const float v = i < 0x7c00 ? ssimcu_sample_half((uint16_t)i)
                                       : dark[t] * (1 + ((float)i - 0x7c00 - AROUND) * 1e-5f);
            const double value =
                ssimcu_curve_at(&curve.range, curve.piece, v) / (double)SSIMCU_FIXED_ONE / WHITE;
            worst = fmax(worst,
                         fabs(value - model_encode(&settings, (double)v) / model_range(&settings)));
        }
        cr_assert_lt(worst, t == 1 ? 4e-9 : 3e-8, "transfer %u: %g", transfers[t], worst);
    }
}

/* ssimcu_curve_at rounds what a piece adds to its middle, which must stay within 2^22. */
Test(light, pieces_are_small_enough_to_round)
{
    static struct ssimcu_curve curve;
    const ssimcu_transfer transfers[] = {SSIMCU_TRANSFER_SRGB, SSIMCU_TRANSFER_PU21,
                                         SSIMCU_TRANSFER_HABLE};
    for (int i = 0; i < 3 * 64; i++) {
        const struct ssimcu_light_rule light = {.on = 1,
                                                .transfer = transfers[i % 3],
                                                .gain = exp2f((float)(i / 3) / 8 - 4),
                                                .nits = i % 2 ? 100 : 1000};
        ssimcu_curve_make(&curve, &light, SSIMCU_CURVE_WHITE);
        for (int p = 0; p < SSIMCU_CURVE_PIECES; p++) {
            const struct ssimcu_curve_piece *piece = &curve.piece[p];
            float most = fabsf(piece->base);
            for (int k = 0; k < 4; k++) most += fabsf(piece->power[k]);
            cr_assert_lt(most, 0x1p22f, "transfer %u, gain %g, piece %d: %g", transfers[i % 3],
                         (double)light.gain, p, (double)most);
        }
    }
}

BACKEND_TEST(light, settings_out_of_range)
{
    ssimcu_context *context = NULL;
    ssimcu_settings settings = make_settings(device, (ssimcu_transfer)5);
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_ARGUMENT, "transfer");
    settings = make_settings(device, SSIMCU_TRANSFER_SRGB);
    settings.gain = -1;
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_ARGUMENT, "gain");
    settings.gain = NAN;
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_ARGUMENT, "gain");
    settings.gain = 1;
    settings.white = INFINITY;
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_ARGUMENT, "white");
}
