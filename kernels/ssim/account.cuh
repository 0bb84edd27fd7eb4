/* What a warp adds up of a strip (strip.cuh): its score alone, or the tiles of the score's grid as
 * well.
 *
 * A CELL is what a strip and a tile of the grid share: up to PARTS side by side, for a tile is at
 * least 11 windows wide. A lane's windows lie in two columns, which may be of two cells, and each
 * has a sum of its own. Where a row of the grid ends, the lanes' sums go to the row's cells. A run
 * (run.h) that ends before such a row does leaves its share, the tail, in a place of its own, so
 * that no two warps write the same number and the order of all sums is fixed. tiles.cuh adds up
 * cells and tails.
 */
#ifndef SSIMCU_ACCOUNT_CUH
#define SSIMCU_ACCOUNT_CUH

#include "ssim/strip.cuh"
#include "ssim/tiles.cuh"

namespace ssimcu::tensor
{

constexpr int PARTS = (STRIP_COLS - 2) / TAPS + 2;

/* Where a lane's windows of a tile are: columns g and g + 8, rows 2 t and 2 t + 1. */
struct Lane {
    int g, t;
    __device__ __forceinline__ Lane() : g(threadIdx.x % LANES / 4), t(threadIdx.x % 4) {}
};

/* Sums of (1 - SSIM) / 2 of the strip under way. h: 0 or 1, which of a lane's columns; rows count
 * from the strip's first. */
template <bool TILES>
struct Account {
    Sum sum;
    float acc = 0; /* of up to three tiles */

    __device__ __forceinline__ Account(const ssimcu_ssim_task &, const Strip &) {}
    /* How many of the tiles that lie wholly in the frame may be added without a look at rows. */
    __device__ __forceinline__ int plain(int tiles) const { return tiles; }
    __device__ __forceinline__ float &of(int) { return acc; }
    __device__ __forceinline__ void add(int, int, float e) { acc += e; }
    __device__ __forceinline__ void end_tile(const ssimcu_ssim_task &, const Cut &, const Strip &,
                                             int)
    {
    }
    __device__ __forceinline__ void settle()
    {
        sum.add(acc);
        acc = 0;
    }
    /* The strip's last tiles, whose sum was made elsewhere. */
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

/* A strip's part of a row of the grid is short enough to be added up in float. What is not needed
 * in every tile lies in shared memory or is worked out again: registers are short. */
template <>
struct Account<true> {
    float acc[2] = {0, 0};
    int end; /* of the row of the grid */

    __device__ __forceinline__ Account(const ssimcu_ssim_task &task, const Strip &strip)
    {
        const int height = task.grid.height, border = task.grid.border;
        end = ((strip.y0 + border) / height + 1) * height - border - strip.y0;
        late(0) = late(1) = 0;
    }
    __device__ __forceinline__ int plain(int tiles) const { return min(tiles, end / TILE_ROWS); }
    __device__ __forceinline__ float &of(int h) { return acc[h]; }
    __device__ __forceinline__ void settle() {}

    /* A lane's sums of the next row of the grid, as far as its rows are in the tile under way. */
    static __device__ __forceinline__ float &late(int h)
    {
        constexpr int MOST_THREADS = 4 * LANES;
        __shared__ float sums[2][MOST_THREADS];
        return sums[h][threadIdx.x];
    }
    __device__ __forceinline__ void add(int h, int row, float e)
    {
        if (row < end)
            acc[h] += e;
        else
            late(h) += e;
    }

    /* Windows from the strip's first column to the end of its first cell. */
    static __device__ __forceinline__ int first_cell(const ssimcu_ssim_task &task,
                                                     const Strip &strip)
    {
        return task.grid.width - (strip.x0 + task.grid.border) % task.grid.width;
    }
    /* How many whole cells lie before `column` where the first has so many columns. */
    static __device__ __forceinline__ int cell_of(const ssimcu_ssim_task &task, int column,
                                                  int first)
    {
        return column < first ? 0 : 1 + (column - first >= (int)task.grid.width);
    }
    /* The lanes' sums to a row of cells, or a tail; all are 0 then. */
    __device__ __forceinline__ void write(const ssimcu_ssim_task &task, const Strip &strip,
                                          double *to)
    {
        const int first = first_cell(task, strip), lane = threadIdx.x % LANES;
#pragma unroll 1
        for (int part = cell_of(task, strip.cols - 1, first); part >= 0; part--) {
            float own = cell_of(task, lane / 4, first) == part ? acc[0] : 0;
            own += cell_of(task, lane / 4 + 8, first) == part ? acc[1] : 0;
#pragma unroll
            for (int step = LANES / 2; step > 0; step /= 2)
                own += __shfl_down_sync(ALL_LANES, own, step);
            if (lane == 0) to[part] = 2 * (double)own;
        }
        acc[0] = acc[1] = 0;
    }
    __device__ __forceinline__ int row(const ssimcu_ssim_task &task, const Strip &strip,
                                       int window) const
    {
        return (strip.y0 + window + task.grid.border) / task.grid.height;
    }
    static __device__ __forceinline__ double *cells(const ssimcu_ssim_task &task, const Cut &cut,
                                                    const Strip &strip)
    {
        return task.cells + strip.plane_index * cut.plane_cells +
               (int64_t)strip.column * task.grid.rows * PARTS;
    }

