/* Pixels of any type -> whole numbers (core/fixed.h), whose bits are stored as floats. Only
 * planes.cu uses it.
 *
 * FORM. Compositing and luma are computed in 64 bits, or in two floats. That is exact enough for
 * the same samples as integers and as floats to give the same number. Doubles would be simpler, but
 * pairs of bytes with alpha took half as long again, and luma of floats twice as long.
 */
#pragma once

#include "core/curve.h"
#include "kernels.h"

namespace ssimcu
{

constexpr int PLANES = 3, MAX_CHANNELS = 4; /* the most of each */

/* Returns a float in plane units as a number of the unbounded form. */
__device__ __forceinline__ int fixed_any(float value)
{
    const int large = __float_as_int(fabsf(value)) - SSIMCU_FIXED_BITS + SSIMCU_FIXED_LARGE;
    if (fabsf(value) < SSIMCU_FIXED_SMALL) return __float2int_rn(value * SSIMCU_FIXED_ONE);
    return value < 0 ? -large : large;
}

/* A number as a float and the rest that the float loses. */
struct Twofold {
    float value, rest;

    __host__ static Twofold of(double number)
    {
        const float value = (float)number;
        return {value, (float)(number - (double)value)};
    }
    __device__ __forceinline__ Twofold operator*(const Twofold &by) const
    {
        const float product = value * by.value, lost = fmaf(value, by.value, -product);
        return {product, fmaf(value, by.rest, fmaf(rest, by.value, lost))};
    }
    /* Returns the whole number nearest to the sum of both. The rounding error of the first part is
     * added to the second before that is rounded. */
    __device__ __forceinline__ int fixed() const
    {
        const float whole = rintf(value * SSIMCU_FIXED_ONE);
        const float left = fmaf(value, SSIMCU_FIXED_ONE, -whole) + rest * SSIMCU_FIXED_ONE;
        return __float2int_rn(whole) + __float2int_rn(left);
    }
};

/* The parameters of a conversion to whole numbers, except the places of samples. It serves pixels
 * without a curve, and pixels whose colours take the curve first. */
struct ToFixed {
    static constexpr bool FIXED = true;

    ssimcu_pixel_rule rule;
    float scale;
    ssimcu_curve_range range;
    const ssimcu_curve_piece *piece; /* nullptr: no curve */
    bool unbounded;
    uint32_t weight[PLANES]; /* of luma, in 2^-32 */
    uint32_t factor;         /* a composited integer times this is a whole number ... */
    uint32_t factor_rest;    /* (its rest, in 2^-32) */
    int shift;               /* ... once so many bits are dropped */
    Twofold opaque;          /* factor from an alpha in plane units to opacity */
    Twofold white;           /* of floats, in plane units */
    float alpha_unit;        /* factor from an alpha to plane units */

    __host__ explicit ToFixed(const ssimcu_planes_task &task)
        : rule(task.rule), scale(task.samples.scale), range(task.range),
          piece(ssimcu_light_has_curve(&task.rule.light) ? task.piece : nullptr),
          unbounded(task.unbounded)
    {
        for (int c = 0; c < PLANES; c++)
            weight[c] = (uint32_t)(((uint64_t)rule.luma[c] << 32) / 10000);
        int exponent;
        const double part =
            frexp((double)SSIMCU_FIXED_ONE * (double)rule.unit / rule.peak, &exponent);
        factor = (uint32_t)(part * 0x1p31);
        factor_rest = (uint32_t)((part * 0x1p31 - factor) * 0x1p32);
        shift = 31 - exponent;
        alpha_unit = ssimcu_light_has_gain(&rule) ? (float)(rule.white * rule.opaque) : rule.unit;
        opaque = Twofold::of(1 / rule.white);
        white = Twofold::of(rule.white);
    }

    __device__ __forceinline__ void convert(const uint32_t *sample, float *value) const
    {
        if (rule.alpha && !rule.luma[1]) return composite(sample, value);
        ssimcu_pixel_convert(&rule, sample, value);
#pragma unroll
        for (int c = 0; c < PLANES; c++) value[c] = __int_as_float(fixed_of(value[c]));
    }
    __device__ __forceinline__ void convert(float *sample, float *value) const
    {
        int number[PLANES] = {};
        if (piece)
            encode(sample, number);
        else
            scale_up(sample, number);
#pragma unroll
        for (int c = 0; c < PLANES; c++) value[c] = __int_as_float(number[c]);
    }

  protected:
    /* Composites integers by the same steps as floats. */
    __device__ __forceinline__ void composite_floats(const uint32_t *sample, float *value) const
    {
        float stored[MAX_CHANNELS] = {};
        int number[PLANES] = {};
#pragma unroll
        for (uint32_t c = 0; c < MAX_CHANNELS; c++)
            if (c < rule.channels) stored[c] = (float)sample[c];
        scale_up(stored, number);
#pragma unroll
        for (int c = 0; c < PLANES; c++) value[c] = __int_as_float(number[c]);
    }

  private:
    /* Returns a float in plane units, 0 and above, as a number of the task's form. */
    __device__ __forceinline__ int fixed_of(float value) const
    {
        if (unbounded) return fixed_any(value);
        return __float2int_rn(fminf(value, SSIMCU_FIXED_MOST) * SSIMCU_FIXED_ONE);
    }

