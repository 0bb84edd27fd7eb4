/* The report: a folder with one page, index.html, and its pictures.
 *
 *   records, in order -> [report_add: a few bytes of each, all of a few] -> [report_write, when all
 *   is scored: pictures, page, and the folder gets its name]
 *
 * The page is made of what a results file holds, so that a merge makes the page of a single run.
 * The room knows no command line and prints nothing. */
#ifndef SSIMCU_QA_REPORT_H
#define SSIMCU_QA_REPORT_H

#include "results/header.h"
#include "results/verdict.h"
#include "source/source.h"

struct report;

/* Begins a report in `directory`, which must outlive it. `frames`: so many with the lowest scores
 * are shown with pictures, so many with the lowest tiles, and up to twice as many others that are
 * beyond a limit or have hints, first those where that begins. Nothing is
 * written yet, but where it could not be is an error already. Errors: ARGUMENT (something is there
 * that is no report), WRITE (no such parent, or not to be written to), MEMORY. */
ssimcu_status report_open(const char *directory, uint32_t frames, struct report **report,
                          ssimcu_message *message);

/* Adds a frame, in order. `faults`: what is wrong with it (1 << enum fault); `baseline`: its
 * earlier score, NULL for none. Lost memory is an error of report_write. */
void report_add(struct report *report, const struct record *record, unsigned faults,
                const double *baseline);

/* What the run was and came to. */
struct report_facts {
    const struct header *header;
    const struct summary *summary;
    const struct verdict *verdict;
    bool share;                       /* of a batch: the merge judges */
    bool pair;                        /* two pictures, no batch */
    double score_seconds;             /* that scoring took; negative: unknown */
    const struct source_input *input; /* what the pictures are made of */
    const ssimcu_settings *settings;  /* as it was scored */
    uint64_t memory_bytes;            /* as in struct batch_config */
    /* How many of the pictures are done; false stops. May be NULL. */
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};

/* Makes the pictures and the page in a folder beside the directory, whose place it then takes.
 * Where it fails or is stopped, what was there stays. Errors: WRITE, MEMORY. */
ssimcu_status report_write(struct report *report, const struct report_facts *facts,
                           ssimcu_message *message);

/* Releases it. Accepts NULL. */
void report_close(struct report *report);

#endif
