/* Limits files, as people and tools write them. */
#pragma once

#include "verdict/limits.h"

/* Reads a limits file. The caller calls limits_file_free, even after an error. Errors: FILE; DATA
 * (the message names the rule and the expected value); LIMIT (over 1 MiB); MEMORY. */
ssimcu_status limits_file_read(const char *path, struct limits_file *file, ssimcu_message *message);
void limits_file_free(struct limits_file *file);

/* Reads the limits files of variants that the file names, and keeps their learned limits. Reads
 * nothing if it names none. Errors: as limits_file_read; DATA, MISMATCH (their scores have another
 * contract).
 */
ssimcu_status limits_variants_read(struct limits_file *file, ssimcu_message *message);

/* Extends the fingerprint of learned limits to those of all variants. It also covers the limits,
 * because the excess over a variant's learned limits depends on the limits of both. */
void limits_variants_fingerprint(struct limits_learned *learned);

/* Fails with MISMATCH if the file's learned limits were learned under another contract than that of
 * `what`, "this run". The message names the first member that differs, and both values. Ignored
 * areas may differ, because learned limits are per tile. Other errors: MEMORY. */
ssimcu_status limits_check_contract(const struct limits_file *file, struct json_t *contract,
                                    const char *what, ssimcu_message *message);
