/* A frame beside two others of its sequence, which are most often those before and behind it. */
#ifndef SSIMCU_QA_BESIDE_H
#define SSIMCU_QA_BESIDE_H

#include "check/findings.h"
#include "check/seen.h"

/* Three frames: the one that is judged, and two that are not. */
struct beside {
    const struct seen *now, *other[2];
};

/* Returns whether the three can be compared: one size, and one type of samples. */
bool beside_compares(const struct beside *beside);

/* Returns whether most of the frame has another light than both others, as in a flash, which clips
 * what is bright. */
bool beside_is_flash(const struct beside *beside);

/* Add parts of one colour, and rows of garbage or of one colour, that both others lack. */
void beside_blocks(const struct beside *beside, struct findings_list *list);
void beside_bands(const struct beside *beside, struct findings_list *list);

/* Finds the pixel that stands out most over the texture that both others have there, and that they
 * lack. Returns by how many levels; 0: there is none. */
double beside_pixel(const struct beside *beside, struct seen_pixel *found);

/* Returns the mean distance of two frames' cells, in levels. */
double beside_distance(const struct seen *a, const struct seen *b);

/* Returns whether two frames look like one scene: their textures are alike, or, if much has moved,
 * the lights of their cells are spread alike. */
bool beside_one_scene(const struct seen *a, const struct seen *b);

/* Returns the share of the tiles in which the two others are much more alike than either is with
 * the frame. Tiles without texture do not count, and a flash is no stranger. */
double beside_stranger(const struct beside *beside);

#endif
