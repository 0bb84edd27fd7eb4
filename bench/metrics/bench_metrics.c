/* bench_metrics cpu|cuda REF OUT [RUNS [THREADS]] | --check: times the metrics of
 * ssimcu_settings.metrics on a pair in host memory, as a Markdown table. SSIM is always computed,
 * so each row is SSIM and what it names. If the files are those of testdata, values are first
 * checked against what the definitions give in double. Rows take turns, so that a busy machine
 * disturbs all of them alike. A 4K RGB pair is 50 MB, more than most caches hold. */
#define _POSIX_C_SOURCE 200809L

#include "common/checks.h"
#include "common/common.h"
#include "ssimcu.h"
#include "ssimcu_io.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 1000, ROWS = 5 };

static const char *const KNOWN[2] = {"dandelion-ref", "dandelion-jpeg-q50"}; /* of testdata */

static const struct row {
    const char *name;
    uint32_t metrics;
} rows[ROWS] = {
    {"SSIM", 0},
    {"and PSNR", 1u << SSIMCU_METRIC_SSIM | 1u << SSIMCU_METRIC_PSNR},
    {"and MS-SSIM", 1u << SSIMCU_METRIC_MS_SSIM},
    {"and SSIMULACRA2", 1u << SSIMCU_METRIC_SSIMULACRA2},
    {"all four",
     1u << SSIMCU_METRIC_PSNR | 1u << SSIMCU_METRIC_MS_SSIM | 1u << SSIMCU_METRIC_SSIMULACRA2},
};

static ssimcu_context *open_row(const struct row *row, ssimcu_device device, uint32_t threads)
{
    ssimcu_settings settings = SSIMCU_INIT(settings);
    ssimcu_context *context = NULL;
    ssimcu_message message = {{0}};
    settings.device = device;
    settings.threads = threads;
    settings.metrics = row->metrics;
    stop_unless(ssimcu_open(&settings, &context, &message), &message);
    return context;
}

static ssimcu_score score(ssimcu_context *context, const ssimcu_frame pair[2])
{
    ssimcu_score made = SSIMCU_INIT(score);
    ssimcu_message message = {{0}};
    stop_unless(ssimcu_compare(context, &pair[0], &pair[1], &made, &message), &message);
    return made;
}

/* The metrics of the pair of testdata, which other programs have scored in double. */
static const struct {
    double value, tolerance;
} expected[SSIMCU_METRICS] = {[SSIMCU_METRIC_SSIM] = {0.934113312, 1e-6},
                              [SSIMCU_METRIC_PSNR] = {38.398423704, 1e-8},
                              [SSIMCU_METRIC_MS_SSIM] = {0.975374501, 1e-6},
                              [SSIMCU_METRIC_SSIMULACRA2] = {61.993411, 1e-4}};

static bool is_expected(const ssimcu_score *all, int metric)
{
    return fabs(all->metric[metric] - expected[metric].value) <= expected[metric].tolerance;
}

static void stop_if_wrong(const ssimcu_score *all)
{
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (!is_expected(all, m)) {
            fprintf(stderr, "bench_metrics: metric %d is %.9f, expected %.9f\n", m, all->metric[m],
                    expected[m].value);
            exit(1);
        }
}

