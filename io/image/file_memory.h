/* Memory for the bytes of files, kept from one file to the next. If it were freed after each file,
 * the system would clear every page again: a tenth of the time of a batch of 4K TIFFs. For use
 * inside the project only. */
#pragma once

#include "ssimcu_io.h"

#include <pthread.h>

struct ssimcu_file_piece {
    struct ssimcu_file_piece *next;
    size_t size;
    uint8_t bytes[];
};

/* Blocks that no image uses. There are never more blocks than images were open at once. Many
 * threads may use them. */
struct ssimcu_file_memory {
    pthread_mutex_t lock;
    struct ssimcu_file_piece *idle;
};

SSIMCU_API void ssimcu_file_memory_start(struct ssimcu_file_memory *memory);

/* Frees the blocks. All images that use them must have been decoded or closed. */
SSIMCU_API void ssimcu_file_memory_end(struct ssimcu_file_memory *memory);

/* Opens an image like ssimcu_image_open. Its file's bytes lie in `memory`, which takes the block
 * back when the image is decoded or closed. If `memory` is NULL, the image allocates them. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_open_in(struct ssimcu_file_memory *memory,
                                                                const char *path,
                                                                const ssimcu_image_options *options,
                                                                ssimcu_image **image,
                                                                ssimcu_message *message);

/* Returns a block of at least `size` bytes, or NULL if memory runs out. */
struct ssimcu_file_piece *ssimcu_file_memory_take(struct ssimcu_file_memory *memory, size_t size);

/* Enlarges a block and keeps its bytes. Returns NULL, and leaves the block unchanged, if memory
 * runs out. */
struct ssimcu_file_piece *ssimcu_file_memory_grow(struct ssimcu_file_piece *piece, size_t size);

/* Gives back a block. Accepts NULL. */
void ssimcu_file_memory_give(struct ssimcu_file_memory *memory, struct ssimcu_file_piece *piece);
