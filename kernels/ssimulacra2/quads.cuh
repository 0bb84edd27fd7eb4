/* Samples as stored -> linear light of four neighbouring pixels. */
#pragma once

#include "core/fixed.h"
#include "ssimulacra2/xyb.cuh"

#include <type_traits>

namespace ssimcu::s2
{

constexpr int QUAD = 4, CODES = 256, WORD = 4;

/* The frames of a task, as arguments of a kernel. */
struct Frames {
    const char *ref, *out; /* of the first frame */
    int64_t pitch, plane, frame;
    int width, height;
    float to_unit; /* factor from a sample to 0..1 */
};

/* Fills the table of linear light for bytes. All threads of a block call this, and synchronize
 * afterwards. */
__device__ __forceinline__ void fill_curve(float *curve, float to_unit)
{
    for (int i = threadIdx.x; i < CODES; i += blockDim.x) {
        const float v = fminf((float)i * to_unit, 1.0f);
        curve[i] = v <= 0.04045f ? v / 12.92f : powf((v + 0.055f) / 1.055f, 2.4f);
    }
}

/* Loads words from an address of any alignment. It avoids the read-only cache, because the previous
 * kernel may still write when this one begins. */
template <int N>
__device__ __forceinline__ void load_words(const char *from, unsigned (&word)[N])
{
    const unsigned skip = (unsigned)(uintptr_t)from % WORD;
    const unsigned *at = reinterpret_cast<const unsigned *>(from - skip);
#pragma unroll
    for (int i = 0; i < N; i++) word[i] = at[i];
    if (skip) {
        const unsigned last = at[N];
#pragma unroll
        for (int i = 0; i < N; i++)
            word[i] = __funnelshift_r(word[i], i + 1 < N ? word[i + 1] : last, 8 * skip);
    }
}

/* Samples of type T, PLANAR or as pixels of three. Grey is the same plane three times. FIXED planes
 * are int32_t. */
template <class T, bool PLANAR>
struct Source {
    static constexpr int BYTES = sizeof(T), WORDS = CHANNELS * BYTES; /* words of a quad */
    static constexpr bool TABLE = BYTES == 1;

    struct Raw {
        unsigned word[WORDS];
    };

    /* Returns whether all of a quad may be read as words. At the first and last sample of a row,
     * unaligned words may cross the frame's side. */
    static __device__ __forceinline__ bool is_whole(const Frames &frames, const char *row, int x)
    {
        const bool aligned =
            BYTES == WORD || ((uintptr_t)row | (PLANAR ? frames.plane : 0)) % WORD == 0;
        const int margin = aligned ? 0 : QUAD;
        return x >= margin && x + QUAD + margin <= frames.width;
    }

    static __device__ __forceinline__ void load_whole(const Frames &frames, const char *row, int x,
                                                      Raw &raw)
    {
        if constexpr (PLANAR && BYTES == WORD) {
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                const uint4 four =
                    *reinterpret_cast<const uint4 *>(row + c * frames.plane + (int64_t)x * BYTES);
                raw.word[4 * c] = four.x;
                raw.word[4 * c + 1] = four.y;
                raw.word[4 * c + 2] = four.z;
                raw.word[4 * c + 3] = four.w;
            }
        } else if constexpr (PLANAR) {
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                unsigned word[BYTES];
                load_words(row + c * frames.plane + (int64_t)x * BYTES, word);
#pragma unroll
                for (int i = 0; i < BYTES; i++) raw.word[BYTES * c + i] = word[i];
            }
        } else
            load_words(row + (int64_t)x * (CHANNELS * BYTES), raw.word);
    }

    /* Loads pixels one by one. Pixels outside the frame become the nearest inside. */
    static __device__ __forceinline__ Raw load_cut(const Frames &frames, const char *row, int x)
    {
        Raw raw = {};
#pragma unroll
        for (int i = 0; i < QUAD; i++) {
            const int at = min(max(x + i, 0), frames.width - 1);
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                const T *from = PLANAR ? reinterpret_cast<const T *>(row + c * frames.plane) + at
                                       : reinterpret_cast<const T *>(row) + CHANNELS * at + c;
                const int byte = (PLANAR ? c * QUAD + i : i * CHANNELS + c) * BYTES;
                unsigned bits;
                if constexpr (BYTES == WORD)
                    bits = *reinterpret_cast<const unsigned *>(from);
                else
                    bits = *from;
                raw.word[byte / WORD] |= bits << 8 * (byte % WORD);
            }
        }
        return raw;
    }

    static __device__ __forceinline__ void load(const Frames &frames, const char *row, int x,
                                                Raw &raw)
    {
        if (is_whole(frames, row, x))
            load_whole(frames, row, x, raw);
        else
            raw = load_cut(frames, row, x);
    }

    /* Returns the linear light of channel c of pixel i. */
    static __device__ __forceinline__ float linear(const Raw &raw, const float *curve,
                                                   float to_unit, int i, int c)
    {
        const int byte = (PLANAR ? c * QUAD + i : i * CHANNELS + c) * BYTES;
        const unsigned word = raw.word[byte / WORD];
        const int shift = 8 * (byte % WORD);
        if constexpr (BYTES == 1) {
            const unsigned offset = (shift ? word >> (shift - 2) : word << 2) & (CODES - 1) << 2;
            return *reinterpret_cast<const float *>(reinterpret_cast<const char *>(curve) + offset);
        } else if constexpr (std::is_same_v<T, float>)
            return linear_of(__uint_as_float(word) * to_unit);
        else if constexpr (BYTES == WORD)
            return linear_of((float)(int)word * to_unit);
        else
            return linear_of((float)(word >> shift & 0xffffu) * to_unit);
    }

    static __device__ __forceinline__ Roots roots(const Raw &raw, const float *curve, float to_unit,
                                                  int i)
    {
        return roots_of<!TABLE>(linear(raw, curve, to_unit, i, 0),
                                linear(raw, curve, to_unit, i, 1),
                                linear(raw, curve, to_unit, i, 2));
    }
};

} // namespace ssimcu::s2
