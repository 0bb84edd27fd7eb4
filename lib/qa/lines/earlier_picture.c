/* Finds what earlier results say of a picture, which may have had another number there. */
#include "base/json.h"
#include "base/text.h"
#include "facts/record.h"
#include "lines/earlier.h"

#include <stdlib.h>
#include <string.h>

static const char DIGITS[] = "0123456789";

/* Returns whether a name has this number somewhere. */
static bool has_number(const char *name, int64_t number)
{
    for (char *end; *(name += strcspn(name, DIGITS)); name = end)
        if (strtoll(name, &end, 10) == number) return true;
    return false;
}

/* Returns whether two names differ in their numbers alone. */
static bool is_alike(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        a += strspn(a, DIGITS), b += strspn(b, DIGITS);
        if (*a != *b || !*a) break;
    }
    return *a == *b;
}

/* Returns whether two records of one number are of one picture: REF's names are the same, or differ
 * in other numbers, such as that of a version. */
static bool is_one_picture(const struct record *a, const struct record *b)
{
    if (!a->side[0].path || !b->side[0].path) return false;
    const char *x = text_base(a->side[0].path), *y = text_base(b->side[0].path);
    return strcmp(x, y) == 0 ||
           (is_alike(x, y) && has_number(x, a->frame) && has_number(y, b->frame));
}

/* Returns whether REF is the same file, by its path or by its name alone. */
static bool is_same_file(const struct record *a, const struct record *b, bool whole)
{
    const char *x = a->side[0].path, *y = b->side[0].path;
    return x && y && strcmp(whole ? x : text_base(x), whole ? y : text_base(y)) == 0;
}

/* Finds the record of REF's file, whatever its number is. */
static bool find_file(const struct earlier_results *earlier, const struct record *wanted,
                      bool whole, struct record *record)
{
    const uint32_t name = earlier_name(wanted);
    for (size_t i = 0; i < earlier->count; i++) {
        const struct earlier_line *line = &earlier->line[i];
        if (line->name != name || record_order(line->part, 0, wanted->part, 0) != 0) continue;
        if (!earlier_find(earlier, line->part, line->frame, record)) continue;
        if (is_same_file(record, wanted, whole)) return true;
        record_clear(record);
    }
    return false;
}

static bool find_picture(const struct earlier_results *earlier, const struct record *wanted,
                         bool list, struct record *record)
{
    struct record moved;
    list = list || json_object_get(earlier->header.input, "list");
    const bool there = earlier_find(earlier, wanted->part, wanted->frame, record);
    const bool is_own = there && is_one_picture(record, wanted);
    if (is_own && (!list || is_same_file(record, wanted, true))) return true;
    const bool found = find_file(earlier, wanted, list, &moved);
    if (there && (found || !is_own)) record_clear(record);
    if (found) *record = moved;
    return found || is_own;
}

bool earlier_find_picture(const struct earlier_results *earlier, const struct record *wanted,
                          bool list, struct record *record)
{
    /* Results have names as JSON has them, which is another text where a name is no UTF-8. */
    json_t *name = wanted->side[0].path ? json_of_path(wanted->side[0].path) : NULL;
    struct record own = {.part = wanted->part, .frame = wanted->frame};
    own.side[0].path = (char *)(uintptr_t)json_string_value(name);
    const bool found = find_picture(earlier, &own, list, record);
    json_decref(name);
    return found;
}
