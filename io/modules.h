/* Modules: libraries of this project that stand between it and large ones of others (OpenEXR,
 * FFmpeg). They are opened when they are needed, so those need not be installed. */
#ifndef SSIMCU_MODULES_H
#define SSIMCU_MODULES_H

#include "ssimcu.h"

#include <stdbool.h>
#include <stddef.h>

/* Every module has a function of this name and type, which returns the name and version of what it
 * reads with. The text is static. */
typedef const char *ssimcu_module_reads_function(void);
#define SSIMCU_MODULE_READS "ssimcu_module_reads"

/* Opens a module, which stays open, and sets the pointer at `to` to a function or a variable of it.
 * The module is found as any library: beside the code that asks, or in the system's directories.
 * False, after writing why, if there is none; the pointer is then NULL. Any thread may call it. */
SSIMCU_API bool ssimcu_module_find(const char *module, const char *symbol, void *to, char *why,
                                   size_t size);

#endif
