/* Pairs that are too small for SSIM, of which other metrics alone are wanted. */
#include "backend.h"
#include "check.h"
#include "plan/plan.h"
#include "plan/view.h"

#include <math.h>
#include <string.h>

enum {
    SSIM = 1u << SSIMCU_METRIC_SSIM,
    PSNR = 1u << SSIMCU_METRIC_PSNR,
    MS_SSIM = 1u << SSIMCU_METRIC_MS_SSIM,
    SSIMULACRA2 = 1u << SSIMCU_METRIC_SSIMULACRA2
};

static ssimcu_settings settings_for(ssimcu_device device, unsigned metrics)
{
    ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    settings.metrics = metrics;
    return settings;
}

static void check_no_ssim(const ssimcu_score *score, const char *what)
{
    cr_assert(isnan(score->score) && isnan(score->metric[SSIMCU_METRIC_SSIM]), "%s", what);
    for (uint32_t c = 0; c < score->channels; c++)
        cr_assert(isnan(score->channel[c]) && isnan(score->metric_channel[0][c]), "%s", what);
    cr_assert(score->worst.width == 0 && score->level_shift.width == 0, "%s", what);
}

/* numpy computed these of the documented pair in double. */
static const struct {
    uint32_t width, height;
    double psnr, ssimulacra2;
} golden[] = {{8, 8, 30.955138680402, 81.968250526},
              {9, 8, 31.242404889822, 82.228952563},
              {8, 40, 30.567692076747, 81.846062160},
              {10, 12, 30.159860182377, 79.328667598}};

BACKEND_TEST(metrics_small, documented_pair)
{
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        ssimcu_settings settings = settings_for(device, PSNR | SSIMULACRA2);
        ssimcu_frame ref, out;
        check_reference_pair(golden[i].width, golden[i].height, &ref, &out);
        for (int zero_pad = 0; zero_pad < 2; zero_pad++) {
            settings.pad = zero_pad ? SSIMCU_PAD_ZERO : SSIMCU_PAD_VALID;
            const ssimcu_score score = check_score(&settings, &ref, &out);
            check_near(score.metric[SSIMCU_METRIC_PSNR], golden[i].psnr, 1e-9, "PSNR %zu", i);
            check_near(score.metric[SSIMCU_METRIC_SSIMULACRA2], golden[i].ssimulacra2, 1e-4,
                       "SSIMULACRA2 %zu", i);
            cr_assert_eq(score.channels, 3u);
            if (zero_pad)
                cr_assert(isfinite(score.score) && isfinite(score.channel[2]));
            else
                check_no_ssim(&score, "valid windows");
        }
        ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    }
}

static size_t no_partials(const struct ssimcu_plan *plan)
{
    cr_assert_fail("partial sums of %ux%u windows", plan->shape.map_width, plan->shape.map_height);
    return 0;
}

/* A GPU has neither windows to launch nor memory for their sums. */
Test(metrics_small, plan)
{
    static const struct ssimcu_traits gpu = {
        .uploads = 1, .has_tensor_cores = 1, .row_floats = 32, .partials = no_partials};
    const ssimcu_settings settings = settings_for(SSIMCU_DEVICE_CUDA, PSNR | SSIMULACRA2);
    for (uint32_t side = 0; side < 2; side++) {
        const ssimcu_view view =
            SSIMCU_INIT(view, .width = side ? 4000 : 8, .height = side ? 8 : 4000, .channels = 3);
        ssimcu_view pair[SSIMCU_PAIR];
        struct ssimcu_plan plan;
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            cr_assert_eq(ssimcu_view_check(&view, "view", 0, &pair[slot], NULL), SSIMCU_OK);
        cr_assert_eq(ssimcu_plan_make(&plan, &settings, &gpu, pair, NULL, NULL), SSIMCU_OK);
        cr_assert(plan.shape.map_width == 0 && plan.shape.map_height == 0);
        cr_assert(plan.bytes.partial == 0 && plan.kernel == SSIMCU_KERNEL_PLAIN);
        cr_assert_eq(plan.metrics, (unsigned)(PSNR | SSIMULACRA2));
    }
}

