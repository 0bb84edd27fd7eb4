/* ssimcu_io: picture files to frames in host memory, and back, for programs that use ssimcu and
 * have no readers of their own. It knows file formats; it knows nothing of scores or devices.
 *
 * STRICT. It reads PNG (with libpng; what renders are, with ISA-L's igzip, by the same rules), JPEG
 * (with libjpeg-turbo), TIFF (with libtiff 4.5 or later, where the library was built with it), DPX
 * and EXR (with OpenEXR, where the module libssimcu_exr.so of the package
 * ssimcu-exr is installed), and tells them apart by the file's content, never by its name. A wrong
 * checksum, a missing end marker, missing or surplus image data, and whatever else a decoder finds
 * wrong with the data are errors, because a damaged file must never yield a score. JPEG data has no
 * checksum: damage that decodes without a warning cannot be noticed. Arithmetic-coded JPEGs are
 * UNSUPPORTED: in them not even missing data can be. EXR has no checksum either, but for what its
 * compressions have: ZIP and PXR24 notice a changed bit, the others mostly do not. Missing and
 * misplaced data is noticed always.
 *
 * EXR. Samples are floats, linear light: ssimcu_settings.transfer says what becomes of them. Parts
 * of scanlines and of tiles, of half, float and uint, in every compression; deep data, luminance
 * with chroma and subsampled channels are UNSUPPORTED. Channels R, G and B of the first part, or Y
 * alone as grey, unless the options say otherwise; alpha is not read, so that the colours, which
 * EXR holds multiplied by it, are scored as they are stored, over black. The frame is the display
 * window, 0 where the data window does not reach.
 *
 * TIFF. Samples of 8 and 16 bits, half and float (linear light, as of an EXR); grey, RGB and
 * palettes, in strips and tiles, interleaved and in planes, uncompressed, LZW, deflate, PackBits;
 * its orientation is applied. One page: of more the file is UNSUPPORTED, but thumbnails are passed
 * over. An extra sample must say that it is alpha. Associated alpha yields 16 bits: colours are
 * divided by it, and where one is above it, alpha counts as the greatest colour, so that over black
 * every pixel is what is stored. Of floats associated alpha is not read. Warnings of libtiff are
 * errors, but for tags that it does not know. A strip or tile that is missing, short or does not
 * decode to exactly its pixels is an error; deflated data has a checksum, LZW and PackBits notice
 * damage that changes a length, uncompressed data none.
 *
 * DPX. RGB and RGBA of 8, 10, 12 and 16 bits, luma of all but 10; packed and filled, in both byte
 * orders, in every orientation. Code values are left as they are stored, whatever their transfer;
 * alpha counts as straight. Several elements and run-length encoding are UNSUPPORTED. The file must
 * be exactly as long as its picture needs; other damage cannot be noticed.
 *
 * IN SHORT. One call reads a file:
 *
 *     ssimcu_frame frame;
 *     ssimcu_message why = {0};
 *     if (ssimcu_image_read("out.png", NULL, &frame, &why) == SSIMCU_OK)
 *         printf("%ux%u\n", (unsigned)frame.width, (unsigned)frame.height);
 *     else
 *         fprintf(stderr, "%s\n", why.text);
 *     ssimcu_frame_free(&frame);
 *
 * Two steps do the same for a caller that looks at the sizes first, before memory or a device is
 * spent on the pictures, or that has memory of its own for the samples:
 *
 *     ssimcu_image *image = NULL;
 *     ssimcu_frame frame = {0};
 *     ssimcu_message why = {0};
 *     ssimcu_status status = ssimcu_image_open("out.png", NULL, &image, &why);
 *     frame = ssimcu_image_shape(image); // such as 3840x2160, 3 channels, 8 bits; no data yet
 *     if (status == SSIMCU_OK) status = ssimcu_frame_alloc(&frame, &why);
 *     if (status == SSIMCU_OK) status = ssimcu_image_decode(image, &frame, &why);
 *     ssimcu_image_close(&image);
 *     if (status != SSIMCU_OK) fprintf(stderr, "%s\n", why.text);
 *     ssimcu_frame_free(&frame);
 *
 * RULES. Those of ssimcu.h: nothing is printed, no thread is started that the caller did not ask
 * for (ssimcu_image_options.threads), none but OpenEXR's outlives the call, the environment is not
 * read, and an error is a status and one line that names the file. An image belongs to one thread
 * at a time; different images are independent, so that a pair can be decoded on two threads.
 * Functions that take no image may be called from any thread.
 */
#ifndef SSIMCU_IO_H
#define SSIMCU_IO_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits ---------------------------------------------------------------------------------- */

/* The default limits. They are checked before memory is allocated for the picture, so that a
 * hostile file costs none. */
enum {
    SSIMCU_IMAGE_MAX_SIDE = 16384,          /* pixels; an 8K frame is 7680 wide */
    SSIMCU_IMAGE_MAX_PIXELS = 1 << 27,      /* four 8K frames */
    SSIMCU_IMAGE_MAX_FILE_BYTES = 512 << 20 /* a 4K 16-bit RGBA frame is 66 MB uncompressed */
};

