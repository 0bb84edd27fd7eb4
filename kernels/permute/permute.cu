/* Executes a permute plan on the device: one kernel per path of the plan.
 *
 *   copy          rows contiguous on both sides, coalesced as they are
 *   deinterleave  a run of pixels is contiguous in the source: read as it lies into shared memory,
 *                 written out channel by channel (HWC -> CHW); interleave is the way back
 *   tile          32 x 32 tiles through shared memory, read along the source's inner dimension and
 *                 written along the destination's; one column of padding keeps both free of bank
 *                 conflicts
 *   generic       element by element, in destination order
 *
 * The plan has already merged dimensions and widened the element, so "element" is up to 16 bytes.
 * Dimensions that a path does not handle itself are outer: a block decodes its outer index once.
 */
#include "kernels.h"

namespace
{

constexpr int THREADS = 256;
constexpr int RUN = 1024;    /* elements (copy) or pixels (deinterleave) per block */
constexpr int TILE = 32;     /* elements per side */
constexpr int TILE_ROWS = 8; /* rows per pass: 32 x 8 = 256 threads */

using Plan = ssimcu_permute_plan;

template <typename Index>
struct Offset {
    Index src = 0, dst = 0;
};

/* Splits `index` over every dimension but `skip_a` and `skip_b`, innermost fastest. */
template <typename Index>
__device__ __forceinline__ Offset<Index> split(const Plan &plan, Index index, int skip_a,
                                               int skip_b)
{
    Offset<Index> at;
    for (int i = plan.rank - 1; i >= 0; i--) {
        if (i == skip_a || i == skip_b) continue;
        const Index size = (Index)plan.dim[i].size, here = index % size;
        index /= size;
        at.src += here * (Index)plan.dim[i].src_stride;
        at.dst += here * (Index)plan.dim[i].dst_stride;
    }
    return at;
}

/* Block index -> (which run along the inner dimension, which outer index). */
template <typename Index>
struct Place {
    Index run, outer;
    __device__ explicit Place(Index runs) : run(blockIdx.x % runs), outer(blockIdx.x / runs) {}
};

template <typename Element, typename Index>
__global__ void __launch_bounds__(THREADS)
    copy_kernel(const __grid_constant__ Plan plan, Element *dst, const Element *src, Index runs)
{
    const int last = plan.rank - 1;
    const Index size = last < 0 ? 1 : (Index)plan.dim[last].size;
    const Place<Index> place(runs);
    const Offset<Index> at = split<Index>(plan, place.outer, last, last);
#pragma unroll
    for (int i = 0; i < RUN / THREADS; i++) {
        const Index x = place.run * RUN + i * THREADS + threadIdx.x;
        if (x < size) dst[at.dst + x] = src[at.src + x];
    }
}

/* Both directions: TO_PLANES reads pixels and writes planes, else the other way round. */
template <typename Element, typename Index, int CHANNELS, bool TO_PLANES>
__global__ void __launch_bounds__(THREADS)
    interleave_kernel(const __grid_constant__ Plan plan, Element *dst, const Element *src,
                      Index runs)
{
    __shared__ Element stage[RUN / 4 * CHANNELS];
    constexpr int PX = RUN / 4;
    const int last = plan.rank - 1, other = plan.src_inner;
    const int channel = TO_PLANES ? other : last, pixel = TO_PLANES ? last : other;
    const Place<Index> place(runs);
    const Offset<Index> at = split<Index>(plan, place.outer, last, other);
    const Index x0 = place.run * PX;
    const int count = (int)min((Index)PX, (Index)plan.dim[pixel].size - x0);
    const Index plane =
        (Index)(TO_PLANES ? plan.dim[channel].dst_stride : plan.dim[channel].src_stride);
    for (int i = threadIdx.x; i < count * CHANNELS; i += THREADS) {
        if (TO_PLANES) {
            stage[i] = src[at.src + x0 * CHANNELS + i];
        } else {
            const int c = i / count, x = i - c * count;
            stage[x * CHANNELS + c] = src[at.src + c * plane + x0 + x];
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count * CHANNELS; i += THREADS) {
        if (TO_PLANES) {
            const int c = i / count, x = i - c * count;
            dst[at.dst + c * plane + x0 + x] = stage[x * CHANNELS + c];
        } else {
            dst[at.dst + x0 * CHANNELS + i] = stage[i];
        }
    }
}

template <typename Element, typename Index>
__global__ void __launch_bounds__(TILE *TILE_ROWS)
    tile_kernel(const __grid_constant__ Plan plan, Element *dst, const Element *src, Index tiles_x,
                Index tiles_y)
{
    __shared__ Element tile[TILE][TILE + 1];
    const int last = plan.rank - 1, other = plan.src_inner;
    const ssimcu_permute_dim along_src = plan.dim[other], along_dst = plan.dim[last];
    const Place<Index> place(tiles_x * tiles_y);
    const Offset<Index> at = split<Index>(plan, place.outer, last, other);
    const Index s0 = place.run % tiles_x * TILE, d0 = place.run / tiles_x * TILE;
    const int lane = threadIdx.x, first = threadIdx.y;
#pragma unroll
    for (int i = 0; i < TILE; i += TILE_ROWS) {
        const Index s = s0 + lane, d = d0 + first + i;
        if (s < along_src.size && d < along_dst.size)
            tile[first + i][lane] = src[at.src + s + d * (Index)along_dst.src_stride];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i += TILE_ROWS) {
        const Index s = s0 + first + i, d = d0 + lane;
        if (s < along_src.size && d < along_dst.size)
            dst[at.dst + d + s * (Index)along_src.dst_stride] = tile[lane][first + i];
    }
}

template <typename Element, typename Index>
__global__ void __launch_bounds__(THREADS)
    generic_kernel(const __grid_constant__ Plan plan, Element *dst, const Element *src, Index count)
{
    const Index i = (Index)blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const Offset<Index> at = split<Index>(plan, i, -1, -1);
    dst[at.dst] = src[at.src];
}

int64_t divide_up(int64_t value, int64_t by) { return (value + by - 1) / by; }

/* Launches one path for one element type and index width. */
template <typename Element, typename Index>
struct Launcher {
    const Plan &plan;
    Element *dst;
    const Element *src;
    cudaStream_t stream;

    int64_t outer(int inner_dims) const
    {
        int64_t count = ssimcu_permute_plan_count(&plan);
        if (plan.rank > 0) count /= plan.dim[plan.rank - 1].size;
        if (inner_dims == 2) count /= plan.dim[plan.src_inner].size;
        return count;
    }
    void copy() const
    {
        const int64_t runs = divide_up(plan.rank ? plan.dim[plan.rank - 1].size : 1, RUN);
        copy_kernel<Element, Index>
            <<<(unsigned)(runs * outer(1)), THREADS, 0, stream>>>(plan, dst, src, (Index)runs);
    }
    template <bool TO_PLANES>
    void interleave() const
    {
        const int last = plan.rank - 1;
        const ssimcu_permute_dim &pixel = plan.dim[TO_PLANES ? last : plan.src_inner];
        const ssimcu_permute_dim &channel = plan.dim[TO_PLANES ? plan.src_inner : last];
        const int64_t runs = divide_up(pixel.size, RUN / 4);
        auto *kernel = channel.size == 2   ? interleave_kernel<Element, Index, 2, TO_PLANES>
                       : channel.size == 3 ? interleave_kernel<Element, Index, 3, TO_PLANES>
                                           : interleave_kernel<Element, Index, 4, TO_PLANES>;
        kernel<<<(unsigned)(runs * outer(2)), THREADS, 0, stream>>>(plan, dst, src, (Index)runs);
    }
    void tile() const
    {
        const int64_t x = divide_up(plan.dim[plan.src_inner].size, TILE);
        const int64_t y = divide_up(plan.dim[plan.rank - 1].size, TILE);
        tile_kernel<Element, Index>
            <<<(unsigned)(x * y * outer(2)), dim3(TILE, TILE_ROWS), 0, stream>>>(
                plan, dst, src, (Index)x, (Index)y);
    }
    void generic() const
    {
        const int64_t count = ssimcu_permute_plan_count(&plan);
        generic_kernel<Element, Index><<<(unsigned)divide_up(count, THREADS), THREADS, 0, stream>>>(
            plan, dst, src, (Index)count);
    }
    void run() const
    {
        switch (plan.path) {
        case SSIMCU_PERMUTE_COPY:
            return copy();
        case SSIMCU_PERMUTE_DEINTERLEAVE:
            return interleave<true>();
        case SSIMCU_PERMUTE_INTERLEAVE:
            return interleave<false>();
        case SSIMCU_PERMUTE_TILE:
            return tile();
        case SSIMCU_PERMUTE_GENERIC:
            return generic();
        }
    }
};

template <typename Element>
void run(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    auto *to = static_cast<Element *>(dst);
    auto *from = static_cast<const Element *>(src);
    if (plan.wide_index)
        Launcher<Element, int64_t>{plan, to, from, stream}.run();
    else
        Launcher<Element, int32_t>{plan, to, from, stream}.run();
}

} // namespace

cudaError_t ssimcu_permute_cuda(const Plan *plan, void *dst, const void *src, cudaStream_t stream)
{
    switch (plan->element) {
    case 1:
        run<uint8_t>(*plan, dst, src, stream);
        break;
    case 2:
        run<uint16_t>(*plan, dst, src, stream);
        break;
    case 4:
        run<uint32_t>(*plan, dst, src, stream);
        break;
    case 8:
        run<uint2>(*plan, dst, src, stream);
        break;
    default:
        run<uint4>(*plan, dst, src, stream);
        break;
    }
    return cudaGetLastError();
}
