/* Floors: what is learnt from samples, how frames are judged, and limits from a tail. The expected
 * numbers are numpy's and scipy's, of the same made-up samples. */
#include "check.h"
#include "floors/learn.h"
#include "floors/rules.h"
#include "floors/tells.h"
#include "floors/values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 6, COLUMNS = 5, ROWS = 4, CHANNELS = 3, TILES = COLUMNS * ROWS };

static const struct floor_grid grid = {32, 150, 128, COLUMNS, ROWS, CHANNELS};

/* Returns the rate of which a rule of tiles has a sixth of this one: the expected limits are of
 * that. */
static double shared(double rate) { return rate / 6 * (FLOOR_TILE_RULES + 1); }

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
    for (size_t i = 0; i < SAMPLES; i++) floor_values_free(&sample[i].values);
}

static void make_samples(struct learn_sample sample[SAMPLES])
{
    const uint32_t all = (uint32_t)floor_all_values(&grid);
    for (uint32_t s = 0; s < SAMPLES; s++) {
        sample[s] = (struct learn_sample){.values.grid = grid};
        float *at = sample[s].values.value[0] = malloc(all * sizeof *at);
        cr_assert_not_null(at);
        for (int rule = 0; rule < FLOOR_TILE_RULES; rule++) {
            sample[s].values.value[rule] = at;
            at += floor_rule_values(&grid, rule);
        }
        for (uint32_t i = 0; i < all; i++) {
            const double part = draw(s * all + i);
            sample[s].values.value[0][i] = (float)((i % 7) * 0.25 + part * part * part);
        }
    }
}

/* Mean and sigma of tile (1, 2) in the last channel; of sample 2 the largest z without itself, and
 * its tile; the limit for a rate of 0.001. */
static const struct {
    double mean, sigma, z;
    uint32_t tile;
    double limit;
} expected[FLOOR_TILE_RULES] = {
    {0.233079, 0.269290, 1.347931, 9, 6.28097},   {1.144541, 0.318692, 3.147780, 14, 8.62277},
    {0.548474, 0.341033, 4.005568, 14, 11.13127}, {0.382369, 0.274333, 1.065051, 14, 3.77065},
    {1.252111, 0.433779, 2.066077, 0, 5.13040},   {0.365816, 0.427602, 1.890177, 19, 4.09780}};

Test(floors, rules_have_their_values)
{
    size_t all = 0;
    const size_t count[] = {TILES, 3 * TILES, 3 * TILES, TILES, 3 * TILES, 3 * TILES};
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++) {
        cr_assert_eq(floor_rule_values(&grid, rule), count[rule]);
        all += count[rule];
    }
    cr_assert_eq(floor_all_values(&grid), all);
    cr_assert_str_eq(floor_rule_names[FLOOR_SCORE], "score");
    cr_assert_str_eq(floor_rule_names[FLOOR_DARK], "dark");
    cr_assert_str_eq(floor_rule_names[FLOOR_FRAME_TEXTURE], "frame_texture");
}

Test(floors, learns_mean_and_smoothed_spread)
{
    struct learn_sample sample[SAMPLES];
    struct floor_frame floor;
    make_samples(sample);
    cr_assert(learn_floor(sample, SAMPLES, &floor));
    cr_assert_eq(floor.runs, SAMPLES);
    size_t before = 0;
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++) {
        const size_t values = floor_rule_values(&grid, rule);
        const size_t at = before + values - TILES + 1 * COLUMNS + 2;
        cr_expect_float_eq(floor.mean[at], expected[rule].mean, 2e-6, "rule %d", rule);
        cr_expect_float_eq(floor.sigma[at], expected[rule].sigma, 2e-6, "rule %d", rule);
        before += values;
    }
    floor_frame_free(&floor);
    free_samples(sample);
}

