/* The statistics of a frame from one pass over its samples, small enough to keep for its
 * neighbours. */
#pragma once

#include "detect/frame/colours.h"
#include "detect/frame/patches.h"

enum {
    STATS_CELL = 8,    /* side of a cell in pixels */
    STATS_AREAS = 8,   /* most flat areas kept, the largest ones */
    STATS_PIXELS = 32, /* most outlier pixels kept, the strongest ones */
    STATS_LEVELS = 255 /* levels of white, the unit of differences */
};

enum stats_alpha { STATS_OPAQUE /* no alpha */, STATS_EMPTY, STATS_FULL, STATS_SOME };

/* Samples become codes of 15 bits: integers in proportion, floats by their bits, which count stops.
 * So a difference means about the same everywhere, and one type of code is enough. */
struct frame_stats {
    uint32_t width, height, channels, bits;
    double level;      /* codes per level */
    int tolerance;     /* codes by which samples of one colour may differ */
    bool flat;         /* all pixels have one colour */
    uint64_t infinite; /* samples that are not finite, and the place of the first */
    uint32_t infinite_x, infinite_y;
    uint64_t negative; /* samples below 0, likewise */
    uint32_t negative_x, negative_y;
    enum stats_alpha alpha;
    /* Cells of 8 x 8 pixels, row after row; owned. The mean code, and the largest step from a
     * sample to its left or upper neighbour, in eighths of a level, at most 255. */
    uint32_t across, down;
    int16_t *mean;
    uint8_t *step;
    uint32_t *print;    /* a hash of each cell, of its kept rows and mean; owned */
    uint16_t *rough;    /* mean step from a sample to the next, for each row of pixels; owned */
    struct coded_area { /* rectangles of one colour with sharp borders */
        uint32_t x, y, width, height;
        int16_t code; /* code of the first channel */
    } part[STATS_AREAS];
    uint32_t parts;
    struct stats_pixel { /* pixels that stand out from their eight neighbours in all channels */
        uint32_t x, y;
        int16_t by; /* the least difference, in codes; above 0: brighter */
    } pixel[STATS_PIXELS];
    uint32_t pixels;
    struct patches patches;
    struct colours colours; /* those of all planes; the caller fills them in */
};

/* Scans a frame: a picture, or Y of a video. `tolerance`: levels by which samples of one colour may
 * differ after coding. Call frame_stats_free even after an error. Errors: MEMORY. */
ssimcu_status frame_stats_scan(const ssimcu_frame *frame, uint32_t tolerance,
                               struct frame_stats *stats, ssimcu_message *message);

/* Does the same with the loops of one instruction set, and with the memory of patches that are no
 * longer needed; `spare` may be NULL. */
struct detect_loops;
ssimcu_status frame_stats_scan_by(const struct detect_loops *loops, const ssimcu_frame *frame,
                                  uint32_t tolerance, struct patches *spare,
                                  struct frame_stats *stats, ssimcu_message *message);

/* Releases the members. */
void frame_stats_free(struct frame_stats *stats);
