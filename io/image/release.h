/* Releases a file's bytes while they are read, so that they and the whole frame are not in memory
 * together. Reads them again for a reader that must start over. */
#ifndef SSIMCU_IMAGE_RELEASE_H
#define SSIMCU_IMAGE_RELEASE_H

#include "codec.h"

#include <sys/stat.h>

struct ssimcu_origin {
    const char *path;
    struct stat seen; /* state of the file when it was read */
    size_t released;  /* bytes from the start that have been released */
};

/* Asks for huge pages for bytes that are about to be filled for the first time. A large file then
 * takes half the time if the system has such pages. */
void ssimcu_prefer_huge_pages(uint8_t *bytes, size_t size);

/* Says that the reader needs no byte before `end` any more. */
void ssimcu_release_bytes(const ssimcu_file *file, size_t end);

/* Checks that a worker has read the file as it was when it was opened. Errors: FILE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_release_check(const ssimcu_file *file,
                                                     const struct ssimcu_origin *origin);

/* Reads all released bytes again. Errors: FILE (the file has changed). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_release_undo(const ssimcu_file *file);

#endif
