/* The contents of a report's folder: its page, and the pictures that the page mentions. */
#ifndef SSIMCU_QA_REPORT_CONTENTS_H
#define SSIMCU_QA_REPORT_CONTENTS_H

#include <stdbool.h>

/* The first lines of index.html contain this mark, by which a report is recognised. */
#define CONTENTS_MARK "<meta name=\"generator\" content=\"ssimcu report"

/* The mark of the page over several reports, which lies beside their folders. */
#define CONTENTS_INDEX_MARK "<meta name=\"generator\" content=\"ssimcu index"

#define CONTENTS_PAGE "index.html" /* name of the page in the folder */

/* Returns whether the page there has this mark. */
bool contents_have_mark(const char *path, const char *mark);

/* Returns whether a report is all that is in the folder. */
bool contents_are_report(const char *path);

/* Calls `visit` with each name in the folder. Returns false as soon as `visit` does, or if the
 * folder cannot be read. */
bool contents_each(const char *path, bool (*visit)(void *user, int folder, const char *name),
                   void *user);

/* Calls `visit` with the name of each picture in a report, in order. */
void contents_each_picture(const char *path, void (*visit)(void *user, const char *name),
                           void *user);

/* Removes a folder that holds a draft or an earlier report, and nothing else. */
void contents_drop(const char *path);

#endif
