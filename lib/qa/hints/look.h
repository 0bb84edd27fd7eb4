/* What the parts of a look share. */
#ifndef SSIMCU_QA_HINTS_LOOK_H
#define SSIMCU_QA_HINTS_LOOK_H

#include "hints/hints.h"

#include <math.h>
#include <stddef.h>

/* LEVEL is one of 255 steps. Differences are small or large in this unit, whatever the depth. */
#define LEVEL (1.0f / 255)

/* A pair that is looked at. */
struct look {
    const ssimcu_frame *frame[2]; /* REF, OUT: `planes` each */
    uint32_t planes;
    uint32_t channels; /* 1: grey; 3: R, G, B, or Y, U, V */
    bool light;        /* both sides have floats of linear light: samples are light, 0 and above */
    const ssimcu_score *score;
    struct hints *hints;
    struct hints_fetch *fetch; /* NULL: all samples are there */
};

/* A part of a look adds the patches that its next reads need, and fetches them, unless all samples
 * are there (look.fetch NULL). fetch_add fetches by itself if the list is full. A look begins with
 * one list of what most looks read, because each list costs a wait for the GPU. */
void fetch_add(const struct look *look, int side, uint32_t plane, ssimcu_patch patch);
void fetch_now(const struct look *look);

/* Fetches all of a plane. */
void fetch_whole(const struct look *look, int side, uint32_t plane);

/* Fetches what most looks read: the points, and what the search for a shift reads, unless OUT is
 * good. */
void look_fetch(const struct look *look);

/* Adds the points of both sides, and those of REF that are moved. */
void samples_add(const struct look *look);
void samples_add_moved(const struct look *look, uint32_t by);

/* Adds what the look for a shift reads. */
void shift_add(const struct look *look);

/* Colours of a side at the points of a signature: composited as they were scored, chroma 0 to 1.
 * They are light if `look.light` says so, else what a display gets, 0 to 1. A grey frame beside a
 * colour frame has three equal channels. */
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

/* Return whether a hint, or any of them, is of this kind. */
bool hints_is(const char *text, const char *kind);
bool hints_has(const struct hints *hints, const char *kind);

/* Returns whether the pair's alpha took part in its score. */
static inline bool look_has_alpha(const struct look *look)
{
    return look->planes == 1 && look->score->background != SSIMCU_BACKGROUND_NONE;
}

/* Returns whether a frame has floats. */
static inline bool look_has_floats(const ssimcu_frame *frame)
{
    return frame->bits >= SSIMCU_BITS_FLOAT;
}

/* Returns the sample at (x, y): integers as 0 to 1; floats as they are, if the look is at light,
 * else as a display shows them. A float that is not finite, or is below 0, is 0. */
float look_sample(const struct look *look, const ssimcu_frame *frame, uint32_t x, uint32_t y,
                  uint32_t channel);

/* The channel of a side's first plane that says most: Y, green or grey. `luma_of` finds it once,
 * for many reads by luma_at, which are as look_sample and look_shown have them. */
struct luma {
    const struct look *look;
    const ssimcu_frame *frame;
    uint32_t channel;
    size_t pixel;     /* bytes of a pixel */
    const char *data; /* its sample of the first pixel */
    float scale;      /* of whole numbers; 0: floats */
};
struct luma luma_of(const struct look *look, int side);
float luma_of_float(const struct luma *luma, uint32_t x, uint32_t y);

static inline float luma_at(const struct luma *luma, uint32_t x, uint32_t y)
{
    const char *at = luma->data + y * luma->frame->pitch + x * luma->pixel;
    if (luma->frame->bits == 8) return (float)*(const uint8_t *)at * luma->scale;
    if (luma->scale == 0) return luma_of_float(luma, x, y);
    const float sample = (float)*(const uint16_t *)(const void *)at * luma->scale;
    return sample < 1 ? sample : 1;
}

/* Return light as a display shows it, by the curve of sRGB, and the other way round. Both go on
 * above 1. */
float look_to_display(float light);
float look_to_light(float display);

/* Returns a sample on a scale of 0 to 1 that has room for all light. */
static inline float look_shown(const struct look *look, float sample)
{
    if (look->light) return sqrtf(sample / (1 + sample));
    return sample < 1 ? sample : 1;
}

/* Reads the colour of one pixel, at the place that (x, y) of the first plane has in each plane.
 * Returns whether it is opaque. samples_take reads the samples and the signature of a side. */
bool samples_pixel(const struct look *look, int side, uint32_t x, uint32_t y, float value[3]);
void samples_take(const struct look *look, int side, struct samples *samples,
                  struct signature *signature);

/* Fetches the pixels around every `step`-th point. */
void samples_fetch_around(const struct look *look, uint32_t step);

/* Takes REF's signature at points that are moved by this many pixels, across and down. */
void samples_moved(const struct look *look, uint32_t by, struct signature *signature);

/* Returns the share of a's variance that b does not explain, up to gain and offset. 0: alike; 1:
 * nothing in common, or nothing to see. */
double signature_unexplained(const struct signature *a, const struct signature *b);

/* The pixels around each point, which say more than the point: noise and coders leave their means
 * alone. */
enum { AROUND_SIDE = 8 /* pixels: the block of JPEG and of many video coders */ };
struct around {
    uint32_t count;
    float pixel[AROUND_SIDE * AROUND_SIDE][3];
};

/* Reads the pixels around a point. Chroma planes have as many of their own. */
void samples_around(const struct look *look, int side, uint32_t index, struct around *around);

/* Returns whether too many of a channel's pixels are clipped for their mean to mean anything. */
bool samples_are_clipped(const struct look *look, const struct around *around, uint32_t channel);

/* Look for a black part of OUT, or bars of one side, and for an OUT that is mirrored (parts.c).
 * They return whether they added a hint. */
bool parts_look_black(const struct look *look);
bool parts_look_mirrored(const struct look *look);

/* Look for another tone: gain, offset, range, exposure, curves, primaries (tones.c); for a shift by
 * whole pixels (shift.c). They return whether they added a hint. */
bool tones_look(const struct look *look, const struct samples samples[2]);
bool shift_look(const struct look *look);

#endif
