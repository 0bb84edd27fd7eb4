/* Whole frames among the others of their shot: of one colour, of another shape, at another place,
 * and without alpha. */
#include "detect_shot.h"

static void put_black(ssimcu_frame *frame) { fill(frame, 0, 0, WIDTH, HEIGHT, 0); }

/* Judges a shot whose frames lose their light to both ends, over `fade` frames, and of which
 * `black` frames, from `first` on, are black. */
static void judge_black(struct shot *shot, int first, int black, int fade)
{
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, 0.2 * i);
        uint8_t *byte = frame.data;
        const int to_end = i < FRAMES / 2 ? i : FRAMES - 1 - i;
        for (size_t at = 0; to_end < fade && at < frame.pitch * HEIGHT; at++)
            byte[at] = (uint8_t)(byte[at] * to_end / fade);
        if (i >= first && i < first + black) put_black(&frame);
        add(shot, i, &frame);
    }
    shot_judge(shot);
}

/* A black frame is a fault in the middle of a scene, and at the end of pictures if it comes without
 * a fade and alone. Pictures may begin so, a video may end so, and a layer may be empty. */
Test(detect_frames, a_frame_of_one_colour)
{
    static const int places[] = {1, FRAMES / 2, FRAMES - 2, FRAMES - 1};
    for (int p = 0; p < 4; p++) {
        struct shot shot = {.numbered = true};
        judge_black(&shot, places[p], 1, 0);
        cr_expect_eq(only(&shot, places[p])->kind, FINDING_SOLID, "frame %d", places[p]);
        shot_free(&shot);
    }
    const struct {
        struct shot shot;
        int first, black, fade;
    } correct[] = {
        {{.numbered = true}, 0, 1, 0},          {{.numbered = true}, 0, 2, 0},
        {{.numbered = true}, FRAMES - 2, 2, 0}, {{.numbered = true}, FRAMES - 1, 1, 3},
        {{.video = true}, FRAMES - 1, 1, 0},    {{.layer = strdup("depth")}, FRAMES - 1, 1, 0},
    };
    for (size_t s = 0; s < sizeof correct / sizeof *correct; s++) {
        struct shot shot = correct[s].shot;
        judge_black(&shot, correct[s].first, correct[s].black, correct[s].fade);
        const struct findings *list = &shot.frame[correct[s].first].found;
        cr_assert_eq(list->count, 1, "shot %zu", s);
        cr_expect_eq(list->at[0].kind, FINDING_BLANK, "shot %zu", s);
        shot_free(&shot);
    }
}

/* A grey frame is a fault only if the scenes around it resemble each other more than it resembles
 * them. */
Test(detect_frames, grey_between_scenes)
{
    static const int places[] = {1, 5, FRAMES - 2};
    for (int p = 0; p < 3; p++)
        for (int other = 0; other < 2; other++) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(1, 8, 0.2 * i + (other && i > places[p] ? 9 : 0));
                if (i == places[p]) fill(&frame, 0, 0, WIDTH, HEIGHT, 115);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            const struct findings *list = &shot.frame[places[p]].found;
            cr_assert_eq(list->count, 1);
            cr_expect_eq(list->at[0].kind, other ? FINDING_BLANK : FINDING_SOLID, "frame %d",
                         places[p]);
            shot_free(&shot);
        }
}

/* A black frame is between two scenes if the light of the second is further from the first than
 * half of the step to black. */
Test(detect_frames, black_before_another_light)
{
    static const int lights[] = {0, 30, 75};
    for (int k = 0; k < 3; k++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, 0.2 * i);
            uint8_t *byte = frame.data;
            for (size_t at = 0; i > 5 && at < frame.pitch * HEIGHT; at++)
                byte[at] = (uint8_t)fmin(byte[at] + lights[k], 255);
            if (i == 5) put_black(&frame);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        cr_assert_eq(shot.frame[5].found.count, 1);
        cr_expect_eq(shot.frame[5].found.at[0].kind, k == 2 ? FINDING_BLANK : FINDING_SOLID,
                     "%d levels", lights[k]);
        shot_free(&shot);
    }
}

