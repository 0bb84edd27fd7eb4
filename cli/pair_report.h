/* The report of a single pair: that of a batch of one. */
#ifndef SSIMCU_CLI_PAIR_REPORT_H
#define SSIMCU_CLI_PAIR_REPORT_H

#include "console.h"
#include "report/report.h"

/* Begins it, if one is wanted. Errors: of report_open; ARGUMENT where it would replace a picture or
 * the map. */
ssimcu_status pair_report_open(const struct options *options, struct report **report,
                               ssimcu_message *message);

/* Errors: of report_write. NULL: there is none to write. */
ssimcu_status pair_report_write(struct report *report, const struct scored_pair *result,
                                ssimcu_message *message);

#endif
