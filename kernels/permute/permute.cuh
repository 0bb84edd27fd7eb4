/* What the permute kernels share: walking over outer dimensions with fast division, and writing a
 * run of small elements as words. */
#ifndef SSIMCU_PERMUTE_CUH
#define SSIMCU_PERMUTE_CUH

#include "core/async_copy.cuh"
#include "kernels.h"

namespace ssimcu
{

using Plan = ssimcu_permute_plan;

/* Division by a number known at launch. 32 bits: multiply high and shift, right for every dividend
 * under 2^31. 64 bits: the plain operator; arrays that large are rare. */
template <typename Index>
struct Divider;

template <>
struct Divider<int32_t> {
    uint32_t magic = 0, shift = 0;
    Divider() = default;
    __host__ explicit Divider(int64_t by)
    {
        while ((INT64_C(1) << shift) < by) shift++;
        magic = (uint32_t)(((UINT64_C(1) << 32) * ((UINT64_C(1) << shift) - by)) / by + 1);
    }
    __device__ __forceinline__ int32_t quotient(int32_t n) const
    {
        return (int32_t)((__umulhi((uint32_t)n, magic) + (uint32_t)n) >> shift);
    }
};

template <>
struct Divider<int64_t> {
    int64_t divisor = 1;
    Divider() = default;
    __host__ explicit Divider(int64_t by) : divisor(by) {}
    __device__ __forceinline__ int64_t quotient(int64_t n) const { return n / divisor; }
};

/* In elements. */
struct Offset {
    int64_t src = 0, dst = 0;
};

/* The dimensions of a plan but those that a kernel handles itself, innermost first. */
template <typename Index>
struct Walk {
    int rank = 0;
    Index size[SSIMCU_PERMUTE_MAX_RANK];
    int64_t src[SSIMCU_PERMUTE_MAX_RANK], dst[SSIMCU_PERMUTE_MAX_RANK];
    Divider<Index> by[SSIMCU_PERMUTE_MAX_RANK];

    __host__ explicit Walk(const Plan &plan, int skip_a = -1, int skip_b = -1)
    {
        for (int i = plan.rank - 1; i >= 0; i--) {
            if (i == skip_a || i == skip_b) continue;
            size[rank] = (Index)plan.dim[i].size;
            src[rank] = plan.dim[i].src_stride;
            dst[rank] = plan.dim[i].dst_stride;
            by[rank++] = Divider<Index>(plan.dim[i].size);
        }
    }
    __host__ int64_t count() const
    {
        int64_t product = 1;
        for (int i = 0; i < rank; i++) product *= size[i];
        return product;
    }
    __device__ __forceinline__ Offset at(Index index) const
    {
        Offset offset;
        for (int i = 0; i < rank; i++) {
            const Index rest = i + 1 < rank ? by[i].quotient(index) : 0;
            const Index here = index - rest * size[i];
            offset.src += here * src[i];
            offset.dst += here * dst[i];
            index = rest;
        }
        return offset;
    }
};

/* Writes gather(0) .. gather(count - 1), elements of 1 to 16 bytes, to `out`: small elements as
 * aligned 4-byte words, lane beside lane, with single elements at both ends. */
template <typename Element, int THREADS, typename Gather>
__device__ __forceinline__ void write_run(char *out, int count, Gather gather)
{
    constexpr int SIZE = sizeof(Element);
    Element *to = reinterpret_cast<Element *>(out);
    if constexpr (SIZE >= 4) {
        for (int i = threadIdx.x; i < count; i += THREADS) to[i] = gather(i);
    } else {
        constexpr int PER_WORD = 4 / SIZE;
        const int ahead = (int)(-reinterpret_cast<uintptr_t>(out) % 4) / SIZE;
        const int head = min(ahead, count), words = (count - head) / PER_WORD;
        const int tail = head + words * PER_WORD;
        for (int w = threadIdx.x; w < words; w += THREADS) {
            const int first = head + w * PER_WORD;
            uint32_t word = 0;
#pragma unroll
            for (int k = 0; k < PER_WORD; k++)
                word |= (uint32_t)gather(first + k) << (8 * SIZE * k);
            *reinterpret_cast<uint32_t *>(to + first) = word;
        }
        if ((int)threadIdx.x < head) to[threadIdx.x] = gather(threadIdx.x);
        if (tail + (int)threadIdx.x < count) to[tail + threadIdx.x] = gather(tail + threadIdx.x);
    }
}

/* Where byte `at` of a run stands in shared memory: with GAPS, 16 bytes are left free after every
 * 128, which puts runs that are a power of two apart into different banks. */
template <bool GAPS>
__device__ __forceinline__ int spread(int at)
{
    return GAPS ? at + at / 128 * CHUNK_BYTES : at;
}

/* 4 and 16 bytes of shared memory from any byte on. */
template <bool GAPS>
__device__ __forceinline__ uint32_t read_word(const char *shared, int at)
{
    const int shift = at % 4;
    const char *low = shared + spread<GAPS>(at - shift),
               *high = shared + spread<GAPS>(at - shift + 4);
    return __funnelshift_r(*reinterpret_cast<const uint32_t *>(low),
                           *reinterpret_cast<const uint32_t *>(high), 8 * shift);
}

template <bool GAPS>
__device__ __forceinline__ uint4 read_chunk(const char *shared, int at)
{
    const int shift = at % 4;
    uint32_t in[5], out[4];
#pragma unroll
    for (int i = 0; i < 5; i++)
        in[i] = *reinterpret_cast<const uint32_t *>(shared + spread<GAPS>(at - shift + 4 * i));
#pragma unroll
    for (int i = 0; i < 4; i++) out[i] = __funnelshift_r(in[i], in[i + 1], 8 * shift);
    return make_uint4(out[0], out[1], out[2], out[3]);
}

/* Chunks that a run of so many bytes can touch. */
__host__ __device__ __forceinline__ int chunks_of(int bytes) { return bytes / CHUNK_BYTES + 2; }

/* Writes the part of a run of `bytes` bytes, kept in shared memory from a chunk's start on, that
 * falls into the `index`-th aligned chunk of the destination. */
template <bool GAPS>
__device__ __forceinline__ void write_chunk(char *out, int bytes, const char *shared, int index)
{
    const int ahead = (int)(reinterpret_cast<uintptr_t>(out) % CHUNK_BYTES);
    const int at = index * CHUNK_BYTES - ahead;
    if (at >= 0 && at + CHUNK_BYTES <= bytes) {
        *reinterpret_cast<uint4 *>(out + at) =
            ahead ? read_chunk<GAPS>(shared, at)
                  : *reinterpret_cast<const uint4 *>(shared + spread<GAPS>(at));
        return;
    }
    if constexpr (GAPS) { /* long runs: rare, and words would make the loop around this slower */
        for (int b = max(at, 0); b < min(at + CHUNK_BYTES, bytes); b++)
            out[b] = shared[spread<GAPS>(b)];
    } else {
#pragma unroll
        for (int i = 0; i < CHUNK_BYTES; i += 4)
            if (at + i >= 0 && at + i + 4 <= bytes)
                *reinterpret_cast<uint32_t *>(out + at + i) = read_word<GAPS>(shared, at + i);
            else
                for (int b = max(at + i, 0); b < min(at + i + 4, bytes); b++) out[b] = shared[b];
    }
}

inline int64_t divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

/* The paths that have files of their own. */
template <typename Element>
void launch_interleave(const Plan &plan, void *dst, const void *src, cudaStream_t stream);
template <typename Element>
void launch_tile(const Plan &plan, void *dst, const void *src, cudaStream_t stream);

} // namespace ssimcu

#endif
