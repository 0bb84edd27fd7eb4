/* The options of each of several OUTs against one REF. Each OUT has outputs of its own. */
#ifndef SSIMCU_QA_OUT_OPTIONS_H
#define SSIMCU_QA_OUT_OPTIONS_H

#include "options/options.h"

struct out_options {
    uint32_t count;
    struct options *options; /* one for each OUT, as if it were alone with REF */
    char **name;             /* paths that the options point to */
    uint32_t names;
};

/* Makes options for each OUT. With one OUT they stay as they were given. With several, every option
 * that names an output or earlier results names a directory. There each OUT has its own file or
 * directory, under its file's name. Directories to write to are made if they are missing. Call
 * out_options_close also after an error. Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status out_options_open(const struct options *options, struct out_options *outs,
                               ssimcu_message *message);
void out_options_close(struct out_options *outs);

#endif
