/* The options of the command line. */
#pragma once

#include "options/verbs.h"

enum action {
    ACTION_SCORE,
    ACTION_HELP,
    ACTION_HELP_ALL,
    ACTION_VERSION,
    ACTION_LIST_DEVICES,
    ACTION_HELP_CALIBRATE,
    ACTION_HELP_CHECK,
    ACTION_ACCEPT,
    ACTION_CALIBRATE
};

enum { PATH_MOST = 4096 };
enum { MOST_OUTS = 64, MOST_GROUPS = 16 };

enum progress { PROGRESS_AUTO, PROGRESS_NONE, PROGRESS_OPENJD };

struct arguments {
    enum action action;
    ssimcu_run_options run;       /* the run; its texts are those of the command line */
    ssimcu_accept_options accept; /* the new references, for ACTION_ACCEPT */
    /* run.variant, run.out, run.labels and run.group point to these: do not move a parsed struct.
     */
    const char *variant[8], *out[MOST_OUTS], *labels[MOST_OUTS], *group[MOST_GROUPS];
    char label_text[4096];   /* the memory of labels */
    bool given[OPTION_ROWS]; /* given options, by row */
    double false_alarms;     /* of a calibration; 0: not given */
    enum progress progress;
    uint32_t quiet, verbose;
    bool shard_auto; /* the environment determines the share; run.output and run.resume are then
                        those in `own` */
    char own[2][PATH_MOST];
};

/* Returns false after one line on standard error if the command line is wrong. */
bool options_parse(struct arguments *arguments, int argc, char **argv);

/* Prints the help to standard output: the common options on one screen, or all in groups, or those
 * of a verb. Returns the program's exit code. */
int options_help(enum action action);

/* ---- The actions: each returns the program's exit code --------------------------------------- */

/* Runs until everything is scored, or until a signal (run.c). */
int run(const struct arguments *arguments);

/* Makes OUTs of earlier runs references. */
int run_accept(const struct arguments *arguments);

/* Learns limits. */
int calibrate(const struct arguments *arguments);
