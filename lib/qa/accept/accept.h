/* ssimcu_accept from its options to the new references.
 *
 *   plan.c, check.c: which files, under which names, and whether all are fit
 *   examine.c: whether they are damaged
 *   copy.c: copies them beside what they replace; log.c notes each before its name */
#pragma once

#include "ssimcu_qa.h"

#include "base/atomic_file.h"
#include "delivery/hooks.h"
#include "fail.h"
#include "lines/results_reader.h"
#include "reader.h"
#include "record/finding.h"
#include "sequence/sequence.h"

/* The log's name in DIR. */
#define ACCEPT_LOG "accepted.jsonl"

/* The content of a file, as the log has it. */
struct accept_content {
    int64_t bytes, seconds;
    long nanoseconds;
    uint32_t crc; /* CRC-32 */
};

/* An OUT that is to become a reference. */
struct accept_file {
    int64_t frame;
    char *shot;               /* own; NULL: none */
    char *out, *ref;          /* own; paths as the results have them; `ref` NULL: none */
    struct findings findings; /* own; those of the run */
    const char *results;      /* file of results that names it; the caller's */
    double score;             /* the lowest, if layers have scores of their own */
    struct accept_content is; /* OUT as it was scored; `crc` is known once it was read */
    char *name;               /* own; its way from DIR */
    char *path;               /* own; its path in DIR */
    struct atomic_file draft; /* own; the copy, until it has that name */
    bool exists;              /* a file is replaced, whose content is `was` */
    bool linked;              /* its name is a symbolic link, which is replaced itself */
    struct accept_content was;
    unsigned mode; /* permissions of what is replaced */
    bool there;    /* DIR has this content already */
    bool named;    /* the copy has its name */
};

struct accept {
    const ssimcu_accept_options *options;
    struct hooks *hooks;
    const ssimcu_stop *stop;
    char *into; /* own; DIR without slashes at its end */
    ssimcu_ranges frames;
    struct results_reader earlier;
    struct run_said {          /* what the results say of their run */
        const char *ref, *out; /* as the command line had them; NULL: a list */
        bool recursive, layers;
        size_t *read; /* own; lines that were read after each file of results */
    } said;
    struct accept_file *file;
    size_t count, room;
    bool names_layer;     /* --frames names one of several layers */
    uint64_t unfit;       /* frames that cannot be accepted */
    ssimcu_status status; /* the first of them, with its message */
    ssimcu_message why;
    ssimcu_accepted done;
    finding_mask even_if, broken; /* kinds that may be, and those of frames that were refused */
    int log;                      /* descriptor; -1: not open */
    bool made_into, made_log;
};

/* Counts and names a file that was replaced or added, or would be. */
void accept_done(struct accept *accept, const struct accept_file *file);

/* Notes a frame that cannot be accepted. */
SSIMCU_PRINTF(4, 5)
void accept_unfit(struct accept *accept, const struct accept_file *file, ssimcu_status status,
                  const char *format, ...);

/* Reads the results. Errors: those of results_reader_add; ARGUMENT, DATA, MISMATCH (they are not of
 * a whole run), MEMORY. */
ssimcu_status accept_read(struct accept *accept, ssimcu_message *message);

/* Works out the files and their names. Errors: DATA; MISMATCH (the run called a frame black, solid
 * or duplicate); MEMORY. */
ssimcu_status accept_plan(struct accept *accept, ssimcu_message *message);

/* Checks that --into is, or can be, a directory. Errors: ARGUMENT. */
ssimcu_status accept_check_into(const struct accept *accept, ssimcu_message *message);

/* Looks at every OUT and at what is in DIR. Nothing is written. Errors: those of the first frame
 * that is unfit; MEMORY. */
ssimcu_status accept_check(struct accept *accept, ssimcu_message *message);

/* Checks the OUTs as a check does, next to the other frames of their shots. Errors: MISMATCH (a
 * frame is damaged), those of a check. */
ssimcu_status accept_examine(struct accept *accept, ssimcu_message *message);

/* Counts and names a frame that is refused. */
void accept_refuse(struct accept *accept, const char *shot, int64_t frame, finding_mask kinds,
                   const char *why);

/* Says how many were refused, and returns MISMATCH. */
ssimcu_status accept_fail_refused(const struct accept *accept, ssimcu_message *message);

/* Copies all files, then gives each its name, after its line in the log. Errors: WRITE, FILE,
 * MISMATCH (an OUT has changed meanwhile), MEMORY. */
ssimcu_status accept_copy(struct accept *accept, ssimcu_message *message);

/* Makes DIR and opens the log, so that no other call can write there. Whatever is looked at in DIR
 * is looked at under this lock. Errors: WRITE, MEMORY. */
ssimcu_status accept_lock(struct accept *accept, ssimcu_message *message);

/* Drops half a line at the end of the log. Errors: WRITE. */
ssimcu_status accept_log_begin(struct accept *accept, ssimcu_message *message);

/* Ends the lock. A log without a line and a DIR without a file are removed if this call made
 * them. */
void accept_unlock(struct accept *accept);

/* Adds a file's line to the log, and sees to it that it is on the disk. Errors: WRITE, MEMORY. */
ssimcu_status accept_log_add(struct accept *accept, const struct accept_file *file,
                             ssimcu_message *message);

/* Reads the file `from` from its beginning to its end, writes it to `to` (-1: nowhere), and sets
 * *crc. Returns 0, or an errno: *writing then says whether `to` is to blame. */
int accept_sum(int from, int to, uint32_t *crc, bool *writing);

/* Returns whether a file is as `content` says, by its size and time. Results have no CRC of OUT,
 * because a CRC of every OUT took 8 % of the CPU time of a run of 4K PNGs (25 of 310 ms a pair)
 * and 7 % with EXRs of ZIP (50 of 712 ms). */
struct stat;
bool accept_is(const struct accept_content *content, const struct stat *info);

void accept_free_file(struct accept_file *file);
