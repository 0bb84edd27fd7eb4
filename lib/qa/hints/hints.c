/* The list of hints, to which the parts of a look add, and findings as text. */
#include "hints/look.h"

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

const char *const hints_kinds[HINTS_KINDS] = {
    "black",    "flat",    "stuck", "frame",     "shift",   "gain",     "offset",
    "exposure", "gamma",   "curve", "primaries", "swapped", "range",    "part",
    "bars",     "flipped", "alpha", "depth",     "noise",   "denoised", "seed"};

unsigned hints_kind(const char *name, size_t length)
{
    unsigned kind = 0;
    while (kind < HINTS_KINDS &&
           (strncmp(name, hints_kinds[kind], length) != 0 || hints_kinds[kind][length] != '\0'))
        kind++;
    return kind;
}

bool hints_are_kinds(const char *list)
{
    for (;; list++) {
        const size_t length = strcspn(list, ",");
        if (hints_kind(list, length) == HINTS_KINDS) return false;
        list += length;
        if (*list == '\0') return true;
    }
}

unsigned hints_need(const char *list)
{
    unsigned needs = 0;
    for (size_t length; list && *list; list += length + (list[length] == ',')) {
        length = strcspn(list, ",");
        const unsigned kind = hints_kind(list, length);
        if (kind == hints_kind("stuck", 5) || kind == hints_kind("frame", 5))
            needs |= HINTS_NEED_NEIGHBOURS;
        if (kind >= hints_kind("noise", 5) && kind < HINTS_KINDS) needs |= HINTS_NEED_FLOORS;
    }
    return needs;
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

/* ---- Findings as text ------------------------------------------------------------------------ */

void findings_to_text(const struct findings *findings, char text[FINDINGS_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    hints_text(&findings->hints, text, HINTS_MOST * (HINT_BYTES + 2));
    char *to = text + strlen(text);
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

bool findings_from_text(const char *text, struct findings *findings)
{
    const char *bar = strchr(text, '|');
    *findings = (struct findings){0};
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
