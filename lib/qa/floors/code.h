/* The coding of floors as few bytes, for a block of frames of the same grid.
 *
 * A sigma is a byte: 2^(code / 11 - 12), which is 6.5 % from one to the next. A mean is a whole
 * number of eighths of its sigma. Both are written as differences from the frame before, and those
 * of the first frame of a block from the tile before. Powers come from a table, so that each
 * machine computes the same numbers. */
#ifndef SSIMCU_QA_FLOOR_CODE_H
#define SSIMCU_QA_FLOOR_CODE_H

#include "floors/floors.h"

/* Numbers of a frame as they are coded. */
struct coded {
    size_t values;
    int32_t *mean;  /* own, with `sigma` behind */
    uint8_t *sigma; /* codes */
};

/* Makes one of so many values. Returns false if memory runs out. */
bool coded_new(struct coded *coded, size_t values);
void coded_free(struct coded *coded);

/* Rounds a floor. */
void coded_take(const struct floor_frame *floor, struct coded *coded);

/* Makes it a floor again, whose arrays are there. */
void coded_give(const struct coded *coded, struct floor_frame *floor);

/* Returns the most bytes that a frame takes. */
size_t coded_most_bytes(size_t values);

/* Writes a frame after the one before; NULL: it is the first. Returns the number of bytes. */
size_t coded_write(const struct coded *coded, const struct coded *before, uint8_t *to);

/* Reads a frame from at most `bytes` bytes. Returns how many it took; 0: they are no frame. */
size_t coded_read(struct coded *coded, const struct coded *before, const uint8_t *from,
                  size_t bytes);

#endif
