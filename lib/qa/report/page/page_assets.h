/* page.css and page.js, which the build turns into these. */
#ifndef SSIMCU_QA_REPORT_PAGE_ASSETS_H
#define SSIMCU_QA_REPORT_PAGE_ASSETS_H

#include <stddef.h>

extern const unsigned char page_css[], page_js[];
extern const size_t page_css_size, page_js_size;

/* "sha256-...", as a content security policy names them. */
extern const char page_css_hash[], page_js_hash[];

#endif
