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

/* One aligned chunk of the destination: bytes [from, to) of it, 0 to 16. */
template <typename Element>
__device__ __forceinline__ void realign_chunk(char *chunk, const char *source, int from, int to)
{
    constexpr int SIZE = sizeof(Element);
    if (from > 0 || to < CHUNK_BYTES) {
#pragma unroll
        for (int b = 0; b < CHUNK_BYTES; b += SIZE)
            if (b >= from && b < to)
                *reinterpret_cast<Element *>(chunk + b) =
                    *reinterpret_cast<const Element *>(source + b);
        return;
    }
    if constexpr (SIZE == 8) {
        const uint2 low = reinterpret_cast<const uint2 *>(source)[0];
        const uint2 high = reinterpret_cast<const uint2 *>(source)[1];
        *reinterpret_cast<uint4 *>(chunk) = make_uint4(low.x, low.y, high.x, high.y);
        return;
    }
    const int shift = SIZE < 4 ? (int)(reinterpret_cast<uintptr_t>(source) % 4) : 0;
    const uint32_t *word = reinterpret_cast<const uint32_t *>(source - shift);
    uint32_t in[5], out[4];
#pragma unroll
    for (int i = 0; i < 4; i++) in[i] = word[i];
    in[4] = shift ? word[4] : 0;
#pragma unroll
    for (int i = 0; i < 4; i++) out[i] = __funnelshift_r(in[i], in[i + 1], 8 * shift);
    *reinterpret_cast<uint4 *>(chunk) = make_uint4(out[0], out[1], out[2], out[3]);
}

/* Rows of `bytes` bytes; `chunks` counts the aligned chunks that a row can touch. */
template <typename Element>
__global__ void __launch_bounds__(THREADS)
    realign_kernel(const __grid_constant__ Walk<int32_t> outer, char *dst, const char *src,
                   int64_t bytes, Divider<int32_t> by_chunks, int32_t chunks, int32_t count)
{
    constexpr int SIZE = sizeof(Element);
#pragma unroll
    for (int k = 0; k < PER_THREAD; k++) {
        const int32_t index = (blockIdx.x * PER_THREAD + k) * THREADS + threadIdx.x;
        if (index >= count) return;
        const int32_t row = by_chunks.quotient(index);
        const Offset at = outer.at(row);
        char *to = dst + at.dst * SIZE;
        const char *from = src + at.src * SIZE;
        const int ahead = (int)(reinterpret_cast<uintptr_t>(to) % CHUNK_BYTES);
        const int64_t start = (int64_t)(index - row * chunks) * CHUNK_BYTES - ahead;
        const int low = (int)max(-start, (int64_t)0);
        const int high = (int)min(bytes - start, (int64_t)CHUNK_BYTES);
        if (low < high) realign_chunk<Element>(to + start, from + start, low, high);
    }
}

/* Rows of a copy that realigning serves: not in whole chunks yet, and long. */
bool wants_realign(const Plan &plan)
{
    if (plan.rank == 0 || plan.element >= CHUNK_BYTES) return false;
    const int64_t bytes = plan.dim[plan.rank - 1].size * plan.element;
    const int64_t rows = ssimcu_permute_plan_count(&plan) / plan.dim[plan.rank - 1].size;
    return bytes >= 8 * CHUNK_BYTES && (bytes / CHUNK_BYTES + 2) * rows < INT32_MAX / 2;
}

template <typename Element>
void launch_realign(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    const int last = plan.rank - 1;
    const int64_t bytes = plan.dim[last].size * plan.element;
    const int64_t chunks = divide_up(bytes + CHUNK_BYTES - plan.element, CHUNK_BYTES);
    const Walk<int32_t> outer(plan, last);
    const int64_t count = chunks * outer.count();
    realign_kernel<Element>
        <<<(unsigned)divide_up(count, THREADS * PER_THREAD), THREADS, 0, stream>>>(
            outer, static_cast<char *>(dst), static_cast<const char *>(src), bytes,
            Divider<int32_t>(chunks), (int32_t)chunks, (int32_t)count);
}

template <typename Element, typename Index>
void launch_generic(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    const int64_t count = ssimcu_permute_plan_count(&plan);
    const int64_t blocks = divide_up(count, THREADS * PER_THREAD);
    generic_kernel<Element, Index>
        <<<(unsigned)blocks, THREADS, 0, stream>>>(Walk<Index>(plan), static_cast<Element *>(dst),
                                                   static_cast<const Element *>(src), (Index)count);
}

template <typename Element>
void run(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    switch (plan.path) {
    case SSIMCU_PERMUTE_DEINTERLEAVE:
    case SSIMCU_PERMUTE_INTERLEAVE: return launch_interleave<Element>(plan, dst, src, stream);
    case SSIMCU_PERMUTE_TILE: return launch_tile<Element>(plan, dst, src, stream);
    case SSIMCU_PERMUTE_COPY:
        if (wants_realign(plan)) return launch_realign<Element>(plan, dst, src, stream);
        break;
    case SSIMCU_PERMUTE_GENERIC: break;
    }
    if (plan.wide_index)
        launch_generic<Element, int64_t>(plan, dst, src, stream);
    else
        launch_generic<Element, int32_t>(plan, dst, src, stream);
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
