/* A draft: a file that is written beside its name, and gets the name once it is on the disk. So a
 * name never stands for half a file, and two runs never write one file.
 *
 * A draft is made exclusively, which follows no link, and is locked while it is open. What a killed
 * run has left is taken over. Its first bytes tell that it is of this kind; a file of somebody else
 * and a link are left alone. If the file system has no locks, there is none. */
#ifndef SSIMCU_QA_DRAFT_H
#define SSIMCU_QA_DRAFT_H

#include "ssimcu.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct draft {
    FILE *file;        /* what is written; NULL: it is closed */
    char *path, *name; /* own; the final name, and the name until then */
    bool made;         /* `name` is there, and is this draft */
    dev_t device;
    ino_t inode;
};

/* What a leftover of a killed run must begin with to be of a kind, also if only half of it was
 * written. An empty one is of every kind. */
struct draft_kind {
    const char *name;          /* such as "a results file" */
    const char *const *starts; /* texts that it begins with, as guard_begins takes them */
    bool (*begins)(const char *bytes,
                   size_t length); /* finds out otherwise; NULL: as `starts` say */
};

/* What becomes of a leftover. */
enum draft_left {
    DRAFT_REPLACE, /* it is replaced */
    DRAFT_GO_ON,   /* it is what is written on; the caller has read its content, or will */
    DRAFT_REFUSE   /* it is an error, WRITE without a message, unless it is empty */
};

/* Opens the draft of `path` under `name`, which becomes the draft's; NULL: memory ran out. Call
 * draft_drop also after an error. Errors: WRITE (also: another run writes it), MEMORY. */
ssimcu_status draft_open(struct draft *draft, const char *path, char *name,
                         const struct draft_kind *kind, enum draft_left left,
                         ssimcu_message *message);

/* Says that a leftover was refused, unless the message says more, and returns WRITE. */
ssimcu_status draft_is_left(const struct draft *draft, ssimcu_message *message);

/* Sees to it that all of the draft is on the disk. `error`: an errno of what has failed before; 0:
 * nothing. Errors: WRITE, MEMORY. */
ssimcu_status draft_finish(struct draft *draft, int error, ssimcu_message *message);

/* Closes a finished draft, which has no lock from here on. Whoever has many drafts at a time holds
 * a lock over all of them. */
void draft_rest(struct draft *draft);

/* Gives a finished draft its name; the lock ends after that. Errors: WRITE. */
ssimcu_status draft_give_name(struct draft *draft, ssimcu_message *message);

/* Does both: draft_finish and draft_give_name. */
ssimcu_status draft_end(struct draft *draft, int error, ssimcu_message *message);

/* Releases the draft and leaves what was written, for a later run to go on with. */
void draft_keep(struct draft *draft);

/* Releases the draft, and removes it if it has not got its name. */
void draft_drop(struct draft *draft);

/* Locks an open file. Returns false if another run has the lock, or had it and has just renamed the
 * file, so that `path` names another one. */
bool draft_lock(int fd, const char *path);

/* Sets the message that another run writes the file, and returns WRITE. */
ssimcu_status draft_is_busy(const char *path, ssimcu_message *message);

#endif
