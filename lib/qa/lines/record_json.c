/* Writes a record as a line of JSON Lines and reads it back, fact by fact. */
#include "lines/fact.h"
#include "record/record.h"

#include <math.h>
#include <string.h>

enum { NAME_BYTES = 32 /* more than any name within a path */ };

/* Copies the next name of a path, and moves *path past it. Returns whether another one follows. */
static bool next_name(const char **path, int side, char name[NAME_BYTES])
{
    const size_t length = strcspn(*path, ".");
    const bool more = (*path)[length] == '.';
    if (**path == '%')
        strcpy(name, fact_sides[side]);
    else
        memcpy(name, *path, length), name[length] = '\0';
    *path += length + more;
    return more;
}

/* Adds a value and the objects above it that are missing. Takes the value. Returns false if memory
 * runs out. */
static bool put(json_t *to, const char *path, int side, json_t *value)
{
    char name[NAME_BYTES];
    while (next_name(&path, side, name)) {
        json_t *inner = json_object_get(to, name);
        if (!inner) {
            inner = json_object();
            if (json_object_set_new(to, name, inner) != 0) inner = NULL;
        }
        to = inner;
    }
    return json_object_set_new(to, name, value) == 0; /* takes it even on error */
}

json_t *record_to_object(const struct record *record, const char *type)
{
    struct object json = object_new();
    object_text(&json, "type", type);
    for (const struct fact *fact = record_facts; fact->path; fact++)
        for (int s = 0; s < fact_places(fact); s++)
            if (fact_in_json(fact, record, s) &&
                !put(json.json, fact->path, s, fact->kind->to_json(fact_of(fact, record, s))))
                json.failed = true;
    return object_end(&json);
}

char *record_to_json(const struct record *record)
{
    return json_to_line(record_to_object(record, "frame"));
}

/* ---- Reading back ---------------------------------------------------------------------------- */

/* Finds a value; NULL: none. *in is the object that has or would have it; NULL: there is no such
 * object. */
static const json_t *find(const json_t *line, const char *path, int side, const json_t **in)
{
    char name[NAME_BYTES];
    for (*in = line; next_name(&path, side, name);) *in = json_object_get(*in, name);
    return json_object_get(*in, name);
}

static ssimcu_status fill_fact(const json_t *line, const struct fact *fact, int side,
                               struct record *record)
{
    const size_t shift = (size_t)side * fact->place.stride;
    const json_t *in, *value = find(line, fact->path, side, &in);
    if (!value) return in && fact->when & NEEDED ? SSIMCU_ERROR_DATA : SSIMCU_OK;
    if (fact->place.known > 0) *(uint32_t *)((char *)record + fact->place.known + shift) = 1;
    return fact->kind->from_json(
        (struct fact_target){value, record, (char *)record + fact->place.at + shift});
}

/* Returns whether the facts that were read agree. Only channels of RGB can lack scores, and only
 * because tiles are ignored. A frame without SSIM has other metrics. */
static bool agrees(const struct record *record)
{
    const bool ssim = record->kind == RECORD_SCORED && record->scored.layout[0] != '\0';
    if (record->kind != RECORD_SCORED) return true;
    if (ssim == isnan(record->scored.score)) return false;
    return ssim ? record->scored.channels > 0 || record->scored.ignored.tiles > 0
                : record->metrics != 0;
}

ssimcu_status record_from_object(const json_t *json, struct record *record)
{
    const char *type = json_text(json, "type");
    ssimcu_status status = type && strcmp(type, "frame") == 0 ? SSIMCU_OK : SSIMCU_ERROR_DATA;
    *record = (struct record){.coded = {{.time = NAN}, {.time = NAN}}};
    for (const struct fact *fact = record_facts; fact->path; fact++)
        for (int s = 0; s < fact_places(fact) && status == SSIMCU_OK; s++)
            if (fact->when >> record->kind & 1 && fact->kind->from_json)
                status = fill_fact(json, fact, s, record);
    if (status == SSIMCU_OK && !agrees(record)) status = SSIMCU_ERROR_DATA;
    if (status != SSIMCU_OK) record_clear(record);
    return status;
}

ssimcu_status record_from_json(const char *line, struct record *record)
{
    ssimcu_status status;
    json_t *json = json_from_text(line, strlen(line), &status);
    if (json)
        status = record_from_object(json, record);
    else
        *record = (struct record){0};
    json_decref(json);
    return status;
}
