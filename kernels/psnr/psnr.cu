/* PSNR: sums of squared differences.
 *
 * DATA FLOW. A thread takes chunks of 48 bytes of both frames, which hold whole pixels of every
 * kind. Differences of bytes are squared and added up four at a time. Integers are added up as
 * integers, floats in double. A block writes one partial sum per channel.
 *
 * The SSIM stage starts as blocks end. A few small blocks in the space that SSIM leaves on an SM
 * are no faster, because both wait for L2. A 4K RGB pair of bytes took 139 us on an H100, and 135
 * one after the other. So the SSIM kernel counts the squares of bytes itself if it makes only sums.
 */
#include "core/divide_up.h"
#include "core/launch.cuh"
#include "core/values.cuh"
#include "kernels.h"
#include "ssim/ssim.cuh"

namespace ssimcu
{
namespace
{

constexpr int THREADS = 256, WARPS = THREADS / LANES;
constexpr int MOST_BLOCKS = 132 * 8; /* as many as an H100 holds, whatever the device */
constexpr int WORD = 4, CHUNK_BYTES = 48, WORDS = CHUNK_BYTES / WORD;

/* How a frame is split. Separate channels have separate blocks. */
struct Cut {
    int across;     /* chunks of a row */
    int64_t chunks; /* of a channel, or of an interleaved frame */
    int blocks;
    bool dense; /* nothing lies between samples */
    bool aligned;
};

template <typename T, int C>
constexpr int CHUNK_PX = CHUNK_BYTES / (C * (int)sizeof(T));

using Chunk = unsigned[WORDS];

/* Reads a whole chunk of samples without gaps. Words that hold one of its bytes may be read. */
__device__ __forceinline__ void read_dense(const char *from, bool aligned, Chunk &chunk)
{
    if (aligned) {
#pragma unroll
        for (int i = 0; i < WORDS / 4; i++) {
            const uint4 four = __ldg(reinterpret_cast<const uint4 *>(from) + i);
            chunk[4 * i] = four.x, chunk[4 * i + 1] = four.y;
            chunk[4 * i + 2] = four.z, chunk[4 * i + 3] = four.w;
        }
        return;
    }
    const unsigned skip = (unsigned)(uintptr_t)from % WORD;
    const unsigned *at = reinterpret_cast<const unsigned *>(from - skip);
#pragma unroll
    for (int i = 0; i < WORDS; i++) chunk[i] = __ldg(at + i);
    const unsigned last = skip ? __ldg(at + WORDS) : 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        chunk[i] = __funnelshift_r(chunk[i], i + 1 < WORDS ? chunk[i + 1] : last, 8 * skip);
}

/* Reads `count` pixels one by one; the others are 0. */
template <typename T, int C>
__device__ __forceinline__ void read_pixels(const char *from, int step, int count, Chunk &chunk)
{
    T *const sample = reinterpret_cast<T *>(chunk);
#pragma unroll
    for (int i = 0; i < WORDS; i++) chunk[i] = 0;
#pragma unroll
    for (int i = 0; i < CHUNK_PX<T, C>; i++)
        if (i < count)
#pragma unroll
            for (int c = 0; c < C; c++)
                sample[i * C + c] = reinterpret_cast<const T *>(from)[(int64_t)i * step + c];
}

/* The squares of a chunk, added to the sum of each channel. */
template <typename T, int C>
struct Squares {
    using Sum = double;
    static __device__ __forceinline__ void add(const Chunk &a, const Chunk &b, Sum (&sum)[C])
    {
        const T *const x = reinterpret_cast<const T *>(a), *const y =
                                                               reinterpret_cast<const T *>(b);
#pragma unroll
        for (int i = 0; i < CHUNK_PX<T, C> * C; i++) {
            const double d = difference_of(x[i], y[i]);
            sum[i % C] = fma(d, d, sum[i % C]);
        }
    }
};

template <int C>
struct Squares<uint8_t, C> {
    using Sum = unsigned long long;
    static __device__ __forceinline__ void add(const Chunk &a, const Chunk &b, Sum (&sum)[C])
    {
        unsigned own[C] = {};
#pragma unroll
        for (int w = 0; w < WORDS; w++) {
            const unsigned d = __vabsdiffu4(a[w], b[w]);
#pragma unroll
            for (int c = 0; c < C; c++) {
                unsigned mask = 0; /* bytes of the channel: those at 4 w + k with remainder c */
#pragma unroll
                for (int k = 0; k < WORD; k++)
                    if ((WORD * w + k) % C == c) mask |= 0xffu << 8 * k;
                own[c] = __dp4a(d & mask, d, own[c]);
            }
        }
#pragma unroll
        for (int c = 0; c < C; c++) sum[c] += own[c];
    }
};

template <int C>
struct Squares<uint16_t, C> {
    using Sum = unsigned long long;
    static __device__ __forceinline__ void add(const Chunk &a, const Chunk &b, Sum (&sum)[C])
    {
#pragma unroll
        for (int i = 0; i < 2 * WORDS; i++) {
            const int x = a[i / 2] >> i % 2 * 16 & 0xffff, y = b[i / 2] >> i % 2 * 16 & 0xffff;
            const unsigned d = (unsigned)abs(x - y);
            sum[i % C] += (unsigned long long)d * d;
        }
    }
};

/* Writes the block's sum of a channel. */
template <typename Sum>
__device__ __forceinline__ void store_sum(Sum sum, double *partial)
{
    __shared__ Sum of_warp[WARPS];
#pragma unroll
    for (int step = LANES / 2; step > 0; step /= 2) sum += __shfl_down_sync(ALL_LANES, sum, step);
    if (threadIdx.x % LANES == 0) of_warp[threadIdx.x / LANES] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < WARPS; i++) sum += of_warp[i];
        *partial = (double)sum;
    }
    __syncthreads();
}

