#include "base/json.h"

#include "base/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

json_t *json_add(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0) return array;
    json_decref(array);
    return NULL;
}

const char *json_text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The text of a document. If an allocation fails while a name is written, json_dumps of Jansson
 * 2.14 continues and returns invalid JSON. `lost` remembers the failure. */
struct text {
    char *bytes;
    size_t length, room;
    bool lost;
};

static int append(const char *bytes, size_t length, void *to)
{
    struct text *text = to;
    if (text->length + length >= text->room) {
        const size_t room = 2 * (text->length + length) + 512;
        char *grown = realloc(text->bytes, room);
        text->lost = text->lost || !grown;
        if (!grown) return -1;
        text->bytes = grown;
        text->room = room;
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
    return 0;
}

char *json_to_text(json_t *json, size_t flags)
{
    struct text text = {0};
    const bool good = json && json_dump_callback(json, append, &text,
                                                 flags | JSON_REAL_PRECISION(JSON_DIGITS)) == 0;
    json_decref(json);
    if (good && !text.lost) return text.bytes;
    free(text.bytes);
    return NULL;
}

char *json_to_shown(json_t *value)
{
    return value ? json_to_text(json_incref(value), JSON_COMPACT | JSON_ENCODE_ANY)
                 : strdup("none");
}

char *json_to_line(json_t *json) { return json_to_text(json, JSON_COMPACT); }

json_t *json_of_path(const char *path) { return json_of_bytes(path, strlen(path)); }

json_t *json_of_bytes(const char *bytes, size_t length)
{
    char *shown = strndup(bytes, length);
    if (!shown) return NULL;
    const bool utf8 = text_is_utf8(shown);
    for (char *at = shown; *at && !utf8; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    json_t *value = json_string(shown);
    free(shown);
    return value;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The thread's parser. If an allocation fails, Jansson 2.14 blames the text, leaves something out
 * or aborts. So a reserve gives it the memory to finish, and the document is dropped. */
static _Thread_local struct {
    bool parsing, lost;
    size_t used; /* elements of the reserve in use */
    max_align_t reserve[4096];
} parser;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* The functions that Jansson had before. The process may use Jansson, too, with other functions. */
static json_malloc_t malloc_before;
static json_free_t free_before;

static void *allocate(size_t size)
{
    void *memory = malloc_before(size);
    if (memory || !parser.parsing) return memory;
    const size_t units = size / sizeof parser.reserve[0] + 1;
    const size_t most = sizeof parser.reserve / sizeof parser.reserve[0];
    parser.lost = true;
    if (units > most - parser.used) return NULL;
    memory = &parser.reserve[parser.used];
    parser.used += units;
    return memory;
}

static void release(void *memory)
{
    const uintptr_t at = (uintptr_t)memory, reserve = (uintptr_t)parser.reserve;
    if (at < reserve || at >= reserve + sizeof parser.reserve) free_before(memory);
}

static void watch_allocations(void)
{
    json_get_alloc_funcs(&malloc_before, &free_before);
    json_set_alloc_funcs(allocate, release);
}

static json_t *parse(const char *text, size_t length, size_t flags, json_error_t *why,
                     ssimcu_status *status)
{
    (void)pthread_once(&once, watch_allocations);
    parser.parsing = true;
    parser.lost = false;
    parser.used = 0;
    json_t *json = json_loadb(text, length, flags, why);
    parser.parsing = false;
    *status = parser.lost ? SSIMCU_ERROR_MEMORY : json ? SSIMCU_OK : SSIMCU_ERROR_DATA;
    if (*status == SSIMCU_OK) return json;
    json_decref(json);
    return NULL;
}

json_t *json_from_text(const char *text, size_t length, ssimcu_status *status)
{
    return parse(text, length, 0, NULL, status);
}

json_t *json_from_file_text(const char *text, size_t length, json_error_t *why,
                            ssimcu_status *status)
{
    return parse(text, length, JSON_REJECT_DUPLICATES, why, status);
}

/* ---- Objects --------------------------------------------------------------------------------- */

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
