/* Scores of random pairs against the oracle: every size, format, depth and mode. */
#include "check.h"

static void compare_with_oracle(ssimcu_context *context, const ssimcu_settings *settings,
                                const ssimcu_frame *ref, const ssimcu_frame *out, int number)
{
    double channel[3] = {0};
    const bool small = ref->width * ref->height <= 1 << 14; /* a GPU computes these in double */
    const double tolerance = settings->device == SSIMCU_DEVICE_CPU || small ? 1e-7 : 1e-6;
    const double expected = oracle_score(ref, out, settings, channel);
    const ssimcu_score score = check_compare(context, ref, out);
    check_near(score.score, expected, tolerance,
               "case %d: %ux%u, %u/%u channels, %u/%u bits, pad %d", number, ref->width,
               ref->height, ref->channels, out->channels, ref->bits, out->bits, settings->pad);
    for (uint32_t c = 0; c < score.channels; c++)
        check_near(score.channel[c], channel[c], tolerance, "case %d: %ux%u, channel %u", number,
                   ref->width, ref->height, c);
}

static void random_cases(ssimcu_device device, ssimcu_pad pad, int count)
{
    const ssimcu_settings settings = check_settings_for(device, pad);
    ssimcu_context *context = check_open(&settings);
    check_random random = {3 + (uint32_t)pad};
    for (int i = 0; i < count; i++) {
        const uint32_t least = pad == SSIMCU_PAD_ZERO ? 1 : 11;
        const bool large = i % 10 == 0;
        const uint32_t width = check_between(&random, least, large ? 700 : 180);
        const uint32_t height = check_between(&random, least, large ? 500 : 120);
        ssimcu_frame ref =
            check_noise(&random, width, height, i % 2 ? 3 : 1, check_draw(&random) & 1 ? 8 : 16);
        if (i % 3 == 0) check_flatten(&random, &ref);
        ssimcu_frame out = check_damaged(&random, &ref);
        if (i % 6 == 0) check_flatten(&random, &out);
        compare_with_oracle(context, &settings, &ref, &out, i);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
    ssimcu_close(&context);
}

BACKEND_TEST(ssim, random_pairs_valid) { random_cases(device, SSIMCU_PAD_VALID, 130); }
BACKEND_TEST(ssim, random_pairs_zero) { random_cases(device, SSIMCU_PAD_ZERO, 130); }

/* Sizes at the edges of strips, lanes and windows. */
BACKEND_TEST(ssim, ragged_sizes)
{
    static const uint32_t sizes[][2] = {{1, 1},     {10, 10},   {11, 11},   {37, 53},  {128, 216},
                                        {138, 226}, {139, 227}, {137, 225}, {4, 900},  {900, 4},
                                        {11, 700},  {1025, 11}, {127, 65},  {12, 217}, {3, 1}};
    check_random random = {5};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
            if (pad == SSIMCU_PAD_VALID && (sizes[i][0] < 11 || sizes[i][1] < 11)) continue;
            const ssimcu_settings settings = check_settings_for(device, (ssimcu_pad)pad);
            ssimcu_context *context = check_open(&settings);
            ssimcu_frame ref = check_noise(&random, sizes[i][0], sizes[i][1], 3, 8);
            ssimcu_frame out = check_damaged(&random, &ref);
            compare_with_oracle(context, &settings, &ref, &out, (int)i);
            ssimcu_close(&context);
            ssimcu_frame_free(&ref);
            ssimcu_frame_free(&out);
        }
}

/* A 4K frame is one pixel too wide and too high. */
BACKEND_TEST(ssim, ragged_4k)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_frame ref, out;
    check_reference_pair(3841, 2161, &ref, &out);
    ssimcu_frame grey_ref = check_channel(&ref, 1), grey_out = check_channel(&out, 1);
    ssimcu_context *context = check_open(&settings);
    compare_with_oracle(context, &settings, &grey_ref, &grey_out, 0);
    ssimcu_close(&context);
    ssimcu_frame *const all[] = {&ref, &out, &grey_ref, &grey_out};
    for (int i = 0; i < 4; i++) ssimcu_frame_free(all[i]);
}

