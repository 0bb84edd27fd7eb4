/* Executes a permute plan on the device. This file has three paths; brick.cu, interleave.cu and
 * tile.cu have the others. The plan has already merged dimensions and widened the element. Offsets
 * come from multiply-high division, with a few instructions per dimension.
 *
 *   generic   element by element in destination order, four per thread; also copies of short rows.
 *   gather    the same for bytes and pairs of bytes whose destination has no gaps: whole words.
 *   realign   a copy of longer rows: the destination is written in aligned 16-byte chunks, each put
 *             together from the two aligned chunks of the source that it lies in.
 */
#include "permute.cuh"

namespace
{

using namespace ssimcu;

constexpr int THREADS = 256;
constexpr int PER_THREAD = 4;

template <typename Element, typename Index>
__global__ void __launch_bounds__(THREADS)
    generic_kernel(const __grid_constant__ Walk<Index> walk, Element *dst, const Element *src,
                   Index count)
{
    const Index first = (Index)blockIdx.x * (THREADS * PER_THREAD) + threadIdx.x;
    Element value[PER_THREAD];
    int64_t to[PER_THREAD];
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const Index i = first + k * THREADS;
        if (i >= count) break;
        const Offset at = walk.at(i);
        value[k] = src[at.src];
        to[k] = at.dst;
    }
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++)
        if (first + k * THREADS < count) dst[to[k]] = value[k];
}

/* Does the same for elements of 1 and 2 bytes whose destination has no gaps. A thread gathers whole
 * words. */
template <typename Element>
__global__ void __launch_bounds__(THREADS)
    gather_words_kernel(const __grid_constant__ Walk<int32_t> walk, Element *dst,
                        const Element *src, int32_t count)
{
    constexpr int SIZE = sizeof(Element), PER_WORD = 4 / SIZE;
    const int32_t first = (int32_t)blockIdx.x * (THREADS * PER_THREAD) + threadIdx.x;
    Element value[PER_THREAD][PER_WORD];
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++)
#pragma unroll
        for (int e = 0; e < PER_WORD; e++)
            value[k][e] = src[walk.source_at(min((first + k * THREADS) * PER_WORD + e, count - 1))];
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const int32_t i = (first + k * THREADS) * PER_WORD;
        uint32_t word = 0;
#pragma unroll
        for (int e = 0; e < PER_WORD; e++) word |= (uint32_t)value[k][e] << 8 * SIZE * e;
        if (i + PER_WORD <= count)
            *reinterpret_cast<uint32_t *>(dst + i) = word;
        else
            for (int e = 0; i + e < count; e++) dst[i + e] = value[k][e];
    }
}

/* Rows of `bytes` bytes. A row can touch `chunks` aligned chunks of the destination, all rows
 * together `count`. */
struct Rows {
    char *dst;
    const char *src;
    Hull hull;
    const char *safe; /* two aligned chunks of the source */
    int64_t bytes;
    int element;
    int32_t chunks, count;
    Divider<int32_t> by_chunks;
};

/* A chunk of the destination; its bytes [low, high) belong to the row. */
struct Chunk {
    char *to;
    const char *from;
    int low, high;
};

__device__ __forceinline__ Chunk find_chunk(const Walk<int32_t> &outer, const Rows &rows,
                                            int32_t index)
{
    const int32_t row = rows.by_chunks.quotient(min(index, rows.count - 1));
    const Offset at = outer.at(row);
    char *to = rows.dst + at.dst * rows.element;
    const int ahead = (int)(reinterpret_cast<uintptr_t>(to) % CHUNK_BYTES);
    const int64_t start = (int64_t)(index - row * rows.chunks) * CHUNK_BYTES - ahead;
    const int64_t end = index < rows.count ? min(rows.bytes - start, (int64_t)CHUNK_BYTES) : 0;
    return {to + start, rows.src + at.src * rows.element + start, (int)max(-start, (int64_t)0),
            (int)end};
}

constexpr int TURNS = 2;

/* Loads a part of a row that is aligned to 8 bytes. L2 fetches the whole line of 128 bytes: 72.5 ->
 * 72.2 us for f16 rows of 1448 bytes in another order. For unaligned rows that is 1 % slower. */
__device__ __forceinline__ uint2 load_part(const uint2 *from)
{
    uint2 v;
    asm("ld.global.nc.L2::128B.v2.u32 {%0,%1},[%2];" : "=r"(v.x), "=r"(v.y) : "l"(from));
    return v;
}

__device__ __forceinline__ uint4 load_part(const uint4 *from) { return __ldg(from); }

/* Writes two chunks per thread, whose loads are in flight together. Each chunk is loaded as two
 * parts. Parts are uint4 for unaligned rows. For rows aligned to 8 bytes they are uint2, which need
 * no shift. On an H200, f16 rows of 1448 bytes in another order run at 94.5 % of a copy's
 * bandwidth, with uint4 at 93.7 %. With uint2, one chunk per thread loses 2 %, four lose 8, and two
 * with 44 registers instead of 40 lose 2. */
