/* Texts, names and lists of a record. */
#include "lines/fact.h"
#include "record/record.h"

#include "fail.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const fact_sides[] = {"ref", "out"};

/* ---- Texts that the record owns -------------------------------------------------------------- */

static bool has_text(struct fact_source fact) { return *(char *const *)fact.at != NULL; }

static json_t *text_to_json(struct fact_source fact)
{
    return json_of_path(*(char *const *)fact.at);
}

/* Copies a text, which the caller frees. Errors: DATA (not a text), MEMORY. */
static ssimcu_status copy_text(const json_t *json, char **to)
{
    const char *text = json_string_value(json);
    if (!text) return SSIMCU_ERROR_DATA;
    *to = strdup(text);
    return *to ? SSIMCU_OK : SSIMCU_ERROR_MEMORY;
}

static ssimcu_status text_from_json(struct fact_target fact)
{
    return copy_text(fact.value, fact.at);
}

static bool text_to_csv(FILE *to, struct fact_source fact)
{
    return fact_put_text(to, *(char *const *)fact.at);
}

const struct fact_kind fact_text = {
    .has = has_text, .to_json = text_to_json, .from_json = text_from_json, .to_csv = text_to_csv};

/* ---- The outcome of the pair ----------------------------------------------------------------- */

static json_t *status_to_json(struct fact_source fact)
{
    return json_string(record_status(fact.record));
}

static ssimcu_status status_from_json(struct fact_target fact)
{
    const char *status = json_string_value(fact.value);
    if (!status) return SSIMCU_ERROR_DATA;
    fact.record->kind = strcmp(status, "ok") == 0        ? RECORD_SCORED
                        : strcmp(status, "checked") == 0 ? RECORD_CHECKED
                        : strcmp(status, "missing") == 0 ? RECORD_MISSING
                                                         : RECORD_FAILED;
    if (fact.record->kind == RECORD_SCORED)
        fact.record->scored.score = NAN, fact.record->scored.layout = CONTRACT_NO_LAYOUT;
    if (fact.record->kind != RECORD_FAILED) return SSIMCU_OK;
    for (int code = SSIMCU_ERROR_ARGUMENT; code <= SSIMCU_ERROR_INTERNAL; code++)
        if (strcmp(status, ssimcu_status_name((ssimcu_status)code)) == 0)
            fact.record->status = (ssimcu_status)code;
    return fact_read(fact.record->status != SSIMCU_OK);
}

const struct fact_kind fact_status = {.to_json = status_to_json, .from_json = status_from_json};

static json_t *missing_to_json(struct fact_source fact)
{
    return json_string(record_missing(fact.record));
}

static ssimcu_status missing_from_json(struct fact_target fact)
{
    const char *missing = json_string_value(fact.value);
    for (int s = 0; missing && s < 2; s++)
        fact.record->missing[s] =
            strcmp(missing, fact_sides[s]) == 0 || strcmp(missing, "both") == 0;
    return fact_read(missing);
}

const struct fact_kind fact_missing = {.to_json = missing_to_json, .from_json = missing_from_json};

static json_t *message_to_json(struct fact_source fact)
{
    return json_of_path(fact.record->message.text);
}

static ssimcu_status message_from_json(struct fact_target fact)
{
    const char *message = json_string_value(fact.value);
    (void)ssimcu_fail(&fact.record->message, SSIMCU_OK, "%s", message ? message : "");
    return SSIMCU_OK;
}

static bool message_to_csv(FILE *to, struct fact_source fact)
{
    return fact_put_text(to, fact.record->kind == RECORD_FAILED    ? fact.record->message.text
                             : fact.record->kind == RECORD_MISSING ? record_missing(fact.record)
                                                                   : NULL);
}

const struct fact_kind fact_message = {
    .to_json = message_to_json, .from_json = message_from_json, .to_csv = message_to_csv};

/* ---- Names ----------------------------------------------------------------------------------- */

static json_t *background_to_json(struct fact_source fact)
{
    const char *name = contract_backgrounds[fact.record->scored.background];
    return name ? json_string(name) : json_null();
}

static ssimcu_status background_from_json(struct fact_target fact)
{
    const char *name = json_string_value(fact.value);
    for (int b = SSIMCU_BACKGROUND_BLACK; name && b <= SSIMCU_BACKGROUND_WHITE; b++)
        if (strcmp(name, contract_backgrounds[b]) == 0)
            fact.record->scored.background = (ssimcu_background)b;
    return SSIMCU_OK;
}

const struct fact_kind fact_background = {.to_json = background_to_json,
                                          .from_json = background_from_json};

static json_t *backend_to_json(struct fact_source fact)
{
    return json_string(fact.record->scored.backend);
}