/* A tile that alone spreads widely lends its neighbours a ninth. Of texture it keeps 0.8 itself. */
Test(floors, texture_keeps_its_own_spread)
{
    struct learn_sample sample[SAMPLES];
    struct floor_frame floor;
    make_samples(sample);
    const size_t first = floor_rule_values(&grid, FLOOR_SCORE) +
                         floor_rule_values(&grid, FLOOR_SHIFT) +
                         floor_rule_values(&grid, FLOOR_DIFFERENCE);
    const size_t wide = 1 * COLUMNS + 2;
    for (int s = 0; s < SAMPLES; s++)
        for (size_t i = 0; i < TILES; i++)
            sample[s].values.value[FLOOR_SCORE][i] = sample[s].values.value[FLOOR_TEXTURE][i] =
                i == wide && s % 2 ? 1 : 0;
    cr_assert(learn_floor(sample, SAMPLES, &floor));
    const double variance = 0.3, more = 1 + 1.0 / SAMPLES; /* of three ones among six */
    cr_expect_float_eq(floor.sigma[wide], sqrt((variance / 9 + 4e-6) * more), 1e-6);
    cr_expect_float_eq(floor.sigma[first + wide], sqrt((0.8 * variance + 1e-4) * more), 1e-6);
    cr_expect_float_eq(floor.sigma[first + wide + 1], sqrt((variance / 9 + 1e-4) * more), 1e-6);
    floor_frame_free(&floor);
    free_samples(sample);
}

Test(floors, leaves_each_out_and_finds_limits)
{
    struct learn_sample sample[SAMPLES];
    static struct tail tails[FLOOR_RULES];
    make_samples(sample);
    cr_assert(learn_leave_one_out(sample, SAMPLES, tails));
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++) {
        const struct floor_place *place = &sample[2].excess.place[rule];
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
static void learn_beside_a_clock(float step, struct floor_frame *floor, struct learn_excess *excess,
                                 struct tail *tails)
{
    struct learn_sample sample[SAMPLES];
    make_samples(sample);
    for (size_t s = 0; s < SAMPLES; s++) {
        sample[s].values.ignored = calloc(TILES, 1);
        cr_assert(sample[s].values.ignored);
        sample[s].values.ignored[CLOCK] = 1;
        for (int rule = 0; rule < FLOOR_TILE_RULES; rule++)
            for (size_t i = CLOCK; i < floor_rule_values(&grid, rule); i += TILES)
                sample[s].values.value[rule][i] = step * (float)(s * s);
    }
    cr_assert(learn_floor(sample, SAMPLES, floor));
    cr_assert(learn_leave_one_out(sample, SAMPLES, tails));
    for (size_t s = 0; s < SAMPLES; s++) excess[s] = sample[s].excess;
    free_samples(sample);
}

/* What is there teaches neither its own floor nor those beside it. */
Test(floors, ignored_tiles_teach_nothing)
{
    static struct tail tails[2][FLOOR_RULES];
    struct learn_excess excess[2][SAMPLES];
    struct floor_frame floor[2];
    struct learn_sample sample[SAMPLES];
    struct floor_excess judged;
    learn_beside_a_clock(1, &floor[0], excess[0], tails[0]);
    learn_beside_a_clock(1000, &floor[1], excess[1], tails[1]);
    const size_t bytes = floor_all_values(&grid) * sizeof(float);
    cr_expect_eq(memcmp(floor[0].mean, floor[1].mean, bytes), 0);
    cr_expect_eq(memcmp(floor[0].sigma, floor[1].sigma, bytes), 0);
    cr_expect_eq(memcmp(excess[0], excess[1], sizeof excess[0]), 0);
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++)
        cr_expect_eq(tails[1][rule].values, SAMPLES * (TILES - 1));
    make_samples(sample);
    floor_judge(&floor[0], &sample[0].values, NULL, &judged);
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++) {
        cr_expect_gt(judged.z[rule], 1e4, "rule %d: %f", rule, judged.z[rule]);
        cr_expect_eq(judged.place[rule].x / 32 + judged.place[rule].y / 32 * COLUMNS, CLOCK);
    }
    free_samples(sample);
    for (int i = 0; i < 2; i++) floor_frame_free(&floor[i]);
}

/* A sample that is judged by what the others teach has the same excess as one that was left out. */
Test(floors, judges_as_it_leaves_out)
{
    struct learn_sample sample[SAMPLES];
    struct floor_frame floor;
    struct floor_excess judged;
    make_samples(sample);
    cr_assert(learn_leave_one_out(sample, SAMPLES, NULL));
    sample[3].left_out = true;
    cr_assert(learn_floor(sample, SAMPLES, &floor));
    cr_assert_eq(floor.runs, SAMPLES - 1);
    floor_judge(&floor, &sample[3].values, NULL, &judged);
    cr_assert(judged.known);
    for (int rule = 0; rule < FLOOR_RULES; rule++) {
        cr_expect_float_eq(judged.z[rule], sample[3].excess.z[rule], 1e-4, "rule %d", rule);
        cr_expect_eq(
            memcmp(&judged.place[rule], &sample[3].excess.place[rule], sizeof *judged.place), 0);
    }
    floor_frame_free(&floor);
    free_samples(sample);
}

