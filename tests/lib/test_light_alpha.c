/* Linear light with alpha: what opacity and the greys of SSIMULACRA2 are. */
#include "check.h"
#include "render.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 75, HEIGHT = 50, PIXELS = WIDTH * HEIGHT };

static double drawn(check_random *random) { return (double)(check_draw(random) >> 8) / (1 << 24); }

/* Fills light from `low` to `high`, of which white has the view's peak, and opacities about
 * `opacity`. The second side is unlike the first by a tenth. */
static void fill(struct render pair[2], double low, double high, double opacity)
{
    check_random random = {91};
    for (int i = 0; i < PIXELS * 4; i++) {
        const double unlike = 1 - 0.1 * drawn(&random),
                     value = i % 4 == 3 ? opacity * (1 - 5e-4 * drawn(&random))
                                        : low + (high - low) * drawn(&random);
        for (int side = 0; side < 2; side++) {
            const double own = side && i % 4 < 3 ? value * unlike : value;
            ((float *)pair[side].memory)[i] = (float)(own * pair[side].view.peak);
        }
    }
}

static ssimcu_score score_of(const ssimcu_settings *settings, const ssimcu_view *ref,
                             const ssimcu_view *out)
{
    ssimcu_context *context = check_open(settings);
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_views(context, ref, out, &score, NULL, NULL, &why), SSIMCU_OK, "%s",
                 why.text);
    ssimcu_close(&context);
    return score;
}

