/* Delivery: processes the records of a run. A pair, a batch and a merge pass each record to the
 * same results, summary, verdict and report, and to the caller. At the end, everything is written
 * and judged. The order of calls is:
 *
 *   delivery_begin -> delivery_take, for each record in order -> delivery_end -> delivery_report
 *   -> delivery_conclude
 *
 * and, for a pair, delivery_name_device before the record. */
#pragma once

#include "delivery/hooks.h"
#include "delivery/map_files.h"
#include "delivery/outputs.h"

#include "lines/junit.h"
#include "lines/results_reader.h"
#include "lines/writer.h"
#include "report/note/note.h"
#include "report/report.h"
#include "verdict/rerender.h"

struct picture_pair;

/* The reason in outputs if the caller cancelled the run. */
#define DELIVERY_STOPPED "stopped early"

struct delivery {
    const struct options *options; /* options of this OUT, as if it were the only one */
    struct hooks *hooks;
    uint32_t number;                     /* index of this OUT */
    const struct picture_pair *pictures; /* facts that only a pair has; NULL: a batch or a merge */
    struct header header;                /* the results' first line */
    struct results_reader earlier;       /* results to resume or to merge */
    struct results_reader baseline;      /* results that scores are compared with */
    uint64_t baseline_frames;            /* number of frames in the baseline */
    struct writer *writer;               /* NULL: no results are written */
    struct summary summary;
    const struct limits_file *limits; /* limits of shots and frames; may be NULL */
    struct verdict verdict;
    struct junit_cases cases; /* empty unless JUnit is written */
    struct note note;         /* empty unless Markdown is written */
    struct rerender rerender; /* empty unless it is written */
    struct map_files maps;
    struct report *report;            /* the report; may be NULL */
    const struct source_input *input; /* the source of frames for the report's pictures */
    const ssimcu_settings *settings;  /* settings of the scores */
    const struct judge *judge;        /* learned limits of the run, for maps; may be NULL */
    double seconds;                   /* duration of scoring; negative: unknown */
    const ssimcu_stop *stop;
    uint32_t said;        /* metrics that were reported as missing in a frame */
    bool colours_said;    /* differing colours were reported */
    bool reported;        /* the report is written */
    bool report_stopped;  /* the run was stopped before the report was written */
    bool ended;           /* summary and verdict are complete */
    bool delivered;       /* results are written */
    ssimcu_exit code;     /* set before the last outputs end */
    ssimcu_status status; /* error that ended the run early */
    ssimcu_message message;
};

/* Removes verdicts of an earlier run if this run ended before its first score. JUnit XML, Markdown
 * and the report then have the reason. Results are removed, except those to resume.
 *
 * A wrong command line (ARGUMENT) touches no file. If an output could not be written (WRITE),
 * results stay unless they are `locked`, because another run may be writing them. */
void delivery_withdraw(const struct options *options, bool pair, struct hooks *hooks,
                       ssimcu_status status, const ssimcu_message *why, bool locked);

/* Does the same for the report only, and for JUnit XML if there is no verdict, because the results
 * could not be completed. */
void delivery_withdraw_pages(const struct delivery *delivery);

/* Prepares the first score. Reads the baseline and the results to resume. Opens the report, the
 * directory of maps and the results. Removes results and JUnit XML of an earlier run. files_check
 * must have passed. Errors: those of report_open, writer_open and results_reader_resume;
 * MISMATCH. */
ssimcu_status delivery_begin(struct delivery *delivery, const struct source *source,
                             ssimcu_message *message);

/* Does the same for a merge, and reads all its files. */
ssimcu_status delivery_begin_merge(struct delivery *delivery, ssimcu_message *message);

/* Names the GPU if it scored the pair, and writes the results' first line. Sets the delivery's
 * status on error. */
void delivery_name_device(struct delivery *delivery);

/* Finds the record of the same files in an earlier run, and puts it into *record. Returns false if
 * there is none. Many threads may call it. */
bool delivery_find_known(const struct delivery *delivery, struct record *record);

/* Returns whether a scored record is beyond a numeric limit. Many threads may call it. */
bool delivery_is_beyond(const struct delivery *delivery, const struct record *record);

/* Processes each record in order; a callback of batch_config. Returns false to end the run. */
bool delivery_take(void *delivery, struct record *record, bool known);

/* Completes summary and verdict, ends the results, informs the caller, and returns the exit code.
 * On error, `status` is set. */
ssimcu_exit delivery_end(struct delivery *delivery);

/* Writes the report, which takes a while: all scores are safe by then. `code` is the result of
 * delivery_end. Returns the exit code so far. */
ssimcu_exit delivery_report(struct delivery *delivery, ssimcu_exit code);

/* Writes the outputs that contain the end and the exit code of the run. Returns the final exit
 * code.
 */
ssimcu_exit delivery_conclude(struct delivery *delivery, ssimcu_exit code);

void delivery_free(struct delivery *delivery);
