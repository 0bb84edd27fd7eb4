#include "check.h"

#include "require.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool check_has_cuda(void)
{
    uint32_t count = 0;
    ssimcu_message why = {{0}};
    if (ssimcu_device_count(SSIMCU_DEVICE_CUDA, &count, &why) == SSIMCU_OK) return true;
    cr_assert_not(is_required("cuda"), "cuda is required (SSIMCU_REQUIRE): %s", why.text);
    cr_skip_test("%s", why.text);
    return false;
}

uint32_t check_draw(check_random *random)
{
    random->state += 0x9e3779b9u;
    uint32_t v = random->state;
    v = (v ^ v >> 16) * 0x21f0aaadu;
    v = (v ^ v >> 15) * 0x735a2d97u;
    return v ^ v >> 15;
}

uint32_t check_between(check_random *random, uint32_t low, uint32_t high)
{
    return low + check_draw(random) % (high - low + 1);
}

ssimcu_frame check_frame(uint32_t width, uint32_t height, uint32_t channels, uint32_t bits)
{
    ssimcu_frame frame = {.width = width, .height = height, .channels = channels, .bits = bits};
    ssimcu_message message = {{0}};
    cr_assert_eq(ssimcu_frame_alloc(&frame, &message), SSIMCU_OK, "%s", message.text);
    memset(frame.data, 0, frame.pitch * height);
    return frame;
}

static void *sample_at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel)
{
    return (char *)frame->data + y * frame->pitch +
           ((size_t)x * frame->channels + channel) * (frame->bits > 8 ? 2 : 1);
}

uint32_t check_sample(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel)
{
    const void *at = sample_at(frame, x, y, channel);
    return frame->bits == 8 ? *(const uint8_t *)at : *(const uint16_t *)at;
}

void check_set_sample(ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t channel, uint32_t value)
{
    void *at = sample_at(frame, x, y, channel);
    if (frame->bits == 8)
        *(uint8_t *)at = (uint8_t)value;
    else
        *(uint16_t *)at = (uint16_t)value;
}

ssimcu_frame check_flat(uint32_t width, uint32_t height, uint32_t channels, const uint32_t *value)
{
    ssimcu_frame frame = check_frame(width, height, channels, 8);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < channels; c++) check_set_sample(&frame, x, y, c, value[c]);
    return frame;
}

static uint32_t hash(uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

static uint32_t clamp_byte(int value)
{
    return (uint32_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void check_reference_pair(uint32_t width, uint32_t height, ssimcu_frame *ref, ssimcu_frame *out)
{
    *ref = check_frame(width, height, 3, 8);
    *out = check_frame(width, height, 3, 8);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < 3; c++) {
                const uint32_t t = ((x * (c + 2)) >> 3) + ((y * (5 - c)) >> 4);
                const int ramp = (int)(t & 256 ? 255 - (t & 255) : t & 255);
                const int squares = (((x >> 4) ^ (y >> 4)) & 1) ? 20 : -20;
                const uint32_t key = (x * 73856093u) ^ (y * 19349663u) ^ (c * 83492791u);
                const int grain = (int)(hash(key) >> 28);
                const int noise = (int)(hash(key ^ 0x9e3779b9u) >> 28) - 8;
                const bool patch =
                    x >= width / 4 && x < width / 2 && y >= height / 4 && y < height / 2;
                const uint32_t value = clamp_byte(ramp * 3 / 4 + 32 + squares + grain);
                check_set_sample(ref, x, y, c, value);
                check_set_sample(out, x, y, c, clamp_byte((int)value + noise + (patch ? 24 : 0)));
            }
}

ssimcu_frame check_noise(check_random *random, uint32_t width, uint32_t height, uint32_t channels,
                         uint32_t bits)
{
    ssimcu_frame frame = check_frame(width, height, channels, bits);
    for (size_t i = 0; i < frame.pitch * height; i++)
        ((uint8_t *)frame.data)[i] = (uint8_t)check_draw(random);
    return frame;
}

ssimcu_frame check_damaged(check_random *random, const ssimcu_frame *ref)
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

void check_flatten(check_random *random, ssimcu_frame *frame)
{
    const uint32_t step = check_between(random, 5, 60), peak = frame->bits == 8 ? 255 : 65535;
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++)
            for (uint32_t c = 0; c < frame->channels; c++) {
                const uint32_t patch = (x / step) * 31 + (y / step) * 17 + c * 7;
                check_set_sample(frame, x, y, c, (patch * 2654435761u >> 8) % (peak + 1));
            }
}

ssimcu_frame check_widen(const ssimcu_frame *frame)
{
    ssimcu_frame wide = check_frame(frame->width, frame->height, frame->channels, 16);
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++)
            for (uint32_t c = 0; c < frame->channels; c++)
                check_set_sample(&wide, x, y, c, check_sample(frame, x, y, c) * 257);
    return wide;
}

