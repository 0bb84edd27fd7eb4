/* The interface between image.c and a picture format, and the file in memory that a format reads.
 * Each format is one file that defines its codec, and one row of the table in image.c. */
#pragma once

#include "image/colours/colours.h"
#include "image/declared.h"

#include "fail.h"

#include <string.h>

typedef struct ssimcu_file {
    const char *name; /* path for messages; only the end of a very long one */
    const uint8_t *bytes;
    size_t size;
    ssimcu_image_options options; /* the caller's options, with all limits filled in */
    struct ssimcu_origin *origin; /* see release.h; NULL: the bytes stay */
    int fd;                       /* file that a worker reads, with `bytes` NULL; -1: none */
    const char *many;             /* channels of ssimcu_image_open_many; NULL: options.channels */
    bool strip;                   /* the frame is a strip, whose first row is: */
    uint32_t first_row;
    char *channels;     /* list of ssimcu_image_channels, from malloc; may be NULL */
    uint64_t kept[16];  /* header data that a format keeps */
    const char *reader; /* library that read the header, or the samples */
    uint64_t holds;     /* bytes besides the frame that decoding holds, if they grow with it */
    struct ssimcu_image_windows windows;
    struct ssimcu_image_colours colours;
    char declared[SSIMCU_DECLARED_TRANSFER][48]; /* by ssimcu_declared, if the format has it */
    ssimcu_message *message;                     /* receives errors; may be NULL */
} ssimcu_file;

/* Fails with a line that begins with the file's name. */
SSIMCU_PRINTF(3, 4)
static inline ssimcu_status ssimcu_file_fail(const ssimcu_file *file, ssimcu_status status,
                                             const char *format, ...)
{
    ssimcu_message line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line.text, sizeof line.text, format, arguments);
    va_end(arguments);
    return ssimcu_fail(file->message, status, "%s: %s", file->name, line.text);
}

/* Returns such an error from the function around it, as FAIL (fail.h) does. */
#define FAIL_FILE(file, kind, ...) return ssimcu_file_fail(file, SSIMCU_ERROR_##kind, __VA_ARGS__)

/* Returns whether the file begins with these bytes. */
static inline bool ssimcu_file_begins(const ssimcu_file *file, const char *bytes, size_t count)
{
    return file->size >= count && memcmp(file->bytes, bytes, count) == 0;
}

typedef struct ssimcu_codec {
    const char *name;             /* name of the format, such as "PNG" */
    const char *library;          /* library and its version, such as "libpng 1.6.39"; "": none */
    const char *const *extension; /* extensions such as ".png", in lower case; NULL ends the list */

    /* Returns whether the file starts like this format. */
    bool (*is)(const ssimcu_file *file);

    /* Returns whether the file starts like this format and a worker should read it by its
     * descriptor. NULL: never. */
    bool (*is_apart)(int fd);

    /* Reads the header if frame->data is NULL: fills in width, height, channels, bits and linear,
     * and allocates nothing that grows with them. Otherwise decodes into the frame, which has that
     * shape. Sets file->reader to the name of the library used. With the header, also sets
     * file->holds, file->windows, file->colours and file->declared unless they are 0. */
    ssimcu_status (*read)(ssimcu_file *file, ssimcu_frame *frame);
} ssimcu_codec;

extern const ssimcu_codec ssimcu_codec_dpx, ssimcu_codec_exr, ssimcu_codec_jpeg, ssimcu_codec_png,
    ssimcu_codec_tiff;
