/* A source of frames that have no reference: its pairs have OUT alone, which is shown as REF, too.
 * Pictures come sequence by sequence, video clip by clip, in the order of the paths of their first
 * files. The part of a record names its sequence: a pattern such as "shots/sh010.#.png", or the
 * path of a video. The number of a picture that has none is -1. */
#ifndef SSIMCU_QA_ALONE_H
#define SSIMCU_QA_ALONE_H

#include "source/source.h"

/* Opens the paths that are `out` of the input and those of its `list`, each a picture, a directory,
 * a pattern or a video in a regular file. Video that cannot be opened is a record that has failed,
 * and so is a listed file that is not there. The input must outlive the source. Errors: FILE
 * (nothing is there), UNSUPPORTED, ARGUMENT, MEMORY; DATA (a line of the list is too long). */
ssimcu_status alone_open(const struct source_input *input, struct source **source,
                         ssimcu_message *message);

/* A sequence of the source, which no other has the name of. */
struct alone_sequence {
    const char *name;    /* the part of its records */
    size_t first, files; /* its files: the first, and how many */
    bool video;          /* some of them are video */
    bool left_out;       /* it has no records; whoever opened the source may say so before `next` */
    const struct layer *reads; /* the layer of its EXRs (pair/layers.h) that it is; NULL: none */
    bool further;              /* another layer of the same files comes before it */
    char *own;                 /* its name, if `reads`; own */
};

/* Returns all sequences in their order, which live as long as the source. */
struct alone_sequence *alone_sequences(struct source *source, size_t *count);

/* Returns the path of file `at` of all. */
const char *alone_file(const struct source *source, size_t at);

#endif
