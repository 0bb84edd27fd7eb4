/* What frame_stats.c and outlier_pixels.c share: a frame during the pass over its samples. */
#pragma once

#include "detect/frame/codes.h"

enum {
    RING = STATS_CELL + 2, /* rows of codes: a strip, the row above and the row below */
    STANDS = 12            /* least levels by which a pixel may stand out */
};

/* A frame during the pass, strip by strip: eight rows, or the rest. Samples of 8 bits are read in
 * place, others as rows of codes. Both give the same numbers. */
struct pass {
    const ssimcu_frame *frame;
    struct frame_stats *stats;
    struct patches *spare;
    const struct detect_loops *loops;
    bool bytes;
    size_t count;   /* samples of a row */
    uint32_t cells; /* cells of a strip; the last may be narrower */
    int16_t *ring;  /* the last rows of codes */
    uint32_t taken; /* rows written there */
    void *most;     /* columns of this strip: the largest step */
    void *upper;    /* the same of its first four rows */
    struct patches_rows rows;
    uint8_t *patch;     /* steps of patches, as in loops.h */
    void *sum;          /* their sums, as in loops.h */
    int16_t *cell_most; /* largest step of the strip's cells, in codes */
    int32_t *cell_sum;  /* their sums, in eighths */
    struct piece {
        uint32_t x, end; /* its pixels in a row */
        uint32_t rows;   /* a bit for each row in which a pixel may stand out */
    } * piece;           /* pieces of the strip */
    int16_t first[4];    /* codes of the first pixel */
    bool alpha_differs;  /* some alpha is not that of the first pixel */
    int stands;          /* codes by which a pixel must stand out to be kept */
};

/* Returns a row of codes that is in the ring. */
static inline int16_t *codes_at(const struct pass *pass, uint32_t y)
{
    return pass->ring + (size_t)(y % RING) * pass->count;
}

/* Searches a strip, from row `top` to before `bottom`, for pixels that stand out, and keeps them. A
 * frame has at least three pixels across and down. */
void pass_look_at_pixels(struct pass *pass, uint32_t top, uint32_t bottom);
