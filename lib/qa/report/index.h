/* The page over the reports of several OUTs. It lies in the directory that holds their folders. */
#ifndef SSIMCU_QA_REPORT_INDEX_H
#define SSIMCU_QA_REPORT_INDEX_H

#include "report/page/page_view.h"

/* Checks whether the page may be written: none is there, or one of an earlier run. Errors: ARGUMENT
 * (something else is there), MEMORY. */
ssimcu_status index_check(const char *directory, ssimcu_message *message);

/* Writes the page, in the place of an earlier one. Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status index_write(const char *directory, const struct index *index,
                          ssimcu_message *message);

/* Makes the page of an earlier run say that a later one ended early, and why. Does nothing if there
 * is none. Errors: WRITE, MEMORY. */
ssimcu_status index_withdraw(const char *directory, const char *why, ssimcu_message *message);

#endif
