#include "calibrate/damage.h"

#include "sample_size.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SPOTS = 3 /* dead pixels, or fireflies */ };

static const double FIREFLY = 4, GAIN = 1.1, CHROMA_CAST = 0.02;

const char *const damage_names[DAMAGES] = {"black",
                                           "flat, its texture is missing",
                                           "blur of 5 x 5",
                                           "shift by one pixel",
                                           "3 dead pixels",
                                           "3 fireflies",
                                           "10 % brighter",
                                           "first channel 10 % more",
                                           "swapped channels",
                                           "twice the noise"};

uint32_t damage_draw(uint64_t *random, uint32_t most)
{
    *random += 0x9e3779b97f4a7c15u;
    uint64_t x = *random;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((x ^ x >> 31) % most);
}

/* ---- Samples --------------------------------------------------------------------------------- */

static double half_value(uint16_t half)
{
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    if (exponent == 31) return 0; /* not finite */
    const double size =
        exponent == 0 ? ldexp(mantissa, -24) : ldexp(mantissa + 1024, exponent - 25);
    return half >> 15 ? -size : size;
}

static double sample_value(const void *at, uint32_t bits)
{
    uint16_t word;
    float number;
    if (bits == 8) return *(const uint8_t *)at / 255.0;
    if (bits == SSIMCU_BITS_F32) {
        memcpy(&number, at, sizeof number);
        return isfinite(number) ? number : 0;
    }
    memcpy(&word, at, sizeof word);
    return bits == SSIMCU_BITS_F16 ? half_value(word) : word / (double)((1u << bits) - 1);
}

bool damage_read(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                 struct damage_part *part)
{
    const size_t sample = ssimcu_sample_size(frame->bits), row = (size_t)width * frame->channels;
    const size_t pitch =
        frame->pitch ? frame->pitch : (size_t)frame->width * frame->channels * sample;
    *part = (struct damage_part){.width = width,
                                 .height = height,
                                 .channels = frame->channels,
                                 .colours = frame->channels > 2 ? 3 : 1,
                                 .floats = frame->bits >= SSIMCU_BITS_FLOAT,
                                 .value = malloc(row * height * sizeof *part->value)};
    if (!part->value) return false;
    for (uint32_t r = 0; r < height; r++) {
        const char *from =
            (const char *)frame->data + (y + r) * pitch + (size_t)x * frame->channels * sample;
        for (size_t i = 0; i < row; i++)
            part->value[r * row + i] = sample_value(from + i * sample, frame->bits);
    }
    return true;
}

static uint16_t half_of(double value)
{
    int exponent;
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const double size = fmin(fabs(value), 65504), mantissa = frexp(size, &exponent);
    if (exponent < -13) return (uint16_t)(sign | lrint(ldexp(size, 24)));
    return (uint16_t)(sign | (((exponent + 14) << 10) + lrint(ldexp(mantissa, 11)) - 1024));
}

static void put_sample(void *at, uint32_t bits, double value)
{
    const bool floats = bits >= SSIMCU_BITS_FLOAT;
    const double peak = floats ? 1 : (1u << bits) - 1;
    const double whole = fmin(fmax(value, 0), 1) * peak + 0.5;
    const float number = (float)value;
    const uint16_t word = bits == SSIMCU_BITS_F16 ? half_of(value) : floats ? 0 : (uint16_t)whole;
    if (bits == 8)
        *(uint8_t *)at = (uint8_t)whole;
    else if (bits == SSIMCU_BITS_F32)
        memcpy(at, &number, sizeof number);
    else
        memcpy(at, &word, sizeof word);
}

void damage_write(const struct damage_part *part, ssimcu_frame *frame, uint32_t x, uint32_t y)
{
    const size_t sample = ssimcu_sample_size(frame->bits);
    const size_t row = (size_t)part->width * part->channels;
    for (uint32_t r = 0; r < part->height; r++) {
        char *to = (char *)frame->data + (y + r) * frame->pitch + x * frame->channels * sample;
        for (size_t i = 0; i < row; i++)
            put_sample(to + i * sample, frame->bits, part->value[r * row + i]);
    }
}

/* ---- Damage ---------------------------------------------------------------------------------- */

