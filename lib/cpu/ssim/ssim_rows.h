/* Reads rows of samples under a tile, in plane units, for a level's two kernels (ssim_tile.h,
 * ssim_exact_tile.h). It is written in the level's `vec`.
 *
 * Interleaved integers and halves are read directly, a vector at a time, if every sample belongs to
 * a plane unchanged. read_interleaved.h reads other interleaved integers, read_light.h linear
 * light, and read_samples.h everything else. */
#pragma once

#include "core/contract.h"
#include "read_samples.h"
#include "ssim_tiles.h"

#include <string.h>

enum { S, D, QUANTITIES, SS = 2, DD, MOMENTS };
enum { REACH = (SSIMCU_TAPS - 1) * SSIMCU_MAX_CHANNELS };
enum { RAW_COLUMNS = SSIM_TILE_COLUMNS + REACH + 2, PREFETCH_ROWS = 4 };

typedef int32_t ivec __attribute__((vector_size(sizeof(vec))));

INLINE vec vec_load(const float *from)
{
    vec v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void vec_store(float *to, vec v) { memcpy(to, &v, sizeof v); }

INLINE vec vec_all(float value) { return value - (vec){0}; }

INLINE dvec dvec_load(const double *from)
{
    dvec v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE void dvec_store(double *to, dvec v) { memcpy(to, &v, sizeof v); }

#ifdef VEC_OF_FOUR
/* Four lanes have no instructions for this. */
INLINE vec vec_from_u8(const uint8_t *from) { return (vec){from[0], from[1], from[2], from[3]}; }

INLINE vec vec_from_u16(const uint16_t *from) { return (vec){from[0], from[1], from[2], from[3]}; }

INLINE vec vec_look_up(const float *table, const uint16_t *from)
{
    return (vec){table[from[0]], table[from[1]], table[from[2]], table[from[3]]};
}
#endif

/* Keeps a vector in a register. Otherwise gcc loads it twice, once for each of two sums. */
INLINE void vec_keep(vec *v)
{
#ifdef VEC_REGISTER
    __asm__("" : "+" VEC_REGISTER(*v));
#else
    (void)v;
#endif
}

/* Returns whether samples are interleaved integers under a rule that read_interleaved.h handles: 8
 * bits end at 255 or are widened. */
static int is_usual(const struct ssimcu_samples *samples, const struct ssimcu_pixel_rule *rule)
{
    return !ssimcu_samples_are_float(samples->type) && samples->step == rule->channels &&
           !samples->planar && !rule->as_floats &&
           (rule->bits > 8 || rule->peak / rule->widen == 255);
}

/* Returns whether samples are computed in double, as two floats each: composited samples, and the
 * luma of floats. The luma of integers is an integer. */
static int is_wide(const struct ssimcu_ssim_cpu_task *task, int slot)
{
    const struct ssimcu_pixel_rule *rule = task->rule[slot];
    return rule->alpha || (rule->luma[1] && ssimcu_samples_are_float(task->samples[slot]->type));
}

static int is_direct(const struct ssimcu_ssim_cpu_task *task, int slot)
{
    const struct ssimcu_pixel_rule *rule = task->rule[slot];
    return task->floats || task->halves[slot] ||
           (is_usual(task->samples[slot], rule) && rule->channels == rule->planes && !rule->alpha &&
            !rule->luma[1]);
}

/* Returns the first sample of row y under the tile, interleaved. Prefetches the row PREFETCH_ROWS
 * later, because the hardware prefetches only within a page. */
INLINE const void *find_row(const struct ssimcu_samples *samples, uint32_t x, uint32_t y,
                            size_t count, uint32_t height)
{
    const size_t sample = ssimcu_sample_bytes(samples->type), bytes = count * sample,
                 pixel = samples->step * sample, pitch = (size_t)samples->pitch_bytes;
    const char *row = (const char *)samples->channel[0] + y * pitch + x * pixel;
    if (y + PREFETCH_ROWS < height) {
        const char *next = row + PREFETCH_ROWS * pitch;
        for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch(next + i);
        __builtin_prefetch(next + bytes - 1);
    }
    return row;
}

/* Reads LANES samples in plane units that each belong to a plane unchanged. */
INLINE vec direct_samples(const void *row, const struct ssimcu_pixel_rule *rule,
                          const float *halves, uint32_t i)
{
    if (halves) return vec_look_up(halves, (const uint16_t *)row + i);
    if (rule->bits == 8)
        return vec_from_u8((const uint8_t *)row + i) * (rule->unit * (float)rule->widen);
    return vec_from_u16((const uint16_t *)row + i) * rule->unit;
}

/* Counts the pixels with a clamped colour in a row of the tile. Returns SSIM_NOT_COUNTED if a
 * sample is not finite. */
__attribute__((noinline)) static uint8_t count_clamped(const struct ssimcu_light_bounds *bounds,
                                                       const uint16_t *half, uint32_t step)
{
    const uint16_t last = (uint16_t)bounds->finite, high = (uint16_t)bounds->top,
                   low = (uint16_t)(bounds->bottom < 0x7fff ? bounds->bottom : 0x7fff);
    uint8_t own[SSIM_TILE_COLUMNS], clamped = 0;
    uint16_t bad = 0;
    for (uint32_t i = 0; i < SSIM_TILE_COLUMNS; i++) {
        const uint16_t magnitude = half[i] & 0x7fff, most = half[i] > 0x7fff ? low : high;
        own[i] = magnitude > most;
        bad |= magnitude > last;
    }
    if (bad) return SSIM_NOT_COUNTED;
    if (step == 3)
        for (uint32_t i = 0; i < SSIM_TILE_COLUMNS; i += 3)
            clamped += own[i] | own[i + 1] | own[i + 2];
    else
        for (uint32_t i = 0; i < SSIM_TILE_COLUMNS; i++) clamped += own[i];
    return clamped;
}

/* Does the same, but faster for rows without a sample whose bits exceed task->shown. Most rows have
 * none. */
INLINE uint8_t look_for_clamped(const struct ssimcu_ssim_cpu_task *task, int slot,
                                const uint16_t *half)
{
    const struct ssimcu_shape *shape = task->shape;
    const uint32_t own = shape->zero_pad ? SSIMCU_RADIUS * shape->planes : 0;
    uint16_t beyond = 0;
    if (!task->counts[slot]) return 0;
    for (uint32_t i = 0; i < RAW_COLUMNS; i++) beyond |= half[i] > task->shown[slot];
    if (__builtin_expect(!beyond, 1)) return 0;
    return count_clamped(task->light[slot].bounds, half + own, shape->planes);
}

/* Reads LANES samples like direct_samples, as integers. */
INLINE ivec fixed_samples(const struct ssimcu_ssim_cpu_task *task, int slot, const void *row,
                          uint32_t i)
{
    const vec v = direct_samples(row, task->rule[slot], task->halves[slot], i);
    return task->halves[slot] ? (ivec)v : __builtin_convertvector(v * SSIMCU_FIXED_ONE, ivec);
}

INLINE vec vec_from_fixed(ivec v)
{
    return __builtin_convertvector(v, vec) * (1 / SSIMCU_FIXED_ONE);
}

/* Reads s and d of row y from x on, all RAW_COLUMNS of them. Counts each side's clamped pixels. */
INLINE void read_direct(const struct ssimcu_ssim_cpu_task *task, uint32_t x, uint32_t y, float *s,
                        float *d, uint8_t clamped[SSIMCU_PAIR])
{
    const struct ssimcu_pixel_rule *const *rule = task->rule;
    const uint32_t height = task->shape->height;
    const void *ref = find_row(task->samples[SSIMCU_REF], x, y, RAW_COLUMNS, height);
    const void *out = find_row(task->samples[SSIMCU_OUT], x, y, RAW_COLUMNS, height);
    const int bytes = rule[SSIMCU_REF]->bits == 8 && rule[SSIMCU_OUT]->bits == 8;
    clamped[SSIMCU_REF] = look_for_clamped(task, SSIMCU_REF, ref);
    clamped[SSIMCU_OUT] = look_for_clamped(task, SSIMCU_OUT, out);
    if (task->floats) {
        for (uint32_t i = 0; i < RAW_COLUMNS; i += LANES) {
            const vec a = vec_load((const float *)ref + i), b = vec_load((const float *)out + i);
            vec_store(s + i, a + b);
            vec_store(d + i, a - b);
        }
        return;
    }
    if (task->fixed) {
        for (uint32_t i = 0; i < RAW_COLUMNS; i += LANES) {
            const ivec a = fixed_samples(task, SSIMCU_REF, ref, i),
                       b = fixed_samples(task, SSIMCU_OUT, out, i);
            vec_store(s + i, vec_from_fixed(a + b));
            vec_store(d + i, vec_from_fixed(a - b));
        }
        return;
    }
    for (uint32_t i = 0; i < RAW_COLUMNS; i += LANES) {
        const vec a = bytes ? vec_from_u8((const uint8_t *)ref + i)
                            : direct_samples(ref, rule[SSIMCU_REF], task->halves[SSIMCU_REF], i);
        const vec b = bytes ? vec_from_u8((const uint8_t *)out + i)
                            : direct_samples(out, rule[SSIMCU_OUT], task->halves[SSIMCU_OUT], i);
        vec_store(s + i, a + b);
        vec_store(d + i, a - b);
    }
}

/* Takes n samples of linear light through a curve, for the tables of halves. */
static void ssim_light(const struct ssimcu_curve *curve, const float *from, uint32_t n, float *to)
{
    light_floats(curve, from, n, to);
}

INLINE void read_halves(const float *halves, const void *row, uint32_t count, float *to)
{
    const uint16_t *half = row;
    for (uint32_t i = 0; i < count; i++) to[i] = halves[half[i]];
}

/* Converts n samples in plane units to integers. */
INLINE void fix_samples(uint32_t n, float *to, const float *low)
{
    for (uint32_t i = 0; i < n; i++) {
        const int32_t fixed = ssimcu_fixed((double)to[i] + (double)low[i]);
        memcpy(&to[i], &fixed, sizeof fixed);
    }
}

/* Reads `count` pixels of row y, from x on, in plane units. `low` starts as zeros, and receives the
 * remainders of the samples. If the task is `fixed`, the samples are bits of integers without
 * remainders. */
INLINE void read_pixels(const struct ssimcu_ssim_cpu_task *task, int slot, uint32_t x, uint32_t y,
                        uint32_t count, float *to, float *low)
{
    const struct ssimcu_samples *samples = task->samples[slot];
    const struct ssimcu_pixel_rule *rule = task->rule[slot];
    const uint32_t all = count * samples->step, height = task->shape->height;
    int is_done = 0;
    if (task->halves[slot]) {
        read_halves(task->halves[slot], find_row(samples, x, y, all, height), all, to);
        is_done = task->curve[slot] != NULL;
    } else if (is_usual(samples, rule)) {
        read_interleaved(rule, find_row(samples, x, y, all, height), count, to, low);
    } else if (rule->light.on) {
        is_done = read_light(samples, rule, task->curve[slot], x, y, count, to, low);
    } else {
        read_samples(samples, rule, x, y, count, to, low);
    }
    if (task->fixed && !is_done) fix_samples(count * rule->planes, to, low);
}

INLINE uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Computes s and d of samples. Sets `most` to the largest bits of each side; a sign makes them
 * larger than those of any positive number. */
INLINE void add_and_subtract(float *s, float *d, uint32_t most[SSIMCU_PAIR])
{
    uint32_t a_most = 0, b_most = 0;
    for (uint32_t i = 0; i < RAW_COLUMNS; i++) {
        const float a = s[i], b = d[i];
        const uint32_t a_bits = float_bits(a), b_bits = float_bits(b);
        a_most = a_bits > a_most ? a_bits : a_most;
        b_most = b_bits > b_most ? b_bits : b_most;
        s[i] = a + b;
        d[i] = a - b;
    }
    most[SSIMCU_REF] = a_most;
    most[SSIMCU_OUT] = b_most;
}

/* Reads s and d of a row, all RAW_COLUMNS of them. The pixels start at `left`. Sets `clamped` of
 * sides whose floats all lie in their range. */
__attribute__((noinline)) static void read_indirect(const struct ssimcu_ssim_cpu_task *task,
                                                    uint32_t x, uint32_t y, uint32_t count,
                                                    uint32_t left, float *s, float *d,
                                                    uint8_t clamped[SSIMCU_PAIR])
{
    float low[SSIMCU_PAIR][RAW_COLUMNS];
    const int wide = is_wide(task, SSIMCU_REF) || is_wide(task, SSIMCU_OUT);
    if (wide || task->fixed) memset(low, 0, sizeof low);
    read_pixels(task, SSIMCU_REF, x, y, count, s + left, low[SSIMCU_REF] + left);
    read_pixels(task, SSIMCU_OUT, x, y, count, d + left, low[SSIMCU_OUT] + left);
    if (task->fixed) {
        for (uint32_t i = 0; i < RAW_COLUMNS; i += LANES) {
            const ivec a = (ivec)vec_load(s + i), b = (ivec)vec_load(d + i);
            vec_store(s + i, vec_from_fixed(a + b));
            vec_store(d + i, vec_from_fixed(a - b));
        }
        return;
    }
    if (wide) {
        for (uint32_t i = 0; i < RAW_COLUMNS; i++) {
            const double x_i = (double)s[i] + (double)low[SSIMCU_REF][i];
            const double y_i = (double)d[i] + (double)low[SSIMCU_OUT][i];
            s[i] = (float)(x_i + y_i);
            d[i] = (float)(x_i - y_i);
        }
        return;
    }
    uint32_t most[SSIMCU_PAIR];
    add_and_subtract(s, d, most);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        if (most[slot] < task->top[slot]) clamped[slot] = 0;
}
