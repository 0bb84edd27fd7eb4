/* Batched transpose: the source's inner dimension s becomes an outer one, the destination's inner
 * dimension d was one (a matrix [d][s] -> [s][d]). Where an inner dimension is short, the plan adds
 * the next ones to it: s and d are then composite, and the rows of the matrix lie anywhere.
 *
 * DATA FLOW, elements of 1, 2 and 4 bytes. A block brings a tile to shared memory by asynchronous
 * copies, a row of the tile along s. A thread then reads one 4-byte word (1, 2 or 4 columns) from
 * each of the rows that make up a 16-byte chunk along d (4, 8 or 16 rows), transposes that little
 * block in registers by byte permutes, and stores a chunk for each of its columns. Eight lanes of
 * neighbouring d make 128-byte stores. The 8 x 4 words that a warp reads lie in 32 different banks:
 * a row's chunks are kept in the order k ^ group along d, or, ANYWHERE, a gap follows the rows of
 * each group (with gaps in both, 93.4 instead of 95 % of a copy's bandwidth).
 *
 * ALIGNMENT. That asks for source rows aligned to 4 bytes (copies are 16, 8 or 4 wide) and
 * destination rows aligned to 16. Otherwise (ANYWHERE) chunks of the source are shifted into place
 * in registers on their way into the tile, and chunks of the destination go to a second tile first,
 * from where each row is written in the destination's aligned chunks.
 *
 * ORDER. Blocks go along d first, so that neighbouring blocks write neighbouring addresses: 135.6
 * us for 8192 x 8192 floats on an H200, against 143.6 us along s first (copy: 128 us); bands of 1
 * to 32 tiles along d in turn: 138 to 140 us. Column by column over all batches, so that cut tiles
 * come last: 82 instead of 94 % of a copy's bandwidth for 16 x 5792 x 724, whose columns share
 * sectors. Rows of 512 bytes instead of 256: no gain. Tiles of 64 rows for 2-byte elements: 72.2 us
 * for 16 x 5792 x 724, of 128 rows: 72.7; but 57 instead of 77 % of a copy's bandwidth ANYWHERE,
 * where they stay longer. Streaming stores: 73.4 us; streaming loads: 72.1, but 79 for prime sizes.
 * Lines of 128 bytes fetched by L2 as one: 72.4 -> 71.9 us for 16 x 5792 x 724, 137.2 -> 135.7 us
 * in floats; of 256 bytes: no gain. Blocks of half the threads and tile: 72.1 to 73.3 us; 4, 5, 6
 * or 8 blocks per SM: within 0.3 %. Without a bound on them the compiler takes 32 to 72 registers,
 * keeps addresses in local memory and gains nothing.
 *
 * SHAPE. A side of up to 32 bytes has tiles of its own, 32 bytes by 512 elements, always ANYWHERE.
 *
 * Elements of 8 and 16 bytes move one at a time through tiles of 32 x 32 with a column of padding.
 */
#include "permute.cuh"

