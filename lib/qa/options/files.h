/* Every path that a run reads or writes, and the one rule for all of them. An output never replaces
 * an input, another output of the same run, or a file of another kind. The rows of paths.h say what
 * each path is for.
 *
 * A run lists its paths with files_add, once for each OUT, and checks them with files_check before
 * anything is scored or written. Files that a list of pairs names only later are guarded again when
 * an output gets its name: guard_check, and the report's folder. */
#ifndef SSIMCU_QA_FILES_H
#define SSIMCU_QA_FILES_H

#include "options/paths.h"
#include "source/variants.h"

#include <sys/types.h>

struct files {
    size_t count, room;
    bool own_results;     /* the caller itself sees to what results would replace */
    struct file {         /* one name that an option, REF, OUT or a merge's file stands for */
        const char *role; /* name of the option, without dashes, or "REF", "OUT", "results" */
        const char *path; /* the path as it was given */
        char *place;      /* the absolute path of this name, without links; own */
        enum file_use use;
        bool directory;
        bool exists; /* false also for a device or a pipe */
        dev_t device;
        ino_t inode;
    } * file;
};

/* Adds the paths of these options, and with the first options REF, OUT and the files of a merge.
 * `pair`: REF and OUT are two pictures, so that a map is a file. The options must outlive the
 * files. Errors: MEMORY. */
ssimcu_status files_add(struct files *files, const struct options *options, bool pair,
                        ssimcu_message *message);

/* Checks the outputs against each other, against the inputs and against what they would replace.
 * `source`: that of a pair or a batch, whose frames are inputs; NULL: a merge.
 * `variants`: further references; NULL: none. Errors: ARGUMENT;
 * WRITE (a file of another kind is there); MEMORY. */
ssimcu_status files_check(const struct files *files, const struct source *source,
                          const struct variants *variants, ssimcu_message *message);

/* Returns whether a map may be written there: the file is missing, empty or a PNG. */
bool files_map_may_go(const char *path);

/* Returns the relative way from the place of a file to `name` in a directory, the caller's to free;
 * NULL if memory runs out. Neither need exist. The way follows directories without links. If what
 * either is to lie in does not exist, it is the path of `name` as the directory was given. */
char *files_way(const char *file, const char *directory, const char *name);

/* Frees the list, also after an error. */
void files_free(struct files *files);

#endif
