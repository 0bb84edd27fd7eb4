/* Rung 6, rotating partial sums, the form published as V4. Instead of eleven rows of sums a column
 * keeps ten partial sums of the windows that are still open. A row completes one of them and moves
 * each other one register on within its own multiply-add, p[k] = p[k+1] + g[k] * h. So the loop's
 * body is one row long, and nothing else moves. A block is one warp with 2 pixels per lane, five
 * moments, strips of 64 columns by 72 rows. Rows arrive by asynchronous copies three rows ahead. A
 * warp that is a whole block never waits for another.
 *
 * The published form lets the copy fill in the zeros around the frame. Its source address is
 * whatever the index arithmetic gives, outside the allocation too. Here such a copy names the
 * plane's first sample.
 *
 * Removes: the unrolled loop, the barriers, the waiting on global memory. Limited by: issue slots.
 * 12 samples are read and multiplied for 2 windows. A row pays its addresses and copies for only 64
 * columns. The fifth moment is a fifth of the multiply-adds. 192 registers let 8 warps live on an
 * SM: 334 us on an H200. 168 registers let 12 warps live, but the compiler spills: 365 us. */
#include "ladder.cuh"

#include <cuda_pipeline.h>

namespace ladder
{
namespace
{

constexpr int LANES = 32;
constexpr int LANE_PX = 2;
constexpr int COLS = LANES * LANE_PX;
constexpr int ROWS = 72;
constexpr int RING_ROWS = 4;
constexpr int LEFT = 8;             /* columns copied to the left of the strip, to stay aligned */
constexpr int SKIP = LEFT - RADIUS; /* outermost columns of these, which are not used */
constexpr int FLOATS = LEFT + COLS + LEFT;

using Ring = float[RING_ROWS][IMAGES][FLOATS];
using Partial = float[MOMENTS][OPEN];

/* Copies the first `count` floats of a chunk and writes zeros for the others. */
template <int CHUNK>
__device__ __forceinline__ void copy_chunk(float *to, const float *from, int count)
{
    constexpr int BYTES = CHUNK * sizeof(float);
    if (count >= CHUNK)
        __pipeline_memcpy_async(to, from, BYTES);
    else if (count <= 0)
        __pipeline_memcpy_async(to, from, BYTES, BYTES);
    else
        for (int k = 0; k < CHUNK; k++)
            if (k < count)
                __pipeline_memcpy_async(to + k, from + k, sizeof(float));
            else
                to[k] = 0;
}

/* Queues row y of both images, CHUNK floats at a time, as one batch. CHUNK is 4 if rows start at
 * multiples of 16 bytes, else 1. */
template <int CHUNK>
__device__ __forceinline__ void fetch_row(const Job &job, const float *ref, const float *out, int y,
                                          int x0, float (&row)[IMAGES][FLOATS])
{
    const int columns = y >= 0 && y < job.height ? job.width : 0;
#pragma unroll
    for (int column = threadIdx.x * CHUNK; column < FLOATS; column += LANES * CHUNK) {
        const int x = x0 - LEFT + column;
        const int count = x < 0 ? 0 : columns - x; /* samples of the chunk that exist */
        const int64_t at = count > 0 ? y * job.pitch + x : 0;
        copy_chunk<CHUNK>(&row[REF][column], ref + at, count);
        copy_chunk<CHUNK>(&row[OUT][column], out + at, count);
    }
    __pipeline_commit();
}

/* Computes the horizontal sums for the lane's two columns. */
__device__ __forceinline__ void blur_pair(const float (&row)[IMAGES][FLOATS],
                                          float (&h)[LANE_PX][MOMENTS])
{
    constexpr int SPAN = (SKIP + TAPS + LANE_PX) / 2 * 2; /* the lane's floats, in pairs */
    float sample[IMAGES][SPAN];
#pragma unroll
    for (int image = 0; image < IMAGES; image++)
#pragma unroll
        for (int i = 0; i < SPAN; i += 2)
            *reinterpret_cast<float2 *>(&sample[image][i]) =
                *reinterpret_cast<const float2 *>(&row[image][threadIdx.x * LANE_PX + i]);
#pragma unroll
    for (int i = 0; i < TAPS + LANE_PX - 1; i++)
#pragma unroll
        for (int j = 0; j < LANE_PX; j++)
            if (i - j >= 0 && i - j < TAPS)
                add_sample(h[j], G[i - j], sample[REF][SKIP + i], sample[OUT][SKIP + i]);
}

/* Completes the window that ends on this row and moves the others on. */
__device__ __forceinline__ void rotate(Partial &open, const float (&h)[MOMENTS],
                                       float (&done)[MOMENTS])
{
#pragma unroll
    for (int m = 0; m < MOMENTS; m++) {
        done[m] = fmaf(G[0], h[m], open[m][0]);
#pragma unroll
        for (int k = 0; k < OPEN - 1; k++) open[m][k] = fmaf(G[k + 1], h[m], open[m][k + 1]);
        open[m][OPEN - 1] = G[OPEN] * h[m];
    }
}

template <int CHUNK>
__device__ __forceinline__ void store_pair(const Job &job, int y, int x, float left, float right)
{
    float *to = job.map + blockIdx.z * job.map_plane + y * job.map_pitch + x;
    if (CHUNK == 4 && x + 1 < job.width) {
        *reinterpret_cast<float2 *>(to) = make_float2(left, right);
    } else {
        if (x < job.width) to[0] = left;
        if (x + 1 < job.width) to[1] = right;
    }
}

template <int CHUNK>
__global__ void __launch_bounds__(LANES, 1) rotating_kernel(const Job job)
{
    __shared__ __align__(16) Ring ring;
    const int x0 = blockIdx.x * COLS, y0 = blockIdx.y * ROWS, top = y0 - RADIUS;
    const int rows = min(ROWS, job.height - y0) + OPEN;
    const float *ref = job.planes[REF] + blockIdx.z * job.plane;
    const float *out = job.planes[OUT] + blockIdx.z * job.plane;
    Partial open[LANE_PX] = {};
#pragma unroll 1
    for (int r = 0; r < RING_ROWS - 1; r++) fetch_row<CHUNK>(job, ref, out, top + r, x0, ring[r]);
#pragma unroll 1
    for (int r = 0; r < rows; r++) {
        __pipeline_wait_prior(RING_ROWS - 2);
        __syncwarp();
        const int ahead = r + RING_ROWS - 1;
        if (ahead < rows)
            fetch_row<CHUNK>(job, ref, out, top + ahead, x0, ring[ahead % RING_ROWS]);
        else
            __pipeline_commit(); /* one batch per row, so that waiting can count them */
        float h[LANE_PX][MOMENTS] = {}, done[LANE_PX][MOMENTS];
        blur_pair(ring[r % RING_ROWS], h);
#pragma unroll
        for (int j = 0; j < LANE_PX; j++) rotate(open[j], h[j], done[j]);
        if (r >= OPEN)
            store_pair<CHUNK>(job, y0 + r - OPEN, x0 + threadIdx.x * LANE_PX, ssim_of(done[0]),
                              ssim_of(done[1]));
    }
}

cudaError_t launch(const Job &job, void *, cudaStream_t stream)
{
    const dim3 grid(divide_up(job.width, COLS), divide_up(job.height, ROWS), plane_count(job));
    const uintptr_t bases =
        (uintptr_t)job.planes[REF] | (uintptr_t)job.planes[OUT] | (uintptr_t)job.map;
    const int64_t strides = job.pitch | job.plane | job.map_pitch | job.map_plane;
    if (bases % 16 == 0 && strides % 4 == 0)
        rotating_kernel<4><<<grid, LANES, 0, stream>>>(job);
    else
        rotating_kernel<1><<<grid, LANES, 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace

const Method rotating_sums = {"rotating sums (V4)",         "f32 planes", sizeof(float), false,
                              refuses_all_but_zero_pad_map, nullptr,      nullptr,       launch};

} // namespace ladder
