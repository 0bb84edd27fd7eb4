/* stress [cuda]: contexts side by side and one after the other. A plain program, because
 * Criterion does not run under ThreadSanitizer.
 *
 * threads: eight threads, each with a context and settings of its own, compare 1,000 pairs of
 * random shapes each. Every score is the oracle's, and the same bits each time. memory:  10,000
 * contexts are opened, used and closed; what the process holds stays the same.
 */
#include "check.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 8, COMPARES = 1000, PAIRS = 48, CYCLES = 10000, WARM_CYCLES = 500 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 }; /* memory is the sanitizer's then: AddressSanitizer finds leaks at exit */
#else
enum { SANITIZED = 0 };
#endif

#define REQUIRE(condition, ...)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "[FAIL] stress: " __VA_ARGS__);                                        \
            fputc('\n', stderr);                                                                   \
            _Exit(1); /* other threads are at work */                                              \
        }                                                                                          \
    } while (0)

struct pair {
    ssimcu_frame ref, out;
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

static void make_pairs(check_random *random, struct pair pairs[PAIRS])
{
    for (int i = 0; i < PAIRS; i++) {
        const uint32_t width = check_between(random, 11, 48),
                       height = check_between(random, 11, 48);
        const uint32_t bits = check_between(random, 0, 1) ? 16 : 8;
        pairs[i].ref = make_frame(random, width, height, bits);
        pairs[i].out = make_frame(random, width, height, bits);
    }
}

static void free_pairs(struct pair pairs[PAIRS])
{
    for (int i = 0; i < PAIRS; i++) {
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

static void *work(void *argument)
{
    struct worker *worker = argument;
    double expected[PAIRS], seen[PAIRS], channel[3];
    for (int i = 0; i < PAIRS; i++) {
        const struct pair *pair = &worker->pairs[i];
        expected[i] = oracle_score(&pair->ref, &pair->out, &worker->settings, channel);
        seen[i] = NAN;
    }
    ssimcu_context *context = open_context(&worker->settings);
    for (int i = 0; i < COMPARES; i++) {
        const uint32_t k = check_between(&worker->random, 0, PAIRS - 1);
        const double score = compare(context, &worker->pairs[k]);
        REQUIRE(fabs(score - expected[k]) <= 1e-6, "pair %u: %.12f, expected %.12f", k, score,
                expected[k]);
        REQUIRE(isnan(seen[k]) || score == seen[k], "pair %u: %.17g, before %.17g", k, score,
                seen[k]);
        seen[k] = score;
    }
    ssimcu_close(&context);
    return NULL;
}

static void eight_threads(ssimcu_settings base)
{
    struct pair pairs[PAIRS];
    struct worker workers[THREADS];
    check_random random = {31};
    make_pairs(&random, pairs);
    for (uint32_t i = 0; i < THREADS; i++) {
        base.threads = i % 3;
        base.pad = (ssimcu_pad)(i % 2);
        base.color = (ssimcu_color)(i % 3);
        base.alpha = SSIMCU_ALPHA_WORST;
        workers[i] = (struct worker){.settings = base, .pairs = pairs, .random = {i}};
        REQUIRE(pthread_create(&workers[i].thread, NULL, work, &workers[i]) == 0, "no thread");
    }
    for (int i = 0; i < THREADS; i++) pthread_join(workers[i].thread, NULL);
    free_pairs(pairs);
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
        ssimcu_close(&context);
    }
}

/* Counted after some cycles, when what is allocated once and kept has been. */
static void memory(ssimcu_settings base)
{
    const bool on_cpu = base.device == SSIMCU_DEVICE_CPU;
    struct pair pairs[PAIRS];
    check_random random = {32};
    make_pairs(&random, pairs);
    cycles(&base, pairs, WARM_CYCLES);
    const size_t held = mallinfo2().uordblks, resident = resident_bytes();
    const int descriptors = open_descriptors();
    cycles(&base, pairs, on_cpu && !SANITIZED ? CYCLES : CYCLES / 10);
    const size_t held_now = mallinfo2().uordblks, resident_now = resident_bytes();
    REQUIRE(open_descriptors() == descriptors, "%d descriptors, before %d", open_descriptors(),
            descriptors);
    if (!SANITIZED) {
        /* a driver may keep some; the library nothing */
        REQUIRE(held_now <= held + (on_cpu ? 0 : 1 << 16), "%zu bytes held, before %zu", held_now,
                held);
        REQUIRE(resident_now <= resident + (1 << 20), "%zu bytes resident, before %zu",
                resident_now, resident);
    }
    free_pairs(pairs);
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
        REQUIRE(!getenv("SSIMCU_REQUIRE_CUDA"), "%s", why.text);
        printf("[SKIP] stress::cuda: %s\n", why.text);
        return 0;
    }
    eight_threads(base);
    printf("[PASS] stress::eight_threads_%s\n", name);
    memory(base);
    printf("[PASS] stress::memory_%s\n", name);
    return 0;
}
