/* Metrics beside SSIM against their definitions in double (oracle_metrics.c): random pairs of every
 * size, format, depth and mode, and the worst patterns. */
#include "check.h"

#include <math.h>

enum {
    PSNR = 1u << SSIMCU_METRIC_PSNR,
    MS_SSIM = 1u << SSIMCU_METRIC_MS_SSIM,
    SSIMULACRA2 = 1u << SSIMCU_METRIC_SSIMULACRA2
};

/* Scores far below 0 are a cube of what was added up, and are off by as much of themselves. */
static double tolerance(ssimcu_metric metric, double expected)
{
    switch (metric) {
    case SSIMCU_METRIC_PSNR: return 1e-8; /* what is composited is rounded to floats */
    case SSIMCU_METRIC_MS_SSIM: return 1e-6;
    default: return expected > -100 ? 1e-3 : -1e-5 * expected;
    }
}

static void compare(ssimcu_context *context, const ssimcu_settings *settings,
                    const ssimcu_frame *ref, const ssimcu_frame *out, int number)
{
    const ssimcu_score score = check_compare(context, ref, out);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++) {
        if (!(settings->metrics >> m & 1)) {
            cr_assert(isnan(score.metric[m]), "case %d: metric %d", number, m);
            continue;
        }
        const double expected = oracle_metric(ref, out, settings, (ssimcu_metric)m);
        if (isinf(expected))
            cr_assert_eq(score.metric[m], expected);
        else
            check_near(score.metric[m], expected, tolerance((ssimcu_metric)m, expected),
                       "case %d: metric %d, %ux%u, %u/%u channels, %u/%u bits", number, m,
                       ref->width, ref->height, ref->channels, out->channels, ref->bits, out->bits);
    }
    cr_assert_eq(score.metric[SSIMCU_METRIC_SSIM], score.score);
}

static ssimcu_settings settings_for(ssimcu_device device, unsigned metrics)
{
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_ZERO);
    settings.metrics = metrics;
    return settings;
}

