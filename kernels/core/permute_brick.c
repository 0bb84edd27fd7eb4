#include "permute_brick.h"

#include <string.h>

enum {
    MIN_BRICK_BYTES = 2048 /* under that, a block of threads is not worth it */
};

typedef struct ssimcu_permute_plan plan_t;

/* Follows the dimensions that lie without gaps on one side, as far as the brick has them whole.
 * The run's length; `set` takes their bits, `next` the dimension that would make it longer, or -1.
 * No more than `most` elements. */
static int64_t follow(const plan_t *plan, int source, int64_t most, uint32_t *set, int *next)
{
    int64_t run = 1;
    *set = 0;
    for (int i = 0; i < plan->rank; i++) {
        const struct ssimcu_permute_dim *dim = &plan->dim[i];
        const int64_t stride = source ? dim->src_stride : dim->dst_stride;
        *next = i;
        if (*set >> i & 1 || stride != run) continue;
        if (run * plan->brick[i] > most) return run;
        run *= plan->brick[i];
        *set |= 1u << i;
        if (plan->brick[i] < dim->size) return run;
        i = -1; /* from the start again */
    }
    *next = -1;
    return run;
}

static int64_t source_run(const plan_t *plan, uint32_t *set, int *next)
{
    return follow(plan, 1, INT32_MAX, set, next);
}

static int64_t table_run(const plan_t *plan, uint32_t *set)
{
    int next;
    return follow(plan, 0, SSIMCU_BRICK_TABLE, set, &next);
}

static int64_t brick_count(const plan_t *plan)
{
    int64_t count = 1;
    for (int i = 0; i < plan->rank; i++) count *= plan->brick[i];
    return count;
}

static int fits(const plan_t *plan)
{
    uint32_t set;
    int next;
    const int64_t count = brick_count(plan), run = source_run(plan, &set, &next);
    const int64_t chunks =
        (run * plan->element + SSIMCU_BRICK_CHUNK - 1) / SSIMCU_BRICK_CHUNK * (count / run);
    return chunks <= SSIMCU_BRICK_CHUNKS && count / run <= SSIMCU_BRICK_RUNS &&
           count / table_run(plan, &set) <= SSIMCU_BRICK_RUNS;
}

/* Tries an extent; takes it back unless the brick fits and keeps its table. */
static int try_extent(plan_t *plan, int i, int64_t extent)
{
    const int32_t before = plan->brick[i];
    uint32_t set;
    const int64_t table = table_run(plan, &set);
    if (extent > SSIMCU_BRICK_CHUNKS * SSIMCU_BRICK_CHUNK) return 0;
    plan->brick[i] = (int32_t)extent;
    if (fits(plan) && table_run(plan, &set) >= table) return 1;
    plan->brick[i] = before;
    return 0;
}

/* Twice as many indices of the dimension that continues a side's run, or all if that is less than
 * three times. */
static int grow(plan_t *plan, int next)
{
    if (next < 0) return 0;
    const int64_t size = plan->dim[next].size, extent = plan->brick[next];
    if (extent == size) return 0;
    return (size < 3 * extent && try_extent(plan, next, size)) ||
           (2 * extent <= size && try_extent(plan, next, 2 * extent));
}

/* Where the last brick of a dimension would write much again, more than a sixteenth, bricks of
 * equal parts. */
static void trim(plan_t *plan, int i)
{
    const int64_t size = plan->dim[i].size, extent = plan->brick[i];
    const int64_t bricks = (size + extent - 1) / extent;
    if (16 * (bricks * extent - size) > size)
        plan->brick[i] = (int32_t)((size + bricks - 1) / bricks);
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t ssimcu_permute_brick_choose(plan_t *plan)
{
    uint32_t set;
    int src_next, dst_next;
    for (int i = 0; i < plan->rank; i++) plan->brick[i] = 1;
    for (int grows = 1; grows;) {
        const int64_t src = source_run(plan, &set, &src_next);
        const int64_t dst = follow(plan, 0, INT32_MAX, &set, &dst_next);
        const int source = src <= dst;
        grows =
            grow(plan, source ? src_next : dst_next) || grow(plan, source ? dst_next : src_next);
    }
    for (int i = 0; i < plan->rank; i++) trim(plan, i);
    if (brick_count(plan) * plan->element < MIN_BRICK_BYTES) return 0;
    return least(source_run(plan, &set, &src_next), table_run(plan, &set)) * plan->element;
}

static void add(struct ssimcu_brick_side *side, int64_t size, int64_t src, int64_t dst)
{
    if (size > 1) side->dim[side->rank++] = (struct ssimcu_permute_dim){size, src, dst};
}

/* In units of 4 bytes an odd number, so that runs start in different banks of memory. */
static int32_t pitch_of(int64_t bytes) { return (int32_t)(((bytes + 3) / 4 | 1) * 4); }

void ssimcu_permute_brick_lay_out(const plan_t *plan, struct ssimcu_brick *brick)
{
    uint32_t src_set, dst_set;
    int next;
    int64_t place[SSIMCU_PERMUTE_MAX_RANK];
    memset(brick, 0, sizeof *brick);
    brick->src_run = (int32_t)source_run(plan, &src_set, &next);
    brick->dst_run = (int32_t)table_run(plan, &dst_set);
    brick->src_runs = (int32_t)(brick_count(plan) / brick->src_run);
    brick->dst_runs = (int32_t)(brick_count(plan) / brick->dst_run);
    brick->pitch = pitch_of((int64_t)brick->src_run * plan->element);
    int64_t run = brick->pitch;
    for (int i = plan->rank - 1; i >= 0; i--) {
        const struct ssimcu_permute_dim *dim = &plan->dim[i];
        const int64_t extent = plan->brick[i];
        place[i] = dim->src_stride * plan->element;
        if (!(src_set >> i & 1)) {
            place[i] = run;
            run *= extent;
            add(&brick->load, extent, dim->src_stride, place[i]);
        }
        add(dst_set >> i & 1 ? &brick->table : &brick->store, extent, place[i], dim->dst_stride);
        brick->step[brick->bricks.rank] = extent;
        brick->limit[brick->bricks.rank] = dim->size - extent;
        add(&brick->bricks, (dim->size + extent - 1) / extent, dim->src_stride, dim->dst_stride);
    }
}
