#include "cuda/metrics.h"

#include "tasks.h"

#include <string.h>

enum { PART_BYTES = 256, DENSE_BYTES = 16 };

static void *part(const struct ssimcu_cuda_metrics_run *run, size_t start)
{
    return (char *)run->place->metrics + start;
}

static int64_t round_up(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

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

/* How SSIMULACRA2 gets a pair. */
enum s2_source {
    S2_SAMPLES, /* samples where they lie */
    S2_SAME,    /* the planes that SSIM has */
    S2_PLANES,  /* planes of its own */
};

static int is_plain(const struct ssimcu_samples *samples, const struct ssimcu_pixel_rule *rule,
                    uint32_t planes)
{
    return !ssimcu_samples_are_float(samples->type) && !rule->alpha && rule->widen == 1 &&
           rule->channels == planes &&
           samples->step == (samples->planar || planes == 1 ? 1 : planes);
}

static enum s2_source s2_source(const struct ssimcu_plan *plan)
{
    const struct ssimcu_samples *a = &plan->samples[SSIMCU_REF], *b = &plan->samples[SSIMCU_OUT];
    const struct ssimcu_pixel_rule *rule = plan->rule[0];
    const uint32_t planes = ssimcu_metrics_s2_planes(plan);
    if (plan->chroma) return S2_PLANES;
    if (is_plain(a, &rule[SSIMCU_REF], planes) && is_plain(b, &rule[SSIMCU_OUT], planes) &&
        a->type == b->type && a->planar == b->planar && a->pitch_bytes == b->pitch_bytes &&
        rule[SSIMCU_REF].peak == rule[SSIMCU_OUT].peak)
        return S2_SAMPLES;
    const int luma = rule[SSIMCU_REF].luma[1] || rule[SSIMCU_OUT].luma[1];
    const int same = plan->kernel != SSIMCU_KERNEL_SAMPLES && !plan->fixed && !luma &&
                     planes == plan->shape.planes && !ssimcu_metrics_s2_is_grey(plan);
    return same ? S2_SAME : S2_PLANES;
}

static int64_t plane_floats(const struct ssimcu_plan *plan)
{
    return plan->planes_pitch * plan->shape.height;
}

/* Planes are those of SSIM, or like them. */
static struct ssimcu_ssimulacra2_task s2_task(const struct ssimcu_plan *plan)
{
    const struct ssimcu_samples *samples = &plan->samples[SSIMCU_REF];
    const int64_t bytes = (int64_t)sizeof(float);
    struct ssimcu_ssimulacra2_task task = {
        .samples = SSIMCU_SSIM_F32,
        .width = (int)plan->shape.width,
        .height = (int)plan->shape.height,
        .channels = (int)ssimcu_metrics_s2_planes(plan),
        .frames = 1,
        .peak = plan->chroma ? 1 : plan->white,
        .pitch_bytes = plan->planes_pitch * bytes,
        .plane_bytes = plane_floats(plan) * bytes,
    };
    if (s2_source(plan) != S2_SAMPLES) return task;
    task.samples = (enum ssimcu_ssim_samples)samples->type;
    task.interleaved = !samples->planar && task.channels > 1;
    task.peak = plan->rule[0][SSIMCU_REF].peak;
    task.pitch_bytes = samples->pitch_bytes;
    return task;
}

/* Returns the bytes of a row of samples that were moved together. */
static int64_t dense_pitch(const struct ssimcu_plan *plan)
{
    const int64_t bytes = ssimcu_sample_bytes(plan->samples[SSIMCU_REF].type);
    return round_up(plan->shape.width * bytes, DENSE_BYTES);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static size_t take(size_t *end, size_t bytes)
{
    const size_t start = *end;
    *end += (size_t)round_up((int64_t)bytes, PART_BYTES);
    return start;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t work_bytes(const struct ssimcu_plan *plan)
{
    const struct ssimcu_ms_ssim_task ms = ms_task(plan, ssimcu_cuda_metrics_together(plan));
    const struct ssimcu_ssimulacra2_task s2 = s2_task(plan);
    size_t bytes = 0;
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM)) bytes = ssimcu_ms_ssim_bytes(&ms);
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_SSIMULACRA2))
        bytes = larger(bytes, ssimcu_ssimulacra2_bytes(&s2));
    return bytes;
}

