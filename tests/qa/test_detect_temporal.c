/* A frame and two others by the numbers of their cells. What the tiles show is held against its
 * definition, and its use at each bound. */
#include "detect_cells.h"

enum { ENDS = 3 };

/* ---- Tiles ----------------------------------------------------------------------------------- */

/* Returns 1 - r of two tiles of 8 x 8 cells, or what there is of them; NAN: one has no texture. */
static double unlike(const struct frame_stats *a, const struct frame_stats *b, uint32_t tile)
{
    const uint32_t tiles = (a->across + 7) / 8, left = tile % tiles * 8, top = tile / tiles * 8;
    double mean[2] = {0}, square[2] = {0}, both = 0;
    int count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < 64; i++) {
            const uint32_t x = left + i % 8, y = top + i / 8;
            if (x >= a->across || y >= a->down) continue;
            const double p = a->mean[y * a->across + x], q = b->mean[y * a->across + x];
            if (pass == 0) {
                mean[0] += p, mean[1] += q, count++;
                continue;
            }
            const double by[2] = {p - mean[0] / count, q - mean[1] / count};
            square[0] += by[0] * by[0], square[1] += by[1] * by[1], both += by[0] * by[1];
        }
    if (count < 8) return NAN;
    if (fmin(square[0], square[1]) / count < 4.0 * LEVEL * LEVEL) return NAN;
    return 1 - both / sqrt(square[0] * square[1]);
}

static int range(const struct frame_stats *a, uint32_t tile)
{
    const uint32_t tiles = (a->across + 7) / 8;
    int low = INT16_MAX, high = INT16_MIN;
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t x = tile % tiles * 8 + i % 8, y = tile / tiles * 8 + i / 8;
        if (x >= a->across || y >= a->down) continue;
        const int mean = a->mean[y * a->across + x];
        low = mean < low ? mean : low, high = mean > high ? mean : high;
    }
    return high - low;
}

/* Returns 1 if a tile is 2 levels brighter than in both others, in the mean, -1 if it is darker. */
static int light(const struct three *three, uint32_t tile)
{
    const struct frame_stats *now = &three->frame[NOW];
    const uint32_t tiles = (now->across + 7) / 8;
    double up = 0, down = 0, count = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t x = tile % tiles * 8 + i % 8, y = tile / tiles * 8 + i / 8,
                       at = y * now->across + x;
        if (x >= now->across || y >= now->down) continue;
        const double a = three->frame[ONE].mean[at], c = three->frame[OTHER].mean[at];
        up += now->mean[at] - fmax(a, c), down += now->mean[at] - fmin(a, c), count++;
    }
    return up / count > 2 * LEVEL ? 1 : down / count < -2 * LEVEL ? -1 : 0;
}

/* Returns whether a tenth of a tile's change is left in the next frame, by least squares. */
static bool trace(const struct three *three, uint32_t tile)
{
    const struct frame_stats *now = &three->frame[NOW];
    const uint32_t tiles = (now->across + 7) / 8;
    double change = 0, left = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const uint32_t x = tile % tiles * 8 + i % 8, y = tile / tiles * 8 + i / 8,
                       at = y * now->across + x;
        if (x >= now->across || y >= now->down) continue;
        const double before = three->frame[ONE].mean[at], by = now->mean[at] - before;
        change += by * by, left += by * (three->frame[OTHER].mean[at] - before);
    }
    return left > 0.1 * change;
}

