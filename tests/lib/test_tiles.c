/* Scores per tile, against means of the double-precision reference's map. */
#include "picture.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns the tolerance of a tile's score and of an element of the map. */
static double tolerance(ssimcu_device device, double on_a_gpu)
{
    return device == SSIMCU_DEVICE_CPU ? 1e-7 : on_a_gpu;
}

/* Returns the reference's map of a pair of frames, all channels. */
static ssimcu_map expect(const ssimcu_frame *ref, const ssimcu_frame *out, int pad)
{
    ssimcu_map map = {.width = ref->width - (pad ? 0 : 10),
                      .height = ref->height - (pad ? 0 : 10),
                      .channels = ref->channels,
                      .border = pad ? 0 : 5};
    double score;
    map.data = malloc((size_t)map.width * map.height * map.channels * sizeof *map.data);
    cr_assert_eq(reference_score(ref, out, pad, &score, map.data), 0);
    return map;
}

static void check_tiles(const ssimcu_tiles *tiles, const ssimcu_map *expected, double near)
{
    const size_t count = (size_t)tiles->columns * tiles->rows;
    double *score = malloc(count * sizeof *score), *windows = malloc(count * sizeof *windows);
    reference_tiles(expected, tiles, score, windows);
    for (size_t i = 0; i < count; i++)
        check_near(tiles->data[i], score[i], near, "map of %ux%u: tile %zu, %zu", expected->width,
                   expected->height, i % tiles->columns, i / tiles->columns);
    free(score), free(windows);
}

static ssimcu_tiles lay_out(ssimcu_context *context, const struct picture *ref,
                            const struct picture *out, uint32_t width, uint32_t height)
{
    ssimcu_tiles tiles = {.struct_size = sizeof tiles, .width = width, .height = height};
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_views_layout(context, &ref->view, &out->view, NULL, &tiles, &why),
                 SSIMCU_OK, "%s", why.text);
    tiles.data = malloc((size_t)tiles.columns * tiles.rows * sizeof *tiles.data);
    for (size_t i = 0; i < (size_t)tiles.columns * tiles.rows; i++) tiles.data[i] = NAN;
    return tiles;
}

BACKEND_TEST(tiles, each_is_the_mean_of_its_windows)
{
    static const uint32_t cases[][4] = {/* width, height, tile width, tile height */
                                        {11, 11, 11, 11},  {12, 30, 11, 16},   {64, 64, 64, 64},
                                        {69, 70, 64, 32},  {133, 71, 16, 64},  {133, 71, 1000, 11},
                                        {300, 77, 31, 13}, {98, 131, 33, 2000}};
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            const uint32_t *c = cases[i];
            const struct picture_kind kind = {(ssimcu_layout)(i % 3), SSIMCU_TYPE_U8, 255, i % 2};
            const ssimcu_settings settings = {
                .struct_size = sizeof settings, .device = device, .pad = (ssimcu_pad)pad};
            ssimcu_context *context = check_open(&settings);
            ssimcu_frame ref, out;
            check_reference_pair(c[0], c[1], &ref, &out);
            ssimcu_map e = expect(&ref, &out, pad);
            struct picture a = picture_make(&ref, 1, kind), b = picture_make(&out, 1, kind);
            ssimcu_tiles tiles = lay_out(context, &a, &b, c[2], c[3]);
            cr_assert_eq(tiles.columns, (c[0] - e.border + c[2] - 1) / c[2]);
            cr_assert_eq(tiles.rows, (c[1] - e.border + c[3] - 1) / c[3]);
            ssimcu_score score = {.struct_size = sizeof score};
            cr_assert_eq(
                ssimcu_compare_views(context, &a.view, &b.view, &score, NULL, &tiles, NULL),
                SSIMCU_OK);
            check_tiles(&tiles, &e, tolerance(device, 1e-6));
            check_near(score.score, picture_compare(context, &a, &b).score, 1e-7, "score");
            if (tiles.columns * tiles.rows == 1)
                check_near(tiles.data[0], score.score, 1e-7, "the only tile is the frame");
            ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
            picture_free(&a), picture_free(&b);
            free(tiles.data), free(e.data);
            ssimcu_close(&context);
        }
}

