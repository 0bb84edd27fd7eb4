/* Input files and the report to be replaced: if it contains an input, it must stay. A list names
 * its files too late for a check at the start. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>
#include <sys/types.h>

struct inputs {
    dev_t device;
    ino_t inode; /* inode of the folder; 0: there is no report yet */
    char *last;  /* owned; the last checked folder */
    bool held;   /* an input is in the report */
};

/* Records the state of the folder at the start. */
void inputs_begin(struct inputs *inputs, const char *folder);

/* Checks the place of a file. Accepts NULL. */
void inputs_add(struct inputs *inputs, const char *file);

/* Fails if an input is in the report. Errors: WRITE. */
ssimcu_status inputs_check(const struct inputs *inputs, const char *folder,
                           ssimcu_message *message);

void inputs_end(struct inputs *inputs);
