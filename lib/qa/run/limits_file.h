/* Files of limits, as people and tools write them. */
#ifndef SSIMCU_QA_LIMITS_FILE_H
#define SSIMCU_QA_LIMITS_FILE_H

#include "results/limits.h"

/* Reads a file of limits. The caller calls limits_file_free also after an error. Errors: FILE; DATA
 * (the message says which rule and what was expected); LIMIT (over 1 MiB); MEMORY. */
ssimcu_status limits_file_read(const char *path, struct limits_file *file, ssimcu_message *message);
void limits_file_free(struct limits_file *file);

#endif
