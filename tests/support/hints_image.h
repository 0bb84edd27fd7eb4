/* Real pictures for the tests of hints: parts of a photo, and changes to them, harmless or not.
 * The same picture comes as frames of any kind. */
#ifndef SSIMCU_TEST_HINTS_IMAGE_H
#define SSIMCU_TEST_HINTS_IMAGE_H

#include "check.h"

#include <stdbool.h>

/* R, G and B, 0 to 1, interleaved. */
struct image {
    uint32_t width, height;
    float *rgb;
};

/* Returns the part of the photo in testdata/ that begins at (x, y), which may lie between
 * pixels. One of its pixels is `zoom` pixels of the photo wide. */
struct image image_crop(double x, double y, double zoom, uint32_t width, uint32_t height);
struct image image_copy(const struct image *image);
void image_free(struct image *image);

/* Changes that a coder, a renderer or a camera makes: no hint is about these. */
void image_noise(struct image *image, uint32_t seed, double levels);
void image_jpeg(struct image *image, int quality);
void image_blur(struct image *image, int radius);
void image_denoise(struct image *image);
void image_resample(struct image *image, double factor); /* down and up again */
void image_fireflies(struct image *image, uint32_t seed, uint32_t count);
void image_fill(struct image *image, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                const float rgb[3]);
void image_letterbox(struct image *image);
void image_text(struct image *image, uint32_t seed); /* small glyphs, black on white */
void image_gamma(struct image *image, double gamma);
void image_scale(struct image *image, double factor); /* all channels: dark frames, fades */

/* Makes one of CLEAN such changes to OUT, or to both sides, and returns its name. Both begin as the
 * same picture. */
enum { CLEAN = 24 };
const char *image_spoil(struct image *ref, struct image *out, int how, uint32_t seed);

/* Changes that hints are about. */
void image_line(struct image *image, uint32_t channel, double gain, double offset);
void image_shift(struct image *image, int right, int down);
void image_range(struct image *image, bool limited);

/* Kinds of frames: those of whole numbers, and floats of linear light. */
enum kind { GREY8, RGB8, RGBA8, GREY16, RGB16, YUV8, YUV10, KINDS, F32 = KINDS, F16, ALL_KINDS };

/* An image as frames of a kind: one frame, or Y, U and V of half the size. Alpha is opaque, or a
 * ramp if `clear`. */
struct shot {
    ssimcu_frame plane[3];
    uint32_t planes;
};
struct shot shot_make(const struct image *image, enum kind kind, bool clear);
void shot_release(struct shot *shot);
ssimcu_score shot_score(const struct shot *ref, const struct shot *out);

#endif