namespace ssimcu
{
namespace
{

constexpr int THREADS = 256;
constexpr int LANES = 32;
constexpr int WORD = 4; /* bytes */

/* The matrix, sizes in elements. */
struct Matrix {
    char *dst;
    const char *src;
    Hull hull;
    int64_t s_size, d_size;
    int src_width; /* bytes that every row of the source is aligned to: 16, 8, 4 or fewer */
    Divider<int32_t> by_down, by_tiles;
    int32_t down, tiles; /* tiles along d, in the whole matrix */
};

/* The dimensions: what is walked from tile to tile, along s and along d. */
struct Walks {
    Walk<int32_t> batch, s, d;
};

/* Which tile a block works on. */
struct Place {
    const char *src; /* of the batch */
    char *dst;
    int64_t s0, d0;
    int64_t s_left, d_left; /* elements from there to the matrix' edges */
};

template <int SIZE, int COLS, int ROWS>
__device__ __forceinline__ Place find_place(const Walk<int32_t> &walk, const Matrix &matrix)
{
    const int batch = matrix.by_tiles.quotient(blockIdx.x);
    const int tile = blockIdx.x - batch * matrix.tiles;
    const int column = matrix.by_down.quotient(tile);
    const int64_t s0 = (int64_t)column * COLS;
    const int64_t d0 = (int64_t)(tile - column * matrix.down) * ROWS;
    const Offset at = walk.at(batch);
    return {matrix.src + at.src * SIZE, matrix.dst + at.dst * SIZE, s0, d0,
            matrix.s_size - s0,         matrix.d_size - d0};
}

/* Bytes from the batch's first element to row d of the source, to row s of the destination. A
 * dimension by itself may be longer than an int. */
template <int SIZE>
__device__ __forceinline__ int64_t src_row(const Walk<int32_t> &d, int64_t index)
{
    return (d.rank == 1 ? index * d.src[0] : d.at((int32_t)index).src) * SIZE;
}

template <int SIZE>
__device__ __forceinline__ int64_t dst_row(const Walk<int32_t> &s, int64_t index)
{
    return (s.rank == 1 ? index * s.dst[0] : s.at((int32_t)index).dst) * SIZE;
}

/* How many bytes a tile is wide along s and along d. */
enum Shape { SQUARE, SHORT_S, SHORT_D };
constexpr int SHORT_BYTES = 32;

/* The tile for an element of SIZE bytes. */
template <int SIZE, bool ANYWHERE, Shape SHAPE>
struct Tile {
    static constexpr int CHUNK =
        CHUNK_BYTES / SIZE;                       /* elements per chunk: rows per chunk along d */
    static constexpr int WORD_COLS = WORD / SIZE; /* columns per word */
    static constexpr int ROW_BYTES = SHAPE == SHORT_S                       ? SHORT_BYTES
                                     : SHAPE == SHORT_D                     ? 512 * SIZE
                                     : SIZE == 1 || (ANYWHERE && SIZE == 2) ? 128
                                                                            : 256;
    static constexpr int COLS = ROW_BYTES / SIZE;
    static constexpr int GROUPS = SHAPE == SHORT_S   ? 32 * SIZE /* chunks along d */
                                  : SHAPE == SHORT_D ? SHORT_BYTES / CHUNK_BYTES
                                  : SIZE == 1 || (SIZE == 2 && !ANYWHERE) ? 8
                                                                          : 16;
    static constexpr int LANES_D = GROUPS < 8 ? GROUPS : 8; /* 8 chunks are a cache line */
    static constexpr int LANES_S = LANES / LANES_D;         /* words */
    static constexpr int ROWS = GROUPS * CHUNK;
    /* From tile to tile. ANYWHERE, tiles overlap by a chunk, so that each can write whole chunks of
     * the destination wherever their borders lie. */
    static constexpr int STEP = ANYWHERE && SHAPE != SHORT_D ? ROWS - CHUNK : ROWS;
    static constexpr int GAP = ANYWHERE ? 128 / LANES_D : 0; /* bytes, after each group's rows */
    static constexpr int IN_BYTES = ROWS * ROW_BYTES + GROUPS * GAP;
    static constexpr int OUT_PITCH = ROWS * SIZE + CHUNK_BYTES;
    static constexpr int BYTES = IN_BYTES + (ANYWHERE ? COLS * OUT_PITCH + CHUNK_BYTES : 0);
    static constexpr int BLOCKS_PER_SM = blocks_per_sm(4, THREADS);
    static constexpr int TURNS = ROW_BYTES / WORD * GROUPS / THREADS;

