/* 8-bit samples, planar or interleaved, as operands: s / 2 and d / 2 from the origin are exact in
 * f16. Used by ssim_u8.cu alone. */
#ifndef SSIMCU_SOURCE_U8_CUH
#define SSIMCU_SOURCE_U8_CUH

#include "ssim/origin.cuh"
#include "ssim/strip.cuh"

namespace
{

template <int STEP>
struct RawU8 {
    unsigned word[2 * STEP];
};

/* The bytes from `at` on in a row of both frames, zeros outside [0, end). */
template <int STEP>
__device__ __noinline__ void read_carefully(const uint8_t *row, int64_t to_out, int at, int end,
                                            RawU8<STEP> (&raw)[IMAGES])
{
#pragma unroll
    for (int image = 0; image < IMAGES; image++)
#pragma unroll
        for (int k = 0; k < 2 * STEP; k++) {
            unsigned word = 0;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int byte = at + 4 * k + i;
                if (byte >= 0 && byte < end)
                    word |= (unsigned)__ldg(row + image * to_out + byte) << 8 * i;
            }
            raw[image].word[k] = word;
        }
}

/* The same by words, each of which holds a byte of the row; for rows between others. Bytes outside
 * the row are zeros where `zero_pad`, anything otherwise. */
template <int STEP>
__device__ __noinline__ void read_words(const uint8_t *row, int64_t to_out, int at, int end,
                                        int zero_pad, RawU8<STEP> (&raw)[IMAGES])
{
#pragma unroll
    for (int image = 0; image < IMAGES; image++) {
        const uint8_t *base = row + image * to_out;
        const int skew = (int)((uintptr_t)(base + at) & 3), first = -(int)((uintptr_t)base & 3);
        const int last = first + ((end - 1 - first) & ~3);
        unsigned word[2 * STEP + 1];
#pragma unroll
        for (int k = 0; k <= 2 * STEP; k++)
            word[k] = __ldg(reinterpret_cast<const unsigned *>(
                base + min(max(at - skew + 4 * k, first), last)));
#pragma unroll
        for (int k = 0; k < 2 * STEP; k++) {
            const int before = min(max(-(at + 4 * k), 0), 4);
            const int after = min(max(at + 4 * k + 4 - end, 0), 4);
            unsigned keep = 0xffffffffu;
            if (zero_pad) keep = before + after >= 4 ? 0 : keep << 8 * before & keep >> 8 * after;
            raw[image].word[k] = __funnelshift_r(word[k], word[k + 1], 8 * skew) & keep;
        }
    }
}

/* The 8 samples of a channel as f16 numbers 1024 + v, pair by pair. */
__device__ __forceinline__ void widen(const RawU8<1> &raw, int, unsigned exponents,
                                      unsigned (&wide)[4])
{
#pragma unroll
    for (int p = 0; p < 4; p++)
        wide[p] = __byte_perm(raw.word[p / 2], exponents, p % 2 ? 0x4342 : 0x4140);
}

__device__ __forceinline__ void widen(const RawU8<3> &raw, int channel, unsigned exponents,
                                      unsigned (&wide)[4])
{
    const unsigned even = 0x0300u + 0x0101u * channel; /* bytes c and c + 3 of 8 */
    const unsigned odd = 0x0502u + 0x0101u * channel;  /* bytes c + 2 and c + 5 */
#pragma unroll
    for (int p = 0; p < 4; p++) {
        const int w = p / 2 * 3 + p % 2;
        const unsigned pair = __byte_perm(raw.word[w], raw.word[w + 1], p % 2 ? odd : even);
        wide[p] = (pair & 0x00ff00ffu) | (exponents & 0xff00ff00u);
    }
}

template <int STEP_, bool ALIGNED>
struct SourceU8 {
    static constexpr int STEP = STEP_, PIXEL_BYTES = STEP;
    static constexpr int LANE_STEP = LANE_PX, LANE_REACH = LANE_PX;
    static constexpr int BLOCK_WARPS = STEP == 1 ? 4 : STEP, SM_BLOCKS = 16 / BLOCK_WARPS;
    /* reads that are not aligned touch up to 3 bytes on either side */
    static constexpr int MARGIN = ALIGNED ? 0 : 3;
    static constexpr bool EXACT = true; /* an f16 number holds what s / 2 or d / 2 can be */

    using Raw = RawU8<STEP>;
    struct Pixels {
        unsigned pair[4]; /* 1024 + v as f16, two neighbours a word */
    };

    static __device__ __forceinline__ void read(const ssimcu_ssim_task &task, const Strip &strip,
                                                int tile, int64_t to_out, const uint8_t *&cursor,
                                                Raw (&raw)[IMAGES]);

    static __device__ __forceinline__ Pixels widen(const Raw &raw, int channel, unsigned exponents)
    {
        Pixels pixels;
        ::widen(raw, channel, exponents, pixels.pair);
        return pixels;
    }

    static __device__ __forceinline__ void terms(const Pixels &x, const Pixels &y, int k, int q,
                                                 const Origin &origin, Terms &terms)
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

/* Reads 8 pixels per lane under the cursor, which stands in the first row of tile `tile`, and moves
 * it on by a tile. */
template <int STEP, bool ALIGNED>
__device__ __forceinline__ void
SourceU8<STEP, ALIGNED>::read(const ssimcu_ssim_task &task, const Strip &strip, int tile,
                              int64_t to_out, const uint8_t *&cursor, Raw (&raw)[IMAGES])
{
    if (inside(strip, tile)) {
        if (inside(strip, tile + 1)) prefetch(cursor + TILE_ROWS * task.pitch_bytes, to_out);
        if (ALIGNED) {
#pragma unroll
            for (int image = 0; image < IMAGES; image++)
#pragma unroll
                for (int k = 0; k < STEP; k++) {
                    const uint2 v =
                        __ldg(reinterpret_cast<const uint2 *>(cursor + image * to_out) + k);
                    raw[image].word[2 * k] = v.x, raw[image].word[2 * k + 1] = v.y;
                }
        } else {
#pragma unroll
            for (int image = 0; image < IMAGES; image++) {
                const uintptr_t from = reinterpret_cast<uintptr_t>(cursor + image * to_out);
                const unsigned *words = reinterpret_cast<const unsigned *>(from & ~(uintptr_t)3);
                const unsigned shift = (unsigned)(from & 3) * 8;
                unsigned low = __ldg(words);
#pragma unroll
                for (int k = 0; k < 2 * STEP; k++) {
                    const unsigned high = __ldg(words + k + 1);
                    raw[image].word[k] = __funnelshift_r(low, high, shift);
                    low = high;
                }
            }
        }
    } else {
        const int top = strip.first_row + tile * TILE_ROWS, row = top + threadIdx.x % LANES / 4;
        const int nearest = min(max(row, 0), task.height - 1);
        const int end = task.zero_pad && nearest != row ? 0 : task.width * STEP;
        const uint8_t *start =
            cursor - (int64_t)(row - nearest) * task.pitch_bytes - strip.first_byte;
        Raw edge[IMAGES];
        if (top > 0 && top + TILE_ROWS < task.height)
            read_words(start, to_out, strip.first_byte, end, task.zero_pad, edge);
        else
            read_carefully(start, to_out, strip.first_byte, end, edge);
#pragma unroll
        for (int image = 0; image < IMAGES; image++) raw[image] = edge[image];
    }
    cursor += TILE_ROWS * task.pitch_bytes;
}

} // namespace

#endif
