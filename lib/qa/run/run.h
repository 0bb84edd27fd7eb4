/* A run from its options to its exit code. ssimcu_qa.h says what callers may do with it.
 *
 *   options -> [run_pair, run_batch or run_merge: makes records] -> delivery, one for each OUT */
#ifndef SSIMCU_QA_RUN_H
#define SSIMCU_QA_RUN_H

#include "delivery/delivery.h"
#include "delivery/picture_pair.h"
#include "delivery/run_header.h"
#include "engine/batch.h"
#include "floors/floors_file.h"
#include "options/files.h"
#include "options/out_options.h"

/* The run of one OUT, or of the only one. */
struct out_run {
    struct delivery delivery;
    struct source_input input;
    int64_t end;      /* number behind its last record's */
    bool left_out;    /* this OUT cannot be compared with REF */
    ssimcu_exit code; /* what this OUT came to */
};

struct ssimcu_run {
    struct options options;
    struct hooks hooks;
    ssimcu_stop stop;
    struct source_input input; /* input of the source, with all OUTs */
    struct source *source;
    struct variants *variants; /* further references; NULL: none */
    struct batch_config config;
    struct out_options outs;
    struct out_run *out; /* one for each OUT */
    struct files files;
    struct picture_pair pictures;
    struct limits_file limits;      /* limits of shots and frames; no path: none were given */
    struct floors_file *floors;     /* NULL: none, or a merge of pictures: records are judged */
    struct floors_file **others;    /* own; those of each further look */
    struct source_frame *expected;  /* own; the frames that have floors */
    struct judge judging;           /* where what is ignored comes from, and floors */
    struct run_header_facts merged; /* facts that the merged results name */
    bool is_pair, started;
    bool begun;     /* results are open, and a verdict will be written */
    bool cancelled; /* a stop left something undone */
    bool hangs;     /* a thread that hangs may still use all of this */
    ssimcu_exit code;
};

/* Each makes a run of one kind and sets its exit code. An error is what ended the run early. */
ssimcu_status run_pair(struct ssimcu_run *run, ssimcu_message *message);
ssimcu_status run_batch(struct ssimcu_run *run, ssimcu_message *message);
ssimcu_status run_merge(struct ssimcu_run *run, ssimcu_message *message);

/* Reads the file of limits and opens that of floors, whose tiles become those of the run. Errors:
 * those of limits_file_read and floors_file_open; ARGUMENT. */
ssimcu_status run_read_limits(struct ssimcu_run *run, ssimcu_message *message);

/* Has a merge expect the frames that have floors, as the runs did. Errors: those of
 * floors_file_open; DATA (the floors are of other limits). */
ssimcu_status run_expect_frames(struct ssimcu_run *run, ssimcu_message *message);

/* Opens the floors for the maps of a merge's page, which are of SSIM if that fails. */
void run_offer_floors(struct ssimcu_run *run);

/* Misses the frames of video that have floors and lie behind `end`, which neither side has. */
void run_miss_behind(const struct ssimcu_run *run, uint32_t out, int64_t end);

/* Returns the limits of the options, with those of the file. */
struct limits run_limits(const struct ssimcu_run *run);

/* Returns what pairs are judged by while they are scored; NULL: nothing. */
const struct judge *run_judge(const struct ssimcu_run *run);

/* Makes the runs of all OUTs. Errors: those of out_options_open; MEMORY. */
ssimcu_status run_make_outs(struct ssimcu_run *run, ssimcu_message *message);

/* Opens the further references of a source that is open. Errors: those of variants_open; ARGUMENT
 * (the source is video). */
ssimcu_status run_open_variants(struct ssimcu_run *run, ssimcu_message *message);

/* The page over the reports of several OUTs (run_index.c); with one OUT there is none, and nothing
 * is done. Errors of the check: those of index_check. */
ssimcu_status run_index_check(const struct ssimcu_run *run, ssimcu_message *message);

/* Writes the page, or, if the run was cancelled, why there is no verdict. Returns SCORED, or the
 * code of an error, which is logged. */
ssimcu_exit run_index_write(struct ssimcu_run *run);

/* Says how groups of OUTs compare in quality over bit rate, if there are any. */
void run_index_say(struct ssimcu_run *run);

/* Makes the page of an earlier run say why this one came to no verdict. */
void run_index_withdraw(struct ssimcu_run *run, const char *why);

/* Returns the first error of any delivery, with its message. */
ssimcu_status run_delivered(const struct ssimcu_run *run, ssimcu_message *message);

#endif
