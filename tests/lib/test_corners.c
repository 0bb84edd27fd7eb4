/* What one sample in a corner, or bytes between rows, must do to a score. */
#include "check.h"

#include <stdlib.h>

static const uint32_t SIDES[][2] = {{16, 16}, {33, 19}, {11, 70}, {130, 12}};
enum { SHAPES = sizeof SIDES / sizeof SIDES[0] };

/* Makes an opaque grey frame. */
static ssimcu_frame opaque(uint32_t width, uint32_t height, uint32_t channels, uint32_t bits)
{
    ssimcu_frame frame = check_frame(width, height, channels, bits);
    const uint32_t peak = (1u << bits) - 1;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < channels; c++)
                check_set_sample(&frame, x, y, c, c == channels - 1 ? peak : peak / 2);
    return frame;
}

/* One transparent pixel in one of two equal frames is a difference, in ref and in out, on any
 * side of the frame. */
BACKEND_TEST(corners, one_transparent_pixel)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_ZERO);
    ssimcu_context *context = check_open(&settings);
    for (int i = 0; i < SHAPES * 4; i++) {
        const uint32_t width = SIDES[i / 4][0], height = SIDES[i / 4][1];
        const uint32_t channels = i % 2 ? 4 : 2, bits = i / 2 % 2 ? 16 : 8;
        const uint32_t at[][2] = {{0, 0},          {width - 1, 0},          {0, height - 1},
                                  {width / 2, 0},  {width - 1, height - 1}, {width - 1, height / 2},
                                  {0, height / 2}, {width / 2, height - 1}};
        ssimcu_frame frame[2];
        for (int k = 0; k < 2; k++) frame[k] = opaque(width, height, channels, bits);
        ssimcu_score score = check_compare(context, &frame[0], &frame[1]);
        cr_assert(score.score == 1 && score.background == SSIMCU_BACKGROUND_NONE);
        for (size_t p = 0; p < 2 * sizeof at / sizeof at[0]; p++) {
            const uint32_t x = at[p / 2][0], y = at[p / 2][1], alpha = channels - 1;
            check_set_sample(&frame[p % 2], x, y, alpha, 0);
            score = check_compare(context, &frame[0], &frame[1]);
            cr_assert(score.score < 1 && score.background != SSIMCU_BACKGROUND_NONE,
                      "%ux%u, %u channels of %u bits: pixel (%u, %u) of frame %d was not seen",
                      width, height, channels, bits, x, y, (int)p % 2);
            check_set_sample(&frame[p % 2], x, y, alpha, (1u << bits) - 1);
        }
        for (int k = 0; k < 2; k++) ssimcu_frame_free(&frame[k]);
    }
    ssimcu_close(&context);
}

/* Returns the frame's channels as planes, one after the other, with bytes between rows. The
 * caller frees the memory. A plane without a stride is its rows with their padding. */
static ssimcu_view planar(const ssimcu_frame *frame, size_t padding)
{
    const size_t sample = frame->bits > 8 ? 2 : 1, row = frame->width * sample + padding;
    ssimcu_view view = check_view(frame);
    uint8_t *data = malloc(row * frame->height * frame->channels);
    cr_assert_not_null(data);
    memset(data, 0xA5, row * frame->height * frame->channels);
    for (uint32_t c = 0; c < frame->channels; c++)
        for (uint32_t y = 0; y < frame->height; y++)
            for (uint32_t x = 0; x < frame->width; x++) {
                const uint16_t value = (uint16_t)check_sample(frame, x, y, c);
                uint8_t *to = data + (c * frame->height + y) * row + x * sample;
                if (sample == 2)
                    memcpy(to, &value, sizeof value);
                else
                    *to = (uint8_t)value;
            }
    view.layout = SSIMCU_LAYOUT_CHW;
    view.pixel_stride = 0;
    view.pitch = row;
    view.plane_stride = 0;
    view.data[0] = data;
    return view;
}

BACKEND_TEST(corners, padded_planes_without_a_stride)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    check_random random = {77};
    for (int i = 0; i < SHAPES * 8; i++) {
        const uint32_t channels = 1 + (uint32_t)i % 4, bits = i / 4 % 2 ? 16 : 8;
        ssimcu_frame ref = check_noise(&random, SIDES[i / 8][0], SIDES[i / 8][1], channels, bits);
        ssimcu_frame out = check_damaged(&random, &ref);
        const double expected = check_compare(context, &ref, &out).score;
        const ssimcu_view a = planar(&ref, 10), b = planar(&out, 64);
        ssimcu_score score = SSIMCU_INIT(score);
        ssimcu_message why = {{0}};
        cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, NULL, &why), SSIMCU_OK,
                     "%s", why.text);
        check_near(score.score, expected, 1e-6, "shape %d, %u channels of %u bits", i / 8, channels,
                   bits);
        free((void *)(uintptr_t)a.data[0]);
        free((void *)(uintptr_t)b.data[0]);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
    ssimcu_close(&context);
}