static void lay_out_s2(const struct ssimcu_plan *plan, struct ssimcu_cuda_metrics_layout *layout)
{
    const enum s2_source source = s2_source(plan);
    const uint32_t planes = ssimcu_metrics_s2_planes(plan);
    const size_t bytes = (size_t)plane_floats(plan) * planes * sizeof(float);
    const int is_grey = ssimcu_metrics_s2_is_grey(plan);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        layout->planes[slot] = take(&layout->end, source == S2_PLANES ? bytes : 0);
    layout->white = take(&layout->end, source == S2_PLANES && is_grey ? bytes : 0);
    for (int p = 0; p < SSIMCU_CUDA_CHROMA; p++)
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            layout->chroma[p][slot] =
                take(&layout->end, plan->chroma ? plan->chroma[p].bytes.samples[slot] : 0);
    layout->end_dense = layout->end;
    const int any = source == S2_SAMPLES && plan->samples[SSIMCU_REF].planar && planes > 1;
    const size_t dense = (size_t)dense_pitch(plan) * plan->shape.height * planes;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        layout->dense[slot] = take(&layout->end_dense, any ? dense : 0);
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
        layout.structure = take(&layout.end, sums);
        layout.ignored = take(&layout.end, ssimcu_cuda_has_structure(plan) ? 0 : sums);
    }
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_PSNR)) {
        const struct ssimcu_psnr_task psnr = psnr_task(plan);
        const size_t sums = ssimcu_cuda_has_squares(plan)
                                ? ssimcu_cuda_most_numbers(plan).sums * (size_t)plan->pairs
                                : ssimcu_psnr_partials(&psnr) * ssimcu_cuda_metrics_together(plan);
        layout.psnr = take(&layout.end, sums * sizeof(double));
    }
    if (plan->metrics) layout.work = take(&layout.end, work_bytes(plan));
    layout.end_dense = layout.end;
    if (ssimcu_metrics_has(plan, SSIMCU_METRIC_SSIMULACRA2)) lay_out_s2(plan, &layout);
    return layout;
}

/* ---- PSNR and MS-SSIM ------------------------------------------------------------------------ */

/* Sets where the channels of a pair lie. */
static void set_pair(const struct ssimcu_cuda_metrics_run *run, struct ssimcu_psnr_task *task)
{
    const int planes = run->plan->kernel != SSIMCU_KERNEL_SAMPLES;
    const struct ssimcu_samples *samples = run->place->samples;
    for (uint32_t c = 0; c < (uint32_t)task->channels; c++) {
        const int64_t plane = c * plane_floats(run->plan);
        task->ref[c] = planes ? (const void *)(run->place->planes[SSIMCU_REF] + plane)
                              : ssimcu_cuda_sample(&samples[SSIMCU_REF], run->pair, c);
        task->out[c] = planes ? (const void *)(run->place->planes[SSIMCU_OUT] + plane)
                              : ssimcu_cuda_sample(&samples[SSIMCU_OUT], run->pair, c);
    }
}

/* Returns the partial sums of a channel that the SSIM stage makes of a pair. */
static size_t sums_of_channel(const struct ssimcu_cuda_metrics_run *run,
                              const struct ssimcu_plan *plan)
{
    int64_t plane_bytes;
    const struct ssimcu_ssim_task task =
        plan->kernel != SSIMCU_KERNEL_SAMPLES
            ? ssimcu_cuda_planes_task(plan)
            : ssimcu_cuda_samples_task(plan,
                                       ssimcu_cuda_is_even(plan, run->place->samples, &plane_bytes)
                                           ? plan->shape.planes
                                           : 1);
    return ssimcu_ssim_partials(&task) / (size_t)task.channels;
}

