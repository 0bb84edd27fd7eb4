#include "calibrate/write.h"

#include "results/guard.h"
#include "results/json.h"
#include "results/results.h"
#include "results/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ENDING[] = ".json";

/* Returns the name of the floors of these limits: limits.floors beside limits.json. */
static char *floors_beside(const char *path)
{
    const size_t length = strlen(path), ending = strlen(ENDING);
    char *stem = strdup(path);
    if (stem && length > ending && strcmp(path + length - ending, ENDING) == 0)
        stem[length - ending] = '\0';
    char *name = stem ? results_beside(stem, ".floors") : NULL;
    free(stem);
    return name;
}

/* Reads the rules of a file of limits. Any other file is left alone. */
static ssimcu_status read_rules(struct calibrate_files *files, ssimcu_message *message)
{
    struct stat info;
    json_error_t why;
    if (stat(files->path, &info) != 0) return SSIMCU_OK;
    json_t *json =
        S_ISREG(info.st_mode) ? json_load_file(files->path, JSON_REJECT_DUPLICATES, &why) : NULL;
    const bool empty = S_ISREG(info.st_mode) && info.st_size == 0;
    const bool limits = json_is_integer(json_object_get(json, "ssimcu_limits"));
    if (limits) files->rules = json_incref(json_object_get(json, "rules"));
    json_decref(json);
    return limits || empty
               ? SSIMCU_OK
               : ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                             "%.300s: is not a file of limits, and is left alone", files->path);
}

ssimcu_status calibrate_files_open(const char *path, struct calibrate_files *files,
                                   ssimcu_message *message)
{
    static const char *const starts[] = {FLOORS_FILE_MAGIC, NULL};
    *files = (struct calibrate_files){.path = path, .floors = floors_beside(path)};
    if (!files->floors) return results_no_memory(message);
    if (!guard_allows(files->floors, starts, true))
        return ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                           "%.300s: is not a file of floors, and is left alone", files->floors);
    return read_rules(files, message);
}

void calibrate_files_free(struct calibrate_files *files)
{
    json_decref(files->rules);
    json_decref(files->contract);
    free(files->floors);
}

/* Returns the glob over the frames of a shot, in which a wildcard stands for itself; the caller
 * frees it. */
static char *glob_of(const char *part)
{
    if (!part || strcmp(part, ".") == 0) return strdup("*");
    char *glob = malloc(2 * strlen(part) + 3), *to = glob;
    for (; glob && *part; part++) {
        if (strchr("*?[\\", *part)) *to++ = '\\';
        *to++ = *part;
    }
    if (glob) memcpy(to, "/*", 3);
    return glob;
}

/* Writes a value as JSON, and releases it. */
static bool put(FILE *to, json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    const bool good = text && fputs(text, to) >= 0;
    free(text);
    json_decref(value);
    return good;
}

static bool put_shot(FILE *to, const struct learnt_shot *shot)
{
    char *glob = glob_of(shot->part);
    fputs("   {\"match\": ", to);
    const bool good = glob && put(to, json_of_path(glob));
    free(glob);
    fputs(", \"max_excess\": {", to);
    for (int r = 0; r < FLOOR_RULES; r++)
        fprintf(to, "%s\"%s\": %.3f", r > 0 ? ", " : "", floor_rule_names[r], shot->limit[r]);
    fputs("}}", to);
    return good;
}

static bool put_all(FILE *to, const struct calibrate_files *files, const struct learner *learner,
                    uint32_t tile)
{
    fputs("{\"ssimcu_limits\": 1,\n \"rules\": ", to);
    bool good = put(to, files->rules ? json_incref(files->rules) : json_array());
    fputs(",\n \"floors\": {\"file\": ", to);
    good = put(to, json_of_path(text_base(files->floors))) && good;
    fprintf(to,
            ", \"tile\": %u, \"runs\": %u, \"false_alarms\": %.9g, \"frames\": %llu,\n  "
            "\"contract\": ",
            tile, learner->usable, learner->rate, (unsigned long long)learner->frames);
    good = put(to, json_incref(files->contract)) && good;
    fputs(",\n  \"shots\": [\n", to);
    for (size_t i = 0; i < learner->shots; i++) {
        good = put_shot(to, &learner->shot[i]) && good;
        fputs(i + 1 < learner->shots ? ",\n" : "\n  ]}}\n", to);
    }
    return good;
}

ssimcu_status calibrate_files_write(const struct calibrate_files *files,
                                    const struct learner *learner, uint32_t tile,
                                    ssimcu_message *message)
{
    char *temporary = results_beside(files->path, ".tmp");
    FILE *to = temporary ? fopen(temporary, "we") : NULL;
    int error = errno;
    if (!temporary) return results_no_memory(message);
    bool good = to != NULL, memory = true;
    if (to) {
        memory = put_all(to, files, learner, tile);
        errno = 0;
        good = fflush(to) == 0 && !ferror(to) && (fsync(fileno(to)) == 0 || errno == EINVAL);
        error = errno;
        good = fclose(to) == 0 && good && memory;
    }
    if (good && rename(temporary, files->path) != 0) error = errno, good = false;
    if (!good && to) (void)unlink(temporary);
    if (!good && memory)
        (void)ssimcu_fail(message, SSIMCU_ERROR_WRITE, "%.300s: %s", files->path, strerror(error));
    free(temporary);
    if (good) return SSIMCU_OK;
    return memory ? SSIMCU_ERROR_WRITE : results_no_memory(message);
}
