/* What a warp adds up of a strip (strip.cuh): its score alone, or the tiles of the score's grid as
 * well.
 *
 * CELLS are sums over a column of windows within a row of the grid. A lane's windows lie in two
 * columns, and each has a sum of its own. At the end of a row of the grid, the four lanes of a
 * column add theirs up and one writes it. A run (run.h) may end before such a row does. It then
 * leaves its part of a strip, a tail, in a place of its own. So no two warps write the same number,
 * and the order of all sums is fixed. tiles.cuh adds up cells and tails. A cell has two numbers:
 * the sum of (1 - SSIM) / 2 and that of mean(d), for the shift of a tile.
 *
 * Tiles begin `above` rows above the frame (strip.cuh). So rows of the grid whose height is a
 * multiple of TILE_ROWS end with a tile. Other rows end inside a tile: there each window is looked
 * at.
 */
#ifndef SSIMCU_ACCOUNT_CUH
#define SSIMCU_ACCOUNT_CUH

#include "ssim/strip.cuh"
#include "ssim/tiles.cuh"

namespace ssimcu::tensor
{

/* The place of a lane's windows in a tile: columns g and g + 8, rows 2 t and 2 t + 1. */
struct Lane {
    int g, t;
    __device__ __forceinline__ Lane() : g(threadIdx.x % LANES / 4), t(threadIdx.x % 4) {}
};

/* Sums of (1 - SSIM) / 2 of the strip under way. h is 0 or 1, which of a lane's columns. Rows count
 * from the strip's first. */
template <bool TILES>
struct Account {
    Sum sum;
    float acc = 0; /* sum of up to three tiles */

    __device__ __forceinline__ Account(const ssimcu_ssim_task &, const Cut &, const Strip &) {}
    /* Returns how many of the tiles that lie wholly in the frame may be added without a look at
     * rows. */
    __device__ __forceinline__ int plain(const ssimcu_ssim_task &, int tiles) const
    {
        return tiles;
    }
    /* Returns the tiles up to the end of the row of the grid, if it ends with a tile, else all. */
    __device__ __forceinline__ int stop(const ssimcu_ssim_task &, int tiles) const { return tiles; }
    __device__ __forceinline__ float &of(int) { return acc; }
    __device__ __forceinline__ void add(int, int, float e, float) { acc += e; }
    __device__ __forceinline__ void add_shift(int, float) {}
    __device__ __forceinline__ bool ends_before(int) const { return false; }
    __device__ __forceinline__ void add_late(int, int, float, float) {}
    __device__ __forceinline__ void end_row(const ssimcu_ssim_task &, const Cut &) {}
    __device__ __forceinline__ void end_tile(const ssimcu_ssim_task &, const Cut &, const Strip &,
                                             int)
    {
    }
    __device__ __forceinline__ void settle()
    {
        sum.add(acc);
        acc = 0;
    }
    /* Adds the strip's last tiles, whose sum was made elsewhere. */
    __device__ __forceinline__ void add_rest(const Sum &rest)
    {
        settle();
        sum.add(rest.total);
        sum.add(-rest.lost);
    }
    /* Returns the strip's sum, in lane 0. */
    __device__ __forceinline__ double finish(const ssimcu_ssim_task &, const Cut &, const Strip &,
                                             int)
    {
        return sum_lanes(sum);
    }
};

/* Says whether rows of the grid end where a tile of the strip does. */
__host__ __device__ __forceinline__ bool has_whole_rows(const ssimcu_ssim_task &task)
{
    return task.grid.height % TILE_ROWS == 0;
}

/* Returns the cells of a plane. */
__device__ __forceinline__ float *cells_of_plane(const ssimcu_ssim_task &task, const Cut &cut,
                                                 int64_t plane)
{
    return reinterpret_cast<float *>(task.cells + plane * cut.plane_cells);
}

/* The strip's score and its cells. A column's part of a row of the grid is short enough to be added
 * up in float. Values that not every tile needs lie in shared memory, because registers are
 * short. */
template <>
struct Account<true> {
    float acc[2] = {0, 0}, shift[2] = {0, 0};
    int end; /* end of the row of the grid */

