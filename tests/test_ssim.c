/* Properties of the score that hold for any input, and random pairs against the oracle. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ssimcu_settings settings_for(ssimcu_device device, ssimcu_pad pad)
{
    return (ssimcu_settings){.struct_size = sizeof(ssimcu_settings), .device = device, .pad = pad};
}

static ssimcu_frame random_frame(check_random *random, uint32_t width, uint32_t height,
                                 uint32_t channels, uint32_t bits)
{
    ssimcu_frame frame = check_frame(width, height, channels, bits);
    for (size_t i = 0; i < frame.pitch * height; i++)
        ((uint8_t *)frame.data)[i] = (uint8_t)check_draw(random);
    return frame;
}

/* A frame beside `ref`: one of four kinds of damage. */
static ssimcu_frame damaged_frame(check_random *random, const ssimcu_frame *ref)
{
    ssimcu_frame out = check_frame(ref->width, ref->height, ref->channels, ref->bits);
    const uint32_t kind = check_between(random, 0, 3), unit = ref->bits == 8 ? 1 : 257;
    const uint32_t peak = 255 * unit;
    for (uint32_t y = 0; y < ref->height; y++)
        for (uint32_t x = 0; x < ref->width; x++)
            for (uint32_t c = 0; c < ref->channels; c++) {
                uint32_t v = check_sample(ref, x, y, c);
                if (kind == 0)
                    v = v + 9 * unit > peak ? peak : v + check_between(random, 0, 9 * unit);
                if (kind == 1) v = check_draw(random) & peak;
                if (kind == 2) v = peak - v;
                if (kind == 3 && x % 7 == y % 5) v ^= unit;
                check_set_sample(&out, x, y, c, v);
            }
    return out;
}

/* Flat patches and ramps with large jumps between them: means far from everywhere, variances of 0.
 */
static void flatten(check_random *random, ssimcu_frame *frame)
{
    const uint32_t step = check_between(random, 5, 60), peak = frame->bits == 8 ? 255 : 65535;
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++)
            for (uint32_t c = 0; c < frame->channels; c++) {
                const uint32_t patch = (x / step) * 31 + (y / step) * 17 + c * 7;
                check_set_sample(frame, x, y, c, (patch * 2654435761u >> 8) % (peak + 1));
            }
}

BACKEND_TEST(ssim, identical_is_exactly_one)
{
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        const ssimcu_settings settings = settings_for(device, (ssimcu_pad)pad);
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
            ssimcu_frame noise = random_frame(&random, 301, 307, 3, bits);
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
        const ssimcu_settings settings = settings_for(device, (ssimcu_pad)(i % 2));
        ssimcu_frame ref =
            random_frame(&random, check_between(&random, 11, 400), check_between(&random, 11, 300),
                         i % 3 ? 3 : 1, i % 4 ? 8 : 16);
        if (i % 5 == 0) flatten(&random, &ref);
        ssimcu_frame out = damaged_frame(&random, &ref);
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
    const ssimcu_settings settings = settings_for(device, SSIMCU_PAD_VALID);
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
    const ssimcu_settings settings = settings_for(device, pad);
    ssimcu_context *context = check_open(&settings);
    check_random random = {3 + (uint32_t)pad};
    for (int i = 0; i < count; i++) {
        const uint32_t least = pad == SSIMCU_PAD_ZERO ? 1 : 11;
        const bool large = i % 10 == 0;
        const uint32_t width = check_between(&random, least, large ? 700 : 180);
        const uint32_t height = check_between(&random, least, large ? 500 : 120);
        ssimcu_frame ref =
            random_frame(&random, width, height, i % 2 ? 3 : 1, check_draw(&random) & 1 ? 8 : 16);
        if (i % 3 == 0) flatten(&random, &ref);
        ssimcu_frame out = damaged_frame(&random, &ref);
        if (i % 6 == 0) flatten(&random, &out);
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
            const ssimcu_settings settings = settings_for(device, (ssimcu_pad)pad);
            ssimcu_context *context = check_open(&settings);
            ssimcu_frame ref = random_frame(&random, sizes[i][0], sizes[i][1], 3, 8);
            ssimcu_frame out = damaged_frame(&random, &ref);
            compare_with_oracle(context, &settings, &ref, &out, (int)i);
            ssimcu_close(&context);
            ssimcu_frame_free(&ref);
            ssimcu_frame_free(&out);
        }
}

