/* Sections of a frame: the areas of its pictures, and their sizes. */
#pragma once

#include "maps/maps.h"
#include "report/frames/pictures.h"

/* Quality for libjpeg. Measured on the 4K photo of testdata at 1280 x 720 pixels: 103 KB at 85, 130
 * KB at 90, and no visible difference. */
/* The difference is mostly amplified noise, which JPEG compresses badly. At 60 it is half as
 * large. */
enum { QUALITY = 85, SMALL_QUALITY = 75, ROUGH_QUALITY = 60, LOSSLESS = 0 /* a PNG instead */ };

/* A section of a frame, and how it is drawn. */
struct section {
    struct shown_area part;
    uint32_t width, height; /* pixels of the picture */
    uint32_t cell;          /* pixels on a side of a cell of the heat map */
    int quality;            /* quality of REF, OUT and the difference; LOSSLESS: PNGs */
    const char *const *kinds;
    struct picture_box box; /* place of the tile in the picture; width 0: none */
};

/* Returns whether a tile has pixels, and all of them are in the frame. */
bool section_holds(const ssimcu_frame *frame, const struct shown_area *tile);

/* Returns the section of a whole frame, at most so large, and the section around a tile. `tile` may
 * be NULL. */
struct section section_whole(const ssimcu_frame *frame, uint32_t most_side,
                             const struct shown_area *tile);
struct section section_crop(const ssimcu_frame *frame, const struct shown_area *tile);

/* Returns the section of a frame without a reference that shows a place and its surroundings, at
 * full size if it is small. If the place is outside the frame, returns the whole frame, reduced. */
struct section section_place(const ssimcu_frame *frame, const struct shown_area *place);
