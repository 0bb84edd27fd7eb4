/* ssimcu for data that is already in CUDA device memory. It needs no CUDA header. A stream is a
 * pointer to struct CUstream_st, which the CUDA runtime calls cudaStream_t; NULL is the default
 * stream. The functions exist in every build; without CUDA they return DEVICE. The rules of
 * ssimcu.h apply. */
#ifndef SSIMCU_CUDA_H
#define SSIMCU_CUDA_H

#include "ssimcu_permute.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* ---- Permute --------------------------------------------------------------------------------- */

/* Permutes like ssimcu_permute, in memory of the current device. Queues one kernel on `stream` and
 * returns. The call waits for nothing, allocates nothing and can be captured into a graph. Any
 * thread may call it. src and dst must not change until the stream has passed this point. An error
 * of the kernel itself appears at the caller's next synchronisation. Errors: ARGUMENT (as
 * ssimcu_permute), DEVICE (no device, no CUDA in this build, launch failed).
 */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_permute_async(const ssimcu_permute_layout *layout,
                                                                void *dst, const void *src,
                                                                struct CUstream_st *stream,
                                                                ssimcu_message *message);

/* ---- Device frames --------------------------------------------------------------------------- */

/* A request scores a pair of device frames, or a batch of pairs, on your streams. It holds the
 * memory for pairs of one shape and the results of one submission at a time. Creating it allocates
 * everything; a submission only queues work. To have several submissions in flight, on one stream
 * or on overlapping streams, create several requests:
 *
 *     ssimcu_view a = SSIMCU_INIT(view, .width = 3840, .height = 2160, .channels = 3);
 *     ssimcu_view b = a;
 *     ssimcu_request *request = NULL;
 *     ssimcu_score score = SSIMCU_INIT(score);
 *     if (ssimcu_request_create(context, &a, &b, NULL, &request, &why) == SSIMCU_OK) {
 *         a.data[0] = src, b.data[0] = dst;
 *         if (ssimcu_request_submit(request, &a, &b, stream, &why) == SSIMCU_OK &&
 *             ssimcu_request_score(request, 0, &score, NULL, &why) == SSIMCU_OK)
 *             printf("%.9f\n", score.score);
 *     }
 *     ssimcu_request_destroy(&request);
 *
 * The views describe memory that the context's device can read: device memory, or managed or pinned
 * host memory. `frames` is the number of pairs in a batch. Each pair is scored independently. A
 * request belongs to one thread at a time and may outlive its context. All work runs on the
 * context's device. No call changes the caller's current device.
 *
 * SPEED. On devices of compute capability 8.0 or newer, the kernel reads views in place if all of
 * these hold:
 *
 *   - Both views have 1 or 3 channels, neither alpha nor luma, and 262144 windows or more.
 *   - Both have the same type, peak, layout, pitch and pixel_stride.
 *   - They are planes of any type (U8 with peak 255), or interleaved pixels of any type except F32.
 *     One channel of U8 or U16 may also have a pixel_stride of two samples.
 *   - Floats have no transfer, gain or nan_zero set, and no tiles.
 *
 * One launch then scores the whole batch, if the distances between planes and between frames are
 * the same on both sides. All other views are first converted to float planes, one pair after the
 * other. Addresses, pitches and strides that are multiples of 16 bytes are fastest. For a
 * pixel_stride of two samples, the address of the first of the two counts, even if the view starts
 * at the second.
 *
 * Other metrics (ssimcu_settings.metrics) process the pairs of a batch one after the other, and
 * need memory for one. PSNR of U8 costs almost nothing if SSIM reads views in place, without tiles
 * and MS-SSIM. SSIMULACRA2 treats one channel as grey, even if it is Y.
 *
 * VIDEO. An NV12 or P010 frame that a hardware decoder leaves on the device takes two requests. One
 * is for Y. The other is for U and V as a batch of two frames one sample apart (see PIXEL STRIDE in
 * ssimcu.h):
 *
 *     const ssimcu_view chroma =
 *         SSIMCU_INIT(view, .width = 1920, .height = 1080, .channels = 1, .pitch = 4096,
 *                     .frames = 2, .frame_stride = 1, .pixel_stride = 2);
 *
 * Decoder frames that are not adjacent in memory need one request each. */
