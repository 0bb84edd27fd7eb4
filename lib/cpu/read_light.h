/* Float samples that are linear light -> floats in plane units, interleaved, one per plane: what
 * ssimcu_light_convert gives. A header, because each instruction set compiles it for itself. Where
 * every sample belongs to a plane as it lies they are converted in runs, which become vectors;
 * compositing, luma and grey beside colour go pixel by pixel. */
#ifndef SSIMCU_READ_LIGHT_H
#define SSIMCU_READ_LIGHT_H

#include "core/light.h"

#include <stddef.h>
#include <string.h>

enum {
    LIGHT_BLOCK = 16,
    LIGHT_RUN = 16 * LIGHT_BLOCK, /* samples at a time */
    LIGHT_ROWS_AHEAD = 4
};

#define LIGHT_INLINE static inline __attribute__((always_inline))

LIGHT_INLINE float light_sample(const void *from, uint32_t type, size_t i)
{
    return type == SSIMCU_SAMPLE_F16 ? ssimcu_sample_half(((const uint16_t *)from)[i])
                                     : ((const float *)from)[i];
}

/* n samples that lie together, as light. */
LIGHT_INLINE void light_fetch(const void *from, const uint32_t type,
                              const struct ssimcu_light_rule *light, uint32_t n, float *to)
{
    const float gain = light->gain;
    if (!light->nan_zero)
        for (uint32_t i = 0; i < n; i++) to[i] = light_sample(from, type, i) * gain;
    else
        for (uint32_t i = 0; i < n; i++)
            to[i] = ssimcu_light_finite(1, light_sample(from, type, i)) * gain;
}

/* A block of samples, whose number is a constant: a rest of a few would cost as much as all. */
LIGHT_INLINE void light_encode_block(const struct ssimcu_light_rule *light, const uint32_t transfer,
                                     float *value)
{
    const struct ssimcu_light_rule own = {.transfer = transfer, .nits = light->nits};
    for (uint32_t i = 0; i < LIGHT_BLOCK; i++) value[i] = ssimcu_light_encode(&own, value[i]);
}

LIGHT_INLINE void light_encode_run(const struct ssimcu_light_rule *light, const uint32_t transfer,
                                   uint32_t n, float *value)
{
    for (uint32_t i = 0; i < n; i += LIGHT_BLOCK) light_encode_block(light, transfer, value + i);
}

/* The curve of a run, to the end of its last block. Each in a loop of its own. */
LIGHT_INLINE void light_encode(const struct ssimcu_light_rule *light, uint32_t n, float *value)
{
    switch (light->transfer) {
    case SSIMCU_LIGHT_SRGB: light_encode_run(light, SSIMCU_LIGHT_SRGB, n, value); break;
    case SSIMCU_LIGHT_PU21: light_encode_run(light, SSIMCU_LIGHT_PU21, n, value); break;
    case SSIMCU_LIGHT_HABLE: light_encode_run(light, SSIMCU_LIGHT_HABLE, n, value); break;
    default: light_encode_run(light, SSIMCU_LIGHT_NONE, n, value);
    }
}

static inline void light_pixels(const struct ssimcu_samples *samples,
                                const struct ssimcu_pixel_rule *rule, const char *const from[4],
                                uint32_t count, float *to)
{
    for (uint32_t i = 0; i < count; i++) {
        float sample[4] = {0}, plane[3] = {0};
        for (uint32_t c = 0; c < rule->channels; c++)
            sample[c] = light_sample(from[c], samples->type, (size_t)i * samples->step);
        ssimcu_light_convert(rule, samples->scale, sample, plane);
        for (uint32_t c = 0; c < rule->planes; c++) to[i * rule->planes + c] = plane[c];
    }
}

/* The same part of a later row, because the hardware looks ahead within a page only. What lies
 * beyond the frame is not touched by that. */
LIGHT_INLINE void light_prefetch(const void *row, int64_t pitch, size_t bytes)
{
    const uintptr_t next = (uintptr_t)row + LIGHT_ROWS_AHEAD * (uintptr_t)pitch;
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const void *)(next + i));
    __builtin_prefetch((const void *)(next + bytes - 1));
}

/* `count` pixels of row y, from x on. */
__attribute__((noinline)) static void read_light(const struct ssimcu_samples *samples,
                                                 const struct ssimcu_pixel_rule *rule, uint32_t x,
                                                 uint32_t y, uint32_t count, float *to)
{
    const size_t size = ssimcu_sample_bytes(samples->type),
                 start = (size_t)x * samples->step * size;
    const char *from[4] = {NULL};
    for (uint32_t c = 0; c < rule->channels; c++)
        from[c] = (const char *)samples->channel[c] + y * samples->pitch_bytes + start;
    const int direct = rule->channels == rule->planes && samples->step == rule->planes;
    if (rule->alpha || rule->luma[1] || !direct) {
        light_pixels(samples, rule, from, count, to);
        return;
    }
    const uint32_t all = count * samples->step;
    light_prefetch(from[0], samples->pitch_bytes, all * size);
    float value[LIGHT_RUN];
    for (uint32_t done = 0; done < all; done += LIGHT_RUN) {
        const uint32_t n = all - done < LIGHT_RUN ? all - done : LIGHT_RUN;
        const void *run = from[0] + done * size;
        if (samples->type == SSIMCU_SAMPLE_F16)
            light_fetch(run, SSIMCU_SAMPLE_F16, &rule->light, n, value);
        else
            light_fetch(run, SSIMCU_SAMPLE_F32, &rule->light, n, value);
        for (uint32_t i = n; i % LIGHT_BLOCK != 0; i++) value[i] = 0;
        light_encode(&rule->light, n, value);
        memcpy(to + done, value, n * sizeof *to);
    }
}

#endif
