/* Every launcher of the device code, callable from C. The whole device API on one page.
 *
 * All of them: pointers are device pointers; the work is queued on `stream` and nothing waits;
 * nothing is allocated; the return value is the launch's error, cleared from the runtime.
 */
#ifndef SSIMCU_KERNELS_H
#define SSIMCU_KERNELS_H

#include "core/light.h"
#include "core/permute_plan.h"
#include "core/pixel.h"
#include "core/samples.h"
#include "core/ssim_limits.h"
#include "core/tile_grid.h"

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Moves elements as the plan says, any path. Source and destination must not overlap. */
cudaError_t ssimcu_permute_cuda(const struct ssimcu_permute_plan *plan, void *dst, const void *src,
                                cudaStream_t stream);

/* The planes stage: samples of one frame -> float planes in 8-bit units. Samples of any type, pitch
 * and alignment (but to a sample). Fastest where channels lie together (step rule.channels) or
 * apart (planar, step 1) without anything between them. What lies between rows of the frame may be
 * read.
 */
struct ssimcu_planes_task {
    struct ssimcu_samples samples;
    struct ssimcu_pixel_rule rule;
    int64_t width; /* pixels */
    int64_t height;
    float *dst;               /* 16-byte aligned; rule.planes planes */
    int64_t dst_pitch_floats; /* a multiple of 4 */
    int64_t dst_plane_floats; /* a multiple of 4 */
};

cudaError_t ssimcu_planes_cuda(const struct ssimcu_planes_task *task, cudaStream_t stream);

/* Counts what the float samples of one frame hold that a curve cannot show: adds to *task->counts,
 * which were 0 before the first. */
struct ssimcu_light_scan_task {
    struct ssimcu_samples samples;
    struct ssimcu_pixel_rule rule;
    struct ssimcu_light_bounds bounds;
    int64_t width, height;
    struct ssimcu_light_counts *counts;
};

cudaError_t ssimcu_light_scan_cuda(const struct ssimcu_light_scan_task *task, cudaStream_t stream);

/* The SSIM stage: frames of one size against each other, sample by sample of every channel.
 *
 * Sample (frame f, channel c, x, y) of either side lies at
 * f * frame_bytes + y * pitch_bytes + (interleaved ? channels * x + c samples : c * plane_bytes
 * and x samples, of pairs 2 * x). Kinds of samples:
 *
 * F32, planes. Multiples of 16 bytes are read fastest; without tensor cores pointers, pitches and
 * strides must be such, and samples be in 8-bit units. What lies between the end of a row and its
 * pitch is not looked at.
 * U8, U16, F16 and BF16, as they are, planar or interleaved, U8 and U16 also every other sample of
 * pairs; any alignment and pitch, multiples of 16 bytes are read fastest, in pairs but for the
 * sample that they begin with. On the tensor cores only.
 *
 * On the tensor cores, which compute capability 8.0 or newer has, a sum is NaN where a float may
 * not count (core/samples.h). The window is then the Gaussian rounded to f16: a map element is
 * within 5e-5, and the mean over a frame of at least SSIMCU_TENSOR_POSITIONS is what the contract
 * asks for; smaller frames, which take no time anyway, should do without. Without, frames of up to
 * SSIMCU_DOUBLE_POSITIONS are computed in double. */
enum ssimcu_ssim_samples {
    SSIMCU_SSIM_U8 = SSIMCU_SAMPLE_U8,
    SSIMCU_SSIM_U16 = SSIMCU_SAMPLE_U16,
    SSIMCU_SSIM_F16 = SSIMCU_SAMPLE_F16,
    SSIMCU_SSIM_F32 = SSIMCU_SAMPLE_F32,
    SSIMCU_SSIM_BF16 = SSIMCU_SAMPLE_BF16
};

struct ssimcu_ssim_task {
    enum ssimcu_ssim_samples samples;
    int tensor_cores;
    const void *ref;
    const void *out;
    int width; /* pixels, of a frame */
    int height;
    int channels; /* 1 or 3 */
    int frames;
    int interleaved; /* not F32 */
    int pairs;       /* U8, U16: one channel, of which every other sample counts */
    int unbounded;   /* F32: samples may have any value, else they lie within 0 and the peak */
    float peak;      /* white, of U8 255 alone; 0 stands for 255 */
    int zero_pad;    /* windows: 0 inside the frame only, 1 one per pixel */
    int64_t pitch_bytes;
    int64_t plane_bytes;
    int64_t frame_bytes;
    double
        *partial; /* ssimcu_ssim_partials() doubles: sums of 1 - SSIM, planes one after another */
    float *map;   /* NULL, or frames * channels planes of ssimcu_ssim_positions() floats */
    int64_t map_pitch_floats;
    int64_t map_plane_floats;
    struct ssimcu_tile_grid grid; /* of the scores per tile; width 0: none are wanted */
    double *cells; /* with a grid: ssimcu_ssim_cells() doubles, what tiles are made of */
};

/* Window positions across and down: the size of the SSIM map. */
int ssimcu_ssim_positions(int side, int zero_pad);

/* Doubles that task->partial must hold. How many a frame has is a function of its size and kind
 * alone, so that a score's bits do not depend on what else is in flight. */
size_t ssimcu_ssim_partials(const struct ssimcu_ssim_task *task);

/* Doubles that task->cells must hold, aligned to 16 bytes, of all planes; each has the same share,
 * one after the other. */
size_t ssimcu_ssim_cells(const struct ssimcu_ssim_task *task);

cudaError_t ssimcu_ssim_cuda(const struct ssimcu_ssim_task *task, cudaStream_t stream);

/* After the SSIM stage: adds up each plane's partials in a fixed order, sums[p] = sum of 1 - SSIM
 * over plane p. With a grid also the mean SSIM of each tile, of each group of so many planes that
 * follow each other, as rows x columns means: on the tensor cores that of a 64 x 64 tile is within
 * 1e-5, elsewhere 1e-6. `task` may stand for several whose partials and cells follow each other:
 * those of one channel as one of as many frames. */
cudaError_t ssimcu_reduce_cuda(const struct ssimcu_ssim_task *task, int group, double *sums,
                               double *means, cudaStream_t stream);

#ifdef __cplusplus
}
#endif

#endif
