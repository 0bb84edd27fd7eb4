/* Reads 8 neighbouring pixels of a row as stored, and aligns and masks them for a loader. They are
 * whole pixels of 1, 2, 3 or 6 bytes, or every other sample of pairs. loader_u8.cuh, loader_u16.cuh
 * and loader_f16.cuh use it.
 *
 * DATA FLOW. Strips that cross a side of the frame read on like the others, and mask the samples at
 * their use. 4K RGB bytes on an H200 with zero padding go from 122 to 109 us. Lanes that no window
 * needs read their neighbour's pixels, so that a frame's last strip is not late (129 to 96).
 * Unaligned pixels are shifted at their use, too, because a shift right after the loads would wait
 * for them. Interleaved bytes of 3841 x 2161 go from 135 to 120, planar ones from 116 to 101.
 */
#pragma once

#include "ssim/tensor/strip.cuh"

#include <type_traits>

namespace ssimcu::tensor
{

/* Pixels as read, with one more word if the first byte may lie anywhere in word 0. */
template <int BYTES, bool ALIGNED>
struct RawPixels {
    static constexpr int WORDS = LANE_PX * BYTES / 4 + !ALIGNED;
    unsigned word[WORDS];
};

/* Reads pixels, with zeros for bytes outside [0, end) of the cursor's row. The cursor is at byte
 * `at`. Lanes inside the row read whole words. */
template <int BYTES, bool ALIGNED>
__device__ __noinline__ void read_carefully(const uint8_t *cursor, int64_t to_out, int at, int end,
                                            RawPixels<BYTES, ALIGNED> (&raw)[IMAGES])
{
    constexpr int WORDS = RawPixels<BYTES, ALIGNED>::WORDS;
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

/* Loads a lane's bytes by the widest loads that their alignment allows. */
template <int WORDS>
__device__ __forceinline__ void load_words(const uint8_t *from, unsigned *word)
{
    using Vector = std::conditional_t<WORDS % 4 == 0, uint4, uint2>;
#pragma unroll
    for (int k = 0; k < WORDS * 4 / (int)sizeof(Vector); k++) {
        const Vector v = __ldg(reinterpret_cast<const Vector *>(from) + k);
        if constexpr (sizeof(Vector) == sizeof(uint4))
            word[4 * k] = v.x, word[4 * k + 1] = v.y, word[4 * k + 2] = v.z, word[4 * k + 3] = v.w;
        else
            word[2 * k] = v.x, word[2 * k + 1] = v.y;
    }
}

/* The part of a Loader that reads: pixels of PLANES samples of SAMPLE bytes. A warp uses one
 * channel of them. Once they are aligned, words hold LANE_PX pixels. */
template <int SAMPLE, int PLANES, bool ALIGNED>
struct Pixels {
    static constexpr int STEP = PLANES, PIXEL_BYTES = SAMPLE * PLANES;
    static constexpr int LANE_STEP = LANE_PX, LANE_REACH = LANE_PX;
    /* Interleaved pixels have one warp per channel. Five blocks of three warps are one warp per SM
     * fewer than four of four, but nothing spills. */
    static constexpr int BLOCK_WARPS = PLANES == 1 ? 4 : PLANES, SM_BLOCKS = 16 / BLOCK_WARPS;
    /* unaligned reads touch up to 4 bytes on either side */
    static constexpr int MARGIN = ALIGNED ? 0 : 4;
    static constexpr int ALIGNMENT = LANE_PX * PIXEL_BYTES % 16 == 0 ? 16 : 8;

    using Raw = RawPixels<PIXEL_BYTES, ALIGNED>;
    static constexpr int WORDS = LANE_PX * PIXEL_BYTES / 4;

    /* Reads 8 pixels per lane at the cursor, which is in the first row of tile `tile`, and moves
     * the cursor on by a tile. */
    static __device__ __forceinline__ void read(const ssimcu_ssim_task &task, const Strip &strip,
                                                int tile, int64_t to_out, const uint8_t *&cursor,
                                                Raw (&raw)[IMAGES])
    {
        if (inside(strip, tile)) {
            if (inside(strip, tile + 1))
                prefetch(cursor + TILE_ROWS * task.pitch_bytes + strip.ahead, to_out);
#pragma unroll
            for (int image = 0; image < IMAGES; image++)
                read_inside(cursor + image * to_out, raw[image]);
        } else {
            const int row = strip.first_row + tile * TILE_ROWS + threadIdx.x % LANES / 4;
            const int end = (unsigned)row < (unsigned)task.height ? task.width * PIXEL_BYTES : 0;
            Raw edge[IMAGES];
            read_carefully(cursor, to_out, strip.first_byte, end, edge);
#pragma unroll
            for (int image = 0; image < IMAGES; image++) raw[image] = edge[image];
        }
        cursor += TILE_ROWS * task.pitch_bytes;
    }

    static __device__ __forceinline__ void read_inside(const uint8_t *cursor, Raw &raw)
    {
        if (ALIGNED) {
            load_words<WORDS>(cursor, raw.word);
        } else {
            const uintptr_t from = reinterpret_cast<uintptr_t>(cursor);
            const unsigned *words = reinterpret_cast<const unsigned *>(from & ~(uintptr_t)3);
#pragma unroll
            for (int k = 0; k < Raw::WORDS; k++) raw.word[k] = __ldg(words + k);
        }
    }

    /* Shifts the words that were read so that they start with a pixel. This runs at their use. */
    static __device__ __forceinline__ void align(Raw (&raw)[IMAGES], const uint8_t *cursor,
                                                 int64_t to_out)
    {
#pragma unroll
        for (int image = 0; image < (ALIGNED ? 0 : IMAGES); image++) {
            const unsigned shift = (unsigned)((uintptr_t)(cursor + image * to_out) & 3) * 8;
#pragma unroll
            for (int k = 0; k < WORDS; k++)
                raw[image].word[k] =
                    __funnelshift_r(raw[image].word[k], raw[image].word[k + 1], shift);
        }
    }

    /* Zeroes the bytes outside the row. On the left edge a lane's pixels are all inside or all
     * outside. */
    static __device__ __forceinline__ void mask(Raw (&raw)[IMAGES], int first_byte, int width)
    {
        const int inside = first_byte < 0 ? 0 : width * PIXEL_BYTES - first_byte;
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            const int bits = 8 * min(max(inside - 4 * k, 0), 4);
            const unsigned keep = __funnelshift_lc(0xffffffffu, 0u, bits);
            raw[REF].word[k] &= keep;
            raw[OUT].word[k] &= keep;
        }
    }
};

/* Does the same for every other sample, as in chroma planes of video. The cursor is at a sample,
 * the first or the second of its pair. Aligned pairs are read whole, others sample by sample. After
 * align() words hold only the samples that count. */
template <int SAMPLE, bool ALIGNED>
struct Pairs : Pixels<2 * SAMPLE, 1, true> {
    using Base = Pixels<2 * SAMPLE, 1, true>;
    using typename Base::Raw;
    static constexpr int MARGIN = SAMPLE;

