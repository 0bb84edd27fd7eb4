/* The SSIM kernel for 8-bit samples, on the tensor cores: u8 samples in, planar or interleaved, the
 * sum of 1 - SSIM per strip out (and the map).
 */
#include "core/contract.h"
#include "kernels.h"

#include <cuda_fp16.h>

namespace
{

#ifndef TILES
#    define TILES 25
#endif
#ifndef WARPS
#    define WARPS 4
#endif
#ifndef BLOCKS
#    define BLOCKS 4
#endif
#ifndef RESIDUAL_MMA
#    define RESIDUAL_MMA 1
#endif
#ifndef PF
#    define PF 2
#endif
#ifndef PFI
#    define PFI "prefetch.global.L2"
#endif
#ifndef FARS
#    define FARS 4
#endif

constexpr int LANES = 32;
constexpr int STRIP_COLS = 16;     /* window positions across a strip: rows of an MMA's result */
constexpr int TILE_ROWS = 8;       /* rows of a tile: columns of an MMA's result */
constexpr int STRIP_TILES = TILES; /* at most, down a strip */
constexpr int BLOCK_WARPS = WARPS;
constexpr int LANE_PX = 8; /* neighbouring pixels of a row that a lane reads: 4 lanes, 32 columns */
constexpr int TAPS = SSIMCU_TAPS;
constexpr int OPEN = TAPS - 1;
constexpr int PAD_LEFT = 8; /* a strip's reads start that far left of it with zero padding */
constexpr unsigned ALL_LANES = 0xffffffffu;
constexpr float FAR =
    FARS; /* an origin moves when mean(s)^2 / FAR + mean(d)^2 exceeds the spread */

/* The Gaussian times 0.85433, each tap rounded to f16, as f16 bits and as value * 2^21. */
constexpr int WEIGHT_UNITS[TAPS] = {1843,   13616,  64512, 195968, 381696, 476672,
                                    381696, 195968, 64512, 13616,  1843};

constexpr unsigned half_bits(int units)
{
    int exponent = -6; /* of units * 2^-21, biased by 15, for units in [1, 2) */
    while (units >> (exponent + 7)) exponent++;
    const int shift = exponent + 6 - 10;
    const int mantissa = shift >= 0 ? units >> shift : units << -shift;
    return units == 0 ? 0 : (unsigned)((exponent << 10) | (mantissa & 1023));
}

constexpr float weight_sum()
{
    int units = 0;
    for (int i = 0; i < TAPS; i++) units += WEIGHT_UNITS[i];
    return (float)units / (1 << 21);
}

/* Two neighbouring weights per word, zeros around them: word k + WEIGHT_ZEROS is weights k, k+1. */
constexpr int WEIGHT_ZEROS = 32;
struct WeightPairs {
    unsigned of[2 * WEIGHT_ZEROS];
    constexpr WeightPairs() : of()
    {
        for (int i = 0; i < 2 * WEIGHT_ZEROS; i++) {
            const int k = i - WEIGHT_ZEROS;
            const unsigned low = k >= 0 && k < TAPS ? half_bits(WEIGHT_UNITS[k]) : 0;
            const unsigned high = k + 1 >= 0 && k + 1 < TAPS ? half_bits(WEIGHT_UNITS[k + 1]) : 0;
            of[i] = low | high << 16;
        }
    }
};
__device__ constexpr WeightPairs PAIRS;

constexpr float AREA = weight_sum() * weight_sum(); /* what a window's weights add up to */
constexpr float RESCALE = 1.0f / AREA;
/* The constants for s / 2 and d / 2, each moment times AREA. */
constexpr float K1 = (float)(SSIMCU_C1 / 2 * AREA * AREA);
constexpr float K2 = (float)(SSIMCU_C2 / 2 * AREA * AREA);

enum { REF, OUT, IMAGES };
enum { S, D, SS, DD, MOMENTS };

/* Horizontal sums of a tile, 16 columns x 8 rows, as operand of the next product: f16 and the rest.
 */
struct Across {
    unsigned of[MOMENTS][4]; /* the rest 0 1, then f16 2 3 */
};

/* Weights as operands. */
struct Weights {
    unsigned across[2][4], down[3][2], minus_one;
};

/* Where s / 2 and d / 2 are measured from, and what to add to y / 2 and - y / 2 for it. */
struct Origin {
    float s, d;
    unsigned shift_s, shift_d;
    __device__ __forceinline__ void set(float new_s, float new_d);
};

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

__device__ __forceinline__ unsigned bits(__half2 v) { return *reinterpret_cast<unsigned *>(&v); }
__device__ __forceinline__ __half2 halves(unsigned v) { return *reinterpret_cast<__half2 *>(&v); }

__device__ __forceinline__ void mma16(float (&d)[4], unsigned a0, unsigned a1, unsigned a2,
                                      unsigned a3, unsigned b0, unsigned b1, const float (&c)[4])
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%10,%11,%12,%13};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(c[0]), "f"(c[1]),
                   "f"(c[2]), "f"(c[3]));
