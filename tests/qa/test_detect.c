/* What one pass over a frame sees, and what a shot makes of it: damage is found, and clean frames
 * that move have no finding. */
#include "detect_shot.h"

static const uint32_t types[] = {8, 16, SSIMCU_BITS_F32};
enum { TYPES = sizeof types / sizeof *types };

Test(detect, clean_frames_have_no_finding)
{
    for (int t = 0; t < TYPES; t++)
        for (uint32_t channels = 1; channels <= 3; channels += 2) {
            struct shot shot;
            make(&shot, channels, types[t], NULL);
            (void)only(&shot, SIZE_MAX);
            shot_free(&shot);
        }
}

static void put_block(ssimcu_frame *frame) { fill(frame, 61, 42, 16, 16, 0); }

Test(detect, a_rectangle_of_one_colour)
{
    for (int t = 0; t < TYPES; t++)
        for (uint32_t channels = 1; channels <= 3; channels += 2) {
            struct shot shot;
            make(&shot, channels, types[t], put_block);
            const struct finding *found = only(&shot, 5);
            cr_assert_eq(found->kind, FINDING_FLAT_AREA);
            cr_assert(found->place.x == 61 && found->place.y == 42 && found->place.width == 16 &&
                      found->place.height == 16);
            shot_free(&shot);
        }
}

