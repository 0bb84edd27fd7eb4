/* Small frames: every window is computed by itself, in double. Float kernels are off by up to 2e-6
 * on a single window of hard edges. The mean over a large frame hides that, but the mean over a few
 * windows does not. A faster kernel would save no time, because a launch costs more than the work.
 *
 * FORM. This is the form of ssim.cuh. In double it needs no origin.
 *
 * DATA FLOW. A thread owns a window of 121 pairs of samples. Its neighbours read them as well, and
 * the first-level cache holds them. It sums along x, then along y. A warp's 32 windows make one
 * partial sum.
 *
 * At SSIMCU_DOUBLE_POSITIONS windows, this takes about as long as ssim_fma.cu.
 */
#include "core/values.cuh"
#include "kernels.h"
#include "ssim/paths.cuh"
#include "ssim/tiles.cuh"

namespace ssimcu
{
namespace
{

constexpr int WARPS = 4; /* warps per block */

__device__ constexpr double G[TAPS] = SSIMCU_GAUSSIAN;

/* The means of s = x + y, d = x - y, and their squares. */
struct Moments {
    double s = 0, d = 0, ss = 0, dd = 0;
    __device__ __forceinline__ void add(double weight, const Moments &m)
    {
        s = fma(weight, m.s, s);
        d = fma(weight, m.d, d);
        ss = fma(weight, m.ss, ss);
        dd = fma(weight, m.dd, dd);
    }
};

/* Return a sample of a plane in plane units. */
__device__ __forceinline__ double in_units(float sample) { return sample; }
__device__ __forceinline__ double in_units(Fixed sample)
{
    return sample.number / (double)SSIMCU_FIXED_ONE;
}
__device__ __forceinline__ double in_units(AnyFixed sample)
{
    return ssimcu_fixed_is_large(sample.number) ? ssimcu_fixed_large(sample.number)
                                                : in_units(Fixed{sample.number});
}

/* Returns the sums of columns [x, x + 11) of one row, with zeros outside the frame. */
template <typename Sample>
__device__ __forceinline__ Moments blur_row(const Sample *ref, const Sample *out, int x, int width)
{
    Moments row;
    for (int i = 0; i < TAPS; i++) {
        if (x + i < 0 || x + i >= width) continue;
        const double a = in_units(ref[x + i]), b = in_units(out[x + i]), s = a + b, d = a - b;
        row.add(G[i], {s, d, s * s, d * d});
    }
    return row;
}

/* Returns 1 - SSIM of the window whose first sample is (x, y), and its moments. */
template <typename Sample>
__device__ __forceinline__ double dissimilarity(const ssimcu_ssim_task &task, double white,
                                                int64_t plane, int x, int y, Moments &window)
{
    for (int i = 0; i < TAPS; i++) {
        if (y + i < 0 || y + i >= task.height) continue;
        const int64_t row = plane + (y + i) * task.pitch_bytes;
        window.add(G[i], blur_row(reinterpret_cast<const Sample *>((const char *)task.ref + row),
                                  reinterpret_cast<const Sample *>((const char *)task.out + row), x,
                                  task.width));
    }
    const double a = fma(window.s, window.s, 2 * SSIMCU_C1(white)), dd = window.d * window.d;
    const double b = fma(-window.s, window.s, window.ss) + 2 * SSIMCU_C2(white), v = window.dd - dd;
    return 2 * fma(a, v, b * dd) / ((a + dd) * (b + v));
}

/* Writes the features of a window in row `row` to its cell, whose numbers lie `step` apart. */
__device__ __forceinline__ void note_features(const Moments &m, int row, double *cell, int step)
{
    const double var_d = m.dd - m.d * m.d;
    const bool is_difference = row % SSIMCU_TILE_SUM_ROWS == 0;
    cell[step * SSIMCU_TILE_DIFFERENCE] = is_difference ? fabs(m.d) : 0;
    cell[step * SSIMCU_TILE_TEXTURE] = is_difference ? 0 : m.ss - m.s * m.s + var_d;
    cell[step * SSIMCU_TILE_BRIGHT] = m.d < 0 ? var_d : 0;
    cell[step * SSIMCU_TILE_DARK] = m.d > 0 ? var_d : 0;
}

template <typename Sample>
__global__ void __launch_bounds__(LANES *WARPS)
    double_kernel(const __grid_constant__ ssimcu_ssim_task task, double white, int across,
                  int windows, int warps)
{
    const int lane = threadIdx.x % LANES;
    const int warp = blockIdx.x * WARPS + threadIdx.x / LANES, plane = warp / warps;
    if (plane >= task.frames * task.channels) return;
    const int window = warp % warps * LANES + lane, row = window / across;
    const int column = window - row * across, pad = task.zero_pad ? SSIMCU_RADIUS : 0;
    Moments moments;
    double e = 0;
    if (window < windows) {
        e = dissimilarity<Sample>(task, white,
                                  plane / task.channels * task.frame_bytes +
                                      plane % task.channels * task.plane_bytes,
                                  column - pad, row - pad, moments);
        if (task.map)
            task.map[plane * task.map_plane_floats + row * task.map_pitch_floats + column] =
                (float)(1 - e);
        if (task.grid.width) {
            double *const cells =
                task.cells + (int64_t)plane * ssimcu_tile_numbers(&task.grid) * windows;
            cells[window] = e;
            cells[windows + window] = moments.d * (-SSIMCU_PEAK / white);
            if (task.grid.features) note_features(moments, row, cells + window, windows);
        }
    }
    e = sum_lanes(e);
    if (lane == 0) task.partial[warp] = e;
    end_behind_kernel_before();
}

int windows_of(const ssimcu_ssim_task &task)
{
    return ssimcu_ssim_positions(task.width, task.zero_pad) *
           ssimcu_ssim_positions(task.height, task.zero_pad);
}

/* Returns the number of warps of a plane. */
int warps_of(const ssimcu_ssim_task &task)
{
    return (int)ssimcu_divide_up(windows_of(task), LANES);
}

/* The pieces of a tile are its windows. Each window is a cell. */
struct WindowPieces {
    int across, windows; /* windows of a plane's row, and of the plane */
    double level;        /* a unit of the planes in 255ths of white */

