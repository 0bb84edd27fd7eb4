/* The kernels of the fake runtime. Their score is no SSIM but 1 less the mean absolute difference.
 * It has to be the same each time, not the right one. */
#include "fake_call.h"

#include "cpu/cpu.h"
#include "kernels.h"
#include "number/light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cudaError_t ssimcu_permute_cuda(const struct ssimcu_permute_plan *plan, void *dst, const void *src,
                                cudaStream_t stream)
{
    (void)plan, (void)dst, (void)src, (void)stream;
    return fake_cuda_call();
}

/* Floats, and the first byte of other samples. */
cudaError_t ssimcu_light_scan_cuda(const struct ssimcu_light_scan_task *task, cudaStream_t stream)
{
    (void)stream;
    ANSWER;
    const struct ssimcu_light_frame frame = {&task->samples, &task->rule, &task->bounds,
                                             (uint32_t)task->width, (uint32_t)task->height};
    *task->counts = ssimcu_light_scan(&frame, NULL);
    return cudaSuccess;
}

cudaError_t ssimcu_planes_cuda(const struct ssimcu_planes_task *task, cudaStream_t stream)
{
    (void)stream;
    ANSWER;
    const size_t bytes = ssimcu_sample_bytes(task->samples.type);
    for (uint32_t p = 0; p < task->rule.planes; p++)
        for (int64_t y = 0; y < task->height; y++)
            for (int64_t x = 0; x < task->width; x++) {
                const uint8_t *sample = task->samples.channel[p % task->rule.channels];
                sample += y * task->samples.pitch_bytes + x * (int64_t)(task->samples.step * bytes);
                float *to = &task->dst[p * task->dst_plane_floats + y * task->dst_pitch_floats + x];
                *to = *sample;
                if (task->samples.type == SSIMCU_SAMPLE_U16)
                    *to = (float)(sample[0] | sample[1] << 8) * task->rule.unit;
                if (task->samples.type == SSIMCU_SAMPLE_F32) memcpy(to, sample, sizeof *to);
            }
    return cudaSuccess;
}

size_t ssimcu_ssim_partials(const struct ssimcu_ssim_task *task) { return (size_t)task->channels; }

cudaError_t ssimcu_ssim_cuda(const struct ssimcu_ssim_task *task, cudaStream_t stream)
{
    (void)stream;
    ANSWER;
    const int width = ssimcu_ssim_positions(task->width, task->zero_pad);
    const int height = ssimcu_ssim_positions(task->height, task->zero_pad);
    if (width <= 0 || height <= 0) return cudaErrorInvalidConfiguration; /* a grid of no blocks */
    const double white = task->peak > 0 ? task->peak : 255;
    for (int c = 0; c < task->channels; c++) {
        const int64_t plane = c * task->plane_bytes;
        task->partial[c] = 0;
        for (int y = 0; y < height; y++) {
            const float *ref =
                (const float *)((const char *)task->ref + plane + y * task->pitch_bytes);
            const float *out =
                (const float *)((const char *)task->out + plane + y * task->pitch_bytes);
            for (int x = 0; x < width; x++) {
                const double apart = fabs((double)ref[x] - (double)out[x]) / white;
                task->partial[c] += apart;
                if (task->map)
                    task->map[c * task->map_plane_floats + y * task->map_pitch_floats + x] =
                        (float)(1 - apart);
            }
        }
    }
    return cudaSuccess;
}

size_t ssimcu_ssim_cells(const struct ssimcu_ssim_task *task) { return task->grid.width ? 1 : 0; }

cudaError_t ssimcu_reduce_cuda(const struct ssimcu_ssim_task *task, int group, double *sums,
                               double *means, const struct ssimcu_sums *also, cudaStream_t stream)
{
    const int planes = task->channels * task->frames;
    const size_t each = ssimcu_ssim_partials(task) / (size_t)planes;
    const size_t tiles = (size_t)task->grid.rows * task->grid.columns;
    (void)stream, (void)also;
    ANSWER;
    for (int p = 0; p < planes; p++) {
        sums[p] = 0;
        for (size_t i = 0; i < each; i++) sums[p] += task->partial[(size_t)p * each + i];
    }
    const size_t step = ssimcu_tile_step((uint32_t)group);
    const size_t numbers = tiles * ssimcu_tile_doubles(&task->grid, (uint32_t)group);
    for (size_t i = 0; i < (size_t)(planes / group) * numbers; i++)
        means[i] = i % numbers < tiles * step && i % numbers % step == 0; /* scores are 1 */
    return cudaSuccess;
}