bool damage_is_for(enum damage kind, bool video, uint32_t colours)
{
    if (kind == DAMAGE_SWAPPED) return !video && colours == 3;
    return kind != DAMAGE_CAST || colours == 3 || video;
}

static double *at(const struct damage_part *part, uint32_t x, uint32_t y, uint32_t channel)
{
    return &part->value[((size_t)y * part->width + x) * part->channels + channel];
}

static void fill(struct damage_part *part, const struct damage_square *square, uint32_t channel,
                 double value)
{
    for (uint32_t y = square->y; y < square->y + square->height; y++)
        for (uint32_t x = square->x; x < square->x + square->width; x++)
            *at(part, x, y, channel) = value;
}

static void flatten(struct damage_part *part, const struct damage_square *square, uint32_t channel)
{
    double sum = 0;
    for (uint32_t y = square->y; y < square->y + square->height; y++)
        for (uint32_t x = square->x; x < square->x + square->width; x++)
            sum += *at(part, x, y, channel);
    fill(part, square, channel, sum / square->width / square->height);
}

static double box(const struct damage_part *part, uint32_t x, uint32_t y, uint32_t channel)
{
    double sum = 0;
    int count = 0;
    for (int dy = -DAMAGE_REACH; dy <= DAMAGE_REACH; dy++)
        for (int dx = -DAMAGE_REACH; dx <= DAMAGE_REACH; dx++) {
            const int64_t u = (int64_t)x + dx, v = (int64_t)y + dy;
            if (u < 0 || v < 0 || u >= part->width || v >= part->height) continue;
            sum += *at(part, (uint32_t)u, (uint32_t)v, channel);
            count++;
        }
    return sum / count;
}

/* What a pixel becomes, from what the part was before. */
static double changed(enum damage kind, const struct damage_part *before,
                      const struct damage_part *ref, uint32_t x, uint32_t y, uint32_t channel)
{
    const double value = *at(before, x, y, channel);
    switch (kind) {
    case DAMAGE_BLUR: return box(before, x, y, channel);
    case DAMAGE_SHIFT: return *at(before, x > 0 ? x - 1 : 0, y, channel);
    case DAMAGE_GAIN: return before->plane == 0 ? value * GAIN : value;
    case DAMAGE_CAST:
        if (before->video) return before->plane == 1 ? value + CHROMA_CAST : value;
        return channel == 0 ? value * GAIN : value;
    case DAMAGE_SWAPPED: return *at(before, x, y, before->colours - 1 - channel);
    default: return 2 * value - *at(ref, x, y, channel);
    }
}

static bool change(enum damage kind, struct damage_part *out, const struct damage_part *ref,
                   const struct damage_square *square)
{
    struct damage_part before = *out;
    const size_t bytes = (size_t)out->width * out->height * out->channels * sizeof *out->value;
    before.value = malloc(bytes);
    if (!before.value) return false;
    memcpy(before.value, out->value, bytes);
    for (uint32_t y = square->y; y < square->y + square->height; y++)
        for (uint32_t x = square->x; x < square->x + square->width; x++)
            for (uint32_t c = 0; c < out->colours; c++)
                *at(out, x, y, c) = changed(kind, &before, ref, x, y, c);
    free(before.value);
    return true;
}

static void put_spots(struct damage_part *part, const struct damage_square *square, double value,
                      uint64_t *random)
{
    for (int i = 0; i < SPOTS; i++) {
        const uint32_t x = square->x + damage_draw(random, square->width);
        const uint32_t y = square->y + damage_draw(random, square->height);
        for (uint32_t c = 0; c < part->colours && part->plane == 0; c++) *at(part, x, y, c) = value;
    }
}

bool damage_apply(enum damage kind, struct damage_part *out, const struct damage_part *ref,
                  const struct damage_square *square, uint64_t *random)
{
    switch (kind) {
    case DAMAGE_DEAD: put_spots(out, square, 0, random); return true;
    case DAMAGE_FIREFLIES: put_spots(out, square, out->floats ? FIREFLY : 1, random); return true;
    case DAMAGE_BLACK:
    case DAMAGE_FLAT:
        for (uint32_t c = 0; c < out->colours; c++)
            if (kind == DAMAGE_FLAT)
                flatten(out, square, c);
            else
                fill(out, square, c, out->plane > 0 ? 0.5 : 0);
        return true;
    default: return change(kind, out, ref, square);
    }
}
