/* Learned limits: what is learnt from samples, how frames are judged, and limits from a tail. The
 * expected numbers are numpy's and scipy's, of the same made-up samples. */
#include "check.h"
#include "learned/learn.h"
#include "learned/noise_class.h"
#include "learned/rules.h"
#include "learned/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 6, COLUMNS = 5, ROWS = 4, CHANNELS = 3, TILES = COLUMNS * ROWS };

static const struct learned_grid grid = {32, 150, 128, COLUMNS, ROWS, CHANNELS};

/* Returns the rate of which a rule of tiles has a sixth of this one: the expected limits are of
 * that. */
static double shared(double rate) { return rate / 6 * (LEARNED_TILE_RULES + 1); }

static double draw(uint32_t i)
{
    uint32_t x = i * 2654435761u + 12345u;
    x ^= x >> 16;
    x *= 0x45d9f3bu;
    x ^= x >> 16;
    return x / 4294967296.0;
}

static void free_samples(struct learn_sample sample[SAMPLES])
{
    for (size_t i = 0; i < SAMPLES; i++) learned_values_free(&sample[i].values);
}

static void make_samples(struct learn_sample sample[SAMPLES])
{
    const uint32_t all = (uint32_t)learned_all_values(&grid);
    for (uint32_t s = 0; s < SAMPLES; s++) {
        sample[s] = (struct learn_sample){.values.grid = grid};
        float *at = sample[s].values.value[0] = malloc(all * sizeof *at);
        cr_assert_not_null(at);
        for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
            sample[s].values.value[rule] = at;
            at += learned_rule_values(&grid, rule);
        }
        for (uint32_t i = 0; i < all; i++) {
            const double shot = draw(s * all + i);
            sample[s].values.value[0][i] = (float)((i % 7) * 0.25 + shot * shot * shot);
        }
    }
}

/* Mean and sigma of tile (1, 2) in the last channel; of sample 2 the largest z without itself, and
 * its tile; the limit for a rate of 0.001. */
static const struct {
    double mean, sigma, z;
    uint32_t tile;
    double limit;
} expected[LEARNED_TILE_RULES] = {
    {0.233079, 0.269290, 1.347931, 9, 6.28097},   {1.144541, 0.318692, 3.147780, 14, 8.62277},
    {0.548474, 0.341033, 4.005568, 14, 11.13127}, {0.382369, 0.274333, 1.065051, 14, 3.77065},
    {1.252111, 0.433779, 2.066077, 0, 5.13040},   {0.365816, 0.427602, 1.890177, 19, 4.09780}};

Test(learned, rules_have_their_values)
{
    size_t all = 0;
    const size_t count[] = {TILES, 3 * TILES, 3 * TILES, TILES, 3 * TILES, 3 * TILES};
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        cr_assert_eq(learned_rule_values(&grid, rule), count[rule]);
        all += count[rule];
    }
    cr_assert_eq(learned_all_values(&grid), all);
    cr_assert_str_eq(learned_rule_names[LEARNED_SCORE], "score");
    cr_assert_str_eq(learned_rule_names[LEARNED_DARK], "dark");
    cr_assert_str_eq(learned_rule_names[LEARNED_FRAME_TEXTURE], "frame_texture");
}

Test(learned, learns_mean_and_smoothed_spread)
{
    struct learn_sample sample[SAMPLES];
    struct learned_frame learned;
    make_samples(sample);
    cr_assert(learn_statistics(sample, SAMPLES, &learned));
    cr_assert_eq(learned.runs, SAMPLES);
    size_t before = 0;
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        const size_t values = learned_rule_values(&grid, rule);
        const size_t at = before + values - TILES + 1 * COLUMNS + 2;
        cr_expect_float_eq(learned.mean[at], expected[rule].mean, 2e-6, "rule %d", rule);
        cr_expect_float_eq(learned.sigma[at], expected[rule].sigma, 2e-6, "rule %d", rule);
        before += values;
    }
    learned_frame_free(&learned);
    free_samples(sample);
}

