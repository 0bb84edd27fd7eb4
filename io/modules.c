#include "modules.h"

#include "ssimcu_io.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

bool ssimcu_module_find(const char *module, const char *symbol, void *to, char *why, size_t size)
{
    void *const library = dlopen(module, RTLD_NOW | RTLD_LOCAL);
    void *const found = library ? dlsym(library, symbol) : NULL;
    if (!found) snprintf(why, size, "%s", dlerror());
    memcpy(to, &found, sizeof found); /* ISO C has no such cast */
    return found != NULL;
}

void ssimcu_image_modules(ssimcu_message *modules)
{
    static const char *const names[] = {SSIMCU_EXR_MODULE, SSIMCU_VIDEO_MODULE};
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char why[200];
        ssimcu_module_reads_function *reads;
        (void)ssimcu_module_find(names[i], SSIMCU_MODULE_READS, &reads, why, sizeof why);
        used += (size_t)snprintf(modules->text + used, sizeof modules->text - used, "%s%s: %s",
                                 i > 0 ? "; " : "", names[i], reads ? reads() : "not installed");
    }
}
