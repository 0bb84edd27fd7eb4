/* Scoring many pairs, and merging the results of several such runs. */
#ifndef SSIMCU_CLI_BATCH_H
#define SSIMCU_CLI_BATCH_H

#include "options.h"

enum exit_code batch_run(const struct options *options);
enum exit_code batch_merge(const struct options *options);

#endif
