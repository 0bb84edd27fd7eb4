/* The options of each of several OUTs against one REF. Each OUT has separate outputs. */
#pragma once

#include "options/options.h"

struct out_options {
    uint32_t count;
    bool named;              /* the options are made, but perhaps not all directories */
    struct options *options; /* one per OUT, as if it were the only one */
    char **name;             /* paths that the options point to */
    uint32_t names;
};

/* Makes options for each OUT. With one OUT, they stay as given. With several, every option for an
 * output or earlier results names a directory. In it, each OUT has a file or directory under its
 * file's name. Missing output directories are made. Call out_options_close, even after an error.
 * Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status out_options_open(const struct options *options, struct out_options *outs,
                               ssimcu_message *message);
void out_options_close(struct out_options *outs);
