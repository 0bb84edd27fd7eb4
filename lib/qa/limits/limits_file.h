/* Files of limits, as people and tools write them. */
#ifndef SSIMCU_QA_LIMITS_FILE_H
#define SSIMCU_QA_LIMITS_FILE_H

#include "verdict/limits.h"

/* Reads a file of limits. The caller calls limits_file_free also after an error. Errors: FILE; DATA
 * (the message says which rule and what was expected); LIMIT (over 1 MiB); MEMORY. */
ssimcu_status limits_file_read(const char *path, struct limits_file *file, ssimcu_message *message);
void limits_file_free(struct limits_file *file);

/* Reads the files of limits of further looks that the file names, and takes their floors. Nothing
 * is read if it names none. Errors: as limits_file_read; DATA, MISMATCH (their scores are others).
 */
ssimcu_status limits_looks_read(struct limits_file *file, ssimcu_message *message);

/* Makes the fingerprint of floors with looks that of all of them. It tells limits, too, because how
 * far a frame is beyond the floors of a look is told by both limits. */
void limits_looks_fingerprint(struct limits_floors *floors);

/* Fails with MISMATCH if the file's floors were learnt under another contract than that of `what`,
 * "this run". The message names the first member that differs, and both values. What is ignored
 * may differ: floors are of each tile. Other errors: MEMORY. */
ssimcu_status limits_check_contract(const struct limits_file *file, struct json_t *contract,
                                    const char *what, ssimcu_message *message);

#endif
