#include "launch.h"

#include "curve.h"
#include "light.h"

#include <stdint.h>

#define TRY_LAUNCH(call)                                                                           \
    do {                                                                                           \
        const cudaError_t error_ = (call);                                                         \
        if (error_ != cudaSuccess) return error_;                                                  \
    } while (0)

/* A pass of a plan while it is queued. */
struct launch {
    const struct ssimcu_plan *plan;
    const struct ssimcu_cuda_place *place;
    const struct ssimcu_pixel_rule *rule; /* [SSIMCU_PAIR] */
    double *sums, *means;                 /* results of this pass */
    struct ssimcu_light_counts *counts;   /* counts of all pairs; NULL: not counted in this pass */
    cudaStream_t stream;
};

struct ssimcu_cuda_place ssimcu_cuda_place(const struct ssimcu_cuda_layout *layout, void *block)
{
    return (struct ssimcu_cuda_place){
        .planes = {ssimcu_cuda_part(block, layout->planes[SSIMCU_REF]),
                   ssimcu_cuda_part(block, layout->planes[SSIMCU_OUT])},
        .pieces = ssimcu_cuda_part(block, layout->pieces),
        .partial = ssimcu_cuda_part(block, layout->partial),
        .map = ssimcu_cuda_part(block, layout->map),
        .results = ssimcu_cuda_part(block, layout->results),
    };
}

cudaError_t ssimcu_cuda_set_curves(const struct ssimcu_plan *plan,
                                   struct ssimcu_curve curve[SSIMCU_PAIR],
                                   struct ssimcu_cuda_place *place, cudaStream_t stream)
{
    for (int slot = 0; slot < SSIMCU_PAIR && plan->fixed; slot++) {
        const struct ssimcu_pixel_rule *rule = &plan->rule[0][slot];
        if (!ssimcu_light_has_curve(&rule->light)) continue;
        ssimcu_curve_make(&curve[slot], &rule->light, rule->unit);
        place->range[slot] = curve[slot].range;
        TRY_LAUNCH(cudaMemcpyAsync(place->pieces + slot * SSIMCU_CURVE_PIECES, curve[slot].piece,
                                   sizeof curve[slot].piece, cudaMemcpyHostToDevice, stream));
    }
    return cudaSuccess;
}

/* ---- Tasks ----------------------------------------------------------------------------------- */

static const char *sample(const struct ssimcu_samples *samples, uint32_t pair, uint32_t channel)
{
    return (const char *)samples->channel[channel] + pair * samples->frame_bytes;
}

/* Returns the SSIM stage of one pair on planes. The caller sets the memory. */
static struct ssimcu_ssim_task planes_task(const struct ssimcu_plan *plan)
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

/* Returns the SSIM stage on samples where they lie, for all channels in a launch or for one. */
static struct ssimcu_ssim_task samples_task(const struct ssimcu_plan *plan, uint32_t channels)
{
    const struct ssimcu_samples *samples = &plan->samples[SSIMCU_REF];
    struct ssimcu_ssim_task task = planes_task(plan);
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

/* Whether the channels of both sides are equally far apart, so that one launch takes them all. Sets
 * *plane_bytes to that distance. */
static int is_even(const struct launch *launch, int64_t *plane_bytes)
{
    const struct ssimcu_samples *samples = launch->place->samples;
    const uint32_t planes = launch->plan->shape.planes;
    *plane_bytes = 0;
    if (!samples[SSIMCU_REF].planar) return 1;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 1; c < planes; c++) {
            const int64_t apart = (int64_t)((uintptr_t)sample(&samples[slot], 0, c) -
                                            (uintptr_t)sample(&samples[slot], 0, c - 1));
            if (slot == SSIMCU_REF && c == 1) *plane_bytes = apart;
            if (apart != *plane_bytes) return 0;
        }
    return 1;
}

/* Numbers of one pair. The partial sums are rounded up to an even number, because the cells of its
 * tiles are aligned to 16 bytes. */
struct numbers {
    size_t sums, cells;
};

