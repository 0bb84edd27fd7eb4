/* bench_metrics cpu|cuda REF OUT [RUNS [THREADS]]: times the metrics of ssimcu_settings.metrics on
 * a pair in host memory, as a Markdown table. SSIM is always computed, so each row is SSIM and what
 * it names. If the files are those of testdata, values are first checked against what the
 * definitions give in double. Rows take turns, so that a busy machine disturbs all of them alike. A
 * 4K RGB pair is 50 MB, more than most caches hold. */
#define _POSIX_C_SOURCE 200809L

#include "common/common.h"
#include "ssimcu.h"
#include "ssimcu_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 1000, ROWS = 5 };

static const struct row {
    const char *name;
    uint32_t metrics;
} rows[ROWS] = {
    {"SSIM", 0},
    {"and PSNR", 1u << SSIMCU_METRIC_PSNR},
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

/* Checks the pair of testdata, which other programs have scored in double. */
static void check(const ssimcu_score *all)
{
    static const struct {
        double value, tolerance;
    } expected[SSIMCU_METRICS] = {[SSIMCU_METRIC_SSIM] = {0.934113312, 1e-6},
                                  [SSIMCU_METRIC_PSNR] = {38.398423704, 1e-8},
                                  [SSIMCU_METRIC_MS_SSIM] = {0.975374501, 1e-6},
                                  [SSIMCU_METRIC_SSIMULACRA2] = {61.993411, 1e-4}};
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (!(fabs(all->metric[m] - expected[m].value) <= expected[m].tolerance)) {
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

int main(int count, char **argument)
{
    ssimcu_frame pair[2] = {{0}};
    ssimcu_context *context[ROWS];
    ssimcu_message message = {{0}};
    if (count < 4) {
        fprintf(stderr, "usage: bench_metrics cpu|cuda REF OUT [RUNS [THREADS]]\n");
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
    if (strstr(argument[2], "dandelion-ref") && strstr(argument[3], "dandelion-jpeg-q50"))
        check(&all);
    printf("%ux%u, %s, %d runs: SSIM %.9f, PSNR %.9f, MS-SSIM %.9f, SSIMULACRA2 %.6f\n\n",
           pair[0].width, pair[0].height, ssimcu_context_reason(context[0]), runs,
           all.metric[SSIMCU_METRIC_SSIM], all.metric[SSIMCU_METRIC_PSNR],
           all.metric[SSIMCU_METRIC_MS_SSIM], all.metric[SSIMCU_METRIC_SSIMULACRA2]);
    run(context, pair, runs);
    for (int row = 0; row < ROWS; row++) ssimcu_close(&context[row]);
    for (int side = 0; side < 2; side++) ssimcu_frame_free(&pair[side]);
    return 0;
}
