/* JSON objects whose errors are checked once, at the end. If an allocation fails anywhere, the
 * whole object is NULL: it is never there with a part missing. */
#ifndef SSIMCU_QA_OBJECT_H
#define SSIMCU_QA_OBJECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* An object under construction; its members keep their order. */
struct object {
    json_t *json;
    bool failed;
};

/* Returns an empty object. */
struct object object_new(void);

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

#endif
