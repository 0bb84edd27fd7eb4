/* Deinterleave and interleave: pixels of C neighbouring elements <-> C planes (HWC <-> CHW).
 *
 * DATA FLOW. A block takes a run of pixels. The interleaved side is one segment of bytes, the
 * planar side C segments. Asynchronous 16-byte copies bring segments to shared memory unchanged,
 * from the aligned address at or before their start. Then each thread gathers the elements of one
 * 4-byte word of the destination and stores it. A larger element is a whole word. Stores are
 * aligned words of neighbouring lanes, whatever the alignment of either side.
 *
 * REASONS. Gathering costs one shared-memory read per element, with lanes 4 C bytes apart. For C =
 * 3 this reads every bank once. For bytes of 2 to 4 channels, that is too many reads. There, a
 * thread reads four pixels as words and sorts their bytes in registers. A gap of 16 bytes in every
 * 128 spreads many channels over the banks.
 */
#include "permute/interleave.cuh"

namespace ssimcu
{
namespace
{

constexpr int THREADS = 256;
constexpr int BLOCK_BYTES = 12288; /* bytes per block; 8 blocks fill an SM's threads */
constexpr int MAX_CHANNELS = SSIMCU_PERMUTE_MAX_CHANNELS;

/* Returns channel c of four pixels of C bytes each, as one word. */
template <int C>
__device__ __forceinline__ uint32_t pick_channel(const uint32_t (&pixels)[C], int c)
{
    const int i1 = C + c, i2 = 2 * C + c, i3 = 3 * C + c;
    const uint32_t low = __byte_perm(pixels[0], pixels[i1 / 4], c | (4 + i1 % 4) << 4);
    const uint32_t high = __byte_perm(pixels[i2 / 4], pixels[i3 / 4], i2 % 4 | (4 + i3 % 4) << 4);
    return __byte_perm(low, high, 0x5410);
}

/* Writes planes of bytes whose rows have equal alignment, as words, four pixels per thread. */
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

/* Does the same for a multiple of four channels. A thread writes a block of 4 pixels x 4
 * channels. */
__device__ __forceinline__ void write_byte_blocks(char *out, const Sides &sides, int count,
                                                  const char *shared, int skip)
{
    const int head = min((int)(-reinterpret_cast<uintptr_t>(out) % 4), count);
    const int full = sides.run_px / 4, quads = (count - head) / 4, tail = head + 4 * quads;
    for (int i = threadIdx.x; i < full * sides.channels / 4; i += THREADS) {
        const int c = sides.by_quads.quotient(i), q = i - c * full;
        uint32_t in[4];
        if (q >= quads) continue;
#pragma unroll
        for (int x = 0; x < 4; x++)
            in[x] = read_word<true>(shared, skip + (head + 4 * q + x) * sides.stride + 4 * c);
#pragma unroll
        for (int k = 0; k < 4; k++)
            *reinterpret_cast<uint32_t *>(out + (4 * c + k) * sides.plane + head + 4 * q) =
                pick_channel<4>(in, k);
    }
    for (int i = threadIdx.x; i < (head + count - tail) * sides.channels; i += THREADS) {
        const int e = sides.by_channels.quotient(i), c = i - e * sides.channels;
        const int x = e < head ? e : tail + e - head;
        out[c * sides.plane + x] = shared[spread<true>(skip + x * sides.stride + c)];
    }
}

/* An Output that writes the elements to planes unchanged. C is the number of channels, or 0 if only
 * the launch knows it. */
template <typename Element, int C>
struct Unchanged {
    static constexpr int SRC_SIZE = sizeof(Element), DST_SIZE = SRC_SIZE,
                         THREADS = ::ssimcu::THREADS;
    static constexpr int SEGMENTS = 1, REGION = 0;
    static constexpr int SHARED_BYTES = BLOCK_BYTES * 9 / 8 + 4 * CHUNK_BYTES;
    static constexpr bool GAPS = C == 0;

    static __device__ __forceinline__ int channels(const Sides &sides)
    {
        return C ? C : sides.channels;
    }
    static __device__ __forceinline__ int stride(const Sides &sides)
    {
        return C ? C : sides.stride;
    }
    static __device__ __forceinline__ int64_t segment(int) { return 0; }

