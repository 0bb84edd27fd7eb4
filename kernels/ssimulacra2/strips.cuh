/* The two largest scales of large frames, on the tensor cores.
 *
 * DATA FLOW. A block of eight warps walks down a strip of 120 columns, eight rows per step. Its
 * threads make XYB of four pixels each of the next eight rows, and store it in a ring in shared
 * memory as f16 numbers. Then they filter the rows before. Each warp has 16 columns of all
 * channels. The arithmetic is that of ssim/tensor/tensor.cuh: weights (16 columns x 32 pixels)
 * times pixels (32 x 8 rows). The sums of two such tiles (16 columns x 16 rows) times weights (16 x
 * 8 rows) follow, four rows behind. After the first product, each lane already holds its operands
 * of the second. Pixels for the maps come from the ring, transposed by the load.
 *
 * DIGITS. From these scales, the score uses SSIM and lost detail of Y (weights 7.5, 17 and 6.7,
 * 1.0) and SSIM of X at scale 1 (1.1). No other weight is above 0.001. So s and d of Y are two f16
 * numbers each, 22 bits, as are their squares and the sums between the products. So are those of X
 * at scale 1. Everything else is one number. Its squares are made from the rounded s and d, so its
 * variance is that of a slightly different picture. Norms that hardly count may be far off: by 4e-2
 * for flat colours, whose score is still within 1e-5.
 *
 * ORIGIN. Channels in two numbers are measured from the pixel in the strip's middle, because the
 * tensor core truncates, and a frame may differ from its reference by a constant. */
#pragma once

#include "ssimulacra2/matrix.cuh"
#include "ssimulacra2/quads.cuh"

namespace ssimcu::s2
{

constexpr int THREADS = 256, WARPS = THREADS / LANES;
constexpr int STRIP_COLS = SSIMCU_S2_STRIP_COLS, STEP_ROWS = SSIMCU_S2_STEP_ROWS, WARP_COLS = 16;
static_assert(STRIP_COLS + 2 * REACH == LANES * QUAD && STEP_ROWS == WARPS, "a thread has a quad");

/* Shared memory: a ring of steps, each of them arrays of f16 rows, which begin eight columns before
 * the strip. With X in two numbers the ring has one step less, so that it fits any device. */
constexpr int MARGIN = 8, ROW_BYTES = 2 * (WARPS * WARP_COLS + 2 * MARGIN) + 16;
constexpr int ARRAY_BYTES = STEP_ROWS * ROW_BYTES;
enum Array { X_S, X_D, B_S, B_D, Y_S, Y_D, Y_S_REST, Y_D_REST, X_S_REST, X_D_REST };
template <bool FINE_X>
constexpr int RING = FINE_X ? 2 : 3;
template <bool FINE_X>
constexpr int STEP_BYTES = (FINE_X ? 10 : 8) * ARRAY_BYTES;
template <bool FINE_X>
constexpr int RING_BYTES = RING<FINE_X> *STEP_BYTES<FINE_X>;
static_assert(ROW_BYTES / 16 % 2 == 1, "rows of a matrix lie in different banks");

/* A part of a strip: rows of results. */
struct Strip {
    int x0, y0, rows;
    int width, height; /* of the frame */
};

/* Four pixels of both frames. */
struct Quad {
    Pixel of[QUAD];
};

/* The samples of frames, as input of strips. */
template <class Samples>
struct FramesInput {
    using Raw = typename Samples::Raw;
    struct Both {
        Raw of[IMAGES];
    };
    const Frames &frames;
    const char *ref, *out; /* of this frame */
    const float *curve;

    __device__ __forceinline__ void load(int x, int y, Both &both) const
    {
        const int64_t row = (int64_t)min(max(y, 0), frames.height - 1) * frames.pitch;
        Samples::load(frames, ref + row, x, both.of[0]);
        Samples::load(frames, out + row, x, both.of[1]);
    }

