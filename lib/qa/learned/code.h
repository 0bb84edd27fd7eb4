/* The compact coding of learned limits, for a block of frames of the same grid.
 *
 * A frame has learned_all_values values: rule after rule (enum learned_rule), in a rule channel
 * after channel, in a channel row after row. A sigma is a byte: 2^(code / 11 - 12), in steps of 6.5
 * %. A mean is an integer number of eighths of its sigma. First come the sigmas of all values, a
 * byte each, then the means:
 *
 *     sigma   its code minus that of the same value in the frame before, modulo 256; in the first
 *             frame of a block, of the value before; the first of all: 0
 *     mean    its eighths minus the expected: the mean of the same value (or of the value before)
 *             in eighths of this sigma, rounded to the nearest, to even from the middle. Of the
 *             differences 0, -1, 1, -2, ... the byte is 0, 1, 2, 3, ... up to 254; from there on it
 *             is 255, and the number follows in 4 bytes, little-endian.
 *
 * Powers come from a table, so that every machine computes the same numbers. */
#pragma once

#include "learned/learned.h"

/* The numbers of a frame as they are coded. */
struct coded {
    size_t values;
    int32_t *mean;  /* owned; `sigma` follows in the same memory */
    uint8_t *sigma; /* codes */
};

/* Allocates `values` values. Returns false if memory runs out. */
bool coded_new(struct coded *coded, size_t values);
void coded_free(struct coded *coded);

/* Rounds learned limits. */
void coded_take(const struct learned_frame *learned, struct coded *coded);

/* Converts them back to learned limits, whose arrays exist. */
void coded_give(const struct coded *coded, struct learned_frame *learned);

/* Returns the most bytes that a frame takes. */
size_t coded_most_bytes(size_t values);

/* Writes a frame after the one before (NULL: it is the first). Returns the number of bytes. */
size_t coded_write(const struct coded *coded, const struct coded *before, uint8_t *to);

/* Reads a frame from at most `bytes` bytes. Returns how many it took; 0: the data is not a
 * frame. */
size_t coded_read(struct coded *coded, const struct coded *before, const uint8_t *from,
                  size_t bytes);
