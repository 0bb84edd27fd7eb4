/* bench_hints REF OUT [RUNS] | --check: times hints on one thread, beside the score of the pair on
 * one core. REF and OUT are RGB pictures of 8 bits. Before each run the caches are filled with
 * other memory, as they are after a frame has been read. OUT is also made of REF with faults that
 * take long to look at. Prints the median and the least time on the thread's own clock. */
#define _POSIX_C_SOURCE 200809L

#include "common/checks.h"
#include "common/common.h"
#include "hints/hints.h"
#include "ssimcu_io.h"

#include <stdbool.h>
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

/* Looks at a pair whose lowest tile has this score. */
static struct hints look(const ssimcu_frame *ref, const ssimcu_frame *out, uint32_t planes,
                         double value, double worst)
{
    struct signature signature[2];
    struct hints hints;
    ssimcu_score score = SSIMCU_INIT(score);
    score.score = value;
    score.worst = (ssimcu_tile){.width = worst < 1 ? 64 : 0, .height = 64, .score = worst};
    look_pair(ref, out, planes, &score, NULL, &hints, signature);
    return hints;
}

/* Times such looks. Returns the median. */
static double measure(const char *what, const ssimcu_frame *ref, const ssimcu_frame *out,
                      uint32_t planes, double value, double worst, int runs)
{
    static double us[MAX_RUNS];
    struct hints hints;
    for (int run = 0; run < runs; run++) {
        evict();
        const double start = now_us();
        hints = look(ref, out, planes, value, worst);
        us[run] = now_us() - start;
    }
    report(what, us, runs, &hints);
    return us[runs / 2];
}

/* ---- Faults ---------------------------------------------------------------------------------- */

/* A fault: where a pixel of OUT comes from in REF, or what happens to its sample. */
struct fault {
    const char *name;
    double move, scale; /* pixels to the right; factor about the middle */
    double gain, noise; /* noise in levels, uniform, each way */
    bool rolled;        /* OUT is another picture: REF moved round by half its width and height */
    bool mirrored;
    double score, worst;
    const char *hint; /* how the first hint begins; NULL: there is none */
};

static const struct fault FAULTS[] = {
    {"noise of 1 level", 0, 1, 1, 1, false, false, 0.995, 0.95, NULL},
    {"noise of 8 levels", 0, 1, 1, 8, false, false, 0.9, 0.7, NULL},
    {"noise of 40 levels", 0, 1, 1, 40, false, false, 0.4, 0.1, NULL},
    {"gain 0.9, noise of 2 levels", 0, 1, 0.9, 2, false, false, 0.95, 0.9, "gain"},
    {"moved by 3 pixels", 3, 1, 1, 1, false, false, 0.7, 0.2, "shift +3 +0"},
    {"moved by 40 pixels", 40, 1, 1, 1, false, false, 0.4, 0.1, NULL},
    {"moved by half a pixel", 0.5, 1, 1, 1, false, false, 0.9, 0.6, NULL},
    {"scaled by 1.002", 0, 1.002, 1, 1, false, false, 0.7, 0.2, NULL},
    {"scaled by 1.05", 0, 1.05, 1, 1, false, false, 0.5, 0.1, NULL},
    {"mirrored", 0, 1, 1, 1, false, true, 0.3, 0.1, "flipped left right"},
    {"another picture", 0, 1, 1, 1, true, false, 0.2, 0.05, NULL}};

static double sample_of(const ssimcu_frame *from, double x, double y, uint32_t channel)
{
    const double right = from->width - 1, bottom = from->height - 1;
    x = x < 0 ? 0 : x > right ? right : x;
    y = y < 0 ? 0 : y > bottom ? bottom : y;
    const uint32_t left = (uint32_t)x, top = (uint32_t)y;
    const uint32_t next = left + (left < right), below = top + (top < bottom);
    const double across = x - left, down = y - top;
    const unsigned char *data = from->data;
    const size_t c = from->channels;
    const unsigned char *above = data + top * from->pitch, *under = data + below * from->pitch;
    return (above[left * c + channel] * (1 - across) + above[next * c + channel] * across) *
               (1 - down) +
           (under[left * c + channel] * (1 - across) + under[next * c + channel] * across) * down;
}

static void spoil(const ssimcu_frame *ref, const struct fault *fault, double share,
                  ssimcu_frame *out)
{
    const double middle[2] = {(ref->width - 1) / 2.0, (ref->height - 1) / 2.0};
    for (uint32_t y = 0; y < ref->height; y++)
        for (uint32_t x = 0; x < ref->width; x++)
            for (uint32_t c = 0; c < ref->channels; c++) {
                double from_x = (x - middle[0]) / fault->scale + middle[0] - fault->move * share;
                double from_y = (y - middle[1]) / fault->scale + middle[1];
                if (fault->mirrored) from_x = 2 * middle[0] - from_x;
                if (fault->rolled) {
                    from_x = (x + ref->width / 2) % ref->width;
                    from_y = (y + ref->height / 2) % ref->height;
                }
                double value = sample_of(ref, from_x, from_y, c) * fault->gain;
                value += fault->noise * ((double)rand() / RAND_MAX * 2 - 1);
                value = value < 0 ? 0 : value > 255 ? 255 : value;
                ((unsigned char *)out->data)[y * out->pitch + x * ref->channels + c] =
                    (unsigned char)(value + 0.5);
            }
}

static ssimcu_frame new_frame(uint32_t width, uint32_t height, uint32_t channels)
{
    ssimcu_frame frame = {.width = width, .height = height, .channels = channels, .bits = 8};
    ssimcu_message message = {{0}};
    stop_unless(ssimcu_frame_alloc(&frame, &message), &message);
    return frame;
}