/* A tile that alone spreads widely lends its neighbours a ninth. Of texture it keeps 0.8 itself. */
Test(learned, texture_keeps_its_own_spread)
{
    struct learn_sample sample[SAMPLES];
    struct learned_frame learned;
    make_samples(sample);
    const size_t first = learned_rule_values(&grid, LEARNED_SCORE) +
                         learned_rule_values(&grid, LEARNED_LEVEL_SHIFT) +
                         learned_rule_values(&grid, LEARNED_DIFFERENCE);
    const size_t wide = 1 * COLUMNS + 2;
    for (int s = 0; s < SAMPLES; s++)
        for (size_t i = 0; i < TILES; i++)
            sample[s].values.value[LEARNED_SCORE][i] = sample[s].values.value[LEARNED_TEXTURE][i] =
                i == wide && s % 2 ? 1 : 0;
    cr_assert(learn_statistics(sample, SAMPLES, &learned));
    const double variance = 0.3, more = 1 + 1.0 / SAMPLES; /* of three ones among six */
    cr_expect_float_eq(learned.sigma[wide], sqrt((variance / 9 + 4e-6) * more), 1e-6);
    cr_expect_float_eq(learned.sigma[first + wide], sqrt((0.8 * variance + 1e-4) * more), 1e-6);
    cr_expect_float_eq(learned.sigma[first + wide + 1], sqrt((variance / 9 + 1e-4) * more), 1e-6);
    learned_frame_free(&learned);
    free_samples(sample);
}

/* The grid of a frame whose last column and last row have few windows. */
static const struct learned_grid partial = {32, 104, 72, 4, 3, 3};

/* Makes samples of which tile `wide` alone spreads, in all channels of the score and of `bright`.
 */
static void make_partial(struct learn_sample sample[SAMPLES], size_t wide)
{
    for (int s = 0; s < SAMPLES; s++) {
        sample[s] = (struct learn_sample){.values.grid = partial};
        float *at = calloc(learned_all_values(&partial), sizeof *at);
        cr_assert_not_null(at);
        for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
            const size_t values = learned_rule_values(&partial, rule);
            sample[s].values.value[rule] = at;
            for (size_t i = wide; i < values; i += 12) at[i] = s % 2 ? 3 : 0;
            at += values;
        }
    }
}

/* A tile of few windows has at least the spread of its neighbour: left of it in the last column,
 * above it in the last row, and both at the corner. A tile of many windows has its own. */
Test(learned, tiles_of_few_windows_borrow)
{
    static const struct {
        size_t few, from;
    } pairs[] = {{3, 2}, {7, 6}, {8, 4}, {9, 5}, {10, 6}, {11, 6}};
    for (size_t p = 0; p < sizeof pairs / sizeof pairs[0]; p++) {
        struct learn_sample sample[SAMPLES];
        struct learned_frame learned;
        const double ninth = 0.3 * 9 / 9; /* a neighbour spreads by a ninth of the variance */
        make_partial(sample, pairs[p].from);
        cr_assert(learn_statistics(sample, SAMPLES, &learned));
        size_t before = 0;
        for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
            const size_t values = learned_rule_values(&partial, rule);
            for (size_t c = 0; c < values / 12; c++) {
                const float *sigma = &learned.sigma[before + c * 12];
                cr_expect_geq(sigma[pairs[p].few], sigma[pairs[p].from], "rule %d, tile %d", rule,
                              (int)pairs[p].few);
                cr_expect_geq((double)sigma[pairs[p].few], sqrt(ninth), "rule %d", rule);
                if (pairs[p].from % 4 == 2) /* not next to the first tile, which has its own */
                    cr_expect_lt(sigma[0], sigma[pairs[p].from]);
            }
            before += values;
        }
        learned_frame_free(&learned);
        free_samples(sample);
    }
}

