/* What the files that read a file of limits share. */
#ifndef SSIMCU_QA_LIMITS_READ_H
#define SSIMCU_QA_LIMITS_READ_H

#include "verdict/limits.h"

#include <jansson.h>

/* What is being read, for messages. */
struct limits_place {
    const char *path;
    const char *kind; /* "rule"; "floors", whose shots have a number; NULL: the file itself */
    size_t number;    /* of the rule or shot, from 1; 0: none */
    const char *name;
    ssimcu_message *message;
};

/* Return the errors that reading has: DATA, whose message says where and what was expected, and
 * MEMORY. */
ssimcu_status limits_wrong(const struct limits_place *place, const char *key, const char *expected);
/* Copies a JSON text, the caller's to free. Errors: MEMORY. */
ssimcu_status limits_copy(const json_t *text, char **to, ssimcu_message *message);

/* Returns the path of a file that lies beside that of limits unless it is absolute, the caller's to
 * free; NULL if memory runs out. */
char *limits_path_beside(const char *limits, const char *name);

/* Takes the floors of a file. Errors: DATA, MEMORY. */
ssimcu_status limits_floors_take(const char *path, json_t *own, struct limits_floors *floors,
                                 ssimcu_message *message);

/* A fingerprint of texts: the CRC-32 of all of them, and how many bytes they have with their ends.
 */
struct limits_print {
    uint32_t crc, bytes;
};

/* Adds a text, or an empty one for NULL; and writes the fingerprint. */
void limits_print_add(struct limits_print *print, const char *text);
void limits_print_write(const struct limits_print *print, char text[FLOORS_PRINT]);

/* Frees what floors own. */
void limits_floors_free(struct limits_floors *floors);

/* Parts of frames that a rule ignores (limits_ignore.c). */

/* Takes a list of rectangles. Errors: DATA (no message: it is no such list), MEMORY. */
ssimcu_status limits_ignore_take(const json_t *list, struct ignored_parts *parts);

/* Reads a mask, in which all is ignored that is not black. Errors: those of ssimcu_image_read;
 * UNSUPPORTED (it has alpha). */
ssimcu_status limits_ignore_read(const char *path, struct ignored_parts *parts,
                                 ssimcu_message *message);

/* Makes file->ignored and file->compared, of the rules that were read from this list: the CRC-32
 * and the length of what they say, in hexadecimal. */
void limits_ignore_fingerprint(const json_t *rules, struct limits_file *file);

#endif
