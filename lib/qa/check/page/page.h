/* The page of a check: a report's folder, made from the lines of results alone. So a merge
 * makes the same page as a check.
 *
 *   lines, in order -> [check_page_add: what is found, and a few bytes of each sequence]
 *   -> [check_page_write: pictures of frames that are read again, page, the folder's final name] */
#ifndef SSIMCU_QA_CHECK_PAGE_H
#define SSIMCU_QA_CHECK_PAGE_H

#include "source/source.h"

struct check_page;

/* Begins a page in `folder`, which must outlive it. NULL: none is wanted, and *page is NULL, which
 * the other functions pass over. Nothing is written yet. Errors: those of report_open. */
ssimcu_status check_page_open(const char *folder, struct check_page **page,
                              ssimcu_message *message);

/* Takes a line of results: a header, a frame or a summary. If memory runs out, check_page_write
 * fails. */
void check_page_add(struct check_page *page, const char *line);

/* Makes the pictures and the page in a folder beside its place, which then takes that place. Of the
 * input count `limits`, `raw`, `threads` and `stop`; what they lack of layer, channels, size and
 * format the header has. `memory_bytes`: most for frames; 0: any. A frame that cannot be read again
 * has no picture: that is no error. After an error an earlier report stays. Errors: WRITE, MEMORY.
 */
ssimcu_status check_page_write(struct check_page *page, const struct source_input *input,
                               uint64_t memory_bytes, ssimcu_message *message);

/* Does what report_withdraw does, if there is a folder. */
ssimcu_status check_page_withdraw(const char *folder, const char *why, ssimcu_message *message);

/* Releases the page. */
void check_page_close(struct check_page *page);

#endif
