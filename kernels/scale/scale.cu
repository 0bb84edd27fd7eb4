/* Scaling in one pass through memory. lib/cpu/scale.c defines the result.
 *
 * A block makes a tile of the scaled plane. The window is the input that the tile depends on. The
 * block loads it into shared memory as working values. It sums along one direction and then along
 * the other, which gives the samples:
 *
 *   window  --across-->  between  --down-->  tile      if that is less work (making larger)
 *   window  --down-->    between  --across-->  tile    else
 *
 * A warp takes a row at a time. Its lanes write neighbours, so stores are whole sectors. Common
 * filters keep their weights in registers. A tile has 64 samples across and up to 32 rows. It has
 * fewer rows if the window would not fit: at a quarter of the size, the window is 16 times the
 * tile. Windows overlap by the reach of the filter; blocks find shared samples in L2.
 *
 * If not even the smallest window fits, or the sums are not in order along the axis, each thread
 * adds up one sample. Such planes are tiny, before or after scaling. */
#include "core/divide_up.h"
#include "kernels.h"

namespace
{

constexpr int THREADS = 256, WARP = 32, WARPS = THREADS / WARP;
constexpr int COLUMNS = 64; /* samples of a tile across */
constexpr int MOST_ROWS = 32, FEWEST_ROWS = 4;
constexpr int MOST_BYTES = 48 << 10; /* bytes of shared memory that every device has */

/* A tile in shared memory. */
struct Tile {
    int columns, rows; /* pixels and rows, at most */
    int window;        /* most values of a window */
    int bytes;         /* of shared memory */
};

/* The work of a block. */
struct Part {
    int x, y;          /* first pixel of the tile */
    int columns, rows; /* its pixels and rows */
    int left, top;     /* first pixel of the window */
    int width, height; /* values per row of the window, and its rows */
    int between;       /* values per row between the directions */
    int most;          /* the largest number */
};

__device__ __forceinline__ Part part_of(const ssimcu_scale_task &task, const Tile &tile)
{
    const ssimcu_taps &across = task.across, &down = task.down;
    Part part;
    part.x = blockIdx.x * tile.columns;
    part.y = blockIdx.y * tile.rows;
    part.columns = min(tile.columns, (int)across.to - part.x);
    part.rows = min(tile.rows, (int)down.to - part.y);
    part.left = across.left[part.x];
    part.top = down.left[part.y];
    part.width = (across.left[part.x + part.columns - 1] + (int)across.width - part.left) *
                 (int)task.channels;
    part.height = down.left[part.y + part.rows - 1] + (int)down.width - part.top;
    part.between = task.across_first ? part.columns * (int)task.channels : part.width;
    part.most = (1 << ssimcu_scale_work_bits(&task)) - 1;
    return part;
}

__device__ __forceinline__ const char *row_of(const ssimcu_scale_task &task, int y)
{
    return static_cast<const char *>(task.src) + y * task.src_pitch;
}

__device__ __forceinline__ void load(const ssimcu_scale_task &task, const Part &part,
                                     uint16_t *window)
{
    const int channels = (int)task.channels, step = (int)task.src_step;
    for (int y = threadIdx.x / WARP; y < part.height; y += WARPS) {
        const char *const row = row_of(task, part.top + y);
        for (int e = threadIdx.x % WARP; e < part.width; e += WARP) {
            const int x = channels == 1 ? e : e / 2, c = channels == 1 ? 0 : e % 2;
            window[y * part.width + e] =
                (uint16_t)ssimcu_scale_read(&task, row, (int64_t)(part.left + x) * step + c);
        }
    }
}

/* The weights of a sum of WIDTH values, kept in registers. WIDTH 0: any number of values, in
 * memory. */
template <int WIDTH>
struct Sum {
    static constexpr int KEPT = WIDTH > 0 ? WIDTH : 1;

    const int16_t *weight;
    int32_t kept[KEPT];
    int width, most;

