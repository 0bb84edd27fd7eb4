/* Properties of the score that hold for any input. Scores against the oracle:
 * test_ssim_oracle.c. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

/* Returns a frame of full contrast. In it a sample that is off by 1 in a corner costs less than the
 * last bit of a double 1. */
static ssimcu_frame make_stripes(uint32_t channels)
{
    ssimcu_frame frame = check_frame(64, 64, channels, 16);
    for (uint32_t y = 0; y < 64; y++)
        for (uint32_t x = 0; x < 64; x++)
            for (uint32_t c = 0; c < channels; c++)
                check_set_sample(&frame, x, y, c, x % 2 ? 0 : 65535);
    return frame;
}

/* Expects the same of the mean of three planes, and of the CPU's tile that holds the corner. */
static void expect_views_below_one(ssimcu_context *context, ssimcu_device device,
                                   const ssimcu_frame *ref, const ssimcu_frame *out)
{
    ssimcu_view same[3], last[3];
    ssimcu_score joined = SSIMCU_INIT(score);
    ssimcu_message message = {{0}};
    for (int p = 0; p < 3; p++) {
        same[p] = last[p] = SSIMCU_INIT(view);
        cr_assert_eq(ssimcu_frame_view(ref, &same[p], &message), SSIMCU_OK);
        cr_assert_eq(ssimcu_frame_view(p == 2 ? out : ref, &last[p], &message), SSIMCU_OK);
    }
    cr_assert_eq(ssimcu_compare_planes(context, same, last, 3, &joined, NULL, &message), SSIMCU_OK);
    cr_assert(joined.score < 1 && joined.score > 1 - 1e-15);
    double scores[4];
    ssimcu_tiles tiles = SSIMCU_INIT(tiles);
    tiles.width = tiles.height = 32;
    tiles.data = scores;
    if (device != SSIMCU_DEVICE_CPU) return;
    cr_assert_eq(ssimcu_views_layout(context, same, last + 2, NULL, &tiles, &message), SSIMCU_OK);
    cr_assert_eq(ssimcu_compare_views(context, same, last + 2, &joined, NULL, &tiles, &message),
                 SSIMCU_OK);
    cr_assert(scores[0] < 1 && scores[1] == 1 && scores[3] == 1);
}

BACKEND_TEST(ssim, one_is_of_identical_frames_alone)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    for (uint32_t channels = 1; channels <= 3; channels += 2) {
        ssimcu_frame ref = make_stripes(channels), out = make_stripes(channels);
        cr_assert_eq(check_compare(context, &ref, &out).score, 1.0);
        check_set_sample(&out, 0, 0, channels - 1, 65534);
        const ssimcu_score score = check_compare(context, &ref, &out);
        cr_assert(score.score < 1 && score.score > 1 - 1e-15, "%u channels", channels);
        cr_assert(score.channel[channels - 1] < 1);
        if (channels > 1) cr_assert_eq(score.channel[0], 1.0);
        if (channels == 1) expect_views_below_one(context, device, &ref, &out);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
    ssimcu_close(&context);
}

BACKEND_TEST(ssim, identical_is_exactly_one)
{
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        const ssimcu_settings settings = check_settings_for(device, (ssimcu_pad)pad);
        ssimcu_context *context = check_open(&settings);
        for (uint32_t level = 0; level < 256; level++) {
            const uint32_t color[3] = {level, 255 - level, level * 7 % 256};
            ssimcu_frame grey = check_flat(37, 53, 1, color), rgb = check_flat(140, 23, 3, color);
            cr_assert_eq(check_compare(context, &grey, &grey).score, 1.0, "grey %u", level);
            cr_assert_eq(check_compare(context, &rgb, &rgb).score, 1.0, "color %u", level);
            ssimcu_frame_free(&grey);
            ssimcu_frame_free(&rgb);
        }
        check_random random = {1};
        for (uint32_t bits = 8; bits <= 16; bits += 8) {
            ssimcu_frame noise = check_noise(&random, 301, 307, 3, bits);
            cr_assert_eq(check_compare(context, &noise, &noise).score, 1.0, "%u bits", bits);
            ssimcu_frame_free(&noise);
        }
        ssimcu_close(&context);
    }
}

