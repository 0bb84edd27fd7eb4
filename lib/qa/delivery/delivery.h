/* Delivery: what a run does with its records. A pair, a batch and a merge hand each record to the
 * same results, summary, verdict and report, and to the caller. At the end all is written and
 * judged. The order of calls is:
 *
 *   delivery_begin -> delivery_take, for each record in order -> delivery_end -> delivery_report
 *
 * and for a pair delivery_name_device before the record. */
#ifndef SSIMCU_QA_DELIVERY_H
#define SSIMCU_QA_DELIVERY_H

#include "delivery/hooks.h"
#include "delivery/map_files.h"

#include "lines/earlier.h"
#include "lines/junit.h"
#include "lines/writer.h"
#include "report/note/note.h"
#include "report/report.h"

struct picture_pair;

/* The reason that is given for a run that the caller has cancelled. */
#define DELIVERY_STOPPED "stopped early"

struct delivery {
    const struct options *options; /* those of this OUT, as if it were alone */
    struct hooks *hooks;
    uint32_t number;                     /* index of this OUT */
    const struct picture_pair *pictures; /* facts that only a pair has; NULL: a batch or a merge */
    struct header header;                /* the results' first line */
    struct earlier_results earlier;      /* results to resume or to merge */
    struct earlier_results baseline;     /* results that scores are held against */
    uint64_t baseline_frames;            /* number of frames that the baseline has */
    struct writer *writer;               /* NULL: no results are written */
    struct summary summary;
    const struct limits_file *limits; /* limits of shots and frames; NULL: none were given */
    struct verdict verdict;
    struct junit_cases cases; /* none unless JUnit is written */
    struct note note;         /* none unless Markdown is written */
    struct map_files maps;
    struct report *report;            /* NULL: none */
    const struct source_input *input; /* source of the frames, for the report's pictures */
    const ssimcu_settings *settings;  /* settings that they were scored with */
    const struct judge *judge;        /* floors of the run, for maps; NULL: none */
    double seconds;                   /* duration of scoring; negative: unknown */
    const ssimcu_stop *stop;
    uint32_t said;        /* metrics that some frame lacks, which was said */
    bool colours_said;    /* a line says that colours differ */
    bool reported;        /* the report is written */
    bool report_stopped;  /* a stop came before the report was written */
    bool ended;           /* summary and verdict are worked out */
    bool delivered;       /* results are out */
    ssimcu_status status; /* error that ended the run before its time */
    ssimcu_message message;
};

/* Sees to it that no verdict of an earlier run stands where a run should have written one that
 * ended before its first score. JUnit XML then says why, as does the page of a report; results are
 * removed, except those that the run was to resume. A wrong command line (ARGUMENT) touches no
 * file. If an output could not be written (WRITE), results stay, because another run may be writing
 * them. */
void delivery_withdraw(const struct options *options, bool pair, struct hooks *hooks,
                       ssimcu_status status, const ssimcu_message *why);

/* Does all that precedes the first score: reads the baseline and what is resumed, opens the report,
 * the directory of maps and the results, and removes the results and JUnit XML of an earlier run.
 * files_check must have passed. Errors: those of report_open, writer_open and earlier_resume;
 * MISMATCH. */
ssimcu_status delivery_begin(struct delivery *delivery, const struct source *source,
                             ssimcu_message *message);

/* Does the same for a merge, and reads all its files. */
ssimcu_status delivery_begin_merge(struct delivery *delivery, ssimcu_message *message);

/* Names the GPU if that is what has scored the pair, and writes the results' first line. An error
 * becomes the delivery's. */
void delivery_name_device(struct delivery *delivery);

/* Finds the record that an earlier run has made of the same files, and puts it into *record.
 * Returns false if there is none. Many threads may call it. */
bool delivery_find_known(const struct delivery *delivery, struct record *record);

/* Returns whether a scored record is beyond a limit that is a number. Many threads may call it. */
bool delivery_is_beyond(const struct delivery *delivery, const struct record *record);

/* Takes each record in order; a callback of batch_config. Returns false to end the run. */
bool delivery_take(void *delivery, const struct record *record, bool known);

/* Works out summary and verdict, ends the results, tells the caller, and returns the exit code. If
 * something failed, `status` says so. */
ssimcu_exit delivery_end(struct delivery *delivery);

/* Writes the report, last of all: it takes a while, and all that was scored is safe by then.
 * `code`: what delivery_end has returned. Returns the code of everything together. */
ssimcu_exit delivery_report(struct delivery *delivery, ssimcu_exit code);

void delivery_free(struct delivery *delivery);

#endif
