/* ssimcu_pictures: the program's readers, for callers that score or show frames themselves. They
 * read pictures, directories, image sequences and video, one frame after the other, as views of
 * ssimcu.h. The header belongs to the library ssimcu_qa.
 *
 * IN SHORT. This scores two videos frame by frame:
 *
 *     ssimcu_pictures *ref = NULL, *out = NULL;
 *     ssimcu_picture *a = NULL, *b = NULL;
 *     ssimcu_score score = SSIMCU_INIT(score);
 *     ssimcu_status status = ssimcu_pictures_open("ref.mov", NULL, &ref, &why);
 *     if (status == SSIMCU_OK) status = ssimcu_pictures_open("out.mp4", NULL, &out, &why);
 *     while (status == SSIMCU_OK) {
 *         status = ssimcu_pictures_next(ref, &a, &why);
 *         if (status == SSIMCU_OK) status = ssimcu_pictures_next(out, &b, &why);
 *         if (status != SSIMCU_OK || !a || !b) break;
 *         status = ssimcu_compare_pictures(context, a, b, 0, &score, &why);
 *         if (status == SSIMCU_OK) printf("%lld %.9f\n", (long long)a->frame, score.score);
 *         ssimcu_picture_release(&a), ssimcu_picture_release(&b);
 *     }
 *     ssimcu_picture_release(&a), ssimcu_picture_release(&b);
 *     ssimcu_pictures_close(&ref), ssimcu_pictures_close(&out);
 *
 * SAME NUMBERS. ssimcu_compare_pictures refuses the pairs that a run refuses. For all others it
 * gives the run's scores, to the bit, if the context has the same settings. So do the functions of
 * ssimcu.h with the views, whose `linear` is set for linear light.
 *
 * RULES. The rules of ssimcu.h and ssimcu_io.h hold. Frames have the numbers that a run gives those
 * of REF. Damaged video and pictures are errors.
 */
#ifndef SSIMCU_PICTURES_H
#define SSIMCU_PICTURES_H

#include "ssimcu_qa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An open picture, directory, pattern or video. */
typedef struct ssimcu_pictures ssimcu_pictures;

/* A picture, or a frame of video. The library makes it, and the caller releases it. The library
 * owns its views and texts. */
typedef struct ssimcu_picture {
    int64_t frame;           /* number, as in a run's records */
    const char *path;        /* file; lives as long as the ssimcu_pictures */
    const char *shot;        /* subdirectory, with `recursive`; may be NULL */
    uint32_t planes;         /* number of views: 1 of interleaved channels, or 3 for Y, U and V */
    uint32_t on_device;      /* non-zero: the samples are in memory of the CUDA device */
    const ssimcu_view *view; /* array of views; read only */
} ssimcu_picture;

/* Opens `path`, which may be anything that a run takes as REF. `options` NULL means the defaults.
 * The options ref, out, list, merge and offset are ignored, and layers is refused. All others are
 * checked as for a run. These apply: frames, recursive, size, format, layer, channels, threads
 * (0: all), max_pixels, decode and device_index. `path` and the texts must outlive the
 * ssimcu_pictures.
 *
 * Pictures are in host memory. With SSIMCU_DECODE_CUDA, which is only for video, the GPU decodes
 * and keeps frames in its memory. NVDEC does not report damage inside a picture. If the GPU cannot
 * decode the video, that is an error, and the caller may open the file again without it.
 *
 * The call waits for the writer of a pipe. *pictures is NULL on any error. Any thread may call it.
 * Errors: ARGUMENT, FILE, DATA, UNSUPPORTED, LIMIT, MISMATCH (names of files), MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_pictures_open(const char *path,
                                                                const ssimcu_run_options *options,
                                                                ssimcu_pictures **pictures,
                                                                ssimcu_message *message);

/* Reads the next picture. *picture is NULL at the end, and on any error. After an error, the next
 * call reads the following picture; damaged video may be at its end. Requested frames beyond the
 * end of a video are left out.
 *
 * A caller may keep several pictures, but at most 8 in GPU memory: its decoder waits until one is
 * released. One thread at a time may read, and different ssimcu_pictures are independent. Errors:
 * FILE (also for a number without a file), DATA, UNSUPPORTED, LIMIT, MISMATCH (a frame differs in
 * size from the video), MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_pictures_next(ssimcu_pictures *pictures,
                                                                ssimcu_picture **picture,
                                                                ssimcu_message *message);

/* Fails if a run would not compare the two: pictures of two sizes or display windows, or videos of
 * two formats or ranges. A picture never matches a frame of video. Any thread may call it. Errors:
 * ARGUMENT (NULL), MISMATCH. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_picture_match(const ssimcu_picture *ref,
                                                                const ssimcu_picture *out,
                                                                ssimcu_message *message);

/* Scores two pictures, or fails as ssimcu_picture_match does. Both may be in the memory of the
 * context's GPU. `tile` is the side of a tile in pixels, or 0. If it is set, score->worst is the
 * run's worst tile, with width 0 if there is no SSIM (ssimcu_score.score). score->struct_size must
 * be set. *score is unchanged on error. One thread at a time uses a context. Errors: ARGUMENT,
 * MISMATCH, TOO_SMALL, LIMIT, MEMORY, DEVICE, DATA, as ssimcu_compare_views. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_pictures(
    ssimcu_context *context, const ssimcu_picture *ref, const ssimcu_picture *out, uint32_t tile,
    ssimcu_score *score, ssimcu_message *message);

/* Releases a picture and sets *picture to NULL. Accepts NULL and a pointer to NULL. GPU work that
 * reads it must have finished. Any thread may call it, even while another one reads. */
SSIMCU_API void ssimcu_picture_release(ssimcu_picture **picture);

/* Closes the ssimcu_pictures and sets *pictures to NULL. All pictures must have been released.
 * Accepts NULL and a pointer to NULL. No other thread may be using it. */
SSIMCU_API void ssimcu_pictures_close(ssimcu_pictures **pictures);

#ifdef __cplusplus
}
#endif

#endif
