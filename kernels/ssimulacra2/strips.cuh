/* The large scales, on the tensor cores.
 *
 * DATA FLOW. A block of eight warps walks down a strip of 128 columns, eight rows a step. All of
 * its threads make XYB of the next eight rows, four pixels each, into a ring in shared memory.
 * Meanwhile they filter the rows before. A warp has 16 columns, all channels. The arithmetic is
 * that of ssim/tensor.cuh: weights (16 columns x 32 pixels) times pixels (32 x 8 rows), then the
 * sums of two such tiles (16 columns x 16 rows) times weights (16 x 8 rows), which are four rows
 * behind. What a lane holds after the first product is what it must hold for the second.
 *
 * DIGITS. What these scales add to the score are the edges of Y; the other weights are a thousandth
 * of those (weights.txt of the definition: at most 0.002 instead of 7 and 17; 1.1 for X at scale
 * 1). So s and d of Y are two f16 numbers each, all else is one. Squares are made of the rounded
 * numbers: a variance is then that of a slightly other picture, and 0 if that is flat. */
#ifndef SSIMCU_SSIMULACRA2_STRIPS_CUH
#define SSIMCU_SSIMULACRA2_STRIPS_CUH

#include "ssimulacra2/matrix.cuh"
#include "ssimulacra2/quads.cuh"

namespace ssimcu::s2
{

constexpr int THREADS = 256, WARPS = THREADS / LANES;
constexpr int STRIP_COLS = SSIMCU_S2_STRIP_COLS, STEP_ROWS = 8, WARP_COLS = 16;
static_assert(STRIP_COLS == WARPS * WARP_COLS && STEP_ROWS == WARPS,
              "a warp has columns and a row");

/* Shared memory: RING steps of arrays of f16 rows, which begin eight columns before the strip. */
constexpr int RING = 3, MARGIN = 8, ROW_BYTES = 2 * (STRIP_COLS + 2 * MARGIN) + 16;
constexpr int ARRAY_BYTES = STEP_ROWS * ROW_BYTES;
enum Array { X_S, X_D, B_S, B_D, Y_S, Y_D, Y_S_REST, Y_D_REST, ARRAYS };
constexpr int STEP_BYTES = ARRAYS * ARRAY_BYTES, RING_BYTES = RING * STEP_BYTES;
constexpr int CURVE_AT = RING_BYTES, STRIPS_SHARED = RING_BYTES + CODES * sizeof(float);
constexpr int ROW_QUADS = (STRIP_COLS + 2 * REACH) / QUAD, MORE_QUADS = ROW_QUADS - LANES;
static_assert(ROW_BYTES / 16 % 2 == 1, "rows of a matrix lie in different banks");

struct Strip {
    int x0, y0, rows; /* of its results */
    int width, height;
};

/* Four pixels, ready for the ring. */
struct Quad {
    Pixel of[QUAD];
};

/* Samples of frames, as strips take them. */
template <class Samples>
struct FramesInput {
    using Raw = typename Samples::Raw;
    struct Both {
        Raw ref, out;
    };
    Frames frames;
    const char *ref, *out; /* of this frame */
    const float *curve;

    __device__ __forceinline__ void load(int x, int y, Both &both) const
    {
        const int64_t row = (int64_t)y * frames.pitch;
        Samples::load(frames, ref + row, x, both.ref);
        Samples::load(frames, out + row, x, both.out);
    }

    __device__ __forceinline__ void convert(const Both &both, Quad &quad) const
    {
#pragma unroll
        for (int i = 0; i < QUAD; i++)
            quad.of[i] = pixel_of(Samples::roots(both.ref, curve, frames.to_unit, i),
                                  Samples::roots(both.out, curve, frames.to_unit, i));
    }
};

/* Planes of s and d, as pyramid.cuh makes them. */
struct PlanesInput {
    struct Both {
        float4 of[SSIMCU_S2_PLANES];
    };
    const float *planes;
    int64_t pitch, plane;
    int width;

    __device__ __forceinline__ void load(int x, int y, Both &both) const
    {
        const int at = min(max(x, 0), (int)pitch - QUAD);
#pragma unroll
        for (int p = 0; p < SSIMCU_S2_PLANES; p++)
            both.of[p] = *reinterpret_cast<const float4 *>(planes + p * plane + y * pitch + at);
    }

    __device__ __forceinline__ void convert(const Both &both, Quad &quad) const
    {
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            const float4 s = both.of[c], d = both.of[CHANNELS + c];
            const float ss[QUAD] = {s.x, s.y, s.z, s.w}, ds[QUAD] = {d.x, d.y, d.z, d.w};
#pragma unroll
            for (int i = 0; i < QUAD; i++) quad.of[i].s[c] = ss[i], quad.of[i].d[c] = ds[i];
        }
    }
};

__device__ __forceinline__ void store_words(char *to, unsigned low, unsigned high)
{
    *reinterpret_cast<uint2 *>(to) = make_uint2(low, high);
}

