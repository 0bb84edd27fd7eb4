/* The permute kernels share this file. It walks over outer dimensions with fast division, and
 * writes a run of small elements as words. */
#pragma once

#include "core/async_copy.cuh"
#include "core/divide_up.h"
#include "core/launch.cuh"
#include "kernels.h"

namespace ssimcu
{

using Plan = ssimcu_permute_plan;

/* Division by a number known at launch. With 32 bits it is a multiply high and a shift, exact for
 * every dividend under 2^31. With 64 bits it is the plain operator, because arrays that large are
 * rare. */
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

/* Offsets in elements. */
struct Offset {
    int64_t src = 0, dst = 0;
};

/* Some of a plan's dimensions as one index, with the destination's innermost first. */
template <typename Index>
struct Walk {
    int rank = 0;
    Index size[SSIMCU_PERMUTE_MAX_RANK];
    int64_t src[SSIMCU_PERMUTE_MAX_RANK], dst[SSIMCU_PERMUTE_MAX_RANK]; /* strides, elements */
    Divider<Index> by[SSIMCU_PERMUTE_MAX_RANK];

    Walk() = default;
    /* Takes the dimensions whose bits are set. */
    __host__ Walk(const Plan &plan, uint32_t set)
    {
        for (int i = plan.rank - 1; i >= 0; i--)
            if (set >> i & 1) add(plan.dim[i]);
    }
    __host__ void add(const ssimcu_permute_dim &dim)
    {
        size[rank] = (Index)dim.size;
        src[rank] = dim.src_stride;
        dst[rank] = dim.dst_stride;
        by[rank++] = Divider<Index>(dim.size);
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
    /* Returns only the source's offset. The plan must state that it fits an Index. */
    __device__ __forceinline__ Index source_at(Index index) const
    {
        Index offset = 0;
        for (int i = 0; i < rank; i++) {
            const Index rest = i + 1 < rank ? by[i].quotient(index) : 0;
            offset += (index - rest * size[i]) * (Index)src[i];
            index = rest;
        }
        return offset;
    }
};

/* Writes gather(0) .. gather(count - 1), elements of 1 to 16 bytes, to `out`. Small elements are
 * written as aligned 4-byte words by neighbouring lanes, with single elements at both ends. */
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

/* Returns the place of byte `at` of a run in shared memory. With GAPS, 16 bytes stay free after
 * every 128, so that runs a power of two apart are in different banks. */
template <bool GAPS>
__host__ __device__ constexpr int spread(int at)
{
    return GAPS ? at + at / 128 * CHUNK_BYTES : at;
}

/* Reads 4 bytes of shared memory from any byte on. */
template <bool GAPS>
__device__ __forceinline__ uint32_t read_word(const char *shared, int at)
{
    const int shift = at % 4;
    const char *low = shared + spread<GAPS>(at - shift),
               *high = shared + spread<GAPS>(at - shift + 4);
    return __funnelshift_r(*reinterpret_cast<const uint32_t *>(low),
                           *reinterpret_cast<const uint32_t *>(high), 8 * shift);
}

/* Returns bytes [shift, shift + 16) of two chunks that follow each other. */
__device__ __forceinline__ uint4 join_chunks(const uint4 &a, const uint4 &b, int shift)
{
    const uint32_t in[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    uint32_t two[6], one[5], out[4];
#pragma unroll
    for (int i = 0; i < 6; i++) two[i] = shift & 8 ? in[i + 2] : in[i];
#pragma unroll
    for (int i = 0; i < 5; i++) one[i] = shift & 4 ? two[i + 1] : two[i];
#pragma unroll
    for (int i = 0; i < 4; i++) out[i] = __funnelshift_r(one[i], one[i + 1], shift % 4 * 8);
    return make_uint4(out[0], out[1], out[2], out[3]);
}

/* Joins two halves of a chunk, without a shift. */
__device__ __forceinline__ uint4 join_chunks(const uint2 &a, const uint2 &b, int)
{
    return make_uint4(a.x, a.y, b.x, b.y);
}

/* Reads 16 bytes of shared memory from byte `at` on, but nothing before byte 0. */
template <bool GAPS>
__device__ __forceinline__ uint4 read_chunk(const char *shared, int at)
{
    const int shift = at & (CHUNK_BYTES - 1), low = at - shift;
    uint4 a = make_uint4(0, 0, 0, 0);
    if (low >= 0) a = *reinterpret_cast<const uint4 *>(shared + spread<GAPS>(low));
    if (shift == 0) return a;
    return join_chunks(
        a, *reinterpret_cast<const uint4 *>(shared + spread<GAPS>(low + CHUNK_BYTES)), shift);
}

/* Loads 16 bytes of device memory one by one, with zeros outside [low, high). */
__device__ __forceinline__ uint4 load_bytes(const char *from, const char *low, const char *high)
{
    const int first = (int)min(max(low - from, (int64_t)0), (int64_t)CHUNK_BYTES);
    const int end = (int)min(max(high - from, (int64_t)0), (int64_t)CHUNK_BYTES);
    uint32_t out[4] = {0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < CHUNK_BYTES; i++)
        if (i >= first && i < end) out[i / 4] |= (uint32_t)(uint8_t)from[i] << i % 4 * 8;
    return make_uint4(out[0], out[1], out[2], out[3]);
}

/* Loads 16 bytes of device memory from any address on, but reads nothing outside [low, high). */
__device__ __forceinline__ uint4 load_chunk(const char *from, const char *low, const char *high)
{
    const int shift = (int)(reinterpret_cast<uintptr_t>(from) % CHUNK_BYTES);
    const char *chunk = from - shift;
    if (chunk >= low && chunk + 2 * CHUNK_BYTES <= high) {
        if (shift == CHUNK_BYTES / 2) {
            const uint2 a = __ldg(reinterpret_cast<const uint2 *>(from));
            const uint2 b = __ldg(reinterpret_cast<const uint2 *>(from) + 1);
            return make_uint4(a.x, a.y, b.x, b.y);
        }
        const uint4 a = __ldg(reinterpret_cast<const uint4 *>(chunk));
        if (shift == 0) return a;
        return join_chunks(a, __ldg(reinterpret_cast<const uint4 *>(chunk) + 1), shift);
    }
    return load_bytes(from, low, high);
}

/* Stores bytes [low, high) of a chunk at an aligned address. */
__device__ __forceinline__ void store_part(char *to, const uint4 &chunk, int low, int high)
{
    const uint32_t word[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
    if (high - low == 8 && low % 8 == 0) {
        *reinterpret_cast<uint2 *>(to + low) =
            low == 0 ? make_uint2(chunk.x, chunk.y) : make_uint2(chunk.z, chunk.w);
        return;
    }
#pragma unroll
    for (int i = 0; i < CHUNK_BYTES; i += 4) {
        if (i >= low && i + 4 <= high) {
            *reinterpret_cast<uint32_t *>(to + i) = word[i / 4];
            continue;
        }
#pragma unroll
        for (int b = i; b < i + 4; b++)
            if (b >= low && b < high) to[b] = (char)(word[i / 4] >> b % 4 * 8);
    }
}

/* The array that a plan reads, as bytes. Everything between its first and its last element is
 * readable, including gaps between rows. */
struct Hull {
    const char *low, *high;

    Hull() = default;
    __host__ Hull(const Plan &plan, const void *src)
        : low(static_cast<const char *>(src)), high(low)
    {
        int64_t before = 0, last = 0;
        for (int i = 0; i < plan.rank; i++) {
            const int64_t reach = (plan.dim[i].size - 1) * plan.dim[i].src_stride;
            (reach < 0 ? before : last) += reach;
        }
        low += before * (int64_t)plan.element;
        high += (last + 1) * (int64_t)plan.element;
    }
};

/* Returns the number of chunks that a run of so many bytes can touch. */
__host__ __device__ __forceinline__ int chunks_of(int bytes) { return bytes / CHUNK_BYTES + 2; }

/* Writes the part of a run of `bytes` bytes that falls into the `index`-th aligned chunk of the
 * destination. In shared memory, the run starts at a chunk's start. */
template <bool GAPS>
__device__ __forceinline__ void write_chunk(char *out, int bytes, const char *shared, int index)
{
    const int ahead = (int)(reinterpret_cast<uintptr_t>(out) % CHUNK_BYTES);
    const int at = index * CHUNK_BYTES - ahead;
    if (at >= 0 && at + CHUNK_BYTES <= bytes) {
        *reinterpret_cast<uint4 *>(out + at) = read_chunk<GAPS>(shared, at);
        return;
    }
    const int low = max(-at, 0), high = min(bytes - at, CHUNK_BYTES);
    if (low >= high) return;
    store_part(out + at, read_chunk<GAPS>(shared, at), low, high);
}

/* Returns the bytes, at most 16, that every row start on one side is aligned to. */
inline int row_alignment(const Plan &plan, const void *base, bool source)
{
    uintptr_t bits = reinterpret_cast<uintptr_t>(base) | CHUNK_BYTES;
    for (int i = 0; i < plan.rank; i++) {
        const bool inner = i == (source ? plan.src_inner : plan.rank - 1);
        const int64_t stride = source ? plan.dim[i].src_stride : plan.dim[i].dst_stride;
        if (!inner) bits |= (uintptr_t)(stride * plan.element);
    }
    return (int)(bits & -bits);
}

/* The launchers of the paths in other files. */
template <typename Element>
void launch_interleave(const Plan &plan, void *dst, const void *src, cudaStream_t stream);
template <typename Element>
void launch_tile(const Plan &plan, void *dst, const void *src, cudaStream_t stream);
template <typename Element>
void launch_brick(const Plan &plan, void *dst, const void *src, cudaStream_t stream);

} // namespace ssimcu
