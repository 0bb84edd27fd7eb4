#define _POSIX_C_SOURCE 200809L

#include "planned.h"

#include "api/context.h"
#include "common.h"
#include "cuda/launch.h"
#include "cuda/metrics.h"
#include "plan/outputs.h"
#include "plan/view.h"

#include <string.h>

/* Returns the traits of the device. Its context is kept, as the program's last thing. */
static const struct ssimcu_traits *traits(void)
{
    static ssimcu_context *context;
    const ssimcu_settings settings = SSIMCU_INIT(settings, .device = SSIMCU_DEVICE_CUDA);
    ssimcu_message why = {{0}};
    if (!context) stop_unless(ssimcu_open(&settings, &context, &why), &why);
    return context->backend->traits(context->state);
}

void planned_make(struct planned *planned, const ssimcu_settings *settings, const ssimcu_view *ref,
                  const ssimcu_view *out, const ssimcu_tiles *tiles)
{
    const ssimcu_view *const theirs[SSIMCU_PAIR] = {ref, out};
    ssimcu_view pair[SSIMCU_PAIR];
    ssimcu_message why = {{0}};
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        stop_unless(ssimcu_view_check(theirs[slot], "view", 1, &pair[slot], &why), &why);
        planned->samples[slot] = ssimcu_view_samples(&pair[slot]);
        memset(pair[slot].data, 0, sizeof pair[slot].data); /* the host cannot read it */
    }
    stop_unless(ssimcu_plan_make(&planned->plan, settings, traits(), pair, tiles, &why), &why);
}

void planned_use_kernel(struct planned *planned, enum ssimcu_kernel kernel)
{
    const int64_t map_pitch = planned->plan.map_pitch; /* may be the caller's */
    ssimcu_plan_use_kernel(&planned->plan, traits(), kernel);
    planned->plan.map_pitch = map_pitch;
}

void planned_add_map(struct planned *planned, int64_t pitch_floats)
{
    ssimcu_plan_add_map(&planned->plan, traits(), 0);
    planned->plan.map_pitch = pitch_floats;
}

size_t planned_bytes(const struct planned *planned)
{
    return ssimcu_cuda_lay_out(&planned->plan, 1, 0).end;
}

static struct ssimcu_cuda_place place_of(const struct planned *planned, void *work)
{
    const struct ssimcu_cuda_layout layout = ssimcu_cuda_lay_out(&planned->plan, 1, 0);
    struct ssimcu_cuda_place place = ssimcu_cuda_place(&layout, work);
    memcpy(place.samples, planned->samples, sizeof place.samples);
    return place;
}

cudaError_t planned_launch(const struct planned *planned, void *work, double *results, float *map,
                           cudaStream_t stream)
{
    struct ssimcu_cuda_place place = place_of(planned, work);
    place.results = results;
    place.map = map;
    return ssimcu_cuda_launch(&planned->plan, 0, &place, NULL, stream);
}

struct ssimcu_planes_task planned_pixels(const struct planned *planned, int slot, uint32_t pair,
                                         float *planes)
{
    struct ssimcu_cuda_place place = place_of(planned, NULL);
    place.planes[slot] = planes;
    return ssimcu_cuda_pixels_task(&planned->plan, 0, &place, slot, pair);
}

cudaError_t planned_launch_ready(const struct planned *planned, const float *ref, const float *out,
                                 void *work, double *results, float *map, cudaStream_t stream)
{
    const struct ssimcu_plan *plan = &planned->plan;
    const struct ssimcu_cuda_place place = place_of(planned, work);
    const struct ssimcu_results where = ssimcu_plan_results(plan, results);
    struct ssimcu_ssim_task task = ssimcu_cuda_planes_task(plan);
    task.ref = ref;
    task.out = out;
    task.frames = (int)plan->pairs;
    task.frame_bytes = task.plane_bytes * task.channels;
    task.partial = place.partial;
    task.cells = place.partial + ssimcu_cuda_most_numbers(plan).sums * plan->pairs;
    task.map = plan->bytes.map ? map : NULL;
    TRY_LAUNCH(ssimcu_ssim_cuda(&task, stream));
    return ssimcu_reduce_cuda(&task, task.channels, (double *)(uintptr_t)where.sums,
                              (double *)(uintptr_t)where.means, NULL, stream);
}

/* Writes the planes of a pair, which SSIM would have written before. */
static cudaError_t write_planes(const struct ssimcu_cuda_metrics_run *run)
{
    for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
        const struct ssimcu_planes_task task =
            ssimcu_cuda_pixels_task(run->plan, run->pass, run->place, slot, run->pair);
        TRY_LAUNCH(ssimcu_planes_cuda(&task, run->stream));
    }
    return cudaSuccess;
}

cudaError_t planned_launch_ssimulacra2(const struct planned *planned, void *work,
                                       struct ssimcu_metric_sums *sums, cudaStream_t stream)
{
    const struct ssimcu_plan *plan = &planned->plan;
    const struct ssimcu_cuda_place place = place_of(planned, work);
    for (uint32_t pair = 0; pair < plan->pairs; pair++) {
        const struct ssimcu_cuda_metrics_run run = {.plan = plan,
                                                    .pair = pair,
                                                    .pairs = 1,
                                                    .place = &place,
                                                    .layout = ssimcu_cuda_metrics_lay_out(plan),
                                                    .sums = sums + pair,
                                                    .stream = stream};
        if (plan->kernel != SSIMCU_KERNEL_SAMPLES) TRY_LAUNCH(write_planes(&run));
        TRY_LAUNCH(ssimcu_cuda_s2(&run));
    }
    return cudaSuccess;
}

ssimcu_score planned_read(const struct planned *planned, const double *results, uint32_t pair,
                          ssimcu_tiles *tiles)
{
    const struct ssimcu_plan *plan = &planned->plan;
    const struct ssimcu_results made = ssimcu_plan_results(plan, results);
    struct ssimcu_tiles_memory memory;
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    uint32_t pass = 0;
    stop_unless(ssimcu_plan_score(plan, &made, pair, &score, &pass, &why), &why);
    stop_unless(ssimcu_outputs_tiles(plan, tiles, &memory, &why), &why);
    const double *const means = ssimcu_plan_means(plan, &made, pair, pass);
    ssimcu_outputs_write(plan, &means, 1, &memory, &score);
    return score;
}
