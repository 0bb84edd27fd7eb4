/* The pieces of tiles that the tensor-core kernels leave for tiles.cuh: strips, each with its cells
 * and the tails of runs. */
#pragma once

#include "ssim/tensor/accumulate.cuh"
#include "ssim/tiles.cuh"

namespace ssimcu::tensor
{

/* The pieces of a tile (tiles.cuh): strips, each with its cells and the tails of the runs that
 * ended inside. A block's warps walk down WARPS strips of one plane side by side. */
template <int WARPS>
struct StripPieces {
    Cut cut;

    __device__ int count(const ssimcu_ssim_task &, const Tile &tile) const
    {
        return (tile.x1 - 1) / STRIP_COLS - tile.x0 / STRIP_COLS + 1;
    }
    /* Returns the first run of a chain that ends at `unit` or later. Run r begins at r (length - r
     * shrink). A root of that finds r, except for rounding. */
    __device__ int run_ending(int unit) const
    {
        const float length = (float)cut.runs.length, shrink = (float)cut.runs.shrink;
        const float twice = 2 * (float)((int64_t)unit << SSIMCU_RUN_FRACTION);
        const float square = fmaf(length, length, -2 * shrink * twice);
        int run = (int)__fdividef(twice, fmaf(square, rsqrtf(fmaxf(square, 1)), length));
        run = min(max(run, 0), cut.runs.count - 1);
        while (run > 0 && ssimcu_run_start(&cut.runs, run) >= unit) run--;
        while (run < cut.runs.count - 1 && ssimcu_run_start(&cut.runs, run + 1) < unit) run++;
        return run;
    }
    __device__ double levels() const { return -cut.levels; }

    /* Returns the sum of the strip's columns that lie in the tile. */
    static __device__ float sum_columns(const float *cells, int strip, const Tile &tile)
    {
        __align__(16) float column[STRIP_COLS];
        float sum = 0;
#pragma unroll
        for (int i = 0; i < STRIP_COLS / 4; i++)
            reinterpret_cast<float4 *>(column)[i] = reinterpret_cast<const float4 *>(cells)[i];
#pragma unroll
        for (int i = 0; i < STRIP_COLS; i++) {
            const uint32_t x = strip * STRIP_COLS + i;
            sum += x >= tile.x0 && x < tile.x1 ? column[i] : 0.0f;
        }
        return sum;
    }
    /* Calls `take` with the place of a strip's cells in a tile, and with the place of each tail
     * there. An empty run leaves no tail, nor does a run that ends with the strip. */
    template <class Take>
    __device__ __forceinline__ void each(int strip, const Tile &tile, Take take) const
    {
        const int abreast = cut.runs.abreast, block = strip / WARPS, band = block / abreast;
        const int beside = block - band * abreast;
        const int above = band * (cut.runs.tiles + FILL_TILES) + FILL_TILES;
        const int first = ((int)tile.y0 + cut.above) / TILE_ROWS;
        const int last = min(((int)tile.y1 + cut.above) / TILE_ROWS, cut.runs.tiles - 1);
        take((int64_t)tile.row * cut.row_cells + strip * STRIP_COLS);
        for (int run = run_ending(above + first + 1); run < cut.runs.count; run++) {
            const int end = ssimcu_run_start(&cut.runs, run + 1);
            const int place = (run * abreast + beside) * WARPS + strip % WARPS;
            if (end > above + last) break;
            if (end > ssimcu_run_start(&cut.runs, run))
                take(cut.tails_at + (int64_t)place * STRIP_COLS);
        }
    }
    __device__ TileSums get(const ssimcu_ssim_task &task, int plane, int piece,
                            const Tile &tile) const
    {
        const int strip = tile.x0 / STRIP_COLS + piece;
        const float *const cells = cells_of_plane(task, cut, plane);
        TileSums sums = {};
        each(strip, tile, [&](int64_t at) {
#pragma unroll
            for (int n = 0; n < SSIMCU_TILE_NUMBERS; n++)
                sums.of[n] += sum_columns(cells + at + n * cut.numbers, strip, tile);
        });
        sums.of[SSIMCU_TILE_SSIM] *= 2;
        sums.of[SSIMCU_TILE_SHIFT] *= cut.levels;
        return sums;
    }

    /* For features a piece is a column, so that lanes read neighbours. */
    __device__ int feature_count(const ssimcu_ssim_task &, const Tile &tile) const
    {
        return (int)ssimcu_tile_even(tile.x0, tile.x1);
    }
    __device__ void add_features(const ssimcu_ssim_task &task, int plane, int planes, int piece,
                                 const Tile &tile,
                                 TileFeatures (&features)[SSIMCU_MAX_CHANNELS]) const
    {
        const uint32_t x = ((tile.x0 + 1) / 2 + piece) * 2;
        const float c2 =
            cut.scaled_c2 * ssimcu_tile_sum_rows(tile.y0, tile.y1, SSIMCU_TILE_TEXTURE);
        const int64_t plane_floats = cut.plane_cells * sizeof(double) / sizeof(float);
        const float *const cells =
            cells_of_plane(task, cut, plane) + SSIMCU_TILE_NUMBERS * cut.numbers;
        each(x / STRIP_COLS, tile, [&](int64_t at) {
            const float *const own = cells + feature_place(at + x % STRIP_COLS);
#pragma unroll
            for (int p = 0; p < SSIMCU_MAX_CHANNELS; p++) {
                if (p == planes) break;
                const float4 column = *reinterpret_cast<const float4 *>(own + p * plane_floats);
                features[p].add(column.x, column.y, column.z, column.w);
            }
        });
#pragma unroll
        for (int p = 0; p < SSIMCU_MAX_CHANNELS; p++) features[p].of[1] -= c2;
    }
};

} // namespace ssimcu::tensor
