/* What the module libssimcu_exr.so offers to io/image/exr.c, which opens it when an EXR is met: one
 * C function in front of OpenEXR's C++ API. No exception passes it. */
#ifndef SSIMCU_EXR_H
#define SSIMCU_EXR_H

#include "ssimcu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pixels of a rectangle, both corners inside. */
struct ssimcu_exr_window {
    int32_t x0, y0, x1, y1;
};

struct ssimcu_exr_task {
    /* in */
    const uint8_t *bytes; /* the file */
    size_t size;
    const char *layer, *channels; /* as in ssimcu_image_options */
    uint32_t max_side;            /* limits of both windows */
    uint64_t max_pixels;
    uint32_t threads; /* that decode beside the calling one; 0: none */
    void *pixels;     /* NULL: the header alone is read */
    size_t pitch;
    /* out */
    uint32_t channel_count, bits;
    struct ssimcu_exr_window display, data;
    uint64_t holds; /* bytes that decoding allocates beside the pixels */
    char text[400]; /* what is wrong */
};

/* Reads header and chunk table, checks that every chunk is there, and decodes into `pixels`: the
 * display window, interleaved; 0 outside the data window. */
typedef ssimcu_status ssimcu_exr_read_function(struct ssimcu_exr_task *task);
SSIMCU_API ssimcu_exr_read_function ssimcu_exr_read_1;

#ifdef __cplusplus
}
#endif

#endif
