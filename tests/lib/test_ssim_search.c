/* A search for the content on which the score errs most, with a reference in long
 * double (search_model.h): two levels in patterns that repeat, and a climb from the worst of them.
 * SSIMCU_SEARCH is the number of draws per row. */
#include "api/context.h"
#include "check.h"
#include "search_model.h"

#include <math.h>
#include <stdlib.h>

enum { LEVELS = SSIMCU_CPU_NEON + 1 };

/* What rows promise, what large pairs do on a GPU's tensor cores, and what a CPU does for frames
 * that it scores in double. PU21 lifts dark light so far that a GPU's floats lose more. UNEVEN is
 * promised where the sides have different whites and no curve, and under PU21 beyond white. */
static const double LIMIT = 1e-6, TENSOR = 2e-6, IN_DOUBLE = 4e-7, PU21 = 2e-6, UNEVEN = 3e-6;
enum { LARGE = 523 }; /* pixels on a side, for the tensor cores */

/* What is searched with: a context, and frames of side x side pixels. */
struct scorer {
    ssimcu_context *context;
    uint32_t side;
};

static double error_of(void *object, const struct search_row *row,
                       const struct search_content *content)
{
    const struct scorer *const scorer = object;
    ssimcu_view view[2];
    search_draw(row, content, scorer->side, view);
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(
        ssimcu_compare_views(scorer->context, &view[0], &view[1], &score, NULL, NULL, &why),
        SSIMCU_OK, "%s", why.text);
    for (int i = 0; i < 2; i++) free((void *)view[i].data[0]);
    return fabs(score.score - search_score(row, content, scorer->side));
}

#define NONE SSIMCU_TRANSFER_NONE
#define RGB SSIMCU_COLOR_RGB
#define Y709 SSIMCU_COLOR_Y709
#define BOTH(...)                                                                                  \
    {                                                                                              \
        {__VA_ARGS__}, { __VA_ARGS__ }                                                             \
    }
static const struct search_row ROWS[] = {
    {BOTH("u8", SSIMCU_TYPE_U8, 255), NONE, RGB, 1, 0},
    {BOTH("u8 peak 200", SSIMCU_TYPE_U8, 200), NONE, RGB, 1, 0},
    {BOTH("10 bit", SSIMCU_TYPE_U16, 1023), NONE, RGB, 1, 0},
    {BOTH("12 bit", SSIMCU_TYPE_U16, 4095), NONE, RGB, 1, 0},
    {BOTH("u16", SSIMCU_TYPE_U16, 65535), NONE, RGB, 1, 0},
    {BOTH("u16 y709", SSIMCU_TYPE_U16, 65535), NONE, Y709, 3, 0},
    {BOTH("f16", SSIMCU_TYPE_F16, 1), NONE, RGB, 1, 0},
    {BOTH("bf16", SSIMCU_TYPE_BF16, 1), NONE, RGB, 1, 0},
    {BOTH("f32", SSIMCU_TYPE_F32, 1), NONE, RGB, 1, 0},
    {BOTH("f32 peak 3.7", SSIMCU_TYPE_F32, 3.7), NONE, RGB, 1, 0},
    {BOTH("f32 y709", SSIMCU_TYPE_F32, 1), NONE, Y709, 3, 0},
    {BOTH("f32 y601", SSIMCU_TYPE_F32, 1), NONE, SSIMCU_COLOR_Y601, 3, 0},
    {BOTH("f16 srgb", SSIMCU_TYPE_F16, 1), SSIMCU_TRANSFER_SRGB, RGB, 1, 0},
    {BOTH("f32 srgb", SSIMCU_TYPE_F32, 1), SSIMCU_TRANSFER_SRGB, RGB, 1, 0},
    {BOTH("f32 srgb y709", SSIMCU_TYPE_F32, 1), SSIMCU_TRANSFER_SRGB, Y709, 3, 0},
    {BOTH("f32 hable", SSIMCU_TYPE_F32, 1), SSIMCU_TRANSFER_HABLE, RGB, 1, 0},
    {BOTH("f32 pu21", SSIMCU_TYPE_F32, 1), SSIMCU_TRANSFER_PU21, RGB, 1, 0},
    {BOTH("u8 alpha", SSIMCU_TYPE_U8, 255), NONE, RGB, 4, 0},
    {BOTH("u8 grey alpha", SSIMCU_TYPE_U8, 255), NONE, RGB, 2, 0},
    {BOTH("12 bit alpha", SSIMCU_TYPE_U16, 4095), NONE, RGB, 2, 0},
    {BOTH("u16 alpha", SSIMCU_TYPE_U16, 65535), NONE, RGB, 2, 0},
    {BOTH("f32 alpha", SSIMCU_TYPE_F32, 1), NONE, RGB, 2, 0},
    {BOTH("f32 alpha y709", SSIMCU_TYPE_F32, 1), NONE, Y709, 4, 0},
    {BOTH("f32 alpha hable", SSIMCU_TYPE_F32, 1), SSIMCU_TRANSFER_HABLE, RGB, 2, 0},
    {BOTH("f32 pu21 beyond white", SSIMCU_TYPE_F32, 1), SSIMCU_TRANSFER_PU21, RGB, 1, 100},
};

