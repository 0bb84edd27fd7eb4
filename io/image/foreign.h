/* Recognises unsupported formats, and names the command that converts them. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>

enum { SSIMCU_FOREIGN_BYTES = 400 }; /* bytes that are enough to decide */

/* Fails with UNSUPPORTED if the first bytes show such a format; the message names it and the
 * command that converts it. `name` is the file's name. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_foreign_check(const char *name, const void *start,
                                                                size_t size,
                                                                ssimcu_message *message);

/* Checks a regular file in the same way. Returns OK for other files, and if the file cannot be
 * opened. */
SSIMCU_API SSIMCU_MUST_CHECK ssimcu_status ssimcu_foreign_check_file(const char *path,
                                                                     ssimcu_message *message);

/* Returns whether the first bytes show a video format. */
SSIMCU_API bool ssimcu_foreign_is_video(const void *start, size_t size);

/* Returns the only FFmpeg demuxer that may read a file with these first bytes. Returns NULL for no
 * video, and for containers that FFmpeg itself distinguishes. */
const char *ssimcu_foreign_reader(const void *start, size_t size);
