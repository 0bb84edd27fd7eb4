/* ssimcu as a loss: SSIM, L1 and the mean squared error of two pictures or batches, with the
 * gradient, in one pass over the samples. The rules of ssimcu.h hold.
 *
 * THE NUMBER. Samples are divided by the peak of their view. With weights ssim, l1 and mse, and the
 * means S of the SSIM map, L of |OUT - REF| and M of (OUT - REF)^2, the loss is
 *
 *   - ssim (1 - S) + l1 L + mse M
 *
 * The window and the constants are those of ssimcu.h. Means are over all windows, or pixels, of all
 * channels and frames. No channel is alpha. Nothing is clamped, so that the gradient is that of the
 * formula everywhere; that of |d| is 0 where d is. For samples from 0 to their peak the loss is
 * within 1e-6 of the float64 value, and an element of the gradient within 1e-5 of the largest,
 * before it is rounded to its type. A GPU has samples as floats, so 1e-7 over their contrast is to
 * be added there: 3e-5 where samples differ by 0.003 of the peak, from their neighbours or from the
 * other side. The same call gives the same bits on every run of a device, and on the CPU with any
 * number of threads. Frames that are the same have an S of 1 and a gradient of 0.
 *
 * DOUBLES. On the CPU a view may be F64. All is computed in double there, so only what is written
 * is rounded. If a side is F64, the numbers of the loss are doubles.
 *
 * MASK. A view of one channel, from 0 to its peak, of the frames' size:
 *
 *   - ZERO: both sides are multiplied by it, and the means are over all.
 *   - MEAN: a window, or a pixel, counts as much as the mask at its centre: sum of mask times value
 *     over the sum of mask.
 *   - INSIDE: windows that lie wholly inside the mask count, which is where it is not 0; of L1 and
 *     MSE its pixels. With SSIMCU_PAD_ZERO, pixels outside the frame count as inside.
 *
 * A mean over nothing is 0, and so is its gradient; S is 1 then.
 *
 * MEMORY. All memory of the call is yours. What is written overlaps nothing else that the call is
 * given. On a GPU nothing is allocated, waited for, recorded or copied to the host, so a CUDA graph
 * can capture the call. */
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
    double ssim, l1, mse;    /* weights, also negative ones; all 0: ssim is 1 */
    const ssimcu_view *mask; /* U8 or floats; NULL: none. Batches: as many frames, or 1 */
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

/* Tells how many bytes of workspace a call takes for such views, with or without gradients. Their
 * data is ignored, also that of the mask. `options` NULL: all defaults. One thread at a time uses a
 * context. Errors: as ssimcu_loss_async, without DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status
ssimcu_loss_workspace(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                      const ssimcu_loss_options *options, size_t *bytes, ssimcu_message *message);

/* Makes the loss and the gradients of it by the samples of OUT and of REF. The context's settings
 * do not matter, only its device. On a GPU all memory is the device's, and the call queues work on
 * `stream`. On the CPU all is the host's, `stream` is NULL and the call returns when it is done.
 *
 * The views are as those of ssimcu_compare_views: U8, U16, F16, BF16, F32 or F64, HWC or CHW, any
 * pitch and pixel_stride, 1 to 4 channels, batches; the two may differ in all but width, height,
 * channels and frames. Of PLANES and BGR, channels must lie equally far apart. A gradient is a view
 * of that size, of type F16, BF16, F32 or F64, whose memory is written; its peak does not matter.
 * NULL: it is not wanted. Elements shrink with the number of samples: in F16 those of large frames
 * are rounded to 0. `loss`: SSIMCU_LOSS_NUMBERS floats, or doubles. `workspace` is aligned to 256
 * bytes, and `bytes` is what ssimcu_loss_workspace told or more.
 *
 * Samples must be finite: any other makes the loss NaN. One thread at a time uses a context.
 * Errors: ARGUMENT, MISMATCH, TOO_SMALL (SSIM takes 11 pixels a side, unless it pads with zeros),
 * UNSUPPORTED (a view upside down, F64 on a GPU, channels unevenly apart), LIMIT (a side is over
 * 2^24 - 1 pixels), DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status
ssimcu_loss_async(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                  const ssimcu_loss_options *options, void *loss, const ssimcu_view *gradient_out,
                  const ssimcu_view *gradient_ref, void *workspace, size_t bytes,
                  struct CUstream_st *stream, ssimcu_message *message);

/* Multiplies a gradient by *factor, a float in memory of the same device, or a double if the
 * gradient is F64; a factor of 1 costs nothing but the launch. Backward passes need it: what comes
 * from above is known to the device alone. Errors: as ssimcu_loss_async. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_loss_scale_async(ssimcu_context *context,
                                                                   const ssimcu_view *gradient,
                                                                   const void *factor,
                                                                   struct CUstream_st *stream,
                                                                   ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