    __device__ __forceinline__ void convert(const Both &both, Quad &quad) const
    {
#pragma unroll
        for (int i = 0; i < QUAD; i++)
            quad.of[i] = pixel_of(Samples::roots(both.of[0], curve, frames.to_unit, i),
                                  Samples::roots(both.of[1], curve, frames.to_unit, i));
    }
};

/* The planes of s and d from pyramid.cuh. */
struct PlanesInput {
    struct Both {
        float4 of[SSIMCU_S2_PLANES];
    };
    const float *planes;
    int64_t pitch, plane;
    int height;

    __device__ __forceinline__ void load(int x, int y, Both &both) const
    {
        const int column = min(max(x, 0), (int)pitch - QUAD);
        const float *from = planes + min(max(y, 0), height - 1) * pitch + column;
#pragma unroll
        for (int p = 0; p < SSIMCU_S2_PLANES; p++)
            both.of[p] = *reinterpret_cast<const float4 *>(from + p * plane);
    }

    __device__ __forceinline__ void convert(const Both &both, Quad &quad) const
    {
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) {
            const float4 s = both.of[c], d = both.of[CHANNELS + c];
            const float of_s[QUAD] = {s.x, s.y, s.z, s.w}, of_d[QUAD] = {d.x, d.y, d.z, d.w};
#pragma unroll
            for (int i = 0; i < QUAD; i++) quad.of[i].s[c] = of_s[i], quad.of[i].d[c] = of_d[i];
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

/* Stores numbers as f16, and their rests as f16. */
__device__ __forceinline__ void store_two(char *to, char *rest, const float (&v)[QUAD])
{
    const __half2 low = __floats2half2_rn(v[0], v[1]), high = __floats2half2_rn(v[2], v[3]);
    store_words(to, bits_of(low), bits_of(high));
    const float2 a = __half22float2(low), b = __half22float2(high);
    store_words(rest, pack(v[0] - a.x, v[1] - a.y), pack(v[2] - b.x, v[3] - b.y));
}

template <bool FINE_X>
__device__ __forceinline__ void store_quad(char *step, int row, int quad, const Quad &q)
{
    char *to = step + row * ROW_BYTES + 2 * (QUAD * quad + MARGIN - REACH);
    float s[CHANNELS][QUAD], d[CHANNELS][QUAD];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++)
#pragma unroll
        for (int i = 0; i < QUAD; i++) s[c][i] = q.of[i].s[c], d[c][i] = q.of[i].d[c];
    if constexpr (FINE_X) {
        store_two(to + X_S * ARRAY_BYTES, to + X_S_REST * ARRAY_BYTES, s[0]);
        store_two(to + X_D * ARRAY_BYTES, to + X_D_REST * ARRAY_BYTES, d[0]);
    } else {
        store_one(to + X_S * ARRAY_BYTES, s[0]);
        store_one(to + X_D * ARRAY_BYTES, d[0]);
    }
    store_two(to + Y_S * ARRAY_BYTES, to + Y_S_REST * ARRAY_BYTES, s[1]);
    store_two(to + Y_D * ARRAY_BYTES, to + Y_D_REST * ARRAY_BYTES, d[1]);
    store_one(to + B_S * ARRAY_BYTES, s[2]);
    store_one(to + B_D * ARRAY_BYTES, d[2]);
}

/* The horizontal sums of a step, kept for the next: f16 numbers and, if FINE, their rests. */
template <bool FINE>
struct Across {
    unsigned sum[2], rest[FINE ? 2 : 1];
};

/* Turns the horizontal sums of eight rows into sums of windows, using those of the rows before,
 * which they then replace. */
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

/* The means and mean squares of s or of d. */
template <bool FINE>
struct Moment {
    Across<FINE> mean, square;