Test(detect_frames, gaps_and_shapes)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < 9; i++) {
        ssimcu_frame frame = draw(i == 4 ? 1 : 3, 8, i);
        add(&shot, 10 + 2 * i + (i > 6 ? 4 : 0), &frame);
    }
    shot_judge(&shot);
    cr_assert_eq(shot.count, 11);
    cr_assert_eq(shot.frame[4].found.at[0].kind, FINDING_PIXEL_FORMAT);
    for (int i = 7; i < 9; i++) {
        const struct finding *gap = &shot.frame[i].found.at[0];
        cr_assert_eq(gap->kind, FINDING_MISSING);
        cr_assert(shot.frame[i].number == 10 + 2 * i && gap->value == 1 && !shot.frame[i].path);
    }
    shot_free(&shot);
}

/* A frame that repeats, two that are swapped, and one of elsewhere. */
Test(detect_frames, frames_at_another_place)
{
    static const double times[][FRAMES] = {{0, 1, 2, 3, 4, 4, 6, 7, 8, 9, 10, 11},
                                           {0, 1, 2, 3, 4, 6, 5, 7, 8, 9, 10, 11},
                                           {0, 1, 2, 3, 4, 40, 6, 7, 8, 9, 10, 11}};
    static const enum finding_kind kinds[] = {FINDING_DUPLICATE, FINDING_FRAME_ORDER,
                                              FINDING_FOREIGN_FRAME};
    for (int k = 0; k < 3; k++) {
        struct shot shot = {0};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, times[k][i]);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        cr_assert(shot.frame[5].found.count > 0, "%s", finding_row(kinds[k])->name);
        cr_assert_eq(shot.frame[5].found.at[0].kind, kinds[k]);
        shot_free(&shot);
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
static void make_times(struct shot *shot, const double *times, int count, int noise)
{
    *shot = (struct shot){.numbered = true};
    for (int i = 0; i < count; i++) {
        ssimcu_frame frame = draw(3, 8, times[i]);
        if (noise > 0) add_noise(&frame, (uint64_t)(1 + 10 * times[i]), noise);
        add(shot, i, &frame);
    }
    shot_judge(shot);
}

/* Two that are swapped are found in a shot whose noise hides most of its movement. */
Test(detect_frames, frames_swapped_in_noise)
{
    static const double times[FRAMES] = {0, 1, 2, 3, 4, 6, 5, 7, 8, 9, 10, 11};
    struct shot shot;
    make_times(&shot, times, FRAMES, 12);
    cr_assert(shot.frame[5].found.count == 1 && shot.frame[6].found.count == 1);
    cr_assert_eq(shot.frame[5].found.at[0].kind, FINDING_FRAME_ORDER);
    shot_free(&shot);
}

/* Copies a square of one frame to another. */
static void copy_square(const ssimcu_frame *from, ssimcu_frame *to, uint32_t x, uint32_t y,
                        uint32_t side)
{
    for (uint32_t j = y; j < y + side; j++)
        memcpy((uint8_t *)to->data + j * to->pitch + x * 3,
               (const uint8_t *)from->data + j * from->pitch + x * 3, side * 3);
}

/* A frame of elsewhere of a still camera differs in a shot alone. */
Test(detect_frames, a_stranger_of_the_same_scene)
{
    struct shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, 0.05 * i), other = draw(3, 8, 9);
        if (i == 5) copy_square(&other, &frame, 60, 60, 72);
        ssimcu_frame_free(&other);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    cr_assert_eq(only(&shot, 5)->kind, FINDING_FOREIGN_FRAME);
    shot_free(&shot);
}

/* Frames of other scenes beside it say nothing of a rectangle; and strangers that come one after
 * the other are a scene that flickers. */
