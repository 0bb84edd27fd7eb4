/* Parts of a record that others keep, too. */
#ifndef SSIMCU_QA_RECORD_PARTS_H
#define SSIMCU_QA_RECORD_PARTS_H

#include "ssimcu.h"

#include <stdbool.h>
#include <stdint.h>

/* A file before it was read. The same size and time mean the same content. */
struct record_side {
    char *path; /* own; NULL: no such file */
    bool known; /* the rest is known; false for standard input */
    int64_t bytes;
    int64_t seconds; /* time of the last change */
    long nanoseconds;
};

/* The order of frames: by part, then by number. No part comes first. Returns -1, 0 or 1. */
int record_order(const char *part, int64_t frame, const char *other_part, int64_t other_frame);

/* Writes a tile's score and its place in the frame, such as "0.161000000 at 64x64+640+128", and
 * returns `text`. */
enum { RECORD_TILE_TEXT = 80 };
const char *record_tile_text(char text[RECORD_TILE_TEXT], const ssimcu_tile *tile);

/* Largest share of clamped pixels without a warning. */
#define RECORD_CLAMPED_MOST 0.01

#endif
