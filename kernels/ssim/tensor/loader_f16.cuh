/* Samples of binary16 or bfloat16, planar or interleaved, as operands. Only ssim_f16.cu uses it.
 *
 * FORM. Samples become floats; after that the form is that of loader_f32.cuh.
 */
#pragma once

#include "ssim/tensor/float_terms.cuh"
#include "ssim/tensor/pixels.cuh"

namespace ssimcu::tensor
{

template <class Source, bool BFLOAT>
struct LoaderF16 : Source {
    static constexpr bool EXACT = false, BOUNDED = false, WHITE_255 = false;
    static constexpr bool FLOATS = true, COUNTS_SQUARES = false;
    static constexpr float FAR = 8;
    /* 24 words of interleaved pixels wait in registers, so an SM has one block fewer */
    static constexpr int SM_BLOCKS = Source::STEP == 1 ? Source::SM_BLOCKS : Source::SM_BLOCKS - 1;

    struct Pixels {
        unsigned pair[4]; /* two neighbours a word */
    };

    static void set_units(const ssimcu_ssim_task &task, Cut &cut) { set_float_units(task, cut); }

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

    /* Turns invalid samples into NaN. */
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

    /* Adds two neighbours to s and d. For binary16 this is one product: rows [x, y] and [x, -y]
     * times a unit matrix twice. It takes 128 us instead of 132, because conversions to float are
     * slow. For bfloat16 it would take 120 instead of 118. Each pair comes in reverse order and
     * negative, as the matrix for tensor.cuh's rests has it. */
    static __device__ __forceinline__ void add(unsigned x, unsigned y, float (&s)[2], float (&d)[2])
    {
        if (BFLOAT) {
            const float2 a = to_floats(x), b = to_floats(y);
            s[0] = a.x + b.x, s[1] = a.y + b.y;
            d[0] = a.x - b.x, d[1] = a.y - b.y;
            return;
        }
        [[maybe_unused]] constexpr unsigned SIGNS = 0x80008000u;
        const int g = threadIdx.x % LANES / 4, t = threadIdx.x % 4;
        [[maybe_unused]] const unsigned unit = 2 * t == g       ? HALF_MINUS_ONE << 16
                                               : 2 * t + 1 == g ? HALF_MINUS_ONE
                                                                : 0;
        float sum[4] = {};
#if __CUDA_ARCH__ >= 800
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0,%1,%2,%3},{%4,%4,%5,%6},{%7,%7},{%8,%8,%8,%8};"
            : "=f"(sum[0]), "=f"(sum[1]), "=f"(sum[2]), "=f"(sum[3])
            : "r"(x), "r"(y), "r"(y ^ SIGNS), "r"(unit), "f"(0.0f));
#endif
        s[0] = -sum[1], s[1] = -sum[0];
        d[0] = -sum[3], d[1] = -sum[2];
    }

    static __device__ __forceinline__ void terms(const Pixels &x, const Pixels &y, int k, int q,
                                                 const Origin &origin, const Cut &cut, Terms &terms)
    {
        float v[4];
#pragma unroll
        for (int p = 0; p < 2; p++) {
            float s[2], d[2];
            add(x.pair[2 * k + p], y.pair[2 * k + p], s, d);
            v[2 * p] = q == S ? s[0] : d[0], v[2 * p + 1] = q == S ? s[1] : d[1];
        }
        set_float_terms(v, q, origin, cut, terms);
    }
};

} // namespace ssimcu::tensor
