/* The only writer of pages: the head, a filled-in template, and the scripts. */
#pragma once

#include "report/html/model.h"

/* Style, scripts and templates, as the build embeds them (embed.cmake). The bytes end with a 0. */
struct html_asset {
    const char *bytes;
    size_t size;
    const char *hash; /* "sha256-...", its name in a content security policy */
};
extern const struct html_asset page_css, page_js, cards_js, sides_js;

struct html_page {
    const char *mark;                   /* a mark of report/folder/contents.h */
    const char *kind;                   /* suffix of the title, such as "ssimcu report" */
    const struct html_asset *template;  /* template of the body */
    bool pictures;                      /* it shows its own pictures */
    const struct html_asset *script[2]; /* NULL: none */
};

/* Sets the values of the template, and "title". Every page already has "made": the time ("date",
 * and "time" for machines), the "host", and the "version". Pages of the same results differ only in
 * this. */
typedef void html_fill(struct model page, const void *user);

/* Writes the page. Returns false if memory runs out. */
bool html_page_write(FILE *to, const struct html_page *page, html_fill *fill, const void *user);

/* Fills in a template for {{{name}}} of another one. */
void html_part(struct model to, const char *name, const struct html_asset *template,
               struct model part);

/* Writes a page of this mark and kind with the reason why a run has no verdict. `list` may be NULL;
 * otherwise it adds names of pictures to "picture", and the page links to them. */
bool html_no_result(FILE *to, const char *mark, const char *kind, const char *why, html_fill *list,
                    const void *user);