/* How to read. A limit of 0 means the default above. The struct of an older header, which is
 * shorter, is accepted; the least holds the limits. */
typedef struct ssimcu_image_options {
    size_t struct_size;                           /* sizeof(ssimcu_image_options) */
    uint32_t max_side;                            /* pixels, of width and of height */
    uint64_t max_pixels;                          /* width times height */
    uint64_t max_file_bytes;                      /* of the compressed file */
    void (*remark)(void *user, const char *line); /* called with one line, without its line break,
                                                     for each harmless remark of a decoder, on the
                                                     thread that opens or decodes; may be NULL */
    void *user;                                   /* handed to remark; must outlive the image */
    /* Of EXR. The texts must outlive the image. */
    const char *layer;    /* "diffuse": channels diffuse.R, .G and .B, or of the part of that name;
                             NULL: none */
    const char *channels; /* "Z" or "N.X,N.Y,N.Z": one channel as grey, or three; NULL: "R,G,B" */
    uint32_t threads;     /* that decode one file, including the calling thread; 0 or 1: the calling
                             thread alone. A PNG keeps two busy; of EXR, OpenEXR shares and keeps them.
                             What is read and refused does not depend on it. */
} ssimcu_image_options;

/* ---- Reading in one call --------------------------------------------------------------------- */

/* Reads the picture file at `path` into a new frame. What is in it, see ssimcu_image_shape.
 * `options` NULL means the defaults. What *frame held before is overwritten, not released. On
 * success the frame's memory comes from ssimcu_frame_alloc, and the caller releases it with
 * ssimcu_frame_free; on any error *frame is all zeros, and there is nothing to release.
 * Errors: ARGUMENT, FILE (missing, unreadable), DATA (damaged, not a picture), UNSUPPORTED, LIMIT,
 * MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_read(const char *path,
                                                             const ssimcu_image_options *options,
                                                             ssimcu_frame *frame,
                                                             ssimcu_message *message);

/* ---- Reading in two steps -------------------------------------------------------------------- */

/* A picture file in memory whose header has been parsed. */
typedef struct ssimcu_image ssimcu_image;

/* Reads the file at `path` into memory and parses its header. `options` NULL means the defaults;
 * the struct is copied. On success *image is live, and the caller closes it; on any error it is
 * NULL. Errors: ARGUMENT, FILE (missing, unreadable), DATA (damaged, not a picture), UNSUPPORTED,
 * LIMIT, MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_open(const char *path,
                                                             const ssimcu_image_options *options,
                                                             ssimcu_image **image,
                                                             ssimcu_message *message);

/* The shape that decoding will yield: width and height in pixels, 1 to 4 channels (grey, grey and
 * alpha, RGB, RGBA) of 8 or 16 bits, of DPX also 10 and 12, of EXR and TIFF SSIMCU_BITS_F16 or
 * _F32; pitch and data are 0. A file's orientation is applied, palette and tRNS are expanded, grey
 * below 8 bits is widened to 8. All fields are 0 for NULL. */
SSIMCU_API ssimcu_frame ssimcu_image_shape(const ssimcu_image *image);

/* The name of the format, "PNG", "JPEG", "TIFF", "DPX" or "EXR"; "" for NULL. */
SSIMCU_API const char *ssimcu_image_format(const ssimcu_image *image);

/* The name of the library that decoded the image, or before that of the one that read its header:
 * "igzip" or "libpng" for a PNG, "libjpeg-turbo" for a JPEG, "libtiff", "ssimcu" for a DPX,
 * "OpenEXR"; "" for NULL. */
SSIMCU_API const char *ssimcu_image_reader(const ssimcu_image *image);

/* Decodes into frame->data, with rows frame->pitch bytes apart: memory that the caller owns, from
 * ssimcu_frame_alloc or from elsewhere. The frame's width, height, channels and bits must equal
 * ssimcu_image_shape's. An image can be decoded once, since decoding releases the file's bytes.
 * Errors: ARGUMENT, DATA, UNSUPPORTED, LIMIT, MEMORY; on error the samples are unspecified. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_decode(ssimcu_image *image,
                                                               ssimcu_frame *frame,
                                                               ssimcu_message *message);

/* Releases the image and sets *image to NULL. Accepts NULL and a pointer to NULL. */
SSIMCU_API void ssimcu_image_close(ssimcu_image **image);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Writes a frame of 1 to 4 channels of 8 bits as PNG: to a temporary file beside `path`, which is
 * then renamed, so that a reader never sees half a file and an old file survives a failed write.
 * Something at `path` that is not a regular file is never replaced. The frame is only read.
 * Errors: ARGUMENT (also for frames above 2 GB), MEMORY, WRITE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_write_png(const char *path,
                                                                  const ssimcu_frame *frame,
                                                                  ssimcu_message *message);

/* ---- Version --------------------------------------------------------------------------------- */

/* Names and versions of the decoders that this library was built with, such as "libpng 1.6.39,
 * igzip 2.30.0, libjpeg-turbo 2.1.5, libtiff 4.5.0". */
SSIMCU_API const char *ssimcu_image_libraries(void);

#ifdef __cplusplus
}
#endif

#endif
