/* A search for the content on which the score errs most, with a reference of its own in long
 * double: two levels in patterns that repeat, and a climb from the worst of them. SSIMCU_SEARCH is
 * the number of draws per row. */
#include "check.h"
#include "context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 11, LEVELS = SSIMCU_CPU_NEON + 1, PERIOD = 12, PATTERNS = 6 };
enum { MOST = 523 * 523 };

/* What is searched: a kind of samples under a curve and a colour. */
struct row {
    const char *name;
    ssimcu_type type;
    double peak;
    ssimcu_transfer transfer;
    ssimcu_color color;
    uint32_t channels; /* 2 and 4 end in alpha, over black */
};

/* What all rows promise, and what a CPU does for frames that it scores in double. */
static const double LIMIT = 1e-6, IN_DOUBLE = 4e-7;

/* Levels of both sides, up to four channels each, from 0 to 1 (PU21: beyond), and the pattern. */
struct content {
    double level[2][2][4];
    uint32_t pattern;
};

static double draw_unit(check_random *random) { return check_draw(random) / 4294967296.0; }

static int is_second(uint32_t pattern, uint32_t x, uint32_t y)
{
    switch (pattern) {
    case 0: return 0;
    case 1: return (x + y) & 1;
    case 2: return x & 1;
    case 3: return x >> 1 & 1;
    case 4: return y & 1;
    default: return x / 6 & 1;
    }
}

static double round_half(double v)
{
    int exponent;
    if (v == 0) return 0;
    (void)frexp(v, &exponent);
    const int digit = exponent < -13 ? -24 : exponent - 11;
    return ldexp(nearbyint(ldexp(v, -digit)), digit);
}

/* Returns a level as the type stores it. */
static double as_stored(const struct row *row, double v)
{
    switch (row->type) {
    case SSIMCU_TYPE_F16: return round_half(v * row->peak);
    case SSIMCU_TYPE_F32: return (float)(v * row->peak);
    case SSIMCU_TYPE_BF16: {
        int exponent;
        (void)frexp(v * row->peak, &exponent);
        return ldexp(nearbyint(ldexp(v * row->peak, 8 - exponent)), exponent - 8);
    }
    default: return nearbyint((v > 1 ? 1 : v) * row->peak);
    }
}

static uint16_t half_bits(double v)
{
    int exponent;
    if (v == 0) return 0;
    const double mantissa = frexp(v, &exponent);
    if (exponent < -13) return (uint16_t)ldexp(v, 24);
    return (uint16_t)((exponent + 14) * 1024 + (int)(mantissa * 2048) - 1024);
}

static void store(const struct row *row, void *data, size_t i, double v)
{
    const float value = (float)v;
    uint32_t bits;
    switch (row->type) {
    case SSIMCU_TYPE_U8: ((uint8_t *)data)[i] = (uint8_t)v; return;
    case SSIMCU_TYPE_U16: ((uint16_t *)data)[i] = (uint16_t)v; return;
    case SSIMCU_TYPE_F16: ((uint16_t *)data)[i] = half_bits(v); return;
    case SSIMCU_TYPE_F32: ((float *)data)[i] = value; return;
    default: memcpy(&bits, &value, sizeof bits); ((uint16_t *)data)[i] = (uint16_t)(bits >> 16);
    }
}

static long double srgb(long double v)
{
    v = v < 0 ? 0 : v > 1 ? 1 : v;
    return v <= 0.0031308L ? 12.92L * v : 1.055L * powl(v, 1 / 2.4L) - 0.055L;
}

static long double filmic(long double x)
{
    return (x * (0.22L * x + 0.03L) + 0.002L) / (x * (0.22L * x + 0.3L) + 0.06L) - 1 / 30.0L;
}

static long double pu21(long double v)
{
    long double y = v * 100;
    y = powl(y < 0.005L ? 0.005L : y > 10000 ? 10000 : y, 0.9062562627L);
    const long double ratio = (0.353487901L + 0.3734658629L * y) / (1 + 8.277049286e-05L * y);
    const long double code = 596.3148142L * (powl(ratio, 0.09150303166L) - 0.9099517204L);
    return (code > 0 ? code : 0) / 256;
}

static long double encode(ssimcu_transfer transfer, long double v)
{
    const long double x = v < 0 ? 0 : 1.758141L * v;
    switch (transfer) {
    case SSIMCU_TRANSFER_SRGB: return srgb(v);
    case SSIMCU_TRANSFER_PU21: return pu21(v);
    case SSIMCU_TRANSFER_HABLE: return srgb(filmic(x > 11.2L ? 11.2L : x) / filmic(11.2L));
    default: return v;
    }
}

/* Returns a level of colour over black, before the curve, with white at 1. */
static long double light_value(const struct row *row, const double *level, uint32_t c)
{
    const long double v = as_stored(row, level[c]) / (long double)row->peak;
    return row->channels % 2 ? v : v * as_stored(row, level[row->channels - 1]) / row->peak;
}

