/* The page on which the same frames of two OUTs lie one over the other, with a slider. It is a
 * report of its own, in a folder beside those of the OUTs. */
#ifndef SSIMCU_QA_REPORT_SIDES_H
#define SSIMCU_QA_REPORT_SIDES_H

#include "report/index.h"

/* Checks whether the folder may be written. Errors: those of report_open. */
ssimcu_status sides_check(const char *directory, ssimcu_message *message);

/* Draws the lowest frames of every OUT in all of them, and writes the page. *written: there are
 * pictures to compare. Errors: WRITE, MEMORY. */
ssimcu_status sides_write(const char *directory, const struct index *index, bool *written,
                          ssimcu_message *message);

/* Does what report_withdraw does. */
ssimcu_status sides_withdraw(const char *directory, const char *why, ssimcu_message *message);

#endif
