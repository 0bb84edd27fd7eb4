/* How a frame is cut for the tensor cores: into runs of equal work, one for each block that the GPU
 * holds at a time, so that a frame of any size keeps all of it busy until the end.
 *
 * CHAIN. A block's warps stand side by side, on neighbouring columns or on the channels of the same
 * pixels, and walk down. So do the blocks of a band, in step. The bands of a plane, or where pixels
 * are interleaved of a frame, make a chain, one behind the other, of units: tiles, and at each
 * band's top those that only fill the ring of sums. A run is a piece of the chain. It may pass from
 * the foot of a band to the top of the next, and fills the ring where it begins.
 *
 * WHY THESE SIZES. Times are of f32 planes on an H200, one frame, random pixels. Strips of equal
 * height, which fill 0.85 of the GPU at 1080p and 2.7 times the GPU at 4K: 43 / 120 us; runs: 38 /
 * 119. Equal runs 39 / 122: an SM serves the warps of its oldest block first, and of four equal
 * runs the first ended after 88 us, the last after 108, so runs become shorter from the first to
 * the last; twice that slope is too much (38 / 119 against 38 / 118), for a block's number does not
 * tell how many came to its SM before. Bands of one block each: 38 / 119 against 38 / 117, for what
 * neighbours share is then read twice, 252 MB in place of 217. Runs of 92 units, 4K in one go, in
 * place of 46: 2 us faster on random pixels, 6 with zero padding, but 4 to 12 slower on photos,
 * where some runs take much longer than others.
 *
 * Frames are cut for an H200 whatever the GPU, and each of a batch like one alone, so that a score
 * has the same bits everywhere. */
#ifndef SSIMCU_RUN_CUH
#define SSIMCU_RUN_CUH

#include "ssim/cut.h"

namespace
{

constexpr int FILL_TILES = 2;   /* that are read above a strip's first windows */
constexpr int LONGEST = 64;     /* units of a run */
constexpr int SLOPE = 75;       /* how much longer than the mean the first run is, in thousandths */
constexpr int WIDEST = 32;      /* blocks of a band */
constexpr double SHARED = 0.08; /* of a lone block's time, what reading its sides twice costs */
constexpr int FRACTION = 16;    /* bits */

struct Cut {
    int tiles;              /* down a band */
    int abreast;            /* blocks of a band, which have a run each */
    int units;              /* of a chain */
    int runs;               /* of a chain, for each block abreast */
    int64_t length, shrink; /* of the first run, half of what each next is shorter; << FRACTION */
    unsigned exponents;
    int64_t to_out; /* bytes from a sample of the reference to that of the other frame */
};

/* The unit that a run begins with; what would follow the last begins at the end. */
__device__ __forceinline__ int run_start(const Cut &cut, int run)
{
    return run < cut.runs ? (int)(run * (cut.length - run * cut.shrink) >> FRACTION) : cut.units;
}

/* Wide bands read few samples twice, but must fit the frame and the blocks. */
inline int best_abreast(int across, int blocks)
{
    int best = 1;
    double least = 0;
    for (int abreast = 1; abreast <= WIDEST; abreast++) {
        const double frame = (double)divide_up(across, abreast) * abreast / across;
        const double gpu = (double)blocks / (blocks / abreast * abreast);
        const double cost = frame * gpu * (1 + SHARED / abreast);
        if (abreast == 1 || cost < least) best = abreast, least = cost;
    }
    return best;
}

/* Cuts a plane or frame, `across` blocks wide and so many tiles high, for `blocks` at a time. */
inline Cut cut_runs(int across, int tiles, int blocks)
{
    Cut cut = {};
    cut.tiles = tiles;
    cut.abreast = best_abreast(across, blocks);
    cut.units = divide_up(across, cut.abreast) * (tiles + FILL_TILES);
    const int at_a_time = blocks / cut.abreast;
    cut.runs = at_a_time * divide_up(cut.units, at_a_time * LONGEST);
    const int64_t mean = ((int64_t)cut.units << FRACTION) / cut.runs;
    const int64_t more = (mean + (FILL_TILES << FRACTION)) * SLOPE / 1000;
    cut.length = mean + more;
    cut.shrink = more / cut.runs;
    return cut;
}

} // namespace

#endif
