/* The rows of a transpose's tiles. A block finds its tile, loads the rows from the source into
 * shared memory, and stores them to an unaligned destination. T is the Tile of tile.cu, which has
 * the reasons. */
#pragma once

#include "permute.cuh"

namespace ssimcu
{
namespace tile
{

constexpr int THREADS = 256;
constexpr int WORD = 4; /* bytes */

/* The matrix, sizes in elements. */
struct Matrix {
    char *dst;
    const char *src;
    Hull hull;
    int64_t s_size, d_size;
    int src_width; /* alignment of every source row in bytes: 16, 8, 4 or fewer */
    Divider<int32_t> by_down, by_tiles;
    int32_t down, tiles; /* tiles along d, in the whole matrix */
};

/* The walked dimensions: from tile to tile, along s and along d. */
struct Walks {
    Walk<int32_t> batch, s, d;
};

/* The tile that a block works on. */
struct Place {
    const char *src; /* the batch's first element, here and below */
    char *dst;
    int64_t s0, d0;
    int64_t s_left, d_left; /* elements from the tile to the matrix' edges */
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

/* Return the bytes from the batch's first element to row d of the source and to row s of the
 * destination. A dimension by itself may be longer than an int. */
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

/* Copies rows aligned to WIDTH bytes, WIDTH bytes at a time. */
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

/* Copies rows that start at any byte and lie anywhere. Inside the array it loads two chunks at a
 * time, without a branch. */
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

/* Stores a chunk at an aligned address; `left` elements lie in the matrix. */
template <int SIZE>
__device__ __forceinline__ void store_chunk(char *to, const uint32_t (&chunk)[4], int64_t left)
{
    const uint4 value = make_uint4(chunk[0], chunk[1], chunk[2], chunk[3]);
    if (left * SIZE >= CHUNK_BYTES)
        *reinterpret_cast<uint4 *>(to) = value;
    else
        store_part(to, value, 0, (int)(left * SIZE));
}

/* Writes the bytes [at, at + 16) of a column that lie in [low, high) to an aligned address. */
__device__ __forceinline__ void write_cut(char *row, const char *column, int at, int low, int high)
{
    if (max(at, low) < min(at + CHUNK_BYTES, high))
        store_part(row + at, read_chunk<false>(column, at), max(low - at, 0),
                   min(high - at, CHUNK_BYTES));
}

/* Writes the second tile, which has a row per column of the first, to device memory (ANYWHERE
 * only). A tile writes the aligned chunks that start in it. The matrix' first and last tiles also
 * write the partial chunks at its ends. With partial chunks at both ends of every tile, it would be
 * 50 instead of 67 % of a copy's bandwidth. */
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
    const int k = threadIdx.x % GROUP; /* 0 writes the ends */
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

} // namespace tile
} // namespace ssimcu
