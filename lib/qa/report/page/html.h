/* Text on its way into the page. What comes from outside is written by html_text and html_link
 * alone. */
#ifndef SSIMCU_QA_REPORT_HTML_H
#define SSIMCU_QA_REPORT_HTML_H

#include <stdio.h>

/* Text, in an element or in an attribute with double quotes. A control character, and what is not
 * UTF-8, is shown as \xHH. */
void html_text(FILE *to, const char *text);

/* A relative way to a file as the value of href, with what means something in a URL or in HTML as
 * %HH. */
void html_link(FILE *to, const char *way);

/* The name of a file or a part: in its own direction, whatever the script. */
void html_name(FILE *to, const char *name);

/* A score in nine digits. */
void html_score(FILE *to, double score);

#endif
