/* What one pass over a frame sees, and what a shot makes of it: damage is found, and clean frames
 * that move have no finding. */
#include "check.h"

#include "check/beside.h"
#include "check/seen.h"
#include "check/shot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 203, HEIGHT = 157, FRAMES = 12 };

/* A picture of waves that moves with `time`, of samples of any type. */
static ssimcu_frame draw(uint32_t channels, uint32_t bits, double time)
{
    ssimcu_frame frame = {.width = WIDTH, .height = HEIGHT, .channels = channels, .bits = bits};
    cr_assert_eq(ssimcu_frame_alloc(&frame, NULL), SSIMCU_OK);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH * channels; x++) {
            const double at = x / channels + 3 * time, c = x % channels;
            const double value =
                0.45 + 0.2 * sin(at / 9 + c) * cos(y / 7.0) + 0.1 * sin(at / 31 + y / 13.0);
            char *row = (char *)frame.data + y * frame.pitch;
            if (bits == SSIMCU_BITS_F32)
                ((float *)row)[x] = (float)value;
            else if (bits == 8)
                ((uint8_t *)row)[x] = (uint8_t)(value * 255);
            else
                ((uint16_t *)row)[x] = (uint16_t)(value * 65535);
        }
    return frame;
}

/* Fills a rectangle with the first byte pattern of its type. */
static void fill(ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                 uint8_t byte)
{
    const size_t pixel = frame->channels * (frame->bits == 8 ? 1 : frame->bits == 16 ? 2 : 4);
    for (uint32_t j = y; j < y + height; j++)
        memset((char *)frame->data + j * frame->pitch + x * pixel, byte, width * pixel);
}

/* Adds a frame to a shot, which is named by its number, and frees it. */
static void add(struct check_shot *shot, int64_t number, ssimcu_frame *frame)
{
    struct seen *seen = malloc(sizeof *seen);
    cr_assert_eq(seen_look(frame, 0, seen, NULL), SSIMCU_OK);
    check_shot_add(shot, number, "x.png", NULL, seen);
    ssimcu_frame_free(frame);
}

/* Returns the only finding of a shot that was judged, which is of this frame. */
static const struct finding *only(const struct check_shot *shot, size_t at)
{
    for (size_t i = 0; i < shot->count; i++)
        cr_assert_eq(shot->frame[i].found.count, i == at, "frame %d has %d findings: %s", (int)i,
                     (int)shot->frame[i].found.count,
                     shot->frame[i].found.count ? shot->frame[i].found.finding[0].text : "");
    return at < shot->count ? &shot->frame[at].found.finding[0] : NULL;
}

/* A shot of which frame 5 is changed. */
static void make(struct check_shot *shot, uint32_t channels, uint32_t bits,
                 void (*change)(ssimcu_frame *frame))
{
    *shot = (struct check_shot){.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(channels, bits, i);
        if (i == 5 && change) change(&frame);
        add(shot, 100 + i, &frame);
    }
    check_shot_judge(shot);
}

static const uint32_t types[] = {8, 16, SSIMCU_BITS_F32};
enum { TYPES = sizeof types / sizeof *types };

Test(check, clean_frames_have_no_finding)
{
    for (int t = 0; t < TYPES; t++)
        for (uint32_t channels = 1; channels <= 3; channels += 2) {
            struct check_shot shot;
            make(&shot, channels, types[t], NULL);
            (void)only(&shot, SIZE_MAX);
            check_shot_free(&shot);
        }
}

static void put_block(ssimcu_frame *frame) { fill(frame, 61, 42, 16, 16, 0); }

Test(check, a_rectangle_of_one_colour)
{
    for (int t = 0; t < TYPES; t++)
        for (uint32_t channels = 1; channels <= 3; channels += 2) {
            struct check_shot shot;
            make(&shot, channels, types[t], put_block);
            const struct finding *found = only(&shot, 5);
            cr_assert_eq(found->kind, CHECK_BLOCK);
            cr_assert(found->place.x == 61 && found->place.y == 42 && found->place.width == 16 &&
                      found->place.height == 16);
            check_shot_free(&shot);
        }
}

