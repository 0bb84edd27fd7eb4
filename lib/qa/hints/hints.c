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