/* Every pairing of sides is searched under every curve. */
static const ssimcu_transfer CURVES[] = {NONE, SSIMCU_TRANSFER_SRGB, SSIMCU_TRANSFER_HABLE,
                                         SSIMCU_TRANSFER_PU21};
enum { CURVE_COUNT = sizeof CURVES / sizeof CURVES[0] };

static double search_all(const struct search_row *row, ssimcu_device device, uint32_t side,
                         int draws)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings,
                                      .device = device,
                                      .transfer = row->transfer,
                                      .color = row->color,
                                      .alpha = SSIMCU_ALPHA_BLACK};
    double worst = 0;
    for (int level = SSIMCU_CPU_BEST + (device == SSIMCU_DEVICE_CPU); level < LEVELS; level++) {
        ssimcu_context *context = NULL;
        if (ssimcu_open_level(&settings, (enum ssimcu_cpu_level)level, &context, NULL) != SSIMCU_OK)
            continue; /* this CPU lacks it */
        search_note(&worst, search_climb(error_of, &(struct scorer){context, side}, row, draws));
        ssimcu_close(&context);
        if (device != SSIMCU_DEVICE_CPU) break;
    }
    return worst;
}

static double limit_of(ssimcu_device device, uint32_t side)
{
    if (device != SSIMCU_DEVICE_CPU) return side == LARGE ? TENSOR : LIMIT;
    return side <= 45 ? IN_DOUBLE : LIMIT;
}

/* Returns 1 if a row exceeds its limit. */
static int check_row(const struct search_row *row, ssimcu_device device, uint32_t side, int draws,
                     double limit)
{
    const double worst = search_all(row, device, side, search_draws(draws));
    if (!search_is_even(row))
        return search_report("SSIM", "different whites, or beyond white", row, device, worst,
                             UNEVEN);
    if (row->transfer == SSIMCU_TRANSFER_PU21)
        return search_report("SSIM", "one white, under PU21", row, device, worst, PU21);
    const char *const kind = limit == TENSOR ? "one white, on tensor cores" : "one white";
    return search_report("SSIM", kind, row, device, worst, limit);
}

static void check_rows(ssimcu_device device, uint32_t side, int draws)
{
    int bad = 0;
    for (size_t r = 0; r < sizeof ROWS / sizeof ROWS[0]; r++)
        bad += check_row(&ROWS[r], device, side, draws, limit_of(device, side));
    cr_assert_eq(bad, 0, "%d rows exceed their limits", bad);
}

static void check_pairings(ssimcu_device device, uint32_t side, int draws)
{
    const double limit = fmax(limit_of(device, side), LIMIT);
    int bad = 0;
    for (size_t i = 0; i < CURVE_COUNT * SEARCH_PAIRINGS; i++) {
        const struct search_row row =
            search_pairing(i % SEARCH_PAIRINGS, CURVES[i / SEARCH_PAIRINGS], 1);
        if (search_is_scored(&row, device)) bad += check_row(&row, device, side, draws, limit);
    }
    cr_assert_eq(bad, 0, "%d pairings exceed their limits", bad);
}

BACKEND_TEST(ssim_search, worst_window) { check_rows(device, SEARCH_WINDOW, 2000); }
BACKEND_TEST(ssim_search, worst_small_frame) { check_rows(device, 45, 300); }
/* A GPU scores frames of this size by multiply-adds, and those of the next on tensor cores. */
BACKEND_TEST(ssim_search, worst_medium_frame)
{
    check_rows(device, 250, device == SSIMCU_DEVICE_CPU ? 10 : 300);
}
BACKEND_TEST(ssim_search, worst_large_frame)
{
    check_rows(device, LARGE, device == SSIMCU_DEVICE_CPU ? 2 : 300);
}
BACKEND_TEST(ssim_search, worst_window_of_every_pairing)
{
    check_pairings(device, SEARCH_WINDOW, 200);
}
BACKEND_TEST(ssim_search, worst_frame_of_every_pairing)
{
    check_pairings(device, 76, device == SSIMCU_DEVICE_CPU ? 40 : 100);
}
BACKEND_TEST(ssim_search, worst_large_frame_of_every_pairing)
{
    if (device != SSIMCU_DEVICE_CPU) check_pairings(device, LARGE, 60);
}
