#define _POSIX_C_SOURCE 200809L /* strtok_r */
#include "require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_known(const char *name)
{
    FILE *const file = fopen(SSIMCU_NEEDS, "r");
    char line[160];
    bool known = false;
    while (file && !known && fgets(line, sizeof line, file)) {
        line[strcspn(line, " \n")] = '\0';
        known = strcmp(line, name) == 0;
    }
    if (file) fclose(file);
    return known;
}

bool is_required(const char *name)
{
    char names[512], *rest = names;
    const char *const asked = getenv("SSIMCU_REQUIRE");
    bool required = false;
    snprintf(names, sizeof names, "%s", asked ? asked : "");
    for (const char *one; (one = strtok_r(rest, " ", &rest));) {
        if (!is_known(one)) {
            printf("[FAIL] SSIMCU_REQUIRE: no test needs %s; the names are in %s\n", one,
                   SSIMCU_NEEDS);
            exit(1);
        }
        required |= strcmp(one, name) == 0;
    }
    return required;
}
