/* How a frame of 8-bit samples is cut into strips, and how a warp reads its strip: a tile of 8 rows
 * and 32 columns at a time, straight from device memory into registers, 8 pixels of a row per lane.
 * Used by ssim_u8.cu alone. */
#ifndef SSIMCU_STRIP_U8_CUH
#define SSIMCU_STRIP_U8_CUH

#include "kernels.h"
#include "ssim/mma_f16.cuh"

namespace
{

constexpr int LANES = 32;
constexpr int STRIP_COLS = 16;  /* window positions across a strip: rows of an MMA's result */
constexpr int TILE_ROWS = 8;    /* rows of a tile: columns of an MMA's result */
constexpr int STRIP_TILES = 25; /* at most, down a strip */
constexpr int BLOCK_WARPS = 4;
constexpr int OPEN = TAPS - 1;
constexpr int PAD_LEFT = 8; /* a strip's reads start that far left of it with zero padding */
constexpr unsigned ALL_LANES = 0xffffffffu;

enum { REF, OUT, IMAGES };

template <int STEP>
struct Raw {
    unsigned word[2 * STEP];
};

struct Strip {
    const uint8_t *plane; /* of the reference: first sample of channel 0 or of the plane */
    int64_t plane_index, partial;
    int x0, y0;     /* first window position */
    int rows, cols; /* window positions */
    int first_row;  /* of the frame, under tile 0 */
    int first_byte; /* of this lane in a row */
    int channel;
    int tile_whole, tiles_whole; /* tiles that lie inside the frame */
};

/* How a frame is cut into strips. */
struct Cut {
    int across, down; /* strips per plane */
    int rows;         /* window positions down a strip, a multiple of TILE_ROWS */
    unsigned exponents;
    int64_t to_out; /* bytes from a sample of the reference to that of the other frame */
};

template <int STEP, bool ALIGNED>
__device__ __forceinline__ Strip own_strip(const ssimcu_ssim_u8_task &task, const Cut &cut)
{
    Strip strip;
    const int lane = threadIdx.x % LANES;
    const int index = __shfl_sync(ALL_LANES, blockIdx.x * BLOCK_WARPS + threadIdx.x / LANES, 0);
    /* warps of a block share what they read: channels of the same pixels, else neighbours */
    const int cell = STEP == 1 ? index : index / STEP;
    const int column = cell % cut.across, rest = cell / cut.across;
    const int down = rest % cut.down, plane = rest / cut.down;
    const int channel = STEP == 1 ? plane % task.channels : index % STEP;
    const int frame = STEP == 1 ? plane / task.channels : plane;
    const int shrink = task.zero_pad ? 0 : OPEN;
    strip.plane_index = frame * task.channels + channel;
    strip.partial = (strip.plane_index * cut.down + down) * cut.across + column;
    strip.channel = STEP == 1 ? 0 : channel;
    strip.x0 = column * STRIP_COLS;
    strip.y0 = down * cut.rows;
    strip.rows = frame < task.frames ? min(cut.rows, task.height - shrink - strip.y0) : 0;
    strip.cols = min(STRIP_COLS, task.width - shrink - strip.x0);
    const int first_px = strip.x0 - (task.zero_pad ? PAD_LEFT : 0);
    strip.first_row = strip.y0 - (task.zero_pad ? SSIMCU_RADIUS : 0);
    strip.first_byte = (first_px + lane % 4 * LANE_PX) * STEP;
    const int64_t start = frame * task.frame_bytes + (STEP == 1 ? channel * task.plane_bytes : 0);
    strip.plane = task.ref + start;
    /* reads that are not aligned touch up to 3 bytes on either side */
    const int margin = ALIGNED ? 0 : 3, row_bytes = task.width * STEP;
    if (!task.zero_pad && strip.first_byte >= row_bytes)
        strip.first_byte = first_px * STEP; /* only windows that do not count see these */
    const bool whole =
        __all_sync(ALL_LANES, strip.first_byte >= margin &&
                                  strip.first_byte + LANE_PX * STEP + margin <= row_bytes);
    strip.tile_whole = strip.first_row < 0 ? 1 : 0;
    const int last = (task.height - strip.first_row) / TILE_ROWS;
    strip.tiles_whole = whole ? max(last - strip.tile_whole, 0) : 0;
    return strip;
}

/* The bytes from `at` on in a row of both frames, zeros outside [0, end). */
template <int STEP>
__device__ __noinline__ void read_carefully(const uint8_t *row, int64_t to_out, int at, int end,
                                            Raw<STEP> (&raw)[IMAGES])
{
#pragma unroll
    for (int image = 0; image < IMAGES; image++)
#pragma unroll
        for (int k = 0; k < 2 * STEP; k++) {
            unsigned word = 0;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int byte = at + 4 * k + i;
                if (byte >= 0 && byte < end)
                    word |= (unsigned)__ldg(row + image * to_out + byte) << 8 * i;
            }
            raw[image].word[k] = word;
        }
}

