/* Frames as RGB of 8 bits: video, depths, alpha, sizes. */
#include "image/resize.h"
#include "maps/maps.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Draws the whole frame in a size. */
static ssimcu_frame draw(const struct shown_frame *shown, uint32_t width, uint32_t height)
{
    const struct shown_area all = {0, 0, shown->plane[0].width, shown->plane[0].height};
    ssimcu_frame picture;
    ssimcu_message why = {{0}};
    cr_assert_eq(shown_draw(shown, &all, width, height, &picture, &why), SSIMCU_OK, "%s", why.text);
    cr_assert(picture.width == width && picture.height == height);
    cr_assert(picture.channels == 3 && picture.bits == 8);
    return picture;
}

static void expect(const ssimcu_frame *picture, uint32_t x, uint32_t y, int r, int g, int b,
                   int tolerance, const char *what)
{
    const int expected[] = {r, g, b};
    for (uint32_t c = 0; c < 3; c++) {
        const int seen = (int)check_sample(picture, x, y, c);
        cr_assert(abs(seen - expected[c]) <= tolerance, "%s, channel %u: %d, expected %d", what, c,
                  seen, expected[c]);
    }
}

/* ---- Video ----------------------------------------------------------------------------------- */

/* Makes a frame of one colour. */
static void show_yuv(uint32_t width, uint32_t height, uint32_t bits, ssimcu_range range, uint32_t y,
                     uint32_t u, uint32_t v, const int rgb[3], const char *what)
{
    ssimcu_clip_format format = {.planes = 3, .range = range};
    const uint32_t value[] = {y, u, v};
    ssimcu_frame plane[3];
    for (uint32_t p = 0; p < 3; p++) {
        plane[p] = check_frame(p ? (width + 1) / 2 : width, p ? (height + 1) / 2 : height, 1, bits);
        format.plane[p] = plane[p];
        for (uint32_t at = 0; at < plane[p].width * plane[p].height; at++)
            check_set_sample(&plane[p], at % plane[p].width, at / plane[p].width, 0, value[p]);
    }
    const struct shown_frame shown = {plane, 3, &format, SSIMCU_BACKGROUND_NONE, 1};
    ssimcu_frame picture = draw(&shown, 32, 18);
    expect(&picture, 0, 0, rgb[0], rgb[1], rgb[2], 1, what);
    expect(&picture, 31, 17, rgb[0], rgb[1], rgb[2], 1, what);
    ssimcu_frame_free(&picture);
    for (uint32_t p = 0; p < 3; p++) ssimcu_frame_free(&plane[p]);
}

/* The colour bars of BT.601 and BT.709, in the numbers that those recommendations give. */
Test(shown, video_has_its_colours)
{
    static const int white[] = {255, 255, 255}, black[] = {0, 0, 0}, red[] = {255, 0, 0},
                     green[] = {0, 255, 0}, blue[] = {0, 0, 255};
    const ssimcu_range limited = SSIMCU_RANGE_LIMITED, full = SSIMCU_RANGE_FULL;
    show_yuv(720, 576, 8, limited, 235, 128, 128, white, "601 white");
    show_yuv(720, 576, 8, limited, 16, 128, 128, black, "601 black");
    show_yuv(720, 576, 8, limited, 81, 90, 240, red, "601 red");
    show_yuv(720, 576, 8, limited, 145, 54, 34, green, "601 green");
    show_yuv(720, 576, 8, SSIMCU_RANGE_UNKNOWN, 41, 240, 110, blue, "601 blue");
    show_yuv(1280, 720, 8, limited, 63, 102, 240, red, "709 red");
    show_yuv(1280, 720, 8, limited, 173, 42, 26, green, "709 green");
    show_yuv(64, 578, 8, limited, 32, 240, 118, blue, "709 blue");
    show_yuv(720, 480, 8, full, 76, 85, 255, red, "full red");
    show_yuv(720, 480, 8, full, 255, 128, 128, white, "full white");
    show_yuv(720, 480, 8, full, 64, 128, 128, (const int[]){64, 64, 64}, "full grey");
    show_yuv(1920, 1080, 10, limited, 250, 409, 960, red, "10 bits red");
    show_yuv(720, 576, 12, full, 4095, 2048, 2048, white, "12 bits full white");
    show_yuv(720, 576, 16, limited, 235 << 8, 128 << 8, 128 << 8, white, "16 bits white");
    show_yuv(720, 576, 8, limited, 1, 128, 128, black, "below black");
    show_yuv(720, 576, 8, limited, 254, 128, 128, white, "above white");
}