Test(learned, leaves_each_out_and_finds_limits)
{
    struct learn_sample sample[SAMPLES];
    static struct tail tails[LEARNED_RULES];
    make_samples(sample);
    cr_assert(learn_leave_one_out(sample, SAMPLES, tails));
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        const struct learned_place *place = &sample[2].excess.place[rule];
        cr_expect_float_eq(sample[2].excess.z[rule], expected[rule].z, 1e-5, "rule %d", rule);
        cr_expect_eq(place->x / 32 + place->y / 32 * COLUMNS, expected[rule].tile);
        cr_expect_eq(tails[rule].values, SAMPLES * TILES);
        cr_expect_float_eq(tail_limit(&tails[rule], SAMPLES, shared(1e-3)), expected[rule].limit,
                           1e-4, "rule %d: %f", rule,
                           tail_limit(&tails[rule], SAMPLES, shared(1e-3)));
    }
    free_samples(sample);
}

enum { CLOCK = 6 /* a tile with neighbours on all sides */ };

/* Learns from samples one tile of which is ignored, where each shows something else. */
static void learn_beside_a_clock(float step, struct learned_frame *learned,
                                 struct learn_excess *excess, struct tail *tails)
{
    struct learn_sample sample[SAMPLES];
    make_samples(sample);
    for (size_t s = 0; s < SAMPLES; s++) {
        sample[s].values.ignored = calloc(TILES, 1);
        cr_assert(sample[s].values.ignored);
        sample[s].values.ignored[CLOCK] = 1;
        for (int rule = 0; rule < LEARNED_TILE_RULES; rule++)
            for (size_t i = CLOCK; i < learned_rule_values(&grid, rule); i += TILES)
                sample[s].values.value[rule][i] = step * (float)(s * s);
    }
    cr_assert(learn_statistics(sample, SAMPLES, learned));
    cr_assert(learn_leave_one_out(sample, SAMPLES, tails));
    for (size_t s = 0; s < SAMPLES; s++) excess[s] = sample[s].excess;
    free_samples(sample);
}

/* What is there teaches neither its own learned limit nor those beside it. */
Test(learned, ignored_tiles_train_nothing)
{
    static struct tail tails[2][LEARNED_RULES];
    struct learn_excess excess[2][SAMPLES];
    struct learned_frame learned[2];
    struct learn_sample sample[SAMPLES];
    struct learned_excess judged;
    learn_beside_a_clock(1, &learned[0], excess[0], tails[0]);
    learn_beside_a_clock(1000, &learned[1], excess[1], tails[1]);
    const size_t bytes = learned_all_values(&grid) * sizeof(float);
    cr_expect_eq(memcmp(learned[0].mean, learned[1].mean, bytes), 0);
    cr_expect_eq(memcmp(learned[0].sigma, learned[1].sigma, bytes), 0);
    cr_expect_eq(memcmp(excess[0], excess[1], sizeof excess[0]), 0);
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++)
        cr_expect_eq(tails[1][rule].values, SAMPLES * (TILES - 1));
    make_samples(sample);
    learned_judge(&learned[0], &sample[0].values, NULL, &judged);
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        cr_expect_gt(judged.z[rule], 1e4, "rule %d: %f", rule, judged.z[rule]);
        cr_expect_eq(judged.place[rule].x / 32 + judged.place[rule].y / 32 * COLUMNS, CLOCK);
    }
    free_samples(sample);
    for (int i = 0; i < 2; i++) learned_frame_free(&learned[i]);
}

/* A sample that is judged by what the others teach has the same excess as one that was left out. */
Test(learned, judges_as_it_leaves_out)
{
    struct learn_sample sample[SAMPLES];
    struct learned_frame learned;
    struct learned_excess judged;
    make_samples(sample);
    cr_assert(learn_leave_one_out(sample, SAMPLES, NULL));
    sample[3].left_out = true;
    cr_assert(learn_statistics(sample, SAMPLES, &learned));
    cr_assert_eq(learned.runs, SAMPLES - 1);
    learned_judge(&learned, &sample[3].values, NULL, &judged);
    cr_assert(judged.known);
    for (int rule = 0; rule < LEARNED_RULES; rule++) {
        cr_expect_float_eq(judged.z[rule], sample[3].excess.z[rule], 1e-4, "rule %d", rule);
        cr_expect_eq(
            memcmp(&judged.place[rule], &sample[3].excess.place[rule], sizeof *judged.place), 0);
    }
    learned_frame_free(&learned);
    free_samples(sample);
}