typedef struct ssimcu_request ssimcu_request;

/* The memory that a request holds. */
typedef struct ssimcu_memory {
    size_t struct_size;
    uint64_t device_bytes; /* device memory, in one allocation */
    uint64_t pinned_bytes; /* pinned host memory, in one allocation */
} ssimcu_memory;

/* Computes the memory that ssimcu_request_create would take for such a pair, before CUDA rounds it
 * up. Allocates nothing. If `tiles` is NULL, there are no scores per tile; otherwise only its width
 * and height matter. One thread at a time uses a context. Errors: as ssimcu_request_create, without
 * MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status
ssimcu_request_memory(const ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                      const ssimcu_tiles *tiles, ssimcu_memory *memory, ssimcu_message *message);

/* Creates a request for pairs of this description, scored with the context's settings. The views'
 * data is ignored. The device does not check whether alpha is opaque everywhere, so pairs with
 * alpha are scored over black and over white unless the settings differ. The call may wait for the
 * device, as allocations do. *request is NULL after any error. Release the request with
 * ssimcu_request_destroy. One thread at a time uses a context. Errors: ARGUMENT, MISMATCH,
 * TOO_SMALL, LIMIT (a batch of more windows than one launch takes, or a side over 2^24 - 1 pixels),
 * MEMORY, DEVICE (also for a context on the CPU). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status
ssimcu_request_create(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                      const ssimcu_tiles *tiles, ssimcu_request **request, ssimcu_message *message);

/* Waits for submitted work, releases everything and sets *request to NULL. Accepts NULL and a
 * pointer to NULL. No other thread may be using the request. */
SSIMCU_API void ssimcu_request_destroy(ssimcu_request **request);

/* Queues the scoring on `stream`, a stream of the context's device, and returns. The call waits for
 * nothing and allocates nothing on the host or the device. (CUDA loads a kernel when a process
 * first uses it.) The views are those of ssimcu_request_create with their data set. The frames must
 * not change until the stream has passed this point. The scores of the previous submission are
 * lost. The stream must not be capturing a graph. One thread at a time uses a request. Errors:
 * ARGUMENT (also if the previous submission, or the queued part of a failed one, is still running),
 * MEMORY (CUDA cannot load a kernel), DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_request_submit(ssimcu_request *request,
                                                                 const ssimcu_view *ref,
                                                                 const ssimcu_view *out,
                                                                 struct CUstream_st *stream,
                                                                 ssimcu_message *message);

/* Sets *done to 1 if the scores of the last submission can be read without waiting, otherwise to 0.
 * One thread at a time uses a request. Errors: ARGUMENT (also if nothing was submitted), DEVICE
 * (the work failed). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_request_poll(ssimcu_request *request,
                                                               uint32_t *done,
                                                               ssimcu_message *message);

/* Reads the score of pair `frame` of the batch, counted from 0. Waits for the last submission if
 * necessary, asleep if ssimcu_settings.wait_asleep is set. Unless `tiles` is NULL, fills it in like
 * ssimcu_compare_views. Its tiles must have the size given to ssimcu_request_create. The times in
 * the score are 0: measure them with events on the stream. One thread at a time uses a request.
 * Errors: ARGUMENT (also if nothing was submitted), DATA (that pair has float samples that are not
 * finite, see ssimcu_view), DEVICE (the work failed; destroy the request). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_request_score(ssimcu_request *request,
                                                                uint32_t frame, ssimcu_score *score,
                                                                ssimcu_tiles *tiles,
                                                                ssimcu_message *message);

#ifdef __cplusplus
}
#endif

#endif
