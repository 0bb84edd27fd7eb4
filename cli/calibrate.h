/* ssimcu calibrate, for a person. */
#ifndef SSIMCU_CLI_CALIBRATE_H
#define SSIMCU_CLI_CALIBRATE_H

#include "options.h"

/* Learns limits and returns the exit code. */
int calibrate(const struct arguments *arguments);

#endif
