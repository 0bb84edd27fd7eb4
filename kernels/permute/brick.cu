/* Bricks, for arrays whose elements lie together in short runs on both sides, such as rows of 3
 * bytes in another order. core/permute_brick.h chooses a brick and lays out its elements.
 *
 * DATA FLOW. A block works on one brick after the other. Its threads load the source's runs by
 * aligned 16-byte loads and store them in shared memory. In between, they shift them to whole words
 * in registers, so that an element has the same byte offset whatever the alignment of its run. Then
 * each thread assembles 4-byte words of the destination, or single elements if those are larger. A
 * table has the place of each element of a run, and each run adds an offset to it. A block makes
 * the table and the offsets once, so there is no division per element.
 *
 * WORDS. Words are aligned in the destination, where runs start at any byte. Single elements fill
 * the ends of a run. A run can start some elements after a word boundary. There is one copy of the
 * table for each such offset, so that one aligned load reads a word's entries. A thread takes WORDS
 * words of a run, spaced apart. They share the work of finding the run, while neighbouring threads
 * write neighbouring words.
 *
 * BANKS. Runs stand an odd number of 4-byte words apart. They end where neighbours in the
 * destination would otherwise share banks. A chunk is written as four such words. Lanes 8 apart
 * write them in different orders, each time to 32 different banks.
 *
 * ORDER. Blocks take bricks in turn. Neighbours are in flight together, those along the destination
 * first. So sectors cut by the border of two bricks meet in the L2 cache.
 *
 * AHEAD. A block starts the loads of its next brick before it stores the present one. This takes
 * registers: 3 blocks fit per SM. The geometric mean over 24 arrays with runs of 1 to 70 bytes is
 * 73.6 % of a copy's bandwidth on an H200, the worst 57.6. Without that order it is 68.1, and with
 * 4 blocks per SM instead 55.7. Some choices changed little, at 4 blocks. 4 words per thread and
 * turn gave 56.0, 8 blocks of 128 threads 56.1, 6 blocks and bricks of half the chunks 56.3. Tables
 * of 256 or 1024 elements changed little, too.
 */
#include "brick_task.cuh"

namespace ssimcu
{
namespace
{

using brick::Task;
using brick::WORDS;

constexpr int THREADS = 256;
constexpr int BLOCKS = 3; /* blocks per SM */
constexpr int BATCH = SSIMCU_BRICK_CHUNKS / THREADS;

/* The bytes and the elements of a destination word. */
template <int SIZE>
constexpr int WORD_BYTES = SIZE < 4 ? 4 : SIZE;
template <int SIZE>
constexpr int PER_WORD = WORD_BYTES<SIZE> / SIZE;

/* The tables of a block, next to the brick in shared memory. */
struct Tables {
    int64_t *starts;  /* bytes from the brick's first element to each run of the destination */
    uint32_t *places; /* place of each run of the destination, twice in a word if SIZE < 4 */
    uint16_t *table;

    __device__ __forceinline__ Tables(const Task &task, char *shared)
        : starts(reinterpret_cast<int64_t *>(shared + task.starts)),
          places(reinterpret_cast<uint32_t *>(shared + task.places)),
          table(reinterpret_cast<uint16_t *>(shared + task.tables))
    {
    }
};

/* Makes the tables once per block, in a few hundred instructions. A block has few bricks if the
 * array is small. `src_starts` receives the bytes from the brick's first element to each run of the
 * source. */
template <int SIZE>
__device__ __forceinline__ void make_tables(const Task &task, const Tables &to, int64_t *src_starts)
{
    constexpr int COPIES = PER_WORD<SIZE>;
    for (int i = threadIdx.x; i < task.src_runs; i += THREADS)
        src_starts[i] = task.load.at(i).src * SIZE;
    for (int i = threadIdx.x; i < task.dst_runs; i += THREADS) {
        const Offset at = task.store.at(i);
        to.starts[i] = at.dst * SIZE;
        to.places[i] = (uint32_t)(at.src + SSIMCU_BRICK_LEAD) * (SIZE < 4 ? 0x10001u : 1u);
    }
    /* Entries past the run hold any place. At least COPIES - 1 of them wrap round to the start. */
    for (int i = threadIdx.x; i < task.entries; i += THREADS) {
        const int place = i < task.dst_run ? task.table.source_at(i) : 0;
#pragma unroll
        for (int ahead = 0; ahead < COPIES; ahead++) {
            const int at = i + ahead < task.entries ? i + ahead : i + ahead - task.entries;
            to.table[ahead * task.entries + at] = (uint16_t)place;
        }
    }
}

/* Returns the start of a brick. The last brick of a dimension ends with it. */
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

/* A chunk of the source and the word after it. */
struct Load {
    uint4 chunk;
    uint32_t after;
};

/* Writes the words of a chunk, shifted down by `shift` bits. Bytes before and after the run go to
 * the gaps between runs. */
__device__ __forceinline__ void put_chunk(char *to, const Load &load, int shift)
{
    const uint32_t w = __funnelshift_r(load.chunk.x, load.chunk.y, shift);
    const uint32_t x = __funnelshift_r(load.chunk.y, load.chunk.z, shift);
    const uint32_t y = __funnelshift_r(load.chunk.z, load.chunk.w, shift);
    const uint32_t z = __funnelshift_r(load.chunk.w, load.after, shift);
    const int turn = threadIdx.x / 8 % 4;
    const bool one = turn & 1, two = turn & 2;
    const uint32_t a = two ? y : w, b = two ? z : x, c = two ? w : y, d = two ? x : z;
    const uint32_t word[4] = {one ? b : a, one ? c : b, one ? d : c, one ? a : d};
#pragma unroll
    for (int i = 0; i < 4; i++) *reinterpret_cast<uint32_t *>(to + (i + turn) % 4 * 4) = word[i];
}

/* A chunk that a thread loads from every brick. `from` is its unaligned distance from the brick's
 * first element, `to` its place in shared memory. If there are more threads than chunks, several
 * load the last one. */
struct Chunk {
    int64_t from;
    int to;

