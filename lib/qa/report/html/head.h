/* The head of every page: that it is one of ours, what it may fetch, and its style. */
#ifndef SSIMCU_QA_REPORT_HEAD_H
#define SSIMCU_QA_REPORT_HEAD_H

#include <stdio.h>

/* Begins a page, up to its mark (report/folder/contents.h). */
void head_start(FILE *to, const char *mark);

/* Begins the title of a page after its policy, which has come before. */
void head_title(FILE *to);

/* Does all of this for a page that fetches nothing and runs nothing. */
void head_plain(FILE *to, const char *mark);

/* Ends the title by the kind of the page, such as "ssimcu report", and the head by the style. */
void head_end(FILE *to, const char *kind);

#endif
