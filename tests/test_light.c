/* Linear light: every curve against a model in double that shares nothing with the library, on
 * renders with highlights, fireflies and noise; what is counted; what is refused. */
#include "check.h"
#include "core/light.h"
#include "request.h"

#include <math.h>
#include <stdlib.h>

/* ---- The model ------------------------------------------------------------------------------- */

static double srgb(double v)
{
    return v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
}

static double filmic(double x)
{
    return (x * (0.22 * x + 0.10 * 0.30) + 0.20 * 0.01) / (x * (0.22 * x + 0.30) + 0.20 * 0.30) -
           0.01 / 0.30;
}

static double pu21(double nits)
{
    static const double p[] = {0.353487901,   0.3734658629, 8.277049286e-05, 0.9062562627,
                               0.09150303166, 0.9099517204, 596.3148142};
    const double y = fmin(fmax(nits, 0.005), 10000), power = pow(y, p[3]);
    return fmax(p[6] * (pow((p[0] + p[1] * power) / (1 + p[2] * power), p[4]) - p[5]), 0);
}

/* Light to what is compared, and the L of it. */
static double encode(const ssimcu_settings *settings, double v)
{
    switch (settings->transfer) {
    case SSIMCU_TRANSFER_SRGB: return srgb(fmin(fmax(v, 0), 1));
    case SSIMCU_TRANSFER_PU21: return pu21(v * (settings->white == 0 ? 100 : settings->white));
    case SSIMCU_TRANSFER_HABLE: return srgb(fmin(filmic(fmax(v, 0) * 1.758141) / filmic(11.2), 1));
    default: return v;
    }
}

static double range(const ssimcu_settings *settings)
{
    return settings->transfer == SSIMCU_TRANSFER_PU21 ? 256 : 1;
}

/* ---- Renders --------------------------------------------------------------------------------- */

enum { WIDTH = 93, HEIGHT = 61 };

/* A float picture in one type and layout. */
struct render {
    ssimcu_view view;
    void *memory;
    uint32_t width, height, channels;
};

static size_t place(const ssimcu_view *view, uint32_t x, uint32_t y, uint32_t c)
{
    const size_t pixel = (size_t)y * view->width + x;
    return view->layout == SSIMCU_LAYOUT_HWC ? pixel * view->channels + c
                                             : pixel + (size_t)c * view->width * view->height;
}

static double get(const struct render *render, uint32_t x, uint32_t y, uint32_t c)
{
    const size_t at = place(&render->view, x, y, c);
    return render->view.type == SSIMCU_TYPE_F32
               ? (double)((float *)render->memory)[at]
               : (double)ssimcu_sample_half(((uint16_t *)render->memory)[at]);
}

/* The nearest half below. */
static uint16_t to_half(float value)
{
    uint16_t low = 0, high = 0x7c00;
    while (high - low > 1) {
        const uint16_t middle = (uint16_t)((low + high) / 2);
        if (ssimcu_sample_half(middle) <= fabsf(value))
            low = middle;
        else
            high = middle;
    }
    return value < 0 ? (uint16_t)(low | 0x8000) : low;
}

static void set(struct render *render, uint32_t x, uint32_t y, uint32_t c, float value)
{
    const size_t at = place(&render->view, x, y, c);
    if (render->view.type == SSIMCU_TYPE_F32)
        ((float *)render->memory)[at] = value;
    else
        ((uint16_t *)render->memory)[at] = isnan(value)   ? 0x7e00
                                           : isinf(value) ? (uint16_t)(value < 0 ? 0xfc00 : 0x7c00)
                                                          : to_half(value);
}

static struct render make_render(uint32_t width, uint32_t height, uint32_t channels,
                                 ssimcu_type type, ssimcu_layout layout)
{
    struct render render = {
        .view = SSIMCU_INIT(view), .width = width, .height = height, .channels = channels};
    render.view.width = width;
    render.view.height = height;
    render.view.channels = channels;
    render.view.type = type;
    render.view.layout = layout;
    render.memory = calloc((size_t)width * height * channels, 4);
    render.view.data[0] = render.memory;
    return render;
}

