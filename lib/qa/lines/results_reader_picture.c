/* Finds a picture in earlier results, where it may have another number. */
#include "base/json.h"
#include "base/text.h"
#include "lines/results_reader.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

static const char DIGITS[] = "0123456789";

/* Returns whether a name contains this number. */
static bool has_number(const char *name, int64_t number)
{
    for (char *end; *(name += strcspn(name, DIGITS)); name = end)
        if (strtoll(name, &end, 10) == number) return true;
    return false;
}

/* Returns whether two names differ only in their numbers. */
static bool is_alike(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        a += strspn(a, DIGITS), b += strspn(b, DIGITS);
        if (*a != *b || !*a) break;
    }
    return *a == *b;
}

/* Returns whether two records with one number have the same picture: REF's names are equal, or they
 * differ in other numbers, such as a version. */
static bool is_one_picture(const struct record *a, const struct record *b)
{
    if (!a->side[0].path || !b->side[0].path) return false;
    const char *x = text_base(a->side[0].path), *y = text_base(b->side[0].path);
    return strcmp(x, y) == 0 ||
           (is_alike(x, y) && has_number(x, a->frame) && has_number(y, b->frame));
}

/* Returns whether REF is the same file, by its path or only by its name. */
static bool is_same_file(const struct record *a, const struct record *b, bool whole)
{
    const char *x = a->side[0].path, *y = b->side[0].path;
    return x && y && strcmp(whole ? x : text_base(x), whole ? y : text_base(y)) == 0;
}

/* Finds the record of REF's file, whatever its number is. */
static bool find_file(const struct results_reader *earlier, const struct record *wanted, bool whole,
                      struct record *record)
{
    const uint32_t name = results_reader_name(wanted);
    for (size_t i = 0; i < earlier->count; i++) {
        const struct results_line *line = &earlier->line[i];
        if (line->name != name || record_order(line->shot, 0, wanted->shot, 0) != 0) continue;
        if (!results_reader_find(earlier, line->shot, line->frame, record)) continue;
        if (is_same_file(record, wanted, whole)) return true;
        record_clear(record);
    }
    return false;
}

static bool find_picture(const struct results_reader *earlier, const struct record *wanted,
                         bool list, struct record *record)
{
    struct record moved;
    list = list || json_object_get(earlier->header.input, "list");
    const bool there = results_reader_find(earlier, wanted->shot, wanted->frame, record);
    const bool is_own = there && is_one_picture(record, wanted);
    if (is_own && (!list || is_same_file(record, wanted, true))) return true;
    const bool found = find_file(earlier, wanted, list, &moved);
    if (there && (found || !is_own)) record_clear(record);
    if (found) *record = moved;
    return found || is_own;
}

bool results_reader_find_picture(const struct results_reader *earlier, const struct record *wanted,
                                 bool list, struct record *record)
{
    /* Results have names as JSON has them. That is a different text if a name is not UTF-8. */
    json_t *name = wanted->side[0].path ? json_of_path(wanted->side[0].path) : NULL;
    struct record sought = {.shot = wanted->shot, .frame = wanted->frame};
    sought.side[0].path = (char *)(uintptr_t)json_string_value(name);
    const bool found = find_picture(earlier, &sought, list, record);
    json_decref(name);
    return found;
}
