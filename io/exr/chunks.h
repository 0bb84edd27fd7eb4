/* The chunk tables of an EXR. */
#pragma once

#include "header.h"

/* Computes part->chunks from the data window, unless a deep part's header has it. Errors: DATA (the
 * header has another number). */
ssimcu_status exr_chunks_count(struct ssimcu_exr_task *task, struct exr_part *part);

/* Checks that every chunk of every part lies inside the file and belongs to its place in the table.
 * The caller has checked the windows and chosen the picture. Records the place of the picture's
 * chunks. Errors: DATA. */
ssimcu_status exr_chunks_check(struct ssimcu_exr_task *task, const struct exr_file *file,
                               struct ssimcu_exr_picture *picture);

/* Returns the bytes of a pixel over all channels; 0 if the channel list is damaged. The names must
 * ascend, because samples are stored in that order and OpenEXR sorts the list. */
uint64_t exr_chunks_pixel_bytes(const struct exr_part *part);

/* Returns the rows of a part's chunks, or of its tiles. */
uint32_t exr_chunks_rows(const struct exr_part *part);

/* Returns the bytes of a part's largest chunk before compression. */
uint64_t exr_chunks_most_bytes(const struct exr_part *part);

/* A chunk of the picture: its bytes in the file, its first pixel and its size in pixels. */
struct exr_chunk {
    const uint8_t *bytes;
    uint32_t size;
    int32_t x, y;
    uint32_t width, rows;
};

/* Returns the number of chunks side by side: the tiles in a row, otherwise 1. */
uint64_t exr_chunks_across(const struct ssimcu_exr_task *task,
                           const struct ssimcu_exr_picture *picture);

/* Finds a chunk of the picture by its place in the table. Returns false if it lies beyond the file,
 * which must have changed since the check. */
bool exr_chunks_find(const struct ssimcu_exr_task *task, const struct ssimcu_exr_picture *picture,
                     uint64_t index, struct exr_chunk *chunk);

/* Returns the number of samples that a channel has in row `y` of a chunk. A subsampled channel has
 * none in some rows. */
uint64_t exr_chunks_samples(const struct exr_chunk *chunk, const struct exr_channel *channel,
                            int64_t y);

/* Returns the bytes of a sample. */
uint32_t exr_chunks_sample_bytes(const struct exr_channel *channel);

/* Returns the bytes of a chunk before compression. */
uint64_t exr_chunks_bytes(const struct exr_chunk *chunk, const struct ssimcu_exr_list *channels);
