/* A record as a line of JSON Lines, and back. */
#include "base/json.h"
#include "base/object.h"
#include "lines/lines.h"

#include "fail.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const SIDES[] = {"ref", "out"};
static const char HINTS_BETWEEN[] = "; ";

static json_t *side_to_json(const struct record_side *side)
{
    char time[48];
    struct object json;
    if (!side->path) return json_null();
    object_start(&json);
    object_path(&json, "path", side->path);
    if (side->known) {
        snprintf(time, sizeof time, "%" PRId64 ".%09ld", side->seconds, side->nanoseconds);
        object_count(&json, "bytes", side->bytes);
        object_text(&json, "mtime", time); /* more digits than a double has */
    }
    return object_end(&json);
}

json_t *record_hints_to_json(const char *hints)
{
    json_t *list = json_array();
    while (*hints) {
        const char *end = strstr(hints, HINTS_BETWEEN);
        const size_t length = end ? (size_t)(end - hints) : strlen(hints);
        list = json_add(list, json_stringn(hints, length));
        hints += length + (end ? strlen(HINTS_BETWEEN) : 0);
    }
    return list;
}

json_t *record_left_to_json(const char *left)
{
    json_t *list = json_array();
    for (const char *name = left; *name;) {
        const size_t length = strcspn(name, "\n");
        list = json_add(list, json_of_bytes(name, length));
        name += length + (name[length] != '\0');
    }
    return list;
}

static json_t *range_to_json(const struct record_range *range)
{
    struct object json;
    object_start(&json);
    object_real(&json, "low", range->low);
    object_real(&json, "high", range->high);
    object_real(&json, "far", range->far);
    return object_end(&json);
}

static json_t *light_to_json(const struct record_light *light)
{
    struct object json;
    object_start(&json);
    for (int s = 0; s < 2; s++) {
        struct object side;
        if (!light[s].known) continue;
        object_start(&side);
        object_real(&side, "clamped", light[s].clamped);
        if (light[s].outside > 0) object_real(&side, "outside", light[s].outside);
        if (light[s].not_finite > 0)
            object_count(&side, "not_finite", (int64_t)light[s].not_finite);
        object_put(&json, SIDES[s], object_end(&side));
    }
    return object_end(&json);
}

/* Adds the decoders of both sides, if NVDEC is one of them. */
static void add_decoded(struct object *json, const bool by_nvdec[2])
{
    struct object sides;
    if (!by_nvdec[0] && !by_nvdec[1]) return;
    object_start(&sides);
    for (int s = 0; s < 2; s++) object_text(&sides, SIDES[s], by_nvdec[s] ? "nvdec" : "cpu");
    object_put(json, "decoded", object_end(&sides));
}

/* Adds what the containers say of the frame. */
static void add_coded(struct object *json, const struct record_coded coded[2])
{
    struct object sides;
    if (!coded[0].known && !coded[1].known) return;
    object_start(&sides);
    for (int s = 0; s < 2; s++) {
        struct object side;
        if (!coded[s].known) continue;
        object_start(&side);
        object_count(&side, "bytes", (int64_t)coded[s].bytes);
        if (!isnan(coded[s].time)) object_real(&side, "time", coded[s].time);
        object_put(&sides, SIDES[s], object_end(&side));
    }
    object_put(json, "coded", object_end(&sides));
}

static void add_score(struct object *json, const struct record *record)
{
    if (record_has(record, SSIMCU_METRIC_SSIM)) {
        object_real(json, "score", record->score);
        object_put(json, "channels",
                   contract_channels_to_json(record->layout, record->channels, record->channel));
    }
    if (record->metrics != 0) object_put(json, "metrics", record_metrics_to_json(record));
    if (record->ignored.tiles > 0)
        object_put(json, "ignored", record_ignored_to_json(&record->ignored));
    if (record->tile.known) object_put(json, "tile", record_tile_to_json(&record->tile));
    if (record->shift.width > 0)
        object_put(json, "shift", record_shift_to_json(record->layout, &record->shift));
    if (record->floor.known)
        object_put(json, "floor",
                   record_floor_to_json(record->layout, &record->floor, record->floor_worst));
    object_count(json, "bits", record->bits);
    object_text(json, "background", contract_backgrounds[record->background]);
    object_text(json, "backend", record->backend);
    add_decoded(json, record->by_nvdec);
    if (record->light[0].known || record->light[1].known)
        object_put(json, "light", light_to_json(record->light));
    if (record->range.known) object_put(json, "range", range_to_json(&record->range));
    if (record->left) object_put(json, "not_compared", record_left_to_json(record->left));
}

