#define _POSIX_C_SOURCE 200809L

#include "results/record.h"

#include "fail.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const BACKGROUNDS[] = {NULL, "black", "white"};
static const char *const SIDES[] = {"ref", "out"};

void record_clear(struct record *record)
{
    for (int s = 0; s < 2; s++) {
        free(record->side[s].path);
        record->side[s].path = NULL;
    }
}

bool record_name(struct record *record, int side, const char *path)
{
    struct stat info;
    struct record_side *named = &record->side[side];
    named->path = strdup(path);
    if (strcmp(path, "-") == 0) return named->path != NULL;
    if (stat(path, &info) != 0) return false;
    named->known = S_ISREG(info.st_mode);
    named->bytes = info.st_size;
    named->seconds = info.st_mtim.tv_sec;
    named->nanoseconds = info.st_mtim.tv_nsec;
    return named->path != NULL;
}

bool record_same_files(const struct record *a, const struct record *b)
{
    for (int s = 0; s < 2; s++) {
        const struct record_side *x = &a->side[s], *y = &b->side[s];
        if (!x->known || !y->known || x->bytes != y->bytes || x->seconds != y->seconds ||
            x->nanoseconds != y->nanoseconds || !x->path || !y->path)
            return false;
        json_t *one = record_json_path(x->path), *other = record_json_path(y->path);
        const bool same = one && other && json_equal(one, other);
        json_decref(one);
        json_decref(other);
        if (!same) return false;
    }
    return true;
}

