/* Releases a file's bytes while they are read, so that they and the whole frame are not in memory
 * together. Reads them again if a reader must start over. */
#pragma once

#include "codec.h"

#include <sys/stat.h>

struct ssimcu_origin {
    const char *path;
    struct stat seen; /* state of the file when it was read */
    size_t released;  /* bytes from the start that have been released */
};

/* Requests huge pages for bytes that will be filled for the first time. They halve the time for a
 * large file, if the system has such pages. */
void ssimcu_prefer_huge_pages(uint8_t *bytes, size_t size);

/* Announces that the reader no longer needs the bytes before `end`. */
void ssimcu_release_bytes(const ssimcu_file *file, size_t end);

/* Checks that the file has not changed since it was opened, after a worker has read it. Errors:
 * FILE. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_release_check(const ssimcu_file *file,
                                                     const struct ssimcu_origin *origin);

/* Reads all released bytes again. Errors: FILE (the file has changed). */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_release_undo(const ssimcu_file *file);
