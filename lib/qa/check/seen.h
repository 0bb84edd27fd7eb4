/* What one pass over a frame's samples has seen, small enough to be kept beside its neighbours. */
#ifndef SSIMCU_QA_SEEN_H
#define SSIMCU_QA_SEEN_H

#include "ssimcu.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SEEN_CELL = 8,    /* side of a cell in pixels */
    SEEN_PARTS = 8,   /* parts of one colour that are kept, the largest */
    SEEN_PIXELS = 32, /* pixels that stand out that are kept, those that do it most */
    SEEN_LEVELS = 255 /* levels of white, in which differences are told */
};

enum seen_alpha { SEEN_OPAQUE /* there is none */, SEEN_EMPTY, SEEN_FULL, SEEN_SOME };

/* Samples are looked at as codes of 15 bits: integers in proportion, floats by their bits, which
 * go by stops. So a difference means about the same everywhere, and one kind of code is enough. */
struct seen {
    uint32_t width, height, channels, bits;
    double level;      /* codes of a level */
    int tolerance;     /* codes by which samples of one colour may differ */
    bool flat;         /* all pixels are one colour */
    uint64_t infinite; /* samples that are no finite number, and the first of them */
    uint32_t infinite_x, infinite_y;
    uint64_t negative; /* samples below 0, likewise */
    uint32_t negative_x, negative_y;
    enum seen_alpha alpha;
    /* Cells of 8 x 8 pixels, row after row: the mean code, and the largest step from a sample to
     * the one on its left or above, in eighths of a level, at most 255; own. */
    uint32_t across, down;
    int16_t *mean;
    uint8_t *step;
    uint16_t *rough;   /* of each row of pixels: the mean step from a sample to the next; own */
    struct seen_part { /* rectangles of one colour with sharp borders */
        uint32_t x, y, width, height;
        int16_t code; /* of the first channel */
    } part[SEEN_PARTS];
    uint32_t parts;
    struct seen_pixel { /* pixels that stand out over their eight neighbours in all channels */
        uint32_t x, y;
        int16_t by; /* the least difference, in codes; above 0: brighter */
    } pixel[SEEN_PIXELS];
    uint32_t pixels;
};

/* Looks at a frame: a picture, or Y of a video. `tolerance`: levels by which samples of one colour
 * may differ, as codecs leave them. Call seen_free also after an error. Errors: MEMORY. */
ssimcu_status seen_look(const ssimcu_frame *frame, uint32_t tolerance, struct seen *seen,
                        ssimcu_message *message);

/* The same by the loops of one instruction set. */
struct check_loops;
ssimcu_status seen_look_by(const struct check_loops *loops, const ssimcu_frame *frame,
                           uint32_t tolerance, struct seen *seen, ssimcu_message *message);

/* Releases what it holds. */
void seen_free(struct seen *seen);

#endif
