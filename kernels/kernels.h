/* All launchers of the device code, callable from C. This header is the whole device API.
 *
 * All launchers take device pointers and queue their work on `stream`. They never wait or allocate.
 * They return the error of the launch, which is cleared from the runtime.
 */
#pragma once

#include "core/contract.h"
#include "core/curve.h"
#include "core/light.h"
#include "core/patches.h"
#include "core/permute_plan.h"
#include "core/pixel.h"
#include "core/samples.h"
#include "core/scale.h"
#include "core/ssim_limits.h"
#include "core/ssimulacra2.h"
#include "core/tile_grid.h"
#include "core/video.h"
#include "loss/loss.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets *architecture to the architecture, such as 90, for which the current device's code was
 * compiled. It, not the device, decides which features kernels may use. */
cudaError_t ssimcu_code_architecture(int *architecture);

/* Moves elements by the plan, on any path. Source and destination must not overlap. */
cudaError_t ssimcu_permute_cuda(const struct ssimcu_permute_plan *plan, void *dst, const void *src,
                                cudaStream_t stream);

/* The planes stage: samples of one frame -> planes of floats. The planes hold whole numbers
 * (core/fixed.h) if a side has a curve or values that floats cannot hold. Samples may have any type
 * and pitch, and any alignment that is a multiple of a sample. The stage is fastest without gaps
 * between samples: interleaved (step rule.channels) or planar (step 1). It may read the bytes
 * between rows of the frame. */
struct ssimcu_planes_task {
    struct ssimcu_samples samples;
    struct ssimcu_pixel_rule rule;
    int64_t width; /* pixels */
    int64_t height;
    int fixed;     /* planes hold 32-bit whole numbers of 2^-21 plane units, not floats */
    int unbounded; /* fixed: in the unbounded form */
    struct ssimcu_curve_range range;        /* fixed: the curve, if the side has one, ... */
    const struct ssimcu_curve_piece *piece; /* ... whose pieces are in device memory */
    float *dst;                             /* 16-byte aligned; rule.planes planes */
    int64_t dst_pitch_floats;               /* a multiple of 4 */
    int64_t dst_plane_floats;               /* a multiple of 4 */
};

cudaError_t ssimcu_planes_cuda(const struct ssimcu_planes_task *task, cudaStream_t stream);

/* Counts the float samples of one frame that a curve cannot show. The launcher adds to
 * *task->counts, which the caller sets to 0 before the first task. */
struct ssimcu_light_scan_task {
    struct ssimcu_samples samples;
    struct ssimcu_pixel_rule rule;
    struct ssimcu_light_bounds bounds;
    int64_t width, height;
    struct ssimcu_light_counts *counts;
};

cudaError_t ssimcu_light_scan_cuda(const struct ssimcu_light_scan_task *task, cudaStream_t stream);

/* The SSIM stage compares frames of one size, sample by sample of every channel.
 *
 * On both sides, the sample of frame f, channel c, column x and row y lies at
 *
 *   interleaved   f * frame_bytes + y * pitch_bytes, and channels * x + c samples
 *   planar        f * frame_bytes + y * pitch_bytes + c * plane_bytes, and x samples;
 *                 with pairs 2 * x samples
 *
 * Kinds of samples:
 *
 *   F32           Planes. Without tensor cores, pointers, pitches and strides must be multiples of
 *                 16 bytes. The bytes between the end of a row and its pitch do not matter.
 *   FIXED         Planes likewise, of 32-bit whole multiples of 2^-21 (core/fixed.h).
 *   U8, U16,      Unconverted, planar or interleaved. U8 and U16 may also be every other sample of
 *   F16, BF16     pairs. They need tensor cores. They may have any alignment and pitch.
 *
 * Multiples of 16 bytes are read fastest. In a pair, the first sample counts.
 *
 * Tensor cores need compute capability 8.0 or newer. On them a sum is NaN if the frame has an
 * invalid float (core/samples.h). Their window is the Gaussian rounded to f16. A map element is
 * within 5e-5. The mean of a frame of at least SSIMCU_TENSOR_POSITIONS windows meets the contract.
 * Smaller frames should not use tensor cores; their time is negligible anyway. Without tensor
 * cores, frames of up to SSIMCU_DOUBLE_POSITIONS windows are computed in double. */