    __device__ __forceinline__ Account(const ssimcu_ssim_task &task, const Cut &cut,
                                       const Strip &strip)
        : Account(task, cut, strip, (strip.y0 + (int)task.grid.border) / (int)task.grid.height)
    {
    }
    __device__ __forceinline__ Account(const ssimcu_ssim_task &task, const Cut &cut,
                                       const Strip &strip, int row)
        : end((row + 1) * (int)task.grid.height - (int)task.grid.border - strip.y0)
    {
        late(0) = late(1) = late_shift(0) = late_shift(1) = 0;
        total() = 0;
        cell() = cells_of_plane(task, cut, strip.plane_index) + (int64_t)row * cut.row_cells +
                 strip.x0 + own_column();
    }
    __device__ __forceinline__ int plain(const ssimcu_ssim_task &task, int tiles) const
    {
        return has_whole_rows(task) ? tiles : min(tiles, end / TILE_ROWS);
    }
    __device__ __forceinline__ int stop(const ssimcu_ssim_task &task, int tiles) const
    {
        return has_whole_rows(task) ? min(tiles, end / TILE_ROWS) : tiles;
    }
    __device__ __forceinline__ float &of(int h) { return acc[h]; }
    __device__ __forceinline__ void settle() {}

    static constexpr int MOST_THREADS = 4 * LANES;
    /* A lane's sums of the next row of the grid, as far as its rows are in the tile under way. */
    static __device__ __forceinline__ float &late(int h)
    {
        __shared__ float sums[2][MOST_THREADS];
        return sums[h][threadIdx.x];
    }
    static __device__ __forceinline__ float &late_shift(int h)
    {
        __shared__ float sums[2][MOST_THREADS];
        return sums[h][threadIdx.x];
    }
    /* A lane's sum over the rows that have ended. */
    static __device__ __forceinline__ double &total()
    {
        __shared__ double sums[MOST_THREADS];
        return sums[threadIdx.x];
    }
    /* The place where a lane writes its column's sum at the end of the row, if it has a column. */
    static __device__ __forceinline__ float *&cell()
    {
        __shared__ float *cells[MOST_THREADS];
        return cells[threadIdx.x];
    }
    static __device__ __forceinline__ bool has_column() { return threadIdx.x % 4 < 2; }
    static __device__ __forceinline__ int own_column()
    {
        return threadIdx.x % LANES / 4 + threadIdx.x % 2 * 8;
    }

    __device__ __forceinline__ void add(int h, int row, float e, float mean_d)
    {
        acc[h] += row < end ? e : 0;
        shift[h] += row < end ? mean_d : 0;
    }
    __device__ __forceinline__ void add_shift(int h, float mean_d) { shift[h] += mean_d; }
    /* Handles a tile in which the row of the grid ends: add_late() takes what belongs to the
     * next. */
    __device__ __forceinline__ bool ends_before(int row) const { return end < row; }
    __device__ __forceinline__ void add_late(int h, int row, float e, float mean_d)
    {
        if (row < end) return;
        late(h) += e;
        late_shift(h) += mean_d;
    }

    /* Returns the sum of a column over its four lanes, in each lane that has it. Clears the parts.
     */
    static __device__ __forceinline__ float take(float (&part)[2])
    {
        const bool second = threadIdx.x % 2;
        float own = second ? part[1] : part[0];
        own += __shfl_xor_sync(ALL_LANES, second ? part[0] : part[1], 1);
        own += __shfl_xor_sync(ALL_LANES, own, 2);
        part[0] = part[1] = 0;
        return own;
    }
    /* Writes the sums of columns to cells, or to a tail. */
    __device__ __forceinline__ void write(const Cut &cut, float *to)
    {
        total() += (double)acc[0] + (double)acc[1];
        const float lost = take(acc), moved = take(shift);
        if (!has_column()) return;
        to[0] = lost;
        to[cut.numbers] = moved;
    }
    __device__ __forceinline__ void end_row(const ssimcu_ssim_task &task, const Cut &cut)
    {
        float *&to = cell();
        write(cut, to);
        to += cut.row_cells;
        end += task.grid.height;
    }

