/* 8-bit samples, planar, interleaved or every other of pairs, as operands. ssim_u8.cu alone uses
 * it.
 *
 * FORM. s / 2 and d / 2 from the origin are exact in f16; their squares are two f16 numbers. A
 * permute of bytes makes the f16 numbers 1024 + v of them, without a conversion.
 */
#ifndef SSIMCU_LOADER_U8_CUH
#define SSIMCU_LOADER_U8_CUH

#include "ssim/origin.cuh"
#include "ssim/pixels.cuh"

namespace ssimcu::tensor
{

template <class Source>
struct LoaderU8 : Source {
    static constexpr bool EXACT = true; /* an f16 number holds what s / 2 or d / 2 can be */
    static constexpr bool BOUNDED = true, WHITE_255 = true, FLOATS = false, COUNTS_SQUARES = true;
    static constexpr float FAR = 48;

    struct Pixels {
        unsigned pair[4]; /* 1024 + v as f16, two neighbours a word */
    };

    static void set_units(const ssimcu_ssim_task &, Cut &cut) { set_white(SSIMCU_PEAK, cut); }

    /* Returns the 8 samples of a channel as f16 numbers 1024 + v, pair by pair. */
    static __device__ __forceinline__ Pixels widen(const typename Source::Raw &raw, int channel,
                                                   const Cut &cut)
    {
        const unsigned byte_bias = cut.byte_bias;
        const unsigned even = 0x0300u + 0x0101u * channel; /* bytes c and c + 3 of 8 */
        const unsigned odd = 0x0502u + 0x0101u * channel;  /* bytes c + 2 and c + 5 */
        Pixels wide;
#pragma unroll
        for (int p = 0; p < 4; p++)
            if (Source::STEP == 1) {
                wide.pair[p] = __byte_perm(raw.word[p / 2], byte_bias, p % 2 ? 0x4342 : 0x4140);
            } else {
                const int w = p / 2 * 3 + p % 2;
                const unsigned pair = __byte_perm(raw.word[w], raw.word[w + 1], p % 2 ? odd : even);
                wide.pair[p] = (pair & 0x00ff00ffu) | (byte_bias & 0xff00ff00u);
            }
        return wide;
    }

    /* Returns `sum` and the squared differences of 8 samples, which `raw` has as they lie. The
     * longest strip, of 69 tiles, takes 2^26 of what 32 bits hold. */
    static __device__ __forceinline__ unsigned
    add_squares(const typename Source::Raw (&raw)[IMAGES], const Pixels &x, const Pixels &y,
                unsigned sum)
    {
#pragma unroll
        for (int k = 0; k < (Source::STEP == 1 ? LANE_PX / 4 : LANE_PX / 2); k++)
            sum = Source::STEP == 1 ? add_words(raw[REF].word[k], raw[OUT].word[k], sum)
                                    : add_words(x.pair[k], y.pair[k], sum);
        return sum;
    }
    static __device__ __forceinline__ unsigned add_words(unsigned x, unsigned y, unsigned sum)
    {
        const unsigned apart = __vabsdiffu4(x, y);
        return __dp4a(apart, apart, sum);
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

#endif
