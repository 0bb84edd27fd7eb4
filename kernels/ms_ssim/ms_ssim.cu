/* MS-SSIM: planes of the scales below the first, and the loss of each scale. The SSIM stage scores
 * large scales on the tensor cores. small.cuh scores those with too few windows.
 *
 * ORDER. For one pair, the pyramid comes first. The SSIM stage on the first scale starts as the
 * pyramid ends. The other scales start as that stage's blocks end, so that there is one tail, not
 * two. They need not wait for the pyramid, because that stage is a relay (turn.cuh). */
#include "core/divide_up.h"
#include "ms_ssim/small.cuh"

namespace ssimcu::ms
{
namespace
{

constexpr int ROW_SAMPLES = 64; /* rows start on 128 bytes, a cache line, or more */
constexpr double MOST_WORD = 65535;

/* The workspace: planes of each scale, then partial sums of each scale. The SSIM stage makes sums
 * of 1 - SSIM and of 1 - contrast * structure. A small scale makes only the one that counts. */
struct Work {
    Scales scales;
    small::Task floats, doubles; /* small scales */
    double *partial[LOWER], *structure[LOWER];
    size_t partials[LOWER];
    size_t bytes;
};

int sample_bytes(const Scale &scale) { return scale.to_word ? sizeof(uint16_t) : sizeof(float); }

int64_t windows_of(const Scale &scale)
{
    return (int64_t)ssimcu_ssim_positions(scale.width, 0) * ssimcu_ssim_positions(scale.height, 0);
}

bool on_tensor_cores(const ssimcu_ms_ssim_task &task, const Scale &scale)
{
    return task.tensor_cores && windows_of(scale) >= SSIMCU_TENSOR_POSITIONS;
}

/* Returns the factor from plane units to words for a scale whose samples are sums of `area`
 * samples, or 0 if the scale has floats. */
float to_word(const ssimcu_ms_ssim_task &task, const Scale &scale, int area)
{
    const bool has_integers =
        task.pair.samples == SSIMCU_SSIM_U8 || task.pair.samples == SSIMCU_SSIM_U16;
    const double factor = area / task.pair.unit;
    const bool fits =
        has_integers && on_tensor_cores(task, scale) && task.white * factor <= MOST_WORD;
    return fits ? (float)factor : 0;
}

/* Returns the task of a scale on the tensor cores. */
ssimcu_ssim_task scale_task(const ssimcu_ms_ssim_task &task, const Scale &scale)
{
    ssimcu_ssim_task own = {};
    const int bytes = sample_bytes(scale);
    own.samples = scale.to_word ? SSIMCU_SSIM_U16 : SSIMCU_SSIM_F32;
    own.tensor_cores = 1;
    own.width = scale.width;
    own.height = scale.height;
    own.channels = task.pair.channels;
    own.frames = task.frames;
    own.unbounded = task.unbounded;
    own.peak = scale.to_word ? task.white * scale.to_word : task.white;
    own.pitch_bytes = scale.pitch * bytes;
    own.plane_bytes = scale.plane * bytes;
    own.frame_bytes = own.plane_bytes * own.channels * IMAGES;
    own.ref = scale.planes;
    own.out = static_cast<char *>(scale.planes) + own.channels * own.plane_bytes;
    return own;
}

/* Adds a small scale. */
void add_small(const ssimcu_ms_ssim_task &task, int s, double *lost, Work &work)
{
    const Scale &scale = work.scales.of[s];
    small::Task &all = windows_of(scale) > SSIMCU_DOUBLE_POSITIONS ? work.floats : work.doubles;
    small::Windows &to = all.of[all.count++];
    all.channels = task.pair.channels;
    all.twice_c1 = 2 * SSIMCU_C1(task.white);
    all.twice_c2 = 2 * SSIMCU_C2(task.white);
    to.planes = static_cast<const float *>(scale.planes);
    to.pitch = scale.pitch, to.plane = scale.plane;
    to.width = ssimcu_ssim_positions(scale.width, 0);
    to.height = ssimcu_ssim_positions(scale.height, 0);
    to.across = (int)ssimcu_divide_up(to.width, small::TILE_COLS);
    to.tiles = to.across * (int)ssimcu_divide_up(to.height, small::TILE_ROWS);
    to.blocks = to.tiles * task.pair.channels * task.frames;
    to.structure = s < LOWER - 1;
    to.lost = lost;
    all.blocks += to.blocks;
    work.partials[s] = to.blocks;
}

/* Lays out partial sums from `sums` on, and returns their number. */
size_t lay_out_sums(const ssimcu_ms_ssim_task &task, double *sums, Work &work)
{
    double *end = sums;
    for (int s = 0; s < LOWER; s++) {
        work.partial[s] = work.structure[s] = end;
        if (on_tensor_cores(task, work.scales.of[s])) {
            const ssimcu_ssim_task own = scale_task(task, work.scales.of[s]);
            work.partials[s] = ssimcu_ssim_partials(&own);
            work.structure[s] += work.partials[s];
        } else {
            add_small(task, s, end, work);
        }
        end = work.structure[s] + work.partials[s];
    }
    return end - sums;
}

Work lay_out(const ssimcu_ms_ssim_task &task)
{
    Work work = {};
    char *const start = static_cast<char *>(task.workspace);
    int width = task.pair.width, height = task.pair.height, area = 1;
    int64_t bytes = 0;
    for (Scale &scale : work.scales.of) {
        scale.width = width = (int)ssimcu_half((uint32_t)width);
        scale.height = height = (int)ssimcu_half((uint32_t)height);
        scale.to_word = to_word(task, scale, area *= 4);
        scale.pitch = ssimcu_divide_up(width, ROW_SAMPLES) * ROW_SAMPLES;
        scale.plane = scale.pitch * height;
        scale.planes = start + bytes;
        bytes += scale.plane * IMAGES * task.frames * task.pair.channels * sample_bytes(scale);
    }
    const size_t doubles = lay_out_sums(task, reinterpret_cast<double *>(start + bytes), work);
    work.bytes = bytes + doubles * sizeof(double);
    return work;
}

/* Returns whether a thread's pixels are whole words aligned to eight bytes. */
bool is_dense(const ssimcu_ms_ssim_task &task, int together)
{
    const ssimcu_psnr_task &pair = task.pair;
    uint64_t all = (uint64_t)pair.pitch_bytes | (uint64_t)task.frame_bytes;
    for (int c = 0; c < pair.channels; c += together)
        all |= (uint64_t)(uintptr_t)pair.ref[c] | (uint64_t)(uintptr_t)pair.out[c];
    return pair.step == together && all % sizeof(uint2) == 0;
}

template <typename T>
void launch(const ssimcu_ms_ssim_task &task, const Work &work, cudaStream_t stream)
{
    const int together = task.pair.interleaved ? task.pair.channels : 1;
    const Scale &third = work.scales.of[2];
    const dim3 blocks((unsigned)ssimcu_divide_up(third.width, BLOCK_COLS),
                      (unsigned)ssimcu_divide_up(third.height, BLOCK_ROWS),
                      (unsigned)(IMAGES * task.frames * task.pair.channels / together));
    auto *const kernel = together == 3 ? pyramid_kernel<T, 3> : pyramid_kernel<T, 1>;
    kernel<<<blocks, THREADS, 0, stream>>>(task.pair, is_dense(task, together),
                                           (float)(task.pair.unit / 4), task.frame_bytes,
                                           work.scales);
}

cudaError_t make_pyramid(const ssimcu_ms_ssim_task &task, const Work &work, cudaStream_t stream)
{
    switch (task.pair.samples) {
    case SSIMCU_SSIM_U8: launch<uint8_t>(task, work, stream); break;
    case SSIMCU_SSIM_U16: launch<uint16_t>(task, work, stream); break;
    case SSIMCU_SSIM_F16: launch<__half>(task, work, stream); break;
    case SSIMCU_SSIM_BF16: launch<__nv_bfloat16>(task, work, stream); break;
    case SSIMCU_SSIM_F32: launch<float>(task, work, stream); break;
    default:
        task.pair.unbounded ? launch<AnyFixed>(task, work, stream)
                            : launch<Fixed>(task, work, stream);
        break;
    }
    return cudaGetLastError();
}

} // namespace
} // namespace ssimcu::ms

