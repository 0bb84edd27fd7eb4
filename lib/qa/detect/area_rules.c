/* Whether a flat area looks like damage. */
#include "detect/area_search.h"

enum {
    LEAST = 8, /* pixels of a side */
    LEAST_OF_CHANNEL = 16,
    SMALL = 256,  /* pixels of an area that must have a border */
    SHAPED = 64,  /* least patches of a shape that is not a rectangle */
    CLEARLY = 40, /* least number of pixels, each weighted by how clear its difference is */
    LARGE = 16,   /* of video, only areas of at least this part of the frame are searched for */
    SMALL_IN_LIGHT = 20 /* a smaller part of a frame may become one colour by another light */
};
#define SEEN 0.77 /* mean clarity, below which an area is hardly seen */
#define SEEN_CHANNEL 0.9
#define WHOLE 0.985     /* share of a rectangle that has its colour */
#define WHOLE_CODED 0.9 /* a codec changes its borders */
#define STRAIGHT 0.85   /* share of straight edges of a shape that consists of rectangles */
#define MOST 0.5        /* share of the frame that needs less than that of its box */
#define MOST_WHOLE 0.85

/* Returns the share of an area's box that has its colour. */
static double share_of(const struct search *search, const struct area *area)
{
    size_t same = 0, all = 0;
    for (uint32_t y = (area->edge[TOP] + PATCH - 1) / PATCH;
         y < search->patches->down && y * PATCH < area->edge[BOTTOM]; y++)
        for (uint32_t x = area->edge[LEFT]; x < area->edge[RIGHT]; x++, all++)
            same += area_has_colour(search, search->patches, x, y);
    return all > 0 ? (double)same / (double)all : 0;
}

static size_t pixels_of(const struct area *area)
{
    return (size_t)(area->edge[RIGHT] - area->edge[LEFT]) * (area->edge[BOTTOM] - area->edge[TOP]);
}

/* Returns whether the value of a single channel is that of a lost one: other values are common in
 * pictures of few colours. */
static bool is_extreme(const struct search *search, const struct area *area)
{
    const double level = patches_level(area->colour[search->channel - 1], search->now->bits);
    return level < 1 || level > 254;
}

bool area_is_regular(const struct search *search, const struct area *area)
{
    const uint32_t width = area->edge[RIGHT] - area->edge[LEFT],
                   height = area->edge[BOTTOM] - area->edge[TOP];
    const uint32_t least = search->channel > 0 ? LEAST_OF_CHANNEL : LEAST;
    if (width < least || height < least) return false;
    if (search->channel > 0 && !is_extreme(search, area)) return false;
    const double share = share_of(search, area), all = share * (double)pixels_of(area),
                 frame = (double)search->now->width * search->now->height;
    if (all * area->clear / (double)area->patches <= CLEARLY) return false;
    const bool coded = search->now->tolerance > 0;
    if (coded && LARGE * all < frame) return false;
    return share >= (coded ? WHOLE_CODED : WHOLE) || (share >= MOST_WHOLE && all >= MOST * frame) ||
           (area->patches >= SHAPED && (double)area->straight >= STRAIGHT * (double)area->edges);
}

bool area_is_of_light(const struct search *search, const struct area *area)
{
    bool clipped = 2 * area->brighter > area->patches;
    for (uint32_t c = 0; c < search->patches->channels; c++)
        if (search->colours >> c & 1)
            clipped = clipped && patches_level(area->colour[c], search->now->bits) > 254;
    return clipped || 2 * area->flat > area->patches ||
           SMALL_IN_LIGHT * pixels_of(area) < (size_t)search->now->width * search->now->height;
}

/* Returns whether most of the pixels left and right of an area differ from it. Others make it a
 * part of a smooth picture. */
static bool has_border(const struct search *search, const struct area *area)
{
    size_t all = 0, sharp = 0;
    for (uint32_t y = (area->edge[TOP] + PATCH - 1) / PATCH;
         y < search->patches->down && y * PATCH < area->edge[BOTTOM]; y++)
        for (int side = 0; side < 2; side++) {
            if (side == 0 ? area->edge[LEFT] < 2 : area->edge[RIGHT] + 1 >= search->patches->width)
                continue;
            all++;
            sharp += area_differs(search, search->patches,
                                  side == 0 ? area->edge[LEFT] - 2 : area->edge[RIGHT] + 1, y);
        }
    return 2 * sharp >= all;
}

bool area_is_vague(const struct search *search, const struct area *area)
{
    const double least = search->channel > 0 ? SEEN_CHANNEL : SEEN;
    return area->clear < least * (double)area->patches ||
           (pixels_of(area) < SMALL && !has_border(search, area));
}
