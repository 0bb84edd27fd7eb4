/* What the files of the source of pictures share: its pairs, and how a pair is loaded. */
#ifndef SSIMCU_QA_PICTURES_H
#define SSIMCU_QA_PICTURES_H

#include "pair/layers.h"
#include "source/source.h"

#include "image/channels.h"
#include "image/colours/colours.h"
#include "image/windows.h"

struct pictures {
    struct source base;
    ssimcu_sequence sequence[2];
    ssimcu_pairs pairs;
    struct layers layers; /* none unless all are compared */
    struct layered {      /* the pairs of all layers; NULL: each pair is compared once */
        struct ssimcu_pair pair;
        size_t layer;
        char *part;   /* own */
        bool unknown; /* a file could not be read, so that it may have more layers */
    } * layered;
    size_t layered_count;
    struct source_frame *lacking; /* own; expected frames that neither side has, in order */
    size_t lacking_count, lacked; /* how many there are, and have had their turn */
    size_t position;
    char *still_channels; /* list of its channels; NULL: none */
    ssimcu_frame still;   /* the single reference, decoded; its data is NULL if there is none */
    struct ssimcu_image_windows still_windows;
    struct ssimcu_image_colours still_colours;
};

/* Return the bytes of memory that a side of a Cryptomatte needs, and compare it. `levels`:
 * its channels, as a layer has them. The frames are then a mask (differ.h). Errors: those of
 * ssimcu_image_open and ssimcu_image_decode; UNSUPPORTED (no floats), MISMATCH. */
size_t pictures_crypto_bytes(const ssimcu_frame *frame);
ssimcu_status pictures_crypto_compare(struct pair *pair, const char *levels,
                                      const ssimcu_image_options *options, ssimcu_message *message);

/* Returns the options that pictures are read with. */
ssimcu_image_options pictures_options(const struct source *source);

#endif
