/* The interface of the module libssimcu_exr.so: one C function in front of OpenEXR's C++ API.
 * io/image/exr.c opens the module when it meets an EXR. No exception leaves the function. */
#ifndef SSIMCU_EXR_H
#define SSIMCU_EXR_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A rectangle of pixels; both corners are inside. */
struct ssimcu_exr_window {
    int32_t x0, y0, x1, y1;
};

struct ssimcu_exr_task {
    /* input */
    const uint8_t *bytes; /* the whole file */
    size_t size;
    const char *layer, *channels; /* names, see ssimcu_image_options */
    uint64_t max_pixels;          /* limit on both windows */
    uint32_t threads;             /* decoding threads beside the calling one; 0: none */
    void *pixels;                 /* NULL: the header alone is read */
    size_t pitch;
    /* output */
    uint32_t channel_count, bits;
    struct ssimcu_exr_window display, data;
    uint64_t holds; /* bytes that decoding allocates beside the pixels */
    char text[400]; /* one line that says what is wrong */
};

/* Reads the header and the chunk table, checks that every chunk is there, and decodes the display
 * window into `pixels`, interleaved. Pixels outside the data window become 0. Errors: ARGUMENT,
 * DATA, UNSUPPORTED, LIMIT, MEMORY. */
typedef ssimcu_status ssimcu_exr_read_function(struct ssimcu_exr_task *task);
SSIMCU_API ssimcu_exr_read_function ssimcu_exr_read_1;

#ifdef __cplusplus
}
#endif

#endif
