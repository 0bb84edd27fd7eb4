/* Types within a record that other modules use, too, and functions for callers that do not need to
 * see into one. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>
#include <stdint.h>

struct record;

/* A file as it was before it was read. The same size and time mean the same content. */
struct record_side {
    char *path; /* owned; NULL: no such file */
    bool known; /* the rest is valid; false for standard input */
    int64_t bytes;
    int64_t seconds; /* modification time */
    long nanoseconds;
};

/* The order of frames: by shot, then by number. Frames without a shot come first. Returns -1, 0 or
 * 1. */
int record_order(const char *shot, int64_t frame, const char *other_shot, int64_t other_frame);

/* Notes the path of a side, with the file's size and time if available. Returns false if there is
 * no such file. If memory runs out, the record becomes a failed one, and the result is true. */
bool record_name(struct record *record, int side, const char *path);

/* Returns the path of a side; may be NULL. */
const char *record_path(const struct record *record, int side);

/* Notes the channels that are not compared, from the lists of both sides (image/channels.h); NULL:
 * a side has no list. Returns false if memory runs out. */
bool record_leave(struct record *record, const char *const list[2]);

/* Notes that a side is missing. A failed record stays failed. */
void record_miss(struct record *record, int side);

/* Writes a tile's score and its place in the frame, such as "0.161000000 at 64x64+640+128", and
 * returns `text`. */
enum { RECORD_TILE_TEXT = 80 };
const char *record_tile_text(char text[RECORD_TILE_TEXT], const ssimcu_tile *tile);

/* Largest share of clamped pixels that causes no warning. */
#define RECORD_CLAMPED_MOST 0.01
