#include "calibrate/write.h"

#include "base/json.h"
#include "base/overwrite_guard.h"
#include "base/refuse.h"
#include "base/results.h"
#include "base/text.h"
#include "options/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIMITS_START "{\"ssimcu_limits\": "
static const char *const limits_starts[] = {LIMITS_START, NULL};
static const struct atomic_file_kind limits_kind = {.name = "a file of limits",
                                                    .starts = limits_starts};

/* Reads the file that the new limits replace, if there is one. Any other file is left alone. */
static ssimcu_status read_before(const char *path, json_t **before, ssimcu_message *message)
{
    struct stat info;
    json_error_t why;
    *before = NULL;
    if (stat(path, &info) != 0) return SSIMCU_OK;
    if (S_ISREG(info.st_mode)) *before = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
    const bool empty = S_ISREG(info.st_mode) && info.st_size == 0;
    return json_is_integer(json_object_get(*before, "ssimcu_limits")) || empty
               ? SSIMCU_OK
               : guard_refuse(path, limits_kind.name, message);
}

/* Checks that masks beside the file that names them are beside the new one, too. */
static ssimcu_status check_masks(const struct calibrate_files *files, const char *from,
                                 ssimcu_message *message)
{
    const size_t folder = (size_t)(text_base(from) - from);
    const bool same = folder == (size_t)(text_base(files->path) - files->path) &&
                      strncmp(from, files->path, folder) == 0;
    for (size_t i = 0; i < json_array_size(files->rules) && !same; i++) {
        const json_t *mask = json_object_get(json_array_get(files->rules, i), "ignore_mask");
        if (mask && json_string_value(mask)[0] != '/')
            FAIL(ARGUMENT,
                 "%.300s: its ignore_mask %.100s is relative to it: expected --output in the same "
                 "directory",
                 from, json_string_value(mask));
    }
    return SSIMCU_OK;
}

/* Keeps the rules of a file, and its limits of further variants. */
static void keep(struct calibrate_files *files, const json_t *json)
{
    json_decref(files->rules);
    json_decref(files->variants);
    files->rules = json_incref(json_object_get(json, "rules"));
    files->variants = json_incref(json_object_get(json_object_get(json, "learned"), "or"));
}

/* Keeps what a person has written into the file since it was read, unless other parts of frames are
 * ignored now than when they were learnt. */
static ssimcu_status keep_later(struct calibrate_files *files, ssimcu_message *message)
{
    struct limits_file later = {0};
    json_t *json;
    ssimcu_status status = files->own ? read_before(files->path, &json, message) : SSIMCU_OK;
    if (status != SSIMCU_OK || !files->own) return status;
    if (json_array_size(json_object_get(json, "rules")) > 0)
        status = limits_file_read(files->path, &later, message);
    if (status == SSIMCU_OK && strcmp(later.ignored, files->limits.ignored) != 0)
        status = ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                             "%.300s: its ignored areas have changed since this calibration began; "
                             "it was not overwritten: calibrate again",
                             files->path);
    if (status == SSIMCU_OK) keep(files, json);
    limits_file_free(&later);
    json_decref(json);
    return status;
}

/* Reads the rules of --limits, or else of the file that is there. */
static ssimcu_status read_rules(const char *from, struct calibrate_files *files,
                                ssimcu_message *message)
{
    json_error_t why;
    json_t *json;
    ssimcu_status status = read_before(files->path, &json, message);
    if (status == SSIMCU_OK && from) {
        json_decref(json);
        status = limits_file_read(from, &files->limits, message);
        json = status == SSIMCU_OK ? json_load_file(from, JSON_REJECT_DUPLICATES, &why) : NULL;
        if (status == SSIMCU_OK && !json) status = no_memory(message);
    }
    if (status == SSIMCU_OK) keep(files, json);
    json_decref(json);
    files->own = !from;
    if (status == SSIMCU_OK && !from && json_array_size(files->rules) > 0)
        status = limits_file_read(files->path, &files->limits, message);
    return status == SSIMCU_OK && from ? check_masks(files, from, message) : status;
}

