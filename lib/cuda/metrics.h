/* Metrics other than SSIM on a CUDA device: their memory, and their kernels for one pair. The SSIM
 * stage has already made the planes, if there are any, and the first scale of MS-SSIM. */
#pragma once

#include "core/divide_up.h"
#include "plan/metrics.h"
#include "tasks.h"

enum {
    SSIMCU_CUDA_CHROMA = 2,       /* U and V */
    SSIMCU_CUDA_PART_BYTES = 256, /* alignment of a layout's parts */
    SSIMCU_CUDA_TOGETHER = 4 /* pairs of a batch that share the launches of MS-SSIM. Eight 4K pairs
                                on an H100 take 183 us each, one by one 204. */
};

/* Start of each part of a plan's metrics, in bytes from the start of all parts. Pairs follow each
 * other, so they share all parts except the first three. */
struct ssimcu_cuda_metrics_layout {
    size_t structure, ignored;  /* sums of the first scale of MS-SSIM of all pairs; the unused sums
                                   of 1 - SSIM with them if SSIM has other windows */
    size_t psnr;                /* partial sums of PSNR, from SSIM's launch of all pairs */
    size_t work;                /* memory of the other kernels, which run one after the other */
    size_t planes[SSIMCU_PAIR]; /* planes that SSIMULACRA2 reads, if needed, ... */
    size_t white;               /* ... and planes of one side over white */
    size_t chroma[SSIMCU_CUDA_CHROMA][SSIMCU_PAIR]; /* uploaded samples of U and V */
    size_t end, dense[SSIMCU_PAIR], end_dense;      /* samples of planes at arbitrary places, which
                                                       uploaded ones never are */
};

struct ssimcu_cuda_metrics_layout ssimcu_cuda_metrics_lay_out(const struct ssimcu_plan *plan);

/* The metrics to queue. */
struct ssimcu_cuda_metrics_run {
    const struct ssimcu_plan *plan;
    uint32_t pass, pair, pairs; /* the first pair, and the number of pairs */
    const struct ssimcu_cuda_place *place;
    struct ssimcu_cuda_metrics_layout layout;
    struct ssimcu_metric_sums *sums; /* sums of the pairs, in device memory */
    cudaStream_t stream;
};

static inline void *ssimcu_cuda_metrics_part(const struct ssimcu_cuda_metrics_run *run,
                                             size_t start)
{
    return (char *)run->place->metrics + start;
}

/* Adds bytes at the end of a layout, and returns their start, aligned like an allocation. */
static inline size_t ssimcu_cuda_take(size_t *end, size_t bytes)
{
    const size_t start = *end;
    *end +=
        (size_t)ssimcu_divide_up((int64_t)bytes, SSIMCU_CUDA_PART_BYTES) * SSIMCU_CUDA_PART_BYTES;
    return start;
}

static inline int64_t ssimcu_cuda_plane_floats(const struct ssimcu_plan *plan)
{
    return plan->planes_pitch * plan->shape.height;
}

/* Returns whether the SSIM stage makes the first scale of MS-SSIM with the score. If not, a
 * separate launch does. */
static inline int ssimcu_cuda_has_structure(const struct ssimcu_plan *plan)
{
    return ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM) && !plan->shape.zero_pad &&
           plan->grid.width == 0 && plan->bytes.map == 0;
}

/* Returns whether the SSIM stage makes the partial sums of PSNR with the score: if it reads bytes
 * in place and makes nothing else. */
static inline int ssimcu_cuda_has_squares(const struct ssimcu_plan *plan)
{
    return ssimcu_metrics_has(plan, SSIMCU_METRIC_PSNR) &&
           !ssimcu_metrics_has(plan, SSIMCU_METRIC_MS_SSIM) &&
           plan->kernel == SSIMCU_KERNEL_SAMPLES &&
           plan->samples[SSIMCU_REF].type == SSIMCU_SAMPLE_U8 && plan->grid.width == 0 &&
           plan->bytes.map == 0;
}

/* Returns a plan for the first scale of MS-SSIM: windows inside the frame, and only sums. */
struct ssimcu_plan ssimcu_cuda_structure_plan(const struct ssimcu_plan *plan);

/* Returns how many pairs may be queued together. Their samples are all on the device. */
uint32_t ssimcu_cuda_metrics_together(const struct ssimcu_plan *plan);

/* Queues the part of the metrics of pairs in one pass that can run before the SSIM stage, which may
 * overlap with it. */
cudaError_t ssimcu_cuda_metrics(const struct ssimcu_cuda_metrics_run *run);

/* Queues the scales of MS-SSIM, whose planes ssimcu_cuda_metrics has made. */
cudaError_t ssimcu_cuda_metrics_scales(const struct ssimcu_cuda_metrics_run *run,
                                       enum ssimcu_beside beside);

/* Adds the sums that follow the SSIM stage: of these pairs, or of all pairs if that stage makes the
 * sums of PSNR. */
void ssimcu_cuda_metrics_sums(const struct ssimcu_cuda_metrics_run *run, struct ssimcu_sums *sums);

/* ---- SSIMULACRA2: where its pictures come from, and its kernels -------------------------------
 */

/* Returns the bytes of scratch memory of its kernels. */
size_t ssimcu_cuda_s2_bytes(const struct ssimcu_plan *plan);

/* Adds its planes to the layout, and with `end_dense` room for samples at arbitrary places. */
void ssimcu_cuda_s2_lay_out(const struct ssimcu_plan *plan,
                            struct ssimcu_cuda_metrics_layout *layout);

/* Queues one pair in one pass. */
cudaError_t ssimcu_cuda_s2(const struct ssimcu_cuda_metrics_run *run);