enum ssimcu_ssim_samples {
    SSIMCU_SSIM_U8 = SSIMCU_SAMPLE_U8,
    SSIMCU_SSIM_U16 = SSIMCU_SAMPLE_U16,
    SSIMCU_SSIM_F16 = SSIMCU_SAMPLE_F16,
    SSIMCU_SSIM_F32 = SSIMCU_SAMPLE_F32,
    SSIMCU_SSIM_BF16 = SSIMCU_SAMPLE_BF16,
    SSIMCU_SSIM_FIXED
};

/* How a launcher relates to the previous launcher on the stream. */
enum ssimcu_beside {
    SSIMCU_APART,  /* it begins when the previous one is done */
    SSIMCU_BESIDE, /* it may overlap the previous one, because it reads nothing that others write
                      meanwhile */
    SSIMCU_RELAY,  /* it may overlap the previous one, which is done before a next launcher that
                      overlaps this one begins; only with structure */
};

struct ssimcu_ssim_task {
    enum ssimcu_ssim_samples samples;
    int tensor_cores;
    const void *ref;
    const void *out;
    int width; /* pixels of a frame */
    int height;
    int channels; /* the number of planes, 1 or 3 */
    int frames;
    int interleaved; /* nonzero: interleaved pixels; not for F32 and FIXED */
    int pairs;       /* U8, U16: one channel; every other sample counts */
    int unbounded;   /* F32, FIXED: samples may have any value; 0: they lie from 0 to the peak */
    double peak;     /* white; 0 means 255, and U8 has no other */
    int zero_pad;    /* 0: only windows inside the frame; 1: one per pixel */
    int64_t pitch_bytes;
    int64_t plane_bytes;
    int64_t frame_bytes;
    double
        *partial; /* sums of 1 - SSIM, ssimcu_ssim_partials() doubles, planes one after another */
    double *structure; /* NULL, or as many sums of 1 - contrast * structure (MS-SSIM); only without
                          map, grid and zero_pad, and not for frames computed in double */
    double *squares;   /* NULL, or as many sums of squared differences of samples (PSNR); U8 only,
                          and only without map, grid and structure */
    float *map;        /* NULL, or frames * channels planes of ssimcu_ssim_positions() floats */
    int64_t map_pitch_floats;
    int64_t map_plane_floats;
    struct ssimcu_tile_grid grid; /* grid of the scores per tile; width 0: no tiles */
    double *cells; /* parts of tiles, ssimcu_ssim_cells() doubles; only with a grid */
    enum ssimcu_beside beside;
};

/* Returns the number of doubles that task->partial must hold. A frame's share depends only on its
 * size and kind, so the bits of a score do not depend on other work in flight. */
size_t ssimcu_ssim_partials(const struct ssimcu_ssim_task *task);

/* Returns the number of doubles that task->cells must hold for all planes, aligned to 16 bytes. All
 * planes have equal shares, one after the other. */
size_t ssimcu_ssim_cells(const struct ssimcu_ssim_task *task);

cudaError_t ssimcu_ssim_cuda(const struct ssimcu_ssim_task *task, cudaStream_t stream);

/* Partial sums of other metrics, which a launch adds up in a fixed order. Each list gives one sum,
 * times its factor. A list may stand for several pairs, whose sums and results are equally far
 * apart. */
enum { SSIMCU_MOST_SUMS = SSIMCU_MAX_CHANNELS * (1 + SSIMCU_MS_SCALES) };

struct ssimcu_sum_list {
    const double *partial;
    size_t count;
    double factor;
    double *to;
    int pairs;
    size_t partial_step, to_step; /* doubles from one pair to the next */
};

struct ssimcu_sums {
    int count;
    struct ssimcu_sum_list list[SSIMCU_MOST_SUMS];
};

cudaError_t ssimcu_sums_cuda(const struct ssimcu_sums *sums, cudaStream_t stream);

