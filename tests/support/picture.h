/* Frames as views of any layout and type, in host memory or copied to the device. */
#ifndef SSIMCU_TEST_PICTURE_H
#define SSIMCU_TEST_PICTURE_H

#include "check.h"

/* A view and the memory that it describes, not a byte more. */
struct picture {
    ssimcu_view view;
    uint8_t *memory;
    size_t bytes;
};

/* How a picture lies in memory. */
struct picture_kind {
    ssimcu_layout layout;
    ssimcu_type type;
    double peak;    /* v of 255 becomes v * peak / 255 */
    size_t padding; /* samples before the first, after each row, plane and frame; an odd number
                       also sets the pointers of PLANES unevenly apart, the first last */
};

/* Makes `count` frames of one shape, 8 bits, as a batch. What lies between the samples is 0xff:
 * not a number for floats. */
struct picture picture_make(const ssimcu_frame *frames, uint32_t count, struct picture_kind kind);
/* Makes them with `extra` samples after those of each pixel. */
struct picture picture_make_apart(const ssimcu_frame *frames, uint32_t count,
                                  struct picture_kind kind, uint32_t extra);
void picture_free(struct picture *picture);

/* Changes one sample, in the type's own values. */
void picture_set(struct picture *picture, uint32_t frame, uint32_t x, uint32_t y, uint32_t channel,
                 double value);
double picture_value(const struct picture *picture, uint32_t frame, uint32_t x, uint32_t y,
                     uint32_t channel);

/* Returns the same view of memory that starts elsewhere, such as a copy on the device. */
ssimcu_view picture_view_at(const struct picture *picture, void *memory);

/* Scores or fails the test. */
ssimcu_score picture_compare(ssimcu_context *context, const struct picture *ref,
                             const struct picture *out);

#endif
