/* A file's bytes are given back while they are read, so that they and the whole frame are not in
 * memory together; and fetched again for a reader that must begin anew. */
#ifndef SSIMCU_IMAGE_RELEASE_H
#define SSIMCU_IMAGE_RELEASE_H

#include "codec.h"

#include <sys/stat.h>

struct ssimcu_origin {
    const char *path;
    struct stat seen; /* when it was read */
    size_t released;  /* bytes from the start that are no longer there */
};

/* Bytes that are about to be filled for the first time: of a large file, that takes half as long
 * where the system has huge pages. */
void ssimcu_prefer_huge_pages(uint8_t *bytes, size_t size);

/* The reader needs no byte before `end` any more. */
void ssimcu_release_bytes(const ssimcu_file *file, size_t end);

/* All bytes are there again. Errors: FILE (the file is no longer what it was). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_release_undo(const ssimcu_file *file,
                                                    ssimcu_message *message);

#endif
