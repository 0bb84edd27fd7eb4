/* SSIM on the tensor cores, for any Loader of samples (loader_*.cuh): the sum of 1 - SSIM per run
 * (run.h), and the map. docs/ssim-kernel.md has its profile and what was tried and lost.
 *
 * FORM. The form is that of ssim.cuh, with s / 2 and d / 2 in place of s and d, so that bytes stay
 * exact.
 *
 * DATA FLOW. One warp walks down strips of 16 columns, one after the other, in tiles of 8 rows. A
 * lane reads 8 pixels of a row of both frames. It makes s / 2 and d / 2 from its origin, and their
 * squares, each as f16 numbers. For bytes these are one number for a value and two for a square,
 * which is exact. For floats they are two each, 22 bits or more. They are an operand: weights (16
 * columns x 32 pixels) times pixels (32 x 8 rows) gives the horizontal sums of a tile, in f32.
 *
 * What a lane then holds, once written as f16 plus rest, is what it must hold of the left operand
 * of the next product. That is sums of three tiles (16 columns x 24 rows) times weights (24 x 8
 * rows). So nothing passes through shared memory, and no warp waits for another. The rest is a
 * product as well: f32 sums minus f16 sums times the unit matrix. Pairs [rest | f16] are one
 * operand, so that the ring of three tiles moves no register (bytes: 131 -> 88 us per frame).
 *
 * ROUNDING. Tensor cores cut off what a sum cannot hold, so moments far from the origin spoil a
 * variance (rounding.cuh). The warp shares one origin. If a tile's windows feel it too much, the
 * warp moves the origin to one of them. It then does the tile again, for the windows that are left.
 * Each repeat settles at least one window, so it ends.
 */
#ifndef SSIMCU_TENSOR_CUH
#define SSIMCU_TENSOR_CUH

#include "ssim/account.cuh"
#include "ssim/rounding.cuh"

namespace ssimcu::tensor
{

/* Horizontal sums of a tile, 16 columns x 8 rows, as an operand of the next product. */
struct Across {
    unsigned of[MOMENTS][4]; /* words 0 and 1: the rest; 2 and 3: f16 */
};

/* Makes the horizontal sums of 8 rows. */
template <class Loader>
__device__ __forceinline__ void sum_across(const typename Loader::Raw (&raw)[IMAGES], int channel,
                                           const Origin &origin, const Weights &w, const Cut &cut,
                                           Across &sums)
{
    const typename Loader::Pixels x = Loader::widen(raw[REF], channel, cut);
    const typename Loader::Pixels y = Loader::widen(raw[OUT], channel, cut);
    float mean[2][4] = {}, power[2][4] = {};
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const unsigned(&a)[4] = w.across[k];
#pragma unroll
        for (int q = S; q <= D; q++) {
            Terms b;
            Loader::terms(x, y, k, q, origin, cut, b);
            if (!Loader::EXACT)
                mma16(mean[q], a[0], a[1], a[2], a[3], b.value_rest[0], b.value_rest[1], mean[q]);
            mma16(mean[q], a[0], a[1], a[2], a[3], b.value[0], b.value[1], mean[q]);
            mma16(power[q], a[0], a[1], a[2], a[3], b.square_rest[0], b.square_rest[1], power[q]);
            mma16(power[q], a[0], a[1], a[2], a[3], b.square[0], b.square[1], power[q]);
        }
    }
#pragma unroll
    for (int q = S; q <= D; q++) {
        split(mean[q], w.minus_one, sums.of[S + q]);
        split(power[q], w.minus_one, sums.of[SS + q]);
    }
}

/* Makes the vertical sums: moments of 16 columns x 8 rows of windows. */
__device__ __forceinline__ void sum_down(const Across &f0, const Across &f1, const Across &f2,
                                         const Weights &w, float (&moment)[MOMENTS][4])
{
    const float zero[4] = {};
    const Across *const tile[3] = {&f0, &f1, &f2};
#pragma unroll
    for (int k = 2; k >= 0; k--)
#pragma unroll
        for (int m = 0; m < MOMENTS; m++) {
            const unsigned(&a)[4] = tile[k]->of[m];
            if (k == 2)
                mma16(moment[m], a[0], a[1], a[2], a[3], w.down[k][0], w.down[k][1], zero);
            else
                mma16(moment[m], a[0], a[1], a[2], a[3], w.down[k][0], w.down[k][1], moment[m]);
        }
}

