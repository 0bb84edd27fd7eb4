/* The options that are limits: checked, and in the form in which the verdict takes them. */
#ifndef SSIMCU_QA_LIMIT_OPTIONS_H
#define SSIMCU_QA_LIMIT_OPTIONS_H

#include "options/options.h"

/* Refuses a limit that every frame keeps, or none. Errors: ARGUMENT. */
ssimcu_status limit_options_check(const ssimcu_run_options *given, ssimcu_message *message);

void limit_options_take(const ssimcu_run_options *given, struct limits *limits);

/* Refuses limits that lack what they are held against: tiles, or a baseline. `limits`: those of the
 * options, perhaps with a file's. Errors: ARGUMENT. */
ssimcu_status limit_options_match(const struct options *options, const struct limits *limits,
                                  ssimcu_message *message);

/* Takes further references. Refuses them where no frame can be beyond a limit, and where none is
 * judged. `limits` of the options are taken. Errors: ARGUMENT. */
ssimcu_status limit_options_variants(struct options *options, const ssimcu_run_options *given,
                                     ssimcu_message *message);

#endif
