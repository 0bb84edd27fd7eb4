#include "report/frames/section.h"

enum {
    HEAT_CELL = 4,    /* pixels of a whole frame's picture, see resample_map */
    CROP_LEAST = 176, /* pixels of the frame on a side, at least */
    CROP_MOST = 384,  /* most; a larger tile is cut to its middle */
    GRID = 4          /* pixels; at multiples of this no kind of video divides a chroma sample */
};

void section_fit(uint32_t most, uint32_t *width, uint32_t *height)
{
    const uint32_t longer = *width > *height ? *width : *height;
    if (longer <= most) return;
    const double scale = (double)most / longer;
    *width = (uint32_t)(*width * scale + 0.5);
    *height = (uint32_t)(*height * scale + 0.5);
    if (*width == 0) *width = 1;
    if (*height == 0) *height = 1;
}

struct picture_box section_box(const struct section *section, const struct shown_part *tile)
{
    const double across = (double)section->width / section->part.width;
    const double down = (double)section->height / section->part.height;
    if (tile->width > section->part.width || tile->height > section->part.height)
        return (struct picture_box){0}; /* the section lies inside the tile */
    return (struct picture_box){((double)tile->x - section->part.x) * across,
                                ((double)tile->y - section->part.y) * down, tile->width * across,
                                tile->height * down};
}

struct section section_whole(const ssimcu_frame *frame, uint32_t most_side)
{
    static const char *const kinds[] = {"ref", "out", "diff", "heat"};
    struct section section = {.part = {0, 0, frame->width, frame->height},
                              .width = frame->width,
                              .height = frame->height,
                              .cell = HEAT_CELL,
                              .quality = QUALITY,
                              .kinds = kinds};
    section_fit(most_side, &section.width, &section.height);
    return section;
}

void section_around(uint32_t *at, uint32_t *size, uint32_t wanted, uint32_t frame)
{
    const uint32_t centre = *at + *size / 2;
    *size = map_divide_up(wanted, GRID) * GRID;
    if (*size > frame) *size = frame;
    *at = centre > *size / 2 ? centre - *size / 2 : 0;
    if (*at + *size > frame) *at = frame - *size;
    *at = *at / GRID * GRID;
}

/* Returns the side of a crop: that of its tile and half as much around it. */
static uint32_t around(uint32_t size)
{
    const uint32_t wanted = size + size / 2;
    return wanted < CROP_LEAST ? CROP_LEAST : wanted > CROP_MOST ? CROP_MOST : wanted;
}

struct section section_crop(const ssimcu_frame *frame, const struct shown_part *tile)
{
    static const char *const kinds[] = {"crop-ref", "crop-out", "crop-diff", "crop-heat"};
    struct section section = {.part = *tile, .cell = 1, .quality = LOSSLESS, .kinds = kinds};
    section_around(&section.part.x, &section.part.width, around(tile->width), frame->width);
    section_around(&section.part.y, &section.part.height, around(tile->height), frame->height);
    section.width = section.part.width;
    section.height = section.part.height;
    return section;
}
