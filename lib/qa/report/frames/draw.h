/* Drawing: the pictures of one pair, as files. */
#pragma once

#include "report/frames/pictures.h"

/* Bytes that draw_pair allocates per byte of a pair's frame, besides its map: all four views of a
 * frame that is shown at full size. */
enum { DRAW_BYTES_PER_BYTE = 4 };

struct drawing {
    const char *directory;
    uint32_t most_side;        /* longest side of a whole frame's picture in pixels */
    uint32_t most_bytes;       /* largest file; 0: no limit */
    ssimcu_alpha alpha;        /* alpha setting for frames that are not scored here */
    double gain;               /* gain setting for linear light */
    const struct judge *judge; /* as in struct pictures_config */
};

/* Scores the pair if its views are wanted, and makes its files in parallel. After an error, no
 * files and no names remain. Many threads may call it. Errors: as ssimcu_compare; LIMIT, MEMORY,
 * WRITE. */
ssimcu_status draw_pair(const struct drawing *drawing, ssimcu_context *lane,
                        const struct pair *pair, struct picture *picture, ssimcu_score *score,
                        ssimcu_message *message);

/* Draws one picture of a frame without a reference. The frame is side 0 of a pair. Errors: LIMIT,
 * MEMORY, WRITE. */
ssimcu_status draw_beside(const struct drawing *drawing, const struct pair *pair,
                          struct picture *picture, int which, ssimcu_message *message);