/* Makes Y, U and V of half the size, as ffmpeg does roughly. */
static void make_planes(const ssimcu_frame *rgb, ssimcu_frame plane[3])
{
    static const double row[3][3] = {{0.21, 0.72, 0.07}, {-0.11, -0.39, 0.5}, {0.5, -0.45, -0.05}};
    for (int p = 0; p < 3; p++) {
        const uint32_t step = p > 0 ? 2 : 1;
        plane[p] = new_frame(rgb->width / step, rgb->height / step, 1);
        for (uint32_t y = 0; y < plane[p].height; y++)
            for (uint32_t x = 0; x < plane[p].width; x++) {
                const unsigned char *from =
                    (const unsigned char *)rgb->data + y * step * rgb->pitch + (size_t)x * step * 3;
                ((unsigned char *)plane[p].data)[y * plane[p].pitch + x] =
                    (unsigned char)(row[p][0] * from[0] + row[p][1] * from[1] +
                                    row[p][2] * from[2] + (p > 0 ? 128 : 0));
            }
    }
}

/* A function that takes a fault's name, the pair that has it, and the fault. */
typedef void visit_fault(void *user, const char *name, const ssimcu_frame *ref,
                         const ssimcu_frame *out, uint32_t planes, const struct fault *fault);

/* Visits all faults, as pictures and as planes. */
static void for_each_fault(const ssimcu_frame *ref, visit_fault *visit, void *user)
{
    ssimcu_frame out = new_frame(ref->width, ref->height, ref->channels), plane[2][3];
    char name[80];
    make_planes(ref, plane[0]);
    for (int p = 0; p < 3; p++) plane[1][p] = new_frame(plane[0][p].width, plane[0][p].height, 1);
    for (size_t i = 0; i < sizeof FAULTS / sizeof FAULTS[0]; i++) {
        const struct fault *fault = &FAULTS[i];
        spoil(ref, fault, 1, &out);
        visit(user, fault->name, ref, &out, 1, fault);
        for (int p = 0; p < 3; p++) spoil(&plane[0][p], fault, p > 0 ? 0.5 : 1, &plane[1][p]);
        snprintf(name, sizeof name, "%s, Y U V", fault->name);
        visit(user, name, plane[0], plane[1], 3, fault);
    }
    for (int p = 0; p < 3; p++) {
        ssimcu_frame_free(&plane[0][p]);
        ssimcu_frame_free(&plane[1][p]);
    }
    ssimcu_frame_free(&out);
}

struct times {
    int runs;
    double most;
};

static void measure_fault(void *user, const char *name, const ssimcu_frame *ref,
                          const ssimcu_frame *out, uint32_t planes, const struct fault *fault)
{
    struct times *times = user;
    const double took = measure(name, ref, out, planes, fault->score, fault->worst, times->runs);
    if (took > times->most) times->most = took;
}

static void check_fault(void *user, const char *name, const ssimcu_frame *ref,
                        const ssimcu_frame *out, uint32_t planes, const struct fault *fault)
{
    const struct hints hints = look(ref, out, planes, fault->score, fault->worst);
    const char *said = hints.count ? hints.text[0] : "";
    (void)user;
    check_that(fault->hint ? strncmp(said, fault->hint, strlen(fault->hint)) == 0 : !hints.count,
               "%ux%u, %s: \"%s\", expected \"%s\"", ref->width, ref->height, name, said,
               fault->hint ? fault->hint : "");
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
    look_pair(ref, out, 1, &score, NULL, &hints, signature);
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

/* Parts of the photo of testdata, of which one is ragged. */
static int check(void)
{
    static const uint32_t parts[][2] = {{1024, 768}, {1021, 683}};
    ssimcu_frame photo = read_frame(SSIMCU_TESTDATA "/dandelion-ref.png");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        ssimcu_frame part = photo;
        part.width = parts[i][0];
        part.height = parts[i][1];
        part.data = (char *)photo.data + (photo.height - part.height) / 2 * photo.pitch +
                    (size_t)(photo.width - part.width) / 2 * photo.channels;
        const struct hints same = look(&part, &part, 1, 1, 1);
        check_that(same.count == 0, "%ux%u, identical: %s", part.width, part.height, same.text[0]);
        for_each_fault(&part, check_fault, NULL);
    }
    ssimcu_frame_free(&photo);
    return check_end();
}

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) return check();
    const int runs = argc > 3 ? atoi(argv[3]) : 51;
    if (argc < 3 || runs < 1 || runs > MAX_RUNS) {
        fprintf(stderr, "usage: bench_hints REF OUT [RUNS, 1 to %d] | --check\n", MAX_RUNS);
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
    (void)measure("identical", &ref, &ref, 1, 1, 1, runs);
    (void)measure("identical, Y U V of half the size", plane, plane, 3, 1, 1, runs);
    (void)measure("a good score", &ref, &out, 1, 0.995, 0.95, runs);
    (void)measure("a low score", &ref, &out, 1, 0.95, 0.7, runs);
    (void)measure("nothing in common", &ref, &noise, 1, 0.1, 0.01, runs);
    measure_timeline(&ref, &out, 0.995, runs);
    measure_timeline(&ref, &out, 0.95, runs);
    measure_score(&ref, &out, runs);
    struct times times = {runs, 0};
    for_each_fault(&ref, measure_fault, &times);
    printf("\nThe dearest of these faults takes %.0f us.\n", times.most);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
    ssimcu_frame_free(&noise);
    return 0;
}