/* Outputs of a kernel besides the score. */
enum Output { SCORE, MAP, TILES };

template <Output OUTPUT>
__device__ __forceinline__ void store(const ssimcu_ssim_task &task, const Strip &strip, int row,
                                      int column, float half_e)
{
    if (OUTPUT == MAP)
        task.map[strip.plane_index * task.map_plane_floats +
                 (strip.y0 + row) * task.map_pitch_floats + strip.x0 + column] =
            fmaf(-2.0f, half_e, 1.0f);
}

__device__ __forceinline__ float half_dissimilarity(const Fractions &f, int i)
{
    return f.top[i] * reciprocal(f.bottom[i]);
}

/* Adds all windows of a tile, two of them per division, with and without a map. */
template <Output OUTPUT>
__device__ __forceinline__ void add_all(const ssimcu_ssim_task &task, const Strip &strip,
                                        const Lane &lane, int row, const Fractions &f,
                                        Account<OUTPUT == TILES> &account)
{
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        float &acc = account.of(i / 2);
        acc = fmaf(fmaf(f.top[i], f.bottom[i + 1], f.top[i + 1] * f.bottom[i]),
                   reciprocal(f.bottom[i] * f.bottom[i + 1]), acc);
    }
    if (OUTPUT == MAP) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            store<OUTPUT>(task, strip, row + i % 2, lane.g + i / 2 * 8, half_dissimilarity(f, i));
    }
}

/* Adds every pending window that counts and is near the origin. The far ones stay in `todo`.
 * Returns the lanes that have any. */
template <Output OUTPUT>
__device__ __forceinline__ unsigned add_settled(const ssimcu_ssim_task &task, const Strip &strip,
                                                const Lane &lane, int row, const Fractions &f,
                                                bool (&todo)[2], Account<OUTPUT == TILES> &account)
{
    const int above = OUTPUT == SCORE ? INT_MIN : -strip.y0;
    bool settled[4];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        todo[h] = todo[h] && lane.g + 8 * h < strip.cols && row < strip.rows && row + 1 >= above;
#pragma unroll
        for (int i = 2 * h; i < 2 * h + 2; i++) {
            settled[i] = todo[h] && !f.far[h] && row + i % 2 < strip.rows && row + i % 2 >= above;
            if (settled[i]) {
                const float e = half_dissimilarity(f, i);
                account.add(h, row + i % 2, e);
                store<OUTPUT>(task, strip, row + i % 2, lane.g + h * 8, e);
            }
        }
        todo[h] = todo[h] && f.far[h];
    }
    if (account.ends_before((row | (TILE_ROWS - 1)) + 1)) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (settled[i]) account.add_late(i / 2, row + i % 2, half_dissimilarity(f, i));
    }
    return __ballot_sync(ALL_LANES, todo[0] || todo[1]);
}

/* Returns the sum over the rest of a strip, from windows of tile `start` on that no f16 numbers
 * hold. It is a function of its own because of the registers that it needs. */
template <class Loader, Output OUTPUT>
__device__ __noinline__ Sum walk_wide(const ssimcu_ssim_task &task, const Cut &cut, Strip strip,
                                      int start, bool first, bool second);

/* How far a warp is down its strip, and what it does with a tile. The origin, the samples and what
 * is left of a tile are variables of walk(). As members the compiler would keep them in other
 * registers and fuse other multiply-adds, so scores would change. EDGE: some columns lie outside
 * the frame. WIDE: units are as large as it takes. */
template <class Loader, Output OUTPUT, bool EDGE, bool WIDE>
struct Walk {
    const ssimcu_ssim_task &task;
    const Cut &cut;
    const Strip &strip;
    Account<OUTPUT == TILES> &account;
    const Lane &lane;
    const int tiles;       /* tiles of the strip */
    const int plain_tiles; /* tiles whose windows all count, from the top */
    float far_limit;       /* cost from which a pair of windows is far from the origin */
    int tile;              /* the tile under way; below `ready` it only fills the ring */
    int ready;             /* the first tile to add */
    int plain;             /* end of the tiles that are added without a look at rows */
    int stop;              /* end of the row of the grid, or of the strip */
    int repeated;          /* the tile that was repeated last; -1: none */
    int repeats;           /* WIDE: repeats of the tile under way */

