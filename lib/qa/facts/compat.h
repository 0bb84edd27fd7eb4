/* The tools whose numbers --compat reproduces: their metrics, and what these are, in words. */
#ifndef SSIMCU_QA_COMPAT_H
#define SSIMCU_QA_COMPAT_H

#include "ssimcu.h"

#include <stdbool.h>

/* Returns whether the library has the tool's own number of a metric. */
bool compat_has(ssimcu_compat compat, ssimcu_metric metric);

/* Returns the definition of the tool's numbers; NULL for NONE. */
const char *compat_definition(ssimcu_compat compat);

#endif