    /* Byte `at` of a tile row. */
    static __device__ __forceinline__ int place(int row, int at)
    {
        const int group = row / CHUNK;
        if (ANYWHERE) return row * ROW_BYTES + group * GAP + at;
        return row * ROW_BYTES + (at ^ group % LANES_D * CHUNK_BYTES);
    }
};

/* Rows of words -> one chunk per column: in[i] holds the columns of row i. */
template <int SIZE>
__device__ __forceinline__ void transpose_block(const uint32_t (&in)[CHUNK_BYTES / SIZE],
                                                uint32_t (&out)[WORD / SIZE][4])
{
#pragma unroll
    for (int q = 0; q < 4; q++) {
        if constexpr (SIZE == 4) {
            out[0][q] = in[q];
        } else if constexpr (SIZE == 2) {
            out[0][q] = __byte_perm(in[2 * q], in[2 * q + 1], 0x5410);
            out[1][q] = __byte_perm(in[2 * q], in[2 * q + 1], 0x7632);
        } else {
            const uint32_t a = __byte_perm(in[4 * q], in[4 * q + 1], 0x5140); /* columns 0, 1 */
            const uint32_t b = __byte_perm(in[4 * q + 2], in[4 * q + 3], 0x5140);
            const uint32_t c = __byte_perm(in[4 * q], in[4 * q + 1], 0x7362); /* columns 2, 3 */
            const uint32_t d = __byte_perm(in[4 * q + 2], in[4 * q + 3], 0x7362);
            out[0][q] = __byte_perm(a, b, 0x5410);
            out[1][q] = __byte_perm(a, b, 0x7632);
            out[2][q] = __byte_perm(c, d, 0x5410);
            out[3][q] = __byte_perm(c, d, 0x7632);
        }
    }
}

/* Rows aligned to WIDTH bytes, that many at a time. */
template <typename T, int SIZE, int WIDTH>
__device__ __forceinline__ void copy_rows(const Walks &walks, const Place &place, char *tile)
{
    constexpr int STEPS = T::ROW_BYTES / WIDTH, STRIDE = THREADS / STEPS;
    const int at = threadIdx.x % STEPS * WIDTH, first = threadIdx.x / STEPS;
    const int inside = (int)min(place.s_left * SIZE - at, (int64_t)WIDTH);
    const int rows = (int)min((int64_t)T::ROWS, place.d_left);
    const int64_t step = walks.d.src[0] * SIZE * STRIDE;
    const char *from = place.src + src_row<SIZE>(walks.d, place.d0 + first) + place.s0 * SIZE + at;
    if (inside == WIDTH && rows == T::ROWS)
#pragma unroll
        for (int i = 0; i < T::ROWS / STRIDE; i++)
            copy_async<WIDTH>(tile + T::place(first + i * STRIDE, at), from + i * step);
    else if (inside == WIDTH)
        for (int row = first; row < rows; row += STRIDE, from += step)
            copy_async<WIDTH>(tile + T::place(row, at), from);
    else
        for (int row = first; row < rows; row += STRIDE, from += step)
            for (int b = 0; b < inside; b++) tile[T::place(row, at + b)] = from[b];
}

/* Rows that start at any byte, anywhere. Inside the array two chunks at a time, without a branch.
 */
template <typename T, int SIZE>
__device__ __forceinline__ void shift_rows(const Walks &walks, const Matrix &matrix,
                                           const Place &place, char *tile)
{
    constexpr int ROW_CHUNKS = T::ROW_BYTES / CHUNK_BYTES, STRIDE = THREADS / ROW_CHUNKS, BATCH = 4;
    const int at = threadIdx.x % ROW_CHUNKS * CHUNK_BYTES, first = threadIdx.x / ROW_CHUNKS;
    const int rows = (int)min((int64_t)T::ROWS, place.d_left);
    const char *start = place.src + place.s0 * SIZE + at;
    const auto from = [&](int row) { return start + src_row<SIZE>(walks.d, place.d0 + row); };
    if (at >= place.s_left * SIZE) return;
    if (rows < T::ROWS || walks.d.rank > 1 || from(0) - CHUNK_BYTES < matrix.hull.low ||
        from(T::ROWS - 1) + 2 * CHUNK_BYTES > matrix.hull.high) {
        for (int row = first; row < rows; row += STRIDE)
            *reinterpret_cast<uint4 *>(tile + T::place(row, at)) =
                load_chunk(from(row), matrix.hull.low, matrix.hull.high);
        return;
    }
    const int64_t step = walks.d.src[0] * SIZE * STRIDE;
    const char *next = from(first);
#pragma unroll
    for (int row = first; row < T::ROWS + first; row += BATCH * STRIDE) {
        uint4 a[BATCH], b[BATCH];
        int shift[BATCH];
#pragma unroll
        for (int i = 0; i < BATCH; i++, next += step) {
            shift[i] = (int)(reinterpret_cast<uintptr_t>(next) % CHUNK_BYTES);
            const uint4 *chunk = reinterpret_cast<const uint4 *>(next - shift[i]);
            a[i] = __ldg(chunk);
            b[i] = __ldg(chunk + 1);
        }
#pragma unroll
        for (int i = 0; i < BATCH; i++)
            *reinterpret_cast<uint4 *>(tile + T::place(row + i * STRIDE, at)) =
                join_chunks(a[i], b[i], shift[i]);
    }
}

/* A chunk to an aligned address; `left` elements lie in the matrix. */
template <int SIZE>
__device__ __forceinline__ void store_chunk(char *to, const uint32_t (&chunk)[4], int64_t left)
{
    const uint4 value = make_uint4(chunk[0], chunk[1], chunk[2], chunk[3]);
    if (left * SIZE >= CHUNK_BYTES)
        *reinterpret_cast<uint4 *>(to) = value;
    else
        store_part(to, value, 0, (int)(left * SIZE));
}

/* Bytes [at, at + 16) of a column, as far as they lie in [low, high), to an aligned address. */
__device__ __forceinline__ void write_cut(char *row, const char *column, int at, int low, int high)
{
    if (max(at, low) < min(at + CHUNK_BYTES, high))
        store_part(row + at, read_chunk<false>(column, at), max(low - at, 0),
                   min(high - at, CHUNK_BYTES));
}

/* ANYWHERE only: the second tile, a row per column of the first, to device memory. A tile writes
 * the aligned chunks that start in it; the matrix' first and last also what is cut at its ends.
 * With both ends of every tile cut: 50 instead of 67 % of a copy's bandwidth. */
template <typename T, int SIZE>
__device__ __forceinline__ void write_rows(const Walks &walks, const Place &place,
                                           const char *second)
{
    constexpr int WHOLE = T::STEP * SIZE / CHUNK_BYTES; /* chunks that start in a tile */
    constexpr int GROUP = WHOLE < 4    ? 4              /* threads per column, a power of two */
                          : WHOLE < 8  ? 8
                          : WHOLE < 16 ? 16
                          : WHOLE < 32 ? 32
                          : WHOLE < 64 ? 64
                                       : 128;
    const bool first = place.d0 == 0, last = place.d_left <= T::STEP;
    const int cols = (int)min((int64_t)T::COLS, place.s_left);
    const int inside = (int)min((int64_t)T::ROWS, place.d_left) * SIZE;
    const int k = threadIdx.x % GROUP; /* 0 is for the ends */
    for (int col = threadIdx.x / GROUP; col < cols; col += THREADS / GROUP) {
        char *row = place.dst + dst_row<SIZE>(walks.s, place.s0 + col) + place.d0 * SIZE;
        const int ahead = (int)(-reinterpret_cast<uintptr_t>(row) % CHUNK_BYTES);
        const int at = ahead + (k - 1) * CHUNK_BYTES;
        const char *column = second + col * T::OUT_PITCH;
        if (k == 0) {
            if (first) write_cut(row, column, at, 0, inside);
            if (last) write_cut(row, column, at + (WHOLE + 1) * CHUNK_BYTES, 0, inside);
        } else if (k <= WHOLE && at + CHUNK_BYTES <= inside) {
            const uint4 *chunk = reinterpret_cast<const uint4 *>(column) + (k - 1);
            *reinterpret_cast<uint4 *>(row + at) = join_chunks(chunk[0], chunk[1], ahead);
        } else if (k <= WHOLE) {
            write_cut(row, column, at, 0, inside);
        }
    }
}

template <typename T, int SIZE, bool ANYWHERE>
__device__ __forceinline__ void load_tile(const Walks &walks, const Matrix &matrix,
                                          const Place &place, char *tile)
{
    if constexpr (ANYWHERE)
        shift_rows<T, SIZE>(walks, matrix, place, tile);
    else if (matrix.src_width < 8)
        copy_rows<T, SIZE, 4>(walks, place, tile);
    else if (matrix.src_width < 16)
        copy_rows<T, SIZE, 8>(walks, place, tile);
    else
        copy_rows<T, SIZE, 16>(walks, place, tile);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

template <int SIZE, bool ANYWHERE, Shape SHAPE>
__global__ void __launch_bounds__(THREADS, Tile<SIZE, ANYWHERE, SHAPE>::BLOCKS_PER_SM)
    vector_tile_kernel(const __grid_constant__ Walks walks, const __grid_constant__ Matrix matrix)
{
    using T = Tile<SIZE, ANYWHERE, SHAPE>;
    __shared__ __align__(128) char tile[T::BYTES];
    char *second = tile + T::IN_BYTES;
    const Place place = find_place<SIZE, T::COLS, T::STEP>(walks.batch, matrix);
    load_tile<T, SIZE, ANYWHERE>(walks, matrix, place, tile);
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    char *out_tile = place.dst + dst_row<SIZE>(walks.s, ANYWHERE ? 0 : place.s0) + place.d0 * SIZE;
    const int64_t step = walks.s.dst[0] * SIZE;
#pragma unroll
    for (int turn = 0; turn < T::TURNS; turn++) {
        constexpr int ACROSS = T::ROW_BYTES / WORD / T::LANES_S; /* warps */
        const int i = turn * (THREADS / LANES) + warp;
        const int at = (i % ACROSS * T::LANES_S + lane / T::LANES_D) * WORD;
        const int row = (i / ACROSS * T::LANES_D + lane % T::LANES_D) * T::CHUNK;
        uint32_t in[T::CHUNK], out[T::WORD_COLS][4];
#pragma unroll
        for (int r = 0; r < T::CHUNK; r++)
            in[r] = *reinterpret_cast<const uint32_t *>(tile + T::place(row + r, at));
        transpose_block<SIZE>(in, out);
#pragma unroll
        for (int j = 0; j < T::WORD_COLS; j++) {
            const int col = at / SIZE + j;
            if (ANYWHERE)
                *reinterpret_cast<uint4 *>(second + col * T::OUT_PITCH + row * SIZE) =
                    make_uint4(out[j][0], out[j][1], out[j][2], out[j][3]);
            else if (col < place.s_left && row < place.d_left)
                store_chunk<SIZE>(out_tile + col * step + row * SIZE, out[j], place.d_left - row);
        }
    }
    if constexpr (ANYWHERE) {
        __syncthreads();
        write_rows<T, SIZE>(walks, place, second);
    }
}

constexpr int SIDE = 32, SIDE_STEP = THREADS / SIDE;

template <typename Element>
__global__ void __launch_bounds__(THREADS)
    element_tile_kernel(const __grid_constant__ Walks walks, const __grid_constant__ Matrix matrix)
{
    constexpr int SIZE = sizeof(Element);
    __shared__ Element tile[SIDE][SIDE + 1];
    const Place place = find_place<SIZE, SIDE, SIDE>(walks.batch, matrix);
    const char *from = place.src + place.s0 * SIZE;
    char *to = place.dst + place.d0 * SIZE;
    const int lane = threadIdx.x % SIDE, first = threadIdx.x / SIDE;
#pragma unroll
    for (int i = 0; i < SIDE; i += SIDE_STEP)
        if (lane < place.s_left && first + i < place.d_left)
            tile[first + i][lane] = reinterpret_cast<const Element *>(
                from + src_row<SIZE>(walks.d, place.d0 + first + i))[lane];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIDE; i += SIDE_STEP)
        if (first + i < place.s_left && lane < place.d_left)
            reinterpret_cast<Element *>(to + dst_row<SIZE>(walks.s, place.s0 + first + i))[lane] =
                tile[lane][first + i];
}

using Kernel = void(Walks, Matrix);

void launch(Kernel *kernel, const Walks &walks, Matrix matrix, int cols, int rows,
            cudaStream_t stream)
{
    matrix.down = (int32_t)ssimcu_divide_up(matrix.d_size, rows);
    matrix.tiles = (int32_t)(matrix.down * ssimcu_divide_up(matrix.s_size, cols));
    matrix.by_down = Divider<int32_t>(matrix.down);
    matrix.by_tiles = Divider<int32_t>(matrix.tiles);
    kernel<<<(unsigned)(matrix.tiles * walks.batch.count()), THREADS, 0, stream>>>(walks, matrix);
}

template <int SIZE, bool ANYWHERE, Shape SHAPE>
void launch_shape(const Walks &walks, const Matrix &matrix, cudaStream_t stream)
{
    using T = Tile<SIZE, ANYWHERE, SHAPE>;
    launch(vector_tile_kernel<SIZE, ANYWHERE, SHAPE>, walks, matrix, T::COLS, T::STEP, stream);
}

/* A composite s must be walked in the source's order. */
Walk<int32_t> walk_source(const Plan &plan, uint32_t set)
{
    Walk<int32_t> walk;
    for (int64_t stride = 1; walk.rank < __builtin_popcount(set);)
        for (int i = 0; i < plan.rank; i++)
            if (set >> i & 1 && plan.dim[i].src_stride == stride) {
                walk.add(plan.dim[i]);
                stride *= plan.dim[i].size;
            }
    return walk;
}

} // namespace

template <typename Element>
void launch_tile(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    constexpr int SIZE = sizeof(Element);
    const uint32_t all = (1u << plan.rank) - 1;
    const Walks walks = {Walk<int32_t>(plan, all & ~plan.src_set & ~plan.dst_set),
                         walk_source(plan, plan.src_set), Walk<int32_t>(plan, plan.dst_set)};
    Matrix matrix;
    matrix.dst = static_cast<char *>(dst);
    matrix.src = static_cast<const char *>(src);
    matrix.hull = Hull(plan, src);
    matrix.s_size = walks.s.rank == 1 ? plan.dim[plan.src_inner].size : walks.s.count();
    matrix.d_size = walks.d.rank == 1 ? plan.dim[plan.rank - 1].size : walks.d.count();
    matrix.src_width = row_alignment(plan, src, true);
    if constexpr (SIZE > WORD) {
        launch(element_tile_kernel<Element>, walks, matrix, SIDE, SIDE, stream);
    } else {
        if (matrix.s_size * SIZE <= SHORT_BYTES)
            launch_shape<SIZE, true, SHORT_S>(walks, matrix, stream);
        else if (matrix.d_size * SIZE <= SHORT_BYTES)
            launch_shape<SIZE, true, SHORT_D>(walks, matrix, stream);
        else if (walks.s.rank == 1 && walks.d.rank == 1 && matrix.src_width >= WORD &&
                 row_alignment(plan, dst, false) >= CHUNK_BYTES)
            launch_shape<SIZE, false, SQUARE>(walks, matrix, stream);
        else
            launch_shape<SIZE, true, SQUARE>(walks, matrix, stream);
    }
}

template void launch_tile<uint8_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint16_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint32_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint2>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint4>(const Plan &, void *, const void *, cudaStream_t);

} // namespace ssimcu