Test(floors, names_the_place_on_the_rules_side)
{
    struct learn_sample sample[SAMPLES];
    struct floor_frame floor;
    struct floor_excess judged;
    make_samples(sample);
    cr_assert(learn_floor(sample, SAMPLES, &floor));
    const size_t at = TILES + COLUMNS * 3 + 4; /* of the second channel: the last tile */
    sample[0].values.value[FLOOR_SHIFT][at] = -100;
    sample[0].values.value[FLOOR_DIFFERENCE][at] = -100; /* less of it is no fault */
    sample[0].values.value[FLOOR_DARK][at] = 100;
    sample[0].values.value[FLOOR_SCORE][7] = -100;
    sample[0].values.value[FLOOR_TEXTURE][7] = 100; /* more of it is none */
    floor_judge(&floor, &sample[0].values, NULL, &judged);
    const struct floor_place last = {128, 96, 22, 32, 1}, seven = {64, 32, 32, 32, 0};
    cr_expect_eq(memcmp(&judged.place[FLOOR_SHIFT], &last, sizeof last), 0);
    cr_expect_eq(memcmp(&judged.place[FLOOR_DARK], &last, sizeof last), 0);
    cr_expect_eq(memcmp(&judged.place[FLOOR_SCORE], &seven, sizeof seven), 0);
    cr_expect_gt(judged.z[FLOOR_SHIFT], 100);
    cr_expect_gt(judged.z[FLOOR_SCORE], 100);
    cr_expect_lt(judged.z[FLOOR_DIFFERENCE], 10);
    cr_expect_lt(judged.z[FLOOR_TEXTURE], 10);
    floor_frame_free(&floor);
    free_samples(sample);
}

/* Each tile is off by one of its spreads, which no tile shows, and the frame does: by the root of
 * the number of tiles. Most of a single far tile does not count, nor does what a file may round. */
Test(floors, whole_frame_adds_up)
{
    struct learn_sample sample[SAMPLES];
    struct floor_frame floor;
    struct floor_excess judged;
    make_samples(sample);
    cr_assert(learn_floor(sample, SAMPLES, &floor));
    float *shift = sample[0].values.value[FLOOR_SHIFT];
    const size_t start = floor_rule_start(&grid, FLOOR_SHIFT);
    memcpy(sample[0].values.value[0], floor.mean, floor_all_values(&grid) * sizeof *shift);
    for (size_t i = 0; i < TILES; i++)
        shift[2 * TILES + i] =
            floor.mean[start + 2 * TILES + i] - floor.sigma[start + 2 * TILES + i];
    shift[0] = floor.mean[start] + 1000;
    shift[1] += floor.sigma[start + 1] * 0.06F;
    floor_judge(&floor, &sample[0].values, NULL, &judged);
    const struct floor_place all = {0, 0, grid.width, grid.height, 2};
    cr_expect_float_eq(judged.z[FLOOR_FRAME_SHIFT], sqrt(TILES) * (1 - WHOLE_LEAST), 1e-3);
    cr_expect_eq(memcmp(&judged.place[FLOOR_FRAME_SHIFT], &all, sizeof all), 0);
    cr_expect_float_eq(judged.z[FLOOR_FRAME_SCORE], 0, 1e-4);
    for (size_t i = 0; i < TILES; i++) shift[2 * TILES + i] = floor.mean[start + 2 * TILES + i];
    floor_judge(&floor, &sample[0].values, NULL, &judged);
    cr_expect_float_eq(judged.z[FLOOR_FRAME_SHIFT], WHOLE_MOST / sqrt(TILES), 1e-3);
    floor_frame_free(&floor);
    free_samples(sample);
}

/* A tile has the rule that uses up most of its limit. A frame that is beyond lifts all that count.
 */