/* SSIM as the only metric, and what is made of its windows. */
BACKEND_TEST(metrics_small, refusals)
{
    static const char SIZE[] = "8x40 pixels: SSIM, its tiles and its map take 11 or more";
    ssimcu_frame ref, out;
    ssimcu_score score = SSIMCU_INIT(score);
    check_reference_pair(8, 40, &ref, &out);
    for (unsigned metrics = 0; metrics <= (SSIM | PSNR | SSIMULACRA2); metrics++) {
        if (metrics & 1u << SSIMCU_METRIC_MS_SSIM || (metrics != 0 && !(metrics & SSIM))) continue;
        const ssimcu_settings settings = settings_for(device, metrics);
        ssimcu_context *context = check_open(&settings);
        if (metrics & ~SSIM) { /* it costs SSIM alone */
            cr_assert_eq(ssimcu_compare(context, &ref, &out, &score, NULL), SSIMCU_OK);
            cr_expect(isnan(score.score) && isnan(score.metric[0]));
            for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS; m++)
                cr_expect(isnan(score.metric[m]) == !(metrics >> m & 1), "%d", m);
        } else {
            CHECK_FAILS(ssimcu_compare(context, &ref, &out, &score, &message),
                        SSIMCU_ERROR_TOO_SMALL, SIZE);
        }
        ssimcu_close(&context);
    }
    const ssimcu_settings settings = settings_for(device, SSIMULACRA2);
    ssimcu_context *context = check_open(&settings);
    const ssimcu_view a = check_view(&ref), b = check_view(&out);
    float data[3 * 8 * 40];
    ssimcu_map map = SSIMCU_INIT(map, .width = 8, .height = 40, .channels = 3, .data = data);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = 16, .height = 16);
    CHECK_FAILS(ssimcu_views_layout(context, &a, &b, &map, NULL, &message), SSIMCU_ERROR_TOO_SMALL,
                SIZE);
    CHECK_FAILS(ssimcu_views_layout(context, &a, &b, NULL, &tiles, &message),
                SSIMCU_ERROR_TOO_SMALL, SIZE);
    CHECK_FAILS(ssimcu_compare_views(context, &a, &b, &score, &map, NULL, &message),
                SSIMCU_ERROR_TOO_SMALL, SIZE);
    CHECK_FAILS(ssimcu_compare_views(context, &a, &b, &score, NULL, &tiles, &message),
                SSIMCU_ERROR_TOO_SMALL, SIZE);
    cr_assert_eq(ssimcu_views_layout(context, &a, &b, NULL, NULL, NULL), SSIMCU_OK);
    ssimcu_close(&context);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
}

/* PSNR alone, without map and tiles, is scored without SSIM: to the same bit, in every form of
 * bytes, and beyond what one sum holds. */
