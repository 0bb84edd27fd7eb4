#include "cuda/metrics.h"

#include <string.h>

enum { DENSE_BYTES = 16 };

/* The source of SSIMULACRA2's pair. */
enum s2_source {
    S2_SAMPLES, /* samples in place */
    S2_SAME,    /* the planes of SSIM */
    S2_PLANES,  /* separate planes */
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
    const int same = plan->kernel != SSIMCU_KERNEL_SAMPLES && !luma &&
                     planes == plan->shape.planes && !ssimcu_metrics_s2_is_grey(plan);
    return same ? S2_SAME : S2_PLANES;
}

/* Returns whether the planes hold integers, as for SSIM. Samples that SSIM finds equal are then
 * equal. Video and pairs over greys are floats. */
static int is_fixed(const struct ssimcu_plan *plan)
{
    return plan->fixed && !plan->chroma && !ssimcu_metrics_s2_is_grey(plan);
}

/* Returns a task on the planes of SSIM, or on similar ones. */
static struct ssimcu_ssimulacra2_task s2_task(const struct ssimcu_plan *plan)
{
    const struct ssimcu_samples *samples = &plan->samples[SSIMCU_REF];
    const int64_t bytes = (int64_t)sizeof(float);
    struct ssimcu_ssimulacra2_task task = {
        .samples = is_fixed(plan) ? SSIMCU_SSIM_FIXED : SSIMCU_SSIM_F32,
        .width = (int)plan->shape.width,
        .height = (int)plan->shape.height,
        .channels = (int)ssimcu_metrics_s2_planes(plan),
        .frames = 1,
        .peak = plan->chroma ? 1 : plan->white,
        .pitch_bytes = plan->planes_pitch * bytes,
        .plane_bytes = ssimcu_cuda_plane_floats(plan) * bytes,
    };
    if (s2_source(plan) != S2_SAMPLES) return task;
    task.samples = (enum ssimcu_ssim_samples)samples->type;
    task.interleaved = !samples->planar && task.channels > 1;
    task.peak = plan->rule[0][SSIMCU_REF].peak;
    task.pitch_bytes = samples->pitch_bytes;
    return task;
}

/* Returns the bytes of a row of compacted samples. */
static int64_t dense_pitch(const struct ssimcu_plan *plan)
{
    const int64_t bytes = ssimcu_sample_bytes(plan->samples[SSIMCU_REF].type);
    return ssimcu_divide_up(plan->shape.width * bytes, DENSE_BYTES) * DENSE_BYTES;
}

size_t ssimcu_cuda_s2_bytes(const struct ssimcu_plan *plan)
{
    const struct ssimcu_ssimulacra2_task task = s2_task(plan);
    return ssimcu_ssimulacra2_bytes(&task);
}

void ssimcu_cuda_s2_lay_out(const struct ssimcu_plan *plan,
                            struct ssimcu_cuda_metrics_layout *layout)
{
    const enum s2_source source = s2_source(plan);
    const uint32_t planes = ssimcu_metrics_s2_planes(plan);
    const size_t bytes = (size_t)ssimcu_cuda_plane_floats(plan) * planes * sizeof(float);
    const int is_grey = ssimcu_metrics_s2_is_grey(plan);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        layout->planes[slot] = ssimcu_cuda_take(&layout->end, source == S2_PLANES ? bytes : 0);
    layout->white = ssimcu_cuda_take(&layout->end, source == S2_PLANES && is_grey ? bytes : 0);
    for (int p = 0; p < SSIMCU_CUDA_CHROMA; p++)
        for (int slot = 0; slot < SSIMCU_PAIR; slot++)
            layout->chroma[p][slot] = ssimcu_cuda_take(
                &layout->end, plan->chroma ? plan->chroma[p].bytes.samples[slot] : 0);
    layout->end_dense = layout->end;
    const int any = source == S2_SAMPLES && plan->samples[SSIMCU_REF].planar && planes > 1;
    const size_t dense = (size_t)dense_pitch(plan) * plan->shape.height * planes;
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        layout->dense[slot] = ssimcu_cuda_take(&layout->end_dense, any ? dense : 0);
}

