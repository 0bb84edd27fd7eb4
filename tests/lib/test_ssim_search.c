/* A search for the content on which the score errs most, with a reference in long
 * double (search_model.h): two levels in patterns that repeat, and a climb from the worst of them.
 * SSIMCU_SEARCH is the number of draws per row. */
#include "api/context.h"
#include "check.h"
#include "search_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEVELS = SSIMCU_CPU_NEON + 1, MOST = 523 * 523 };

/* What all rows promise, and what a CPU does for frames that it scores in double. UNEVEN is
 * promised where the sides have different whites and no curve, and under PU21 beyond white. */
static const double LIMIT = 1e-6, IN_DOUBLE = 4e-7, UNEVEN = 3e-6;

static double draw_unit(check_random *random) { return check_draw(random) / 4294967296.0; }

static double error_of(ssimcu_context *context, const struct search_row *row,
                       const struct search_content *content, uint32_t side)
{
    static double data[2][MOST * 4];
    ssimcu_view view[2];
    for (int image = 0; image < 2; image++) {
        for (uint32_t i = 0; i < side * side; i++)
            for (uint32_t c = 0; c < row->channels; c++) {
                const int second = search_is_second(content->pattern, i % side, i / side);
                search_store(&row->side[image], data[image], i * row->channels + c,
                             search_stored(&row->side[image], content->level[image][second][c]));
            }
        view[image] = (ssimcu_view){.struct_size = sizeof view[image],
                                    .width = side,
                                    .height = side,
                                    .channels = row->channels,
                                    .type = row->side[image].type,
                                    .peak = row->side[image].peak,
                                    .data = {data[image]}};
    }
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_views(context, &view[0], &view[1], &score, NULL, NULL, &why),
                 SSIMCU_OK, "%s", why.text);
    return fabs(score.score - search_score(row, content, side));
}

static double draw_level(check_random *random, const struct search_row *row)
{
    const double v = draw_unit(random);
    if (row->transfer == SSIMCU_TRANSFER_PU21) return 5e-5 * pow(10, v * (v < 0.5 ? 2 : 6));
    return check_draw(random) & 1 ? v : v * v * v;
}

static double brightest_of(const struct search_row *row)
{
    return row->brightest > 0 ? row->brightest : 1;
}

static struct search_content draw_content(check_random *random, const struct search_row *row)
{
    struct search_content content = {.pattern = check_draw(random) % SEARCH_PATTERNS};
    const double near = pow(10, -3 * draw_unit(random));
    for (int c = 0; c < 4; c++) {
        const double base = draw_level(random, row);
        for (int i = 0; i < 4; i++) {
            const double v = base * (1 - near) + draw_level(random, row) * near;
            content.level[i / 2][i % 2][c] = fmin(v, brightest_of(row));
        }
    }
    return content;
}

