#include "permute_brick.h"

#include <string.h>

enum {
    CHUNK = SSIMCU_BRICK_CHUNK,
    LEAD = SSIMCU_BRICK_LEAD,
    MIN_BRICK_BYTES = 2048, /* fewer are not worth a block of threads */
    ENOUGH_RUN_BYTES = 64,  /* two sectors of device memory */
    CLASHING_WORDS = 16, /* words between neighbouring threads at which they read 2 of 32 banks */
    ENOUGH_TABLE_BYTES = 256 /* enough for a destination's run */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Returns whether threads that write a destination's run would read few banks of memory, if its
 * elements were `run` elements apart. A thread reads a word of 4 bytes, or an element if that is
 * larger. If the source's runs end here instead, they stand an odd number of words apart. */
static int clashes(const struct ssimcu_permute_plan *plan, int64_t run)
{
    const int64_t words = plan->element > 4 ? plan->element / 4 : 1;
    return run * plan->element >= ENOUGH_RUN_BYTES && run * words % CLASHING_WORDS == 0;
}

/* Follows the contiguous dimensions of one side, as long as the brick has them whole. Returns the
 * run's length. `next` becomes the dimension that would make it longer, or -1. `part` receives the
 * indices of each dimension in the run. The last dimension may contribute only part of its indices,
 * so that the run has at most `most` elements. */
static int64_t follow(const struct ssimcu_permute_plan *plan, int source, int64_t most,
                      int32_t *part, int *next)
{
    int64_t run = 1;
    for (int i = 0; i < plan->rank; i++) part[i] = 1;
    for (int i = 0; i < plan->rank; i++) {
        const struct ssimcu_permute_dim *dim = &plan->dim[i];
        const int64_t stride = source ? dim->src_stride : dim->dst_stride;
        *next = i;
        if (part[i] > 1 || stride != run) continue;
        if (source && dim->dst_stride == 1 && clashes(plan, run)) break;
        int32_t in = (int32_t)least(plan->brick[i], most / run);
        while (plan->brick[i] % in != 0) in--;
        part[i] = in;
        run *= in;
        if (in < dim->size) return run;
        i = -1; /* starts over */
    }
    *next = -1;
    return run;
}

static int64_t source_run(const struct ssimcu_permute_plan *plan, int32_t *part, int *next)
{
    return follow(plan, 1, INT32_MAX, part, next);
}

static int64_t table_run(const struct ssimcu_permute_plan *plan, int32_t *part)
{
    int next;
    return follow(plan, 0, SSIMCU_BRICK_TABLE, part, &next);
}

static int64_t brick_count(const struct ssimcu_permute_plan *plan)
{
    int64_t count = 1;
    for (int i = 0; i < plan->rank; i++) count *= plan->brick[i];
    return count;
}

static int fits(const struct ssimcu_permute_plan *plan)
{
    int32_t part[SSIMCU_PERMUTE_MAX_RANK];
    int next;
    const int64_t count = brick_count(plan), run = source_run(plan, part, &next);
    const int64_t chunks =
        ssimcu_permute_brick_chunks(run * plan->element, CHUNK - 1) * (count / run);
    return chunks <= SSIMCU_BRICK_CHUNKS && count / run <= SSIMCU_BRICK_RUNS &&
           count / table_run(plan, part) <= SSIMCU_BRICK_RUNS;
}

/* Tries an extent, and takes it back unless the brick fits and the table's run stays long
 * enough. */
static int try_extent(struct ssimcu_permute_plan *plan, int i, int64_t extent)
{
    int32_t part[SSIMCU_PERMUTE_MAX_RANK];
    const int32_t before = plan->brick[i];
    const int64_t table = table_run(plan, part), enough = ENOUGH_TABLE_BYTES / plan->element;
    if (extent > SSIMCU_BRICK_CHUNKS * SSIMCU_BRICK_CHUNK) return 0;
    plan->brick[i] = (int32_t)extent;
    if (fits(plan) && table_run(plan, part) >= least(table, enough)) return 1;
    plan->brick[i] = before;
    return 0;
}

/* Doubles the indices of the dimension that continues a side's run. Takes the whole dimension if it
 * is less than three times as long. */
static int grow(struct ssimcu_permute_plan *plan, int next)
{
    if (next < 0) return 0;
    const int64_t size = plan->dim[next].size, extent = plan->brick[next];
    if (extent == size) return 0;
    return (size < 3 * extent && try_extent(plan, next, size)) ||
           (2 * extent <= size && try_extent(plan, next, 2 * extent));
}

/* Avoids a last brick that would write more than 1/16 of the dimension twice. It splits the
 * dimension into equal, smaller bricks, at least half as large. */
static void trim(struct ssimcu_permute_plan *plan, int i)
{
    const int64_t size = plan->dim[i].size, whole = plan->brick[i];
    if (16 * ((size + whole - 1) / whole * whole - size) <= size) return;
    for (int64_t bricks = (size + whole - 1) / whole; bricks * whole <= 2 * size + whole;
         bricks++) {
        const int64_t extent = (size + bricks - 1) / bricks;
        if (16 * (bricks * extent - size) > size) continue;
        try_extent(plan, i, extent);
        return;
    }
}

int64_t ssimcu_permute_brick_choose(struct ssimcu_permute_plan *plan)
{
    int32_t part[SSIMCU_PERMUTE_MAX_RANK];
    int src_next, dst_next;
    for (int i = 0; i < plan->rank; i++) plan->brick[i] = 1;
    for (int grows = 1; grows;) {
        const int64_t src = source_run(plan, part, &src_next);
        const int64_t dst = follow(plan, 0, INT32_MAX, part, &dst_next);
        const int source = src <= dst;
        grows =
            grow(plan, source ? src_next : dst_next) || grow(plan, source ? dst_next : src_next);
    }
    for (int i = 0; i < plan->rank; i++) trim(plan, i);
    if (brick_count(plan) * plan->element < MIN_BRICK_BYTES) return 0;
    return least(source_run(plan, part, &src_next), table_run(plan, part)) * plan->element;
}

static void add(struct ssimcu_brick_side *side, int64_t size, int64_t src, int64_t dst)
{
    if (size > 1) side->dim[side->rank++] = (struct ssimcu_permute_dim){size, src, dst};
}

/* Returns the bytes from run to run: enough for all chunks that a run can touch. In units of 4
 * bytes the number is odd, so that runs start in different banks of memory. */
static int32_t pitch_of(int64_t bytes)
{
    return LEAD + ssimcu_permute_brick_chunks(bytes, CHUNK - 1) * CHUNK;
}

void ssimcu_permute_brick_lay_out(const struct ssimcu_permute_plan *plan,
                                  struct ssimcu_brick *brick)
{
    int32_t in_src[SSIMCU_PERMUTE_MAX_RANK], in_dst[SSIMCU_PERMUTE_MAX_RANK];
    int next;
    memset(brick, 0, sizeof *brick);
    brick->src_run = (int32_t)source_run(plan, in_src, &next);
    brick->dst_run = (int32_t)table_run(plan, in_dst);
    brick->src_runs = (int32_t)(brick_count(plan) / brick->src_run);
    brick->dst_runs = (int32_t)(brick_count(plan) / brick->dst_run);
    brick->pitch = pitch_of((int64_t)brick->src_run * plan->element);
    int64_t run = brick->pitch;
    for (int i = plan->rank - 1; i >= 0; i--) {
        const struct ssimcu_permute_dim *dim = &plan->dim[i];
        const int64_t extent = plan->brick[i], rest = extent / in_dst[i];
        int64_t place = dim->src_stride * plan->element;
        if (in_src[i] == 1) {
            place = run;
            run *= extent;
            add(&brick->load, extent, dim->src_stride, place);
        }
        add(&brick->table, in_dst[i], place, dim->dst_stride);
        add(&brick->store, rest, place * in_dst[i], dim->dst_stride * in_dst[i]);
        brick->step[brick->bricks.rank] = extent;
        brick->limit[brick->bricks.rank] = dim->size - extent;
        add(&brick->bricks, (dim->size + extent - 1) / extent, dim->src_stride, dim->dst_stride);
    }
}
