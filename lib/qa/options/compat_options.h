/* A tool whose numbers are wanted: checked against the other options and against what is compared.
 */
#ifndef SSIMCU_QA_COMPAT_OPTIONS_H
#define SSIMCU_QA_COMPAT_OPTIONS_H

#include "options/options.h"

/* Checks what goes with a tool, and takes it. The CPU computes its numbers, and it has no tiles.
 * Errors: ARGUMENT. */
ssimcu_status compat_options_take(struct options *options, const ssimcu_run_options *given,
                                  ssimcu_message *message);

/* Checks whether the tool scores video, or pictures in these colours. Errors: ARGUMENT. */
ssimcu_status compat_options_match(const struct options *options, bool video,
                                   ssimcu_message *message);

#endif
