/* Sections of a frame: what its pictures show, and how large. */
#ifndef SSIMCU_QA_REPORT_SECTION_H
#define SSIMCU_QA_REPORT_SECTION_H

#include "maps/maps.h"
#include "report/frames/pictures.h"

/* Quality for libjpeg. Measured on the 4K photo of testdata at 1280 x 720 pixels: 103 KB at 85, 130
 * KB at 90, and no visible difference. */
/* The difference is mostly noise made stronger, which JPEG is bad at: it is half as large at 60. */
enum { QUALITY = 85, SMALL_QUALITY = 75, ROUGH_QUALITY = 60, LOSSLESS = 0 /* a PNG instead */ };

/* A section of a frame, and how it is drawn. */
struct section {
    struct shown_part part;
    uint32_t width, height; /* pixels of the picture */
    uint32_t cell;          /* pixels on a side of a cell of the heat map */
    int quality;            /* quality of REF, OUT and the difference; LOSSLESS: PNGs */
    const char *const *kinds;
};

/* Reduces a size so that no side is above `most`. */
void section_fit(uint32_t most, uint32_t *width, uint32_t *height);

/* Returns the section that is a whole frame, at most so large, and the one around a tile. */
struct section section_whole(const ssimcu_frame *frame, uint32_t most_side);
struct section section_crop(const ssimcu_frame *frame, const struct shown_part *tile);

/* Places a side of `wanted` pixels, or a few more, around the middle of what is there. */
void section_around(uint32_t *at, uint32_t *size, uint32_t wanted, uint32_t frame);

/* Returns the place of a tile in a section's picture. */
struct picture_box section_box(const struct section *section, const struct shown_part *tile);

#endif
