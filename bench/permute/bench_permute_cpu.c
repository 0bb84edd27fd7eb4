/* bench_permute_cpu [RUNS] | --check: times ssimcu_permute in host memory beside memcpy of the same
 * bytes. Each runs with 1 to all threads of the same pool. Prints a Markdown table. Every result is
 * first checked against a plain loop. Each run works on the next of several copies of the array,
 * 256 MB or more on each side. So none finds its data in a cache. The runs of ours and of memcpy
 * take turns, so that a busy machine disturbs both. The last column compares the least disturbed
 * tenth of both. memcpy is shared out in two ways, in pieces of 256 KB or in one piece for each
 * thread; the faster one counts. */
#define _POSIX_C_SOURCE 200809L

#include "api/context.h"
#include "common/checks.h"
#include "common/common.h"
#include "ssimcu_permute.h"
#include "threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1000, PIECE = 256 << 10, WAYS = 3 /* ours, memcpy in pieces, in shares */ };
#define SPREAD_BYTES ((size_t)256 << 20)

static const struct shape {
    const char *name;
    uint32_t element, rank;
    int64_t size[6];
    uint32_t order[6];
} SHAPES[] = {
    {"HWC3 -> CHW u8, 3840x2160", 1, 3, {2160, 3840, 3}, {2, 0, 1}},
    {"HWC3 -> CHW f32, 3840x2160", 4, 3, {2160, 3840, 3}, {2, 0, 1}},
    {"HWC3 -> CHW u16, 3840x2160", 2, 3, {2160, 3840, 3}, {2, 0, 1}},
    {"HWC4 -> CHW u8, 3840x2160", 1, 3, {2160, 3840, 4}, {2, 0, 1}},
    {"HWC5 -> CHW u8, 3840x2160", 1, 3, {2160, 3840, 5}, {2, 0, 1}},
    {"HWC32 -> CHW f32, 960x540", 4, 3, {540, 960, 32}, {2, 0, 1}},
    {"CHW -> HWC3 u8, 3840x2160", 1, 3, {3, 2160, 3840}, {1, 2, 0}},
    {"CHW -> HWC3 u16, 3840x2160", 2, 3, {3, 2160, 3840}, {1, 2, 0}},
    {"CHW -> HWC3 f32, 3840x2160", 4, 3, {3, 2160, 3840}, {1, 2, 0}},
    {"CHW -> HWC4 u8, 3840x2160", 1, 3, {4, 2160, 3840}, {1, 2, 0}},
    {"HWC3 -> CHW u8, 3841x2161", 1, 3, {2161, 3841, 3}, {2, 0, 1}},
    {"(0,2,1) u8 16x5792x724", 1, 3, {16, 5792, 724}, {0, 2, 1}},
    {"(0,2,1) f16 16x5792x724", 2, 3, {16, 5792, 724}, {0, 2, 1}},
    {"(0,2,1) f32 16x5792x724", 4, 3, {16, 5792, 724}, {0, 2, 1}},
    {"(0,2,1) f64 16x5792x724", 8, 3, {16, 5792, 724}, {0, 2, 1}},
    {"(1,0,2) f32 16x5792x724", 4, 3, {16, 5792, 724}, {1, 0, 2}},
    {"(1,0) f32 8192x8192", 4, 2, {8192, 8192}, {1, 0}},
    {"(1,0) f32 7919x7907", 4, 2, {7919, 7907}, {1, 0}},
    {"NCHW -> NC/32HW32 u8, 64x1920x1080", 1, 3, {2, 32, 1080 * 1920}, {0, 2, 1}},
    {"(2,0,1) f32 250007x5x7", 4, 3, {250007, 5, 7}, {2, 0, 1}},
    {"(0,2,1) f32 250007x5x7", 4, 3, {250007, 5, 7}, {0, 2, 1}},
};

struct arrays {
    char *dst, *src;
    size_t bytes, copies, next;
};

static void stop(const char *why)
{
    fprintf(stderr, "bench_permute_cpu: %s\n", why);
    exit(1);
}

static ssimcu_permute_layout layout_of(const struct shape *shape)
{
    ssimcu_permute_layout layout = {
        .struct_size = sizeof layout, .rank = shape->rank, .element = shape->element};
    for (uint32_t i = 0; i < shape->rank; i++) {
        layout.size[i] = shape->size[i];
        layout.order[i] = shape->order[i];
    }
    return layout;
}

/* Makes so many copies of both arrays that they take more than `spread` bytes. */
static struct arrays make_arrays(const struct shape *shape, size_t spread)
{
    struct arrays arrays = {.bytes = shape->element};
    for (uint32_t i = 0; i < shape->rank; i++) arrays.bytes *= (size_t)shape->size[i];
    arrays.copies = spread / arrays.bytes + 1;
    const size_t all = (arrays.bytes * arrays.copies + 4095) / 4096 * 4096;
    arrays.src = aligned_alloc(4096, all);
    arrays.dst = aligned_alloc(4096, all);
    if (!arrays.src || !arrays.dst) stop("out of memory");
    uint32_t random = 1;
    for (size_t i = 0; i < all; i++) arrays.src[i] = (char)((random = random * 69069 + 1) >> 24);
    memset(arrays.dst, 0, all);
    return arrays;
}

/* Moves on to the next copy in both arrays and returns its place. A copy is whole elements, of 16
 * bytes at most. */
static size_t next_copy(struct arrays *arrays)
{
    arrays->next = (arrays->next + 1) % arrays->copies;
    return arrays->next * arrays->bytes;
}

