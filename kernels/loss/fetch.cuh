/* Fetches rows of both sides, of any type and layout, and stores them in the ring as s and d. A
 * thread loads the next row into registers while the block works on the ring, and converts and
 * stores it a step later. So loads overlap the arithmetic. */
#pragma once

#include "core/values.cuh"
#include "loss/loss.cuh"

namespace ssimcu::loss
{

/* A thread's samples of a row, as loaded, on their way to the ring. */
template <class C>
struct Fetched {
    uint32_t bits[2][C::FETCH_PX];
    float weight[C::FETCH_PX];
};

/* The position of a thread's fetches. It fetches every C::FETCH_THREADS-th column of every
 * C::STEP_ROWS-th row. */
struct Fetch {
    const char *from[2]; /* samples of the next row to fetch */
    const float *weight;
    int row;
    uint32_t inside; /* one bit for each column inside the frame */
};

template <class C>
__device__ __forceinline__ int fetch_column()
{
    return (int)threadIdx.x % C::FETCH_THREADS;
}

/* Returns the row of a step that the thread fetches. */
template <class C>
__device__ __forceinline__ int fetch_row_of_step()
{
    return (int)threadIdx.x % C::STAGE_THREADS / C::FETCH_THREADS;
}

template <class C>
__device__ __forceinline__ Fetch fetch_at(const Launch &launch, const Segment &segment, int row)
{
    Fetch fetch = {};
    const int column = segment.base + fetch_column<C>();
    row += fetch_row_of_step<C>();
    fetch.row = row;
    for (int i = 0; i < C::FETCH_PX; i++)
        if ((unsigned)(column + i * C::FETCH_THREADS) < (unsigned)launch.width)
            fetch.inside |= 1u << i;
    for (int k = 0; k < 2; k++)
        fetch.from[k] = segment.side[k] + row * launch.side[k].row + column * launch.side[k].pixel;
    fetch.weight = launch.weights.pixel + segment.frame * launch.weights.frame +
                   row * launch.weights.pitch + column;
    return fetch;
}

/* Loads a sample of 1, 2 or 4 bytes. */
template <uint32_t BYTES>
__device__ __forceinline__ uint32_t load(const char *from)
{
    uint32_t bits;
    if constexpr (BYTES == 4)
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(bits) : "l"(from));
    else if constexpr (BYTES == 2)
        asm volatile("{.reg .u16 v; ld.global.nc.u16 v, [%1]; cvt.u32.u16 %0, v;}"
                     : "=r"(bits)
                     : "l"(from));
    else
        asm volatile("ld.global.nc.u8 %0, [%1];" : "=r"(bits) : "l"(from));
    return bits;
}

/* Loads a thread's samples of a row. Outside the frame the bits are 0, which means 0 in all
 * types. */
template <class C, uint32_t BYTES>
__device__ __forceinline__ void fetch_side(uint32_t columns, const char *from, int64_t apart,
                                           uint32_t (&bits)[C::FETCH_PX])
{
    if (columns == C::ALL) {
#pragma unroll
        for (int i = 0; i < C::FETCH_PX; i++) bits[i] = load<BYTES>(from + i * apart);
        return;
    }
#pragma unroll
    for (int i = 0; i < C::FETCH_PX; i++)
        bits[i] = columns >> i & 1 ? load<BYTES>(from + i * apart) : 0;
}

template <class C, uint32_t BYTES>
__device__ __forceinline__ void fetch_any(uint32_t columns, const char *from, int64_t pixel,
                                          uint32_t (&bits)[C::FETCH_PX])
{
    if (pixel == BYTES)
        fetch_side<C, BYTES>(columns, from, C::FETCH_THREADS * BYTES, bits);
    else
        fetch_side<C, BYTES>(columns, from, C::FETCH_THREADS * pixel, bits);
}

/* Fetches the thread's row of the next step. */
template <class C, bool PLAIN, bool WEIGHTS>
__device__ __forceinline__ void fetch_row(const Launch &launch, Fetch &fetch, Fetched<C> &fetched)
{
    const uint32_t columns = (unsigned)fetch.row < (unsigned)launch.height ? fetch.inside : 0;
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const ssimcu_loss_samples &side = launch.side[k];
        if constexpr (PLAIN)
            fetch_side<C, 4>(columns, fetch.from[k], C::FETCH_THREADS * 4, fetched.bits[k]);
        else if (side.type == SSIMCU_SAMPLE_F32)
            fetch_any<C, 4>(columns, fetch.from[k], side.pixel, fetched.bits[k]);
        else if (side.type == SSIMCU_SAMPLE_U8)
            fetch_any<C, 1>(columns, fetch.from[k], side.pixel, fetched.bits[k]);
        else
            fetch_any<C, 2>(columns, fetch.from[k], side.pixel, fetched.bits[k]);
        fetch.from[k] += C::STEP_ROWS * side.row;
    }
    if (WEIGHTS && launch.weights.rule == SSIMCU_LOSS_ZERO)
#pragma unroll
        for (int i = 0; i < C::FETCH_PX; i++)
            fetched.weight[i] = columns >> i & 1 ? fetch.weight[i * C::FETCH_THREADS] : 0;
    if (WEIGHTS) fetch.weight += C::STEP_ROWS * launch.weights.pitch;
    fetch.row += C::STEP_ROWS;
}

__device__ __forceinline__ float value_of_bits(uint32_t type, uint32_t bits)
{
    if (type == SSIMCU_SAMPLE_F32) return __uint_as_float(bits);
    if (type == SSIMCU_SAMPLE_F16) return __half2float(__ushort_as_half((unsigned short)bits));
    if (type == SSIMCU_SAMPLE_BF16) return __uint_as_float(bits << 16);
    return (float)bits;
}