/* A rectangle that moves is an object, and one that stays has been painted. */
Test(check, a_rectangle_that_moves_is_none)
{
    for (int step = 0; step < 30; step += 29) {
        struct check_shot shot = {0};
        for (int i = 0; i < 6; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            fill(&frame, 3 + (uint32_t)(step * i), 42, 24, 32, 7);
            add(&shot, i, &frame);
        }
        check_shot_judge(&shot);
        (void)only(&shot, SIZE_MAX);
        check_shot_free(&shot);
    }
}

/* A square of one colour as a codec leaves it: with waves, and a smeared border. */
static void put_smeared(ssimcu_frame *frame)
{
    check_random random = {5};
    fill(frame, 61, 42, 20, 20, 4);
    for (uint32_t y = 42; y < 62; y++) {
        uint8_t *row = (uint8_t *)frame->data + y * frame->pitch;
        for (uint32_t x = 61; x < 81; x++)
            if (y < 44 || x < 64) row[x] = (uint8_t)check_between(&random, 0, 11);
        row[81] = (uint8_t)(y % 2 ? 9 : 40);
    }
}

Test(check, a_rectangle_that_a_codec_smears)
{
    struct check_shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        struct seen *seen = malloc(sizeof *seen);
        ssimcu_frame frame = draw(1, 8, 0.2 * i);
        if (i == 5) put_smeared(&frame);
        cr_assert_eq(seen_look(&frame, 2, seen, NULL), SSIMCU_OK);
        check_shot_add(&shot, i, "x.mp4", NULL, seen);
        ssimcu_frame_free(&frame);
    }
    check_shot_judge(&shot);
    const struct finding *found = &shot.frame[5].found.finding[0];
    cr_assert(shot.frame[5].found.count > 0 && found->kind == CHECK_BLOCK);
    cr_assert(found->place.x == 61 && found->place.y == 42);
    check_shot_free(&shot);
}

