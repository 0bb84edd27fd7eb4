/* bench_batch REF OUT [options of ssimcu] | --check: shows what limits a batch. The same pairs go
 * through the pipeline three times. First they are decoded and forgotten. Then they are scored
 * again and again from memory, as many different ones as there are slots. Last they are decoded and
 * scored, which should come near the slower of the first two. To compare one GPU with all (--device
 * all), run it twice.
 *
 * REF and OUT are whatever ssimcu takes. For a longer run give --list with pairs that repeat. There
 * must be at least as many pairs as slots (printed). Each stage runs REPEATS times and first checks
 * that it handed out as many pairs as there are. Scores must be the same in every run. 4K frames
 * are larger than any cache: a slot's pair is 50 MB of RGB. */
#include "common/checks.h"
#include "common/source_memory.h"
#include "options.h"
#include "options/options.h"
#include "record/record.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 3 };

struct run {
    const struct options *options;
    struct source *memory; /* NULL: pairs come from the options' source */
    uint64_t pairs, scored;
    double sum;
};

static void stop_with(const char *text)
{
    fprintf(stderr, "bench_batch: %s\n", text);
    exit(1);
}

static bool take(void *user, struct record *record, bool known)
{
    struct run *run = user;
    (void)known;
    run->pairs++;
    run->scored += record->kind == RECORD_SCORED;
    run->sum += record->scored.score;
    return true;
}

static ssimcu_status score_nothing(void *user, ssimcu_context *lane, const struct pair *pair,
                                   ssimcu_score *score, ssimcu_message *message)
{
    (void)user, (void)lane, (void)pair, (void)score, (void)message;
    return SSIMCU_OK;
}

static ssimcu_status keep(void *user, ssimcu_context *lane, const struct pair *pair,
                          ssimcu_score *score, ssimcu_message *message)
{
    struct run *run = user;
    (void)lane, (void)score, (void)message;
    (void)source_memory_keep(run->memory, pair);
    return SSIMCU_OK;
}

static struct batch_times run_once(struct run *run, struct source *source, batch_score *score)
{
    const struct options *options = run->options;
    const struct batch_config config = {.settings = options->settings,
                                        .all_devices = options->run.all_devices,
                                        .memory_bytes = options->run.memory_bytes,
                                        .score = score,
                                        .take = take,
                                        .user = run};
    struct batch_times times;
    ssimcu_message message = {{0}};
    run->pairs = run->scored = 0;
    run->sum = 0;
    if (batch_run(&config, source, &times, &message) != SSIMCU_OK) stop_with(message.text);
    if (run->pairs == 0 || run->scored != run->pairs)
        stop_with("frames are missing or failed: run ssimcu on them to see why");
    return times;
}