ssimcu_frame check_channel(const ssimcu_frame *frame, uint32_t channel)
{
    ssimcu_frame grey = check_frame(frame->width, frame->height, 1, frame->bits);
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++)
            check_set_sample(&grey, x, y, 0, check_sample(frame, x, y, channel));
    return grey;
}

ssimcu_settings check_settings_for(ssimcu_device device, ssimcu_pad pad)
{
    return (ssimcu_settings){.struct_size = sizeof(ssimcu_settings), .device = device, .pad = pad};
}

ssimcu_context *check_open(const ssimcu_settings *settings)
{
    ssimcu_context *context = NULL;
    ssimcu_message message = {{0}};
    cr_assert_eq(ssimcu_open(settings, &context, &message), SSIMCU_OK, "%s", message.text);
    return context;
}

ssimcu_score check_compare(ssimcu_context *context, const ssimcu_frame *ref,
                           const ssimcu_frame *out)
{
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message message = {{0}};
    cr_assert_eq(ssimcu_compare(context, ref, out, &score, &message), SSIMCU_OK, "%s",
                 message.text);
    return score;
}

ssimcu_score check_score(const ssimcu_settings *settings, const ssimcu_frame *ref,
                         const ssimcu_frame *out)
{
    ssimcu_context *context = check_open(settings);
    const ssimcu_score score = check_compare(context, ref, out);
    ssimcu_close(&context);
    return score;
}

void check_near(double value, double expected, double tolerance, const char *format, ...)
{
    char label[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(label, sizeof label, format, arguments);
    va_end(arguments);
    cr_assert(fabs(value - expected) <= tolerance, "%s: %.15f, expected %.15f +- %g, off by %g",
              label, value, expected, tolerance, value - expected);
}

static double worst_difference(const float *a, const float *b, size_t count)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        const double error = fabs((double)a[i] - (double)b[i]);
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

ssimcu_view check_view(const ssimcu_frame *frame)
{
    ssimcu_view view = SSIMCU_INIT(view);
    cr_assert_eq(ssimcu_frame_view(frame, &view, NULL), SSIMCU_OK);
    return view;
}

ssimcu_score check_compare_map(ssimcu_context *context, const ssimcu_frame *ref,
                               const ssimcu_frame *out, ssimcu_map *map)
{
    const ssimcu_view a = check_view(ref), b = check_view(out);
    ssimcu_score score = SSIMCU_INIT(score);
    *map = SSIMCU_INIT(map);
    cr_assert_eq(ssimcu_views_layout(context, &a, &b, map, NULL, NULL), SSIMCU_OK);
    const size_t count = (size_t)map->width * map->height * map->channels;
    map->data = malloc(count * sizeof *map->data);
    memset(map->data, 0xff, count * sizeof *map->data); /* NaN */
    cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, map, NULL, NULL), SSIMCU_OK);
    size_t written = 0;
    for (size_t i = 0; i < count; i++) written += !isnan(map->data[i]);
    cr_assert_eq(written, count, "elements of the map were not written");
    return score;
}

void check_kernel(const ssimcu_frame *ref, const ssimcu_frame *out, int zero_pad,
                  const double *sums, const float *map, double tolerance, int label)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings,
                                      .device = SSIMCU_DEVICE_CPU,
                                      .pad = zero_pad ? SSIMCU_PAD_ZERO : SSIMCU_PAD_VALID};
    ssimcu_context *context = check_open(&settings);
    ssimcu_map want;
    const ssimcu_score score = check_compare_map(context, ref, out, &want);
    const size_t plane = (size_t)want.width * want.height;
    for (uint32_t c = 0; c < want.channels; c++) {
        check_near(1 - sums[c] / (double)plane, score.channel[c], tolerance,
                   "case %d: %ux%u, pad %d, channel %u", label, ref->width, ref->height, zero_pad,
                   c);
        check_near(worst_difference(map + c * plane, want.data + c * plane, plane), 0, 5e-5,
                   "case %d: %ux%u, map of channel %u", label, ref->width, ref->height, c);
    }
    free(want.data);
    ssimcu_close(&context);
}
