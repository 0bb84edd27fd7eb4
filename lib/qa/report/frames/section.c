#include "report/frames/section.h"

enum {
    HEAT_CELL = 4,    /* pixels of a whole frame's picture, see resample_map */
    CROP_LEAST = 176, /* shortest side of a crop, in pixels of the frame */
    CROP_MOST = 384,  /* longest side; a larger tile is cut to its middle */
    GRID = 4,         /* pixels; at multiples of this no kind of video divides a chroma sample */
    PLACE_LEAST = 48, /* shortest side around a place, in pixels of the frame */
    PLACE_MOST = 384, /* longest side, in pixels of the picture */
    ACROSS = 4,       /* largest aspect ratio */
    MARGIN = 4        /* pixels between a place and its box */
};

bool section_holds(const ssimcu_frame *frame, const struct shown_area *tile)
{
    return tile->width > 0 && tile->height > 0 && tile->x < frame->width &&
           tile->width <= frame->width - tile->x && tile->y < frame->height &&
           tile->height <= frame->height - tile->y;
}

/* Reduces a size so that no side exceeds `most`. */
static void fit(uint32_t most, uint32_t *width, uint32_t *height)
{
    const uint32_t longer = *width > *height ? *width : *height;
    if (longer <= most) return;
    const double scale = (double)most / longer;
    *width = (uint32_t)(*width * scale + 0.5);
    *height = (uint32_t)(*height * scale + 0.5);
    if (*width == 0) *width = 1;
    if (*height == 0) *height = 1;
}

/* Returns the place of a tile in a section's picture. */
static struct picture_box box_of(const struct section *section, const struct shown_area *tile)
{
    const double across = (double)section->width / section->part.width;
    const double down = (double)section->height / section->part.height;
    if (tile->width > section->part.width || tile->height > section->part.height)
        return (struct picture_box){0}; /* the section is inside the tile */
    return (struct picture_box){((double)tile->x - section->part.x) * across,
                                ((double)tile->y - section->part.y) * down, tile->width * across,
                                tile->height * down};
}

struct section section_whole(const ssimcu_frame *frame, uint32_t most_side,
                             const struct shown_area *tile)
{
    static const char *const kinds[] = {"ref", "out", "diff", "heat"};
    struct section section = {.part = {0, 0, frame->width, frame->height},
                              .width = frame->width,
                              .height = frame->height,
                              .cell = HEAT_CELL,
                              .quality = QUALITY,
                              .kinds = kinds};
    fit(most_side, &section.width, &section.height);
    if (tile) section.box = box_of(&section, tile);
    return section;
}

/* Places a side of `wanted` pixels, or a few more, around the middle of the given range. */
static void place_side(uint32_t *at, uint32_t *size, uint32_t wanted, uint32_t frame)
{
    const uint32_t centre = *at + *size / 2;
    *size = map_divide_up(wanted, GRID) * GRID;
    if (*size > frame) *size = frame;
    *at = centre > *size / 2 ? centre - *size / 2 : 0;
    if (*at + *size > frame) *at = frame - *size;
    *at = *at / GRID * GRID;
}

/* Returns the side of a crop: the side of its tile plus half of it. */
static uint32_t around(uint32_t size)
{
    const uint32_t wanted = size + size / 2;
    return wanted < CROP_LEAST ? CROP_LEAST : wanted > CROP_MOST ? CROP_MOST : wanted;
}

struct section section_crop(const ssimcu_frame *frame, const struct shown_area *tile)
{
    static const char *const kinds[] = {"crop-ref", "crop-out", "crop-diff", "crop-heat"};
    struct section section = {.part = *tile, .cell = 1, .quality = LOSSLESS, .kinds = kinds};
    place_side(&section.part.x, &section.part.width, around(tile->width), frame->width);
    place_side(&section.part.y, &section.part.height, around(tile->height), frame->height);
    section.width = section.part.width;
    section.height = section.part.height;
    section.box = box_of(&section, tile);
    return section;
}

/* ---- Frames without a reference -------------------------------------------------------------- */

static uint32_t around_place(uint32_t size)
{
    return 2 * size > PLACE_LEAST ? 2 * size : PLACE_LEAST;
}

/* Returns the area of a frame that shows the place. For rows across the whole frame, it is their
 * middle, because they would be thin lines in a reduced frame. */
static struct shown_area part_of(const struct shown_area *place, const ssimcu_frame *frame)
{
    uint32_t width = around_place(place->width), height = around_place(place->height);
    struct shown_area part = *place;
    if (width > ACROSS * height) width = ACROSS * height;
    if (height > ACROSS * width) height = ACROSS * width;
    place_side(&part.x, &part.width, width, frame->width);
    place_side(&part.y, &part.height, height, frame->height);
    return part;
}

/* Widens a side of a place by the margin, within the shown area. */
static void widen(uint32_t *at, uint32_t *size, uint32_t part, uint32_t shown)
{
    const uint32_t end = *at + *size + MARGIN;
    *at = *at > part + MARGIN ? *at - MARGIN : part;
    *size = (end < part + shown ? end : part + shown) - *at;
}

struct section section_place(const ssimcu_frame *frame, const struct shown_area *place)
{
    static const char *const kinds[] = {"before", "here", "behind"};
    const bool placed = section_holds(frame, place);
    struct section section = section_whole(frame, PLACE_MOST, NULL);
    section.kinds = kinds;
    if (placed) {
        struct shown_area *part = &section.part, box = *place;
        *part = part_of(place, frame);
        section.width = part->width;
        section.height = part->height;
        fit(PLACE_MOST, &section.width, &section.height);
        widen(&box.x, &box.width, part->x, part->width);
        widen(&box.y, &box.height, part->y, part->height);
        if (place->width < part->width || place->height < part->height)
            section.box = box_of(&section, &box);
    }
    if (section.width == section.part.width) section.quality = LOSSLESS;
    return section;
}
