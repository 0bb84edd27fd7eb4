/* Executes a permute plan on the device. Two paths are here, the others in interleave.cu and
 * tile.cu.
 *
 *   copy, generic   element by element in destination order, four at a time per thread. The plan
 * has merged dimensions and widened the element, so a copy moves up to 16 bytes at once; offsets
 * come from multiply-high division, a few instructions a dimension. realign         a copy whose
 * rows are aligned differently on the two sides, or at odd bytes: the destination is written in
 * aligned 16-byte chunks, each put together from five aligned words of the source.
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

/* The same for elements of 1 and 2 bytes whose destination has no gaps: a thread gathers whole
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

/* Rows of `bytes` bytes; `chunks` counts the aligned chunks of the destination that a row can
 * touch. A chunk per thread: with four, 84 instead of 97 % of a copy's bandwidth. */
__global__ void __launch_bounds__(THREADS)
    realign_kernel(const __grid_constant__ Walk<int32_t> outer, char *dst, const char *src,
                   const Hull hull, int element, int64_t bytes, Divider<int32_t> by_chunks,
                   int32_t chunks, int32_t count)
{
    const int32_t index = blockIdx.x * THREADS + threadIdx.x;
    if (index >= count) return;
    const int32_t row = by_chunks.quotient(index);
    const Offset at = outer.at(row);
    char *to = dst + at.dst * element;
    const int ahead = (int)(reinterpret_cast<uintptr_t>(to) % CHUNK_BYTES);
    const int64_t start = (int64_t)(index - row * chunks) * CHUNK_BYTES - ahead;
    const int low = (int)max(-start, (int64_t)0);
    const int high = (int)min(bytes - start, (int64_t)CHUNK_BYTES);
    if (low >= high) return;
    const uint4 chunk = load_chunk(src + at.src * element + start, hull.low, hull.high);
    if (high - low == CHUNK_BYTES)
        *reinterpret_cast<uint4 *>(to + start) = chunk;
    else
        store_part(to + start, chunk, low, high);
}

/* Rows of a copy that realigning serves: not in whole chunks yet, and long. */
bool wants_realign(const Plan &plan)
{
    if (plan.rank == 0 || plan.element >= CHUNK_BYTES) return false;
    const int64_t bytes = plan.dim[plan.rank - 1].size * plan.element;
    const int64_t rows = ssimcu_permute_plan_count(&plan) / plan.dim[plan.rank - 1].size;
    return bytes >= 8 * CHUNK_BYTES && (bytes / CHUNK_BYTES + 2) * rows < INT32_MAX / 2;
}

void launch_realign(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    const int last = plan.rank - 1, element = (int)plan.element;
    const int64_t bytes = plan.dim[last].size * element;
    const int64_t chunks = divide_up(bytes + CHUNK_BYTES - element, CHUNK_BYTES);
    const Walk<int32_t> outer(plan, (1u << last) - 1);
    const int64_t count = chunks * outer.count();
    realign_kernel<<<(unsigned)divide_up(count, THREADS), THREADS, 0, stream>>>(
        outer, static_cast<char *>(dst), static_cast<const char *>(src), Hull(plan, src), element,
        bytes, Divider<int32_t>(chunks), (int32_t)chunks, (int32_t)count);
}

/* Without gaps, so that an element's number is its place; words must fit, too. */
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
    const auto blocks = [=](int64_t n) { return (unsigned)divide_up(n, THREADS * PER_THREAD); };
    if constexpr (sizeof(Element) < 4) {
        if (!plan.wide_index && is_dense(plan, dst)) {
            gather_words_kernel<<<blocks(divide_up(count * sizeof(Element), 4)), THREADS, 0,
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
