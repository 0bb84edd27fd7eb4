/* Options of metrics beside SSIM, checked and worked out. */
#ifndef SSIMCU_QA_METRIC_OPTIONS_H
#define SSIMCU_QA_METRIC_OPTIONS_H

#include "options/options.h"

/* Takes the metrics that are wanted. Errors: ARGUMENT. */
ssimcu_status metric_options_take(struct options *options, const ssimcu_run_options *given,
                                  ssimcu_message *message);

#endif
