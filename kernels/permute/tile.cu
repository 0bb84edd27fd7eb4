/* Batched transpose: the source's inner dimension s becomes an outer one, the destination's inner
 * dimension d was one (a matrix [d][s] -> [s][d]).
 *
 * DATA FLOW, rows on both sides 16-byte aligned, elements of 1, 2 or 4 bytes. A block brings a tile
 * to shared memory by 16-byte asynchronous copies, a row of the tile along s. A thread then reads
 * one 4-byte word (1, 2 or 4 columns) from each of the rows that make up a 16-byte chunk along d
 * (4, 8 or 16 rows), transposes that little block in registers by byte permutes, and stores a chunk
 * for each of its columns. Eight lanes of neighbouring d make 128-byte stores. The chunks of a row
 * are stored in the order k ^ (d group), so that the 8 x 4 words that a warp reads lie in 32
 * different banks.
 *
 * Otherwise (odd pitches, elements of 8 and 16 bytes) tiles of 32 x 32 elements, one at a time,
 * with a column of padding.
 */
#include "permute.cuh"

namespace ssimcu
{
namespace
{

constexpr int THREADS = 256;
constexpr int LANES = 32;
constexpr int GROUP_LANES = 8; /* lanes along d: 8 chunks are a cache line */

/* The matrix, sizes in elements, strides in bytes. */
struct Matrix {
    char *dst;
    const char *src;
    int64_t s_size, d_size;
    int64_t src_row; /* from d to d + 1 in the source */
    int64_t dst_row; /* from s to s + 1 in the destination */
    Divider<int32_t> tiles_s, tiles;
    int32_t tiles_s_count, tile_count; /* along s, in the whole matrix */
};

/* Which tile a block works on. */
struct Place {
    int64_t s0, d0;
    const char *src;
    char *dst;
};

template <int SIZE, int COLS, int ROWS>
__device__ __forceinline__ Place find_place(const Walk<int32_t> &outer, const Matrix &matrix)
{
    const int batch = matrix.tiles.quotient(blockIdx.x);
    const int tile = blockIdx.x - batch * matrix.tile_count;
    const int td = matrix.tiles_s.quotient(tile), ts = tile - td * matrix.tiles_s_count;
    const Offset at = outer.at(batch);
    return {(int64_t)ts * COLS, (int64_t)td * ROWS, matrix.src + at.src * SIZE,
            matrix.dst + at.dst * SIZE};
}

/* Sizes of the vector tile for an element of SIZE bytes. */
template <int SIZE>
struct Vector {
    static constexpr int CHUNK =
        CHUNK_BYTES / SIZE;               /* elements per chunk: rows per chunk along d */
    static constexpr int WORD = 4 / SIZE; /* columns per word */
    static constexpr int ROW_BYTES = SIZE == 1 ? 128 : 256;
    static constexpr int COLS = ROW_BYTES / SIZE;
    static constexpr int ROW_CHUNKS = ROW_BYTES / CHUNK_BYTES;
    static constexpr int GROUPS = SIZE == 1 ? 8 : 16; /* chunks along d */
    static constexpr int ROWS = GROUPS * CHUNK;
};

/* Rows of words -> one chunk per column: in[i] holds the columns of row i. */
template <int SIZE>
__device__ __forceinline__ void transpose_block(const uint32_t (&in)[Vector<SIZE>::CHUNK],
                                                uint32_t (&out)[Vector<SIZE>::WORD][4])
{
#pragma unroll
    for (int q = 0; q < 4; q++) {
        if (SIZE == 4) out[0][q] = in[q];
        if (SIZE == 2) {
            out[0][q] = __byte_perm(in[2 * q], in[2 * q + 1], 0x5410);
            out[1 % Vector<SIZE>::WORD][q] = __byte_perm(in[2 * q], in[2 * q + 1], 0x7632);
        }
        if (SIZE == 1) {
            const uint32_t *row = &in[4 * q % Vector<SIZE>::CHUNK];
            const uint32_t a =
                __byte_perm(row[0], row[1], 0x5140); /* columns 0 and 1 of rows 0, 1 */
            const uint32_t b = __byte_perm(row[2], row[3], 0x5140);
            const uint32_t c = __byte_perm(row[0], row[1], 0x7362); /* columns 2 and 3 */
            const uint32_t d = __byte_perm(row[2], row[3], 0x7362);
            out[0][q] = __byte_perm(a, b, 0x5410);
            out[1 % Vector<SIZE>::WORD][q] = __byte_perm(a, b, 0x7632);
            out[2 % Vector<SIZE>::WORD][q] = __byte_perm(c, d, 0x5410);
            out[3 % Vector<SIZE>::WORD][q] = __byte_perm(c, d, 0x7632);
        }
    }
}

template <int SIZE>
__device__ __forceinline__ void load_tile(const Matrix &matrix, const Place &place, char *tile)
{
    using V = Vector<SIZE>;
#pragma unroll
    for (int i = threadIdx.x; i < V::ROWS * V::ROW_CHUNKS; i += THREADS) {
        const int k = i % V::ROW_CHUNKS, r = i / V::ROW_CHUNKS;
        const int64_t inside = (matrix.s_size - place.s0) * SIZE - k * CHUNK_BYTES;
        if (place.d0 + r >= matrix.d_size || inside <= 0) continue;
        char *to = tile + r * V::ROW_BYTES + (k ^ (r / V::CHUNK % GROUP_LANES)) * CHUNK_BYTES;
        const char *from =
            place.src + (place.d0 + r) * matrix.src_row + place.s0 * SIZE + k * CHUNK_BYTES;
        if (inside >= CHUNK_BYTES)
            copy_chunk(to, from);
        else
            copy_cut_chunk(to, from, (int)inside);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
}

template <int SIZE>
__device__ __forceinline__ void store_chunk(char *to, const uint32_t (&chunk)[4], int64_t left)
{
    if (left >= Vector<SIZE>::CHUNK) {
        *reinterpret_cast<uint4 *>(to) = make_uint4(chunk[0], chunk[1], chunk[2], chunk[3]);
        return;
    }
#pragma unroll
    for (int i = 0; i < Vector<SIZE>::CHUNK; i++)
        if (i < left) memcpy(to + i * SIZE, reinterpret_cast<const char *>(chunk) + i * SIZE, SIZE);
}

template <int SIZE>
__global__ void __launch_bounds__(THREADS)
    vector_tile_kernel(const __grid_constant__ Walk<int32_t> outer, const Matrix matrix)
{
    using V = Vector<SIZE>;
    __shared__ __align__(128) char tile[V::ROWS * V::ROW_BYTES];
    const Place place = find_place<SIZE, V::COLS, V::ROWS>(outer, matrix);
    load_tile<SIZE>(matrix, place, tile);
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
#pragma unroll
    for (int i = warp; i < V::ROW_CHUNKS * V::GROUPS / GROUP_LANES; i += THREADS / LANES) {
        const int k = i % V::ROW_CHUNKS, word = lane / GROUP_LANES;
        const int g = i / V::ROW_CHUNKS * GROUP_LANES + lane % GROUP_LANES;
        const char *column = tile + (k ^ (g % GROUP_LANES)) * CHUNK_BYTES + word * 4;
        uint32_t in[V::CHUNK], out[V::WORD][4];
#pragma unroll
        for (int r = 0; r < V::CHUNK; r++)
            in[r] = *reinterpret_cast<const uint32_t *>(column + (g * V::CHUNK + r) * V::ROW_BYTES);
        transpose_block<SIZE>(in, out);
        const int64_t d = place.d0 + g * V::CHUNK;
#pragma unroll
        for (int j = 0; j < V::WORD; j++) {
            const int64_t s = place.s0 + (k * 4 + word) * V::WORD + j;
            if (s < matrix.s_size && d < matrix.d_size)
                store_chunk<SIZE>(place.dst + s * matrix.dst_row + d * SIZE, out[j],
                                  matrix.d_size - d);
        }
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
    const int64_t s_load = place.s0 + lane, d_store = place.d0 + lane;
#pragma unroll
    for (int i = 0; i < SIDE; i += SIDE_STEP) {
        const int64_t d = place.d0 + first + i;
        if (s_load < matrix.s_size && d < matrix.d_size)
            tile[first + i][lane] =
                reinterpret_cast<const Element *>(place.src + d * matrix.src_row)[s_load];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIDE; i += SIDE_STEP) {
        const int64_t s = place.s0 + first + i;
        if (s < matrix.s_size && d_store < matrix.d_size)
            reinterpret_cast<Element *>(place.dst + s * matrix.dst_row)[d_store] =
                tile[lane][first + i];
    }
}

/* Whether every row of either side starts on a chunk. */
bool rows_are_aligned(const Plan &plan, const void *dst, const void *src)
{
    const int64_t chunk = CHUNK_BYTES / plan.element;
    if ((reinterpret_cast<uintptr_t>(dst) | reinterpret_cast<uintptr_t>(src)) % CHUNK_BYTES)
        return false;
    for (int i = 0; i < plan.rank; i++) {
        if (i != plan.src_inner && plan.dim[i].src_stride % chunk != 0) return false;
        if (i != plan.rank - 1 && plan.dim[i].dst_stride % chunk != 0) return false;
    }
    return true;
}

template <typename Kernel>
void launch(Kernel *kernel, const Plan &plan, void *dst, const void *src, int cols, int rows,
            cudaStream_t stream)
{
    const int last = plan.rank - 1;
    const ssimcu_permute_dim &s = plan.dim[plan.src_inner], &d = plan.dim[last];
    const int64_t across = divide_up(s.size, cols), tiles = across * divide_up(d.size, rows);
    const Walk<int32_t> outer(plan, last, plan.src_inner);
    const Matrix matrix = {static_cast<char *>(dst),
                           static_cast<const char *>(src),
                           s.size,
                           d.size,
                           d.src_stride * (int64_t)plan.element,
                           s.dst_stride * (int64_t)plan.element,
                           Divider<int32_t>(across),
                           Divider<int32_t>(tiles),
                           (int32_t)across,
                           (int32_t)tiles};
    kernel<<<(unsigned)(tiles * outer.count()), THREADS, 0, stream>>>(outer, matrix);
}

} // namespace

template <typename Element>
void launch_tile(const Plan &plan, void *dst, const void *src, cudaStream_t stream)
{
    constexpr int SIZE = sizeof(Element);
    if constexpr (SIZE <= 4) {
        using V = Vector<SIZE>;
        if (rows_are_aligned(plan, dst, src))
            return launch(vector_tile_kernel<SIZE>, plan, dst, src, V::COLS, V::ROWS, stream);
    }
    launch(element_tile_kernel<Element>, plan, dst, src, SIDE, SIDE, stream);
}

template void launch_tile<uint8_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint16_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint32_t>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint2>(const Plan &, void *, const void *, cudaStream_t);
template void launch_tile<uint4>(const Plan &, void *, const void *, cudaStream_t);

} // namespace ssimcu
