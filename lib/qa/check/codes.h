/* Rows of a frame as codes of 15 bits, which seen.h explains. */
#ifndef SSIMCU_QA_CODES_H
#define SSIMCU_QA_CODES_H

#include "check/seen.h"

#include "check/loops/loops.h"

enum { CODES_OF_BYTE = 7 /* bits by which the code of a sample of 8 bits is larger */ };

/* Returns the codes that a level has in frames of such samples. */
double codes_level(uint32_t bits);

/* Writes `width` pixels of a row from x on, all channels interleaved as in the frame. */
void codes_row(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t width, int16_t *row);

/* The same by the loops of an instruction set, which need some samples to be faster. Returns
 * whether the samples are floats that may have to be counted. */
bool codes_take(const struct check_loops *loops, const ssimcu_frame *frame, uint32_t x, uint32_t y,
                uint32_t width, int16_t *row);

/* Returns the first sample of a row. */
const void *codes_samples(const ssimcu_frame *frame, uint32_t y);

/* Counts samples of a row of floats that are no finite number, or below 0. */
void codes_count(const ssimcu_frame *frame, uint32_t y, struct seen *seen);

#endif
