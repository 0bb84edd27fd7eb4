/* Maps and frames as pictures for people: where the heat is, what its colours say, and that
 * frames of every kind look as they are. */
#include "engine/score.h"
#include "maps/maps.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>

/* ---- Colours --------------------------------------------------------------------------------- */

/* Returns the CIE 1976 L* of an sRGB colour. */
static double lightness(const uint8_t rgb[3])
{
    static const double weight[] = {0.2126, 0.7152, 0.0722};
    double y = 0;
    for (int c = 0; c < 3; c++) {
        const double v = rgb[c] / 255.0;
        y += weight[c] * (v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
    }
    return y > 216.0 / 24389 ? 116 * cbrt(y) - 16 : y * 24389.0 / 27;
}

static double lightness_at(double heat)
{
    uint8_t rgb[3];
    ssimcu_heat_color(heat, rgb);
    return lightness(rgb);
}

Test(maps, colours_become_lighter_in_even_steps)
{
    double before = lightness_at(0);
    cr_assert_lt(before, 1);
    cr_assert_gt(lightness_at(1), 95);
    for (int i = 1; i < 256; i++) {
        const double at = lightness_at(i / 255.0);
        cr_assert_gt(at, before, "step %d", i);
        before = at;
    }
    for (int i = 0; i + 16 < 256; i += 16) { /* not exactly: the table is even in another space */
        const double step = lightness_at((i + 16) / 255.0) - lightness_at(i / 255.0);
        cr_assert(step > 3 && step < 9, "step %d: %f", i, step);
    }
    cr_assert_eq(lightness_at(-1), lightness_at(0));
    cr_assert_eq(lightness_at(2), lightness_at(1));
}

/* A limit is in the middle of the colours, and twice the limit or more at their end. */
Test(maps, excess_has_colours_of_its_own)
{
    float value[] = {-3, 0, 0.5F, 1, 2, 50};
    const float shown[] = {1, 1, 0.75F, 0.5F, 0, 0};
    ssimcu_floats map = {6, 1, 6, value};
    const struct map_range range = map_of_excess(&map);
    cr_assert(range.low == 0 && range.high == 1);
    for (int i = 0; i < 6; i++) cr_assert_eq(value[i], shown[i], "%d: %f", i, value[i]);
}

/* Draws a map of one row: each value with its own colour, or laid over `out`. */
static void draw_row(ssimcu_map_style style, const struct map_range *range, const float *value,
                     uint32_t width, const ssimcu_frame *out, uint8_t *to)
{
    const ssimcu_floats map = {width, 1, width, (float *)(uintptr_t)value};
    ssimcu_frame picture;
    cr_assert_eq(map_draw(style, &map, range, out, &picture, NULL), SSIMCU_OK);
    cr_assert(picture.width == width && picture.height == 1 && picture.bits == 8);
    cr_assert_eq(picture.channels, style == SSIMCU_MAP_GREY ? 1 : 3);
    memcpy(to, picture.data, (size_t)width * picture.channels);
    ssimcu_frame_free(&picture);
}

Test(maps, stretch_shows_what_grey_does_not)
{
    static const float value[] = {0.99f, 0.97f, 1.0f, 0.5f, -0.5f, 0.975f};
    const struct map_range range = {0.97, 0.99};
    uint8_t grey[6], heat[18], low[3], high[3], middle[3];
    draw_row(SSIMCU_MAP_GREY, &range, value, 6, NULL, grey);
    cr_assert(grey[0] == 252 && grey[1] == 247 && grey[2] == 255 && grey[3] == 128 && grey[4] == 0);
    draw_row(SSIMCU_MAP_HEAT, &range, value, 6, NULL, heat);
    ssimcu_heat_color(1, low);
    ssimcu_heat_color(0, high);
    ssimcu_heat_color(0.75, middle);
    cr_assert_arr_eq(heat, high, 3);
    cr_assert_arr_eq(heat + 3, low, 3);
    cr_assert_arr_eq(heat + 6, high, 3, "above the range");
    cr_assert_arr_eq(heat + 9, low, 3, "below the range");
    cr_assert_arr_eq(heat + 12, low, 3);
    cr_assert_arr_eq(heat + 15, middle, 3);
    cr_assert_gt(lightness(heat + 3) - lightness(heat), 90);
}

/* A worse place is lighter over any OUT, and OUT alone is never lighter than half. */
Test(maps, overlay_becomes_lighter_with_the_heat)
{
    const struct map_range range = {0, 1};
    float value[64];
    for (int i = 0; i < 64; i++) value[i] = 1 - (float)i / 63;
    for (uint32_t shade = 0; shade <= 255; shade += 51) {
        ssimcu_frame out = check_flat(64, 1, 3, (const uint32_t[]){shade, shade, shade});
        uint8_t to[64 * 3];
        draw_row(SSIMCU_MAP_OVERLAY, &range, value, 64, &out, to);
        cr_assert_lt(lightness(to), 45);
        cr_assert_gt(lightness(to + 3 * 63), 95);
        for (int i = 1; i < 64; i++)
            cr_assert_gt(lightness(to + 3 * i), lightness(to + 3 * (i - 1)) - 1, "%u: %d", shade,
                         i);
        cr_assert(shade == 0 || lightness(to) > 10, "OUT is seen below");
        ssimcu_frame_free(&out);
    }
}

Test(maps, range_is_that_of_blocks)
{
    enum { WIDTH = 70, HEIGHT = 50 };
    static float value[WIDTH * HEIGHT];
    const ssimcu_floats map = {WIDTH, HEIGHT, WIDTH, value};
    for (int i = 0; i < WIDTH * HEIGHT; i++) value[i] = 1;
    struct map_range range = map_range(&map);
    check_near(range.high, 1, 0, "identical");
    check_near(range.low, 0.999, 1e-12, "identical: noise is not stretched to the full");
    value[20 * WIDTH + 20] = -1;
    check_near(map_range(&map).low, 1 - 2.0 / 256, 1e-6, "one pixel");
    for (int y = 32; y < 48; y++)
        for (int x = 48; x < 64; x++) value[y * WIDTH + x] = 0.5f;
    check_near(map_range(&map).low, 0.5, 1e-6, "a block");
    for (int y = 48; y < 50; y++) /* a smaller block at the corner */
        for (int x = 64; x < 70; x++) value[y * WIDTH + x] = 0.25f;
    range = map_range(&map);
    check_near(range.low, 0.25, 1e-6, "a block at the corner");
    check_near(range.high, 1, 0, "the best block");
    for (int i = 0; i < WIDTH * HEIGHT; i++) value[i] = i < WIDTH * 16 ? 0.0f : 0.01f;
    range = map_range(&map);
    check_near(range.low, 0, 0, "bad all over");
    check_near(range.high, 0.5, 1e-12, "bad all over: the best of it looks no good either");
}

/* ---- Where the heat is ----------------------------------------------------------------------- */

/* Makes a pair whose frames differ in a rectangle only. */
static void make_pair(uint32_t width, uint32_t height, uint32_t channels,
                      const struct shown_area *bad, ssimcu_frame frame[2])
{
    check_random random = {7};
    frame[0] = check_noise(&random, width, height, channels, 8);
    frame[1] = check_noise(&random, width, height, channels, 8);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const bool in = x - bad->x < bad->width && y - bad->y < bad->height;
            for (uint32_t c = 0; c < channels && !in; c++)
                check_set_sample(&frame[1], x, y, c, check_sample(&frame[0], x, y, c));
        }
}

