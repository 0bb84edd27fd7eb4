/* A source of frames without a reference: its pairs have only OUT, which is also shown as REF.
 * Pictures come sequence by sequence and video clip by clip, in the order of their names. A
 * record's shot names its sequence: a pattern such as "shots/sh010.#.png", or the path of a video.
 * A picture without a number has the number -1. A missing record stands for requested frames of
 * which the sequence has none; detect/ lists them. */
#pragma once

#include "source/source.h"

/* Opens the paths in `out` of the input and those of its `list`. Each is a picture, a directory, a
 * pattern, or a video in a regular file. A path that does not exist or cannot be opened gives a
 * failed record. The input must outlive the source. Errors: FILE (no path in `out` can be opened),
 * UNSUPPORTED, ARGUMENT, MEMORY; DATA (a line of the list is too long). */
ssimcu_status noref_open(const struct source_input *input, struct source **source,
                         ssimcu_message *message);

/* A sequence of the source, with a unique name. */
struct noref_shot {
    const char *name;    /* the shot of its records */
    size_t first, files; /* its first file, and how many it has */
    bool video;          /* some of them are video */
    bool numbered;       /* they are pictures with numbers */
    bool empty;          /* no file was requested, so it has only one record, which is missing */
    bool left_out; /* it has no records; whoever opened the source may set this before `next` */
    const struct layer *reads;   /* its layer of the EXRs (pair/layers.h); may be NULL */
    const struct layers *layers; /* all layers of the EXRs; NULL unless `reads` is one */
    bool further;                /* an earlier sequence is another layer of the same files */
    char *own;                   /* its name, if `reads`; owned; may be NULL */
};

/* Returns all sequences in their order. They live as long as the source. */
struct noref_shot *noref_shots(struct source *source, size_t *count);

/* Returns the path of file `at` of all sequences. */
const char *noref_file(const struct source *source, size_t at);