    __device__ __forceinline__ void add(const Weights &w, unsigned address, int to_rest,
                                        Product &means, Product &squares)
    {
        unsigned pixels[4], rest[4];
        load_matrices(pixels, address);
        if constexpr (FINE) {
            load_matrices(rest, address + to_rest);
            means = go_down<FINE>(w, go_across(w, pixels, go_across(w, rest)), mean);
        } else
            means = go_down<FINE>(w, go_across(w, pixels), mean);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const __half2 v = halves_of(pixels[i]), square = __hmul2(v, v);
            if constexpr (FINE) {
                const __half2 lacks = __hfma2(v, v, __hneg2(square)), r = halves_of(rest[i]);
                rest[i] = bits_of(__hfma2(__hadd2(v, v), r, lacks));
            }
            pixels[i] = bits_of(square);
        }
        if constexpr (FINE)
            squares = go_down<FINE>(w, go_across(w, pixels, go_across(w, rest)), square);
        else
            squares = go_down<FINE>(w, go_across(w, pixels), square);
    }
};

/* The s and d of four pixels, in the order of the sums. */
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

/* One channel of a warp's 16 columns: the data kept from the step before. */
template <bool FINE>
struct Channel {
    Moment<FINE> s, d;

    /* Filters a step. `keep` has one bit for each of the lane's four pixels that counts. The
     * `first` step has no result. from_d is the origin of d. */
    __device__ __forceinline__ void add(const Weights &w, unsigned pixels, unsigned centres,
                                        int to_rest, float from_d, bool first, unsigned keep,
                                        float (&sum)[SUMS])
    {
        Product mean_s, mean_d, square_s, square_d;
        float to_s[4] = {}, to_d[4] = {};
        s.add(w, pixels, to_rest, mean_s, square_s);
        d.add(w, pixels + ARRAY_BYTES, to_rest, mean_d, square_d);
        if (first) return;
        if constexpr (FINE) add_centres(centres + to_rest, to_s, to_d);
        add_centres(centres, to_s, to_d);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float ms = RESCALE * mean_s.of[i], md = RESCALE * mean_d.of[i];
            const float var_s = fmaf(-mean_s.of[i], ms, square_s.of[i]);
            const float var_d = fmaf(-mean_d.of[i], md, square_d.of[i]);
            add_pixel(sum, keep >> i & 1, md + from_d, var_s, var_d, HALF_C2 / RESCALE,
                      to_s[i] - ms, to_d[i] - md);
        }
    }
};

/* A thread's walk down a strip. */
template <class Input, bool FINE_X>
class Walk
{
  public:
    __device__ __forceinline__ Walk(const Strip &strip, const Input &input, char *shared)
        : strip_(strip), input_(input), shared_(shared)
    {
    }

    __device__ __forceinline__ void run(const Weights &w, float (&sum)[CHANNELS][SUMS])
    {
        const int steps = (strip_.rows + STEP_ROWS - 1) / STEP_ROWS;
        set_origin();
        fetch(0);
        make(0);
        fetch(1);
        __syncthreads();
#pragma unroll 1
        for (int step = 0; step <= steps; step++) {
            if (RING_STEPS > 2 && step < steps) make_and_fetch(step + 1, steps);
            filter(step, w, sum);
            if (RING_STEPS == 2) {
                __syncthreads();
                if (step < steps) make_and_fetch(step + 1, steps);
            }
            __syncthreads();
        }
    }

  private:
    static constexpr int RING_STEPS = RING<FINE_X>, SLOT = STEP_BYTES<FINE_X>;

    static __device__ __forceinline__ int own_row() { return threadIdx.x / LANES; }
    static __device__ __forceinline__ int own_quad() { return threadIdx.x % LANES; }
    __device__ __forceinline__ int top(int step) const
    {
        return strip_.y0 - REACH + STEP_ROWS * step;
    }
    __device__ __forceinline__ int column(int quad) const
    {
        return strip_.x0 - REACH + QUAD * quad;
    }
    __device__ __forceinline__ void fetch(int step)
    {
        input_.load(column(own_quad()), top(step) + own_row(), next_);
    }