    __device__ __forceinline__ Walk(const ssimcu_ssim_task &own_task, const Cut &own_cut,
                                    const Strip &own_strip, Account<OUTPUT == TILES> &own_account,
                                    const Lane &own_lane)
        : task(own_task), cut(own_cut), strip(own_strip), account(own_account), lane(own_lane),
          tiles((strip.rows + TILE_ROWS - 1) / TILE_ROWS),
          plain_tiles(strip.cols == STRIP_COLS ? strip.rows / TILE_ROWS : 0)
    {
    }

    __device__ __forceinline__ void begin(int start)
    {
        far_limit = WIDE ? FAR_AWAY<Loader> : FAR_HOME<Loader>;
        tile = start - FILL_TILES, ready = start;
        plain = WIDE || strip.y0 < 0 ? -FILL_TILES : account.plain(task, plain_tiles);
        stop = account.stop(task, tiles), repeated = -1, repeats = 0;
    }

    /* Makes the horizontal sums of the tile in `raw`, and reads the next one. */
    __device__ __forceinline__ void take_in(const Weights &weights, const Origin &origin,
                                            const uint8_t *&cursor,
                                            typename Loader::Raw (&raw)[IMAGES], Across &sums)
    {
        Loader::align(raw, cursor, cut.to_out);
        if (EDGE) Loader::mask(raw, strip.first_byte, task.width);
        if constexpr (WIDE) Loader::limit(raw, cut);
        sum_across<Loader>(raw, strip.channel, origin, weights, cut, sums);
        Loader::read(task, strip, tile + FILL_TILES + 1, cut.to_out, cursor, raw);
    }

    /* Adds all windows of the tile and returns true, if all count and none is far from the
     * origin. Otherwise they are to be looked at one by one, from `row` on. */
    __device__ __forceinline__ bool
    add_plain(const Origin &origin, const float (&moment)[MOMENTS][4], int &row, Fractions &f)
    {
        f = dissimilarity<Loader, WIDE>(moment, origin, cut, far_limit);
        row = tile * TILE_ROWS + 2 * lane.t;
        if (any_far(f.far) || tile >= plain) return false;
        add_all<OUTPUT>(task, strip, lane, row, f, account);
        return true;
    }

    /* Moves the origin to a window of the lanes `far`, and goes back up to fill the ring from
     * there. Returns false if no f16 numbers hold such windows: walk_wide() has then added the
     * rest of the strip. */
    __device__ __forceinline__ bool repeat(const float (&moment)[MOMENTS][4], unsigned far,
                                           const bool (&todo)[2], Origin &origin,
                                           const uint8_t *&cursor)
    {
        const bool finite = Loader::BOUNDED || is_finite(moment, todo, far);
        if constexpr (!Loader::BOUNDED && !WIDE)
            if (!finite) {
                account.add_rest(
                    walk_wide<Loader, OUTPUT>(task, cut, strip, tile, todo[0], todo[1]));
                return false;
            }
        if (finite)
            far_limit = move_origin<Loader, WIDE>(origin, home_of(strip), moment, todo, far,
                                                  tile == repeated);
        repeated = tile;
        if (WIDE) repeats = finite || shrink(origin) ? repeats + 1 : MOST_REPEATS;
        plain = -FILL_TILES;
        ready = tile;
        tile -= FILL_TILES;
        cursor -= (FILL_TILES + 2) * TILE_ROWS * task.pitch_bytes;
        return true;
    }

    /* Ends a tile whose windows were looked at one by one. */
    __device__ __forceinline__ void end_tile(bool (&todo)[2])
    {
        repeats = 0;
        todo[0] = todo[1] = true;
        account.end_tile(task, cut, strip, tile);
        plain = account.plain(task, plain_tiles);
    }

    __device__ __forceinline__ void next_row()
    {
        account.end_row(task, cut);
        stop = account.stop(task, tiles);
    }
};

