/* Pieces of JSON that several outputs have. */
#include "results/lines.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

json_t *json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) == 0) return object;
    json_decref(object);
    return NULL;
}

json_t *json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) == 0) return array;
    json_decref(array);
    return NULL;
}

char *line_of_json(json_t *json)
{
    char *line = json ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(LINE_DIGITS)) : NULL;
    json_decref(json);
    return line;
}

char *results_utf8(const char *text)
{
    json_t *json = path_to_json(text);
    char *shown = json ? strdup(json_string_value(json)) : NULL;
    json_decref(json);
    return shown;
}

json_t *tile_to_json(const struct record_tile *tile)
{
    return json_pack("{s:f, s:i, s:i, s:i, s:i}", "score", tile->score, "x", (int)tile->x, "y",
                     (int)tile->y, "width", (int)tile->width, "height", (int)tile->height);
}

json_t *hints_to_json(const char *hints)
{
    json_t *json = json_array();
    while (*hints) {
        const char *end = strstr(hints, "; ");
        const size_t length = end ? (size_t)(end - hints) : strlen(hints);
        json = json_append(json, json_stringn(hints, length));
        hints += length + (end ? 2 : 0);
    }
    return json;
}
