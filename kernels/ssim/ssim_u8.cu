/* The SSIM kernel for 8-bit samples, on the tensor cores: u8 samples in, planar or interleaved, the
 * sum of 1 - SSIM per strip out (and the map). ssim.cu says which form is computed and why.
 *
 * DATA FLOW. One warp owns a strip of 16 columns and walks it down in tiles of 8 rows. A lane reads
 * 8 neighbouring pixels of a row of both frames, takes its channel's bytes, and makes s / 2 and
 * d / 2 from its origin, which are exact in f16, and their squares as two f16 numbers, exact too.
 * These are an operand: weights (16 columns x 32 pixels) times pixels (32 x 8 rows) gives the
 * horizontal sums of a tile, in f32. What a lane then holds is what it must hold of the left
 * operand of the next product, sums of three tiles (16 columns x 24 rows) times weights (24 x 8
 * rows), once written as f16 plus rest. So nothing passes through shared memory, and no warp waits
 * for another. The rest is a product as well: f32 sums minus f16 sums times the unit matrix.
 *
 * ROUNDING. Tensor cores cut off what a sum cannot hold, so moments far from the origin spoil a
 * variance. The warp shares one origin; where a pair of windows may feel it (dissimilarity()
 * below), the warp moves the origin to that window and does the tile again, for the windows that
 * are left. Each repeat settles at least one window, so it ends.
 *
 * WHY THESE SIZES. Times are of one 4K RGB frame on an H200, planar / interleaved, random pixels
 * against the same within 9 levels. 25 tiles cut a 4K plane into 11 x 240 strips: 94 / 97 us; 20
 * tiles 98 / 100; 30 tiles leave 0.07 of a wave over. Four blocks of four warps: 128 registers
 * without spills; with three blocks 10 us more, with five, which spill, 5 more. Pairs [rest | f16]
 * as one operand, so that the ring of three tiles moves no register, the second half of the weights
 * in another order, and the origin kept as f16: 131 -> 88 us per frame in a batch of 8. Edge lanes
 * that no window needs read their neighbour's pixels: 129 -> 96 us for one interleaved frame, whose
 * last strip was late. The next tile fetched into L1 one tile early: 2 us. FAR = 16 saves 5 us on
 * smooth frames, but is wrong by 3e-7 for noise on flat bright grey; 8 by 3e-8. Repeats cost most
 * where flat patches with noise meet at hard edges everywhere: 310 us; 144 us on a photo against
 * its JPEG.
 */
#include "ssim/strip_u8.cuh"

namespace
{

constexpr int SM_BLOCKS = 4; /* 16 warps of 128 registers */
constexpr float FAR = 8.0f;  /* what rounding may cost, see dissimilarity() */

/* The constants for s / 2 and d / 2, each moment times AREA. */
constexpr float K1 = (float)(SSIMCU_C1 / 2 * AREA * AREA);
constexpr float K2 = (float)(SSIMCU_C2 / 2 * AREA * AREA);

enum { S, D, SS, DD, MOMENTS };

/* Horizontal sums of a tile, 16 columns x 8 rows, as operand of the next product: f16 and the rest.
 */
struct Across {
    unsigned of[MOMENTS][4]; /* the rest 0 1, then f16 2 3 */
};

/* Where s / 2 and d / 2 are measured from, and what to add to y / 2 and - y / 2 for it. */
struct Origin {
    float s, d;
    unsigned shift_s, shift_d;
    __device__ __forceinline__ void set(float new_s, float new_d);
};

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

/* (1 - SSIM) / 2 of 4 windows as fractions, and whether rounding may be felt in a pair of them. */
struct Fractions {
    float top[4], bottom[4];
    bool far[2];
};

/* A moment about the origin is off by e = 2^-22 or so of itself, so b by e mean(s)^2 and v by
 * e mean(d)^2. On 1 - SSIM that makes e (mean(s)^2 v + mean(d)^2 b) / (b + v)^2, which the test
 * bounds for two neighbouring windows at once, with E[d^2] in the place of v, since v may come out
 * too small. */
__device__ __forceinline__ Fractions dissimilarity(const float (&moment)[MOMENTS][4],
                                                   const Origin &origin)
{
    Fractions f;
    float spread[4];
    const float from_s = origin.s * AREA, from_d = origin.d * AREA;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float s = moment[S][i], d = moment[D][i];
        const float b = fmaf(AREA, moment[SS][i], fmaf(-s, s, K2));
        const float v = fmaf(AREA, moment[DD][i], -(d * d));
        const float mean_s = s + from_s, mean_d = d + from_d;
        const float a = fmaf(mean_s, mean_s, K1), dd = mean_d * mean_d;
        spread[i] = b + v;
        f.top[i] = fmaf(a, v, b * dd);
        f.bottom[i] = (a + dd) * spread[i];
    }
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int i = 2 * h;
        const float s = moment[S][i], d = moment[D][i];
        const float risk_s = s * s * (moment[DD][i] + moment[DD][i + 1]);
        const float risk = fmaf(d * d, spread[i] + spread[i + 1], risk_s);
        f.far[h] = risk > FAR * (spread[i] * spread[i + 1]);
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

__device__ __forceinline__ double sum_lanes(double value)
{
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2)
        value += __shfl_down_sync(ALL_LANES, value, step);
    return value;
}

template <int STEP, bool ALIGNED, bool MAP>
__global__ void __launch_bounds__(LANES *BLOCK_WARPS, SM_BLOCKS)
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
