/* page.css and the scripts as the build embeds them. */
#ifndef SSIMCU_QA_REPORT_PAGE_ASSETS_H
#define SSIMCU_QA_REPORT_PAGE_ASSETS_H

#include <stddef.h>

extern const unsigned char page_css[], page_js[], cards_js[], sides_js[];
extern const size_t page_css_size, page_js_size, cards_js_size, sides_js_size;

/* "sha256-...", the name in a content security policy */
extern const char page_css_hash[], page_js_hash[], cards_js_hash[], sides_js_hash[];

#endif
