/* What becomes of the records of a batch or a merge: results, summary, complaints, exit code. */
#ifndef SSIMCU_CLI_OUTCOME_H
#define SSIMCU_CLI_OUTCOME_H

#include "console.h"
#include "map_files.h"

#include "report/report.h"
#include "results/earlier.h"
#include "results/writer.h"

/* Where records go, and what they come to. */
struct delivery {
    const struct options *options; /* of several OUTs: as if this one were alone */
    const char *label;             /* OUT, where there are several; NULL: it needs none */
    struct earlier earlier;        /* earlier results */
    struct writer *writer;
    struct earlier baseline; /* results that scores are held against */
    struct summary summary;
    struct verdict verdict;
    struct map_files maps;
    uint64_t held;                    /* frames that the baseline has */
    struct report *report;            /* NULL: none */
    const struct header *header;      /* of the results */
    const struct source_input *input; /* where the frames came from, and how they were scored */
    const ssimcu_settings *settings;
    double seconds;        /* that scoring took; negative: unknown */
    bool (*stopped)(void); /* NULL: never */
    bool report_stopped;   /* before it was written */
    bool delivered;
    struct console_progress *progress; /* that of the run */
    ssimcu_status status;              /* of what ended it before its time */
    ssimcu_message message;
};

/* The line on standard error for what ended a run, and its exit code. */
enum exit_code delivery_complain(ssimcu_status status, const ssimcu_message *message);

/* Begins the report, if one is wanted. Errors: of report_open. */
ssimcu_status delivery_open_report(struct delivery *delivery, ssimcu_message *message);

/* ARGUMENT where an output would replace a file that is read. */
ssimcu_status delivery_spare_inputs(const struct delivery *delivery, const struct source *source,
                                    ssimcu_message *message);

/* Whether results go to the very file that is resumed. */
bool delivery_goes_on(const struct options *options);

/* Opens what the results go to: no other run may write there from now on. What an earlier one has
 * left is still there. */
ssimcu_status delivery_open(struct delivery *delivery, ssimcu_message *message);

/* Writes the first line. The header must outlive the delivery. */
ssimcu_status delivery_begin(struct delivery *delivery, const struct header *header,
                             ssimcu_message *message);

/* Starts the summary and the verdict, and reads the baseline. Errors: of earlier_add; MISMATCH. */
ssimcu_status delivery_start(struct delivery *delivery, const struct json_t *contract,
                             ssimcu_message *message);

/* A scored record's score in the baseline. False where it has none. For many threads. */
bool delivery_find_baseline(const struct delivery *delivery, const struct record *record,
                            double *score);

/* Takes each record in order, as batch_config wants it. */
bool delivery_take(void *delivery, const struct record *record, bool known);

/* The last line of the results, the summary for a person, the mean on standard output. */
enum exit_code delivery_end(struct delivery *delivery);

/* The report, after everything else: it takes a while, and all that was scored is safe by then.
 * `code`: what delivering came to. Returns what all of it comes to. */
enum exit_code delivery_report(struct delivery *delivery, enum exit_code code);

void delivery_free(struct delivery *delivery);

#endif
