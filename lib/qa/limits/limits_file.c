/* Reads a limits file:
 *
 *     {"ssimcu_limits": 1,
 *      "rules": [{"match": "*", "min_frame": 0.5},
 *                {"match": "sh020*", "min_frame": {"ssimulacra2": 70}},
 *                {"match": "sh030*", "frames": "1001-1040", "min_tile": 0.62,
 *                 "ignore": [[0, 0, 200, 40]], "ignore_mask": "clock.png"}],
 *      "learned": {"file": "limits.learned", "fingerprint": "7a3f0c1e0001f2b8", "tile": 32,
 *                  "reference": "ref", "runs": 8, "false_alarms": 0.001, "frames": 20,
 *                  "contract": {"metric": "ssim", "pad": "valid", "tile": 32},
 *                  "shots": [{"match": "sh030*",
 *                             "max_excess": {"score": 7.6, "level_shift": 6.1}}]}}
 *
 * People write such files, so every mistake gets one line that names its place. */
#include "limits/limits_file.h"

#include "limits/limits_read.h"

#include "base/json.h"
#include "base/refuse.h"

#include "sequence/sequence.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, VERSION = 1 };
static const double MOST_DATA = 1e30;

static ssimcu_status take_frames(const struct limits_place *place, const json_t *value,
                                 struct limits_rule *rule)
{
    ssimcu_message why = {{0}};
    if (!json_is_string(value)) return limits_wrong(place, "frames", "a text such as \"1-100\"");
    rule->in = calloc(1, sizeof *rule->in);
    if (!rule->in) return ssimcu_no_memory(place->message, "the limits");
    const ssimcu_status status = ssimcu_ranges_parse(json_string_value(value), rule->in, &why);
    if (status == SSIMCU_ERROR_MEMORY) return ssimcu_no_memory(place->message, "the limits");
    if (rule->in->open > 0) return limits_wrong(place, "frames", "a range with an end");
    return status == SSIMCU_OK ? status : limits_wrong(place, "frames", why.text);
}

static ssimcu_status take_fail_on(const struct limits_place *place, const json_t *value,
                                  struct limits_rule *rule)
{
    ssimcu_message why = {{0}};
    rule->limits.has_fail_on = true;
    if (json_is_string(value) && findings_read(json_string_value(value), FINDING_OF_PAIRS, "",
                                               &rule->limits.fail_on, &why) == SSIMCU_OK)
        return SSIMCU_OK;
    return limits_wrong(place, finding_row(FINDING_FAIL_ON)->name,
                        "kinds of findings separated by commas");
}

static ssimcu_status take_ignore(const struct limits_place *place, const json_t *value,
                                 struct limits_rule *rule)
{
    const ssimcu_status status = limits_ignore_take(value, &rule->ignore);
    if (status == SSIMCU_ERROR_MEMORY) return ssimcu_no_memory(place->message, "the limits");
    if (status == SSIMCU_OK) return status;
    return limits_wrong(place, "ignore",
                        "a list of [x, y, width, height] in pixels, such as [[0, 0, 200, 40]]");
}

static ssimcu_status take_mask(const struct limits_place *place, const json_t *value,
                               struct limits_rule *rule)
{
    ssimcu_message why = {{0}};
    char expected[sizeof why.text + 64];
    TRY(limits_take_path(place, "ignore_mask", value, "the name of a picture", &rule->mask_path));
    const ssimcu_status status = limits_ignore_read(rule->mask_path, &rule->mask, &why);
    if (status == SSIMCU_OK) return status;
    if (status == SSIMCU_ERROR_MEMORY) return ssimcu_no_memory(place->message, "the limits");
    snprintf(expected, sizeof expected, "a grey or RGB picture: %s", why.text);
    return limits_wrong(place, "ignore_mask", expected);
}

static ssimcu_status take_compare(const struct limits_place *place, const json_t *value,
                                  struct limits_rule *rule)
{
    const char *way = json_string_value(value);
    if (way && strcmp(way, "exact") == 0)
        rule->compare.as = COMPARE_EXACT;
    else if (way && strcmp(way, "values") == 0)
        rule->compare.as = COMPARE_VALUES;
    else
        return limits_wrong(place, "compare", "\"exact\" or \"values\"");
    return SSIMCU_OK;
}

static ssimcu_status take_range(const struct limits_place *place, const json_t *value,
                                struct limits_rule *rule)
{
    struct compare_rule *compare = &rule->compare;
    const json_t *low = json_array_get(value, 0), *high = json_array_get(value, 1);
    compare->has_range = true;
    compare->low = json_number_value(low);
    compare->high = json_number_value(high);
    const bool good = json_array_size(value) == 2 && json_is_number(low) && json_is_number(high) &&
                      compare->low < compare->high && fabs(compare->low) <= MOST_DATA &&
                      fabs(compare->high) <= MOST_DATA;
    return good ? SSIMCU_OK
                : limits_wrong(place, "range",
                               "the samples that are 0 and 1, the lower first, such as [0, 100]");
}

