/* Planes whose values are computed: luma of floats, and what alpha composites. Floats have any
 * size here, because a GPU keeps small values as whole numbers and large ones as floats. */
#include "check.h"

#include <math.h>
#include <stdlib.h>

enum { CHANNELS = 4 };

struct kind {
    const char *name;
    float highlight; /* what some samples are multiplied by */
    float below;     /* what is subtracted from all */
    uint32_t share;  /* highlights in 10,000 pixels */
};

static const struct kind KINDS[] = {{"within the peak", 1, 0, 0},
                                    {"highlights of twice the peak", 2.2f, 0, 300},
                                    {"a few large highlights", 900, 0, 5},
                                    {"highlights everywhere", 60, 0.3f, 4000},
                                    {"all large", 5e4f, 0, 10000}};

static void draw(check_random *random, const struct kind *kind, float *data, uint32_t pixels)
{
    for (uint32_t i = 0; i < pixels; i++) {
        const float factor = check_between(random, 1, 10000) <= kind->share ? kind->highlight : 1;
        for (int c = 0; c < CHANNELS - 1; c++)
            data[i * CHANNELS + c] =
                (float)check_between(random, 0, 1000) / 1000 * factor - kind->below;
        data[i * CHANNELS + 3] = (float)check_between(random, 0, 16) / 16;
    }
}

/* Adds noise to the colours. */
static void disturb(check_random *random, const float *from, float *to, uint32_t pixels)
{
    for (uint32_t i = 0; i < pixels * CHANNELS; i++)
        to[i] = i % CHANNELS == 3 ? from[i]
                                  : from[i] * (1 + (float)check_between(random, 0, 200) / 1000);
}

/* Returns the luma of a frame, over black if `alpha`. */
static double *luma_of(const float *data, uint32_t pixels, int alpha)
{
    double *const plane = malloc(pixels * sizeof *plane);
    for (uint32_t i = 0; i < pixels; i++) {
        const float *p = data + (size_t)i * CHANNELS;
        plane[i] = (0.2126 * (double)p[0] + 0.7152 * (double)p[1] + 0.0722 * (double)p[2]) *
                   (alpha ? (double)p[3] : 1);
    }
    return plane;
}

static ssimcu_view view_of(float *data, uint32_t side)
{
    return (ssimcu_view){.struct_size = sizeof(ssimcu_view),
                         .width = side,
                         .height = side,
                         .channels = CHANNELS,
                         .type = SSIMCU_TYPE_F32,
                         .data = {data}};
}

/* Allocates and draws both frames. */
static void draw_pair(const struct kind *kind, uint32_t side, float *data[2])
{
    check_random random = {side};
    const uint32_t pixels = side * side;
    for (int i = 0; i < 2; i++) data[i] = malloc(pixels * CHANNELS * sizeof *data[i]);
    draw(&random, kind, data[0], pixels);
    disturb(&random, data[0], data[1], pixels);
}

static void check_kind(ssimcu_context *context, const struct kind *kind, uint32_t side, int alpha)
{
    const uint32_t pixels = side * side;
    float *data[2];
    draw_pair(kind, side, data);
    double *const ref = luma_of(data[0], pixels, alpha), *const out =
                                                             luma_of(data[1], pixels, alpha);
    const double expected = oracle_plane(ref, out, side, side, 1);
    const ssimcu_view a = view_of(data[0], side), b = view_of(data[1], side);
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = side, .height = side};
    double tile = 0;
    tiles.data = &tile;
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, NULL, &why), SSIMCU_OK, "%s",
                 why.text);
    check_near(score.score, expected, 1e-6, "%s, side %u, alpha %d", kind->name, side, alpha);
    cr_assert_eq(ssimcu_views_layout(context, &a, &b, NULL, &tiles, NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, &tiles, NULL), SSIMCU_OK);
    check_near(tile, expected, 1e-6, "tile: %s, side %u, alpha %d", kind->name, side, alpha);
    cr_assert_eq(ssimcu_compare_views(context, &a, &a, &score, NULL, NULL, NULL), SSIMCU_OK);
    cr_assert_eq(score.score, 1, "%s, side %u: %.17g", kind->name, side, score.score);
    data[1][5] = NAN;
    cr_assert_neq(ssimcu_compare_views(context, &a, &b, &score, NULL, NULL, NULL), SSIMCU_OK);
    free(data[0]), free(data[1]), free(ref), free(out);
}

/* A GPU scores the smallest frames in double, larger ones by multiply-adds, the largest on tensor
 * cores. */
BACKEND_TEST(ssim_computed, floats_of_any_size)
{
    static const uint32_t sides[] = {11, 45, 250, 530};
    for (int alpha = 0; alpha < 2; alpha++) {
        const ssimcu_settings settings = {.struct_size = sizeof settings,
                                          .device = device,
                                          .color = SSIMCU_COLOR_Y709,
                                          .alpha =
                                              alpha ? SSIMCU_ALPHA_BLACK : SSIMCU_ALPHA_IGNORE};
        ssimcu_context *context = check_open(&settings);
        for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++)
            for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++)
                check_kind(context, &KINDS[k], sides[s], alpha);
        ssimcu_close(&context);
    }
}

static void check_ms_ssim(ssimcu_context *context, const struct kind *kind, uint32_t side)
{
    const uint32_t pixels = side * side;
    float *data[2];
    draw_pair(kind, side, data);
    double *const ref[3] = {luma_of(data[0], pixels, 0)}, *const out[3] = {
                                                              luma_of(data[1], pixels, 0)};
    const ssimcu_view a = view_of(data[0], side), b = view_of(data[1], side);
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, NULL, &why), SSIMCU_OK, "%s",
                 why.text);
    double lowest;
    const double expected =
        oracle_metric_of(ref, out, 1, (int)side, (int)side, SSIMCU_METRIC_MS_SSIM, &lowest);
    check_near(score.metric[SSIMCU_METRIC_MS_SSIM], expected, 2e-6, "MS-SSIM: %s, side %u",
               kind->name, side);
    free(data[0]), free(data[1]);
}

/* No scale, the first and the first two are scored on tensor cores. Where a strip's samples become
 * large, they go on in larger units. */
BACKEND_TEST(ssim_computed, ms_ssim_of_any_size)
{
    static const uint32_t sides[] = {250, 530, 1044};
    const ssimcu_settings settings = {.struct_size = sizeof settings,
                                      .device = device,
                                      .metrics = 1u << SSIMCU_METRIC_MS_SSIM,
                                      .color = SSIMCU_COLOR_Y709,
                                      .alpha = SSIMCU_ALPHA_IGNORE};
    ssimcu_context *context = check_open(&settings);
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++)
        for (size_t k = 0; k < sizeof KINDS / sizeof KINDS[0]; k++)
            check_ms_ssim(context, &KINDS[k], sides[s]);
    ssimcu_close(&context);
}
