#include "lines/csv_field.h"

#include "base/json.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Line breaks and other control characters are escaped, so that a record is always one line. A text
 * that a spreadsheet could take for a formula is prefixed with a quote. */
bool fact_put_text(FILE *to, const char *text)
{
    char *escaped = text ? malloc(4 * strlen(text) + 1) : NULL;
    if (!text || !escaped) return !text;
    (void)text_escape(escaped, text);
    const bool quoted = strpbrk(escaped, ",\"") != NULL;
    if (quoted) fputc('"', to);
    if (text[0] && strchr("=+-@\t\r", text[0])) fputc('\'', to);
    for (const char *at = escaped, *end; *at; at = end) {
        end = at + strcspn(at, "\"");
        fwrite(at, 1, (size_t)(end - at), to);
        if (*end) fputs("\"\"", to), end++;
    }
    if (quoted) fputc('"', to);
    free(escaped);
    return true;
}

void fact_put_value(FILE *to, double value)
{
    if (!isnan(value)) fprintf(to, "%.*g", JSON_DIGITS, value); /* "inf" */
}
