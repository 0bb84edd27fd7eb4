/* JSON whose errors are checked once, at the end. If an allocation fails anywhere, the whole
 * document is NULL: it is never there with a part missing. */
#ifndef SSIMCU_QA_JSON_H
#define SSIMCU_QA_JSON_H

#include "ssimcu.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* An object under construction; its members keep their order. */
struct object {
    json_t *json;
    bool failed;
};

/* Starts an empty object. */
void object_start(struct object *object);

/* Adds a member and takes `value`; NULL means that memory ran out. The other functions make the
 * value themselves. */
void object_put(struct object *object, const char *name, json_t *value);
void object_text(struct object *object, const char *name, const char *utf8); /* NULL: null */
void object_path(struct object *object, const char *name, const char *path); /* NULL: null */
void object_real(struct object *object, const char *name, double value);     /* finite */
void object_count(struct object *object, const char *name, int64_t value);
void object_bool(struct object *object, const char *name, bool value);

/* Returns the object, which is the caller's; NULL if memory ran out at any step. */
json_t *object_end(struct object *object);

/* Returns a new object with the members of both; those of `more` win. Takes `more`. Returns NULL if
 * either is NULL or memory runs out. */
json_t *object_join(const json_t *first, json_t *more);

/* Appends `value`, which it takes, and returns the array. If either is NULL or memory runs out, it
 * frees the array and returns NULL. */
json_t *array_add(json_t *array, json_t *value);

/* Returns the document as text, the caller's to free; NULL if memory runs out. Releases `json`,
 * which may be NULL. `flags`: jansson's. Every number has 17 digits, enough to read back the same
 * bits. */
char *json_to_text(json_t *json, size_t flags);

/* Reads a document, which is the caller's. Returns NULL and sets *status to DATA if the text is no
 * JSON, or to MEMORY if memory runs out. */
json_t *json_from_text(const char *text, size_t length, ssimcu_status *status);

#endif