static struct temporal_tiles model(const struct three *three)
{
    const struct frame_stats *now = &three->frame[NOW], *a = &three->frame[ONE],
                             *c = &three->frame[OTHER];
    struct temporal_tiles out = {.tiles = (now->across + 7) / 8 * ((now->down + 7) / 8)};
    for (uint32_t t = 0; t < out.tiles; t++) {
        const double to_a = unlike(a, now, t), to_c = unlike(now, c, t), others = unlike(a, c, t),
                     nearer = fmin(to_a, to_c);
        if (isnan(others)) continue;
        if (isnan(to_a) || isnan(to_c)) {
            out.lost += others < 0.5 && range(now, t) < 0.6 * range(a, t);
            continue;
        }
        out.textured++;
        out.apart += nearer;
        const bool strange = nearer > 2.5 * others + 0.02;
        out.strange += strange;
        out.traces += strange && others < 0.05 && trace(three, t);
        if (light(three, t)) out.relit[light(three, t) > 0]++;
    }
    return out;
}

/* Fills the cells. Each tile has a texture, of any strength, that the frames share more or less,
 * and a light of its own. */
static void fill_tiles(struct three *three, check_random *random)
{
    const uint32_t across = three->frame[0].across, tiles = (across + 7) / 8;
    for (uint32_t t = 0; t < tiles * ((three->frame[0].down + 7) / 8); t++) {
        const int strength = (int)check_between(random, 2, 9),
                  sharing = (int)check_between(random, 0, 60),
                  fade = (int)check_between(random, 0, 10),
                  lit = (int)check_between(random, 0, 800) - 400;
        for (uint32_t i = 0; i < 64; i++) {
            const uint32_t x = t % tiles * 8 + i % 8, y = t / tiles * 8 + i / 8;
            if (x >= across || y >= three->frame[0].down) continue;
            const int own = (int)check_between(random, 0, 200) - 100;
            for (int f = 0; f < 3; f++) {
                const int noise = (int)check_between(random, 0, 200) - 100,
                          by = strength * (own + noise * sharing / (f == 0 ? 20 : 60));
                three->frame[f].mean[y * across + x] =
                    (int16_t)(9000 + (f == 0 ? by * fade / 10 + lit : by));
            }
        }
    }
}

Test(detect_temporal, tiles_as_defined)
{
    check_random random = {1};
    uint32_t some[6] = {0};
    for (int trial = 0; trial < 100; trial++) {
        struct three three;
        open_three(&three, (uint32_t)check_between(&random, 2, 40),
                   (uint32_t)check_between(&random, 2, 30));
        fill_tiles(&three, &random);
        const struct temporal_tiles own = temporal_compare(&three.temporal), want = model(&three);
        cr_assert(own.tiles == want.tiles && own.textured == want.textured &&
                      own.strange == want.strange && own.lost == want.lost &&
                      own.traces == want.traces,
                  "trial %d", trial);
        cr_assert(own.relit[0] == want.relit[0] && own.relit[1] == want.relit[1], "%d", trial);
        cr_assert_float_eq(own.apart, want.apart, 1e-6);
        const uint32_t seen[6] = {own.textured, own.strange,  own.lost,
                                  own.relit[0], own.relit[1], own.traces};
        for (int i = 0; i < 6; i++) some[i] += seen[i];
        close_three(&three);
    }
    for (int i = 0; i < 6; i++) cr_expect_gt(some[i], i < 5 ? 30 : 3, "%u of kind %d", some[i], i);
}

/* A tile of fewer than eight cells has no texture. */
Test(detect_temporal, small_tiles)
{
    for (uint32_t count = 7; count <= 8; count++)
        for (int upright = 0; upright < 2; upright++) {
            struct three three;
            open_three(&three, upright ? 1 : count, upright ? count : 1);
            for (size_t i = 0; i < count; i++)
                for (int f = 0; f < 3; f++) three.frame[f].mean[i] = (int16_t)(1000 * i);
            cr_expect_eq(temporal_compare(&three.temporal).textured, count == 8);
            close_three(&three);
        }
}

Test(detect_temporal, frames_that_compare)
{
    for (int o = ONE; o <= OTHER; o++)
        for (int m = 0; m < 5; m++) {
            struct three three;
            open_three(&three, 4, 4);
            uint32_t *const member[] = {&three.frame[o].width, &three.frame[o].height,
                                        &three.frame[o].channels, &three.frame[o].bits};
            if (m < 4) ++*member[m];
            cr_expect_eq(temporal_compares(&three.temporal), m == 4, "%d of %d", m, o);
            close_three(&three);
        }
}

