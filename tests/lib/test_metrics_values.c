/* Metrics beside SSIM: numbers that other programs computed, limits of their definitions, and what
 * must not change them: threads, layouts, instruction sets, maps. */
#include "api/context.h"
#include "backend.h"
#include "check.h"
#include "metric_table.h"
#include "picture.h"

#include <math.h>

enum {
    PSNR = 1u << SSIMCU_METRIC_PSNR,
    MS_SSIM = 1u << SSIMCU_METRIC_MS_SSIM,
    SSIMULACRA2 = 1u << SSIMCU_METRIC_SSIMULACRA2,
    ALL = PSNR | MS_SSIM | SSIMULACRA2
};

static ssimcu_settings settings_for(ssimcu_device device, unsigned metrics)
{
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    settings.metrics = metrics;
    return settings;
}

/* numpy computed these of the documented pair: PSNR, MS-SSIM as TensorFlow defines it, and
 * SSIMULACRA2 in double. */
BACKEND_TEST(metrics, documented_pair)
{
    static const struct {
        uint32_t width, height;
        double psnr, ms_ssim, ssimulacra2;
    } golden[] = {
        {64, 48, 30.578077866281, 0.000000000000, -5.138354405},
        {161, 161, 30.686052291723, 0.963334089858, 19.817532096},
        {333, 177, 30.670655310779, 0.974412281450, 28.443841683},
        {640, 360, 30.659444380347, 0.983688783110, 38.107680757},
        {3840, 2160, 30.747331685597, 0.990522052559, 50.173943540},
    };
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        const ssimcu_settings settings =
            settings_for(device, golden[i].ms_ssim > 0 ? ALL : PSNR | SSIMULACRA2);
        ssimcu_frame ref, out;
        check_reference_pair(golden[i].width, golden[i].height, &ref, &out);
        const ssimcu_score score = check_score(&settings, &ref, &out);
        check_near(score.metric[SSIMCU_METRIC_PSNR], golden[i].psnr, 1e-9, "PSNR %zu", i);
        if (golden[i].ms_ssim > 0)
            check_near(score.metric[SSIMCU_METRIC_MS_SSIM], golden[i].ms_ssim, 1e-6, "MS-SSIM %zu",
                       i);
        check_near(score.metric[SSIMCU_METRIC_SSIMULACRA2], golden[i].ssimulacra2, 1e-4,
                   "SSIMULACRA2 %zu", i);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

BACKEND_TEST(metrics, identical)
{
    const ssimcu_settings settings = settings_for(device, ALL);
    check_random random = {21};
    for (uint32_t bits = 8; bits <= 16; bits += 8) {
        ssimcu_frame ref = check_noise(&random, 700, 600, 3, bits);
        const ssimcu_score score = check_score(&settings, &ref, &ref);
        cr_assert(isinf(score.metric[SSIMCU_METRIC_PSNR]));
        cr_assert_eq(score.mse, 0);
        cr_assert_eq(score.metric[SSIMCU_METRIC_MS_SSIM], 1);
        cr_assert_eq(score.metric[SSIMCU_METRIC_SSIMULACRA2], 100);
        ssimcu_frame_free(&ref);
    }
}

/* One sample of 16 bits that differs by 1 keeps every metric below the value of identical frames,
 * however much contrast is around it. */
BACKEND_TEST(metrics, one_bit_is_not_identical)
{
    const ssimcu_settings settings = settings_for(device, ALL);
    check_random random = {29};
    ssimcu_frame ref = check_frame(3000, 2000, 3, 16), out = check_frame(3000, 2000, 3, 16);
    for (size_t i = 0; i < ref.pitch * ref.height / 2; i++)
        ((uint16_t *)ref.data)[i] = check_draw(&random) >> 31 ? 65535 : 0;
    memcpy(out.data, ref.data, ref.pitch * ref.height);
    check_set_sample(&out, 400, 300, 1, check_sample(&ref, 400, 300, 1) ^ 1);
    const ssimcu_score score = check_score(&settings, &ref, &out);
    cr_assert_lt(score.score, 1);
    cr_assert(isfinite(score.metric[SSIMCU_METRIC_PSNR]));
    cr_assert_lt(score.metric[SSIMCU_METRIC_MS_SSIM], 1);
    cr_assert_lt(score.metric_channel[SSIMCU_METRIC_MS_SSIM][1], 1);
    cr_assert_eq(score.metric_channel[SSIMCU_METRIC_MS_SSIM][0], 1);
    cr_assert_lt(score.metric[SSIMCU_METRIC_SSIMULACRA2], 100);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
}

/* One sample of 16 bits that differs by 1, and all of them by 65535. */
BACKEND_TEST(metrics, exact_squares)
{
    const ssimcu_settings settings = settings_for(device, PSNR);
    const uint32_t black[3] = {0}, white[3] = {65535, 65535, 65535};
    ssimcu_frame a = check_flat(1200, 900, 3, black), b = check_flat(1200, 900, 3, black);
    a.bits = b.bits = 16;
    ssimcu_frame_free(&a), ssimcu_frame_free(&b);
    a = check_frame(1200, 900, 3, 16), b = check_frame(1200, 900, 3, 16);
    for (uint32_t y = 0; y < 900; y++)
        for (uint32_t x = 0; x < 1200; x++)
            for (uint32_t c = 0; c < 3; c++) {
                check_set_sample(&a, x, y, c, black[c]);
                check_set_sample(&b, x, y, c, white[c]);
            }
    ssimcu_score score = check_score(&settings, &a, &b);
    cr_assert_eq(score.mse, 1);
    cr_assert_eq(score.metric[SSIMCU_METRIC_PSNR], 0);
    check_set_sample(&b, 1199, 899, 2, 65534);
    score = check_score(&settings, &a, &b);
    const double count = 1200.0 * 900 * 3, all = count * 65535.0 * 65535.0;
    cr_assert_eq(score.mse, (all - 131069.0) / 3 / (1200.0 * 900 * 65535.0 * 65535.0));
    ssimcu_frame_free(&a), ssimcu_frame_free(&b);
}

/* The table tells it to modules that do not see kernels. */
Test(metrics, fewest_pixels)
{
    const uint32_t least[SSIMCU_METRICS] = {
        SSIMCU_TAPS, 1, (SSIMCU_TAPS - 1) * (1 << (SSIMCU_MS_SCALES - 1)) + 1, SSIMCU_S2_LEAST};
    for (int m = 0; m < SSIMCU_METRICS; m++) cr_assert_eq(ssimcu_metric_rows[m].least, least[m]);
}

Test(metrics, names)
{
    cr_assert_str_eq(ssimcu_metric_name(SSIMCU_METRIC_SSIM), "ssim");
    cr_assert_str_eq(ssimcu_metric_name(SSIMCU_METRIC_SSIMULACRA2), "ssimulacra2");
    cr_assert_null(ssimcu_metric_name(SSIMCU_METRICS));
    cr_assert_null(ssimcu_metric_name((ssimcu_metric)-1));
}

BACKEND_TEST(metrics, refusals)
{
    ssimcu_settings settings = settings_for(device, MS_SSIM);
    check_random random = {22};
    ssimcu_frame frame = check_noise(&random, 200, 160, 3, 8);
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_context *context = check_open(&settings);
    CHECK_FAILS(ssimcu_compare(context, &frame, &frame, &score, &message), SSIMCU_ERROR_TOO_SMALL,
                "MS-SSIM takes 161");
    ssimcu_close(&context);
    ssimcu_frame_free(&frame);
    settings = settings_for(device, SSIMULACRA2);
    settings.pad = SSIMCU_PAD_ZERO;
    frame = check_noise(&random, 200, 7, 3, 8);
    context = check_open(&settings);
    CHECK_FAILS(ssimcu_compare(context, &frame, &frame, &score, &message), SSIMCU_ERROR_TOO_SMALL,
                "SSIMULACRA2 takes 8");
    ssimcu_close(&context);
    ssimcu_frame_free(&frame);
    settings.metrics = 16;
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_ARGUMENT, "metrics");
}