Test(learned, names_the_place_on_the_rules_side)
{
    struct learn_sample sample[SAMPLES];
    struct learned_frame learned;
    struct learned_excess judged;
    make_samples(sample);
    cr_assert(learn_statistics(sample, SAMPLES, &learned));
    const size_t at = TILES + COLUMNS * 3 + 4; /* of the second channel: the last tile */
    sample[0].values.value[LEARNED_LEVEL_SHIFT][at] = -100;
    sample[0].values.value[LEARNED_DIFFERENCE][at] = -100; /* less of it is no fault */
    sample[0].values.value[LEARNED_DARK][at] = 100;
    sample[0].values.value[LEARNED_SCORE][7] = -100;
    sample[0].values.value[LEARNED_TEXTURE][7] = 100; /* more of it is none */
    learned_judge(&learned, &sample[0].values, NULL, &judged);
    const struct learned_place last = {128, 96, 22, 32, 1}, seven = {64, 32, 32, 32, 0};
    cr_expect_eq(memcmp(&judged.place[LEARNED_LEVEL_SHIFT], &last, sizeof last), 0);
    cr_expect_eq(memcmp(&judged.place[LEARNED_DARK], &last, sizeof last), 0);
    cr_expect_eq(memcmp(&judged.place[LEARNED_SCORE], &seven, sizeof seven), 0);
    cr_expect_gt(judged.z[LEARNED_LEVEL_SHIFT], 100);
    cr_expect_gt(judged.z[LEARNED_SCORE], 100);
    cr_expect_lt(judged.z[LEARNED_DIFFERENCE], 10);
    cr_expect_lt(judged.z[LEARNED_TEXTURE], 10);
    learned_frame_free(&learned);
    free_samples(sample);
}

/* Each tile is off by one of its spreads, which no tile shows, and the frame does: by the root of
 * the number of tiles. Most of a single far tile does not count, nor does what a file may round. */
Test(learned, whole_frame_adds_up)
{
    struct learn_sample sample[SAMPLES];
    struct learned_frame learned;
    struct learned_excess judged;
    make_samples(sample);
    cr_assert(learn_statistics(sample, SAMPLES, &learned));
    float *shift = sample[0].values.value[LEARNED_LEVEL_SHIFT];
    const size_t start = learned_rule_start(&grid, LEARNED_LEVEL_SHIFT);
    memcpy(sample[0].values.value[0], learned.mean, learned_all_values(&grid) * sizeof *shift);
    for (size_t i = 0; i < TILES; i++)
        shift[2 * TILES + i] =
            learned.mean[start + 2 * TILES + i] - learned.sigma[start + 2 * TILES + i];
    shift[0] = learned.mean[start] + 1000;
    shift[1] += learned.sigma[start + 1] * 0.06F;
    learned_judge(&learned, &sample[0].values, NULL, &judged);
    const struct learned_place all = {0, 0, grid.width, grid.height, 2};
    cr_expect_float_eq(judged.z[LEARNED_FRAME_LEVEL_SHIFT], sqrt(TILES) * (1 - WHOLE_LEAST), 1e-3);
    cr_expect_eq(memcmp(&judged.place[LEARNED_FRAME_LEVEL_SHIFT], &all, sizeof all), 0);
    cr_expect_float_eq(judged.z[LEARNED_FRAME_SCORE], 0, 1e-4);
    for (size_t i = 0; i < TILES; i++) shift[2 * TILES + i] = learned.mean[start + 2 * TILES + i];
    learned_judge(&learned, &sample[0].values, NULL, &judged);
    cr_expect_float_eq(judged.z[LEARNED_FRAME_LEVEL_SHIFT], WHOLE_MOST / sqrt(TILES), 1e-3);
    learned_frame_free(&learned);
    free_samples(sample);
}

