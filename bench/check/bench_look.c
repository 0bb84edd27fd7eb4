/* bench_look PICTURE... | --check: times what `ssimcu check` does with a frame that was decoded, on
 * the thread's own clock. Beside the look at it stand reading its memory once, which nothing saves,
 * and what decoding took of this process's CPU time; of an EXR that is in its workers. Prints
 * medians of nine, in ms. --check holds the instruction sets against each other. */
#define _POSIX_C_SOURCE 200809L

#include "common/checks.h"
#include "common/common.h"
#include "detect/frame/frame_stats.h"
#include "detect/loops/loops.h"
#include "ssimcu_io.h"

#include <string.h>
#include <time.h>

enum { RUNS = 9 };

static double clock_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms)
{
    qsort(ms, RUNS, sizeof *ms, by_value);
    return ms[RUNS / 2];
}

/* Reads all of a frame's memory. */
static uint64_t read_once(const ssimcu_frame *frame)
{
    const uint64_t *word = frame->data;
    uint64_t sum = 0;
    for (size_t i = 0; i < frame->pitch * frame->height / sizeof *word; i++) sum += word[i];
    return sum;
}

static void measure(const char *path)
{
    double ms[3][RUNS];
    uint64_t sum = 0;
    for (int run = 0; run < RUNS; run++) {
        ssimcu_frame frame;
        ssimcu_message why = {{0}};
        struct frame_stats stats;
        const double start = clock_ms(CLOCK_PROCESS_CPUTIME_ID);
        stop_unless(ssimcu_image_read(path, NULL, &frame, &why), &why);
        ms[0][run] = clock_ms(CLOCK_PROCESS_CPUTIME_ID) - start;
        const double looking = clock_ms(CLOCK_THREAD_CPUTIME_ID);
        stop_unless(frame_stats_scan(&frame, 0, &stats, &why), &why);
        const double reading = clock_ms(CLOCK_THREAD_CPUTIME_ID);
        sum += read_once(&frame);
        ms[2][run] = clock_ms(CLOCK_THREAD_CPUTIME_ID) - reading;
        ms[1][run] = reading - looking;
        frame_stats_free(&stats);
        ssimcu_frame_free(&frame);
    }
    const double decode = median(ms[0]), look = median(ms[1]), read = median(ms[2]);
    printf("| %s | %.1f | %.2f | %.2f | %.3f |\n", path, decode, look, read, look / decode);
    if (sum == 1) puts(""); /* so that it is computed */
}

/* Looks at a frame by every instruction set that this CPU has. */
static void check_look(const ssimcu_frame *frame)
{
    struct frame_stats stats, want;
    ssimcu_message why = {{0}};
    const size_t cells = (size_t)(frame->width / STATS_CELL) * (frame->height / STATS_CELL);
    stop_unless(frame_stats_scan_by(&detect_loops_plain, frame, 0, NULL, &want, &why), &why);
    for (const struct detect_loops *const *loops = detect_loops_all; *loops != &detect_loops_plain;
         loops++) {
        if (!(*loops)->available()) continue;
        stop_unless(frame_stats_scan_by(*loops, frame, 0, NULL, &stats, &why), &why);
        check_that(memcmp(stats.mean, want.mean, cells * sizeof *stats.mean) == 0 &&
                       memcmp(stats.step, want.step, cells) == 0 &&
                       memcmp(stats.rough, want.rough, frame->height * sizeof *stats.rough) == 0 &&
                       memcmp(stats.pixel, want.pixel, sizeof stats.pixel) == 0,
                   "%s: %ux%u, %u channels of %u bits", (*loops)->name, frame->width, frame->height,
                   frame->channels, frame->bits);
        frame_stats_free(&stats);
    }
    check_that(want.rough[0] > 0, "a row of waves and noise has steps");
    frame_stats_free(&want);
}

static int check(void)
{
    for (int i = 0; i < CHECK_SIZES; i++)
        for (uint32_t channels = 1; channels <= 4; channels++)
            for (uint32_t bits = 8; bits <= 16; bits += 8) {
                const struct check_size size = check_sizes[i];
                ssimcu_frame frame = check_frame(size.width, size.height, channels, bits, 0);
                check_look(&frame);
                ssimcu_frame_free(&frame);
            }
    return check_end();
}

int main(int count, char **argument)
{
    if (check_asked(count, argument)) return check();
    if (count < 2) {
        fprintf(stderr, "usage: bench_look PICTURE... | --check\n");
        return 2;
    }
    puts("| picture | decode | look | read once | look / decode |\n|---|---|---|---|---|");
    for (int i = 1; i < count; i++) measure(argument[i]);
    return 0;
}
