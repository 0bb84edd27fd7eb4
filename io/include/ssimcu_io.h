/* ssimcu_io: reads picture files into frames in host memory, and writes frames to files. It is for
 * programs that use ssimcu and have no readers. It knows file formats, but not scores or devices.
 *
 * FORMATS. A file's format is recognised by its content, never by its name:
 *
 *   - PNG, with libpng. Typical PNGs of renderers are read faster, with ISA-L's igzip, by the same
 *     rules.
 *   - JPEG, with libjpeg-turbo.
 *   - TIFF, with libtiff 4.5 or later, if the library was built with it.
 *   - DPX, without another library.
 *   - EXR, with OpenEXR, if the module libssimcu_exr.so of the package ssimcu-exr is installed. It
 *     runs in worker processes (see PROCESSES).
 *
 * STRICT. A damaged file must never yield a score. So any fault that a decoder finds in the data is
 * an error, even if other programs repair it or only warn. Examples are a wrong checksum, a missing
 * end marker, and missing or surplus image data.
 *
 * PNG. An animation of more than one frame is UNSUPPORTED, because a score of its first frame would
 * ignore the others. The orientation is applied: that of eXIf, of a text "Raw profile type exif" or
 * "APP1", or of XMP. If it is not upright, decoding holds a second frame.
 *
 * JPEG. The data has no checksum, so damage that decodes without a warning cannot be detected.
 * Arithmetic-coded files are UNSUPPORTED, because in them even missing data cannot be detected.
 *
 * The file may hold further pictures after the first (Multi-Picture Format, MPO). Only the first,
 * the photo, is read, and ssimcu_image_options.remark is called. Previews are skipped. An unlisted
 * further picture of the same size makes the file a video (MJPEG), which is UNSUPPORTED.
 *
 * EXR. Samples are floats in linear light, and the frame is marked `linear`, so ssimcu_compare
 * gives the score of the program ssimcu. Data is not marked: a single chosen channel such as depth,
 * and a layer of X, Y and Z. Parts with scanlines or tiles of half, float and uint are read, in
 * every compression. Deep data, luminance with chroma and subsampled channels are UNSUPPORTED.
 *
 * The picture of an EXR is channels R, G and B of the first part, or Y as grey. If the part has
 * neither, it is the first layer with a renderer's name for the whole picture: Ci, C, Combined,
 * rgba, rgb or beauty. That layer contains r, g, b or red, green, blue. The options choose others.
 * A layer has R, G and B in any of these forms, or X, Y and Z, or a single channel. A layer's name
 * may be the name of a part, or the end of a longer name: "Combined" finds "ViewLayer.Combined".
 * Both names may select a channel of a part: "depth.Z".
 *
 * Alpha of an EXR is not read with the picture. EXR stores colours multiplied by alpha, so they are
 * scored as they look over black. The frame is the display window; it is 0 outside the data window.
 * Missing and misplaced data is always detected. ZIP and PXR24 compression also detect a changed
 * bit; the others mostly do not.
 *
 * TIFF. Samples have 8 or 16 bits, or are half or float (linear light, as in EXR). They are grey,
 * RGB or a palette, in strips or tiles, interleaved or in planes. They are uncompressed or
 * compressed by LZW, deflate or PackBits. The orientation is applied. A file with several pages is
 * UNSUPPORTED, but thumbnails and a texture's smaller levels are skipped. An extra sample must be
 * declared as alpha.
 *
 * Colours of a TIFF with associated alpha are divided by alpha, which yields 16 bits. If a colour
 * exceeds alpha, the greatest colour replaces alpha, so that every pixel over black equals the
 * stored one. Associated alpha of floats is not read.
 *
 * Decoding may hold a whole tile. A tile above 1048576 pixels may have at most 16 times as many
 * pixels as the picture, and at most max_pixels.
 *
 * libtiff's warnings are errors, except those about the order of tags and about tags that do not
 * affect pixels, such as texts. A duplicate tag that affects pixels is an error. An invalid
 * orientation counts as upright. A strip or tile that is missing, short or does not decode to
 * exactly its pixels is an error. Deflated data has a checksum. LZW and PackBits reveal damage that
 * changes a length. Uncompressed data reveals no damage.
 *
 * DPX. RGB and RGBA are read with 8, 10, 12 and 16 bits, luma with 8, 12 and 16. Samples may be
 * packed or filled, in either byte order, in every orientation. Code values stay as stored,
 * whatever their transfer; alpha counts as straight. Several elements and run-length encoding are
 * UNSUPPORTED. Missing samples are an error; other damage cannot be detected. Bytes after the
 * picture are skipped. If lines end within a 32-bit word, such bytes are allowed only if the
 * header's file size shows where the picture ends.
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
 * Two steps do the same. They show the size before memory or a device is spent on the picture, and
 * decode into any memory:
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
 * RULES. The rules of ssimcu.h apply. Nothing is printed, and the environment is not read. An error
 * is a status and one line that names the file. No thread is started unless the caller requests it
 * (ssimcu_image_options.threads).
 *
 * PROCESSES. A worker process, the program ssimcu-decode, decodes EXR. So a decoder that crashes or
 * never returns is an error of its file (DATA) and does not end the caller. The program is searched
 * for in the folder ssimcu of each library directory. Each concurrent call has a worker. It then
 * waits for the next file, with its threads, and ends with the process or when the library is
 * unloaded. A worker inherits the environment but no descriptors, has a separate process group, and
 * is waited for only by its process id. The host sees its SIGCHLD. If the host waits for every
 * child, the message only lacks the signal's name. After a fork the child starts new workers. A
 * file that changes between open and decode is an error (FILE). Without that program, as with a
 * static library, OpenEXR and its threads run in the calling process.
 *
 * THREADS. One thread at a time may use an image. Images are independent of each other: a pair can
 * be decoded on two threads. Any thread may call the functions that take no image.
 */