template <typename Part>
__global__ void __launch_bounds__(THREADS, blocks_per_sm(6, THREADS))
    realign_kernel(const __grid_constant__ Walk<int32_t> outer, const __grid_constant__ Rows rows)
{
    constexpr bool ANYWHERE = sizeof(Part) == CHUNK_BYTES;
    Chunk chunk[TURNS];
    Part a[TURNS], b[TURNS];
    int shift[TURNS];
    bool inside[TURNS];
#pragma unroll
    for (int k = 0; k < TURNS; k++) {
        chunk[k] = find_chunk(outer, rows, (blockIdx.x * TURNS + k) * THREADS + threadIdx.x);
        shift[k] = ANYWHERE ? (int)(reinterpret_cast<uintptr_t>(chunk[k].from) % CHUNK_BYTES) : 0;
        const char *from = chunk[k].from - shift[k];
        inside[k] = from >= rows.hull.low && from + 2 * sizeof(Part) <= rows.hull.high;
        if (!inside[k]) from = rows.safe; /* avoids a branch around the loads */
        a[k] = load_part(reinterpret_cast<const Part *>(from));
        b[k] = load_part(reinterpret_cast<const Part *>(from) + (!ANYWHERE || shift[k] != 0));
    }
#pragma unroll
    for (int k = 0; k < TURNS; k++) {
        const Chunk &c = chunk[k];
        if (c.low >= c.high) continue;
        const uint4 bytes = inside[k] ? join_chunks(a[k], b[k], shift[k])
                                      : load_chunk(c.from, rows.hull.low, rows.hull.high);
        if (c.high - c.low == CHUNK_BYTES)
            *reinterpret_cast<uint4 *>(c.to) = bytes;
        else
            store_part(c.to, bytes, c.low, c.high);
    }
}

/* Returns whether to realign the rows of a copy: they are long, and not in whole chunks yet. */
bool wants_realign(const Plan &plan)
{
    if (plan.rank == 0 || plan.element >= CHUNK_BYTES) return false;
    const int64_t bytes = plan.dim[plan.rank - 1].size * plan.element;
    const int64_t rows = ssimcu_permute_plan_count(&plan) / plan.dim[plan.rank - 1].size;
    return bytes >= 8 * CHUNK_BYTES && (bytes / CHUNK_BYTES + 2) * rows < INT32_MAX / 2;
}

void launch_realign(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    const int last = plan.rank - 1;
    const Walk<int32_t> outer(plan, (1u << last) - 1);
    Rows rows;
    rows.dst = static_cast<char *>(dst);
    rows.src = static_cast<const char *>(src);
    rows.hull = Hull(plan, src);
    rows.safe = rows.hull.low + -reinterpret_cast<uintptr_t>(rows.hull.low) % CHUNK_BYTES;
    rows.element = (int)plan.element;
    rows.bytes = plan.dim[last].size * plan.element;
    rows.chunks = (int32_t)ssimcu_divide_up(rows.bytes + CHUNK_BYTES - plan.element, CHUNK_BYTES);
    rows.count = (int32_t)(rows.chunks * outer.count());
    rows.by_chunks = Divider<int32_t>(rows.chunks);
    const unsigned blocks = (unsigned)ssimcu_divide_up(rows.count, TURNS * THREADS);
    if (rows.element == 8)
        realign_kernel<uint2><<<blocks, THREADS, 0, stream>>>(outer, rows);
    else
        realign_kernel<uint4><<<blocks, THREADS, 0, stream>>>(outer, rows);
}

/* Returns whether the destination has no gaps, so that an element's index is its place. Words must
 * fit, too. */
bool is_dense(const Plan &plan, const void *dst)
{
    int64_t size = 1;
    for (int i = plan.rank - 1; i >= 0; i--) {
        if (plan.dim[i].dst_stride != size) return false;
        size *= plan.dim[i].size;
    }
    return size < INT32_MAX - 4 * THREADS * PER_THREAD && reinterpret_cast<uintptr_t>(dst) % 4 == 0;
}

template <typename Element>
void launch_generic(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    const int64_t count = ssimcu_permute_plan_count(&plan);
    const uint32_t all = (1u << plan.rank) - 1;
    Element *to = static_cast<Element *>(dst);
    const Element *from = static_cast<const Element *>(src);
    const auto blocks = [=](int64_t n) {
        return (unsigned)ssimcu_divide_up(n, THREADS * PER_THREAD);
    };
    if constexpr (sizeof(Element) < 4) {
        if (!plan.wide_index && is_dense(plan, dst)) {
            gather_words_kernel<<<blocks(ssimcu_divide_up(count * sizeof(Element), 4)), THREADS, 0,
                                  stream>>>(Walk<int32_t>(plan, all), to, from, (int32_t)count);
            return;
        }
    }
    if (plan.wide_index)
        generic_kernel<<<blocks(count), THREADS, 0, stream>>>(Walk<int64_t>(plan, all), to, from,
                                                              count);
    else
        generic_kernel<<<blocks(count), THREADS, 0, stream>>>(Walk<int32_t>(plan, all), to, from,
                                                              (int32_t)count);
}

template <typename Element>
void run(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    switch (plan.path) {
    case SSIMCU_PERMUTE_DEINTERLEAVE:
    case SSIMCU_PERMUTE_INTERLEAVE: return launch_interleave<Element>(plan, dst, src, stream);
    case SSIMCU_PERMUTE_TILE: return launch_tile<Element>(plan, dst, src, stream);
    case SSIMCU_PERMUTE_BRICK: return launch_brick<Element>(plan, dst, src, stream);
    case SSIMCU_PERMUTE_COPY:
        if (wants_realign(plan)) return launch_realign(plan, dst, src, stream);
        break;
    case SSIMCU_PERMUTE_GENERIC: break;
    }
    launch_generic<Element>(plan, dst, src, stream);
}

} // namespace

cudaError_t ssimcu_permute_cuda(const Plan *plan, void *dst, const void *src, cudaStream_t stream)
{
    switch (plan->element) {
    case 1: run<uint8_t>(*plan, dst, src, stream); break;
    case 2: run<uint16_t>(*plan, dst, src, stream); break;
    case 4: run<uint32_t>(*plan, dst, src, stream); break;
    case 8: run<uint2>(*plan, dst, src, stream); break;
    default: run<uint4>(*plan, dst, src, stream); break;
    }
    return cudaGetLastError();
}
