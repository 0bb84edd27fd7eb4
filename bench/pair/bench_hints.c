/* bench_hints REF OUT [RUNS]: times hints on one thread, beside the score of the pair on one core.
 * REF and OUT are RGB pictures of 8 bits. Before each run the caches are filled with other memory,
 * as they are after a frame has been read. Prints the median and the least time on the thread's own
 * clock. */
#define _POSIX_C_SOURCE 200809L

#include "hints/hints.h"
#include "ssimcu_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_RUNS = 1000, EVICT = 96 << 20 };

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void stop_unless(ssimcu_status status, const ssimcu_message *message)
{
    if (status == SSIMCU_OK) return;
    fprintf(stderr, "bench_hints: %s\n", message->text);
    exit(1);
}

static void evict(void)
{
    static unsigned char *memory;
    if (!memory) memory = malloc(EVICT);
    if (memory) memset(memory, memory[EVICT / 2] + 1, EVICT);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void report(const char *what, double *us, int runs, const struct hints *hints)
{
    qsort(us, (size_t)runs, sizeof *us, by_value);
    printf("| %s | %.1f | %.1f | %s |\n", what, us[runs / 2], us[0],
           hints && hints->count ? hints->text[0] : "");
}

static void measure(const char *what, const ssimcu_frame *ref, const ssimcu_frame *out,
                    uint32_t planes, double value, int runs)
{
    static double us[MAX_RUNS];
    struct signature signature[2];
    struct hints hints;
    ssimcu_score score = SSIMCU_INIT(score);
    score.score = value;
    for (int run = 0; run < runs; run++) {
        evict();
        const double start = now_us();
        look_pair(ref, out, planes, &score, &hints, signature);
        us[run] = now_us() - start;
    }
    report(what, us, runs, &hints);
}

static void measure_score(const ssimcu_frame *ref, const ssimcu_frame *out, int runs)
{
    static double us[MAX_RUNS];
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .threads = 1};
    ssimcu_message message = {{0}};
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_context *context = NULL;
    stop_unless(ssimcu_open(&settings, &context, &message), &message);
    for (int run = 0; run < runs; run++) {
        const double start = now_us();
        stop_unless(ssimcu_compare(context, ref, out, &score, &message), &message);
        us[run] = now_us() - start;
    }
    report("the score itself, one core", us, runs, NULL);
    ssimcu_close(&context);
}

/* Times the timeline on good frames that move, as they come in a batch. */
static void measure_timeline(const ssimcu_frame *ref, const ssimcu_frame *out, double value,
                             int runs)
{
    static double us[MAX_RUNS];
    static struct timeline timeline;
    struct signature signature[2];
    struct hints hints;
    ssimcu_score score = SSIMCU_INIT(score);
    look_pair(ref, out, 1, &score, &hints, signature);
    for (int run = 0; run < runs; run++) {
        evict();
        const double start = now_us();
        timeline_add(&timeline, run, signature, &hints, value, us);
        while (timeline_take(&timeline, false, &hints)) continue;
        us[run] = now_us() - start;
    }
    report(value < 0.99 ? "timeline, a low score" : "timeline, a good score", us, runs, NULL);
}

static ssimcu_frame read_frame(const char *path)
{
    ssimcu_message message = {{0}};
    ssimcu_frame frame;
    stop_unless(ssimcu_image_read(path, NULL, &frame, &message), &message);
    return frame;
}

int main(int argc, char **argv)
{
    const int runs = argc > 3 ? atoi(argv[3]) : 51;
    if (argc < 3 || runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_hints REF OUT [RUNS, 1 to %d]\n", MAX_RUNS);
        return 2;
    }
    ssimcu_frame ref = read_frame(argv[1]), out = read_frame(argv[2]);
    ssimcu_frame noise = ref, plane[3], half = ref;
    noise.data = NULL;
    ssimcu_message message = {{0}};
    stop_unless(ssimcu_frame_alloc(&noise, &message), &message);
    for (size_t i = 0; i < noise.pitch * noise.height; i++)
        ((unsigned char *)noise.data)[i] = (unsigned char)rand();
    half.channels = 1;
    plane[0] = plane[1] = plane[2] = half; /* any memory will do */
    plane[1].width = plane[2].width = half.width / 2;
    plane[1].height = plane[2].height = half.height / 2;
    printf("| %u x %u | median us | least | says |\n|---|---|---|---|\n", (unsigned)ref.width,
           (unsigned)ref.height);
    measure("identical", &ref, &ref, 1, 1, runs);
    measure("identical, Y U V of half the size", plane, plane, 3, 1, runs);
    measure("a good score", &ref, &out, 1, 0.995, runs);
    measure("a low score", &ref, &out, 1, 0.95, runs);
    measure("nothing in common", &ref, &noise, 1, 0.1, runs);
    measure_timeline(&ref, &out, 0.995, runs);
    measure_timeline(&ref, &out, 0.95, runs);
    measure_score(&ref, &out, runs);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
    ssimcu_frame_free(&noise);
    return 0;
}