void record_fail(struct record *record, ssimcu_status status, const ssimcu_message *message)
{
    record->kind = RECORD_FAILED;
    record->status = status;
    record->message = *message;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

json_t *record_json_path(const char *path)
{
    json_t *value = json_string(path);
    if (value) return value;
    char *shown = strdup(path);
    for (char *at = shown; at && *at; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    value = shown ? json_string(shown) : NULL;
    free(shown);
    return value;
}

json_t *record_json_contract(const ssimcu_settings *settings)
{
    return json_pack("{s:s, s:s, s:f, s:f, s:s, s:s, s:s, s:b}", "metric", "ssim", "window",
                     "gaussian 11x11 sigma 1.5", "k1", 0.01, "k2", 0.03, "pad",
                     options_pad_name(settings->pad), "color", options_color_name(settings->color),
                     "alpha", options_alpha_name(settings->alpha), "downsampled", 0);
}

static json_t *side_to_json(const struct record_side *side)
{
    char time[48];
    if (!side->path) return json_null();
    json_t *json = json_pack("{s:o}", "path", record_json_path(side->path));
    if (!json || !side->known) return json;
    snprintf(time, sizeof time, "%" PRId64 ".%09ld", side->seconds, side->nanoseconds);
    json_object_set_new(json, "bytes", json_integer(side->bytes));
    json_object_set_new(json, "mtime", json_string(time)); /* more digits than a double has */
    return json;
}

static const char *channel_name(const struct record *record, uint32_t channel)
{
    static const char *const names[] = {"r", "g", "b", "y", "u", "v"};
    if (strcmp(record->layout, "grey") == 0) return "grey";
    return names[channel + (strcmp(record->layout, "rgb") == 0 ? 0 : 3)];
}

static void add_score(json_t *json, const struct record *record)
{
    json_t *channels = json_object();
    for (uint32_t c = 0; c < record->channels; c++)
        json_object_set_new(channels, channel_name(record, c), json_real(record->channel[c]));
    json_object_set_new(json, "score", json_real(record->score));
    json_object_set_new(json, "channels", channels);
    json_object_set_new(json, "bits", json_integer(record->bits));
    json_object_set_new(json, "background", json_string(BACKGROUNDS[record->background]));
    if (!BACKGROUNDS[record->background]) json_object_set_new(json, "background", json_null());
    json_object_set_new(json, "backend", json_string(record->backend));
}

static const char *status_text(const struct record *record)
{
    if (record->kind == RECORD_SCORED) return "ok";
    return record->kind == RECORD_MISSING ? "missing" : ssimcu_status_name(record->status);
}

static const char *missing_text(const struct record *record)
{
    if (record->missing[0] && record->missing[1]) return "both";
    return record->missing[0] ? SIDES[0] : SIDES[1];
}

char *record_to_json(const struct record *record)
{
    json_t *json = json_pack("{s:s, s:I, s:s}", "type", "frame", "frame", (json_int_t)record->frame,
                             "status", status_text(record));
    if (!json) return NULL;
    if (record->kind == RECORD_SCORED) add_score(json, record);
    if (record->kind == RECORD_MISSING)
        json_object_set_new(json, "missing", json_string(missing_text(record)));
    if (record->kind == RECORD_FAILED)
        json_object_set_new(json, "message", record_json_path(record->message.text));
    for (int s = 0; s < 2; s++) json_object_set_new(json, SIDES[s], side_to_json(&record->side[s]));
    char *line = json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(RECORD_DIGITS));
    json_decref(json);
    return line;
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

static bool score_from_json(const json_t *json, struct record *record)
{
    static const char *const layouts[] = {"rgb", "yuv", "y", "grey"};
    static const char *const first[] = {"r", "y", "y", "grey"};
    const json_t *channels = json_object_get(json, "channels"),
                 *score = json_object_get(json, "score");
    const char *background = json_string_value(json_object_get(json, "background"));
    const char *backend = json_string_value(json_object_get(json, "backend"));
    const size_t count = json_object_size(channels);
    if (!json_is_real(score) || !backend || (count != 1 && count != 3)) return false;
    for (size_t i = 0; i < 4 && !record->layout; i++)
        if (json_object_get(channels, first[i]) && (i < 2) == (count == 3))
            record->layout = layouts[i];
    if (!record->layout) return false;
    record->channels = (uint32_t)count;
    for (uint32_t c = 0; c < count; c++)
        record->channel[c] = json_real_value(json_object_get(channels, channel_name(record, c)));
    record->score = json_real_value(score);
    record->bits = (uint32_t)json_integer_value(json_object_get(json, "bits"));
    for (int b = SSIMCU_BACKGROUND_BLACK; background && b <= SSIMCU_BACKGROUND_WHITE; b++)
        if (strcmp(background, BACKGROUNDS[b]) == 0) record->background = (ssimcu_background)b;
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

/* ---- CSV and people -------------------------------------------------------------------------- */

const char record_csv_header[] =
    "frame,status,score,channels,channel_1,channel_2,channel_3,bits,background,backend,ref,out,"
    "message";

/* A field in quotes where it needs them. */
static void put_field(FILE *to, const char *text)
{
    fputc(',', to);
    if (!text) return;
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) fprintf(to, *text == '"' ? "\"\"" : "%c", *text);
    fputc('"', to);
}

char *record_to_csv(const struct record *record)
{
    char *line = NULL;
    size_t size;
    FILE *to = open_memstream(&line, &size);
    if (!to) return NULL;
    fprintf(to, "%" PRId64, record->frame);
    put_field(to, status_text(record));
    if (record->kind == RECORD_SCORED) {
        fprintf(to, ",%.*g,%s", RECORD_DIGITS, record->score, record->layout);
        for (uint32_t c = 0; c < 3; c++)
            if (c < record->channels)
                fprintf(to, ",%.*g", RECORD_DIGITS, record->channel[c]);
            else
                fputc(',', to);
        fprintf(to, ",%u", record->bits);
        put_field(to, BACKGROUNDS[record->background]);
        put_field(to, record->backend);
    } else {
        fputs(",,,,,,,,", to);
    }
    for (int s = 0; s < 2; s++) put_field(to, record->side[s].path);
    put_field(to, record->kind == RECORD_FAILED    ? record->message.text
                  : record->kind == RECORD_MISSING ? missing_text(record)
                                                   : NULL);
    const bool failed = ferror(to);
    if (fclose(to) == 0 && !failed) return line;
    free(line);
    return NULL;
}

void record_complaint(const struct record *record, ssimcu_message *line)
{
    static const char *const names[] = {"REF", "OUT"};
    *line = (ssimcu_message){{0}};
    if (record->kind == RECORD_FAILED) {
        (void)ssimcu_fail(line, SSIMCU_OK, "frame %" PRId64 ": %.450s", record->frame,
                          record->message.text);
        return;
    }
    const int side = record->missing[0] ? 0 : 1;
    const bool both = record->missing[0] && record->missing[1];
    const char *path = record->side[side].path;
    (void)ssimcu_fail(line, SSIMCU_OK, "frame %" PRId64 ": missing in %s%s%.400s", record->frame,
                      both ? "REF and OUT" : names[side], path && !both ? ": " : "",
                      path && !both ? path : "");
}