/* Returns what a plane holds, with white at 1. */
static long double plane_value(const struct row *row, const double *level, uint32_t c)
{
    static const long double weights[][3] = {
        {0.2126L, 0.7152L, 0.0722L}, {0.2126L, 0.7152L, 0.0722L}, {0.299L, 0.587L, 0.114L}};
    const int is_float = row->type >= SSIMCU_TYPE_F16;
    const ssimcu_transfer curve = is_float ? row->transfer : SSIMCU_TRANSFER_NONE;
    const long double *w = weights[row->color == SSIMCU_COLOR_Y601 ? 2 : 1];
    long double light = 0, shown = 0;
    if (row->color == SSIMCU_COLOR_RGB || row->channels < 3)
        return encode(curve, light_value(row, level, c));
    for (uint32_t i = 0; i < 3; i++) {
        const long double v = light_value(row, level, i);
        light += w[i] * v;
        shown += w[i] * encode(curve, v);
    }
    if (!is_float)
        return floorl(shown * (long double)row->peak + 0.5L + 1e-9L) / (long double)row->peak;
    return curve == SSIMCU_TRANSFER_PU21 ? encode(curve, light) : shown;
}

/* Returns the SSIM of the window whose first sample is (x0, y0). */
static long double window_ssim(const long double value[2][2], uint32_t pattern, uint32_t x0,
                               uint32_t y0)
{
    long double weight[SIDE], total = 0, m[5] = {0};
    for (int i = 0; i < SIDE; i++)
        total += weight[i] = expl(-(i - 5.0L) * (i - 5.0L) / (2 * 1.5L * 1.5L));
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const int second = is_second(pattern, x0 + i % SIDE, y0 + i / SIDE);
        const long double x = value[0][second], y = value[1][second],
                          w = weight[i % SIDE] * weight[i / SIDE] / (total * total);
        m[0] += w * x, m[1] += w * y, m[2] += w * x * x, m[3] += w * y * y, m[4] += w * x * y;
    }
    const long double c1 = 1e-4L, c2 = 9e-4L, xy = m[0] * m[1];
    return (2 * xy + c1) * (2 * (m[4] - xy) + c2) /
           ((m[0] * m[0] + m[1] * m[1] + c1) * (m[2] - m[0] * m[0] + m[3] - m[1] * m[1] + c2));
}

/* Returns the mean over a frame. Windows that lie alike in the pattern are computed once. */
static long double plane_ssim(const long double value[2][2], uint32_t pattern, uint32_t side)
{
    const uint32_t windows = side - SIDE + 1,
                   across = pattern == 5 ? PERIOD
                            : pattern    ? 4
                                         : 1,
                   down = pattern == 1 || pattern == 4 ? 2 : 1;
    long double sum = 0;
    for (uint32_t y = 0; y < down && y < windows; y++)
        for (uint32_t x = 0; x < across && x < windows; x++)
            sum += window_ssim(value, pattern, x, y) *
                   (((windows - x + across - 1) / across) * ((windows - y + down - 1) / down));
    return sum / ((long double)windows * windows);
}

static double true_score(const struct row *row, const struct content *content, uint32_t side)
{
    const uint32_t planes = row->color == SSIMCU_COLOR_RGB && row->channels >= 3 ? 3 : 1;
    long double sum = 0;
    for (uint32_t c = 0; c < planes; c++) {
        long double value[2][2];
        for (int image = 0; image < 2; image++)
            for (int k = 0; k < 2; k++)
                value[image][k] = plane_value(row, content->level[image][k], c);
        sum += plane_ssim((const long double(*)[2])value, content->pattern, side);
    }
    return (double)(sum / planes);
}

static double error_of(ssimcu_context *context, const struct row *row,
                       const struct content *content, uint32_t side)
{
    static float data[2][MOST * 4];
    ssimcu_view view[2];
    for (int image = 0; image < 2; image++) {
        for (uint32_t i = 0; i < side * side; i++)
            for (uint32_t c = 0; c < row->channels; c++) {
                const int second = is_second(content->pattern, i % side, i / side);
                store(row, data[image], i * row->channels + c,
                      as_stored(row, content->level[image][second][c]));
            }
        view[image] = (ssimcu_view){.struct_size = sizeof view[image],
                                    .width = side,
                                    .height = side,
                                    .channels = row->channels,
                                    .type = row->type,
                                    .peak = row->peak,
                                    .data = {data[image]}};
    }
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_views(context, &view[0], &view[1], &score, NULL, NULL, &why),
                 SSIMCU_OK, "%s", why.text);
    return fabs(score.score - true_score(row, content, side));
}

static double draw_level(check_random *random, const struct row *row)
{
    const double v = draw_unit(random);
    if (row->transfer == SSIMCU_TRANSFER_PU21) return 5e-5 * pow(10, v * (v < 0.5 ? 2 : 6));
    return check_draw(random) & 1 ? v : v * v * v;
}

