/* The planes stage: samples of any type and layout -> planes of floats (core/contract.h). The
 * planes hold whole numbers (to_fixed.cuh) if a side has a curve, or values that floats round.
 * Samples are converted on the way, so that they cross device memory once. The conversions are in
 * core/pixel.h (integers), core/samples.h (floats), core/light.h (linear light) and core/curve.h
 * (curves as tables).
 *
 * FORM. The stage is a permute with a conversion. The core merges rows that are contiguous on both
 * sides. Its deinterleave kernel (permute/interleave.cuh) does the rest, and converts samples
 * instead of copying them. A conversion takes a pixel's 1 to 4 samples and gives 1 or 3 floats.
 * Alpha and luma need all samples of a pixel at once, and grey fills three planes.
 *
 * DATA FLOW. A block takes 1024 neighbouring pixels of a row. Their samples are copied to shared
 * memory unchanged, in one segment, or in one per channel if channels are planar. The copies have
 * 16 bytes whatever the row's alignment. A thread then extracts the samples of 4 pixels from 4-byte
 * words and writes 16 bytes to each plane. Both loads and stores are full, coalesced accesses.
 *
 * ROUNDING. All rounding of floats is in these four headers, which the CPU includes, too.
 */
#include "permute/interleave.cuh"
#include "planes/to_fixed.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

namespace ssimcu
{
namespace
{

/* The sizes and the times below come from an earlier kernel, which this one replaced. The times are
 * for HWC u8, eight 4K frames in one launch on an H200. A copy of as many bytes takes 236 us, a
 * conversion that moves nothing 254. The library launches once for each frame. Then the earlier
 * kernel took 288 us and this one 275; with gaps between rows 339 and 276
 * (bench/results/planes-h200.md). */
constexpr int THREADS = 128;
constexpr int QUAD = 4;  /* pixels of a thread at a time, for 16-byte stores */
constexpr int TURNS = 2; /* turns of a thread: 253 us; 1 turn 270, 4 turns 256 */
constexpr int RUN_PX = THREADS * QUAD * TURNS;
constexpr int WORD = 4; /* bytes that a thread reads from shared memory */

/* Pixels of so many bytes, or twice as many, cause bank conflicts in shared memory. 8 or 16 threads
 * of a warp would read the same bank at a time; with spread(), 4 do. */
constexpr int CROWDED_BYTES = 8;

/* Returns sample `i` of `word`: an integer unchanged, a float before its scale. */
template <typename Sample>
__device__ __forceinline__ auto sample_of(const uint32_t *word, int i)
{
    if constexpr (std::is_same_v<Sample, float>)
        return __uint_as_float(word[i]);
    else if constexpr (std::is_same_v<Sample, __half>)
        return __half2float(__ushort_as_half((unsigned short)(word[i / 2] >> i % 2 * 16)));
    else if constexpr (std::is_same_v<Sample, __nv_bfloat16>)
        return __uint_as_float(i % 2 ? word[i / 2] & 0xffff0000u : word[i / 2] << 16);
    else if constexpr (std::is_same_v<Sample, uint16_t>)
        return word[i / 2] >> i % 2 * 16 & 0xffff;
    else
        return word[i / 4] >> i % 4 * 8 & 0xff;
}

/* The parameters of a conversion to floats, except the places of samples. */
struct ToFloats {
    static constexpr bool FIXED = false;

    ssimcu_pixel_rule rule;
    float scale;

    __host__ __device__ __forceinline__ explicit ToFloats(const ssimcu_planes_task &task)
        : rule(task.rule), scale(task.samples.scale)
    {
    }
    __device__ __forceinline__ void convert(const uint32_t *sample, float *value) const
    {
        ssimcu_pixel_convert(&rule, sample, value);
    }
    __device__ __forceinline__ void convert(float *sample, float *value) const
    {
        if (rule.light.on) {
            ssimcu_light_convert(&rule, sample, value);
            return;
        }
        ssimcu_sample_convert(&rule, scale, sample, value);
    }
};

/* Reads the samples of 4 pixels in a segment, from its byte `at` on. */
template <bool GAPS, bool ANYWHERE, int WORDS>
__device__ __forceinline__ void read_words(const char *shared, int at, uint32_t (&word)[WORDS])
{
    const int shift = ANYWHERE ? at & (WORD - 1) : 0;
    uint32_t in[WORDS + ANYWHERE];
#pragma unroll
    for (int w = 0; w < WORDS + ANYWHERE; w++)
        in[w] = *reinterpret_cast<const uint32_t *>(shared + spread<GAPS>(at - shift + w * WORD));
#pragma unroll
    for (int w = 0; w < WORDS; w++)
        word[w] = ANYWHERE ? __funnelshift_r(in[w], in[w + ANYWHERE], 8 * shift) : in[w];
}

__device__ __forceinline__ void store_quad(char *out, const float (&value)[QUAD], int left)
{
    float *to = reinterpret_cast<float *>(out);
    if (left >= QUAD) {
        __stcs(reinterpret_cast<float4 *>(to), make_float4(value[0], value[1], value[2], value[3]));
        return;
    }
#pragma unroll
    for (int i = 0; i < QUAD - 1; i++)
        if (i < left) to[i] = value[i];
}

/* An Output of the permute's deinterleave_kernel: the converted pixels of C channels, interleaved
 * or APART (planar). */
template <typename Sample, int C, bool APART, class Conversion>
struct Converted {
    static constexpr int THREADS = ::ssimcu::THREADS;
    static constexpr int SRC_SIZE = sizeof(Sample), DST_SIZE = sizeof(float);
    static constexpr int SEGMENTS = APART ? C : 1, STRIDE = APART ? 1 : C;
    static constexpr bool GAPS = STRIDE * SRC_SIZE % CROWDED_BYTES == 0;
    static constexpr bool ANYWHERE = SRC_SIZE < WORD; /* a sample may start within a word */
    static constexpr int REGION = spread<GAPS>(RUN_PX * STRIDE * SRC_SIZE + 2 * CHUNK_BYTES);
    static constexpr int SHARED_BYTES = SEGMENTS * REGION;

