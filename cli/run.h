/* A run of the library as the program makes it: what it prints, and its exit code. */
#ifndef SSIMCU_CLI_RUN_H
#define SSIMCU_CLI_RUN_H

#include "options.h"

/* Runs until all is scored, or a signal comes. Returns the program's exit code. */
int run(const struct arguments *arguments);

/* Makes OUTs of earlier runs the references. Returns the program's exit code. */
int run_accept(const struct arguments *arguments);

/* Learns limits. Returns the program's exit code. */
int calibrate(const struct arguments *arguments);

#endif
