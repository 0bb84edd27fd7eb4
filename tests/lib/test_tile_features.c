/* Features of tiles on every kernel, against the definition in double. */
#include "picture.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdlib.h>

/* Makes a noisy pair with a brighter region, a flat one, a dead pixel and a hot one. */
static void make_pair(uint32_t width, uint32_t height, ssimcu_frame *ref, ssimcu_frame *out)
{
    check_random random = {width * 3 + height};
    *ref = check_noise(&random, width, height, 3, 8);
    *out = check_damaged(&random, ref);
    for (uint32_t y = 0; y < height / 2; y++)
        for (uint32_t x = 0; x < width / 2; x++)
            for (uint32_t c = 0; c < 3; c++) {
                check_set_sample(ref, x, y, c, 90 + (x * y + c) % 5);
                check_set_sample(out, x, y, c, 97 + (x + y) % 3);
            }
    check_set_sample(out, width / 4, height / 4, 0, 0);
    check_set_sample(out, width / 3, height / 3, 1, 255);
}

static ssimcu_tiles lay_out(ssimcu_context *context, const struct picture *a,
                            const struct picture *b, uint32_t width, uint32_t height)
{
    ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = width, .height = height);
    cr_assert_eq(ssimcu_views_layout(context, &a->view, &b->view, NULL, &tiles, NULL), SSIMCU_OK);
    const size_t all = (size_t)tiles.columns * tiles.rows * 3;
    tiles.feature[0] = malloc(SSIMCU_FEATURES * all * sizeof(double));
    for (int f = 1; f < SSIMCU_FEATURES; f++) tiles.feature[f] = tiles.feature[0] + f * all;
    for (size_t i = 0; i < SSIMCU_FEATURES * all; i++) tiles.feature[0][i] = NAN;
    return tiles;
}

/* How far a feature may be off: samples of other types are rounded, and a root enlarges an error
 * near 0. */
static double limit_of(const struct picture *picture, int feature, double expected)
{
    const double rounded = picture->view.type == SSIMCU_TYPE_U16 ? 0.3 : 0.01;
    return (feature == SSIMCU_FEATURE_DIFFERENCE ? rounded / 3 : rounded) + 1e-4 * expected;
}

static void check_features(ssimcu_context *context, const struct picture *a,
                           const struct picture *b, const ssimcu_frame frame[2], ssimcu_pad pad,
                           const uint32_t size[2])
{
    ssimcu_tiles tiles = lay_out(context, a, b, size[0], size[1]);
    const size_t all = (size_t)tiles.columns * tiles.rows * 3;
    double *expected = malloc(SSIMCU_FEATURES * all * sizeof *expected);
    ssimcu_score score = SSIMCU_INIT(score), without = SSIMCU_INIT(score);
    cr_assert_eq(reference_features(&frame[0], &frame[1], pad == SSIMCU_PAD_ZERO, &tiles, expected),
                 0);
    cr_assert_eq(ssimcu_compare_views(context, &a->view, &b->view, &score, NULL, &tiles, NULL),
                 SSIMCU_OK);
    for (size_t i = 0; i < SSIMCU_FEATURES * all; i++) {
        const int feature = (int)(i / all);
        check_near(tiles.feature[0][i], expected[i], limit_of(a, feature, expected[i]),
                   "%ux%u, tiles of %ux%u: feature %d, %zu of %zu", frame[0].width, frame[0].height,
                   size[0], size[1], feature, i % all, all);
    }
    ssimcu_tiles few = SSIMCU_INIT(tiles, .width = size[0], .height = size[1]);
    cr_assert_eq(ssimcu_compare_views(context, &a->view, &b->view, &without, NULL, &few, NULL),
                 SSIMCU_OK);
    check_near(score.score, without.score, 1e-6, "with features and without");
    check_near(score.worst.score, without.worst.score, 1e-5, "worst tile");
    cr_assert_eq(ssimcu_compare_views(context, &a->view, &a->view, &score, NULL, &tiles, NULL),
                 SSIMCU_OK);
    for (size_t i = 0; i < all; i++) {
        cr_assert_eq(tiles.feature[SSIMCU_FEATURE_DIFFERENCE][i], 0);
        cr_assert_eq(tiles.feature[SSIMCU_FEATURE_BRIGHT][i], 0);
        cr_assert_eq(tiles.feature[SSIMCU_FEATURE_DARK][i], 0);
    }
    free(expected), free(tiles.feature[0]);
}

/* Each kind with both kinds of padding, or in turns because that takes half of the time. */
static void check_kinds(ssimcu_device device, uint32_t width, uint32_t height, size_t step)
{
    static const struct picture_kind kinds[] = {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 1},
                                                {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_U8, 255, 1},
                                                {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U16, 1023, 0},
                                                {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 65535, 0},
                                                {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_F32, 1, 0}};
    enum { KINDS = sizeof kinds / sizeof kinds[0], HWC_F32 = 4 };
    static const uint32_t sizes[][2] = {{64, 64}, {11, 13}, {31, 2000}};
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        const ssimcu_settings settings = {
            .struct_size = sizeof settings, .device = device, .pad = (ssimcu_pad)pad, .threads = 2};
        ssimcu_context *context = check_open(&settings);
        ssimcu_frame frame[2];
        make_pair(width, height, &frame[0], &frame[1]);
        for (size_t i = pad % step; i <= KINDS; i += step) { /* at last bytes beside floats */
            struct picture a = picture_make(&frame[0], 1, kinds[i % KINDS]),
                           b = picture_make(&frame[1], 1, kinds[i < KINDS ? i : HWC_F32]);
            check_features(context, &a, &b, frame, (ssimcu_pad)pad, sizes[i % 3]);
            picture_free(&a), picture_free(&b);
        }
        ssimcu_frame_free(&frame[0]), ssimcu_frame_free(&frame[1]);
        ssimcu_close(&context);
    }
}

