/* Image files <-> frames in host memory. Knows formats, knows nothing of scores or devices.
 *
 * PNG through libpng, JPEG through libjpeg-turbo; the format is told by the file's content, never
 * by its name. Reading is strict: a decoder's complaint, a wrong CRC, a missing end marker or
 * missing data is an error, because a damaged file must never yield a score.
 *
 * Reading has two steps, so that a caller can look at both headers before any memory or device is
 * spent: ssimcu_image_open (reads the file, parses the header) and ssimcu_image_decode (pixels,
 * straight into the caller's memory). An image belongs to one thread at a time; different images
 * are independent. Nothing here prints. Messages name the file.
 */
#ifndef SSIMCU_IMAGE_H
#define SSIMCU_IMAGE_H

#include "ssimcu.h"

/* Limits in force before anything is allocated for an image. Zero means the default. */
enum {
    SSIMCU_IMAGE_MAX_SIDE = 16384,           /* pixels; an 8K frame is 7680 wide */
    SSIMCU_IMAGE_MAX_PIXELS = 1 << 27,       /* four 8K frames */
    SSIMCU_IMAGE_MAX_FILE_BYTES = 512 << 20, /* a 4K 16-bit RGBA frame is 66 MB uncompressed */
};

typedef struct ssimcu_image_options {
    uint32_t max_side;
    uint64_t max_pixels;
    uint64_t max_file_bytes;
    /* Called with one line, without newline, for each harmless remark of a decoder. May be NULL. */
    void (*remark)(void *user, const char *line);
    void *user;
} ssimcu_image_options;

typedef struct ssimcu_image ssimcu_image;

/* Reads `path` and parses its header. *image is live on success, NULL on error; `options` NULL
 * means defaults; what its user pointer points to must outlive the image. Errors: ARGUMENT, FILE,
 * DATA, UNSUPPORTED, LIMIT, MEMORY. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_open(const char *path,
                                                  const ssimcu_image_options *options,
                                                  ssimcu_image **image, ssimcu_message *message);

/* The shape that ssimcu_image_decode will produce (a JPEG's EXIF orientation applied, palette and
 * tRNS expanded, grey below 8 bits widened to 8); pitch and data are 0. */
ssimcu_frame ssimcu_image_shape(const ssimcu_image *image);

/* "PNG" or "JPEG". */
const char *ssimcu_image_format(const ssimcu_image *image);

/* Decodes into frame->data, rows frame->pitch bytes apart; the frame's width, height, channels and
 * bits must equal ssimcu_image_shape's. May be called once per image: it releases the file's bytes.
 * Errors: ARGUMENT, DATA, UNSUPPORTED, LIMIT, MEMORY; on error the pixels are unspecified. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_decode(ssimcu_image *image, ssimcu_frame *frame,
                                                    ssimcu_message *message);

/* Releases the image and sets *image to NULL. Accepts NULL and a pointer to NULL. */
void ssimcu_image_close(ssimcu_image **image);

/* Writes an 8-bit frame as PNG: to a temporary name beside `path`, then renamed, so that a reader
 * never sees half a file and an old file survives a failed write. What exists at `path` and is no
 * regular file is not replaced. Errors: ARGUMENT (also for frames above 2 GB), MEMORY, WRITE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_write_png(const char *path, const ssimcu_frame *frame,
                                                       ssimcu_message *message);

/* Names and versions of the format libraries that this was built with: "libpng 1.6.39,
 * libjpeg-turbo 2.1.5" (libjpeg cannot be asked at run time). */
const char *ssimcu_image_libraries(void);

#endif