    static __device__ __forceinline__ unsigned is_second(const uint8_t *cursor)
    {
        return (unsigned)(uintptr_t)cursor & SAMPLE;
    }

    static __device__ __forceinline__ void read(const ssimcu_ssim_task &task, const Strip &strip,
                                                int tile, int64_t to_out, const uint8_t *&cursor,
                                                Raw (&raw)[IMAGES])
    {
        if (ALIGNED && inside(strip, tile)) {
            if (inside(strip, tile + 1))
                prefetch(cursor + TILE_ROWS * task.pitch_bytes + strip.ahead, to_out);
#pragma unroll
            for (int image = 0; image < IMAGES; image++) {
                const uint8_t *from = cursor + image * to_out;
                load_words<Base::WORDS>(from - is_second(from), raw[image].word);
            }
        } else {
            const int row = strip.first_row + tile * TILE_ROWS + threadIdx.x % LANES / 4;
            const int width = (unsigned)row < (unsigned)task.height ? task.width : 0;
            Raw edge[IMAGES];
            read_pairs(cursor, to_out, strip.first_byte / Base::PIXEL_BYTES, width, edge);
#pragma unroll
            for (int image = 0; image < IMAGES; image++) raw[image] = edge[image];
        }
        cursor += TILE_ROWS * task.pitch_bytes;
    }

