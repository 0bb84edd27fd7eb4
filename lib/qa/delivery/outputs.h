/* The outputs of a run, one row each in one table. A verb has every output whose option it has
 * (options.def). The same steps apply to all:
 *
 *   open      touches nothing of an earlier run, but reports outputs that cannot be written
 *   begin     removes the output of an earlier run, so that it cannot pass for this run's
 *   add       adds a record, in order, with its judgement
 *   end       gives the output its name
 *   withdraw  the run ended before it began: removes the verdict of an earlier run
 *
 * Outputs end in the order of the table. JUnit XML is the last, because it has the exit code. */
#pragma once

#include "options/options.h"

struct delivery;
struct early_end;

/* The time at which an output ends. */
enum output_phase {
    OUTPUT_FIRST, /* before the caller learns that the results are written */
    OUTPUT_PAGES, /* afterwards, because it takes a while */
    OUTPUT_LAST   /* when the exit code is known */
};

struct output {
    const char *option; /* "junit" */
    size_t path;        /* offset of its path in struct options */
    enum output_phase phase;
    /* All except `end` may be NULL. */
    ssimcu_status (*open)(struct delivery *delivery, ssimcu_message *message);
    ssimcu_status (*begin)(struct delivery *delivery, ssimcu_message *message);
    void (*add)(struct delivery *delivery, const struct record *record,
                const struct judged *judged);
    ssimcu_status (*end)(struct delivery *delivery, ssimcu_message *message);
    ssimcu_status (*withdraw)(const struct options *options, const struct early_end *early,
                              ssimcu_message *message);
};

extern const struct output outputs[]; /* the last row has no option */

/* The end of a run without a verdict. */
struct early_end {
    ssimcu_status status;
    const char *why;
    const char *side[2]; /* REF and OUT, or frames, as given; may be NULL */
    bool locked;         /* the results are open, so that no other run writes them */
};

/* Returns whether results go to the same file that is resumed. */
bool output_appends(const ssimcu_run_options *run);

/* Returns whether an output goes to the hook `line`, so that results do not. */
bool outputs_stream(const ssimcu_run_options *run);

/* Returns whether the options name the output. */
bool output_is_wanted(const struct output *output, const struct options *options);

/* Each calls that step of all outputs that the options name, and stops at the first error.
 * outputs_end ends those of one phase, goes on after an error, and returns the first one. */
ssimcu_status outputs_open(struct delivery *delivery, ssimcu_message *message);
ssimcu_status outputs_begin(struct delivery *delivery, ssimcu_message *message);
void outputs_add(struct delivery *delivery, const struct record *record,
                 const struct judged *judged);
ssimcu_status outputs_end(struct delivery *delivery, enum output_phase phase,
                          ssimcu_message *message);
