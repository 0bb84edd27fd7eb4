/* The chunk tables of an EXR. */
#ifndef SSIMCU_EXR_CHUNKS_H
#define SSIMCU_EXR_CHUNKS_H

#include "header.h"

/* Sets the number of chunks of a part, which its header may already name. Errors: DATA. */
ssimcu_status exr_chunks_count(struct ssimcu_exr_task *task, struct exr_part *part);

/* Whether every chunk of every part lies inside the file and is the one that its place in the table
 * is for. The windows have been checked. Errors: DATA. */
ssimcu_status exr_chunks_check(struct ssimcu_exr_task *task, struct exr_file *file);

/* Bytes of a pixel, all channels together; 0 where the list is damaged. */
uint64_t exr_chunks_pixel_bytes(const struct exr_part *part);

/* Bytes of the largest chunk of a part before compression. */
uint64_t exr_chunks_most_bytes(const struct exr_part *part);

#endif
