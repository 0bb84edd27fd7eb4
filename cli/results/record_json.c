/* A record as a line of JSON Lines, and back. */
#include "results/lines.h"

#include "fail.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const SIDES[] = {"ref", "out"};

static json_t *side_to_json(const struct record_side *side)
{
    char time[48];
    if (!side->path) return json_null();
    json_t *json = json_pack("{s:o}", "path", path_to_json(side->path));
    if (!json || !side->known) return json;
    snprintf(time, sizeof time, "%" PRId64 ".%09ld", side->seconds, side->nanoseconds);
    json_object_set_new(json, "bytes", json_integer(side->bytes));
    json_object_set_new(json, "mtime", json_string(time)); /* more digits than a double has */
    return json;
}

static void add_score(json_t *json, const struct record *record)
{
    const char *background = contract_backgrounds[record->background];
    json_object_set_new(json, "score", json_real(record->score));
    json_object_set_new(json, "channels",
                        channels_to_json(record->layout, record->channels, record->channel));
    json_object_set_new(json, "bits", json_integer(record->bits));
    json_object_set_new(json, "background", background ? json_string(background) : json_null());
    json_object_set_new(json, "backend", json_string(record->backend));
}

char *record_to_json(const struct record *record)
{
    json_t *json = json_pack("{s:s, s:I, s:s}", "type", "frame", "frame", (json_int_t)record->frame,
                             "status", record_status(record));
    if (!json) return NULL;
    if (record->kind == RECORD_SCORED) add_score(json, record);
    if (record->kind == RECORD_MISSING)
        json_object_set_new(json, "missing", json_string(record_missing(record)));
    if (record->kind == RECORD_FAILED)
        json_object_set_new(json, "message", path_to_json(record->message.text));
    for (int s = 0; s < 2; s++) json_object_set_new(json, SIDES[s], side_to_json(&record->side[s]));
    return line_of_json(json);
}

/* ---- Reading back ---------------------------------------------------------------------------- */

static bool side_from_json(const json_t *json, struct record_side *side)
{
    *side = (struct record_side){0};
    if (json_is_null(json)) return true;
    const char *path = json_string_value(json_object_get(json, "path"));
    if (!path || !(side->path = strdup(path))) return false;
    const char *time = json_string_value(json_object_get(json, "mtime"));
    const json_t *bytes = json_object_get(json, "bytes");
    side->bytes = json_integer_value(bytes);
    side->known =
        bytes && time && sscanf(time, "%" SCNd64 ".%ld", &side->seconds, &side->nanoseconds) == 2;
    return true;
}

/* The layout whose channels these are, NULL for none. */
static const char *layout_from_json(const json_t *channels)
{
    const size_t count = json_object_size(channels);
    for (int i = 0; contract_layouts[i]; i++)
        if (count == (i < 2 ? 3 : 1) &&
            json_object_get(channels, contract_channel(contract_layouts[i], 0)))
            return contract_layouts[i];
    return NULL;
}

static bool score_from_json(const json_t *json, struct record *record)
{
    const json_t *channels = json_object_get(json, "channels"),
                 *score = json_object_get(json, "score");
    const char *background = json_string_value(json_object_get(json, "background"));
    const char *backend = json_string_value(json_object_get(json, "backend"));
    record->layout = layout_from_json(channels);
    if (!json_is_real(score) || !backend || !record->layout) return false;
    record->channels = (uint32_t)json_object_size(channels);
    for (uint32_t c = 0; c < record->channels; c++)
        record->channel[c] =
            json_real_value(json_object_get(channels, contract_channel(record->layout, c)));
    record->score = json_real_value(score);
    record->bits = (uint32_t)json_integer_value(json_object_get(json, "bits"));
    for (int b = SSIMCU_BACKGROUND_BLACK; background && b <= SSIMCU_BACKGROUND_WHITE; b++)
        if (strcmp(background, contract_backgrounds[b]) == 0)
            record->background = (ssimcu_background)b;
    record->backend = strcmp(backend, "cuda") == 0 ? "cuda" : "cpu";
    return true;
}

static bool fill_from_json(const json_t *json, struct record *record)
{
    const char *type = json_string_value(json_object_get(json, "type"));
    const char *status = json_string_value(json_object_get(json, "status"));
    const json_t *frame = json_object_get(json, "frame");
    if (!type || strcmp(type, "frame") != 0 || !status || !json_is_integer(frame)) return false;
    record->frame = json_integer_value(frame);
    for (int s = 0; s < 2; s++)
        if (!side_from_json(json_object_get(json, SIDES[s]), &record->side[s])) return false;
    if (strcmp(status, "ok") == 0) return score_from_json(json, record);
    const char *missing = json_string_value(json_object_get(json, "missing"));
    record->kind = missing ? RECORD_MISSING : RECORD_FAILED;
    for (int s = 0; missing && s < 2; s++)
        record->missing[s] = strcmp(missing, SIDES[s]) == 0 || strcmp(missing, "both") == 0;
    if (missing) return true;
    const char *message = json_string_value(json_object_get(json, "message"));
    (void)ssimcu_fail(&record->message, SSIMCU_OK, "%s", message ? message : "");
    for (int code = SSIMCU_ERROR_ARGUMENT; code <= SSIMCU_ERROR_INTERNAL; code++)
        if (strcmp(status, ssimcu_status_name((ssimcu_status)code)) == 0)
            record->status = (ssimcu_status)code;
    return record->status != SSIMCU_OK;
}

bool record_from_json(const char *line, struct record *record)
{
    *record = (struct record){0};
    json_t *json = json_loads(line, 0, NULL);
    const bool good = json && fill_from_json(json, record);
    json_decref(json);
    if (!good) record_clear(record);
    return good;
}
