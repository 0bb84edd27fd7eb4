/* A source of frames that have no reference: its pairs have OUT alone, which is shown as REF, too.
 * Pictures come sequence by sequence, video clip by clip, in the order of the paths. The part of a
 * record names its sequence: a pattern such as "shots/sh010.#.png", or the path of a video. The
 * number of a picture that has none is -1. */
#ifndef SSIMCU_QA_ALONE_H
#define SSIMCU_QA_ALONE_H

#include "source/source.h"

/* Opens the paths that are `out` of the input, each a picture, a directory, a pattern or a video in
 * a regular file. Video that cannot be opened is a record that has failed. The input must outlive
 * the source. Errors: FILE (nothing is there), UNSUPPORTED, ARGUMENT, MEMORY. */
ssimcu_status alone_open(const struct source_input *input, struct source **source,
                         ssimcu_message *message);

#endif
