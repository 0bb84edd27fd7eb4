/* SSIM maps and the frames they are of, as pictures for people to look at: what --map writes and
 * the page shows. The same input gives the same bytes, on any number of threads.
 *
 * A map is a plane of floats as large as the frame: SSIM at each pixel, the mean over the channels,
 * over the planes of video weighted by their areas, as in the score and the tiles. Where no window
 * is centred (the outermost 5 pixels, unless the padding is zeros) the nearest window's value
 * stands.
 *
 * Functions may be called from any thread. The room knows no files, records or options. */
#ifndef SSIMCU_QA_MAPS_H
#define SSIMCU_QA_MAPS_H

#include "image/resize.h"
#include "video/clip.h"

/* ---- Maps ------------------------------------------------------------------------------------ */

/* Room for what ssimcu_compare_views writes for a pair of pictures; map->data is the caller's to
 * free. Errors: of ssimcu_views_layout; MEMORY. */
ssimcu_status map_prepare(ssimcu_context *context, const ssimcu_frame *ref, const ssimcu_frame *out,
                          ssimcu_map *raw, ssimcu_message *message);

/* The map of what was written there; map->value is the caller's to free. Errors: MEMORY. */
ssimcu_status map_of_picture(const ssimcu_map *raw, ssimcu_floats *map, ssimcu_message *message);

/* Scores a pair of pictures (1 plane) or video frames (3) with its map, map->value the caller's to
 * free. Errors: as ssimcu_compare_views; MEMORY. */
ssimcu_status map_score(ssimcu_context *context, const ssimcu_frame *const frame[2],
                        uint32_t planes, ssimcu_score *score, ssimcu_floats *map,
                        ssimcu_message *message);

/* Bytes that map_score takes for a pair, for each byte of one of its frames, if that is RGB of 8
 * bits; of others about as many: floats for each channel, once there and once in a context on the
 * CPU, and for each pixel. */
enum { MAP_BYTES_PER_BYTE = 10 };

/* ---- Colours --------------------------------------------------------------------------------- */

/* How a map is drawn.
 *   GREY     255 times the value, 0 where that is negative: the same in every frame
 *   HEAT     black to yellow: from the best to the worst of this frame
 *   OVERLAY  the same over a dark grey OUT, whose parts one recognises */
enum map_style { MAP_GREY, MAP_HEAT, MAP_OVERLAY };
extern const char *const map_styles[]; /* in this order, ended by NULL */

/* What the ends of the colours stand for: `high` and above is the darkest, `low` and below the
 * brightest. */
struct map_range {
    double low, high;
};

/* The frame's own range: the means of its lowest and its highest block of 16 x 16 pixels, at least
 * 0.001 apart. Single pixels would be too much a matter of chance. Where even the best is bad the
 * range goes half the way from the lowest to 1, so that a frame that is bad all over is bright all
 * over: black looks good. */
struct map_range map_range(const ssimcu_floats *map);

/* The colour at `heat`, from 0 (best) to 1 (worst). */
void map_colour(double heat, uint8_t rgb[3]);

/* Draws the map to a picture of its size and 1 (GREY) or 3 channels of 8 bits, with memory from
 * ssimcu_frame_alloc. `out`: OUT as shown_draw makes it, in the map's size, for OVERLAY.
 * Errors: LIMIT, MEMORY. */
ssimcu_status map_draw(enum map_style style, const ssimcu_floats *map,
                       const struct map_range *range, const ssimcu_frame *out,
                       ssimcu_frame *picture, ssimcu_message *message);

/* ---- Frames ---------------------------------------------------------------------------------- */

/* A frame of a pair. */
struct shown_frame {
    const ssimcu_frame *plane;
    uint32_t planes;
    const ssimcu_clip_format *format; /* of video; NULL: a picture */
    ssimcu_background background;     /* that gave the score; NONE: alpha is left out */
    double gain; /* of float samples, on whose 0 to 1 the curve of sRGB is then drawn; 0: 1 */
};

struct shown_part {
    uint32_t x, y, width, height; /* pixels of the first plane */
};

/* Draws a part of the frame, in any size, as 3 channels of 8 bits with memory from
 * ssimcu_frame_alloc. Video becomes RGB by its own matrix or, where the file names none, by that of
 * BT.709 where frames are above 1024 pixels wide or 576 high, else of BT.601, and as of limited
 * range unless the file says full. A part of subsampled video lies best on multiples of 4 pixels.
 * Errors: LIMIT, MEMORY. */
ssimcu_status shown_draw(const struct shown_frame *frame, const struct shown_part *part,
                         uint32_t width, uint32_t height, ssimcu_frame *picture,
                         ssimcu_message *message);

/* Every pixel `times` x `times` large. Errors: LIMIT, MEMORY. */
ssimcu_status shown_magnify(const ssimcu_frame *from, uint32_t times, ssimcu_frame *picture,
                            ssimcu_message *message);

#endif
