#include "options/paths.h"

#include "base/results.h"
#include "base/text.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define PATH(name_, field, use_, ending_)                                                          \
    {                                                                                              \
        name_, offsetof(struct options, field), use_, ending_                                      \
    }

const struct path_row path_rows[PATH_ROWS] = {
    PATH("output", run.output, FILE_RESULTS, ".jsonl"),
    PATH("map", run.map, FILE_MAP, ""),
    PATH("report", run.report, FILE_REPORT, ""),
    PATH("junit", run.junit, FILE_JUNIT, ".xml"),
    PATH("markdown", run.markdown, FILE_MARKDOWN, ".md"),
    PATH("markdown", pictures, FILE_REPORT, ".pictures"),
    PATH("list", input.list, FILE_READ, NULL),
    PATH("limits", run.limits_file, FILE_READ, NULL),
    PATH("floors", floors, FILE_READ, NULL),
    PATH("baseline", run.baseline, FILE_READ, ".jsonl"),
    PATH("resume", run.resume, FILE_RESUMED, ".jsonl"),
};

const char *path_in(const struct options *options, const struct path_row *row)
{
    return *(const char *const *)((const char *)options + row->offset);
}

char *path_with_ending(const char *path, const char *ending, const char *other)
{
    const size_t before = text_stem(path, ending);
    char *stem = before > 0 ? strndup(path, before) : strdup(path);
    char *name = stem ? results_beside(stem, other) : NULL;
    free(stem);
    return name;
}
