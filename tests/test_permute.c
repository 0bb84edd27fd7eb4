/* Plans executed: random shapes, permutations, element sizes and pitches, against a loop that knows
 * nothing of plans. Destinations are poisoned: every element must be written and nothing else. */
#include "check.h"
#include "core/permute_plan.h"
#include "cpu/cpu.h"
#include "cpu/threads.h"
#include "device.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, POISON = 0xA5 };

struct array {
    uint8_t *memory; /* GUARD bytes, the array, GUARD bytes */
    size_t bytes;
};

struct task {
    int rank;
    struct ssimcu_permute_dim dim[SSIMCU_PERMUTE_MAX_RANK];
    uint32_t element;
    size_t src_bytes, dst_bytes;
};

/* Strides for the dimensions taken in `order` (innermost first), each level padded at random. */
static size_t lay_out(check_random *random, struct task *task, const int *order, bool source)
{
    int64_t stride = 1;
    for (int i = 0; i < task->rank; i++) {
        struct ssimcu_permute_dim *dim = &task->dim[order[i]];
        *(source ? &dim->src_stride : &dim->dst_stride) = stride;
        stride *= dim->size;
        if (check_between(random, 0, 5) == 0) stride += check_between(random, 1, 7);
    }
    return (size_t)stride * task->element;
}

static struct task random_task(check_random *random)
{
    static const uint32_t large[] = {1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 61, 100, 257};
    struct task task = {.rank = (int)check_between(random, 1, SSIMCU_PERMUTE_MAX_RANK),
                        .element = 1u << check_between(random, 0, 4)};
    int source[SSIMCU_PERMUTE_MAX_RANK], destination[SSIMCU_PERMUTE_MAX_RANK];
    int64_t count = 1;
    for (int i = 0; i < task.rank; i++) {
        const int64_t size = large[check_between(random, 0, 12)];
        task.dim[i].size = count * size > 60000 ? 1 : size;
        count *= task.dim[i].size;
        source[i] = destination[i] = i;
    }
    for (int i = task.rank - 1; i > 0; i--) { /* shuffle */
        const int j = (int)check_between(random, 0, (uint32_t)i), k = destination[i];
        destination[i] = destination[j], destination[j] = k;
    }
    task.src_bytes = lay_out(random, &task, source, true);
    task.dst_bytes = lay_out(random, &task, destination, false);
    return task;
}

/* The meaning of a permute: one element after the other, by the caller's own strides. */
static void permute_plainly(const struct task *task, uint8_t *dst, const uint8_t *src)
{
    int64_t at[SSIMCU_PERMUTE_MAX_RANK] = {0};
    for (;;) {
        int64_t from = 0, to = 0;
        for (int i = 0; i < task->rank; i++) {
            from += at[i] * task->dim[i].src_stride;
            to += at[i] * task->dim[i].dst_stride;
        }
        memcpy(dst + to * task->element, src + from * task->element, task->element);
        int i = 0;
        while (i < task->rank && ++at[i] == task->dim[i].size) at[i++] = 0;
        if (i == task->rank) return;
    }
}

/* `threads` are for the CPU. */
static void run_case(ssimcu_device device, struct ssimcu_threads *threads, check_random *random,
                     int number, int *paths)
{
    const struct task task = random_task(random);
    const size_t shift = check_between(random, 0, 3) ? 0 : task.element; /* spoil the alignment */
    struct ssimcu_permute_plan plan;
    char text[256];
    cr_assert_eq(ssimcu_permute_plan_make(&plan, task.rank, task.dim, task.element,
                                          shift ? task.element : 16),
                 0);
    paths[plan.path]++;
    const size_t dst_all = task.dst_bytes + shift + 2 * GUARD;
    uint8_t *src = aligned_alloc(16, (task.src_bytes + shift + 15) / 16 * 16);
    uint8_t *expected = malloc(dst_all), *got = aligned_alloc(16, (dst_all + 15) / 16 * 16);
    for (size_t i = 0; i < task.src_bytes + shift; i++) src[i] = (uint8_t)check_draw(random);
    memset(expected, POISON, dst_all);
    memset(got, POISON, dst_all);
    permute_plainly(&task, expected + GUARD + shift, src + shift);
    if (device == SSIMCU_DEVICE_CPU)
        ssimcu_permute_cpu(&plan, threads, got + GUARD + shift, src + shift);
    else
        device_permute(&plan, got, dst_all, GUARD + shift, src, task.src_bytes + shift, shift);
    cr_assert_eq(memcmp(expected, got, dst_all), 0, "case %d: %s", number,
                 ssimcu_permute_plan_print(&plan, text, sizeof text));
    free(src), free(expected), free(got);
}

