/* Rectangles of one colour with sharp borders, such as a bucket that a renderer never filled. */
#ifndef SSIMCU_QA_CHECK_PARTS_H
#define SSIMCU_QA_CHECK_PARTS_H

#include "check/seen.h"

enum { PARTS_LEAST = 16 /* pixels of a side: such a rectangle holds a whole cell */ };

/* Finds the largest in a frame whose cells were seen. Errors: MEMORY. */
ssimcu_status parts_find(const ssimcu_frame *frame, struct seen *seen, ssimcu_message *message);

/* Returns whether a cell is of one colour. */
bool parts_is_flat(const struct seen *seen, size_t cell);

#endif
