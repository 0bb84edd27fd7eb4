/* The one writer of all pages: the head, a template that is filled in, and the scripts. */
#ifndef SSIMCU_QA_REPORT_HTML_PAGE_H
#define SSIMCU_QA_REPORT_HTML_PAGE_H

#include "report/html/model.h"

/* Style, scripts and templates, as the build embeds them (embed.cmake). A 0 follows the bytes. */
struct html_asset {
    const char *bytes;
    size_t size;
    const char *hash; /* "sha256-...", its name in a content security policy */
};
extern const struct html_asset page_css, page_js, cards_js, sides_js;

struct html_page {
    const char *mark;                   /* one of report/folder/contents.h */
    const char *kind;                   /* end of the title, such as "ssimcu report" */
    const struct html_asset *template;  /* template of the body */
    bool pictures;                      /* it shows its own pictures */
    const struct html_asset *script[2]; /* NULL: it runs none */
};

/* Sets what the template shows, and "title". Every page has "made" already: when ("date", and
 * "time" for machines), on which "host", and by which "version". Pages of the same results differ
 * in this alone. */
typedef void html_fill(struct model page, const void *user);

/* Writes the page. Returns false if memory runs out. */
bool html_page_write(FILE *to, const struct html_page *page, html_fill *fill, const void *user);

/* Fills in a template with a model, for {{{name}}} of another one. */
void html_part(struct model to, const char *name, const struct html_asset *template,
               struct model part);

/* Writes a page of this mark and kind that says why a run came to no verdict. `list` may be NULL;
 * else it adds names of pictures to "picture", to which the page links. */
bool html_no_result(FILE *to, const char *mark, const char *kind, const char *why, html_fill *list,
                    const void *user);

#endif
