/* The report's folder: made under another name beside it, which then becomes its own. */
#ifndef SSIMCU_QA_REPORT_FOLDER_H
#define SSIMCU_QA_REPORT_FOLDER_H

#include "ssimcu.h"

/* By this, in the first lines of index.html, a report is known. */
#define FOLDER_MARK "<meta name=\"generator\" content=\"ssimcu report"

/* Whether a report may be written there: nothing is there, or a report and no file beside its own.
 * Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status folder_check(const char *path, ssimcu_message *message);

/* ARGUMENT where it is this file or directory, which is there or not, holds it or lies in it. */
ssimcu_status folder_spare(const char *path, const char *role, const char *other,
                           ssimcu_message *message);

/* Makes an empty folder beside it, to be filled; free its name. Errors: WRITE, MEMORY. */
ssimcu_status folder_make(const char *path, char **draft, ssimcu_message *message);

/* Gives what was made its name, in the place of an earlier report; or removes it. */
ssimcu_status folder_commit(const char *path, const char *draft, ssimcu_message *message);
void folder_drop(const char *draft);

/* The way from that folder to a file, for a link; free it. NULL where there is no such file, or no
 * memory. */
char *folder_way(const char *path, const char *file);

#endif