#endif
}

__device__ __forceinline__ void mma8(float (&d)[4], unsigned a0, unsigned a1, unsigned b0,
                                     const float (&c)[4])
{
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3},{%4,%5},{%6},{%7,%8,%9,%10};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
                 : "r"(a0), "r"(a1), "r"(b0), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
#endif
}

__device__ __forceinline__ void Origin::set(float new_s, float new_d)
{
    s = new_s, d = new_d;
    shift_s = bits(__float2half2_rn(-1024.0f - s));
    shift_d = bits(__float2half2_rn(-d));
}

__device__ __forceinline__ float reciprocal(float v)
{
    float r;
    asm("rcp.approx.ftz.f32 %0,%1;" : "=f"(r) : "f"(v));
    return r;
}

__device__ Weights load_weights(int lane, int shift)
{
    const int g = lane / 4, t = lane % 4;
    const unsigned *pair = PAIRS.of + WEIGHT_ZEROS;
    Weights w;
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            w.across[k][i] = pair[LANE_PX * t + 4 * k + 2 * (i / 2) - g - 8 * (i % 2) - shift];
#pragma unroll
    for (int k = 0; k < 3; k++)
#pragma unroll
        for (int i = 0; i < 2; i++)
            w.down[k][i] = __byte_perm(pair[2 * t + 8 * k - g], 0, i ? 0x1032 : 0x3210);
    w.minus_one = 2 * t == g ? 0xbc000000u : 2 * t + 1 == g ? 0xbc00u : 0;
    return w;
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
        if (PF && (unsigned)(tile + PF - strip.tile_whole) < (unsigned)strip.tiles_whole) {
#pragma unroll
            for (int image = 0; image < IMAGES; image++)
                asm volatile(PFI " [%0];" ::"l"((cursor + image * to_out) +
                                                PF * TILE_ROWS * task.pitch_bytes));
        }
        if (ALIGNED) {
#pragma unroll
            for (int image = 0; image < IMAGES; image++)
#pragma unroll
                for (int k = 0; k < STEP; k++) {
                    const uint2 v =
                        __ldg(reinterpret_cast<const uint2 *>((cursor + image * to_out)) + k);
                    raw[image].word[2 * k] = v.x, raw[image].word[2 * k + 1] = v.y;
                }
        } else {
#pragma unroll
            for (int image = 0; image < IMAGES; image++) {
                const uintptr_t from = reinterpret_cast<uintptr_t>((cursor + image * to_out));
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

__device__ __forceinline__ void split(float (&v)[4], unsigned minus_one, unsigned (&sums)[4])
{
    sums[2] = bits(__floats2half2_rn(v[1], v[0]));
    sums[3] = bits(__floats2half2_rn(v[3], v[2]));
    float rest[4];
    mma8(rest, sums[2], sums[3], minus_one, v);
    sums[0] = bits(__floats2half2_rn(rest[0], rest[1]));
    sums[1] = bits(__floats2half2_rn(rest[2], rest[3]));
}

/* Horizontal sums of 8 rows. */
template <int STEP>
__device__ __forceinline__ void sum_across(const Raw<STEP> (&raw)[IMAGES], int channel,
                                           const Origin &origin, const Weights &w,
                                           unsigned exponents, Across &sums)
{
    const __half2 half = __float2half2_rn(0.5f), minus_half = __float2half2_rn(-0.5f);
    const __half2 shift_s = halves(origin.shift_s), shift_d = halves(origin.shift_d);
    unsigned x[4], y[4];
    widen(raw[REF], channel, exponents, x);
    widen(raw[OUT], channel, exponents, y);
    float mean[2][4] = {}, power[2][4] = {};
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const unsigned(&a)[4] = w.across[k];
#pragma unroll
        for (int q = S; q <= D; q++) {
            unsigned value[2], high[2], low[2];
#pragma unroll
            for (int p = 0; p < 2; p++) {
                const __half2 other = __hfma2(halves(y[2 * k + p]), q == S ? half : minus_half,
                                              q == S ? shift_s : shift_d);
                const __half2 v = __hfma2(halves(x[2 * k + p]), half, other);
                const __half2 square = __hmul2_rn(v, v);
                value[p] = bits(v);
                high[p] = bits(square);
                low[p] = bits(__hfma2(v, v, __hneg2(square)));
            }
            mma16(mean[q], a[0], a[1], a[2], a[3], value[0], value[1], mean[q]);
            mma16(power[q], a[0], a[1], a[2], a[3], low[0], low[1], power[q]);
            mma16(power[q], a[0], a[1], a[2], a[3], high[0], high[1], power[q]);
        }
    }
#pragma unroll
    for (int q = S; q <= D; q++) {
        split(mean[q], w.minus_one, sums.of[S + q]);
        split(power[q], w.minus_one, sums.of[SS + q]);
    }
}

/* Vertical sums: moments of 16 columns x 8 rows of windows. */
__device__ __forceinline__ void sum_down(const Across &f0, const Across &f1, const Across &f2,
                                         const Weights &w, float (&moment)[MOMENTS][4])
{
    const float zero[4] = {};
    const Across *const tile[3] = {&f0, &f1, &f2};
#pragma unroll
    for (int k = 2; k >= 0; k--)
#pragma unroll
        for (int m = 0; m < MOMENTS; m++) {
            const unsigned(&a)[4] = tile[k]->of[m];
            if (k == 2)
                mma16(moment[m], a[0], a[1], a[2], a[3], w.down[k][0], w.down[k][1], zero);
            else
                mma16(moment[m], a[0], a[1], a[2], a[3], w.down[k][0], w.down[k][1], moment[m]);
        }
}

/* (1 - SSIM) / 2 of 4 windows as fractions, and whether a window's mean lies far from the origin.
 */
struct Fractions {
    float top[4], bottom[4];
    bool far[2];
};

__device__ __forceinline__ Fractions dissimilarity(const float (&moment)[MOMENTS][4],
                                                   const Origin &origin)
{
    Fractions f;
    float spread[4], near_s[4], power_d[4], weight_d[4];
    const float from_s = origin.s * AREA, from_d = origin.d * AREA;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float s = moment[S][i], d = moment[D][i];
        const float rest_s = fmaf(-s, s, K2), square_d = d * d;
        const float b = fmaf(AREA, moment[SS][i], rest_s);
        const float v = fmaf(AREA, moment[DD][i], -square_d);
        const float mean_s = s + from_s, mean_d = d + from_d;
        const float a = fmaf(mean_s, mean_s, K1), dd = mean_d * mean_d;
        f.top[i] = fmaf(a, v, b * dd);
        f.bottom[i] = (a + dd) * (b + v);
        spread[i] = b + v;
        near_s[i] = rest_s, power_d[i] = moment[DD][i], weight_d[i] = square_d * b;
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int i = 2 * h;
        f.far[h] = fmaf(-near_s[i], power_d[i] + power_d[i + 1], weight_d[i]) >
                   FAR * (spread[i] * spread[i + 1]);
    }
    return f;
}

/* A running sum with its rounding error (Kahan): flat frames add the same number a thousand times.
 */
struct Sum {
    float total = 0, lost = 0;
    __device__ __forceinline__ void add(float value)
    {
        const float corrected = value - lost;
        const float next = total + corrected;
        lost = (next - total) - corrected;
        total = next;
    }
};

template <bool MAP>
__device__ __forceinline__ void store(const ssimcu_ssim_u8_task &task, const Strip &strip, int row,
                                      int column, float half_e)
{
    if (MAP)
        task.map[strip.plane_index * task.map_plane_floats +
                 (strip.y0 + row) * task.map_pitch_floats + strip.x0 + column] =
            fmaf(-2.0f, half_e, 1.0f);
}

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

__device__ __forceinline__ double sum_lanes(double value)
{
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        value += __shfl_down_sync(ALL_LANES, value, step);
    return value;
}

template <int STEP, bool ALIGNED, bool MAP>
__global__ void __launch_bounds__(LANES *BLOCK_WARPS, BLOCKS)
    ssim_u8_kernel(const __grid_constant__ ssimcu_ssim_u8_task task, const Cut cut)
{
    const Strip strip = own_strip<STEP, ALIGNED>(task, cut);
    if (strip.rows <= 0) return;
    const int lane = threadIdx.x % LANES, g = lane / 4, t = lane % 4;
    const Weights weights = load_weights(lane, task.zero_pad ? PAD_LEFT - SSIMCU_RADIUS : 0);
    const int tiles = (strip.rows + TILE_ROWS - 1) / TILE_ROWS;
    const int plain_tiles = strip.cols == STRIP_COLS ? strip.rows / TILE_ROWS : 0;
    const unsigned exponents = cut.exponents;
    Origin origin;
    origin.set(255, 0);
    Raw<STEP> raw[IMAGES];
    const uint8_t *cursor =
        strip.plane + (strip.first_row + g) * task.pitch_bytes + strip.first_byte;
    Sum sum;
    float acc = 0;
    int tile = -2, ready = 0, plain = -2;
    bool todo[2] = {true, true};

    while (tile < tiles) {
        bool restart = false;
        Across across[3] = {};
        read_tile<STEP, ALIGNED>(task, strip, tile + 2, lane, cut.to_out, cursor, raw);
        while (!restart && tile < tiles) {
#pragma unroll
            for (int phase = 0; phase < 3; phase++) {
                sum_across(raw, strip.channel, origin, weights, exponents, across[phase]);
                read_tile<STEP, ALIGNED>(task, strip, tile + 3, lane, cut.to_out, cursor, raw);
                float moment[MOMENTS][4];
                sum_down(across[(phase + 1) % 3], across[(phase + 2) % 3], across[phase], weights,
                         moment);
                const Fractions f = dissimilarity(moment, origin);
                if (!__any_sync(ALL_LANES, f.far[0] || f.far[1]) && tile < plain) {
                    if (MAP) {
#pragma unroll
                        for (int i = 0; i < 4; i++) {
                            const float e = f.top[i] * reciprocal(f.bottom[i]);
                            acc += e;
                            store<MAP>(task, strip, tile * TILE_ROWS + 2 * t + i % 2, g + i / 2 * 8,
                                       e);
                        }
                    } else {
#pragma unroll
                        for (int i = 0; i < 4; i += 2)
                            acc = fmaf(fmaf(f.top[i], f.bottom[i + 1], f.top[i + 1] * f.bottom[i]),
                                       reciprocal(f.bottom[i] * f.bottom[i + 1]), acc);
                    }
                } else if (tile >= ready) {
                    bool far[2];
#pragma unroll
                    for (int h = 0; h < 2; h++) {
                        const int row = tile * TILE_ROWS + 2 * t;
                        todo[h] = todo[h] && g + 8 * h < strip.cols && row < strip.rows;
                        far[h] = todo[h] && f.far[h];
#pragma unroll
                        for (int i = 2 * h; i < 2 * h + 2; i++)
                            if (todo[h] && !far[h] && row + i % 2 < strip.rows) {
                                const float e = f.top[i] * reciprocal(f.bottom[i]);
                                acc += e;
                                store<MAP>(task, strip, row + i % 2, g + h * 8, e);
                            }
                    }
                    const unsigned lanes = __ballot_sync(ALL_LANES, far[0] || far[1]);
                    if (lanes) {
                        const int from = __ffs(lanes) - 1;
                        const float s = far[0] ? moment[S][0] : moment[S][2];
                        const float d = far[0] ? moment[D][0] : moment[D][2];
                        origin.set(origin.s + rintf(__shfl_sync(ALL_LANES, s, from) * RESCALE),
                                   origin.d + rintf(__shfl_sync(ALL_LANES, d, from) * RESCALE));
                        todo[0] = far[0], todo[1] = far[1];
                        plain = -2;
                        ready = tile;
                        tile -= 2;
                        cursor -= 4 * TILE_ROWS * task.pitch_bytes;
                        restart = true;
                        break;
                    }
                    todo[0] = todo[1] = true;
                    plain = plain_tiles;
                }
                if (++tile == tiles) break;
            }
            sum.add(acc);
            acc = 0;
        }
    }
    const double total = sum_lanes((double)sum.total - (double)sum.lost);
    if (lane == 0) task.partial[strip.partial] = 2 * total;
}

int divide_up(int value, int by) { return (value + by - 1) / by; }

template <int STEP>
auto *pick(bool aligned, bool map)
{
    if (aligned) return map ? ssim_u8_kernel<STEP, true, true> : ssim_u8_kernel<STEP, true, false>;
    return map ? ssim_u8_kernel<STEP, false, true> : ssim_u8_kernel<STEP, false, false>;
}

/* Strips of equal height, so that the last one is not a sliver. */
Cut cut_frame(const ssimcu_ssim_u8_task &task)
{
    const int tiles = divide_up(ssimcu_ssim_positions(task.height, task.zero_pad), TILE_ROWS);
    Cut cut;
    cut.across = divide_up(ssimcu_ssim_positions(task.width, task.zero_pad), STRIP_COLS);
    const int strip_tiles = divide_up(tiles, divide_up(tiles, STRIP_TILES));
    cut.rows = strip_tiles * TILE_ROWS;
    cut.down = divide_up(tiles, strip_tiles);
    cut.exponents = 0x64646464;
    cut.to_out = (int64_t)((uintptr_t)task.out - (uintptr_t)task.ref);
    return cut;
}

} // namespace

size_t ssimcu_ssim_u8_partials(const ssimcu_ssim_u8_task *task)
{
    const Cut cut = cut_frame(*task);
    return (size_t)cut.across * cut.down * task->channels * task->frames;
}

cudaError_t ssimcu_ssim_u8_cuda(const ssimcu_ssim_u8_task *task, cudaStream_t stream)
{
    const unsigned blocks =
        (unsigned)((ssimcu_ssim_u8_partials(task) + BLOCK_WARPS - 1) / BLOCK_WARPS);
    const uint64_t all = (uint64_t)(uintptr_t)task->ref | (uint64_t)(uintptr_t)task->out |
                         (uint64_t)task->pitch_bytes | (uint64_t)task->frame_bytes |
                         (task->interleaved ? 0 : (uint64_t)task->plane_bytes);
    const bool pixels = task->interleaved && task->channels == 3;
    auto *kernel = pixels ? pick<3>(all % 8 == 0, task->map) : pick<1>(all % 8 == 0, task->map);
    kernel<<<blocks, LANES * BLOCK_WARPS, 0, stream>>>(*task, cut_frame(*task));
    return cudaGetLastError();
}
