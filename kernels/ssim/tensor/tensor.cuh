/* SSIM on the tensor cores, for any Loader of samples (loader_*.cuh): the sum of 1 - SSIM per run
 * (run.h), and the map. docs/ssim-kernel.md has its profile and the failed attempts.
 *
 * FORM. This is the form of ssim.cuh, with s / 2 and d / 2 instead of s and d, so that bytes stay
 * exact.
 *
 * DATA FLOW. One warp walks down strips of 16 columns, one after the other, in tiles of 8 rows. A
 * lane reads 8 pixels of a row of both frames. It makes s / 2 and d / 2 from its origin, and their
 * squares, each as f16 numbers. For bytes these are one number for a value and two for a square,
 * which is exact. For floats they are two each, 22 bits or more. They are an operand: weights (16
 * columns x 32 pixels) times pixels (32 x 8 rows) give the horizontal sums of a tile, in f32.
 *
 * A lane's results, written as f16 plus rest, are exactly its part of the left operand of the next
 * product. That product is sums of three tiles (16 columns x 24 rows) times weights (24 x 8 rows).
 * So nothing passes through shared memory, and no warp waits for another. The rest is a product as
 * well: f32 sums minus f16 sums times the unit matrix. Pairs [rest | f16] are one operand, so that
 * the ring of three tiles moves no register (bytes: 131 -> 88 us per frame).
 *
 * ROUNDING. Tensor cores truncate sums, so moments far from the origin spoil a variance
 * (rounding.cuh). The warp shares one origin. If truncation costs a tile's windows too much, the
 * warp moves the origin to one of them. It then repeats the tile for the remaining windows. Each
 * repeat settles at least one window, so this ends.
 */
#pragma once

#include "ssim/tensor/pieces.cuh"
#include "ssim/tensor/row_loop.cuh"
#include "ssim/turn.cuh"

