/* Batched transpose. The source's inner dimension s becomes an outer one, and an outer one becomes
 * the destination's inner dimension d (a matrix [d][s] -> [s][d]). If an inner dimension is short,
 * the plan adds the next ones to it. Then s and d are composite, and the rows of the matrix may lie
 * anywhere.
 *
 * DATA FLOW, for elements of 1, 2 and 4 bytes. A block loads a tile into shared memory by
 * asynchronous copies, each row of the tile along s. A 16-byte chunk along d is 4, 8 or 16 rows. A
 * thread reads one 4-byte word (1, 2 or 4 columns) from each of them. It transposes that little
 * block in registers by byte permutes, and stores a chunk for each of its columns. Eight lanes of
 * neighbouring d make 128-byte stores. The 8 x 4 words of a warp's read lie in 32 different banks,
 * because a row's chunks are in the order k ^ group along d. With ANYWHERE a gap follows the rows
 * of each group instead. Gaps in both give 93.4 instead of 95 % of a copy's bandwidth.
 *
 * ALIGNMENT. This needs source rows aligned to 4 bytes (copies are 16, 8 or 4 wide) and destination
 * rows aligned to 16. Otherwise the tile is ANYWHERE. Chunks of the source are then shifted into
 * place in registers on their way into the tile. Chunks of the destination go to a second tile
 * first, and from there each row is written in the destination's aligned chunks.
 *
 * ORDER. Blocks go along d first, so that neighbouring blocks write neighbouring addresses. This
 * takes 135.6 us for 8192 x 8192 floats on an H200, against 143.6 us along s first (a copy: 128
 * us). Bands of 1 to 32 tiles along d in turn take 138 to 140 us. If blocks go column by column
 * over all batches, partial tiles come last. That gives 82 instead of 94 % of a copy's bandwidth
 * for 16 x 5792 x 724, whose columns share sectors.
 *
 * SIZES. Rows of 512 bytes instead of 256 gain nothing. For 2-byte elements and 16 x 5792 x 724,
 * tiles of 64 rows take 72.2 us and tiles of 128 rows 72.7. ANYWHERE tiles have 128 rows: with 64
 * they reach 57 instead of 77 % of a copy's bandwidth. Blocks of half the threads and tile take
 * 72.1 to 73.3 us. 4, 5, 6 or 8 blocks per SM are within 0.3 %. Without a bound on blocks per SM,
 * the compiler takes 32 to 72 registers, keeps addresses in local memory and gains nothing.
 *
 * CACHES. Streaming stores take 73.4 us. Streaming loads take 72.1, but 79 for prime sizes. L2
 * fetches of whole lines of 128 bytes gain: 72.4 -> 71.9 us for 16 x 5792 x 724, 137.2 -> 135.7 us
 * in floats. Lines of 256 bytes gain nothing.
 *
 * SHAPE. A side of up to 32 bytes has special tiles, 32 bytes by 512 elements, always ANYWHERE.
 *
 * Elements of 8 and 16 bytes move one at a time through tiles of 32 x 32 with a column of padding.
 */
#include "tile_rows.cuh"

namespace ssimcu
{
namespace
{

using namespace tile;

constexpr int LANES = 32;

/* The width of a tile along s and along d. */
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
    static constexpr int LANES_D = GROUPS < 8 ? GROUPS : 8; /* chunks along d; 8: a cache line */
    static constexpr int LANES_S = LANES / LANES_D;         /* words along s */
    static constexpr int ROWS = GROUPS * CHUNK;
    /* Rows from tile to tile. ANYWHERE tiles overlap by a chunk, so that each writes whole chunks
     * of the destination wherever chunk borders lie. */
    static constexpr int STEP = ANYWHERE && SHAPE != SHORT_D ? ROWS - CHUNK : ROWS;
    static constexpr int GAP = ANYWHERE ? 128 / LANES_D : 0; /* bytes after each group's rows */
    static constexpr int IN_BYTES = ROWS * ROW_BYTES + GROUPS * GAP;
    static constexpr int OUT_PITCH = ROWS * SIZE + CHUNK_BYTES;
    static constexpr int BYTES = IN_BYTES + (ANYWHERE ? COLS * OUT_PITCH + CHUNK_BYTES : 0);
    static constexpr int BLOCKS_PER_SM = blocks_per_sm(4, THREADS);
    static constexpr int TURNS = ROW_BYTES / WORD * GROUPS / THREADS;

    /* Returns the place of byte `at` of a tile row. */
    static __device__ __forceinline__ int place(int row, int at)
    {
        const int group = row / CHUNK;
        if (ANYWHERE) return row * ROW_BYTES + group * GAP + at;
        return row * ROW_BYTES + (at ^ group % LANES_D * CHUNK_BYTES);
    }
};

/* Transposes rows of words to one chunk per column. in[i] holds the columns of row i. */
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
        constexpr int ACROSS = T::ROW_BYTES / WORD / T::LANES_S; /* warps side by side */
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

/* Walks a composite s in the source's order. */
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
