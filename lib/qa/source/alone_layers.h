/* The layers of EXRs that have no reference: each makes a sequence of its own. */
#ifndef SSIMCU_QA_ALONE_LAYERS_H
#define SSIMCU_QA_ALONE_LAYERS_H

#include "pair/layers.h"
#include "source/alone.h"

/* The layers of each sequence of files; {0} has none. */
struct alone_layers {
    struct layers *of; /* own */
    size_t count;
};

/* Files by their places, and how they are read. */
struct alone_files {
    const struct source *source;
    const char *(*path)(const struct source *source, size_t at);
};

/* Replaces a sequence of EXRs by one for each layer that its first file has, or its last, of those
 * that can be read. All others stay. Errors: MEMORY. */
ssimcu_status alone_layers_spread(const struct alone_files *files,
                                  struct alone_sequence **sequences, size_t *count,
                                  struct alone_layers *layers, ssimcu_message *message);

void alone_layers_free(struct alone_layers *layers);

#endif
