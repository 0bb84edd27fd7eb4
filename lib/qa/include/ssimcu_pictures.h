/* ssimcu_pictures: the program's readers, for callers that score or show frames themselves. They
 * read pictures, directories, numbered sequences and video, one frame after the other, as views of
 * ssimcu.h. It is part of the library ssimcu_qa.
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
 * SAME NUMBERS. ssimcu_compare_pictures refuses the pairs that a run refuses, and gives the others
 * the run's scores, to the bit, if the context's settings are the same. So do the functions of
 * ssimcu.h with the views, and a view says whether it is of linear light.
 *
 * RULES. The rules of ssimcu.h and ssimcu_io.h hold. Frames are numbered as a run numbers those of
 * REF. Damaged video and pictures are errors, as everywhere.
 */
#ifndef SSIMCU_PICTURES_H
#define SSIMCU_PICTURES_H

#include "ssimcu_qa.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What is read: a picture, a directory, a pattern or video. */
typedef struct ssimcu_pictures ssimcu_pictures;

/* A picture, or a frame of video. The library makes it, and the caller releases it. Views and texts
 * are the library's. */
typedef struct ssimcu_picture {
    int64_t frame;           /* number, as in a run's records */
    const char *path;        /* file; the text lives as long as the ssimcu_pictures */
    const char *part;        /* directory below the root, if all are read; NULL: none */
    uint32_t planes;         /* number of views: 1 of whole pixels, or 3 of Y, U and V */
    uint32_t on_device;      /* non-zero: the samples are in memory of the CUDA device */
    const ssimcu_view *view; /* array of views; their memory is only read */
} ssimcu_picture;

/* Opens `path`, which may be whatever a run takes as REF. `options` NULL means the defaults. Their
 * ref, out, list, merge and offset are ignored, layers is refused, and all other fields are checked
 * as for a run. These count: frames, recursive, size, format, layer, channels, threads (0: all),
 * max_pixels, decode and device_index. `path` and the texts must outlive the ssimcu_pictures.
 *
 * Pictures are in host memory. Under SSIMCU_DECODE_CUDA, which is for video alone, the GPU decodes
 * and keeps them in its memory. It does not report damage inside a picture. If the GPU cannot, that
 * is an error, and the caller may open the file again without it.
 *
 * Waits for the writer of a pipe. *pictures is NULL on any error. Any thread may call it. Errors:
 * ARGUMENT, FILE, DATA, UNSUPPORTED, LIMIT, MISMATCH (names of files), MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_pictures_open(const char *path,
                                                                const ssimcu_run_options *options,
                                                                ssimcu_pictures **pictures,
                                                                ssimcu_message *message);

/* Reads the next picture. *picture is NULL at the end, and on any error. After an error the next
 * call reads the following picture; damaged video may be at its end. Frames that were asked for and
 * lie beyond the end of a video are left out. Several pictures may be kept, but at most 8 of a GPU,
 * whose decoder waits for one to be released. One thread at a time may read, and different
 * ssimcu_pictures are independent. Errors: FILE (also for a number without a file), DATA,
 * UNSUPPORTED, LIMIT, MISMATCH (a frame of another size than the video), MEMORY, DEVICE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_pictures_next(ssimcu_pictures *pictures,
                                                                ssimcu_picture **picture,
                                                                ssimcu_message *message);

/* Fails if a run would not compare the two: pictures of two sizes or display windows, video of two
 * formats or ranges. A picture never matches a frame of video. Any thread may call it.
 * Errors: ARGUMENT (NULL), MISMATCH. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_picture_match(const ssimcu_picture *ref,
                                                                const ssimcu_picture *out,
                                                                ssimcu_message *message);

/* Scores two pictures, or fails as ssimcu_picture_match does. Both may lie in the memory of the
 * context's GPU. With `tile`, the side of a tile in pixels (0: none), score->worst is the run's
 * worst tile, of width 0 if there is no SSIM (ssimcu_score.score). score->struct_size must be
 * set; *score is unchanged on error. One thread at a time uses a context. Errors: ARGUMENT,
 * MISMATCH, TOO_SMALL, LIMIT, MEMORY, DEVICE, DATA, as ssimcu_compare_views. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_compare_pictures(
    ssimcu_context *context, const ssimcu_picture *ref, const ssimcu_picture *out, uint32_t tile,
    ssimcu_score *score, ssimcu_message *message);

/* Releases a picture and sets *picture to NULL. Accepts NULL and a pointer to NULL. Work on a GPU
 * that reads it must be done. Any thread may call it, also while another reads on. */
SSIMCU_API void ssimcu_picture_release(ssimcu_picture **picture);

/* Closes what was read and sets *pictures to NULL. All pictures must have been released. Accepts
 * NULL and a pointer to NULL. No other thread may use it meanwhile. */
SSIMCU_API void ssimcu_pictures_close(ssimcu_pictures **pictures);

#ifdef __cplusplus
}
#endif

#endif
