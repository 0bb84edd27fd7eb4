/* Every launcher of the device code, callable from C. This page is the whole device API.
 *
 * For all launchers: pointers are device pointers. The work is queued on `stream`; nothing waits
 * and nothing is allocated. The return value is the launch's error, cleared from the runtime.
 */
#ifndef SSIMCU_KERNELS_H
#define SSIMCU_KERNELS_H

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

/* Sets *architecture to the one that the code for the current device was compiled for, such as 90.
 * What kernels may use follows from that, not from the device. */
cudaError_t ssimcu_code_architecture(int *architecture);

/* Moves elements as the plan says, by any path. Source and destination must not overlap. */
cudaError_t ssimcu_permute_cuda(const struct ssimcu_permute_plan *plan, void *dst, const void *src,
                                cudaStream_t stream);

/* The planes stage: samples of one frame -> planes of floats, or of whole numbers (core/fixed.h) if
 * a side has a curve or values that floats cannot hold. Samples may have any type and pitch, and
 * any alignment that is a multiple of a sample. It is fastest if nothing lies between samples:
 * channels lie together (step rule.channels) or apart (planar, step 1). What lies between rows of
 * the frame may be read. */
struct ssimcu_planes_task {
    struct ssimcu_samples samples;
    struct ssimcu_pixel_rule rule;
    int64_t width; /* pixels */
    int64_t height;
    int fixed;     /* planes hold 32-bit whole numbers of 2^-21 plane units, not floats */
    int unbounded; /* fixed: in the unbounded form */
    struct ssimcu_curve_range range;        /* fixed: the curve of a side that has one, ... */
    const struct ssimcu_curve_piece *piece; /* ... whose pieces are in device memory */
    float *dst;                             /* 16-byte aligned; rule.planes planes */
    int64_t dst_pitch_floats;               /* a multiple of 4 */
    int64_t dst_plane_floats;               /* a multiple of 4 */
};

cudaError_t ssimcu_planes_cuda(const struct ssimcu_planes_task *task, cudaStream_t stream);

/* Counts what the float samples of one frame hold that a curve cannot show. It adds to
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
 * The sample of frame f, channel c, column x and row y lies on either side at
 *
 *   interleaved   f * frame_bytes + y * pitch_bytes, and channels * x + c samples
 *   planar        f * frame_bytes + y * pitch_bytes + c * plane_bytes, and x samples;
 *                 with pairs 2 * x samples
 *
 * Kinds of samples:
 *
 *   F32           Planes. Without tensor cores, pointers, pitches and strides must be multiples of
 *                 16 bytes. The bytes between the end of a row and its pitch are not looked at.
 *   FIXED         Planes like those, of 32-bit whole numbers of 2^-21 (core/fixed.h).
 *   U8, U16,      Samples as they are, planar or interleaved; U8 and U16 also every other sample of
 *   F16, BF16     pairs. They need tensor cores. They may have any alignment and pitch.
 *
 * Multiples of 16 bytes are read fastest. For pairs it is the first sample of a pair that counts.
 *
 * Tensor cores need compute capability 8.0 or newer. On them a sum is NaN if a float may not count
 * (core/samples.h). Their window is the Gaussian rounded to f16. A map element is within 5e-5. The
 * mean over a frame of at least SSIMCU_TENSOR_POSITIONS is what the contract asks for. Smaller
 * frames should do without tensor cores: they take no time anyway. Without them, frames of up to
 * SSIMCU_DOUBLE_POSITIONS are computed in double.
 */
enum ssimcu_ssim_samples {
    SSIMCU_SSIM_U8 = SSIMCU_SAMPLE_U8,
    SSIMCU_SSIM_U16 = SSIMCU_SAMPLE_U16,
    SSIMCU_SSIM_F16 = SSIMCU_SAMPLE_F16,
    SSIMCU_SSIM_F32 = SSIMCU_SAMPLE_F32,
    SSIMCU_SSIM_BF16 = SSIMCU_SAMPLE_BF16,
    SSIMCU_SSIM_FIXED
};