__device__ __forceinline__ void store_one(char *to, const float (&v)[QUAD])
{
    store_words(to, pack(v[0], v[1]), pack(v[2], v[3]));
}

/* Stores numbers as f16, and what that lacks as f16. */
__device__ __forceinline__ void store_two(char *to, char *rest, const float (&v)[QUAD])
{
    const __half2 low = __floats2half2_rn(v[0], v[1]), high = __floats2half2_rn(v[2], v[3]);
    store_words(to, bits_of(low), bits_of(high));
    const float2 a = __half22float2(low), b = __half22float2(high);
    store_words(rest, pack(v[0] - a.x, v[1] - a.y), pack(v[2] - b.x, v[3] - b.y));
}

__device__ __forceinline__ void store_quad(char *step, int row, int quad, const Quad &q)
{
    char *to = step + row * ROW_BYTES + 2 * (QUAD * quad + MARGIN - REACH);
    float s[CHANNELS][QUAD], d[CHANNELS][QUAD];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++)
#pragma unroll
        for (int i = 0; i < QUAD; i++) s[c][i] = q.of[i].s[c], d[c][i] = q.of[i].d[c];
    store_one(to + X_S * ARRAY_BYTES, s[0]);
    store_one(to + X_D * ARRAY_BYTES, d[0]);
    store_two(to + Y_S * ARRAY_BYTES, to + Y_S_REST * ARRAY_BYTES, s[1]);
    store_two(to + Y_D * ARRAY_BYTES, to + Y_D_REST * ARRAY_BYTES, d[1]);
    store_one(to + B_S * ARRAY_BYTES, s[2]);
    store_one(to + B_D * ARRAY_BYTES, d[2]);
}

/* Makes a quad of the ring. */
template <class Input>
__device__ __forceinline__ void make_quad(const Strip &strip, const Input &input,
                                          const typename Input::Both &both, char *step, int row,
                                          int y, int quad)
{
    const int x = strip.x0 - REACH + QUAD * quad;
    Quad pixels;
    input.convert(both, pixels);
    if (x < 0 || x + QUAD > strip.width || y < 0 || y >= strip.height)
#pragma unroll
        for (int i = 0; i < QUAD; i++)
            if (x + i < 0 || x + i >= strip.width || y < 0 || y >= strip.height)
                pixels.of[i] = outside();
    store_quad(step, row, quad, pixels);
}

/* Sums across of a step, kept for the next: f16 numbers and, if FINE, what they lack. */
template <bool FINE>
struct Across {
    unsigned sum[2], rest[FINE ? 2 : 1];
};

/* Turns the sums across of eight rows into sums of windows, with those of the rows before, which
 * they replace. */
template <bool FINE>
__device__ __forceinline__ Product go_down(const Weights &w, const Product &across,
                                           Across<FINE> &before)
{
    const unsigned low = pack(across.of[0], across.of[1]), high = pack(across.of[2], across.of[3]);
    Product window = {};
    if constexpr (FINE) {
        const Product rest = multiply8(across, low, high, w.minus_one);
        const unsigned rest_low = pack(rest.of[0], rest.of[1]);
        const unsigned rest_high = pack(rest.of[2], rest.of[3]);
        window = multiply16(window, before.rest[0], before.rest[1], rest_low, rest_high, w.down[0],
                            w.down[1]);
        before.rest[0] = rest_low;
        before.rest[1] = rest_high;
    }
    window = multiply16(window, before.sum[0], before.sum[1], low, high, w.down[0], w.down[1]);
    before.sum[0] = low;
    before.sum[1] = high;
    return window;
}

__device__ __forceinline__ Product go_across(const Weights &w, const unsigned (&pixels)[4],
                                             Product across = {})
{
#pragma unroll
    for (int k = 0; k < 2; k++)
        across = multiply16(across, w.across[k][0], w.across[k][1], w.across[k][2], w.across[k][3],
                            pixels[2 * k], pixels[2 * k + 1]);
    return across;
}

/* Means and mean squares of one of s and d. */
template <bool FINE>
struct Moment {
    Across<FINE> mean;
    Across<false> square;

    __device__ __forceinline__ void add(const Weights &w, unsigned address, int to_rest,
                                        Product &means, Product &squares)
    {
        unsigned pixels[4];
        load_matrices(pixels, address);
        if constexpr (FINE) {
            unsigned rest[4];
            load_matrices(rest, address + to_rest);
            means = go_down<true>(w, go_across(w, pixels, go_across(w, rest)), mean);
        } else
            means = go_down<false>(w, go_across(w, pixels), mean);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const __half2 v = halves_of(pixels[i]);
            pixels[i] = bits_of(__hmul2(v, v));
        }
        squares = go_down<false>(w, go_across(w, pixels), square);
    }
};

