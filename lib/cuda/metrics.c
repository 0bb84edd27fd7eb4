#include "cuda/metrics.h"

#include <string.h>

/* ---- Tasks without memory -------------------------------------------------------------------- */

static struct ssimcu_psnr_task psnr_task(const struct ssimcu_plan *plan)
{
    const struct ssimcu_samples *samples = &plan->samples[SSIMCU_REF];
    const int planes = plan->kernel != SSIMCU_KERNEL_SAMPLES;
    const struct ssimcu_ssim_task ssim =
        planes ? ssimcu_cuda_planes_task(plan) : ssimcu_cuda_samples_task(plan, plan->shape.planes);
    return (struct ssimcu_psnr_task){
        .samples = ssim.samples,
        .unbounded = !plan->bounded,
        .width = ssim.width,
        .height = ssim.height,
        .channels = ssim.channels,
        .interleaved = ssim.interleaved,
        .step = planes ? 1 : (int)samples->step,
        .pitch_bytes = ssim.pitch_bytes,
        .unit = planes ? 1 : (double)plan->rule[0][SSIMCU_REF].unit,
    };
}

uint32_t ssimcu_cuda_metrics_together(const struct ssimcu_plan *plan)
{
    if (plan->kernel != SSIMCU_KERNEL_SAMPLES) return 1;
    return plan->pairs < SSIMCU_CUDA_TOGETHER ? plan->pairs : SSIMCU_CUDA_TOGETHER;
}

static struct ssimcu_ms_ssim_task ms_task(const struct ssimcu_plan *plan, uint32_t pairs)
{
    return (struct ssimcu_ms_ssim_task){
        .pair = psnr_task(plan),
        .frames = (int)pairs,
        .tensor_cores = plan->kernel != SSIMCU_KERNEL_PLAIN,
        .unbounded = !plan->bounded || plan->fixed,
        .white = plan->white,
    };
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t work_bytes(const struct ssimcu_plan *plan)
{
    const struct ssimcu_ms_ssim_task ms = ms_task(plan, ssimcu_cuda_metrics_together(plan));
    size_t bytes = 0;
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM)) bytes = ssimcu_ms_ssim_bytes(&ms);
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_SSIMULACRA2))
        bytes = ssimcu_cuda_larger(bytes, ssimcu_cuda_s2_bytes(plan));
    return bytes;
}

struct ssimcu_plan ssimcu_cuda_structure_plan(const struct ssimcu_plan *plan)
{
    struct ssimcu_plan valid = *plan;
    valid.shape.zero_pad = 0;
    valid.shape.map_width = ssimcu_metrics_windows(plan->shape.width, 0);
    valid.shape.map_height = ssimcu_metrics_windows(plan->shape.height, 0);
    valid.bytes.map = 0;
    memset(&valid.grid, 0, sizeof valid.grid);
    return valid;
}

struct ssimcu_cuda_metrics_layout ssimcu_cuda_metrics_lay_out(const struct ssimcu_plan *plan)
{
    struct ssimcu_cuda_metrics_layout layout = {.end = 0};
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM)) {
        const struct ssimcu_plan valid = ssimcu_cuda_structure_plan(plan);
        const size_t sums =
            ssimcu_cuda_most_numbers(&valid).sums * sizeof(double) * (size_t)plan->pairs;
        layout.structure = ssimcu_cuda_take(&layout.end, sums);
        layout.ignored = ssimcu_cuda_take(&layout.end, ssimcu_cuda_has_structure(plan) ? 0 : sums);
    }
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_PSNR)) {
        const struct ssimcu_psnr_task psnr = psnr_task(plan);
        const size_t sums = ssimcu_cuda_has_squares(plan)
                                ? ssimcu_cuda_most_numbers(plan).sums * (size_t)plan->pairs
                                : ssimcu_psnr_partials(&psnr) * ssimcu_cuda_metrics_together(plan);
        layout.psnr = ssimcu_cuda_take(&layout.end, sums * sizeof(double));
    }
    if (plan->metrics) layout.work = ssimcu_cuda_take(&layout.end, work_bytes(plan));
    layout.end_dense = layout.end;
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_SSIMULACRA2)) ssimcu_cuda_s2_lay_out(plan, &layout);
    return layout;
}

/* ---- PSNR and MS-SSIM ------------------------------------------------------------------------ */

/* Sets the places of a pair's channels. */
static void set_pair(const struct ssimcu_cuda_metrics_run *run, struct ssimcu_psnr_task *task)
{
    const int planes = run->plan->kernel != SSIMCU_KERNEL_SAMPLES;
    const struct ssimcu_samples *samples = run->place->samples;
    for (uint32_t c = 0; c < (uint32_t)task->channels; c++) {
        const int64_t plane = c * ssimcu_cuda_plane_floats(run->plan);
        task->ref[c] = planes ? (const void *)(run->place->planes[SSIMCU_REF] + plane)
                              : ssimcu_cuda_sample(&samples[SSIMCU_REF], run->pair, c);
        task->out[c] = planes ? (const void *)(run->place->planes[SSIMCU_OUT] + plane)
                              : ssimcu_cuda_sample(&samples[SSIMCU_OUT], run->pair, c);
    }
}