/* Checks that every pixel farther than `reach` from what differs is 1, and that what differs is
 * below `most`. */
static void check_place(const ssimcu_floats *map, const struct shown_area *bad, uint32_t reach,
                        double most)
{
    for (uint32_t y = 0; y < map->height; y++)
        for (uint32_t x = 0; x < map->width; x++) {
            const float value = map->value[y * map->stride + x];
            const bool in = x - bad->x < bad->width && y - bad->y < bad->height;
            const bool near = x + reach >= bad->x && x < bad->x + bad->width + reach &&
                              y + reach >= bad->y && y < bad->y + bad->height + reach;
            if (in) cr_assert_lt(value, most, "%u,%u: %f", x, y, (double)value);
            if (!near) cr_assert_float_eq(value, 1, 1e-6, "%u,%u: %f", x, y, (double)value);
        }
}

static void score_and_check(ssimcu_pad pad, const struct shown_area *bad, uint32_t channels)
{
    ssimcu_frame frame[2];
    ssimcu_floats map;
    ssimcu_score score = SSIMCU_INIT(score);
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, pad);
    ssimcu_context *context = check_open(&settings);
    make_pair(80, 60, channels, bad, frame);
    const ssimcu_frame *const pair[2] = {&frame[0], &frame[1]};
    cr_assert_eq(map_score(context, pair, 1, &score, &map, NULL), SSIMCU_OK);
    cr_assert(map.width == 80 && map.height == 60);
    cr_assert_eq(score.score, check_compare(context, &frame[0], &frame[1]).score);
    check_place(&map, bad, 5, 0.9);
    free(map.value);
    for (int side = 0; side < 2; side++) ssimcu_frame_free(&frame[side]);
    ssimcu_close(&context);
}