/* The same call makes the map. */
BACKEND_TEST(tiles, of_a_large_frame)
{
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = device, .threads = 3};
    ssimcu_context *context = check_open(&settings);
    ssimcu_frame ref, out;
    check_reference_pair(901, 703, &ref, &out);
    ssimcu_map e = expect(&ref, &out, 0);
    const struct picture_kind kind = {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 0};
    struct picture a = picture_make(&ref, 1, kind), b = picture_make(&out, 1, kind);
    ssimcu_tiles tiles = lay_out(context, &a, &b, 64, 64);
    ssimcu_map map = {.struct_size = sizeof map};
    cr_assert_eq(ssimcu_views_layout(context, &a.view, &b.view, &map, &tiles, NULL), SSIMCU_OK);
    map.data = malloc((size_t)map.width * map.height * map.channels * sizeof *map.data);
    ssimcu_score score = {.struct_size = sizeof score};
    cr_assert_eq(ssimcu_compare_views(context, &a.view, &b.view, &score, &map, &tiles, NULL),
                 SSIMCU_OK);
    check_tiles(&tiles, &e, tolerance(device, 1e-5));
    for (size_t i = 0; i < (size_t)map.width * map.height * map.channels; i += 97)
        check_near(map.data[i], e.data[i], tolerance(device, 5e-5), "map element %zu", i);
    check_near(score.score, check_compare(context, &ref, &out).score, 1e-7, "score");
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    picture_free(&a), picture_free(&b);
    free(tiles.data), free(map.data), free(e.data);
    ssimcu_close(&context);
}

/* Checks tiles of one pair in several sizes. Some are lower than the run that a GPU's warp walks
 * down, some as high as several runs, and some end with a run. Each size is scored twice, for
 * the same bits. */
static void check_sizes(ssimcu_context *context, const struct picture *a, const struct picture *b,
                        const ssimcu_map *expected, double near)
{
    static const uint32_t size[][2] = {{64, 64}, {11, 11},   {44, 52},     {16, 8 + 5},
                                       {37, 24}, {13, 1000}, {2000, 2000}, {100, 12}};
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i += CHECK_LESS) {
        ssimcu_tiles tiles = lay_out(context, a, b, size[i][0], size[i][1]);
        const size_t bytes = (size_t)tiles.columns * tiles.rows * sizeof *tiles.data;
        ssimcu_score score = {.struct_size = sizeof score};
        ssimcu_message why = {{0}};
        double *const first = malloc(bytes);
        for (int run = 0; run < 2; run++) {
            cr_assert_eq(
                ssimcu_compare_views(context, &a->view, &b->view, &score, NULL, &tiles, &why),
                SSIMCU_OK, "%s", why.text);
            check_tiles(&tiles, expected, near);
            if (run == 0) memcpy(first, tiles.data, bytes);
            cr_assert_eq(memcmp(first, tiles.data, bytes), 0);
            memset(tiles.data, 0xff, bytes);
        }
        check_near(score.score, picture_compare(context, a, b).score, 1e-7, "score");
        free(first), free(tiles.data);
    }
}

/* The kinds of samples that a GPU has kernels for, of one content. */
static void check_kinds(ssimcu_device device, uint32_t width, uint32_t height)
{
    static const struct picture_kind kinds[] = {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 0},
                                                {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 1},
                                                {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U8, 255, 1},
                                                {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_U8, 255, 1},
                                                {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_F32, 1, 0}};
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        const ssimcu_settings settings = {
            .struct_size = sizeof settings, .device = device, .pad = (ssimcu_pad)pad, .threads = 2};
        ssimcu_context *context = check_open(&settings);
        ssimcu_frame ref, out;
        check_reference_pair(width, height, &ref, &out);
        ssimcu_map e = expect(&ref, &out, pad);
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            const bool is_float = kinds[i].type == SSIMCU_TYPE_F32;
            struct picture a = picture_make(&ref, 1, kinds[i]), b = picture_make(&out, 1, kinds[i]);
            check_sizes(context, &a, &b, &e, tolerance(device, is_float ? 1e-6 : 1e-5));
            picture_free(&a), picture_free(&b);
        }
        ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
        free(e.data);
        ssimcu_close(&context);
    }
}

BACKEND_TEST(tiles, of_every_kind_medium) { check_kinds(device, 300, 277); }
BACKEND_TEST(tiles, of_every_kind_large) { check_kinds(device, 523, 1021); }
/* Interleaved bytes make an odd number of partial sums on a GPU, and the cells behind them must
 * be aligned. */
