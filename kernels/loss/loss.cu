/* SSIM, L1 and the mean squared error of two frames, with the gradient, in one pass.
 *
 * With s = a + b and d = a - b, the windowed means of s, d, s^2 and d^2 give SSIM and all its
 * derivatives. A window contributes three partial derivatives to the gradient at a pixel: a
 * constant, a factor of s and a factor of d. The gradient is the sum of these contributions over
 * the windows. So no map goes to memory.
 *
 * DATA FLOW. A block walks down a strip of columns in two stages, each on half of the warps. The
 * second stage fetches rows, as s and d, into a ring in shared memory. The first stage sums along a
 * row and adds the sums to 11 open windows, which rotate through registers. It writes the partial
 * derivatives of the windows that the row completes. The second stage sums these in the same way.
 * It finds s and d still in the ring. A stage waits only if the other is two steps behind.
 *
 * ORIGINS. A variance is a small difference of large squares. So the ring holds s and d measured
 * from an origin, about the mean of the segment. Each thread of the first stage also has an origin,
 * which follows the picture.
 *
 * SPLIT. The strips of all planes form one sequence, and each block takes an equal piece. The
 * sequence is split for one GPU whatever the device, so that the bits are the same everywhere.
 *
 * PLAIN. The two stages together fill the instruction cache. So planes of floats have kernels
 * without code for other types.
 *
 * bench/results/loss-h200.md has what was tried for SSIM + L1 of 4K RGB on an H200. */
#include "core/launch.cuh"
#include "core/sums.cuh"
#include "kernels.h"
#include "loss/gradient.cuh"
#include "loss/partials.cuh"
#include "loss/scale.cuh"
#include "loss/weights.cuh"

#include <stdint.h>

