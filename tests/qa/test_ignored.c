/* Parts of frames that are ignored: what is left is held against the SSIM map, window after window,
 * and no pixel that is ignored changes a bit of it. */
#include "check.h"
#include "engine/score.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 3, REACH = 5 };

static const uint32_t no_spread[2] = {0, 0};

/* A pair of one or three planes, and all that a comparison says of it. */
struct scene {
    uint32_t planes, tile;
    ssimcu_pad pad;
    ssimcu_frame frame[2][MOST];
    struct learned_tiles tiles;
    ssimcu_score score;
};

static ssimcu_context *open_for(const struct scene *scene)
{
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, scene->pad);
    return check_open(&settings);
}

static struct scene make_scene(uint32_t seed, uint32_t width, uint32_t height, uint32_t planes,
                               uint32_t channels, ssimcu_pad pad)
{
    check_random random = {seed};
    struct scene scene = {.planes = planes, .tile = 32, .pad = pad};
    for (uint32_t p = 0; p < planes; p++) {
        const uint32_t less = p > 0;
        scene.frame[0][p] =
            check_noise(&random, (width + less) >> less, (height + less) >> less, channels, 8);
        scene.frame[1][p] = check_damaged(&random, &scene.frame[0][p]);
    }
    return scene;
}

/* Scores the scene with all of its tiles. */
static void score_scene(struct scene *scene)
{
    ssimcu_context *context = open_for(scene);
    const ssimcu_frame *const frame[2] = {scene->frame[0], scene->frame[1]};
    scene->score = SSIMCU_INIT(score);
    scene->tiles.plain = true;
    cr_assert_eq(score_frames(context, frame, scene->planes, scene->tile, &scene->tiles,
                              &scene->score, NULL, NULL),
                 SSIMCU_OK);
    ssimcu_close(&context);
}

static void free_scene(struct scene *scene)
{
    learned_tiles_free(&scene->tiles);
    for (uint32_t p = 0; p < scene->planes; p++) {
        ssimcu_frame_free(&scene->frame[0][p]);
        ssimcu_frame_free(&scene->frame[1][p]);
    }
}

static bool is_in(const struct ignored_areas *shots, uint32_t x, uint32_t y)
{
    bool in = false;
    for (size_t i = 0; i < shots->count; i++) {
        const struct ignored_rect *rect = &shots->rect[i];
        in = in || (x >= rect->x && x - rect->x < rect->width && y >= rect->y &&
                    y - rect->y < rect->height);
    }
    return in;
}

/* Returns whether a sample of plane p covers a pixel that is ignored. */
static bool is_sample_in(const struct scene *scene, uint32_t p, const struct ignored_areas *shots,
                         uint32_t x, uint32_t y)
{
    const uint32_t size = p > 0 ? 2 : 1;
    bool in = false;
    for (uint32_t j = 0; j < size; j++)
        for (uint32_t i = 0; i < size; i++)
            in = in || (x * size + i < scene->frame[0][0].width &&
                        y * size + j < scene->frame[0][0].height &&
                        is_in(shots, x * size + i, y * size + j));
    return in;
}

/* Returns whether the window around (x, y) of plane p touches what is ignored. */
static bool touches(const struct scene *scene, uint32_t p, const struct ignored_areas *shots,
                    uint32_t x, uint32_t y)
{
    const ssimcu_frame *frame = &scene->frame[0][p];
    for (uint32_t j = y > REACH ? y - REACH : 0; j <= y + REACH && j < frame->height; j++)
        for (uint32_t i = x > REACH ? x - REACH : 0; i <= x + REACH && i < frame->width; i++)
            if (is_sample_in(scene, p, shots, i, j)) return true;
    return false;
}

/* Finds the tiles that have such a window in any plane, by looking at all of them. */
static void find_left_out(const struct scene *scene, const struct ignored_areas *shots,
                          unsigned char *out)
{
    const uint32_t border = scene->pad == SSIMCU_PAD_ZERO ? 0 : REACH;
    for (uint32_t p = 0; p < scene->planes; p++) {
        const ssimcu_frame *frame = &scene->frame[0][p];
        const uint32_t tile = scene->tile >> (p > 0);
        for (uint32_t y = border; y + border < frame->height; y++)
            for (uint32_t x = border; x + border < frame->width; x++)
                if (touches(scene, p, shots, x, y))
                    out[y / tile * scene->tiles.tiles->columns + x / tile] = 1;
    }
}

