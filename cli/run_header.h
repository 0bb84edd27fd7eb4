/* What the first line of results says about this run. */
#ifndef SSIMCU_CLI_RUN_HEADER_H
#define SSIMCU_CLI_RUN_HEADER_H

#include "options.h"
#include "results/header.h"

/* Fills in the header: contract (`video`: of planes), REF, OUT and the selection, devices. Errors:
 * MEMORY. */
ssimcu_status run_header_make(const struct options *options, bool video, struct header *header,
                              ssimcu_message *message);

/* What a header says that was scored, and how: for those that want to read the frames again. */
struct run_header_facts {
    struct source_input input;
    ssimcu_settings settings;
    ssimcu_clip_format raw; /* which `input` may point to */
};

/* Reads it back, for a merge, on the device of the options. The paths are the header's. */
void run_header_read(const struct header *header, const struct options *options,
                     struct run_header_facts *facts);

#endif