    /* Channels in two numbers are measured from the strip's middle. */
    __device__ __forceinline__ void set_origin()
    {
        Quad quad;
        input_.load(min(strip_.x0 + STRIP_COLS / 2, strip_.width - 1) / QUAD * QUAD,
                    strip_.y0 + strip_.rows / 2, next_);
        input_.convert(next_, quad);
        origin_ = quad.of[0];
        if (!FINE_X) origin_.s[0] = origin_.d[0] = 0;
        origin_.s[2] = origin_.d[2] = 0;
    }

    /* Makes a quad of the ring from the fetched samples. */
    __device__ __forceinline__ void make(int step)
    {
        const int row = own_row(), quad = own_quad(), x = column(quad), y = top(step) + row;
        Quad pixels;
        input_.convert(next_, pixels);
        if (x < 0 || x + QUAD > strip_.width || y < 0 || y >= strip_.height)
#pragma unroll
            for (int i = 0; i < QUAD; i++)
                if (x + i < 0 || x + i >= strip_.width || y < 0 || y >= strip_.height)
                    pixels.of[i] = outside();
#pragma unroll
        for (int i = 0; i < QUAD; i++)
#pragma unroll
            for (int c = 0; c < CHANNELS; c++) {
                pixels.of[i].s[c] -= origin_.s[c];
                pixels.of[i].d[c] -= origin_.d[c];
            }
        store_quad<FINE_X>(shared_ + step % RING_STEPS * SLOT, row, quad, pixels);
    }

    __device__ __forceinline__ void make_and_fetch(int step, int steps)
    {
        make(step);
        if (step < steps) fetch(step + 1);
    }

    __device__ __forceinline__ void filter(int step, const Weights &w, float (&sum)[CHANNELS][SUMS])
    {
        const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
        const unsigned ring = (unsigned)__cvta_generic_to_shared(shared_);
        const unsigned slot = ring + step % RING_STEPS * SLOT;
        const unsigned before = ring + (step + RING_STEPS - 1) % RING_STEPS * SLOT;
        const unsigned pixels =
            slot + lane % 8 * ROW_BYTES + 2 * (WARP_COLS * warp + 8 * (lane / 8));
        const unsigned centres = (lane % 8 < 4 ? before : slot) + (lane + 4) % 8 * ROW_BYTES +
                                 lane / 16 * ARRAY_BYTES +
                                 2 * (WARP_COLS * warp + MARGIN + 8 * (lane / 8 % 2));
        const int x = strip_.x0 + WARP_COLS * warp + lane / 4; /* of the lane's first column */
        const int rows = strip_.height - (strip_.y0 + STEP_ROWS * (step - 1)) - 2 * (lane % 4);
        const int right = min(strip_.width, strip_.x0 + STRIP_COLS);
        const unsigned columns = (x < right ? 3u : 0) | (x + 8 < right ? 12u : 0);
        const unsigned keep = columns & ((rows > 0 ? 5u : 0) | (rows > 1 ? 10u : 0));
        const bool first = step == 0;
        x_.add(w, pixels + X_S * ARRAY_BYTES, centres + X_S * ARRAY_BYTES,
               (X_S_REST - X_S) * ARRAY_BYTES, origin_.d[0], first, keep, sum[0]);
        y_.add(w, pixels + Y_S * ARRAY_BYTES, centres + Y_S * ARRAY_BYTES,
               (Y_S_REST - Y_S) * ARRAY_BYTES, origin_.d[1], first, keep, sum[1]);
        b_.add(w, pixels + B_S * ARRAY_BYTES, centres + B_S * ARRAY_BYTES, 0, origin_.d[2], first,
               keep, sum[2]);
    }

    const Strip &strip_;
    const Input &input_;
    char *shared_;
    typename Input::Both next_;
    Pixel origin_;
    Channel<FINE_X> x_ = {};
    Channel<true> y_ = {};
    Channel<false> b_ = {};
};

} // namespace ssimcu::s2
