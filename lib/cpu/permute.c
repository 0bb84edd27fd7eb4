/* Executes a plan on the CPU. The array is cut into blocks. A block is a rectangle of the
 * destination's innermost dimension and one more, at one place in the other dimensions. It fits a
 * core's caches, so that every cache line is fetched and written once, with any strides. The
 * threads take runs of neighbouring blocks. */
#include "cpu.h"
#include "permute_move.h"
#include "threads.h"

enum {
    TASK_BYTES = 256 << 10,     /* work per task: tens of microseconds, far more than the cost of
                                   assigning it */
    BLOCK_BYTES = 256 << 10,    /* bytes on each side, which fit a core's second-level cache */
    MIN_TILE = 64,              /* elements; for 35, moving one by one is 2.5 times as fast */
    TILE_BYTES = 256,           /* bytes of a transpose's block along the destination's rows */
    PAST_CACHES_BYTES = 8 << 20 /* size from which a destination does not stay in the caches */
};

typedef void mover(const struct ssimcu_rectangle *rectangle);

struct job {
    mover *move;
    char *dst;
    const char *src;
    int64_t element; /* bytes */
    int past_caches;
    int rank; /* dimensions, at least 2; the last is the rectangle's 0, the one before is its 1 */
    struct ssimcu_permute_dim dim[SSIMCU_PERMUTE_MAX_RANK]; /* strides in bytes */
    int64_t step[SSIMCU_PERMUTE_MAX_RANK];                  /* a block's size */
    int64_t blocks[SSIMCU_PERMUTE_MAX_RANK];                /* along each dimension */
    int64_t all_blocks;
    int64_t task_blocks;
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static void move_block(const struct job *job, const int64_t *block)
{
    const int x = job->rank - 1, y = job->rank - 2;
    struct ssimcu_rectangle r = {
        .dst = job->dst,
        .src = job->src,
        .src_step = {job->dim[x].src_stride, job->dim[y].src_stride},
        .dst_step = {job->dim[x].dst_stride, job->dim[y].dst_stride},
        .element = (size_t)job->element,
        .past_caches = job->past_caches,
    };
    for (int i = 0; i < job->rank; i++) {
        const int64_t at = block[i] * job->step[i];
        r.src += at * job->dim[i].src_stride;
        r.dst += at * job->dim[i].dst_stride;
    }
    r.size[0] = least(job->step[x], job->dim[x].size - block[x] * job->step[x]);
    r.size[1] = least(job->step[y], job->dim[y].size - block[y] * job->step[y]);
    job->move(&r);
}

static void move_blocks(void *arg, size_t task)
{
    const struct job *job = arg;
    const int64_t first = (int64_t)task * job->task_blocks;
    const int64_t count = least(job->task_blocks, job->all_blocks - first);
    int64_t block[SSIMCU_PERMUTE_MAX_RANK], rest = first;
    for (int i = job->rank - 1; i >= 0; i--) {
        block[i] = rest % job->blocks[i];
        rest /= job->blocks[i];
    }
    for (int64_t n = 0; n < count; n++) {
        move_block(job, block);
        for (int i = job->rank - 1; i >= 0 && ++block[i] == job->blocks[i]; i--) block[i] = 0;
    }
    ssimcu_move_settle();
}

/* Returns the rectangle's second dimension: the source's innermost or, if that is taken, the
 * longest remaining one. */
static int second_dim(const struct ssimcu_permute_plan *plan)
{
    const int last = plan->rank - 1;
    if (plan->src_inner >= 0 && plan->src_inner != last) return plan->src_inner;
    int longest = 0;
    for (int i = 1; i < last; i++)
        if (plan->dim[i].size > plan->dim[longest].size) longest = i;
    return longest;
}

/* Orders the plan's dimensions, with the rectangle's two last. Dimensions of size 1 replace missing
 * ones. */
static void order_dims(struct job *job, const struct ssimcu_permute_plan *plan)
{
    const int second = plan->rank >= 2 ? second_dim(plan) : -1;
    for (int i = 0; i < plan->rank - 1; i++)
        if (i != second) job->dim[job->rank++] = plan->dim[i];
    const struct ssimcu_permute_dim one = {1, 0, 0};
    job->dim[job->rank++] = second >= 0 ? plan->dim[second] : one;
    job->dim[job->rank++] = plan->rank >= 1 ? plan->dim[plan->rank - 1] : one;
    for (int i = 0; i < job->rank; i++) {
        job->dim[i].src_stride *= job->element;
        job->dim[i].dst_stride *= job->element;
        job->step[i] = 1;
    }
}

/* Chooses the size of a block. Interleaved channels stay together. A tile is longer along the
 * destination, because the destination's lines must be written whole. */
static void choose_steps(struct job *job, enum ssimcu_permute_path path)
{
    const struct ssimcu_permute_dim *x = &job->dim[job->rank - 1], *y = &job->dim[job->rank - 2];
    int64_t *across = &job->step[job->rank - 1], *down = &job->step[job->rank - 2];
    switch (path) {
    case SSIMCU_PERMUTE_DEINTERLEAVE:
        *down = y->size;
        *across = least(x->size, most(64, BLOCK_BYTES / x->src_stride / 64 * 64));
        break;
    case SSIMCU_PERMUTE_TILE:
        *across = least(x->size, TILE_BYTES / job->element);
        *down = least(y->size, most(1, BLOCK_BYTES / (*across * job->element)));
        break;
    default:
        *across = least(x->size, BLOCK_BYTES / job->element);
        *down = least(y->size, most(1, BLOCK_BYTES / (*across * job->element)));
    }
}

/* Chooses by the strides, not only by the path. Tiles pay off earlier here than on a device, for
 * which the plan may be generic (32 x 32 bytes: 5.9 times as fast). */
static mover *choose_move(const struct job *job, enum ssimcu_permute_path path)
{
    const struct ssimcu_permute_dim *x = &job->dim[job->rank - 1], *y = &job->dim[job->rank - 2];
    if (path == SSIMCU_PERMUTE_COPY) return ssimcu_move_rows;
    if (x->dst_stride == job->element && y->src_stride == job->element &&
        x->size * y->size >= MIN_TILE)
        return ssimcu_move_transposed;
    return ssimcu_move_strided;
}

void ssimcu_permute_cpu(const struct ssimcu_permute_plan *plan, struct ssimcu_threads *threads,
                        void *dst, const void *src)
{
    struct job job = {.dst = dst, .src = src, .element = plan->element, .all_blocks = 1};
    const enum ssimcu_permute_path path = plan->plain_path;
    order_dims(&job, plan);
    job.move = choose_move(&job, path);
    choose_steps(&job, path);
    int64_t block_bytes = job.element;
    for (int i = 0; i < job.rank; i++) {
        job.blocks[i] = (job.dim[i].size + job.step[i] - 1) / job.step[i];
        job.all_blocks *= job.blocks[i];
        block_bytes *= job.step[i];
    }
    job.past_caches = ssimcu_permute_plan_count(plan) >= PAST_CACHES_BYTES / (int64_t)plan->element;
    job.task_blocks = most(1, TASK_BYTES / block_bytes);
    const int64_t tasks = (job.all_blocks + job.task_blocks - 1) / job.task_blocks;
    ssimcu_threads_run(threads, (size_t)tasks, move_blocks, &job);
}
