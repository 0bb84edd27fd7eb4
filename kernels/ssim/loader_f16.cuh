/* Samples of binary16 or bfloat16, planar or interleaved, as operands. Used by ssim_f16.cu alone.
 *
 * FORM. That of loader_f32.cuh, once they are floats.
 */
#ifndef SSIMCU_LOADER_F16_CUH
#define SSIMCU_LOADER_F16_CUH

#include "ssim/float_terms.cuh"
#include "ssim/pixels.cuh"

namespace ssimcu::tensor
{

template <class Source, bool BFLOAT>
struct LoaderF16 : Source {
    static constexpr bool EXACT = false, BOUNDED = false, WHITE_255 = true;
    /* 24 words of interleaved pixels wait in registers: a block less per SM */
    static constexpr int SM_BLOCKS = Source::STEP == 1 ? Source::SM_BLOCKS : Source::SM_BLOCKS - 1;

    struct Pixels {
        unsigned pair[4]; /* two neighbours a word */
    };

    static void set_units(const ssimcu_ssim_task &task, Cut &cut) { set_half_unit(task, cut); }

    static __device__ __forceinline__ float2 to_floats(unsigned pair)
    {
        if (BFLOAT)
            return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u));
        return __half22float2(halves(pair));
    }

    static __device__ __forceinline__ Pixels widen(const typename Source::Raw &raw, int channel,
                                                   const Cut &)
    {
        Pixels pixels;
        take_channel<Source::STEP>(raw, channel, pixels.pair);
        return pixels;
    }

    /* What may not count becomes NaN. */
    static __device__ __forceinline__ void limit(typename Source::Raw (&raw)[IMAGES],
                                                 const Cut &cut)
    {
        constexpr unsigned NOT_A_NUMBER = 0x7fff;
#pragma unroll
        for (int image = 0; image < IMAGES; image++)
#pragma unroll
            for (int k = 0; k < Source::WORDS; k++) {
                unsigned &word = raw[image].word[k];
                const float2 v = to_floats(word);
                if (!may_count(v.x, cut)) word |= NOT_A_NUMBER;
                if (!may_count(v.y, cut)) word |= NOT_A_NUMBER << 16;
            }
    }

    static __device__ __forceinline__ void terms(const Pixels &x, const Pixels &y, int k, int q,
                                                 const Origin &origin, const Cut &cut, Terms &terms)
    {
        float v[4];
#pragma unroll
        for (int p = 0; p < 2; p++) {
            const float2 a = to_floats(x.pair[2 * k + p]), b = to_floats(y.pair[2 * k + p]);
            v[2 * p] = q == S ? a.x + b.x : a.x - b.x;
            v[2 * p + 1] = q == S ? a.y + b.y : a.y - b.y;
        }
        set_float_terms(v, q, origin, cut, terms);
    }
};

} // namespace ssimcu::tensor

#endif
