/* Atomic files: a file is written under a temporary name next to its final name, which it gets once
 * it is on the disk. So a name never stands for half a file, and two runs never write one file.
 *
 * The temporary file is created exclusively, without following links, and is locked while it is
 * open. A leftover of a killed run is taken over if its first bytes show that it is of this kind.
 * Other files and links are left untouched. On a file system without locks, nothing is locked. */
#pragma once

#include "ssimcu.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { ATOMIC_FILE_START = 4352 /* first bytes that show the kind: one path and more */ };

struct atomic_file {
    FILE *file;        /* open for writing; NULL: closed */
    char *path, *name; /* owned; the final and the temporary name */
    bool made;         /* `name` exists and is this file */
    dev_t device;
    ino_t inode;
};

/* The first bytes of a killed run's leftover of one kind, even if only half was written. An empty
 * leftover is of every kind. */
struct atomic_file_kind {
    const char *name;          /* such as "a results file" */
    const char *const *starts; /* texts that it begins with, as in guard_begins */
    bool (*begins)(const char *bytes, size_t length); /* another check; NULL: only `starts` */
};

/* The treatment of a leftover. */
enum atomic_file_left {
    ATOMIC_FILE_REPLACE, /* replace it */
    ATOMIC_FILE_GO_ON,   /* continue it; the caller has read its content, or will */
    ATOMIC_FILE_REFUSE   /* fail with WRITE, without a message, unless it is empty */
};

/* Opens the temporary file of `path` under `name`, of which it takes ownership; NULL: memory ran
 * out. Call atomic_file_drop even after an error. Errors: WRITE (also if another run writes it),
 * MEMORY. */
ssimcu_status atomic_file_open(struct atomic_file *draft, const char *path, char *name,
                               const struct atomic_file_kind *kind, enum atomic_file_left left,
                               ssimcu_message *message);

/* Reports that a leftover was refused, unless the message says more. Returns WRITE. */
ssimcu_status atomic_file_is_left(const struct atomic_file *draft, ssimcu_message *message);

/* Makes sure that the whole file is on the disk. `error`: errno of an earlier failure; 0: none.
 * Errors: WRITE, MEMORY. */
ssimcu_status atomic_file_finish(struct atomic_file *draft, int error, ssimcu_message *message);

/* Closes a finished file, which then has no lock. A caller with many files holds one lock over all
 * of them. */
void atomic_file_rest(struct atomic_file *draft);

/* Gives a finished file its final name; the lock then ends. Errors: WRITE. */
ssimcu_status atomic_file_give_name(struct atomic_file *draft, ssimcu_message *message);

/* Does both: atomic_file_finish and atomic_file_give_name. */
ssimcu_status atomic_file_end(struct atomic_file *draft, int error, ssimcu_message *message);

/* Releases the struct and leaves the file, for a later run to continue. */
void atomic_file_keep(struct atomic_file *draft);

/* Releases the struct, and removes the file unless it has its final name. */
void atomic_file_drop(struct atomic_file *draft);

/* Locks an open file. Returns false if another run has the lock, or had it and has just renamed the
 * file, so that `path` names another one. */
bool atomic_file_lock(int fd, const char *path);

/* Returns WRITE for a file that cannot be written, or MEMORY if `error` says so. */
ssimcu_status atomic_file_cannot(const char *path, int error, ssimcu_message *message);

/* Sets the message that another run writes the file, and returns WRITE. */
ssimcu_status atomic_file_is_busy(const char *path, ssimcu_message *message);

/* Returns whether a message says so. */
bool atomic_file_was_busy(const char *why);
