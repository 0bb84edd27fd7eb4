/* The list of hints, to which the parts of a look add. */
#include "hints/look.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool hints_add(struct hints *hints, const char *format, ...)
{
    va_list arguments;
    if (hints->count == HINTS_MOST) return false;
    va_start(arguments, format);
    vsnprintf(hints->text[hints->count++], HINT_BYTES, format, arguments);
    va_end(arguments);
    return true;
}

static bool is_kind(const char *name, size_t length)
{
    static const char *const kinds[] = {"black",     "flat",    "stuck",    "frame", "shift",
                                        "gain",      "offset",  "exposure", "gamma", "curve",
                                        "primaries", "swapped", "range",    "alpha", "depth"};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i]) == length && strncmp(name, kinds[i], length) == 0) return true;
    return false;
}

bool hints_are_kinds(const char *list)
{
    for (;; list++) {
        const size_t length = strcspn(list, ",");
        if (!is_kind(list, length)) return false;
        list += length;
        if (*list == '\0') return true;
    }
}

bool hints_is(const char *text, const char *kind)
{
    const size_t length = strlen(kind);
    return strncmp(text, kind, length) == 0 && (text[length] == ' ' || text[length] == 0);
}

bool hints_has(const struct hints *hints, const char *kind)
{
    for (uint32_t i = 0; i < hints->count; i++)
        if (hints_is(hints->text[i], kind)) return true;
    return false;
}

void hints_text(const struct hints *hints, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < hints->count; i++) {
        const char *between = used > 0 ? "; " : "";
        if (used + strlen(between) + strlen(hints->text[i]) >= size) return;
        used += (size_t)snprintf(text + used, size - used, "%s%s", between, hints->text[i]);
    }
}
