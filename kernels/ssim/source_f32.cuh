/* Float samples as operands: s / 2 and d / 2 from the origin are an f16 number and the rest,
 * another one; so are their squares, of which the square of the rest is left out (2^-24 of the
 * whole). A lane reads two quads of a row, 16 columns apart, so that four lanes read 64 bytes that
 * lie together. Used by ssim_f32.cu alone. */
#ifndef SSIMCU_SOURCE_F32_CUH
#define SSIMCU_SOURCE_F32_CUH

#include "ssim/origin.cuh"
#include "ssim/strip.cuh"

namespace
{

struct SourceF32 {
    static constexpr int STEP = 1, PIXEL_BYTES = sizeof(float), MARGIN = 0;
    static constexpr int LANE_STEP = 4, LANE_REACH = 20;
    static constexpr int BLOCK_WARPS = 4, SM_BLOCKS = 4;
    static constexpr bool EXACT = false; /* an f16 number holds what s / 2 or d / 2 can be */

    static constexpr Edges EDGES = BY_SAMPLE;

    struct Raw {
        float4 quad[2];
    };
    using Pixels = Raw;

    static __device__ __forceinline__ void read(const ssimcu_ssim_task &task, const Strip &strip,
                                                int tile, int64_t to_out, const uint8_t *&cursor,
                                                Raw (&raw)[IMAGES]);

    static __device__ __forceinline__ void align(Raw (&)[IMAGES], const uint8_t *, int64_t) {}
    static __device__ __forceinline__ void mask(Raw (&)[IMAGES], int, int) {}

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

/* The float at `from`, 0 outside [0, end) of a row. */
__device__ __forceinline__ float read_sample(const float *from, int column, int end)
{
    return column >= 0 && column < end ? __ldg(from) : 0;
}

__device__ __forceinline__ void SourceF32::read(const ssimcu_ssim_task &task, const Strip &strip,
                                                int tile, int64_t to_out, const uint8_t *&cursor,
                                                Raw (&raw)[IMAGES])
{
    if (inside(strip, tile)) {
        if (inside(strip, tile + 1)) prefetch(cursor + TILE_ROWS * task.pitch_bytes, to_out);
#pragma unroll
        for (int image = 0; image < IMAGES; image++)
#pragma unroll
            for (int k = 0; k < 2; k++)
                raw[image].quad[k] =
                    __ldg(reinterpret_cast<const float4 *>(cursor + image * to_out) + 4 * k);
    } else {
        const int row = strip.first_row + tile * TILE_ROWS + threadIdx.x % LANES / 4;
        const int end = (unsigned)row < (unsigned)task.height ? task.width : 0;
#pragma unroll
        for (int image = 0; image < IMAGES; image++)
#pragma unroll
            for (int k = 0; k < 2; k++) {
                const float *from =
                    reinterpret_cast<const float *>(cursor + image * to_out) + 16 * k;
                const int column = strip.first_byte / PIXEL_BYTES + 16 * k;
                raw[image].quad[k].x = read_sample(from, column, end);
                raw[image].quad[k].y = read_sample(from + 1, column + 1, end);
                raw[image].quad[k].z = read_sample(from + 2, column + 2, end);
                raw[image].quad[k].w = read_sample(from + 3, column + 3, end);
            }
    }
    cursor += TILE_ROWS * task.pitch_bytes;
}

} // namespace

#endif