BACKEND_TEST(tiles, of_every_kind_tall) { check_kinds(device, 154, 2000); }

/* One square of the frame differs; the tiles away from it are 1, never more, within what a moved
 * origin of the differences leaves. */
BACKEND_TEST(tiles, tell_where_it_is_bad)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_context *context = check_open(&settings);
    ssimcu_frame ref, out;
    check_reference_pair(256, 192, &ref, &out);
    const struct picture_kind kind = {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_F32, 1, 0};
    struct picture a = picture_make(&ref, 1, kind), b = picture_make(&ref, 1, kind);
    for (uint32_t y = 70; y < 90; y++)
        for (uint32_t x = 136; x < 150; x++) picture_set(&b, 0, x, y, 1, 0.5);
    ssimcu_tiles tiles = lay_out(context, &a, &b, 32, 32);
    ssimcu_score score = {.struct_size = sizeof score};
    cr_assert_eq(ssimcu_compare_views(context, &a.view, &b.view, &score, NULL, &tiles, NULL),
                 SSIMCU_OK);
    for (uint32_t y = 0; y < tiles.rows; y++)
        for (uint32_t x = 0; x < tiles.columns; x++) {
            const double tile = tiles.data[y * tiles.columns + x];
            const bool bad = x == 4 && y == 2;
            cr_assert(bad ? tile < 0.95 : tile <= 1.0 && tile > 1 - 1e-9, "tile %u, %u: %.17g", x,
                      y, tile);
        }
    free(tiles.data);
    picture_free(&a), picture_free(&b);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    ssimcu_close(&context);
}

/* Makes dark or bright samples under random alpha. */
static struct picture see_through(check_random *random, uint32_t most, bool bright)
{
    ssimcu_frame frame = check_frame(60, 50, 4, 8);
    for (uint32_t y = 0; y < 50; y++)
        for (uint32_t x = 0; x < 60; x++)
            for (uint32_t c = 0; c < 4; c++) {
                const uint32_t value = check_between(random, 0, most);
                check_set_sample(&frame, x, y, c, bright && c < 3 ? 255 - value : value);
            }
    const struct picture_kind kind = {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_U8, 255, 1};
    struct picture picture = picture_make(&frame, 1, kind);
    ssimcu_frame_free(&frame);
    return picture;
}

/* Compares over two backgrounds. Tiles and map are those of the score that is reported, each
 * with and without the other. Returns the background of that score. */
static ssimcu_background compare_over(ssimcu_device device, ssimcu_alpha alpha,
                                      const struct picture *a, const struct picture *b, bool mapped,
                                      double score_and_tiles[3], double *map_sum)
{
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = device, .alpha = alpha};
    ssimcu_context *context = check_open(&settings);
    ssimcu_tiles tiles = lay_out(context, a, b, 32, 64);
    ssimcu_map map = SSIMCU_INIT(map);
    ssimcu_score score = SSIMCU_INIT(score);
    cr_assert_eq(ssimcu_views_layout(context, &a->view, &b->view, &map, NULL, NULL), SSIMCU_OK);
    const size_t elements = (size_t)map.width * map.height * map.channels;
    map.data = malloc(elements * sizeof *map.data);
    cr_assert_eq(ssimcu_compare_views(context, &a->view, &b->view, &score, mapped ? &map : NULL,
                                      &tiles, NULL),
                 SSIMCU_OK);
    for (size_t i = 0; i < elements && mapped; i++) *map_sum += (double)map.data[i];
    score_and_tiles[0] = score.score;
    memcpy(score_and_tiles + 1, tiles.data, 2 * sizeof *tiles.data);
    free(tiles.data), free(map.data);
    ssimcu_close(&context);
    return score.background;
}