BACKEND_TEST(tile_features, of_every_kind_small) { check_kinds(device, 61, 47, 1); }
/* Large enough for the tensor cores, with and without zeros around it. */
BACKEND_TEST(tile_features, of_every_kind_large) { check_kinds(device, 541, 530, 2); }

/* Scores bytes with both kinds of padding and tiles of one size. */
static void check_size(ssimcu_device device, uint32_t width, uint32_t height, uint32_t side)
{
    static const struct picture_kind kind = {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 1};
    const int pad = width < 11 || height < 11;
    for (int p = pad ? SSIMCU_PAD_ZERO : SSIMCU_PAD_VALID; p <= SSIMCU_PAD_ZERO; p++) {
        const ssimcu_settings settings = {
            .struct_size = sizeof settings, .device = device, .pad = (ssimcu_pad)p};
        ssimcu_context *context = check_open(&settings);
        ssimcu_frame frame[2];
        make_pair(width, height, &frame[0], &frame[1]);
        struct picture a = picture_make(&frame[0], 1, kind), b = picture_make(&frame[1], 1, kind);
        check_features(context, &a, &b, frame, (ssimcu_pad)p, (uint32_t[]){side, side});
        picture_free(&a), picture_free(&b);
        ssimcu_frame_free(&frame[0]), ssimcu_frame_free(&frame[1]);
        ssimcu_close(&context);
    }
}

BACKEND_TEST(tile_features, of_ragged_sizes)
{
    static const uint32_t sizes[][2] = {{1, 1},   {2, 3},   {11, 11}, {11, 12},  {12, 12},
                                        {28, 28}, {37, 53}, {70, 81}, {151, 149}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t side = 11; side <= 13; side += 2)
            check_size(device, sizes[i][0], sizes[i][1], side);
    check_size(device, 518, 518, 64);
    check_size(device, 517, 300, 32);
}

/* With these tiles the last column and row of windows are tiles of their own, at an odd place. */
BACKEND_TEST(tile_features, of_a_tile_without_a_window_that_counts_are_0)
{
    static const uint32_t sizes[][2] = {{28, 11}, {518, 64}};
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_context *context = check_open(&settings);
    for (int i = 0; i < 2; i++) {
        ssimcu_frame frame[2];
        make_pair(sizes[i][0], sizes[i][0], &frame[0], &frame[1]);
        const struct picture_kind kind = {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 1};
        struct picture a = picture_make(&frame[0], 1, kind), b = picture_make(&frame[1], 1, kind);
        ssimcu_tiles tiles = lay_out(context, &a, &b, sizes[i][1], sizes[i][1]);
        ssimcu_score score = SSIMCU_INIT(score);
        cr_assert_eq(ssimcu_compare_views(context, &a.view, &b.view, &score, NULL, &tiles, NULL),
                     SSIMCU_OK);
        for (size_t t = 0; t < (size_t)SSIMCU_FEATURES * 3 * tiles.rows * tiles.columns; t++) {
            const size_t column = t % tiles.columns, row = t / tiles.columns % tiles.rows;
            if (column + 1 < tiles.columns && row + 1 < tiles.rows) continue;
            cr_expect_eq(tiles.feature[0][t], 0, "%zu: %g", t, tiles.feature[0][t]);
        }
        free(tiles.feature[0]);
        picture_free(&a), picture_free(&b);
        ssimcu_frame_free(&frame[0]), ssimcu_frame_free(&frame[1]);
    }
    ssimcu_close(&context);
}

/* A dead pixel of A levels in a flat picture makes sqrt(g (1 - g)) A, g its weight in the nearest
 * window that counts, which is up to one column and one row away. */
BACKEND_TEST(tile_features, a_single_pixel_is_a_fifth_to_a_quarter_of_its_levels)
{
    static const double expected[2][2] = {{25.643, 23.119}, {23.119, 20.812}};
    const uint32_t grey[1] = {200};
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_context *context = check_open(&settings);
    for (uint32_t place = 0; place < 4; place++) {
        const uint32_t right = place % 2, below = place / 2;
        ssimcu_frame frame[2] = {check_flat(100, 80, 1, grey), check_flat(100, 80, 1, grey)};
        ssimcu_score score = SSIMCU_INIT(score);
        double dark[4], bright[4];
        check_set_sample(&frame[1], 71 + right, 21 + below, 0, 100);
        const ssimcu_view a = check_view(&frame[0]), b = check_view(&frame[1]);
        ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = 64, .height = 64);
        cr_assert_eq(ssimcu_views_layout(context, &a, &b, NULL, &tiles, NULL), SSIMCU_OK);
        cr_assert_eq(tiles.columns * tiles.rows, 4);
        tiles.feature[SSIMCU_FEATURE_DARK] = dark, tiles.feature[SSIMCU_FEATURE_BRIGHT] = bright;
        cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, &tiles, NULL), SSIMCU_OK);
        check_near(dark[1], expected[right][below], 0.02, "dark");
        check_near(bright[1], 0, 0, "bright");
        check_near(dark[2], 0, 0, "another tile");
        ssimcu_frame_free(&frame[0]), ssimcu_frame_free(&frame[1]);
    }
    ssimcu_close(&context);
}