#ifndef SSIMCU_IO_H
#define SSIMCU_IO_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Limits ---------------------------------------------------------------------------------- */

/* The default limits. They are checked before memory is allocated for the picture, so a hostile
 * file costs none. No side may exceed 16777215 pixels, the maximum that ssimcu compares. */
enum {
    SSIMCU_IMAGE_MAX_PIXELS = 1 << 27,      /* four 8K frames */
    SSIMCU_IMAGE_MAX_FILE_BYTES = 512 << 20 /* a 4K 16-bit RGBA frame is 66 MB uncompressed */
};

/* Options of reading a picture. A limit of 0 means the default above. The shorter struct of an
 * older header is accepted if it holds the limits. */
typedef struct ssimcu_image_options {
    size_t struct_size;      /* sizeof(ssimcu_image_options) */
    uint64_t max_pixels;     /* maximum width times height */
    uint64_t max_file_bytes; /* maximum size of the compressed file */
    /* Called with a harmless remark on a file: one line without a line break, on the thread that
     * opens or decodes. May be NULL. */
    void (*remark)(void *user, const char *line);
    void *user; /* first argument of remark; must outlive the image */
    /* The next two fields are for EXR, see EXR above. Their texts must outlive the image. */
    const char *layer;    /* such as "diffuse", or the name of a part; may be NULL */
    const char *channels; /* one channel as grey, such as "Z", or three, such as "N.X,N.Y,N.Z";
                             NULL: channels of the layer, or of the whole picture */
    uint32_t threads;     /* threads that decode one file, including the calling thread; 0 or 1:
                             only the calling thread. A PNG uses at most two. OpenEXR keeps its
                             threads and shares them among files. The result does not depend on the
                             number. */
    uint32_t wide;        /* non-zero: half samples of data in an EXR are read as floats */
} ssimcu_image_options;

/* ---- Reading in one call --------------------------------------------------------------------- */