static struct content draw_content(check_random *random, const struct row *row)
{
    struct content content = {.pattern = check_draw(random) % PATTERNS};
    const double near = pow(10, -3 * draw_unit(random));
    for (int c = 0; c < 4; c++) {
        const double base = draw_level(random, row);
        for (int i = 0; i < 4; i++) {
            const double v = base * (1 - near) + draw_level(random, row) * near;
            content.level[i / 2][i % 2][c] = fmin(v, 1);
        }
    }
    return content;
}

static double search(ssimcu_context *context, const struct row *row, uint32_t side, int draws)
{
    check_random random = {4711};
    struct content best = draw_content(&random, row);
    double worst = error_of(context, row, &best, side);
    for (int i = 0; i < draws; i++) {
        struct content next = best;
        if (i < draws / 2)
            next = draw_content(&random, row);
        else
            for (uint32_t k = check_between(&random, 1, 4); k-- > 0;) {
                double *level = &next.level[check_draw(&random) & 1][check_draw(&random) & 1]
                                           [check_draw(&random) % row->channels];
                *level *= 1 + (draw_unit(&random) - 0.5) * pow(10, -5 * draw_unit(&random));
                *level = fmin(*level, 1);
            }
        const double error = error_of(context, row, &next, side);
        if (error > worst) worst = error, best = next;
    }
    return worst;
}

#define NONE SSIMCU_TRANSFER_NONE
#define RGB SSIMCU_COLOR_RGB
#define Y709 SSIMCU_COLOR_Y709
static const struct row ROWS[] = {
    {"u8", SSIMCU_TYPE_U8, 255, NONE, RGB, 1},
    {"u8 peak 200", SSIMCU_TYPE_U8, 200, NONE, RGB, 1},
    {"10 bit", SSIMCU_TYPE_U16, 1023, NONE, RGB, 1},
    {"12 bit", SSIMCU_TYPE_U16, 4095, NONE, RGB, 1},
    {"u16", SSIMCU_TYPE_U16, 65535, NONE, RGB, 1},
    {"u16 y709", SSIMCU_TYPE_U16, 65535, NONE, Y709, 3},
    {"f16", SSIMCU_TYPE_F16, 1, NONE, RGB, 1},
    {"bf16", SSIMCU_TYPE_BF16, 1, NONE, RGB, 1},
    {"f32", SSIMCU_TYPE_F32, 1, NONE, RGB, 1},
    {"f32 peak 3.7", SSIMCU_TYPE_F32, 3.7, NONE, RGB, 1},
    {"f32 y709", SSIMCU_TYPE_F32, 1, NONE, Y709, 3},
    {"f32 y601", SSIMCU_TYPE_F32, 1, NONE, SSIMCU_COLOR_Y601, 3},
    {"f16 srgb", SSIMCU_TYPE_F16, 1, SSIMCU_TRANSFER_SRGB, RGB, 1},
    {"f32 srgb", SSIMCU_TYPE_F32, 1, SSIMCU_TRANSFER_SRGB, RGB, 1},
    {"f32 srgb y709", SSIMCU_TYPE_F32, 1, SSIMCU_TRANSFER_SRGB, Y709, 3},
    {"f32 hable", SSIMCU_TYPE_F32, 1, SSIMCU_TRANSFER_HABLE, RGB, 1},
    {"f32 pu21", SSIMCU_TYPE_F32, 1, SSIMCU_TRANSFER_PU21, RGB, 1},
    {"u8 alpha", SSIMCU_TYPE_U8, 255, NONE, RGB, 4},
    {"u8 grey alpha", SSIMCU_TYPE_U8, 255, NONE, RGB, 2},
    {"12 bit alpha", SSIMCU_TYPE_U16, 4095, NONE, RGB, 2},
    {"u16 alpha", SSIMCU_TYPE_U16, 65535, NONE, RGB, 2},
    {"f32 alpha", SSIMCU_TYPE_F32, 1, NONE, RGB, 2},
    {"f32 alpha y709", SSIMCU_TYPE_F32, 1, NONE, Y709, 4},
    {"f32 alpha hable", SSIMCU_TYPE_F32, 1, SSIMCU_TRANSFER_HABLE, RGB, 2},
};

static double search_all(const struct row *row, ssimcu_device device, uint32_t side, int draws)
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

static void check_rows(ssimcu_device device, uint32_t side, int draws)
{
    const char *wish = getenv("SSIMCU_SEARCH");
    const double limit = device == SSIMCU_DEVICE_CPU && side <= 45 ? IN_DOUBLE : LIMIT;
    int bad = 0;
    if (wish) draws = atoi(wish);
    for (size_t r = 0; r < sizeof ROWS / sizeof ROWS[0]; r++) {
        const double worst = search_all(&ROWS[r], device, side, draws);
        printf("%s, %ux%u, %-15s %.2e\n", device == SSIMCU_DEVICE_CPU ? "CPU" : "CUDA", side, side,
               ROWS[r].name, worst);
        bad += !(worst <= limit);
    }
    cr_assert_eq(bad, 0, "%d rows exceed %g", bad, limit);
}

BACKEND_TEST(ssim_search, worst_window) { check_rows(device, SIDE, 2000); }
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
