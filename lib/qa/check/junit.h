/* The findings of a check as JUnit XML: a case for each frame, by its sequence. */
#ifndef SSIMCU_QA_CHECK_JUNIT_H
#define SSIMCU_QA_CHECK_JUNIT_H

#include "check/shot.h"

#include "ssimcu_qa.h"

#include <stdio.h>

/* Cases so far; nothing but zeros: none is wanted. */
struct check_junit {
    FILE *cases; /* goes to `text`, which is own */
    char *text;
    size_t size;
    uint64_t count, failures, errors;
};

/* Removes what an earlier run has left there. `path` NULL: nothing is wanted. Errors: WRITE (the
 * file is of another kind), MEMORY. */
ssimcu_status check_junit_open(const char *path, struct check_junit *junit,
                               ssimcu_message *message);

void check_junit_add(struct check_junit *junit, const struct check_shot *shot,
                     const struct shot_frame *frame, check_mask fails);

/* Writes the file. Errors: WRITE, MEMORY. */
ssimcu_status check_junit_end(struct check_junit *junit, const ssimcu_run_options *run,
                              ssimcu_message *message);

void check_junit_free(struct check_junit *junit);

#endif
