/* Text on its way into the page. Only html_text, html_print and html_link write text that comes
 * from outside. */
#ifndef SSIMCU_QA_REPORT_HTML_H
#define SSIMCU_QA_REPORT_HTML_H

#include "facts/metrics.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes text, in an element or in an attribute with double quotes. A control character, and a byte
 * that is not UTF-8, becomes \xHH. */
void html_text(FILE *to, const char *text);

/* Writes as fprintf does, but each %s as html_text does, and each %F, which is a score, as
 * html_score does. So markup stands in `format` alone. A width may be written out, but not be a
 * star. */
void html_print(FILE *to, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Writes a relative way to a file as the value of href. Bytes with a meaning in a URL or in HTML
 * become %HH. */
void html_link(FILE *to, const char *way);

/* Writes the name of a file or a part, in its own direction, whatever the script. */
void html_name(FILE *to, const char *name);

/* Writes a value of a metric: that of SSIM and MS-SSIM in six digits, any other in two after the
 * point, or as "inf". Digits are cut and not rounded: what is below a limit, or below 1, is below
 * it here, too. Returns `text`. */
enum { HTML_VALUE = 32 };
const char *html_value(char text[HTML_VALUE], ssimcu_metric metric, double value);

/* Writes a score, as html_value does. */
void html_score(FILE *to, double score);

/* Writes a cell of a table with a value, or an empty one for NAN. */
void html_cell(FILE *to, ssimcu_metric metric, double value);

/* Begins a table that scrolls by itself, and its head; `label` names it for a screen reader. `id`:
 * NULL: it has none. html_table_body follows its last head, html_table_end its last row. */
void html_table(FILE *to, const char *label, const char *id);
void html_table_body(FILE *to);
void html_table_end(FILE *to);

/* Writes heads of columns, all of them of numbers, or of texts. */
void html_heads(FILE *to, bool numbers, const char *const *heads, size_t count);
void html_head(FILE *to, bool number, const char *head);

#endif
