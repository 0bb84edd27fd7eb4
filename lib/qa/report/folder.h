/* The report's folder. It is made under another name beside its place, and then takes that
 * place. */
#ifndef SSIMCU_QA_REPORT_FOLDER_H
#define SSIMCU_QA_REPORT_FOLDER_H

#include "ssimcu.h"

#include <stdbool.h>

/* The first lines of index.html contain this mark, by which a report is recognised. */
#define FOLDER_MARK "<meta name=\"generator\" content=\"ssimcu report"

#define FOLDER_PAGE "index.html" /* name of the page in the folder */

/* Returns whether a report is there, without foreign files. */
bool folder_is_report(const char *path);

/* Checks whether a report may be written there. Either nothing is there, or a report without
 * foreign files. Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status folder_check(const char *path, ssimcu_message *message);

/* Makes an empty folder beside the path, to be filled. The caller frees its name. Errors: WRITE,
 * MEMORY. */
ssimcu_status folder_make(const char *path, char **draft, ssimcu_message *message);

/* Give the draft its final name, in the place of an earlier report, or remove it. */
ssimcu_status folder_commit(const char *path, const char *draft, ssimcu_message *message);
void folder_drop(const char *draft);

/* Puts the draft's page in the place of an earlier report's. Errors: WRITE, MEMORY. */
ssimcu_status folder_commit_page(const char *path, const char *draft, ssimcu_message *message);

/* Returns the way from that folder to a file, for a link. The caller frees it. Returns NULL if
 * there is no such file, or no memory. */
char *folder_way(const char *path, const char *file);

#endif
