/* Batched transpose: the source's inner dimension s becomes an outer one, the destination's inner
 * dimension d was one (a matrix [d][s] -> [s][d]).
 *
 * DATA FLOW, elements of 1, 2 and 4 bytes. A block brings a tile to shared memory by asynchronous
 * copies, a row of the tile along s. A thread then reads one 4-byte word (1, 2 or 4 columns) from
 * each of the rows that make up a 16-byte chunk along d (4, 8 or 16 rows), transposes that little
 * block in registers by byte permutes, and stores a chunk for each of its columns. Eight lanes of
 * neighbouring d make 128-byte stores. The chunks of a row are kept in the order k ^ (d group), so
 * that the 8 x 4 words that a warp reads lie in 32 different banks.
 *
 * ALIGNMENT. That asks for source rows aligned to 4 bytes (copies are 16, 8 or 4 wide) and
 * destination rows aligned to 16. Otherwise (SKEWED) rows are copied from the chunk at or before
 * their start and read as two words shifted together, and chunks go to a second tile first, from
 * where each row is written in the destination's aligned chunks.
 *
 * ORDER. Blocks go along d first, so that neighbouring blocks write neighbouring addresses: 135.6
 * us for 8192 x 8192 floats on an H200, against 143.6 us along s first (copy: 128 us). Rows of 512
 * bytes instead of 256: no gain.
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
constexpr int GROUP_LANES = 8; /* lanes along d: 8 chunks are a cache line */
constexpr int WORD = 4;        /* bytes */

/* The matrix, sizes in elements, strides in bytes. */
struct Matrix {
    char *dst;
    const char *src;
    int64_t s_size, d_size;
    int64_t src_row;          /* from d to d + 1 in the source */
    int64_t dst_row;          /* from s to s + 1 in the destination */
    int src_width, dst_width; /* bytes that every row is aligned to: 16, 8, 4 or fewer */
    Divider<int32_t> by_down, by_tiles;
    int32_t down, tiles; /* tiles along d, in the whole matrix */
};

/* Which tile a block works on: pointers to its first element. */
struct Place {
    int64_t s_before, s_left, d_left; /* elements from there to the matrix' edges */
    const char *src;
    char *dst;
};

template <int SIZE, int COLS, int ROWS>
__device__ __forceinline__ Place find_place(const Walk<int32_t> &outer, const Matrix &matrix)
{
    const int batch = matrix.by_tiles.quotient(blockIdx.x);
    const int tile = blockIdx.x - batch * matrix.tiles;
    const int column = matrix.by_down.quotient(tile);
    const int64_t s0 = (int64_t)column * COLS;
    const int64_t d0 = (int64_t)(tile - column * matrix.down) * ROWS;
    const Offset at = outer.at(batch);
    return {s0, matrix.s_size - s0, matrix.d_size - d0,
            matrix.src + at.src * SIZE + d0 * matrix.src_row + s0 * SIZE,
            matrix.dst + at.dst * SIZE + s0 * matrix.dst_row + d0 * SIZE};
}

/* The vector tile for an element of SIZE bytes. */
template <int SIZE, bool SKEWED>
struct Vector {
    static constexpr int CHUNK =
        CHUNK_BYTES / SIZE;                       /* elements per chunk: rows per chunk along d */
    static constexpr int WORD_COLS = WORD / SIZE; /* columns per word */
    static constexpr int ROW_BYTES = SIZE == 1 || (SKEWED && SIZE == 2) ? 128 : 256;
    static constexpr int PITCH = ROW_BYTES + (SKEWED ? CHUNK_BYTES : 0);
    static constexpr int COLS = ROW_BYTES / SIZE;
    static constexpr int ROW_CHUNKS = ROW_BYTES / CHUNK_BYTES;
    static constexpr int GROUPS = ROW_BYTES / CHUNK_BYTES; /* chunks along d */
    static constexpr int ROWS = GROUPS * CHUNK;
    static constexpr int OUT_PITCH = ROWS * SIZE + CHUNK_BYTES;
    static constexpr int BYTES = ROWS * PITCH + (SKEWED ? COLS * OUT_PITCH : 0);