template <typename T, int C>
__global__ void __launch_bounds__(THREADS)
    squares_kernel(const __grid_constant__ ssimcu_psnr_task task, const Cut cut)
{
    constexpr int PX = CHUNK_PX<T, C>;
    let_next_kernel_start();
    const int channel = C == 1 ? blockIdx.y : 0;
    const char *const ref = static_cast<const char *>(task.ref[channel]);
    const char *const out = static_cast<const char *>(task.out[channel]);
    typename Squares<T, C>::Sum sum[C] = {};
    const int64_t stride = (int64_t)cut.blocks * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < cut.chunks; i += stride) {
        const int64_t y = cut.chunks <= INT_MAX ? (int)i / cut.across : i / cut.across;
        const int x = (int)(i - y * cut.across) * PX, count = min(PX, task.width - x);
        const int64_t at = y * task.pitch_bytes + (int64_t)x * task.step * (int)sizeof(T);
        Chunk a, b;
        if (cut.dense && count == PX) {
            read_dense(ref + at, cut.aligned, a);
            read_dense(out + at, cut.aligned, b);
        } else {
            read_pixels<T, C>(ref + at, task.step, count, a);
            read_pixels<T, C>(out + at, task.step, count, b);
        }
        Squares<T, C>::add(a, b, sum);
    }
#pragma unroll
    for (int c = 0; c < C; c++)
        store_sum(sum[c], task.partial + (channel + c) * cut.blocks + blockIdx.x);
}

int bytes_of(const ssimcu_psnr_task &task)
{
    switch (task.samples) {
    case SSIMCU_SSIM_U8: return 1;
    case SSIMCU_SSIM_U16:
    case SSIMCU_SSIM_F16:
    case SSIMCU_SSIM_BF16: return 2;
    default: return 4;
    }
}

int together(const ssimcu_psnr_task &task) { return task.interleaved ? task.channels : 1; }

Cut cut_frame(const ssimcu_psnr_task &task)
{
    const int bytes = bytes_of(task), channels = together(task);
    uint64_t all = (uint64_t)task.pitch_bytes;
    for (int c = 0; c < task.channels; c++)
        all |= (uint64_t)(uintptr_t)task.ref[c] | (uint64_t)(uintptr_t)task.out[c];
    if (channels > 1)
        all = (uint64_t)task.pitch_bytes | (uint64_t)(uintptr_t)task.ref[0] |
              (uint64_t)(uintptr_t)task.out[0];
    Cut cut;
    cut.across = (int)ssimcu_divide_up(task.width, CHUNK_BYTES / (channels * bytes));
    cut.chunks = (int64_t)cut.across * task.height;
    const int64_t blocks = ssimcu_divide_up(cut.chunks, THREADS);
    cut.blocks = (int)(blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS);
    cut.dense = task.step == channels;
    cut.aligned = all % sizeof(uint4) == 0;
    return cut;
}

template <typename T>
cudaError_t launch(const ssimcu_psnr_task &task, cudaStream_t stream)
{
    const Cut cut = cut_frame(task);
    if (together(task) == 3)
        squares_kernel<T, 3><<<cut.blocks, THREADS, 0, stream>>>(task, cut);
    else
        squares_kernel<T, 1><<<dim3(cut.blocks, task.channels), THREADS, 0, stream>>>(task, cut);
    return cudaGetLastError();
}

} // namespace
} // namespace ssimcu

size_t ssimcu_psnr_partials(const ssimcu_psnr_task *task)
{
    return (size_t)ssimcu::cut_frame(*task).blocks * task->channels;
}

cudaError_t ssimcu_psnr_cuda(const ssimcu_psnr_task *task, cudaStream_t stream)
{
    using namespace ssimcu;
    switch (task->samples) {
    case SSIMCU_SSIM_U8: return launch<uint8_t>(*task, stream);
    case SSIMCU_SSIM_U16: return launch<uint16_t>(*task, stream);
    case SSIMCU_SSIM_F16: return launch<__half>(*task, stream);
    case SSIMCU_SSIM_BF16: return launch<__nv_bfloat16>(*task, stream);
    case SSIMCU_SSIM_F32: return launch<float>(*task, stream);
    default:
        return task->unbounded ? launch<AnyFixed>(*task, stream) : launch<Fixed>(*task, stream);
    }
}

void ssimcu_psnr_sums(const ssimcu_psnr_task *task, double *squares, ssimcu_sums *sums)
{
    const size_t own =
        task->partials ? task->partials : ssimcu_psnr_partials(task) / task->channels;
    for (int c = 0; c < task->channels; c++)
        sums->list[sums->count++] = {
            task->partial + c * own, own, task->unit * task->unit, squares + c, 1, 0, 0};
}