/* Whatever is computed beside them, and however the samples lie. */
BACKEND_TEST(metrics, do_not_depend)
{
    static const struct picture_kind kinds[] = {
        {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U8, 255, 0},
        {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_U8, 255, 3},
        {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_F32, 1, 0},
        {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_F32, 1, 0},
        {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 65535, 5},
    };
    ssimcu_settings settings = settings_for(device, ALL);
    ssimcu_frame ref, out;
    check_reference_pair(367, 291, &ref, &out);
    ssimcu_context *context = check_open(&settings);
    const ssimcu_score first = check_compare(context, &ref, &out);
    ssimcu_map map = SSIMCU_INIT(map);
    const ssimcu_score with_map = check_compare_map(context, &ref, &out, &map);
    free(map.data);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
        cr_assert_eq(with_map.metric[m], first.metric[m], "metric %d with a map", m);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct picture a = picture_make(&ref, 1, kinds[i]), b = picture_make(&out, 1, kinds[i]);
        const ssimcu_score score = picture_compare(context, &a, &b);
        for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
            check_near(score.metric[m], first.metric[m],
                       m == SSIMCU_METRIC_SSIMULACRA2 ? 1e-3 : 1e-6, "kind %zu, metric %d", i, m);
        picture_free(&a), picture_free(&b);
    }
    ssimcu_close(&context);
    for (uint32_t threads = 2; threads <= 3; threads++) {
        settings.threads = threads;
        const ssimcu_score score = check_score(&settings, &ref, &out);
        cr_assert_arr_eq(score.metric, first.metric, sizeof first.metric);
        cr_assert_arr_eq(&score.metric_channel[PSNR], &first.metric_channel[PSNR],
                         sizeof first.metric_channel[PSNR]);
    }
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
}

