/* Deinterleave and interleave: pixels of C neighbouring elements <-> C planes (HWC <-> CHW).
 *
 * DATA FLOW. A block takes a run of pixels. The side where they lie together is one segment of
 * bytes, the other side C segments. Segments come to shared memory as they are, by asynchronous
 * 16-byte copies from the aligned address at or before their start; then each thread gathers the
 * elements of one 4-byte word of the destination (one element, where that is larger) and stores it.
 * Stores are aligned words, lane beside lane, whatever the alignment of either side.
 *
 * WHY SO. Gathering costs one shared read per element, with lanes 4 C bytes apart: for C = 3 every
 * bank once. Where that is too many reads, for bytes of 2 to 4 channels, a thread reads four pixels
 * as words and sorts their bytes in registers. Many channels are spread over the banks by a gap of
 * 16 bytes in every 128.
 */
#include "permute.cuh"

namespace ssimcu
{
namespace
{

constexpr int THREADS = 256;
constexpr int BLOCK_BYTES = 12288; /* elements that a block moves; 8 blocks fill an SM's threads */
constexpr int MAX_CHANNELS = SSIMCU_PERMUTE_MAX_CHANNELS;

/* Where the two sides lie, in bytes. */
struct Sides {
    char *dst;
    const char *src;
    int64_t pixels; /* along a row */
    int64_t plane;  /* from plane to plane, on the planar side */
    int channels, run_px;
    int32_t runs; /* per row */
    Divider<int32_t> by_runs, by_channels;
};

/* Where byte `at` of a segment stands in shared memory. */
template <bool GAPS>
__device__ __forceinline__ int spread(int at)
{
    return GAPS ? at + at / 128 * CHUNK_BYTES : at;
}

/* Brings [start, start + bytes) to `shared`. Chunks that reach out of [low, high) are cut. Returns
 * where the run begins, before spreading. */
template <bool GAPS>
__device__ __forceinline__ int stage(char *shared, const char *start, int bytes, const char *low,
                                     const char *high)
{
    const int skip = (int)(reinterpret_cast<uintptr_t>(start) % CHUNK_BYTES);
    for (int i = threadIdx.x * CHUNK_BYTES; i < skip + bytes; i += THREADS * CHUNK_BYTES) {
        const char *chunk = start - skip + i;
        char *to = shared + spread<GAPS>(i);
        if (chunk >= low && chunk + CHUNK_BYTES <= high) {
            copy_chunk(to, chunk);
            continue;
        }
        for (int b = 0; b < CHUNK_BYTES; b++)
            if (chunk + b >= low && chunk + b < high) to[b] = chunk[b];
    }
    return skip;
}

__device__ __forceinline__ void wait_for_stage()
{
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* Channel c of four pixels of C bytes each, as one word. */
template <int C>
__device__ __forceinline__ uint32_t pick_channel(const uint32_t (&pixels)[C], int c)
{
    const int i1 = C + c, i2 = 2 * C + c, i3 = 3 * C + c;
    const uint32_t low = __byte_perm(pixels[0], pixels[i1 / 4], c | (4 + i1 % 4) << 4);
    const uint32_t high = __byte_perm(pixels[i2 / 4], pixels[i3 / 4], i2 % 4 | (4 + i3 % 4) << 4);
    return __byte_perm(low, high, 0x5410);
}

/* Planes of bytes whose rows are aligned alike: four pixels per thread, by words. */
template <int C>
__device__ __forceinline__ void write_byte_planes(char *out, int64_t plane, int count,
                                                  const char *pixel)
{
    const int head = min((int)(-reinterpret_cast<uintptr_t>(out) % 4), count);
    const int quads = (count - head) / 4, tail = head + 4 * quads;
    const char *start = pixel + head * C;
    const int shift = (int)(reinterpret_cast<uintptr_t>(start) % 4);
    const uint32_t *word = reinterpret_cast<const uint32_t *>(start - shift);
    for (int q = threadIdx.x; q < quads; q += THREADS) {
        uint32_t in[C];
#pragma unroll
        for (int i = 0; i < C; i++)
            in[i] = __funnelshift_r(word[q * C + i], word[q * C + i + 1], 8 * shift);
#pragma unroll
        for (int c = 0; c < C; c++)
            *reinterpret_cast<uint32_t *>(out + c * plane + head + 4 * q) = pick_channel<C>(in, c);
    }
    for (int i = threadIdx.x; i < (head + count - tail) * C; i += THREADS) {
        const int x = i / C < head ? i / C : tail + i / C - head;
        out[i % C * plane + x] = pixel[x * C + i % C];
    }
}

/* Block index -> which row, which run of it. */
struct Place {
    const char *src;
    char *dst;
    int64_t x0;
    int count;
};

template <int SIZE>
__device__ __forceinline__ Place find_place(const Walk<int32_t> &outer, const Sides &sides)
{
    const int row = sides.by_runs.quotient(blockIdx.x);
    const int64_t x0 = (int64_t)(blockIdx.x - row * sides.runs) * sides.run_px;
    const Offset at = outer.at(row);
    return {sides.src + at.src * SIZE, sides.dst + at.dst * SIZE, x0,
            (int)min((int64_t)sides.run_px, sides.pixels - x0)};
}

/* C is the number of channels, or 0 where only the launch knows it. */
template <typename Element, int C>
__global__ void __launch_bounds__(THREADS)
    deinterleave_kernel(const __grid_constant__ Walk<int32_t> outer, const Sides sides)
{
    constexpr int SIZE = sizeof(Element);
    constexpr bool GAPS = C == 0;
    __shared__ __align__(CHUNK_BYTES) char shared[BLOCK_BYTES * 9 / 8 + 4 * CHUNK_BYTES];
    const Place place = find_place<SIZE>(outer, sides);
    const int channels = C ? C : sides.channels, pixel_bytes = channels * SIZE;
    const int skip =
        stage<GAPS>(shared, place.src + place.x0 * pixel_bytes, place.count * pixel_bytes,
                    place.src, place.src + sides.pixels * pixel_bytes);
    char *out = place.dst + place.x0 * SIZE;
    wait_for_stage();
    if constexpr (SIZE == 1 && C >= 2) {
        if (sides.plane % 4 == 0)
            return write_byte_planes<C>(out, sides.plane, place.count, shared + skip);
    }
    for (int c = 0; c < channels; c++)
        write_run<Element, THREADS>(out + c * sides.plane, place.count, [=](int x) {
            return *reinterpret_cast<const Element *>(
                shared + spread<GAPS>(skip + (x * channels + c) * SIZE));
        });
}

template <typename Element, int C>
__global__ void __launch_bounds__(THREADS)
    interleave_kernel(const __grid_constant__ Walk<int32_t> outer, const Sides sides)
{
    constexpr int SIZE = sizeof(Element);
    __shared__ __align__(CHUNK_BYTES) char shared[BLOCK_BYTES + MAX_CHANNELS * 4 * CHUNK_BYTES];
    const Place place = find_place<SIZE>(outer, sides);
    const int channels = C ? C : sides.channels;
    /* one plane's part: an odd number of chunks, so that planes start in different banks */
    const int region = ((sides.run_px * SIZE / CHUNK_BYTES + 2) | 1) * CHUNK_BYTES;
    const char *first = place.src + place.x0 * SIZE;
    for (int c = 0; c < channels; c++)
        stage<false>(shared + c * region, first + c * sides.plane, place.count * SIZE,
                     place.src + c * sides.plane,
                     place.src + c * sides.plane + sides.pixels * SIZE);
    wait_for_stage();
    const uint32_t low = (uint32_t) reinterpret_cast<uintptr_t>(first),
                   step = (uint32_t)sides.plane;
    const Divider<int32_t> by_channels = sides.by_channels;
    write_run<Element, THREADS>(
        place.dst + place.x0 * channels * SIZE, place.count * channels, [=](int i) {
            const int x = C ? i / (C ? C : 1) : by_channels.quotient(i), c = i - x * channels;
            const char *plane = shared + c * region + (low + c * step) % CHUNK_BYTES;
            return reinterpret_cast<const Element *>(plane)[x];
        });
}

template <typename Element, int C>
void launch(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    constexpr int SIZE = sizeof(Element);
    const bool to_planes = plan.path == SSIMCU_PERMUTE_DEINTERLEAVE;
    const int last = plan.rank - 1;
    const ssimcu_permute_dim &pixel = plan.dim[to_planes ? last : plan.src_inner];
    const ssimcu_permute_dim &channel = plan.dim[to_planes ? plan.src_inner : last];
    const Walk<int32_t> outer(plan, last, plan.src_inner);
    Sides sides;
    sides.dst = static_cast<char *>(dst);
    sides.src = static_cast<const char *>(src);
    sides.pixels = pixel.size;
    sides.plane = (to_planes ? channel.dst_stride : channel.src_stride) * SIZE;
    sides.channels = (int)channel.size;
    sides.run_px = BLOCK_BYTES / (sides.channels * SIZE);
    sides.runs = (int32_t)divide_up(pixel.size, sides.run_px);
    sides.by_runs = Divider<int32_t>(sides.runs);
    sides.by_channels = Divider<int32_t>(sides.channels);
    auto *kernel = to_planes ? deinterleave_kernel<Element, C> : interleave_kernel<Element, C>;
    kernel<<<(unsigned)(sides.runs * outer.count()), THREADS, 0, stream>>>(outer, sides);
}

} // namespace

template <typename Element>
void launch_interleave(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    const bool to_planes = plan.path == SSIMCU_PERMUTE_DEINTERLEAVE;
    switch (plan.dim[to_planes ? plan.src_inner : plan.rank - 1].size) {
    case 2: return launch<Element, 2>(plan, dst, src, stream);
    case 3: return launch<Element, 3>(plan, dst, src, stream);
    case 4: return launch<Element, 4>(plan, dst, src, stream);
    default: return launch<Element, 0>(plan, dst, src, stream);
    }
}

template void launch_interleave<uint8_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint16_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint32_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint2>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint4>(const Plan &, void *, const void *, cudaStream_t);

} // namespace ssimcu
