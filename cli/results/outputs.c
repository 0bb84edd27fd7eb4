/* What outputs must leave alone: inputs, and files that hold something else than results. */
#include "results/lines.h"

#include "fail.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_HEADER = 1 << 14 }; /* bytes: a first line has a few hundred */

/* ---- Inputs ---------------------------------------------------------------------------------- */

/* A directory cannot be replaced, and the writer says so. */
static void note(struct outputs *outputs, const char *option, const char *path, const char *name)
{
    struct stat info;
    if (stat(name, &info) != 0 || S_ISDIR(info.st_mode)) return;
    outputs->file[outputs->count++] = (struct output){option, path, info.st_dev, info.st_ino};
}

void outputs_add(struct outputs *outputs, const char *option, const char *path)
{
    note(outputs, option, path, path);
}

ssimcu_status outputs_add_results(struct outputs *outputs, const char *option, const char *path,
                                  ssimcu_message *message)
{
    static const char *const endings[] = {"", ".partial", ".resume", ".resume.tmp"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char *name = results_beside(path, endings[i]);
        if (!name) return results_no_memory(message);
        note(outputs, option, path, name);
        free(name);
    }
    return SSIMCU_OK;
}

const struct output *outputs_find(const struct outputs *outputs, const char *input)
{
    struct stat info;
    if (outputs->count == 0) return NULL; /* spares looking at every file of a directory */
    const bool there =
        strcmp(input, "-") == 0 ? fstat(STDIN_FILENO, &info) == 0 : stat(input, &info) == 0;
    for (uint32_t i = 0; there && i < outputs->count; i++) {
        const struct output *file = &outputs->file[i];
        if (file->device == info.st_dev && file->inode == info.st_ino) return file;
    }
    return NULL;
}

/* ---- Files of something else ----------------------------------------------------------------- */

static bool is_header(const char *line, size_t length)
{
    if (length == strlen(record_csv_header) && memcmp(line, record_csv_header, length) == 0)
        return true;
    json_t *json = json_loadb(line, length, 0, NULL);
    const char *type = json_string_value(json_object_get(json, "type"));
    const bool is = type && strcmp(type, "batch") == 0;
    json_decref(json);
    return is;
}

/* Whether as much of the line as is there could become a header. */
static bool is_half_header(const char *line, size_t length)
{
    static const char json[] = "{\"type\":\"batch\",";
    const size_t most = sizeof json - 1;
    return memcmp(line, json, length < most ? length : most) == 0 ||
           (length <= strlen(record_csv_header) && memcmp(line, record_csv_header, length) == 0);
}

bool results_recognized(const char *path, bool half)
{
    struct stat info;
    char line[MAX_HEADER];
    if (stat(path, &info) != 0) return true;
    if (!S_ISREG(info.st_mode) || info.st_size == 0) return true; /* nothing in it to lose */
    FILE *file = fopen(path, "re");
    if (!file) return false;
    const size_t length = fread(line, 1, sizeof line, file);
    fclose(file);
    const char *end = memchr(line, '\n', length);
    return end ? is_header(line, (size_t)(end - line)) : half && is_half_header(line, length);
}

ssimcu_status results_guard(const char *path, const char *ending, bool half,
                            ssimcu_message *message)
{
    char *name = results_beside(path, ending);
    if (!name) return results_no_memory(message);
    ssimcu_status status = SSIMCU_OK;
    if (!results_recognized(name, half))
        status = ssimcu_fail(message, SSIMCU_ERROR_WRITE,
                             "%.300s: is not a results file, and is left alone", name);
    free(name);
    return status;
}
