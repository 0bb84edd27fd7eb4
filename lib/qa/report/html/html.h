/* Text on its way into the page. Only html_text and html_link write text that comes from
 * outside. */
#ifndef SSIMCU_QA_REPORT_HTML_H
#define SSIMCU_QA_REPORT_HTML_H

#include "facts/metrics.h"

#include <stdbool.h>
#include <stdio.h>

/* Writes text, in an element or in an attribute with double quotes. A control character, and a byte
 * that is not UTF-8, becomes \xHH. */
void html_text(FILE *to, const char *text);

/* Writes a relative way to a file as the value of href. Bytes with a meaning in a URL or in HTML
 * become %HH. */
void html_link(FILE *to, const char *way);

/* Writes text as code. */
void html_code(FILE *to, const char *text);

/* Writes the name of a file or a part, in its own direction, whatever the script. */
void html_name(FILE *to, const char *name);

/* Writes a score in six digits, which are cut and not rounded: what is below a limit, or below 1,
 * is below it here, too. */
void html_score(FILE *to, double score);

/* Writes a value of a metric: that of SSIM and MS-SSIM as a score, any other in two digits after
 * the point, which are cut, or as "inf". */
void html_value(FILE *to, ssimcu_metric metric, double value);

/* Writes a cell of a table with a value, or an empty one for NAN. */
void html_cell(FILE *to, ssimcu_metric metric, double value);

/* Writes a cell of a table with a score, or an empty one. */
void html_number(FILE *to, bool there, double score);

#endif
