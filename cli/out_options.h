/* Several OUTs against one REF: what the outputs of each are called. */
#ifndef SSIMCU_CLI_OUTS_H
#define SSIMCU_CLI_OUTS_H

#include "options.h"

struct outs {
    uint32_t count;
    struct options *options; /* of each OUT, as if it were alone with REF */
    char **name;             /* what they point to */
    uint32_t names;
};

/* Makes options for each OUT. Of several, --output, --resume, --baseline, --junit, --report and
 * --map are directories: each OUT has its own file or directory there, under its file's name. Those
 * that are written to are made where they are missing. Of one OUT the options are as they were
 * given. out_options_close also after an error. Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status out_options_open(const struct options *options, struct outs *outs,
                               ssimcu_message *message);
void out_options_close(struct outs *outs);

#endif
