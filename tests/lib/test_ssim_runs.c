/* How frames are cut for the tensor cores; no device takes part. */
#include "check.h"
#include "ssim/run.h"

#include <stdlib.h>

/* Blocks at a time: three float planes, one, three interleaved channels. */
static const int BLOCKS[] = {176, 528, 660};

static int units_of(const struct ssimcu_runs *runs, int run)
{
    return ssimcu_run_start(runs, run + 1) - ssimcu_run_start(runs, run);
}

/* Each run has one turn. All that reach the frame's right side come before the others. */
static void check_turns(const struct ssimcu_runs *runs, int across)
{
    const int blocks = runs->count * runs->abreast, band = runs->tiles + SSIMCU_FILL_TILES;
    char *taken = calloc((size_t)blocks, 1);
    int before = 1;
    for (int turn = 0; turn < blocks; turn++) {
        const int at = ssimcu_run_at(runs, turn), run = at / runs->abreast;
        const int at_side = at % runs->abreast == (across - 1) % runs->abreast &&
                            ssimcu_run_start(runs, run + 1) > runs->units - band;
        cr_assert(at >= 0 && at < blocks && !taken[at], "%d across, turn %d", across, turn);
        taken[at] = 1;
        cr_assert(before || !at_side, "%d across, turn %d", across, turn);
        before = at_side;
    }
    free(taken);
}

/* Runs follow each other without a gap or an overlap from the first unit to the last, and none
 * is far from the mean. */
static void check_runs(int across, int tiles, int blocks)
{
    const struct ssimcu_runs runs = ssimcu_runs_make(across, tiles, blocks);
    const int bands = (across + runs.abreast - 1) / runs.abreast;
    const double mean = (double)runs.units / runs.count;
    cr_assert_eq(runs.tiles, tiles);
    cr_assert_eq(runs.units, bands * (tiles + SSIMCU_FILL_TILES), "%d x %d", across, tiles);
    cr_assert_eq(runs.count % (blocks / runs.abreast), 0);
    cr_assert_leq(mean, SSIMCU_RUN_LONGEST, "%d x %d for %d", across, tiles, blocks);
    cr_assert_eq(ssimcu_run_start(&runs, 0), 0);
    cr_assert_eq(ssimcu_run_start(&runs, runs.count), runs.units);
    check_turns(&runs, across);
    for (int run = 0; run < runs.count; run++) {
        const int units = units_of(&runs, run);
        cr_assert(units >= 0 && units <= mean + 0.08 * (mean + SSIMCU_FILL_TILES) + 2,
                  "%d x %d for %d, run %d: %d units, mean %g", across, tiles, blocks, run, units,
                  mean);
    }
}

Test(ssim_runs, cover_every_size)
{
    for (size_t b = 0; b < sizeof BLOCKS / sizeof BLOCKS[0]; b++)
        for (int across = 1; across < 260; across++)
            for (int tiles = 1; tiles < 300; tiles += 1 + (across + tiles) % 7)
                check_runs(across, tiles, BLOCKS[b]);
}

Test(ssim_runs, cover_huge_frames)
{
    for (size_t b = 0; b < sizeof BLOCKS / sizeof BLOCKS[0]; b++) {
        check_runs(4096, 8192, BLOCKS[b]);
        check_runs(1, 8192 * 16, BLOCKS[b]);
        check_runs(65536, 1, BLOCKS[b]);
    }
}

/* The blocks and columns that a band leaves idle cost less than a band of one block would. */
Test(ssim_runs, bands_waste_little)
{
    for (size_t b = 0; b < sizeof BLOCKS / sizeof BLOCKS[0]; b++)
        for (int across = 1; across < 4096; across++) {
            const struct ssimcu_runs runs = ssimcu_runs_make(across, 100, BLOCKS[b]);
            const double columns = (double)runs.units / (100 + SSIMCU_FILL_TILES) * runs.abreast;
            const double used = BLOCKS[b] / runs.abreast * runs.abreast / (double)BLOCKS[b];
            cr_assert_leq(columns / across / used, 1 + SSIMCU_RUN_SHARED, "%d across", across);
        }
}

/* The first runs are the longest: their blocks are served first. */
Test(ssim_runs, become_shorter)
{
    const struct ssimcu_runs runs = ssimcu_runs_make(60, 269, 176); /* 4K RGB, float planes */
    cr_assert_eq(runs.abreast, 4);
    cr_assert_eq(runs.count, 2 * 176 / 4);
    const int first = units_of(&runs, 0), last = units_of(&runs, runs.count - 1);
    cr_assert(first > last + 4 && first < last + 10, "%d and %d units", first, last);
}
