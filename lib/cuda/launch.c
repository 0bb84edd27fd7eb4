#include "launch.h"

#include "cuda/metrics.h"
#include "number/light.h"

#include <stdint.h>

/* A pass of a plan that is being queued. */
struct launch {
    const struct ssimcu_plan *plan;
    const struct ssimcu_cuda_place *place;
    const struct ssimcu_pixel_rule *rule; /* [SSIMCU_PAIR] */
    double *sums, *means;                 /* results of this pass */
    double *structure;                    /* sums of the first scale of MS-SSIM; NULL: not made
                                             here */
    double *squares;                      /* sums of PSNR; NULL: not made by SSIM */
    struct ssimcu_light_counts *counts;   /* counts of all pairs; NULL: not counted in this pass */
    uint32_t pass;
    struct ssimcu_metric_sums *metrics; /* of all pairs; NULL: not requested */
    struct ssimcu_sums *also;           /* sums of metrics, made by the last launch; NULL: pairs
                                           share memory and have one launch each */
    enum ssimcu_beside beside;          /* whether the SSIM stage overlaps with PSNR or MS-SSIM
                                           before it */
    cudaStream_t stream;
};

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

/* Returns the cells of launch `index`. Cells follow the partial sums of all launches. */
static double *cells_of(const struct launch *launch, const struct ssimcu_ssim_task *task,
                        size_t index)
{
    return launch->place->partial +
           ssimcu_cuda_most_numbers(launch->plan).sums * launch->plan->pairs +
           index * ssimcu_ssim_cells(task);
}

/* ---- Stages ---------------------------------------------------------------------------------- */

static cudaError_t write_planes(const struct launch *launch, int slot, uint32_t pair)
{
    const struct ssimcu_planes_task task =
        ssimcu_cuda_pixels_task(launch->plan, launch->pass, launch->place, slot, pair);
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
        task.samples.channel[c] = ssimcu_cuda_sample(&launch->place->samples[slot], pair, c);
    return ssimcu_light_scan_cuda(&task, launch->stream);
}

static cudaError_t score_planes(const struct launch *launch, uint32_t pair)
{
    struct ssimcu_ssim_task task = ssimcu_cuda_planes_task(launch->plan);
    task.ref = launch->place->planes[SSIMCU_REF];
    task.out = launch->place->planes[SSIMCU_OUT];
    task.partial = launch->place->partial + pair * ssimcu_ssim_partials(&task);
    task.structure =
        launch->structure ? launch->structure + pair * ssimcu_ssim_partials(&task) : NULL;
    task.cells = cells_of(launch, &task, pair);
    task.map = launch->plan->bytes.map ? launch->place->map : NULL;
    task.beside = launch->beside;
    return ssimcu_ssim_cuda(&task, launch->stream);
}

/* Scores samples in place, of `pairs` pairs from `pair` on, in one launch or one per plane. */
static cudaError_t score_samples(const struct launch *launch, uint32_t pair, uint32_t pairs)
{
    const struct ssimcu_samples *samples = launch->place->samples;
    const uint32_t planes = launch->plan->shape.planes;
    int64_t plane_bytes;
    struct ssimcu_ssim_task task = ssimcu_cuda_score_task(launch->plan, samples, &plane_bytes);
    const size_t per_launch = ssimcu_ssim_partials(&task);
    const uint32_t launches = planes / (uint32_t)task.channels;
    const size_t first = (size_t)pair * launches;
    const struct ssimcu_ssim_task one = task;
    task.plane_bytes = plane_bytes;
    task.frames = (int)pairs;
    task.frame_bytes = samples[SSIMCU_REF].frame_bytes;
    for (uint32_t c = 0; c < launches; c++) {
        task.ref = ssimcu_cuda_sample(&samples[SSIMCU_REF], pair, c);
        task.out = ssimcu_cuda_sample(&samples[SSIMCU_OUT], pair, c);
        task.partial = launch->place->partial + (first + c) * per_launch;
        task.structure = launch->structure ? launch->structure + (first + c) * per_launch : NULL;
        task.squares = launch->squares ? launch->squares + (first + c) * per_launch : NULL;
        task.cells = cells_of(launch, &one, first + c);
        task.map = launch->plan->bytes.map ? launch->place->map + c * task.map_plane_floats : NULL;
        task.beside = c == 0 ? launch->beside : SSIMCU_APART;
        TRY_LAUNCH(ssimcu_ssim_cuda(&task, launch->stream));
    }
    return cudaSuccess;
}

