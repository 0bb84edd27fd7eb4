/* Planes of floats as operands, and planes of whole numbers. They are BOUNDED if no sample lies
 * outside 0 to white. Only ssim_f32.cu uses it.
 *
 * FORM. float_terms.cuh has the form. The origin is subtracted from whole numbers (core/fixed.h)
 * before any rounding. Under PU21 they reach 2.33 times white, so their unit is half as large, and
 * all squares are f16 numbers. A number that stands for a float becomes NaN. The warp then measures
 * in larger units, in which all samples are floats.
 *
 * DATA FLOW. A lane reads two quads of a row, 16 columns apart, so that four lanes read 64
 * contiguous bytes.
 */
#pragma once

#include "core/fixed.h"
#include "ssim/tensor/float_terms.cuh"

namespace ssimcu::tensor
{

constexpr int QUAD_PX = 4, QUADS = 2; /* pixels of a quad; quads of a lane */
constexpr int QUADS_APART = 16;       /* columns */

/* Samples that LoaderF32 reads. */
struct RawF32 {
    float4 quad[QUADS];
};

/* Reads a lane's floats of both frames, with zeros outside [0, end) of the cursor's row. The cursor
 * stands at column `first`. */
__device__ __noinline__ inline void read_samples(const uint8_t *cursor, int64_t to_out, int first,
                                                 int end, RawF32 (&raw)[IMAGES])
{
#pragma unroll
    for (int image = 0; image < IMAGES; image++)
#pragma unroll
        for (int k = 0; k < QUADS; k++) {
            const float *from =
                reinterpret_cast<const float *>(cursor + image * to_out) + QUADS_APART * k;
            const int column = first + QUADS_APART * k;
            float v[4];
#pragma unroll
            for (int i = 0; i < 4; i++)
                v[i] = column + i >= 0 && column + i < end ? __ldg(from + i) : 0;
            raw[image].quad[k] = make_float4(v[0], v[1], v[2], v[3]);
        }
}

/* Units of FIXED planes: half a plane unit. s / 2 and d / 2 are so many of their whole numbers. */
constexpr float FIXED_UNIT = 0.5f, FIXED_HALVES = 2 / FIXED_UNIT * SSIMCU_FIXED_ONE;

template <bool ALIGNED, bool BOUNDED_, bool FIXED = false>
struct LoaderF32 {
    static constexpr int STEP = 1, PIXEL_BYTES = sizeof(float), MARGIN = 0;
    static constexpr int LANE_STEP = QUAD_PX, LANE_REACH = QUADS_APART + QUAD_PX;
    static constexpr int BLOCK_WARPS = 4, SM_BLOCKS = 4; /* 128 registers a thread */
    static constexpr bool EXACT = false, BOUNDED = BOUNDED_, WHITE_255 = false;
    static constexpr bool FLOATS = true, COUNTS_SQUARES = false;
    static constexpr float FAR = BOUNDED && !FIXED ? 28 : 8; /* see rounding.cuh */

    using Raw = RawF32;
    using Pixels = Raw;

    static __device__ __forceinline__ void read(const ssimcu_ssim_task &task, const Strip &strip,
                                                int tile, int64_t to_out, const uint8_t *&cursor,
                                                Raw (&raw)[IMAGES])
    {
        if (inside(strip, tile)) {
            if (inside(strip, tile + 1))
                prefetch(cursor + TILE_ROWS * task.pitch_bytes + strip.ahead, to_out);
#pragma unroll
            for (int image = 0; image < IMAGES; image++)
#pragma unroll
                for (int k = 0; k < QUADS; k++)
                    raw[image].quad[k] = read_quad(
                        reinterpret_cast<const float *>(cursor + image * to_out) + QUADS_APART * k);
        } else {
            const int row = strip.first_row + tile * TILE_ROWS + threadIdx.x % LANES / 4;
            const int end = (unsigned)row < (unsigned)task.height ? task.width : 0;
            Raw edge[IMAGES];
            read_samples(cursor, to_out, strip.first_byte / PIXEL_BYTES, end, edge);
#pragma unroll
            for (int image = 0; image < IMAGES; image++) raw[image] = edge[image];
        }
        cursor += TILE_ROWS * task.pitch_bytes;
    }

    static __device__ __forceinline__ float4 read_quad(const float *from)
    {
        return ALIGNED
                   ? __ldg(reinterpret_cast<const float4 *>(from))
                   : make_float4(__ldg(from), __ldg(from + 1), __ldg(from + 2), __ldg(from + 3));
    }

    static __device__ __forceinline__ void align(Raw (&)[IMAGES], const uint8_t *, int64_t) {}

