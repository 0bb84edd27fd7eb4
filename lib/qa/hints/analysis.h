/* Private to hints: what the steps of an analysis share. */
#pragma once

#include "hints/hints.h"

#include "fail.h"

#include <math.h>
#include <stddef.h>

/* LEVEL is one of 255 steps. Differences are small or large in this unit, whatever the depth. */
#define LEVEL (1.0f / 255)

/* A pair under analysis. */
struct analysis {
    const ssimcu_frame *frame[2]; /* REF, OUT: `planes` frames each */
    uint32_t planes;
    uint32_t channels; /* 1: grey; 3: R, G, B, or Y, U, V */
    bool light;        /* both sides have floats of linear light: samples are light, 0 and above */
    const ssimcu_score *score;
    struct hints *hints;
    struct hints_fetch *fetch; /* NULL: all samples are in memory */
};

/* A step of an analysis lists the patches that its next reads need, and fetches them, unless all
 * samples are in memory (analysis.fetch NULL). fetch_add itself fetches if the list is full. An
 * analysis begins with one list of the most common reads, because each list costs a wait for the
 * GPU. */
void fetch_add(const struct analysis *analysis, int side, uint32_t plane, ssimcu_patch patch);
void fetch_now(const struct analysis *analysis);

/* Fetches all of a plane. */
void fetch_whole(const struct analysis *analysis, int side, uint32_t plane);

/* Fetches the most common reads: the points, and what the search for a shift reads, unless OUT is
 * good. */
void analysis_fetch(const struct analysis *analysis);

/* Add the points of both sides, and REF's moved points. */
void samples_add(const struct analysis *analysis);
void samples_add_moved(const struct analysis *analysis, uint32_t by);

/* Adds the reads of the search for a shift. */
void shift_add(const struct analysis *analysis);

/* Colours of a side at the points of a signature, composited as for the score, with chroma from 0
 * to 1. They are light if `analysis.light` is set, else display values from 0 to 1. Next to a
 * colour frame, a grey frame has three equal channels. */
struct samples {
    float value[3][SIGNATURE_POINTS];
    uint32_t transparent; /* points where alpha is below the peak */
};

/* Adds a hint. Returns false if there is no room. */
SSIMCU_PRINTF(2, 3) bool hints_add(struct hints *hints, const char *format, ...);

/* Return whether a hint, or any of several, is of this kind. */
bool hints_is(const char *text, const char *kind);
bool hints_has(const struct hints *hints, const char *kind);

/* Returns whether the pair's alpha took part in its score. */
static inline bool analysis_has_alpha(const struct analysis *analysis)
{
    return analysis->planes == 1 && analysis->score->background != SSIMCU_BACKGROUND_NONE;
}

/* Returns whether a frame has floats. */
static inline bool analysis_has_floats(const ssimcu_frame *frame)
{
    return frame->bits >= SSIMCU_BITS_FLOAT;
}

/* Returns the sample at (x, y), integers as 0 to 1. Floats are unchanged if the analysis is in
 * light, else as a display shows them. A float that is not finite or is below 0 becomes 0. */
float analysis_sample(const struct analysis *analysis, const ssimcu_frame *frame, uint32_t x,
                      uint32_t y, uint32_t channel);

/* The most informative channel of a side's first plane: Y, green or grey. luma_of finds it once for
 * many reads by luma_at. Its values are those of analysis_sample and analysis_shown. */
struct luma {
    const struct analysis *analysis;
    const ssimcu_frame *frame;
    uint32_t channel;
    size_t pixel;     /* bytes of a pixel */
    const char *data; /* its sample in the first pixel */
    float scale;      /* scale of integers; 0: floats */
};
struct luma luma_of(const struct analysis *analysis, int side);
float luma_of_float(const struct luma *luma, uint32_t x, uint32_t y);

static inline float luma_at(const struct luma *luma, uint32_t x, uint32_t y)
{
    const char *at = luma->data + y * luma->frame->pitch + x * luma->pixel;
    if (luma->frame->bits == 8) return (float)*(const uint8_t *)at * luma->scale;
    if (luma->scale == 0) return luma_of_float(luma, x, y);
    const float sample = (float)*(const uint16_t *)(const void *)at * luma->scale;
    return sample < 1 ? sample : 1;
}

/* Convert light to display values by the sRGB curve, and back. Both continue above 1. */
float analysis_to_display(float light);
float analysis_to_light(float display);

/* Returns a sample on a scale from 0 to 1 that has room for all light. */
static inline float analysis_shown(const struct analysis *analysis, float sample)
{
    if (analysis->light) return sqrtf(sample / (1 + sample));
    return sample < 1 ? sample : 1;
}

/* Reads the colour of one pixel, from the place of (x, y) of the first plane in each plane. Returns
 * whether it is opaque. samples_take reads a side's samples and signature. */
bool samples_pixel(const struct analysis *analysis, int side, uint32_t x, uint32_t y,
                   float value[3]);
void samples_take(const struct analysis *analysis, int side, struct samples *samples,
                  struct signature *signature);

/* Fetches the pixels around every `step`-th point. */
void samples_fetch_around(const struct analysis *analysis, uint32_t step);

/* Takes REF's signature at points that are moved by so many pixels, across and down. */
void samples_moved(const struct analysis *analysis, uint32_t by, struct signature *signature);

/* Returns the share of a's variance that b does not explain, up to gain and offset. 0: equal; 1:
 * nothing in common, or no variance. */
double signature_unexplained(const struct signature *a, const struct signature *b);

/* The pixels around each point, which say more than the point: noise and coders hardly change their
 * means. */
enum { AROUND_SIDE = 8 /* pixels: the block of JPEG and of many video coders */ };
struct around {
    uint32_t count;
    float pixel[AROUND_SIDE * AROUND_SIDE][3];
};

/* Reads the pixels around a point. Chroma planes give as many of theirs. */
void samples_around(const struct analysis *analysis, int side, uint32_t index,
                    struct around *around);

/* Returns whether too many of a channel's pixels are clipped for a useful mean. */
bool samples_are_clipped(const struct analysis *analysis, const struct around *around,
                         uint32_t channel);

/* Search for a black area of OUT or bars on one side, and for a mirrored OUT (black_area.c). They
 * return whether they added a hint. */
bool black_area_find(const struct analysis *analysis);
bool mirrored_find(const struct analysis *analysis);

/* Search for another tone: gain, offset, range, exposure, curves, primaries (tones.c); and for a
 * shift by whole pixels (shift.c). They return whether they added a hint. */
bool tones_find(const struct analysis *analysis, const struct samples samples[2]);
bool shift_find(const struct analysis *analysis);