    static __device__ __forceinline__ Span readable(const Sides &sides, const char *row, int)
    {
        return {row, row + ((sides.pixels - 1) * stride(sides) + channels(sides)) * SRC_SIZE};
    }

    static __device__ __forceinline__ void write(const Sides &sides, const Place &place,
                                                 const char *shared, const int (&skip)[SEGMENTS])
    {
        char *out = place.dst + place.x0 * DST_SIZE;
        if constexpr (SRC_SIZE == 1 && C >= 2) {
            if (sides.plane % 4 == 0)
                return write_byte_planes<C>(out, sides.plane, place.count, shared + skip[0]);
        }
        if constexpr (SRC_SIZE == 1 && C == 0) {
            if (sides.plane % 4 == 0 && sides.channels % 4 == 0)
                return write_byte_blocks(out, sides, place.count, shared, skip[0]);
        }
        const int channels = Unchanged::channels(sides), stride = Unchanged::stride(sides);
        const int start = skip[0];
        for (int c = 0; c < channels; c++)
            write_run<Element, THREADS>(out + c * sides.plane, place.count, [=](int x) {
                return *reinterpret_cast<const Element *>(
                    shared + spread<GAPS>(start + (x * stride + c) * SRC_SIZE));
            });
    }
};

/* The planar side of a run in shared memory. */
struct Planes {
    const char *shared;
    int region;         /* bytes from plane to plane */
    uint32_t low, step; /* low bits of the first plane's address, and from plane to plane */