Test(floors, each_tile_uses_up_its_limits)
{
    struct learn_sample sample[SAMPLES];
    struct floor_frame floor;
    float excess[TILES];
    unsigned char ignored[TILES] = {0};
    double limit[FLOOR_RULES] = {4, 0, 4, 4, 8, 4, 9, 9, 9, 9};
    make_samples(sample);
    cr_assert(learn_floor(sample, SAMPLES, &floor));
    float *value = sample[0].values.value[0];
    memcpy(value, floor.mean, floor_all_values(&grid) * sizeof *value);
    const size_t bright = floor_rule_start(&grid, FLOOR_BRIGHT) + TILES; /* of the second channel */
    value[3] = floor.mean[3] - 2 * floor.sigma[3];
    value[bright + 3] = floor.mean[bright + 3] + 12 * floor.sigma[bright + 3];
    value[4] = floor.mean[4] - 100 * floor.sigma[4];
    ignored[4] = 1;
    value[TILES + 5] += 1000; /* of shift, which has no limit */
    floor_judge_tiles(&floor, &sample[0].values, ignored, limit, excess);
    cr_expect_float_eq(excess[3], 1.5, 1e-4);
    cr_expect(excess[4] == 0 && fabsf(excess[5]) < 1e-4F && fabsf(excess[0]) < 1e-4F);
    limit[FLOOR_FRAME_SHIFT] = WHOLE_MOST / sqrt(TILES - 1) - 0.01;
    floor_judge_tiles(&floor, &sample[0].values, ignored, limit, excess);
    cr_expect_float_eq(excess[3], 1.5, 1e-4);
    cr_expect(excess[4] == 0 && excess[5] == 1 && excess[0] == 1);
    floor_frame_free(&floor);
    free_samples(sample);
}

/* The limit of frames is Student's, of a spread that counts as if eight more were 1, and not below
 * what was accepted. Two channels of 32 frames: 5e-4 / 7 / 4 / 4 is at 5.3679 of 29.2 degrees. */
Test(floors, limit_of_whole_frames)
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
Test(floors, limits_of_many_values)
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
Test(floors, few_values_hardly_tell_a_shape)
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
    struct floor_tiles tiles;
    struct floor_values values;
    ssimcu_score score = SSIMCU_INIT(score);
    cr_assert_eq(floor_tiles_make(context, ref, out, planes, tile, false, &tiles, NULL), SSIMCU_OK);
    const ssimcu_status status =
        planes == 1 ? ssimcu_compare_views(context, ref, out, &score, NULL, tiles.tiles, NULL)
                    : ssimcu_compare_planes(context, ref, out, planes, &score, tiles.tiles, NULL);
    cr_assert_eq(status, SSIMCU_OK);
    cr_assert(floor_values_make(&tiles, score.channels, &values));
    const size_t count = (size_t)values.grid.columns * values.grid.rows;
    double least = 1, furthest = 0, shift = 0;
    for (size_t i = 0; i < count; i++) least = fmin(least, values.value[FLOOR_SCORE][i]);
    for (size_t i = 0; i < count * score.channels; i++) {
        shift = values.value[FLOOR_SHIFT][i];
        if (fabs(shift) > fabs(furthest)) furthest = shift;
        /* A mean is at most the mean of the sizes, but for the windows that count for a shift
         * alone: up to 0.1 level here. */
        cr_expect_geq(exp(values.value[FLOOR_DIFFERENCE][i]) - 0.2, fabs(shift) - 0.15);
    }
    cr_expect_float_eq(least, score.worst.score, 1e-6);
    cr_expect_float_eq(furthest, score.shift.levels, 1e-4);
    cr_expect_eq(values.grid.channels, score.channels);
    cr_expect_eq(values.grid.tile, tile);
    floor_values_free(&values);
    floor_tiles_free(&tiles);
    ssimcu_close(&context);
}

Test(floors, values_of_a_picture)
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
Test(floors, values_of_planes)
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
Test(floors, values_are_transformed)
{
    double data[] = {0.5}, other[] = {0.9}, shift[] = {-3}, zero[] = {0}, one[] = {1}, two[] = {2};
    struct floor_tiles tiles = {.planes = 3, .width = {40, 20, 20}, .height = {32, 16, 16}};
    struct floor_values values;
    for (int p = 0; p < 3; p++) {
        tiles.tiles[p] = SSIMCU_INIT(tiles, .width = p ? 16 : 32, .height = p ? 16 : 32,
                                     .columns = 1, .rows = 1);
        tiles.tiles[p].data = p ? other : data;
        tiles.tiles[p].shift = p == 1 ? shift : zero;
        tiles.tiles[p].feature[SSIMCU_FEATURE_DIFFERENCE] = one;
        tiles.tiles[p].feature[SSIMCU_FEATURE_TEXTURE] = p ? zero : two;
        tiles.tiles[p].feature[SSIMCU_FEATURE_BRIGHT] = two;
        tiles.tiles[p].feature[SSIMCU_FEATURE_DARK] = p == 2 ? one : zero;
    }
    cr_assert(floor_values_make(&tiles, 3, &values));
    cr_expect_float_eq(values.value[FLOOR_SCORE][0], (0.5 * 1024 + 2 * 0.9 * 256) / 1536, 1e-6);
    cr_expect_float_eq(values.value[FLOOR_SHIFT][1], -3, 1e-6);
    cr_expect_float_eq(values.value[FLOOR_DIFFERENCE][2], log(1.2), 1e-6);
    cr_expect_float_eq(values.value[FLOOR_TEXTURE][0], log(4.0 / 3 + 1), 1e-6);
    cr_expect_float_eq(values.value[FLOOR_BRIGHT][0], log(8), 1e-6);
    cr_expect_float_eq(values.value[FLOOR_DARK][1], log(4), 1e-6);
    cr_expect_float_eq(values.value[FLOOR_DARK][2], log(5), 1e-6);
    floor_values_free(&values);
}

