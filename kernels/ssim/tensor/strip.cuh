/* A run's strips (run.h), and the places where a warp reads them. A Loader (loader_*.cuh) defines
 * the bytes of a pixel and how a warp reads a tile of its strip. A tile is 8 rows by 32 columns.
 * Each lane reads 8 pixels of a row directly from device memory into registers. */
#pragma once

#include "kernels.h"
#include "ssim/run.h"
#include "ssim/tensor/mma_f16.cuh"

#include <limits.h>

namespace ssimcu::tensor
{

constexpr int FILL_TILES = SSIMCU_FILL_TILES;
constexpr int READ_COLS = 32;  /* pixels of a row that a warp reads, four lanes */
constexpr int STRIP_COLS = 16; /* window positions across a strip: rows of an MMA's result */
constexpr int TILE_ROWS = 8;   /* rows of a tile: columns of an MMA's result */
constexpr int PAD_LEFT = 8;    /* with zero padding, reads start so far left of a strip */

/* A strip, which one warp walks down. */
struct Strip {
    const uint8_t *plane; /* first sample of channel 0 or of the plane, in the reference */
    int64_t plane_index;
    int column;     /* column of strips */
    int x0, y0;     /* first window position; y0 is negative if tiles begin above the frame */
    int rows, cols; /* window positions */
    bool at_foot;   /* it is the lowest strip of its columns */
    int first_row;  /* row of the frame under tile 0 */
    int first_byte; /* first byte of this lane in a row */
    int ahead;      /* bytes from there to the line that the lane prefetches */
    int channel;
    int tile_whole, tiles_whole; /* first tile, and number of tiles, that can be read without edge
                                    tests */
    bool is_edge;                /* some columns lie outside the frame */
    bool counts;                 /* this lane's first pixel lies left of the right side */
};

struct Cut {
    ssimcu_runs runs;
    unsigned byte_bias;  /* BYTE_BIAS_HIGH */
    int64_t to_out;      /* bytes from a sample of the reference to that of the other frame */
    int above;           /* rows of the first tile above the first windows */
    int64_t row_cells;   /* floats of the cells of a row of the score's grid */
    int64_t tails_at;    /* floats before a plane's tails, which lie behind its cells */
    int64_t numbers;     /* floats from one number's cells and tails to the next number's */
    int64_t plane_cells; /* doubles of the cells and tails of a plane, of all numbers */
    double levels;       /* shift of a window's mean(d) / 2, AREA times too large, in 255ths */
    float scaled_c1, scaled_c2; /* 2 C1 and 2 C2 in the loader's units, except of bytes */
    int shift;                  /* left shift of a 16-bit sample */
    float half_unit, scale;     /* factors of a float sample (float_terms.cuh) */
    float home;                 /* white of floats as a share of 256 */
};

/* Sets 2 C1, 2 C2 and levels for moments of s / 2 and d / 2. These are AREA times too large,
 * because weights are not divided by their sum. `white` is in the loader's units. */
inline void set_white(double white, Cut &cut)
{
    cut.scaled_c1 = (float)(SSIMCU_C1(white) / 2 * AREA * AREA);
    cut.scaled_c2 = (float)(SSIMCU_C2(white) / 2 * AREA * AREA);
    cut.levels = -2 * SSIMCU_PEAK / (AREA * white);
}

/* Sets the tiles whose reads lie inside the frame, and whether columns lie outside. Such columns
 * are masked. They may be read as far beyond a side as a row reaches. */
template <class Loader>
__device__ __forceinline__ void find_whole_tiles(const ssimcu_ssim_task &task, int row_bytes,
                                                 Strip &strip)
{
    const int last_byte = strip.first_byte + Loader::LANE_REACH * Loader::PIXEL_BYTES;
    const int before = Loader::MARGIN - strip.first_byte;
    const int after = last_byte + Loader::MARGIN - row_bytes;
    const int room = (int)min(task.pitch_bytes, (int64_t)INT_MAX);
    const bool to_left = __any_sync(ALL_LANES, before > 0);
    const bool to_right = __any_sync(ALL_LANES, after > 0);
    const bool has_room = __all_sync(ALL_LANES, max(before, after) <= room);
    const int last = (task.height - to_right - strip.first_row) / TILE_ROWS;
    strip.tile_whole = max(to_left - strip.first_row + TILE_ROWS - 1, 0) / TILE_ROWS;
    strip.tiles_whole = has_room ? max(last - strip.tile_whole, 0) : 0;
    strip.is_edge = __any_sync(ALL_LANES, strip.first_byte < 0 || last_byte > row_bytes);
}

/* Returns the number of a frame's chains that run side by side. */
template <class Loader>
__host__ __device__ __forceinline__ int chains_of(const ssimcu_ssim_task &task)
{
    return Loader::STEP == 1 ? task.channels : 1;
}

/* The units [at, end) of a chain, the work of a block. */
struct Run {
    int chain, index, at, end;
};

/* Returns the block's run. The runs of a frame's chains alternate, so that each chain has equally
 * many long runs. */
template <class Loader>
__device__ __forceinline__ Run own_run(const ssimcu_ssim_task &task, const Cut &cut)
{
    const int chains = chains_of<Loader>(task), index = blockIdx.x / chains;
    const int blocks = cut.runs.count * cut.runs.abreast;
    Run run;
    run.chain = index / blocks * chains + blockIdx.x % chains;
    run.index = ssimcu_run_at(&cut.runs, index % blocks);
    run.at = ssimcu_run_start(&cut.runs, run.index / cut.runs.abreast);
    run.end = ssimcu_run_start(&cut.runs, run.index / cut.runs.abreast + 1);
    return run;
}

/* Returns the part of a run in one band, from unit `at` on, and moves `at` past it. */
template <class Loader>
__device__ __forceinline__ Strip next_strip(const ssimcu_ssim_task &task, const Cut &cut, Run &run)
{
    Strip strip;
    const int lane = threadIdx.x % LANES;
    const int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);
    const int band_units = cut.runs.tiles + FILL_TILES, unit = run.at % band_units;
    const int across = run.at / band_units * cut.runs.abreast + run.index % cut.runs.abreast;
    const int next = min(unit + run.end - run.at, band_units);
    run.at += next - unit;
    const int column = Loader::STEP == 1 ? across * Loader::BLOCK_WARPS + warp : across;
    const int shrink = task.zero_pad ? 0 : OPEN;
    const int frame = Loader::STEP == 1 ? run.chain / task.channels : run.chain;
    const int channel = Loader::STEP == 1 ? run.chain % task.channels : warp;
    strip.plane_index = frame * task.channels + channel;
    strip.channel = Loader::STEP == 1 ? 0 : channel;
    strip.column = column;
    strip.at_foot = next == band_units;
    strip.x0 = column * STRIP_COLS;
    const int tile0 = max(unit - FILL_TILES, 0), tile1 = max(next - FILL_TILES, 0);
    strip.y0 = tile0 * TILE_ROWS - cut.above;
    strip.rows = min((tile1 - tile0) * TILE_ROWS, task.height - shrink - strip.y0);
    strip.cols = min(STRIP_COLS, task.width - shrink - strip.x0);
    const int first_px = strip.x0 - (task.zero_pad ? PAD_LEFT : 0);
    strip.first_row = strip.y0 - (task.zero_pad ? SSIMCU_RADIUS : 0);
    strip.first_byte = (first_px + lane % 4 * Loader::LANE_STEP) * Loader::PIXEL_BYTES;
    strip.plane = static_cast<const uint8_t *>(task.ref) + frame * task.frame_bytes +
                  (Loader::STEP == 1 ? channel * task.plane_bytes : 0);
    const int row_bytes = task.width * Loader::PIXEL_BYTES;
    strip.counts = strip.first_byte < row_bytes;
    if (!task.zero_pad && strip.first_byte >= row_bytes) /* no window that counts uses it */
        strip.first_byte = first_px * Loader::PIXEL_BYTES;
    const bool has_neighbour = Loader::STEP == 1 && warp < Loader::BLOCK_WARPS - 1;
    const int spread = lane % 4 * (READ_COLS * Loader::PIXEL_BYTES - 1) / 3;
    strip.ahead = has_neighbour ? 0 : spread - lane % 4 * Loader::LANE_STEP * Loader::PIXEL_BYTES;
    find_whole_tiles<Loader>(task, row_bytes, strip);
    return strip;
}

/* Returns whether `tile` lies inside the frame and can be read without edge tests. */
__device__ __forceinline__ bool inside(const Strip &strip, int tile)
{
    return (unsigned)(tile - strip.tile_whole) < (unsigned)strip.tiles_whole;
}

/* Prefetches the line at the cursor and the line `away` bytes further on, a tile before they are
 * read. 4K RGB float planes on an H200 go from 127 to 120 us. A warp prefetches the half of its
 * rows that its left neighbour also reads. Only the last warp of a block prefetches both halves
 * (130 to 118). */
__device__ __forceinline__ void prefetch(const uint8_t *cursor, int64_t away)
{
    asm volatile("prefetch.global.L1 [%0];" ::"l"(cursor));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(cursor + away));
}

} // namespace ssimcu::tensor