    __device__ int count(const ssimcu_ssim_task &, const Tile &tile) const
    {
        return (tile.x1 - tile.x0) * (tile.y1 - tile.y0);
    }
    /* Returns the first number of a window; the others lie `windows` apart. */
    __device__ const double *cell_of(const ssimcu_ssim_task &task, int plane, int x, int y) const
    {
        const int numbers = ssimcu_tile_numbers(&task.grid);
        return task.cells + (int64_t)plane * numbers * windows + y * across + x;
    }
    __device__ TileSums get(const ssimcu_ssim_task &task, int plane, int piece,
                            const Tile &tile) const
    {
        const int width = tile.x1 - tile.x0;
        const double *const cell =
            cell_of(task, plane, tile.x0 + piece % width, tile.y0 + piece / width);
        return {{cell[0], cell[windows]}};
    }
    __device__ int feature_count(const ssimcu_ssim_task &, const Tile &tile) const
    {
        return ssimcu_tile_even(tile.x0, tile.x1) * ssimcu_tile_even(tile.y0, tile.y1);
    }
    __device__ void add_features(const ssimcu_ssim_task &task, int plane, int planes, int piece,
                                 const Tile &tile,
                                 TileFeatures (&features)[SSIMCU_MAX_CHANNELS]) const
    {
        const int width = ssimcu_tile_even(tile.x0, tile.x1);
        const int x = ((tile.x0 + 1) / 2 + piece % width) * 2;
        const int y = ((tile.y0 + 1) / 2 + piece / width) * 2;
#pragma unroll
        for (int p = 0; p < SSIMCU_MAX_CHANNELS; p++)
            if (p < planes) features[p].add_cell(cell_of(task, plane + p, x, y), windows);
    }
    __device__ double levels() const { return level; }
};

} // namespace
} // namespace ssimcu

bool ssimcu::double_serves(const ssimcu_ssim_task &task)
{
    return (int64_t)ssimcu_ssim_positions(task.width, task.zero_pad) *
               ssimcu_ssim_positions(task.height, task.zero_pad) <=
           SSIMCU_DOUBLE_POSITIONS;
}

size_t ssimcu::double_partials(const ssimcu_ssim_task &task)
{
    return (size_t)warps_of(task) * task.channels * task.frames;
}

size_t ssimcu::double_cells(const ssimcu_ssim_task &task)
{
    return (size_t)windows_of(task) * ssimcu_tile_numbers(&task.grid) * task.channels * task.frames;
}

cudaError_t ssimcu::double_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                                 cudaStream_t stream)
{
    const WindowPieces pieces = {ssimcu_ssim_positions(task.width, task.zero_pad), windows_of(task),
                                 SSIMCU_PEAK / white_of(task)};
    return launch_tiles(task, pieces, reduction, stream);
}

cudaError_t ssimcu::double_launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    const int across = ssimcu_ssim_positions(task.width, task.zero_pad);
    const int windows = windows_of(task);
    const unsigned blocks = (unsigned)ssimcu_divide_up((int64_t)double_partials(task), WARPS);
    auto *kernel = task.samples != SSIMCU_SSIM_FIXED ? double_kernel<float>
                   : task.unbounded                  ? double_kernel<AnyFixed>
                                                     : double_kernel<Fixed>;
    return launch_beside(task.beside, kernel, blocks, LANES * WARPS, stream, task, white_of(task),
                         across, windows, warps_of(task));
}