namespace ssimcu::tensor
{

/* The number of strips of a plane that a block's warps walk down side by side. */
template <class Loader>
constexpr int PLANE_WARPS = Loader::STEP == 1 ? Loader::BLOCK_WARPS : 1;

/* Returns this warp's place among the sums of its plane or channel. Each warp on that plane has one
 * sum per run. */
template <class Loader>
__device__ __forceinline__ int own_place(const Run &run)
{
    return run.index * PLANE_WARPS<Loader> + threadIdx.x / LANES % PLANE_WARPS<Loader>;
}

/* Returns half the sum of 1 - SSIM of the next strip of a run. */
template <class Loader, Output OUTPUT>
__device__ __forceinline__ double sum_strip(const ssimcu_ssim_task &task, const Cut &cut, Run &run)
{
    const Strip strip = next_strip<Loader>(task, cut, run);
    if (strip.cols <= 0 || strip.rows <= 0) return 0;
    Account<OUTPUT> account(task, cut, strip);
    if constexpr (OUTPUT == STRUCTURE) account.begin_strip();
    if (strip.is_edge)
        walk<Loader, OUTPUT, true>(task, cut, strip, account);
    else
        walk<Loader, OUTPUT, false>(task, cut, strip, account);
    return account.finish(task, cut, strip, own_place<Loader>(run));
}

template <class Loader, Output OUTPUT>
__global__ void __launch_bounds__(LANES *Loader::BLOCK_WARPS, Loader::SM_BLOCKS)
    tensor_kernel(const __grid_constant__ ssimcu_ssim_task task, const __grid_constant__ Cut cut)
{
    Run run = own_run<Loader>(task, cut);
    double sum = 0;
    if (OUTPUT == STRUCTURE) take_turn(task.beside);
    if constexpr (OUTPUT == STRUCTURE || OUTPUT == SQUARES)
        if (threadIdx.x % LANES == 0) Account<OUTPUT>::of_run() = 0;
#pragma unroll 1
    while (run.at < run.end) sum += sum_strip<Loader, OUTPUT>(task, cut, run);
    const int64_t plane =
        Loader::STEP == 1 ? run.chain : run.chain * Loader::STEP + threadIdx.x / LANES;
    const int places = cut.runs.count * cut.runs.abreast * PLANE_WARPS<Loader>;
    if (threadIdx.x % LANES == 0) {
        task.partial[plane * places + own_place<Loader>(run)] = 2 * sum;
        if constexpr (OUTPUT == SQUARES)
            task.squares[plane * places + own_place<Loader>(run)] = Account<SQUARES>::of_run();
        if constexpr (OUTPUT == STRUCTURE)
            task.structure[plane * places + own_place<Loader>(run)] =
                2 * Account<STRUCTURE>::of_run();
    }
    end_behind_kernel_before();
}

template <class Loader>
Cut cut_frame(const ssimcu_ssim_task &task)
{
    Cut cut;
    cut.above = task.grid.width && has_whole_rows(task) ? task.grid.border % TILE_ROWS : 0;
    const int64_t tiles =
        ssimcu_divide_up(ssimcu_ssim_positions(task.height, task.zero_pad) + cut.above, TILE_ROWS);
    const int64_t columns =
        ssimcu_divide_up(ssimcu_ssim_positions(task.width, task.zero_pad), STRIP_COLS);
    const int64_t across =
        Loader::STEP == 1 ? ssimcu_divide_up(columns, Loader::BLOCK_WARPS) : columns;
    cut.runs = ssimcu_runs_make((int)across, (int)tiles,
                                SMS * Loader::SM_BLOCKS / chains_of<Loader>(task));
    cut.byte_bias = BYTE_BIAS_HIGH;
    Loader::set_units(task, cut);
    cut.to_out = (int64_t)((uintptr_t)task.out - (uintptr_t)task.ref);
    cut.row_cells = columns * STRIP_COLS;
    cut.tails_at = cut.row_cells * task.grid.rows;
    const int64_t tails = (int64_t)cut.runs.count * cut.runs.abreast * PLANE_WARPS<Loader>;
    cut.numbers = cut.tails_at + tails * STRIP_COLS;
    const int64_t floats =
        SSIMCU_TILE_NUMBERS * cut.numbers + (task.grid.features ? feature_place(cut.numbers) : 0);
    cut.plane_cells = floats * sizeof(float) / sizeof(double);
    return cut;
}

template <class Loader>
size_t blocks(const ssimcu_ssim_task &task, const Cut &cut)
{
    return (size_t)cut.runs.count * cut.runs.abreast * chains_of<Loader>(task) * task.frames;
}

template <class Loader>
size_t partials(const ssimcu_ssim_task &task)
{
    return blocks<Loader>(task, cut_frame<Loader>(task)) * Loader::BLOCK_WARPS;
}

/* Returns the kernel that makes only sums. */
template <class Loader>
auto *sums_kernel(const ssimcu_ssim_task &task)
{
    if constexpr (Loader::COUNTS_SQUARES)
        if (task.squares) return tensor_kernel<Loader, SQUARES>;
    return task.structure ? tensor_kernel<Loader, STRUCTURE> : tensor_kernel<Loader, SCORE>;
}

template <class Loader>
cudaError_t launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    const Cut cut = cut_frame<Loader>(task);
    const auto run = [&](auto *kernel, int beside) {
        return launch_beside(beside, kernel, (unsigned)blocks<Loader>(task, cut),
                             LANES * Loader::BLOCK_WARPS, stream, task, cut);
    };
    cudaError_t error = cudaSuccess;
    if (task.map) error = run(tensor_kernel<Loader, MAP>, task.beside);
    if constexpr (Loader::BOUNDED)                   /* the plan wants no tiles of other kernels */
        if (task.grid.width && error == cudaSuccess) /* this kernel makes the score */
            error = run(task.grid.features ? tensor_kernel<Loader, FEATURES>
                                           : tensor_kernel<Loader, TILES>,
                        task.beside && !task.map);
    if (!task.map && !task.grid.width) error = run(sums_kernel<Loader>(task), task.beside);
    return error;
}

template <class Loader>
size_t cells(const ssimcu_ssim_task &task)
{
    return (size_t)cut_frame<Loader>(task).plane_cells * task.channels * task.frames;
}

template <class Loader>
cudaError_t launch_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                         cudaStream_t stream)
{
    const StripPieces<PLANE_WARPS<Loader>> pieces = {cut_frame<Loader>(task)};
    return ssimcu::launch_tiles(task, pieces, reduction, stream);
}

} // namespace ssimcu::tensor
