/* What the parts of a look share. */
#ifndef SSIMCU_QA_HINTS_LOOK_H
#define SSIMCU_QA_HINTS_LOOK_H

#include "hints/hints.h"

#include <stddef.h>

/* LEVEL is one of 255 steps. Differences are small or large in this unit, whatever the depth. */
#define LEVEL (1.0f / 255)

/* A pair that is looked at. */
struct look {
    const ssimcu_frame *frame[2]; /* REF, OUT: `planes` each */
    uint32_t planes;
    uint32_t channels; /* 1: grey; 3: R, G, B, or Y, U, V */
    const ssimcu_score *score;
    struct hints *hints;
};

/* Colours of a side at the points of a signature, as they were scored: composited, 0 to 1, chroma
 * too. A grey frame beside a colour frame has three equal channels. */
struct samples {
    float value[3][SIGNATURE_POINTS];
    uint32_t transparent; /* points where alpha is below the peak */
};

/* Adds a hint. Returns false if there is no room. */
bool hints_add(struct hints *hints, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Returns whether any hint is of this kind. */
bool hints_has(const struct hints *hints, const char *kind);

/* Returns whether the pair's alpha took part in its score. */
static inline bool look_has_alpha(const struct look *look)
{
    return look->planes == 1 && look->score->background != SSIMCU_BACKGROUND_NONE;
}

/* Returns the sample at (x, y), 0 to the peak. */
static inline uint32_t look_sample(const ssimcu_frame *frame, uint32_t x, uint32_t y,
                                   uint32_t channel)
{
    const char *row = (const char *)frame->data + y * frame->pitch;
    const size_t at = (size_t)x * frame->channels + channel;
    return frame->bits == 8 ? ((const uint8_t *)(const void *)row)[at]
                            : ((const uint16_t *)(const void *)row)[at];
}

/* Reads the colour of one pixel, at the place that (x, y) of the first plane has in each plane.
 * Returns whether it is opaque. samples_take reads the samples and the signature of a side. */
bool samples_pixel(const struct look *look, int side, uint32_t x, uint32_t y, float value[3]);
void samples_take(const struct look *look, int side, struct samples *samples,
                  struct signature *signature);

/* Takes means of the pixels around each point instead, which noise and coders leave alone. A mean
 * is below 0 if its pixels are clipped. */
void samples_means(const struct look *look, int side, struct samples *samples);

/* Look for gain, offset and range (linear.c), and for a shift by whole pixels (shift.c). They
 * return whether they added a hint. */
bool linear_look(const struct look *look, const struct samples samples[2]);
bool shift_look(const struct look *look);

#endif
