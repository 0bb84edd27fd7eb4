/* The layers of EXRs, for a run that compares all of them. */
#pragma once

#include "pair/names.h"

#include "ssimcu_io.h"

struct record;

struct layers {
    struct layer {
        char *name; /* the shot of its records, such as "RGB", "diffuse.RGB", "N.XYZ" or "Z" */
        char *layer, *channels; /* options that read it; both NULL: the whole picture */
        char *levels; /* four channels of a Cryptomatte in a line for each level; NULL: another
                         layer */
        bool exact;   /* its samples are names of objects, which are only equal or not */
    } * layer;
    size_t count;
    struct names compared; /* all channels that belong to a layer */
};

/* Finds the layers that either file has, the whole picture first. A path of NULL has none. Three
 * channels R, G and B or X, Y and Z form a layer, and so do all levels of a Cryptomatte. Every
 * other channel is a separate layer. Unreadable channels and the preview picture of a Cryptomatte
 * are left out. `compared` lists all others. Fails with UNSUPPORTED if neither file is an EXR.
 * Other errors: those of ssimcu_image_open. */
ssimcu_status layers_find(const char *const path[2], const ssimcu_image_options *options,
                          struct layers *layers, ssimcu_message *message);

/* Moves the layers of a pair to those of all pairs, unless they exist, and writes the place of
 * each. Returns false if memory runs out. */
bool layers_join(struct layers *all, struct layers *own, size_t *place);

/* Among a pair's layers, at these places, finds one with the name of layer `k` but more levels of a
 * Cryptomatte. Returns `k` if there is none. */
size_t layers_with_levels(const struct layers *all, size_t k, const size_t *place, size_t count);

/* Notes which channels of a pair's lists belong to no layer. Returns false if memory runs out. */
bool layers_leave(const struct layers *layers, const char *const list[2], struct record *record);

void layers_free(struct layers *layers);
