/* All paths that a run reads or writes, under one rule. An output never replaces an input, another
 * output of the same run, or a file of another kind. The rows of paths.h define the use of each
 * path.
 *
 * A run lists its paths with files_add, once for each OUT, and checks them with files_check before
 * anything is scored or written. A list may name inputs only later. These are checked again when an
 * output gets its name: see guard_check and the report's folder. */
#pragma once

#include "options/paths.h"
#include "source/variants.h"

#include <sys/types.h>

struct files {
    size_t count, room;
    struct file {         /* one name that an option, REF, OUT or a file of a merge uses */
        const char *role; /* name of the option, without dashes, or "REF", "OUT", "results" */
        const char *path; /* the path as given */
        char *place;      /* the absolute path of this name, without links; owned */
        enum file_use use;
        const struct atomic_file_kind *kind; /* kind that it may replace; NULL: see files_check */
        bool directory;
        bool exists; /* false for a device or a pipe, too */
        dev_t device;
        ino_t inode;
    } * file;
};

/* Adds the paths of these options. With the first options, adds REF, OUT and the files of a merge,
 * too. `pair`: REF and OUT are two pictures, so that a map is a file. The options must outlive the
 * files. Errors: MEMORY. */
ssimcu_status files_add(struct files *files, const struct options *options, bool pair,
                        ssimcu_message *message);

/* Checks the outputs against each other, against the inputs, and against the files that they would
 * replace. `source`: that of a pair or a batch, whose frames are inputs; NULL for a merge.
 * `variants` may be NULL. Errors: ARGUMENT; WRITE (a file of another kind exists); MEMORY. */
ssimcu_status files_check(const struct files *files, const struct source *source,
                          const struct variants *variants, ssimcu_message *message);

/* Returns whether a map may be written there: the file is missing, empty or a PNG. */
bool files_map_may_go(const char *path);

/* Returns the relative path from the place of a file to `name` in a directory. The caller frees it;
 * NULL if memory runs out. Neither need exist. Links of directories are resolved. If the directory
 * of either does not exist, the path is `name` in the directory as given. */
char *files_way(const char *file, const char *directory, const char *name);

/* Frees the list, even after an error. */
void files_free(struct files *files);
