/* JSON that is built without a look at every call. A lost allocation anywhere makes the whole NULL:
 * there is a document or none, never one that lacks something. */
#ifndef SSIMCU_QA_JSON_H
#define SSIMCU_QA_JSON_H

#include "ssimcu.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* An object that is being built; members keep their order. */
struct object {
    json_t *json;
    bool failed;
};

void object_start(struct object *object);

/* Adds a member and takes `value`, where NULL means that memory ran out. The next ones make it. */
void object_put(struct object *object, const char *name, json_t *value);
void object_text(struct object *object, const char *name, const char *utf8); /* NULL: null */
void object_path(struct object *object, const char *name, const char *path); /* likewise */
void object_real(struct object *object, const char *name, double value);     /* finite */
void object_count(struct object *object, const char *name, int64_t value);
void object_bool(struct object *object, const char *name, bool value);

/* The object, the caller's. NULL where anything was lost. */
json_t *object_end(struct object *object);

/* Returns a new object with the members of `first` and those of `more`, which win and which it
 * takes. NULL if either is NULL or memory runs out. */
json_t *object_join(const json_t *first, json_t *more);

/* Appends `value`, which it takes. Returns the array; NULL, and frees it, where one of them is NULL
 * or memory runs out. */
json_t *array_add(json_t *array, json_t *value);

/* The document as text, and the end of `json`, which may be NULL. Free it. NULL when memory runs
 * out. `flags`: jansson's. Every number has 17 digits, enough to read back the same bits. */
char *json_to_text(json_t *json, size_t flags);

/* NULL where the text is no JSON, for which *status is DATA, or memory runs out: MEMORY. */
json_t *json_from_text(const char *text, size_t length, ssimcu_status *status);

#endif
