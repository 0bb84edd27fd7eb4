/* What a rule of a file of limits says about parts of frames that are ignored. */
#ifndef SSIMCU_QA_LIMITS_IGNORE_H
#define SSIMCU_QA_LIMITS_IGNORE_H

#include "verdict/limits.h"

struct json_t;

/* Takes a list of rectangles. Errors: DATA (no message: it is no such list), MEMORY. */
ssimcu_status limits_ignore_take(const struct json_t *list, struct ignored_parts *parts);

/* Reads a mask, in which all is ignored that is not black. Errors: those of ssimcu_image_read;
 * UNSUPPORTED (it has alpha). */
ssimcu_status limits_ignore_read(const char *path, struct ignored_parts *parts,
                                 ssimcu_message *message);

/* Makes file->ignored, of the rules that were read from this list: the CRC-32 and the length of
 * what they say, in hexadecimal. */
void limits_ignore_fingerprint(const struct json_t *rules, struct limits_file *file);

#endif
