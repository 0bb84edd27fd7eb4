/* Options of linear light and of channels that are data, checked and worked out. */
#ifndef SSIMCU_QA_LIGHT_OPTIONS_H
#define SSIMCU_QA_LIGHT_OPTIONS_H

#include "options/options.h"

/* Takes the curve, exposure and white, and which channels or layers are compared. Errors:
 * ARGUMENT. */
ssimcu_status light_options_take(struct options *options, const ssimcu_run_options *given,
                                 ssimcu_message *message);

#endif