/* Walks a strip down from tile `start` on, of which the windows `first` and `second` are to do. Two
 * tiles above only fill the ring of horizontal sums. After a move of the origin the ring is filled
 * again, and no tile is counted twice. */
template <class Loader, Output OUTPUT, bool EDGE, bool WIDE = false>
__device__ __forceinline__ void walk(const ssimcu_ssim_task &task, const Cut &cut,
                                     const Strip &strip, Account<OUTPUT == TILES> &account,
                                     int start = 0, bool first = true, bool second = true)
{
    const Lane lane;
    const Weights weights =
        load_weights<Loader>(threadIdx.x % LANES, task.zero_pad ? PAD_LEFT - SSIMCU_RADIUS : 0);
    Walk<Loader, OUTPUT, EDGE, WIDE> w(task, cut, strip, account, lane);
    const uint8_t *cursor = strip.plane +
                            (strip.first_row + lane.g + start * TILE_ROWS) * task.pitch_bytes +
                            strip.first_byte;
    typename Loader::Raw raw[IMAGES];
    Origin origin;
    origin.set(WIDE ? HOME : home_of(strip), 0);
    float left = ALLOWANCE<Loader> * (w.tiles - start);
    w.begin(start);
    bool todo[2] = {first, second};

    while (w.tile < w.tiles) {
        bool restart = false;
        Across across[3] = {};
        Loader::read(task, strip, w.tile + FILL_TILES, cut.to_out, cursor, raw);
        while (!restart && w.tile < w.tiles) {
#pragma unroll
            for (int phase = 0; phase < 3; phase++) {
                float moment[MOMENTS][4];
                Fractions f;
                int row;
                w.take_in(weights, origin, cursor, raw, across[phase]);
                if (w.tile >= w.ready)
                    sum_down(across[(phase + 1) % 3], across[(phase + 2) % 3], across[phase],
                             weights, moment);
                if (w.tile >= w.ready && !w.add_plain(origin, moment, row, f)) {
                    const bool excused = OUTPUT != MAP && !WIDE && w.tile < w.plain_tiles &&
                                         w.tile != w.repeated && origin.is(home_of(strip), 0) &&
                                         is_excused<Loader>(f, left);
                    if (excused) f.far[0] = f.far[1] = false;
                    if (WIDE && w.repeats == MOST_REPEATS) f.far[0] = f.far[1] = false;
                    const unsigned far =
                        add_settled<OUTPUT>(task, strip, lane, row, f, todo, account);
                    restart = far != 0;
                    if (restart && !w.repeat(moment, far, todo, origin, cursor)) return;
                    if (restart) break;
                    if (WIDE && __any_sync(ALL_LANES, isnan(account.of(0)))) return;
                    w.end_tile(todo);
                }
                if (++w.tile == w.stop) {
                    if (w.tile == w.tiles) break;
                    w.next_row();
                }
            }
            account.settle();
        }
    }
}

template <class Loader, Output OUTPUT>
__device__ Sum walk_wide(const ssimcu_ssim_task &task, const Cut &cut, Strip strip, int start,
                         bool first, bool second)
{
    Account<false> account(task, cut, strip);
    walk<Loader, OUTPUT, true, true>(task, cut, strip, account, start, first, second);
    account.settle();
    return account.sum;
}

/* Strips of a plane that a block's warps walk down side by side. */
template <class Loader>
constexpr int PLANE_WARPS = Loader::STEP == 1 ? Loader::BLOCK_WARPS : 1;

/* Returns this warp's place among the sums of its plane, or channel. Each warp that works on one
 * has a sum there, run by run. */
template <class Loader>
__device__ __forceinline__ int own_place(const Run &run)
{
    return run.index * PLANE_WARPS<Loader> + threadIdx.x / LANES % PLANE_WARPS<Loader>;
}

/* Returns half the sum of 1 - SSIM of the next strip of a run. */
template <class Loader, Output OUTPUT>
__device__ __forceinline__ double sum_strip(const ssimcu_ssim_task &task, const Cut &cut, Run &run)
{
    const Strip strip = next_strip<Loader>(task, cut, run);
    if (strip.cols <= 0 || strip.rows <= 0) return 0;
    Account<OUTPUT == TILES> account(task, cut, strip);
    if (strip.is_edge)
        walk<Loader, OUTPUT, true>(task, cut, strip, account);
    else
        walk<Loader, OUTPUT, false>(task, cut, strip, account);
    return account.finish(task, cut, strip, own_place<Loader>(run));
}