/* Returns the mean of the map of a plane over the windows whose tiles are not left out. */
static double mean_left(const struct scene *scene, uint32_t p, const unsigned char *out)
{
    ssimcu_context *context = open_for(scene);
    ssimcu_map map = SSIMCU_INIT(map);
    double sum = 0, windows = 0;
    (void)check_compare_map(context, &scene->frame[0][p], &scene->frame[1][p], &map);
    const uint32_t tile = scene->tile >> (p > 0);
    const size_t plane = (size_t)map.width * map.height;
    for (size_t i = 0; i < plane * map.channels; i++) {
        const uint32_t x = (uint32_t)(i % plane % map.width) + map.border,
                       y = (uint32_t)(i % plane / map.width) + map.border;
        if (out[y / tile * scene->tiles.tiles->columns + x / tile]) continue;
        sum += map.data[i];
        windows++;
    }
    free(map.data);
    ssimcu_close(&context);
    return sum / windows;
}

/* Returns the pixels of plane p in tiles that are not left out. */
static double pixels_left(const struct scene *scene, uint32_t p, const unsigned char *out)
{
    const uint32_t tile = scene->tile >> (p > 0);
    const ssimcu_tiles *own = &scene->tiles.tiles[p];
    double pixels = 0;
    for (uint32_t y = 0; y < scene->frame[0][p].height; y++)
        for (uint32_t x = 0; x < scene->frame[0][p].width; x++)
            pixels += x / tile < own->columns && y / tile < own->rows &&
                      !out[y / tile * scene->tiles.tiles->columns + x / tile];
    return pixels;
}

/* Checks the tiles that are left out, and the score of the rest. */
static void check_rest(struct scene *scene, const struct ignored_areas *shots)
{
    struct ignored_tiles ignored;
    double sum = 0, pixels = 0, lowest = 2, furthest = 0;
    score_scene(scene);
    const ssimcu_tiles *first = scene->tiles.tiles;
    cr_assert(ignored_make(&scene->tiles, &ignored));
    unsigned char *out = calloc(ignored.all, 1);
    ignored_add(shots, 0, 0, no_spread, &scene->tiles, &ignored);
    find_left_out(scene, shots, out);
    for (uint32_t i = 0; i < ignored.all; i++)
        cr_assert_eq(ignored.tile[i], out[i], "tile %u of %u", i, ignored.all);
    ssimcu_score score = scene->score;
    cr_assert(ignored_score(&scene->tiles, &ignored, &score));
    for (uint32_t p = 0; p < scene->planes; p++) {
        const double mean = mean_left(scene, p, out), area = pixels_left(scene, p, out);
        const bool joined = scene->planes == 1 && score.channels > 1;
        check_near(score.channel[p], joined ? 0 : mean, 2e-6, "plane %u", p);
        sum += mean * area;
        pixels += area;
    }
    check_near(score.score, sum / pixels, 2e-6, "score");
    for (uint32_t i = 0; i < ignored.all; i++) {
        if (out[i]) continue;
        lowest =
            fmin(lowest, learned_tile_score(&scene->tiles, i % first->columns, i / first->columns));
        for (uint32_t c = 0; c < (scene->planes > 1 ? 1 : score.channels); c++)
            furthest = fmax(furthest, fabs(first->level_shift[c * ignored.all + i]));
    }
    cr_assert_eq(score.worst.score, lowest);
    cr_assert_geq(fabs(score.level_shift.levels), furthest);
    const ssimcu_tile *worst = &score.worst;
    cr_assert_not(out[worst->y / 32 * first->columns + worst->x / 32]);
    cr_assert_not(out[score.level_shift.y / 32 * first->columns + score.level_shift.x / 32]);
    const ssimcu_level_shift *shift = &score.level_shift;
    const ssimcu_tiles *own = &scene->tiles.tiles[scene->planes > 1 ? shift->channel : 0];
    const uint32_t before = scene->planes > 1 ? 0 : shift->channel * ignored.all;
    cr_assert_eq(own->level_shift[before + shift->y / 32 * own->columns + shift->x / 32],
                 shift->levels, "of channel %u", shift->channel);
    free(out);
    ignored_free(&ignored);
}

