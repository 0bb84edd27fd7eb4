/* Whether the options are for what REF and OUT turned out to be. */
#ifndef SSIMCU_QA_KINDS_H
#define SSIMCU_QA_KINDS_H

#include "options/options.h"

/* Refuses an option that would be passed over, because the source has no files of its kind. Errors:
 * ARGUMENT. */
ssimcu_status kinds_check(const struct options *options, const struct source *source,
                          ssimcu_message *message);

#endif