static int compare_times(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void run(ssimcu_context *const context[ROWS], const ssimcu_frame pair[2], int runs)
{
    static double time[ROWS][MAX_RUNS];
    for (int i = 0; i < runs; i++)
        for (int row = 0; row < ROWS; row++) {
            const double start = now_ms();
            (void)score(context[row], pair);
            time[row][i] = now_ms() - start;
        }
    printf("| metrics | median ms | min | max | of SSIM |\n|---|---|---|---|---|\n");
    for (int row = 0; row < ROWS; row++) {
        qsort(time[row], (size_t)runs, sizeof time[row][0], compare_times);
        printf("| %s | %.2f | %.2f | %.2f | %.2f |\n", rows[row].name, time[row][runs / 2],
               time[row][0], time[row][runs - 1], time[row][runs / 2] / time[0][runs / 2]);
    }
}

/* ---- Check ----------------------------------------------------------------------------------- */

static void check_known(ssimcu_context *context, const char *device)
{
    static const char *const type[2] = {"png", "jpg"};
    ssimcu_frame pair[2] = {{0}};
    ssimcu_message message = {{0}};
    for (int side = 0; side < 2; side++) {
        char path[512];
        snprintf(path, sizeof path, SSIMCU_TESTDATA "/%s.%s", KNOWN[side], type[side]);
        stop_unless(ssimcu_image_read(path, NULL, &pair[side], &message), &message);
    }
    const ssimcu_score all = score(context, pair);
    for (int m = 0; m < SSIMCU_METRICS; m++)
        check_that(is_expected(&all, m), "%s, testdata: metric %d is %.9f, expected %.9f", device,
                   m, all.metric[m], expected[m].value);
    for (int side = 0; side < 2; side++) ssimcu_frame_free(&pair[side]);
}

/* A device's metrics are those of the CPU, and each alone is what it is beside the others. Both
 * devices may be off by what the contract allows. */
static void check_small(ssimcu_context *const context[ROWS], ssimcu_context *cpu,
                        const char *device)
{
    static const double most[SSIMCU_METRICS] = {1e-6, 1e-9, 2e-6, 2e-3};
    static const uint32_t sizes[][2] = {{161, 211}, {655, 467}}; /* MS-SSIM takes 161 and more */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        ssimcu_frame pair[2];
        for (int side = 0; side < 2; side++)
            pair[side] = check_frame(sizes[i][0], sizes[i][1], 3, 8, side);
        const ssimcu_score truth = score(cpu, pair);
        for (int row = 0; row < ROWS; row++) {
            const ssimcu_score made = score(context[row], pair);
            for (int m = 0; m < SSIMCU_METRICS; m++)
                if (m == SSIMCU_METRIC_SSIM || rows[row].metrics >> m & 1)
                    check_that(fabs(made.metric[m] - truth.metric[m]) <= most[m],
                               "%s, %ux%u, %s: metric %d is %.9f, expected %.9f", device,
                               sizes[i][0], sizes[i][1], rows[row].name, m, made.metric[m],
                               truth.metric[m]);
        }
        for (int side = 0; side < 2; side++) ssimcu_frame_free(&pair[side]);
    }
}

static int check(void)
{
    ssimcu_context *cpu = open_row(&rows[ROWS - 1], SSIMCU_DEVICE_CPU, ssimcu_cpu_threads());
    const int devices = check_has_cuda() ? 2 : 1;
    for (int d = 0; d < devices; d++) {
        const char *const name = d ? "cuda" : "cpu";
        ssimcu_context *context[ROWS];
        for (int row = 0; row < ROWS; row++)
            context[row] = open_row(&rows[row], d ? SSIMCU_DEVICE_CUDA : SSIMCU_DEVICE_CPU, 1);
        check_known(d ? context[ROWS - 1] : cpu, name);
        check_small(context, cpu, name);
        for (int row = 0; row < ROWS; row++) ssimcu_close(&context[row]);
    }
    ssimcu_close(&cpu);
    return check_end();
}

int main(int count, char **argument)
{
    if (check_asked(count, argument)) return check();
    ssimcu_frame pair[2] = {{0}};
    ssimcu_context *context[ROWS];
    ssimcu_message message = {{0}};
    if (count < 4) {
        fprintf(stderr, "usage: bench_metrics cpu|cuda REF OUT [RUNS [THREADS]] | --check\n");
        return 2;
    }
    const int asked = count > 4 ? atoi(argument[4]) : 31, runs = asked < 1          ? 1
                                                                 : asked > MAX_RUNS ? MAX_RUNS
                                                                                    : asked;
    const uint32_t threads = count > 5 ? (uint32_t)atoi(argument[5]) : ssimcu_cpu_threads();
    const int is_cpu = strcmp(argument[1], "cpu") == 0;
    for (int side = 0; side < 2; side++)
        stop_unless(ssimcu_image_read(argument[2 + side], NULL, &pair[side], &message), &message);
    for (int row = 0; row < ROWS; row++)
        context[row] =
            open_row(&rows[row], is_cpu ? SSIMCU_DEVICE_CPU : SSIMCU_DEVICE_CUDA, threads);
    const ssimcu_score all = score(context[ROWS - 1], pair);
    if (strstr(argument[2], KNOWN[0]) && strstr(argument[3], KNOWN[1])) stop_if_wrong(&all);
    printf("%ux%u, %s, %d runs: SSIM %.9f, PSNR %.9f, MS-SSIM %.9f, SSIMULACRA2 %.6f\n\n",
           pair[0].width, pair[0].height, ssimcu_context_reason(context[0]), runs,
           all.metric[SSIMCU_METRIC_SSIM], all.metric[SSIMCU_METRIC_PSNR],
           all.metric[SSIMCU_METRIC_MS_SSIM], all.metric[SSIMCU_METRIC_SSIMULACRA2]);
    run(context, pair, runs);
    for (int row = 0; row < ROWS; row++) ssimcu_close(&context[row]);
    for (int side = 0; side < 2; side++) ssimcu_frame_free(&pair[side]);
    return 0;
}
