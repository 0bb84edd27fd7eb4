/* stress [cpu|cuda [threads]]: contexts side by side and one after the other. It is a plain
 * program because Criterion does not run under ThreadSanitizer. `threads` leaves out the second
 * part, for compute-sanitizer, which keeps memory of its own.
 *
 * threads: eight threads compare 1,000 pairs of random shapes each. Each thread has a context
 * and settings of its own; on CUDA it also scores device memory on a stream of its own. Every
 * score is the oracle's, and has the same bits each time.
 * memory: 10,000 contexts are opened, score a pair, a pair of views with tiles and, on CUDA, a
 * request, and are closed. What the process holds on the host and on the device stays the same. */
#define STRESS "stress"
#include "stress.h"

#include "check.h"
#include "device.h"
#include "require.h"
#include "ssimcu_cuda.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8, COMPARES = 1000, PAIRS = 48, CYCLES = 10000, WARM_CYCLES = 500 };

struct pair {
    ssimcu_frame ref, out;
    ssimcu_view on_device[2]; /* the same pair in device memory, on CUDA */
};

struct worker {
    pthread_t thread;
    ssimcu_settings settings;
    const struct pair *pairs;
    check_random random;
};

static ssimcu_frame make_frame(check_random *random, uint32_t width, uint32_t height, uint32_t bits)
{
    ssimcu_frame frame = {
        .width = width, .height = height, .channels = check_between(random, 1, 4), .bits = bits};
    REQUIRE(ssimcu_frame_alloc(&frame, NULL) == SSIMCU_OK, "no memory for a frame");
    const uint32_t flat = check_between(random, 0, 200), noise = check_between(random, 1, 55);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < frame.channels; c++)
                check_set_sample(&frame, x, y, c,
                                 (flat + check_between(random, 0, noise)) * ((1u << bits) - 1) /
                                     255);
    return frame;
}

static ssimcu_view send_frame(const ssimcu_frame *frame)
{
    ssimcu_view view = {.struct_size = sizeof view};
    REQUIRE(ssimcu_frame_view(frame, &view, NULL) == SSIMCU_OK, "no view of a frame");
    view.data[0] = device_copy(frame->data, frame->pitch * frame->height);
    return view;
}

static void make_pairs(check_random *random, struct pair pairs[PAIRS], bool cuda)
{
    for (int i = 0; i < PAIRS; i++) {
        const uint32_t width = check_between(random, 11, 48),
                       height = check_between(random, 11, 48);
        const uint32_t bits = check_between(random, 0, 1) ? 16 : 8;
        pairs[i].ref = make_frame(random, width, height, bits);
        pairs[i].out = make_frame(random, width, height, bits);
        if (!cuda) continue;
        pairs[i].on_device[0] = send_frame(&pairs[i].ref);
        pairs[i].on_device[1] = send_frame(&pairs[i].out);
    }
}

static void free_pairs(struct pair pairs[PAIRS], bool cuda)
{
    for (int i = 0; i < PAIRS; i++) {
        for (int k = 0; k < 2 && cuda; k++)
            device_free((void *)(uintptr_t)pairs[i].on_device[k].data[0]);
        ssimcu_frame_free(&pairs[i].ref);
        ssimcu_frame_free(&pairs[i].out);
    }
}

static ssimcu_context *open_context(const ssimcu_settings *settings)
{
    ssimcu_context *context = NULL;
    ssimcu_message why = {{0}};
    REQUIRE(ssimcu_open(settings, &context, &why) == SSIMCU_OK, "%s", why.text);
    return context;
}

static double compare(ssimcu_context *context, const struct pair *pair)
{
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    REQUIRE(ssimcu_compare(context, &pair->ref, &pair->out, &score, &why) == SSIMCU_OK, "%s",
            why.text);
    return score.score;
}

/* Scores the pair from device memory. */
static double request(ssimcu_context *context, const struct pair *pair, struct CUstream_st *stream)
{
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    ssimcu_request *request = NULL;
    const ssimcu_view *ref = &pair->on_device[0], *out = &pair->on_device[1];
    REQUIRE(ssimcu_request_create(context, ref, out, NULL, &request, &why) == SSIMCU_OK &&
                ssimcu_request_submit(request, ref, out, stream, &why) == SSIMCU_OK &&
                ssimcu_request_score(request, 0, &score, NULL, &why) == SSIMCU_OK,
            "%s", why.text);
    ssimcu_request_destroy(&request);
    return score.score;
}

