/* SSIMULACRA2: pairs of frames in, the sums of three maps of three channels at six scales out.
 *
 * DATA FLOW. There are three launches. pyramid.cuh halves both frames in linear light and writes s
 * and d of XYB (xyb.cuh) for the scales from 1 on. One launch measures all scales. Strips on the
 * tensor cores (strips.cuh) take scale 0 directly from the samples, and scale 1 from its planes.
 * Tiles in float take the others (tiles.cuh). Strips are cut into as many runs of equal work as the
 * GPU holds blocks; tiles come last and fill the gaps. Scale 0 does not wait for the pyramid. The
 * last launch adds up the partial sums in a fixed order.
 *
 * TIMES are of 4K RGB8 pairs on an H100, one pair / each of eight in a batch: photo 260 / 237 us,
 * noise 269 / 247 (its lookups of linear light hit more banks). The second launch takes 208 us for
 * a photo. It executes 125 million warp instructions and uses 0.62 of the issue slots. A prototype
 * with only multiply-adds took 604 us on an H200.
 *
 *   squares of Y in two numbers, X at scale 1 too   error of a photo's score 2.3e-3 -> 1.6e-5;
 *                                                   black against white 5e-2 -> 1e-4
 *   strips of 120 columns instead of 128            a thread has one quad of each step; stalls at
 *                                                   barriers 1.6 -> 0.5 cycles an instruction
 *   later launches for scale 1 and tiles, with      296 us for one pair: each waits for the last
 *   linear light halved by the strips               block of the one before
 *   three blocks an SM instead of two               scale 0 178 -> 227 us: 80 registers spill
 *   twice as many runs                              scale 0 178 -> 181 us
 */
#include "core/launch.cuh"
#include "ssimulacra2/pyramid.cuh"
#include "ssimulacra2/tiles.cuh"

#include <algorithm>

