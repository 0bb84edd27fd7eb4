/* A search for the content on which the score of a tile errs most: flat frames with a patch of two
 * levels somewhere, so that most of a frame costs a GPU's kernels nothing. SSIMCU_SEARCH is the
 * number of draws. */
#include "search_model.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdlib.h>

enum { SIDE = 530, GRIDS = 3 }; /* a GPU scores frames of this side on tensor cores */

static const uint32_t TILE[GRIDS] = {64, 16, 11};
static const char *const KIND[GRIDS] = {"64 x 64", "16 x 16", "11 x 11"};
static const double LIMIT[GRIDS] = {4e-6, 1e-5, 1e-5}; /* on a GPU, which promises less: BOUND */
static const double BOUND[GRIDS] = {1e-5, 5e-5, 5e-5};

/* Draws two levels on a part of both frames, in cells of a few pixels. */
static void draw_patch(check_random *random, ssimcu_frame frame[2])
{
    const uint32_t width = check_between(random, 1, 100), height = check_between(random, 1, 100),
                   x0 = check_between(random, 0, SIDE - width),
                   y0 = check_between(random, 0, SIDE - height), cell = check_between(random, 1, 7),
                   share = check_between(random, 0, 100);
    uint32_t level[2][2];
    for (int i = 0; i < 4; i++) level[i / 2][i % 2] = check_between(random, 0, 255);
    for (uint32_t y = 0; y < height; y += cell)
        for (uint32_t x = 0; x < width; x += cell) {
            const uint32_t own = check_between(random, 0, 99) < share,
                           other = check_between(random, 0, 9) ? own : !own;
            for (uint32_t i = 0; i < cell * cell; i++) {
                const uint32_t to_x = x + i % cell, to_y = y + i / cell;
                if (to_x >= width || to_y >= height) continue;
                check_set_sample(&frame[0], x0 + to_x, y0 + to_y, 0, level[0][own]);
                check_set_sample(&frame[1], x0 + to_x, y0 + to_y, 0, level[1][other]);
            }
        }
}

/* Draws a patch of one level under faint noise, which costs a GPU's tile much and is all that does.
 * So it may take what its whole strip is allowed (ALLOWANCE in ssim/tensor/rounding.cuh). */
static void draw_faint(check_random *random, ssimcu_frame frame[2])
{
    const uint32_t side = check_between(random, 8, 70), x0 = check_between(random, 0, SIDE - side),
                   y0 = check_between(random, 0, SIDE - side),
                   share = check_between(random, 1, 1000), most = check_between(random, 1, 3),
                   level = check_between(random, 0, 9) ? check_between(random, 0, 20)
                                                       : check_between(random, 230, 250);
    for (uint32_t i = 0; i < 2 * side * side; i++) {
        const int is_off = check_between(random, 0, 999) < share;
        const uint32_t away = is_off ? check_between(random, 0, 2 * most) : most, v = level + away;
        check_set_sample(&frame[i & 1], x0 + i / 2 % side, y0 + i / 2 / side, 0,
                         v < most ? 0 : v - most);
    }
}

static void draw_pair(check_random *random, ssimcu_frame frame[2])
{
    const uint32_t level = check_between(random, 0, 255), step = check_between(random, 0, 30),
                   other = level < step ? level + step : level - step;
    frame[0] = check_flat(SIDE, SIDE, 1, &level);
    frame[1] = check_flat(SIDE, SIDE, 1, &other);
    const int is_faint = check_between(random, 0, 1);
    for (uint32_t n = check_between(random, 1, 6); n > 0; n--)
        is_faint ? draw_faint(random, frame) : draw_patch(random, frame);
}

/* Returns the worst error of a tile of the pair. */
static double worst_tile(ssimcu_context *context, const ssimcu_frame frame[2],
                         const ssimcu_map *expected, uint32_t side)
{
    const ssimcu_view a = check_view(&frame[0]), b = check_view(&frame[1]);
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = side, .height = side};
    ssimcu_score score = {.struct_size = sizeof score};
    cr_assert_eq(ssimcu_views_layout(context, &a, &b, NULL, &tiles, NULL), SSIMCU_OK);
    const size_t count = (size_t)tiles.columns * tiles.rows;
    double *const own = malloc(3 * count * sizeof *own), *const windows = own + count,
                  *const truth = windows + count;
    tiles.data = own;
    cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, &tiles, NULL), SSIMCU_OK);
    reference_tiles(expected, &tiles, truth, windows);
    double worst = 0;
    for (size_t i = 0; i < count; i++) search_note(&worst, fabs(own[i] - truth[i]));
    free(own);
    return worst;
}

BACKEND_TEST(tiles_search, worst_tile)
{
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    ssimcu_map map = {.width = SIDE - 10, .height = SIDE - 10, .channels = 1, .border = 5};
    const int draws = search_draws(device == SSIMCU_DEVICE_CPU ? 4 : 60);
    check_random random = {2026};
    double worst[GRIDS] = {0};
    map.data = malloc((size_t)map.width * map.height * sizeof *map.data);
    for (int i = 0; i < draws; i++) {
        ssimcu_frame frame[2];
        double score;
        draw_pair(&random, frame);
        cr_assert_eq(reference_score(&frame[0], &frame[1], 0, &score, map.data), 0);
        for (int grid = 0; grid < GRIDS; grid++)
            search_note(&worst[grid], worst_tile(context, frame, &map, TILE[grid]));
        ssimcu_frame_free(&frame[0]), ssimcu_frame_free(&frame[1]);
    }
    const struct search_row row = search_pairing(0, SSIMCU_TRANSFER_NONE, 1); /* bytes */
    int bad = 0;
    for (int grid = 0; grid < GRIDS; grid++)
        bad += search_report("tile", KIND[grid], &row, device, worst[grid], BOUND[grid]) ||
               !(worst[grid] <= (device == SSIMCU_DEVICE_CPU ? 2e-7 : LIMIT[grid]));
    cr_assert_eq(bad, 0, "%d sizes of tiles exceed their bounds", bad);
    free(map.data);
    ssimcu_close(&context);
}