/* A tile has the rule that uses up most of its limit. A frame that is beyond lifts all that count.
 */
Test(learned, each_tile_uses_up_its_limits)
{
    struct learn_sample sample[SAMPLES];
    struct learned_frame learned;
    float excess[TILES];
    unsigned char ignored[TILES] = {0};
    double limit[LEARNED_RULES] = {4, 0, 4, 4, 8, 4, 9, 9, 9, 9};
    make_samples(sample);
    cr_assert(learn_statistics(sample, SAMPLES, &learned));
    float *value = sample[0].values.value[0];
    memcpy(value, learned.mean, learned_all_values(&grid) * sizeof *value);
    const size_t bright =
        learned_rule_start(&grid, LEARNED_BRIGHT) + TILES; /* of the second channel */
    value[3] = learned.mean[3] - 2 * learned.sigma[3];
    value[bright + 3] = learned.mean[bright + 3] + 12 * learned.sigma[bright + 3];
    value[4] = learned.mean[4] - 100 * learned.sigma[4];
    ignored[4] = 1;
    value[TILES + 5] += 1000; /* of shift, which has no limit */
    learned_judge_tiles(&learned, &sample[0].values, ignored, limit, excess);
    cr_expect_float_eq(excess[3], 1.5, 1e-4);
    cr_expect(excess[4] == 0 && fabsf(excess[5]) < 1e-4F && fabsf(excess[0]) < 1e-4F);
    limit[LEARNED_FRAME_LEVEL_SHIFT] = WHOLE_MOST / sqrt(TILES - 1) - 0.01;
    learned_judge_tiles(&learned, &sample[0].values, ignored, limit, excess);
    cr_expect_float_eq(excess[3], 1.5, 1e-4);
    cr_expect(excess[4] == 0 && excess[5] == 1 && excess[0] == 1);
    learned_frame_free(&learned);
    free_samples(sample);
}

/* The limit of frames is Student's, of a spread that counts as if eight more were 1, and not below
 * what was accepted. Two channels of 32 frames: 5e-4 / 7 / 4 / 4 is at 5.3679 of 29.2 degrees. */
Test(learned, limit_of_whole_frames)
{
    static struct tail tail = {.of_frames = true};
    double value[64];
    for (int i = 0; i < 64; i++) value[i] = i % 2 ? 0.5 : 1.5; /* mean square 1.25 */
    tail_add(&tail, value, 64);
    cr_expect_float_eq(tail_limit(&tail, 32, 5e-4), 1.05 * sqrt(48.0 / 40) * 5.3679, 5e-3, "%f",
                       tail_limit(&tail, 32, 5e-4));
    cr_expect(isnan(tail_limit(&tail, 1, 5e-4)));
    value[0] = 20;
    tail_add(&tail, value, 1);
    cr_expect_float_eq(tail_limit(&tail, 32, 5e-4), 21, 1e-9);
}

static void make_heavy(double *value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        value[i] = pow(-log(1 - draw(7 * i + 1) * (1 - 1 / 4294967296.0)), 1.5);
}

/* Only the largest are kept, in whatever pieces they come. */
Test(learned, limits_of_many_values)
{
    enum { VALUES = 20000 };
    static double value[VALUES];
    static struct tail heavy, plain, few;
    make_heavy(value, VALUES);
    for (int i = 0; i < VALUES; i += 500) tail_add(&heavy, value + i, 500);
    cr_expect_float_eq(tail_limit(&heavy, 50, shared(1e-4)), 88.47492080, 1e-5);
    for (uint32_t i = 0; i < VALUES; i++) value[i] = draw(7 * i + 1);
    tail_add(&plain, value, VALUES);
    cr_expect_float_eq(tail_limit(&plain, 50, shared(1e-4)), 1.11182222, 1e-7);
    tail_add(&few, value, 7);
    cr_expect(isnan(tail_limit(&few, 1, shared(1e-4))));
}

