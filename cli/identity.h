/* What the first line of results says about this run. */
#ifndef SSIMCU_CLI_IDENTITY_H
#define SSIMCU_CLI_IDENTITY_H

#include "options.h"

/* Fills in the header: contract (`video`: of planes), REF, OUT and the selection, devices. Errors:
 * MEMORY. */
ssimcu_status identity_of(const struct options *options, bool video, struct header *header,
                          ssimcu_message *message);

#endif
