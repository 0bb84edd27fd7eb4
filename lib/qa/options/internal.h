/* The steps that check and complete options, one after the other. Errors: ARGUMENT, MEMORY. */
#pragma once

#include "options/options.h"

/* Names of OUTs, their groups, the size at which frames are compared, and whether times pair them.
 * Call it after the inputs are set. */
ssimcu_status ladder_options_take(struct options *options, ssimcu_message *message);
void ladder_options_free(struct options *options);

/* The curve of linear light, exposure, white, and the compared channels or layers. */
ssimcu_status light_options_take(struct options *options, ssimcu_message *message);

/* The tool whose numbers are wanted. The CPU computes them without tiles. */
ssimcu_status compat_options_take(struct options *options, ssimcu_message *message);

/* Refuses video, or pictures in colours that the tool does not score. */
ssimcu_status compat_options_match(const struct options *options, bool video,
                                   ssimcu_message *message);

/* Limits. A limit that every frame meets, or none, is refused. */
ssimcu_status limit_options_take(struct options *options, ssimcu_message *message);

/* Refuses limits without the data that they judge: tiles, or a baseline. `limits`: those of the
 * options, perhaps with a file's. */
ssimcu_status limit_options_match(const struct options *options, const struct limits *limits,
                                  ssimcu_message *message);

/* Returns whether a limit concerns hints that depend on neighbours: duplicate and frame-offset. */
bool limit_options_need_neighbours(const struct limits *limits);

/* Returns whether differing pixels are counted: a limit needs them, or they are requested. */
bool limit_options_count_pixels(const ssimcu_run_options *given, const struct limits *limits);

/* Refuses variants if frames cannot be beyond a limit, or are not judged. Limits must be set
 * before. */
ssimcu_status variant_options_take(struct options *options, ssimcu_message *message);

/* Refuses an option that would have no effect, because the source has no files of its kind. */
ssimcu_status kinds_check(const struct options *options, const struct source *source,
                          ssimcu_message *message);