BACKEND_TEST(tiles, belong_to_the_reported_background)
{
    int seen[2] = {0};
    for (uint32_t i = 0; i < 8; i++) {
        check_random random = {5 + i / 4};
        const bool mapped = i % 2;
        struct picture a = see_through(&random, 90, i / 2 % 2),
                       b = see_through(&random, 120, i / 2 % 2);
        double worst[3], alone[3], map[2] = {0};
        const ssimcu_background background =
            compare_over(device, SSIMCU_ALPHA_WORST, &a, &b, mapped, worst, &map[0]);
        const bool white = background == SSIMCU_BACKGROUND_WHITE;
        (void)compare_over(device, white ? SSIMCU_ALPHA_WHITE : SSIMCU_ALPHA_BLACK, &a, &b, mapped,
                           alone, &map[1]);
        for (int k = 0; k < 3; k++)
            check_near(worst[k], alone[k], 1e-7, "white %d, mapped %d, number %d", white, mapped,
                       k);
        cr_assert_eq(map[0], map[1], "white %d", white);
        (void)compare_over(device, white ? SSIMCU_ALPHA_BLACK : SSIMCU_ALPHA_WHITE, &a, &b, false,
                           alone, map);
        cr_assert_gt(alone[0], worst[0] + 1e-3, "the other background is no better");
        seen[white]++;
        picture_free(&a), picture_free(&b);
    }
    cr_assert(seen[0] >= 2 && seen[1] >= 2);
}

/* ---- Planes of their own sizes --------------------------------------------------------------- */

/* Y, U and V of a 4:2:0 frame, what each scores by itself, and room for what the planes score. */
struct planes {
    ssimcu_frame ref[3], out[3];
    ssimcu_view a[3], b[3];
    ssimcu_tiles tiles[3], alone[3];
    double score[3], without_tiles[3];
};

static ssimcu_frame random_plane(check_random *random, uint32_t width, uint32_t height)
{
    ssimcu_frame frame = check_frame(width, height, 1, 8);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            check_set_sample(&frame, x, y, 0, check_between(random, 0, 255));
    return frame;
}

/* Lays out tiles for plane p. No score of theirs is a number yet. */
static ssimcu_tiles lay_out_plane(ssimcu_context *context, const struct planes *planes, int p)
{
    ssimcu_tiles tiles = SSIMCU_INIT(tiles);
    tiles.width = p == 0 ? 64 : 32, tiles.height = p == 0 ? 48 : 24;
    cr_assert_eq(ssimcu_views_layout(context, &planes->a[p], &planes->b[p], NULL, &tiles, NULL),
                 SSIMCU_OK);
    const size_t count = (size_t)tiles.columns * tiles.rows;
    tiles.data = malloc(count * sizeof *tiles.data);
    for (size_t i = 0; i < count; i++) tiles.data[i] = NAN;
    return tiles;
}

static void make_planes(ssimcu_context *context, uint32_t width, uint32_t height,
                        struct planes *planes)
{
    check_random random = {width};
    for (int p = 0; p < 3; p++) {
        const uint32_t w = p == 0 ? width : (width + 1) / 2, h = p == 0 ? height : (height + 1) / 2;
        ssimcu_score score = SSIMCU_INIT(score);
        planes->ref[p] = random_plane(&random, w, h);
        planes->out[p] = random_plane(&random, w, h);
        const ssimcu_view *a = &planes->a[p], *b = &planes->b[p];
        planes->a[p] = check_view(&planes->ref[p]);
        planes->b[p] = check_view(&planes->out[p]);
        planes->tiles[p] = lay_out_plane(context, planes, p);
        planes->alone[p] = lay_out_plane(context, planes, p);
        cr_assert_eq(ssimcu_compare_views(context, a, b, &score, NULL, NULL, NULL), SSIMCU_OK);
        planes->without_tiles[p] = score.score;
        cr_assert_eq(ssimcu_compare_views(context, a, b, &score, NULL, &planes->alone[p], NULL),
                     SSIMCU_OK);
        planes->score[p] = score.score;
    }
}

static void free_planes(struct planes *planes)
{
    for (int p = 0; p < 3; p++) {
        ssimcu_frame_free(&planes->ref[p]), ssimcu_frame_free(&planes->out[p]);
        free(planes->tiles[p].data), free(planes->alone[p].data);
    }
}

/* Scores the planes in one call: to the bit what each gave by itself, with its tiles or without. */
static void check_planes(ssimcu_context *context, const ssimcu_view *a, const ssimcu_view *b,
                         struct planes *planes, ssimcu_tiles *tiles)
{
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_planes(context, a, b, 3, &score, tiles, &why), SSIMCU_OK, "%s",
                 why.text);
    for (int p = 0; p < 3; p++) {
        ssimcu_tiles *own = &planes->tiles[p];
        const size_t count = (size_t)own->columns * own->rows;
        cr_assert_eq(score.channel[p], tiles ? planes->score[p] : planes->without_tiles[p]);
        if (tiles)
            cr_assert_eq(memcmp(own->data, planes->alone[p].data, count * sizeof *own->data), 0,
                         "plane %d", p);
        for (size_t i = 0; i < count; i++) own->data[i] = NAN;
    }
}

