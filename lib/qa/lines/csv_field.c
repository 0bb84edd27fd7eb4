#include "lines/csv_field.h"

#include "base/json.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Line breaks and other control characters are escaped, so that a record is one line whatever its
 * files are called. A text that a spreadsheet would take for a formula gets a quote before it. */
bool fact_put_text(FILE *to, const char *text)
{
    char *escaped = text ? malloc(4 * strlen(text) + 1) : NULL;
    if (!text || !escaped) return !text;
    (void)text_escape(escaped, text);
    const bool quoted = strpbrk(escaped, ",\"") != NULL;
    if (quoted) fputc('"', to);
    if (text[0] && strchr("=+-@\t\r", text[0])) fputc('\'', to);
    for (const char *at = escaped; *at; at++) fprintf(to, *at == '"' ? "\"\"" : "%c", *at);
    if (quoted) fputc('"', to);
    free(escaped);
    return true;
}

void fact_put_value(FILE *to, double value)
{
    if (!isnan(value)) fprintf(to, "%.*g", JSON_DIGITS, value); /* "inf" */
}