    Conversion conversion;
    Hull hull;                     /* the readable bytes of the first segment */
    int64_t channel[MAX_CHANNELS]; /* bytes from the first channel's samples */

    static __device__ __forceinline__ int stride(const Sides &) { return STRIDE; }
    __device__ __forceinline__ int64_t segment(int s) const { return APART ? channel[s] : 0; }
    __device__ __forceinline__ Span readable(const Sides &, const char *, int s) const
    {
        return {hull.low + segment(s), hull.high + segment(s)};
    }

    __device__ __forceinline__ void write(const Sides &sides, const Place &place,
                                          const char *shared, const int (&skip)[SEGMENTS]) const
    {
        Conversion own = conversion; /* fields that are constants below cost no code */
        own.rule.channels = C;
        if (C % 2) own.rule.alpha = 0;
        if (own.rule.alpha || own.rule.luma[1])
            return write_turns<1>(own, sides, place, shared, skip);
        own.rule.alpha = own.rule.luma[1] = 0;
        if (SRC_SIZE > 1 || Conversion::FIXED || own.rule.unit != 1 || own.rule.widen != 1)
            return write_turns<TURNS>(own, sides, place, shared, skip);
        own.rule.unit = own.rule.widen = 1;
        write_turns<TURNS>(own, sides, place, shared, skip);
    }

    template <int UNROLL>
    static __device__ __forceinline__ void write_turns(const Conversion &own, const Sides &sides,
                                                       const Place &place, const char *shared,
                                                       const int (&skip)[SEGMENTS])
    {
        char *out = place.dst + place.x0 * DST_SIZE;
#pragma unroll UNROLL
        for (int turn = 0; turn < TURNS; turn++) {
            const int x = (turn * THREADS + threadIdx.x) * QUAD;
            uint32_t word[SEGMENTS][QUAD * STRIDE * SRC_SIZE / WORD];
            float plane[PLANES][QUAD];
#pragma unroll
            for (int s = 0; s < SEGMENTS; s++)
                read_words<GAPS, ANYWHERE>(shared + s * REGION, skip[s] + x * STRIDE * SRC_SIZE,
                                           word[s]);
#pragma unroll
            for (int i = 0; i < QUAD; i++) convert_px(own, word, i, plane);
#pragma unroll
            for (int c = 0; c < PLANES; c++)
                if (c < own.rule.planes)
                    store_quad(out + c * sides.plane + x * DST_SIZE, plane[c], place.count - x);
        }
    }

