/* The runs that main chooses from. Each returns the program's exit code. */
#ifndef SSIMCU_CLI_RUN_H
#define SSIMCU_CLI_RUN_H

#include "console.h"

enum exit_code run_pair(const struct options *options);  /* one pair of pictures */
enum exit_code run_batch(const struct options *options); /* many pairs */
enum exit_code run_merge(const struct options *options); /* the results of several batches */

#endif