json_t *record_to_object(const struct record *record, const char *type)
{
    struct object json;
    object_start(&json);
    object_text(&json, "type", type);
    object_count(&json, "frame", record->frame);
    if (record->part) object_path(&json, "part", record->part);
    object_text(&json, "status", record_status(record));
    if (record->kind == RECORD_SCORED) add_score(&json, record);
    if (record->kind == RECORD_MISSING) object_text(&json, "missing", record_missing(record));
    if (record->kind == RECORD_FAILED) object_path(&json, "message", record->message.text);
    add_coded(&json, record->coded);
    if (record->hints[0]) object_put(&json, "hints", record_hints_to_json(record->hints));
    for (int s = 0; s < 2; s++) object_put(&json, SIDES[s], side_to_json(&record->side[s]));
    if (record->variant.path) object_put(&json, "variant", side_to_json(&record->variant));
    if (record->look) object_text(&json, "look", record->look);
    return object_end(&json);
}

char *record_to_json(const struct record *record)
{
    return json_to_line(record_to_object(record, "frame"));
}

/* ---- Reading back ---------------------------------------------------------------------------- */

/* Copies a text, the caller's to free. Errors: DATA (the value is no text), MEMORY. */
static ssimcu_status copy_text(const json_t *json, char **to)
{
    const char *text = json_string_value(json);
    if (!text) return SSIMCU_ERROR_DATA;
    *to = strdup(text);
    return *to ? SSIMCU_OK : SSIMCU_ERROR_MEMORY;
}

static ssimcu_status side_from_json(const json_t *json, struct record_side *side)
{
    *side = (struct record_side){0};
    if (json_is_null(json)) return SSIMCU_OK;
    const ssimcu_status status = copy_text(json_object_get(json, "path"), &side->path);
    const char *time = json_string_value(json_object_get(json, "mtime"));
    const json_t *bytes = json_object_get(json, "bytes");
    side->bytes = json_integer_value(bytes);
    side->known =
        bytes && time && sscanf(time, "%" SCNd64 ".%ld", &side->seconds, &side->nanoseconds) == 2;
    return status;
}

static bool light_from_json(const json_t *json, struct record_light light[2])
{
    for (int s = 0; s < 2; s++) {
        const json_t *side = json_object_get(json, SIDES[s]), *clamped, *not_finite;
        if (!side) continue;
        clamped = json_object_get(side, "clamped");
        not_finite = json_object_get(side, "not_finite");
        light[s].known = true;
        light[s].clamped = json_real_value(clamped);
        light[s].outside = json_real_value(json_object_get(side, "outside"));
        light[s].not_finite = (uint64_t)json_integer_value(not_finite);
        if (!json_is_real(clamped) || !(light[s].clamped >= 0 && light[s].clamped <= 1) ||
            !(light[s].outside >= 0 && light[s].outside <= 1) || json_integer_value(not_finite) < 0)
            return false;
    }
    return true;
}

static bool coded_from_json(const json_t *json, struct record_coded coded[2])
{
    for (int s = 0; s < 2; s++) {
        const json_t *side = json_object_get(json, SIDES[s]), *time = json_object_get(side, "time");
        const json_int_t bytes = json_integer_value(json_object_get(side, "bytes"));
        if (!side) continue;
        coded[s] = (struct record_coded){true, (uint64_t)bytes, time ? json_real_value(time) : NAN};
        if (!json_is_integer(json_object_get(side, "bytes")) || bytes < 0 ||
            (time && !json_is_real(time)))
            return false;
    }
    return true;
}

static bool range_from_json(const json_t *json, struct record_range *range)
{
    const json_t *low = json_object_get(json, "low"), *high = json_object_get(json, "high"),
                 *far = json_object_get(json, "far");
    range->known = json != NULL;
    range->low = json_real_value(low);
    range->high = json_real_value(high);
    range->far = json_real_value(far);
    return !json || (json_is_real(low) && json_is_real(high) && json_is_real(far));
}

/* Errors: DATA (the value is no list of texts), MEMORY. */
static ssimcu_status left_from_json(const json_t *json, char **left)
{
    size_t bytes = 0, used = 0;
    if (!json) return SSIMCU_OK;
    for (size_t i = 0; i < json_array_size(json); i++) {
        if (!json_is_string(json_array_get(json, i))) return SSIMCU_ERROR_DATA;
        bytes += json_string_length(json_array_get(json, i)) + 1;
    }
    if (bytes == 0) return SSIMCU_ERROR_DATA;
    *left = malloc(bytes);
    if (!*left) return SSIMCU_ERROR_MEMORY;
    for (size_t i = 0; i < json_array_size(json); i++)
        used += (size_t)snprintf(*left + used, bytes - used, "%s%s", i > 0 ? "\n" : "",
                                 json_string_value(json_array_get(json, i)));
    return SSIMCU_OK;
}

static bool hints_from_json(const json_t *json, char hints[RECORD_HINTS_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < json_array_size(json); i++) {
        const char *hint = json_string_value(json_array_get(json, i));
        if (!hint) return false;
        used += (size_t)snprintf(hints + used, RECORD_HINTS_BYTES - used, "%s%s",
                                 i > 0 ? HINTS_BETWEEN : "", hint);
        if (used >= RECORD_HINTS_BYTES) return false;
    }
    return !json || json_is_array(json);
}