/* Four pixels' s and d, in the order of sums. */
__device__ __forceinline__ void add_centres(unsigned address, float (&s)[4], float (&d)[4])
{
    unsigned word[4];
    load_transposed(word, address);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float2 of_s = __half22float2(halves_of(word[i]));
        const float2 of_d = __half22float2(halves_of(word[2 + i]));
        s[2 * i] += of_s.x, s[2 * i + 1] += of_s.y;
        d[2 * i] += of_d.x, d[2 * i + 1] += of_d.y;
    }
}

/* One channel of a warp's 16 columns: what is kept from the step before. */
template <bool FINE>
struct Channel {
    Moment<FINE> s, d;

    __device__ __forceinline__ void clear() { *this = Channel(); }

    /* Filters a step. `keep` has a bit for each of the lane's four pixels that count; the `first`
     * step has no result. */
    __device__ __forceinline__ void add(const Weights &w, unsigned pixels, unsigned centres,
                                        int array, bool first, unsigned keep, float (&sum)[SUMS])
    {
        constexpr int TO_REST = (Y_S_REST - Y_S) * ARRAY_BYTES;
        Product mean_s, mean_d, square_s, square_d;
        float to_s[4] = {}, to_d[4] = {};
        s.add(w, pixels + array * ARRAY_BYTES, TO_REST, mean_s, square_s);
        d.add(w, pixels + (array + 1) * ARRAY_BYTES, TO_REST, mean_d, square_d);
        if (first) return;
        if constexpr (FINE) add_centres(centres + array * ARRAY_BYTES + TO_REST, to_s, to_d);
        add_centres(centres + array * ARRAY_BYTES, to_s, to_d);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float ms = RESCALE * mean_s.of[i], md = RESCALE * mean_d.of[i];
            const float var_s = fmaf(-mean_s.of[i], ms, square_s.of[i]);
            const float var_d = fmaf(-mean_d.of[i], md, square_d.of[i]);
            add_pixel(sum, keep >> i & 1, md, var_s, var_d, HALF_C2 / RESCALE, to_s[i] - ms,
                      to_d[i] - md);
        }
    }
};

/* Walks down a strip and adds up its pixels. */
template <class Input>
__device__ __forceinline__ void walk(const Strip &strip, const Input &input, char *shared,
                                     float (&sum)[CHANNELS][SUMS])
{
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const int steps = (strip.rows + STEP_ROWS - 1) / STEP_ROWS;
    const Weights w = load_weights(lane);
    const unsigned ring = (unsigned)__cvta_generic_to_shared(shared);
    const unsigned pixels = ring + lane % 8 * ROW_BYTES + 2 * (WARP_COLS * warp + 8 * (lane / 8));
    const unsigned centres = ring + (lane + 4) % 8 * ROW_BYTES + lane / 16 * ARRAY_BYTES +
                             2 * (WARP_COLS * warp + MARGIN + 8 * (lane / 8 % 2));
    const int x = strip.x0 + WARP_COLS * warp + lane / 4; /* of the lane's first column */
    const unsigned columns = (x < strip.width ? 3u : 0) | (x + 8 < strip.width ? 12u : 0);
    typename Input::Both next = {};
    const auto fetch = [&](int step, int row, int quad) {
        const int y = strip.y0 - REACH + STEP_ROWS * step + row;
        if (y >= 0 && y < strip.height) input.load(strip.x0 - REACH + QUAD * quad, y, next);
    };
    const auto make = [&](int step) {
        char *slot = shared + step % RING * STEP_BYTES;
        const int top = strip.y0 - REACH + STEP_ROWS * step;
        int row = warp, quad = lane;
#pragma unroll 1
        while (true) {
            make_quad(strip, input, next, slot, row, top + row, quad);
            if (warp != step % WARPS || quad >= LANES || lane >= MORE_QUADS * STEP_ROWS) break;
            row = lane / MORE_QUADS, quad = LANES + lane % MORE_QUADS;
            fetch(step, row, quad);
        }
    };
    Channel<false> of_x, of_b;
    Channel<true> of_y;
    of_x.clear();
    of_y.clear();
    of_b.clear();
    fetch(0, warp, lane);
    make(0);
    fetch(1, warp, lane);
    __syncthreads();
#pragma unroll 1
    for (int step = 0; step <= steps; step++) {
        if (step < steps) {
            make(step + 1);
            if (step + 1 < steps) fetch(step + 2, warp, lane);
        }
        const int rows = strip.height - (strip.y0 + STEP_ROWS * (step - 1)) - 2 * (lane % 4);
        const unsigned keep = columns & ((rows > 0 ? 5u : 0) | (rows > 1 ? 10u : 0));
        const unsigned slot = step % RING * STEP_BYTES,
                       before = (step + RING - 1) % RING * STEP_BYTES;
        const unsigned at = pixels + slot, centre = centres + (lane % 8 < 4 ? before : slot);
        of_x.add(w, at, centre, X_S, step == 0, keep, sum[0]);
        of_y.add(w, at, centre, Y_S, step == 0, keep, sum[1]);
        of_b.add(w, at, centre, B_S, step == 0, keep, sum[2]);
        __syncthreads();
    }
}

} // namespace ssimcu::s2

#endif
