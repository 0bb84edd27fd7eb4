/* The contents of a report's folder: its page, and the pictures in the page. */
#pragma once

#include <stdbool.h>

/* This mark in the first lines of index.html identifies a report. */
#define CONTENTS_MARK "<meta name=\"generator\" content=\"ssimcu report"

/* The mark of the page over several reports, which is next to their folders. */
#define CONTENTS_INDEX_MARK "<meta name=\"generator\" content=\"ssimcu index"

#define CONTENTS_PAGE "index.html" /* name of the page in the folder */

/* A file that marks a draft, and an earlier report that was moved aside, until they are done. The
 * name of a folder is not enough: it could belong to a user. */
#define CONTENTS_DRAFT ".ssimcu-draft"

/* Adds that file. Returns false and sets errno on error. */
bool contents_mark_draft(const char *path);

/* Removes only that file. */
void contents_unmark_draft(const char *path);

/* Returns whether the folder has that file and is not a link. */
bool contents_are_draft(const char *path);

/* Returns whether the page in the folder has this mark. */
bool contents_have_mark(const char *path, const char *mark);

/* Returns whether the folder has only a report, or only the draft of one. */
bool contents_are_report(const char *path);

/* Calls `visit` with each name in the folder. Returns false if `visit` does, or if the folder
 * cannot be read. */
bool contents_each(const char *path, bool (*visit)(void *user, int folder, const char *name),
                   void *user);

/* Calls `visit` with the name of each picture in a report, in order. Returns false if its page
 * cannot be read to the end. */
bool contents_each_picture(const char *path, void (*visit)(void *user, const char *name),
                           void *user);

/* Removes a draft, or an earlier report that was moved aside. Foreign files in it stay. */
void contents_drop(const char *path);