static double search(ssimcu_context *context, const struct search_row *row, uint32_t side,
                     int draws)
{
    check_random random = {4711};
    struct search_content best = draw_content(&random, row);
    double worst = error_of(context, row, &best, side);
    for (int i = 0; i < draws; i++) {
        struct search_content next = best;
        if (i < draws / 2)
            next = draw_content(&random, row);
        else
            for (uint32_t k = check_between(&random, 1, 4); k-- > 0;) {
                double *level = &next.level[check_draw(&random) & 1][check_draw(&random) & 1]
                                           [check_draw(&random) % row->channels];
                *level *= 1 + (draw_unit(&random) - 0.5) * pow(10, -5 * draw_unit(&random));
                *level = fmin(*level, brightest_of(row));
            }
        const double error = error_of(context, row, &next, side);
        if (error > worst) worst = error, best = next;
    }
    return worst;
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

/* Every pairing of these is searched under every curve, in both orders. */
static const struct search_side SIDES[] = {
    {"u8", SSIMCU_TYPE_U8, 255},
    {"u8 peak 200", SSIMCU_TYPE_U8, 200},
    {"10 bit", SSIMCU_TYPE_U16, 1023},
    {"u16", SSIMCU_TYPE_U16, 65535},
    {"f16", SSIMCU_TYPE_F16, 1},
    {"f32", SSIMCU_TYPE_F32, 1},
    {"f32 peak 255", SSIMCU_TYPE_F32, 255},
    {"f64", SSIMCU_TYPE_F64, 1},
};
enum { SIDE_COUNT = sizeof SIDES / sizeof SIDES[0] };
static const struct {
    const char *name;
    ssimcu_transfer transfer;
} CURVES[] = {{"none", NONE},
              {"srgb", SSIMCU_TRANSFER_SRGB},
              {"hable", SSIMCU_TRANSFER_HABLE},
              {"pu21", SSIMCU_TRANSFER_PU21}};
enum { CURVE_COUNT = sizeof CURVES / sizeof CURVES[0] };

static int is_float(const struct search_side *side) { return side->type >= SSIMCU_TYPE_F16; }

/* Whether both sides can have the same unit: by a curve, or because they have one white. Bytes
 * beside words are widened. */
static int is_even(const struct search_row *row)
{
    const struct search_side *side = row->side;
    const int bytes = side[0].type == SSIMCU_TYPE_U8 ? 0 : 1;
    if (row->brightest > 0) return 0;
    if (row->transfer != NONE && (is_float(&side[0]) || is_float(&side[1]))) return 1;
    if (side[bytes].peak == 255 && side[!bytes].type == SSIMCU_TYPE_U16)
        return side[bytes].type == SSIMCU_TYPE_U8 && side[!bytes].peak == 65535;
    return side[0].peak == side[1].peak;
}

/* Whether there is such a pair: PU21 takes light alone, and a GPU takes no doubles. */
static int is_scored(const struct search_row *row, ssimcu_device device)
{
    const struct search_side *side = row->side;
    const int floats = is_float(&side[0]) + is_float(&side[1]);
    if (device != SSIMCU_DEVICE_CPU)
        for (int i = 0; i < 2; i++)
            if (side[i].type == SSIMCU_TYPE_F64) return 0;
    if (row->transfer == SSIMCU_TRANSFER_PU21) return floats == 2;
    return row->transfer == NONE || floats > 0;
}

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
        worst = fmax(worst, search(context, row, side, draws));
        ssimcu_close(&context);
        if (device != SSIMCU_DEVICE_CPU) break;
    }
    return worst;
}

/* Returns 1 if a row exceeds its limit. */
static int check_row(const struct search_row *row, const char *curve, ssimcu_device device,
                     uint32_t side, int draws, double limit)
{
    const char *wish = getenv("SSIMCU_SEARCH");
    const double worst = search_all(row, device, side, wish ? atoi(wish) : draws);
    if (!is_even(row)) limit = UNEVEN;
    printf("%s, %ux%u, %-12s x %-12s %-5s %.2e%s\n", device == SSIMCU_DEVICE_CPU ? "CPU" : "CUDA",
           side, side, row->side[0].name, row->side[1].name, curve, worst,
           worst <= limit ? "" : ", TOO MUCH");
    return !(worst <= limit);
}

static void check_rows(ssimcu_device device, uint32_t side, int draws)
{
    const double limit = device == SSIMCU_DEVICE_CPU && side <= 45 ? IN_DOUBLE : LIMIT;
    int bad = 0;
    for (size_t r = 0; r < sizeof ROWS / sizeof ROWS[0]; r++)
        bad += check_row(&ROWS[r], "", device, side, draws, limit);
    cr_assert_eq(bad, 0, "%d rows exceed their limits", bad);
}

static void check_pairings(ssimcu_device device, uint32_t side, int draws)
{
    int bad = 0;
    for (size_t i = 0; i < CURVE_COUNT * SIDE_COUNT * SIDE_COUNT; i++) {
        const size_t curve = i / (SIDE_COUNT * SIDE_COUNT);
        const struct search_row row = {{SIDES[i / SIDE_COUNT % SIDE_COUNT], SIDES[i % SIDE_COUNT]},
                                       CURVES[curve].transfer,
                                       RGB,
                                       1,
                                       0};
        if (is_scored(&row, device))
            bad += check_row(&row, CURVES[curve].name, device, side, draws, LIMIT);
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
    check_rows(device, 523, device == SSIMCU_DEVICE_CPU ? 2 : 300);
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
    if (device != SSIMCU_DEVICE_CPU) check_pairings(device, 523, 60);
}
