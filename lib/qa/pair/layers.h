/* The layers of EXRs, for a run that compares all of them. */
#ifndef SSIMCU_QA_LAYERS_H
#define SSIMCU_QA_LAYERS_H

#include "ssimcu_io.h"

#include <stdbool.h>
#include <stddef.h>

struct record;

struct layers {
    struct layer {
        char *name; /* the part of its records, such as "RGB", "diffuse.RGB", "N.XYZ" or "Z" */
        char *layer, *channels; /* options that read it; both NULL: the whole picture's */
        char *levels; /* of a Cryptomatte: a line for each, its four channels. NULL: it is none */
        bool exact;   /* its samples are names of objects: equality alone has a meaning */
    } * layer;
    size_t count;
    char **compared; /* full names of all channels that some layer has */
    size_t compared_count;
};

/* Finds the layers that either file has, the whole picture first. A path of NULL has none. Three
 * channels that are R, G and B or X, Y and Z are a layer, and so are all levels of a Cryptomatte;
 * every other channel is one of its own. Left out are channels that cannot be read, and the picture
 * for people of a Cryptomatte. `compared` lists all others. Fails with UNSUPPORTED if neither file
 * is an EXR. Other errors: those of ssimcu_image_open. */
ssimcu_status layers_find(const char *const path[2], const ssimcu_image_options *options,
                          struct layers *layers, ssimcu_message *message);

/* Moves the layers of a pair to those of all pairs, unless they are there, and sets the place of
 * each there. Returns false if memory runs out. */
bool layers_join(struct layers *all, struct layers *own, size_t *place);

/* Returns which of a pair's own layers, at these places, has the name of layer `k` and more levels
 * of a Cryptomatte; `k`: none has. */
size_t layers_with_levels(const struct layers *all, size_t k, const size_t *place, size_t count);

/* Notes which channels of a pair's lists no layer has. Returns false if memory runs out. */
bool layers_leave(const struct layers *layers, const char *const list[2], struct record *record);

void layers_free(struct layers *layers);

#endif
