/* The list of hints, which the steps of an analysis extend, and findings as text. */
#include "hints/analysis.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
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

void hints_add_last(struct hints *hints, const char *kind)
{
    for (uint32_t i = 0; i < hints->count; i++)
        if (!hints_is(hints->text[i], "alpha") && !hints_is(hints->text[i], "depth")) return;
    (void)hints_add(hints, "%s", kind);
}

/* ---- Findings as text ------------------------------------------------------------------------ */

void pending_hints_to_text(const struct pending_hints *findings, char text[PENDING_HINTS_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    char *to = text;
    for (uint32_t i = 0; i < findings->hints.count; i++)
        to += sprintf(to, "%s%s", i > 0 ? "; " : "", findings->hints.text[i]);
    *to++ = '|';
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
            for (int shift = 12; shift > 0; shift -= 4)
                *to++ = digits[findings->signature[side].value[i] >> shift & 15];
    *to = '\0';
}

static bool signature_from_text(const char *text, struct signature *signature)
{
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++, text += 3) {
        char digits[4] = {0}, *end;
        memcpy(digits, text, 3);
        if (!isxdigit((unsigned char)digits[0])) return false; /* strtoul allows space and sign */
        signature->value[i] = (uint16_t)(strtoul(digits, &end, 16) << 4);
        if (end != digits + 3) return false;
    }
    return true;
}

bool pending_hints_from_text(const char *text, struct pending_hints *findings)
{
    const char *bar = strchr(text, '|');
    *findings = (struct pending_hints){0};
    if (!bar || strlen(bar + 1) != 2 * 3 * SIGNATURE_POINTS) return false;
    while (text < bar) {
        const size_t length = strcspn(text, ";|");
        if (length == 0 || length >= HINT_BYTES) return false;
        if (!hints_add(&findings->hints, "%.*s", (int)length, text)) return false;
        text += length;
        text += strspn(text, "; ");
    }
    return signature_from_text(bar + 1, &findings->signature[0]) &&
           signature_from_text(bar + 1 + 3 * SIGNATURE_POINTS, &findings->signature[1]);
}
