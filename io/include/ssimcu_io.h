/* ssimcu_io: picture files <-> frames in host memory, for programs that use ssimcu and have no
 * readers of their own. It knows formats and knows nothing of scores or devices.
 *
 * STRICT. PNG (libpng) and JPEG (libjpeg-turbo), told apart by the file's content, never by its
 * name. A decoder's complaint, a wrong CRC, a missing end marker or missing data is an error,
 * because a damaged file must never yield a score. JPEG data has no checksum: damage that decodes
 * without complaint cannot be noticed.
 *
 * IN SHORT. Reading has two steps, so that a caller can look at both pictures' sizes before
 * any memory or device is spent:
 *
 *     ssimcu_image *image = NULL;
 *     ssimcu_frame frame = {0};
 *     ssimcu_message why = {0};
 *     ssimcu_status status = ssimcu_image_open("out.png", NULL, &image, &why);
 *     frame = ssimcu_image_shape(image);
 *     if (status == SSIMCU_OK) status = ssimcu_frame_alloc(&frame, &why);
 *     if (status == SSIMCU_OK) status = ssimcu_image_decode(image, &frame, &why);
 *     ssimcu_image_close(&image);
 *     if (status != SSIMCU_OK) fprintf(stderr, "%s\n", why.text);
 *     ssimcu_frame_free(&frame);
 *
 * RULES. Those of ssimcu.h: nothing is printed, no thread is started, the environment is not read,
 * errors come as a status and one line that names the file. An image belongs to one thread at a
 * time; different images are independent, so that a pair can be decoded on two threads.
 */
#ifndef SSIMCU_IO_H
#define SSIMCU_IO_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits ---------------------------------------------------------------------------------- */

/* In force before anything is allocated for a picture, so that a hostile file costs no memory. */
enum {
    SSIMCU_IMAGE_MAX_SIDE = 16384,          /* pixels; an 8K frame is 7680 wide */
    SSIMCU_IMAGE_MAX_PIXELS = 1 << 27,      /* four 8K frames */
    SSIMCU_IMAGE_MAX_FILE_BYTES = 512 << 20 /* a 4K 16-bit RGBA frame is 66 MB uncompressed */
};

/* How to read. A limit of 0 is the default above. */
typedef struct ssimcu_image_options {
    size_t struct_size;
    uint32_t max_side;
    uint64_t max_pixels;
    uint64_t max_file_bytes;
    void (*remark)(void *user, const char *line); /* called with one line, without newline, for each
                                                     harmless remark of a decoder; may be NULL */
    void *user;                                   /* handed to remark; outlives the image */
} ssimcu_image_options;

/* ---- Reading --------------------------------------------------------------------------------- */

/* A picture file in memory whose header has been read. */
typedef struct ssimcu_image ssimcu_image;

/* Reads the file at `path` and parses its header. `options` NULL means the defaults; it is copied.
 * *image is live on success, to be closed by the caller, and NULL on any error.
 * Errors: ARGUMENT, FILE (missing, unreadable), DATA (damaged, not a picture), UNSUPPORTED, LIMIT,
 * MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_open(const char *path,
                                                             const ssimcu_image_options *options,
                                                             ssimcu_image **image,
                                                             ssimcu_message *message);

/* What ssimcu_image_decode will produce: width, height, channels and bits, with pitch and data 0. A
 * JPEG's EXIF orientation is applied, palette and tRNS are expanded, grey below 8 bits is widened
 * to 8. All 0 for NULL. */
SSIMCU_API ssimcu_frame ssimcu_image_shape(const ssimcu_image *image);

/* "PNG" or "JPEG", "" for NULL. */
SSIMCU_API const char *ssimcu_image_format(const ssimcu_image *image);

/* Decodes into frame->data, rows frame->pitch bytes apart: the caller's memory, from
 * ssimcu_frame_alloc or any other. The frame's width, height, channels and bits must equal
 * ssimcu_image_shape's. May be called once per image: it releases the file's bytes.
 * Errors: ARGUMENT, DATA, UNSUPPORTED, LIMIT, MEMORY; on error the pixels are unspecified. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_decode(ssimcu_image *image,
                                                               ssimcu_frame *frame,
                                                               ssimcu_message *message);

/* Releases the image and sets *image to NULL. Accepts NULL and a pointer to NULL. */
SSIMCU_API void ssimcu_image_close(ssimcu_image **image);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Writes an 8-bit frame as PNG: to a temporary name beside `path`, then renamed, so that a reader
 * never sees half a file and an old file survives a failed write. What exists at `path` and is no
 * regular file is not replaced. The frame is only read. May be called from any thread.
 * Errors: ARGUMENT (also for frames above 2 GB), MEMORY, WRITE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_write_png(const char *path,
                                                                  const ssimcu_frame *frame,
                                                                  ssimcu_message *message);

/* ---- Version --------------------------------------------------------------------------------- */

/* Names and versions of the format libraries that this was built with: "libpng 1.6.39,
 * libjpeg-turbo 2.1.5" (libjpeg cannot be asked at run time). */
SSIMCU_API const char *ssimcu_image_libraries(void);

#ifdef __cplusplus
}
#endif

#endif
