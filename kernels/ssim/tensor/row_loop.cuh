/* A warp walks down a strip, tile by tile: it makes horizontal sums, vertical sums and 1 - SSIM,
 * and accumulates them. tensor.cuh runs this and has the reasons. */
#pragma once

#include "ssim/tensor/accumulate.cuh"
#include "ssim/tensor/rounding.cuh"

namespace ssimcu::tensor
{

/* Horizontal sums of a tile, 16 columns x 8 rows, as an operand of the next product. */
struct Across {
    unsigned of[MOMENTS][4]; /* words 0 and 1: the rest; 2 and 3: f16 */
};

/* Makes the horizontal sums of 8 rows. */
template <class Loader>
__device__ __forceinline__ void sum_across(const typename Loader::Pixels &x,
                                           const typename Loader::Pixels &y, const Origin &origin,
                                           const Weights &w, const Cut &cut, Across &sums)
{
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

/* Adds all windows of a tile, two per division, with and without a map. */
template <Output OUTPUT>
__device__ __forceinline__ void add_all(const ssimcu_ssim_task &task, const Strip &strip,
                                        const Lane<OUTPUT> &lane, int row, const Fractions &f,
                                        Account<OUTPUT> &account)
{
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        float &acc = account.of(i / 2);
        acc = fmaf(fmaf(f.top[i], f.bottom[i + 1], f.top[i + 1] * f.bottom[i]),
                   reciprocal(f.bottom[i] * f.bottom[i + 1]), acc);
        account.add_both(i / 2, f);
    }
    if (OUTPUT == MAP) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            store<OUTPUT>(task, strip, row + lane.down(i), lane.column(i / 2),
                          half_dissimilarity(f, i));
    }
}

/* Adds every pending window that counts and is near the origin. Far windows stay in `todo`. Returns
 * the lanes with far windows. */
template <Output OUTPUT>
__device__ __forceinline__ unsigned
add_settled(const ssimcu_ssim_task &task, const Strip &strip, const Lane<OUTPUT> &lane, int row,
            const Fractions &f, bool (&todo)[2], Account<OUTPUT> &account)
{
    const int above = OUTPUT == SCORE || OUTPUT == SQUARES ? INT_MIN : -strip.y0;
    bool settled[4];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        todo[h] = todo[h] && lane.column(h) < strip.cols && row < strip.rows && row + 1 >= above;
#pragma unroll
        for (int i = 2 * h; i < 2 * h + 2; i++) {
            const int own = row + lane.down(i);
            settled[i] = todo[h] && !f.far[h] && own < strip.rows && own >= above;
            if (settled[i]) {
                const float e = half_dissimilarity(f, i);
                account.add(own, e, f, i);
                store<OUTPUT>(task, strip, own, lane.column(h), e);
            }
        }
        todo[h] = todo[h] && f.far[h];
    }
    if (account.ends_before((row | (TILE_ROWS - 1)) + 1)) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (settled[i]) account.add_late(row + lane.down(i), half_dissimilarity(f, i), f, i);
    }
    return __ballot_sync(ALL_LANES, todo[0] || todo[1]);
}

/* Returns the sum over the rest of a strip, from windows of tile `start` on that f16 numbers cannot
 * hold. It is a separate function because it needs many registers. */
template <class Loader, Output OUTPUT>
__device__ __noinline__ typename Account<OUTPUT>::Rest
walk_wide(const ssimcu_ssim_task &task, const Cut &cut, Strip strip, int start, bool first,
          bool second);

/* A warp's progress down its strip, and its operations on a tile. The origin, the samples and the
 * pending windows of a tile are variables of walk(). If they were members, the compiler would
 * choose other registers and fuse other multiply-adds, so scores would change. EDGE: some columns
 * lie outside the frame. WIDE: units may grow. */
template <class Loader, Output OUTPUT, bool EDGE, bool WIDE>
struct Walk {
    const ssimcu_ssim_task &task;
    const Cut &cut;
    const Strip &strip;
    Account<OUTPUT> &account;
    const Lane<OUTPUT> &lane;
    const int tiles;       /* tiles of the strip */
    const int plain_tiles; /* number of tiles from the top whose windows all count */
    float far_limit;       /* cost from which a pair of windows is far from the origin */
    int tile;              /* the current tile; below `ready` it only fills the ring */
    int ready;             /* the first tile to add */
    int plain;             /* end of the tiles that are added without row tests */
    int stop;              /* end of the row of the grid, or of the strip */
    int repeated;          /* the last repeated tile; below 0: none */
    int repeats;           /* WIDE: repeats of the current tile */