static ssimcu_status refuse_metrics(const struct limits_place *place)
{
    char expected[40 + 20 * SSIMCU_METRICS];
    size_t used = (size_t)snprintf(expected, sizeof expected, "a number, or an object of ");
    for (int m = 0; m < SSIMCU_METRICS; m++)
        used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s",
                                 m == 0                    ? ""
                                 : m == SSIMCU_METRICS - 1 ? " and "
                                                           : ", ",
                                 metrics_key(m));
    return limits_wrong(place, finding_row(SSIMCU_LIMIT_MIN_FRAME)->name, expected);
}

/* Reads the lowest values of a frame by metric. */
static ssimcu_status take_metrics(const struct limits_place *place, const json_t *value,
                                  struct limits_rule *rule)
{
    size_t taken = 0;
    for (int m = 0; m < SSIMCU_METRICS; m++) {
        const json_t *number = json_object_get(value, metrics_key(m));
        const int fault = limits_fault(m);
        char key[40];
        if (!number) continue;
        snprintf(key, sizeof key, "%s: %s", finding_row(SSIMCU_LIMIT_MIN_FRAME)->name,
                 metrics_key(m));
        if (!json_is_number(number) || !limits_allow(fault, json_number_value(number)))
            return limits_wrong(place, key, limits_expected(fault));
        limits_set(&rule->limits, fault, json_number_value(number));
        taken++;
    }
    if (taken > 0 && taken == json_object_size(value)) return SSIMCU_OK;
    return refuse_metrics(place);
}

static ssimcu_status refuse_member(const struct limits_place *place, const char *key)
{
    char names[LIMIT_LIST], expected[LIMIT_LIST + 80];
    snprintf(expected, sizeof expected,
             "match, frames, %s, %s, may_be_missing, ignore, ignore_mask, compare or range",
             limit_list(names, false), finding_row(FINDING_FAIL_ON)->name);
    return limits_wrong(place, key, expected);
}

/* Reads one member of a rule. Its `match` and `frames` must be known. */
static ssimcu_status take_member(const struct limits_place *place, const char *key,
                                 const json_t *value, struct limits_rule *rule)
{
    if (strcmp(key, "match") == 0 || strcmp(key, "frames") == 0) return SSIMCU_OK;
    if (strcmp(key, finding_row(FINDING_FAIL_ON)->name) == 0)
        return take_fail_on(place, value, rule);
    if (strcmp(key, "ignore") == 0) return take_ignore(place, value, rule);
    if (strcmp(key, "ignore_mask") == 0) return take_mask(place, value, rule);
    if (strcmp(key, "compare") == 0) return take_compare(place, value, rule);
    if (strcmp(key, "range") == 0) return take_range(place, value, rule);
    if (strcmp(key, "may_be_missing") == 0) {
        rule->names_missing = true;
        rule->limits.allow_missing = json_is_true(value);
        return json_is_boolean(value) ? SSIMCU_OK : limits_wrong(place, key, "true or false");
    }
    if (strcmp(key, finding_row(SSIMCU_LIMIT_MIN_FRAME)->name) == 0 && json_is_object(value))
        return take_metrics(place, value, rule);
    for (int f = 0; f < FINDING_METRIC; f++) {
        if (strcmp(key, finding_row(f)->name) != 0) continue;
        limits_set(&rule->limits, f, json_number_value(value));
        return json_is_number(value) && limits_allow(f, json_number_value(value))
                   ? SSIMCU_OK
                   : limits_wrong(place, key, limits_expected(f));
    }
    return refuse_member(place, key);
}

/* Reads the frames that a rule matches, and its name. */
static ssimcu_status take_match(struct limits_place *place, const json_t *json,
                                struct limits_rule *rule)
{
    const json_t *match = json_object_get(json, "match"), *frames = json_object_get(json, "frames");
    if (!match && !frames) return limits_wrong(place, "match", "a glob, or frames instead");
    if (match && (!json_is_string(match) || !json_string_value(match)[0]))
        return limits_wrong(place, "match", "a glob such as \"sh030/*\"");
    if (match) TRY(limits_copy(match, &rule->match, place->message));
    place->name = rule->match;
    if (frames) TRY(take_frames(place, frames, rule));
    TRY(limits_copy(match ? match : frames, &rule->name, place->message));
    place->name = rule->name;
    return SSIMCU_OK;
}

static ssimcu_status take_rule(struct limits_place *place, json_t *json, struct limits_rule *rule)
{
    *rule = (struct limits_rule){0};
    if (!json_is_object(json)) return limits_wrong(place, "rule", "an object");
    TRY(take_match(place, json, rule));
    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at))
        TRY(take_member(place, json_object_iter_key(at), json_object_iter_value(at), rule));
    const bool ignores = rule->ignore.count > 0 || rule->mask_path,
               compares = rule->compare.as != COMPARE_BY_NAME || rule->compare.has_range,
               any = rule->limits.has != 0 || rule->limits.has_fail_on;
    if (any || rule->names_missing || ignores || compares) return SSIMCU_OK;
    return limits_wrong(place, "rule", "at least one limit, parts to ignore, or how to compare");
}