BACKEND_TEST(permute, random_tasks)
{
    check_random random = {11};
    int paths[5] = {0};
    struct ssimcu_threads *threads[] = {NULL, ssimcu_threads_create(2), ssimcu_threads_create(5)};
    for (int i = 0; i < 20000; i++) run_case(device, threads[i % 3], &random, i, paths);
    for (int path = 0; path < 5; path++)
        cr_assert_gt(paths[path], 200, "path %d ran only %d times", path, paths[path]);
    for (int i = 0; i < 3; i++) ssimcu_threads_destroy(threads[i]);
}

/* A random way to treat a random frame. */
static struct ssimcu_pixel_rule random_rule(check_random *random)
{
    const uint32_t bits = check_between(random, 0, 3) > 0 ? check_between(random, 9, 16) : 8;
    const uint32_t peak = bits == 8 && check_between(random, 0, 1) ? 65535 : (1u << bits) - 1;
    struct ssimcu_pixel_rule rule = {.channels = check_between(random, 1, 4),
                                     .planes = check_between(random, 0, 1) ? 3 : 1,
                                     .bits = bits,
                                     .peak = peak,
                                     .widen = bits == 8 && peak > 255 ? 257 : 1};
    rule.alpha = rule.channels % 2 == 0 && check_between(random, 0, 1);
    rule.background = check_between(random, 0, 1) ? peak : 0;
    if (rule.planes == 1 && check_between(random, 0, 1))
        rule.luma[0] = 2126, rule.luma[1] = 7152, rule.luma[2] = 722;
    return rule;
}

static void check_pixels(check_random *random, uint32_t width, uint32_t height)
{
    const struct ssimcu_pixel_rule rule = random_rule(random);
    const size_t pitch = (width + 3) / 4 * 4 + 4 * check_between(random, 0, 2);
    const size_t plane = pitch * height + 4 * check_between(random, 0, 2);
    const size_t pixels = (size_t)width * height, floats = plane * rule.planes;
    ssimcu_frame frame = check_frame(width, height, rule.channels, rule.bits);
    for (size_t i = 0; i < frame.pitch * height; i++)
        ((uint8_t *)frame.data)[i] = (uint8_t)check_draw(random);
    for (size_t i = 0; rule.bits > 8 && i < pixels * rule.channels; i++)
        ((uint16_t *)frame.data)[i] &= (uint16_t)((1u << rule.bits) - 1);
    float *tight = malloc(pixels * rule.planes * sizeof(float));
    float *expected = malloc(floats * sizeof(float)), *got = malloc(floats * sizeof(float));
    memset(expected, POISON, floats * sizeof(float));
    memset(got, POISON, floats * sizeof(float));
    ssimcu_permute_pixels_cpu(&rule, &frame, tight);
    for (uint32_t c = 0; c < rule.planes; c++)
        for (uint32_t y = 0; y < height; y++)
            memcpy(expected + c * plane + y * pitch, tight + c * pixels + (size_t)y * width,
                   width * sizeof(float));
    device_permute_pixels(&rule, &frame, got, floats, pitch, plane);
    cr_assert_eq(memcmp(expected, got, floats * sizeof(float)), 0,
                 "%ux%u, %u channels to %u planes, %u bits, peak %u, alpha %u, luma %u", width,
                 height, rule.channels, rule.planes, rule.bits, rule.peak, rule.alpha,
                 rule.luma[1]);
    free(tight), free(expected), free(got);
    ssimcu_frame_free(&frame);
}

/* The permute stage gives the CPU's planes to the last bit, and writes nothing beside them. */
Test(permute, pixels_cuda)
{
    static const uint32_t sizes[][2] = {{1, 1},  {1, 9},     {9, 1},    {10, 10},  {37, 53},
                                        {4, 64}, {512, 3},   {513, 2},  {511, 5},  {1024, 7},
                                        {5, 33}, {3841, 11}, {3840, 3}, {1027, 31}};
    check_random random = {12};
    if (!check_has_cuda()) return;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int repeat = 0; repeat < 24; repeat++) check_pixels(&random, sizes[i][0], sizes[i][1]);
}
