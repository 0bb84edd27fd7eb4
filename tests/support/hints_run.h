/* Sequences made of a photo for the tests of hints: frames in motion, coded or not, each shown at
 * its place or another, and the hints that the timeline gives them. */
#ifndef SSIMCU_TEST_HINTS_RUN_H
#define SSIMCU_TEST_HINTS_RUN_H

#include "hints_image.h"

enum { FRAMES = 12 };

enum motion { PAN, SLOW_PAN, ZOOM, STILL, FADE, PAN_AND_FADE, WALKER, FLICKER, MOTIONS };

/* What OUT has been through. */
enum coding { EXACT, JPEG, GRAIN, DENOISED, BLURRED, DIM, GRAIN_ONCE };

enum { NEGATIVE = -100 };

/* A sequence: the frame of the scene that OUT shows at each place, and each frame's hints as
 * text. */
struct run {
    enum motion motion;
    enum coding coding;
    enum kind kind;
    int shown[FRAMES]; /* -1: black; -2: no signatures; NEGATIVE less n: frame n's negative */
    uint32_t every;    /* frame numbers go up by this */
    double x, y;       /* added to the place in the photo */
    char text[FRAMES][200];
    uint32_t taken, late; /* frames, and how many of them were held back */
};

struct run run_of(enum motion motion, enum coding coding, enum kind kind);

/* Checks each frame's hints, NULL for none. */
void expect_at(struct run *run, const char *const expected[FRAMES]);

#endif