/* Makes a frame whose tiles have these z of score, shift, difference and texture. The first `odd`
 * tiles have 0. */
static enum floor_tells tell(const double z[4], int odd, const unsigned char *ignored,
                             const struct floor_grid *of)
{
    const size_t all = floor_all_values(of), tiles = (size_t)of->columns * of->rows;
    struct floor_frame floor = {*of, 8, calloc(all, sizeof(float)), calloc(all, sizeof(float))};
    float *at = calloc(all, sizeof *at);
    struct floor_values values = {.grid = *of, .value = {at}};
    size_t i = 0;
    cr_assert(floor.mean && floor.sigma && at);
    for (int rule = 0; rule < FLOOR_TILE_RULES; rule++) {
        values.value[rule] = at + i;
        for (size_t end = i + floor_rule_values(of, rule), t = 0; i < end; i++, t++) {
            floor.mean[i] = 3, floor.sigma[i] = 0.5;
            at[i] = 3;
            if (rule <= FLOOR_TEXTURE && t % tiles >= (size_t)odd) at[i] += (float)(0.5 * z[rule]);
        }
    }
    const enum floor_tells tells = floor_tell(&floor, &values, ignored);
    floor_frame_free(&floor);
    floor_values_free(&values);
    return tells;
}

/* More noise, less of it, or neither: what more than half of the tiles show. */
Test(floors, most_tiles_tell)
{
    enum { NOTHING = FLOOR_TELLS_NOTHING, NOISE, DENOISED, ALIKE };
    static const struct {
        double z[4];
        int odd, tells;
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
    const struct floor_grid few = {32, 96, 32, 3, 1, 1}, enough = {32, 128, 32, 4, 1, 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq((int)tell(cases[i].z, cases[i].odd, NULL, &grid), cases[i].tells, "%zu", i);
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
Test(floors, all_tiles_tell_together)
{
    enum { NOTHING = FLOOR_TELLS_NOTHING, NOISE, DENOISED, ALIKE, WIDE = 10, HIGH = 6 };
    static const struct floor_grid wide = {32, 320, 192, WIDE, HIGH, 3},
                                   few = {32, 160, 128, 5, 4, 3};
    static const struct {
        double z[4];
        int odd, tells;
    } cases[] = {{{-1.2, 0, 1.9, 1.2}, 0, NOISE},     {{-1.2, 0.5, 1.9, 1.2}, 0, NOISE},
                 {{-1.2, 1.4, 1.9, 1.2}, 0, NOTHING}, {{-0.4, 0, 1.9, 1.2}, 0, NOTHING},
                 {{-1.2, 0, 0.9, 1.2}, 0, ALIKE},     {{-1.2, 0, 1.9, 0.3}, 0, NOTHING},
                 {{-1.2, 0, 1.9, 1.8}, 0, NOISE},     {{-1.2, 0, 1.6, 1.9}, 0, NOTHING},
                 {{-1.9, 0, 3, 1.9}, 20, NOTHING},    {{1.2, 0, -1.3, -1.2}, 0, DENOISED},
                 {{1.2, 0.8, -1.3, -1.2}, 0, ALIKE},  {{0.3, 0, -1.3, -1.2}, 0, ALIKE},
                 {{1.2, 0, 1.3, -1.2}, 0, ALIKE},     {{1.9, 0, -1.9, -1.2}, 20, NOTHING}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cr_expect_eq((int)tell(cases[i].z, cases[i].odd, NULL, &wide), cases[i].tells, "%zu", i);
    cr_expect_eq((int)tell(cases[0].z, 0, NULL, &few), NOTHING, "few tiles add up to little");
}
