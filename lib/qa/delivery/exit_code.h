/* The exit code for an error. */
#pragma once

#include "ssimcu_qa.h"

/* Returns the code for a status that ended a run. ARGUMENT and MEMORY become INTERNAL, because only
 * the caller knows whether the options or the device caused them. */
ssimcu_exit exit_code_of(ssimcu_status status);

/* Does the same for an error before the first score: ARGUMENT is the caller's error. */
ssimcu_exit exit_code_early(ssimcu_status status);