/* Follows the SSIM stage. It adds up each plane's partials in a fixed order: sums[p] = sum of 1 -
 * SSIM over plane p. With a grid it also writes the numbers of the tiles for each group of `group`
 * consecutive planes. These are rows x columns means of SSIM, then as many level shifts for each
 * plane. If grid.features is set, each of the features follows in the same way, as floats. The mean
 * of a 64 x 64 tile is within 1e-5 on the tensor cores, elsewhere within 1e-6. `task` may stand for
 * several tasks whose partials and cells follow each other. Tasks of one channel then count as one
 * task of as many frames. If `also` is NULL, nothing else is added up. */
cudaError_t ssimcu_reduce_cuda(const struct ssimcu_ssim_task *task, int group, double *sums,
                               double *means, const struct ssimcu_sums *also, cudaStream_t stream);

/* SSIMULACRA2 v2.1 compares frames of one size. It sums three maps of the three channels X, Y and B
 * at up to six scales.
 *
 * Samples are laid out as in the SSIM stage, interleaved or planar. One channel is grey: R = G = B.
 * Samples are sRGB code values: sample / peak, clamped to 0..1, NaN as 0.
 *
 *   U8, U16       Unconverted samples. Any alignment that is a multiple of a sample will do.
 *   F32, FIXED    Planes; pointers, pitches and strides are multiples of 16 bytes. The bytes
 *                 between the end of a row and its pitch do not matter. FIXED is bounded.
 *
 * A scale exists if both sides of the scale before are at least 8. Frames with a shorter side have
 * no scales. The score from the sums is within 1e-3 of the definition's in double, and within 1e-4
 * for photos. A sum whose weight in the score is below 0.001 may be less exact: such norms were off
 * by up to 4e-2. The sums of identical frames are exactly 0. */
struct ssimcu_ssimulacra2_task {
    enum ssimcu_ssim_samples samples; /* U8, U16, F32 or FIXED */
    const void *ref;
    const void *out;
    int width; /* pixels of a frame */
    int height;
    int channels; /* 1 or 3 */
    int frames;
    int interleaved; /* nonzero: interleaved pixels; U8 and U16 */
    double peak;     /* white, of FIXED in plane units; 0 means 255 */
    int64_t pitch_bytes;
    int64_t plane_bytes;
    int64_t frame_bytes;
    void *workspace; /* ssimcu_ssimulacra2_bytes(), aligned to 16 bytes */
};

/* Returns the number of bytes that task->workspace needs for all frames. */
size_t ssimcu_ssimulacra2_bytes(const struct ssimcu_ssimulacra2_task *task);

/* Writes sums[frame][scale][channel][SSIMCU_S2_SUMS], added up in a fixed order. The sums of scales
 * that do not exist are 0. */
cudaError_t ssimcu_ssimulacra2_cuda(const struct ssimcu_ssimulacra2_task *task, double *sums,
                                    cudaStream_t stream);

/* Converts Y, U and V of one frame to planes of R, G and B for SSIMULACRA2, with white at 1. U and
 * V are interpolated linearly between their neighbours. */
struct ssimcu_video_task {
    struct ssimcu_samples plane[3]; /* Y, U and V: integers, each in its first channel */
    float unit[3];                  /* factors to plane units */
    int width[2], height[2];        /* pixels of Y, and of U and V */
    struct ssimcu_video_rule rule;
    float *dst; /* 16-byte aligned */
    int64_t dst_pitch_floats, dst_plane_floats;
};

cudaError_t ssimcu_video_cuda(const struct ssimcu_video_task *task, cudaStream_t stream);

/* Scales planes. `across` and `down` are copies of the task's `left` tables in host memory. The
 * result equals that of ssimcu_scale_cpu (lib/cpu/cpu.h) to the last bit. */
cudaError_t ssimcu_scale_cuda(const struct ssimcu_scale_task *task, const int32_t *across,
                              const int32_t *down, cudaStream_t stream);

/* Gathers patches. The device must be able to read the task's places and pixels. */
cudaError_t ssimcu_patches_cuda(const struct ssimcu_patches_task *task, cudaStream_t stream);

