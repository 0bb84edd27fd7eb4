/* The options: what the command line asks for. */
#ifndef SSIMCU_CLI_OPTIONS_H
#define SSIMCU_CLI_OPTIONS_H

#include "ssimcu_qa.h"

#include <stdbool.h>

enum action {
    ACTION_SCORE,
    ACTION_HELP,
    ACTION_HELP_ALL,
    ACTION_HELP_CALIBRATE,
    ACTION_HELP_CHECK,
    ACTION_VERSION,
    ACTION_LIST_DEVICES,
    ACTION_ACCEPT,
    ACTION_CALIBRATE,
    ACTION_CHECK
};

enum { PATH_MOST = 4096 };
enum { OPTION_ROWS_MOST = 96, MOST_OUTS = 64, MOST_GROUPS = 16 };

enum progress { PROGRESS_AUTO, PROGRESS_NONE, PROGRESS_OPENJD };

struct arguments {
    enum action action;
    ssimcu_run_options run;       /* what is scored; its texts are those of the command line */
    ssimcu_accept_options accept; /* what becomes a reference, for ACTION_ACCEPT */
    /* run.variant, run.out, run.labels and run.group point to these: a parsed struct must not move.
     */
    const char *variant[8], *out[MOST_OUTS], *labels[MOST_OUTS], *group[MOST_GROUPS];
    char label_text[4096];        /* what labels point to */
    bool given[OPTION_ROWS_MOST]; /* options that were given, by row */
    const char *fail_on;          /* kinds of findings that fail a check; NULL: not given */
    uint32_t merges;              /* not 0: a check merges results */
    double false_alarms;          /* rate of a calibration; 0: not given */
    enum progress progress;
    uint32_t json, csv, quiet, verbose;
    bool shard_auto; /* the environment says which share; run.output and run.resume are
                      * then those of `own` */
    char own[2][PATH_MOST];
};

/* Returns false after one line on stderr if the command line is wrong. */
bool options_parse(struct arguments *arguments, int argc, char **argv);

/* Prints the help to stdout: the common options on one screen, or all in groups; and that of
 * calibrate and of check alone. */
void options_help(bool all);
void options_help_calibrate(void);
void options_help_check(void);

/* ---- What is done: each returns the program's exit code -------------------------------------- */

/* Runs until all is scored, or a signal comes (run.c). */
int run(const struct arguments *arguments);

/* Makes OUTs of earlier runs the references. */
int run_accept(const struct arguments *arguments);

/* Judges frames that have no reference. Returns the program's exit code. */
int run_check(const struct arguments *arguments);

/* Learns limits. */
int calibrate(const struct arguments *arguments);

#endif