/* How a launcher is to the one before it on the stream. */
enum ssimcu_beside {
    SSIMCU_APART,  /* it begins when that is done */
    SSIMCU_BESIDE, /* it may run beside that, because it reads nothing that others write meanwhile
                    */
    SSIMCU_RELAY,  /* it may run beside that. The next launcher, if it runs beside this one, finds
                      that one done; with structure only */
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
    int interleaved; /* nonzero: pixels lie together; not for F32 and FIXED */
    int pairs;       /* U8, U16: one channel, every other sample of which counts */
    int unbounded;   /* F32, FIXED: samples may have any value; 0: they lie within 0 and the peak */
    double peak;     /* white; 0 stands for 255, the only one of U8 */
    int zero_pad;    /* windows: 0: inside the frame only; 1: one per pixel */
    int64_t pitch_bytes;
    int64_t plane_bytes;
    int64_t frame_bytes;
    double
        *partial; /* sums of 1 - SSIM, ssimcu_ssim_partials() doubles, planes one after another */
    double *structure; /* NULL, or as many sums of 1 - contrast * structure (MS-SSIM); only without
                          map, grid and zero_pad, and not of frames that are computed in double */
    double *squares;   /* NULL, or as many sums of squared differences of samples (PSNR); U8 only,
                          and only without map, grid and structure */
    float *map;        /* NULL, or frames * channels planes of ssimcu_ssim_positions() floats */
    int64_t map_pitch_floats;
    int64_t map_plane_floats;
    struct ssimcu_tile_grid grid; /* grid of the scores per tile; width 0: none are wanted */
    double *cells; /* what tiles are made of, ssimcu_ssim_cells() doubles; only with a grid */
    enum ssimcu_beside beside;
};

/* Returns how many doubles task->partial must hold. A frame's number depends on its size and kind
 * alone, so a score's bits do not depend on what else is in flight. */
size_t ssimcu_ssim_partials(const struct ssimcu_ssim_task *task);

/* Returns how many doubles task->cells must hold for all planes, aligned to 16 bytes. Each plane
 * has the same share, one after the other. */
size_t ssimcu_ssim_cells(const struct ssimcu_ssim_task *task);

cudaError_t ssimcu_ssim_cuda(const struct ssimcu_ssim_task *task, cudaStream_t stream);

/* Partial sums of metrics beside SSIM, which a launch adds up: the sum of each list, times its
 * factor, in a fixed order. A list may stand for as many pairs, whose sums and results are equally
 * far apart. */
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

/* Follows the SSIM stage: adds up each plane's partials in a fixed order, sums[p] = sum of 1 - SSIM
 * over plane p. With a grid it also writes numbers of the tiles for each group of `group`
 * consecutive planes: rows x columns means of SSIM, then as many shifts for each plane, then
 * likewise each of the features, as floats, if grid.features wants them. The mean of
 * a 64 x 64 tile is within 1e-5 on the tensor cores, elsewhere within 1e-6. `task` may stand for
 * several tasks whose partials and cells follow each other. Those of one channel then count as one
 * task of as many frames. `also` NULL: nothing else is added up. */
cudaError_t ssimcu_reduce_cuda(const struct ssimcu_ssim_task *task, int group, double *sums,
                               double *means, const struct ssimcu_sums *also, cudaStream_t stream);

/* SSIMULACRA2 v2.1 compares frames of one size by sums over three maps of three channels, X, Y and
 * B, at up to six scales.
 *
 * Samples lie as those of the SSIM stage do, interleaved or planar. One channel is grey: R = G = B.
 * They are sRGB's code values: sample / peak, clamped to 0..1, NaN as 0.
 *
 *   U8, U16       Samples as they are. They may have any alignment that is a multiple of a sample.
 *   F32, FIXED    Planes; pointers, pitches and strides are multiples of 16 bytes. The bytes
 *                 between the end of a row and its pitch are not looked at. FIXED is bounded.
 *
 * A scale exists if the scale before has sides of at least 8. Frames with a shorter side have none.
 * The score that follows from the sums is within 1e-3 of the definition's in double, of photos
 * within 1e-4. A sum to which the score gives a weight below 0.001 may be less exact: such norms
 * were off by up to 4e-2. Sums of frames that are the same are exactly 0. */
struct ssimcu_ssimulacra2_task {
    enum ssimcu_ssim_samples samples; /* U8, U16, F32 or FIXED */
    const void *ref;
    const void *out;
    int width; /* pixels of a frame */
    int height;
    int channels; /* 1 or 3 */
    int frames;
    int interleaved; /* nonzero: pixels lie together; U8 and U16 */
    double peak;     /* white, of FIXED in plane units; 0 stands for 255 */
    int64_t pitch_bytes;
    int64_t plane_bytes;
    int64_t frame_bytes;
    void *workspace; /* ssimcu_ssimulacra2_bytes(), aligned to 16 bytes */
};

/* Returns how many bytes task->workspace must have, for all frames. */
size_t ssimcu_ssimulacra2_bytes(const struct ssimcu_ssimulacra2_task *task);

/* Writes sums[frame][scale][channel][SSIMCU_S2_SUMS], added up in a fixed order. Those of
 * scales that do not exist are 0. */
cudaError_t ssimcu_ssimulacra2_cuda(const struct ssimcu_ssimulacra2_task *task, double *sums,
                                    cudaStream_t stream);

/* Turns Y, U and V of one frame into R, G and B, of which white has 1, in planes as SSIMULACRA2
 * takes them. U and V lie on the line between their neighbours. */