Test(maps, heat_is_where_the_frames_differ)
{
    static const struct shown_area bad[] = {{31, 22, 12, 12}, {5, 5, 12, 12}, {63, 43, 12, 12}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (uint32_t channels = 1; channels <= 3; channels += 2) {
            score_and_check(SSIMCU_PAD_VALID, &bad[i], channels);
            score_and_check(SSIMCU_PAD_ZERO, &bad[i], channels);
        }
}

/* Checks the map of a video frame of which only U differs, with so many pixels to a sample. The
 * frame's size is odd. */
static void check_chroma(ssimcu_context *context, uint32_t across, uint32_t down)
{
    enum { WIDTH = 161, HEIGHT = 131 };
    const uint32_t wide = (WIDTH + across - 1) / across, high = (HEIGHT + down - 1) / down;
    const struct shown_area bad = {14, 30, 12, 12}, none = {0, 0, 0, 0};
    ssimcu_frame plane[2][3];
    ssimcu_score score = SSIMCU_INIT(score), whole = SSIMCU_INIT(score);
    ssimcu_floats map, u;
    for (uint32_t p = 0; p < 3; p++) {
        ssimcu_frame frame[2];
        make_pair(p ? wide : WIDTH, p ? high : HEIGHT, 1, p == 1 ? &bad : &none, frame);
        plane[0][p] = frame[0];
        plane[1][p] = frame[1];
    }
    const ssimcu_frame *const pair[2] = {plane[0], plane[1]};
    cr_assert_eq(map_score(context, pair, 3, &score, &map, NULL), SSIMCU_OK);
    cr_assert(map.width == WIDTH && map.height == HEIGHT);
    cr_assert_eq(score_frames(context, pair, 3, 0, NULL, &whole, NULL, NULL), SSIMCU_OK);
    cr_assert_eq(score.score, whole.score);
    cr_assert(score.channels == 3 && score.channel[1] == whole.channel[1]);
    const struct shown_area place = {across * bad.x, down * bad.y, across * bad.width,
                                     down * bad.height};
    check_place(&map, &place, 5 * (across > down ? across : down), 0.98);
    const ssimcu_frame *const second[2] = {&plane[0][1], &plane[1][1]};
    cr_assert_eq(map_score(context, second, 1, &whole, &u, NULL), SSIMCU_OK);
    const double area = wide * high, weight = area / (WIDTH * HEIGHT + 2 * area);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            check_near(map.value[y * WIDTH + x],
                       1 - weight * (1 - (double)u.value[y / down * wide + x / across]), 1e-6,
                       "%u x %u: by area, at %u,%u", across, down, x, y);
    free(u.value);
    free(map.value);
    for (int side = 0; side < 2; side++)
        for (int p = 0; p < 3; p++) ssimcu_frame_free(&plane[side][p]);
}

/* 4:2:0, 4:2:2 and 4:1:1. */
Test(maps, heat_of_chroma_lies_over_luma)
{
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    check_chroma(context, 2, 2);
    check_chroma(context, 2, 1);
    check_chroma(context, 4, 1);
    ssimcu_close(&context);
}

Test(maps, errors_leave_nothing)
{
    ssimcu_frame frame[2];
    ssimcu_floats map;
    ssimcu_score score = SSIMCU_INIT(score);
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    make_pair(10, 60, 1, &(struct shown_area){0, 0, 1, 1}, frame);
    const ssimcu_frame *const pair[2] = {&frame[0], &frame[1]};
    CHECK_FAILS(map_score(context, pair, 1, &score, &map, &message), SSIMCU_ERROR_TOO_SMALL, "11");
    cr_assert_null(map.value);
    for (int side = 0; side < 2; side++) ssimcu_frame_free(&frame[side]);
    ssimcu_close(&context);
}