/* ---- Kernels of other metrics, whose numbers no test of failures looks at ----------------------
 */

enum { FEW_BYTES = 256 };

size_t ssimcu_psnr_partials(const struct ssimcu_psnr_task *task) { return (void)task, 1; }
size_t ssimcu_ms_ssim_bytes(const struct ssimcu_ms_ssim_task *task)
{
    return (void)task, FEW_BYTES;
}
size_t ssimcu_ssimulacra2_bytes(const struct ssimcu_ssimulacra2_task *task)
{
    return (void)task, FEW_BYTES;
}

#define METRIC(name, kind)                                                                         \
    cudaError_t ssimcu_##name##_cuda(const struct ssimcu_##kind##_task *task, cudaStream_t stream) \
    {                                                                                              \
        (void)task, (void)stream;                                                                  \
        return fake_cuda_call();                                                                   \
    }
METRIC(psnr, psnr)
METRIC(ms_ssim, ms_ssim)
METRIC(ms_pyramid, ms_ssim)
METRIC(video, video)

cudaError_t ssimcu_ssimulacra2_cuda(const struct ssimcu_ssimulacra2_task *task, double *sums,
                                    cudaStream_t stream)
{
    (void)task, (void)sums, (void)stream;
    return fake_cuda_call();
}

void ssimcu_psnr_sums(const struct ssimcu_psnr_task *task, double *squares,
                      struct ssimcu_sums *sums)
{
    (void)task, (void)squares, (void)sums;
}

void ssimcu_ms_ssim_sums(const struct ssimcu_ms_ssim_task *task, double *lost, size_t lost_step,
                         struct ssimcu_sums *sums)
{
    (void)task, (void)lost, (void)lost_step, (void)sums;
}

cudaError_t ssimcu_sums_cuda(const struct ssimcu_sums *sums, cudaStream_t stream)
{
    (void)sums, (void)stream;
    return fake_cuda_call();
}

/* What the CPU makes of it. */
cudaError_t ssimcu_scale_cuda(const struct ssimcu_scale_task *task, const int32_t *across,
                              const int32_t *down, cudaStream_t stream)
{
    (void)across, (void)down, (void)stream;
    uint16_t *const memory = malloc(ssimcu_scale_cpu_bytes(task));
    if (!memory) return cudaErrorMemoryAllocation;
    ssimcu_scale_cpu(task, memory);
    free(memory);
    return fake_cuda_call();
}

cudaError_t ssimcu_patches_cuda(const struct ssimcu_patches_task *task, cudaStream_t stream)
{
    (void)stream;
    for (uint32_t n = 0; n < task->places; n++)
        for (uint32_t i = 0; i < task->place[n].columns * task->place[n].rows; i++)
            ssimcu_patch_copy(task, &task->place[n], i);
    return fake_cuda_call();
}

cudaError_t ssimcu_mix_cuda(float *black, const float *white, float grey, int fixed, size_t floats,
                            cudaStream_t stream)
{
    (void)black, (void)white, (void)grey, (void)fixed, (void)floats, (void)stream;
    return fake_cuda_call();
}

/* Code for 7.5 has no tensor cores, and so one path less. */
cudaError_t ssimcu_code_architecture(int *architecture)
{
    ANSWER;
    *architecture = 75;
    return cudaSuccess;
}

size_t ssimcu_loss_bytes(const struct ssimcu_loss_task *task)
{
    return ssimcu_loss_cpu_bytes(task, NULL);
}

cudaError_t ssimcu_loss_cuda(const struct ssimcu_loss_task *task, cudaStream_t stream)
{
    (void)stream;
    ANSWER;
    ssimcu_loss_cpu(task, NULL);
    return cudaSuccess;
}

cudaError_t ssimcu_loss_scale_cuda(const struct ssimcu_loss_task *task, int side,
                                   const float *factor, cudaStream_t stream)
{
    (void)side, (void)stream;
    ANSWER;
    ssimcu_loss_scale_cpu(task, factor);
    return cudaSuccess;
}