    Chunk() = default;
    __device__ __forceinline__ Chunk(const Task &task, int run, int64_t start, int number)
    {
        const int at = (number - run * task.run_chunks) * CHUNK_BYTES;
        from = start + at;
        to = run * task.pitch + at + SSIMCU_BRICK_LEAD;
    }
    __device__ __forceinline__ void put(char *shared, const char *src, const Load &load) const
    {
        const uint32_t ahead = (uint32_t) reinterpret_cast<uintptr_t>(src + from);
        put_chunk(shared + to - (ahead & 12), load, (ahead & 3) * 8);
    }
};

__device__ __forceinline__ const char *align_chunk(const char *at)
{
    return at - reinterpret_cast<uintptr_t>(at) % CHUNK_BYTES;
}

/* Loads a brick at the ends of the array, and reads nothing outside it. This is rare, and not worth
 * registers in the code of every brick. */
__device__ __noinline__ void load_guarded(const Task &task, const char *src, char *shared)
{
    for (int i = threadIdx.x; i < task.chunks; i += THREADS) {
        const int run = task.by_chunks.quotient(i);
        const Chunk chunk(task, run, task.load.at(run).src * task.element, i);
        const char *from = align_chunk(src + chunk.from);
        Load load;
        load.chunk = load_chunk(from, task.hull.low, task.hull.high);
        load.after = load_chunk(from + CHUNK_BYTES, task.hull.low, task.hull.high).x;
        chunk.put(shared, src, load);
    }
}

/* Returns whether all chunks of the brick lie inside the array. */
__device__ __forceinline__ bool is_inside(const Task &task, const char *src)
{
    return src - task.before - CHUNK_BYTES >= task.hull.low &&
           src + task.after + 2 * CHUNK_BYTES <= task.hull.high;
}

/* Starts all loads of a thread, so that they are in flight together until put_brick() needs
 * them. */
__device__ __forceinline__ void start_loads(const Task &task, const Chunk (&chunk)[BATCH],
                                            const char *src, Load (&load)[BATCH])
{
    if (!is_inside(task, src)) return;
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
        if (k * THREADS >= task.chunks) break;
        const char *from = align_chunk(src + chunk[k].from);
        load[k].chunk = __ldg(reinterpret_cast<const uint4 *>(from));
        load[k].after = __ldg(reinterpret_cast<const uint32_t *>(from + CHUNK_BYTES));
    }
}

__device__ __forceinline__ void put_brick(const Task &task, const Chunk (&chunk)[BATCH],
                                          const char *src, const Load (&load)[BATCH], char *shared)
{
    if (!is_inside(task, src)) return load_guarded(task, src, shared);
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
        if (k * THREADS + (int)threadIdx.x >= task.chunks) break;
        chunk[k].put(shared, src, load[k]);
    }
}

template <typename Element>
__device__ __forceinline__ uint32_t read_small(const char *shared, uint32_t place)
{
    return *reinterpret_cast<const Element *>(shared + place);
}

/* Gathers the elements of a word by its table entries. */
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