    /* Reads the samples within [0, width) of the cursor's row. The cursor is at pixel `first`. */
    static __device__ __noinline__ void read_pairs(const uint8_t *cursor, int64_t to_out, int first,
                                                   int width, Raw (&raw)[IMAGES])
    {
        using Sample = std::conditional_t<SAMPLE == 1, uint8_t, uint16_t>;
#pragma unroll
        for (int image = 0; image < IMAGES; image++) {
            const uint8_t *from = cursor + image * to_out;
            const unsigned shift = 8 * is_second(from);
#pragma unroll
            for (int k = 0; k < Base::WORDS; k++) raw[image].word[k] = 0;
#pragma unroll
            for (int i = 0; i < LANE_PX; i++)
                if (first + i >= 0 && first + i < width)
                    raw[image].word[i * SAMPLE / 2] |=
                        (unsigned)__ldg(reinterpret_cast<const Sample *>(from) + 2 * i)
                        << (shift + i * SAMPLE % 2 * 16);
        }
    }

    static __device__ __forceinline__ void align(Raw (&raw)[IMAGES], const uint8_t *cursor,
                                                 int64_t to_out)
    {
        constexpr unsigned FIRST = SAMPLE == 1 ? 0x6420 : 0x5410;
        constexpr unsigned SECOND = SAMPLE == 1 ? 0x7531 : 0x7632;
#pragma unroll
        for (int image = 0; image < IMAGES; image++) {
            const unsigned bytes = is_second(cursor + image * to_out) ? SECOND : FIRST;
#pragma unroll
            for (int k = 0; k < Base::WORDS / 2; k++)
                raw[image].word[k] =
                    __byte_perm(raw[image].word[2 * k], raw[image].word[2 * k + 1], bytes);
        }
    }

    static __device__ __forceinline__ void mask(Raw (&raw)[IMAGES], int first_byte, int width)
    {
        const int inside = first_byte < 0 ? 0 : width * SAMPLE - first_byte / 2;
#pragma unroll
        for (int k = 0; k < Base::WORDS / 2; k++) {
            const int bits = 8 * min(max(inside - 4 * k, 0), 4);
            const unsigned keep = __funnelshift_lc(0xffffffffu, 0u, bits);
            raw[REF].word[k] &= keep;
            raw[OUT].word[k] &= keep;
        }
    }
};

/* Extracts the 16-bit samples of one channel, two neighbours per word. */
template <int PLANES, class Raw>
__device__ __forceinline__ void take_channel(const Raw &raw, int channel,
                                             unsigned (&pair)[LANE_PX / 2])
{
#pragma unroll
    for (int p = 0; p < LANE_PX / 2; p++) {
        if (PLANES == 1) {
            pair[p] = raw.word[p];
        } else { /* samples c and c + 3 of the 6 in three words */
            const unsigned first = channel == 2 ? raw.word[3 * p + 1] : raw.word[3 * p];
            const unsigned second = channel == 0 ? raw.word[3 * p + 1] : raw.word[3 * p + 2];
            pair[p] = __byte_perm(first, second, channel == 1 ? 0x5432 : 0x7610);
        }
    }
}

} // namespace ssimcu::tensor