/* Light from shadows to highlights of 4, with detail; then noise, and fireflies of 10000. */
static void paint(struct render *render, check_random *random, double noise, int fireflies)
{
    const uint32_t colors = render->channels >= 3 ? 3 : 1;
    for (uint32_t y = 0; y < render->height; y++)
        for (uint32_t x = 0; x < render->width; x++) {
            const double u = (double)x / render->width, v = (double)y / render->height;
            const double wave = sin(x * 0.7) * cos(y * 0.45) * 0.3 + sin(x * 0.11 + y * 0.07) * 0.7;
            for (uint32_t c = 0; c < colors; c++) {
                const double light = exp2(9 * u - 7 + wave + 0.4 * c) * (0.3 + v);
                const double grain = (check_between(random, 0, 2000) / 1000.0 - 1) * noise;
                set(render, x, y, c, (float)(fmin(light, 4) * (1 + grain) - 0.002));
            }
            if (render->channels % 2 == 0)
                set(render, x, y, colors, (float)check_between(random, 0, 256) / 256);
        }
    for (int i = 0; i < fireflies; i++)
        set(render, check_between(random, 0, render->width - 1),
            check_between(random, 0, render->height - 1), check_between(random, 0, colors - 1),
            1e4f);
}

/* ---- The model's score ----------------------------------------------------------------------- */

static double light_of(const struct render *render, const ssimcu_settings *settings, uint32_t x,
                       uint32_t y, uint32_t c, double background)
{
    const double gain = settings->gain == 0 ? 1 : settings->gain;
    const double peak = render->view.peak == 0 ? 1 : render->view.peak;
    const double v = get(render, x, y, render->channels >= 3 ? c : 0) / peak * gain;
    if (render->channels % 2 != 0) return v;
    const double a = get(render, x, y, render->channels - 1) / peak;
    return v * a + background * (1 - a);
}

static double model_pixel(const struct render *render, const ssimcu_settings *settings, uint32_t x,
                          uint32_t y, uint32_t c, double background)
{
    const double weight[] = {0.2126, 0.7152, 0.0722};
    if (settings->color == SSIMCU_COLOR_RGB || render->channels < 3)
        return encode(settings, light_of(render, settings, x, y, c, background));
    double coded = 0, light = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const double v = light_of(render, settings, x, y, i, background);
        coded += weight[i] * encode(settings, v);
        light += weight[i] * v;
    }
    return settings->transfer == SSIMCU_TRANSFER_PU21 ? encode(settings, light) : coded;
}

static double model_score(const struct render *ref, const struct render *out,
                          const ssimcu_settings *settings, double background)
{
    const size_t pixels = (size_t)ref->width * ref->height;
    const bool grey = ref->channels < 3 && out->channels < 3;
    const uint32_t planes = grey || settings->color != SSIMCU_COLOR_RGB ? 1 : 3;
    double *plane[2] = {malloc(pixels * sizeof(double)), malloc(pixels * sizeof(double))}, sum = 0;
    for (uint32_t c = 0; c < planes; c++) {
        for (int side = 0; side < 2; side++)
            for (size_t i = 0; i < pixels; i++)
                plane[side][i] = model_pixel(side ? out : ref, settings, (uint32_t)(i % ref->width),
                                             (uint32_t)(i / ref->width), c, background);
        sum += oracle_plane(plane[0], plane[1], ref->width, ref->height, range(settings));
    }
    free(plane[0]), free(plane[1]);
    return sum / planes;
}

