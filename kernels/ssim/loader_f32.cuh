/* Float samples as operands. Used by ssim_f32.cu alone.
 *
 * FORM. s / 2 and d / 2 from the origin are an f16 number and the rest, another one; so are their
 * squares, of which the square of the rest is left out (2^-24 of the whole).
 *
 * DATA FLOW. A lane reads two quads of a row, 16 columns apart, so that four lanes read 64 bytes
 * that lie together.
 */
#ifndef SSIMCU_LOADER_F32_CUH
#define SSIMCU_LOADER_F32_CUH

#include "ssim/origin.cuh"
#include "ssim/strip.cuh"

namespace ssimcu::tensor
{

constexpr int QUAD_PX = 4, QUADS = 2; /* of a lane */
constexpr int QUADS_APART = 16;       /* columns */

struct LoaderF32 {
    static constexpr int STEP = 1, PIXEL_BYTES = sizeof(float), MARGIN = 0;
    static constexpr int LANE_STEP = QUAD_PX, LANE_REACH = QUADS_APART + QUAD_PX;
    static constexpr int BLOCK_WARPS = 4, SM_BLOCKS = 4; /* 128 registers a thread */
    static constexpr bool EXACT = false; /* an f16 number holds what s / 2 or d / 2 can be */

    struct Raw {
        float4 quad[QUADS];
    };
    using Pixels = Raw;

    static __device__ __forceinline__ void read(const ssimcu_ssim_task &task, const Strip &strip,
                                                int tile, int64_t to_out, const uint8_t *&cursor,
                                                Raw (&raw)[IMAGES]);

    static __device__ __forceinline__ void align(Raw (&)[IMAGES], const uint8_t *, int64_t) {}

    /* Zeros for what lies outside the row. To the left a lane's quads do, or not. */
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

    static __device__ __forceinline__ const Raw &widen(const Raw &raw, int, unsigned)
    {
        return raw;
    }

    static __device__ __forceinline__ void terms(const Pixels &x, const Pixels &y, int k, int q,
                                                 const Origin &origin, Terms &terms)
    {
        const float4 a = x.quad[k], b = y.quad[k];
        const float from = q == S ? -origin.s : -origin.d;
        const float v[4] = {
            fmaf(q == S ? a.x + b.x : a.x - b.x, 0.5f, from),
            fmaf(q == S ? a.y + b.y : a.y - b.y, 0.5f, from),
            fmaf(q == S ? a.z + b.z : a.z - b.z, 0.5f, from),
            fmaf(q == S ? a.w + b.w : a.w - b.w, 0.5f, from),
        };
#pragma unroll
        for (int p = 0; p < 2; p++) {
            const __half2 high = __floats2half2_rn(v[2 * p], v[2 * p + 1]);
            const float2 back = __half22float2(high);
            const __half2 low = __floats2half2_rn(v[2 * p] - back.x, v[2 * p + 1] - back.y);
            const __half2 square = __hmul2_rn(high, high);
            const __half2 rest = __hfma2(high, high, __hneg2(square));
            terms.value[p] = bits(high);
            terms.value_rest[p] = bits(low);
            terms.square[p] = bits(square);
            terms.square_rest[p] = bits(__hfma2(__hadd2_rn(high, high), low, rest));
        }
    }
};

/* A lane's floats of both frames, zeros outside [0, end) of the cursor's row, where it stands at
 * column `first`. */
__device__ __noinline__ inline void read_samples(const uint8_t *cursor, int64_t to_out, int first,
                                                 int end, LoaderF32::Raw (&raw)[IMAGES])
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

__device__ __forceinline__ void LoaderF32::read(const ssimcu_ssim_task &task, const Strip &strip,
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
                raw[image].quad[k] =
                    __ldg(reinterpret_cast<const float4 *>(cursor + image * to_out) +
                          QUADS_APART / QUAD_PX * k);
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

} // namespace ssimcu::tensor

#endif