/* A black square is found also where it touches what is black. */
Test(check, a_rectangle_beside_its_colour)
{
    struct check_shot shot = {0};
    for (int i = 0; i < 6; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        fill(&frame, 96, 80, 8, 40, 0);
        if (i == 3) fill(&frame, 64, 40, 40, 40, 0);
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    cr_assert_eq(only(&shot, 3)->kind, CHECK_BLOCK);
    check_shot_free(&shot);
}

static void put_garbage(ssimcu_frame *frame)
{
    check_random random = {3};
    for (uint32_t y = 77; y < 81; y++)
        for (uint32_t x = 0; x < WIDTH * frame->channels; x++)
            ((uint8_t *)frame->data)[y * frame->pitch + x] =
                (uint8_t)check_between(&random, 0, 255);
}

static void put_rows(ssimcu_frame *frame) { fill(frame, 0, 90, WIDTH, 6, 200); }

Test(check, rows_of_garbage_and_of_one_colour)
{
    void (*const change[])(ssimcu_frame *) = {put_garbage, put_rows};
    for (int i = 0; i < 2; i++) {
        struct check_shot shot;
        make(&shot, 3, 8, change[i]);
        const struct finding *found = only(&shot, 5);
        cr_assert_eq(found->kind, CHECK_BAND);
        cr_assert_eq(found->place.y, i ? 90 : 77);
        cr_assert_eq(found->number, i ? 6 : 4);
        check_shot_free(&shot);
    }
}

static void put_pixel(ssimcu_frame *frame) { fill(frame, 30, 40, 1, 1, 255); }

Test(check, a_pixel_that_stands_out)
{
    struct check_shot shot;
    make(&shot, 3, 8, put_pixel);
    const struct finding *found = only(&shot, 5);
    cr_assert_eq(found->kind, CHECK_PIXEL);
    cr_assert(found->place.x == 30 && found->place.y == 40);
    check_shot_free(&shot);
}

/* Changes a pixel of grey by this much. */
static void change_pixel(ssimcu_frame *frame, int by)
{
    uint8_t *pixel = (uint8_t *)frame->data + 40 * frame->pitch + 30;
    *pixel = (uint8_t)(*pixel + by);
}
static void put_darker(ssimcu_frame *frame) { change_pixel(frame, -58); }

/* A pixel that a texture would hide is found where the frames beside it are smooth. */
Test(check, a_pixel_is_held_against_the_texture)
{
    struct check_shot shot;
    make(&shot, 1, 8, put_darker);
    cr_assert_eq(only(&shot, 5)->kind, CHECK_PIXEL);
    check_shot_free(&shot);
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(1, 8, i);
        for (uint32_t y = 32; y < 48; y++)
            for (uint32_t x = 24; x < 40; x++)
                ((uint8_t *)frame.data)[y * frame.pitch + x] = x % 8 < 4 ? 60 : 120;
        if (i == 5) ((uint8_t *)frame.data)[40 * frame.pitch + 30] = 190;
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    check_shot_free(&shot);
}

/* What sparkles, or comes again, does it at one place. */
Test(check, a_pixel_that_comes_again)
{
    struct check_shot shot = {0};
    for (int i = 0; i < 2 * FRAMES; i++) {
        ssimcu_frame frame = draw(1, 8, i);
        if (i == 5 || i == 9) change_pixel(&frame, 90);
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    check_shot_free(&shot);
}

/* Three frames of some that follow each other are a passage that sparkles. One of them is a fault.
 */
Test(check, pixels_of_a_passage)
{
    for (int frames = 1; frames <= 3; frames += 2) {
        struct check_shot shot = {0};
        for (int i = 0; i < 4 * FRAMES; i++) {
            ssimcu_frame frame = draw(1, 8, i);
            if (i == 5 || (frames == 3 && (i == 9 || i == 13)))
                ((uint8_t *)frame.data)[40 * frame.pitch + 6 * i] ^= 0x80;
            add(&shot, i, &frame);
        }
        check_shot_judge(&shot);
        if (frames == 1)
            cr_assert_eq(only(&shot, 5)->kind, CHECK_PIXEL);
        else
            (void)only(&shot, SIZE_MAX);
        check_shot_free(&shot);
    }
}

static void put_black(ssimcu_frame *frame) { fill(frame, 0, 0, WIDTH, HEIGHT, 0); }

/* A black frame is a fault between two of one scene alone. */
Test(check, a_frame_of_one_colour)
{
    struct check_shot shot;
    make(&shot, 3, 8, put_black);
    cr_assert_eq(only(&shot, 5)->kind, CHECK_FLAT);
    check_shot_free(&shot);
    for (int i = 0; i < 6; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        if (i == 0) put_black(&frame);
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    cr_assert_eq(only(&shot, 0)->kind, CHECK_BLANK);
    check_shot_free(&shot);
}

static void put_numbers(ssimcu_frame *frame)
{
    float *row = (float *)((char *)frame->data + 20 * frame->pitch);
    row[3 * 50 + 1] = NAN;
    row[3 * 51] = -INFINITY;
    row[3 * 60] = -1;
}

Test(check, numbers_that_are_no_light)
{
    struct seen seen;
    ssimcu_frame frame = draw(3, SSIMCU_BITS_F32, 0);
    put_numbers(&frame);
    cr_assert_eq(seen_look(&frame, 0, &seen, NULL), SSIMCU_OK);
    cr_assert(seen.infinite == 2 && seen.infinite_x == 50 && seen.infinite_y == 20);
    cr_assert(seen.negative == 1 && seen.negative_x == 60 && seen.negative_y == 20);
    seen_free(&seen);
    ssimcu_frame_free(&frame);
}

/* The halves of the same numbers. */
Test(check, halves_that_are_no_light)
{
    uint16_t half[9] = {0x3c00, 0x7e00, 0xfc00, 0x8000, 0xbc00, 0x7bff, 0xfbff, 0, 1};
    ssimcu_frame frame = {
        .width = 9, .height = 1, .channels = 1, .bits = SSIMCU_BITS_F16, .data = half};
    struct seen seen;
    cr_assert_eq(seen_look(&frame, 0, &seen, NULL), SSIMCU_OK);
    cr_assert(seen.infinite == 2 && seen.infinite_x == 1);
    cr_assert(seen.negative == 2 && seen.negative_x == 4);
    seen_free(&seen);
}

Test(check, gaps_and_shapes)
{
    struct check_shot shot = {.numbered = true};
    for (int i = 0; i < 9; i++) {
        ssimcu_frame frame = draw(i == 4 ? 1 : 3, 8, i);
        add(&shot, 10 + 2 * i + (i > 6 ? 4 : 0), &frame);
    }
    check_shot_judge(&shot);
    cr_assert_eq(shot.count, 10);
    cr_assert_eq(shot.frame[4].found.finding[0].kind, CHECK_FORMAT);
    const struct finding *gap = &shot.frame[7].found.finding[0];
    cr_assert_eq(gap->kind, CHECK_MISSING);
    cr_assert(shot.frame[7].number == 24 && gap->number == 2 && !shot.frame[7].path);
    check_shot_free(&shot);
}

/* A frame that repeats, two that are swapped, and one of elsewhere. */
Test(check, frames_at_another_place)
{
    static const double times[][FRAMES] = {{0, 1, 2, 3, 4, 4, 6, 7, 8, 9, 10, 11},
                                           {0, 1, 2, 3, 4, 6, 5, 7, 8, 9, 10, 11},
                                           {0, 1, 2, 3, 4, 40, 6, 7, 8, 9, 10, 11}};
    static const enum check_kind kinds[] = {CHECK_STUCK, CHECK_SWAPPED, CHECK_ELSEWHERE};
    for (int k = 0; k < 3; k++) {
        struct check_shot shot = {0};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, times[k][i]);
            add(&shot, i, &frame);
        }
        check_shot_judge(&shot);
        cr_assert(shot.frame[5].found.count > 0, "%s", check_kind_name(kinds[k]));
        cr_assert_eq(shot.frame[5].found.finding[0].kind, kinds[k]);
        check_shot_free(&shot);
    }
}

/* Adds a number of its own to each cell of a frame: noise as coarse as a look is. */
static void add_noise(ssimcu_frame *frame, uint64_t seed, int levels)
{
    check_random random = {seed};
    for (uint32_t y = 0; y < HEIGHT; y += 8)
        for (uint32_t x = 0; x < WIDTH; x += 8) {
            const int by = (int)check_between(&random, 0, (uint64_t)(2 * levels)) - levels;
            for (uint32_t j = y; j < y + 8 && j < HEIGHT; j++)
                for (uint32_t i = x * 3; i < x * 3 + 24 && i < WIDTH * 3; i++)
                    ((uint8_t *)frame->data)[j * frame->pitch + i] += (uint8_t)by;
        }
}

/* Makes a shot of frames at these times, with noise. */
static void make_times(struct check_shot *shot, const double *times, int count, int noise)
{
    *shot = (struct check_shot){.numbered = true};
    for (int i = 0; i < count; i++) {
        ssimcu_frame frame = draw(3, 8, times[i]);
        if (noise > 0) add_noise(&frame, (uint64_t)(1 + 10 * times[i]), noise);
        add(shot, i, &frame);
    }
    check_shot_judge(shot);
}

/* Two that are swapped are found in a shot whose noise hides most of its movement. */
Test(check, frames_swapped_in_noise)
{
    static const double times[FRAMES] = {0, 1, 2, 3, 4, 6, 5, 7, 8, 9, 10, 11};
    struct check_shot shot;
    make_times(&shot, times, FRAMES, 12);
    cr_assert(shot.frame[5].found.count == 1 && shot.frame[6].found.count == 1);
    cr_assert_eq(shot.frame[5].found.finding[0].kind, CHECK_SWAPPED);
    check_shot_free(&shot);
}

/* Copies a square of one frame to another. */
static void copy_square(const ssimcu_frame *from, ssimcu_frame *to, uint32_t x, uint32_t y,
                        uint32_t side)
{
    for (uint32_t j = y; j < y + side; j++)
        memcpy((uint8_t *)to->data + j * to->pitch + x * 3,
               (const uint8_t *)from->data + j * from->pitch + x * 3, side * 3);
}

/* A frame of elsewhere of a still camera differs in a part alone. */
Test(check, a_stranger_of_the_same_scene)
{
    struct check_shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, 0.05 * i), other = draw(3, 8, 9);
        if (i == 5) copy_square(&other, &frame, 60, 60, 72);
        ssimcu_frame_free(&other);
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    cr_assert_eq(only(&shot, 5)->kind, CHECK_ELSEWHERE);
    check_shot_free(&shot);
}