    __device__ __forceinline__ Walk(const ssimcu_ssim_task &own_task, const Cut &own_cut,
                                    const Strip &own_strip, Account<OUTPUT> &own_account,
                                    const Lane<OUTPUT> &own_lane)
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
        stop = account.stop(task, tiles), repeats = 0;
        repeated = strip.y0 > 0 ? -1 : -FILL_TILES - 1;
    }

    /* Adds up squares, unless the tile is a repeat. In the loop of planes a branch takes 116 us
     * instead of 113, in the loop of pixels 122 instead of 126. */
    template <class Bytes>
    __device__ __forceinline__ void add_squares(const Bytes &x, const Bytes &y)
    {
        if (Loader::STEP == 1) {
            const unsigned own = Loader::add_squares(x, y, 0);
            account.squares += tile > repeated ? own : 0;
        } else if (tile > repeated) {
            account.squares = Loader::add_squares(x, y, account.squares);
        }
    }

    struct PixelsOfPair {
        typename Loader::Pixels x, y;
    };
    /* Makes pixels from samples. Also adds up the squares of their differences if they are
     * wanted. */
    __device__ __forceinline__ PixelsOfPair widen(const typename Loader::Raw (&raw)[IMAGES])
    {
        if constexpr (OUTPUT == SQUARES) {
            const auto x = Loader::take_bytes(raw[REF], strip.channel);
            const auto y = Loader::take_bytes(raw[OUT], strip.channel);
            add_squares(x, y);
            return {Loader::widen(x, cut), Loader::widen(y, cut)};
        } else {
            return {Loader::widen(raw[REF], strip.channel, cut),
                    Loader::widen(raw[OUT], strip.channel, cut)};
        }
    }

    /* Makes the horizontal sums of the tile in `raw`, and reads the next one. */
    __device__ __forceinline__ void take_in(const Weights &weights, const Origin &origin,
                                            const uint8_t *&cursor,
                                            typename Loader::Raw (&raw)[IMAGES], Across &sums)
    {
        Loader::align(raw, cursor, cut.to_out);
        if (EDGE) Loader::mask(raw, strip.first_byte, task.width);
        if constexpr (WIDE) Loader::limit(raw, cut);
        const auto [x, y] = widen(raw);
        sum_across<Loader>(x, y, origin, weights, cut, sums);
        Loader::read(task, strip, tile + FILL_TILES + 1, cut.to_out, cursor, raw);
    }

    /* Adds all windows of the tile and returns true if all count and no window is far from the
     * origin. Otherwise they must be tested one by one, from `row` on. */
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
     * there. Returns false if f16 numbers cannot hold such windows. walk_wide() has then added the
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
            far_limit = move_origin<Loader, WIDE>(origin, home_of<Loader>(strip, cut), moment, todo,
                                                  far, tile == repeated);
        repeated = tile;
        if (WIDE) repeats = finite || shrink(origin) ? repeats + 1 : MOST_REPEATS;
        plain = -FILL_TILES;
        ready = tile;
        tile -= FILL_TILES;
        cursor -= (FILL_TILES + 2) * TILE_ROWS * task.pitch_bytes;
        return true;
    }

    /* Ends a tile whose windows were tested one by one. */
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

/* Walks down a strip from tile `start` on, whose windows `first` and `second` are pending. Two
 * tiles above only fill the ring of horizontal sums. After a move of the origin, the ring is filled
 * again, and no tile is counted twice. */
template <class Loader, Output OUTPUT, bool EDGE, bool WIDE = false>
__device__ __forceinline__ void walk(const ssimcu_ssim_task &task, const Cut &cut,
                                     const Strip &strip, Account<OUTPUT> &account, int start = 0,
                                     bool first = true, bool second = true)
{
    const Lane<OUTPUT> lane(cut.above);
    const Weights weights =
        load_weights<Loader>(lane, task.zero_pad ? PAD_LEFT - SSIMCU_RADIUS : 0);
    Walk<Loader, OUTPUT, EDGE, WIDE> w(task, cut, strip, account, lane);
    const uint8_t *cursor = strip.plane +
                            (strip.first_row + lane.g + start * TILE_ROWS) * task.pitch_bytes +
                            strip.first_byte;
    typename Loader::Raw raw[IMAGES];
    Origin origin;
    origin.set(home_of<Loader>(strip, cut), 0);
    float left = ALLOWANCE<Loader> * (w.tiles - start);
    w.begin(start);
    bool todo[2] = {first, second};

    while (w.tile < w.tiles) {
        bool restart = false;
        Across across[3] = {};
        Loader::read(task, strip, w.tile + FILL_TILES, cut.to_out, cursor, raw);
        while (!restart && w.tile < w.tiles) {
#pragma unroll
            for (int phase = 0; phase < 3; phase++) { /* so that no tile of the ring moves */
                Across &newest = across[phase];
                Across &newer = across[(phase + 2) % 3];
                Across &oldest = across[(phase + 1) % 3];
                float moment[MOMENTS][4];
                Fractions f;
                int row;
                w.take_in(weights, origin, cursor, raw, newest);
                if (w.tile >= w.ready) sum_down(oldest, newer, newest, weights, moment);
                if (w.tile >= w.ready && !w.add_plain(origin, moment, row, f)) {
                    const bool excused =
                        OUTPUT != MAP && !WIDE && w.tile < w.plain_tiles && w.tile != w.repeated &&
                        origin.is(home_of<Loader>(strip, cut), 0) && is_excused<Loader>(f, left);
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
__device__ typename Account<OUTPUT>::Rest walk_wide(const ssimcu_ssim_task &task, const Cut &cut,
                                                    Strip strip, int start, bool first, bool second)
{
    /* Their accounts begin by clearing sums in shared memory, which are those of the caller. */
    static_assert(OUTPUT != TILES && OUTPUT != FEATURES);
    Account<OUTPUT> account(task, cut, strip);
    walk<Loader, OUTPUT, true, true>(task, cut, strip, account, start, first, second);
    account.settle();
    return account.rest();
}

} // namespace ssimcu::tensor