    /* Ends the row of the grid after a tile that was added with a look at rows, if it ends
     * there. */
    __device__ __forceinline__ void end_tile(const ssimcu_ssim_task &task, const Cut &cut,
                                             const Strip &strip, int tile)
    {
        if (end >= min((tile + 1) * TILE_ROWS, strip.rows)) return;
        end_row(task, cut);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            acc[h] = late(h);
            shift[h] = late_shift(h);
            late(h) = late_shift(h) = 0;
        }
    }
    /* Returns the strip's sum. `place` is the number of the run's tail among the plane's. */
    __device__ __forceinline__ double finish(const ssimcu_ssim_task &task, const Cut &cut,
                                             const Strip &strip, int place)
    {
        float *const tail = cells_of_plane(task, cut, strip.plane_index) + cut.tails_at +
                            place * STRIP_COLS + own_column();
        const bool whole = strip.at_foot || end == strip.rows;
        if (whole && !strip.at_foot && has_column()) tail[0] = tail[cut.numbers] = 0;
        write(cut, whole ? cell() : tail);
        return sum_lanes(total());
    }
};

/* The pieces of a tile (tiles.cuh): strips, each with its cells and the tails of the runs that
 * ended inside. `warps` is the number of strips of one plane that a block's warps walk down side by
 * side. */
struct StripPieces {
    static constexpr bool HAS_FEATURES = false;
    Cut cut;
    int warps;

    __device__ int count(const ssimcu_ssim_task &, const Tile &tile) const
    {
        return (tile.x1 - 1) / STRIP_COLS - tile.x0 / STRIP_COLS + 1;
    }
    /* Returns the first run of a chain that ends at `unit` or later. */
    __device__ int run_ending(int unit) const
    {
        int low = 0, high = cut.runs.count - 1;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (ssimcu_run_start(&cut.runs, middle + 1) < unit)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    /* Adds those of a strip's columns that lie in the tile, number by number. */
    __device__ void add_columns(const float *cells, int strip, const Tile &tile,
                                TileSums &sums) const
    {
#pragma unroll
        for (int n = 0; n < SSIMCU_TILE_NUMBERS; n++, cells += cut.numbers) {
            float column[STRIP_COLS];
#pragma unroll
            for (int i = 0; i < STRIP_COLS / 4; i++)
                reinterpret_cast<float4 *>(column)[i] = reinterpret_cast<const float4 *>(cells)[i];
            float sum = 0;
#pragma unroll
            for (int i = 0; i < STRIP_COLS; i++) {
                const uint32_t x = strip * STRIP_COLS + i;
                sum += x >= tile.x0 && x < tile.x1 ? column[i] : 0.0f;
            }
            sums.of[n] += sum;
        }
    }
    /* Adds up the cells and the tails. A run of no units leaves no tail, nor does one that ends
     * with the strip. */
    __device__ TileSums get(const ssimcu_ssim_task &task, int plane, int piece,
                            const Tile &tile) const
    {
        const int strip = tile.x0 / STRIP_COLS + piece, block = strip / warps;
        const float *const cells = cells_of_plane(task, cut, plane);
        const float *const tails = cells + cut.tails_at;
        const int abreast = cut.runs.abreast, band = block / abreast;
        const int above = band * (cut.runs.tiles + FILL_TILES) + FILL_TILES;
        const int first = ((int)tile.y0 + cut.above) / TILE_ROWS;
        const int last = min(((int)tile.y1 + cut.above) / TILE_ROWS, cut.runs.tiles - 1);
        TileSums sums = {};
        add_columns(cells + (int64_t)tile.row * cut.row_cells + strip * STRIP_COLS, strip, tile,
                    sums);
        for (int run = run_ending(above + first + 1); run < cut.runs.count; run++) {
            const int end = ssimcu_run_start(&cut.runs, run + 1);
            const int place = (run * abreast + block % abreast) * warps + strip % warps;
            if (end > above + last) break;
            if (end > ssimcu_run_start(&cut.runs, run))
                add_columns(tails + (int64_t)place * STRIP_COLS, strip, tile, sums);
        }
        sums.of[SSIMCU_TILE_SSIM] *= 2;
        sums.of[SSIMCU_TILE_SHIFT] *= cut.levels;
        return sums;
    }
};

} // namespace ssimcu::tensor

#endif
