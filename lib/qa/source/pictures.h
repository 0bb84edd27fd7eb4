/* Declarations that the files of the source of pictures share: its pairs, and how a pair is
 * loaded. */
#pragma once

#include "pair/layers.h"
#include "source/source.h"

#include "image/channels.h"
#include "image/colours/colours.h"
#include "image/declared.h"

struct pictures {
    struct source base;
    ssimcu_sequence sequence[2];
    ssimcu_pairs pairs;
    struct layers layers; /* empty unless all layers are compared */
    struct layered {      /* the pairs of all layers; NULL: each pair is compared once */
        struct ssimcu_pair pair;
        size_t layer;
        char *shot;   /* owned */
        bool unknown; /* a file could not be read, so it may have more layers */
    } * layered;
    size_t layered_count;
    struct source_frame *lacking; /* owned; expected frames that neither side has, in order */
    size_t lacking_count, lacked; /* how many those are, and how many have had their turn */
    size_t position;
    char *still_channels; /* list of its channels; may be NULL */
    ssimcu_frame still;   /* the single reference, decoded; its data is NULL if there is none */
    struct ssimcu_image_windows still_windows;
    struct ssimcu_image_colours still_colours;
};

/* Return the memory in bytes that a side of a Cryptomatte needs, and compare a Cryptomatte.
 * `levels`: its channels, as in a layer. The frames become a mask (diff.h). Errors: those of
 * ssimcu_image_open and ssimcu_image_decode; UNSUPPORTED (no floats), MISMATCH. */
size_t pictures_crypto_bytes(const ssimcu_frame *frame);
ssimcu_status pictures_crypto_compare(struct pair *pair, const char *levels,
                                      const ssimcu_image_options *options, ssimcu_message *message);
