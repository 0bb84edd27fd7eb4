/* Files that have no reference become sequences; with layers, each layer of EXRs is one of its own.
 */
#ifndef SSIMCU_QA_ALONE_SEQUENCES_H
#define SSIMCU_QA_ALONE_SEQUENCES_H

#include "pair/layers.h"
#include "source/alone.h"

/* A picture, or a video with all its frames. */
struct alone_item {
    char *path, *part; /* own; `part` names its sequence */
    int64_t number;
    bool video, raw;
    size_t place, first; /* its place as it was named, and that of its sequence's first file */
};

struct alone_made {
    struct alone_sequence *sequence; /* own */
    size_t count;
    struct layers *layers; /* own; of each sequence of files */
    size_t layered;
};

/* Puts the files of a sequence beside each other, wherever a list or a shell has put them, in the
 * order of their numbers. A sequence comes where its first file was named. What is named twice is
 * dropped. `layers`: how EXRs are read, whose sequences become one for each layer that the first
 * file has, or the last, of those that can be read; NULL: they stay as they are. Call
 * alone_made_free also after an error. Errors: MEMORY. */
ssimcu_status alone_make(struct alone_item *item, size_t *count, const ssimcu_image_options *layers,
                         struct alone_made *made, ssimcu_message *message);

void alone_made_free(struct alone_made *made);

#endif