size_t ssimcu_ms_ssim_bytes(const ssimcu_ms_ssim_task *task)
{
    return ssimcu::ms::lay_out(*task).bytes;
}

cudaError_t ssimcu_ms_pyramid_cuda(const struct ssimcu_ms_ssim_task *task, cudaStream_t stream)
{
    return ssimcu::ms::make_pyramid(*task, ssimcu::ms::lay_out(*task), stream);
}

/* All scales overlap. The largest comes first, because its blocks run longest. In this order, 4K
 * pairs of bytes took 203 us. With the small scales before the second one they took 211. Between
 * the pyramid and the SSIM stage, which then overlaps them, they took 205. A last scale on the
 * tensor cores also computes the structure of its windows, because only that kernel lets the next
 * one start. */
cudaError_t ssimcu_ms_ssim_cuda(const struct ssimcu_ms_ssim_task *task, cudaStream_t stream)
{
    using namespace ssimcu::ms;
    const Work work = lay_out(*task);
    ssimcu_beside beside = task->beside;
    cudaError_t error = cudaSuccess;
    for (int s = 0; s < LOWER && on_tensor_cores(*task, work.scales.of[s]); s++) {
        ssimcu_ssim_task own = scale_task(*task, work.scales.of[s]);
        own.partial = work.partial[s];
        own.structure = work.structure[s];
        own.beside = beside;
        if (error == cudaSuccess) error = ssimcu_ssim_cuda(&own, stream);
        beside = SSIMCU_BESIDE;
    }
    const auto run = [&](auto *kernel, const small::Task &scales) {
        if (error == cudaSuccess && scales.blocks > 0)
            error = ssimcu::launch_beside(beside, kernel, (unsigned)scales.blocks, small::THREADS,
                                          stream, scales);
        if (scales.blocks > 0) beside = SSIMCU_BESIDE;
    };
    run(small::small_kernel<double>, work.doubles);
    run(small::small_kernel<float>, work.floats);
    return error;
}

void ssimcu_ms_ssim_sums(const ssimcu_ms_ssim_task *task, double *lost, size_t lost_step,
                         ssimcu_sums *sums)
{
    using namespace ssimcu;
    const ms::Work work = ms::lay_out(*task);
    const int channels = task->pair.channels;
    for (int c = 0; c < channels; c++) {
        double *const to = lost + c * SSIMCU_MS_SCALES;
        sums->list[sums->count++] = {task->structure + c * task->structures,
                                     task->structures,
                                     1,
                                     to,
                                     task->frames,
                                     task->structures * channels,
                                     lost_step};
        for (int s = 0; s < ms::LOWER; s++) {
            const size_t of_pair = work.partials[s] / task->frames, own = of_pair / channels;
            const double *const from = s == ms::LOWER - 1 ? work.partial[s] : work.structure[s];
            sums->list[sums->count++] = {from + c * own, own,     1,        to + 1 + s,
                                         task->frames,   of_pair, lost_step};
        }
    }
}
