/* Modules: libraries of this project that wrap large third-party ones (OpenEXR, FFmpeg). They are
 * opened on demand, so those need not be installed. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>
#include <stddef.h>

/* Every module has a function with this name and type. It returns the name and version of the
 * library that the module wraps. The text is static. */
typedef const char *ssimcu_module_reads_function(void);
#define SSIMCU_MODULE_READS "ssimcu_module_reads"

/* Opens a module, which stays open, and sets the pointer at `to` to one of its functions or
 * variables. The module is searched for like any library: next to this code, or in the system's
 * directories. If it is not found, writes the reason, sets the pointer to NULL and returns false.
 * Any thread may call it. */
SSIMCU_API bool ssimcu_module_find(const char *module, const char *symbol, void *to, char *why,
                                   size_t size);
