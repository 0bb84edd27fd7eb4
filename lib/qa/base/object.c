#include "base/object.h"
#include "base/json.h"

struct object object_new(void)
{
    json_t *json = json_object();
    return (struct object){json, !json};
}

void object_put(struct object *object, const char *name, json_t *value)
{
    if (json_object_set_new(object->json, name, value) != 0) object->failed = true;
}

void object_text(struct object *object, const char *name, const char *utf8)
{
    object_put(object, name, utf8 ? json_string(utf8) : json_null());
}

void object_path(struct object *object, const char *name, const char *path)
{
    object_put(object, name, path ? json_of_path(path) : json_null());
}

void object_real(struct object *object, const char *name, double value)
{
    object_put(object, name, json_real(value));
}

void object_count(struct object *object, const char *name, int64_t value)
{
    object_put(object, name, json_integer(value));
}

void object_bool(struct object *object, const char *name, bool value)
{
    object_put(object, name, json_boolean(value));
}

json_t *object_end(struct object *object)
{
    json_t *json = object->json;
    object->json = NULL;
    if (!object->failed) return json;
    json_decref(json);
    return NULL;
}

json_t *object_join(const json_t *first, json_t *more)
{
    json_t *joined = first && more ? json_copy((json_t *)(uintptr_t)first) : NULL;
    const bool whole = joined && json_object_size(joined) == json_object_size(first) &&
                       json_object_update(joined, more) == 0;
    json_decref(more);
    if (whole) return joined;
    json_decref(joined);
    return NULL;
}
