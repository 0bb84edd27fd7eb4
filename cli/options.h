/* The options: what the command line asks for. */
#ifndef SSIMCU_CLI_OPTIONS_H
#define SSIMCU_CLI_OPTIONS_H

#include "ssimcu_qa.h"

#include <stdbool.h>

enum action {
    ACTION_SCORE,
    ACTION_CALIBRATE,
    ACTION_HELP,
    ACTION_HELP_ALL,
    ACTION_VERSION,
    ACTION_LIST_DEVICES
};

enum progress { PROGRESS_AUTO, PROGRESS_NONE, PROGRESS_OPENJD };

struct arguments {
    enum action action;
    ssimcu_run_options run; /* what is scored; its texts are those of the command line */
    double false_alarms;    /* of a calibration; 0: not given */
    enum progress progress;
    bool json, csv, quiet, verbose;
};

/* Returns false after one line on stderr if the command line is wrong. */
bool options_parse(struct arguments *arguments, int argc, char **argv);

/* Prints the help to stdout: the common options on one screen, or all in groups. */
void options_help(bool all);

#endif
