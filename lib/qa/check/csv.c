#include "check/csv.h"

#include "base/json.h"
#include "lines/csv_field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char NAMES[] = CHECK_CSV_START "fails,number,x,y,width,height,text";

/* Writes a value, or an empty field. Returns false if memory runs out. */
static bool put(FILE *to, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    if (json_is_boolean(value)) fputs(json_is_true(value) ? "true" : "false", to);
    if (json_is_integer(value)) fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_real(value)) fact_put_value(to, json_real_value(value));
    return !json_is_string(value) || fact_put_text(to, json_string_value(value));
}

/* Writes a row. `finding`: NULL: there is none. */
static bool put_row(FILE *to, const json_t *frame, const json_t *finding)
{
    static const char *const names[2][8] = {
        {"sequence", "frame", "path", "passed"},
        {"kind", "fails", "number", "x", "y", "width", "height", "text"}};
    bool good = true;
    for (int of = 0; of < 2; of++)
        for (int i = 0; i < 8 && names[of][i]; i++) {
            if (of + i > 0) fputc(',', to);
            good = put(to, of == 0 ? frame : finding, names[of][i]) && good;
        }
    return good;
}

static bool put_rows(FILE *to, const json_t *line)
{
    const json_t *findings = json_object_get(line, "findings");
    const char *type = json_string_value(json_object_get(line, "type"));
    const size_t count = json_array_size(findings);
    bool good = true;
    if (type && strcmp(type, "check") == 0) fputs(NAMES, to);
    if (!type || strcmp(type, "frame") != 0) return true;
    for (size_t i = 0; i < count || i == 0; i++) {
        if (i > 0) fputc('\n', to);
        good = put_row(to, line, json_array_get(findings, i)) && good;
    }
    return good;
}

char *check_csv_rows(const char *line)
{
    ssimcu_status status = SSIMCU_OK;
    char *rows = NULL;
    size_t size;
    json_t *json = json_from_text(line, strlen(line), &status);
    FILE *to = json ? open_memstream(&rows, &size) : NULL;
    bool good = to && put_rows(to, json);
    json_decref(json);
    if (to && (ferror(to) || fclose(to) != 0)) good = false;
    if (good) return rows;
    free(rows);
    return NULL;
}