/* The same numbers from every instruction set that this CPU has. */
Test(metrics, levels)
{
    const ssimcu_settings settings = settings_for(SSIMCU_DEVICE_CPU, ALL);
    ssimcu_frame ref, out;
    check_reference_pair(531, 277, &ref, &out);
    const ssimcu_score best = check_score(&settings, &ref, &out);
    for (int level = SSIMCU_CPU_PLAIN; level <= SSIMCU_CPU_NEON; level++) {
        ssimcu_context *context;
        if (ssimcu_open_level(&settings, (enum ssimcu_cpu_level)level, &context, NULL) != SSIMCU_OK)
            continue;
        const ssimcu_score score = check_compare(context, &ref, &out);
        cr_assert_eq(score.mse, best.mse, "level %d", level);
        check_near(score.metric[SSIMCU_METRIC_MS_SSIM], best.metric[SSIMCU_METRIC_MS_SSIM], 1e-7,
                   "level %d", level);
        check_near(score.metric[SSIMCU_METRIC_SSIMULACRA2], best.metric[SSIMCU_METRIC_SSIMULACRA2],
                   1e-4, "level %d", level);
        ssimcu_close(&context);
    }
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
}

/* Returns the value of a plane at a place between samples. */
static double between(const ssimcu_frame *plane, double x, double y)
{
    const double right = plane->width - 1.0, low = plane->height - 1.0;
    x = fmin(fmax(x, 0), right), y = fmin(fmax(y, 0), low);
    const uint32_t x0 = (uint32_t)x, y0 = (uint32_t)y, x1 = x0 + (x0 < right), y1 = y0 + (y0 < low);
    const double a = x - x0, b = y - y0;
    return (1 - b) *
               ((1 - a) * check_sample(plane, x0, y0, 0) + a * check_sample(plane, x1, y0, 0)) +
           b * ((1 - a) * check_sample(plane, x0, y1, 0) + a * check_sample(plane, x1, y1, 0));
}

/* Makes R, G and B of a video frame, as floats. */
static ssimcu_frame make_rgb(const ssimcu_frame plane[3], const ssimcu_yuv *yuv)
{
    const double unit = 1u << (plane->bits - 8), peak = (1u << plane->bits) - 1.0;
    const double across = rint((double)plane->width / plane[1].width),
                 down = rint((double)plane->height / plane[1].height);
    const double right = yuv->siting == SSIMCU_SITING_CENTER ? 0.5 : 0,
                 low = yuv->siting == SSIMCU_SITING_TOP_LEFT ? 0 : 0.5;
    ssimcu_frame rgb = check_frame(plane->width, plane->height, 3, SSIMCU_BITS_F32);
    for (uint32_t y = 0; y < rgb.height; y++)
        for (uint32_t x = 0; x < rgb.width; x++) {
            double code[3] = {check_sample(&plane[0], x, y, 0), 0, 0};
            for (int p = 1; p < 3; p++)
                code[p] = between(&plane[p], (x + right) / across - right, (y + low) / down - low) -
                          128 * unit;
            code[0] = yuv->limited ? (code[0] - 16 * unit) / (219 * unit) : code[0] / peak;
            for (int p = 1; p < 3; p++) code[p] /= yuv->limited ? 224 * unit : peak;
            const double r = code[0] + 2 * (1 - yuv->red) * code[2],
                         b = code[0] + 2 * (1 - yuv->blue) * code[1];
            float *to = (float *)((char *)rgb.data + y * rgb.pitch) + 3 * (size_t)x;
            to[0] = (float)r, to[2] = (float)b;
            to[1] = (float)((code[0] - yuv->red * r - yuv->blue * b) / (1 - yuv->red - yuv->blue));
        }
    return rgb;
}