/* Returns the layout that has these channels; NULL: none. Only those of RGB can lack scores. */
static const char *layout_from_json(const json_t *channels, bool ignored)
{
    const size_t count = json_object_size(channels);
    if (json_is_object(channels) && count == 0 && ignored) return contract_layouts[0];
    for (int i = 0; contract_layouts[i]; i++)
        if (count == (i < 2 ? 3 : 1) &&
            json_object_get(channels, contract_channel(contract_layouts[i], 0)))
            return contract_layouts[i];
    return NULL;
}

/* Reads SSIM and its channels, which a record of other metrics may lack. */
static bool ssim_from_json(const json_t *json, struct record *record)
{
    const json_t *score = json_object_get(json, "score"),
                 *channels = json_object_get(json, "channels");
    record->score = NAN;
    record->layout = CONTRACT_NO_LAYOUT;
    if (!score && !channels) return json_object_get(json, "metrics") != NULL;
    record->layout = layout_from_json(channels, json_object_get(json, "ignored") != NULL);
    if (!record->layout || !lines_score(score, &record->score)) return false;
    record->channels = (uint32_t)json_object_size(channels);
    for (uint32_t c = 0; c < record->channels; c++)
        if (!lines_score(json_object_get(channels, contract_channel(record->layout, c)),
                         &record->channel[c]))
            return false;
    return true;
}

static bool score_from_json(const json_t *json, struct record *record)
{
    const char *background = json_string_value(json_object_get(json, "background"));
    const char *backend = json_string_value(json_object_get(json, "backend"));
    if (!backend || !ssim_from_json(json, record)) return false;
    for (int b = SSIMCU_BACKGROUND_BLACK; background && b <= SSIMCU_BACKGROUND_WHITE; b++)
        if (strcmp(background, contract_backgrounds[b]) == 0)
            record->background = (ssimcu_background)b;
    record->backend = strcmp(backend, "cuda") == 0 ? "cuda" : "cpu";
    for (int s = 0; s < 2; s++) {
        const json_t *decoded = json_object_get(json_object_get(json, "decoded"), SIDES[s]);
        const char *by = json_string_value(decoded);
        record->by_nvdec[s] = by && strcmp(by, "nvdec") == 0;
    }
    return lines_whole(json_object_get(json, "bits"), &record->bits) &&
           record_metrics_from_json(json_object_get(json, "metrics"), record) &&
           record_ignored_from_json(json_object_get(json, "ignored"), &record->ignored) &&
           record_tile_from_json(json_object_get(json, "tile"), &record->tile) &&
           record_shift_from_json(json_object_get(json, "shift"), record) &&
           record_floor_from_json(json_object_get(json, "floor"), record) &&
           range_from_json(json_object_get(json, "range"), &record->range) &&
           light_from_json(json_object_get(json, "light"), record->light);
}

/* Reads why a frame is missing or has failed. */
static bool reason_from_json(const json_t *json, const char *status, struct record *record)
{
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

static ssimcu_status fill_from_json(const json_t *json, struct record *record)
{
    const char *type = json_string_value(json_object_get(json, "type"));
    const char *status = json_string_value(json_object_get(json, "status"));
    const json_t *frame = json_object_get(json, "frame"), *part = json_object_get(json, "part");
    record->frame = json_integer_value(frame);
    if (!type || strcmp(type, "frame") != 0 || !status || !json_is_integer(frame) ||
        record->frame < 0)
        return SSIMCU_ERROR_DATA;
    ssimcu_status copied = part ? copy_text(part, &record->part) : SSIMCU_OK;
    for (int s = 0; s < 2 && copied == SSIMCU_OK; s++)
        copied = side_from_json(json_object_get(json, SIDES[s]), &record->side[s]);
    const json_t *variant = json_object_get(json, "variant");
    if (copied == SSIMCU_OK && variant) copied = side_from_json(variant, &record->variant);
    if (copied == SSIMCU_OK)
        copied = left_from_json(json_object_get(json, "not_compared"), &record->left);
    const json_t *look = json_object_get(json, "look");
    if (copied == SSIMCU_OK && look) copied = copy_text(look, &record->look);
    if (copied != SSIMCU_OK) return copied;
    const bool good = (strcmp(status, "ok") == 0 ? score_from_json(json, record)
                                                 : reason_from_json(json, status, record)) &&
                      coded_from_json(json_object_get(json, "coded"), record->coded) &&
                      hints_from_json(json_object_get(json, "hints"), record->hints);
    return good ? SSIMCU_OK : SSIMCU_ERROR_DATA;
}

ssimcu_status record_from_object(const json_t *json, struct record *record)
{
    *record = (struct record){0};
    const ssimcu_status status = fill_from_json(json, record);
    if (status != SSIMCU_OK) record_clear(record);
    return status;
}

ssimcu_status record_from_json(const char *line, struct record *record)
{
    ssimcu_status status;
    *record = (struct record){0};
    json_t *json = json_from_text(line, strlen(line), &status);
    if (json) status = record_from_object(json, record);
    json_decref(json);
    return status;
}