/* Frames of other scenes beside it say nothing of a rectangle; and strangers that come one after
 * the other are a scene that flickers. */
Test(check, frames_that_are_all_unlike)
{
    static const uint8_t sky[4] = {10, 130, 250, 130};
    struct check_shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, 0);
        fill(&frame, 0, 0, WIDTH, 70, sky[i % 4]);
        if (i == 5) fill(&frame, 61, 100, 16, 16, 0);
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    for (size_t k = 0; k < shot.frame[5].found.count; k++)
        cr_assert_neq(shot.frame[5].found.finding[k].kind, CHECK_BLOCK);
    check_shot_free(&shot);
    for (int i = 0; i < 2 * FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, 0.1 * i + (i == 9 || i == 13 ? 30 : 0));
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    check_shot_free(&shot);
}

/* A flash clips what is bright, so that its texture is another. */
Test(check, a_flash_is_no_stranger)
{
    struct check_shot shot = {0};
    for (int i = 0; i < 2 * FRAMES; i++) {
        ssimcu_frame frame = draw(1, 8, 0.2 * i);
        for (size_t k = 0; k < HEIGHT * frame.pitch && i == 9; k++) {
            const int value = 110 + ((uint8_t *)frame.data)[k];
            ((uint8_t *)frame.data)[k] = (uint8_t)(value > 255 ? 255 : value);
        }
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    check_shot_free(&shot);
}

/* A camera that shakes comes back to where it was, by chance. */
Test(check, a_camera_that_shakes)
{
    double times[FRAMES - 1];
    struct check_shot shot;
    for (int i = 0; i < FRAMES - 1; i++) times[i] = 4 * sin(1.3 * i);
    make_times(&shot, times, FRAMES - 1, 0);
    (void)only(&shot, SIZE_MAX);
    check_shot_free(&shot);
}

/* Frames on twos that a codec has changed a little, some less than others; and frames that a rate
 * was raised by, whose next step is that of one frame. */
Test(check, repeats_that_are_no_faults)
{
    double times[2 * FRAMES];
    struct check_shot shot;
    for (int i = 0; i < 2 * FRAMES; i++) times[i] = i / 2 + (i % 2 && i != 9 ? 0.02 : 0);
    make_times(&shot, times, 2 * FRAMES, 0);
    (void)only(&shot, SIZE_MAX);
    check_shot_free(&shot);
    for (int i = 0; i < 2 * FRAMES; i++) times[i] = i - (i >= 9) + (i == 9 ? 0.005 : 0);
    make_times(&shot, times, 2 * FRAMES, 0);
    (void)only(&shot, SIZE_MAX);
    check_shot_free(&shot);
    for (int i = 0; i < 2 * FRAMES; i++) times[i] = i - (i > 6) - (i > 13) - (i > 20);
    make_times(&shot, times, 2 * FRAMES, 0);
    (void)only(&shot, SIZE_MAX);
    check_shot_free(&shot);
}

/* Light of a frame, from 0 to 1. */
static void dim(ssimcu_frame *frame, double light)
{
    for (size_t i = 0; i < HEIGHT * frame->pitch; i++)
        ((uint8_t *)frame->data)[i] = (uint8_t)(light * ((uint8_t *)frame->data)[i]);
}

/* A scene that fades out and the one that fades in, or comes in by a cut. */
Test(check, black_between_two_fades)
{
    for (int far = 0; far < 2; far++) {
        struct check_shot shot = {0};
        for (int i = 0; i < 2 * FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            dim(&frame, abs(i - FRAMES) / (i < FRAMES && far ? 1.0 : 10.0) > 1
                            ? 1
                            : abs(i - FRAMES) / 10.0);
            add(&shot, i, &frame);
        }
        check_shot_judge(&shot);
        cr_assert_eq(only(&shot, FRAMES)->kind, CHECK_BLANK);
        check_shot_free(&shot);
    }
}

/* A codec leaves squares of one colour that are hardly another than what was there. */
Test(check, a_faint_rectangle_is_none)
{
    struct check_shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(1, 8, 0);
        dim(&frame, 0.1);
        if (i == 5)
            fill(&frame, 61, 42, 16, 16,
                 (uint8_t)(3 + ((uint8_t *)frame.data)[50 * frame.pitch + 69]));
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    check_shot_free(&shot);
}

/* An animation on twos repeats each frame, and a cut is no stranger. */
Test(check, habits_are_no_faults)
{
    for (int cut = 0; cut < 2; cut++) {
        struct check_shot shot = {0};
        for (int i = 0; i < 2 * FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, cut ? i + (i >= FRAMES ? 500 : 0) : i / 2);
            add(&shot, i, &frame);
        }
        check_shot_judge(&shot);
        (void)only(&shot, SIZE_MAX);
        check_shot_free(&shot);
    }
}

