/* Bricks: what lies together is short on both sides, such as rows of 3 bytes that turn up in
 * another order. core/permute_brick.h says how a brick is chosen and where its elements stand.
 *
 * DATA FLOW. A block works on one brick after the other. Its threads bring the source's runs to
 * shared memory, 16 bytes at a time from any address, shifted into place in registers, so that an
 * element stands at the same byte whatever the alignment of its run. Then each thread puts together
 * 4-byte words of the destination (one element, where that is larger): a table says where a run's
 * elements stand, and one number per run is added. A block makes table and numbers once, while
 * nothing is divided per element.
 *
 * WORDS. They are aligned in the destination, where runs start at any byte. The table is kept
 * once for each number of elements that a run can start after a word, so that a word's entries are
 * one aligned load. A thread takes WORDS words of a run that lie apart, which shares the work of
 * finding the run, while neighbouring threads write neighbouring words.
 *
 * BANKS. Runs stand an odd number of 4-byte words apart. A chunk is written as four such words,
 * those of lanes 8 apart in a different order, each time to 32 different banks.
 *
 * ORDER. Blocks take bricks in turn, neighbours at the same time and along the destination first,
 * so that sectors cut by the border of two bricks meet in the L2 cache.
 */
#include "core/permute_brick.h"
#include "permute.cuh"

namespace ssimcu
{
namespace
{

constexpr int THREADS = 256;
constexpr int BLOCKS = 4; /* per SM */
constexpr int WORDS = 2;  /* of the destination, per thread and turn */
constexpr int BATCH = SSIMCU_BRICK_CHUNKS / THREADS;
constexpr int SECTOR_WORDS = 8;

/* Bytes of a word of the destination, elements in it. */
template <int SIZE>
constexpr int WORD_BYTES = SIZE < 4 ? 4 : SIZE;
template <int SIZE>
constexpr int PER_WORD = WORD_BYTES<SIZE> / SIZE;

/* A launch; offsets and counts of bytes. */
struct Task {
    char *dst;
    const char *src;
    Hull hull;
    const char *safe; /* an aligned chunk of the source */
    Walk<int32_t> bricks, load, table, store;
    int64_t step[SSIMCU_PERMUTE_MAX_RANK], limit[SSIMCU_PERMUTE_MAX_RANK];
    int32_t count; /* bricks */
    int src_bytes, src_runs, pitch, run_chunks, chunks;
    int dst_run, dst_runs, columns; /* threads along a run */
    int entries;                    /* of each table */
    Divider<int32_t> by_chunks, by_columns;
    int starts, dst_starts, places, tables; /* places in shared memory */
};

/* What a block keeps beside the brick. */
struct Tables {
    int64_t *starts, *dst_starts; /* bytes from the brick's first element to each run */
    uint32_t *places;             /* of each destination's run, twice in a word where SIZE < 4 */
    uint16_t *table;

    __device__ __forceinline__ Tables(const Task &task, char *shared)
        : starts(reinterpret_cast<int64_t *>(shared + task.starts)),
          dst_starts(reinterpret_cast<int64_t *>(shared + task.dst_starts)),
          places(reinterpret_cast<uint32_t *>(shared + task.places)),
          table(reinterpret_cast<uint16_t *>(shared + task.tables))
    {
    }
};

template <int SIZE>
__device__ __forceinline__ void make_tables(const Task &task, const Tables &to)
{
    constexpr int COPIES = PER_WORD<SIZE>;
    for (int i = threadIdx.x; i < COPIES * task.entries; i += THREADS) to.table[i] = 0;
    for (int i = threadIdx.x; i < task.src_runs; i += THREADS)
        to.starts[i] = task.load.at(i).src * SIZE;
    for (int i = threadIdx.x; i < task.dst_runs; i += THREADS) {
        const Offset at = task.store.at(i);
        to.dst_starts[i] = at.dst * SIZE;
        to.places[i] = (uint32_t)at.src * (SIZE < 4 ? 0x10001u : 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < task.dst_run; i += THREADS) {
        const uint16_t place = (uint16_t)task.table.at(i).src;
#pragma unroll
        for (int ahead = 0; ahead < COPIES; ahead++)
            to.table[ahead * task.entries + ahead + i] = place;
    }
}

/* Where a brick starts. The last one of a dimension ends with it. */
__device__ __forceinline__ Offset find_brick(const Task &task, int32_t index)
{
    Offset offset;
    for (int i = 0; i < task.bricks.rank; i++) {
        const int32_t rest = i + 1 < task.bricks.rank ? task.bricks.by[i].quotient(index) : 0;
        const int64_t first =
            min((index - rest * task.bricks.size[i]) * task.step[i], task.limit[i]);
        offset.src += first * task.bricks.src[i];
        offset.dst += first * task.bricks.dst[i];
        index = rest;
    }
    return offset;
}

/* The words of a chunk, as far as they lie in the first `inside` bytes. */
__device__ __forceinline__ void put_chunk(char *to, const uint4 &chunk, int inside)
{
    const int turn = threadIdx.x / 8 % 4;
    const bool one = turn & 1, two = turn & 2;
    const uint32_t a = two ? chunk.z : chunk.x, b = two ? chunk.w : chunk.y;
    const uint32_t c = two ? chunk.x : chunk.z, d = two ? chunk.y : chunk.w;
    const uint32_t word[4] = {one ? b : a, one ? c : b, one ? d : c, one ? a : d};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int at = (i + turn) % 4 * 4;
        if (at < inside) *reinterpret_cast<uint32_t *>(to + at) = word[i];
    }
}

/* Chunk `index` of a brick: where it comes from and where it goes. */
struct Chunk {
    const char *from;
    char *to;
    int left;    /* bytes of its run */
    bool inside; /* the array, with the aligned chunks that it lies in */

