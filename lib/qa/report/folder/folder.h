/* The report's folder. It is made under another name beside its place, and then takes that
 * place. */
#ifndef SSIMCU_QA_REPORT_FOLDER_H
#define SSIMCU_QA_REPORT_FOLDER_H

#include "ssimcu.h"

#include <stdbool.h>
#include <stdio.h>

/* Returns whether a report is there, without foreign files. */
bool folder_is_report(const char *path);

/* Checks whether a report may be written there. Either nothing is there, or a report without
 * foreign files. Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status folder_check(const char *path, ssimcu_message *message);

/* A folder beside a report's place, in which a report is made. */
struct folder_draft {
    char *path; /* own */
    int lock;   /* descriptor, by which other runs know that the draft is no leftover; -1: none */
};

/* Makes an empty draft beside the path, and removes what killed runs have left there. Call
 * folder_close if it succeeds. Errors: WRITE, MEMORY. */
ssimcu_status folder_make(const char *path, struct folder_draft *draft, ssimcu_message *message);

/* Writes the draft's page by a call of `put`, which returns false if memory runs out. `path` names
 * the report in errors. Errors: WRITE, MEMORY. */
typedef bool folder_put(FILE *to, const void *user);
ssimcu_status folder_write_page(const char *path, const struct folder_draft *draft, folder_put *put,
                                const void *user, ssimcu_message *message);

/* Gives the draft its final name, in the place of an earlier report. If that fails, the earlier
 * report is where it was. Errors: WRITE, MEMORY. */
ssimcu_status folder_commit(const char *path, const struct folder_draft *draft,
                            ssimcu_message *message);

/* Removes what has not got its final name, and releases the draft. */
void folder_close(struct folder_draft *draft);

/* Writes a page in the place of an earlier one, and leaves alone what else is in the folder.
 * Errors: WRITE, MEMORY. */
ssimcu_status folder_replace_page(const char *path, folder_put *put, const void *user,
                                  ssimcu_message *message);

#endif
