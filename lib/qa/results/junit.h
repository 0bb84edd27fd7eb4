/* The verdict as JUnit XML, which build servers and farms show beside their own tests. */
#ifndef SSIMCU_QA_JUNIT_H
#define SSIMCU_QA_JUNIT_H

#include "results/verdict.h"

/* Returns whether a verdict may replace the file: it is missing, empty or a verdict. */
bool junit_may_go(const char *path);

/* Writes the verdict as JUnit XML, under a temporary name first. It has one case for all frames,
 * and one for each listed frame, except those that max_bad forgives. Errors: WRITE, MEMORY. */
ssimcu_status junit_write(const char *path, const struct verdict *verdict,
                          const struct summary *summary, ssimcu_message *message);

/* How a run ended that came to no verdict. */
struct junit_end {
    ssimcu_status status;
    const char *text;    /* its message */
    const char *side[2]; /* REF and OUT as they were named; NULL: none */
};

/* Writes that instead of a verdict, as the only case, which has an error. If that fails, no older
 * verdict is left either. Errors: WRITE, MEMORY. */
ssimcu_status junit_write_end(const char *path, const struct junit_end *end,
                              ssimcu_message *message);

/* Removes the verdict of an earlier run, if there is one. Errors: WRITE. */
ssimcu_status junit_remove(const char *path, ssimcu_message *message);

#endif