    __device__ __forceinline__ Chunk(const Task &task, const Tables &tables, const char *src,
                                     char *shared, int index)
    {
        const int run = task.by_chunks.quotient(index);
        const int at = (index - run * task.run_chunks) * CHUNK_BYTES;
        from = src + tables.starts[run] + at;
        to = shared + run * task.pitch + at;
        left = task.src_bytes - at;
        inside =
            from - shift() >= task.hull.low && from - shift() + 2 * CHUNK_BYTES <= task.hull.high;
    }
    __device__ __forceinline__ int shift() const
    {
        return (int)(reinterpret_cast<uintptr_t>(from) % CHUNK_BYTES);
    }
};

/* The brick's source to shared memory: all loads of a thread are on their way together. What they
 * do not carry along is calculated again. */
__device__ __forceinline__ void load_brick(const Task &task, const Tables &tables, const char *src,
                                           char *shared)
{
    uint4 a[BATCH], b[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
        const int index = min(k * THREADS + (int)threadIdx.x, task.chunks - 1);
        const Chunk c(task, tables, src, shared, index);
        const uint4 *load =
            reinterpret_cast<const uint4 *>(c.inside ? c.from - c.shift() : task.safe);
        a[k] = __ldg(load);
        b[k] = __ldg(load + (c.inside && c.shift() != 0));
    }
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
        const int index = k * THREADS + (int)threadIdx.x;
        if (index >= task.chunks) break;
        const Chunk c(task, tables, src, shared, index);
        put_chunk(c.to,
                  c.inside ? join_chunks(a[k], b[k], c.shift())
                           : load_chunk(c.from, task.hull.low, task.hull.high),
                  c.left);
    }
}

template <typename Element>
__device__ __forceinline__ uint32_t read_small(const char *shared, uint32_t place)
{
    return *reinterpret_cast<const Element *>(shared + place);
}

/* The elements of a word, from the table's entries for it. */
template <typename Element>
__device__ __forceinline__ auto gather_word(const char *shared, const uint16_t *entries,
                                            uint32_t run)
{
    if constexpr (sizeof(Element) == 1) {
        uint2 at = *reinterpret_cast<const uint2 *>(entries);
        at.x += run, at.y += run;
        const uint32_t low = read_small<Element>(shared, at.x & 0xffff) |
                             read_small<Element>(shared, at.x >> 16) << 8;
        const uint32_t high = read_small<Element>(shared, at.y & 0xffff) |
                              read_small<Element>(shared, at.y >> 16) << 8;
        return low | high << 16;
    } else if constexpr (sizeof(Element) == 2) {
        const uint32_t at = *reinterpret_cast<const uint32_t *>(entries) + run;
        return read_small<Element>(shared, at & 0xffff) | read_small<Element>(shared, at >> 16)
                                                              << 16;
    } else {
        /* Runs stand a multiple of 4 bytes apart. */
        constexpr int PARTS = sizeof(Element) / 4;
        struct alignas(sizeof(Element)) {
            uint32_t part[PARTS];
        } word;
        const char *from = shared + *entries + run;
#pragma unroll
        for (int i = 0; i < PARTS; i++) word.part[i] = reinterpret_cast<const uint32_t *>(from)[i];
        return word;
    }
}

/* Words of the destination's runs; those at a run's ends by elements. */
template <typename Element>
__device__ __forceinline__ void store_brick(const Task &task, const Tables &tables, char *dst,
                                            const char *shared)
{
    constexpr int SIZE = sizeof(Element), WORD = WORD_BYTES<SIZE>;
    const int bytes = task.dst_run * SIZE;
    for (int i = threadIdx.x; i < task.dst_runs * task.columns; i += THREADS) {
        const int run = task.by_columns.quotient(i), column = i - run * task.columns;
        const uint32_t place = tables.places[run];
        char *out = dst + tables.dst_starts[run];
        const int ahead = SIZE < 4 ? (int)(reinterpret_cast<uintptr_t>(out) % 4) : 0;
        const uint16_t *entries =
            tables.table + ahead / SIZE * task.entries + column * PER_WORD<SIZE>;
        decltype(gather_word<Element>(shared, entries, place)) word[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            word[k] =
                gather_word<Element>(shared, entries + k * task.columns * PER_WORD<SIZE>, place);
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            const int at = (column + k * task.columns) * WORD - ahead;
            if (at >= 0 && at + WORD <= bytes) {
                *reinterpret_cast<decltype(&word[0])>(out + at) = word[k];
                continue;
            }
            if constexpr (SIZE < 4)
#pragma unroll
                for (int e = 0; e < WORD; e += SIZE)
                    if (at + e >= 0 && at + e < bytes)
                        *reinterpret_cast<Element *>(out + at + e) = (Element)(word[k] >> 8 * e);
        }
    }
}

template <typename Element>
__global__ void __launch_bounds__(THREADS, blocks_per_sm(BLOCKS, THREADS))
    brick_kernel(const __grid_constant__ Task task)
{
    constexpr int SIZE = sizeof(Element);
    extern __shared__ __align__(CHUNK_BYTES) char shared[];
    const Tables tables(task, shared);
    make_tables<SIZE>(task, tables);
    for (int32_t i = blockIdx.x; i < task.count; i += gridDim.x) {
        const Offset at = find_brick(task, i);
        __syncthreads(); /* the tables are made, the brick before is written */
        load_brick(task, tables, task.src + at.src * SIZE, shared);
        __syncthreads();
        store_brick<Element>(task, tables, task.dst + at.dst * SIZE, shared);
    }
}

Walk<int32_t> walk_side(const ssimcu_brick_side &side)
{
    Walk<int32_t> walk;
    for (int i = 0; i < side.rank; i++) walk.add(side.dim[i]);
    return walk;
}

/* `per_word` elements. Columns end with a sector where a run has many. */
int count_columns(const ssimcu_brick &brick, int per_word)
{
    const int words = (int)divide_up(brick.dst_run + per_word - 1, per_word);
    const int columns = (int)divide_up(words, WORDS);
    return columns < 2 * SECTOR_WORDS ? columns
                                      : (int)divide_up(columns, SECTOR_WORDS) * SECTOR_WORDS;
}

Task make_task(const Plan &plan, void *dst, const void *src)
{
    const int size = (int)plan.element, per_word = size < 4 ? 4 / size : 1;
    ssimcu_brick brick;
    ssimcu_permute_brick_lay_out(&plan, &brick);
    Task task = {};
    task.dst = static_cast<char *>(dst);
    task.src = static_cast<const char *>(src);
    task.hull = Hull(plan, src);
    task.safe = task.hull.low + -reinterpret_cast<uintptr_t>(task.hull.low) % CHUNK_BYTES;
    task.bricks = walk_side(brick.bricks);
    task.load = walk_side(brick.load);
    task.table = walk_side(brick.table);
    task.store = walk_side(brick.store);
    for (int i = 0; i < brick.bricks.rank; i++)
        task.step[i] = brick.step[i], task.limit[i] = brick.limit[i];
    task.count = (int32_t)task.bricks.count();
    task.src_bytes = brick.src_run * size;
    task.src_runs = brick.src_runs;
    task.pitch = brick.pitch;
    task.run_chunks = (int)divide_up(task.src_bytes, CHUNK_BYTES);
    task.chunks = task.run_chunks * task.src_runs;
    task.by_chunks = Divider<int32_t>(task.run_chunks);
    task.dst_run = brick.dst_run;
    task.dst_runs = brick.dst_runs;
    task.columns = count_columns(brick, per_word);
    task.by_columns = Divider<int32_t>(task.columns);
    task.entries = task.columns * WORDS * per_word;
    task.starts = (int)divide_up(task.pitch * task.src_runs, CHUNK_BYTES) * CHUNK_BYTES;
    task.dst_starts = task.starts + task.src_runs * (int)sizeof(int64_t);
    task.tables = task.dst_starts + task.dst_runs * (int)sizeof(int64_t);
    task.places = task.tables + per_word * task.entries * (int)sizeof(uint16_t);
    task.places = (int)divide_up(task.places, 4) * 4;
    return task;
}

} // namespace

template <typename Element>
void launch_brick(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    int device = 0, processors = 0; /* an error stays the runtime's last */
    if (cudaGetDevice(&device) != cudaSuccess) return;
    if (cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
        return;
    const Task task = make_task(plan, dst, src);
    const int shared = task.places + task.dst_runs * (int)sizeof(uint32_t);
    const int most = blocks_per_sm(BLOCKS, THREADS) * processors;
    const int blocks = task.count < most ? task.count : most;
    brick_kernel<Element><<<blocks, THREADS, shared, stream>>>(task);
}

template void launch_brick<uint8_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_brick<uint16_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_brick<uint32_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_brick<uint2>(const Plan &, void *, const void *, cudaStream_t);
template void launch_brick<uint4>(const Plan &, void *, const void *, cudaStream_t);

} // namespace ssimcu