static struct ssimcu_psnr_task psnr_run(const struct ssimcu_cuda_metrics_run *run)
{
    struct ssimcu_psnr_task task = psnr_task(run->plan);
    set_pair(run, &task);
    task.partial = part(run, run->layout.psnr);
    task.beside = ssimcu_metrics_has(run->plan, SSIMCU_METRIC_MS_SSIM);
    if (!ssimcu_cuda_has_squares(run->plan)) return task;
    task.partials = sums_of_channel(run, run->plan);
    task.partial += run->pair * task.partials * run->plan->shape.planes;
    return task;
}

static struct ssimcu_ms_ssim_task ms_run(const struct ssimcu_cuda_metrics_run *run)
{
    const double *structure = part(run, run->layout.structure);
    const struct ssimcu_plan valid = ssimcu_cuda_structure_plan(run->plan);
    struct ssimcu_ms_ssim_task task = ms_task(run->plan, run->pairs);
    set_pair(run, &task.pair);
    task.frame_bytes = run->pairs > 1 ? run->place->samples[SSIMCU_REF].frame_bytes : 0;
    task.structures = sums_of_channel(run, &valid);
    task.structure = structure + run->pair * task.structures * run->plan->shape.planes;
    task.workspace = part(run, run->layout.work);
    return task;
}

/* ---- SSIMULACRA2 ----------------------------------------------------------------------------- */

/* Makes planes of one side without luma. */
static cudaError_t write_planes(const struct ssimcu_cuda_metrics_run *run, uint32_t pass, int slot,
                                float *to)
{
    const struct ssimcu_plan *plan = run->plan;
    struct ssimcu_planes_task task = {
        .samples = run->place->samples[slot],
        .rule = plan->rule[pass][slot],
        .width = plan->shape.width,
        .height = plan->shape.height,
        .dst = to,
        .dst_pitch_floats = plan->planes_pitch,
        .dst_plane_floats = plane_floats(plan),
    };
    task.rule.planes = ssimcu_metrics_s2_planes(plan);
    memset(task.rule.luma, 0, sizeof task.rule.luma);
    for (uint32_t c = 0; c < task.rule.channels; c++)
        task.samples.channel[c] = ssimcu_cuda_sample(&run->place->samples[slot], run->pair, c);
    return ssimcu_planes_cuda(&task, run->stream);
}

static cudaError_t write_picture(const struct ssimcu_cuda_metrics_run *run, int slot, float *to)
{
    const struct ssimcu_plan *plan = run->plan;
    float *const white = part(run, run->layout.white);
    if (!ssimcu_metrics_s2_is_grey(plan)) return write_planes(run, run->pass, slot, to);
    TRY_LAUNCH(write_planes(run, 0, slot, to));
    TRY_LAUNCH(write_planes(run, 1, slot, white));
    return ssimcu_mix_cuda(to, white, (float)ssimcu_metrics_s2_grey(run->pass),
                           (size_t)plane_floats(plan) * ssimcu_metrics_s2_planes(plan),
                           run->stream);
}

static cudaError_t write_video(const struct ssimcu_cuda_metrics_run *run, int slot, float *to)
{
    const struct ssimcu_plan *plan = run->plan;
    struct ssimcu_video_task task = {
        .plane = {run->place->samples[slot], run->place->chroma[0][slot],
                  run->place->chroma[1][slot]},
        .width = {(int)plan->shape.width, (int)plan->chroma->shape.width},
        .height = {(int)plan->shape.height, (int)plan->chroma->shape.height},
        .rule = ssimcu_metrics_video(plan, slot),
        .dst = to,
        .dst_pitch_floats = plan->planes_pitch,
        .dst_plane_floats = plane_floats(plan),
    };
    for (int p = 0; p < 1 + SSIMCU_CUDA_CHROMA; p++) {
        const struct ssimcu_plan *own = p > 0 ? &plan->chroma[p - 1] : plan;
        task.unit[p] = own->rule[0][slot].unit * (float)own->rule[0][slot].widen;
    }
    return ssimcu_video_cuda(&task, run->stream);
}

