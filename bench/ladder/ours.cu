/* The library's paths: from a pair in device memory to one sum per plane (and the map), every
 * launch counted. The library's own plan says what runs. A new path is a row of the table at the
 * end. */
#include "common/planned.h"
#include "workspace.cuh"

namespace ladder
{
namespace
{

size_t round_up(size_t value, size_t to) { return (value + to - 1) / to * to; }

/* Plans a job whose bytes lie at `images`. */
planned plan_of(const Job &job, ssimcu_layout layout, const uint8_t *const (&images)[IMAGES])
{
    ssimcu_settings settings = SSIMCU_INIT(settings);
    settings.pad = job.zero_pad ? SSIMCU_PAD_ZERO : SSIMCU_PAD_VALID;
    ssimcu_view view[IMAGES];
    for (int image = 0; image < IMAGES; image++) {
        view[image] = SSIMCU_INIT(view);
        view[image].width = (uint32_t)job.width;
        view[image].height = (uint32_t)job.height;
        view[image].channels = (uint32_t)job.channels;
        view[image].layout = layout;
        view[image].frames = (uint32_t)job.frames;
        view[image].data[0] = images[image];
    }
    planned made;
    planned_make(&made, &settings, &view[REF], &view[OUT], nullptr);
    if (job.map) planned_add_map(&made, job.map_pitch);
    return made;
}

/* Interleaved bytes, read as they are. */

planned pixels_plan(const Job &job) { return plan_of(job, SSIMCU_LAYOUT_HWC, job.hwc); }

/* What small frames take instead is not the path that the row names. */
const char *refuses_small_frames(const Job &job)
{
    return pixels_plan(job).plan.kernel == SSIMCU_KERNEL_SAMPLES ? nullptr : "for larger frames";
}

size_t pixels_bytes(const Job &job)
{
    const planned made = pixels_plan(job);
    return planned_bytes(&made);
}

cudaError_t launch_pixels(const Job &job, void *scratch, cudaStream_t stream)
{
    const planned made = pixels_plan(job);
    return planned_launch(&made, scratch, job.sums, job.map, stream);
}

/* Interleaved bytes that become float planes first, pair by pair, as pairs do that no kernel reads
 * as they are. */

planned planes_plan(const Job &job)
{
    planned made = pixels_plan(job);
    planned_use_kernel(&made, SSIMCU_KERNEL_TENSOR);
    return made;
}

size_t planes_bytes(const Job &job)
{
    const planned made = planes_plan(job);
    return planned_bytes(&made);
}

cudaError_t launch_planes(const Job &job, void *scratch, cudaStream_t stream)
{
    if (!job.map || job.frames == 1) {
        const planned made = planes_plan(job);
        return planned_launch(&made, scratch, job.sums, job.map, stream);
    }
    cudaError_t error = cudaSuccess;
    for (int frame = 0; frame < job.frames && error == cudaSuccess; frame++)
        error = launch_planes(Workspace::frame_of(job, frame), scratch, stream);
    return error;
}

/* Float planes that lie ready, by either kernel. */

planned ready_plan(const Job &job, ssimcu_kernel kernel)
{
    planned made = pixels_plan(job);
    planned_use_kernel(&made, kernel);
    made.plan.planes_pitch = job.pitch;
    return made;
}

const char *refuses_cut_rows(const Job &job)
{
    constexpr int ROW_FLOATS = 4;
    return (job.pitch | job.plane) % ROW_FLOATS ? "rows must start at multiples of 16 bytes"
                                                : nullptr;
}

const char *refuses_small_or_cut(const Job &job)
{
    const char *why = refuses_cut_rows(job);
    return why ? why : refuses_small_frames(job);
}

template <ssimcu_kernel KERNEL>
size_t ready_bytes(const Job &job)
{
    const planned made = ready_plan(job, KERNEL);
    return planned_bytes(&made);
}

template <ssimcu_kernel KERNEL>
cudaError_t launch_ready(const Job &job, void *scratch, cudaStream_t stream)
{
    const planned made = ready_plan(job, KERNEL);
    return planned_launch_ready(&made, job.planes[REF], job.planes[OUT], scratch, job.sums, job.map,
                                stream);
}

/* Planes of bytes, read as they are. Scratch memory holds the planes of both images as well. */

size_t image_bytes(const Job &job)
{
    return round_up((size_t)job.width * job.height * plane_count(job), 256);
}

uint8_t *u8_planes(const Job &job, void *scratch, int image)
{
    return static_cast<uint8_t *>(scratch) + image * image_bytes(job);
}

planned u8_planes_plan(const Job &job, void *scratch)
{
    return plan_of(job, SSIMCU_LAYOUT_CHW,
                   {u8_planes(job, scratch, REF), u8_planes(job, scratch, OUT)});
}

size_t u8_planes_bytes(const Job &job)
{
    const planned made = plan_of(job, SSIMCU_LAYOUT_CHW, job.hwc);
    return IMAGES * image_bytes(job) + planned_bytes(&made);
}

void make_u8_planes(const Job &job, void *scratch, cudaStream_t stream)
{
    const int64_t pixels = (int64_t)job.width * job.height, frame = pixels * job.channels;
    const ssimcu_permute_dim dims[] = {
        {job.frames, frame, frame}, {pixels, job.channels, 1}, {job.channels, 1, pixels}};
    ssimcu_permute_plan plan;
    if (ssimcu_permute_plan_make(&plan, 3, dims, 1, 1) != 0) return;
    for (int image = 0; image < IMAGES; image++)
        BENCH_CUDA(
            ssimcu_permute_cuda(&plan, u8_planes(job, scratch, image), job.hwc[image], stream));
}

cudaError_t launch_u8_planes(const Job &job, void *scratch, cudaStream_t stream)
{
    const planned made = u8_planes_plan(job, scratch);
    return planned_launch(&made, u8_planes(job, scratch, IMAGES), job.sums, job.map, stream);
}

} // namespace

const Method ours[] = {
    {"**ssimcu** tensor cores", "f32 planes", sizeof(float), true, refuses_small_or_cut,
     ready_bytes<SSIMCU_KERNEL_TENSOR>, nullptr, launch_ready<SSIMCU_KERNEL_TENSOR>},
    {"**ssimcu** multiply-adds", "f32 planes", sizeof(float), true, refuses_cut_rows,
     ready_bytes<SSIMCU_KERNEL_PLAIN>, nullptr, launch_ready<SSIMCU_KERNEL_PLAIN>},
    {"**ssimcu** permute + ssim", "u8 HWC", 1, true, refuses_small_frames, planes_bytes, nullptr,
     launch_planes},
    {"**ssimcu** tensor cores", "u8 planes", 1, true, refuses_small_frames, u8_planes_bytes,
     make_u8_planes, launch_u8_planes},
    {"**ssimcu** tensor cores", "u8 HWC", 1, true, refuses_small_frames, pixels_bytes, nullptr,
     launch_pixels},
};
const int our_roads = sizeof ours / sizeof *ours;

} // namespace ladder