namespace ssimcu
{
namespace
{

using namespace s2;

constexpr int SM_BLOCKS = 2;
constexpr int MEASURE_SHARED = std::max(
    {RING_BYTES<false> + CODES * (int)sizeof(float), RING_BYTES<true>, 2 * (int)sizeof(Small)});
static_assert(MEASURE_SHARED <= 63 << 10, "beside its static memory, what any device has");
constexpr int LOT = 16, REDUCE_THREADS = LOT * SSIMCU_S2_ALL_SUMS; /* threads for a sum */

struct Workspace {
    float *planes;
    double *partial;
};

/* Adds up the sums of a block's threads. */
__device__ __forceinline__ void store_sums(const float (&sum)[CHANNELS][SUMS], double *partial)
{
    __shared__ float of_warp[WARPS][SSIMCU_S2_ALL_SUMS];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
#pragma unroll
    for (int i = 0; i < SSIMCU_S2_ALL_SUMS; i++) {
        const float all = warp_sum(sum[i / SUMS][i % SUMS]);
        if (lane == 0) of_warp[warp][i] = all;
    }
    __syncthreads();
    if (threadIdx.x >= SSIMCU_S2_ALL_SUMS) return;
    double all = 0;
#pragma unroll
    for (int i = 0; i < WARPS; i++) all += (double)of_warp[i][threadIdx.x];
    partial[threadIdx.x] = all;
}

template <class Samples>
__global__ void __launch_bounds__(THREADS)
    pyramid_kernel(const __grid_constant__ Frames frames,
                   const __grid_constant__ ssimcu_s2_cuts scales, Workspace workspace, int across)
{
    __shared__ __align__(16) Pyramid pyramid;
    wait_for_kernel_before();
    let_next_kernel_start(); /* not earlier: the strips of scale 0 do not wait */
    const int64_t at = blockIdx.y * frames.frame;
    make_pyramid<Samples>(frames, scales, frames.ref + at, frames.out + at,
                          workspace.planes + blockIdx.y * scales.frame_floats, blockIdx.x, across,
                          pyramid);
}

/* Measures a block's part of a scale's strips. All parts have equally many steps. */
template <bool FINE_X, class Input>
__device__ __forceinline__ void measure_strips(const ssimcu_s2_scale &scale, const Input &input,
                                               int index, char *shared,
                                               float (&sum)[CHANNELS][SUMS])
{
    for (int at = threadIdx.x; at < RING_BYTES<FINE_X> / 16; at += THREADS)
        reinterpret_cast<uint4 *>(shared)[at] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    const Weights weights = load_weights(threadIdx.x % LANES);
    int unit = (int)((int64_t)scale.pieces * index / scale.blocks);
    const int end = (int)((int64_t)scale.pieces * (index + 1) / scale.blocks);
#pragma unroll 1
    while (unit < end) {
        const int step = unit % scale.down, steps = min(scale.down - step, end - unit);
        Strip strip;
        strip.x0 = unit / scale.down * STRIP_COLS;
        strip.y0 = step * STEP_ROWS;
        strip.rows = min(steps * STEP_ROWS, scale.height - strip.y0);
        strip.width = scale.width, strip.height = scale.height;
        Walk<Input, FINE_X>(strip, input, shared).run(weights, sum);
        unit += steps;
    }
}

/* One launch for all scales. The strips come first, and the tiles fill the gaps. */
template <class Samples>
__global__ void __launch_bounds__(THREADS, blocks_per_sm(SM_BLOCKS, THREADS))
    measure_kernel(const __grid_constant__ Frames frames,
                   const __grid_constant__ ssimcu_s2_cuts scales, Workspace workspace)
{
    extern __shared__ __align__(16) char shared[];
    const float *planes = workspace.planes + blockIdx.y * scales.frame_floats;
    int index = blockIdx.x, i = 0;
    while (index >= scales.of[i].blocks) index -= scales.of[i++].blocks;
    const ssimcu_s2_scale &scale = scales.of[i];
    float sum[CHANNELS][SUMS] = {};
    let_next_kernel_start();
    if (i > 0 || scales.strips == 0) wait_for_kernel_before();
    if (i >= scales.strips) {
        const int half = threadIdx.x / SMALL_THREADS, tile = 2 * index + half;
        measure_tile(scale, planes, min(tile, scale.pieces - 1),
                     reinterpret_cast<Small *>(shared)[half], sum);
        if (tile >= scale.pieces)
            for (int k = 0; k < SSIMCU_S2_ALL_SUMS; k++) sum[k / SUMS][k % SUMS] = 0;
    } else if (i == 0) {
        float *curve = reinterpret_cast<float *>(shared + RING_BYTES<false>);
        if constexpr (Samples::TABLE) fill_curve(curve, frames.to_unit);
        const int64_t at = blockIdx.y * frames.frame;
        const FramesInput<Samples> input = {frames, frames.ref + at, frames.out + at, curve};
        measure_strips<false>(scale, input, index, shared, sum);
    } else {
        const PlanesInput input = {planes + scale.planes_at, scale.pitch, scale.plane,
                                   scale.height};
        measure_strips<true>(scale, input, index, shared, sum);
    }
    store_sums(sum, workspace.partial + blockIdx.y * scales.frame_partials + scale.partials_at +
                        index * SSIMCU_S2_ALL_SUMS);
}

/* Adds up the partial sums of a scale, always in the same order. */
__global__ void __launch_bounds__(REDUCE_THREADS)
    reduce_kernel(const __grid_constant__ ssimcu_s2_cuts scales, const double *partial,
                  double *sums)
{
    __shared__ double of_thread[LOT][SSIMCU_S2_ALL_SUMS];
    const int which = threadIdx.x % SSIMCU_S2_ALL_SUMS, lot = threadIdx.x / SSIMCU_S2_ALL_SUMS;
    const ssimcu_s2_scale &scale = scales.of[blockIdx.x];
    wait_for_kernel_before();
    const double *from = partial + blockIdx.y * scales.frame_partials + scale.partials_at;
    double sum = 0;
    for (int i = lot; i < scale.blocks; i += LOT) sum += from[i * SSIMCU_S2_ALL_SUMS + which];
    of_thread[lot][which] = sum;
    __syncthreads();
    if (lot > 0) return;
    for (int i = 1; i < LOT; i++) sum += of_thread[i][which];
    sums[(blockIdx.y * SSIMCU_S2_SCALES + blockIdx.x) * SSIMCU_S2_ALL_SUMS + which] = sum;
}

template <class... Parameters, class... Arguments>
cudaError_t launch(void (*kernel)(Parameters...), dim3 blocks, int threads, int shared,
                   cudaStream_t stream, const Arguments &...arguments)
{
    if (shared > 48 << 10) {
        const cudaError_t error =
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        if (error != cudaSuccess) return error;
    }
    return launch_overlapping(kernel, blocks, threads, shared, stream, arguments...);
}

Frames frames_of(const ssimcu_ssimulacra2_task &task)
{
    Frames frames;
    frames.ref = static_cast<const char *>(task.ref);
    frames.out = static_cast<const char *>(task.out);
    frames.pitch = task.pitch_bytes;
    frames.plane = task.channels == 1 ? 0 : task.plane_bytes;
    frames.frame = task.frame_bytes;
    frames.width = task.width;
    frames.height = task.height;
    const double peak = task.peak == 0 ? SSIMCU_PEAK : task.peak;
    frames.to_unit =
        (float)(1 / (task.samples == SSIMCU_SSIM_FIXED ? peak * (double)SSIMCU_FIXED_ONE : peak));
    return frames;
}

template <class T, bool PLANAR>
cudaError_t run(const ssimcu_ssimulacra2_task &task, const ssimcu_s2_cuts &scales, double *sums,
                cudaStream_t stream)
{
    using Samples = Source<T, PLANAR>;
    const Frames frames = frames_of(task);
    float *planes = static_cast<float *>(task.workspace);
    const Workspace workspace = {
        planes, reinterpret_cast<double *>(planes + scales.frame_floats * task.frames)};
    const unsigned count = (unsigned)task.frames;
    const int across = (int)ssimcu_divide_up(task.width, TILE_COLS);
    const int down = (int)ssimcu_divide_up(task.height, TILE_ROWS);
    int blocks = 0;
    for (int i = 0; i < scales.count; i++) blocks += scales.of[i].blocks;
    cudaError_t error = cudaSuccess;
    if (blocks > 0)
        error = launch(pyramid_kernel<Samples>, dim3(across * down, count), THREADS, 0, stream,
                       frames, scales, workspace, across);
    if (error == cudaSuccess && blocks > 0)
        error = launch(measure_kernel<Samples>, dim3(blocks, count), THREADS, MEASURE_SHARED,
                       stream, frames, scales, workspace);
    if (error == cudaSuccess)
        error = launch(reduce_kernel, dim3(SSIMCU_S2_SCALES, count), REDUCE_THREADS, 0, stream,
                       scales, (const double *)workspace.partial, sums);
    return error;
}

} // namespace
} // namespace ssimcu

