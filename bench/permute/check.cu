/* The check of a result: random data, a brute-force reference, a comparison of every byte.
 *
 * The destination and its guards are poisoned before every launch, and the expected bytes start
 * from the same poison. So a byte that is not written, or written outside, differs. */
#include "bench.cuh"

namespace bench
{
namespace
{

constexpr int THREADS = 256;
constexpr int POISON = 0xA5;

unsigned blocks_for(int64_t threads) { return (unsigned)((threads + THREADS - 1) / THREADS); }

size_t round_up_to_word(size_t bytes) { return (bytes + 3) / 4 * 4; }

/* Scrambles the index by a 64-bit finaliser, so that neighbouring indices give unrelated words. */
__device__ uint32_t random_word(uint64_t index)
{
    uint64_t x = (index + 1) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)(x >> 32);
}

__global__ void fill_kernel(uint32_t *words, int64_t count, uint32_t keep, uint32_t set)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count) words[i] = (random_word((uint64_t)i) & keep) | set;
}

/* A stand-in for a source that holds its own offsets. */
struct Offsets {
    __device__ int32_t operator[](int64_t i) const { return (int32_t)i; }
};

template <typename Out, typename Source>
__global__ void reference_kernel(const Move move, Out *dst, const Source src)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= move.count) return;
    int64_t rest = i, from = 0, to = 0;
    for (int d = move.rank - 1; d >= 0; d--) {
        const int64_t here = rest % move.dim[d].size;
        rest /= move.dim[d].size;
        from += here * move.dim[d].src_stride;
        to += here * move.dim[d].dst_stride;
    }
    dst[to] = static_cast<Out>(src[from]);
}

__global__ void compare_kernel(const uint32_t *a, const uint32_t *b, int64_t count,
                               unsigned long long *wrong)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < count && a[i] != b[i]) atomicAdd(wrong, 1ull);
}

template <typename Out, typename In>
void run_reference(const Move &move, void *dst, const void *src, cudaStream_t stream)
{
    reference_kernel<Out, const In *><<<blocks_for(move.count), THREADS, 0, stream>>>(
        move, static_cast<Out *>(dst), static_cast<const In *>(src));
}

} // namespace

Buffers::Buffers(size_t capacity) : capacity_(round_up_to_word(capacity))
{
    BENCH_CUDA(cudaMalloc(&src_, capacity_ + GUARD));
    BENCH_CUDA(cudaMalloc(&dst_, capacity_ + 2 * GUARD));
    BENCH_CUDA(cudaMalloc(&expected_, capacity_ + 2 * GUARD));
    BENCH_CUDA(cudaMalloc(&wrong_, sizeof *wrong_));
    BENCH_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

Buffers::~Buffers()
{
    BENCH_CUDA(cudaStreamDestroy(stream_));
    for (void *buffer : {(void *)src_, (void *)dst_, (void *)expected_, (void *)wrong_})
        BENCH_CUDA(cudaFree(buffer));
}

void Buffers::fill_src(size_t bytes, Type type)
{
    /* Floats keep their sign, mantissa and low exponent bits; the set bits make them normal. */
    const uint32_t keep = type == Type::F32 ? 0x87ffffff : type == Type::F16 ? 0xbfffbfff : ~0u;
    const uint32_t set = type == Type::F32 ? 0x38000000 : type == Type::F16 ? 0x20002000 : 0;
    const int64_t words = (int64_t)(round_up_to_word(bytes) / 4);
    fill_kernel<<<blocks_for(words), THREADS, 0, stream_>>>(reinterpret_cast<uint32_t *>(src_),
                                                            words, keep, set);
    BENCH_CUDA(cudaGetLastError());
}

void Buffers::poison_dst(size_t bytes)
{
    BENCH_CUDA(cudaMemsetAsync(dst_, POISON, round_up_to_word(bytes) + 2 * GUARD, stream_));
}

void Buffers::poison_expected(size_t bytes)
{
    BENCH_CUDA(cudaMemsetAsync(expected_, POISON, round_up_to_word(bytes) + 2 * GUARD, stream_));
}

bool Buffers::dst_is_right(size_t bytes)
{
    const int64_t words = (int64_t)((round_up_to_word(bytes) + 2 * GUARD) / 4);
    unsigned long long wrong = 0;
    BENCH_CUDA(cudaMemsetAsync(wrong_, 0, sizeof *wrong_, stream_));
    compare_kernel<<<blocks_for(words), THREADS, 0, stream_>>>(
        reinterpret_cast<const uint32_t *>(dst_), reinterpret_cast<const uint32_t *>(expected_),
        words, wrong_);
    BENCH_CUDA(cudaGetLastError());
    BENCH_CUDA(cudaMemcpyAsync(&wrong, wrong_, sizeof wrong, cudaMemcpyDeviceToHost, stream_));
    BENCH_CUDA(cudaStreamSynchronize(stream_));
    return wrong == 0;
}

Times measure_copy(Timer &timer, const Buffers &buffers, int runs, size_t bytes_moved)
{
    return timer.measure(runs, bytes_moved, [&] {
        BENCH_CUDA(cudaMemcpyAsync(buffers.dst(), buffers.src(), bytes_moved / 2,
                                   cudaMemcpyDeviceToDevice, buffers.stream()));
    });
}

void reference(const Move &move, int element, bool to_float, void *dst, const void *src,
               cudaStream_t stream)
{
    if (to_float)
        run_reference<float, uint8_t>(move, dst, src, stream);
    else if (element == 1)
        run_reference<uint8_t, uint8_t>(move, dst, src, stream);
    else if (element == 2)
        run_reference<uint16_t, uint16_t>(move, dst, src, stream);
    else if (element == 4)
        run_reference<uint32_t, uint32_t>(move, dst, src, stream);
    else if (element == 8)
        run_reference<uint2, uint2>(move, dst, src, stream);
    else
        run_reference<uint4, uint4>(move, dst, src, stream);
    BENCH_CUDA(cudaGetLastError());
}

void gather_index(const Move &move, int32_t *index, cudaStream_t stream)
{
    reference_kernel<int32_t, Offsets>
        <<<blocks_for(move.count), THREADS, 0, stream>>>(move, index, Offsets{});
    BENCH_CUDA(cudaGetLastError());
}

} // namespace bench