Test(metrics_small, psnr_alone_cpu)
{
    static const uint32_t sizes[][2] = {{1, 1}, {15, 3}, {16, 40}, {97, 33}, {3300000, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ssimcu_frame ref, out;
        check_reference_pair(sizes[i][0], sizes[i][1], &ref, &out);
        ssimcu_score score[2] = {SSIMCU_INIT(score), SSIMCU_INIT(score)};
        for (unsigned ssim = 0; ssim < 2; ssim++) {
            const ssimcu_settings settings =
                settings_for(SSIMCU_DEVICE_CPU, PSNR | (ssim && i > 1 ? SSIM : 0));
            ssimcu_context *context = check_open(&settings);
            cr_assert_eq(ssimcu_compare(context, &ref, &out, &score[ssim], NULL), SSIMCU_OK);
            ssimcu_close(&context);
        }
        double sum[3] = {0, 0, 0};
        for (size_t k = 0; k < (size_t)ref.width * ref.height * 3; k++) {
            const int d = ((uint8_t *)ref.data)[k] - ((uint8_t *)out.data)[k];
            sum[k % 3] += d * d;
        }
        const double mse =
            (sum[0] + sum[1] + sum[2]) / 3 / ((double)ref.width * ref.height * 65025);
        cr_expect(isnan(score[0].score) && score[0].mse == score[1].mse);
        cr_expect(fabs(score[0].mse - mse) <= 1e-15 * mse, "%zu: %.17g", i, mse);
        for (uint32_t c = 0; c < 3; c++)
            cr_expect_eq(score[0].metric_channel[SSIMCU_METRIC_PSNR][c],
                         score[1].metric_channel[SSIMCU_METRIC_PSNR][c]);
        ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    }
}

/* Each metric has its lower score over black and white, and no background belongs to SSIM. */
BACKEND_TEST(metrics_small, alpha)
{
    ssimcu_settings settings = settings_for(device, PSNR | SSIMULACRA2);
    check_random random = {31};
    ssimcu_frame ref = check_noise(&random, 9, 8, 4, 8), out = check_damaged(&random, &ref);
    const ssimcu_score none = check_score(&settings, &ref, &out);
    check_no_ssim(&none, "alpha");
    cr_assert_eq(none.background, SSIMCU_BACKGROUND_NONE);
    settings.pad = SSIMCU_PAD_ZERO;
    const ssimcu_score padded = check_score(&settings, &ref, &out);
    cr_assert_arr_eq(&none.metric[SSIMCU_METRIC_PSNR], &padded.metric[SSIMCU_METRIC_PSNR],
                     sizeof none.metric[0]);
    cr_assert_eq(none.metric[SSIMCU_METRIC_SSIMULACRA2], padded.metric[SSIMCU_METRIC_SSIMULACRA2]);
    settings = settings_for(device, SSIMULACRA2);
    settings.alpha = SSIMCU_ALPHA_WHITE;
    cr_assert_eq(check_score(&settings, &ref, &out).background, SSIMCU_BACKGROUND_WHITE);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
}

/* Without SSIM, too, a sample that is not finite fails, and is found. */
BACKEND_TEST(metrics_small, not_finite)
{
    ssimcu_settings settings = settings_for(device, PSNR | SSIMULACRA2);
    ssimcu_frame frame = check_frame(10, 9, 3, SSIMCU_BITS_F32);
    ssimcu_score score = SSIMCU_INIT(score);
    float *const data = frame.data;
    for (size_t i = 0; i < 10 * 9 * 3; i++) data[i] = (float)i / 270;
    ssimcu_context *context = check_open(&settings);
    score = check_compare(context, &frame, &frame);
    cr_assert(isinf(score.metric[SSIMCU_METRIC_PSNR]));
    cr_assert_eq(score.metric[SSIMCU_METRIC_SSIMULACRA2], 100);
    cr_assert_eq(score.light[0].clamped + score.light[1].clamped, 0u);
    for (int i = 0; i < 2; i++) {
        data[4 * 30 + 3 * 7 + 1] = i == 0 ? NAN : 65537;
        CHECK_FAILS(ssimcu_compare(context, &frame, &frame, &score, &message), SSIMCU_ERROR_DATA,
                    "at x 7, y 4");
    }
    ssimcu_close(&context);
    settings.nan_zero = 1;
    data[4 * 30 + 3 * 7 + 1] = NAN;
    score = check_score(&settings, &frame, &frame);
    cr_assert(score.light[0].not_finite == 1 && isinf(score.metric[SSIMCU_METRIC_PSNR]));
    ssimcu_frame_free(&frame);
}

/* What is not finite in planes is counted on its side, in whichever plane it is. */
BACKEND_TEST(metrics_small, not_finite_in_planes)
{
    ssimcu_settings settings = settings_for(device, PSNR);
    settings.nan_zero = 1;
    ssimcu_context *context = check_open(&settings);
    for (uint32_t p = 0; p < 3; p++)
        for (int side = 0; side < 2; side++) {
            ssimcu_frame frame[2][3];
            ssimcu_view view[2][3];
            ssimcu_score score = SSIMCU_INIT(score);
            for (int i = 0; i < 6; i++) {
                frame[i / 3][i % 3] = check_frame(10, 9, 1, SSIMCU_BITS_F32);
                memset(frame[i / 3][i % 3].data, 0, frame[i / 3][i % 3].pitch * 9);
                view[i / 3][i % 3] = check_view(&frame[i / 3][i % 3]);
            }
            float *const spoilt = frame[side][p].data, *const other = frame[side][(p + 1) % 3].data;
            spoilt[0] = spoilt[44] = spoilt[89] = other[44] = NAN;
            cr_assert_eq(ssimcu_compare_planes(context, view[0], view[1], 3, &score, NULL, NULL),
                         SSIMCU_OK);
            cr_expect_eq(score.light[side].not_finite, 4, "plane %u", p);
            cr_expect_eq(score.light[!side].not_finite, 0, "plane %u", p);
            for (int i = 0; i < 6; i++) ssimcu_frame_free(&frame[i / 3][i % 3]);
        }
    ssimcu_close(&context);
}

/* A metric that one plane is too small for is no metric of the frame, whichever plane it is. */
BACKEND_TEST(metrics_small, one_small_plane)
{
    const ssimcu_settings settings = settings_for(device, PSNR | MS_SSIM);
    ssimcu_context *context = check_open(&settings);
    check_random random = {34};
    for (int small = 0; small <= 3; small++) { /* 3: none */
        ssimcu_frame frame[2][3];
        ssimcu_view view[2][3];
        ssimcu_score score = SSIMCU_INIT(score);
        for (int p = 0; p < 3; p++) {
            frame[0][p] = check_noise(&random, 170, p == small ? 160 : 161, 1, 8);
            frame[1][p] = check_damaged(&random, &frame[0][p]);
            for (int side = 0; side < 2; side++) view[side][p] = check_view(&frame[side][p]);
        }
        cr_assert_eq(ssimcu_compare_planes(context, view[0], view[1], 3, &score, NULL, NULL),
                     SSIMCU_OK);
        cr_expect_eq(!isnan(score.metric[SSIMCU_METRIC_MS_SSIM]), small == 3, "plane %d", small);
        for (int p = 0; p < 3; p++) {
            cr_expect_eq(!isnan(score.metric_channel[SSIMCU_METRIC_MS_SSIM][p]), small == 3,
                         "plane %d: %d", small, p);
            cr_expect(isfinite(score.metric_channel[SSIMCU_METRIC_PSNR][p]));
        }
        for (int p = 0; p < 6; p++) ssimcu_frame_free(&frame[p / 3][p % 3]);
    }
    ssimcu_close(&context);
}

/* Y is large enough for SSIM, U and V are not: then the frame has none. */
BACKEND_TEST(metrics_small, video)
{
    const ssimcu_yuv yuv = {0.2126, 0.0722, 1, SSIMCU_SITING_LEFT};
    check_random random = {32};
    ssimcu_frame frame[2][3];
    ssimcu_view view[2][3];
    for (int p = 0; p < 3; p++) {
        frame[0][p] = check_noise(&random, p ? 8 : 16, p ? 8 : 16, 1, 8);
        frame[1][p] = check_damaged(&random, &frame[0][p]);
        for (int side = 0; side < 2; side++) view[side][p] = check_view(&frame[side][p]);
    }
    view[0][0].yuv = view[1][0].yuv = yuv;
    double ssimulacra2[2];
    for (int zero_pad = 0; zero_pad < 2; zero_pad++) {
        ssimcu_settings settings = settings_for(device, SSIMULACRA2);
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_message why = {{0}};
        settings.pad = zero_pad ? SSIMCU_PAD_ZERO : SSIMCU_PAD_VALID;
        ssimcu_context *context = check_open(&settings);
        cr_assert_eq(ssimcu_compare_planes(context, view[0], view[1], 3, &score, NULL, &why),
                     SSIMCU_OK, "%s", why.text);
        cr_assert_eq(isnan(score.score) != 0, !zero_pad);
        ssimulacra2[zero_pad] = score.metric[SSIMCU_METRIC_SSIMULACRA2];
        ssimcu_close(&context);
    }
    cr_assert_eq(ssimulacra2[0], ssimulacra2[1]);
    for (int i = 0; i < 6; i++) ssimcu_frame_free(&frame[i / 3][i % 3]);
}

/* A tool knows itself how small pictures may be. */
Test(metrics_small, compat)
{
    ssimcu_settings settings = settings_for(SSIMCU_DEVICE_CPU, SSIMULACRA2);
    settings.compat = SSIMCU_COMPAT_SSIMULACRA2;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        ssimcu_frame ref, out;
        check_reference_pair(golden[i].width, golden[i].height, &ref, &out);
        const ssimcu_score score = check_score(&settings, &ref, &out);
        check_no_ssim(&score, "compat");
        check_near(score.metric[SSIMCU_METRIC_SSIMULACRA2], golden[i].ssimulacra2, 1e-3, "%zu", i);
        ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    }
    ssimcu_frame ref, out;
    ssimcu_score score = SSIMCU_INIT(score);
    check_reference_pair(8, 7, &ref, &out);
    ssimcu_context *context = check_open(&settings);
    CHECK_FAILS(ssimcu_compare(context, &ref, &out, &score, &message), SSIMCU_ERROR_TOO_SMALL,
                "ssimulacra2 needs 8x8");
    ssimcu_close(&context);
    settings = settings_for(SSIMCU_DEVICE_CPU, 0);
    settings.compat = SSIMCU_COMPAT_FUSED_SSIM; /* whose windows reach over the border */
    score = check_score(&settings, &ref, &ref);
    cr_assert_eq(score.score, 1);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
}