/* ---- The file -------------------------------------------------------------------------------- */

static ssimcu_status take_rules(const char *path, const json_t *rules, struct limits_file *file,
                                ssimcu_message *message)
{
    struct limits_place place = {.path = path, .kind = "rule", .message = message};
    file->rule = calloc(json_array_size(rules), sizeof *file->rule);
    if (!file->rule) return ssimcu_no_memory(message, "the limits");
    for (size_t i = 0; i < json_array_size(rules); i++) {
        place.number = ++file->rules;
        place.name = NULL;
        TRY(take_rule(&place, json_array_get(rules, i), &file->rule[i]));
    }
    limits_ignore_fingerprint(rules, file);
    return SSIMCU_OK;
}

static ssimcu_status take_file(const char *path, const json_t *json, struct limits_file *file,
                               ssimcu_message *message)
{
    struct limits_place place = {.path = path, .message = message};
    const json_t *version = json_object_get(json, "ssimcu_limits");
    const json_t *rules = json_object_get(json, "rules");
    json_t *learned = json_object_get(json, "learned");
    if (!json_is_integer(version) || json_integer_value(version) != VERSION)
        FAIL(DATA, "%.300s: expected \"ssimcu_limits\": 1, the version of the format", path);
    if (json_object_size(json) > 1u + (rules != NULL) + (learned != NULL))
        FAIL(DATA, "%.300s: expected only ssimcu_limits, rules and learned", path);
    if (rules ? !json_is_array(rules) : !learned)
        return limits_wrong(&place, "rules", "a list of rules");
    if (json_array_size(rules) == 0 && !learned)
        return limits_wrong(&place, "rules",
                            "at least one rule, because there are no learned limits");
    if (json_array_size(rules) > 0) TRY(take_rules(path, rules, file, message));
    return learned ? limits_learned_take(path, learned, &file->learned, message) : SSIMCU_OK;
}

/* Reads the text, which the caller frees. */
static ssimcu_status read_text(const char *path, char **text, size_t *length,
                               ssimcu_message *message)
{
    FILE *from = fopen(path, "re");
    if (!from) return fail_errno(message, SSIMCU_ERROR_FILE, path, errno);
    *text = malloc(MOST_BYTES + 1);
    *length = *text ? fread(*text, 1, MOST_BYTES + 1, from) : 0;
    const int error = ferror(from) ? errno : 0;
    (void)fclose(from);
    if (!*text) return ssimcu_no_memory(message, "the limits");
    if (error) return fail_errno(message, SSIMCU_ERROR_FILE, path, error);
    if (*length > MOST_BYTES) FAIL(LIMIT, "%.300s: expected limits of at most 1 MiB", path);
    if (*length < 3 || memcmp(*text, "\xEF\xBB\xBF", 3) != 0) return SSIMCU_OK;
    FAIL(DATA, "%.300s: line 1: expected UTF-8 without a byte order mark", path);
}

/* Names in the file may have line breaks, but a message is one line. */
static void keep_to_a_line(ssimcu_message *message)
{
    for (char *c = message ? message->text : ""; *c; c++)
        if ((unsigned char)*c < ' ') *c = '?';
}

ssimcu_status limits_file_read(const char *path, struct limits_file *file, ssimcu_message *message)
{
    char *text = NULL;
    size_t length = 0;
    json_error_t at;
    *file = (struct limits_file){.path = strdup(path)};
    if (!file->path) return ssimcu_no_memory(message, "the limits");
    ssimcu_status status = read_text(path, &text, &length, message);
    json_t *json = status == SSIMCU_OK ? json_from_file_text(text, length, &at, &status) : NULL;
    free(text);
    if (json && !json_is_object(json))
        status = fail_data(message, "%.300s: expected a JSON object", path);
    else if (json)
        status = take_file(path, json, file, message);
    else if (status == SSIMCU_ERROR_MEMORY)
        status = ssimcu_no_memory(message, "the limits");
    else if (status == SSIMCU_ERROR_DATA)
        status = ssimcu_fail(message, status, "%.300s: line %d: %s", path, at.line, at.text);
    json_decref(json);
    if (status != SSIMCU_OK) keep_to_a_line(message);
    return status;
}

void limits_file_free(struct limits_file *file)
{
    for (size_t i = 0; i < file->rules; i++) {
        struct limits_rule *rule = &file->rule[i];
        free(rule->name);
        free(rule->match);
        if (rule->in) ssimcu_ranges_free(rule->in);
        free(rule->in);
        free(rule->ignore.rect);
        free(rule->mask.rect);
        free(rule->mask_path);
    }
    limits_learned_free(&file->learned);
    free(file->rule);
    free(file->path);
    *file = (struct limits_file){0};
}