Test(shown, grey_video_has_a_range)
{
    ssimcu_frame plane = check_flat(16, 16, 1, (const uint32_t[]){235});
    ssimcu_clip_format format = {.planes = 1, .plane = {plane}, .range = SSIMCU_RANGE_LIMITED};
    const struct shown_frame video = {&plane, 1, &format, SSIMCU_BACKGROUND_NONE, 1};
    const struct shown_frame picture = {&plane, 1, NULL, SSIMCU_BACKGROUND_NONE, 1};
    ssimcu_frame drawn = draw(&video, 16, 16);
    expect(&drawn, 3, 3, 255, 255, 255, 0, "video");
    ssimcu_frame_free(&drawn);
    drawn = draw(&picture, 16, 16);
    expect(&drawn, 3, 3, 235, 235, 235, 0, "a picture");
    ssimcu_frame_free(&drawn);
    ssimcu_frame_free(&plane);
}

/* Chroma of a shot lies where luma does: the lower right quarter is red. */
Test(shown, parts_of_video)
{
    ssimcu_frame plane[3] = {check_frame(64, 32, 1, 8), check_frame(32, 16, 1, 8),
                             check_frame(32, 16, 1, 8)};
    ssimcu_clip_format format = {.planes = 3, .range = SSIMCU_RANGE_LIMITED};
    static const uint32_t grey[] = {126, 128, 128}, red[] = {81, 90, 240};
    for (uint32_t p = 0; p < 3; p++) {
        format.plane[p] = plane[p];
        for (uint32_t y = 0; y < plane[p].height; y++)
            for (uint32_t x = 0; x < plane[p].width; x++)
                check_set_sample(&plane[p], x, y, 0,
                                 x < plane[p].width / 2 || y < plane[p].height / 2 ? grey[p]
                                                                                   : red[p]);
    }
    const struct shown_frame shown = {plane, 3, &format, SSIMCU_BACKGROUND_NONE, 1};
    ssimcu_frame picture;
    cr_assert_eq(shown_draw(&shown, &(struct shown_area){24, 8, 16, 16}, 16, 16, &picture, NULL),
                 SSIMCU_OK);
    expect(&picture, 0, 15, 128, 128, 128, 1, "left");
    expect(&picture, 6, 15, 128, 128, 128, 1, "left of the edge");
    expect(&picture, 9, 15, 255, 0, 0, 1, "right of the edge");
    expect(&picture, 15, 0, 128, 128, 128, 1, "above");
    expect(&picture, 15, 6, 128, 128, 128, 1, "above the edge");
    expect(&picture, 15, 9, 255, 0, 0, 1, "below the edge");
    ssimcu_frame_free(&picture);
    for (uint32_t p = 0; p < 3; p++) ssimcu_frame_free(&plane[p]);
}

/* ---- Pictures -------------------------------------------------------------------------------- */

static void show_pixel(uint32_t channels, uint32_t bits, const uint32_t *sample,
                       ssimcu_background background, const int rgb[3], const char *what)
{
    ssimcu_frame frame = check_frame(12, 12, channels, bits);
    for (uint32_t at = 0; at < 144; at++)
        for (uint32_t c = 0; c < channels; c++)
            check_set_sample(&frame, at % 12, at / 12, c, sample[c]);
    const struct shown_frame shown = {&frame, 1, NULL, background, 1};
    ssimcu_frame picture = draw(&shown, 5, 7);
    expect(&picture, 4, 6, rgb[0], rgb[1], rgb[2], 0, what);
    ssimcu_frame_free(&picture);
    ssimcu_frame_free(&frame);
}

