/* The library's roads: from a pair in device memory to one sum per plane (and the map), every
 * launch counted. A new road is a row of the table at the end. */
#include "ladder.cuh"

#include "kernels.h"

namespace ladder
{
namespace
{

constexpr int ROW_FLOATS = 4; /* rows and planes start at multiples of 16 bytes */

size_t round_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

ssimcu_ssim_task task_of(const Job &job)
{
    ssimcu_ssim_task task = {};
    task.ref = job.planes[REF];
    task.out = job.planes[OUT];
    task.width = job.width;
    task.height = job.height;
    task.planes = plane_count(job);
    task.zero_pad = job.zero_pad;
    task.pitch_floats = job.pitch;
    task.plane_floats = job.plane;
    task.map = job.map;
    task.map_pitch_floats = job.map_pitch;
    task.map_plane_floats = job.map_plane;
    return task;
}

cudaError_t launch_score(ssimcu_ssim_task task, void *partial, double *sums, cudaStream_t stream)
{
    task.partial = static_cast<double *>(partial);
    const cudaError_t error = ssimcu_ssim_cuda(&task, stream);
    return error == cudaSuccess ? ssimcu_reduce_cuda(&task, sums, stream) : error;
}

/* Float planes, as they are. */

const char *refuses_cut_rows(const Job &job)
{
    return (job.pitch | job.plane) % ROW_FLOATS ? "rows must start at multiples of 16 bytes"
                                                : nullptr;
}

size_t partial_bytes(const Job &job)
{
    const ssimcu_ssim_task task = task_of(job);
    return ssimcu_ssim_partials(&task) * sizeof(double);
}

cudaError_t launch_planes(const Job &job, void *scratch, cudaStream_t stream)
{
    return launch_score(task_of(job), scratch, job.sums, stream);
}

/* Interleaved bytes: permute both images to float planes, then as above. Scratch: the planes of
 * both, then the partial sums. */

int64_t own_pitch(const Job &job) { return (int64_t)round_up(job.width, ROW_FLOATS); }
int64_t own_plane(const Job &job) { return own_pitch(job) * job.height; }
int64_t own_floats(const Job &job) { return own_plane(job) * plane_count(job); }

const char *refuses_nothing(const Job &) { return nullptr; }

size_t hwc_scratch_bytes(const Job &job)
{
    return (size_t)(IMAGES * own_floats(job)) * sizeof(float) + partial_bytes(job);
}

cudaError_t permute(const Job &job, int image, float *planes, cudaStream_t stream)
{
    ssimcu_permute_pixels_task task = {};
    task.rule.channels = task.rule.planes = (uint32_t)job.channels;
    task.rule.bits = 8;
    task.rule.peak = 255;
    task.rule.widen = 1;
    task.width = job.width;
    task.height = job.height;
    task.frames = job.frames;
    task.src = job.hwc[image];
    task.src_bytes = (size_t)job.width * job.height * plane_count(job);
    task.dst = planes;
    task.dst_pitch_floats = own_pitch(job);
    task.dst_plane_floats = own_plane(job);
    task.dst_frame_floats = own_plane(job) * job.channels;
    return ssimcu_permute_pixels_cuda(&task, stream);
}

cudaError_t launch_hwc(const Job &job, void *scratch, cudaStream_t stream)
{
    float *planes = static_cast<float *>(scratch);
    ssimcu_ssim_task task = task_of(job);
    task.ref = planes;
    task.out = planes + own_floats(job);
    task.pitch_floats = own_pitch(job);
    task.plane_floats = own_plane(job);
    cudaError_t error = permute(job, REF, planes, stream);
    if (error == cudaSuccess) error = permute(job, OUT, planes + own_floats(job), stream);
    if (error != cudaSuccess) return error;
    return launch_score(task, planes + IMAGES * own_floats(job), job.sums, stream);
}

} // namespace

const Method ours[] = {
    {"**ssimcu**", "f32 planes", sizeof(float), true, refuses_cut_rows, partial_bytes, nullptr,
     launch_planes},
    {"**ssimcu** permute + ssim", "u8 HWC", 1, true, refuses_nothing, hwc_scratch_bytes, nullptr,
     launch_hwc},
};
const int our_roads = sizeof ours / sizeof *ours;

} // namespace ladder
