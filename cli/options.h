/* Command line -> what to do. */
#ifndef SSIMCU_CLI_OPTIONS_H
#define SSIMCU_CLI_OPTIONS_H

#include "ssimcu_io.h"
#include "ssimcu.h"

#include <stdbool.h>

/* The exit codes: documented, stable, never one for two things. */
enum exit_code {
    EXIT_SCORED = 0,   /* and at or above --min-score */
    EXIT_BELOW = 1,    /* scored, below --min-score */
    EXIT_USAGE = 2,    /* the command line is wrong */
    EXIT_MISMATCH = 3, /* the two pictures cannot be compared: their sizes differ */
    EXIT_INPUT = 4,    /* a file is missing, unreadable, damaged, not supported or over a limit */
    EXIT_DEVICE = 5,   /* the device is missing or failed */
    EXIT_INTERNAL = 70,
    EXIT_OUTPUT = 74 /* an output could not be written */
};

enum action { ACTION_SCORE, ACTION_HELP, ACTION_VERSION, ACTION_LIST_DEVICES };

struct options {
    enum action action;
    const char *ref, *out;
    const char *map; /* NULL: no map */
    bool json, quiet, verbose;
    bool has_min_score;
    double min_score;
    ssimcu_settings settings;
    ssimcu_image_options image;
};

/* Returns false after one line on stderr when the command line is wrong. */
bool options_parse(struct options *options, int argc, char **argv);

/* The help text, to stdout. */
void options_help(void);

/* The names that --pad, --color and --alpha take, for reports. */
const char *options_pad_name(ssimcu_pad pad);
const char *options_color_name(ssimcu_color color);
const char *options_alpha_name(ssimcu_alpha alpha);

#endif
