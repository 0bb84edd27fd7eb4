/* The parts in which options are checked and worked out, one after the other. Errors: ARGUMENT,
 * MEMORY. */
#ifndef SSIMCU_QA_OPTION_PARTS_H
#define SSIMCU_QA_OPTION_PARTS_H

#include "options/options.h"

/* Names of OUTs, their groups, the size at which frames are compared, and whether times pair them;
 * once files are taken. */
ssimcu_status ladder_options_take(struct options *options, ssimcu_message *message);
void ladder_options_free(struct options *options);

/* The curve of linear light, exposure and white, and which channels or layers are compared. */
ssimcu_status light_options_take(struct options *options, ssimcu_message *message);

/* A tool whose numbers are wanted. The CPU computes them, and there are no tiles. */
ssimcu_status compat_options_take(struct options *options, ssimcu_message *message);

/* Refuses for a tool video, or pictures in colours that it does not score. */
ssimcu_status compat_options_match(const struct options *options, bool video,
                                   ssimcu_message *message);

/* Refuses counts that are out of their ranges (base/counts.h). */
ssimcu_status count_options_check(const ssimcu_run_options *given, ssimcu_message *message);

/* Limits. One that every frame keeps, or none, is refused. */
ssimcu_status limit_options_take(struct options *options, ssimcu_message *message);

/* Refuses limits that lack what they are held against: tiles, or a baseline. `limits`: those of the
 * options, perhaps with a file's. */
ssimcu_status limit_options_match(const struct options *options, const struct limits *limits,
                                  ssimcu_message *message);

/* Returns whether some limit is of hints that a frame has for those beside it: stuck and frame. */
bool limit_options_need_neighbours(const struct limits *limits);

/* Returns whether pixels that differ are counted: a limit is of them, or they are asked for. */
bool limit_options_count_pixels(const ssimcu_run_options *given, const struct limits *limits);

/* Refuses further references where no frame can be beyond a limit, and where none is judged. Limits
 * are taken before. */
ssimcu_status variant_options_take(struct options *options, ssimcu_message *message);

/* Refuses an option that would be passed over, because the source has no files of its kind. */
ssimcu_status kinds_check(const struct options *options, const struct source *source,
                          ssimcu_message *message);

#endif
