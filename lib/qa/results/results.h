/* What the files of this room need of each other's: names beside a file, and lost memory. */
#ifndef SSIMCU_QA_RESULTS_H
#define SSIMCU_QA_RESULTS_H

#include "ssimcu.h"

/* Returns the path with an ending added, the caller's to free; NULL if memory runs out. */
char *results_beside(const char *path, const char *ending);

/* Fails with MEMORY. */
ssimcu_status results_no_memory(ssimcu_message *message);

#endif