Test(shown, depths_and_alpha)
{
    static const uint32_t grey[] = {77, 0}, rgb[] = {10, 200, 30}, deep[] = {0, 65535, 257 * 99},
                          half[] = {255, 100, 0, 51}, deep_half[] = {65535, 0, 0, 13107},
                          grey_half[] = {200, 51}, ten[] = {1023, 512, 0};
    const ssimcu_background none = SSIMCU_BACKGROUND_NONE, black = SSIMCU_BACKGROUND_BLACK,
                            white = SSIMCU_BACKGROUND_WHITE;
    show_pixel(1, 8, grey, none, (const int[]){77, 77, 77}, "grey");
    show_pixel(3, 8, rgb, none, (const int[]){10, 200, 30}, "rgb");
    show_pixel(3, 16, deep, none, (const int[]){0, 255, 99}, "16 bits");
    show_pixel(3, 10, ten, none, (const int[]){255, 128, 0}, "10 bits");
    show_pixel(4, 8, half, none, (const int[]){255, 100, 0}, "alpha left out");
    show_pixel(4, 8, half, black, (const int[]){51, 20, 0}, "over black");
    show_pixel(4, 8, half, white, (const int[]){255, 224, 204}, "over white");
    show_pixel(4, 16, deep_half, white, (const int[]){255, 204, 204}, "16 bits over white");
    show_pixel(2, 8, grey_half, black, (const int[]){40, 40, 40}, "grey over black");
    show_pixel(2, 8, grey, white, (const int[]){255, 255, 255}, "clear");
}

/* Video of R, G and B, and a matrix that the file names. */
Test(shown, rgb_video_and_named_matrices)
{
    ssimcu_frame plane[3], rgb = check_frame(12, 12, 3, 8);
    ssimcu_clip_format format = {.planes = 3};
    static const uint32_t samples[] = {200, 30, 10};
    for (uint32_t p = 0; p < 3; p++) {
        plane[p] = format.plane[p] = check_frame(12, 12, 1, 8);
        for (uint32_t at = 0; at < 144; at++)
            check_set_sample(&plane[p], at % 12, at / 12, 0, samples[p]);
    }
    for (uint32_t at = 0; at < 432; at++)
        check_set_sample(&rgb, at / 3 % 12, at / 36, at % 3, samples[at % 3]);
    const ssimcu_clip_format of_rgb = {.planes = 1, .plane = {rgb}, .rgb = true};
    const struct shown_frame video = {&rgb, 1, &of_rgb, SSIMCU_BACKGROUND_NONE, 1};
    ssimcu_frame picture = draw(&video, 5, 7);
    expect(&picture, 4, 6, 200, 30, 10, 0, "R, G, B");
    ssimcu_frame_free(&picture);
    ssimcu_frame_free(&rgb);
    const struct shown_frame shown = {plane, 3, &format, SSIMCU_BACKGROUND_NONE, 1};
    format.range = SSIMCU_RANGE_FULL;
    format.matrix = "bt2020"; /* Y 200, U -98, V -118 */
    picture = draw(&shown, 5, 7);
    expect(&picture, 4, 6, 26, 255, 16, 1, "BT.2020");
    ssimcu_frame_free(&picture);
    for (uint32_t p = 0; p < 3; p++) ssimcu_frame_free(&plane[p]);
}

static void show_light(uint32_t channels, uint32_t bits, const void *pixel, double gain,
                       ssimcu_background background, const int rgb[3], const char *what)
{
    const size_t bytes = channels * (bits % SSIMCU_BITS_FLOAT / 8);
    ssimcu_frame frame = {.width = 12, .height = 12, .channels = channels, .bits = bits};
    cr_assert_eq(ssimcu_frame_alloc(&frame, NULL), SSIMCU_OK);
    for (uint32_t at = 0; at < 144; at++)
        memcpy((char *)frame.data + at / 12 * frame.pitch + at % 12 * bytes, pixel, bytes);
    const struct shown_frame shown = {&frame, 1, NULL, background, gain};
    ssimcu_frame picture = draw(&shown, 5, 7);
    expect(&picture, 4, 6, rgb[0], rgb[1], rgb[2], 0, what);
    ssimcu_frame_free(&picture);
    ssimcu_frame_free(&frame);
}

/* The curve of sRGB: 0.21404 is in its middle. */
Test(shown, linear_light_is_shown_by_the_curve_of_srgb)
{
    static const float middle[] = {0.2140f, 0.0f, 1.0f}, wild[] = {5.0f, -1.0f, NAN},
                       dark[] = {0.1070f, 0.0f, 0.5f}, half[] = {0.25f, 0.0f, 0.5f, 0.5f};
    static const uint16_t f16[] = {0x3800, 0x8001, 0x7c00}; /* 0.5, negative, infinite */
    const ssimcu_background none = SSIMCU_BACKGROUND_NONE, white = SSIMCU_BACKGROUND_WHITE;
    show_light(3, SSIMCU_BITS_F32, middle, 1, none, (const int[]){127, 0, 255}, "f32");
    show_light(3, SSIMCU_BITS_F32, middle, 0, none, (const int[]){127, 0, 255}, "gain 0 is 1");
    show_light(3, SSIMCU_BITS_F32, wild, 1, none, (const int[]){255, 0, 0}, "beyond");
    show_light(3, SSIMCU_BITS_F32, dark, 2, none, (const int[]){127, 0, 255}, "a stop up");
    show_light(4, SSIMCU_BITS_F32, half, 1, none, (const int[]){137, 0, 188}, "alpha left out");
    show_light(4, SSIMCU_BITS_F32, half, 1, white, (const int[]){225, 188, 255}, "over white");
    show_light(1, SSIMCU_BITS_F32, middle, 1, none, (const int[]){127, 127, 127}, "grey");
    show_light(3, SSIMCU_BITS_F16, f16, 1, none, (const int[]){188, 0, 0}, "f16");
}