/* Reads the picture file at `path` into a new frame, whose shape ssimcu_image_shape describes.
 * `options` may be NULL. The previous contents of *frame are overwritten, not released. On success
 * the frame's memory comes from ssimcu_frame_alloc, and the caller releases it with
 * ssimcu_frame_free. On any error *frame is all zeros, and there is nothing to release. Any thread
 * may call it. Errors: ARGUMENT, FILE (missing, unreadable), DATA (damaged, not a picture),
 * UNSUPPORTED, LIMIT, MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_read(const char *path,
                                                             const ssimcu_image_options *options,
                                                             ssimcu_frame *frame,
                                                             ssimcu_message *message);

/* ---- Reading in two steps -------------------------------------------------------------------- */

/* A picture file in memory whose header has been parsed. */
typedef struct ssimcu_image ssimcu_image;

/* Reads the file at `path` into memory and parses its header. `options` may be NULL; the struct is
 * copied. The caller closes *image, which is NULL after any error. Any thread may call it. Errors:
 * ARGUMENT, FILE (missing, unreadable), DATA (damaged, not a picture), UNSUPPORTED, LIMIT,
 * MEMORY. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_open(const char *path,
                                                             const ssimcu_image_options *options,
                                                             ssimcu_image **image,
                                                             ssimcu_message *message);

/* Returns the shape of the decoded frame; pitch and data are 0. Width and height are in pixels,
 * with the file's orientation applied. There are 1 to 4 channels: grey, grey and alpha, RGB, RGBA.
 * Palettes and tRNS are expanded. Samples have 8 or 16 bits, in DPX also 10 and 12. EXR and TIFF
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

/* Describes how the declared colours of two pictures differ, such as "primaries are bt709 in REF,
 * bt2020 in OUT". The text is empty if they do not differ. A picture without a declaration counts
 * as sRGB. Samples are read as stored, whatever colours the file declares. One thread at a time
 * uses an image. */
SSIMCU_API void ssimcu_image_colours_differ(const ssimcu_image *ref, const ssimcu_image *out,
                                            ssimcu_message *text);

/* Decodes into frame->data, with rows frame->pitch bytes apart (0: without padding). Sets
 * frame->linear. The caller owns that memory, which may come from ssimcu_frame_alloc or elsewhere.
 * The frame's width, height, channels and bits must equal those of ssimcu_image_shape. An image can
 * be decoded once, because decoding releases the file's bytes. One thread at a time uses an image.
 * Errors: ARGUMENT, DATA, UNSUPPORTED, LIMIT, MEMORY; on error the samples are unspecified. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_decode(ssimcu_image *image,
                                                               ssimcu_frame *frame,
                                                               ssimcu_message *message);

/* Releases the image and sets *image to NULL. Accepts NULL and a pointer to NULL. No other thread
 * may be using the image. */
SSIMCU_API void ssimcu_image_close(ssimcu_image **image);

/* ---- Writing --------------------------------------------------------------------------------- */

/* Writes a frame of 1 to 4 channels of 8 bits as PNG; the frame is only read. The file is written
 * under another name next to `path` and then renamed. So no reader sees half a file, and an old
 * file survives a failed write. Only a regular file at `path` is ever replaced. Any thread may call
 * it. Errors: ARGUMENT (also for frames above 2 GB), MEMORY, WRITE. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_write_png(const char *path,
                                                                  const ssimcu_frame *frame,
                                                                  ssimcu_message *message);

/* ---- Version --------------------------------------------------------------------------------- */

/* Returns the names and versions of the decoders that this library was built with, such as "libpng
 * 1.6.39, igzip 2.30.0, libjpeg-turbo 2.1.5, libtiff 4.5.0". The text is static. Any thread may
 * call it. */
SSIMCU_API const char *ssimcu_image_libraries(void);

/* Opens the modules for EXR and video, and writes their libraries, such as "libssimcu_exr.so.0.2:
 * OpenEXR 3.1.5; libssimcu_video.so.0.2: not installed". The modules stay open in this process,
 * which otherwise happens only if ssimcu-decode is missing. Any thread may call it. */
SSIMCU_API void ssimcu_image_modules(ssimcu_message *modules);

#ifdef __cplusplus
}
#endif

#endif