namespace ssimcu::loss
{
namespace
{

constexpr int SMS = 132;     /* SMs of the GPU that the split fits */
constexpr int SHORTEST = 16; /* fewest units of a block */

/* The block shapes for data-centre GPUs and for all others. */
using Large = BlockShape<512, 4>;
using Small = BlockShape<256, 2>;
constexpr int LARGE_CODE = 90; /* lowest architecture whose code has Large */
constexpr int MOST_BLOCKS = SMS * (Large::COLUMNS / Small::COLUMNS);
constexpr int FINISH_THREADS = 256;

/* Finds the piece of a strip that starts at `unit`, and moves `unit` past it. Returns false if the
 * piece has no rows. */
template <class C>
__device__ __forceinline__ bool next_segment(const Launch &launch, int64_t &unit, int64_t end,
                                             Segment &segment)
{
    const int strip = (int)(unit / launch.unit_per_strip);
    const int64_t start = strip * launch.unit_per_strip + C::FILL_UNITS;
    const int plane = strip / launch.strips, channel = plane % launch.channels;
    segment.base = strip % launch.strips * C::OWN - REACH - 2;
    segment.first = (int)(unit > start ? unit - start : 0);
    unit = start + launch.height;
    if (unit > end) unit = end;
    segment.last = (int)(unit > start ? unit - start : 0);
    segment.frame = plane / launch.channels;
    for (int k = 0; k < 2; k++)
        segment.side[k] = (const char *)launch.side[k].data + segment.frame * launch.side[k].frame +
                          channel * launch.side[k].channel;
    segment.gradient = (char *)launch.gradient.data + segment.frame * launch.gradient.frame +
                       channel * launch.gradient.channel;
    return segment.first < segment.last;
}

/* Adds up one number of each thread of a stage, and writes the sum. */
template <class C>
__device__ __forceinline__ void write_sum(double value, double *sums, double *to)
{
    const int thread = threadIdx.x % C::STAGE_THREADS;
    for (int lane = 16; lane > 0; lane /= 2) value += __shfl_xor_sync(~0u, value, lane);
    if (thread % 32 == 0) sums[thread / 32] = value;
    __barrier_sync_count(SUMS + threadIdx.x / C::STAGE_THREADS, C::STAGE_THREADS);
    if (thread > 0) return;
    double sum = 0;
    for (int w = 0; w < C::STAGE_THREADS / 32; w++) sum += sums[w];
    *to = sum;
}

/* Clears the columns past the end of each row, which the last threads read. */
template <class C>
__device__ __forceinline__ void clear_row_ends(Shared<C> &shared)
{
    constexpr int BEHIND = C::ROW - C::COLUMNS;
    for (int k = threadIdx.x; k < C::RING_ROWS * 2 * BEHIND; k += C::THREADS)
        shared.ring[k / (2 * BEHIND)][k / BEHIND % 2][C::COLUMNS + k % BEHIND] = 0;
}

template <class C, bool PLAIN, bool GRADIENT, bool WEIGHTS>
__device__ __forceinline__ void make_run(const Launch &launch, Shared<C> &shared)
{
    const bool makes_partials = threadIdx.x < C::STAGE_THREADS;
    double lost = 0, l1 = 0, mse = 0;
    int64_t unit = launch.units * blockIdx.x / gridDim.x;
    const int64_t end = launch.units * (blockIdx.x + 1) / gridDim.x;
    clear_row_ends<C>(shared);
    wait_for_kernel_before();
    while (unit < end) {
        Segment segment;
        if (!next_segment<C>(launch, unit, end, segment)) continue;
        set_origins<C>(launch, segment, shared);
        const int rows = segment.last - segment.first + 2 * REACH;
        const int steps = (rows + C::STEP_ROWS - 1) / C::STEP_ROWS;
        Fetch fetch = fetch_at<C>(launch, segment, segment.first - REACH);
        if (!makes_partials) bring_first_steps<C, PLAIN, WEIGHTS>(launch, fetch, shared);
        __syncthreads();
        if (makes_partials)
            lost += make_partials<C, GRADIENT, WEIGHTS>(launch, segment, shared, steps);
        else
            make_gradient<C, PLAIN, GRADIENT, WEIGHTS>(launch, segment, shared, steps, fetch, l1,
                                                       mse);
        __syncthreads();
    }
    double *const to = launch.partial + 3 * blockIdx.x;
    if (makes_partials) {
        write_sum<C>(lost, shared.sums[0], to);
    } else {
        write_sum<C>(l1, shared.sums[1], to + 1);
        write_sum<C>(mse, shared.sums[2], to + 2);
    }
}

template <class C, bool PLAIN, bool GRADIENT, bool WEIGHTS>
__global__ void __launch_bounds__(C::THREADS, Large::COLUMNS / C::COLUMNS)
    loss_kernel(const __grid_constant__ Launch launch)
{
    extern __shared__ float4 memory[];
#if __CUDA_ARCH__ < 900
    if constexpr (C::COLUMNS < Large::COLUMNS) /* below LARGE_CODE: too little memory for Large */
#endif
        make_run<C, PLAIN, GRADIENT, WEIGHTS>(launch, *reinterpret_cast<Shared<C> *>(memory));
}

struct Finish {
    const double *partial;
    int blocks;
    const double *weights;   /* sums of the weights; NULL: the next two fields */
    double samples, windows; /* divisors of the sums */
    double ssim, l1, mse;
    float *loss;
};

/* Adds up the blocks' sums, always in the same order, and makes the loss from them. */
__global__ void __launch_bounds__(FINISH_THREADS)
    finish_kernel(const __grid_constant__ Finish finish)
{
    __shared__ double sum[3][FINISH_THREADS];
    wait_for_kernel_before();
    add_partials(finish.partial, finish.blocks, sum);
    if (threadIdx.x > 0) return;
    const double samples = finish.weights ? finish.weights[0] : finish.samples;
    const double windows = finish.weights ? finish.weights[1] : finish.windows;
    const double lost = windows > 0 ? sum[0][0] / windows : 0;
    const double l1 = samples > 0 ? sum[1][0] / samples : 0;
    const double mse = samples > 0 ? sum[2][0] / samples : 0;
    finish.loss[0] = (float)(finish.ssim * lost + finish.l1 * l1 + finish.mse * mse);
    finish.loss[1] = (float)(1 - lost);
    finish.loss[2] = (float)l1;
    finish.loss[3] = (float)mse;
}

/* ---- Workspace ------------------------------------------------------------------------------- */

/* Byte offsets of the parts of the workspace. */
struct Layout {
    size_t partial, weight_sums, weight_partial, pixel, window, end;
    int64_t pitch, frame; /* floats */
    int across, down;     /* tiles of the mask */
    unsigned tiles;       /* tiles of all frames of the mask */
};

Layout lay_out(const ssimcu_loss_task &task)
{
    Layout layout = {};
    layout.weight_sums = layout.partial + sizeof(double) * 3 * MOST_BLOCKS;
    layout.end = layout.weight_partial = layout.weight_sums + sizeof(double) * 2;
    if (task.mask.pixel == 0) return layout; /* no mask */
    const unsigned frames = task.mask.frame ? (unsigned)task.frames : 1;
    layout.across = (int)ssimcu_divide_up(task.width, TILE_X);
    layout.down = (int)ssimcu_divide_up(task.height, TILE_Y);
    layout.tiles = (unsigned)(layout.across * layout.down) * frames;
    layout.pitch = task.width;
    layout.frame = layout.pitch * task.height;
    layout.pixel = layout.weight_partial + sizeof(double) * 2 * layout.tiles;
    layout.window = layout.pixel + sizeof(float) * (size_t)layout.frame * frames;
    layout.end = layout.window + sizeof(float) * (size_t)layout.frame * frames;
    return layout;
}

template <class T>
T *part(const ssimcu_loss_task &task, size_t start)
{
    return reinterpret_cast<T *>(static_cast<char *>(task.workspace) + start);
}

/* ---- Launching ------------------------------------------------------------------------------- */

void set_windows(const ssimcu_loss_task &task, int (&low)[2], int (&high)[2])
{
    const int border = task.zero_pad ? 0 : SSIMCU_RADIUS;
    low[0] = low[1] = border;
    high[0] = task.width - border, high[1] = task.height - border;
}

/* Launches the kernels that make the weights of a mask. */
cudaError_t make_weights(const ssimcu_loss_task &task, const Layout &layout, Weights &weights,
                         cudaStream_t stream)
{
    Masked masked = {};
    masked.mask = task.mask, masked.rule = task.mask_rule;
    masked.width = task.width, masked.height = task.height;
    set_windows(task, masked.low, masked.high);
    masked.pixel = part<float>(task, layout.pixel),
    masked.window = part<float>(task, layout.window);
    masked.pitch = layout.pitch, masked.frame = layout.frame;
    masked.partial = part<double>(task, layout.weight_partial);
    masked.across = layout.across, masked.down = layout.down;
    weights_kernel<<<layout.tiles, TILE_THREADS, 0, stream>>>(masked);
    cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    const double each = (double)task.channels * (task.mask.frame ? 1 : task.frames);
    double *const sums = part<double>(task, layout.weight_sums);
    add_weights_kernel<<<1, TILE_THREADS, 0, stream>>>(masked.partial, layout.tiles, each, sums);
    weights = {task.mask_rule,
               masked.pixel,
               masked.window,
               layout.pitch,
               task.mask.frame ? layout.frame : 0,
               sums};
    return cudaGetLastError();
}

template <class C, bool PLAIN, bool GRADIENT, bool WEIGHTS>
cudaError_t start(const Launch &launch, unsigned blocks, cudaStream_t stream)
{
    const auto kernel = loss_kernel<C, PLAIN, GRADIENT, WEIGHTS>;
    const cudaError_t error = cudaFuncSetAttribute(
        kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(Shared<C>));
    if (error != cudaSuccess) return error;
    return launch_overlapping(kernel, dim3(blocks), C::THREADS, (int)sizeof(Shared<C>), stream,
                              launch);
}

bool is_plane(const ssimcu_loss_samples &samples)
{
    return samples.type == SSIMCU_SAMPLE_F32 && samples.pixel == sizeof(float);
}

/* Returns whether a launch reads and writes only planes of floats with a white of 1. */
bool is_plain(const Launch &launch)
{
    for (const ssimcu_loss_samples &side : launch.side)
        if (!is_plane(side) || side.factor != 1) return false;
    return !launch.weights.pixel && (!launch.gradient.data || is_plane(launch.gradient));
}

/* Starts the kernel variant that a launch needs. */
template <class C>
cudaError_t start_any(const Launch &launch, unsigned blocks, cudaStream_t stream)
{
    const bool gradient = launch.gradient.data;
    const auto starter = is_plain(launch)
                             ? gradient ? start<C, true, true, false> : start<C, true, false, false>
                         : launch.weights.pixel
                             ? gradient ? start<C, false, true, true> : start<C, false, false, true>
                         : gradient ? start<C, false, true, false>
                                    : start<C, false, false, false>;
    return starter(launch, blocks, stream);
}

/* Returns the number of blocks that share the units, at most as many as the GPU holds at a time. */
template <class C>
unsigned blocks_of(const Launch &launch)
{
    const int64_t wanted = ssimcu_divide_up(launch.units, SHORTEST);
    const int64_t most = SMS * (Large::COLUMNS / C::COLUMNS);
    return (unsigned)(wanted < most ? wanted : most);
}

/* Makes the loss, and the gradient of a side if the task wants it. */
template <class C>
cudaError_t run(const ssimcu_loss_task &task, int side, const Weights &weights, cudaStream_t stream)
{
    Launch launch = {};
    const Layout layout = lay_out(task);
    launch.side[0] = task.side[side], launch.side[1] = task.side[1 - side];
    launch.gradient = task.gradient[side];
    launch.weights = weights;
    launch.width = task.width, launch.height = task.height, launch.channels = task.channels;
    set_windows(task, launch.low, launch.high);
    launch.strips = (int)ssimcu_divide_up(task.width + 2, C::OWN);
    launch.unit_per_strip = task.height + C::FILL_UNITS;
    const int64_t planes = (int64_t)task.channels * task.frames;
    launch.units = planes * launch.strips * launch.unit_per_strip;
    const bool means = weights.pixel && weights.rule != SSIMCU_LOSS_ZERO;
    const double samples = (double)planes * task.width * task.height;
    const double windows = (double)planes * ssimcu_ssim_positions(task.width, task.zero_pad) *
                           ssimcu_ssim_positions(task.height, task.zero_pad);
    const double factor = (double)launch.gradient.factor;
    launch.by_ssim = -(double)task.ssim * factor / (means ? 1 : windows);
    launch.by_l1 = (double)task.l1 * factor / (means ? 1 : samples);
    launch.by_mse = 2 * (double)task.mse * factor / (means ? 1 : samples);
    launch.partial = part<double>(task, layout.partial);
    const unsigned blocks = blocks_of<C>(launch);
    const cudaError_t error = start_any<C>(launch, blocks, stream);
    if (error != cudaSuccess) return error;
    const Finish finish = {launch.partial, (int)blocks, means ? weights.sums : NULL,
                           samples,        windows,     task.ssim,
                           task.l1,        task.mse,    task.loss};
    return launch_overlapping(finish_kernel, dim3(1), FINISH_THREADS, 0, stream, finish);
}

} // namespace
} // namespace ssimcu::loss