BACKEND_TEST(ssim, swapping_changes_no_bit)
{
    check_random random = {2};
    for (int i = 0; i < 20; i++) {
        const ssimcu_settings settings = check_settings_for(device, (ssimcu_pad)(i % 2));
        ssimcu_frame ref =
            check_noise(&random, check_between(&random, 11, 400), check_between(&random, 11, 300),
                        i % 3 ? 3 : 1, i % 4 ? 8 : 16);
        if (i % 5 == 0) check_flatten(&random, &ref);
        ssimcu_frame out = check_damaged(&random, &ref);
        ssimcu_context *context = check_open(&settings);
        cr_assert_eq(check_compare(context, &ref, &out).score,
                     check_compare(context, &out, &ref).score, "case %d, %ux%u", i, ref.width,
                     ref.height);
        ssimcu_close(&context);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

BACKEND_TEST(ssim, hundred_runs_give_the_same_bits)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_frame ref, out;
    check_reference_pair(700, 500, &ref, &out);
    const ssimcu_score first = check_score(&settings, &ref, &out);
    ssimcu_context *context = check_open(&settings);
    for (int run = 0; run < 100; run++) {
        const ssimcu_score score = check_compare(context, &ref, &out);
        cr_assert_eq(score.score, first.score, "run %d", run);
        cr_assert_eq(memcmp(score.channel, first.channel, sizeof score.channel), 0, "run %d", run);
    }
    ssimcu_close(&context);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

BACKEND_TEST(ssim, color_under_alpha_zero_does_not_count)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    check_random random = {7};
    ssimcu_frame ref = check_noise(&random, 40, 30, 4, 8), out = check_frame(40, 30, 4, 8);
    memcpy(out.data, ref.data, ref.pitch * ref.height);
    for (uint32_t x = 0; x < 40; x += 3) {
        check_set_sample(&ref, x, 9, 3, 0);
        check_set_sample(&out, x, 9, 3, 0);
        check_set_sample(&out, x, 9, 1, 255 - check_sample(&ref, x, 9, 1));
    }
    cr_assert_eq(check_score(&settings, &ref, &out).score, 1.0);
    ssimcu_settings ignore = settings;
    ignore.alpha = SSIMCU_ALPHA_IGNORE;
    cr_assert_lt(check_score(&ignore, &ref, &out).score, 1.0);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

/* The map's mean is the score, and a map element is the score of its own window. */
BACKEND_TEST(ssim, the_mean_of_the_map_is_the_score)
{
    const bool cpu = device == SSIMCU_DEVICE_CPU; /* the CPU's map is a double, rounded */
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        const ssimcu_settings settings = check_settings_for(device, (ssimcu_pad)pad);
        ssimcu_frame ref, out;
        check_reference_pair(301, 257, &ref, &out);
        ssimcu_context *context = check_open(&settings);
        ssimcu_map map;
        const ssimcu_score score = check_compare_map(context, &ref, &out, &map);
        cr_assert_eq(map.width, pad ? 301u : 291u);
        cr_assert_eq(map.height, pad ? 257u : 247u);
        cr_assert_eq(map.border, pad ? 0u : 5u);
        const size_t plane = (size_t)map.width * map.height;
        cr_assert_eq(score.score, check_compare(context, &ref, &out).score,
                     "map changes the score");
        for (uint32_t c = 0; c < 3; c++) {
            double sum = 0;
            for (size_t i = 0; i < plane; i++) sum += (double)map.data[c * plane + i];
            check_near(sum / (double)plane, score.channel[c], cpu ? 1e-7 : 1e-6, "mean of map %u",
                       c);
        }
        const ssimcu_frame window = {
            11, 11, 3, 8, ref.pitch, (uint8_t *)ref.data + 99 * ref.pitch + 3 * 83, 0};
        const ssimcu_frame damaged = {
            11, 11, 3, 8, out.pitch, (uint8_t *)out.data + 99 * out.pitch + 3 * 83, 0};
        const ssimcu_settings valid = check_settings_for(device, SSIMCU_PAD_VALID);
        double one[3];
        (void)oracle_score(&window, &damaged, &valid, one);
        const size_t at = (99 + (pad ? 5u : 0u)) * map.width + 83 + (pad ? 5u : 0u);
        for (uint32_t c = 0; c < 3; c++)
            check_near((double)map.data[c * plane + at], one[c], cpu ? 1e-7 : 5e-5,
                       "map element of channel %u, pad %d", c, pad);
        free(map.data);
        ssimcu_close(&context);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

/* Planes score in one call as each does by itself. The order lets buffers grow while pairs are
 * under way, and takes kernels with and without the tensor cores. */
BACKEND_TEST(ssim, planes_score_as_frames_do)
{
    static const uint32_t size[][3][2] = {{{640, 480}, {320, 240}, {320, 240}},
                                          {{37, 53}, {1301, 700}, {11, 11}},
                                          {{20, 300}, {530, 520}, {1500, 1100}},
                                          {{640, 480}, {640, 480}, {640, 480}}};
    check_random random = {77};
    for (int i = 0; i < 16; i++) {
        const ssimcu_settings settings = {.struct_size = sizeof settings,
                                          .device = device,
                                          .pad = (ssimcu_pad)(i / 4 % 2),
                                          .wait_asleep = i >= 8};
        ssimcu_context *context = check_open(&settings), *alone = check_open(&settings);
        const uint32_t planes = i == 1 ? 1 : i == 2 ? 2 : 3;
        ssimcu_frame ref[3], out[3];
        double sum = 0, area = 0;
        for (uint32_t p = 0; p < planes; p++) {
            ref[p] = check_noise(&random, size[i % 4][p][0], size[i % 4][p][1], 1, i < 8 ? 8 : 16);
            out[p] = check_damaged(&random, &ref[p]);
        }
        ssimcu_score score = {.struct_size = sizeof score};
        ssimcu_view a[3], b[3];
        for (uint32_t p = 0; p < planes; p++)
            a[p] = check_view(&ref[p]), b[p] = check_view(&out[p]);
        for (int again = 0; again < 2; again++) {
            ssimcu_message why = {{0}};
            cr_assert_eq(ssimcu_compare_planes(context, a, b, planes, &score, NULL, &why),
                         SSIMCU_OK, "%s", why.text);
            cr_assert_eq(score.channels, planes);
            cr_assert_eq(score.bits, ref[0].bits);
            cr_assert_eq(score.background, SSIMCU_BACKGROUND_NONE);
        }
        for (uint32_t p = 0; p < planes; p++) {
            const double pixels = (double)ref[p].width * ref[p].height;
            cr_assert_eq(score.channel[p], check_compare(alone, &ref[p], &out[p]).score,
                         "case %d, plane %u", i, p);
            sum += score.channel[p] * pixels;
            area += pixels;
        }
        check_near(score.score, sum / area, 1e-15, "case %d", i);
        if (planes == 1) cr_assert_eq(score.score, score.channel[0]);
        cr_assert_eq(check_compare(context, &ref[0], &out[0]).score, score.channel[0]);
        for (uint32_t p = 0; p < planes; p++) {
            ssimcu_frame_free(&ref[p]);
            ssimcu_frame_free(&out[p]);
        }
        ssimcu_close(&context);
        ssimcu_close(&alone);
    }
}
