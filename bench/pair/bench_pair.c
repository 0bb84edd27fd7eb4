/* bench_pair REF OUT [RUNS] | --check: shows the time of one pair, stage by stage, as a table. The
 * score is first checked against the CPU's. No run finds its data in a cache: each uploads the pair
 * and writes its planes anew, 250 MB for a 4K RGB pair. */
#define _POSIX_C_SOURCE 200809L

#include "common/checks.h"
#include "common/common.h"
#include "ssimcu.h"
#include "ssimcu_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { STAGES = 6, MAX_RUNS = 1000 };
static const double LIMIT = 1e-6;
static const char *const STAGE[STAGES] = {"upload", "permute",  "ssim",
                                          "reduce", "download", "whole compare (host clock)"};

static ssimcu_frame read_frame(const char *path)
{
    ssimcu_message message = {{0}};
    ssimcu_frame frame;
    stop_unless(ssimcu_image_read(path, NULL, &frame, &message), &message);
    return frame;
}

static ssimcu_context *open_device(ssimcu_device device)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_message message = {{0}};
    ssimcu_context *context = NULL;
    stop_unless(ssimcu_open(&settings, &context, &message), &message);
    return context;
}

static ssimcu_score compare(ssimcu_context *context, const ssimcu_frame *ref,
                            const ssimcu_frame *out)
{
    ssimcu_message message = {{0}};
    ssimcu_score score = {.struct_size = sizeof score};
    stop_unless(ssimcu_compare(context, ref, out, &score, &message), &message);
    return score;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_table(double times[STAGES][MAX_RUNS], int runs)
{
    printf("| stage | median ms | min | max |\n|---|---|---|---|\n");
    for (int s = 0; s < STAGES; s++) {
        qsort(times[s], (size_t)runs, sizeof times[s][0], by_value);
        printf("| %s | %.4f | %.4f | %.4f |\n", STAGE[s], times[s][runs / 2], times[s][0],
               times[s][runs - 1]);
    }
}

/* Pairs of all kinds of pixels, small and ragged. */
static int check(void)
{
    ssimcu_context *cpu = open_device(SSIMCU_DEVICE_CPU), *cuda = open_device(SSIMCU_DEVICE_CUDA);
    for (int i = 0; i < CHECK_SIZES; i++)
        for (uint32_t channels = 1; channels <= 4; channels++)
            for (uint32_t bits = 8; bits <= 16; bits += 4) {
                const uint32_t width = check_sizes[i].width, height = check_sizes[i].height;
                ssimcu_frame ref = check_frame(width, height, channels, bits, 0),
                             out = check_frame(width, height, channels, bits, 1);
                const double got = compare(cuda, &ref, &out).score,
                             expected = compare(cpu, &ref, &out).score;
                check_that(fabs(got - expected) <= LIMIT,
                           "%ux%u, %u channels, %u bits: %.9f, expected %.9f", width, height,
                           channels, bits, got, expected);
                ssimcu_frame_free(&ref);
                ssimcu_frame_free(&out);
            }
    ssimcu_close(&cpu);
    ssimcu_close(&cuda);
    return check_end();
}

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) {
        check_needs_cuda();
        return check();
    }
    static double times[STAGES][MAX_RUNS];
    const int runs = argc > 3 ? atoi(argv[3]) : 100;
    if (argc < 3 || runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_pair REF OUT [RUNS, 1 to %d] | --check\n", MAX_RUNS);
        return 2;
    }
    ssimcu_frame ref = read_frame(argv[1]), out = read_frame(argv[2]);
    ssimcu_context *cpu = open_device(SSIMCU_DEVICE_CPU);
    const double start = now_ms();
    ssimcu_context *context = open_device(SSIMCU_DEVICE_AUTO);
    const double opened = now_ms();
    const double first = compare(context, &ref, &out).score, warmed = now_ms();
    const double expected = compare(cpu, &ref, &out).score;
    printf("%ux%u, %u channels, %u bits on %s (%s)\n\n", ref.width, ref.height, ref.channels,
           ref.bits, ssimcu_context_device(context), ssimcu_context_reason(context));
    printf("score %.9f, CPU reference %.9f; start %.1f ms, first compare %.1f ms; %d runs\n\n",
           first, expected, opened - start, warmed - opened, runs);
    if (!(fabs(first - expected) <= LIMIT)) {
        fprintf(stderr, "bench_pair: wrong score, nothing timed\n");
        return 1;
    }
    for (int run = 0; run < runs; run++) {
        const double begin = now_ms();
        const ssimcu_stage_ms ms = compare(context, &ref, &out).ms;
        const double stage[STAGES] = {ms.upload, ms.planes,   ms.ssim,
                                      ms.reduce, ms.download, now_ms() - begin};
        for (int s = 0; s < STAGES; s++) times[s][run] = stage[s];
    }
    print_table(times, runs);
    ssimcu_close(&context);
    ssimcu_close(&cpu);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
    return 0;
}