/* Parts at tiles' edges, at 5 and 6 pixels from them, at the frame's, and beyond it. */
static struct ignored_rect rects[] = {{69, 70, 1, 1},   {37, 5, 22, 2},   {0, 0, 3, 200},
                                      {149, 100, 9, 9}, {90, 58, 1, 1},   {91, 59, 2, 2},
                                      {26, 26, 12, 12}, {27, 27, 10, 10}, {160, 10, 9, 9},
                                      {95, 95, 999, 1}, {40, 36, 1, 1},   {64, 64, 32, 32}};

static void check_rects(uint32_t planes, uint32_t channels, ssimcu_pad pad, uint32_t seed)
{
    struct scene scene = make_scene(seed, 151, 101, planes, channels, pad);
    for (size_t i = 0; i < sizeof rects / sizeof rects[0]; i++) {
        const struct ignored_areas shots = {.rect = &rects[i], .count = i + 3 < 12 ? 1 + i % 3 : 1};
        check_rest(&scene, &shots);
    }
    free_scene(&scene);
}

Test(ignored, rest_of_a_grey_picture) { check_rects(1, 1, SSIMCU_PAD_VALID, 1); }
Test(ignored, rest_of_rgb_padded) { check_rects(1, 3, SSIMCU_PAD_ZERO, 2); }
Test(ignored, rest_of_planes) { check_rects(3, 1, SSIMCU_PAD_VALID, 3); }

/* Whatever lies in the shot that is ignored, the rest has the same bits, in all planes. */
Test(ignored, hidden_pixels_change_nothing)
{
    struct ignored_rect clock = {40, 37, 22, 9};
    const struct ignored_areas shots = {.rect = &clock, .count = 1};
    struct scene scene = make_scene(4, 160, 112, 3, 1, SSIMCU_PAD_VALID);
    check_random random = {5};
    ssimcu_score score[2];
    for (int i = 0; i < 2; i++) {
        struct ignored_tiles ignored;
        score_scene(&scene);
        score[i] = scene.score;
        cr_assert(ignored_make(&scene.tiles, &ignored));
        ignored_add(&shots, 0, 0, no_spread, &scene.tiles, &ignored);
        cr_assert(ignored.count > 0 && ignored_score(&scene.tiles, &ignored, &score[i]));
        ignored_free(&ignored);
        for (uint32_t p = 0; p < 3; p++)
            for (uint32_t y = 0; y < scene.frame[1][p].height; y++)
                for (uint32_t x = 0; x < scene.frame[1][p].width; x++)
                    if (is_sample_in(&scene, p, &shots, x, y))
                        check_set_sample(&scene.frame[1][p], x, y, 0,
                                         check_between(&random, 0, 255));
    }
    cr_assert_eq(score[0].score, score[1].score);
    for (int c = 0; c < 3; c++) cr_assert_eq(score[0].channel[c], score[1].channel[c]);
    cr_assert_eq(score[0].worst.score, score[1].worst.score);
    cr_assert_eq(score[0].level_shift.levels, score[1].level_shift.levels);
    free_scene(&scene);
}