/* Divides samples by white. The quotient of integers is rounded as a division would round it. So
 * equal values of two types stay equal, and |d| has no kink between them. */
template <class C, uint32_t TYPE>
__device__ __forceinline__ void values_of(const uint32_t (&bits)[C::FETCH_PX],
                                          const ssimcu_loss_samples &side, float white,
                                          float (&v)[C::FETCH_PX])
{
#pragma unroll
    for (int i = 0; i < C::FETCH_PX; i++) {
        const float whole = value_of_bits(TYPE, bits[i]), near = whole * side.factor;
        v[i] = white == 1 ? whole : fmaf(fmaf(-near, white, whole), side.factor, near);
    }
}

/* Stores the fetched row in the ring. `step` is the first row of its step. If both sides have one
 * type and white, s and d are divided by white, not the sides. Weights multiply s and d, too.
 * Otherwise sides that differ by one bit could become equal, and |d| would have no slope there. */
template <class C, bool PLAIN, bool WEIGHTS>
__device__ __forceinline__ void store_row(const Launch &launch, const Fetched<C> &fetched,
                                          const float (&origin)[2], float (*step)[2][C::ROW])
{
    float(&ring)[2][C::ROW] = step[fetch_row_of_step<C>()];
    const ssimcu_loss_samples &one = launch.side[0], &two = launch.side[1];
    const bool alike = !PLAIN && one.type == two.type && one.white == two.white;
    float v[2][C::FETCH_PX];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const ssimcu_loss_samples &side = launch.side[k];
        const float white = alike ? 1 : (float)side.white;
        if constexpr (PLAIN)
#pragma unroll
            for (int i = 0; i < C::FETCH_PX; i++) v[k][i] = __uint_as_float(fetched.bits[k][i]);
        else
            switch (side.type) {
            case SSIMCU_SAMPLE_F32:
                values_of<C, SSIMCU_SAMPLE_F32>(fetched.bits[k], side, white, v[k]);
                break;
            case SSIMCU_SAMPLE_F16:
                values_of<C, SSIMCU_SAMPLE_F16>(fetched.bits[k], side, white, v[k]);
                break;
            case SSIMCU_SAMPLE_BF16:
                values_of<C, SSIMCU_SAMPLE_BF16>(fetched.bits[k], side, white, v[k]);
                break;
            default: values_of<C, SSIMCU_SAMPLE_U8>(fetched.bits[k], side, white, v[k]);
            }
    }
#pragma unroll
    for (int i = 0; i < C::FETCH_PX; i++) {
        const int at = fetch_column<C>() + i * C::FETCH_THREADS;
        float s = v[0][i] + v[1][i], d = v[0][i] - v[1][i];
        if (alike) s *= one.factor, d *= one.factor;
        if (WEIGHTS && launch.weights.rule == SSIMCU_LOSS_ZERO)
            s *= fetched.weight[i], d *= fetched.weight[i];
        ring[0][at] = s - origin[0];
        ring[1][at] = d - origin[1];
    }
}

/* Fills the ring with the rows of the first two steps. */
template <class C, bool PLAIN, bool WEIGHTS>
__device__ __forceinline__ void bring_first_steps(const Launch &launch, Fetch &fetch,
                                                  Shared<C> &shared)
{
    const float origin[2] = {shared.origin[0], shared.origin[1]};
#pragma unroll 1
    for (int step = 0; step < 2; step++) {
        Fetched<C> first;
        fetch_row<C, PLAIN, WEIGHTS>(launch, fetch, first);
        store_row<C, PLAIN, WEIGHTS>(launch, first, origin, &shared.ring[step * C::STEP_ROWS]);
    }
}

/* Sets the origins to about the means of s and d in a segment, from a grid of its samples. All
 * threads of the block call this. */
template <class C>
__device__ __forceinline__ void set_origins(const Launch &launch, const Segment &segment,
                                            Shared<C> &shared)
{
    constexpr int DOWN = 8, ACROSS = C::THREADS / DOWN;
    const int left = segment.base > 0 ? segment.base : 0;
    const int end =
        segment.base + C::COLUMNS < launch.width ? segment.base + C::COLUMNS : launch.width;
    const int x = left + (end - left) * (2 * ((int)threadIdx.x % ACROSS) + 1) / (2 * ACROSS);
    const int y = segment.first + (segment.last - segment.first) *
                                      (2 * ((int)threadIdx.x / ACROSS) + 1) / (2 * DOWN);
    float v[2];
    for (int k = 0; k < 2; k++) {
        const ssimcu_loss_samples &side = launch.side[k];
        const char *const from = segment.side[k] + y * side.row + x * side.pixel;
        const uint32_t bits = side.type == SSIMCU_SAMPLE_F32  ? load<4>(from)
                              : side.type == SSIMCU_SAMPLE_U8 ? load<1>(from)
                                                              : load<2>(from);
        v[k] = value_of_bits(side.type, bits) * side.factor;
    }
    float sum[2] = {v[0] + v[1], v[0] - v[1]};
    for (int k = 0; k < 2; k++) {
        for (int lane = 16; lane > 0; lane /= 2) sum[k] += __shfl_xor_sync(~0u, sum[k], lane);
        if (threadIdx.x % 32 == 0) shared.sum[threadIdx.x / 32][k] = sum[k];
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        float mean = 0;
        for (int w = 0; w < C::THREADS / 32; w++) mean += shared.sum[w][threadIdx.x];
        mean = rintf(mean * (ORIGIN_STEP / C::THREADS)) / ORIGIN_STEP;
        shared.origin[threadIdx.x] = fabsf(mean) < INFINITY ? mean : 0;
    }
    __syncthreads();
}

} // namespace ssimcu::loss
