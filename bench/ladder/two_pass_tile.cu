/* fused-ssim's published method, beside the ladder. A block of 16 x 16 threads stages 26 x 26 pairs
 * of samples in shared memory. It takes the horizontal sums of the five moments of its 26 rows into
 * shared memory, and from those the vertical sums. Taps at equal distance from the middle are added
 * before they are weighted. Variances are cut off at 0. 32 registers let 8 blocks share an SM.
 * Division is the fast one of its build. fused-ssim lets a block go through a frame's channels one
 * after the other; here each channel has its own block.
 *
 * Limited by: the halo (26 x 26 samples for 16 x 16 windows), shared memory traffic, and phases.
 * Barriers keep the phases apart, so that loads and arithmetic overlap only between blocks. */
#include "ladder.cuh"

#include "core/launch.cuh"

namespace ladder
{
namespace
{

constexpr int SIDE = 16;
constexpr int TILE = SIDE + TAPS - 1;
constexpr int BLOCKS_PER_SM = ssimcu::blocks_per_sm(8, SIDE *SIDE);

using Tile = float[TILE][TILE][IMAGES];
using Sums = float[TILE][SIDE][MOMENTS];

__device__ __forceinline__ void stage(const Job &job, Tile &tile)
{
    const int64_t base = blockIdx.z * job.plane;
    for (int i = threadIdx.y * SIDE + threadIdx.x; i < TILE * TILE; i += SIDE * SIDE) {
        const int row = i / TILE, column = i % TILE;
        const int y = blockIdx.y * SIDE + row - RADIUS, x = blockIdx.x * SIDE + column - RADIUS;
        for (int image = 0; image < IMAGES; image++)
            tile[row][column][image] =
                inside(job, y, x) ? job.planes[image][base + y * job.pitch + x] : 0.0f;
    }
}

__device__ __forceinline__ void blur_across(const Tile &tile, int row, Sums &sums)
{
    const float(&middle)[IMAGES] = tile[row][threadIdx.x + RADIUS];
    float h[MOMENTS] = {};
    add_sample(h, G[RADIUS], middle[REF], middle[OUT]);
#pragma unroll
    for (int k = 0; k < RADIUS; k++) {
        const float(&left)[IMAGES] = tile[row][threadIdx.x + k];
        const float(&right)[IMAGES] = tile[row][threadIdx.x + OPEN - k];
        h[X] += G[k] * (left[REF] + right[REF]);
        h[Y] += G[k] * (left[OUT] + right[OUT]);
        h[XX] += G[k] * (left[REF] * left[REF] + right[REF] * right[REF]);
        h[YY] += G[k] * (left[OUT] * left[OUT] + right[OUT] * right[OUT]);
        h[XY] += G[k] * (left[REF] * left[OUT] + right[REF] * right[OUT]);
    }
#pragma unroll
    for (int m = 0; m < MOMENTS; m++) sums[row][threadIdx.x][m] = h[m];
}

__device__ __forceinline__ void blur_down(const Sums &sums, float (&moment)[MOMENTS])
{
#pragma unroll
    for (int m = 0; m < MOMENTS; m++) {
        moment[m] = G[RADIUS] * sums[threadIdx.y + RADIUS][threadIdx.x][m];
#pragma unroll
        for (int k = 0; k < RADIUS; k++)
            moment[m] += G[k] * (sums[threadIdx.y + k][threadIdx.x][m] +
                                 sums[threadIdx.y + OPEN - k][threadIdx.x][m]);
    }
}

__global__ void __launch_bounds__(SIDE *SIDE, BLOCKS_PER_SM) tile_kernel(const Job job)
{
    __shared__ Tile tile;
    __shared__ Sums sums;
    stage(job, tile);
    __syncthreads();
    blur_across(tile, threadIdx.y, sums);
    if (threadIdx.y + SIDE < TILE) blur_across(tile, threadIdx.y + SIDE, sums);
    __syncthreads();
    float moment[MOMENTS];
    blur_down(sums, moment);
    moment[XX] = fmaxf(moment[XX], moment[X] * moment[X]);
    moment[YY] = fmaxf(moment[YY], moment[Y] * moment[Y]);
    store(job, blockIdx.z, blockIdx.y * SIDE + threadIdx.y, blockIdx.x * SIDE + threadIdx.x,
          ssim_of(moment));
}

cudaError_t launch(const Job &job, void *, cudaStream_t stream)
{
    const dim3 grid(divide_up(job.width, SIDE), divide_up(job.height, SIDE), plane_count(job));
    tile_kernel<<<grid, dim3(SIDE, SIDE), 0, stream>>>(job);
    return cudaGetLastError();
}

} // namespace

const Method two_pass_tile = {"two-pass tile (fused-ssim)", "f32 planes", sizeof(float), false,
                              refuses_all_but_zero_pad_map, nullptr,      nullptr,       launch};

} // namespace ladder