static uint64_t model_clamped(const struct render *render, const ssimcu_settings *settings)
{
    const double white = settings->white == 0 ? 100 : settings->white;
    const double most[] = {INFINITY, 1, 10000 / white, 11.2 / 1.758141};
    const double least = settings->transfer == SSIMCU_TRANSFER_NONE ? -INFINITY : 0;
    const double gain = (settings->gain == 0 ? 1 : settings->gain) /
                        (render->view.peak == 0 ? 1 : render->view.peak);
    uint64_t count = 0;
    for (uint32_t y = 0; y < render->height; y++)
        for (uint32_t x = 0; x < render->width; x++) {
            bool clamped = false;
            for (uint32_t c = 0; c < (render->channels >= 3 ? 3 : 1); c++) {
                const double v = get(render, x, y, c) * gain;
                clamped |= v < least || v > most[settings->transfer];
            }
            count += clamped;
        }
    return count;
}

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
    if (settings->transfer != SSIMCU_TRANSFER_NONE || settings->gain != 0) {
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
    struct render ref = make_render(width, height, channels[0], type[0], layout);
    struct render out = make_render(width, height, channels[1], type[1], layout);
    paint(&ref, &random, 0, 0);
    paint(&out, &random, 0.1, 5);
    check_pair(settings, &ref, &out, "render");
    free(ref.memory), free(out.memory);
}

