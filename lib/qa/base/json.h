/* JSON read from text and written as text, and two helpers that Jansson lacks. */
#ifndef SSIMCU_QA_JSON_H
#define SSIMCU_QA_JSON_H

#include "ssimcu.h"

#include <jansson.h>

/* Digits of every number in results: enough to read back the same bits. */
enum { JSON_DIGITS = 17 };

/* Appends `value`, which it takes, and returns the array. If either is NULL or memory runs out, it
 * frees the array and returns NULL. */
json_t *json_add(json_t *array, json_t *value);

/* Returns a path as a JSON string; NULL if memory runs out. Paths are bytes, but JSON is UTF-8: if
 * a path is not UTF-8, each of its bytes above 127 becomes '?'. */
json_t *json_of_path(const char *path);

/* Does the same for the first `length` bytes of a text. */
json_t *json_of_bytes(const char *bytes, size_t length);

/* Returns the document as text, the caller's to free; NULL if memory runs out. Releases `json`,
 * which may be NULL. `flags`: jansson's. Every number has 17 digits, enough to read back the same
 * bits. */
char *json_to_text(json_t *json, size_t flags);

/* Does the same for one line without a line break. */
char *json_to_line(json_t *json);

/* Returns a value as messages show it, the caller's to free; "none" for NULL. NULL if memory runs
 * out. */
char *json_to_shown(json_t *value);

/* Reads a document, which is the caller's. Returns NULL and sets *status to DATA if the text is no
 * JSON, or to MEMORY if memory runs out. */
json_t *json_from_text(const char *text, size_t length, ssimcu_status *status);

/* Does the same for a file that people write: a member that is named twice is an error, and *why
 * says where the text is wrong. */
json_t *json_from_file_text(const char *text, size_t length, json_error_t *why,
                            ssimcu_status *status);

#endif