size_t ssimcu_loss_bytes(const struct ssimcu_loss_task *task)
{
    return ssimcu::loss::lay_out(*task).end;
}

cudaError_t ssimcu_loss_cuda(const struct ssimcu_loss_task *task, cudaStream_t stream)
{
    using namespace ssimcu::loss;
    const bool ref = task->gradient[0].data, out = task->gradient[1].data;
    Weights weights = {};
    int device = 0, bytes = 0;
    cudaFuncAttributes code = {};
    cudaError_t error = cudaFuncGetAttributes(&code, loss_kernel<Large, false, false, false>);
    if (error == cudaSuccess) error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess && task->mask.pixel)
        error = make_weights(*task, lay_out(*task), weights, stream);
    if (task->most_shared && task->most_shared < bytes) bytes = task->most_shared;
    const bool large = code.ptxVersion >= LARGE_CODE && bytes >= (int)sizeof(Shared<Large>);
    const auto make = large ? run<Large> : run<Small>;
    if (error == cudaSuccess && ref && out) error = make(*task, 0, weights, stream);
    return error == cudaSuccess ? make(*task, out || !ref, weights, stream) : error;
}

cudaError_t ssimcu_loss_scale_cuda(const struct ssimcu_loss_task *task, int side,
                                   const float *factor, cudaStream_t stream)
{
    using namespace ssimcu::loss;
    const ssimcu_loss_samples &samples = task->gradient[side];
    const bool fours = lies_in_fours(samples);
    const unsigned rows = task->height < 64 ? (unsigned)task->height : 64;
    const unsigned across =
        (unsigned)ssimcu_divide_up(task->width, SCALE_THREADS * (fours ? 4 : 1));
    const dim3 blocks(across * (unsigned)(task->channels * task->frames), rows);
    const Scaled scaled = {samples, task->width, task->height, task->channels, (int)across, factor};
    const auto kernel = fours ? scale_kernel<4> : scale_kernel<1>;
    return ssimcu::launch_overlapping(kernel, blocks, SCALE_THREADS, 0, stream, scaled);
}
