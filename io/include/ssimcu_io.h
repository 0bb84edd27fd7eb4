/* ssimcu_io: reads picture files into frames in host memory, and writes frames to files. It is for
 * programs that use ssimcu and have no readers of their own. It knows file formats; it knows
 * nothing of scores or devices.
 *
 * FORMATS. A file's format is told by its content, never by its name:
 *
 *   - PNG, with libpng. A PNG as renderers write it is read faster, with ISA-L's igzip, by the same
 *     rules.
 *   - JPEG, with libjpeg-turbo.
 *   - TIFF, with libtiff 4.5 or later, if the library was built with it.
 *   - DPX, without another library.
 *   - EXR, with OpenEXR, if the module libssimcu_exr.so of the package ssimcu-exr is installed. It
 *     runs in worker processes; see below.
 *
 * STRICT. A damaged file must never yield a score. So whatever a decoder finds wrong with the data
 * is an error, also what other programs repair or only warn of. Such are a wrong checksum, a
 * missing end marker, and missing or surplus image data.
 *
 * PNG. An animation of more than one frame is UNSUPPORTED: a score of its first frame would say
 * nothing of the others. The orientation is applied: that of eXIf, or of a text "Raw profile type
 * exif" or "APP1", or of XMP. If it is not upright, decoding holds a second frame.
 *
 * JPEG. The data has no checksum: damage that decodes without a warning cannot be noticed.
 * Arithmetic-coded files are UNSUPPORTED because in them even missing data cannot be noticed.
 *
 * EXR. Samples are floats in linear light, and the frame says so, except for data: a single chosen
 * channel such as depth, and a layer of X, Y and Z. So ssimcu_compare scores them as the program
 * ssimcu does. Parts of scanlines and of tiles are read, of half, float and uint, in every
 * compression. Deep data, luminance with chroma and subsampled channels are UNSUPPORTED.
 *
 * The picture of an EXR is made of channels R, G and B of the first part, or of Y alone as grey. If
 * it has neither, it is the first layer that is called as renderers call the whole picture: Ci, C,
 * Combined, rgba, rgb or beauty, with r, g, b or red, green, blue in it. The options choose others.
 * A layer has R, G and B in any of these forms, or X, Y and Z, or a single channel. Its name may be
 * a part's, and the end of a longer one: "Combined" finds "ViewLayer.Combined". A channel of a part
 * may be called by both names, "depth.Z".
 *
 * Alpha of an EXR is not read with the picture. EXR stores colours multiplied by alpha, so they are
 * scored as they look over black. The frame is the display window; it is 0 outside the data window.
 * Missing and misplaced data is always noticed. ZIP and PXR24 compression also notice a changed
 * bit, the others mostly do not.
 *
 * A JPEG may hold further pictures behind the first (Multi-Picture Format, MPO). The first is the
 * photo, and it alone is read; ssimcu_image_options.remark is told so. Previews are passed over. A
 * picture of the same size that follows unlisted makes the file a video (MJPEG): UNSUPPORTED.
 *
 * TIFF. Samples have 8 or 16 bits, or are half or float (linear light, as in EXR). They are grey,
 * RGB or a palette, in strips or tiles, interleaved or in planes. They are uncompressed or
 * compressed by LZW, deflate or PackBits. The orientation is applied. A file of several pages is
 * UNSUPPORTED, but thumbnails and a texture's smaller levels are passed over. An extra sample must
 * say that it is alpha.
 *
 * Associated alpha of a TIFF, by which the colours are multiplied, yields 16 bits: the colours are
 * divided by it. If a colour is above alpha, alpha counts as the greatest colour, so that every
 * pixel over black is what is stored. Associated alpha of floats is not read.
 *
 * Decoding may hold a whole tile. One above 1048576 pixels may have at most 16 times as many as the
 * picture, and at most max_pixels.
 *
 * libtiff's warnings are errors, except those about the order of tags and about tags that decide no
 * pixel, such as texts. A tag that decides pixels and is there twice is an error. An orientation
 * that does not exist counts as upright. A strip or tile of a TIFF that is missing, short or does
 * not decode to exactly its pixels is an error. Deflated data has a checksum. LZW and PackBits
 * notice damage that changes a length. Uncompressed data notices none.
 *
 * DPX. RGB and RGBA are read with 8, 10, 12 and 16 bits, luma with 8, 12 and 16. Samples may be
 * packed or filled, in either byte order, in every orientation. Code values are left as they are
 * stored, whatever their transfer; alpha counts as straight. Several elements and run-length
 * encoding are UNSUPPORTED. No sample may be missing; other damage cannot be noticed. Bytes behind
 * the picture are passed over. If lines end within a 32-bit word, there may be such bytes only if
 * the header's file size says where the picture ends.
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
 * Two steps do the same. They let the caller look at the sizes before it spends memory or a device
 * on the pictures, or decode into memory of its own:
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
 * RULES. The rules of ssimcu.h hold. Nothing is printed, and the environment is not read. An error
 * is a status and one line that names the file. No thread is started unless the caller asks for it
 * (ssimcu_image_options.threads).
 *
 * PROCESSES. An EXR is decoded by a worker, the program ssimcu-decode, so that a decoder that
 * crashes or hangs is an error of its file (DATA) and not the end of the caller. It is looked for
 * in the folder ssimcu of each library directory. Each concurrent call has a worker. It then waits
 * for the next file, with its threads, and ends with the process or when the library is unloaded.
 * It inherits the environment but no descriptor, has a process group of its own, and is waited for
 * by its number alone. A host sees its SIGCHLD; a host that itself waits for every child only
 * makes the message lose the signal's name. After a fork the child starts workers of its own.
 * A file must not change between open and decode: it is an error (FILE). If there is no such
 * program, as behind a static library, OpenEXR and its threads are in the calling process.
 *
 * THREADS. One thread at a time may use an image. Different images are independent: a pair can be
 * decoded on two threads. Any thread may call the functions that take no image.
 */
