/* SSIM maps and their frames, drawn for people: --map writes such pictures, and the report's page
 * shows them. The same input gives the same bytes, on any number of threads.
 *
 * A map is a plane of floats as large as the frame, with the SSIM at each pixel. It is the mean
 * over the channels; the planes of video are weighted by their areas, as in the score and the
 * tiles. No window is centred on the outermost 5 pixels, unless the padding is zeros. Those pixels
 * have the nearest window's value.
 *
 * Functions may be called from any thread. This module knows nothing of files, records or
 * options. */
#pragma once

#include "ssimcu_qa_types.h"

#include "image/resize.h"
#include "video/clip.h"

/* ---- Maps ------------------------------------------------------------------------------------ */

/* Allocates memory for the map that ssimcu_compare_views writes for a pair of pictures. The caller
 * frees map->data. Errors: those of ssimcu_views_layout; MEMORY. */
ssimcu_status map_prepare(ssimcu_context *context, const ssimcu_frame *ref, const ssimcu_frame *out,
                          ssimcu_map *raw, ssimcu_message *message);

/* Allocates a map of zeros. The caller frees its value. Errors: MEMORY. */
ssimcu_status map_alloc(uint32_t width, uint32_t height, ssimcu_floats *map,
                        ssimcu_message *message);

/* Makes the map from the data written there. The caller frees map->value. Errors: MEMORY. */
ssimcu_status map_of_picture(const ssimcu_map *raw, ssimcu_floats *map, ssimcu_message *message);

/* Scores a pair of pictures (1 plane) or video frames (3) and makes its map. The caller frees
 * map->value. Errors: as ssimcu_compare_views; MEMORY. */
ssimcu_status map_score(ssimcu_context *context, const ssimcu_frame *const frame[2],
                        uint32_t planes, ssimcu_score *score, ssimcu_floats *map,
                        ssimcu_message *message);

/* Bytes that map_score allocates for each byte of a pair's frame of 8-bit RGB, and roughly for
 * other formats. There are floats for each pixel, and for each channel once here and once in a
 * context on the CPU. */
enum { MAP_BYTES_PER_BYTE = 10 };

/* Returns how many times b fits into a, rounded up. */
static inline uint32_t map_divide_up(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

/* ---- Colours --------------------------------------------------------------------------------- */

/* How a map is drawn, ssimcu_map_style:
 *   GREY     255 times the value, at least 0: the same scale in every frame.
 *   HEAT     black to yellow: from the best to the worst of this frame.
 *   OVERLAY  the same over a dark grey OUT, so that places can be recognised. */

/* The ends of the colours: `high` and above is darkest, `low` and below is brightest. */
struct map_range {
    double low, high;
};

/* Returns the frame's range: the means of its lowest and its highest block of 16 x 16 pixels, at
 * least 0.001 apart. Single pixels would depend too much on chance. If even the best block is bad,
 * the range goes half the way from the lowest to 1. A frame that is bad all over is then bright all
 * over, because black looks good. */
struct map_range map_range(const ssimcu_floats *map);

/* Converts a map of how much of its limits each pixel's tile uses up (1: at a limit) for drawing.
 * Returns its range, which is the same for every frame: the middle colour is a limit, and the ends
 * are 0 and twice the limit. In GREY, white is 0, and black is twice the limit. */
#define MAP_EXCESS_MOST 2.0
struct map_range map_of_excess(ssimcu_floats *map);

/* Draws the map as a picture of its size with 1 (GREY) or 3 channels of 8 bits, in memory from
 * ssimcu_frame_alloc. OVERLAY needs `out`: OUT from shown_draw, in the map's size. Errors: LIMIT,
 * MEMORY. */
ssimcu_status map_draw(ssimcu_map_style style, const ssimcu_floats *map,
                       const struct map_range *range, const ssimcu_frame *out,
                       ssimcu_frame *picture, ssimcu_message *message);

/* ---- Frames ---------------------------------------------------------------------------------- */

/* A frame of a pair to draw. */
struct shown_frame {
    const ssimcu_frame *plane;
    uint32_t planes;
    const ssimcu_clip_format *format; /* video format; NULL: a picture */
    ssimcu_background background;     /* background of the score; NONE: alpha is ignored */
    double gain; /* factor for float samples, before 0 to 1 goes through the sRGB curve; 0: 1 */
};

struct shown_area {
    uint32_t x, y, width, height; /* pixels of the first plane */
};

/* Draws an area of the frame, in any size, as 3 channels of 8 bits in memory from
 * ssimcu_frame_alloc. Video becomes RGB by its file's matrix. Without one, that is BT.709 for
 * frames above 1024 pixels wide or 576 high, else BT.601. The range is limited unless the file says
 * full. An area of subsampled video should lie on multiples of 4 pixels. Errors: LIMIT, MEMORY. */
ssimcu_status shown_draw(const struct shown_frame *frame, const struct shown_area *part,
                         uint32_t width, uint32_t height, ssimcu_frame *picture,
                         ssimcu_message *message);
