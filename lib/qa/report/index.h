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

/* ---- Side by side ---------------------------------------------------------------------------- */

/* The page on which the same frames of two OUTs lie one over the other, with a slider. It is a
 * report of its own, in a folder beside those of the OUTs. */

/* Checks whether the folder may be written. Errors: those of report_open. */
ssimcu_status sides_check(const char *directory, ssimcu_message *message);

/* Draws the lowest frames of every OUT in all of them, and writes the page. *written: there are
 * pictures to compare. Errors: WRITE, MEMORY. */
ssimcu_status sides_write(const char *directory, const struct index *index, bool *written,
                          ssimcu_message *message);

/* Does what report_withdraw does. */
ssimcu_status sides_withdraw(const char *directory, const char *why, ssimcu_message *message);

#endif