    /* After a tile that was added with a look at rows. */
    __device__ __forceinline__ void end_tile(const ssimcu_ssim_task &task, const Cut &cut,
                                             const Strip &strip, int tile)
    {
        if (end >= min((tile + 1) * TILE_ROWS, strip.rows)) return;
        write(task, strip, cells(task, cut, strip) + row(task, strip, end - 1) * PARTS);
        end += task.grid.height;
#pragma unroll
        for (int h = 0; h < 2; h++) {
            acc[h] = late(h);
            late(h) = 0;
        }
    }
    /* The strip's sum, of what was written; `place`: which of the plane's tails is the run's. */
    __device__ __forceinline__ double finish(const ssimcu_ssim_task &task, const Cut &cut,
                                             const Strip &strip, int place)
    {
        const int lane = threadIdx.x % LANES, last = row(task, strip, strip.rows - 1);
        double *const own = cells(task, cut, strip);
        double *const tail = task.cells + strip.plane_index * cut.plane_cells + cut.tails_at +
                             (int64_t)place * PARTS;
        const bool whole = strip.at_foot || end == strip.rows;
        if (whole && !strip.at_foot && lane < PARTS) tail[lane] = 0;
        write(task, strip, whole ? own + last * PARTS : tail);
        __syncwarp();
        const int parts = cell_of(task, strip.cols - 1, first_cell(task, strip)) + 1;
        const int first = row(task, strip, 0);
        double sum = !whole && lane < parts ? tail[lane] : 0;
        for (int i = lane; i < (last - first + whole) * parts; i += LANES)
            sum += own[(first + i / parts) * PARTS + i % parts];
        return 0.5 * sum_lanes(sum);
    }
};

/* The pieces of a tile (tiles.cuh): strips, each with its cell and the tails of the runs that ended
 * inside. `warps`: strips of one plane that a block's warps walk down side by side. */
struct StripPieces {
    Cut cut;
    int warps;

    __device__ int count(const ssimcu_ssim_task &, const Tile &tile) const
    {
        return (tile.x1 - 1) / STRIP_COLS - tile.x0 / STRIP_COLS + 1;
    }
    /* The first run of a chain that ends at `unit` or later. */
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
    /* A run of no units leaves no tail, nor does one that ends with the strip. */
    __device__ double get(const ssimcu_ssim_task &task, int plane, int piece,
                          const Tile &tile) const
    {
        const int strip = tile.x0 / STRIP_COLS + piece, block = strip / warps;
        const int part = tile.column - (strip * STRIP_COLS + task.grid.border) / task.grid.width;
        const double *const cells = task.cells + plane * cut.plane_cells;
        const double *const tails = cells + cut.tails_at;
        const int abreast = cut.runs.abreast, band = block / abreast;
        const int above = band * (cut.runs.tiles + FILL_TILES) + FILL_TILES;
        const int last = min((int)tile.y1 / TILE_ROWS, cut.runs.tiles - 1);
        double sum = cells[((int64_t)strip * task.grid.rows + tile.row) * PARTS + part];
        for (int run = run_ending(above + tile.y0 / TILE_ROWS + 1); run < cut.runs.count; run++) {
            const int end = ssimcu_run_start(&cut.runs, run + 1);
            if (end > above + last) break;
            if (end > ssimcu_run_start(&cut.runs, run))
                sum += tails[((run * abreast + block % abreast) * warps + strip % warps) * PARTS +
                             part];
        }
        return sum;
    }
};

} // namespace ssimcu::tensor

#endif
