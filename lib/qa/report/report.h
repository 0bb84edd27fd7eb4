/* The report: a folder with one page, index.html, and its pictures.
 *
 *   records, in order -> [report_add: a few bytes of each, all of a few] -> [report_write, when all
 *   is scored: pictures, page, the folder's final name]
 *
 * The page needs only what a results file holds, so a merge makes the same page as a single run.
 * The room knows no command line and prints nothing. */
#ifndef SSIMCU_QA_REPORT_H
#define SSIMCU_QA_REPORT_H

#include "report/page/page_view.h"

/* Begins a report in `directory`, which must outlive it. Pictures show the `frames` lowest scores
 * and as many frames with the lowest tiles. Up to twice as many others are beyond a limit or have
 * hints, first those where that begins. Nothing is written yet, but a place that cannot be written
 * to is an error already. Errors: ARGUMENT (something there is no report), WRITE (no such parent,
 * or not to be written to), MEMORY. */
ssimcu_status report_open(const char *directory, uint32_t frames, struct report **report,
                          ssimcu_message *message);

/* Orders the frames by this metric, not by SSIM. It comes before the first frame. */
void report_order_by(struct report *report, ssimcu_metric metric);

/* Adds a frame, in order, and what it was judged. Its limits outlive the report. If memory runs
 * out, report_write fails. */
void report_add(struct report *report, const struct record *record, const struct judged *judged);

/* Makes the pictures and the page in a folder beside the directory, which then takes its place.
 * After an error or a stop, an earlier report stays. Errors: WRITE, MEMORY. */
ssimcu_status report_write(struct report *report, const struct report_facts *facts,
                           ssimcu_message *message);

/* Makes the page of an earlier report in this directory say that a later run ended early, and why.
 * Its pictures stay. Does nothing if there is no report. Errors: WRITE, MEMORY. */
ssimcu_status report_withdraw(const char *directory, const char *why, ssimcu_message *message);

/* Releases the report. NULL is allowed. */
void report_close(struct report *report);

#endif
