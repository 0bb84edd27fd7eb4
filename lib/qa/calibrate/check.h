/* Options of a calibration, checked. */
#ifndef SSIMCU_QA_CALIBRATE_CHECK_H
#define SSIMCU_QA_CALIBRATE_CHECK_H

#include "ssimcu_qa.h"

/* Checks options of full size, whose run is `run`. Errors: ARGUMENT. */
ssimcu_status calibrate_check(const ssimcu_calibrate_options *given, const ssimcu_run_options *run,
                              ssimcu_message *message);

#endif
