/* How a frame is cut for the tensor cores: into runs of equal work, as many as the GPU holds blocks
 * at a time or a multiple of it, so that a frame of any size keeps all of it busy until the end.
 *
 * CHAIN. A block's warps stand side by side, on neighbouring columns or on the channels of the same
 * pixels, and walk down. So do the blocks of a band, in step. The bands of a plane, or where pixels
 * are interleaved of a frame, make a chain, one behind the other, of units: tiles, and at each
 * band's top those that only fill the ring of sums. A run is a piece of the chain. It may pass from
 * the foot of a band to the top of the next, and fills the ring where it begins.
 *
 * Frames are cut for an H200 whatever the GPU, and each of a batch like one alone, so that a score
 * has the same bits everywhere. Plain C, so that a test can look at runs without a GPU.
 * docs/ssim-kernel.md has what runs gained and what was tried and lost. */
#ifndef SSIMCU_RUN_H
#define SSIMCU_RUN_H

#include "core/divide_up.h"
#include "core/pixel.h"

/* Times are of one 1080p / 4K RGB frame in f32 planes on an H200, 38 / 117 us with what stands
 * here.
 */
enum {
    SSIMCU_FILL_TILES = 2,   /* that are read above a strip's first windows */
    SSIMCU_RUN_LONGEST = 64, /* units, on the average; longer ones lose on photos (docs) */
    SSIMCU_RUN_SLOPE = 75, /* how much longer than the mean the first run is, in thousandths, for an
                              SM serves the warps of its oldest block first: 39 / 122 without */
    SSIMCU_RUN_WIDEST = 32,   /* blocks of a band; of one, which read their sides twice: 38 / 119 */
    SSIMCU_RUN_FRACTION = 16, /* bits of a unit */
};

#define SSIMCU_RUN_SHARED 0.08 /* of a lone block's time, what reading its sides twice costs */

struct ssimcu_runs {
    int tiles;              /* down a band */
    int abreast;            /* blocks of a band, which have a run each */
    int units;              /* of a chain */
    int count;              /* of a chain, for each block abreast */
    int64_t length, shrink; /* of the first run, half of what each next is shorter; << FRACTION */
};

/* The unit that a run begins with; what would follow the last begins at the end. */
SSIMCU_HOST_DEVICE int ssimcu_run_start(const struct ssimcu_runs *runs, int run)
{
    return run < runs->count
               ? (int)(run * (runs->length - run * runs->shrink) >> SSIMCU_RUN_FRACTION)
               : runs->units;
}

/* Wide bands read few samples twice, but must fit the frame and the blocks. */
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

/* Cuts a plane or frame, `across` blocks wide and so many tiles high, for `blocks` at a time. */
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
    return runs;
}

#endif