static ssimcu_status backend_from_json(struct fact_target fact)
{
    const char *name = json_string_value(fact.value);
    fact.record->scored.backend = name && strcmp(name, "cuda") == 0 ? "cuda" : "cpu";
    return fact_read(name);
}

const struct fact_kind fact_backend = {.to_json = backend_to_json, .from_json = backend_from_json};

/* The decoders of both sides are written if one of them is NVDEC. */
static bool has_decoder(struct fact_source fact)
{
    return fact.record->by_nvdec[0] || fact.record->by_nvdec[1];
}

static json_t *decoder_to_json(struct fact_source fact)
{
    return json_string(*(const bool *)fact.at ? "nvdec" : "cpu");
}

static ssimcu_status decoder_from_json(struct fact_target fact)
{
    const char *name = json_string_value(fact.value);
    *(bool *)fact.at = name && strcmp(name, "nvdec") == 0;
    return SSIMCU_OK;
}

const struct fact_kind fact_decoder = {
    .has = has_decoder, .to_json = decoder_to_json, .from_json = decoder_from_json};

/* ---- Lists ----------------------------------------------------------------------------------- */

/* Returns the texts of a list with this separator. */
static json_t *split(const char *text, const char *between)
{
    json_t *list = json_array();
    while (*text) {
        const char *end = strstr(text, between);
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        list = json_add(list, json_of_bytes(text, length));
        text += length + (end ? strlen(between) : 0);
    }
    return list;
}

json_t *record_left_to_json(const char *left) { return split(left, "\n"); }

static json_t *left_to_json(struct fact_source fact)
{
    return record_left_to_json(*(char *const *)fact.at);
}

static ssimcu_status left_from_json(struct fact_target fact)
{
    size_t bytes = 0, used = 0;
    char **left = fact.at;
    for (size_t i = 0; i < json_array_size(fact.value); i++) {
        if (!json_is_string(json_array_get(fact.value, i))) return SSIMCU_ERROR_DATA;
        bytes += json_string_length(json_array_get(fact.value, i)) + 1;
    }
    if (bytes == 0) return SSIMCU_ERROR_DATA;
    *left = malloc(bytes);
    if (!*left) return SSIMCU_ERROR_MEMORY;
    for (size_t i = 0; i < json_array_size(fact.value); i++)
        used += (size_t)snprintf(*left + used, bytes - used, "%s%s", i > 0 ? "\n" : "",
                                 json_string_value(json_array_get(fact.value, i)));
    return SSIMCU_OK;
}

/* Writes the names, separated by spaces. */
static bool left_to_csv(FILE *to, struct fact_source fact)
{
    char *names = strdup(*(char *const *)fact.at);
    for (char *next = names; next && *next; next++)
        if (*next == '\n') *next = ' ';
    const bool whole = names && fact_put_text(to, names);
    free(names);
    return whole;
}

const struct fact_kind fact_left = {
    .has = has_text, .to_json = left_to_json, .from_json = left_from_json, .to_csv = left_to_csv};

/* ---- Files ----------------------------------------------------------------------------------- */

static bool has_side(struct fact_source fact)
{
    return ((const struct record_side *)fact.at)->path != NULL;
}

static json_t *side_to_json(struct fact_source fact)
{
    const struct record_side *side = fact.at;
    char time[48];
    if (!side->path) return json_null();
    struct object json = object_new();
    object_path(&json, "path", side->path);
    if (side->known) {
        snprintf(time, sizeof time, "%" PRId64 ".%09ld", side->seconds, side->nanoseconds);
        object_count(&json, "bytes", side->bytes);
        object_text(&json, "mtime", time); /* as text: it has more digits than a double */
    }
    return object_end(&json);
}

static ssimcu_status side_from_json(struct fact_target fact)
{
    struct record_side *side = fact.at;
    if (json_is_null(fact.value)) return SSIMCU_OK;
    const ssimcu_status status = copy_text(json_object_get(fact.value, "path"), &side->path);
    const char *time = json_text(fact.value, "mtime");
    const json_t *bytes = json_object_get(fact.value, "bytes");
    side->bytes = json_integer_value(bytes);
    side->known =
        bytes && time && sscanf(time, "%" SCNd64 ".%ld", &side->seconds, &side->nanoseconds) == 2;
    return status;
}

static bool side_to_csv(FILE *to, struct fact_source fact)
{
    return fact_put_text(to, ((const struct record_side *)fact.at)->path);
}

const struct fact_kind fact_side = {
    .to_json = side_to_json, .from_json = side_from_json, .to_csv = side_to_csv};
const struct fact_kind fact_side_if_any = {
    .has = has_side, .to_json = side_to_json, .from_json = side_from_json, .to_csv = side_to_csv};
