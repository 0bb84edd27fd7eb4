/* Memory for the bytes of files, kept from one file to the next. Freed after each, it would return
 * to the system, which clears every page again: a tenth of the time of a batch of 4K TIFFs. Inside
 * the project only. */
#ifndef SSIMCU_IMAGE_FILE_MEMORY_H
#define SSIMCU_IMAGE_FILE_MEMORY_H

#include "ssimcu_io.h"

#include <pthread.h>

struct ssimcu_file_piece {
    struct ssimcu_file_piece *next;
    size_t size;
    uint8_t bytes[];
};

/* Pieces that no image has. There are never more pieces than images were open at once. Many threads
 * may use them. */
struct ssimcu_file_memory {
    pthread_mutex_t lock;
    struct ssimcu_file_piece *idle;
};

SSIMCU_API void ssimcu_file_memory_start(struct ssimcu_file_memory *memory);

/* Frees the pieces. All images that have any have been decoded or closed. */
SSIMCU_API void ssimcu_file_memory_end(struct ssimcu_file_memory *memory);

/* Opens an image as ssimcu_image_open does. Its file's bytes lie in `memory`, which gets them back
 * when the image is decoded or closed. NULL: in memory of their own. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_image_open_in(struct ssimcu_file_memory *memory,
                                                                const char *path,
                                                                const ssimcu_image_options *options,
                                                                ssimcu_image **image,
                                                                ssimcu_message *message);

/* Returns a piece of at least `size` bytes; NULL: out of memory. */
struct ssimcu_file_piece *ssimcu_file_memory_take(struct ssimcu_file_memory *memory, size_t size);

/* Makes a piece larger and keeps its bytes. NULL: out of memory, and the piece is as it was. */
struct ssimcu_file_piece *ssimcu_file_memory_grow(struct ssimcu_file_piece *piece, size_t size);

/* Gives a piece back. NULL is allowed. */
void ssimcu_file_memory_give(struct ssimcu_file_memory *memory, struct ssimcu_file_piece *piece);

#endif
