/* Runs that were scored before, with --all-tiles: their results, and the numbers of all tiles
 * beside these. Shares of one run count as that run. */
#ifndef SSIMCU_QA_CALIBRATE_SCORED_H
#define SSIMCU_QA_CALIBRATE_SCORED_H

#include "delivery/run_header.h"
#include "floors/floors_file.h"
#include "lines/earlier.h"

struct scored {
    struct run_header_facts facts; /* of all runs: REF, and the region */
    uint32_t tile;                 /* side in pixels */
    uint64_t lines;                /* of all runs */
    uint32_t layers;               /* of a frame; 0: one */
    uint32_t runs;
    const char **name;  /* own; of each run, the first file of its results */
    struct scored_run { /* own */
        struct earlier_results results;
        struct floors_file **tiles; /* own; of each file of results */
        uint32_t files;
        size_t next; /* line */
    } * run;
};

/* Opens results, all of one contract that ignores what this fingerprint says. The options and paths
 * must outlive it. Call scored_close also after an error. Errors: those of earlier_add and
 * floors_file_open; MISMATCH (they are not of one REF and contract, or not complete); MEMORY. */
ssimcu_status scored_open(const struct options *options, const char *ignored, struct scored *scored,
                          ssimcu_message *message);

/* Reads the first record that was not read yet, which the caller clears; record->out is its run. A
 * scored one has values. *any is false if there is none. Errors: DATA (the
 * tiles are not those of the record), FILE, MEMORY. */
ssimcu_status scored_next(struct scored *scored, bool *any, struct record *record,
                          ssimcu_message *message);

void scored_close(struct scored *scored);

#endif