/* The tail of a frame of eight runs has 22 values, whose own shape would be 0.22. They hardly count
 * beside what is known of the rule. */
Test(learned, few_values_hardly_tell_a_shape)
{
    enum { VALUES = 8 * 135 };
    static double value[VALUES];
    static struct tail light, heavy = {.shape = 0.15};
    make_heavy(value, VALUES);
    tail_add(&light, value, VALUES);
    tail_add(&heavy, value, VALUES);
    cr_expect_float_eq(tail_limit(&light, 8, shared(0.01)), 39.32565178, 1e-6);
    cr_expect_float_eq(tail_limit(&heavy, 8, shared(0.01)), 54.84457957, 1e-6);
}

/* ---- Values of real pairs -------------------------------------------------------------------- */

static void check_values(const ssimcu_view *ref, const ssimcu_view *out, uint32_t planes,
                         uint32_t tile)
{
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    struct learned_tiles tiles;
    struct learned_values values;
    ssimcu_score score = SSIMCU_INIT(score);
    cr_assert_eq(learned_tiles_make(context, ref, out, planes, tile, false, &tiles, NULL),
                 SSIMCU_OK);
    const ssimcu_status status =
        planes == 1 ? ssimcu_compare_views(context, ref, out, &score, NULL, tiles.tiles, NULL)
                    : ssimcu_compare_planes(context, ref, out, planes, &score, tiles.tiles, NULL);
    cr_assert_eq(status, SSIMCU_OK);
    cr_assert(learned_values_make(&tiles, score.channels, &values));
    const size_t count = (size_t)values.grid.columns * values.grid.rows;
    double least = 1, furthest = 0, shift = 0;
    for (size_t i = 0; i < count; i++) least = fmin(least, values.value[LEARNED_SCORE][i]);
    for (size_t i = 0; i < count * score.channels; i++) {
        shift = values.value[LEARNED_LEVEL_SHIFT][i];
        if (fabs(shift) > fabs(furthest)) furthest = shift;
        /* A mean is at most the mean of the sizes, but for the windows that count for a shift
         * alone: up to 0.1 level here. */
        cr_expect_geq(exp(values.value[LEARNED_DIFFERENCE][i]) - 0.2, fabs(shift) - 0.15);
    }
    cr_expect_float_eq(least, score.worst.score, 1e-6);
    cr_expect_float_eq(furthest, score.level_shift.levels, 1e-4);
    cr_expect_eq(values.grid.channels, score.channels);
    cr_expect_eq(values.grid.tile, tile);
    learned_values_free(&values);
    learned_tiles_free(&tiles);
    ssimcu_close(&context);
}

