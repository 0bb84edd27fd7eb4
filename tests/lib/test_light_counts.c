/* One half that a curve cannot show stands in turn at every place of a row, in rows at the ends
 * of the CPU's tiles. Every instruction set must find it and count it once, on its own side. */
#include "api/context.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Three tiles across, of which one is ragged, and two down, at row 270, with padding. */
enum { WIDTH = 75, HEIGHT = 283, ROW = WIDTH * 3, LEVELS = SSIMCU_CPU_NEON + 1 };

static const uint32_t ROWS[] = {0, 4, 265, 269, 270, 279, 282};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };

static const struct kind {
    uint16_t bits;
    uint64_t clamped, not_finite;
} KINDS[] = {{0x3c01, 1, 0}, {0x8001, 1, 0}, {0x7e00, 0, 1}, {0xfc00, 0, 1},
             {0x3c00, 0, 0}, {0x8000, 0, 0}, {0x7bff, 1, 0}};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

static ssimcu_frame make_frame(void)
{
    ssimcu_frame frame = {WIDTH, HEIGHT, 3, SSIMCU_BITS_F16, ROW * 2, NULL, 0};
    uint16_t *half = malloc((size_t)ROW * HEIGHT * sizeof *half);
    for (uint32_t i = 0; i < ROW * HEIGHT; i++) half[i] = (uint16_t)(0x3400 + i % 7);
    frame.data = half;
    return frame;
}

static void check_one(ssimcu_context *context, const ssimcu_frame frame[2], uint32_t place,
                      uint32_t y, const struct kind *kind)
{
    const int side = (int)(place + y) % 2;
    uint16_t *half = (uint16_t *)frame[side].data + (size_t)y * ROW + place, before = *half;
    char where[80];
    snprintf(where, sizeof where, "%s: 1 sample, the first at x %u, y %u", side ? "out" : "ref",
             place / 3, y);
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message message = {{0}};
    *half = kind->bits;
    const ssimcu_status status = ssimcu_compare(context, &frame[0], &frame[1], &score, &message);
    *half = before;
    cr_assert_eq(status, kind->not_finite ? SSIMCU_ERROR_DATA : SSIMCU_OK, "%04x at %s: %s",
                 kind->bits, where, message.text);
    if (kind->not_finite) {
        cr_assert_not_null(strstr(message.text, where), "%s, expected %s", message.text, where);
        return;
    }
    cr_assert_eq(score.light[side].clamped, kind->clamped, "%04x at %s", kind->bits, where);
    cr_assert_eq(score.light[!side].clamped, 0, "%04x at %s", kind->bits, where);
    cr_assert_eq(score.light[side].not_finite + score.light[!side].not_finite, 0);
}

static void check_places(enum ssimcu_cpu_level level, ssimcu_pad pad)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings,
                                      .device = SSIMCU_DEVICE_CPU,
                                      .pad = pad,
                                      .transfer = SSIMCU_TRANSFER_SRGB};
    ssimcu_context *context = NULL;
    const ssimcu_status status = ssimcu_open_level(&settings, level, &context, NULL);
    if (status == SSIMCU_ERROR_DEVICE) return; /* this CPU lacks the level */
    cr_assert_eq(status, SSIMCU_OK);
    ssimcu_frame frame[2] = {make_frame(), make_frame()};
    for (uint32_t place = 0; place < ROW; place++)
        for (uint32_t kind = place % CHECK_LESS; kind < KIND_COUNT; kind += CHECK_LESS)
            check_one(context, frame, place, ROWS[(place + kind) % ROW_COUNT], &KINDS[kind]);
    free(frame[0].data), free(frame[1].data);
    ssimcu_close(&context);
}

Test(light_counts, one_sample_anywhere_valid)
{
    for (int level = SSIMCU_CPU_PLAIN; level < LEVELS; level++)
        check_places((enum ssimcu_cpu_level)level, SSIMCU_PAD_VALID);
}

Test(light_counts, one_sample_anywhere_zero)
{
    for (int level = SSIMCU_CPU_PLAIN; level < LEVELS; level++)
        check_places((enum ssimcu_cpu_level)level, SSIMCU_PAD_ZERO);
}

/* Floats that pass no curve are counted beyond 0 and white, by more than rounding adds, as pixels
 * and as planes, on every instruction set. */
static void check_range(ssimcu_context *context, ssimcu_layout layout, float *samples,
                        const float *other)
{
    static const struct {
        float value;
        uint64_t clamped;
    } kinds[] = {{2.002f, 1},    {2.00001f, 0}, {-0.001f, 1}, {-0.0f, 0},
                 {-0.00001f, 0}, {2.0f, 0},     {1e4f, 1}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
        for (uint32_t i = (uint32_t)kind; i < ROW * HEIGHT; i += 997) {
            ssimcu_view view[2] = {{0}};
            for (int side = 0; side < 2; side++)
                view[side] = (ssimcu_view)SSIMCU_INIT(
                    view, .width = WIDTH, .height = HEIGHT, .channels = 3, .layout = layout,
                    .type = SSIMCU_TYPE_F32, .peak = 2, .data = {side ? samples : other});
            ssimcu_score score = SSIMCU_INIT(score);
            const float before = samples[i];
            samples[i] = kinds[kind].value;
            cr_assert_eq(
                ssimcu_compare_views(context, &view[0], &view[1], &score, NULL, NULL, NULL),
                SSIMCU_OK);
            samples[i] = before;
            cr_assert_eq(score.light[1].clamped, kinds[kind].clamped, "%g at %u",
                         (double)kinds[kind].value, i);
            cr_assert_eq(score.light[0].clamped, 0);
        }
}

Test(light_counts, floats_beyond_their_range)
{
    float *samples[2];
    for (int side = 0; side < 2; side++) {
        samples[side] = malloc((size_t)ROW * HEIGHT * sizeof **samples);
        for (uint32_t i = 0; i < ROW * HEIGHT; i++) samples[side][i] = (float)(i % 9) / 4;
    }
    for (int level = SSIMCU_CPU_PLAIN; level < LEVELS; level++) {
        const ssimcu_settings settings = {
            .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .count_range = 1};
        ssimcu_context *context = NULL;
        if (ssimcu_open_level(&settings, (enum ssimcu_cpu_level)level, &context, NULL) != SSIMCU_OK)
            continue; /* this CPU lacks the level */
        check_range(context, SSIMCU_LAYOUT_HWC, samples[1], samples[0]);
        check_range(context, SSIMCU_LAYOUT_CHW, samples[1], samples[0]);
        ssimcu_close(&context);
    }
    free(samples[0]), free(samples[1]);
}