BACKEND_TEST(tiles, of_planes_are_those_of_each_plane)
{
    static const uint32_t size[][2] = {{133, 71}, {22, 22}, {901, 703}};
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++)
        for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
            const ssimcu_settings settings = {
                .struct_size = sizeof settings, .device = device, .pad = (ssimcu_pad)pad};
            ssimcu_context *context = check_open(&settings);
            struct planes planes;
            make_planes(context, size[i][0], size[i][1], &planes);
            check_planes(context, planes.a, planes.b, &planes, planes.tiles);
            check_planes(context, planes.a, planes.b, &planes, NULL);
            free_planes(&planes);
            ssimcu_close(&context);
        }
}

/* Sets the luma of OUT to the opposite of REF's in one tile. */
static void damage_tile(struct planes *planes, uint32_t column, uint32_t row)
{
    const ssimcu_tiles *tiles = &planes->tiles[0];
    ssimcu_frame *ref = &planes->ref[0], *out = &planes->out[0];
    for (uint32_t y = row * tiles->height; y < (row + 1) * tiles->height && y < ref->height; y++)
        for (uint32_t x = column * tiles->width; x < (column + 1) * tiles->width && x < ref->width;
             x++)
            check_set_sample(out, x, y, 0, 255 - check_sample(ref, x, y, 0));
}

/* A plane of chroma may lack the last column of tiles, the last row, or both. There luma is the
 * whole score. */
BACKEND_TEST(tiles, of_planes_where_chroma_ends_before_luma)
{
    static const uint32_t size[][2] = {{70, 133}, {133, 54}, {70, 54}, {134, 102}};
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_context *context = check_open(&settings);
    for (size_t i = 0; i < sizeof size / sizeof size[0]; i++) {
        struct planes planes;
        make_planes(context, size[i][0], size[i][1], &planes);
        const ssimcu_tiles *luma = &planes.tiles[0], *chroma = &planes.tiles[1];
        const uint32_t tiles = luma->columns * luma->rows;
        cr_assert_gt(tiles, chroma->columns * chroma->rows);
        for (uint32_t t = 0; t < tiles; t++) {
            const uint32_t column = t % luma->columns, row = t / luma->columns;
            ssimcu_score score = SSIMCU_INIT(score);
            if (column < chroma->columns && row < chroma->rows) continue;
            for (int p = 0; p < 3; p++)
                memcpy(planes.out[p].data, planes.ref[p].data,
                       planes.ref[p].pitch * planes.ref[p].height);
            damage_tile(&planes, column, row);
            cr_assert_eq(
                ssimcu_compare_planes(context, planes.a, planes.b, 3, &score, planes.tiles, NULL),
                SSIMCU_OK);
            cr_expect(score.worst.x == column * luma->width && score.worst.y == row * luma->height,
                      "tile %u,%u: the worst is at %u,%u", column, row, score.worst.x,
                      score.worst.y);
            check_near(score.worst.score, luma->data[t], 1e-12, "tile %u,%u", column, row);
        }
        free_planes(&planes);
    }
    ssimcu_close(&context);
}

/* Three views as in a program that was built before `frames` existed. */
enum { OLDER = offsetof(ssimcu_view, frames) };

static const ssimcu_view *shorten(const ssimcu_view *views, char (*older)[OLDER])
{
    for (int p = 0; p < 3; p++) {
        ssimcu_view view = views[p];
        view.struct_size = OLDER;
        memcpy(older[p], &view, OLDER);
    }
    return (const void *)older;
}

/* An array is stepped through by the size that its own structs say. */
BACKEND_TEST(tiles, of_planes_in_arrays_of_an_older_header)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_context *context = check_open(&settings);
    struct planes planes;
    _Alignas(ssimcu_view) char a[3][OLDER], b[3][OLDER];
    cr_assert_eq(OLDER, 88);
    make_planes(context, 101, 64, &planes);
    check_planes(context, shorten(planes.a, a), planes.b, &planes, planes.tiles);
    check_planes(context, planes.a, shorten(planes.b, b), &planes, planes.tiles);
    check_planes(context, shorten(planes.a, a), shorten(planes.b, b), &planes, NULL);
    free_planes(&planes);
    ssimcu_close(&context);
}
