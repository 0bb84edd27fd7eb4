/* 16-bit samples as operands: planar, interleaved or every other of pairs. Only ssim_u16.cu uses
 * it.
 *
 * UNITS. White lies between 128 and 256 in the units of samples. Samples of 10 bits count in
 * quarters. A shift moves deeper samples to the top of 16 bits, and these count in 256ths. SSIM
 * does not change if C1 and C2 are measured in the same unit.
 *
 * FORM. With 10 bits, s / 2 and d / 2 from the origin are exact in f16, as with bytes. So are their
 * squares as two f16 numbers. With more bits, s / 2 and d / 2 are two f16 numbers each. The upper
 * and the lower bytes of the halves are one exact f16 number each. Their rounded sum and its
 * rounding error are exact again. Everything else is as with floats.
 *
 * Samples above the peak make the score meaningless. With 10 bits the higher bits are ignored; with
 * more they may reach into the neighbour.
 */
#pragma once

#include "ssim/tensor/origin.cuh"
#include "ssim/tensor/pixels.cuh"

namespace ssimcu::tensor
{

/* The loader for peaks from 512 to 1023. */
template <class Source>
struct LoaderU10 : Source {
    static constexpr bool EXACT = true, BOUNDED = true, WHITE_255 = false;
    static constexpr bool FLOATS = false, COUNTS_SQUARES = false;
    static constexpr float FAR = 26;
    static constexpr unsigned TEN_BITS = 0x03ff03ffu;
    static constexpr float UNIT = 1.0f / 4;

    struct Pixels {
        unsigned pair[4]; /* 1024 + v as f16, two neighbours per word */
    };

    static void set_units(const ssimcu_ssim_task &task, Cut &cut)
    {
        set_white(task.peak * (double)UNIT, cut);
    }

    static __device__ __forceinline__ Pixels widen(const typename Source::Raw &raw, int channel,
                                                   const Cut &cut)
    {
        unsigned pair[4];
        Pixels wide;
        take_channel<Source::STEP>(raw, channel, pair);
#pragma unroll
        for (int p = 0; p < 4; p++)
            wide.pair[p] = (pair[p] & TEN_BITS) | (cut.byte_bias & 0xfc00fc00u);
        return wide;
    }

    /* Makes x + y as the difference of x and 1023 - y, because it must be exact. It then scales
     * that by 1/8 and moves it. */
    static __device__ __forceinline__ void terms(const Pixels &x, const Pixels &y, int k, int q,
                                                 const Origin &origin, const Cut &, Terms &terms)
    {
        const __half2 half_unit = __float2half2_rn(UNIT / 2);
        const __half2 shift = __float2half2_rn(q == S ? 1023 * (UNIT / 2) - origin.s : -origin.d);
#pragma unroll
        for (int p = 0; p < 2; p++) {
            const unsigned other = y.pair[2 * k + p] ^ (q == S ? TEN_BITS : 0);
            const __half2 apart = __hsub2_rn(halves(x.pair[2 * k + p]), halves(other));
            const __half2 v = __hfma2(apart, half_unit, shift);
            const __half2 square = __hmul2_rn(v, v);
            terms.value[p] = bits(v);
            terms.square[p] = bits(square);
            terms.square_rest[p] = bits(__hfma2(v, v, __hneg2(square)));
        }
    }
};

/* The loader for any peak. */
template <class Source>
struct LoaderU16 : Source {
    static constexpr bool EXACT = false, BOUNDED = true, WHITE_255 = false;
    static constexpr bool FLOATS = false, COUNTS_SQUARES = false;
    static constexpr float FAR = 16;
    /* 24 words of interleaved pixels wait in registers, so an SM has one block fewer */
    static constexpr int SM_BLOCKS = Source::STEP == 1 ? Source::SM_BLOCKS : Source::SM_BLOCKS - 1;
    static constexpr float UNIT = 1.0f / 256;

    struct Pixels {
        unsigned pair[4]; /* two neighbours per word, as stored */
    };

    static void set_units(const ssimcu_ssim_task &task, Cut &cut)
    {
        cut.shift = 0;
        while (((unsigned)task.peak << cut.shift) < 32768u) cut.shift++;
        set_white(task.peak * (1 << cut.shift) * (double)UNIT, cut);
    }

    static __device__ __forceinline__ Pixels widen(const typename Source::Raw &raw, int channel,
                                                   const Cut &cut)
    {
        Pixels wide;
        take_channel<Source::STEP>(raw, channel, wide.pair);
#pragma unroll
        for (int p = 0; p < 4; p++) wide.pair[p] <<= cut.shift;
        return wide;
    }

    /* Adds the bytes, which are all given as 1024 + v. Upper bytes count in full, lower bytes in
     * 256ths. Their sum loses (upper - sum) + lower. This is exact, because the lower byte is
     * smaller than the upper one, or nothing is lost. */
    static __device__ __forceinline__ void terms(const Pixels &x, const Pixels &y, int k, int q,
                                                 const Origin &origin, const Cut &cut, Terms &terms)
    {
        constexpr unsigned UPPER = 0x4341, LOWER = 0x4240;
        const float sign = q == S ? 1 : -1;
        const __half2 half = __float2half2_rn(0.5f), other = __float2half2_rn(0.5f * sign);
        const __half2 low_half = __float2half2_rn(0.5f * UNIT),
                      low_other = __float2half2_rn(0.5f * UNIT * sign);
        const __half2 shift = halves(q == S ? origin.shift_s : origin.shift_d);
        const __half2 low_shift = __float2half2_rn(q == S ? -BYTE_BIAS * UNIT : 0);
#pragma unroll
        for (int p = 0; p < 2; p++) {
            const unsigned a = x.pair[2 * k + p], b = y.pair[2 * k + p];
            const __half2 from =
                __hfma2(halves(__byte_perm(b, cut.byte_bias, UPPER)), other, shift);
            const __half2 upper = __hfma2(halves(__byte_perm(a, cut.byte_bias, UPPER)), half, from);
            const __half2 low_from =
                __hfma2(halves(__byte_perm(b, cut.byte_bias, LOWER)), low_other, low_shift);
            const __half2 lower =
                __hfma2(halves(__byte_perm(a, cut.byte_bias, LOWER)), low_half, low_from);
            const __half2 high = __hadd2_rn(upper, lower);
            set_terms(high, __hadd2_rn(__hsub2_rn(upper, high), lower), p, terms);
        }
    }
};

} // namespace ssimcu::tensor