static struct numbers count_numbers(const struct ssimcu_ssim_task *task, uint32_t launches)
{
    const size_t sums = ssimcu_ssim_partials(task) * launches;
    return (struct numbers){sums + sums % 2, ssimcu_ssim_cells(task) * launches};
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Returns the numbers that one launch takes or a launch per plane, whichever is more. Planes with
 * pointers of their own may need a launch each. */
static struct numbers most_numbers(const struct ssimcu_plan *plan)
{
    const uint32_t planes = plan->shape.planes;
    if (plan->kernel != SSIMCU_KERNEL_SAMPLES) {
        const struct ssimcu_ssim_task task = planes_task(plan);
        return count_numbers(&task, 1);
    }
    const struct ssimcu_ssim_task all = samples_task(plan, planes), one = samples_task(plan, 1);
    const struct numbers together = count_numbers(&all, 1);
    if (!plan->samples[SSIMCU_REF].planar) return together;
    const struct numbers apart = count_numbers(&one, planes);
    return (struct numbers){larger(together.sums, apart.sums), larger(together.cells, apart.cells)};
}

size_t ssimcu_cuda_partials(const struct ssimcu_plan *plan)
{
    const struct numbers numbers = most_numbers(plan);
    return numbers.sums + numbers.cells;
}

/* Returns the cells of launch `index`. They follow each other behind the partial sums of all
 * launches. */
static double *cells_of(const struct launch *launch, const struct ssimcu_ssim_task *task,
                        size_t index)
{
    return launch->place->partial + most_numbers(launch->plan).sums * launch->plan->pairs +
           index * ssimcu_ssim_cells(task);
}

/* ---- Stages ---------------------------------------------------------------------------------- */

static cudaError_t write_planes(const struct launch *launch, int slot, uint32_t pair)
{
    const struct ssimcu_plan *plan = launch->plan;
    struct ssimcu_planes_task task = {
        .samples = launch->place->samples[slot],
        .rule = launch->rule[slot],
        .width = plan->shape.width,
        .height = plan->shape.height,
        .fixed = plan->fixed,
        .unbounded = plan->fixed && !plan->bounded,
        .range = launch->place->range[slot],
        .piece = launch->place->pieces + slot * SSIMCU_CURVE_PIECES,
        .dst = launch->place->planes[slot],
        .dst_pitch_floats = plan->planes_pitch,
        .dst_plane_floats = plan->planes_pitch * plan->shape.height,
    };
    for (uint32_t c = 0; c < task.rule.channels; c++)
        task.samples.channel[c] = sample(&launch->place->samples[slot], pair, c);
    return ssimcu_planes_cuda(&task, launch->stream);
}

static cudaError_t count_light(const struct launch *launch, int slot, uint32_t pair)
{
    const struct ssimcu_plan *plan = launch->plan;
    struct ssimcu_light_scan_task task = {
        .samples = launch->place->samples[slot],
        .rule = launch->rule[slot],
        .bounds = plan->bounds[slot],
        .width = plan->shape.width,
        .height = plan->shape.height,
        .counts = launch->counts + (size_t)pair * SSIMCU_PAIR + slot,
    };
    for (uint32_t c = 0; c < task.rule.channels; c++)
        task.samples.channel[c] = sample(&launch->place->samples[slot], pair, c);
    return ssimcu_light_scan_cuda(&task, launch->stream);
}

static cudaError_t score_planes(const struct launch *launch, uint32_t pair)
{
    struct ssimcu_ssim_task task = planes_task(launch->plan);
    task.ref = launch->place->planes[SSIMCU_REF];
    task.out = launch->place->planes[SSIMCU_OUT];
    task.partial = launch->place->partial + pair * ssimcu_ssim_partials(&task);
    task.cells = cells_of(launch, &task, pair);
    task.map = launch->plan->bytes.map ? launch->place->map : NULL;
    return ssimcu_ssim_cuda(&task, launch->stream);
}

/* Scores samples where they lie, of `pairs` pairs from `pair` on: one launch, or one per plane. */
static cudaError_t score_samples(const struct launch *launch, uint32_t pair, uint32_t pairs)
{
    const struct ssimcu_samples *samples = launch->place->samples;
    const uint32_t planes = launch->plan->shape.planes;
    int64_t plane_bytes;
    struct ssimcu_ssim_task task =
        samples_task(launch->plan, is_even(launch, &plane_bytes) ? planes : 1);
    const size_t per_launch = ssimcu_ssim_partials(&task);
    const uint32_t launches = planes / (uint32_t)task.channels;
    const size_t first = (size_t)pair * launches;
    const struct ssimcu_ssim_task one = task;
    task.plane_bytes = plane_bytes;
    task.frames = (int)pairs;
    task.frame_bytes = samples[SSIMCU_REF].frame_bytes;
    for (uint32_t c = 0; c < launches; c++) {
        task.ref = sample(&samples[SSIMCU_REF], pair, c);
        task.out = sample(&samples[SSIMCU_OUT], pair, c);
        task.partial = launch->place->partial + (first + c) * per_launch;
        task.cells = cells_of(launch, &one, first + c);
        task.map = launch->plan->bytes.map ? launch->place->map + c * task.map_plane_floats : NULL;
        TRY_LAUNCH(ssimcu_ssim_cuda(&task, launch->stream));
    }
    return cudaSuccess;
}

/* Reduces partial sums of all pairs to sums, and cells to means of the tiles. */
static cudaError_t reduce(const struct launch *launch)
{
    const struct ssimcu_plan *plan = launch->plan;
    const uint32_t planes = plan->shape.planes;
    int64_t plane_bytes;
    struct ssimcu_ssim_task task =
        plan->kernel != SSIMCU_KERNEL_SAMPLES
            ? planes_task(plan)
            : samples_task(plan, is_even(launch, &plane_bytes) ? planes : 1);
    const uint32_t launches = planes / (uint32_t)task.channels;
    task.partial = launch->place->partial;
    task.cells = cells_of(launch, &task, 0);
    task.frames = (int)(launches * plan->pairs);
    return ssimcu_reduce_cuda(&task, (int)planes, launch->sums, launch->means, launch->stream);
}

/* ---- A pass ---------------------------------------------------------------------------------- */

/* Whether one launch takes all pairs where they lie. */
static int is_one_launch(const struct launch *launch)
{
    const struct ssimcu_samples *samples = launch->place->samples;
    int64_t plane_bytes;
    return launch->plan->kernel == SSIMCU_KERNEL_SAMPLES && is_even(launch, &plane_bytes) &&
           samples[SSIMCU_REF].frame_bytes == samples[SSIMCU_OUT].frame_bytes;
}

static cudaError_t set_mark(const struct launch *launch, const cudaEvent_t *mark)
{
    return mark ? cudaEventRecord(*mark, launch->stream) : cudaSuccess;
}

static cudaError_t score_pair(const struct launch *launch, uint32_t pair,
                              const struct ssimcu_cuda_marks *marks)
{
    if (launch->plan->kernel == SSIMCU_KERNEL_SAMPLES) {
        TRY_LAUNCH(score_samples(launch, pair, 1));
    } else {
        for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
            if (launch->counts && launch->rule[slot].light.on)
                TRY_LAUNCH(count_light(launch, slot, pair));
            TRY_LAUNCH(write_planes(launch, slot, pair));
        }
        TRY_LAUNCH(set_mark(launch, marks ? &marks->planes : NULL));
        TRY_LAUNCH(score_planes(launch, pair));
    }
    return set_mark(launch, marks ? &marks->ssim : NULL);
}

