/* What a format has to offer to image.c, and the file in memory that it reads from. */
#ifndef SSIMCU_CODEC_H
#define SSIMCU_CODEC_H

#include "ssimcu_io.h"

typedef struct ssimcu_file {
    const char *name; /* for messages: the path, or the end of a very long one */
    const uint8_t *bytes;
    size_t size;
    ssimcu_image_options options; /* limits filled in */
} ssimcu_file;

/* Reads the header when frame->data is NULL: fills in width, height, channels and bits, and
 * allocates nothing that grows with them. Otherwise decodes into the frame, which has that shape.
 */
typedef ssimcu_status ssimcu_read(const ssimcu_file *source, ssimcu_frame *frame,
                                  ssimcu_message *message);

ssimcu_read ssimcu_read_png;
ssimcu_read ssimcu_read_jpeg;

/* A macro's value as text. */
#define SSIMCU_TEXT_(x) #x
#define SSIMCU_TEXT(x) SSIMCU_TEXT_(x)

#endif