    __device__ __forceinline__ Sum(const ssimcu_taps &taps, int i, int most)
        : weight(taps.weight + (int64_t)i * taps.width), width((int)taps.width), most(most)
    {
#pragma unroll
        for (int k = 0; k < WIDTH; k++) kept[k] = weight[k];
    }

    /* Adds up values that lie `step` apart. */
    __device__ __forceinline__ uint32_t of(const uint16_t *first, int step) const
    {
        int32_t sum = 0;
        if (WIDTH > 0) {
#pragma unroll
            for (int k = 0; k < WIDTH; k++) sum = ssimcu_scale_add(sum, kept[k], first[k * step]);
        } else {
            for (int k = 0; k < width; k++) sum = ssimcu_scale_add(sum, weight[k], first[k * step]);
        }
        return ssimcu_scale_round(sum, most);
    }
};

/* Sums across `rows` rows, `from` values apart, and passes each sum to put(row, column). A lane
 * keeps its column. */
template <int WIDTH, class Put>
__device__ __forceinline__ void go_across(const ssimcu_scale_task &task, const Part &part,
                                          const uint16_t *window, int from, int rows,
                                          const Put &put)
{
    const int channels = (int)task.channels;
    for (int e = threadIdx.x % WARP; e < part.columns * channels; e += WARP) {
        const int x = part.x + (channels == 1 ? e : e / 2), c = channels == 1 ? 0 : e % 2;
        const uint16_t *const first = window + (task.across.left[x] - part.left) * channels + c;
        const Sum<WIDTH> sum(task.across, x, part.most);
        for (int y = threadIdx.x / WARP; y < rows; y += WARPS)
            put(y, e, sum.of(first + y * from, channels));
    }
}

/* Sums down the columns, to the rows of the tile. */
template <int WIDTH, class Put>
__device__ __forceinline__ void go_down(const ssimcu_scale_task &task, const Part &part,
                                        const uint16_t *window, int from, const Put &put)
{
    for (int y = threadIdx.x / WARP; y < part.rows; y += WARPS) {
        const uint16_t *const first = window + (task.down.left[part.y + y] - part.top) * from;
        const Sum<WIDTH> sum(task.down, part.y + y, part.most);
        for (int e = threadIdx.x % WARP; e < from; e += WARP) put(y, e, sum.of(first + e, from));
    }
}

template <int WIDTH>
__global__ void __launch_bounds__(THREADS)
    tiles_kernel(const __grid_constant__ ssimcu_scale_task task, const __grid_constant__ Tile tile)
{
    extern __shared__ uint16_t window[];
    uint16_t *const between = window + tile.window;
    const Part part = part_of(task, tile);
    const auto keep = [&](int y, int e, uint32_t number) {
        between[y * part.between + e] = (uint16_t)number;
    };
    const auto write = [&](int y, int e, uint32_t number) {
        ssimcu_scale_write(&task, static_cast<char *>(task.dst) + (part.y + y) * task.dst_pitch,
                           (int64_t)part.x * task.channels + e, number);
    };
    load(task, part, window);
    __syncthreads();
    if (task.across_first)
        go_across<WIDTH>(task, part, window, part.width, part.height, keep);
    else
        go_down<WIDTH>(task, part, window, part.width, keep);
    __syncthreads();
    if (task.across_first)
        go_down<WIDTH>(task, part, between, part.between, write);
    else
        go_across<WIDTH>(task, part, between, part.between, part.rows, write);
}

/* ---- Samples one by one ---------------------------------------------------------------------- */

/* Returns the sum of one direction at row y (across) or column x (down), from memory. */
__device__ __forceinline__ uint32_t first_sum(const ssimcu_scale_task &task, int i, int other,
                                              int c, int most)
{
    const ssimcu_taps &taps = task.across_first ? task.across : task.down;
    const int16_t *const weight = taps.weight + (int64_t)i * taps.width;
    int32_t sum = 0;
    for (int k = 0; k < (int)taps.width; k++) {
        const int along = taps.left[i] + k;
        const int x = task.across_first ? along : other, y = task.across_first ? other : along;
        sum = ssimcu_scale_add(
            sum, weight[k],
            ssimcu_scale_read(&task, row_of(task, y), (int64_t)x * task.src_step + c));
    }
    return ssimcu_scale_round(sum, most);
}

__global__ void __launch_bounds__(THREADS)
    single_kernel(const __grid_constant__ ssimcu_scale_task task)
{
    const int channels = (int)task.channels, row = (int)task.across.to * channels;
    const int64_t sample = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int y = (int)(sample / row), e = (int)(sample % row);
    if (y >= (int)task.down.to) return;
    const int x = e / channels, c = e % channels, most = (1 << ssimcu_scale_work_bits(&task)) - 1;
    const ssimcu_taps &taps = task.across_first ? task.down : task.across;
    const int first = task.across_first ? x : y, second = task.across_first ? y : x;
    int32_t sum = 0;
    for (int k = 0; k < (int)taps.width; k++)
        sum = ssimcu_scale_add(sum, taps.weight[(int64_t)second * taps.width + k],
                               first_sum(task, first, taps.left[second] + k, c, most));
    ssimcu_scale_write(&task, static_cast<char *>(task.dst) + y * task.dst_pitch, e,
                       ssimcu_scale_round(sum, most));
}

/* ---- Launching ------------------------------------------------------------------------------- */

/* Returns the most samples that `side` consecutive sums depend on. `left` is in host memory. */
int span_of(const ssimcu_taps &taps, const int32_t *left, int side)
{
    int most = 0;
    for (uint32_t at = 0; at < taps.to; at += (uint32_t)side) {
        const uint32_t last = at + (uint32_t)side < taps.to ? at + (uint32_t)side - 1 : taps.to - 1;
        const int span = left[last] + (int)taps.width - left[at];
        if (span > most) most = span;
    }
    return most;
}

/* Chooses the tallest tile whose window fits. The tile has no rows if no window fits. */
Tile choose_tile(const ssimcu_scale_task &task, const int32_t *across, const int32_t *down)
{
    const int channels = (int)task.channels;
    Tile tile = {COLUMNS / channels, MOST_ROWS, 0, 0};
    if (!task.across.sorted || !task.down.sorted) return {};
    const int64_t width = (int64_t)span_of(task.across, across, tile.columns) * channels;
    for (; tile.rows >= FEWEST_ROWS; tile.rows /= 2) {
        const int64_t height = span_of(task.down, down, tile.rows);
        const int64_t between = task.across_first ? height * COLUMNS : tile.rows * width;
        const int64_t bytes = (width * height + between) * (int64_t)sizeof(uint16_t);
        tile.window = (int)(width * height);
        tile.bytes = (int)bytes;
        if (bytes <= MOST_BYTES) return tile;
    }
    return {};
}

} // namespace

cudaError_t ssimcu_scale_cuda(const ssimcu_scale_task *task, const int32_t *across,
                              const int32_t *down, cudaStream_t stream)
{
    const Tile tile = choose_tile(*task, across, down);
    if (tile.rows > 0) {
        const dim3 blocks((unsigned)ssimcu_divide_up(task->across.to, tile.columns),
                          (unsigned)ssimcu_divide_up(task->down.to, tile.rows));
        const uint32_t width = task->across.width == task->down.width ? task->across.width : 0;
        const auto kernel = width == 4   ? tiles_kernel<4> /* bicubic, not smaller */
                            : width == 6 ? tiles_kernel<6> /* lanczos and spline36 */
                            : width == 8 ? tiles_kernel<8> /* bicubic, half the size */
                                         : tiles_kernel<0>;
        kernel<<<blocks, THREADS, (size_t)tile.bytes, stream>>>(*task, tile);
    } else {
        const int64_t samples = (int64_t)task->across.to * task->channels * task->down.to;
        single_kernel<<<(unsigned)ssimcu_divide_up(samples, THREADS), THREADS, 0, stream>>>(*task);
    }
    return cudaGetLastError();
}