/* Half of the frames are large enough for all metrics. */
static void random_cases(ssimcu_device device, uint32_t seed, int count)
{
    const ssimcu_settings all = settings_for(device, PSNR | MS_SSIM | SSIMULACRA2),
                          small = settings_for(device, PSNR | SSIMULACRA2);
    ssimcu_context *both[] = {check_open(&small), check_open(&all)};
    check_random random = {seed};
    for (int i = 0; i < count; i++) {
        const int large = i % 2;
        const uint32_t width = check_between(&random, large ? 161 : 8, large ? 270 : 160),
                       height = check_between(&random, large ? 161 : 8, large ? 200 : 160);
        ssimcu_frame ref =
            check_noise(&random, width, height, i % 5 ? 3 : 1, check_draw(&random) & 1 ? 8 : 16);
        if (i % 3 == 0) check_flatten(&random, &ref);
        ssimcu_frame out = check_damaged(&random, &ref);
        if (i % 6 == 0) check_flatten(&random, &out);
        compare(both[large], large ? &all : &small, &ref, &out, i);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
    ssimcu_close(&both[0]);
    ssimcu_close(&both[1]);
}

BACKEND_TEST(metrics, random_pairs) { random_cases(device, 11, 60 / CHECK_LESS); }

/* Two levels alternate in squares, stripes or points, or a frame is one level: what a search for
 * the worst content ends at. The second scale of the larger frames has too many windows for
 * doubles. */
BACKEND_TEST(metrics, patterns)
{
    const ssimcu_settings settings = settings_for(device, PSNR | MS_SSIM | SSIMULACRA2);
    ssimcu_context *context = check_open(&settings);
    check_random random = {12};
    for (int i = 0; i < 60 / CHECK_LESS; i++) {
        ssimcu_frame pair[2];
        for (int side = 0; side < 2; side++) {
            const uint32_t size = check_between(&random, 1, 16),
                           shape = check_between(&random, 0, 3);
            uint32_t level[2][3];
            for (int k = 0; k < 6; k++) level[k / 3][k % 3] = check_between(&random, 0, 255);
            if (i % 4 == 0)
                for (int k = 0; k < 6; k++)
                    level[k / 3][k % 3] = level[k / 3][k % 3] < 128 ? 0 : 255;
            const uint32_t width = i % 3 ? 163 : 307, height = i % 3 ? 175 : 299;
            pair[side] = check_frame(width, height, 3, 8);
            for (uint32_t y = 0; y < height; y++)
                for (uint32_t x = 0; x < width; x++) {
                    const uint32_t second = shape == 0   ? (x / size + y / size) % 2
                                            : shape == 1 ? x / size % 2
                                            : shape == 2 ? x % size + y % size == 0
                                                         : 0;
                    for (uint32_t c = 0; c < 3; c++)
                        check_set_sample(&pair[side], x, y, c, level[second][c]);
                }
        }
        compare(context, &settings, &pair[0], &pair[1], i);
        ssimcu_frame_free(&pair[0]);
        ssimcu_frame_free(&pair[1]);
    }
    ssimcu_close(&context);
}

/* Sizes at the edges of scales, tiles and vectors. */
BACKEND_TEST(metrics, ragged_sizes)
{
    static const uint32_t sizes[][2] = {{8, 8},     {9, 8},     {15, 16},   {17, 31},   {37, 53},
                                        {240, 128}, {241, 129}, {255, 127}, {480, 257}, {1025, 9},
                                        {9, 1025},  {161, 161}, {176, 161}, {177, 333}};
    check_random random = {13};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const int large = sizes[i][0] > 160 && sizes[i][1] > 160;
        const ssimcu_settings settings =
            settings_for(device, PSNR | SSIMULACRA2 | (large ? MS_SSIM : 0u));
        ssimcu_context *context = check_open(&settings);
        ssimcu_frame ref = check_noise(&random, sizes[i][0], sizes[i][1], 3, 8);
        ssimcu_frame out = check_damaged(&random, &ref);
        compare(context, &settings, &ref, &out, (int)i);
        ssimcu_close(&context);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

/* Sizes at which a scale begins another tile of windows, and at which it leaves the tensor cores:
 * their scales have 96 or 97 columns, 80 or 81 rows, and 512 x 512 or 512 x 511 windows. */
BACKEND_TEST(metrics, sizes_of_scales)
{
    static const uint32_t sizes[][2] = {{211, 180},  {213, 180},   {212, 181},
                                        {192, 161},  {161, 192},   {170, 1121},
                                        {1043, 187}, {1043, 1044}, {1044, 1042}};
    const ssimcu_settings settings = settings_for(device, MS_SSIM);
    ssimcu_context *context = check_open(&settings);
    check_random random = {15};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint32_t channels = sizes[i][0] * sizes[i][1] > 1000000 ? 1 : 3;
        ssimcu_frame ref = check_noise(&random, sizes[i][0], sizes[i][1], channels, 8);
        if (i % 2) check_flatten(&random, &ref);
        ssimcu_frame out = check_damaged(&random, &ref);
        compare(context, &settings, &ref, &out, (int)i);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
    ssimcu_close(&context);
}

/* All that differs is one row or one column of one channel: the first, the middle or the last. So
 * no other difference hides it. On a GPU, both scales of SSIMULACRA2 that are cut into strips end
 * one column behind a strip and one row behind a step. */
BACKEND_TEST(metrics, one_row_or_column_differs)
{
    enum { WIDTH = 241, HEIGHT = 177, AWAY = 100 };
    const ssimcu_settings settings = settings_for(device, PSNR | MS_SSIM | SSIMULACRA2);
    ssimcu_context *context = check_open(&settings);
    check_random random = {16};
    ssimcu_frame ref = check_frame(WIDTH, HEIGHT, 3, 8), out = check_frame(WIDTH, HEIGHT, 3, 8);
    for (uint32_t i = 0; i < WIDTH * HEIGHT * 3; i++) {
        const uint32_t value = 100 + check_between(&random, 0, 15);
        check_set_sample(&ref, i / 3 % WIDTH, i / 3 / WIDTH, i % 3, value);
        check_set_sample(&out, i / 3 % WIDTH, i / 3 / WIDTH, i % 3, value);
    }
    for (int i = 0; i < 6; i++) {
        const bool is_row = i >= 3;
        const uint32_t side = is_row ? HEIGHT : WIDTH, at[] = {0, side / 2, side - 1},
                       c = (uint32_t)(i + is_row) % 3;
        for (int back = 0; back < 2; back++) {
            for (uint32_t k = 0; k < (is_row ? WIDTH : HEIGHT); k++) {
                const uint32_t x = is_row ? k : at[i % 3], y = is_row ? at[i % 3] : k;
                check_set_sample(&out, x, y, c, check_sample(&ref, x, y, c) + (back ? 0 : AWAY));
            }
            if (!back) compare(context, &settings, &ref, &out, i);
        }
    }
    ssimcu_close(&context);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
}

/* Every mixture of channels, depths, colour modes and alpha modes. */
BACKEND_TEST(metrics, formats)
{
    check_random random = {14};
    int number = 0;
    for (uint32_t channels = 1; channels <= 4; channels++)
        for (uint32_t other = channels % 2 ? 1 : channels; other <= 4; other++)
            for (int alpha = SSIMCU_ALPHA_WORST; alpha <= SSIMCU_ALPHA_WHITE; alpha++) {
                ssimcu_settings settings = settings_for(device, PSNR | MS_SSIM | SSIMULACRA2);
                settings.alpha = (ssimcu_alpha)alpha;
                settings.color = (ssimcu_color)(number % 3);
                settings.pad = number % 2 ? SSIMCU_PAD_VALID : SSIMCU_PAD_ZERO;
                ssimcu_frame ref = check_noise(&random, 165, 162, channels, number % 5 ? 8 : 16);
                ssimcu_frame out = check_noise(&random, 165, 162, other, number % 7 ? 8 : 16);
                ssimcu_context *context = check_open(&settings);
                if (ref.bits == out.bits || ref.bits + out.bits == 24)
                    compare(context, &settings, &ref, &out, number);
                ssimcu_close(&context);
                ssimcu_frame_free(&ref);
                ssimcu_frame_free(&out);
                number++;
            }
}
