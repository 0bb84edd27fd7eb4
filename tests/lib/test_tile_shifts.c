/* Shifts of tiles on every kernel, against means of the frames in double. */
#include "picture.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdlib.h>

/* Makes a noisy pair whose OUT is brighter by `levels` in channel 1 of the right lower quarter. */
static void make_pair(uint32_t width, uint32_t height, uint32_t channels, int levels,
                      ssimcu_frame *ref, ssimcu_frame *out)
{
    check_random random = {width + height};
    *ref = check_noise(&random, width, height, channels, 8);
    *out = check_damaged(&random, ref);
    for (uint32_t y = height / 2; y < height; y++)
        for (uint32_t x = width / 2; x < width; x++) {
            uint8_t *sample = (uint8_t *)out->data + y * out->pitch + x * channels + channels / 2;
            *sample = (uint8_t)(*sample + levels > 255 ? 255 : *sample + levels);
        }
}

static ssimcu_tiles lay_out(ssimcu_context *context, const struct picture *ref,
                            const struct picture *out, uint32_t width, uint32_t height)
{
    ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = width, .height = height);
    cr_assert_eq(ssimcu_views_layout(context, &ref->view, &out->view, NULL, &tiles, NULL),
                 SSIMCU_OK);
    tiles.level_shift = malloc((size_t)tiles.columns * tiles.rows * 3 * sizeof *tiles.level_shift);
    for (size_t i = 0; i < (size_t)tiles.columns * tiles.rows * 3; i++) tiles.level_shift[i] = NAN;
    return tiles;
}

static double level_of(const struct picture *picture)
{
    return picture->view.type == SSIMCU_TYPE_U16 ? 0.05 : 1e-3; /* v * peak / 255 is rounded */
}

static void check_shifts(ssimcu_context *context, const struct picture *a, const struct picture *b,
                         const ssimcu_frame frame[2], ssimcu_pad pad, uint32_t width,
                         uint32_t height)
{
    ssimcu_tiles tiles = lay_out(context, a, b, width, height);
    const uint32_t count = tiles.columns * tiles.rows, all = count * frame[0].channels;
    double *expected = malloc(all * sizeof *expected), most = 0;
    ssimcu_score score = SSIMCU_INIT(score);
    cr_assert_eq(reference_shifts(&frame[0], &frame[1], pad == SSIMCU_PAD_ZERO, &tiles, expected),
                 0);
    cr_assert_eq(ssimcu_compare_views(context, &a->view, &b->view, &score, NULL, &tiles, NULL),
                 SSIMCU_OK);
    for (uint32_t i = 0; i < all; i++) {
        check_near(tiles.level_shift[i], expected[i], level_of(a),
                   "%ux%u, tiles of %ux%u: shift %u of %u", frame[0].width, frame[0].height, width,
                   height, i % count, i / count);
        most = fmax(most, fabs(tiles.level_shift[i]));
    }
    const uint32_t at = score.level_shift.y / height * tiles.columns + score.level_shift.x / width;
    cr_assert_eq(fabs(score.level_shift.levels), most);
    cr_assert_eq(score.level_shift.levels,
                 tiles.level_shift[score.level_shift.channel * count + at]);
    cr_assert_eq(ssimcu_compare_views(context, &a->view, &a->view, &score, NULL, &tiles, NULL),
                 SSIMCU_OK);
    for (uint32_t i = 0; i < all; i++) cr_assert_eq(tiles.level_shift[i], 0, "identical: %u", i);
    free(expected), free(tiles.level_shift);
}

static void check_kinds(ssimcu_device device, uint32_t width, uint32_t height)
{
    static const struct picture_kind kinds[] = {{SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U8, 255, 1},
                                                {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U8, 255, 1},
                                                {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_U8, 255, 1},
                                                {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_U16, 65535, 0},
                                                {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_U16, 1023, 0},
                                                {SSIMCU_LAYOUT_HWC, SSIMCU_TYPE_F32, 1, 0},
                                                {SSIMCU_LAYOUT_PLANES, SSIMCU_TYPE_F32, 1, 0}};
    enum { KINDS = sizeof kinds / sizeof kinds[0], HWC_F32 = 5 };
    static const uint32_t sizes[][2] = {{64, 64}, {11, 13}, {31, 2000}};
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        const ssimcu_settings settings = {
            .struct_size = sizeof settings, .device = device, .pad = (ssimcu_pad)pad, .threads = 2};
        ssimcu_context *context = check_open(&settings);
        for (size_t i = 0; i <= KINDS; i++) { /* at last bytes beside floats: planes of integers */
            ssimcu_frame frame[2];
            make_pair(width, height, 3, pad ? 9 : -9, &frame[0], &frame[1]);
            struct picture a = picture_make(&frame[0], 1, kinds[i % KINDS]),
                           b = picture_make(&frame[1], 1, kinds[i < KINDS ? i : HWC_F32]);
            const uint32_t *size = sizes[i % 3];
            check_shifts(context, &a, &b, frame, (ssimcu_pad)pad, size[0], size[1]);
            picture_free(&a), picture_free(&b);
            ssimcu_frame_free(&frame[0]), ssimcu_frame_free(&frame[1]);
        }
        ssimcu_close(&context);
    }
}

BACKEND_TEST(tile_shifts, of_every_kind_small) { check_kinds(device, 61, 47); }
BACKEND_TEST(tile_shifts, of_every_kind_medium) { check_kinds(device, 300, 277); }
BACKEND_TEST(tile_shifts, of_every_kind_large) { check_kinds(device, 523, 601); }

/* A plane of half the size has tiles of half the size, and counts from 0 like the others. */
BACKEND_TEST(tile_shifts, of_planes_name_the_plane)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_context *context = check_open(&settings);
    ssimcu_frame frame[2][2];
    ssimcu_view view[2][2];
    ssimcu_score score = SSIMCU_INIT(score);
    make_pair(256, 192, 1, 0, &frame[0][0], &frame[0][1]);
    make_pair(128, 96, 1, 90, &frame[1][0], &frame[1][1]);
    for (int p = 0; p < 2; p++)
        for (int side = 0; side < 2; side++) view[side][p] = check_view(&frame[p][side]);
    ssimcu_tiles tiles[2] = {SSIMCU_INIT(tiles, .width = 64, .height = 64),
                             SSIMCU_INIT(tiles, .width = 32, .height = 32)};
    cr_assert_eq(ssimcu_compare_planes(context, view[0], view[1], 2, &score, tiles, NULL),
                 SSIMCU_OK);
    cr_assert_eq(score.level_shift.channel, 1);
    cr_assert_gt(score.level_shift.levels, 20);
    cr_assert(score.level_shift.x >= 128 && score.level_shift.y >= 64 &&
              score.level_shift.width == 64);
    for (int p = 0; p < 2; p++)
        for (int side = 0; side < 2; side++) ssimcu_frame_free(&frame[p][side]);
    ssimcu_close(&context);
}
