/* A frame compared with two others of its sequence, most often the frames before and after it. */
#pragma once

#include "detect/frame/frame_stats.h"
#include "record/finding.h"

/* Three frames: the one that is judged, and two others. */
struct temporal {
    const struct frame_stats *now, *other[2];
    bool outer; /* both others are on one side, so that a change may be part of the work */
};

/* Returns whether the three can be compared: they have one size and one type of samples. */
bool temporal_compares(const struct temporal *temporal);

/* What the tiles of a frame show, compared with two others that resemble each other there. */
struct temporal_tiles {
    uint32_t tiles, textured, strange; /* all, those with texture, those that look different */
    uint32_t traces;   /* strange ones whose change has not gone in the next frame */
    uint32_t lost;     /* those whose texture only the others have */
    uint32_t relit[2]; /* those that are darker, or brighter, than both others */
    double apart;      /* sum of 1 - r to the nearer other, of those with texture */
};
struct temporal_tiles temporal_compare(const struct temporal *temporal);

/* Returns whether most of the frame shows the picture of both others in another light, as in a
 * flash. */
bool temporal_is_relit(const struct temporal_tiles *tiles);

/* Add flat areas, and rows of garbage or of one colour, that both others lack. */
void temporal_blocks(const struct temporal *temporal, struct findings *list);
void temporal_bands(const struct temporal *temporal, struct findings *list);

/* Finds the pixel that stands out most above the texture of both others there, and that they lack.
 * Returns by how many levels; 0: there is none. */
double temporal_pixel(const struct temporal *temporal, struct stats_pixel *found);

/* Returns whether much around a place differs from both others, which are alike there: then the
 * place belongs to a change of the picture. */
bool temporal_changes_around(const struct temporal *temporal, const struct finding_place *place);

/* Returns the mean distance of two frames' cells, in levels. */
double temporal_distance(const struct frame_stats *a, const struct frame_stats *b);

/* Returns whether two frames look like one scene: their textures are similar. If much has moved, a
 * similar distribution of the cells' light is enough. */
bool temporal_one_scene(const struct frame_stats *a, const struct frame_stats *b);

/* Returns the share of the tiles in which the two others are much more similar than either is to
 * the frame. Tiles without texture in the others do not count. A frame that shows their picture in
 * another light is not an outlier. */
double temporal_outlier(const struct temporal *temporal, const struct temporal_tiles *tiles);
