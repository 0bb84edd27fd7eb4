/* The options of each of several OUTs against one REF, whose outputs have names of their own. */
#ifndef SSIMCU_CLI_OUT_OPTIONS_H
#define SSIMCU_CLI_OUT_OPTIONS_H

#include "options.h"

struct out_options {
    uint32_t count;
    struct options *options; /* one for each OUT, as if it were alone with REF */
    char **name;             /* the paths that these point to */
    uint32_t names;
};

/* Makes options for each OUT. With several OUTs, every option that names an output or earlier
 * results names a directory: each OUT has its own file or directory there, under its file's name.
 * Those that are written to are made if they are missing. With one OUT the options are as they were
 * given. Call out_options_close also after an error. Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status out_options_open(const struct options *options, struct out_options *outs,
                               ssimcu_message *message);
void out_options_close(struct out_options *outs);

#endif