#ifndef SSIMCU_IO_H
#define SSIMCU_IO_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits ---------------------------------------------------------------------------------- */

/* The default limits. They are checked before memory is allocated for the picture, so that a
 * hostile file costs none. No side may be longer than 16777215, the most that ssimcu compares. */
enum {
    SSIMCU_IMAGE_MAX_PIXELS = 1 << 27,      /* four 8K frames */
    SSIMCU_IMAGE_MAX_FILE_BYTES = 512 << 20 /* a 4K 16-bit RGBA frame is 66 MB uncompressed */
};

/* How to read a picture. A limit of 0 means the default above. The shorter struct of an older
 * header is accepted, as long as it holds the limits. */
typedef struct ssimcu_image_options {
    size_t struct_size;      /* sizeof(ssimcu_image_options) */
    uint64_t max_pixels;     /* greatest width times height */
    uint64_t max_file_bytes; /* greatest size of the compressed file */
    /* Takes a harmless remark on a file that is read: one line without a line break, on the thread
     * that opens or decodes. May be NULL. */
    void (*remark)(void *user, const char *line);
    void *user; /* first argument of remark; must outlive the image */
    /* The next two fields are for EXR, see EXR above. Their texts must outlive the image. */
    const char *layer;    /* such as "diffuse", or the name of a part; NULL: none */
    const char *channels; /* one channel as grey, such as "Z", or three, such as "N.X,N.Y,N.Z";
                             NULL: those of the layer, or of the whole picture */
    uint32_t threads;     /* threads that decode one file, including the calling thread; 0 or 1: the
                             calling thread alone. A PNG keeps two busy. OpenEXR keeps its threads and
                             shares them among files. The result does not depend on the number. */
    uint32_t wide;        /* non-zero: half samples of data in an EXR are read as floats */
} ssimcu_image_options;

/* ---- Reading in one call --------------------------------------------------------------------- */

