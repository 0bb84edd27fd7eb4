/* Functions shared by the files that read a limits file. */
#pragma once

#include "verdict/limits.h"

#include <jansson.h>

/* The place being read, for messages. */
struct limits_place {
    const char *path;
    const char *kind; /* "rule"; "learned", for its shots; NULL: the file itself */
    size_t number;    /* number of the rule or shot, from 1; 0: none */
    const char *name;
    ssimcu_message *message;
};

/* Return the errors of reading: DATA, whose message names the place and the expected value, and
 * MEMORY. */
ssimcu_status limits_wrong(const struct limits_place *place, const char *key, const char *expected);
/* Copies a JSON text, which the caller frees. Errors: MEMORY. */
ssimcu_status limits_copy(const json_t *text, char **to, ssimcu_message *message);

/* Reads the name of a file, which is relative to the limits file unless it is absolute. The caller
 * frees the path. Errors: DATA, MEMORY. */
ssimcu_status limits_take_path(const struct limits_place *place, const char *key,
                               const json_t *value, const char *expected, char **path);

/* Reads the learned limits of a file. Errors: DATA, MEMORY. */
ssimcu_status limits_learned_take(const char *path, json_t *own, struct limits_learned *learned,
                                  ssimcu_message *message);

/* A fingerprint of texts: the CRC-32 of all of them, and their size in bytes with the final zeros.
 */
struct limits_print {
    uint32_t crc, bytes;
};

/* Adds a text, or an empty one for NULL; and writes the fingerprint. */
void limits_print_add(struct limits_print *print, const char *text);
void limits_print_write(const struct limits_print *print, char text[LEARNED_PRINT]);

/* Frees everything that learned limits own. */
void limits_learned_free(struct limits_learned *learned);

/* Ignored areas of a rule (limits_ignore.c). */

/* Reads a list of rectangles. Errors: DATA (not such a list; without a message), MEMORY. */
ssimcu_status limits_ignore_take(const json_t *list, struct ignored_areas *areas);

/* Reads a mask: all pixels that are not black are ignored. Errors: those of ssimcu_image_read;
 * UNSUPPORTED (it has alpha). */
ssimcu_status limits_ignore_read(const char *path, struct ignored_areas *areas,
                                 ssimcu_message *message);

/* Sets file->ignored and file->compared from the rules of this list: the CRC-32 and the length of
 * their texts, in hexadecimal. */
void limits_ignore_fingerprint(const json_t *rules, struct limits_file *file);
