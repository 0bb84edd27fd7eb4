/* The report: a folder with one page, index.html, and its pictures.
 *
 *   records, in order -> [report_add: keeps a few bytes of each, and a few whole records]
 *   -> [report_write, after all scores: pictures, page, the folder's final name]
 *
 * The page needs only the data of a results file, so a merge makes the same page as a single run.
 * The module knows no command line and prints nothing. */
#pragma once

#include "report/page/page_view.h"

/* Begins a report in `directory`, which must outlive it. `alone`: its frames have no reference, and
 * pictures show those with findings. For pairs, they show the `frames` lowest scores and as many
 * frames with the lowest tiles. They also show up to twice as many other frames that are beyond a
 * limit or have hints, preferring the first of each series.
 *
 * Nothing is written yet, but a place that is not writable is an error. Errors: ARGUMENT (something
 * other than a report exists there), WRITE (the parent is missing or not writable), MEMORY. */
ssimcu_status report_open(const char *directory, bool alone, uint32_t frames,
                          struct report **report, ssimcu_message *message);

/* Orders the frames by this metric instead of SSIM. Call it before the first frame. */
void report_order_by(struct report *report, ssimcu_metric metric);

/* Adds a frame, in order, and its judgement, whose limits outlive the report. If memory runs out,
 * report_write fails. */
void report_add(struct report *report, const struct record *record, const struct judged *judged);

/* Makes the pictures and the page in a folder next to the directory, which it then replaces. After
 * an error or a stop, nothing has changed. Errors: WRITE, MEMORY. */
ssimcu_status report_write(struct report *report, const struct report_facts *facts,
                           ssimcu_message *message);

/* Writes into the page of an earlier report in this directory that a later run ended early, and
 * why. Its pictures stay. If that fails, the page is removed. Does nothing if there is no report.
 * Errors, after which an old verdict may remain: WRITE, MEMORY. */
ssimcu_status report_withdraw(const char *directory, const char *why, ssimcu_message *message);

/* Releases the report. Accepts NULL. */
void report_close(struct report *report);
