/* The head of every page: that it is one of ours, what it may fetch, its style and its scripts. */
#ifndef SSIMCU_QA_REPORT_HEAD_H
#define SSIMCU_QA_REPORT_HEAD_H

#include <stdio.h>

/* The style, and scripts, as the build embeds them (report/page/embed.cmake). */
struct head_asset {
    const unsigned char *bytes;
    size_t size;
    const char *hash; /* "sha256-...", its name in a content security policy */
};
extern const struct head_asset page_css, page_js, cards_js, sides_js;

/* Begins a page that fetches nothing and runs nothing, up to its title. `mark`: that of
 * report/folder/contents.h. */
void head_plain(FILE *to, const char *mark);

/* Does the same for a page that shows its own pictures. */
void head_pictures(FILE *to, const char *mark);

/* Does the same for a page that shows its own pictures and runs these two scripts. */
void head_scripts(FILE *to, const char *mark, const struct head_asset *first,
                  const struct head_asset *second);

/* Ends the title by the kind of the page, such as "ssimcu report", and the head by the style. */
void head_end(FILE *to, const char *kind);

/* Writes a script, at the end of the page. */
void head_script(FILE *to, const struct head_asset *script);

/* Begins a page of this kind that says why a run came to no verdict. */
void head_no_result(FILE *to, const char *mark, const char *kind, const char *why);

#endif
