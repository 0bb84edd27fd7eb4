/* Deinterleave and interleave: pixels of C neighbouring elements <-> C planes (HWC <-> CHW).
 *
 * DATA FLOW. A block takes a run of pixels. The side where they lie together is one segment of
 * bytes, the other side C segments. Segments come to shared memory as they are, by asynchronous
 * 16-byte copies from the aligned address at or before their start; then each thread gathers the
 * elements of one 4-byte word of the destination (one element, where that is larger) and stores it.
 * Stores are aligned words, lane beside lane, whatever the alignment of either side.
 *
 * WHY SO. Gathering costs one shared read per element, with lanes 4 C bytes apart: for C = 3 every
 * bank once. For 8 frames of 4K RGB8 that is 24 us of shared reads in the shadow of 98 us of device
 * memory.
 */
#include "permute.cuh"

namespace ssimcu
{
namespace
{

constexpr int THREADS = 256;
constexpr int BLOCK_BYTES = 12288; /* elements that a block moves; 8 blocks fill an SM's threads */

/* Where the two sides lie, in bytes. */
struct Sides {
    char *dst;
    const char *src;
    int64_t pixels; /* along a row */
    int64_t plane;  /* from plane to plane, on the planar side */
    Divider<int32_t> runs;
    int32_t run_count; /* per row */
};

/* Brings [start, start + bytes) to `shared`, which has room for two chunks more. Chunks that reach
 * out of [low, high) are cut. Returns where in `shared` the run begins. */
__device__ __forceinline__ int stage(char *shared, const char *start, int bytes, const char *low,
                                     const char *high)
{
    const int skip = (int)(reinterpret_cast<uintptr_t>(start) % CHUNK_BYTES);
    for (int i = threadIdx.x * CHUNK_BYTES; i < skip + bytes; i += THREADS * CHUNK_BYTES) {
        const char *chunk = start - skip + i;
        if (chunk >= low && chunk + CHUNK_BYTES <= high) {
            copy_chunk(shared + i, chunk);
            continue;
        }
        for (int b = 0; b < CHUNK_BYTES; b++)
            if (chunk + b >= low && chunk + b < high) shared[i + b] = chunk[b];
    }
    return skip;
}

__device__ __forceinline__ void wait_for_stage()
{
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

template <typename Element, int C, bool TO_PLANES>
__global__ void __launch_bounds__(THREADS)
    interleave_kernel(const __grid_constant__ Walk<int32_t> outer, const Sides sides)
{
    constexpr int SIZE = sizeof(Element), PX = BLOCK_BYTES / (C * SIZE);
    constexpr int REGION = PX * SIZE + 2 * CHUNK_BYTES; /* one plane's part of the stage */
    __shared__ __align__(CHUNK_BYTES) char shared[C * REGION];
    const int row = sides.runs.quotient(blockIdx.x);
    const int64_t x0 = (int64_t)(blockIdx.x - row * sides.run_count) * PX;
    const Offset at = outer.at(row);
    const char *src = sides.src + at.src * SIZE;
    char *dst = sides.dst + at.dst * SIZE;
    const int count = (int)min((int64_t)PX, sides.pixels - x0);
    const int64_t row_bytes = sides.pixels * SIZE;
    if (TO_PLANES) {
        const int skip =
            stage(shared, src + x0 * C * SIZE, count * C * SIZE, src, src + C * row_bytes);
        const Element *pixel = reinterpret_cast<const Element *>(shared + skip);
        wait_for_stage();
#pragma unroll
        for (int c = 0; c < C; c++)
            write_run<Element, THREADS>(dst + c * sides.plane + x0 * SIZE, count,
                                        [=](int x) { return pixel[x * C + c]; });
        return;
    }
    const char *first = src + x0 * SIZE;
#pragma unroll
    for (int c = 0; c < C; c++)
        stage(shared + c * REGION, first + c * sides.plane, count * SIZE, src + c * sides.plane,
              src + c * sides.plane + row_bytes);
    wait_for_stage();
    const uint32_t low = (uint32_t) reinterpret_cast<uintptr_t>(first),
                   step = (uint32_t)sides.plane;
    write_run<Element, THREADS>(dst + x0 * C * SIZE, count * C, [=](int i) {
        const int x = i / C, c = i - x * C;
        const char *plane = shared + c * REGION + (low + c * step) % CHUNK_BYTES;
        return reinterpret_cast<const Element *>(plane)[x];
    });
}

template <typename Element, bool TO_PLANES>
void launch(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    const int last = plan.rank - 1;
    const ssimcu_permute_dim &pixel = plan.dim[TO_PLANES ? last : plan.src_inner];
    const ssimcu_permute_dim &channel = plan.dim[TO_PLANES ? plan.src_inner : last];
    const int64_t run_px = BLOCK_BYTES / (channel.size * (int64_t)sizeof(Element));
    const int64_t plane = TO_PLANES ? channel.dst_stride : channel.src_stride;
    const Walk<int32_t> outer(plan, last, plan.src_inner);
    const int64_t runs = divide_up(pixel.size, run_px);
    const Sides sides = {
        static_cast<char *>(dst),         static_cast<const char *>(src), pixel.size,
        plane * (int64_t)sizeof(Element), Divider<int32_t>(runs),         (int32_t)runs};
    auto *kernel = channel.size == 2   ? interleave_kernel<Element, 2, TO_PLANES>
                   : channel.size == 3 ? interleave_kernel<Element, 3, TO_PLANES>
                                       : interleave_kernel<Element, 4, TO_PLANES>;
    kernel<<<(unsigned)(runs * outer.count()), THREADS, 0, stream>>>(outer, sides);
}

} // namespace

template <typename Element>
void launch_interleave(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    if (plan.path == SSIMCU_PERMUTE_DEINTERLEAVE)
        launch<Element, true>(plan, dst, src, stream);
    else
        launch<Element, false>(plan, dst, src, stream);
}

template void launch_interleave<uint8_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint16_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint32_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint2>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint4>(const Plan &, void *, const void *, cudaStream_t);

} // namespace ssimcu
