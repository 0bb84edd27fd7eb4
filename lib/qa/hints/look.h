/* What the parts of hints_look share. */
#ifndef SSIMCU_QA_HINTS_LOOK_H
#define SSIMCU_QA_HINTS_LOOK_H

#include "hints/hints.h"

#include <stddef.h>

/* One of 255 steps: the unit in which differences are small or large, whatever the depth. */
#define LEVEL (1.0f / 255)

/* A pair under scrutiny. */
struct look {
    const ssimcu_frame *frame[2]; /* REF, OUT: `planes` each */
    uint32_t planes;
    uint32_t channels; /* 1: grey; 3: R, G, B, or Y, U, V */
    const ssimcu_score *score;
    struct hints *hints;
};

/* Colour of a side at the points of a signature, as it was scored: composited, 0 to 1, chroma
 * too. A grey frame beside one in colour has three equal channels. */
struct samples {
    float value[3][SIGNATURE_POINTS];
    uint32_t transparent; /* points where alpha is below the peak */
};

/* Adds a hint; false where there is no room. */
bool hints_add(struct hints *hints, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Whether any hint is of this kind. */
bool hints_has(const struct hints *hints, const char *kind);

/* Whether the pair's alpha took part in its score. */
static inline bool look_has_alpha(const struct look *look)
{
    return look->planes == 1 && look->score->background != SSIMCU_BACKGROUND_NONE;
}

/* The sample at (x, y), 0 to the peak. */
static inline uint32_t look_sample(const ssimcu_frame *frame, uint32_t x, uint32_t y,
                                   uint32_t channel)
{
    const char *row = (const char *)frame->data + y * frame->pitch;
    const size_t at = (size_t)x * frame->channels + channel;
    return frame->bits == 8 ? ((const uint8_t *)(const void *)row)[at]
                            : ((const uint16_t *)(const void *)row)[at];
}

/* samples.c: the colour of one pixel, in the place that (x, y) of the first plane has in each, and
 * whether it is opaque; samples and signature of a side. */
bool samples_pixel(const struct look *look, int side, uint32_t x, uint32_t y, float value[3]);
void samples_take(const struct look *look, int side, struct samples *samples,
                  struct signature *signature);

/* Likewise means of the pixels around each point, which noise and coders leave alone; below 0 where
 * they are clipped. */
void samples_means(const struct look *look, int side, struct samples *samples);

/* linear.c: gain, offset and range; shift.c: whole pixels. True where something was said. */
bool linear_look(const struct look *look, const struct samples samples[2]);
bool shift_look(const struct look *look);

#endif
