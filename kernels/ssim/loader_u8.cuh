/* 8-bit samples, planar or interleaved, as operands. Used by ssim_u8.cu alone.
 *
 * FORM. s / 2 and d / 2 from the origin are exact in f16; their squares are two f16 numbers.
 *
 * DATA FLOW. Bytes become the f16 numbers 1024 + v by a permute of bytes, without a conversion.
 * Strips that reach over a side of the frame read on like the others and mask what they got at its
 * use (4K RGB on an H200, zero padding: 122 -> 109 us); lanes that no window needs read their
 * neighbour's pixels, so that a frame's last strip is not late (129 -> 96). Bytes that are not
 * aligned to words are shifted at their use as well, for a shift right after the loads waits for
 * them (3841 x 2161 interleaved 135 -> 120, planar 116 -> 101).
 */
#ifndef SSIMCU_LOADER_U8_CUH
#define SSIMCU_LOADER_U8_CUH

#include "ssim/origin.cuh"
#include "ssim/strip.cuh"

namespace ssimcu::tensor
{

/* 8 pixels as read: one word more where their first byte may lie anywhere in word 0. */
template <int STEP, bool ALIGNED>
struct RawU8 {
    static constexpr int WORDS = 2 * STEP + !ALIGNED;
    unsigned word[WORDS];
};

/* The same with zeros for the bytes outside [0, end) of the cursor's row, where it stands at byte
 * `at`. Lanes that lie inside read whole words. */
template <int STEP, bool ALIGNED>
__device__ __noinline__ void read_carefully(const uint8_t *cursor, int64_t to_out, int at, int end,
                                            RawU8<STEP, ALIGNED> (&raw)[IMAGES])
{
    constexpr int WORDS = RawU8<STEP, ALIGNED>::WORDS;
#pragma unroll
    for (int image = 0; image < IMAGES; image++) {
        const int skew = ALIGNED ? 0 : (int)((uintptr_t)(cursor + image * to_out) & 3);
        const uint8_t *from = cursor + image * to_out - skew;
        const int first = at - skew;
#pragma unroll
        for (int k = 0; k < WORDS; k++) raw[image].word[k] = 0;
        if (first >= 0 && first + 4 * WORDS <= end) {
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                raw[image].word[k] = __ldg(reinterpret_cast<const unsigned *>(from) + k);
        } else if (first + 4 * WORDS > 0 && first < end) {
#pragma unroll
            for (int i = 0; i < 4 * WORDS; i++)
                if (first + i >= 0 && first + i < end)
                    raw[image].word[i / 4] |= (unsigned)__ldg(from + i) << i % 4 * 8;
        }
    }
}

/* The 8 samples of a channel as f16 numbers 1024 + v, pair by pair. */
template <bool ALIGNED>
__device__ __forceinline__ void widen(const RawU8<1, ALIGNED> &raw, int, unsigned byte_bias,
                                      unsigned (&wide)[4])
{
#pragma unroll
    for (int p = 0; p < 4; p++)
        wide[p] = __byte_perm(raw.word[p / 2], byte_bias, p % 2 ? 0x4342 : 0x4140);
}

template <bool ALIGNED>
__device__ __forceinline__ void widen(const RawU8<3, ALIGNED> &raw, int channel, unsigned byte_bias,
                                      unsigned (&wide)[4])
{
    const unsigned even = 0x0300u + 0x0101u * channel; /* bytes c and c + 3 of 8 */
    const unsigned odd = 0x0502u + 0x0101u * channel;  /* bytes c + 2 and c + 5 */
#pragma unroll
    for (int p = 0; p < 4; p++) {
        const int w = p / 2 * 3 + p % 2;
        const unsigned pair = __byte_perm(raw.word[w], raw.word[w + 1], p % 2 ? odd : even);
        wide[p] = (pair & 0x00ff00ffu) | (byte_bias & 0xff00ff00u);
    }
}

template <int STEP_, bool ALIGNED>
struct LoaderU8 {
    static constexpr int STEP = STEP_, PIXEL_BYTES = STEP;
    static constexpr int LANE_STEP = LANE_PX, LANE_REACH = LANE_PX;
    /* A warp per channel where pixels are interleaved: five blocks of three are a warp per SM less
     * than four of four, but nothing spills. */
    static constexpr int BLOCK_WARPS = STEP == 1 ? 4 : STEP, SM_BLOCKS = 16 / BLOCK_WARPS;
    /* reads that are not aligned touch up to 4 bytes on either side */
    static constexpr int MARGIN = ALIGNED ? 0 : 4;
    static constexpr bool EXACT = true; /* an f16 number holds what s / 2 or d / 2 can be */

    using Raw = RawU8<STEP, ALIGNED>;
    struct Pixels {
        unsigned pair[4]; /* 1024 + v as f16, two neighbours a word */
    };

    static __device__ __forceinline__ void read(const ssimcu_ssim_task &task, const Strip &strip,
                                                int tile, int64_t to_out, const uint8_t *&cursor,
                                                Raw (&raw)[IMAGES]);

    /* Makes words of 4 pixels, or 12 samples in 3, of what was read, at their use. */
    static __device__ __forceinline__ void align(Raw (&raw)[IMAGES], const uint8_t *cursor,
                                                 int64_t to_out)
    {
#pragma unroll
        for (int image = 0; image < (ALIGNED ? 0 : IMAGES); image++) {
            const unsigned shift = (unsigned)((uintptr_t)(cursor + image * to_out) & 3) * 8;
#pragma unroll
            for (int k = 0; k < 2 * STEP; k++)
                raw[image].word[k] =
                    __funnelshift_r(raw[image].word[k], raw[image].word[k + 1], shift);
        }
    }

    /* Zeros for the bytes outside the row. To the left a lane's pixels all are, or none. */
    static __device__ __forceinline__ void mask(Raw (&raw)[IMAGES], int first_byte, int width)
    {
        const int inside = first_byte < 0 ? 0 : width * STEP - first_byte;
#pragma unroll
        for (int k = 0; k < 2 * STEP; k++) {
            const int bits = 8 * min(max(inside - 4 * k, 0), 4);
            const unsigned keep = __funnelshift_lc(0xffffffffu, 0u, bits);
            raw[REF].word[k] &= keep;
            raw[OUT].word[k] &= keep;
        }
    }

    static __device__ __forceinline__ Pixels widen(const Raw &raw, int channel, unsigned byte_bias)
    {
        Pixels pixels;
        tensor::widen(raw, channel, byte_bias, pixels.pair);
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
LoaderU8<STEP, ALIGNED>::read(const ssimcu_ssim_task &task, const Strip &strip, int tile,
                              int64_t to_out, const uint8_t *&cursor, Raw (&raw)[IMAGES])
{
    if (inside(strip, tile)) {
        if (inside(strip, tile + 1))
            prefetch(cursor + TILE_ROWS * task.pitch_bytes + strip.ahead, to_out);
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
#pragma unroll
                for (int k = 0; k < Raw::WORDS; k++) raw[image].word[k] = __ldg(words + k);
            }
        }
    } else {
        const int row = strip.first_row + tile * TILE_ROWS + threadIdx.x % LANES / 4;
        const int end = (unsigned)row < (unsigned)task.height ? task.width * STEP : 0;
        Raw edge[IMAGES];
        read_carefully(cursor, to_out, strip.first_byte, end, edge);
#pragma unroll
        for (int image = 0; image < IMAGES; image++) raw[image] = edge[image];
    }
    cursor += TILE_ROWS * task.pitch_bytes;
}

} // namespace ssimcu::tensor

#endif
