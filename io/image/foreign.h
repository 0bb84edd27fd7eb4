/* Recognises files of formats that are not read here, and tells the user how to convert them. */
#ifndef SSIMCU_IMAGE_FOREIGN_H
#define SSIMCU_IMAGE_FOREIGN_H

#include "ssimcu.h"

#include <stdbool.h>

enum { SSIMCU_FOREIGN_BYTES = 400 }; /* bytes that are enough to tell */

/* Fails with UNSUPPORTED if the file's first bytes are of such a format; the message names the
 * format and the command that converts it. Returns OK otherwise. `name` is the file's name. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_foreign_check(const char *name, const void *start,
                                                                size_t size,
                                                                ssimcu_message *message);

/* Checks a regular file in the same way. Returns OK for anything else, and if the file cannot be
 * opened. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_foreign_check_file(const char *path,
                                                                     ssimcu_message *message);

/* Whether the first bytes are of a video format. */
SSIMCU_API bool ssimcu_foreign_is_video(const void *start, size_t size);

/* Returns FFmpeg's name of the format that alone may read a file with these first bytes. NULL: it
 * is none, or one of the containers that FFmpeg itself tells apart. */
const char *ssimcu_foreign_reader(const void *start, size_t size);

#endif