Test(check, alpha_between_others)
{
    struct check_shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(4, 8, i);
        for (uint32_t y = 0; y < HEIGHT && (i == 0 || i == 6); y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                ((uint8_t *)frame.data)[y * frame.pitch + 4 * x + 3] = 0;
        add(&shot, i, &frame);
    }
    check_shot_judge(&shot);
    cr_assert_eq(only(&shot, 6)->kind, CHECK_ALPHA);
    check_shot_free(&shot);
}

Test(check, kinds_are_read)
{
    check_mask kinds;
    cr_assert_eq(check_read_kinds("nan,block", &kinds, NULL), SSIMCU_OK);
    cr_assert_eq(kinds, 1u << CHECK_NAN | 1u << CHECK_BLOCK);
    cr_assert(check_read_kinds("none", &kinds, NULL) == SSIMCU_OK && kinds == 0);
    cr_assert(check_read_kinds("all", &kinds, NULL) == SSIMCU_OK &&
              kinds == (1u << CHECK_KINDS) - 1);
    ssimcu_message why = {{0}};
    cr_assert_eq(check_read_kinds("nan,", &kinds, &why), SSIMCU_ERROR_ARGUMENT);
    cr_assert(strstr(why.text, "expected kinds"));
}

/* No frame is too small for a look. */
Test(check, small_frames)
{
    for (uint32_t width = 1; width < 20; width++) {
        uint8_t data[20 * 20];
        for (int i = 0; i < 400; i++) data[i] = (uint8_t)(i * 37);
        ssimcu_frame frame = {
            .width = width, .height = 20 - width, .channels = 1, .bits = 8, .data = data};
        struct seen seen;
        cr_assert_eq(seen_look(&frame, 0, &seen, NULL), SSIMCU_OK);
        seen_free(&seen);
    }
}
