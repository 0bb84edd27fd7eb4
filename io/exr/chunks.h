/* The chunk tables of an EXR. */
#ifndef SSIMCU_EXR_CHUNKS_H
#define SSIMCU_EXR_CHUNKS_H

#include "header.h"

/* Computes part->chunks from the data window, except if a deep part's header names it. Errors: DATA
 * (the header names another number). */
ssimcu_status exr_chunks_count(struct ssimcu_exr_task *task, struct exr_part *part);

/* Checks that every chunk of every part lies inside the file and belongs to its place in the table.
 * The caller has checked the windows. Errors: DATA. */
ssimcu_status exr_chunks_check(struct ssimcu_exr_task *task, struct exr_file *file);

/* Returns the bytes of a pixel, all channels together; 0 if the channel list is damaged. */
uint64_t exr_chunks_pixel_bytes(const struct exr_part *part);

/* Returns the rows of a part's chunks, or of its tiles. */
uint32_t exr_chunks_rows(const struct exr_part *part);

/* Returns the bytes of a part's largest chunk before compression. */
uint64_t exr_chunks_most_bytes(const struct exr_part *part);

#endif