/* Reads the picture file at `path` into a new frame, whose shape ssimcu_image_shape describes.
 * `options` NULL means the defaults. What *frame held before is overwritten, not released. On
 * success the frame's memory comes from ssimcu_frame_alloc, and the caller releases it with
 * ssimcu_frame_free. On any error *frame is all zeros, and there is nothing to release. Any thread
 * may call it.
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
 * NULL. Any thread may call it. Errors: ARGUMENT, FILE (missing, unreadable), DATA (damaged, not a
 * picture), UNSUPPORTED, LIMIT, MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_open(const char *path,
                                                             const ssimcu_image_options *options,
                                                             ssimcu_image **image,
                                                             ssimcu_message *message);

/* Returns the shape that decoding will yield; pitch and data are 0. Width and height are in pixels,
 * with the file's orientation applied. There are 1 to 4 channels: grey, grey and alpha, RGB, RGBA.
 * Palettes and tRNS are expanded. Samples have 8 or 16 bits, in DPX also 10 and 12; EXR and TIFF
 * may have SSIMCU_BITS_F16 or _F32, and `linear` is then set. Grey below 8 bits is widened to 8.
 * All fields are 0 for NULL. One thread at a time uses an image. */
SSIMCU_API ssimcu_frame ssimcu_image_shape(const ssimcu_image *image);

/* Returns the name of the format: "PNG", "JPEG", "TIFF", "DPX" or "EXR"; "" for NULL. The text is
 * static. One thread at a time uses an image. */
SSIMCU_API const char *ssimcu_image_format(const ssimcu_image *image);

/* Returns the name of the library that decoded the image or, before that, read its header. Names
 * are "igzip" and "libpng" (PNG), "libjpeg-turbo", "libtiff", "ssimcu" (DPX) and "OpenEXR"; "" for
 * NULL. The text is static. One thread at a time uses an image. */
SSIMCU_API const char *ssimcu_image_reader(const ssimcu_image *image);

/* Writes how two pictures say that their colours differ, such as "primaries are bt709 in REF,
 * bt2020 in OUT"; an empty text if they do not. One that says nothing has the colours of sRGB.
 * Samples are read as they are stored, whatever the file says of colours. One thread at a time uses
 * an image. */
SSIMCU_API void ssimcu_image_colours_differ(const ssimcu_image *ref, const ssimcu_image *out,
                                            ssimcu_message *text);

/* Decodes into frame->data, with rows frame->pitch bytes apart (0: without padding). Sets
 * frame->linear. The caller owns that memory, from ssimcu_frame_alloc or from elsewhere. The
 * frame's width, height, channels and bits must equal ssimcu_image_shape's. An image can be decoded
 * once, because decoding releases the file's bytes. One thread at a time uses an image.
 * Errors: ARGUMENT, DATA, UNSUPPORTED, LIMIT, MEMORY; on error the samples are unspecified. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_decode(ssimcu_image *image,
                                                               ssimcu_frame *frame,
                                                               ssimcu_message *message);

/* Releases the image and sets *image to NULL. Accepts NULL and a pointer to NULL. No other thread
 * may be using the image. */
SSIMCU_API void ssimcu_image_close(ssimcu_image **image);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Writes a frame of 1 to 4 channels of 8 bits as PNG; the frame is only read. The file is written
 * beside `path` and then renamed, so that no reader sees half a file and an old file survives a
 * failed write. Something at `path` that is not a regular file is never replaced. Any thread may
 * call it. Errors: ARGUMENT (also for frames above 2 GB), MEMORY, WRITE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_write_png(const char *path,
                                                                  const ssimcu_frame *frame,
                                                                  ssimcu_message *message);

/* ---- Version --------------------------------------------------------------------------------- */

/* Returns the names and versions of the decoders that this library was built with, such as "libpng
 * 1.6.39, igzip 2.30.0, libjpeg-turbo 2.1.5, libtiff 4.5.0". The text is static. Any thread may
 * call it. */
SSIMCU_API const char *ssimcu_image_libraries(void);

/* Opens the modules for EXR and video. Writes what each reads with, such as "libssimcu_exr.so.0.2:
 * OpenEXR 3.1.5; libssimcu_video.so.0.2: not installed". They stay open in this process, as they
 * otherwise only are if ssimcu-decode is not there. Any thread may call it. */
SSIMCU_API void ssimcu_image_modules(ssimcu_message *modules);

#ifdef __cplusplus
}
#endif

#endif