static void permute(ssimcu_context *context, const struct shape *shape, char *dst, const char *src)
{
    const ssimcu_permute_layout layout = layout_of(shape);
    ssimcu_message message = {{0}};
    if (ssimcu_permute(context, &layout, dst, src, &message) != SSIMCU_OK) stop(message.text);
}

static bool is_right(ssimcu_context *context, const struct shape *shape, struct arrays *arrays)
{
    const char *src = arrays->src, *dst = arrays->dst;
    int64_t stride[6], at[6] = {0}, step = 1;
    for (int i = (int)shape->rank - 1; i >= 0; step *= shape->size[i--]) stride[i] = step;
    permute(context, shape, arrays->dst, src);
    for (int64_t n = 0; n < step; n++, dst += shape->element) {
        int64_t from = 0;
        for (uint32_t k = 0; k < shape->rank; k++) from += at[k] * stride[shape->order[k]];
        if (memcmp(dst, src + from * shape->element, shape->element) != 0) return false;
        for (int k = (int)shape->rank - 1; k >= 0; at[k--] = 0)
            if (++at[k] < shape->size[shape->order[k]]) break;
    }
    return true;
}

struct copy {
    char *dst;
    const char *src;
    size_t bytes, piece;
};

static void copy_piece(void *arg, size_t task)
{
    const struct copy *copy = arg;
    const size_t at = task * copy->piece, left = copy->bytes - at;
    memcpy(copy->dst + at, copy->src + at, left < copy->piece ? left : copy->piece);
}

/* Returns the seconds of one run. */
static double run(int way, ssimcu_context *context, const struct shape *shape,
                  struct arrays *arrays)
{
    const size_t at = next_copy(arrays), threads = ssimcu_threads_count(context->config.threads);
    struct copy copy = {arrays->dst + at, arrays->src + at, arrays->bytes, PIECE};
    if (way == 2) copy.piece = (arrays->bytes / threads + 4095) / 4096 * 4096;
    const double start = now_ms();
    if (way == 0)
        permute(context, shape, copy.dst, copy.src);
    else
        ssimcu_threads_run(context->config.threads, (copy.bytes + copy.piece - 1) / copy.piece,
                           copy_piece, &copy);
    return (now_ms() - start) / 1e3;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double least(double a, double b) { return a < b ? a : b; }

static void measure(ssimcu_context *context, const struct shape *shape, struct arrays *arrays,
                    int runs)
{
    static double time[WAYS][MOST_RUNS];
    for (int i = -2; i < runs; i++) /* two to warm up */
        for (int way = 0; way < WAYS; way++)
            time[way][i < 0 ? 0 : i] = run(way, context, shape, arrays);
    for (int way = 0; way < WAYS; way++) qsort(time[way], (size_t)runs, sizeof(double), compare);
    const int median = runs / 2, low = runs / 10, high = runs - 1 - low;
    const double copy = least(time[1][median], time[2][median]);
    const double best_copy = least(time[1][low], time[2][low]);
    printf("| %s | %u | %.2f | %.2f to %.2f | %.1f | %.1f | %.0f %% | %.0f %% |\n", shape->name,
           ssimcu_threads_count(context->config.threads), 1e3 * time[0][median], 1e3 * time[0][low],
           1e3 * time[0][high], 2e-9 * (double)arrays->bytes / time[0][median],
           2e-9 * (double)arrays->bytes / copy, 100 * copy / time[0][median],
           100 * best_copy / time[0][low]);
    fflush(stdout);
}

static ssimcu_context *open_cpu(uint32_t threads)
{
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .threads = threads};
    ssimcu_context *context = NULL;
    ssimcu_message message = {{0}};
    if (ssimcu_open(&settings, &context, &message) != SSIMCU_OK) stop(message.text);
    return context;
}

/* All shapes with every long side a sixteenth, and as odd as before. */
static int check_all(void)
{
    enum { LONG = 64 };
    for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++) {
        struct shape small = SHAPES[i];
        for (uint32_t k = 0; k < small.rank; k++)
            if (small.size[k] > LONG) small.size[k] = small.size[k] / 16 | small.size[k] % 2;
        struct arrays arrays = make_arrays(&small, 0);
        for (uint32_t threads = 1; threads <= 3; threads++) {
            ssimcu_context *context = open_cpu(threads);
            memset(arrays.dst, 0xA5, arrays.bytes);
            check_that(is_right(context, &small, &arrays), "%s, a sixteenth, %u threads",
                       small.name, threads);
            ssimcu_close(&context);
        }
        free(arrays.src);
        free(arrays.dst);
    }
    return check_end();
}

int main(int argc, char **argv)
{
    if (check_asked(argc, argv)) return check_all();
    const int runs = argc > 1 ? atoi(argv[1]) : 30;
    const uint32_t all = ssimcu_cpu_threads();
    if (runs < 1 || runs > MOST_RUNS) stop("RUNS: expected 1 to 1000");
    printf("| permute | threads | median ms | 10 to 90 %% of runs | GB/s | memcpy GB/s | of memcpy "
           "| of memcpy, best tenth |\n|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof SHAPES / sizeof SHAPES[0]; i++) {
        struct arrays arrays = make_arrays(&SHAPES[i], SPREAD_BYTES);
        for (uint32_t threads = 1;; threads = 2 * threads < all ? 2 * threads : all) {
            ssimcu_context *context = open_cpu(threads);
            if (!is_right(context, &SHAPES[i], &arrays)) stop(SHAPES[i].name);
            measure(context, &SHAPES[i], &arrays, runs);
            ssimcu_close(&context);
            if (threads == all) break;
        }
        free(arrays.src);
        free(arrays.dst);
    }
    return 0;
}