/* Scores the pair as views, with one tile as large as the frame. */
static void compare_tiles(ssimcu_context *context, const struct pair *pair)
{
    double tile = NAN;
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_view ref = {.struct_size = sizeof ref}, out = ref;
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = 64, .height = 64, .data = &tile};
    ssimcu_message why = {{0}};
    REQUIRE(ssimcu_frame_view(&pair->ref, &ref, &why) == SSIMCU_OK &&
                ssimcu_frame_view(&pair->out, &out, &why) == SSIMCU_OK &&
                ssimcu_views_layout(context, &ref, &out, NULL, &tiles, &why) == SSIMCU_OK &&
                ssimcu_compare_views(context, &ref, &out, &score, NULL, &tiles, &why) == SSIMCU_OK,
            "%s", why.text);
    REQUIRE(tiles.columns * tiles.rows == 1 && fabs(tile - score.score) <= 1e-6,
            "the only tile: %.9f, the score: %.9f", tile, score.score);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    double expected[PAIRS], seen[PAIRS], channel[3];
    for (int i = 0; i < PAIRS; i++) {
        const struct pair *pair = &worker->pairs[i];
        expected[i] = oracle_score(&pair->ref, &pair->out, &worker->settings, channel);
        seen[i] = NAN;
    }
    const bool cuda = worker->settings.device == SSIMCU_DEVICE_CUDA;
    struct CUstream_st *stream = cuda ? device_stream() : NULL;
    ssimcu_context *context = open_context(&worker->settings);
    for (int i = 0; i < COMPARES; i++) {
        const uint32_t k = check_between(&worker->random, 0, PAIRS - 1);
        const double score = compare(context, &worker->pairs[k]);
        REQUIRE(fabs(score - expected[k]) <= 1e-6, "pair %u: %.12f, expected %.12f", k, score,
                expected[k]);
        REQUIRE(isnan(seen[k]) || score == seen[k], "pair %u: %.17g, before %.17g", k, score,
                seen[k]);
        seen[k] = score;
        if (!cuda) continue;
        const double on_device = request(context, &worker->pairs[k], stream);
        REQUIRE(fabs(on_device - expected[k]) <= 1e-6,
                "pair %u on the device: %.12f, expected %.12f", k, on_device, expected[k]);
    }
    ssimcu_close(&context);
    if (cuda) device_stream_free(stream);
    return NULL;
}

static void eight_threads(ssimcu_settings base)
{
    const bool cuda = base.device == SSIMCU_DEVICE_CUDA;
    struct pair pairs[PAIRS];
    struct worker workers[THREADS];
    check_random random = {31};
    make_pairs(&random, pairs, cuda);
    for (uint32_t i = 0; i < THREADS; i++) {
        base.threads = i % 3;
        base.pad = (ssimcu_pad)(i % 2);
        base.color = (ssimcu_color)(i % 3);
        base.alpha = SSIMCU_ALPHA_WORST;
        workers[i] = (struct worker){.settings = base, .pairs = pairs, .random = {i}};
        REQUIRE(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "no thread");
    }
    for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
    free_pairs(pairs, cuda);
}

static size_t resident_bytes(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long total = 0, resident = 0;
    REQUIRE(file && fscanf(file, "%lu %lu", &total, &resident) == 2, "no /proc/self/statm");
    fclose(file);
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE);
}

static int open_descriptors(void)
{
    int count = 0;
    for (int fd = 0; fd < 1024; fd++) count += lseek(fd, 0, SEEK_CUR) != -1 || errno != EBADF;
    return count;
}

static void cycles(const ssimcu_settings *base, const struct pair *pairs, int count)
{
    for (int i = 0; i < count; i++) {
        ssimcu_settings settings = *base;
        settings.threads = (uint32_t)(i % 3);
        ssimcu_context *context = open_context(&settings);
        (void)compare(context, &pairs[i % PAIRS]);
        compare_tiles(context, &pairs[i % PAIRS]);
        if (base->device == SSIMCU_DEVICE_CUDA) (void)request(context, &pairs[i % PAIRS], NULL);
        ssimcu_close(&context);
    }
}

/* Counts memory only after some cycles, when everything that is kept for good has been
 * allocated. */
static void memory(ssimcu_settings base)
{
    const bool on_cpu = base.device == SSIMCU_DEVICE_CPU;
    struct pair pairs[PAIRS];
    check_random random = {32};
    make_pairs(&random, pairs, !on_cpu);
    cycles(&base, pairs, WARM_CYCLES);
    const size_t held = mallinfo2().uordblks, resident = resident_bytes();
    const int descriptors = open_descriptors();
    const size_t device_left = on_cpu ? 0 : device_free_bytes();
    cycles(&base, pairs, SANITIZED ? CYCLES / 10 : CYCLES);
    const size_t device_left_now = on_cpu ? 0 : device_free_bytes();
    const size_t held_now = mallinfo2().uordblks, resident_now = resident_bytes();
    REQUIRE(open_descriptors() == descriptors, "%d descriptors, before %d", open_descriptors(),
            descriptors);
    if (!SANITIZED) {
        /* a driver may keep some memory; the library keeps none */
        REQUIRE(held_now <= held + (on_cpu ? 0 : 1 << 16), "%zu bytes held, before %zu", held_now,
                held);
        REQUIRE(resident_now <= resident + (1 << 20), "%zu bytes resident, before %zu",
                resident_now, resident);
    }
    /* a driver hands out memory in pieces of 2 MiB: 10,000 leaks of a kilobyte would show */
    REQUIRE(device_left_now + (4 << 20) >= device_left, "%zu bytes left on the device, before %zu",
            device_left_now, device_left);
    free_pairs(pairs, !on_cpu);
}

int main(int argc, char **argv)
{
    const bool cuda = argc > 1 && strncmp(argv[1], "cuda", 4) == 0;
    ssimcu_settings base = {.struct_size = sizeof base,
                            .device = cuda ? SSIMCU_DEVICE_CUDA : SSIMCU_DEVICE_CPU};
    const char *name = cuda ? "cuda" : "cpu";
    uint32_t count = 0;
    ssimcu_message why = {{0}};
    if (ssimcu_device_count(base.device, &count, &why) != SSIMCU_OK) {
        REQUIRE(!is_required("cuda"), "cuda is required (SSIMCU_REQUIRE): %s", why.text);
        printf("[SKIP] stress::cuda: %s\n", why.text);
        return 0;
    }
    eight_threads(base);
    printf("[PASS] stress::eight_threads_%s\n", name);
    if (argc > 2 && strcmp(argv[2], "threads") == 0) return 0;
    memory(base);
    printf("[PASS] stress::memory_%s\n", name);
    return 0;
}