/* A 4K frame one pixel too wide and too high. */
BACKEND_TEST(ssim, ragged_4k)
{
    const ssimcu_settings settings = settings_for(device, SSIMCU_PAD_VALID);
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
            ssimcu_settings settings = settings_for(device, SSIMCU_PAD_VALID);
            settings.color = (ssimcu_color)color;
            settings.alpha = (ssimcu_alpha)alpha;
            ssimcu_context *context = check_open(&settings);
            for (uint32_t mix = 0; mix < 64; mix++) {
                ssimcu_frame ref = random_frame(&random, 29, 23, 1 + mix % 4, mix & 16 ? 16 : 8);
                ssimcu_frame out =
                    random_frame(&random, 29, 23, 1 + mix / 4 % 4, mix & 32 ? 16 : 8);
                compare_with_oracle(context, &settings, &ref, &out, number++);
                ssimcu_frame_free(&ref);
                ssimcu_frame_free(&out);
            }
            ssimcu_close(&context);
        }
}

BACKEND_TEST(ssim, color_under_alpha_zero_does_not_count)
{
    const ssimcu_settings settings = settings_for(device, SSIMCU_PAD_VALID);
    check_random random = {7};
    ssimcu_frame ref = random_frame(&random, 40, 30, 4, 8), out = check_frame(40, 30, 4, 8);
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
BACKEND_TEST(ssim, map)
{
    const bool cpu = device == SSIMCU_DEVICE_CPU; /* its map is a double, rounded */
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        const ssimcu_settings settings = settings_for(device, (ssimcu_pad)pad);
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
        const ssimcu_frame window = {11, 11,        3,
                                     8,  ref.pitch, (uint8_t *)ref.data + 99 * ref.pitch + 3 * 83};
        const ssimcu_frame damaged = {11, 11,        3,
                                      8,  out.pitch, (uint8_t *)out.data + 99 * out.pitch + 3 * 83};
        const ssimcu_settings valid = settings_for(device, SSIMCU_PAD_VALID);
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

/* Every depth has its own L. */
BACKEND_TEST(ssim, every_depth_from_8_to_16)
{
    check_random random = {21};
    for (int i = 0; i < 36; i++) {
        ssimcu_settings settings = settings_for(device, (ssimcu_pad)(i % 2));
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

/* A window or a few that hold nothing but hard edges, where no mean hides an error. */
BACKEND_TEST(ssim, few_windows_at_hard_edges)
{
    check_random random = {23};
    for (int i = 0; i < 60; i++) {
        const ssimcu_settings settings = settings_for(device, (ssimcu_pad)(i % 2));
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

/* Words of 16 bits can hold more than a depth's peak; such samples are scored as they are, also in
 * frames large enough for the tensor cores. */
BACKEND_TEST(ssim, samples_above_the_peak)
{
    check_random random = {22};
    const ssimcu_settings settings = settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_frame ref = check_frame(640, 480, 1, 10), out = check_frame(640, 480, 1, 10);
    for (uint32_t y = 0; y < 480; y++)
        for (uint32_t x = 0; x < 640; x++) {
            const uint32_t v = check_between(&random, 0, x % 97 == 0 ? 65535 : 1023);
            check_set_sample(&ref, x, y, 0, v);
            check_set_sample(&out, x, y, 0, v ^ check_between(&random, 0, 31));
        }
    ssimcu_context *context = check_open(&settings);
    compare_with_oracle(context, &settings, &ref, &out, 0);
    ssimcu_close(&context);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

/* Planes in one call and each by itself, in an order in which buffers grow while pairs are under
 * way, and with and without the tensor cores. */
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
            ref[p] = random_frame(&random, size[i % 4][p][0], size[i % 4][p][1], 1, i < 8 ? 8 : 16);
            out[p] = damaged_frame(&random, &ref[p]);
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
