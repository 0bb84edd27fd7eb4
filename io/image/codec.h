/* What a picture format has to offer to image.c, and the file in memory that it reads from. A
 * format is one file, which defines its codec, and one row of the table in image.c. */
#ifndef SSIMCU_IMAGE_CODEC_H
#define SSIMCU_IMAGE_CODEC_H

#include "ssimcu_io.h"
#include "windows.h"

#include <stdbool.h>

typedef struct ssimcu_file {
    const char *name; /* for messages: the path, or the end of a very long one */
    const uint8_t *bytes;
    size_t size;
    ssimcu_image_options options; /* limits filled in */
    struct ssimcu_origin *origin; /* see release.h; NULL: the bytes stay */
} ssimcu_file;

typedef struct ssimcu_codec {
    const char *name;             /* "PNG" */
    const char *library;          /* and its version: "libpng 1.6.39"; empty: none, or our own */
    const char *const *extension; /* ".png", in lower case; NULL ends the list */

    /* Whether the file starts as this format does. */
    bool (*is)(const ssimcu_file *file);

    /* Reads the header when frame->data is NULL: fills in width, height, channels and bits, and
     * allocates nothing that grows with them. Otherwise decodes into the frame, which has that
     * shape. *reader becomes the name of the library that did either. */
    ssimcu_status (*read)(const ssimcu_file *file, ssimcu_frame *frame, const char **reader,
                          ssimcu_message *message);

    /* Bytes that decoding holds beside the frame, of a file whose header is good, as far as they
     * grow with the frame. NULL: none. */
    uint64_t (*holds)(const ssimcu_file *file);

    /* Likewise where it lies, all 0 before. NULL: the format does not say. */
    void (*windows)(const ssimcu_file *file, struct ssimcu_image_windows *of);
} ssimcu_codec;

extern const ssimcu_codec ssimcu_codec_dpx, ssimcu_codec_exr, ssimcu_codec_jpeg, ssimcu_codec_png,
    ssimcu_codec_tiff;

#endif
