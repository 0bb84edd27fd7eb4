/* How a frame is cut for the tensor cores. A Source (source_u8.cuh, source_f32.cuh)
 * says how many bytes a pixel has and how a warp reads a tile of its strip: 8 rows and 32 columns,
 * 8 pixels of a row per lane, straight from device memory into registers. */
#ifndef SSIMCU_STRIP_CUH
#define SSIMCU_STRIP_CUH

#include "kernels.h"
#include "ssim/mma_f16.cuh"
#include "ssim/sum.cuh"

#include <limits.h>

namespace
{

constexpr int STRIP_COLS = 16; /* window positions across a strip: rows of an MMA's result */
constexpr int TILE_ROWS = 8;   /* rows of a tile: columns of an MMA's result */
constexpr int OPEN = TAPS - 1;
constexpr int PAD_LEFT = 8; /* a strip's reads start that far left of it with zero padding */

enum { REF, OUT, IMAGES };
enum { S, D, SS, DD, MOMENTS };

/* How strips are read that reach over a side of the frame. BY_SAMPLE: each sample by itself, or 0.
 * MASKED: like others, on into the row before or after, which is there but for the frame's first
 * and last row; what lies outside becomes 0 at its use. MASKED_APART: so, in a function of its own,
 * whose masks take no registers from the others. */
enum Edges { BY_SAMPLE, MASKED, MASKED_APART };

/* What a warp works on. */
struct Strip {
    const uint8_t *plane; /* of the reference: first sample of channel 0 or of the plane */
    int64_t plane_index, partial;
    int x0, y0;     /* first window position */
    int rows, cols; /* window positions */
    int first_row;  /* of the frame, under tile 0 */
    int first_byte; /* of this lane in a row */
    int channel;
    int tile_whole, tiles_whole; /* tiles that can be read without a look at the frame's edges */
    bool is_edge;                /* some columns lie outside the frame */
};

/* How a frame is cut. A block's warps stand side by side, so that they share what they read: on
 * neighbouring columns, or on the channels of the same pixels. */
struct Cut {
    int across, down; /* blocks, of a plane or, where pixels are interleaved, of a frame */
    int rows;         /* window positions down a strip, a multiple of TILE_ROWS */
    unsigned exponents;
    int64_t to_out; /* bytes from a sample of the reference to that of the other frame */
};

/* Sets which tiles lie inside the frame as far as they are read, and whether columns lie outside. A
 * masked strip may read as far beyond a side as a row reaches. */
template <class Source>
__device__ __forceinline__ void find_whole_tiles(const ssimcu_ssim_task &task, int row_bytes,
                                                 Strip &strip)
{
    const int last_byte = strip.first_byte + Source::LANE_REACH * Source::PIXEL_BYTES;
    const int before = Source::MARGIN - strip.first_byte;
    const int after = last_byte + Source::MARGIN - row_bytes;
    const int room = Source::EDGES == BY_SAMPLE ? 0 : (int)min(task.pitch_bytes, (int64_t)INT_MAX);
    const bool to_left = __any_sync(ALL_LANES, before > 0);
    const bool to_right = __any_sync(ALL_LANES, after > 0);
    const bool has_room = __all_sync(ALL_LANES, max(before, after) <= room);
    const int last = (task.height - to_right - strip.first_row) / TILE_ROWS;
    strip.tile_whole = strip.first_row < to_left ? 1 : 0;
    strip.tiles_whole = has_room ? max(last - strip.tile_whole, 0) : 0;
    strip.is_edge = __any_sync(ALL_LANES, strip.first_byte < 0 || last_byte > row_bytes);
}

template <class Source>
__device__ __forceinline__ Strip own_strip(const ssimcu_ssim_task &task, const Cut &cut)
{
    Strip strip;
    const int lane = threadIdx.x % LANES;
    const int warp = __shfl_sync(ALL_LANES, threadIdx.x / LANES, 0);
    const int across = blockIdx.x % cut.across, rest = blockIdx.x / cut.across;
    const int down = rest % cut.down, plane = rest / cut.down;
    const int frame = Source::STEP == 1 ? plane / task.channels : plane;
    const int channel = Source::STEP == 1 ? plane % task.channels : warp;
    const int column = Source::STEP == 1 ? across * Source::BLOCK_WARPS + warp : across;
    const int shrink = task.zero_pad ? 0 : OPEN;
    strip.plane_index = frame * task.channels + channel;
    strip.partial = Source::STEP == 1 ? (int64_t)blockIdx.x * Source::BLOCK_WARPS + warp
                                      : (strip.plane_index * cut.down + down) * cut.across + across;
    strip.channel = Source::STEP == 1 ? 0 : channel;
    strip.x0 = column * STRIP_COLS;
    strip.y0 = down * cut.rows;
    strip.rows = min(cut.rows, task.height - shrink - strip.y0);
    strip.cols = min(STRIP_COLS, task.width - shrink - strip.x0);
    const int first_px = strip.x0 - (task.zero_pad ? PAD_LEFT : 0);
    strip.first_row = strip.y0 - (task.zero_pad ? SSIMCU_RADIUS : 0);
    strip.first_byte = (first_px + lane % 4 * Source::LANE_STEP) * Source::PIXEL_BYTES;
    strip.plane = static_cast<const uint8_t *>(task.ref) + frame * task.frame_bytes +
                  (Source::STEP == 1 ? channel * task.plane_bytes : 0);
    const int row_bytes = task.width * Source::PIXEL_BYTES;
    if (!task.zero_pad && strip.first_byte >= row_bytes) /* only windows that do not count see it */
        strip.first_byte = first_px * Source::PIXEL_BYTES;
    find_whole_tiles<Source>(task, row_bytes, strip);
    return strip;
}

/* Whether `tile` lies inside the frame, so that it can be read without a look at the edges. */
__device__ __forceinline__ bool inside(const Strip &strip, int tile)
{
    return (unsigned)(tile - strip.tile_whole) < (unsigned)strip.tiles_whole;
}

/* Asks for the line under the cursor and the one that lies `away` bytes further on. */
__device__ __forceinline__ void prefetch(const uint8_t *cursor, int64_t away)
{
    asm volatile("prefetch.global.L1 [%0];" ::"l"(cursor));
    asm volatile("prefetch.global.L1 [%0];" ::"l"(cursor + away));
}

} // namespace

#endif