template <class Loader, Output OUTPUT>
__global__ void __launch_bounds__(LANES *Loader::BLOCK_WARPS, Loader::SM_BLOCKS)
    tensor_kernel(const __grid_constant__ ssimcu_ssim_task task, const __grid_constant__ Cut cut)
{
    Run run = own_run<Loader>(task, cut);
    double sum = 0;
#pragma unroll 1
    while (run.at < run.end) sum += sum_strip<Loader, OUTPUT>(task, cut, run);
    const int64_t plane =
        Loader::STEP == 1 ? run.chain : run.chain * Loader::STEP + threadIdx.x / LANES;
    const int places = cut.runs.count * cut.runs.abreast * PLANE_WARPS<Loader>;
    if (threadIdx.x % LANES == 0) task.partial[plane * places + own_place<Loader>(run)] = 2 * sum;
}

template <class Loader>
Cut cut_frame(const ssimcu_ssim_task &task)
{
    Cut cut;
    cut.above = task.grid.width && has_whole_rows(task) ? task.grid.border % TILE_ROWS : 0;
    const int64_t tiles =
        ssimcu_divide_up(ssimcu_ssim_positions(task.height, task.zero_pad) + cut.above, TILE_ROWS);
    const int64_t columns =
        ssimcu_divide_up(ssimcu_ssim_positions(task.width, task.zero_pad), STRIP_COLS);
    const int64_t across =
        Loader::STEP == 1 ? ssimcu_divide_up(columns, Loader::BLOCK_WARPS) : columns;
    cut.runs = ssimcu_runs_make((int)across, (int)tiles,
                                SMS * Loader::SM_BLOCKS / chains_of<Loader>(task));
    cut.byte_bias = BYTE_BIAS_HIGH;
    Loader::set_units(task, cut);
    cut.to_out = (int64_t)((uintptr_t)task.out - (uintptr_t)task.ref);
    cut.row_cells = columns * STRIP_COLS;
    cut.tails_at = cut.row_cells * task.grid.rows;
    const int64_t tails = (int64_t)cut.runs.count * cut.runs.abreast * PLANE_WARPS<Loader>;
    cut.plane_cells = (cut.tails_at + tails * STRIP_COLS) * sizeof(float) / sizeof(double);
    return cut;
}

template <class Loader>
size_t blocks(const ssimcu_ssim_task &task, const Cut &cut)
{
    return (size_t)cut.runs.count * cut.runs.abreast * chains_of<Loader>(task) * task.frames;
}

template <class Loader>
size_t partials(const ssimcu_ssim_task &task)
{
    return blocks<Loader>(task, cut_frame<Loader>(task)) * Loader::BLOCK_WARPS;
}

template <class Loader>
cudaError_t launch(const ssimcu_ssim_task &task, cudaStream_t stream)
{
    const Cut cut = cut_frame<Loader>(task);
    const auto run = [&](auto *kernel) {
        kernel<<<(unsigned)blocks<Loader>(task, cut), LANES * Loader::BLOCK_WARPS, 0, stream>>>(
            task, cut);
    };
    if (task.map) run(tensor_kernel<Loader, MAP>);
    if constexpr (Loader::BOUNDED) /* the plan wants no tiles of others */
        if (task.grid.width) run(tensor_kernel<Loader, TILES>); /* the score is this one's */
    if (!task.map && !task.grid.width) run(tensor_kernel<Loader, SCORE>);
    return cudaGetLastError();
}

template <class Loader>
size_t cells(const ssimcu_ssim_task &task)
{
    return (size_t)cut_frame<Loader>(task).plane_cells * task.channels * task.frames;
}

template <class Loader>
cudaError_t launch_tiles(const ssimcu_ssim_task &task, const Reduction &reduction,
                         cudaStream_t stream)
{
    const StripPieces pieces = {cut_frame<Loader>(task), PLANE_WARPS<Loader>};
    return ssimcu::launch_tiles(task, pieces, reduction, stream);
}

} // namespace ssimcu::tensor

#endif
