/* The coding of floors as few bytes, for a block of frames of the same grid.
 *
 * A frame has floor_all_values values: rule after rule (enum floor_rule), each channel after
 * channel, each row after row. A sigma is a byte: 2^(code / 11 - 12), which is 6.5 % from one to
 * the next. A mean is a whole number of eighths of its sigma. First come the sigmas of all values,
 * a byte each, then the means:
 *
 *     sigma   its code less that of the same value in the frame before, modulo 256; in the first
 *             frame of a block, of the value before; the first of all: of 0
 *     mean    its eighths less those expected: the mean of the same value (or of the value before)
 *             in eighths of this sigma, rounded to the nearest, to even from the middle. Of the
 *             differences 0, -1, 1, -2, ... the byte is 0, 1, 2, 3, ... up to 254; from there on it
 *             is 255, and 4 bytes follow with the number, little-endian.
 *
 * Powers come from a table, so that each machine computes the same numbers. */
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
