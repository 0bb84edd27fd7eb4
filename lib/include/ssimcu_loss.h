/* ssimcu as a loss: SSIM, L1 and the mean squared error of two pictures or batches, with the
 * gradient, in one pass over the samples. The rules of ssimcu.h apply.
 *
 * THE NUMBER. Samples are divided by the peak of their view. Let S be the mean of the SSIM map, L
 * the mean of |OUT - REF| and M the mean of (OUT - REF)^2. With weights ssim, l1 and mse, the loss
 * is
 *
 *   - ssim (1 - S) + l1 L + mse M
 *
 * The window and the constants are those of ssimcu.h. Means are over all windows, or pixels, of all
 * channels and frames. No channel is alpha. Nothing is clamped, so the gradient follows the formula
 * everywhere; the gradient of |d| is 0 at d = 0. docs/accuracy.md has the bounds of both, for
 * samples from 0 to their peak. The same call gives the same bits in every run on a device,
 * and on the CPU with any number of threads. Identical frames have an S of 1 and a gradient of 0.
 *
 * DOUBLES. On the CPU a view may be F64. The CPU computes in double and rounds only the results. If
 * a side is F64, the numbers of the loss are doubles.
 *
 * MASK. A view of one channel with the frames' size, whose samples are 0 to its peak:
 *
 *   - ZERO: both sides are multiplied by the mask, and the means are over everything.
 *   - MEAN: the mask at the centre of a window, or at a pixel, is its weight in the mean.
 *   - INSIDE: only windows that lie wholly inside the mask count. The inside is where the mask is
 *     not 0. L1 and MSE count the pixels inside. With SSIMCU_PAD_ZERO, pixels outside the frame
 *     count as inside.
 *
 * If nothing counts, L and M are 0, S is 1, and the gradients are 0.
 *
 * MEMORY. You provide all memory of the call. Outputs must not overlap any other argument. On a GPU
 * the call neither allocates, waits, records events nor copies to the host, so a CUDA graph can
 * capture it. */
#ifndef SSIMCU_LOSS_H
#define SSIMCU_LOSS_H

#include "ssimcu_cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ssimcu_loss_mask {
    SSIMCU_LOSS_MASK_ZERO = 0,
    SSIMCU_LOSS_MASK_MEAN = 1,
    SSIMCU_LOSS_MASK_INSIDE = 2
} ssimcu_loss_mask;

typedef struct ssimcu_loss_options {
    size_t struct_size;
    ssimcu_pad pad;
    double ssim, l1, mse;    /* weights, may be negative; if all are 0, ssim is 1 */
    const ssimcu_view *mask; /* U8 or floats; may be NULL. For batches: as many frames, or 1 */
    ssimcu_loss_mask mask_rule;
} ssimcu_loss_options;

/* The elements of a loss in memory. */
enum {
    SSIMCU_LOSS_TOTAL = 0,
    SSIMCU_LOSS_SSIM = 1, /* S */
    SSIMCU_LOSS_L1 = 2,   /* mean |OUT - REF| */
    SSIMCU_LOSS_MSE = 3,
    SSIMCU_LOSS_NUMBERS = 4
};

/* Computes the bytes of workspace that a call takes for such views, with or without gradients. The
 * data of the views and of the mask is ignored. If `options` is NULL, all options have their
 * defaults. One thread at a time uses a context. Errors: as ssimcu_loss_async, without DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status
ssimcu_loss_workspace(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                      const ssimcu_loss_options *options, size_t *bytes, ssimcu_message *message);

/* Computes the loss and its gradients with respect to the samples of OUT and REF. Only the
 * context's device matters, not its settings. On a GPU all memory lies on the device, and the call
 * queues work on `stream`. On the CPU all memory lies on the host, `stream` is NULL, and the call
 * returns when it is done.
 *
 * Views are as in ssimcu_compare_views: U8, U16, F16, BF16, F32 or F64, HWC or CHW, any pitch and
 * pixel_stride, 1 to 4 channels, batches. The two may differ in everything except width, height,
 * channels and frames. In PLANES and BGR, channels must be equally far apart. A gradient is a view
 * of that size, of type F16, BF16, F32 or F64, whose memory is written. Its peak does not matter,
 * and it may be NULL. Elements shrink with the number of samples: in F16 those of large frames are
 * rounded to 0. `loss` holds SSIMCU_LOSS_NUMBERS floats or doubles. `workspace` is aligned to 256
 * bytes. `bytes` is at least the result of ssimcu_loss_workspace.
 *
 * A sample that is not finite makes the loss NaN. One thread at a time uses a context. Errors:
 * ARGUMENT, MISMATCH, TOO_SMALL (SSIM needs 11 pixels per side, unless it pads with zeros),
 * UNSUPPORTED (a view upside down, F64 on a GPU, channels unevenly apart), LIMIT (a side is over
 * 2^24 - 1 pixels), DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status
ssimcu_loss_async(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                  const ssimcu_loss_options *options, void *loss, const ssimcu_view *gradient_out,
                  const ssimcu_view *gradient_ref, void *workspace, size_t bytes,
                  struct CUstream_st *stream, ssimcu_message *message);

/* Multiplies a gradient by *factor, a float in memory of the same device, or a double if the
 * gradient is F64. A factor of 1 costs only the launch. Backward passes need this, because only the
 * device knows the incoming gradient. Errors: as ssimcu_loss_async. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_loss_scale_async(ssimcu_context *context,
                                                                   const ssimcu_view *gradient,
                                                                   const void *factor,
                                                                   struct CUstream_st *stream,
                                                                   ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