/* Returns the number of partial sums per channel and pair from the SSIM stage. */
static size_t sums_of_channel(const struct ssimcu_cuda_metrics_run *run,
                              const struct ssimcu_plan *plan)
{
    int64_t plane_bytes;
    const struct ssimcu_ssim_task task =
        ssimcu_cuda_score_task(plan, run->place->samples, &plane_bytes);
    return ssimcu_ssim_partials(&task) / (size_t)task.channels;
}

static struct ssimcu_psnr_task psnr_run(const struct ssimcu_cuda_metrics_run *run)
{
    struct ssimcu_psnr_task task = psnr_task(run->plan);
    set_pair(run, &task);
    task.partial = ssimcu_cuda_metrics_part(run, run->layout.psnr);
    if (!ssimcu_cuda_has_squares(run->plan)) return task;
    task.partials = sums_of_channel(run, run->plan);
    task.partial += run->pair * task.partials * run->plan->shape.planes;
    return task;
}

static struct ssimcu_ms_ssim_task ms_run(const struct ssimcu_cuda_metrics_run *run)
{
    const double *structure = ssimcu_cuda_metrics_part(run, run->layout.structure);
    const struct ssimcu_plan valid = ssimcu_cuda_structure_plan(run->plan);
    struct ssimcu_ms_ssim_task task = ms_task(run->plan, run->pairs);
    set_pair(run, &task.pair);
    task.frame_bytes = run->pairs > 1 ? run->place->samples[SSIMCU_REF].frame_bytes : 0;
    task.structures = sums_of_channel(run, &valid);
    task.structure = structure + run->pair * task.structures * run->plan->shape.planes;
    task.workspace = ssimcu_cuda_metrics_part(run, run->layout.work);
    return task;
}

/* Returns a run of one of the pairs. */
static struct ssimcu_cuda_metrics_run one_of(const struct ssimcu_cuda_metrics_run *run, uint32_t i)
{
    struct ssimcu_cuda_metrics_run one = *run;
    one.pair += i;
    one.pairs = 1;
    one.sums += i;
    return one;
}

static cudaError_t run_psnr(const struct ssimcu_cuda_metrics_run *run)
{
    for (uint32_t i = 0; i < run->pairs; i++) {
        const struct ssimcu_cuda_metrics_run one = one_of(run, i);
        struct ssimcu_psnr_task task = psnr_run(&one);
        task.partial += i * ssimcu_psnr_partials(&task);
        TRY_LAUNCH(ssimcu_psnr_cuda(&task, run->stream));
    }
    return cudaSuccess;
}

/* SSIMULACRA2 uses the memory before MS-SSIM does. PSNR is not last, because it would prevent the
 * SSIM stage from overlapping with MS-SSIM. */
cudaError_t ssimcu_cuda_metrics(const struct ssimcu_cuda_metrics_run *run)
{
    const int has_s2 = ssimcu_metrics_has(run->plan, SSIMCU_METRIC_SSIMULACRA2);
    for (uint32_t i = 0; has_s2 && i < run->pairs; i++) {
        const struct ssimcu_cuda_metrics_run one = one_of(run, i);
        TRY_LAUNCH(ssimcu_cuda_s2(&one));
    }
    if (ssimcu_metrics_has(run->plan, SSIMCU_METRIC_PSNR) && !ssimcu_cuda_has_squares(run->plan))
        TRY_LAUNCH(run_psnr(run));
    if (ssimcu_metrics_has(run->plan, SSIMCU_METRIC_MS_SSIM)) {
        const struct ssimcu_ms_ssim_task task = ms_run(run);
        TRY_LAUNCH(ssimcu_ms_pyramid_cuda(&task, run->stream));
    }
    return cudaSuccess;
}

cudaError_t ssimcu_cuda_metrics_scales(const struct ssimcu_cuda_metrics_run *run,
                                       enum ssimcu_beside beside)
{
    if (!ssimcu_metrics_has(run->plan, SSIMCU_METRIC_MS_SSIM)) return cudaSuccess;
    struct ssimcu_ms_ssim_task task = ms_run(run);
    task.beside = beside;
    return ssimcu_ms_ssim_cuda(&task, run->stream);
}

void ssimcu_cuda_metrics_sums(const struct ssimcu_cuda_metrics_run *run, struct ssimcu_sums *sums)
{
    const size_t step = sizeof *run->sums / sizeof(double);
    if (ssimcu_metrics_has(run->plan, SSIMCU_METRIC_MS_SSIM)) {
        const struct ssimcu_ms_ssim_task task = ms_run(run);
        ssimcu_ms_ssim_sums(&task, run->sums->lost[run->pass][0], step, sums);
    }
    if (ssimcu_metrics_has(run->plan, SSIMCU_METRIC_PSNR)) {
        const struct ssimcu_psnr_task task = psnr_run(run);
        const int first = sums->count, has_squares = ssimcu_cuda_has_squares(run->plan);
        ssimcu_psnr_sums(&task, run->sums->squares[run->pass], sums);
        for (int i = first; i < sums->count; i++) {
            sums->list[i].pairs = (int)(has_squares ? run->plan->pairs : run->pairs);
            sums->list[i].partial_step = sums->list[i].count * (size_t)task.channels;
            sums->list[i].to_step = step;
        }
    }
}
