/* Files that a run reads and writes: an output never replaces an input. */
#ifndef SSIMCU_CLI_FILES_H
#define SSIMCU_CLI_FILES_H

#include "ssimcu.h"

#include <stdbool.h>
#include <sys/types.h>

/* Files that are there and that outputs would replace. */
struct outputs {
    uint32_t count;
    struct output {
        const char *option, *path; /* as the command line has them */
        dev_t device;
        ino_t inode;
    } file[10];
};

/* Adds the file if it is there; for results also what the writer makes or removes beside it, of two
 * at most. Errors: MEMORY. */
void outputs_add(struct outputs *outputs, const char *option, const char *path);
ssimcu_status outputs_add_results(struct outputs *outputs, const char *option, const char *path,
                                  ssimcu_message *message);

/* The output that would replace `input` ("-": standard input), under whatever name; NULL: none. */
const struct output *outputs_find(const struct outputs *outputs, const char *input);

#endif
