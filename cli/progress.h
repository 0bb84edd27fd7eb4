/* How far a batch has come, on stderr: a line that is drawn over on a terminal, or the lines that
 * Open Job Description farms read (openjd_progress, openjd_status). Complaints about single frames
 * go through here too, so that they do not end up inside the bar. */
#ifndef SSIMCU_CLI_PROGRESS_H
#define SSIMCU_CLI_PROGRESS_H

#include "results/record.h"

struct progress_state {
    enum progress kind; /* NONE: nothing is drawn */
    int64_t total;      /* frames to come, -1: unknown */
    int64_t done;
    int64_t skipped; /* of them, taken over from earlier results */
    double start, last;
    double worst;
    int64_t worst_frame; /* -1: none yet */
    int last_percent;
    uint64_t complaints;
    bool drawn;
};

/* AUTO becomes a bar when stderr is a terminal, else nothing. */
void progress_start(struct progress_state *progress, enum progress kind, int64_t total);

/* A frame is done. */
void progress_frame(struct progress_state *progress, const struct record *record, bool skipped);

/* What is wrong with a frame; after the first few only how many more there were, at the end. */
void progress_complain(struct progress_state *progress, const struct record *record);

/* Removes the bar; the openjd lines end with what was reached. */
void progress_end(struct progress_state *progress);

#endif