/* Reads 8 pixels per lane under the cursor, which stands in the first row of tile `tile`, and moves
 * it on by a tile. */
template <int STEP, bool ALIGNED>
__device__ __forceinline__ void read_tile(const ssimcu_ssim_u8_task &task, const Strip &strip,
                                          int tile, int lane, int64_t to_out,
                                          const uint8_t *&cursor, Raw<STEP> (&raw)[IMAGES])
{
    if ((unsigned)(tile - strip.tile_whole) < (unsigned)strip.tiles_whole) {
        if ((unsigned)(tile + 1 - strip.tile_whole) < (unsigned)strip.tiles_whole) {
#pragma unroll
            for (int image = 0; image < IMAGES; image++)
                asm volatile("prefetch.global.L1 [%0];" ::"l"(cursor + image * to_out +
                                                              TILE_ROWS * task.pitch_bytes));
        }
        if (ALIGNED) {
#pragma unroll
            for (int image = 0; image < IMAGES; image++)
#pragma unroll
                for (int k = 0; k < STEP; k++) {
                    const uint2 v =
                        __ldg(reinterpret_cast<const uint2 *>(cursor + image * to_out) + k);
                    raw[image].word[2 * k] = v.x, raw[image].word[2 * k + 1] = v.y;
                }
        } else {
#pragma unroll
            for (int image = 0; image < IMAGES; image++) {
                const uintptr_t from = reinterpret_cast<uintptr_t>(cursor + image * to_out);
                const unsigned *words = reinterpret_cast<const unsigned *>(from & ~(uintptr_t)3);
                const unsigned shift = (unsigned)(from & 3) * 8;
                unsigned low = __ldg(words);
#pragma unroll
                for (int k = 0; k < 2 * STEP; k++) {
                    const unsigned high = __ldg(words + k + 1);
                    raw[image].word[k] = __funnelshift_r(low, high, shift);
                    low = high;
                }
            }
        }
    } else {
        const int row = strip.first_row + tile * TILE_ROWS + lane / 4;
        const int inside = min(max(row, 0), task.height - 1);
        const int end = task.zero_pad && inside != row ? 0 : task.width * STEP;
        const int64_t back = (int64_t)(row - inside) * task.pitch_bytes + strip.first_byte;
        Raw<STEP> careful[IMAGES];
        read_carefully(cursor - back, to_out, strip.first_byte, end, careful);
#pragma unroll
        for (int image = 0; image < IMAGES; image++) raw[image] = careful[image];
    }
    cursor += TILE_ROWS * task.pitch_bytes;
}

/* The 8 samples of a channel as f16 numbers 1024 + v, pair by pair. */
__device__ __forceinline__ void widen(const Raw<1> &raw, int, unsigned exponents,
                                      unsigned (&wide)[4])
{
#pragma unroll
    for (int p = 0; p < 4; p++)
        wide[p] = __byte_perm(raw.word[p / 2], exponents, p % 2 ? 0x4342 : 0x4140);
}

__device__ __forceinline__ void widen(const Raw<3> &raw, int channel, unsigned exponents,
                                      unsigned (&wide)[4])
{
    const unsigned even = 0x0300u + 0x0101u * channel; /* bytes c and c + 3 of 8 */
    const unsigned odd = 0x0502u + 0x0101u * channel;  /* bytes c + 2 and c + 5 */
#pragma unroll
    for (int p = 0; p < 4; p++) {
        const int w = p / 2 * 3 + p % 2;
        const unsigned pair = __byte_perm(raw.word[w], raw.word[w + 1], p % 2 ? odd : even);
        wide[p] = (pair & 0x00ff00ffu) | (exponents & 0xff00ff00u);
    }
}

} // namespace

#endif
