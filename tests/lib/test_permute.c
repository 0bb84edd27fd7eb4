/* Plans executed: random shapes, permutations, element sizes and pitches, against a loop that
 * knows nothing of plans. Destinations are poisoned: every element must be written and nothing
 * else. */
#include "check.h"
#include "core/permute_brick.h"
#include "cpu/cpu.h"
#include "device.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 64, POISON = 0xA5, PATHS = SSIMCU_PERMUTE_GENERIC + 1 };

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

/* Sets strides for the dimensions taken in `order` (innermost first), each level padded at
 * random. */
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
    for (int i = task.rank - 1; i > 0; i--) { /* a random order */
        const int j = (int)check_between(random, 0, (uint32_t)i), k = destination[i];
        destination[i] = destination[j], destination[j] = k;
    }
    task.src_bytes = lay_out(random, &task, source, true);
    task.dst_bytes = lay_out(random, &task, destination, false);
    return task;
}

/* Permutes one element after the other, by the caller's own strides. */
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

static struct ssimcu_permute_plan plan_of(const struct task *task, size_t alignment)
{
    struct ssimcu_permute_plan plan;
    cr_assert_eq(ssimcu_permute_plan_make(&plan, task->rank, task->dim, task->element, alignment),
                 0);
    return plan;
}

/* Moves a task by its plan. Both sides begin `shift` bytes behind an address that 16 divides.
 * `threads` are for the CPU. */
static void run_task(ssimcu_device device, struct ssimcu_threads *threads, check_random *random,
                     const struct task *task, const struct ssimcu_permute_plan *plan,
                     size_t src_shift, size_t dst_shift)
{
    char text[256];
    const size_t src_all = task->src_bytes + src_shift;
    const size_t dst_all = task->dst_bytes + dst_shift + 2 * GUARD;
    uint8_t *src = aligned_alloc(16, (src_all + 15) / 16 * 16);
    uint8_t *expected = malloc(dst_all), *got = aligned_alloc(16, (dst_all + 15) / 16 * 16);
    for (size_t i = 0; i < src_all; i++) src[i] = (uint8_t)check_draw(random);
    memset(expected, POISON, dst_all);
    memset(got, POISON, dst_all);
    permute_plainly(task, expected + GUARD + dst_shift, src + src_shift);
    if (device == SSIMCU_DEVICE_CPU)
        ssimcu_permute_cpu(plan, threads, got + GUARD + dst_shift, src + src_shift);
    else
        device_permute(plan, got, dst_all, GUARD + dst_shift, src, src_all, src_shift);
    cr_assert_eq(memcmp(expected, got, dst_all), 0, "%zu, %zu bytes off: %s", src_shift, dst_shift,
                 ssimcu_permute_plan_print(plan, text, sizeof text));
    free(src), free(expected), free(got);
}

BACKEND_TEST(permute, random_tasks)
{
    check_random random = {11};
    int paths[PATHS] = {0};
    struct ssimcu_threads *threads[] = {NULL, ssimcu_threads_create(2), ssimcu_threads_create(5)};
    for (int i = 0; i < 20000 / CHECK_LESS; i++) {
        const struct task task = random_task(&random);
        const size_t shift = check_between(&random, 0, 3) ? 0 : task.element; /* spoils alignment */
        const struct ssimcu_permute_plan plan = plan_of(&task, shift ? task.element : 16);
        paths[plan.path]++;
        run_task(device, threads[i % 3], &random, &task, &plan, shift, shift);
    }
    for (int path = 0; path < PATHS; path++)
        cr_assert_gt(paths[path], 200 / CHECK_LESS, "path %d ran only %d times", path, paths[path]);
    for (int i = 0; i < 3; i++) ssimcu_threads_destroy(threads[i]);
}

/* Packed dimensions, the source's outermost first; the destination's i-th is the source's
 * order[i]. */
static struct task task_of(int rank, const int64_t *size, const int *order, uint32_t element)
{
    struct task task = {.rank = rank, .element = element};
    int64_t src = 1, dst = 1;
    for (int i = rank - 1; i >= 0; i--) {
        task.dim[i].size = size[i];
        task.dim[i].src_stride = src;
        src *= size[i];
    }
    for (int i = rank - 1; i >= 0; i--) {
        task.dim[order[i]].dst_stride = dst;
        dst *= size[order[i]];
    }
    task.src_bytes = task.dst_bytes = (size_t)src * element;
    return task;
}

/* Shapes whose runs are short on both sides. They need bricks of more than one kind of run; some
 * dimensions are no multiple of a brick. Some need many bricks, one a single brick. */
static const struct {
    int rank;
    int64_t size[5];
    int order[5];
} short_runs[] = {
    {3, {127, 131, 3}, {1, 0, 2}},
    {3, {402, 67, 3}, {1, 0, 2}},
    {5, {53, 11, 5, 79, 2}, {2, 1, 4, 0, 3}},
    {4, {5, 17, 259, 8}, {0, 1, 3, 2}},
    {4, {37, 13, 3, 29}, {1, 0, 3, 2}},
    {4, {19, 2, 100, 5}, {0, 3, 1, 2}},
    {3, {1021, 5, 7}, {0, 2, 1}},
    {4, {23, 3, 41, 6}, {2, 0, 3, 1}},
    {2, {331, 64}, {1, 0}},
};

