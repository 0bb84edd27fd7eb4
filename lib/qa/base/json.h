/* Reading JSON from text, building it, and writing it as text. */
#pragma once

#include "ssimcu.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Digits of every number in results: enough to read back the same bits. */
enum { JSON_DIGITS = 17 };

/* Appends `value`, which it takes. Returns the array. If either is NULL or memory runs out, it
 * frees the array and returns NULL. */
json_t *json_add(json_t *array, json_t *value);

/* Returns a path as a JSON string; NULL if memory runs out. Paths are bytes, but JSON is UTF-8: if
 * a path is not UTF-8, each of its bytes above 127 becomes '?'. */
json_t *json_of_path(const char *path);

/* Does the same for the first `length` bytes of a text. */
json_t *json_of_bytes(const char *bytes, size_t length);

/* Returns the document as text, which the caller frees; NULL if memory runs out. Releases `json`,
 * which may be NULL. `flags`: Jansson's. Every number has 17 digits, enough to read back the same
 * bits. */
char *json_to_text(json_t *json, size_t flags);

/* Does the same for one line, without a line break. */
char *json_to_line(json_t *json);

/* Returns a value as messages show it, "none" for NULL. The caller frees the text. NULL if memory
 * runs out. */
char *json_to_shown(json_t *value);

/* Returns a member's text; NULL: it does not exist, or is not text. */
const char *json_text(const json_t *object, const char *name);

/* Reads a document, which the caller owns. Returns NULL and sets *status to DATA if the text is
 * invalid JSON, or to MEMORY if memory runs out. */
json_t *json_from_text(const char *text, size_t length, ssimcu_status *status);

/* Does the same for a file that people write. A member that is named twice is an error, and *why
 * says where the text is wrong. */
json_t *json_from_file_text(const char *text, size_t length, json_error_t *why,
                            ssimcu_status *status);

/* An object under construction; its members keep their order. Errors are checked once, at the end.
 * If an allocation fails anywhere, the whole object is NULL and never incomplete. */
struct object {
    json_t *json;
    bool failed;
};

/* Returns an empty object. */
struct object object_new(void);

/* Adds a member and takes `value`; NULL means that memory ran out. The other functions make the
 * value. */
void object_put(struct object *object, const char *name, json_t *value);
void object_text(struct object *object, const char *name, const char *utf8); /* NULL: null */
void object_path(struct object *object, const char *name, const char *path); /* NULL: null */
void object_real(struct object *object, const char *name, double value);     /* finite */
void object_count(struct object *object, const char *name, int64_t value);
void object_bool(struct object *object, const char *name, bool value);

/* Returns the object, which the caller owns; NULL if memory ran out at any step. */
json_t *object_end(struct object *object);

/* Returns a new object with the members of both; those of `more` win. Takes `more`. Returns NULL if
 * either is NULL or memory runs out. */
json_t *object_join(const json_t *first, json_t *more);
