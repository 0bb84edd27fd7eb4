/* The pictures that bits compares, which must be the same whatever becomes of the tests' own. */
#include "bits.h"

#include <math.h>
#include <string.h>

static uint32_t mix(uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

uint32_t draw(uint32_t *state, uint32_t low, uint32_t high)
{
    return low + mix(*state += 0x9e3779b9u) % (high - low + 1);
}

/* Draws blocks with hard edges under grain, 0 to 1; the other side is the same with noise. */
static double texel(uint32_t seed, int side, uint32_t x, uint32_t y, uint32_t channel)
{
    const uint32_t key = mix(seed * 5 + channel);
    const uint32_t block = mix(key ^ (x / 7 * 73856093u) ^ (y / 9 * 19349663u)) >> 24;
    const uint32_t grain = mix(key ^ (x * 83492791u) ^ (y * 0x9e3779b1u));
    const int noise = side ? ((int)(grain & 0xffff) - 0x8000) / (1 << seed % 6) : 0;
    const int value = (int)(block * 180 + (grain >> 18)) + noise;
    return (value < 0 ? 0 : value > 0xffff ? 0xffff : value) / 65535.0;
}

/* Converts to binary16, by arithmetic if the result has no leading 1. */
static uint16_t half(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint32_t size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    if (size < 0x38800000) return (uint16_t)(sign | (uint32_t)(fabsf(value) * 16777216.0f + 0.5f));
    return (uint16_t)(sign | (size - 0x38000000 + 0x1000) >> 13);
}

static size_t sample_bytes(ssimcu_type type)
{
    return type == SSIMCU_TYPE_U8 ? 1 : type == SSIMCU_TYPE_F32 ? 4 : 2;
}

static void put(uint8_t *at, ssimcu_type type, double value)
{
    const float single = (float)value;
    uint16_t word;
    switch (type) {
    case SSIMCU_TYPE_U8: *at = (uint8_t)(value + 0.5); break;
    case SSIMCU_TYPE_F32: memcpy(at, &single, sizeof single); break;
    case SSIMCU_TYPE_F16:
        word = half(single);
        memcpy(at, &word, sizeof word);
        break;
    default: word = (uint16_t)(value + 0.5); memcpy(at, &word, sizeof word);
    }
}

static ssimcu_frame make_memory(size_t bytes)
{
    ssimcu_message why = {{0}};
    ssimcu_frame memory = {
        .width = 4096, .height = (uint32_t)(bytes / 4096 + 1), .channels = 1, .bits = 8};
    if (ssimcu_frame_alloc(&memory, &why) != SSIMCU_OK) quit("memory", &why);
    memset(memory.data, 0xff, memory.pitch * memory.height);
    return memory;
}

/* How the samples of a picture lie, in bytes. */
struct steps {
    size_t sample, pixel, row, plane, frame;
};

static void fill_plane(const ssimcu_view *view, uint8_t *first, struct steps steps,
                       uint32_t channel, uint32_t seed, int side)
{
    static const double own[] = {255, 65535, 1, 1};
    const double peak = view->peak > 0 ? view->peak : own[view->type];
    const bool opaque = view->channels % 2 == 0 && channel == view->channels - 1 && seed % 4 == 0;
    const bool outside = view->type >= SSIMCU_TYPE_F16 && seed % 3 == 0;
    for (uint32_t y = 0; y < view->height; y++)
        for (uint32_t x = 0; x < view->width; x++) {
            const double v = opaque ? 1 : texel(seed, side, x, y, channel);
            put(first + y * steps.row + x * steps.pixel, view->type,
                peak * (outside && !opaque ? 1.1 * v - 0.05 : v));
        }
}

static struct steps lay_out(struct kind kind, struct shape shape)
{
    const bool interleaved = kind.layout == SSIMCU_LAYOUT_HWC;
    struct steps s = {.sample = sample_bytes(kind.type)};
    const size_t gap = kind.gap * s.sample;
    s.pixel = interleaved ? s.sample * kind.channels : s.sample;
    s.row = shape.width * s.pixel + gap;
    if (kind.aligned) s.row = (s.row + 15) / 16 * 16;
    s.plane = s.row * shape.height + gap;
    s.frame = interleaved ? s.plane : s.plane * kind.channels;
    return s;
}

/* Says what it can by zeros, as most callers do. Planes with pointers of their own lie the last
 * one first if the gap is odd. */
struct picture make_picture(struct kind kind, struct shape shape, int side)
{
    const struct steps steps = lay_out(kind, shape);
    const uint32_t frames = shape.frames ? shape.frames : 1;
    const bool dense = !kind.gap && !kind.aligned, pointers = kind.layout == SSIMCU_LAYOUT_PLANES;
    struct picture p = {
        .view = {.struct_size = sizeof p.view,
                 .width = shape.width,
                 .height = shape.height,
                 .channels = kind.channels,
                 .layout = kind.layout,
                 .type = kind.type,
                 .peak = kind.peak,
                 .pitch = dense ? 0 : steps.row,
                 .plane_stride = kind.layout == SSIMCU_LAYOUT_CHW && !dense ? steps.plane : 0,
                 .frames = shape.frames,
                 .frame_stride = dense && !pointers ? 0 : steps.frame},
        .memory = make_memory(kind.gap * steps.sample + frames * steps.frame)};
    for (uint32_t c = 0; c < kind.channels; c++) {
        uint8_t *first = (uint8_t *)p.memory.data + kind.gap * steps.sample;
        if (kind.layout == SSIMCU_LAYOUT_HWC)
            first += c * steps.sample;
        else
            first += steps.plane * (pointers && kind.gap % 2 ? kind.channels - 1 - c : c);
        if (c == 0 || pointers) p.view.data[c] = first;
        for (uint32_t f = 0; f < frames; f++)
            fill_plane(&p.view, first + f * steps.frame, steps, c, shape.seed + f, side);
    }
    return p;
}
