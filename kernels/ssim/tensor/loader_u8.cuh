/* 8-bit samples as operands: planar, interleaved or every other of pairs. Only ssim_u8.cu uses it.
 *
 * FORM. s / 2 and d / 2 from the origin are exact in f16; their squares are two f16 numbers. A byte
 * permute turns them into the f16 numbers 1024 + v, without a conversion.
 */
#pragma once

#include "ssim/tensor/origin.cuh"
#include "ssim/tensor/pixels.cuh"

namespace ssimcu::tensor
{

template <class Source>
struct LoaderU8 : Source {
    static constexpr bool EXACT = true; /* an f16 number holds every s / 2 and d / 2 */
    static constexpr bool BOUNDED = true, WHITE_255 = true, FLOATS = false, COUNTS_SQUARES = true;
    static constexpr float FAR = 48;

    struct Pixels {
        unsigned pair[4]; /* 1024 + v as f16, two neighbours per word */
    };
    struct Bytes {
        unsigned four[2]; /* samples of a channel, four neighbours per word */
    };

    static void set_units(const ssimcu_ssim_task &, Cut &cut) { set_white(SSIMCU_PEAK, cut); }

    /* Returns the 8 samples of a channel as f16 numbers 1024 + v, pair by pair. */
    static __device__ __forceinline__ Pixels widen(const typename Source::Raw &raw, int channel,
                                                   const Cut &cut)
    {
        if constexpr (Source::STEP == 1) return widen(take_bytes(raw, channel), cut);
        const unsigned byte_bias = cut.byte_bias;
        const unsigned even = 0x0300u + 0x0101u * channel; /* bytes c and c + 3 of 8 */
        const unsigned odd = 0x0502u + 0x0101u * channel;  /* bytes c + 2 and c + 5 */
        Pixels wide;
#pragma unroll
        for (int p = 0; p < 4; p++) {
            const int w = p / 2 * 3 + p % 2;
            const unsigned pair = __byte_perm(raw.word[w], raw.word[w + 1], p % 2 ? odd : even);
            wide.pair[p] = (pair & 0x00ff00ffu) | (byte_bias & 0xff00ff00u);
        }
        return wide;
    }
    static __device__ __forceinline__ Pixels widen(const Bytes &bytes, const Cut &cut)
    {
        Pixels wide;
#pragma unroll
        for (int p = 0; p < 4; p++)
            wide.pair[p] = __byte_perm(bytes.four[p / 2], cut.byte_bias, p % 2 ? 0x4342 : 0x4140);
        return wide;
    }

    /* Returns the samples of a channel as bytes, which squares need. Then widening the bytes is
     * faster: 4K RGB with PSNR 125 -> 122 us, but without PSNR 119 -> 120. */
    static __device__ __forceinline__ Bytes take_bytes(const typename Source::Raw &raw, int channel)
    {
        const unsigned three = channel == 0 ? 0x0630 : channel == 1 ? 0x0741 : 0x0052;
        const unsigned fourth = channel == 0 ? 0x5210 : channel == 1 ? 0x6210 : 0x7410;
        Bytes bytes;
#pragma unroll
        for (int k = 0; k < 2; k++)
            if constexpr (Source::STEP == 1)
                bytes.four[k] = raw.word[k];
            else
                bytes.four[k] =
                    __byte_perm(__byte_perm(raw.word[3 * k], raw.word[3 * k + 1], three),
                                raw.word[3 * k + 2], fourth);
        return bytes;
    }
    /* Returns `sum` plus the squared differences of 8 samples. The longest strip, of 69 tiles, uses
     * 2^26 of the range of 32 bits. */
    static __device__ __forceinline__ unsigned add_squares(const Bytes &x, const Bytes &y,
                                                           unsigned sum)
    {
#pragma unroll
        for (int k = 0; k < 2; k++) {
            const unsigned apart = __vabsdiffu4(x.four[k], y.four[k]);
            sum = __dp4a(apart, apart, sum);
        }
        return sum;
    }

    static __device__ __forceinline__ void terms(const Pixels &x, const Pixels &y, int k, int q,
                                                 const Origin &origin, const Cut &, Terms &terms)
    {
        const __half2 half = __float2half2_rn(q == S ? 0.5f : -0.5f);
        const __half2 shift = halves(q == S ? origin.shift_s : origin.shift_d);
#pragma unroll
        for (int p = 0; p < 2; p++) {
            const __half2 other = __hfma2(halves(y.pair[2 * k + p]), half, shift);
            const __half2 v = __hfma2(halves(x.pair[2 * k + p]), __float2half2_rn(0.5f), other);
            const __half2 square = __hmul2_rn(v, v);
            terms.value[p] = bits(v);
            terms.square[p] = bits(square);
            terms.square_rest[p] = bits(__hfma2(v, v, __hneg2(square)));
        }
    }
};

} // namespace ssimcu::tensor