/* Samples stay if the size stays; a shot is that shot. */
Test(shown, same_size_is_the_same)
{
    check_random random = {3};
    ssimcu_frame frame = check_noise(&random, 40, 30, 3, 8), picture;
    const struct shown_frame shown = {&frame, 1, NULL, SSIMCU_BACKGROUND_NONE, 1};
    cr_assert_eq(shown_draw(&shown, &(struct shown_area){7, 5, 21, 13}, 21, 13, &picture, NULL),
                 SSIMCU_OK);
    for (uint32_t y = 0; y < 13; y++)
        for (uint32_t x = 0; x < 21; x++)
            for (uint32_t c = 0; c < 3; c++)
                cr_assert_eq(check_sample(&picture, x, y, c),
                             check_sample(&frame, x + 7, y + 5, c));
    ssimcu_frame_free(&picture);
    ssimcu_frame_free(&frame);
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

Test(shown, floats_are_means)
{
    float value[12 * 6], small[4 * 2], large[24];
    for (int i = 0; i < 72; i++) value[i] = (float)(i % 12 / 3 + 10 * (i / 36));
    const ssimcu_floats from = {12, 6, 12, value};
    ssimcu_floats to = {4, 2, 4, small};
    cr_assert_eq(ssimcu_resize_floats(&from, &to, NULL), SSIMCU_OK);
    for (int i = 0; i < 8; i++) check_near(small[i], i % 4 + 10 * (i / 4), 1e-5, "cell %d", i);
    const ssimcu_floats shot = {6, 3, 12, value + 3};
    to = (ssimcu_floats){2, 1, 2, small};
    cr_assert_eq(ssimcu_resize_floats(&shot, &to, NULL), SSIMCU_OK);
    check_near(small[0], 1, 1e-5, "of a part");
    check_near(small[1], 2, 1e-5, "of a part");
    const ssimcu_floats two = {2, 1, 2, (float[]){0, 1}};
    to = (ssimcu_floats){8, 3, 8, large};
    cr_assert_eq(ssimcu_resize_floats(&two, &to, NULL), SSIMCU_OK);
    for (int i = 1; i < 8; i++) cr_assert_geq(large[i], large[i - 1]);
    check_near(large[3] + large[4], 1, 1e-5, "the middle");
}

Test(shown, sizes_that_cannot_be)
{
    ssimcu_frame rgb = check_frame(8, 8, 3, 8), grey = check_frame(4, 4, 1, 8),
                 deep = check_frame(4, 4, 3, 16);
    CHECK_FAILS(ssimcu_resize(&rgb, &grey, &message), SSIMCU_ERROR_ARGUMENT, "8x8");
    CHECK_FAILS(ssimcu_resize(&rgb, &deep, &message), SSIMCU_ERROR_ARGUMENT, "4x4");
    ssimcu_frame huge = rgb;
    huge.width = UINT32_MAX;
    CHECK_FAILS(ssimcu_resize(&huge, &rgb, &message), SSIMCU_ERROR_ARGUMENT, "4294967295");
    CHECK_FAILS(ssimcu_resize(&rgb, &huge, &message), SSIMCU_ERROR_ARGUMENT, "4294967295");
    const ssimcu_floats none = {0, 4, 0, NULL};
    ssimcu_floats to = {1, 1, 1, NULL};
    CHECK_FAILS(ssimcu_resize_floats(&none, &to, &message), SSIMCU_ERROR_ARGUMENT, "0x4");
    ssimcu_frame_free(&rgb);
    ssimcu_frame_free(&grey);
    ssimcu_frame_free(&deep);
}
