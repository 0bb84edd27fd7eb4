/* Rectangles of one colour with sharp borders in frames of a codec, which changes colours a little.
 * In pictures, areas.h finds them. */
#pragma once

#include "detect/frame/frame_stats.h"

enum { PARTS_LEAST = 16 /* pixels of a side: such a rectangle contains a whole cell */ };

/* Finds the largest flat areas of a frame whose cells are filled in. Errors: MEMORY. */
ssimcu_status parts_find(const ssimcu_frame *frame, struct frame_stats *stats,
                         ssimcu_message *message);

/* Returns whether a cell has one colour. */
bool parts_is_flat(const struct frame_stats *stats, size_t cell);
