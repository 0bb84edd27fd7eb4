/* bench_batch REF OUT [options of ssimcu]: what limits a batch. The same pairs go through the
 * pipeline three times: decoded and forgotten; scored again and again from memory that was filled
 * once; decoded and scored. The last should come near the slower of the first two. Batches of one
 * GPU and of all (--device all) are compared by running it twice.
 *
 * REF and OUT are whatever ssimcu takes, or --list with pairs that repeat, for a longer run; there
 * must be as many pairs as slots (printed), or more. Each stage runs REPEATS times, and each first
 * checks that it handed out as many frames as there are; scores must be the same in every run. 4K
 * frames are larger than any cache: a slot's pair is 50 MB of RGB. */
#define _POSIX_C_SOURCE 200809L

#include "batch/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 3 };

struct tally {
    uint64_t frames, scored;
    double sum;
};

static bool take(void *user, const struct record *record, bool known)
{
    struct tally *tally = user;
    (void)known;
    tally->frames++;
    tally->scored += record->kind == RECORD_SCORED;
    tally->sum += record->score;
    return true;
}

static void stop_with(const char *text)
{
    fprintf(stderr, "bench_batch: %s\n", text);
    exit(1);
}

static struct engine_times run_once(const struct options *options, enum engine_stages stages,
                                    uint64_t pairs, struct tally *tally)
{
    struct engine_times times = {0};
    struct engine_plan plan = {
        .options = options, .stages = stages, .repeat = pairs, .take = take, .user = tally};
    ssimcu_message message = {{0}};
    *tally = (struct tally){0};
    if (source_open(options, NULL, &plan.source, &message) != SSIMCU_OK ||
        engine_run(&plan, &times, &message) != SSIMCU_OK)
        stop_with(message.text);
    source_close(plan.source);
    if (tally->frames == 0 || tally->scored != tally->frames)
        stop_with("frames are missing or failed: run ssimcu on them to see why");
    return times;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs a stage and prints its line; returns the median of pairs a second. */
static double run_stage(const struct options *options, enum engine_stages stages, const char *name,
                        uint64_t *pairs, double *score)
{
    double rate[REPEATS];
    struct engine_times times = {0};
    for (int i = 0; i < REPEATS; i++) {
        struct tally tally;
        times = run_once(options, stages, *pairs, &tally);
        *pairs = tally.frames;
        rate[i] = (double)tally.frames / times.whole * 1e3;
        if (stages != ENGINE_ALL) continue;
        if (i > 0 && tally.sum != *score) stop_with("the scores of two runs differ");
        *score = tally.sum;
    }
    qsort(rate, REPEATS, sizeof rate[0], by_value);
    const double frames = (double)times.frames;
    printf("| %s | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name,
           rate[REPEATS / 2], rate[0], rate[REPEATS - 1], times.decode / frames,
           times.score / frames, times.stage.upload / frames,
           (times.stage.planes + times.stage.ssim + times.stage.reduce) / frames,
           (times.decode + times.score) / times.whole);
    fflush(stdout);
    if (stages == ENGINE_ALL)
        printf(
            "\n%s: %u decoding threads, %u lanes, %llu slots, at most %.0f MiB for frames (limit "
            "%.0f), %llu pairs a run.\n",
            times.device, times.threads, times.lanes, (unsigned long long)times.slots,
            (double)times.memory_peak / 1048576, (double)times.memory_limit / 1048576,
            (unsigned long long)times.frames);
    return rate[REPEATS / 2];
}

int main(int argc, char **argv)
{
    struct options options;
    double score = 0;
    uint64_t pairs = 0;
    if (!options_parse(&options, argc, argv)) return 2;
    printf("| stage | pairs/s, median of %d | min | max | ms a pair: decode | score | upload | "
           "kernels "
           "| stages at once |\n|---|---|---|---|---|---|---|---|---|\n",
           REPEATS);
    const double decode = run_stage(&options, ENGINE_DECODE, "decode alone", &pairs, &score);
    const double alone =
        run_stage(&options, ENGINE_SCORE, "score alone, from memory", &pairs, &score);
    const double whole = run_stage(&options, ENGINE_ALL, "whole", &pairs, &score);
    const double limit = decode < alone ? decode : alone;
    printf("The whole runs at %.0f %% of decoding alone and %.0f %% of the slower stage.\n",
           100 * whole / decode, 100 * whole / limit);
    ssimcu_ranges_free(&options.batch.frames);
    return 0;
}