/* Moves planes that lie anywhere to places that are equally far apart. */
static cudaError_t move_together(const struct ssimcu_cuda_metrics_run *run,
                                 struct ssimcu_ssimulacra2_task *task)
{
    const int64_t pitch = dense_pitch(run->plan), height = task->height;
    const struct ssimcu_samples *samples = run->place->samples;
    const size_t row = (size_t)task->width * ssimcu_sample_bytes(samples->type);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 0; c < (uint32_t)task->channels; c++)
            TRY_LAUNCH(cudaMemcpy2DAsync(
                (char *)part(run, run->layout.dense[slot]) + c * pitch * height, (size_t)pitch,
                ssimcu_cuda_sample(&samples[slot], run->pair, c), (size_t)task->pitch_bytes, row,
                (size_t)height, cudaMemcpyDefault, run->stream));
    task->ref = part(run, run->layout.dense[SSIMCU_REF]);
    task->out = part(run, run->layout.dense[SSIMCU_OUT]);
    task->pitch_bytes = pitch;
    task->plane_bytes = pitch * height;
    return cudaSuccess;
}

static cudaError_t set_frames(const struct ssimcu_cuda_metrics_run *run,
                              struct ssimcu_ssimulacra2_task *task)
{
    const struct ssimcu_samples *samples = run->place->samples;
    float *const planes[SSIMCU_PAIR] = {part(run, run->layout.planes[SSIMCU_REF]),
                                        part(run, run->layout.planes[SSIMCU_OUT])};
    switch (s2_source(run->plan)) {
    case S2_SAMPLES:
        task->ref = ssimcu_cuda_sample(&samples[SSIMCU_REF], run->pair, 0);
        task->out = ssimcu_cuda_sample(&samples[SSIMCU_OUT], run->pair, 0);
        if (task->channels == 1 || task->interleaved) return cudaSuccess;
        return ssimcu_cuda_is_even(run->plan, samples, &task->plane_bytes)
                   ? cudaSuccess
                   : move_together(run, task);
    case S2_SAME:
        task->ref = run->place->planes[SSIMCU_REF];
        task->out = run->place->planes[SSIMCU_OUT];
        return cudaSuccess;
    default: break;
    }
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        TRY_LAUNCH(run->plan->chroma ? write_video(run, slot, planes[slot])
                                     : write_picture(run, slot, planes[slot]));
    task->ref = planes[SSIMCU_REF];
    task->out = planes[SSIMCU_OUT];
    return cudaSuccess;
}

static cudaError_t run_ssimulacra2(const struct ssimcu_cuda_metrics_run *run)
{
    struct ssimcu_ssimulacra2_task task = s2_task(run->plan);
    TRY_LAUNCH(set_frames(run, &task));
    task.workspace = part(run, run->layout.work);
    return ssimcu_ssimulacra2_cuda(&task, run->sums->norms[run->pass][0][0], run->stream);
}

/* Returns one of the pairs. */
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

/* SSIMULACRA2 has the memory to itself before MS-SSIM takes it. What comes last lets the SSIM stage
 * start. */
cudaError_t ssimcu_cuda_metrics(const struct ssimcu_cuda_metrics_run *run)
{
    const int has_s2 = ssimcu_metrics_has(run->plan, SSIMCU_METRIC_SSIMULACRA2);
    for (uint32_t i = 0; has_s2 && i < run->pairs; i++) {
        const struct ssimcu_cuda_metrics_run one = one_of(run, i);
        TRY_LAUNCH(run_ssimulacra2(&one));
    }
    if (ssimcu_metrics_has(run->plan, SSIMCU_METRIC_MS_SSIM)) {
        const struct ssimcu_ms_ssim_task task = ms_run(run);
        TRY_LAUNCH(ssimcu_ms_pyramid_cuda(&task, run->stream));
    }
    if (ssimcu_metrics_has(run->plan, SSIMCU_METRIC_PSNR) && !ssimcu_cuda_has_squares(run->plan))
        TRY_LAUNCH(run_psnr(run));
    return cudaSuccess;
}

cudaError_t ssimcu_cuda_metrics_scales(const struct ssimcu_cuda_metrics_run *run, int beside)
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
