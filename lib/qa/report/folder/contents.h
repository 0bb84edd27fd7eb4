/* The contents of a report's folder: its page, and the pictures that the page mentions. */
#ifndef SSIMCU_QA_REPORT_CONTENTS_H
#define SSIMCU_QA_REPORT_CONTENTS_H

#include <stdbool.h>

/* The first lines of index.html contain this mark, by which a report is recognised. */
#define CONTENTS_MARK "<meta name=\"generator\" content=\"ssimcu report"

/* The mark of the page over several reports, which lies beside their folders. */
#define CONTENTS_INDEX_MARK "<meta name=\"generator\" content=\"ssimcu index"

#define CONTENTS_PAGE "index.html" /* name of the page in the folder */

/* A file by which a draft, and an earlier report that makes room, are known as such until they are
 * done with. A name alone could be that of somebody's own folder. */
#define CONTENTS_DRAFT ".ssimcu-draft"

/* Adds that file. Returns false, and sets errno, if it cannot. */
bool contents_mark_draft(const char *path);

/* Removes that file alone. */
void contents_unmark_draft(const char *path);

/* Returns whether the folder, which is no link, has that file. */
bool contents_are_draft(const char *path);

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

/* Removes a draft, or an earlier report that has made room. Files of somebody else in it stay. */
void contents_drop(const char *path);

#endif
