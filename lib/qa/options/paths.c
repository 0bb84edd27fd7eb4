#include "options/paths.h"

#include "base/overwrite_guard.h"
#include "base/results.h"
#include "base/text.h"
#include "lines/junit.h"
#include "report/note/note.h"
#include "verdict/rerender.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PATH(name, field) name, offsetof(struct options, field)

const struct path_row path_rows[] = {
#define OUTPUT_OF(use, kind, ending, name, field, ...) {PATH(name, run.field), use, kind, ending},
#define OPTION_OF(...)
#define PROGRAM(...)
#include "options/options.def"
    {PATH("markdown", pictures), FILE_REPORT, NULL, ".pictures"},
    {PATH("list", input.list), FILE_READ, NULL, NULL},
    {PATH("limits", run.limits_file), FILE_READ, NULL, NULL},
    {PATH("learned limits", learned), FILE_READ, NULL, NULL},
    {PATH("baseline", run.baseline), FILE_READ, NULL, ".jsonl"},
};

const int path_row_count = sizeof path_rows / sizeof *path_rows;

const char *path_in(const struct options *options, const struct path_row *row)
{
    const char *path = *(const char *const *)((const char *)options + row->offset);
    const bool standard = path && row->use != FILE_READ && strcmp(path, "-") == 0;
    return standard ? NULL : path;
}

char *path_with_ending(const char *path, const char *ending, const char *other)
{
    const size_t before = text_stem(path, ending);
    char *stem = before > 0 ? strndup(path, before) : strdup(path);
    char *name = stem ? results_beside(stem, other) : NULL;
    free(stem);
    return name;
}
