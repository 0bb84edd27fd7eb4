/* Flat patches of two levels, ref and out a constant apart. All windows round alike, so that no
 * mean hides what one of them loses. They lose most if the patch is dark and the one before it
 * was bright. */
#include "api/context.h"
#include "check.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdio.h>

enum { LEVELS = SSIMCU_CPU_NEON + 1 };
static const double TOLERANCE = 3e-7; /* 3e-7, although 1e-6 is promised */

struct flat {
    uint32_t first, then; /* levels of the brighter frame, of 255 */
    uint32_t apart;       /* how much darker the other frame is */
    uint32_t edge;        /* rows, or columns, of the first level */
};

/* Draws a pair. Channel c is darker by c more than `flat` says, as far as the range allows. */
static void draw(const struct flat *flat, int across, ssimcu_frame *ref, ssimcu_frame *out)
{
    const uint32_t unit = ref->bits == 16 ? 257 : 1;
    for (uint32_t y = 0; y < ref->height; y++)
        for (uint32_t x = 0; x < ref->width; x++)
            for (uint32_t c = 0; c < ref->channels; c++) {
                const uint32_t level = (across ? x : y) < flat->edge ? flat->first : flat->then;
                const uint32_t v = level > c ? level - c : 0;
                const uint32_t dark = v > flat->apart ? v - flat->apart : 0;
                check_set_sample(ref, x, y, c, v * unit);
                check_set_sample(out, x, y, c, dark * unit);
            }
}

/* Opens the contexts to score on: the device, or every level that this CPU has. */
static void open_all(ssimcu_device device, ssimcu_pad pad, ssimcu_context *context[LEVELS])
{
    const ssimcu_settings settings = check_settings_for(device, pad);
    const int levels = device == SSIMCU_DEVICE_CPU ? LEVELS : 1;
    context[0] = check_open(&settings);
    for (int i = 1; i < levels; i++) {
        const ssimcu_status status =
            ssimcu_open_level(&settings, (enum ssimcu_cpu_level)i, &context[i], NULL);
        cr_assert(status == SSIMCU_OK || status == SSIMCU_ERROR_DEVICE);
    }
}