/* A rectangle that moves is an object, and one that stays has been painted. */
Test(detect, a_rectangle_that_moves_is_none)
{
    for (int step = 0; step < 30; step += 29) {
        struct shot shot = {0};
        for (int i = 0; i < 6; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            fill(&frame, 3 + (uint32_t)(step * i), 42, 24, 32, 7);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
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

Test(detect, a_rectangle_that_a_codec_smears)
{
    struct shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        struct frame_stats *stats = malloc(sizeof *stats);
        ssimcu_frame frame = draw(1, 8, 0.2 * i);
        if (i == 5) put_smeared(&frame);
        cr_assert_eq(frame_stats_scan(&frame, 2, stats, NULL), SSIMCU_OK);
        shot_add(&shot, i, "x.mp4", NULL, stats);
        ssimcu_frame_free(&frame);
    }
    shot_judge(&shot);
    const struct finding *found = &shot.frame[5].found.at[0];
    cr_assert(shot.frame[5].found.count > 0 && found->kind == FINDING_FLAT_AREA);
    cr_assert(found->place.x == 61 && found->place.y == 42);
    shot_free(&shot);
}

/* A black square is found also where it touches what is black. */
Test(detect, a_rectangle_beside_its_colour)
{
    struct shot shot = {0};
    for (int i = 0; i < 6; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        fill(&frame, 96, 80, 8, 40, 0);
        if (i == 3) fill(&frame, 64, 40, 40, 40, 0);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    cr_assert_eq(only(&shot, 3)->kind, FINDING_FLAT_AREA);
    shot_free(&shot);
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

Test(detect, rows_of_garbage_and_of_one_colour)
{
    void (*const change[])(ssimcu_frame *) = {put_garbage, put_rows};
    for (int i = 0; i < 2; i++) {
        struct shot shot;
        make(&shot, 3, 8, change[i]);
        const struct finding *found = only(&shot, 5);
        cr_assert_eq(found->kind, i ? FINDING_FLAT_AREA : FINDING_GARBAGE);
        cr_assert_eq(found->place.y, i ? 90 : 77);
        cr_assert_eq(found->value, i ? 6 : 4);
        shot_free(&shot);
    }
}

static void put_pixel(ssimcu_frame *frame) { fill(frame, 30, 40, 1, 1, 255); }

Test(detect, a_pixel_that_stands_out)
{
    struct shot shot;
    make(&shot, 3, 8, put_pixel);
    const struct finding *found = only(&shot, 5);
    cr_assert_eq(found->kind, FINDING_OUTLIER_PIXEL);
    cr_assert(found->place.x == 30 && found->place.y == 40);
    shot_free(&shot);
}

/* Changes a pixel of grey by this much. */
static void change_pixel(ssimcu_frame *frame, int by)
{
    uint8_t *pixel = (uint8_t *)frame->data + 40 * frame->pitch + 30;
    *pixel = (uint8_t)(*pixel + by);
}
static void put_darker(ssimcu_frame *frame) { change_pixel(frame, -58); }

/* A pixel that a texture would hide is found where the frames beside it are smooth. */
Test(detect, a_pixel_is_held_against_the_texture)
{
    struct shot shot;
    make(&shot, 1, 8, put_darker);
    cr_assert_eq(only(&shot, 5)->kind, FINDING_OUTLIER_PIXEL);
    shot_free(&shot);
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(1, 8, i);
        for (uint32_t y = 32; y < 48; y++)
            for (uint32_t x = 24; x < 40; x++)
                ((uint8_t *)frame.data)[y * frame.pitch + x] = x % 8 < 4 ? 60 : 120;
        if (i == 5) ((uint8_t *)frame.data)[40 * frame.pitch + 30] = 190;
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* What sparkles, or comes again, does it at one place. */
Test(detect, a_pixel_that_comes_again)
{
    struct shot shot = {0};
    for (int i = 0; i < 2 * FRAMES; i++) {
        ssimcu_frame frame = draw(1, 8, i);
        if (i == 5 || i == 9) change_pixel(&frame, 90);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* It is one place up to three pixels away, across and down. */
Test(detect, pixels_in_one_row_or_column)
{
    static const int apart[][2] = {{3, 0}, {0, 3}, {-3, -3}, {4, 0}, {0, -4}, {90, 0}, {0, 90}};
    for (size_t k = 0; k < sizeof apart / sizeof *apart; k++) {
        struct shot shot = {0};
        const bool usual = abs(apart[k][0]) <= 3 && abs(apart[k][1]) <= 3;
        for (int i = 0; i < 4 * FRAMES; i++) {
            ssimcu_frame frame = draw(1, 8, i);
            const int x = 30 + (i == 40 ? apart[k][0] : 0), y = 40 + (i == 40 ? apart[k][1] : 0);
            if (i == 5 || i == 40) ((uint8_t *)frame.data)[y * (int)frame.pitch + x] ^= 0x80;
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < 4 * FRAMES; i++)
            cr_expect_eq(shot.frame[i].found.count, !usual && (i == 5 || i == 40),
                         "%d,%d apart: frame %d", apart[k][0], apart[k][1], i);
        shot_free(&shot);
    }
}

/* Three frames of some that follow each other are a passage that sparkles. One of them is a fault.
 */
Test(detect, pixels_of_a_passage)
{
    for (int frames = 1; frames <= 3; frames += 2) {
        struct shot shot = {0};
        for (int i = 0; i < 4 * FRAMES; i++) {
            ssimcu_frame frame = draw(1, 8, i);
            if (i == 5 || (frames == 3 && (i == 9 || i == 13)))
                ((uint8_t *)frame.data)[40 * frame.pitch + 6 * i] ^= 0x80;
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        if (frames == 1)
            cr_assert_eq(only(&shot, 5)->kind, FINDING_OUTLIER_PIXEL);
        else
            (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
    }
}

static void put_numbers(ssimcu_frame *frame)
{
    float *row = (float *)((char *)frame->data + 20 * frame->pitch);
    row[3 * 50 + 1] = NAN;
    row[3 * 51] = -INFINITY;
    row[3 * 60] = -1;
}

Test(detect, numbers_that_are_no_light)
{
    struct frame_stats stats;
    ssimcu_frame frame = draw(3, SSIMCU_BITS_F32, 0);
    put_numbers(&frame);
    cr_assert_eq(frame_stats_scan(&frame, 0, &stats, NULL), SSIMCU_OK);
    cr_assert(stats.infinite == 2 && stats.infinite_x == 50 && stats.infinite_y == 20);
    cr_assert(stats.negative == 1 && stats.negative_x == 60 && stats.negative_y == 20);
    frame_stats_free(&stats);
    ssimcu_frame_free(&frame);
}

/* The halves of the same numbers. */
Test(detect, halves_that_are_no_light)
{
    uint16_t half[9] = {0x3c00, 0x7e00, 0xfc00, 0x8000, 0xbc00, 0x7bff, 0xfbff, 0, 1};
    ssimcu_frame frame = {
        .width = 9, .height = 1, .channels = 1, .bits = SSIMCU_BITS_F16, .data = half};
    struct frame_stats stats;
    cr_assert_eq(frame_stats_scan(&frame, 0, &stats, NULL), SSIMCU_OK);
    cr_assert(stats.infinite == 2 && stats.infinite_x == 1);
    cr_assert(stats.negative == 2 && stats.negative_x == 4);
    frame_stats_free(&stats);
}

/* No frame is too small for a look. Without a pitch, rows follow each other. */
Test(detect, small_frames)
{
    for (uint32_t width = 1; width < 20; width++) {
        uint8_t data[20 * 20];
        for (int i = 0; i < 400; i++) data[i] = (uint8_t)(i * 37);
        ssimcu_frame frame = {
            .width = width, .height = 20 - width, .channels = 1, .bits = 8, .data = data};
        struct frame_stats stats, same;
        cr_assert_eq(frame_stats_scan(&frame, 0, &stats, NULL), SSIMCU_OK);
        frame.pitch = width;
        cr_assert_eq(frame_stats_scan(&frame, 0, &same, NULL), SSIMCU_OK);
        cr_expect(memcmp(stats.rough, same.rough, frame.height * sizeof *same.rough) == 0);
        frame_stats_free(&stats), frame_stats_free(&same);
    }
}
