#include "base/json.h"

#include "base/text.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

json_t *json_add(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0) return array;
    json_decref(array);
    return NULL;
}

/* ---- Writing --------------------------------------------------------------------------------- */

/* The text of a document. If an allocation fails while a name is written, json_dumps of
 * Jansson 2.14 goes on and returns text that is no JSON. `lost` remembers the failure. */
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
    if (text_is_utf8(shown)) {
        json_t *value = json_string(shown);
        free(shown);
        return value;
    }
    for (char *at = shown; *at; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    json_t *value = json_string(shown);
    free(shown);
    return value;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* The thread's parser. If an allocation fails, Jansson 2.14 blames the text, leaves something out
 * or aborts. So it gets memory from a reserve to come to its end, and the document is dropped. */
static _Thread_local struct {
    bool parsing, lost;
    size_t used; /* elements of the reserve in use */
    max_align_t reserve[4096];
} parser;
static pthread_once_t once = PTHREAD_ONCE_INIT;
/* What Jansson had before. The process may use Jansson, too, with functions of its own. */
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
