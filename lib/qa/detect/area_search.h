/* What areas.c, area_rules.c and area_moved.c share: the search for flat areas of a frame. */
#pragma once

#include "detect/areas.h"

struct search {
    const struct frame_stats *now;
    const struct patches *patches, *other[2];
    uint32_t channel; /* 0: all channels have one value; otherwise only this one, from 1 */
    unsigned colours; /* mask of channels */
    uint8_t *mark;    /* of each patch */
    uint32_t *stack;  /* patches still to visit */
    int colour[4];    /* the last colour, and the samples that do not differ from it */
    int low[4], high[4];
};

enum side { LEFT, RIGHT, TOP, BOTTOM, SIDES };

/* Connected fresh patches. */
struct area {
    uint32_t edge[SIDES]; /* its box in pixels */
    size_t patches, edges, straight;
    double clear;    /* sum over the patches, from 0 to 1 */
    size_t faded;    /* kept pixels whose colour lies between those of both others */
    size_t flat;     /* patches of the same single colour in one of the others */
    size_t brighter; /* patches that are brighter than both others */
    int colour[4];
};

/* Returns whether a kept pixel has the colour that is searched for. */
static inline bool area_has_colour(const struct search *search, const struct patches *patches,
                                   uint32_t x, uint32_t down)
{
    bool has = true;
    for (uint32_t c = 0; c < patches->channels; c++)
        if (search->colours >> c & 1)
            has = has && patches_at(patches, x, down, c) == search->colour[c];
    return has;
}

/* Returns whether a kept pixel differs from the colour so that one sees it. */
static inline bool area_differs(const struct search *search, const struct patches *patches,
                                uint32_t x, uint32_t down)
{
    bool differs = false;
    for (uint32_t c = 0; c < patches->channels; c++) {
        const int sample = patches_at(patches, x, down, c);
        if (search->colours >> c & 1)
            differs = differs || sample < search->low[c] || sample > search->high[c];
    }
    return differs;
}

/* Returns whether an area is large and clear enough, and has the shape of damage. */
bool area_is_regular(const struct search *search, const struct area *area);

/* Returns whether another light explains an area: it is small, clipped, or flat in the others. */
bool area_is_of_light(const struct search *search, const struct area *area);

/* Returns whether an area may be a part of the picture: it is hardly seen, or small and without a
 * border. */
bool area_is_vague(const struct search *search, const struct area *area);

/* Returns whether one of the others shows the area at another place. */
bool area_is_object(const struct search *search, const struct area *area, bool *out_of_memory);

/* Returns whether an area widens a shape of its colour that one of the others has, too, such as a
 * letterbox in a picture that shakes. */
bool area_has_grown(const struct search *search, const struct area *area);
