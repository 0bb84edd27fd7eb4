/* Converts float samples of linear light to interleaved numbers in plane units, one per plane, like
 * ssimcu_light_convert. It is a header because each instruction set compiles it.
 *
 * If every float belongs to a plane unchanged, floats are converted in blocks, which are
 * vectorised. Such halves are looked up in a table (ssim_rows.h) instead. Compositing, luma and
 * grey against colour go pixel by pixel. */
#pragma once

#include "core/curve.h"
#include "read_interleaved.h"

enum { LIGHT_BLOCK = 16, LIGHT_ROWS_AHEAD = 4 };

INLINE float light_sample(const void *from, uint32_t type, size_t i)
{
    switch (type) {
    case SSIMCU_SAMPLE_F16: return ssimcu_sample_half(((const uint16_t *)from)[i]);
    case SSIMCU_SAMPLE_BF16: return ssimcu_sample_bfloat(((const uint16_t *)from)[i]);
    default: return ((const float *)from)[i];
    }
}

/* Converts a block of samples to bits of integers. Its size is a constant; a remainder of a few
 * samples would cost as much as a block. */
INLINE void light_block(const struct ssimcu_curve *curve, const float *from, float *to)
{
    int32_t value[LIGHT_BLOCK];
    for (uint32_t i = 0; i < LIGHT_BLOCK; i++)
        value[i] = ssimcu_curve_at(&curve->range, curve->piece, from[i]);
    memcpy(to, value, sizeof value);
}

/* Converts adjacent floats. */
INLINE void light_floats(const struct ssimcu_curve *curve, const float *from, uint32_t n, float *to)
{
    float rest[LIGHT_BLOCK] = {0}, value[LIGHT_BLOCK];
    uint32_t done = 0;
    for (; done + LIGHT_BLOCK <= n; done += LIGHT_BLOCK) light_block(curve, from + done, to + done);
    for (uint32_t i = done; i < n; i++) rest[i - done] = from[i];
    light_block(curve, rest, value);
    memcpy(to + done, value, (n - done) * sizeof *to);
}

static inline void light_pixels(const struct ssimcu_samples *samples,
                                const struct ssimcu_pixel_rule *rule,
                                const struct ssimcu_curve *curve, const char *const from[4],
                                uint32_t count, float *to, float *low)
{
    for (uint32_t i = 0; i < count; i++) {
        float sample[4] = {0};
        double plane[3] = {0};
        for (uint32_t c = 0; c < rule->channels; c++)
            sample[c] =
                ssimcu_light_finite(rule->light.nan_zero, light_sample(from[c], samples->type,
                                                                       (size_t)i * samples->step));
        if (ssimcu_light_is_plain(rule))
            ssimcu_sample_convert_exactly(rule, samples->scale, sample, plane);
        else
            ssimcu_curve_convert(rule, curve ? &curve->range : NULL, curve ? curve->piece : NULL,
                                 sample, plane);
        for (uint32_t c = 0; c < rule->planes; c++)
            split_sample(plane[c], &to[i * rule->planes + c], &low[i * rule->planes + c]);
    }
}

/* Prefetches the same part of a later row, because the hardware looks ahead only within a page. A
 * prefetch beyond the frame does no harm. */
INLINE void light_prefetch(const void *row, int64_t pitch, size_t bytes)
{
    const uintptr_t next = (uintptr_t)row + LIGHT_ROWS_AHEAD * (uintptr_t)pitch;
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const void *)(next + i));
    __builtin_prefetch((const void *)(next + bytes - 1));
}

/* Returns whether every float passes only the curve on its way to a plane, in blocks. */
static int is_block_of_light(const struct ssimcu_samples *samples,
                             const struct ssimcu_pixel_rule *rule)
{
    return samples->type == SSIMCU_SAMPLE_F32 && rule->channels == rule->planes &&
           samples->step == rule->planes && !samples->planar && !rule->alpha && !rule->luma[1];
}

/* Converts `count` pixels of row y, from x on. Returns non-zero if `to` has bits of integers, and
 * `low` is unused. */
__attribute__((noinline)) static int read_light(const struct ssimcu_samples *samples,
                                                const struct ssimcu_pixel_rule *rule,
                                                const struct ssimcu_curve *curve, uint32_t x,
                                                uint32_t y, uint32_t count, float *to, float *low)
{
    const size_t size = ssimcu_sample_bytes(samples->type),
                 start = (size_t)x * samples->step * size;
    const char *from[4] = {NULL};
    for (uint32_t c = 0; c < rule->channels; c++)
        from[c] = (const char *)samples->channel[c] + y * samples->pitch_bytes + start;
    if (!curve || !is_block_of_light(samples, rule)) {
        light_pixels(samples, rule, curve, from, count, to, low);
        return 0;
    }
    const uint32_t all = count * samples->step;
    light_prefetch(from[0], samples->pitch_bytes, all * size);
    light_floats(curve, (const float *)(const void *)from[0], all, to);
    return 1;
}