/* Mixes planes over black with planes over white into planes over grey: black + grey (white -
 * black). `floats` is a multiple of 4, and planes are aligned to 16 bytes. If `fixed` is set, both
 * inputs are whole numbers of the unbounded form, which become floats. */
cudaError_t ssimcu_mix_cuda(float *black, const float *white, float grey, int fixed, size_t floats,
                            cudaStream_t stream);

/* PSNR: sums of squared differences of one pair. Samples are those of the SSIM stage, but pixels
 * may be any number of samples apart, and channels may lie anywhere. */
struct ssimcu_psnr_task {
    enum ssimcu_ssim_samples samples;
    int unbounded; /* FIXED: in the unbounded form */
    const void *ref[3];
    const void *out[3];
    int width, height, channels;
    int interleaved; /* nonzero: interleaved pixels */
    int step;        /* samples from one pixel to the next */
    int64_t pitch_bytes;
    double unit;     /* factor to plane units */
    double *partial; /* partial sums, one channel after the other */
    size_t partials; /* per channel, of the SSIM stage; 0: of ssimcu_psnr_cuda */
};

/* Returns the number of doubles that task->partial must hold. */
size_t ssimcu_psnr_partials(const struct ssimcu_psnr_task *task);

/* Makes the partial sums, unless the SSIM stage does (ssimcu_ssim_task.squares). It may overlap
 * that stage. */
cudaError_t ssimcu_psnr_cuda(const struct ssimcu_psnr_task *task, cudaStream_t stream);

/* Adds lists for squares[channel], in squared plane units. Sums of integers are exact up to 2^53 of
 * their squared units. */
void ssimcu_psnr_sums(const struct ssimcu_psnr_task *task, double *squares,
                      struct ssimcu_sums *sums);

/* MS-SSIM: the scales below the first, which the SSIM stage scores. Samples are those of PSNR. Both
 * sides have 161 pixels or more. */
struct ssimcu_ms_ssim_task {
    struct ssimcu_psnr_task pair; /* the first pair; its memory for sums is unused */
    int frames;                   /* pairs */
    int64_t frame_bytes;          /* from one frame to the next, on both sides */
    int tensor_cores;             /* nonzero: the device has them */
    int unbounded;                /* samples may have any value; 0: they lie from 0 to white */
    double white;                 /* in plane units */
    const double *structure;      /* the first scale's sums, one channel after the other, by pair */
    size_t structures;            /* of a channel */
    void *workspace;              /* ssimcu_ms_ssim_bytes(), aligned to 256 bytes */
    enum ssimcu_beside beside;    /* how the scales relate to the launches before */
};

size_t ssimcu_ms_ssim_bytes(const struct ssimcu_ms_ssim_task *task);

/* Makes the planes of the scales. */
cudaError_t ssimcu_ms_pyramid_cuda(const struct ssimcu_ms_ssim_task *task, cudaStream_t stream);

/* Scores the scales. They may overlap an SSIM stage in between, which is a relay if it makes
 * structure. */
cudaError_t ssimcu_ms_ssim_cuda(const struct ssimcu_ms_ssim_task *task, cudaStream_t stream);

/* Adds lists for lost[channel][scale]: sums of 1 - contrast * structure, and of 1 - SSIM at the
 * last scale. The sums of the next pair are `lost_step` doubles further. */
void ssimcu_ms_ssim_sums(const struct ssimcu_ms_ssim_task *task, double *lost, size_t lost_step,
                         struct ssimcu_sums *sums);

/* The loss and its gradients (loss/loss.h). ssimcu_loss_bytes() returns the bytes that
 * task->workspace must hold. They do not depend on the data. */
size_t ssimcu_loss_bytes(const struct ssimcu_loss_task *task);
cudaError_t ssimcu_loss_cuda(const struct ssimcu_loss_task *task, cudaStream_t stream);

/* Multiplies a gradient of the task's size by *factor, which is in device memory. */
cudaError_t ssimcu_loss_scale_cuda(const struct ssimcu_loss_task *task, int side,
                                   const float *factor, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