/* Checks every `step`-th of the pairs below. */
static void check_flats(ssimcu_device device, uint32_t width, uint32_t height, int across, int step)
{
    const double tolerance = device == SSIMCU_DEVICE_CPU ? TOLERANCE : 1e-6;
    static const struct flat flats[] = {
        {248, 4, 4, 12}, {255, 5, 5, 12}, {250, 3, 2, 11},   {200, 4, 3, 20},    {120, 5, 4, 14},
        {60, 4, 4, 12},  {30, 3, 3, 12},  {248, 12, 12, 13}, {248, 9, 2, 30},    {4, 248, 4, 12},
        {3, 120, 3, 25}, {8, 40, 8, 12},  {248, 250, 1, 12}, {130, 131, 20, 12}, {160, 4, 4, 12}};
    for (int mix = 0; mix<8; mix += step> 1 ? 3 : 1) {
        const ssimcu_settings settings = check_settings_for(device, (ssimcu_pad)(mix % 2));
        ssimcu_frame ref = check_frame(width, height, mix & 2 ? 3 : 1, mix & 4 ? 16 : 8);
        ssimcu_frame out = check_frame(width, height, mix & 2 ? 3 : 1, mix & 4 ? 16 : 8);
        ssimcu_context *context[LEVELS] = {NULL};
        open_all(device, settings.pad, context);
        for (size_t i = 0; i < sizeof flats / sizeof flats[0]; i += step) {
            double channel[3];
            draw(&flats[i], across, &ref, &out);
            const double expected = oracle_score(&ref, &out, &settings, channel);
            for (int level = 0; level < LEVELS; level++)
                if (context[level])
                    check_near(check_compare(context[level], &ref, &out).score, expected, tolerance,
                               "%u then %u, %u apart, %ux%u, edge %u, mix %d, level %d",
                               flats[i].first, flats[i].then, flats[i].apart, width, height,
                               flats[i].edge, mix, level);
        }
        for (int level = 0; level < LEVELS; level++) ssimcu_close(&context[level]);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

BACKEND_TEST(ssim_flat, one_below_the_other) { check_flats(device, 64, 100, 0, 1); }
BACKEND_TEST(ssim_flat, one_beside_the_other) { check_flats(device, 100, 64, 1, 1); }

/* A GPU computes small pairs in double. This size is enough for its float kernel, and for its
 * tensor cores. */
BACKEND_TEST(ssim_flat, medium) { check_flats(device, 320, 200, 0, 7); }
BACKEND_TEST(ssim_flat, large) { check_flats(device, 1600, 200, 0, 7); }

/* ---- Flat under noise ------------------------------------------------------------------------ */

static void draw_noise(check_random *random, uint32_t level, uint32_t most, ssimcu_frame *frame)
{
    const uint32_t unit = (1u << frame->bits) / 255; /* 8: 1, 10: 4, 16: 257 */
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++) {
            const uint32_t up = check_draw(random) % (2 * most + 1) + level;
            const uint32_t v = up < most ? 0 : up - most > 255 ? 255 : up - most;
            for (uint32_t c = 0; c < frame->channels; c++)
                check_set_sample(frame, x, y, c, v * unit);
        }
}

/* All windows are alike, and far from the middle of the range in units of their noise. What
 * tensor cores cut off, they cut off everywhere. Kinds: bytes, 10 bits, words, and luma, which
 * goes through planes. */
static void check_noisy_flats(ssimcu_device device, uint32_t width, uint32_t height)
{
    static const uint32_t levels[] = {3, 16, 40, 60, 90, 180, 200, 220, 235, 250};
    static const uint32_t noises[] = {1, 2, 3, 5, 8};
    const double tolerance = device == SSIMCU_DEVICE_CPU ? 5e-7 : 1e-6;
    check_random random = {20};
    static const uint32_t bits[] = {8, 10, 16, 8};
    for (int kind = 0; kind < 4; kind++) {
        ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
        if (kind == 3) settings.color = SSIMCU_COLOR_Y709;
        ssimcu_frame ref = check_frame(width, height, kind == 3 ? 3 : 1, bits[kind]);
        ssimcu_frame out = check_frame(width, height, kind == 3 ? 3 : 1, bits[kind]);
        ssimcu_context *context = check_open(&settings);
        for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
            for (size_t n = 0; n < sizeof noises / sizeof noises[0]; n++) {
                double channel[3];
                draw_noise(&random, levels[i], noises[n], &ref);
                draw_noise(&random, levels[i], noises[n], &out);
                const double expected = oracle_score(&ref, &out, &settings, channel);
                check_near(check_compare(context, &ref, &out).score, expected, tolerance,
                           "%u under %u, kind %d", levels[i], noises[n], kind);
            }
        ssimcu_close(&context);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

BACKEND_TEST(ssim_flat, under_noise) { check_noisy_flats(device, 1600, 200); }

/* Makes one level of which a share of samples, in thousandths, is 1 to `most` of 255 away. */
static void draw_sparse_noise(check_random *random, uint32_t level, uint32_t share, uint32_t most,
                              ssimcu_frame *frame)
{
    const uint32_t unit = (1u << frame->bits) / 255;
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++) {
            const int is_off = check_draw(random) % 1000 < share;
            const int away = is_off ? (int)(check_draw(random) % most) + 1 : 0;
            const int v = (int)level + (check_draw(random) & 1 ? away : -away);
            check_set_sample(frame, x, y, 0, (uint32_t)(v < 0 ? 0 : v > 255 ? 255 : v) * unit);
        }
}

/* Returns the worst error over shares of noise that change by little. */
static double worst_around(ssimcu_context *context, check_random *random, uint32_t level,
                           uint32_t most, ssimcu_frame frame[2])
{
    double worst = 0;
    for (uint32_t share = 1000; share > 20; share -= share / 4) {
        double expected;
        for (int i = 0; i < 2; i++) draw_sparse_noise(random, level, share, most, &frame[i]);
        cr_assert_eq(reference_score(&frame[0], &frame[1], 0, &expected, NULL), 0);
        worst = fmax(worst, fabs(check_compare(context, &frame[0], &frame[1]).score - expected));
    }
    return worst;
}

/* The tensor cores do windows again that cost more than an allowance (ssim/tensor/rounding.cuh).
 * This noise has costs of all sizes around it. */
BACKEND_TEST(ssim_flat, around_the_allowance)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    const int is_cpu = device == SSIMCU_DEVICE_CPU;
    ssimcu_context *context = check_open(&settings);
    check_random random = {28};
    for (uint32_t bits = 8; bits <= 16; bits += 8) {
        ssimcu_frame frame[2] = {check_frame(1600, 200, 1, bits), check_frame(1600, 200, 1, bits)};
        double worst = 0;
        for (uint32_t level = 4; level < 256; level += is_cpu ? 125 : 9)
            for (uint32_t most = 1; most <= 4; most += is_cpu ? 3 : 1)
                worst = fmax(worst, worst_around(context, &random, level, most, frame));
        printf("%u bits around the allowance: %.2e\n", bits, worst);
        check_near(worst, 0, is_cpu ? 5e-7 : 1e-6, "%u bits", bits);
        ssimcu_frame_free(&frame[0]), ssimcu_frame_free(&frame[1]);
    }
    ssimcu_close(&context);
}