ssimcu_status calibrate_files_open(const char *from, struct calibrate_files *files,
                                   ssimcu_message *message)
{
    const char *path = files->path;
    files->learned = path_with_ending(path, ".json", ".learned");
    if (!files->learned) return no_memory(message);
    if (!guard_allows(files->learned, learned_kind.starts, true))
        return guard_refuse(files->learned, learned_kind.name, message);
    TRY(atomic_file_open(&files->draft, path, results_beside(path, ".tmp"), &limits_kind,
                         ATOMIC_FILE_REPLACE, message));
    return read_rules(from, files, message);
}

void calibrate_files_free(struct calibrate_files *files)
{
    json_decref(files->rules);
    json_decref(files->variants);
    limits_file_free(&files->limits);
    json_decref(files->contract);
    atomic_file_drop(&files->draft);
    free(files->learned);
}

/* Returns the glob over the frames of a shot, in which a wildcard stands for itself; the caller
 * frees it. */
static char *glob_of(const char *shot)
{
    if (!shot || strcmp(shot, ".") == 0) return strdup("*");
    char *glob = malloc(2 * strlen(shot) + 3), *to = glob;
    for (; glob && *shot; shot++) {
        if (strchr("*?[\\", *shot)) *to++ = '\\';
        *to++ = *shot;
    }
    if (glob) memcpy(to, "/*", 3);
    return glob;
}

/* Writes a value as JSON, and releases it. */
static bool put(FILE *to, json_t *value)
{
    const bool good = value && json_dumpf(value, to, JSON_ENCODE_ANY) == 0;
    json_decref(value);
    return good;
}

static bool put_shot(FILE *to, const struct learnt_shot *shot)
{
    char *glob = glob_of(shot->shot);
    fputs("   {\"match\": ", to);
    const bool good = glob && put(to, json_of_path(glob));
    free(glob);
    fputs(", \"max_excess\": {", to);
    for (int r = 0; r < LEARNED_RULES; r++)
        fprintf(to, "%s\"%s\": %.3f", r > 0 ? ", " : "", learned_rule_names[r], shot->limit[r]);
    fputs("}}", to);
    return good;
}

static bool put_all(FILE *to, const struct calibrate_files *files, const struct learner *learner)
{
    char print[LEARNED_PRINT];
    fputs(LIMITS_START "1,\n \"rules\": ", to);
    bool good = put(to, files->rules ? json_incref(files->rules) : json_array());
    learned_writer_print(learner->writer, print);
    fputs(",\n \"learned\": {\"file\": ", to);
    good = put(to, json_of_path(text_base(files->learned))) && good;
    fprintf(to, ", \"fingerprint\": \"%s\", \"reference\": ", print);
    good = put(to, json_of_path(files->ref)) && good;
    fprintf(to,
            ",\n  \"tile\": %u, \"runs\": %u, \"false_alarms\": %.9g, \"frames\": %llu,\n  "
            "\"contract\": ",
            files->tile, learner->usable, learner->rate, (unsigned long long)learner->frames);
    good = put(to, json_incref(files->contract)) && good;
    if (files->variants) fputs(",\n  \"or\": ", to);
    if (files->variants) good = put(to, json_incref(files->variants)) && good;
    fputs(",\n  \"shots\": [\n", to);
    for (size_t i = 0; i < learner->shots; i++) {
        good = put_shot(to, &learner->shot[i]) && good;
        fputs(i + 1 < learner->shots ? ",\n" : "\n  ]}}\n", to);
    }
    return good;
}

ssimcu_status calibrate_files_write(struct calibrate_files *files, const struct learner *learner,
                                    ssimcu_message *message)
{
    struct atomic_file *draft = &files->draft;
    TRY(learned_writer_finish(learner->writer, message));
    TRY(keep_later(files, message));
    TRY(atomic_file_finish(draft, put_all(draft->file, files, learner) ? 0 : ENOMEM, message));
    TRY(learned_writer_end(learner->writer, message));
    return atomic_file_give_name(draft, message);
}