Test(learned, values_of_a_picture)
{
    check_random random = {3};
    ssimcu_frame ref = check_noise(&random, 150, 101, 3, 8), out = check_damaged(&random, &ref);
    const ssimcu_view view[2] = {check_view(&ref), check_view(&out)};
    check_values(&view[0], &view[1], 1, 32);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

/* The chroma planes end a column of tiles earlier: 102 pixels have windows in 4 columns of 32, and
 * 51 in 3 of 16. */
Test(learned, values_of_planes)
{
    check_random random = {4};
    ssimcu_frame ref[3], out[3];
    ssimcu_view view[2][3];
    for (int p = 0; p < 3; p++) {
        ref[p] = check_noise(&random, p ? 51 : 102, p ? 40 : 80, 1, 8);
        out[p] = check_damaged(&random, &ref[p]);
        view[0][p] = check_view(&ref[p]);
        view[1][p] = check_view(&out[p]);
    }
    check_values(view[0], view[1], 3, 32);
    for (int p = 0; p < 3; p++) ssimcu_frame_free(&ref[p]), ssimcu_frame_free(&out[p]);
}

/* The numbers that a tile has in each rule, from the numbers of the core. */
Test(learned, values_are_transformed)
{
    double data[] = {0.5}, other[] = {0.9}, shift[] = {-3}, zero[] = {0}, one[] = {1}, two[] = {2};
    struct learned_tiles tiles = {.planes = 3, .width = {40, 20, 20}, .height = {32, 16, 16}};
    struct learned_values values;
    for (int p = 0; p < 3; p++) {
        tiles.tiles[p] = SSIMCU_INIT(tiles, .width = p ? 16 : 32, .height = p ? 16 : 32,
                                     .columns = 1, .rows = 1);
        tiles.tiles[p].data = p ? other : data;
        tiles.tiles[p].level_shift = p == 1 ? shift : zero;
        tiles.tiles[p].feature[SSIMCU_FEATURE_DIFFERENCE] = one;
        tiles.tiles[p].feature[SSIMCU_FEATURE_TEXTURE] = p ? zero : two;
        tiles.tiles[p].feature[SSIMCU_FEATURE_BRIGHT] = two;
        tiles.tiles[p].feature[SSIMCU_FEATURE_DARK] = p == 2 ? one : zero;
    }
    cr_assert(learned_values_make(&tiles, 3, &values));
    cr_expect_float_eq(values.value[LEARNED_SCORE][0], (0.5 * 1024 + 2 * 0.9 * 256) / 1536, 1e-6);
    cr_expect_float_eq(values.value[LEARNED_LEVEL_SHIFT][1], -3, 1e-6);
    cr_expect_float_eq(values.value[LEARNED_DIFFERENCE][2], log(1.2), 1e-6);
    cr_expect_float_eq(values.value[LEARNED_TEXTURE][0], log(4.0 / 3 + 1), 1e-6);
    cr_expect_float_eq(values.value[LEARNED_BRIGHT][0], log(8), 1e-6);
    cr_expect_float_eq(values.value[LEARNED_DARK][1], log(4), 1e-6);
    cr_expect_float_eq(values.value[LEARNED_DARK][2], log(5), 1e-6);
    learned_values_free(&values);
}

/* Makes a frame whose tiles have these z of score, shift, difference and texture. The first `odd`
 * tiles have 0. */
static enum noise_class tell(const double z[4], int odd, const unsigned char *ignored,
                             const struct learned_grid *of)
{
    const size_t all = learned_all_values(of), tiles = (size_t)of->columns * of->rows;
    struct learned_frame learned = {*of, 8, calloc(all, sizeof(float)), calloc(all, sizeof(float))};
    float *at = calloc(all, sizeof *at);
    struct learned_values values = {.grid = *of, .value = {at}};
    size_t i = 0;
    cr_assert(learned.mean && learned.sigma && at);
    for (int rule = 0; rule < LEARNED_TILE_RULES; rule++) {
        values.value[rule] = at + i;
        for (size_t end = i + learned_rule_values(of, rule), t = 0; i < end; i++, t++) {
            learned.mean[i] = 3, learned.sigma[i] = 0.5;
            at[i] = 3;
            if (rule <= LEARNED_TEXTURE && t % tiles >= (size_t)odd)
                at[i] += (float)(0.5 * z[rule]);
        }
    }
    const enum noise_class noise_class = noise_class_of(&learned, &values, ignored);
    learned_frame_free(&learned);
    learned_values_free(&values);
    return noise_class;
}

/* More noise, less of it, or neither: what more than half of the tiles show. */
Test(learned, most_tiles_tell)
{
    enum { NOTHING = NOISE_CLASS_NOTHING, NOISE, DENOISED, ALIKE };
    static const struct {
        double z[4];
        int odd, noise_class;
    } cases[] = {
        {{0, 0, 0, 0}, 0, ALIKE},
        {{-1.4, 1.4, 1.4, -1.4}, 0, ALIKE},
        {{-1.6, 0, 0, 0}, 0, NOTHING},
        {{0, 1.6, 0, 0}, 0, NOTHING},
        {{0, 0, 1.6, 0}, 0, NOTHING},
        {{0, 0, 0, -1.6}, 0, NOTHING},
        {{-0.6, 0, 2.1, 2.1}, 0, NOISE},
        {{-9, -2.4, 30, 30}, 0, NOISE},
        {{-0.4, 0, 2.1, 2.1}, 0, NOTHING},
        {{-0.6, 0, 1.9, 2.1}, 0, NOTHING},
        {{-0.6, 0, 2.1, 1.9}, 0, NOTHING},
        {{-0.6, 2.6, 2.1, 2.1}, 0, NOTHING},
        {{0.6, 0, 0, -2.1}, 0, DENOISED},
        {{5, -2.4, -3, -12}, 0, DENOISED},
        {{0.4, 0, 0, -2.1}, 0, NOTHING},
        {{0.6, 0, 0.6, -2.1}, 0, NOTHING},
        {{0.6, 0, 0, -1.9}, 0, NOTHING},
        {{0.6, -2.6, 0, -2.1}, 0, NOTHING},
        {{-5, 0, 5, 5}, TILES / 2 - 1, NOISE},
        {{-5, 0, 5, 5}, TILES / 2, NOTHING},
    };
    unsigned char ignored[TILES] = {0};
    const struct learned_grid few = {32, 96, 32, 3, 1, 1}, enough = {32, 128, 32, 4, 1, 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq((int)tell(cases[i].z, cases[i].odd, NULL, &grid), cases[i].noise_class, "%zu",
                     i);
    const double noise[4] = {-5, 0, 5, 5};
    for (int i = 0; i < TILES / 2; i++) ignored[i] = i % 2;
    cr_expect_eq((int)tell(noise, TILES / 2, ignored, &grid), NOISE);
    for (int i = 0; i < TILES - 3; i++) ignored[i] = 1;
    cr_expect_eq((int)tell(noise, 0, ignored, &grid), NOTHING, "of a picture of three tiles");
    cr_expect_eq((int)tell(noise, 0, NULL, &few), NOTHING);
    cr_expect_eq((int)tell(noise, 0, NULL, &enough), NOISE);
}

/* What all tiles add up to, where none is far by itself: noise, less of it, or neither if a part of
 * the frame alone has it. */
Test(learned, all_tiles_tell_together)
{
    enum { NOTHING = NOISE_CLASS_NOTHING, NOISE, DENOISED, ALIKE, WIDE = 10, HIGH = 6 };
    static const struct learned_grid wide = {32, 320, 192, WIDE, HIGH, 3},
                                     few = {32, 160, 128, 5, 4, 3};
    static const struct {
        double z[4];
        int odd, noise_class;
    } cases[] = {{{-1.2, 0, 1.9, 1.2}, 0, NOISE},     {{-1.2, 0.5, 1.9, 1.2}, 0, NOISE},
                 {{-1.2, 1.4, 1.9, 1.2}, 0, NOTHING}, {{-0.4, 0, 1.9, 1.2}, 0, NOTHING},
                 {{-1.2, 0, 0.9, 1.2}, 0, ALIKE},     {{-1.2, 0, 1.9, 0.3}, 0, NOTHING},
                 {{-1.2, 0, 1.9, 1.8}, 0, NOISE},     {{-1.2, 0, 1.6, 1.9}, 0, NOTHING},
                 {{-1.9, 0, 3, 1.9}, 20, NOTHING},    {{1.2, 0, -1.3, -1.2}, 0, DENOISED},
                 {{1.2, 0.8, -1.3, -1.2}, 0, ALIKE},  {{0.3, 0, -1.3, -1.2}, 0, ALIKE},
                 {{1.2, 0, 1.3, -1.2}, 0, ALIKE},     {{1.9, 0, -1.9, -1.2}, 20, NOTHING}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq((int)tell(cases[i].z, cases[i].odd, NULL, &wide), cases[i].noise_class, "%zu",
                     i);
    cr_expect_eq((int)tell(cases[0].z, 0, NULL, &few), NOTHING, "few tiles add up to little");
}
