/* Files of formats that are not read here: what they are, and how to turn them into what is. */
#ifndef SSIMCU_IMAGE_FOREIGN_H
#define SSIMCU_IMAGE_FOREIGN_H

#include "ssimcu.h"

#include <stdbool.h>

enum { SSIMCU_FOREIGN_BYTES = 400 }; /* enough to tell */

/* UNSUPPORTED, with the format and the command that converts it, where these are the first bytes of
 * such a file; else OK. `name` is the file's. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_foreign_check(const char *name, const void *start,
                                                     size_t size, ssimcu_message *message);

/* The same for a regular file; OK for anything else, and for what cannot be opened. */
SSIMCU_MUST_CHECK ssimcu_status ssimcu_foreign_check_file(const char *path,
                                                          ssimcu_message *message);

/* Whether these are the first bytes of a video file among them. */
bool ssimcu_foreign_is_video(const void *start, size_t size);

#endif
