/* Hints as one text. */
#ifndef SSIMCU_TEST_JOINED_H
#define SSIMCU_TEST_JOINED_H

#include "hints/hints.h"

#include <stdio.h>
#include <string.h>

/* Returns all hints, "; " between, until the next call. */
static inline const char *joined(const struct hints *hints)
{
    static char text[HINTS_MOST * (HINT_BYTES + 2) + 1];
    text[0] = 0;
    for (uint32_t i = 0; i < hints->count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "; " : "",
                 hints->text[i]);
    return text;
}

#endif