    __device__ __forceinline__ const char *row(int c) const
    {
        return shared + c * region + (low + c * step) % CHUNK_BYTES;
    }
};

/* Returns one word of C interleaved bytes of four pixels. Its byte i is byte i / C of quad i %
 * C. */
template <int C>
__device__ __forceinline__ uint32_t pick_bytes(const uint32_t (&quad)[C], int word)
{
    const int i0 = 4 * word, i1 = i0 + 1, i2 = i0 + 2, i3 = i0 + 3;
    const uint32_t low = __byte_perm(quad[i0 % C], quad[i1 % C], i0 / C | (4 + i1 / C) << 4);
    const uint32_t high = __byte_perm(quad[i2 % C], quad[i3 % C], i2 / C | (4 + i3 / C) << 4);
    return __byte_perm(low, high, 0x5410);
}

/* Loads four bytes of a plane's row, from `from` on, and reads nothing outside [low, high). */
__device__ __forceinline__ uint32_t load_quad(const char *from, const char *low, const char *high)
{
    const int shift = (int)(reinterpret_cast<uintptr_t>(from) % 4);
    const char *word = from - shift;
    if (word >= low && word + (shift ? 8 : 4) <= high) {
        const uint32_t here = *reinterpret_cast<const uint32_t *>(word);
        if (shift == 0) return here;
        return __funnelshift_r(here, reinterpret_cast<const uint32_t *>(word)[1], 8 * shift);
    }
    uint32_t quad = 0;
    for (int i = 0; i < 4; i++)
        if (from + i < high) quad |= (uint32_t)(uint8_t)from[i] << 8 * i;
    return quad;
}

/* Stores K channels of four pixels in the packed run, from channel k0 of pixel x0 on. */
template <int K>
__device__ __forceinline__ void pack_quads(const uint32_t (&quad)[K], int x0, int channels, int k0,
                                           char *packed)
{
    if constexpr (K < 4) { /* K is the number of channels */
#pragma unroll
        for (int w = 0; w < K; w++)
            *reinterpret_cast<uint32_t *>(packed + spread<true>(x0 * K + 4 * w)) =
                pick_bytes<K>(quad, w);
    } else {
#pragma unroll
        for (int x = 0; x < 4; x++) {
            uint32_t out[K / 4];
#pragma unroll
            for (int i = 0; i < K / 4; i++) {
                const uint32_t in[4] = {quad[4 * i], quad[4 * i + 1], quad[4 * i + 2],
                                        quad[4 * i + 3]};
                out[i] = pick_bytes<4>(in, x);
            }
            char *to = packed + spread<true>((x0 + x) * channels + k0);
            if constexpr (K == 16)
                *reinterpret_cast<uint4 *>(to) = make_uint4(out[0], out[1], out[2], out[3]);
            else
                *reinterpret_cast<uint32_t *>(to) = out[0];
        }
    }
}

/* Interleaves planes of bytes: 2, 3 or a multiple of 4 of them. A thread reads words of four
 * neighbouring pixels from K planes directly into registers, ITEMS times. Then it sorts their
 * bytes. */
template <int K, int ITEMS>
__global__ void __launch_bounds__(THREADS)
    interleave_bytes_kernel(const __grid_constant__ Walk<int32_t> outer, const Sides sides)
{
    constexpr int BYTES = THREADS * ITEMS * 4 * K;
    __shared__ __align__(CHUNK_BYTES) char packed[BYTES * 9 / 8 + 4 * CHUNK_BYTES];
    const Place place = find_place<1, 1>(outer, sides);
    const int channels = K < 4 ? K : sides.channels, quads = sides.run_px / 4;
    const bool aligned = (reinterpret_cast<uintptr_t>(place.src) | sides.plane) % 4 == 0;
    uint32_t quad[ITEMS][K];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int item = i * THREADS + threadIdx.x;
        const int group = K < 4 ? 0 : sides.by_quads.quotient(item), q = item - group * quads;
        const char *row = place.src + group * K * sides.plane;
        const char *from = row + place.x0 + 4 * q;
        if (4 * q >= place.count || group * K >= channels) continue;
        if (aligned && 4 * q + 4 <= place.count)
#pragma unroll
            for (int k = 0; k < K; k++)
                quad[i][k] = *reinterpret_cast<const uint32_t *>(from + k * sides.plane);
        else
#pragma unroll
            for (int k = 0; k < K; k++)
                quad[i][k] = load_quad(from + k * sides.plane, row + k * sides.plane,
                                       row + k * sides.plane + sides.pixels);
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int item = i * THREADS + threadIdx.x;
        const int group = K < 4 ? 0 : sides.by_quads.quotient(item), q = item - group * quads;
        if (4 * q < place.count && group * K < channels)
            pack_quads<K>(quad[i], 4 * q, channels, group * K, packed);
    }
    __syncthreads();
    const int bytes = place.count * channels;
    char *out = place.dst + place.x0 * channels;
    for (int i = threadIdx.x; i < chunks_of(bytes); i += THREADS)
        write_chunk<true>(out, bytes, packed, i);
}

template <typename Element, int C>
__global__ void __launch_bounds__(THREADS)
    interleave_kernel(const __grid_constant__ Walk<int32_t> outer, const Sides sides)
{
    constexpr int SIZE = sizeof(Element);
    __shared__ __align__(CHUNK_BYTES) char shared[BLOCK_BYTES + MAX_CHANNELS * 4 * CHUNK_BYTES];
    const Place place = find_place<SIZE, SIZE>(outer, sides);
    const int channels = C ? C : sides.channels;
    const char *first = place.src + place.x0 * SIZE;
    char *out = place.dst + place.x0 * channels * SIZE;
    const Planes planes = {shared, sides.region, (uint32_t) reinterpret_cast<uintptr_t>(first),
                           (uint32_t)sides.plane};
    const int chunks = chunks_of(sides.run_px * SIZE);
    for (int i = threadIdx.x; i < channels * chunks; i += THREADS) {
        const int c = sides.by_chunks.quotient(i);
        const char *row = place.src + c * sides.plane;
        stage_chunk<false>(shared + c * sides.region, first + c * sides.plane, i - c * chunks, row,
                           row + sides.pixels * SIZE);
    }
    wait_for_stage();
    const Divider<int32_t> by_channels = sides.by_channels;
    write_run<Element, THREADS>(out, place.count * channels, [=](int i) {
        const int x = C ? i / (C ? C : 1) : by_channels.quotient(i), c = i - x * channels;
        return reinterpret_cast<const Element *>(planes.row(c))[x];
    });
}

/* Describes both sides. A block moves at most `block_bytes` bytes. */
Sides make_sides(const Plan &plan, void *dst, const void *src, int block_bytes)
{
    const int size = (int)plan.element;
    const bool to_planes = plan.path == SSIMCU_PERMUTE_DEINTERLEAVE;
    const int last = plan.rank - 1;
    const ssimcu_permute_dim &pixel = plan.dim[to_planes ? last : plan.src_inner];
    const ssimcu_permute_dim &channel = plan.dim[to_planes ? plan.src_inner : last];
    Sides sides;
    sides.dst = static_cast<char *>(dst);
    sides.src = static_cast<const char *>(src);
    sides.pixels = pixel.size;
    sides.plane = (to_planes ? channel.dst_stride : channel.src_stride) * size;
    sides.channels = (int)channel.size;
    sides.stride = (int)(to_planes ? pixel.src_stride : channel.size);
    sides.run_px = block_bytes / (sides.stride * size) & ~3; /* whole quads */
    sides.region = ((sides.run_px * size / CHUNK_BYTES + 2) | 1) * CHUNK_BYTES;
    sides.runs = (int32_t)ssimcu_divide_up(pixel.size, sides.run_px);
    sides.by_runs = Divider<int32_t>(sides.runs);
    sides.by_channels = Divider<int32_t>(sides.channels);
    sides.by_quads = Divider<int32_t>(sides.run_px / 4);
    sides.by_chunks = Divider<int32_t>(chunks_of(sides.run_px * size));
    return sides;
}

/* Returns the dimensions outside a block's run. */
Walk<int32_t> outer_of(const Plan &plan)
{
    const uint32_t inner = 1u << (plan.rank - 1) | 1u << plan.src_inner;
    return Walk<int32_t>(plan, ((1u << plan.rank) - 1) & ~inner);
}

using Kernel = void(Walk<int32_t>, Sides);

void launch(Kernel *kernel, const Plan &plan, void *dst, const void *src, int block_bytes,
            cudaStream_t stream)
{
    const Walk<int32_t> outer = outer_of(plan);
    const Sides sides = make_sides(plan, dst, src, block_bytes);
    kernel<<<(unsigned)(sides.runs * outer.count()), THREADS, 0, stream>>>(outer, sides);
}

template <int K, int ITEMS>
void launch_bytes(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    launch(interleave_bytes_kernel<K, ITEMS>, plan, dst, src, THREADS * ITEMS * 4 * K, stream);
}

/* Launches that kernel and returns true if the planes are bytes and the kernel takes as many. */
bool interleave_bytes(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    const int64_t channels = plan.dim[plan.rank - 1].size;
    if (channels == 2)
        launch_bytes<2, 6>(plan, dst, src, stream);
    else if (channels == 3)
        launch_bytes<3, 4>(plan, dst, src, stream);
    else if (channels % 16 == 0)
        launch_bytes<16, 1>(plan, dst, src, stream);
    else if (channels % 4 == 0)
        launch_bytes<4, 3>(plan, dst, src, stream);
    else
        return false;
    return true;
}

template <typename Element, int C>
void launch_staged(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    if (plan.path == SSIMCU_PERMUTE_INTERLEAVE)
        return launch(interleave_kernel<Element, C>, plan, dst, src, BLOCK_BYTES, stream);
    launch_deinterleave(outer_of(plan), make_sides(plan, dst, src, BLOCK_BYTES),
                        Unchanged<Element, C>(), stream);
}

} // namespace

template <typename Element>
void launch_interleave(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    const bool to_planes = plan.path == SSIMCU_PERMUTE_DEINTERLEAVE;
    const ssimcu_permute_dim &channel = plan.dim[to_planes ? plan.src_inner : plan.rank - 1];
    const bool dense = !to_planes || plan.dim[plan.rank - 1].src_stride == channel.size;
    if (sizeof(Element) == 1 && !to_planes && interleave_bytes(plan, dst, src, stream)) return;
    switch (dense ? channel.size : 0) {
    case 2: return launch_staged<Element, 2>(plan, dst, src, stream);
    case 3: return launch_staged<Element, 3>(plan, dst, src, stream);
    case 4: return launch_staged<Element, 4>(plan, dst, src, stream);
    default: return launch_staged<Element, 0>(plan, dst, src, stream);
    }
}

template void launch_interleave<uint8_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint16_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint32_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint2>(const Plan &, void *, const void *, cudaStream_t);
template void launch_interleave<uint4>(const Plan &, void *, const void *, cudaStream_t);

} // namespace ssimcu