/* A video frame scores as the RGB that it shows. */
BACKEND_TEST(metrics, video)
{
    static const uint32_t chroma[][2] = {{1, 1}, {2, 1}, {2, 2}, {4, 1}};
    const ssimcu_settings settings = settings_for(device, SSIMULACRA2);
    ssimcu_context *context = check_open(&settings);
    check_random random = {24};
    for (int i = 0; i < 24; i++) {
        const ssimcu_yuv yuv = {i % 2 ? 0.2126 : 0.299, i % 2 ? 0.0722 : 0.114, (uint32_t)i / 2 % 2,
                                (ssimcu_siting)(i % 3)};
        const uint32_t width = check_between(&random, 300, 560),
                       height = check_between(&random, 40, 200), *by = chroma[i % 4];
        ssimcu_frame frame[2][3], rgb[2];
        ssimcu_view view[2][3];
        for (int p = 0; p < 3; p++) {
            const uint32_t w = p ? (width + by[0] - 1) / by[0] : width,
                           h = p ? (height + by[1] - 1) / by[1] : height;
            frame[0][p] = check_noise(&random, w, h, 1, i % 5 ? 8 : 10);
            frame[1][p] = check_damaged(&random, &frame[0][p]);
            for (int side = 0; side < 2; side++) view[side][p] = check_view(&frame[side][p]);
        }
        for (int side = 0; side < 2; side++) {
            view[side][0].yuv = yuv;
            rgb[side] = make_rgb(frame[side], &yuv);
        }
        ssimcu_message why = {{0}};
        ssimcu_score score = SSIMCU_INIT(score);
        cr_assert_eq(ssimcu_compare_planes(context, view[0], view[1], 3, &score, NULL, &why),
                     SSIMCU_OK, "%s", why.text);
        const double expected =
            check_compare(context, &rgb[0], &rgb[1]).metric[SSIMCU_METRIC_SSIMULACRA2];
        check_near(score.metric[SSIMCU_METRIC_SSIMULACRA2], expected, 1e-3 + 1e-5 * fabs(expected),
                   "case %d, %ux%u", i, width, height);
        if (i == 0) {
            view[1][0].yuv = (ssimcu_yuv){0};
            CHECK_FAILS(ssimcu_compare_planes(context, view[0], view[1], 3, &score, NULL, &message),
                        SSIMCU_ERROR_UNSUPPORTED, "matrix of out");
        }
        for (int p = 0; p < 6; p++) ssimcu_frame_free(&frame[p / 3][p % 3]);
        ssimcu_frame_free(&rgb[0]), ssimcu_frame_free(&rgb[1]);
    }
    ssimcu_close(&context);
}

/* Planes of a video frame: errors and MS-SSIM by area. */
BACKEND_TEST(metrics, planes)
{
    ssimcu_settings settings = settings_for(device, PSNR | MS_SSIM);
    check_random random = {23};
    ssimcu_view ref[3], out[3];
    ssimcu_frame frame[2][3];
    ssimcu_score own[3], score = SSIMCU_INIT(score);
    ssimcu_context *context = check_open(&settings);
    double mse = 0, ms = 0;
    for (int p = 0; p < 3; p++) {
        frame[0][p] = check_noise(&random, p ? 170 : 340, p ? 165 : 330, 1, 8);
        frame[1][p] = check_damaged(&random, &frame[0][p]);
        ref[p] = check_view(&frame[0][p]), out[p] = check_view(&frame[1][p]);
        own[p] = check_compare(context, &frame[0][p], &frame[1][p]);
        mse += (p ? 1 : 4) * own[p].mse / 6;
        ms += (p ? 1 : 4) * own[p].metric[SSIMCU_METRIC_MS_SSIM] / 6;
    }
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_planes(context, ref, out, 3, &score, NULL, &why), SSIMCU_OK, "%s",
                 why.text);
    check_near(score.mse, mse, 1e-12, "mse");
    check_near(score.metric[SSIMCU_METRIC_PSNR], -10 * log10(mse), 1e-9, "PSNR");
    check_near(score.metric[SSIMCU_METRIC_MS_SSIM], ms, 1e-12, "MS-SSIM");
    for (int p = 0; p < 3; p++)
        for (int m = SSIMCU_METRIC_PSNR; m <= SSIMCU_METRIC_MS_SSIM; m++)
            cr_assert_eq(score.metric_channel[m][p], own[p].metric[m]);
    ssimcu_close(&context);
    for (int p = 0; p < 6; p++) ssimcu_frame_free(&frame[p / 3][p % 3]);
}