/* ---- Whole frames ---------------------------------------------------------------------------- */

/* Another light: most tiles are darker, or brighter, and show the same picture. */
Test(detect_temporal, another_light)
{
    static const struct {
        struct temporal_tiles tiles;
        bool relit;
    } rows[] = {{{.tiles = 100, .textured = 50, .relit = {31, 0}}, true},
                {{.tiles = 100, .textured = 50, .relit = {0, 31}}, true},
                {{.tiles = 100, .textured = 50, .relit = {30, 30}}, false},
                {{.tiles = 100, .textured = 50, .relit = {31, 0}, .lost = 50}, true},
                {{.tiles = 100, .textured = 50, .relit = {31, 0}, .lost = 51}, false},
                {{.tiles = 100, .textured = 11, .relit = {11, 0}}, true},
                {{.tiles = 100, .textured = 10, .relit = {10, 0}}, false},
                {{.tiles = 100, .textured = 50, .relit = {50, 0}, .apart = 24.9}, true},
                {{.tiles = 100, .textured = 50, .relit = {50, 0}, .apart = 25}, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        cr_expect_eq(temporal_is_relit(&rows[r].tiles), rows[r].relit, "row %zu", r);
}

/* The share of the tiles that can be judged, of which there must be more than a fifth. */
Test(detect_temporal, outliers)
{
    static const struct {
        struct temporal_tiles tiles;
        uint32_t up, down; /* cells of 100 that are brighter and darker */
        int by;            /* codes */
        double outlier;
    } rows[] = {
        {{.tiles = 100, .textured = 20, .strange = 10, .lost = 1}, 0, 0, 0, 11.0 / 21},
        {{.tiles = 100, .textured = 50, .strange = 4, .traces = 4}, 0, 0, 0, 0},
        {{.tiles = 100, .textured = 50, .strange = 4, .traces = 3}, 0, 0, 0, 0.02},
        {{.tiles = 100, .textured = 50, .strange = 5, .traces = 5}, 0, 0, 0, 0.1},
        {{.tiles = 100, .textured = 49, .strange = 4, .traces = 4, .lost = 1}, 0, 0, 0, 0.1},
        {{.tiles = 100, .textured = 19, .strange = 10, .lost = 1}, 0, 0, 0, 0},
        {{.tiles = 100, .textured = 50, .strange = 10}, 31, 0, 401, 0},
        {{.tiles = 100, .textured = 50, .strange = 10}, 31, 0, 400, 0.2},
        {{.tiles = 100, .textured = 50, .strange = 10}, 30, 0, 401, 0.2},
        {{.tiles = 100, .textured = 50, .strange = 10}, 0, 31, 401, 0},
        {{.tiles = 100, .textured = 50, .strange = 10}, 0, 31, 400, 0.2},
        {{.tiles = 100, .textured = 50, .strange = 10}, 41, 4, 401, 0},
        {{.tiles = 100, .textured = 50, .strange = 10}, 40, 4, 401, 0.2},
        {{.tiles = 100, .textured = 50, .strange = 10}, 4, 41, 401, 0},
        {{.tiles = 100, .textured = 50, .strange = 10}, 4, 40, 401, 0.2},
        {{.tiles = 100, .textured = 50, .strange = 10, .apart = 25}, 31, 0, 401, 0.2}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int other = 0; other < 3; other++) { /* 0: both; otherwise this one is as now */
            struct three three;
            open_three(&three, 10, 10);
            for (size_t i = 0; i < 100; i++) {
                const int by = i < rows[r].up            ? rows[r].by
                               : i >= 100 - rows[r].down ? -rows[r].by
                                                         : 0;
                three.frame[NOW].mean[i] = (int16_t)(5000 + by);
                for (int o = ONE; o <= OTHER; o++)
                    three.frame[o].mean[i] = (int16_t)(5000 + (o == other ? by : 0));
            }
            const double want = other && rows[r].up + rows[r].down > 0 ? 0.2 : rows[r].outlier;
            cr_expect_float_eq(temporal_outlier(&three.temporal, &rows[r].tiles), want, 1e-9,
                               "row %zu, %d", r, other);
            close_three(&three);
        }
}

Test(detect_temporal, distances)
{
    struct three three;
    open_three(&three, 3, 2);
    for (size_t i = 0; i < 6; i++) three.frame[ONE].mean[i] = (int16_t)(i % 2 ? 100 * i : -100 * i);
    cr_expect_float_eq(temporal_distance(&three.frame[0], &three.frame[1]), 2.5, 1e-9);
    three.frame[ONE].width++;
    cr_expect_eq(temporal_distance(&three.frame[0], &three.frame[1]), STATS_LEVELS);
    three.frame[ONE].width--, three.frame[ONE].height++;
    cr_expect_eq(temporal_distance(&three.frame[0], &three.frame[1]), STATS_LEVELS);
    three.frame[ONE].height--, three.frame[ONE].across = three.frame[NOW].across = 0;
    cr_expect_eq(temporal_distance(&three.frame[0], &three.frame[1]), STATS_LEVELS);
    close_three(&three);
}

/* One scene has similar textures, by 1 - r in the mean. More than a tenth of the tiles can be
 * compared. Or it has a similar light, of which less than a quarter of the cells must change. */
Test(detect_temporal, scenes)
{
    static const struct {
        uint32_t across, textured; /* tiles; the others are flat */
        int moved;                 /* so many of 64 cells have another texture */
        int lit;                   /* the rest has another light */
        bool one;
    } rows[] = {{20, 3, 0, 1, true},
                {20, 2, 0, 1, false},
                {20, 3, 12, 1, true},
                {20, 3, 13, 1, false},
                {20, 0, 0, 0, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct three three;
        open_three(&three, 8 * rows[r].across, 8);
        for (uint32_t t = 0; t < rows[r].across; t++)
            for (uint32_t i = 0; i < 64; i++) {
                const size_t at = i / 8 * 8 * rows[r].across + 8 * t + i % 8;
                const bool textured = t < rows[r].textured, up = i % 2;
                const bool other = (int)i < rows[r].moved ? !up : up;
                three.frame[ONE].mean[at] = (int16_t)(5000 + (textured && up ? 1000 : 0));
                three.frame[OTHER].mean[at] =
                    (int16_t)(5000 + (textured && other ? 1000 : 0) + 9000 * rows[r].lit);
            }
        cr_expect_eq(temporal_one_scene(&three.frame[ONE], &three.frame[OTHER]), rows[r].one,
                     "row %zu", r);
        three.frame[ONE].across--;
        cr_expect(!temporal_one_scene(&three.frame[ONE], &three.frame[OTHER]));
        three.frame[ONE].across++, three.frame[ONE].down++;
        cr_expect(!temporal_one_scene(&three.frame[ONE], &three.frame[OTHER]));
        close_three(&three);
    }
    for (uint32_t cells = 97; cells <= 99; cells += 2) /* a quarter of these and one more */
        for (size_t lit = 24; lit <= 25; lit++)
            for (int far = 0; far < 2; far++) {
                struct three three;
                open_three(&three, cells, 1);
                for (size_t i = 0; i < lit; i++) /* they are at both ends */
                    three.frame[ONE].mean[i % 2 ? cells - 1 - i / 2 : i / 2] = far ? 2048 : 2047;
                cr_expect_eq(temporal_one_scene(&three.frame[ONE], &three.frame[OTHER]),
                             lit == 24 || !far);
                close_three(&three);
            }
}
