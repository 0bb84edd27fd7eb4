/* The options that name a path: what a run does with each. The rows drive the checks of files and
 * the paths of several OUTs. */
#ifndef SSIMCU_QA_PATHS_H
#define SSIMCU_QA_PATHS_H

#include "options/options.h"

/* What an option does with the path that it names. */
enum file_use {
    FILE_READ,     /* reads it */
    FILE_RESULTS,  /* writes results there */
    FILE_RESUMED,  /* reads results and, if they are the output, goes on with them there */
    FILE_JUNIT,    /* writes JUnit XML there */
    FILE_MARKDOWN, /* writes the verdict as Markdown there */
    FILE_MAP,      /* writes one PNG there; in a batch it makes a directory of them */
    FILE_REPORT    /* makes a directory with the report */
};

struct path_row {
    const char *name; /* name of the option, without dashes */
    size_t offset;    /* place of the path in struct options */
    enum file_use use;
    const char *ending; /* ending of an OUT's file in the directory of several; NULL: one for all */
};

enum { PATH_ROWS = 11 };
extern const struct path_row path_rows[PATH_ROWS];

/* Returns the path that a row names in these options; NULL: none was given. */
const char *path_in(const struct options *options, const struct path_row *row);

/* Returns a path with `other` in place of its `ending`, or behind it if it ends otherwise; the
 * caller frees it. NULL if memory runs out. */
char *path_with_ending(const char *path, const char *ending, const char *other);

#endif
