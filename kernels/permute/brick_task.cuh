/* The host side of brick.cu. It makes the arguments of a launch from the plan's brick. */
#pragma once

#include "core/permute_brick.h"
#include "permute.cuh"

namespace ssimcu
{
namespace brick
{

constexpr int WORDS = 2; /* words of the destination per thread and turn */
constexpr int SECTOR_WORDS = 8;

struct Task {
    char *dst;
    const char *src;
    Hull hull;
    int64_t before, after; /* bytes in the source from a brick's first element to its ends */
    Walk<int32_t> bricks, load, table, store;
    int64_t step[SSIMCU_PERMUTE_MAX_RANK], limit[SSIMCU_PERMUTE_MAX_RANK];
    int32_t count;                 /* bricks */
    int element;                   /* bytes */
    int pitch, run_chunks, chunks; /* bytes from run to run in the source; chunks of one, of all */
    int src_runs, dst_runs, dst_run; /* numbers of runs; elements of a run */
    int columns;                     /* threads along a run */
    int entries;                     /* entries of each table */
    Divider<int32_t> by_chunks, by_columns;
    int starts, tables, places; /* bytes of shared memory before each of them */
};

inline Walk<int32_t> walk_side(const ssimcu_brick_side &side)
{
    Walk<int32_t> walk;
    for (int i = 0; i < side.rank; i++) walk.add(side.dim[i]);
    return walk;
}

/* Returns the number of threads along a run, for `per_word` elements per word. In long runs,
 * columns end with a sector. */
inline int count_columns(const ssimcu_brick &brick, int per_word)
{
    const int words = (int)ssimcu_divide_up(brick.dst_run + per_word - 1, per_word);
    const int columns = (int)ssimcu_divide_up(words, WORDS);
    return columns < 2 * SECTOR_WORDS ? columns
                                      : (int)ssimcu_divide_up(columns, SECTOR_WORDS) * SECTOR_WORDS;
}

/* Returns the most bytes by which a run of the source can start after an aligned chunk's start. */
inline int worst_ahead(const ssimcu_brick &brick, int size, const void *src)
{
    int64_t bits = CHUNK_BYTES;
    for (int i = 0; i < brick.load.rank; i++) bits |= brick.load.dim[i].src_stride * size;
    for (int i = 0; i < brick.bricks.rank; i++)
        bits |= (brick.step[i] | brick.limit[i]) * brick.bricks.dim[i].src_stride * size;
    const int even = (int)(bits & -bits);
    return CHUNK_BYTES - even + (int)(reinterpret_cast<uintptr_t>(src) % even);
}

inline Task make_task(const Plan &plan, void *dst, const void *src)
{
    const int size = (int)plan.element, per_word = size < 4 ? 4 / size : 1;
    ssimcu_brick brick;
    ssimcu_permute_brick_lay_out(&plan, &brick);
    Task task = {};
    task.dst = static_cast<char *>(dst);
    task.src = static_cast<const char *>(src);
    task.hull = Hull(plan, src);
    task.bricks = walk_side(brick.bricks);
    task.load = walk_side(brick.load);
    task.table = walk_side(brick.table);
    task.store = walk_side(brick.store);
    for (int i = 0; i < brick.bricks.rank; i++)
        task.step[i] = brick.step[i], task.limit[i] = brick.limit[i];
    task.count = (int32_t)task.bricks.count();
    for (int i = 0; i < plan.rank; i++) {
        const int64_t reach = (plan.brick[i] - 1) * plan.dim[i].src_stride * size;
        (reach < 0 ? task.before : task.after) += reach < 0 ? -reach : reach;
    }
    task.after += size;
    task.element = size;
    task.pitch = brick.pitch;
    task.run_chunks =
        ssimcu_permute_brick_chunks((int64_t)brick.src_run * size, worst_ahead(brick, size, src));
    task.chunks = task.run_chunks * brick.src_runs;
    task.by_chunks = Divider<int32_t>(task.run_chunks);
    task.src_runs = brick.src_runs;
    task.dst_run = brick.dst_run;
    task.dst_runs = brick.dst_runs;
    task.columns = count_columns(brick, per_word);
    task.by_columns = Divider<int32_t>(task.columns);
    task.entries = task.columns * WORDS * per_word;
    task.starts = (int)ssimcu_divide_up(task.pitch * brick.src_runs, CHUNK_BYTES) * CHUNK_BYTES;
    task.tables = task.starts + task.dst_runs * (int)sizeof(int64_t);
    task.places = task.tables + per_word * task.entries * (int)sizeof(uint16_t);
    task.places = (int)ssimcu_divide_up(task.places, 4) * 4;
    return task;
}

} // namespace brick
} // namespace ssimcu