/* Stores the whole words of the destination's runs. */
template <typename Element>
__device__ __forceinline__ void store_words(const Task &task, const Tables &tables, char *dst,
                                            const char *shared)
{
    constexpr int SIZE = sizeof(Element), WORD = WORD_BYTES<SIZE>, PER = PER_WORD<SIZE>;
    const int last = task.dst_run * SIZE - WORD;
#pragma unroll 1
    for (int i = threadIdx.x; i < task.dst_runs * task.columns; i += THREADS) {
        const int run = task.by_columns.quotient(i), column = i - run * task.columns;
        const uint32_t place = tables.places[run];
        char *out = dst + tables.starts[run];
        const int ahead = SIZE < 4 ? (int)(reinterpret_cast<uintptr_t>(out) % 4) : 0;
        const uint16_t *entries = tables.table + ahead / SIZE * task.entries + column * PER;
        decltype(gather_word<Element>(shared, entries, place)) word[WORDS];
#pragma unroll
        for (int k = 0; k < WORDS; k++)
            word[k] = gather_word<Element>(shared, entries + k * task.columns * PER, place);
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            const int at = (column + k * task.columns) * WORD - ahead;
            if (at >= 0 && at <= last) *reinterpret_cast<decltype(&word[0])>(out + at) = word[k];
        }
    }
}

/* Stores the elements at the runs' ends that do not fill a word. */
template <typename Element>
__device__ __forceinline__ void store_ends(const Task &task, const Tables &tables, char *dst,
                                           const char *shared)
{
    constexpr int PER = PER_WORD<sizeof(Element)>;
#pragma unroll 1
    for (int i = threadIdx.x; i < task.dst_runs * 2 * PER; i += THREADS) {
        const int run = i / (2 * PER), slot = i % PER;
        Element *out = reinterpret_cast<Element *>(dst + tables.starts[run]);
        const int head = (int)(-reinterpret_cast<uintptr_t>(out) % 4 / sizeof(Element));
        const int words = max(task.dst_run - head, 0) / PER;
        const bool tail = i % (2 * PER) >= PER;
        const int first = tail ? head + words * PER : 0;
        const int end = tail ? task.dst_run : min(head, task.dst_run);
        if (first + slot < end)
            out[first + slot] = *reinterpret_cast<const Element *>(
                shared + tables.table[first + slot] + (tables.places[run] & 0xffff));
    }
}

/* Finds the chunks of a thread. */
__device__ __forceinline__ void find_chunks(const Task &task, const int64_t *src_starts,
                                            Chunk (&chunk)[BATCH])
{
#pragma unroll
    for (int k = 0; k < BATCH; k++) {
        const int number = min(k * THREADS + (int)threadIdx.x, task.chunks - 1);
        const int run = task.by_chunks.quotient(number);
        chunk[k] = Chunk(task, run, src_starts[run], number);
    }
}

template <typename Element>
__global__ void __launch_bounds__(THREADS, blocks_per_sm(BLOCKS, THREADS))
    brick_kernel(const __grid_constant__ Task task)
{
    constexpr int SIZE = sizeof(Element);
    extern __shared__ __align__(CHUNK_BYTES) char shared[];
    __shared__ int64_t next_src, next_dst;
    const Tables tables(task, shared);
    const auto find_next = [&](int32_t index) {
        if (threadIdx.x > 0 || index >= task.count) return;
        const Offset at = find_brick(task, index);
        next_src = at.src * SIZE;
        next_dst = at.dst * SIZE;
    };
    find_next(blockIdx.x);
    int64_t *src_starts = reinterpret_cast<int64_t *>(shared); /* the brick's place, still free */
    make_tables<SIZE>(task, tables, src_starts);
    __syncthreads();
    Chunk chunk[BATCH];
    find_chunks(task, src_starts, chunk);
    Load load[BATCH];
    const char *src = task.src + next_src;
    char *dst = task.dst + next_dst;
    start_loads(task, chunk, src, load);
    __syncthreads();
    for (int32_t i = blockIdx.x; i < task.count; i += gridDim.x) {
        find_next(i + gridDim.x);
        put_brick(task, chunk, src, load, shared);
        __syncthreads();
        char *out = dst;
        src = task.src + next_src;
        dst = task.dst + next_dst;
        if (i + gridDim.x < task.count) start_loads(task, chunk, src, load);
        store_words<Element>(task, tables, out, shared);
        if constexpr (SIZE < 4) store_ends<Element>(task, tables, out, shared);
        __syncthreads();
    }
}

} // namespace

template <typename Element>
void launch_brick(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    int device = 0, processors = 0; /* an error stays the runtime's last */
    if (cudaGetDevice(&device) != cudaSuccess) return;
    if (cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess)
        return;
    const Task task = brick::make_task(plan, dst, src);
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
