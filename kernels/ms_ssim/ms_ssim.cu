/* MS-SSIM: planes of the scales below the first, and the SSIM stage on each. Small scales leave the
 * tensor cores alone, as small frames do.
 *
 * ORDER. Of one pair the pyramid comes first, then the SSIM stage on the first scale, which starts
 * as the pyramid ends. The other scales start as that stage's blocks end, so that one tail is paid,
 * not two. They need not wait for the pyramid, because that stage is a relay (turn.cuh). */
#include "core/divide_up.h"
#include "ms_ssim/pyramid.cuh"

namespace ssimcu::ms
{
namespace
{

constexpr int ROW_SAMPLES = 64; /* rows start on 128 bytes, a cache line, or more */
constexpr double MOST_WORD = 65535;

/* The workspace: planes of each scale, then the SSIM stage's partial sums of each, of 1 - SSIM and
 * of 1 - contrast * structure. */
struct Work {
    Scales scales;
    double *partial[LOWER], *structure[LOWER];
    size_t partials[LOWER];
    size_t bytes;
};

int sample_bytes(const Scale &scale) { return scale.to_word ? sizeof(uint16_t) : sizeof(float); }

bool on_tensor_cores(const ssimcu_ms_ssim_task &task, const Scale &scale)
{
    return task.tensor_cores && (int64_t)ssimcu_ssim_positions(scale.width, 0) *
                                        ssimcu_ssim_positions(scale.height, 0) >=
                                    SSIMCU_TENSOR_POSITIONS;
}

/* Returns the factor from plane units to words of a scale whose samples are the sums of `area`
 * samples, or 0 if it has floats. */
float to_word(const ssimcu_ms_ssim_task &task, const Scale &scale, int area)
{
    const bool has_integers =
        task.pair.samples == SSIMCU_SSIM_U8 || task.pair.samples == SSIMCU_SSIM_U16;
    const double factor = area / task.pair.unit;
    const bool fits =
        has_integers && on_tensor_cores(task, scale) && task.white * factor <= MOST_WORD;
    return fits ? (float)factor : 0;
}

ssimcu_ssim_task scale_task(const ssimcu_ms_ssim_task &task, const Scale &scale)
{
    ssimcu_ssim_task own = {};
    const int bytes = sample_bytes(scale);
    own.samples = scale.to_word ? SSIMCU_SSIM_U16 : SSIMCU_SSIM_F32;
    own.tensor_cores = on_tensor_cores(task, scale);
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
    double *const sums = reinterpret_cast<double *>(start + bytes);
    size_t doubles = 0;
    for (int s = 0; s < LOWER; s++) {
        const ssimcu_ssim_task own = scale_task(task, work.scales.of[s]);
        work.partials[s] = ssimcu_ssim_partials(&own);
        work.partial[s] = sums + doubles;
        work.structure[s] = work.partial[s] + work.partials[s];
        doubles += 2 * work.partials[s];
    }
    work.bytes = bytes + doubles * sizeof(double);
    return work;
}

/* Says whether a thread's pixels are whole words that are aligned to eight bytes. */
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

/* Small scales leave most of a GPU idle, so all run side by side. Two that take no tensor cores
 * come last, because their blocks hold half an SM each and would keep the others waiting: eight 4K
 * pairs of bytes on an H100 go from 213 to 203 us. Behind the SSIM stage the largest comes first,
 * as its blocks run longest (4K planes: 218 us, the second first 222). The last scale has the
 * structure of its windows as well, because only that kernel lets the next one start. */
cudaError_t ssimcu_ms_ssim_cuda(const struct ssimcu_ms_ssim_task *task, cudaStream_t stream)
{
    using namespace ssimcu::ms;
    static const int by_itself[LOWER] = {1, 0, 3, 2}, behind_ssim[LOWER] = {0, 1, 2, 3};
    const int *const order = task->beside ? behind_ssim : by_itself;
    const Work work = lay_out(*task);
    cudaError_t error = cudaSuccess;
    for (int i = 0; i < LOWER && error == cudaSuccess; i++) {
        const int s = order[i];
        ssimcu_ssim_task own = scale_task(*task, work.scales.of[s]);
        own.partial = work.partial[s];
        own.structure = work.structure[s];
        own.beside = i > 0 ? SSIMCU_BESIDE : task->beside;
        error = ssimcu_ssim_cuda(&own, stream);
    }
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
