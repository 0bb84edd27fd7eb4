/* Rows of a frame as codes of 15 bits; see frame_stats.h. */
#pragma once

#include "detect/frame/frame_stats.h"

#include "detect/loops/loops.h"

enum { CODES_OF_BYTE = 7 /* shift from an 8-bit sample to its code */ };

/* Returns the number of codes per level for such samples. */
double codes_level(uint32_t bits);

/* Writes `width` pixels of a row from x on, with all channels interleaved as in the frame. */
void codes_row(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t width, int16_t *row);

/* Does the same with the loops of an instruction set, which need some samples to be faster. Returns
 * whether the samples are floats that codes_count may have to count. */
bool codes_take(const struct detect_loops *loops, const ssimcu_frame *frame, uint32_t x, uint32_t y,
                uint32_t width, int16_t *row);

/* Writes a row of samples of more than 8 bits as codes, without the cut at LOOPS_BLACK. */
void codes_keep(const struct detect_loops *loops, const ssimcu_frame *frame, uint32_t y,
                int16_t *row);

/* Returns the first sample of a row. */
const void *codes_samples(const ssimcu_frame *frame, uint32_t y);

/* Returns whether all samples of a pixel are finite. */
bool codes_finite(const ssimcu_frame *frame, uint32_t x, uint32_t y);

/* Counts the samples of a row of floats that are not finite or are below 0. */
void codes_count(const ssimcu_frame *frame, uint32_t y, struct frame_stats *stats);