/* Makes the first scale of MS-SSIM of one pair if SSIM's launch cannot. */
static cudaError_t score_structure(const struct launch *launch, uint32_t pair)
{
    const struct ssimcu_cuda_metrics_layout layout = ssimcu_cuda_metrics_lay_out(launch->plan);
    const struct ssimcu_plan plan = ssimcu_cuda_structure_plan(launch->plan);
    struct ssimcu_cuda_place place = *launch->place;
    struct launch own = *launch;
    place.partial = ssimcu_cuda_part(place.metrics, layout.ignored);
    own.structure = ssimcu_cuda_part(place.metrics, layout.structure);
    own.beside = SSIMCU_BESIDE;
    own.plan = &plan;
    own.place = &place;
    return plan.kernel == SSIMCU_KERNEL_SAMPLES ? score_samples(&own, pair, 1)
                                                : score_planes(&own, pair);
}

static struct ssimcu_cuda_metrics_run metrics_of(const struct launch *launch, uint32_t pair,
                                                 uint32_t pairs)
{
    return (struct ssimcu_cuda_metrics_run){
        .plan = launch->plan,
        .pass = launch->pass,
        .pair = pair,
        .pairs = pairs,
        .place = launch->place,
        .layout = ssimcu_cuda_metrics_lay_out(launch->plan),
        .sums = launch->metrics + pair,
        .stream = launch->stream,
    };
}

/* Queues the metrics that do not need the SSIM stage. */
static cudaError_t begin_metrics(const struct launch *launch, uint32_t pair, uint32_t pairs)
{
    if (!launch->metrics) return cudaSuccess;
    const struct ssimcu_cuda_metrics_run run = metrics_of(launch, pair, pairs);
    return ssimcu_cuda_metrics(&run);
}

/* Queues the remaining metrics, which may overlap (`beside`) with an SSIM stage in between. */
static cudaError_t end_metrics(const struct launch *launch, uint32_t pair, uint32_t pairs,
                               enum ssimcu_beside beside)
{
    const struct ssimcu_plan *plan = launch->plan;
    if (!launch->metrics) return cudaSuccess;
    const struct ssimcu_cuda_metrics_run run = metrics_of(launch, pair, pairs);
    TRY_LAUNCH(ssimcu_cuda_metrics_scales(&run, beside));
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM) && !ssimcu_cuda_has_structure(plan))
        for (uint32_t i = 0; i < pairs; i++) TRY_LAUNCH(score_structure(launch, pair + i));
    if (launch->also && pair > 0) return cudaSuccess; /* the first pair's lists cover all pairs */
    struct ssimcu_sums own = {0};
    ssimcu_cuda_metrics_sums(&run, launch->also ? launch->also : &own);
    return launch->also ? cudaSuccess : ssimcu_sums_cuda(&own, launch->stream);
}

/* Reduces partial sums of all pairs to sums, and cells to means of tiles. */
static cudaError_t reduce(const struct launch *launch)
{
    const struct ssimcu_plan *plan = launch->plan;
    const uint32_t planes = plan->shape.planes;
    int64_t plane_bytes;
    struct ssimcu_ssim_task task =
        ssimcu_cuda_score_task(plan, launch->place->samples, &plane_bytes);
    const uint32_t launches = planes / (uint32_t)task.channels;
    task.partial = launch->place->partial;
    task.cells = cells_of(launch, &task, 0);
    task.frames = (int)(launches * plan->pairs);
    return ssimcu_reduce_cuda(&task, (int)planes, launch->sums, launch->means, launch->also,
                              launch->stream);
}

/* ---- A pass ---------------------------------------------------------------------------------- */

/* Returns whether one launch scores all pairs in place. */
static int is_one_launch(const struct launch *launch)
{
    const struct ssimcu_samples *samples = launch->place->samples;
    int64_t plane_bytes;
    return launch->plan->kernel == SSIMCU_KERNEL_SAMPLES &&
           ssimcu_cuda_is_even(launch->plan->shape.planes, samples, &plane_bytes) &&
           samples[SSIMCU_REF].frame_bytes == samples[SSIMCU_OUT].frame_bytes;
}

static cudaError_t set_mark(const struct launch *launch, const cudaEvent_t *mark)
{
    return mark ? cudaEventRecord(*mark, launch->stream) : cudaSuccess;
}