    /* Converts pixel i of four. */
    template <int WORDS>
    static __device__ __forceinline__ void convert_px(const Conversion &own,
                                                      const uint32_t (&word)[SEGMENTS][WORDS],
                                                      int i, float (&plane)[PLANES][QUAD])
    {
        decltype(sample_of<Sample>(word[0], 0)) sample[C];
        float value[PLANES] = {};
#pragma unroll
        for (int c = 0; c < C; c++)
            sample[c] = sample_of<Sample>(word[APART ? c : 0], APART ? i : i * C + c);
        own.convert(sample, value);
#pragma unroll
        for (int c = 0; c < PLANES; c++) plane[c][i] = value[c];
    }
};

/* Returns the number of channels to read if they are planar. Alpha is read only if it counts. */
uint32_t channels_apart(const ssimcu_pixel_rule &rule)
{
    return rule.alpha ? rule.channels : (rule.channels - 1) | 1;
}

template <typename Sample, int C, bool APART, class Conversion>
void launch_as(const ssimcu_planes_task &task, cudaStream_t stream)
{
    using Output = Converted<Sample, C, APART, Conversion>;
    const ssimcu_samples &samples = task.samples;
    const ssimcu_permute_dim dims[] = {
        {task.height, samples.pitch_bytes / Output::SRC_SIZE, task.dst_pitch_floats},
        {task.width, Output::STRIDE, 1}};
    Plan plan;
    ssimcu_permute_plan_merge(&plan, 2, dims, Output::SRC_SIZE);
    const int last = plan.rank - 1; /* the dimension of pixels, unless a row is a single one */
    const bool has_rows = plan.rank > 0 && plan.dim[last].dst_stride == 1;
    Sides sides = {};
    sides.dst = reinterpret_cast<char *>(task.dst);
    sides.src = static_cast<const char *>(samples.channel[0]);
    sides.pixels = has_rows ? plan.dim[last].size : 1;
    sides.plane = task.dst_plane_floats * Output::DST_SIZE;
    sides.run_px = RUN_PX;
    sides.runs = (int32_t)ssimcu_divide_up(sides.pixels, RUN_PX);
    sides.by_runs = Divider<int32_t>(sides.runs);
    Output output = {Conversion(task), Hull(plan, sides.src), {}};
    output.hull.high += (Output::STRIDE - 1) * Output::SRC_SIZE;
    for (int c = 0; c < C; c++)
        output.channel[c] = (int64_t)((uintptr_t)samples.channel[c] - (uintptr_t)sides.src);
    launch_deinterleave(Walk<int32_t>(plan, (1u << (has_rows ? last : plan.rank)) - 1), sides,
                        output, stream);
}

template <typename Sample, int C, bool APART>
void launch(const ssimcu_planes_task &task, cudaStream_t stream)
{
    if (task.fixed)
        launch_as<Sample, C, APART, ToFixed>(task, stream);
    else
        launch_as<Sample, C, APART, ToFloats>(task, stream);
}

/* Converts pixels of any layout, one per thread. It takes pixels with gaps between them, and
 * conversions that take long. */
template <typename Sample, class Conversion>
__global__ void __launch_bounds__(THREADS)
    scattered_kernel(const __grid_constant__ ssimcu_planes_task task,
                     const __grid_constant__ Conversion conversion)
{
    const int64_t pixel = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int64_t y = pixel / task.width, x = pixel % task.width;
    if (y >= task.height) return;
    using Word = std::conditional_t<sizeof(Sample) == 1, uint8_t,
                                    std::conditional_t<sizeof(Sample) == 2, uint16_t, uint32_t>>;
    decltype(sample_of<Sample>(nullptr, 0)) sample[MAX_CHANNELS] = {};
    float value[PLANES] = {};
#pragma unroll
    for (int c = 0; c < MAX_CHANNELS; c++)
        if ((uint32_t)c < task.rule.channels) {
            const char *row =
                static_cast<const char *>(task.samples.channel[c]) + y * task.samples.pitch_bytes;
            const uint32_t word = reinterpret_cast<const Word *>(row)[x * task.samples.step];
            sample[c] = sample_of<Sample>(&word, 0);
        }
    conversion.convert(sample, value);
#pragma unroll
    for (int c = 0; c < PLANES; c++)
        if ((uint32_t)c < task.rule.planes)
            task.dst[c * task.dst_plane_floats + y * task.dst_pitch_floats + x] = value[c];
}

template <typename Sample, class Conversion>
void launch_scattered(const ssimcu_planes_task &task, cudaStream_t stream)
{
    const unsigned blocks = (unsigned)ssimcu_divide_up(task.width * task.height, THREADS);
    scattered_kernel<Sample><<<blocks, THREADS, 0, stream>>>(task, Conversion(task));
}

template <typename Sample>
void launch_type(const ssimcu_planes_task &task, cudaStream_t stream)
{
    using Launch = void(const ssimcu_planes_task &, cudaStream_t);
    static constexpr Launch *const together[] = {launch<Sample, 1, false>, launch<Sample, 2, false>,
                                                 launch<Sample, 3, false>,
                                                 launch<Sample, 4, false>};
    static constexpr Launch *const apart[] = {launch<Sample, 1, false>, launch<Sample, 2, true>,
                                              launch<Sample, 3, true>, launch<Sample, 4, true>};
    const bool planar = task.samples.planar || task.rule.channels == 1;
    if (is_slow(task))
        launch_scattered<Sample, ToFixedSlowly>(task, stream);
    else if (task.samples.step != (planar ? 1 : task.rule.channels))
        task.fixed ? launch_scattered<Sample, ToFixed>(task, stream)
                   : launch_scattered<Sample, ToFloats>(task, stream);
    else if (planar)
        apart[channels_apart(task.rule) - 1](task, stream);
    else
        together[task.rule.channels - 1](task, stream);
}

} // namespace
} // namespace ssimcu

cudaError_t ssimcu_planes_cuda(const ssimcu_planes_task *task, cudaStream_t stream)
{
    switch (task->samples.type) {
    case SSIMCU_SAMPLE_U8: ssimcu::launch_type<uint8_t>(*task, stream); break;
    case SSIMCU_SAMPLE_U16: ssimcu::launch_type<uint16_t>(*task, stream); break;
    case SSIMCU_SAMPLE_F16: ssimcu::launch_type<__half>(*task, stream); break;
    case SSIMCU_SAMPLE_BF16: ssimcu::launch_type<__nv_bfloat16>(*task, stream); break;
    default: ssimcu::launch_type<float>(*task, stream); break;
    }
    return cudaGetLastError();
}
