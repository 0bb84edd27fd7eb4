/* The exit code that stands for an error. */
#ifndef SSIMCU_QA_EXIT_CODE_H
#define SSIMCU_QA_EXIT_CODE_H

#include "ssimcu_qa.h"

/* Returns the code for a status that ended a run. ARGUMENT and MEMORY become INTERNAL, because only
 * the caller knows whether the options or the device is to blame. */
ssimcu_exit exit_code_of(ssimcu_status status);

/* Does the same for what ended a run before anything was scored: ARGUMENT is the caller's error. */
ssimcu_exit exit_code_early(ssimcu_status status);

#endif
