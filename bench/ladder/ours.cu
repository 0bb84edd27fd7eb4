/* The library's paths: from a pair in device memory to one sum per plane (and the map), every
 * launch counted. A new path is a row of the table at the end. */
#include "ladder.cuh"

#include "kernels.h"

namespace ladder
{
namespace
{

constexpr int ROW_FLOATS = 4; /* rows and planes start at multiples of 16 bytes */

size_t round_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

/* Returns the task that all paths share: planes of floats on the tensor cores. */
ssimcu_ssim_task task_of(const Job &job)
{
    ssimcu_ssim_task task = {};
    task.samples = SSIMCU_SSIM_F32;
    task.tensor_cores = 1;
    task.ref = job.planes[REF];
    task.out = job.planes[OUT];
    task.width = job.width;
    task.height = job.height;
    task.channels = job.channels;
    task.frames = job.frames;
    task.zero_pad = job.zero_pad;
    task.pitch_bytes = job.pitch * (int64_t)sizeof(float);
    task.plane_bytes = job.plane * (int64_t)sizeof(float);
    task.frame_bytes = task.plane_bytes * job.channels;
    task.map = job.map;
    task.map_pitch_floats = job.map_pitch;
    task.map_plane_floats = job.map_plane;
    return task;
}

size_t partial_bytes_of(const ssimcu_ssim_task &task)
{
    return round_up(ssimcu_ssim_partials(&task) * sizeof(double), 256);
}

cudaError_t launch_score(ssimcu_ssim_task task, void *partial, double *sums, cudaStream_t stream)
{
    task.partial = static_cast<double *>(partial);
    const cudaError_t error = ssimcu_ssim_cuda(&task, stream);
    if (error != cudaSuccess) return error;
    return ssimcu_reduce_cuda(&task, task.channels, sums, nullptr, nullptr, stream);
}

const char *refuses_small_frames(const Job &job)
{
    const int64_t windows =
        (int64_t)positions(job.width, job.zero_pad) * positions(job.height, job.zero_pad);
    return windows < SSIMCU_TENSOR_POSITIONS ? "for larger frames" : nullptr;
}

/* Float planes, read as they are. */

const char *refuses_cut_rows(const Job &job)
{
    return (job.pitch | job.plane) % ROW_FLOATS ? "rows must start at multiples of 16 bytes"
                                                : nullptr;
}

const char *refuses_small_or_cut(const Job &job)
{
    const char *why = refuses_cut_rows(job);
    return why ? why : refuses_small_frames(job);
}

ssimcu_ssim_task fma_task_of(const Job &job)
{
    ssimcu_ssim_task task = task_of(job);
    task.tensor_cores = 0;
    return task;
}

size_t fma_bytes(const Job &job) { return partial_bytes_of(fma_task_of(job)); }
size_t tensor_bytes(const Job &job) { return partial_bytes_of(task_of(job)); }

cudaError_t launch_fma(const Job &job, void *scratch, cudaStream_t stream)
{
    return launch_score(fma_task_of(job), scratch, job.sums, stream);
}

cudaError_t launch_tensor(const Job &job, void *scratch, cudaStream_t stream)
{
    return launch_score(task_of(job), scratch, job.sums, stream);
}

/* Interleaved bytes: both images become float planes, frame by frame, and are then scored as above.
 * Scratch memory holds the planes of both, then the partial sums. */

int64_t own_pitch(const Job &job) { return (int64_t)round_up(job.width, ROW_FLOATS); }
int64_t own_plane(const Job &job) { return own_pitch(job) * job.height; }
int64_t own_floats(const Job &job) { return own_plane(job) * plane_count(job); }

size_t hwc_scratch_bytes(const Job &job)
{
    return (size_t)(IMAGES * own_floats(job)) * sizeof(float) + tensor_bytes(job);
}

cudaError_t make_planes(const Job &job, int image, float *planes, cudaStream_t stream)
{
    ssimcu_planes_task task = {};
    task.rule.channels = task.rule.planes = (uint32_t)job.channels;
    task.rule.bits = 8;
    task.rule.peak = 255;
    task.rule.widen = 1;
    task.width = job.width;
    task.height = job.height;
    task.dst_pitch_floats = own_pitch(job);
    task.dst_plane_floats = own_plane(job);
    task.samples.type = SSIMCU_SAMPLE_U8;
    task.samples.step = (uint32_t)job.channels;
    task.samples.pitch_bytes = (int64_t)job.width * job.channels;
    const int64_t frame_bytes = task.samples.pitch_bytes * job.height;
    cudaError_t error = cudaSuccess;
    for (int frame = 0; frame < job.frames && error == cudaSuccess; frame++) {
        for (int c = 0; c < job.channels; c++)
            task.samples.channel[c] = job.hwc[image] + frame * frame_bytes + c;
        task.dst = planes + frame * own_plane(job) * job.channels;
        error = ssimcu_planes_cuda(&task, stream);
    }
    return error;
}

cudaError_t launch_hwc(const Job &job, void *scratch, cudaStream_t stream)
{
    float *planes = static_cast<float *>(scratch);
    ssimcu_ssim_task task = task_of(job);
    task.ref = planes;
    task.out = planes + own_floats(job);
    task.pitch_bytes = own_pitch(job) * (int64_t)sizeof(float);
    task.plane_bytes = own_plane(job) * (int64_t)sizeof(float);
    task.frame_bytes = task.plane_bytes * job.channels;
    cudaError_t error = make_planes(job, REF, planes, stream);
    if (error == cudaSuccess) error = make_planes(job, OUT, planes + own_floats(job), stream);
    if (error != cudaSuccess) return error;
    return launch_score(task, planes + IMAGES * own_floats(job), job.sums, stream);
}

/* Bytes read as they are, on the tensor cores. Scratch memory holds the partial sums, followed for
 * planes by the planes of both images. */

ssimcu_ssim_task u8_task_of(const Job &job, bool interleaved)
{
    ssimcu_ssim_task task = task_of(job);
    task.samples = SSIMCU_SSIM_U8;
    task.ref = job.hwc[REF];
    task.out = job.hwc[OUT];
    task.interleaved = interleaved;
    task.pitch_bytes = (int64_t)job.width * (interleaved ? job.channels : 1);
    task.plane_bytes = (int64_t)job.width * job.height;
    task.frame_bytes = task.plane_bytes * job.channels;
    return task;
}

size_t u8_hwc_bytes(const Job &job) { return partial_bytes_of(u8_task_of(job, true)); }
size_t u8_planes_bytes(const Job &job) { return partial_bytes_of(u8_task_of(job, false)); }

size_t image_bytes(const Job &job)
{
    return round_up((size_t)job.width * job.height * plane_count(job), 256);
}

size_t u8_planes_scratch_bytes(const Job &job)
{
    return u8_planes_bytes(job) + IMAGES * image_bytes(job);
}

uint8_t *u8_planes(const Job &job, void *scratch, int image)
{
    return static_cast<uint8_t *>(scratch) + u8_planes_bytes(job) + image * image_bytes(job);
}

void make_u8_planes(const Job &job, void *scratch, cudaStream_t stream)
{
    const int64_t pixels = (int64_t)job.width * job.height, frame = pixels * job.channels;
    const ssimcu_permute_dim dims[] = {
        {job.frames, frame, frame}, {pixels, job.channels, 1}, {job.channels, 1, pixels}};
    ssimcu_permute_plan plan;
    if (ssimcu_permute_plan_make(&plan, 3, dims, 1, 1) != 0) return;
    for (int image = 0; image < IMAGES; image++)
        ssimcu_permute_cuda(&plan, u8_planes(job, scratch, image), job.hwc[image], stream);
}

cudaError_t launch_u8_planes(const Job &job, void *scratch, cudaStream_t stream)
{
    ssimcu_ssim_task task = u8_task_of(job, false);
    task.ref = u8_planes(job, scratch, REF);
    task.out = u8_planes(job, scratch, OUT);
    return launch_score(task, scratch, job.sums, stream);
}

cudaError_t launch_u8_hwc(const Job &job, void *scratch, cudaStream_t stream)
{
    return launch_score(u8_task_of(job, true), scratch, job.sums, stream);
}

} // namespace

const Method ours[] = {
    {"**ssimcu** tensor cores", "f32 planes", sizeof(float), true, refuses_small_or_cut,
     tensor_bytes, nullptr, launch_tensor},
    {"**ssimcu** multiply-adds", "f32 planes", sizeof(float), true, refuses_cut_rows, fma_bytes,
     nullptr, launch_fma},
    {"**ssimcu** permute + ssim", "u8 HWC", 1, true, refuses_small_frames, hwc_scratch_bytes,
     nullptr, launch_hwc},
    {"**ssimcu** tensor cores", "u8 planes", 1, true, refuses_small_frames, u8_planes_scratch_bytes,
     make_u8_planes, launch_u8_planes},
    {"**ssimcu** tensor cores", "u8 HWC", 1, true, refuses_small_frames, u8_hwc_bytes, nullptr,
     launch_u8_hwc},
};
const int our_roads = sizeof ours / sizeof *ours;

} // namespace ladder