/* Bricks begin at any address on either side, for all element sizes. */
BACKEND_TEST(permute, bricks_at_any_address)
{
    check_random random = {13};
    for (size_t i = 0; i < sizeof short_runs / sizeof short_runs[0]; i++)
        for (uint32_t element = 1; element <= 16; element *= 2) {
            const struct task task =
                task_of(short_runs[i].rank, short_runs[i].size, short_runs[i].order, element);
            struct ssimcu_permute_plan plan = plan_of(&task, element);
            cr_assert_geq(ssimcu_permute_brick_choose(&plan), 64);
            plan.path = SSIMCU_PERMUTE_BRICK;
            for (size_t shift = 0; shift < 16; shift += element)
                run_task(device, NULL, &random, &task, &plan, shift,
                         (5 * shift + 3 * element) % 16);
        }
}

/* Steps to the next index, the first dimension fastest; returns what the step adds on both
 * sides. */
static void step_to(const struct ssimcu_brick_side *side, int64_t index, int64_t *src, int64_t *dst)
{
    *src = *dst = 0;
    for (int i = 0; i < side->rank; i++) {
        *src += index % side->dim[i].size * side->dim[i].src_stride;
        *dst += index % side->dim[i].size * side->dim[i].dst_stride;
        index /= side->dim[i].size;
    }
}

/* Moves a brick as a block of threads does. */
static void move_brick(const struct ssimcu_brick *brick, size_t element, uint8_t *dst,
                       const uint8_t *src, uint8_t *fast)
{
    int64_t from, to, run, place;
    for (int q = 0; q < brick->src_runs; q++) {
        step_to(&brick->load, q, &from, &to);
        cr_assert_eq(to, (int64_t)q * brick->pitch);
        memcpy(fast + SSIMCU_BRICK_LEAD + to, src + from * (int64_t)element,
               (size_t)brick->src_run * element);
    }
    for (int r = 0; r < brick->dst_runs; r++)
        for (int x = 0; x < brick->dst_run; x++) {
            step_to(&brick->store, r, &run, &to);
            step_to(&brick->table, x, &place, &from);
            cr_assert_eq(from, x, "the table follows the destination's run");
            memcpy(dst + (to + x) * (int64_t)element, fast + SSIMCU_BRICK_LEAD + run + place,
                   element);
        }
}

static void check_bricks(check_random *random, const struct task *task,
                         const struct ssimcu_permute_plan *plan)
{
    static uint8_t fast[1 << 16];
    struct ssimcu_brick brick;
    int64_t bricks = 1, from, to;
    ssimcu_permute_brick_lay_out(plan, &brick);
    const size_t bytes = (size_t)brick.src_runs * (size_t)brick.pitch + SSIMCU_BRICK_LEAD;
    const int32_t chunks = ssimcu_permute_brick_chunks((int64_t)brick.src_run * plan->element, 15);
    cr_assert_leq(chunks * brick.src_runs, SSIMCU_BRICK_CHUNKS);
    cr_assert_leq(chunks * SSIMCU_BRICK_CHUNK + SSIMCU_BRICK_LEAD, brick.pitch);
    cr_assert(brick.src_runs <= SSIMCU_BRICK_RUNS && brick.dst_runs <= SSIMCU_BRICK_RUNS);
    cr_assert(brick.dst_run <= SSIMCU_BRICK_TABLE && bytes <= sizeof fast);
    uint8_t *src = malloc(task->src_bytes), *expected = malloc(task->dst_bytes);
    uint8_t *got = malloc(task->dst_bytes);
    for (size_t i = 0; i < task->src_bytes; i++) src[i] = (uint8_t)check_draw(random);
    memset(expected, POISON, task->dst_bytes);
    memset(got, POISON, task->dst_bytes);
    permute_plainly(task, expected, src);
    for (int i = 0; i < brick.bricks.rank; i++) bricks *= brick.bricks.dim[i].size;
    for (int64_t b = 0; b < bricks; b++) {
        from = to = 0;
        for (int64_t i = 0, rest = b; i < brick.bricks.rank; i++) {
            const struct ssimcu_permute_dim *dim = &brick.bricks.dim[i];
            const int64_t step = rest % dim->size * brick.step[i];
            const int64_t at = step < brick.limit[i] ? step : brick.limit[i];
            from += at * dim->src_stride;
            to += at * dim->dst_stride;
            rest /= dim->size;
        }
        memset(fast, POISON, bytes);
        move_brick(&brick, plan->element, got + to * plan->element, src + from * plan->element,
                   fast);
    }
    cr_assert_arr_eq(got, expected, task->dst_bytes);
    free(src), free(expected), free(got);
}

/* Walks the brick path's index arithmetic without a device: every element arrives, and nothing
 * else changes. */
Test(permute, bricks_cover_every_element)
{
    check_random random = {14};
    int ran = 0;
    for (int i = 0; i < 4000; i++) {
        const struct task task = random_task(&random);
        struct ssimcu_permute_plan plan = plan_of(&task, task.element);
        if (ssimcu_permute_brick_choose(&plan) == 0) continue;
        check_bricks(&random, &task, &plan);
        ran++;
    }
    cr_assert_gt(ran, 1000);
}

/* Neighbours in a destination's run wait for each other if they share a few banks of memory. */
Test(permute, neighbours_in_a_brick_stand_in_different_banks)
{
    for (uint32_t element = 1; element <= 4; element *= 2)
        for (int64_t width = 64; width <= 512; width += 16) {
            const struct task task =
                task_of(2, (const int64_t[]){1001, width}, (const int[]){1, 0}, element);
            struct ssimcu_permute_plan plan = plan_of(&task, element);
            struct ssimcu_brick brick;
            cr_assert_geq(ssimcu_permute_brick_choose(&plan), 64);
            ssimcu_permute_brick_lay_out(&plan, &brick);
            cr_assert_neq(brick.table.dim[0].src_stride / element % 16, 0, "width %d", (int)width);
        }
}
