/* MS-SSIM: planes of the scales below the first, and the SSIM stage on each. Small scales leave the
 * tensor cores alone, as small frames do. */
#include "core/divide_up.h"
#include "ms_ssim/pyramid.cuh"
#include "ssim/sums.cuh"

namespace ssimcu::ms
{
namespace
{

constexpr int ROW_FLOATS = 32; /* rows start on 128 bytes, a cache line */

/* The workspace: planes of each scale, then the SSIM stage's partial sums of each, of 1 - SSIM and
 * of 1 - contrast * structure. */
struct Work {
    Scales scales;
    double *partial[LOWER], *structure[LOWER];
    size_t partials[LOWER];
    size_t bytes;
};

ssimcu_ssim_task scale_task(const ssimcu_ms_ssim_task &task, const Scale &scale)
{
    ssimcu_ssim_task own = {};
    own.samples = SSIMCU_SSIM_F32;
    own.tensor_cores = task.tensor_cores && (int64_t)ssimcu_ssim_positions(scale.width, 0) *
                                                    ssimcu_ssim_positions(scale.height, 0) >=
                                                SSIMCU_TENSOR_POSITIONS;
    own.width = scale.width;
    own.height = scale.height;
    own.channels = task.pair.channels;
    own.frames = 1;
    own.unbounded = task.unbounded;
    own.peak = task.white;
    own.pitch_bytes = scale.pitch * (int64_t)sizeof(float);
    own.plane_bytes = scale.plane * (int64_t)sizeof(float);
    own.ref = scale.planes;
    own.out = scale.planes + own.channels * scale.plane;
    return own;
}

Work lay_out(const ssimcu_ms_ssim_task &task)
{
    Work work = {};
    float *planes = static_cast<float *>(task.workspace);
    int width = task.pair.width, height = task.pair.height;
    int64_t floats = 0;
    for (Scale &scale : work.scales.of) {
        scale.width = width = width / 2 + width % 2;
        scale.height = height = height / 2 + height % 2;
        scale.pitch = ssimcu_divide_up(width, ROW_FLOATS) * ROW_FLOATS;
        scale.plane = scale.pitch * height;
        scale.planes = planes + floats;
        floats += scale.plane * IMAGES * task.pair.channels;
    }
    double *const sums = reinterpret_cast<double *>(planes + floats);
    size_t doubles = 0;
    for (int s = 0; s < LOWER; s++) {
        const ssimcu_ssim_task own = scale_task(task, work.scales.of[s]);
        work.partials[s] = ssimcu_ssim_partials(&own);
        work.partial[s] = sums + doubles;
        work.structure[s] = work.partial[s] + work.partials[s];
        doubles += 2 * work.partials[s];
    }
    work.bytes = floats * sizeof(float) + doubles * sizeof(double);
    return work;
}

template <typename T>
void launch(const ssimcu_ms_ssim_task &task, const Work &work, cudaStream_t stream)
{
    const Scale &first = work.scales.of[0];
    const dim3 blocks((unsigned)ssimcu_divide_up(first.width, COLS),
                      (unsigned)ssimcu_divide_up(first.height, ROWS), IMAGES);
    pyramid_kernel<T>
        <<<blocks, THREADS, 0, stream>>>(task.pair, (float)(task.pair.unit / 4), work.scales);
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

/* Small scales leave most of a GPU idle, so all run side by side, the smallest first. The last has
 * the structure of its windows as well, because only that kernel lets the next one start. */
cudaError_t ssimcu_ms_ssim_cuda(const struct ssimcu_ms_ssim_task *task, cudaStream_t stream)
{
    using namespace ssimcu::ms;
    const Work work = lay_out(*task);
    cudaError_t error = make_pyramid(*task, work, stream);
    for (int s = LOWER - 1; s >= 0 && error == cudaSuccess; s--) {
        ssimcu_ssim_task own = scale_task(*task, work.scales.of[s]);
        own.partial = work.partial[s];
        own.structure = work.structure[s];
        own.beside = s < LOWER - 1; /* the first one needs the pyramid */
        error = ssimcu_ssim_cuda(&own, stream);
    }
    return error;
}

cudaError_t ssimcu_ms_ssim_sums_cuda(const struct ssimcu_ms_ssim_task *task, double *lost,
                                     cudaStream_t stream)
{
    using namespace ssimcu;
    const ms::Work work = ms::lay_out(*task);
    SumLists<SSIMCU_MAX_CHANNELS *SSIMCU_MS_SCALES> lists = {};
    const int channels = task->pair.channels;
    int count = 0;
    for (int c = 0; c < channels; c++) {
        double *const to = lost + c * SSIMCU_MS_SCALES;
        lists.of[count++] = {task->structure + c * task->structures, task->structures, 1, to};
        for (int s = 0; s < ms::LOWER; s++) {
            const size_t own = work.partials[s] / channels;
            const double *const sums = s == ms::LOWER - 1 ? work.partial[s] : work.structure[s];
            lists.of[count++] = {sums + c * own, own, 1, to + 1 + s};
        }
    }
    return add_up(lists, count, stream);
}
