/* The report's folder. It is made under another name next to its place and then renamed. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>
#include <stdio.h>

/* Returns whether the path is a report without foreign files. */
bool folder_is_report(const char *path);

/* Checks whether a report may be written there. The path must not exist, or be a report without
 * foreign files. Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status folder_check(const char *path, ssimcu_message *message);

/* A folder next to a report's place, in which a report is made. */
struct folder_draft {
    char *path; /* owned */
    int lock;   /* descriptor, which shows other runs that the draft is in use; -1: none */
};

/* Makes an empty draft next to the path, and removes leftovers of killed runs. Call folder_close if
 * it succeeds. Errors: WRITE, MEMORY. */
ssimcu_status folder_make(const char *path, struct folder_draft *draft, ssimcu_message *message);

/* Writes the draft's page by calling `put`, which returns false if memory runs out. `path` names
 * the report in errors. Errors: WRITE, MEMORY. */
typedef bool folder_put(FILE *to, const void *user);
ssimcu_status folder_write_page(const char *path, const struct folder_draft *draft, folder_put *put,
                                const void *user, ssimcu_message *message);

/* Gives the draft its final name, and replaces an earlier report. On error, the earlier report
 * stays in place. Errors: WRITE, MEMORY. */
ssimcu_status folder_commit(const char *path, const struct folder_draft *draft,
                            ssimcu_message *message);

/* Removes a draft without its final name, and releases the struct. */
void folder_close(struct folder_draft *draft);

/* Returns the error of a report for an errno: MEMORY, or WRITE with the path. */
ssimcu_status folder_error(const char *path, int error, ssimcu_message *message);

/* Makes a report. `fill` puts files into its folder, and returns whether they justify a report;
 * NULL: no files. `put` writes its page. After an error, or without a report, an earlier one stays.
 * Errors: WRITE, MEMORY; those of `fill`. */
typedef ssimcu_status folder_fill(void *user, const char *folder, bool *worth,
                                  ssimcu_message *message);
ssimcu_status folder_write(const char *path, folder_fill *fill, folder_put *put, void *user,
                           ssimcu_message *message);

/* Writes a page over an earlier one, and leaves the other files of the folder. Errors: WRITE,
 * MEMORY. */
ssimcu_status folder_replace_page(const char *path, folder_put *put, const void *user,
                                  ssimcu_message *message);

/* Does so with a page that says why there is no verdict. If it cannot be written, the page is
 * removed: no verdict is better than an old one. Errors, after which that may be there: WRITE,
 * MEMORY. */
ssimcu_status folder_withdraw(const char *path, folder_put *put, const void *user,
                              ssimcu_message *message);
