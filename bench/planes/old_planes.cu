/* The permute stage for samples of any type and layout: a source -> float planes in 8-bit units,
 * with the conversion of core/pixel.h (integers) or core/samples.h (floats) on the way.
 * interleaved.cu is the faster way for interleaved integers whose rows follow each other without
 * a gap.
 *
 * DATA FLOW. A block takes 1024 neighbouring pixels of a row; a thread takes every 256th of them,
 * so that the lanes of a warp read and write neighbours. Planes are read fully coalesced; the
 * channels of interleaved pixels come as strided reads of the same cache lines, of which the first
 * brings what the others need. Nothing has to be aligned beyond a sample.
 */
#include "planes/old.cuh"

#include <cuda_fp16.h>

namespace
{

constexpr int THREADS = 256;
constexpr int THREAD_PX = 4;
constexpr int TILE_PX = THREADS * THREAD_PX;

__device__ __forceinline__ float as_float(float v) { return v; }
__device__ __forceinline__ float as_float(__half v) { return __half2float(v); }

template <typename Sample, int CHANNELS>
__device__ __forceinline__ void load_pixel(const ssimcu_samples &source, int64_t row, int64_t x,
                                           Sample (&pixel)[CHANNELS])
{
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) {
        const char *start = static_cast<const char *>(source.channel[c]) + row * source.pitch_bytes;
        pixel[c] = reinterpret_cast<const Sample *>(start)[x * source.step];
    }
}

template <typename Sample, int CHANNELS>
__device__ __forceinline__ void convert(const ssimcu_pixel_rule &rule, const ssimcu_samples &,
                                        const Sample (&pixel)[CHANNELS], float *value)
{
    uint32_t sample[CHANNELS];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++) sample[c] = pixel[c];
    ssimcu_pixel_convert(&rule, sample, value);
}

template <typename Float, int CHANNELS>
__device__ __forceinline__ void convert_float(const ssimcu_pixel_rule &rule,
                                              const ssimcu_samples &source,
                                              const Float (&pixel)[CHANNELS], float *value)
{
    float sample[CHANNELS];
#pragma unroll
    for (int c = 0; c < CHANNELS; c++)
        sample[c] = ssimcu_sample_unit(as_float(pixel[c]), source.scale);
    ssimcu_sample_convert(&rule, sample, value);
}

template <int CHANNELS>
__device__ __forceinline__ void convert(const ssimcu_pixel_rule &rule, const ssimcu_samples &source,
                                        const float (&pixel)[CHANNELS], float *value)
{
    convert_float(rule, source, pixel, value);
}

template <int CHANNELS>
__device__ __forceinline__ void convert(const ssimcu_pixel_rule &rule, const ssimcu_samples &source,
                                        const __half (&pixel)[CHANNELS], float *value)
{
    convert_float(rule, source, pixel, value);
}

template <typename Sample, int CHANNELS>
__global__ void __launch_bounds__(THREADS)
    source_kernel(const __grid_constant__ ssimcu_planes_task task, unsigned tiles_per_row)
{
    const int64_t row = blockIdx.x / tiles_per_row;
    const int64_t x0 = (int64_t)(blockIdx.x % tiles_per_row) * TILE_PX + threadIdx.x;
    ssimcu_pixel_rule rule = task.rule;
    rule.channels = CHANNELS; /* a constant from here on: arrays below stay in registers */
    Sample pixel[THREAD_PX][CHANNELS];
#pragma unroll
    for (int i = 0; i < THREAD_PX; i++) /* all reads are under way before the first is needed */
        if (x0 + i * THREADS < task.width)
            load_pixel(task.samples, row, x0 + i * THREADS, pixel[i]);
#pragma unroll
    for (int i = 0; i < THREAD_PX; i++) {
        if (x0 + i * THREADS >= task.width) return;
        float value[3] = {};
        convert(rule, task.samples, pixel[i], value);
        float *to = task.dst + row * task.dst_pitch_floats + x0 + i * THREADS;
#pragma unroll
        for (int c = 0; c < 3; c++)
            if (c < rule.planes) __stcs(to + c * task.dst_plane_floats, value[c]);
    }
}

template <typename Sample>
void launch(const ssimcu_planes_task &task, cudaStream_t stream)
{
    static constexpr void (*const kernel[])(ssimcu_planes_task, unsigned) = {
        source_kernel<Sample, 1>, source_kernel<Sample, 2>, source_kernel<Sample, 3>,
        source_kernel<Sample, 4>};
    const int64_t tiles = (task.width + TILE_PX - 1) / TILE_PX;
    kernel[task.rule.channels - 1]<<<(unsigned)(tiles * task.height), THREADS, 0, stream>>>(
        task, (unsigned)tiles);
}

} // namespace

cudaError_t old_planes_cuda(const ssimcu_planes_task *task, cudaStream_t stream)
{
    switch (task->samples.type) {
    case SSIMCU_SAMPLE_U8: launch<uint8_t>(*task, stream); break;
    case SSIMCU_SAMPLE_U16: launch<uint16_t>(*task, stream); break;
    case SSIMCU_SAMPLE_F16: launch<__half>(*task, stream); break;
    default: launch<float>(*task, stream); break;
    }
    return cudaGetLastError();
}
