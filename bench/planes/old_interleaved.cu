/* The permute stage of a score: interleaved 8- or 16-bit pixels (HWC) -> float planes (CHW), with
 * the conversion of core/pixel.h on the way, so that pixels cross device memory once.
 *
 * DATA FLOW. A block takes 1024 neighbouring pixels of a row. Their bytes are one contiguous
 * segment, copied to shared memory by 16-byte asynchronous copies from the aligned address at or
 * before it, whatever the row's own alignment (a 3841 x 3 byte row has none). Each thread then
 * picks the samples of 4 pixels out of shared memory and writes one float4 to each plane: both
 * sides of device memory see full-width, coalesced accesses. Rows that follow each other without a
 * gap on both sides are merged by the permute plan into one long row.
 *
 * WHY THESE SIZES. 4 pixels per thread make a 16-byte store, marked as not worth keeping in the
 * cache: of a 4K RGB8 pair on an H200 that saves 5 of 80 us and costs the SSIM stage nothing.
 * Two such quads per thread: 253 us for 8 frames, against 270 us with one and 256 us with four (a
 * copy of as many bytes: 236 us; a conversion that moves nothing: 254 us).
 */
#include "core/async_copy.cuh"
#include "planes/old.cuh"

namespace
{

constexpr int THREADS = 128;
constexpr int THREAD_PX = 4; /* at once */
constexpr int TURNS = 2;
constexpr int TILE_PX = THREADS * THREAD_PX * TURNS;
constexpr int PLANES = 3;

using ssimcu::CHUNK_BYTES;

/* The frame as rows of pixels after merging. */
struct Rows {
    int64_t count; /* per frame */
    int64_t pixels, dst_pitch;
};

/* Copies the tile's bytes to `stage`; returns where in it the first pixel lies. */
template <int PIXEL_BYTES>
__device__ __forceinline__ int stage_tile(const old_interleaved_task &task, int64_t first_px,
                                          char *stage)
{
    constexpr int CHUNKS = TILE_PX * PIXEL_BYTES / CHUNK_BYTES + 1;
    const int64_t start = first_px * PIXEL_BYTES;
    const int64_t aligned = start / CHUNK_BYTES * CHUNK_BYTES;
    const int bytes = (int)min((int64_t)task.src_bytes - aligned, (int64_t)CHUNKS * CHUNK_BYTES);
    const char *from = static_cast<const char *>(task.src) + aligned;
    for (int i = threadIdx.x * CHUNK_BYTES; i < CHUNKS * CHUNK_BYTES; i += THREADS * CHUNK_BYTES)
        if (i + CHUNK_BYTES <= bytes)
            ssimcu::copy_async<ssimcu::CHUNK_BYTES>(stage + i, from + i);
        else if (i < bytes)
            ssimcu::copy_cut_chunk(stage + i, from + i, bytes - i);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    return (int)(start - aligned);
}

__device__ __forceinline__ void store_px(float *to, const float (&value)[THREAD_PX], int64_t left)
{
    if (left >= THREAD_PX) {
        __stcs(reinterpret_cast<float4 *>(to), make_float4(value[0], value[1], value[2], value[3]));
        return;
    }
#pragma unroll
    for (int i = 0; i < THREAD_PX - 1; i++)
        if (i < left) to[i] = value[i];
}

template <typename Sample, int CHANNELS>
__device__ __forceinline__ void convert_px(const ssimcu_pixel_rule &rule, const char *stage,
                                           float (&plane)[PLANES][THREAD_PX])
{
    const Sample *pixel = reinterpret_cast<const Sample *>(stage);
#pragma unroll
    for (int i = 0; i < THREAD_PX; i++) {
        uint32_t sample[CHANNELS];
        float value[PLANES] = {};
#pragma unroll
        for (int c = 0; c < CHANNELS; c++) sample[c] = pixel[i * CHANNELS + c];
        ssimcu_pixel_convert(&rule, sample, value);
#pragma unroll
        for (int c = 0; c < PLANES; c++) plane[c][i] = value[c];
    }
}

template <typename Sample, int CHANNELS>
__global__ void __launch_bounds__(THREADS)
    interleaved_kernel(const __grid_constant__ old_interleaved_task task, const Rows rows,
                       unsigned tiles_per_row)
{
    constexpr int PIXEL_BYTES = CHANNELS * sizeof(Sample);
    __shared__ __align__(CHUNK_BYTES) char stage[TILE_PX * PIXEL_BYTES + CHUNK_BYTES];
    const int64_t row = blockIdx.x / tiles_per_row;
    const int64_t x0 = (int64_t)(blockIdx.x % tiles_per_row) * TILE_PX;
    const int skip = stage_tile<PIXEL_BYTES>(task, row * rows.pixels + x0, stage);

    ssimcu_pixel_rule rule = task.rule;
    rule.channels = CHANNELS; /* a constant from here on: arrays below stay in registers */
    const int64_t frame = rows.count == 1 ? row : row / rows.count;
    float *to =
        task.dst + frame * task.dst_frame_floats + (row - frame * rows.count) * rows.dst_pitch + x0;
#pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
        const int own = (turn * THREADS + threadIdx.x) * THREAD_PX;
        float plane[PLANES][THREAD_PX];
        convert_px<Sample, CHANNELS>(rule, stage + skip + own * PIXEL_BYTES, plane);
#pragma unroll
        for (int c = 0; c < PLANES; c++)
            if (c < rule.planes)
                store_px(to + c * task.dst_plane_floats + own, plane[c], rows.pixels - x0 - own);
    }
}

/* Lets the plan merge the rows where neither side has a gap between them. */
Rows merge_rows(const old_interleaved_task &task)
{
    const ssimcu_permute_dim dims[] = {{task.height, task.width, task.dst_pitch_floats},
                                       {task.width, 1, 1}};
    ssimcu_permute_plan plan;
    if (ssimcu_permute_plan_make(&plan, 2, dims, 1, 1) != 0 || plan.rank != 1 ||
        plan.dim[0].dst_stride != 1)
        return {task.height, task.width, task.dst_pitch_floats};
    return {1, plan.dim[0].size, plan.dim[0].size};
}

template <typename Sample>
void launch(const old_interleaved_task &task, cudaStream_t stream)
{
    static constexpr void (*const kernel[])(old_interleaved_task, Rows, unsigned) = {
        interleaved_kernel<Sample, 1>, interleaved_kernel<Sample, 2>, interleaved_kernel<Sample, 3>,
        interleaved_kernel<Sample, 4>};
    const Rows rows = merge_rows(task);
    const int64_t tiles = (rows.pixels + TILE_PX - 1) / TILE_PX;
    kernel[task.rule.channels -
           1]<<<(unsigned)(tiles * rows.count * task.frames), THREADS, 0, stream>>>(
        task, rows, (unsigned)tiles);
}

} // namespace

cudaError_t old_interleaved_cuda(const old_interleaved_task *task, cudaStream_t stream)
{
    if (task->rule.bits == 8)
        launch<uint8_t>(*task, stream);
    else
        launch<uint16_t>(*task, stream);
    return cudaGetLastError();
}
