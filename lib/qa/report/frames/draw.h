/* Drawing: the pictures of one pair, as files. */
#ifndef SSIMCU_QA_REPORT_DRAW_H
#define SSIMCU_QA_REPORT_DRAW_H

#include "report/frames/pictures.h"

/* Bytes that draw_pair allocates for each byte of a pair's frame, beside its map: all four views of
 * a frame that is shown in its own size. */
enum { DRAW_BYTES_PER_BYTE = 4 };

struct drawing {
    const char *directory;
    uint32_t most_side;        /* pixels of a whole frame's picture on a side, at most */
    uint32_t most_bytes;       /* size of a file; 0: any */
    ssimcu_alpha alpha;        /* alpha setting, for frames that are not scored here */
    double gain;               /* gain setting, for linear light */
    const struct judge *judge; /* as in struct pictures_config */
};

/* Scores the pair if its views are wanted, and makes its files, several at once. After an error
 * there are no files and no names. Many threads may call it. Errors: as ssimcu_compare; LIMIT,
 * MEMORY, WRITE. */
ssimcu_status draw_pair(const struct drawing *drawing, ssimcu_context *lane,
                        const struct pair *pair, struct picture *picture, ssimcu_score *score,
                        ssimcu_message *message);

#endif