    /* Byte `at` of a tile row. The spare chunk of a skewed row keeps its place. */
    static __device__ __forceinline__ int place(int row, int at)
    {
        const int k = at / CHUNK_BYTES, moved = k ^ (row / CHUNK % GROUP_LANES);
        return row * PITCH + (k < ROW_CHUNKS ? moved : k) * CHUNK_BYTES + at % CHUNK_BYTES;
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

/* Bytes [low, high) of a chunk to shared memory, by words where they are whole. */
__device__ __forceinline__ void copy_part(char *shared, const char *from, int low, int high)
{
#pragma unroll
    for (int i = 0; i < CHUNK_BYTES; i += WORD)
        if (i >= low && i + WORD <= high)
            __pipeline_memcpy_async(shared + i, from + i, WORD);
        else
            for (int b = max(i, low); b < min(i + WORD, high); b++) shared[b] = from[b];
}

/* Copies the tile's rows by WIDTH bytes at a time; a skewed row with the bytes before it that share
 * its first chunk. */
template <int SIZE, bool SKEWED, int WIDTH>
__device__ __forceinline__ void load_rows(const Matrix &matrix, const Place &place, char *tile)
{
    using V = Vector<SIZE, SKEWED>;
    constexpr int STEPS = V::PITCH / WIDTH;
    const int before = (int)min(place.s_before * SIZE, (int64_t)WIDTH);
    const int left = (int)min(place.s_left * SIZE, (int64_t)V::PITCH);
    const int rows = (int)min((int64_t)V::ROWS, place.d_left);
    const bool whole = (!SKEWED || before == WIDTH) && left == V::PITCH;
#pragma unroll 8
    for (int i = threadIdx.x; i < rows * STEPS; i += THREADS) {
        const int row = i / STEPS, at = i % STEPS * WIDTH;
        const char *start = place.src + row * matrix.src_row;
        const int first = at - (SKEWED ? (int)(reinterpret_cast<uintptr_t>(start) % WIDTH) : 0);
        char *to = tile + V::place(row, at);
        if (!whole && first >= left) continue;
        if (whole || (first >= -before && first + WIDTH <= left))
            __pipeline_memcpy_async(to, start + first, WIDTH);
        else
            copy_part(to, start + first, max(-first, 0), min(left - first, WIDTH));
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* The word of columns at byte `at` of a tile row. */
template <int SIZE, bool SKEWED>
__device__ __forceinline__ uint32_t read_columns(const Matrix &matrix, const Place &place,
                                                 const char *tile, int row, int at)
{
    using V = Vector<SIZE, SKEWED>;
    if constexpr (!SKEWED) {
        return *reinterpret_cast<const uint32_t *>(tile + V::place(row, at));
    } else {
        const uint32_t low = (uint32_t) reinterpret_cast<uintptr_t>(place.src);
        const int skip = (int)((low + (uint32_t)row * (uint32_t)matrix.src_row) % CHUNK_BYTES);
        const int word = (at + skip) & ~(WORD - 1);
        const uint32_t here = *reinterpret_cast<const uint32_t *>(tile + V::place(row, word));
        if (SIZE == WORD) return here;
        const uint32_t next =
            *reinterpret_cast<const uint32_t *>(tile + V::place(row, word + WORD));
        return __funnelshift_r(here, next, skip % WORD * 8);
    }
}

/* A chunk to an aligned address; `left` elements lie in the matrix. */
template <int SIZE>
__device__ __forceinline__ void store_chunk(char *to, const uint32_t (&chunk)[4], int64_t left)
{
    constexpr int CHUNK = CHUNK_BYTES / SIZE;
    if (left >= CHUNK) {
        *reinterpret_cast<uint4 *>(to) = make_uint4(chunk[0], chunk[1], chunk[2], chunk[3]);
        return;
    }
#pragma unroll
    for (int i = 0; i < CHUNK; i++) {
        const uint32_t shifted = chunk[i * SIZE / WORD] >> (i * SIZE % WORD * 8);
        if (i < left) memcpy(to + i * SIZE, &shifted, SIZE);
    }
}

/* SKEWED only: the second tile, a row per column of the first, to device memory. */
template <int SIZE>
__device__ __forceinline__ void write_rows(const Matrix &matrix, const Place &place,
                                           const char *second)
{
    using V = Vector<SIZE, true>;
    const int cols = (int)min((int64_t)V::COLS, place.s_left);
    const int bytes = (int)min((int64_t)V::ROWS, place.d_left) * SIZE;
    constexpr int CHUNKS = V::ROWS * SIZE / CHUNK_BYTES + 1;
    for (int i = threadIdx.x; i < cols * CHUNKS; i += THREADS) {
        const int col = i / CHUNKS;
        write_chunk<false>(place.dst + col * matrix.dst_row, bytes, second + col * V::OUT_PITCH,
                           i % CHUNKS);
    }
}

template <int SIZE, bool SKEWED>
__global__ void __launch_bounds__(THREADS)
    vector_tile_kernel(const __grid_constant__ Walk<int32_t> outer, const Matrix matrix)
{
    using V = Vector<SIZE, SKEWED>;
    __shared__ __align__(128) char tile[V::BYTES];
    char *second = tile + V::ROWS * V::PITCH;
    const Place place = find_place<SIZE, V::COLS, V::ROWS>(outer, matrix);
    if (SKEWED)
        load_rows<SIZE, SKEWED, 16>(matrix, place, tile);
    else if (matrix.src_width < 8)
        load_rows<SIZE, SKEWED, 4>(matrix, place, tile);
    else if (matrix.src_width < 16)
        load_rows<SIZE, SKEWED, 8>(matrix, place, tile);
    else
        load_rows<SIZE, SKEWED, 16>(matrix, place, tile);
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
#pragma unroll
    for (int i = warp; i < V::ROW_CHUNKS * V::GROUPS / GROUP_LANES; i += THREADS / LANES) {
        const int at = i % V::ROW_CHUNKS * CHUNK_BYTES + lane / GROUP_LANES * WORD;
        const int row = (i / V::ROW_CHUNKS * GROUP_LANES + lane % GROUP_LANES) * V::CHUNK;
        uint32_t in[V::CHUNK], out[V::WORD_COLS][4];
#pragma unroll
        for (int r = 0; r < V::CHUNK; r++)
            in[r] = read_columns<SIZE, SKEWED>(matrix, place, tile, row + r, at);
        transpose_block<SIZE>(in, out);
#pragma unroll
        for (int j = 0; j < V::WORD_COLS; j++) {
            const int col = at / SIZE + j;
            if (SKEWED)
                *reinterpret_cast<uint4 *>(second + col * V::OUT_PITCH + row * SIZE) =
                    make_uint4(out[j][0], out[j][1], out[j][2], out[j][3]);
            else if (col < place.s_left && row < place.d_left)
                store_chunk<SIZE>(place.dst + col * matrix.dst_row + row * SIZE, out[j],
                                  place.d_left - row);
        }
    }
    if constexpr (SKEWED) {
        __syncthreads();
        write_rows<SIZE>(matrix, place, second);
    }
}

constexpr int SIDE = 32, SIDE_STEP = THREADS / SIDE;

template <typename Element>
__global__ void __launch_bounds__(THREADS)
    element_tile_kernel(const __grid_constant__ Walk<int32_t> outer, const Matrix matrix)
{
    __shared__ Element tile[SIDE][SIDE + 1];
    const Place place = find_place<sizeof(Element), SIDE, SIDE>(outer, matrix);
    const int lane = threadIdx.x % SIDE, first = threadIdx.x / SIDE;
#pragma unroll
    for (int i = 0; i < SIDE; i += SIDE_STEP)
        if (lane < place.s_left && first + i < place.d_left)
            tile[first + i][lane] =
                reinterpret_cast<const Element *>(place.src + (first + i) * matrix.src_row)[lane];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIDE; i += SIDE_STEP)
        if (first + i < place.s_left && lane < place.d_left)
            reinterpret_cast<Element *>(place.dst + (first + i) * matrix.dst_row)[lane] =
                tile[lane][first + i];
}

/* Bytes, at most 16, that every row start on one side is aligned to. */
int row_alignment(const Plan &plan, const void *base, bool source)
{
    uintptr_t bits = reinterpret_cast<uintptr_t>(base) | CHUNK_BYTES;
    for (int i = 0; i < plan.rank; i++) {
        const bool inner = i == (source ? plan.src_inner : plan.rank - 1);
        const int64_t stride = source ? plan.dim[i].src_stride : plan.dim[i].dst_stride;
        if (!inner) bits |= (uintptr_t)(stride * plan.element);
    }
    return (int)(bits & -bits);
}

template <typename Kernel>
void launch(Kernel *kernel, const Plan &plan, Matrix matrix, int cols, int rows,
            cudaStream_t stream)
{
    const int last = plan.rank - 1;
    const ssimcu_permute_dim &s = plan.dim[plan.src_inner], &d = plan.dim[last];
    const Walk<int32_t> outer(plan, last, plan.src_inner);
    matrix.s_size = s.size;
    matrix.d_size = d.size;
    matrix.src_row = d.src_stride * (int64_t)plan.element;
    matrix.dst_row = s.dst_stride * (int64_t)plan.element;
    matrix.down = (int32_t)divide_up(d.size, rows);
    matrix.tiles = (int32_t)(matrix.down * divide_up(s.size, cols));
    matrix.by_down = Divider<int32_t>(matrix.down);
    matrix.by_tiles = Divider<int32_t>(matrix.tiles);
    kernel<<<(unsigned)(matrix.tiles * outer.count()), THREADS, 0, stream>>>(outer, matrix);
}

} // namespace

template <typename Element>
void launch_tile(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    constexpr int SIZE = sizeof(Element);
    Matrix matrix;
    matrix.dst = static_cast<char *>(dst);
    matrix.src = static_cast<const char *>(src);
    matrix.src_width = row_alignment(plan, src, true);
    matrix.dst_width = row_alignment(plan, dst, false);
    if constexpr (SIZE <= WORD) {
        using V = Vector<SIZE, true>;
        if (matrix.src_width < WORD || matrix.dst_width < CHUNK_BYTES)
            return launch(vector_tile_kernel<SIZE, true>, plan, matrix, V::COLS, V::ROWS, stream);
    }
    if constexpr (SIZE <= WORD) {
        using V = Vector<SIZE, false>;
        launch(vector_tile_kernel<SIZE, false>, plan, matrix, V::COLS, V::ROWS, stream);
    } else {
        launch(element_tile_kernel<Element>, plan, matrix, SIDE, SIDE, stream);
    }
}

template void launch_tile<uint8_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint16_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint32_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint2>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint4>(const Plan &, void *, const void *, cudaStream_t);

} // namespace ssimcu
