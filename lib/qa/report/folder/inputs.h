/* Files that are read, and the report that is to be replaced: if one lies in there, it must stay. A
 * list names its files too late for a check at the start. */
#ifndef SSIMCU_QA_REPORT_INPUTS_H
#define SSIMCU_QA_REPORT_INPUTS_H

#include "ssimcu.h"

#include <stdbool.h>
#include <sys/types.h>

struct inputs {
    dev_t device;
    ino_t inode; /* the folder's; 0: there is no report yet */
    char *last;  /* own; the folder that was checked last */
    bool held;   /* an input lies in the report */
};

/* Begins with the state of the folder at the start. */
void inputs_begin(struct inputs *inputs, const char *folder);

/* Looks at where a file lies. NULL is allowed. */
void inputs_add(struct inputs *inputs, const char *file);

/* Fails if an input lies in there. Errors: WRITE. */
ssimcu_status inputs_check(const struct inputs *inputs, const char *folder,
                           ssimcu_message *message);

void inputs_end(struct inputs *inputs);

#endif