BACKEND_TEST(light, every_curve_type_and_layout)
{
    static const double gains[] = {0, 4, 0.125};
    for (ssimcu_transfer transfer = SSIMCU_TRANSFER_NONE; transfer <= SSIMCU_TRANSFER_HABLE;
         transfer++)
        for (size_t g = 0; g < 3; g++)
            for (unsigned way = 0; way < 8; way++) {
                ssimcu_settings settings = make_settings(device, transfer);
                const uint32_t channels[2] = {3, 3};
                const ssimcu_type type[2] = {SSIMCU_TYPE_F16 + (way & 1),
                                             SSIMCU_TYPE_F16 + (way >> 1 & 1)};
                settings.gain = gains[g];
                if (transfer == SSIMCU_TRANSFER_NONE && g == 0) continue;
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

/* Large enough for the kernels of large frames. */
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
    struct render ref = make_render(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
    struct render out = make_render(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
    paint(&ref, &random, 0, 0);
    paint(&out, &random, 0.1, 5);
    settings.white = 4000;
    check_pair(&settings, &ref, &out, "white");
    ref.view.peak = out.view.peak = 2.5;
    check_pair(&settings, &ref, &out, "peak");
    settings.transfer = SSIMCU_TRANSFER_SRGB;
    check_pair(&settings, &ref, &out, "peak");
    free(ref.memory), free(out.memory);
}

/* Frames of floats are views of them; a PNG of the same picture is on the same scale. */
BACKEND_TEST(light, frames_and_pictures)
{
    check_random random = {23};
    struct render ref = make_render(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
    const ssimcu_settings settings = make_settings(device, SSIMCU_TRANSFER_SRGB);
    uint16_t *picture = malloc((size_t)WIDTH * HEIGHT * 3 * sizeof *picture);
    ssimcu_frame light = {WIDTH, HEIGHT, 3, SSIMCU_BITS_F32, WIDTH * 12, ref.memory},
                 png = {WIDTH, HEIGHT, 3, 16, WIDTH * 6, picture};
    paint(&ref, &random, 0.1, 0);
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * 3; i++)
        picture[i] = (uint16_t)lrint(65535 * encode(&settings, (double)((float *)ref.memory)[i]));
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
    set(render, 7, 5, 1, NAN);
    set(render, 80, 5, 0, INFINITY);
    for (uint32_t i = 0; i < 14; i++) set(render, i, 50, 2, i % 2 ? NAN : -INFINITY);
}

BACKEND_TEST(light, not_finite_is_no_score)
{
    for (unsigned way = 0; way < 16; way++) {
        check_random random = {24};
        const ssimcu_transfer transfer = (ssimcu_transfer)(way >> 2);
        const ssimcu_settings settings = make_settings(device, transfer);
        struct render ref = make_render(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16 + (way & 1),
                                        (ssimcu_layout)(way >> 1 & 1));
        struct render out = ref;
        out.memory = malloc((size_t)WIDTH * HEIGHT * 12);
        out.view.data[0] = out.memory;
        paint(&ref, &random, 0, 0);
        paint(&out, &random, 0, 0);
        spoil(&out);
        ssimcu_context *context = check_open(&settings);
        ssimcu_score score = SSIMCU_INIT(score);
        CHECK_FAILS(
            ssimcu_compare_views(context, &ref.view, &out.view, &score, NULL, NULL, &message),
            SSIMCU_ERROR_DATA, ": out: 16 samples, the first at x 7, y 5");
        set(&ref, 92, 60, 2, NAN);
        CHECK_FAILS(
            ssimcu_compare_views(context, &ref.view, &out.view, &score, NULL, NULL, &message),
            SSIMCU_ERROR_DATA,
            "ref: 1 sample, the first at x 92, y 60; out: 16 samples, the first at x 7");
        ssimcu_close(&context);
        free(ref.memory), free(out.memory);
    }
}

BACKEND_TEST(light, not_finite_as_zero)
{
    for (unsigned way = 0; way < 16; way++) {
        check_random random = {25};
        ssimcu_settings settings = make_settings(device, (ssimcu_transfer)(way >> 2));
        settings.nan_zero = 1;
        struct render ref = make_render(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16 + (way & 1),
                                        (ssimcu_layout)(way >> 1 & 1));
        struct render out = ref;
        out.memory = malloc((size_t)WIDTH * HEIGHT * 12);
        out.view.data[0] = out.memory;
        paint(&ref, &random, 0, 0);
        paint(&out, &random, 0.05, 0);
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
                    if (!isfinite(get(&out, x, y, c))) set(&out, x, y, c, 0);
        check_near(score.score, model_score(&ref, &out, &settings, 0), 1e-6, "way %u", way);
        ssimcu_close(&context);
        free(ref.memory), free(out.memory);
    }
}

/* ---- Device frames ----------------------------------------------------------------------------
 */

enum { PAIRS = 3, PAIR_BYTES = WIDTH * HEIGHT * 3 * 2 };

/* Three pairs in one submission: each as if it were alone, and the one that is not finite alone is
 * an error. */
static void score_batch(ssimcu_context *context, ssimcu_view side[2])
{
    ssimcu_request *request = request_make(context, &side[0], &side[1], NULL);
    request_submit(request, &side[0], &side[1], NULL);
    for (uint32_t pair = 0; pair < PAIRS; pair++) {
        check_random random = {30 + pair};
        struct render ref = make_render(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16, SSIMCU_LAYOUT_HWC);
        struct render out = make_render(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16, SSIMCU_LAYOUT_HWC);
        const ssimcu_settings settings = make_settings(SSIMCU_DEVICE_CUDA, SSIMCU_TRANSFER_SRGB);
        ssimcu_score score = SSIMCU_INIT(score);
        paint(&ref, &random, 0, 0);
        paint(&out, &random, 0.1, 5);
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
            struct render one = make_render(WIDTH, HEIGHT, 3, SSIMCU_TYPE_F16, SSIMCU_LAYOUT_HWC);
            paint(&one, &random, s ? 0.1 : 0, s ? 5 : 0);
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

/* Every half from 0 to 65504, and floats between them: within 3e-7 of the curve's own range. */
Test(light, curves)
{
    const ssimcu_transfer transfers[] = {SSIMCU_TRANSFER_SRGB, SSIMCU_TRANSFER_PU21,
                                         SSIMCU_TRANSFER_HABLE};
    check_random random = {26};
    for (size_t t = 0; t < 3; t++) {
        ssimcu_settings settings = make_settings(SSIMCU_DEVICE_CPU, transfers[t]);
        const struct ssimcu_light_rule light = {.transfer = transfers[t], .nits = 100};
        double worst = 0;
        for (uint32_t i = 0; i < 0x7c00 * 8; i++) {
            const float v = ssimcu_sample_half((uint16_t)(i / 8)) *
                            (1 + (float)(i % 8) * (float)check_between(&random, 0, 1000) * 1e-7f);
            const double expected = encode(&settings, (double)v) / range(&settings);
            worst = fmax(worst, fabs((double)ssimcu_light_encode(&light, v) / 255 - expected));
        }
        cr_log_info("transfer %u: within %.3g", transfers[t], worst);
        cr_assert_lt(worst, t == 1 ? 1.2e-6 : 3e-7, "transfer %u: %g", transfers[t], worst);
    }
}

BACKEND_TEST(light, settings_out_of_range)
{
    ssimcu_context *context = NULL;
    ssimcu_settings settings = make_settings(device, (ssimcu_transfer)4);
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
