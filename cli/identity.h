/* What the first line of results says about this run. */
#ifndef SSIMCU_CLI_IDENTITY_H
#define SSIMCU_CLI_IDENTITY_H

#include "options.h"

/* Fills in the header: contract (`video`: of planes), REF, OUT and the selection, devices. Errors:
 * MEMORY. */
ssimcu_status identity_of(const struct options *options, bool video, struct header *header,
                          ssimcu_message *message);

/* What a header says that was scored, and how: for those that want to read the frames again. */
struct identity {
    struct batch_input input;
    ssimcu_settings settings;
    ssimcu_clip_format raw; /* which `input` may point to */
};

/* Reads it back, for a merge, on the device of the options. The paths are the header's. */
void identity_read(const struct header *header, const struct options *options,
                   struct identity *identity);

#endif
