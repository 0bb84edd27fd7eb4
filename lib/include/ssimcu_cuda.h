/* ssimcu for callers whose data is already in CUDA device memory. It needs no CUDA header. A stream
 * is what the CUDA runtime calls cudaStream_t, a pointer to struct CUstream_st; NULL is the default
 * stream. The functions exist in every build; without CUDA they return DEVICE. The rules of
 * ssimcu.h hold. */
#ifndef SSIMCU_CUDA_H
#define SSIMCU_CUDA_H

#include "ssimcu_permute.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st;

/* ---- Permute --------------------------------------------------------------------------------- */

/* Permutes as ssimcu_permute does, in memory of the current device. Queues one kernel on `stream`
 * and returns. It waits for nothing, allocates nothing and can be captured into a graph. Any thread
 * may call it. src and dst must stay as they are until the stream has passed this point. An error
 * of the kernel itself appears at the caller's next synchronisation.
 * Errors: ARGUMENT (as ssimcu_permute), DEVICE (no device, no CUDA in this build, launch failed).
 */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_permute_async(const ssimcu_permute_layout *layout,
                                                                void *dst, const void *src,
                                                                struct CUstream_st *stream,
                                                                ssimcu_message *message);

/* ---- Device frames --------------------------------------------------------------------------- */

/* A request scores a pair of device frames, or a batch of pairs, on your own streams. It holds the
 * memory for pairs of one shape and the results of one submission at a time. Everything is
 * allocated when the request is made; a submission only queues work. To have several submissions in
 * flight, on one stream or on overlapping streams, make several requests:
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
 * host memory. `frames` pairs make a batch. Each pair is scored as if it were alone. A request
 * belongs to one thread at a time and may outlive the context that it was made from. All work runs
 * on the context's device. No call changes the caller's current device.
 *
 * SPEED. On devices of compute capability 8.0 or newer, the kernel reads views where they lie if
 * all of these hold:
 *
 *   - Both views have 1 or 3 channels, neither alpha nor luma, and 262144 windows or more.
 *   - Both have the same type, peak, layout, pitch and pixel_stride.
 *   - They are planes of any type (U8 with peak 255), interleaved pixels of any type except F32, or
 *     one channel of U8 or U16 with a pixel_stride of two samples.
 *   - Floats have no transfer, no gain and no nan_zero set, and no tiles are wanted of them.
 *
 * One launch then takes the whole batch, if the distances between planes and between frames are the
 * same on both sides. All other views are first turned into float planes, one pair after the other.
 * Addresses, pitches and strides that are multiples of 16 bytes are fastest. If samples lie two
 * apart, the address of the first of the two counts, also for a view that starts at the second.
 *
 * Further metrics (ssimcu_settings.metrics) take one pair of a batch after the other, and memory
 * for one. PSNR of U8 costs almost nothing where SSIM reads views where they lie, if neither tiles
 * nor MS-SSIM are wanted. SSIMULACRA2 of one channel is that of grey, also if it is Y.
 *
 * VIDEO. A frame that a hardware decoder leaves on the device, NV12 or P010, takes two requests.
 * One is for Y. The other is for a batch of two frames a sample apart, U and V (see PIXELS APART in
 * ssimcu.h):
 *
 *     const ssimcu_view chroma =
 *         SSIMCU_INIT(view, .width = 1920, .height = 1080, .channels = 1, .pitch = 4096,
 *                     .frames = 2, .frame_stride = 1, .pixel_stride = 2);
 *
 * Decoder frames that do not follow each other in memory need a request each. */
typedef struct ssimcu_request ssimcu_request;

/* The memory that a request holds. */
typedef struct ssimcu_memory {
    size_t struct_size;
    uint64_t device_bytes; /* device memory, in one allocation */
    uint64_t pinned_bytes; /* pinned host memory, in one allocation */
} ssimcu_memory;

/* Tells how much memory ssimcu_request_create would take for such a pair, before CUDA rounds it up.
 * Nothing is allocated. `tiles` NULL: no scores per tile; else only its width and height matter.
 * One thread at a time uses a context.
 * Errors: as ssimcu_request_create, without MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status
ssimcu_request_memory(const ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                      const ssimcu_tiles *tiles, ssimcu_memory *memory, ssimcu_message *message);

/* Makes a request for pairs of this description, scored under the context's settings. The views'
 * data is ignored. The device does not check whether alpha is opaque everywhere. So pairs with
 * alpha are scored over black and over white, unless the settings say otherwise. The call may wait
 * for the device, as allocations do. *request is a live object on success and NULL on any error.
 * Release it with ssimcu_request_destroy. One thread at a time uses a context.
 * Errors: ARGUMENT, MISMATCH, TOO_SMALL, LIMIT (a batch of more windows than one launch takes, or a
 * side over 2^24 - 1 pixels), MEMORY, DEVICE (also for a context on the CPU). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status
ssimcu_request_create(ssimcu_context *context, const ssimcu_view *ref, const ssimcu_view *out,
                      const ssimcu_tiles *tiles, ssimcu_request **request, ssimcu_message *message);

/* Waits for what was submitted, releases everything and sets *request to NULL. Accepts NULL and a
 * pointer to NULL. No other thread may be using the request. */
SSIMCU_API void ssimcu_request_destroy(ssimcu_request **request);

/* Queues the scoring on `stream`, a stream of the context's device, and returns. It waits for
 * nothing and allocates nothing on host or device. (CUDA itself loads a kernel when a process first
 * uses it.) The views are those of ssimcu_request_create with their data set. The frames must stay
 * as they are until the stream has passed this point. The scores of the previous submission are
 * lost. The stream must not be capturing a graph. One thread at a time uses a request.
 * Errors: ARGUMENT (also if the previous submission, or the queued part of one that failed, is
 * still running), MEMORY (CUDA itself lacks it to load a kernel), DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_request_submit(ssimcu_request *request,
                                                                 const ssimcu_view *ref,
                                                                 const ssimcu_view *out,
                                                                 struct CUstream_st *stream,
                                                                 ssimcu_message *message);

/* Sets *done to 1 if the scores of the last submission can be read without waiting, else to 0. One
 * thread at a time uses a request.
 * Errors: ARGUMENT (also if nothing was submitted), DEVICE (the work failed). */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_request_poll(ssimcu_request *request,
                                                               uint32_t *done,
                                                               ssimcu_message *message);

/* Gives the score of pair `frame` of the batch, 0 for the first. Waits for the last submission if
 * necessary, asleep if ssimcu_settings.wait_asleep says so. Unless `tiles` is NULL, it is filled in
 * as by ssimcu_compare_views. Its tiles must have the size that the request was made for. The times
 * in the score are 0: measure them with events on the stream. One thread at a time uses a request.
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
