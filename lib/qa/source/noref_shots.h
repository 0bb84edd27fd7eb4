/* Files without a reference become sequences. With layers, each layer of EXRs is a sequence. */
#pragma once

#include "pair/layers.h"
#include "source/noref.h"

/* A picture, or a video with all its frames. */
struct noref_item {
    char *path, *shot; /* owned; `shot` names its sequence */
    char *why;         /* owned; why nothing is there to be read; NULL: it may be read */
    int64_t number;
    bool video, raw;
    bool empty; /* no file: it says that the sequence exists, even without a requested one */
    size_t place, first; /* its place in the order given, and that of its sequence's first file */
};

struct noref_items {
    struct noref_item *item; /* owned */
    size_t count, room;
};

/* Adds the files of all paths and of the list of an input. A path that cannot be opened becomes an
 * item with the reason, unless all are so. Errors: see noref_open. */
ssimcu_status noref_add_paths(struct noref_items *items, const struct source_input *input,
                              ssimcu_message *message);

void noref_items_free(struct noref_items *items);

struct noref_made {
    struct noref_shot *sequence; /* owned */
    size_t count;
    struct layers *layers; /* owned; those of each sequence of files */
    size_t layered;
};

/* Brings the files of a sequence together, wherever a list or a shell put them, in the order of
 * their numbers. Sequences come in the order of their names, as records do. Files named twice are
 * dropped. `layers`: how to read EXRs. A sequence of EXRs then becomes one for each layer of its
 * first or its last readable file. NULL: sequences stay as they are. Call noref_made_free even
 * after an error. Errors: MEMORY. */
ssimcu_status noref_make(struct noref_items *items, const ssimcu_image_options *layers,
                         struct noref_made *made, ssimcu_message *message);

void noref_made_free(struct noref_made *made);