    /* Zeroes the samples outside the row. On the left edge a quad is either entirely inside or
     * entirely outside. */
    static __device__ __forceinline__ void mask(Raw (&raw)[IMAGES], int first_byte, int width)
    {
#pragma unroll
        for (int k = 0; k < QUADS; k++) {
            const int column = first_byte / PIXEL_BYTES + QUADS_APART * k;
            const int inside = column < 0 ? 0 : width - column;
#pragma unroll
            for (int image = 0; image < IMAGES; image++) {
                float4 &quad = raw[image].quad[k];
                quad.x = inside > 0 ? quad.x : 0;
                quad.y = inside > 1 ? quad.y : 0;
                quad.z = inside > 2 ? quad.z : 0;
                quad.w = inside > 3 ? quad.w : 0;
            }
        }
    }

    static void set_units(const ssimcu_ssim_task &task, Cut &cut)
    {
        set_float_units(task, cut);
        if (!FIXED) return;
        const double white = white_of(task) * (double)FIXED_UNIT;
        cut.half_unit = FIXED_UNIT / 2;
        cut.home = (float)(white / 256);
        set_white(white, cut);
    }

    static __device__ __forceinline__ const Raw &widen(const Raw &raw, int, const Cut &)
    {
        return raw;
    }

    /* Turns invalid samples into NaN. FIXED samples already are. */
    static __device__ __forceinline__ void limit(Raw (&raw)[IMAGES], const Cut &cut)
    {
#pragma unroll
        for (int image = 0; image < IMAGES; image++)
#pragma unroll
            for (int k = 0; k < QUADS; k++) {
                float4 &quad = raw[image].quad[k];
                quad.x = FIXED || may_count(quad.x, cut) ? quad.x : NAN;
                quad.y = FIXED || may_count(quad.y, cut) ? quad.y : NAN;
                quad.z = FIXED || may_count(quad.z, cut) ? quad.z : NAN;
                quad.w = FIXED || may_count(quad.w, cut) ? quad.w : NAN;
            }
    }

    /* Returns s / 2 or d / 2 of two whole numbers, from an origin that is also a whole number. */
    static __device__ __forceinline__ float value_of(float x, float y, int q, int from)
    {
        const int a = __float_as_int(x), b = __float_as_int(y);
        return __int2float_rn((q == S ? a + b : a - b) - from) * (1 / FIXED_HALVES);
    }

    /* Returns the sum or difference of two numbers of the unbounded form, in plane units. */
    static __device__ __forceinline__ float any_value_of(float x, float y, int q)
    {
        const float a = ssimcu_fixed_float(__float_as_int(x)),
                    b = ssimcu_fixed_float(__float_as_int(y));
        return q == S ? a + b : a - b;
    }

    /* Returns whether one of eight numbers stands for a float. The others have no bits above those
     * of SSIMCU_FIXED_LARGE once that is added. */
    static __device__ __forceinline__ bool has_large(const float4 &a, const float4 &b)
    {
        const float sample[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        unsigned any = 0;
#pragma unroll
        for (int i = 0; i < 8; i++) any |= __float_as_uint(sample[i]) + SSIMCU_FIXED_LARGE;
        return any >= 2u * SSIMCU_FIXED_LARGE;
    }

    static __device__ __forceinline__ void terms(const Pixels &x, const Pixels &y, int k, int q,
                                                 const Origin &origin, const Cut &cut, Terms &terms)
    {
        const float4 a = x.quad[k], b = y.quad[k];
        if (FIXED && (BOUNDED || origin.shrink == 1)) {
            const int from = __float2int_rn((q == S ? origin.s : origin.d) * FIXED_HALVES);
            float v[4] = {value_of(a.x, b.x, q, from), value_of(a.y, b.y, q, from),
                          value_of(a.z, b.z, q, from), value_of(a.w, b.w, q, from)};
            if (!BOUNDED && q == S) v[0] = has_large(a, b) ? NAN : v[0];
            set_terms(v, terms);
            return;
        }
        if (FIXED) {
            const float v[4] = {any_value_of(a.x, b.x, q), any_value_of(a.y, b.y, q),
                                any_value_of(a.z, b.z, q), any_value_of(a.w, b.w, q)};
            set_float_terms(v, q, origin, cut, terms);
            return;
        }
        const float v[4] = {q == S ? a.x + b.x : a.x - b.x, q == S ? a.y + b.y : a.y - b.y,
                            q == S ? a.z + b.z : a.z - b.z, q == S ? a.w + b.w : a.w - b.w};
        set_float_terms(v, q, origin, cut, terms);
    }
};

} // namespace ssimcu::tensor
