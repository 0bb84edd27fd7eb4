#include "tasks.h"

#include <stdint.h>

struct ssimcu_planes_task ssimcu_cuda_pixels_task(const struct ssimcu_plan *plan, uint32_t pass,
                                                  const struct ssimcu_cuda_place *place, int slot,
                                                  uint32_t pair)
{
    struct ssimcu_planes_task task = {
        .samples = place->samples[slot],
        .rule = plan->rule[pass][slot],
        .width = plan->shape.width,
        .height = plan->shape.height,
        .fixed = plan->fixed,
        .unbounded = plan->fixed && !plan->bounded,
        .range = place->range[slot],
        .piece = place->pieces + slot * SSIMCU_CURVE_PIECES,
        .dst = place->planes[slot],
        .dst_pitch_floats = plan->planes_pitch,
        .dst_plane_floats = plan->planes_pitch * plan->shape.height,
    };
    for (uint32_t c = 0; c < task.rule.channels; c++)
        task.samples.channel[c] = ssimcu_cuda_sample(&place->samples[slot], pair, c);
    return task;
}

struct ssimcu_ssim_task ssimcu_cuda_planes_task(const struct ssimcu_plan *plan)
{
    const struct ssimcu_shape *shape = &plan->shape;
    const int64_t pitch = plan->planes_pitch * (int64_t)sizeof(float);
    return (struct ssimcu_ssim_task){
        .samples = plan->fixed ? SSIMCU_SSIM_FIXED : SSIMCU_SSIM_F32,
        .tensor_cores = plan->kernel != SSIMCU_KERNEL_PLAIN,
        .unbounded = !plan->bounded,
        .peak = plan->white,
        .width = (int)shape->width,
        .height = (int)shape->height,
        .channels = (int)shape->planes,
        .frames = 1,
        .zero_pad = shape->zero_pad,
        .pitch_bytes = pitch,
        .plane_bytes = pitch * shape->height,
        .map_pitch_floats = plan->map_pitch,
        .map_plane_floats = plan->map_pitch * shape->map_height,
        .grid = plan->grid,
    };
}

struct ssimcu_ssim_task ssimcu_cuda_samples_task(const struct ssimcu_plan *plan, uint32_t channels)
{
    const struct ssimcu_samples *samples = &plan->samples[SSIMCU_REF];
    struct ssimcu_ssim_task task = ssimcu_cuda_planes_task(plan);
    task.samples = (enum ssimcu_ssim_samples)samples->type;
    task.channels = (int)channels;
    task.interleaved = !samples->planar && channels > 1;
    task.pairs = channels == 1 && samples->step == 2;
    task.unbounded = 1;
    task.peak = ssimcu_samples_are_float(samples->type) ? SSIMCU_PEAK / (double)samples->scale
                                                        : plan->rule[0][SSIMCU_REF].peak;
    task.pitch_bytes = samples->pitch_bytes;
    return task;
}

int ssimcu_cuda_is_even(uint32_t channels, const struct ssimcu_samples samples[SSIMCU_PAIR],
                        int64_t *plane_bytes)
{
    *plane_bytes = 0;
    if (!samples[SSIMCU_REF].planar) return 1;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 1; c < channels; c++) {
            const int64_t apart =
                (int64_t)((uintptr_t)ssimcu_cuda_sample(&samples[slot], 0, c) -
                          (uintptr_t)ssimcu_cuda_sample(&samples[slot], 0, c - 1));
            if (slot == SSIMCU_REF && c == 1) *plane_bytes = apart;
            if (apart != *plane_bytes) return 0;
        }
    return 1;
}

struct ssimcu_ssim_task ssimcu_cuda_score_task(const struct ssimcu_plan *plan,
                                               const struct ssimcu_samples samples[SSIMCU_PAIR],
                                               int64_t *plane_bytes)
{
    if (plan->kernel != SSIMCU_KERNEL_SAMPLES) return ssimcu_cuda_planes_task(plan);
    const int is_even = ssimcu_cuda_is_even(plan->shape.planes, samples, plane_bytes);
    return ssimcu_cuda_samples_task(plan, is_even ? plan->shape.planes : 1);
}

static struct ssimcu_cuda_numbers count_numbers(const struct ssimcu_ssim_task *task,
                                                uint32_t launches)
{
    const size_t sums = ssimcu_ssim_partials(task) * launches;
    return (struct ssimcu_cuda_numbers){sums + sums % 2, ssimcu_ssim_cells(task) * launches};
}

struct ssimcu_cuda_numbers ssimcu_cuda_most_numbers(const struct ssimcu_plan *plan)
{
    const uint32_t planes = plan->shape.planes;
    if (plan->kernel != SSIMCU_KERNEL_SAMPLES) {
        const struct ssimcu_ssim_task task = ssimcu_cuda_planes_task(plan);
        return count_numbers(&task, 1);
    }
    const struct ssimcu_ssim_task all = ssimcu_cuda_samples_task(plan, planes),
                                  one = ssimcu_cuda_samples_task(plan, 1);
    const struct ssimcu_cuda_numbers together = count_numbers(&all, 1);
    if (!plan->samples[SSIMCU_REF].planar) return together;
    const struct ssimcu_cuda_numbers apart = count_numbers(&one, planes);
    return (struct ssimcu_cuda_numbers){ssimcu_cuda_larger(together.sums, apart.sums),
                                        ssimcu_cuda_larger(together.cells, apart.cells)};
}

size_t ssimcu_cuda_partials(const struct ssimcu_plan *plan)
{
    const struct ssimcu_cuda_numbers numbers = ssimcu_cuda_most_numbers(plan);
    return numbers.sums + numbers.cells;
}
