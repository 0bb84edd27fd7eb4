/* The scales of an SSIMULACRA2 task, and the layout of its workspace. Plain C, so that a test can
 * check both without a GPU. */
#pragma once

#include "core/divide_up.h"
#include "kernels.h"

#include <string.h>

enum {
    SSIMCU_S2_PLANES = 6,                                     /* s and d of X, Y and B */
    SSIMCU_S2_ALL_SUMS = SSIMCU_S2_CHANNELS * SSIMCU_S2_SUMS, /* of a scale */
    SSIMCU_S2_STRIPS = 2,       /* scales for strips.cuh; tiles.cuh takes the others */
    SSIMCU_S2_STRIP_COLS = 120, /* strips.cuh */
    SSIMCU_S2_STEP_ROWS = 8,
    SSIMCU_S2_STRIP_BLOCKS = 264, /* as many as an H200 holds, whatever the device */
    SSIMCU_S2_LEAST_STEPS = 8,    /* of a block */
    SSIMCU_S2_TILE_COLS = 32,     /* tiles.cuh */
    SSIMCU_S2_TILE_ROWS = 24
};

struct ssimcu_s2_scale {
    int width, height;
    int across, pieces;   /* strips' steps or tiles side by side, and of a frame */
    int down;             /* steps of a strip, tiles of a column */
    int blocks;           /* of threads; each makes SSIMCU_S2_ALL_SUMS partial sums */
    int64_t pitch, plane; /* floats, of planes in the workspace */
    int64_t planes_at;    /* first float of a frame's planes; strips of scale 0 need none */
    int64_t partials_at;  /* first double of a frame's partial sums */
};

/* The scales of a frame, cut into strips and tiles. */
struct ssimcu_s2_cuts {
    int count, strips; /* scales; the first of them that are cut into strips */
    struct ssimcu_s2_scale of[SSIMCU_S2_SCALES];
    int64_t frame_floats, frame_partials;
};

/* Cuts a scale, and assigns its place in the workspace. */
static inline void ssimcu_s2_place(struct ssimcu_s2_cuts *scales, int index)
{
    struct ssimcu_s2_scale *scale = &scales->of[index];
    const int strips = index < scales->strips;
    scale->across =
        (int)ssimcu_divide_up(scale->width, strips ? SSIMCU_S2_STRIP_COLS : SSIMCU_S2_TILE_COLS);
    scale->down =
        (int)ssimcu_divide_up(scale->height, strips ? SSIMCU_S2_STEP_ROWS : SSIMCU_S2_TILE_ROWS);
    scale->pieces = scale->across * scale->down;
    const int most = (int)ssimcu_divide_up(scale->pieces, SSIMCU_S2_LEAST_STEPS);
    scale->blocks = !strips                         ? (scale->pieces + 1) / 2
                    : most < SSIMCU_S2_STRIP_BLOCKS ? most
                                                    : SSIMCU_S2_STRIP_BLOCKS;
    scale->partials_at = scales->frame_partials;
    scales->frame_partials += (int64_t)scale->blocks * SSIMCU_S2_ALL_SUMS;
    if (strips && index == 0) return;
    scale->pitch = ssimcu_divide_up(scale->width, 4) * 4;
    scale->plane = scale->pitch * scale->height;
    scale->planes_at = scales->frame_floats;
    scales->frame_floats += scale->plane * SSIMCU_S2_PLANES;
}

/* Frames of fewer than six scales have no strips. The score gives each of their scales the weights
 * of another scale, so other digits count. */
static inline struct ssimcu_s2_cuts ssimcu_s2_scales_of(int width, int height)
{
    struct ssimcu_s2_cuts scales;
    memset(&scales, 0, sizeof scales);
    while (scales.count < SSIMCU_S2_SCALES && width >= SSIMCU_S2_LEAST &&
           height >= SSIMCU_S2_LEAST) {
        if (scales.count > 0) {
            width = (int)ssimcu_half((uint32_t)width);
            height = (int)ssimcu_half((uint32_t)height);
        }
        scales.of[scales.count].width = width;
        scales.of[scales.count++].height = height;
    }
    if (scales.count == SSIMCU_S2_SCALES) scales.strips = SSIMCU_S2_STRIPS;
    for (int i = 0; i < scales.count; i++) ssimcu_s2_place(&scales, i);
    return scales;
}
