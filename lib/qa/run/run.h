/* A run from its options to its exit code. ssimcu_qa.h describes its use.
 *
 *   options -> job_run: [work of a pair, a batch, a merge or a check: makes records]
 *   -> delivery, one for each OUT
 *
 * The work of calibrate and accept writes files of its own instead. */
#pragma once

#include "delivery/delivery.h"
#include "delivery/picture_pair.h"
#include "delivery/run_header.h"
#include "engine/batch.h"
#include "options/files.h"
#include "options/out_options.h"

/* The run of one OUT, or of the only one. */
struct out_run {
    struct delivery delivery;
    struct source_input input;
    int64_t end;      /* number after that of its last record */
    bool left_out;    /* this OUT cannot be compared with REF */
    ssimcu_exit code; /* exit code of this OUT */
};

struct ssimcu_run {
    const struct work *work; /* set before job_run */
    struct options options;
    struct hooks hooks;
    ssimcu_stop stop;
    struct source_input input; /* input of the source, with all OUTs */
    struct source *source;
    struct variants *variants; /* may be NULL */
    struct batch_config config;
    struct out_options outs;
    struct out_run *out; /* one for each OUT */
    struct files files;
    struct picture_pair pictures;
    struct limits_file limits;    /* limits of shots and frames; `path` NULL: none */
    struct learned_file *learned; /* NULL: none, or a merge of pictures, where records are judged */
    struct learned_file **others; /* owned; those of each variant */
    struct source_frame *expected;  /* owned; the frames that have learned limits */
    struct judge judging;           /* source of ignored areas and learned limits */
    struct run_header_facts merged; /* facts from the merged results */
    bool is_pair, started;
    bool begun;     /* results are open, and a verdict will be written */
    bool cancelled; /* a stop left something undone */
    bool abandoned; /* a hanging thread may still use all of this */
    ssimcu_exit code;
    void *user; /* what the verb keeps for itself */
};

/* The work of a verb. job_run does everything else: options and paths, outputs, callbacks, the
 * withdrawal of old outputs, and the exit code. */
struct work {
    /* Opens the inputs. NULL: only results are read. */
    ssimcu_status (*open)(struct ssimcu_run *run, ssimcu_message *message);
    /* Begins the delivery of an OUT. NULL: delivery_begin. */
    ssimcu_status (*begin)(struct ssimcu_run *run, struct out_run *out, ssimcu_message *message);
    /* Makes all records, and sets for each OUT whether they are complete. An error ends the run. A
     * failure that does not end it may set the run's `code`. */
    ssimcu_status (*work)(struct ssimcu_run *run, ssimcu_message *message);
    bool delivers_nothing; /* it has no records for an OUT, and writes files of its own */
};
extern const struct work work_pair, work_batch, work_merge, work_check;

/* Makes the run of a verb from its options; NULL: it has no run options. ssimcu_run_close releases
 * it. Errors: ARGUMENT, MEMORY. */
ssimcu_status job_open(const ssimcu_run_options *given, enum verb verb, struct ssimcu_run **run,
                       ssimcu_message *message);

/* Calls `all`, with numbers as in C and with the caller's callbacks; NULL: it has none. Then sets
 * the exit code of an error, and withdraws the outputs of earlier runs if this one has no
 * verdict. Errors: those of `all`. */
ssimcu_status job_call(struct ssimcu_run *run,
                       ssimcu_status (*all)(struct ssimcu_run *run, ssimcu_message *message),
                       const ssimcu_run_hooks *hooks, ssimcu_message *message);

/* Runs a verb until all outputs are written. Errors: the one that ended it. */
ssimcu_status job_run(struct ssimcu_run *run, ssimcu_message *message);

/* Scores the pairs of the source by the `config` of the run, after the callback `begin`. Errors:
 * those of batch_run. */
ssimcu_status run_score_pairs(struct ssimcu_run *run, struct batch_times *times,
                              ssimcu_message *message);

/* Passes the records of results to `neighbours`, in order, until it is closed. Errors: those of
 * results_reader_record; MEMORY. */
struct neighbours;
ssimcu_status run_read_records(const struct results_reader *results, struct neighbours *neighbours,
                               ssimcu_message *message);

/* Calls the callback `end`, and reports how long each step took. */
void run_end_pairs(struct ssimcu_run *run, const struct batch_times *times);

/* Reads the limits file and opens the file of learned limits. The run uses the tiles of these.
 * Errors: those of limits_file_read and learned_file_open; ARGUMENT. */
ssimcu_status run_read_limits(struct ssimcu_run *run, ssimcu_message *message);

/* Makes a merge expect the frames that have learned limits, as the runs did. Errors: those of
 * learned_file_open; DATA (the learned limits belong to other limits). */
ssimcu_status run_expect_frames(struct ssimcu_run *run, ssimcu_message *message);

/* Opens the learned limits for the maps in a merge's report. If that fails, the maps show SSIM. */
void run_offer_learned(struct ssimcu_run *run);

/* Adds missing frames of video: those after `end` with learned limits, which neither side has. */
void run_miss_behind(const struct ssimcu_run *run, uint32_t out, int64_t end);

/* Returns the limits of the options, with those of the file. */
struct limits run_limits(const struct ssimcu_run *run);

/* Returns the judge of pairs during scoring; may be NULL. */
const struct judge *run_judge(const struct ssimcu_run *run);

/* Makes the runs of all OUTs. Errors: those of out_options_open; MEMORY. */
ssimcu_status run_make_outs(struct ssimcu_run *run, ssimcu_message *message);

/* Opens the variants of an open source. Errors: those of variants_open; ARGUMENT (the source is
 * video). */
ssimcu_status run_open_variants(struct ssimcu_run *run, ssimcu_message *message);

/* The page over the reports of several OUTs (run_index.c). With one OUT, these do nothing. Errors
 * of the check: those of index_check. */
ssimcu_status run_index_check(const struct ssimcu_run *run, ssimcu_message *message);

/* Writes the page, or, for a cancelled run, why there is no verdict. Returns SCORED, or the code of
 * an error, which is logged. */
ssimcu_exit run_index_write(struct ssimcu_run *run);

/* Prints how groups of OUTs compare in quality over bit rate. */
void run_index_say(struct ssimcu_run *run);

/* Writes into the page of an earlier run why this run has no verdict. */
void run_index_withdraw(struct ssimcu_run *run, const char *why);