/* Dark light over white: there 1 - alpha is all, and the curve is steep. */
BACKEND_TEST(light_alpha, opacity_is_exact_at_every_peak)
{
    static const double peaks[][2] = {{1, 1},       {255, 255}, {3.7, 3.7}, {100, 100},
                                      {1000, 1000}, {0.3, 1},   {203, 3.7}, {49, 1}};
    static const double opacities[] = {0.9995, 0.99, 0.5};
    for (size_t p = 0; p < sizeof peaks / sizeof peaks[0]; p++)
        for (size_t o = 0; o < 3; o++) {
            ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
            struct render pair[2];
            settings.transfer = SSIMCU_TRANSFER_SRGB;
            settings.alpha = SSIMCU_ALPHA_WHITE;
            for (int side = 0; side < 2; side++) {
                pair[side] = render_make(WIDTH, HEIGHT, 4, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
                pair[side].view.peak = peaks[p][side];
            }
            fill(pair, 4e-5, 2e-3, opacities[o]);
            const ssimcu_score score = score_of(&settings, &pair[0].view, &pair[1].view);
            check_near(score.score, model_score(&pair[0], &pair[1], &settings, 1), 1e-7,
                       "peaks %g and %g, opacity %g", peaks[p][0], peaks[p][1], opacities[o]);
            free(pair[0].memory), free(pair[1].memory);
        }
}

/* Returns SSIMULACRA2 of a pair over a grey, which is composited here. */
static double over_grey(const ssimcu_settings *settings, const struct render pair[2], double grey)
{
    static float opaque[2][PIXELS * 3];
    const double under = pow((grey + 0.055) / 1.055, 2.4);
    ssimcu_view view[2];
    for (int side = 0; side < 2; side++) {
        const float *from = (const float *)pair[side].memory;
        for (int i = 0; i < PIXELS; i++)
            for (int c = 0; c < 3; c++) {
                const double a = (double)from[i * 4 + 3] / pair[side].view.peak,
                             v = (double)from[i * 4 + c] / pair[side].view.peak;
                opaque[side][i * 3 + c] = (float)(v * a + under * (1 - a));
            }
        view[side] = (ssimcu_view){.struct_size = sizeof *view,
                                   .width = WIDTH,
                                   .height = HEIGHT,
                                   .channels = 3,
                                   .type = SSIMCU_TYPE_F32,
                                   .data = {opaque[side]},
                                   .linear = 1};
    }
    return score_of(settings, &view[0], &view[1]).metric[SSIMCU_METRIC_SSIMULACRA2];
}

BACKEND_TEST(light_alpha, ssimulacra2_composites_light_over_two_greys)
{
    static const double peaks[] = {1, 3.7, 255}, opacities[] = {1, 0.8, 0.3, 0};
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    settings.metrics = 1u << SSIMCU_METRIC_SSIMULACRA2;
    for (size_t p = 0; p < 3; p++)
        for (size_t o = 0; o < 4; o++) {
            struct render pair[2];
            for (int side = 0; side < 2; side++) {
                pair[side] = render_make(WIDTH, HEIGHT, 4, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
                pair[side].view.peak = peaks[p];
                pair[side].view.linear = 1;
            }
            fill(pair, 0, 1.2, opacities[o]);
            const double expected =
                fmin(over_grey(&settings, pair, 0.1), over_grey(&settings, pair, 0.9));
            check_near(
                score_of(&settings, &pair[0].view, &pair[1].view).metric[SSIMCU_METRIC_SSIMULACRA2],
                expected, 1e-3, "peak %g, opacity %g", peaks[p], opacities[o]);
            free(pair[0].memory), free(pair[1].memory);
        }
}

/* A transparent picture is the grey itself, in light and in codes. */
BACKEND_TEST(light_alpha, greys_of_light_and_of_codes_are_one_colour)
{
    static uint8_t codes[PIXELS * 4];
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    for (int transfer = 0; transfer < 2; transfer++) {
        struct render light = render_make(WIDTH, HEIGHT, 4, SSIMCU_TYPE_F32, SSIMCU_LAYOUT_HWC);
        struct render pair[2] = {light, light};
        settings.transfer = transfer ? SSIMCU_TRANSFER_HABLE : SSIMCU_TRANSFER_SRGB;
        settings.metrics = 1u << SSIMCU_METRIC_SSIMULACRA2;
        light.view.peak = pair[0].view.peak = pair[1].view.peak = 1;
        fill(pair, 0, 1, 0);
        const ssimcu_view view = SSIMCU_INIT(view, .width = WIDTH, .height = HEIGHT, .channels = 4,
                                             .type = SSIMCU_TYPE_U8, .data = {codes});
        check_near(score_of(&settings, &light.view, &view).metric[SSIMCU_METRIC_SSIMULACRA2], 100,
                   1e-3, "transfer %u", settings.transfer);
        free(light.memory);
    }
}

/* Only colours count as clamped: alpha beyond its range does not, wherever it is. */
BACKEND_TEST(light_alpha, alpha_never_counts_as_clamped)
{
    static const uint32_t places[] = {0, WIDTH - 1, PIXELS / 2, PIXELS - WIDTH, PIXELS - 1};
    static const float alphas[] = {-0.5f, 1.5f};
    for (int layout = SSIMCU_LAYOUT_HWC; layout <= SSIMCU_LAYOUT_CHW; layout++)
        for (uint32_t i = 0; i < 2 * sizeof places / sizeof places[0]; i++) {
            ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
            struct render pair[2];
            settings.transfer = SSIMCU_TRANSFER_SRGB;
            settings.alpha = SSIMCU_ALPHA_BLACK;
            for (int side = 0; side < 2; side++) {
                pair[side] = render_make(WIDTH, HEIGHT, 4, SSIMCU_TYPE_F32, (ssimcu_layout)layout);
                for (uint32_t k = 0; k < PIXELS; k++)
                    for (uint32_t c = 0; c < 4; c++)
                        render_set(&pair[side], k % WIDTH, k / WIDTH, c, 0.25f);
            }
            const uint32_t at = places[i / 2];
            render_set(&pair[1], at % WIDTH, at / WIDTH, 3, alphas[i % 2]);
            const ssimcu_score alone = score_of(&settings, &pair[0].view, &pair[1].view);
            render_set(&pair[1], at % WIDTH, at / WIDTH, 2, 1.5f);
            const ssimcu_score both = score_of(&settings, &pair[0].view, &pair[1].view);
            cr_assert_eq(alone.light[1].clamped, 0, "layout %d, pixel %u", layout, at);
            cr_assert_eq(both.light[1].clamped, 1, "layout %d, pixel %u", layout, at);
            free(pair[0].memory), free(pair[1].memory);
        }
}

/* Scores a pair whose alpha is not finite in one pixel of a side. */
static void check_alpha(const ssimcu_settings *settings, struct render pair[2], uint32_t at,
                        float value, int side)
{
    struct render *const render = &pair[side];
    const uint32_t x = at % WIDTH, y = at / WIDTH, alpha = render->channels - 1;
    const bool counts = settings->alpha != SSIMCU_ALPHA_IGNORE;
    char where[80];
    snprintf(where, sizeof where, ": %s: 1 sample, the first at x %u, y %u", side ? "out" : "ref",
             x, y);
    render_set(render, x, y, alpha, value);
    if (counts && !settings->nan_zero) {
        ssimcu_context *context = check_open(settings);
        ssimcu_score score = SSIMCU_INIT(score);
        CHECK_FAILS(ssimcu_compare_views(context, &pair[0].view, &pair[1].view, &score, NULL, NULL,
                                         &message),
                    SSIMCU_ERROR_DATA, where);
        ssimcu_close(&context);
    } else {
        const ssimcu_score score = score_of(settings, &pair[0].view, &pair[1].view);
        cr_assert_eq(score.light[side].not_finite, counts, "%u channels%s", alpha + 1, where);
        cr_assert_eq(score.light[!side].not_finite, 0, "%u channels%s", alpha + 1, where);
        cr_assert(counts ? score.score < 1 : score.score == 1, "%u channels%s", alpha + 1, where);
    }
    render_set(render, x, y, alpha, 0.5f);
}

/* A sample of alpha that is not finite counts as one of a colour does, unless alpha is ignored. */
BACKEND_TEST(light_alpha, alpha_that_is_not_finite)
{
    static const uint32_t places[] = {0, PIXELS / 2, PIXELS - 1};
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (uint32_t way = 0; way < 3 * 2 * 2; way++) {
        struct render pair[2];
        const uint32_t channels = way % 2 ? 4 : 2;
        for (int side = 0; side < 2; side++) {
            pair[side] = render_make(WIDTH, HEIGHT, channels, SSIMCU_TYPE_F16 + way / 4,
                                     (ssimcu_layout)(way / 2 % 2));
            for (uint32_t i = 0; i < PIXELS * channels; i++)
                render_set(&pair[side], i / channels % WIDTH, i / channels / WIDTH, i % channels,
                           0.5f);
        }
        for (uint32_t i = 0; i < 3 * 3; i++) {
            ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
            settings.transfer = SSIMCU_TRANSFER_SRGB;
            settings.nan_zero = i / 3 == 1;
            settings.alpha = i / 3 == 2 ? SSIMCU_ALPHA_IGNORE : SSIMCU_ALPHA_BLACK;
            check_alpha(&settings, pair, places[i % 3], values[(i + way) % 3], (int)(i + way) % 2);
        }
        free(pair[0].memory), free(pair[1].memory);
    }
}
