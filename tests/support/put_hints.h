/* Hints of a record, from a text and back to one. */
#ifndef SSIMCU_TEST_PUT_HINTS_H
#define SSIMCU_TEST_PUT_HINTS_H

#include "record/record.h"

#include <stdio.h>
#include <string.h>

/* Adds hints, "; " between. */
static inline void put_hints(struct record *record, const char *text)
{
    while (*text) {
        char hint[FINDING_TEXT];
        const char *end = strstr(text, "; ");
        snprintf(hint, sizeof hint, "%.*s", (int)(end ? end - text : (long)strlen(text)), text);
        record_add_hint(record, hint);
        text = end ? end + 2 : "";
    }
}

#endif