/* Makes planes of one side, of floats or of integers. */
static cudaError_t write_planes(const struct ssimcu_cuda_metrics_run *run, uint32_t pass, int slot,
                                float *to)
{
    struct ssimcu_planes_task task =
        ssimcu_cuda_pixels_task(run->plan, pass, run->place, slot, run->pair);
    task.dst = to;
    task.rule = ssimcu_metrics_s2_rule(run->plan, pass, run->pass, slot);
    return ssimcu_planes_cuda(&task, run->stream);
}

static cudaError_t write_picture(const struct ssimcu_cuda_metrics_run *run, int slot, float *to)
{
    const struct ssimcu_plan *plan = run->plan;
    float *const white = ssimcu_cuda_metrics_part(run, run->layout.white);
    const size_t floats = (size_t)ssimcu_cuda_plane_floats(plan) * ssimcu_metrics_s2_planes(plan);
    if (!ssimcu_metrics_s2_is_grey(plan)) return write_planes(run, run->pass, slot, to);
    TRY_LAUNCH(write_planes(run, 0, slot, to));
    TRY_LAUNCH(write_planes(run, 1, slot, white));
    return ssimcu_mix_cuda(to, white, (float)ssimcu_metrics_s2_grey(run->pass), plan->fixed, floats,
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
        .dst_plane_floats = ssimcu_cuda_plane_floats(plan),
    };
    for (int p = 0; p < 1 + SSIMCU_CUDA_CHROMA; p++) {
        const struct ssimcu_plan *own = p > 0 ? &plan->chroma[p - 1] : plan;
        task.unit[p] = own->rule[0][slot].unit * (float)own->rule[0][slot].widen;
    }
    return ssimcu_video_cuda(&task, run->stream);
}

/* Moves planes from arbitrary places to equally spaced ones. */
static cudaError_t move_together(const struct ssimcu_cuda_metrics_run *run,
                                 struct ssimcu_ssimulacra2_task *task)
{
    const int64_t pitch = dense_pitch(run->plan), height = task->height;
    const struct ssimcu_samples *samples = run->place->samples;
    const size_t row = (size_t)task->width * ssimcu_sample_bytes(samples->type);
    for (int slot = 0; slot < SSIMCU_PAIR; slot++)
        for (uint32_t c = 0; c < (uint32_t)task->channels; c++)
            TRY_LAUNCH(cudaMemcpy2DAsync(
                (char *)ssimcu_cuda_metrics_part(run, run->layout.dense[slot]) + c * pitch * height,
                (size_t)pitch, ssimcu_cuda_sample(&samples[slot], run->pair, c),
                (size_t)task->pitch_bytes, row, (size_t)height, cudaMemcpyDefault, run->stream));
    task->ref = ssimcu_cuda_metrics_part(run, run->layout.dense[SSIMCU_REF]);
    task->out = ssimcu_cuda_metrics_part(run, run->layout.dense[SSIMCU_OUT]);
    task->pitch_bytes = pitch;
    task->plane_bytes = pitch * height;
    return cudaSuccess;
}

static cudaError_t set_frames(const struct ssimcu_cuda_metrics_run *run,
                              struct ssimcu_ssimulacra2_task *task)
{
    const struct ssimcu_samples *samples = run->place->samples;
    float *const planes[SSIMCU_PAIR] = {
        ssimcu_cuda_metrics_part(run, run->layout.planes[SSIMCU_REF]),
        ssimcu_cuda_metrics_part(run, run->layout.planes[SSIMCU_OUT])};
    switch (s2_source(run->plan)) {
    case S2_SAMPLES:
        task->ref = ssimcu_cuda_sample(&samples[SSIMCU_REF], run->pair, 0);
        task->out = ssimcu_cuda_sample(&samples[SSIMCU_OUT], run->pair, 0);
        if (task->channels == 1 || task->interleaved) return cudaSuccess;
        return ssimcu_cuda_is_even((uint32_t)task->channels, samples, &task->plane_bytes)
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

cudaError_t ssimcu_cuda_s2(const struct ssimcu_cuda_metrics_run *run)
{
    struct ssimcu_ssimulacra2_task task = s2_task(run->plan);
    TRY_LAUNCH(set_frames(run, &task));
    task.workspace = ssimcu_cuda_metrics_part(run, run->layout.work);
    return ssimcu_ssimulacra2_cuda(&task, run->sums->norms[run->pass][0][0], run->stream);
}
