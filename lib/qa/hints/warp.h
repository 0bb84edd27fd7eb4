/* Warps: how frames are seen at a grid of points, if OUT may be REF moved or scaled. */
#ifndef SSIMCU_QA_HINTS_WARP_H
#define SSIMCU_QA_HINTS_WARP_H

#include "hints/look.h"

enum {
    WARP_GRID = 24, /* points across and down */
    WARP_POINTS = WARP_GRID * WARP_GRID
};

/* The place in REF that the pixel of OUT at (x, y) comes from, in pixels: moved by `move`, and by
 * `grow` more at the right and lower edge, as much less at the left and upper one. */
struct warp {
    double move[2], grow[2];
};

/* What a step sees at a point. */
struct warp_point {
    float rest;        /* OUT minus REF where it comes from */
    float gradient[2]; /* of REF, per pixel */
    float at[2];       /* place in the frame, -1 to 1 */
    bool inside;
};

/* Looks at the points of the grid with boxes of this side, in pixels, or roughly, at a quarter of
 * them (warp_see.c). */
void warp_see(const struct look *look, const struct warp *warp, double box, bool roughly,
              struct warp_point point[WARP_POINTS]);

#endif