static cudaError_t score_pair(const struct launch *launch, uint32_t pair,
                              const struct ssimcu_cuda_marks *marks)
{
    const int has_ssim = ssimcu_plan_has_ssim(launch->plan);
    if (launch->plan->kernel == SSIMCU_KERNEL_SAMPLES) {
        TRY_LAUNCH(begin_metrics(launch, pair, 1));
        TRY_LAUNCH(score_samples(launch, pair, 1));
    } else {
        for (int slot = 0; slot < SSIMCU_PAIR; slot++) {
            if (launch->counts && launch->rule[slot].light.on)
                TRY_LAUNCH(count_light(launch, slot, pair));
            TRY_LAUNCH(write_planes(launch, slot, pair));
        }
        TRY_LAUNCH(set_mark(launch, marks ? &marks->planes : NULL));
        TRY_LAUNCH(begin_metrics(launch, pair, 1));
        if (has_ssim) TRY_LAUNCH(score_planes(launch, pair));
    }
    TRY_LAUNCH(end_metrics(launch, pair, 1, SSIMCU_BESIDE));
    return set_mark(launch, marks ? &marks->ssim : NULL);
}

/* Scores all pairs in one launch. Metrics of a single pair overlap with it; those of several
 * follow. */
static cudaError_t score_together(const struct launch *launch)
{
    const uint32_t pairs = launch->plan->pairs;
    struct launch own = *launch;
    if (pairs == 1) return score_pair(launch, 0, NULL);
    own.beside = SSIMCU_APART;
    TRY_LAUNCH(score_samples(&own, 0, pairs));
    const uint32_t most = ssimcu_cuda_metrics_together(launch->plan);
    for (uint32_t pair = 0; pair < pairs; pair += most) {
        const uint32_t together = pairs - pair < most ? pairs - pair : most;
        TRY_LAUNCH(begin_metrics(launch, pair, together));
        TRY_LAUNCH(end_metrics(launch, pair, together, SSIMCU_APART));
    }
    return cudaSuccess;
}

static enum ssimcu_beside beside_of(const struct ssimcu_plan *plan)
{
    if (ssimcu_cuda_has_structure(plan)) return SSIMCU_RELAY;
    const int psnr = ssimcu_metrics_has(plan, SSIMCU_METRIC_PSNR) && !ssimcu_cuda_has_squares(plan);
    return psnr || ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM) ? SSIMCU_BESIDE : SSIMCU_APART;
}

cudaError_t ssimcu_cuda_launch(const struct ssimcu_plan *plan, uint32_t pass,
                               const struct ssimcu_cuda_place *place,
                               const struct ssimcu_cuda_marks *marks, cudaStream_t stream)
{
    const size_t sums = (size_t)plan->pairs * plan->shape.planes;
    const size_t means = plan->pairs * ssimcu_plan_means_of_pair(plan);
    const struct ssimcu_results results = ssimcu_plan_results(plan, place->results);
    const int counts = pass == 0 && ssimcu_plan_counts(plan);
    const struct ssimcu_cuda_metrics_layout layout = ssimcu_cuda_metrics_lay_out(plan);
    struct ssimcu_sums also = {0};
    const int has_structure = ssimcu_cuda_has_structure(plan);
    const int has_squares = ssimcu_cuda_has_squares(plan), has_ssim = ssimcu_plan_has_ssim(plan);
    const struct launch launch = {
        .plan = plan,
        .place = place,
        .rule = plan->rule[pass],
        .sums = (double *)(uintptr_t)results.sums + pass * sums,
        .means = (double *)(uintptr_t)results.means + pass * means,
        .structure = has_structure ? ssimcu_cuda_part(place->metrics, layout.structure) : NULL,
        .squares = has_squares ? ssimcu_cuda_part(place->metrics, layout.psnr) : NULL,
        .counts = counts ? (struct ssimcu_light_counts *)(uintptr_t)results.counts : NULL,
        .pass = pass,
        .metrics = (struct ssimcu_metric_sums *)(uintptr_t)results.metrics,
        .also = has_ssim && (plan->pairs == 1 || has_squares) ? &also : NULL,
        .beside = beside_of(plan),
        .stream = stream,
    };
    TRY_LAUNCH(set_mark(&launch, marks ? &marks->begin : NULL));
    if (counts)
        TRY_LAUNCH(cudaMemsetAsync(launch.counts, 0,
                                   plan->pairs * SSIMCU_PAIR * sizeof *launch.counts, stream));
    if (!marks && is_one_launch(&launch))
        TRY_LAUNCH(score_together(&launch));
    else
        for (uint32_t pair = 0; pair < plan->pairs; pair++)
            TRY_LAUNCH(score_pair(&launch, pair, marks));
    if (has_ssim) TRY_LAUNCH(reduce(&launch));
    return set_mark(&launch, marks ? &marks->reduce : NULL);
}