struct ssimcu_video_task {
    struct ssimcu_samples plane[3]; /* Y, U and V: integers, each in its first channel */
    float unit[3];                  /* factors to plane units */
    int width[2], height[2];        /* pixels of Y, and of U and V */
    struct ssimcu_video_rule rule;
    float *dst; /* 16-byte aligned */
    int64_t dst_pitch_floats, dst_plane_floats;
};

cudaError_t ssimcu_video_cuda(const struct ssimcu_video_task *task, cudaStream_t stream);

/* Scales. `across` and `down` are the tables `left` of the task once more, in host memory. The
 * result is that of ssimcu_scale_cpu (lib/cpu/cpu.h), to the last bit. */
cudaError_t ssimcu_scale_cuda(const struct ssimcu_scale_task *task, const int32_t *across,
                              const int32_t *down, cudaStream_t stream);

/* Gathers patches. Places and pixels of the task lie in memory that the device reaches. */
cudaError_t ssimcu_patches_cuda(const struct ssimcu_patches_task *task, cudaStream_t stream);

/* Sets planes over black to planes over a grey between black and white: black + grey (white -
 * black), for `floats` floats, a multiple of 4 that are aligned to 16 bytes. If `fixed`, both are
 * whole numbers of the unbounded form, which become floats. */
cudaError_t ssimcu_mix_cuda(float *black, const float *white, float grey, int fixed, size_t floats,
                            cudaStream_t stream);

/* PSNR: sums of squared differences of one pair. Samples are as those of the SSIM stage, but any
 * number of samples apart, and channels lie anywhere. */
struct ssimcu_psnr_task {
    enum ssimcu_ssim_samples samples;
    int unbounded; /* FIXED: in the unbounded form */
    const void *ref[3];
    const void *out[3];
    int width, height, channels;
    int interleaved; /* nonzero: a pixel's channels lie together */
    int step;        /* samples from one pixel to the next */
    int64_t pitch_bytes;
    double unit;     /* factor to plane units */
    double *partial; /* partial sums, one channel after the other */
    size_t partials; /* of a channel: those of the SSIM stage; 0: of ssimcu_psnr_cuda */
};

/* Returns how many doubles task->partial must hold. */
size_t ssimcu_psnr_partials(const struct ssimcu_psnr_task *task);

/* Makes the partial sums, if the SSIM stage does not (ssimcu_ssim_task.squares). That stage may run
 * beside. */
cudaError_t ssimcu_psnr_cuda(const struct ssimcu_psnr_task *task, cudaStream_t stream);

/* Adds the lists of squares[channel], in squares of plane units. Sums of integers are exact up to
 * 2^53 of their squares. */
void ssimcu_psnr_sums(const struct ssimcu_psnr_task *task, double *squares,
                      struct ssimcu_sums *sums);

/* MS-SSIM: the scales below the first. The SSIM stage scores the first. Samples are as those of
 * PSNR. A side has 161 pixels or more. */
struct ssimcu_ms_ssim_task {
    struct ssimcu_psnr_task pair; /* the first pair, without memory for sums */
    int frames;                   /* pairs */
    int64_t frame_bytes;          /* from a frame to the next, on both sides */
    int tensor_cores;             /* nonzero: the device has them */
    int unbounded;                /* samples may have any value; 0: they lie within 0 and white */
    double white;                 /* in plane units */
    const double *structure;      /* the first scale's sums, one channel after the other, by pair */
    size_t structures;            /* of a channel */
    void *workspace;              /* ssimcu_ms_ssim_bytes(), aligned to 256 bytes */
    enum ssimcu_beside beside;    /* how the scales are to what is before them */
};

size_t ssimcu_ms_ssim_bytes(const struct ssimcu_ms_ssim_task *task);

/* Makes the planes of the scales. */
cudaError_t ssimcu_ms_pyramid_cuda(const struct ssimcu_ms_ssim_task *task, cudaStream_t stream);

/* Scores them. They may run beside an SSIM stage between, which is a relay if it makes structure.
 */
cudaError_t ssimcu_ms_ssim_cuda(const struct ssimcu_ms_ssim_task *task, cudaStream_t stream);

/* Adds the lists of lost[channel][scale], sums of 1 - contrast * structure, at the last scale of
 * 1 - SSIM. Those of the next pair are `lost_step` doubles further. */
void ssimcu_ms_ssim_sums(const struct ssimcu_ms_ssim_task *task, double *lost, size_t lost_step,
                         struct ssimcu_sums *sums);

/* The loss and its gradients (loss/loss.h), and how many bytes task->workspace must hold, which
 * does not depend on what data is there. */
size_t ssimcu_loss_bytes(const struct ssimcu_loss_task *task);
cudaError_t ssimcu_loss_cuda(const struct ssimcu_loss_task *task, cudaStream_t stream);

/* Multiplies a gradient of the task's size by *factor, in device memory. */
cudaError_t ssimcu_loss_scale_cuda(const struct ssimcu_loss_task *task, int side,
                                   const float *factor, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