/* Parts are in pixels of the file's frame, of which a region may be scored. They add up. */
Test(ignored, parts_of_a_region)
{
    struct ignored_rect rect[] = {{0, 0, 100, 60}, {140, 70, 1, 1}, {300, 0, 9, 9}};
    struct scene scene = make_scene(6, 96, 96, 1, 1, SSIMCU_PAD_VALID);
    struct ignored_tiles ignored;
    score_scene(&scene);
    cr_assert(ignored_make(&scene.tiles, &ignored) && ignored.all == 9);
    ignored_add(&(struct ignored_areas){.rect = &rect[0], .count = 1}, 100, 60, no_spread,
                &scene.tiles, &ignored);
    cr_assert_eq(ignored.count, 0);
    ignored_add(&(struct ignored_areas){.rect = &rect[0], .count = 1}, 99, 59, no_spread,
                &scene.tiles, &ignored);
    cr_assert(ignored.count == 1 && ignored.tile[0] == 1);
    ignored_add(&(struct ignored_areas){.rect = &rect[1], .count = 2}, 100, 60, no_spread,
                &scene.tiles, &ignored);
    cr_assert(ignored.count == 2 && ignored.tile[1] == 1);
    check_near(ignored.share, 2.0 / 9, 1e-12, "share");
    memset(ignored.tile, 1, ignored.all);
    cr_assert_not(ignored_score(&scene.tiles, &ignored, &scene.score));
    ignored_free(&ignored);
    free_scene(&scene);
}

/* What is done to frames before they are scored may spread a shot, also into a region beside it. */
Test(ignored, parts_that_spread)
{
    struct ignored_rect rect[] = {{40, 40, 18, 18}, {0, 0, UINT32_MAX, 1}};
    const struct ignored_areas one = {.rect = &rect[0], .count = 1},
                               wide = {.rect = &rect[1], .count = 1};
    struct scene scene = make_scene(7, 96, 96, 1, 1, SSIMCU_PAD_VALID);
    static const struct {
        uint32_t x, y, spread[2], count;
    } rows[] = {{0, 0, {0, 0}, 1},          {0, 0, {1, 1}, 1},   {0, 0, {2, 1}, 2},
                {0, 0, {2, 2}, 4},          {0, 0, {3, 99}, 6},  {0, 0, {99, 99}, 9},
                {60, 40, {1, 0}, 0},        {60, 40, {3, 0}, 1}, {0, 7, {0, 1}, 0},
                {0, 40, {UINT32_MAX, 0}, 3}};
    score_scene(&scene);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ignored_tiles ignored;
        cr_assert(ignored_make(&scene.tiles, &ignored));
        ignored_add(i == 8 ? &wide : &one, rows[i].x, rows[i].y, rows[i].spread, &scene.tiles,
                    &ignored);
        cr_expect_eq(ignored.count, rows[i].count, "row %zu: %u", i, ignored.count);
        ignored_free(&ignored);
    }
    free_scene(&scene);
}

/* Learned limits are not held against a tile that is left out, even if it is the first. */
Test(ignored, learned_of_the_rest)
{
    enum { TILES = 4, VALUES = TILES * LEARNED_TILE_RULES };
    static const struct learned_grid grid = {32, 64, 64, 2, 2, 1};
    float mean[VALUES] = {0}, sigma[VALUES], value[VALUES] = {0};
    const unsigned char out[TILES] = {1, 0, 1, 0};
    struct learned_values values = {.grid = grid};
    struct learned_excess excess;
    for (int i = 0; i < VALUES; i++) sigma[i] = 1;
    for (int r = 0; r < LEARNED_TILE_RULES; r++) values.value[r] = value + (size_t)r * TILES;
    const float dark[TILES] = {9, 1, 8, 3};
    memcpy(values.value[LEARNED_DARK], dark, sizeof dark);
    values.value[LEARNED_BRIGHT][1] = -2;
    values.value[LEARNED_BRIGHT][3] = -3;
    const struct learned_frame learned = {.grid = grid, .runs = 3, .mean = mean, .sigma = sigma};
    learned_judge(&learned, &values, out, &excess);
    cr_assert(excess.z[LEARNED_DARK] == 3 && excess.place[LEARNED_DARK].y == 32);
    cr_assert(excess.z[LEARNED_BRIGHT] == -2 && excess.place[LEARNED_BRIGHT].x == 32 &&
              excess.place[LEARNED_BRIGHT].y == 0);
    learned_judge(&learned, &values, NULL, &excess);
    cr_assert(excess.z[LEARNED_DARK] == 9 && excess.z[LEARNED_BRIGHT] == 0);
}
