/* The head of every page: that it is one of ours, what it may fetch, its style and its scripts. */
#ifndef SSIMCU_QA_REPORT_HEAD_H
#define SSIMCU_QA_REPORT_HEAD_H

#include "report/html/html_page.h"

#include <stdio.h>

/* Begins a page that fetches nothing and runs nothing, up to its title. `mark`: that of
 * report/folder/contents.h. */
void head_plain(FILE *to, const char *mark);

/* Does the same for a page that shows its own pictures. */
void head_pictures(FILE *to, const char *mark);

/* Does the same for a page that shows its own pictures and runs these two scripts. */
void head_scripts(FILE *to, const char *mark, const struct html_asset *first,
                  const struct html_asset *second);

/* Ends the title by the kind of the page, such as "ssimcu report", and the head by the style. */
void head_end(FILE *to, const char *kind);

/* Writes a script, at the end of the page. */
void head_script(FILE *to, const struct html_asset *script);

#endif
