/* The tools whose numbers --compat reproduces: their metrics and the definitions of these. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>

/* Returns whether the library computes a metric as the tool does. */
bool compat_has(ssimcu_compat compat, ssimcu_metric metric);

/* Returns the definition of the tool's numbers in words; NULL for NONE. */
const char *compat_definition(ssimcu_compat compat);
