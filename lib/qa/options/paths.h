/* The options that name a path, and their use of it. The rows drive the checks of files and the
 * paths of several OUTs. */
#pragma once

#include "options/options.h"

/* The use of an option's path. */
enum file_use {
    FILE_READ,    /* reads it */
    FILE_RESULTS, /* writes results there */
    FILE_RESUMED, /* reads results and, if they are the output, continues them there */
    FILE_WRITTEN, /* writes a file of another kind there */
    FILE_MAP,     /* writes one PNG there; in a batch, makes a directory of them */
    FILE_REPORT   /* makes a directory with the report */
};

struct path_row {
    const char *name; /* name of the option, without dashes */
    size_t offset;    /* offset of the path in struct options */
    enum file_use use;
    const struct atomic_file_kind
        *kind;          /* kind of file that may be replaced there; NULL: see `use` */
    const char *ending; /* extension of each OUT's file if there are several; NULL: one file */
};

extern const struct path_row path_rows[];
extern const int path_row_count;

/* Returns the path that a row names in these options; NULL: not given, or standard output. */
const char *path_in(const struct options *options, const struct path_row *row);

/* Returns a path with its `ending` replaced by `other`, or with `other` appended if it ends
 * otherwise. The caller frees it; NULL if memory runs out. */
char *path_with_ending(const char *path, const char *ending, const char *other);