size_t ssimcu_ssimulacra2_bytes(const struct ssimcu_ssimulacra2_task *task)
{
    const ssimcu_s2_cuts scales = ssimcu_s2_scales_of(task->width, task->height);
    return (size_t)task->frames *
           (scales.frame_floats * sizeof(float) + scales.frame_partials * sizeof(double));
}

cudaError_t ssimcu_ssimulacra2_cuda(const struct ssimcu_ssimulacra2_task *task, double *sums,
                                    cudaStream_t stream)
{
    using namespace ssimcu;
    const ssimcu_s2_cuts scales = ssimcu_s2_scales_of(task->width, task->height);
    const bool planar = task->channels == 1 || !task->interleaved;
    switch (task->samples) {
    case SSIMCU_SSIM_U8:
        return planar ? run<uint8_t, true>(*task, scales, sums, stream)
                      : run<uint8_t, false>(*task, scales, sums, stream);
    case SSIMCU_SSIM_U16:
        return planar ? run<uint16_t, true>(*task, scales, sums, stream)
                      : run<uint16_t, false>(*task, scales, sums, stream);
    case SSIMCU_SSIM_F32: return run<float, true>(*task, scales, sums, stream);
    case SSIMCU_SSIM_FIXED: return run<int32_t, true>(*task, scales, sums, stream);
    default: return cudaErrorInvalidValue;
    }
}