    /* Returns colour c of a pixel. */
    template <typename Sample>
    __device__ __forceinline__ Sample colour(const Sample *sample, uint32_t c) const
    {
        return sample[rule.channels >= 3 ? c : 0];
    }

    /* Returns whether colour c counts. Luma needs all. */
    __device__ __forceinline__ bool counts(uint32_t c) const
    {
        return c < rule.planes || rule.luma[1];
    }

    __device__ __forceinline__ void composite(const uint32_t *sample, float *value) const
    {
        const uint32_t alpha = sample[rule.channels - 1] * rule.widen;
#pragma unroll
        for (uint32_t c = 0; c < PLANES; c++) {
            const uint32_t over =
                colour(sample, c) * rule.widen * alpha + rule.background * (rule.peak - alpha);
            const uint64_t rest = (uint64_t)over * factor_rest >> 32;
            const uint64_t product = (uint64_t)over * factor + rest + (1ull << (shift - 1));
            const uint64_t number = product >> shift;
            value[c] = __int_as_float(number < SSIMCU_FIXED_LARGE
                                          ? (int)number
                                          : fixed_of((float)number * (1 / SSIMCU_FIXED_ONE)));
        }
    }

    __device__ __forceinline__ int luma_of(const int (&number)[PLANES]) const
    {
        int64_t sum = (int64_t)1 << 31;
#pragma unroll
        for (int c = 0; c < PLANES; c++) sum += (int64_t)number[c] * weight[c];
        return (int)(sum >> 32);
    }

    __device__ __forceinline__ void encode(const float *sample, int (&number)[PLANES]) const
    {
#pragma unroll
        for (uint32_t c = 0; c < PLANES; c++)
            if (counts(c)) number[c] = ssimcu_curve_at(&range, piece, colour(sample, c));
        if (rule.luma[1]) number[0] = luma_of(number);
    }

    /* Returns a float without a curve in plane units. */
    __device__ __forceinline__ float in_units(float stored) const
    {
        if (!rule.light.on) return ssimcu_sample_unit(stored, scale, rule.unit);
        return ssimcu_light_encode(&rule.light, SSIMCU_LIGHT_NONE,
                                   ssimcu_light_finite(rule.light.nan_zero, stored), rule.unit);
    }

    /* Returns a pixel's opacity. Alpha is rounded in plane units, as on the CPU. So bytes equal the
     * nearest floats of their fractions. */
    __device__ __forceinline__ Twofold alpha_of(const float *sample) const
    {
        const float stored = sample[rule.channels - 1];
        const uint32_t nan_zero = rule.light.on && rule.light.nan_zero;
        return Twofold{ssimcu_light_finite(nan_zero, stored) * alpha_unit, 0} * opaque;
    }

    /* Does the work of encode() without a curve, over the pixel's background. If a value is large,
     * the floats count. */
    __device__ __forceinline__ void scale_up(const float *sample, int (&number)[PLANES]) const
    {
        float value[PLANES] = {};
        bool is_small = true;
        const Twofold alpha = rule.alpha ? alpha_of(sample) : Twofold{1, 0};
        const Twofold under = rule.alpha && rule.background ? white * alpha : white;
#pragma unroll
        for (uint32_t c = 0; c < PLANES; c++) {
            if (!counts(c)) continue;
            Twofold v = {in_units(colour(sample, c)), 0};
            if (rule.alpha) v = v * alpha;
            number[c] = v.fixed() + white.fixed() - under.fixed();
            value[c] = v.value + white.value - under.value;
            is_small =
                is_small && fabsf(v.value) + fabsf(white.value - under.value) < SSIMCU_FIXED_SMALL;
        }
        if (rule.luma[1]) number[0] = luma_of(number), value[0] = ssimcu_light_luma(&rule, value);
#pragma unroll
        for (int c = 0; c < PLANES; c++)
            if (!is_small) number[c] = fixed_any(value[c]);
    }
};

/* The same for all other pixels. Pixels that are composited before the curve, or whose luma takes
 * the curve, are computed in double. The others are integers compared with floats. */
struct ToFixedSlowly : ToFixed {
    using ToFixed::ToFixed;

    __device__ __forceinline__ void convert(const uint32_t *sample, float *value) const
    {
        if (rule.as_floats) return composite_floats(sample, value);
        ToFixed::convert(sample, value);
    }
    __device__ __forceinline__ void convert(float *sample, float *value) const
    {
        double plane[PLANES] = {};
        ssimcu_curve_convert(&rule, &range, piece, sample, plane);
#pragma unroll
        for (int c = 0; c < PLANES; c++) value[c] = __int_as_float(ssimcu_fixed(plane[c]));
    }
};

/* Returns whether a task needs ToFixedSlowly. */
inline bool is_slow(const ssimcu_planes_task &task)
{
    const ssimcu_light_rule &light = task.rule.light;
    const bool luma = task.rule.luma[1] && !ssimcu_light_is_shown(&light);
    return task.fixed &&
           (task.rule.as_floats || (ssimcu_light_has_curve(&light) && (task.rule.alpha || luma)));
}

} // namespace ssimcu
