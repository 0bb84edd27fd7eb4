/* Cuts a frame for the tensor cores into runs of equal work. There are as many runs as the GPU
 * holds blocks at a time, or a multiple. So a frame of any size keeps the whole GPU busy until the
 * end.
 *
 * CHAIN. A block's warps walk down side by side, on neighbouring columns or on the channels of the
 * same pixels. The blocks of a band do the same, in step. The bands of a plane follow each other
 * and form a chain. With interleaved pixels, the bands of a frame do. A chain consists of units:
 * tiles, and at each band's top the tiles that only fill the ring of sums. A run is a piece of the
 * chain. It may pass from the foot of a band to the top of the next. It fills the ring where it
 * begins.
 *
 * Frames are cut for an H200 whatever the GPU, and frames of a batch like single frames. So a score
 * has the same bits everywhere. The file is plain C, so that a test can check runs without a GPU.
 * docs/ssim-kernel.md has the gains of runs and the failed attempts.
 */
#pragma once

#include "core/divide_up.h"
#include "core/pixel.h"

/* Times are of one 1080p / 4K RGB frame in f32 planes on an H200: 38 / 117 us with these
 * numbers. */
enum {
    SSIMCU_FILL_TILES = 2,    /* tiles read above a strip's first windows */
    SSIMCU_RUN_LONGEST = 64,  /* most units on average; longer runs lose on photos (docs) */
    SSIMCU_RUN_SLOPE = 75,    /* excess of the first run over the mean, in thousandths. An SM serves
                                 the warps of its oldest block first: 39 / 122 without. */
    SSIMCU_RUN_WIDEST = 32,   /* most blocks of a band; with one, sides are read twice: 38 / 119 */
    SSIMCU_RUN_FRACTION = 16, /* bits of a unit */
};

#define SSIMCU_RUN_SHARED 0.08 /* share of a single block's time for reading its sides twice */

struct ssimcu_runs {
    int tiles;              /* tiles down a band */
    int abreast;            /* blocks of a band, each of which has a run */
    int units;              /* units of a chain */
    int count;              /* runs of a chain, for each block abreast */
    int64_t length, shrink; /* first run; half of the decrease per run; << FRACTION */
    int side;               /* the block abreast that walks down the frame's right side... */
    int side_run;           /* from this run on */
};

/* Returns the first unit of a run. For the run after the last, that is the end of the chain. */
SSIMCU_HOST_DEVICE int ssimcu_run_start(const struct ssimcu_runs *runs, int run)
{
    return run < runs->count
               ? (int)(run * (runs->length - run * runs->shrink) >> SSIMCU_RUN_FRACTION)
               : runs->units;
}

/* Returns the number of blocks of a band. Wide bands read few samples twice, but must fit the frame
 * and the blocks. */
static inline int ssimcu_run_abreast(int across, int blocks)
{
    int best = 1;
    double least = 0;
    for (int abreast = 1; abreast <= SSIMCU_RUN_WIDEST; abreast++) {
        const double frame = (double)ssimcu_divide_up(across, abreast) * abreast / across;
        const double gpu = (double)blocks / (blocks / abreast * abreast);
        const double cost = frame * gpu * (1 + SSIMCU_RUN_SHARED / abreast);
        if (abreast == 1 || cost < least) best = abreast, least = cost;
    }
    return best;
}

/* Returns the block of a frame that begins at a turn; number / abreast is its run. Blocks begin in
 * the order of runs, except that those at the frame's right side are first. They mask samples
 * outside, so a run takes a quarter more time. In order, they would be the last to end: 4K RGB
 * bytes 107 us, tiles 128. */
SSIMCU_HOST_DEVICE int ssimcu_run_at(const struct ssimcu_runs *runs, int turn)
{
    const int first = runs->count - runs->side_run, before = runs->side_run * runs->abreast;
    if (turn < first) return before + turn * runs->abreast + runs->side;
    turn -= first;
    if (turn < before) return turn;
    const int row = (turn - before) / (runs->abreast - 1);
    const int column = (turn - before) % (runs->abreast - 1);
    return before + row * runs->abreast + column + (column >= runs->side);
}

/* Cuts a plane or frame that is `across` blocks wide and so many tiles high, for `blocks` blocks at
 * a time. */
static inline struct ssimcu_runs ssimcu_runs_make(int across, int tiles, int blocks)
{
    struct ssimcu_runs runs;
    runs.tiles = tiles;
    runs.abreast = ssimcu_run_abreast(across, blocks);
    runs.units = (int)ssimcu_divide_up(across, runs.abreast) * (tiles + SSIMCU_FILL_TILES);
    const int at_a_time = blocks / runs.abreast;
    runs.count = at_a_time * (int)ssimcu_divide_up(runs.units, at_a_time * SSIMCU_RUN_LONGEST);
    const int64_t fraction = (int64_t)1 << SSIMCU_RUN_FRACTION;
    const int64_t mean = runs.units * fraction / runs.count;
    const int64_t more = (mean + SSIMCU_FILL_TILES * fraction) * SSIMCU_RUN_SLOPE / 1000;
    runs.shrink = (more < mean ? more : mean) / runs.count;
    runs.length = mean + runs.shrink * runs.count;
    runs.side = (across - 1) % runs.abreast;
    runs.side_run = runs.count;
    while (ssimcu_run_start(&runs, runs.side_run) > runs.units - (tiles + SSIMCU_FILL_TILES))
        runs.side_run--;
    return runs;
}
