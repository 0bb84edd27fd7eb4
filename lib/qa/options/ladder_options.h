/* Options of ladders: names of OUTs, their groups, the size at which frames are compared, and
 * whether times pair them. */
#ifndef SSIMCU_QA_LADDER_OPTIONS_H
#define SSIMCU_QA_LADDER_OPTIONS_H

#include "options/options.h"

/* Checks the options and takes them over, once those of files are. Errors: ARGUMENT, MEMORY. */
ssimcu_status ladder_options_take(struct options *options, const ssimcu_run_options *given,
                                  ssimcu_message *message);
void ladder_options_free(struct out_groups *groups);

#endif