cudaError_t ssimcu_cuda_launch(const struct ssimcu_plan *plan, uint32_t pass,
                               const struct ssimcu_cuda_place *place,
                               const struct ssimcu_cuda_marks *marks, cudaStream_t stream)
{
    const size_t sums = (size_t)plan->pairs * plan->shape.planes;
    const size_t means = plan->pairs * ssimcu_plan_means_of_pair(plan);
    const struct ssimcu_results results = ssimcu_plan_results(plan, place->results);
    const int counts = pass == 0 && ssimcu_plan_counts(plan);
    const struct launch launch = {
        .plan = plan,
        .place = place,
        .rule = plan->rule[pass],
        .sums = place->results + pass * sums,
        .means = place->results + ssimcu_plan_sums(plan) + pass * means,
        .counts = counts ? (struct ssimcu_light_counts *)(uintptr_t)results.counts : NULL,
        .stream = stream,
    };
    TRY_LAUNCH(set_mark(&launch, marks ? &marks->begin : NULL));
    if (counts)
        TRY_LAUNCH(cudaMemsetAsync(launch.counts, 0,
                                   plan->pairs * SSIMCU_PAIR * sizeof *launch.counts, stream));
    if (!marks && is_one_launch(&launch))
        TRY_LAUNCH(score_samples(&launch, 0, plan->pairs));
    else
        for (uint32_t pair = 0; pair < plan->pairs; pair++)
            TRY_LAUNCH(score_pair(&launch, pair, marks));
    TRY_LAUNCH(reduce(&launch));
    return set_mark(&launch, marks ? &marks->reduce : NULL);
}