Test(detect_frames, frames_that_are_all_unlike)
{
    static const uint8_t sky[4] = {10, 130, 250, 130};
    struct shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, 0);
        fill(&frame, 0, 0, WIDTH, 70, sky[i % 4]);
        if (i == 5) fill(&frame, 61, 100, 16, 16, 0);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    for (size_t k = 0; k < shot.frame[5].found.count; k++)
        cr_assert_neq(shot.frame[5].found.at[k].kind, FINDING_FLAT_AREA);
    shot_free(&shot);
    for (int i = 0; i < 2 * FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, 0.1 * i + (i == 9 || i == 13 ? 30 : 0));
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* A flash clips what is bright, so that its texture is another. */
Test(detect_frames, a_flash_is_no_stranger)
{
    struct shot shot = {0};
    for (int i = 0; i < 2 * FRAMES; i++) {
        ssimcu_frame frame = draw(1, 8, 0.2 * i);
        for (size_t k = 0; k < HEIGHT * frame.pitch && i == 9; k++) {
            const int value = 110 + ((uint8_t *)frame.data)[k];
            ((uint8_t *)frame.data)[k] = (uint8_t)(value > 255 ? 255 : value);
        }
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* Adds a light around a place, which changes the texture there. */
static void put_flash(ssimcu_frame *frame)
{
    for (uint32_t y = 40; y < 110; y++)
        for (uint32_t x = 60; x < 130; x++)
            for (uint32_t c = 0; c < 3; c++) {
                uint8_t *sample = (uint8_t *)frame->data + y * frame->pitch + 3 * x + c;
                const double far = hypot(x - 95.0, y - 75.0), light = 180 * exp(-far * far / 500);
                *sample = (uint8_t)fmin(255, *sample + light);
            }
}

/* One local flash is found, and three of them belong to the shot, wherever they are. */
Test(detect_frames, local_flashes)
{
    static const int places[] = {1, 20, 38};
    for (int count = 1; count <= 3; count += 2) {
        struct shot shot = {0};
        size_t found = 0;
        for (int i = 0; i < 40; i++) {
            ssimcu_frame frame = draw(3, 8, 0.05 * i);
            for (int k = 0; k < count; k++)
                if (i == places[k]) put_flash(&frame);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < 40; i++) found += has(&shot, i, FINDING_FOREIGN_FRAME);
        cr_expect_eq(found, count == 1, "%d flashes: %d found", count, (int)found);
        shot_free(&shot);
    }
}

/* A foreign frame is found in any light, and another light on the same picture is none. */
Test(detect_frames, foreign_frames_in_any_light)
{
    static const double lights[] = {0.1, 0.3, 0.7, 1, 1.4, 3};
    static const int places[] = {1, 9, 2 * FRAMES - 2};
    for (size_t k = 0; k < sizeof lights / sizeof *lights; k++)
        for (int p = 0; p < 3; p++)
            for (int foreign = 0; foreign < 2; foreign++) {
                struct shot shot = {0};
                for (int i = 0; i < 2 * FRAMES; i++) {
                    const bool at = i == places[p];
                    ssimcu_frame frame = draw(3, 8, 0.2 * i + (at && foreign ? 40 : 0));
                    for (size_t j = 0; j < HEIGHT * frame.pitch && at; j++) {
                        uint8_t *sample = (uint8_t *)frame.data + j;
                        *sample = (uint8_t)fmin(255, lights[k] * *sample);
                    }
                    add(&shot, i, &frame);
                }
                shot_judge(&shot);
                const struct findings *list = &shot.frame[places[p]].found;
                const bool found = findings_kinds(list) >> FINDING_FOREIGN_FRAME & 1;
                cr_expect_eq(found, foreign, "light %g, frame %d", lights[k], places[p]);
                shot_free(&shot);
            }
}

/* Two to four frames of another picture repeat nothing. */
Test(detect_frames, events_are_no_duplicates)
{
    static const int places[] = {2, 10, 2 * FRAMES - 5};
    for (int length = 1; length <= 4; length++)
        for (int p = 0; p < 3; p++) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < 2 * FRAMES; i++) {
                const bool event = i >= places[p] && i < places[p] + length;
                ssimcu_frame frame = draw(3, 8, event && p != 1 ? 40 : 0.2 * i + (event ? 40 : 0));
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            for (int i = 0; i < 2 * FRAMES; i++)
                cr_expect_eq(has(&shot, i, FINDING_DUPLICATE), 0, "%d frames from %d on: frame %d",
                             length, places[p], i);
            shot_free(&shot);
        }
}

/* A camera that shakes comes back to where it was, by chance. */
Test(detect_frames, a_camera_that_shakes)
{
    double times[FRAMES - 1];
    struct shot shot;
    for (int i = 0; i < FRAMES - 1; i++) times[i] = 4 * sin(1.3 * i);
    make_times(&shot, times, FRAMES - 1, 0);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* Frames on twos that a codec has changed a little, some less than others; and frames that a rate
 * was raised by, whose next step is that of one frame. */
Test(detect_frames, repeats_that_are_no_faults)
{
    double times[2 * FRAMES];
    struct shot shot;
    for (int i = 0; i < 2 * FRAMES; i++) times[i] = i / 2 + (i % 2 && i != 9 ? 0.02 : 0);
    make_times(&shot, times, 2 * FRAMES, 0);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
    for (int i = 0; i < 2 * FRAMES; i++) times[i] = i - (i >= 9) + (i == 9 ? 0.005 : 0);
    make_times(&shot, times, 2 * FRAMES, 0);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
    for (int i = 0; i < 2 * FRAMES; i++) times[i] = i - (i > 6) - (i > 13) - (i > 20);
    make_times(&shot, times, 2 * FRAMES, 0);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* Light of a frame, from 0 to 1. */
static void dim(ssimcu_frame *frame, double light)
{
    for (size_t i = 0; i < HEIGHT * frame->pitch; i++)
        ((uint8_t *)frame->data)[i] = (uint8_t)(light * ((uint8_t *)frame->data)[i]);
}

/* A scene that fades out and the one that fades in, or comes in by a cut. */
Test(detect_frames, black_between_two_fades)
{
    for (int far = 0; far < 2; far++) {
        struct shot shot = {0};
        for (int i = 0; i < 2 * FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            dim(&frame, abs(i - FRAMES) / (i < FRAMES && far ? 1.0 : 10.0) > 1
                            ? 1
                            : abs(i - FRAMES) / 10.0);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        cr_assert_eq(only(&shot, FRAMES)->kind, FINDING_BLANK);
        shot_free(&shot);
    }
}

/* A codec leaves squares of one colour that are hardly another than what was there. */
Test(detect_frames, a_faint_rectangle_is_none)
{
    struct shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(1, 8, 0);
        dim(&frame, 0.1);
        if (i == 5)
            fill(&frame, 61, 42, 16, 16,
                 (uint8_t)(3 + ((uint8_t *)frame.data)[50 * frame.pitch + 69]));
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* An animation on twos repeats each frame, and a cut is no stranger. */
Test(detect_frames, habits_are_no_faults)
{
    for (int cut = 0; cut < 2; cut++) {
        struct shot shot = {0};
        for (int i = 0; i < 2 * FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, cut ? i + (i >= FRAMES ? 500 : 0) : i / 2);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
    }
}

Test(detect_frames, alpha_between_others)
{
    struct shot shot = {0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(4, 8, i);
        for (uint32_t y = 0; y < HEIGHT && (i == 0 || i == 6); y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                ((uint8_t *)frame.data)[y * frame.pitch + 4 * x + 3] = 0;
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    cr_assert_eq(only(&shot, 6)->kind, FINDING_ALPHA);
    shot_free(&shot);
}