/* Every mixture of channels, depths, colour modes and alpha modes. */
BACKEND_TEST(ssim, mixtures_of_formats)
{
    check_random random = {6};
    int number = 0;
    for (int color = SSIMCU_COLOR_RGB; color <= SSIMCU_COLOR_Y601; color++)
        for (int alpha = SSIMCU_ALPHA_WORST; alpha <= SSIMCU_ALPHA_WHITE; alpha++) {
            ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
            settings.color = (ssimcu_color)color;
            settings.alpha = (ssimcu_alpha)alpha;
            ssimcu_context *context = check_open(&settings);
            for (uint32_t mix = 0; mix < 64; mix++) {
                ssimcu_frame ref = check_noise(&random, 29, 23, 1 + mix % 4, mix & 16 ? 16 : 8);
                ssimcu_frame out = check_noise(&random, 29, 23, 1 + mix / 4 % 4, mix & 32 ? 16 : 8);
                compare_with_oracle(context, &settings, &ref, &out, number++);
                ssimcu_frame_free(&ref);
                ssimcu_frame_free(&out);
            }
            ssimcu_close(&context);
        }
}

/* Every depth has its own L. */
BACKEND_TEST(ssim, every_depth_from_8_to_16)
{
    check_random random = {21};
    for (int i = 0; i < 36; i++) {
        ssimcu_settings settings = check_settings_for(device, (ssimcu_pad)(i % 2));
        settings.color = (ssimcu_color)(i % 3);
        const uint32_t bits = 8 + (uint32_t)i % 9, peak = (1u << bits) - 1;
        const uint32_t channels = i % 4 == 3 ? 4 : i % 2 ? 1 : 3;
        ssimcu_frame ref = check_frame(61, 47, channels, bits),
                     out = check_frame(61, 47, channels, bits);
        for (uint32_t y = 0; y < 47; y++)
            for (uint32_t x = 0; x < 61; x++)
                for (uint32_t c = 0; c < channels; c++) {
                    const uint32_t v = check_draw(&random) & peak;
                    check_set_sample(&ref, x, y, c, v);
                    check_set_sample(&out, x, y, c,
                                     i % 5 ? v ^ (check_draw(&random) & peak >> 2) : v);
                }
        ssimcu_context *context = check_open(&settings);
        compare_with_oracle(context, &settings, &ref, &out, i);
        if (i % 5 == 0)
            cr_assert_eq(check_compare(context, &ref, &out).score, 1.0, "%u bits", bits);
        ssimcu_close(&context);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

/* Windows, one or a few, hold nothing but hard edges: no mean hides an error. */
BACKEND_TEST(ssim, few_windows_at_hard_edges)
{
    check_random random = {23};
    for (int i = 0; i < 60; i++) {
        const ssimcu_settings settings = check_settings_for(device, (ssimcu_pad)(i % 2));
        const uint32_t width = check_between(&random, 11, 14),
                       height = check_between(&random, 11, 14);
        const uint32_t bits = i % 4 < 2 ? 16 : 8, white = (1u << bits) - 1,
                       edge = 1 + (uint32_t)i % 7;
        ssimcu_frame ref = check_frame(width, height, 1, bits),
                     out = check_frame(width, height, 1, bits);
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                check_set_sample(&ref, x, y, 0,
                                 (x / edge + y / 4) % 2 ? white : check_between(&random, 0, 3));
                check_set_sample(&out, x, y, 0,
                                 (x / 3 + y / edge) % 2 ? white - check_between(&random, 0, 3) : 0);
            }
        ssimcu_context *context = check_open(&settings);
        double channel[3];
        check_near(check_compare(context, &ref, &out).score,
                   oracle_score(&ref, &out, &settings, channel), 1e-6, "case %d: %ux%u", i, width,
                   height);
        ssimcu_close(&context);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

/* Words of 16 bits can hold more than a depth's peak; the header calls that meaningless. The CPU
 * scores them as they are. The tensor cores must only give the same number each time. */
BACKEND_TEST(ssim, samples_above_the_peak)
{
    check_random random = {22};
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_frame ref = check_frame(640, 480, 1, 10), out = check_frame(640, 480, 1, 10);
    for (uint32_t y = 0; y < 480; y++)
        for (uint32_t x = 0; x < 640; x++) {
            const uint32_t v = check_between(&random, 0, x % 97 == 0 ? 65535 : 1023);
            check_set_sample(&ref, x, y, 0, v);
            check_set_sample(&out, x, y, 0, v ^ check_between(&random, 0, 31));
        }
    ssimcu_context *context = check_open(&settings);
    const double score = check_compare(context, &ref, &out).score;
    if (device == SSIMCU_DEVICE_CPU) compare_with_oracle(context, &settings, &ref, &out, 0);
    cr_expect(score < 1 && score > -1);
    cr_expect_eq(check_compare(context, &ref, &out).score, score);
    ssimcu_close(&context);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}
