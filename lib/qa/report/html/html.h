/* Links and numbers, as pages and notes have them. */
#ifndef SSIMCU_QA_REPORT_HTML_H
#define SSIMCU_QA_REPORT_HTML_H

#include "facts/metrics.h"

#include <stdio.h>

/* Writes a relative way to a file as the value of href. Bytes with a meaning in a URL or in HTML
 * become %HH. */
void html_link(FILE *to, const char *way);

/* Writes a value of a metric: that of SSIM and MS-SSIM in six digits, any other in two after the
 * point, or as "inf". Digits are cut and not rounded: what is below a limit, or below 1, is below
 * it here, too. Returns `text`. */
enum { HTML_VALUE = 32 };
const char *html_value(char text[HTML_VALUE], ssimcu_metric metric, double value);

#endif