static struct batch_times run_input(struct run *run, batch_score *score)
{
    struct source_input input = run->options->input;
    struct source *source = NULL;
    ssimcu_message message = {{0}};
    input.color = run->options->settings.color;
    if (source_open(&input, &source, &message) != SSIMCU_OK) stop_with(message.text);
    const struct batch_times times = run_once(run, source, score);
    source_close(source);
    return times;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs a stage on `pairs` pairs from memory, or on the input if that is 0, and prints its line.
 * Returns the median of pairs a second. */
static double run_stage(struct run *run, const char *name, batch_score *score, uint64_t pairs,
                        struct batch_times *times)
{
    double rate[REPEATS], sum = 0;
    for (int i = 0; i < REPEATS; i++) {
        if (pairs > 0) source_memory_rewind(run->memory, pairs);
        *times = pairs > 0 ? run_once(run, run->memory, score) : run_input(run, score);
        rate[i] = (double)run->pairs / times->whole * 1e3;
        if (i > 0 && run->sum != sum) stop_with("the scores of two runs differ");
        sum = run->sum;
    }
    qsort(rate, REPEATS, sizeof rate[0], by_value);
    const double done = (double)times->pairs;
    printf("| %s | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name,
           rate[REPEATS / 2], rate[0], rate[REPEATS - 1], times->decode / done, times->score / done,
           times->stage.upload / done,
           (times->stage.planes + times->stage.ssim + times->stage.reduce) / done,
           (times->decode + times->score) / times->whole);
    fflush(stdout);
    return rate[REPEATS / 2];
}

/* ---- Check ----------------------------------------------------------------------------------- */

enum { FRAMES = 40 };

/* Scores one frame of both clips by itself. */
static double score_alone(const ssimcu_frame *ref, const ssimcu_frame *out)
{
    ssimcu_context *context = NULL;
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message message = {{0}};
    if (ssimcu_open(&SSIMCU_INIT(settings, .device = SSIMCU_DEVICE_CPU), &context, &message) !=
            SSIMCU_OK ||
        ssimcu_compare(context, ref, out, &score, &message) != SSIMCU_OK)
        stop_with(message.text);
    ssimcu_close(&context);
    return score.score;
}

/* Each stage hands out all pairs, and those that are scored have the score of one. */
static void check_stages(char *ref, char *out, char *device, double expected)
{
    char *arguments_of_all[] = {"bench_batch", ref, out, "--device", device, NULL};
    struct arguments arguments;
    struct options options;
    ssimcu_message message = {{0}};
    optind = 0; /* getopt begins anew */
    if (!options_parse(&arguments, 5, arguments_of_all)) exit(1);
    if (options_make(&options, &arguments.run, &message) != SSIMCU_OK) stop_with(message.text);
    struct run run = {.options = &options};
    const struct batch_times times = run_input(&run, score_nothing);
    check_that(run.pairs == FRAMES, "%s: %llu pairs decoded of %d", device,
               (unsigned long long)run.pairs, FRAMES);
    run.memory = source_memory(times.memory_peak, (uint32_t)times.slots);
    if (!run.memory) stop_with("out of memory");
    (void)run_input(&run, keep);
    source_memory_rewind(run.memory, FRAMES);
    (void)run_once(&run, run.memory, NULL);
    check_that(run.pairs == FRAMES && fabs(run.sum / FRAMES - expected) <= 1e-6,
               "%s: %llu pairs from memory, mean %.9f, expected %.9f", device,
               (unsigned long long)run.pairs, run.sum / FRAMES, expected);
    source_close(run.memory);
    (void)run_input(&run, NULL);
    check_that(run.pairs == FRAMES && fabs(run.sum / FRAMES - expected) <= 1e-6,
               "%s: %llu pairs in all, mean %.9f, expected %.9f", device,
               (unsigned long long)run.pairs, run.sum / FRAMES, expected);
    options_free(&options);
}

static int check(void)
{
    for (int i = 1; i < CHECK_SIZES; i++) {
        char path[2][CHECK_PATH];
        ssimcu_frame pair[2];
        for (int side = 0; side < 2; side++) {
            pair[side] = check_frame(check_sizes[i].width, check_sizes[i].height, 1, 8, side);
            check_path(path[side], side ? "out.y4m" : "ref.y4m");
            check_write_clip(path[side], &pair[side], FRAMES);
        }
        const double expected = score_alone(&pair[0], &pair[1]);
        check_stages(path[0], path[1], "cpu", expected);
        if (check_has_cuda()) check_stages(path[0], path[1], "cuda", expected);
        for (int side = 0; side < 2; side++) ssimcu_frame_free(&pair[side]);
    }
    return check_end();
}

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) return check();
    struct arguments arguments;
    struct options options;
    struct batch_times times;
    ssimcu_message message = {{0}};
    if (!options_parse(&arguments, argc, argv)) return 2;
    if (options_make(&options, &arguments.run, &message) != SSIMCU_OK) stop_with(message.text);
    struct run run = {.options = &options};
    printf("| stage | pairs/s, median of %d | min | max | ms a pair: decode | score | upload | "
           "kernels "
           "| stages at once |\n|---|---|---|---|---|---|---|---|---|\n",
           REPEATS);
    const double decode = run_stage(&run, "decode alone", score_nothing, 0, &times);
    run.memory = source_memory(times.memory_peak, (uint32_t)times.slots);
    if (!run.memory) stop_with("out of memory");
    (void)run_input(&run, keep);
    const double alone = run_stage(&run, "score alone, from memory", NULL, run.pairs, &times);
    source_close(run.memory);
    const double whole = run_stage(&run, "whole", NULL, 0, &times);
    printf("\n%s: %u decoding threads, %u contexts, %llu slots, at most %.0f MiB for frames (limit "
           "%.0f), %llu pairs a run.\n",
           times.device, times.threads, times.contexts, (unsigned long long)times.slots,
           (double)times.memory_peak / 1048576, (double)times.memory_limit / 1048576,
           (unsigned long long)times.pairs);
    const double limit = decode < alone ? decode : alone;
    printf("The whole runs at %.0f %% of decoding alone and %.0f %% of the slower stage.\n",
           100 * whole / decode, 100 * whole / limit);
    options_free(&options);
    return 0;
}
