/* Areas of one colour that the neighbours lack: their size, place, shape and colour, and what work
 * makes that looks like them. */
#include "detect_shot.h"

#include <stdio.h>

enum { ENDS = 3 };

static const int frames[ENDS] = {0, 5, FRAMES - 1}; /* first, middle, last */
static const uint32_t types[] = {8, 16, SSIMCU_BITS_F32};
enum { TYPES = sizeof types / sizeof *types };

/* Makes a shot with damage in one frame, which must be the only one with findings. Returns its
 * first area. */
static const struct finding *judge(struct shot *shot, uint32_t channels, uint32_t bits, int at,
                                   void (*damage)(ssimcu_frame *, const void *), const void *what)
{
    *shot = (struct shot){.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(channels, bits, i);
        if (i == at) damage(&frame, what);
        add(shot, i, &frame);
    }
    shot_judge(shot);
    for (int i = 0; i < FRAMES; i++)
        cr_assert_eq(shot->frame[i].found.count > 0, i == at, "frame %d, damage in %d", i, at);
    const struct findings *list = &shot->frame[at].found;
    size_t k = 0;
    while (k < list->count && list->at[k].kind != FINDING_FLAT_AREA) k++;
    cr_assert(k < list->count, "frame %d", at);
    return &list->at[k];
}

static void put_box(ssimcu_frame *frame, const void *what)
{
    const struct finding_place *box = what;
    fill(frame, box->x, box->y, box->width, box->height, 0);
}

/* The smallest areas, wherever the patches of 4 x 4 pixels lie. */
Test(detect_areas, small_squares)
{
    static const uint32_t xs[] = {0, 61, 62, 63, 64, WIDTH - 8},
                          ys[] = {0, 41, 42, 43, 44, HEIGHT - 8};
    for (int f = 0; f < ENDS; f++)
        for (size_t i = 0; i < sizeof xs / sizeof *xs; i++)
            for (int t = 0; t < TYPES; t++) {
                const struct finding_place box = {xs[i], ys[(i + (size_t)f) % 6], 8, 8};
                struct shot shot;
                const struct finding *found =
                    judge(&shot, t % 2 ? 1 : 3, types[t], frames[f], put_box, &box);
                cr_expect(found->place.x == box.x && found->place.y == box.y &&
                              found->place.width == 8 && found->place.height == 8,
                          "%ux%u+%u+%u, not +%u+%u, bits %u", found->place.width,
                          found->place.height, found->place.x, found->place.y, box.x, box.y,
                          types[t]);
                shot_free(&shot);
            }
}

/* Squares of 7 pixels are too small. */
Test(detect_areas, smaller_squares_are_not_found)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        if (i == 5) fill(&frame, 60, 40, 7, 7, 0);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* Fills the lower part of a frame, or all but its upper left corner: `what` percent. */
static void put_lower(ssimcu_frame *frame, const void *what)
{
    const uint32_t rows = HEIGHT * *(const uint32_t *)what / 100;
    fill(frame, 0, HEIGHT - rows, WIDTH, rows, 0);
}
static void put_right(ssimcu_frame *frame, const void *what)
{
    const uint32_t columns = WIDTH * *(const uint32_t *)what / 100;
    fill(frame, WIDTH - columns, 0, columns, HEIGHT, 0);
}

/* There is no size at which damage is no longer seen. */
Test(detect_areas, large_parts_of_a_frame)
{
    static const uint32_t percent[] = {30, 50, 60, 75, 90, 95, 99};
    for (size_t p = 0; p < sizeof percent / sizeof *percent; p++)
        for (int f = 0; f < ENDS; f++) {
            struct shot shot;
            const struct finding *found =
                judge(&shot, 3, types[p % TYPES], frames[f], put_lower, &percent[p]);
            cr_expect_eq(found->place.height, HEIGHT * percent[p] / 100, "%u %%: %u, bits %u",
                         percent[p], found->place.height, types[p % TYPES]);
            cr_expect_eq(found->place.width, WIDTH);
            shot_free(&shot);
            found = judge(&shot, 3, types[p % TYPES], frames[f], put_right, &percent[p]);
            cr_expect_eq(found->place.width, WIDTH * percent[p] / 100);
            shot_free(&shot);
        }
}

/* Fills all buckets of 32 x 32 pixels but one, or all of which the sum of the indices is even. */
static void put_all_but(ssimcu_frame *frame, const void *what)
{
    const uint32_t kept = *(const uint32_t *)what;
    for (uint32_t y = 0, k = 0; y < HEIGHT; y += 32)
        for (uint32_t x = 0; x < WIDTH; x += 32, k++)
            if (k != kept)
                fill(frame, x, y, x + 32 < WIDTH ? 32 : WIDTH - x,
                     y + 32 < HEIGHT ? 32 : HEIGHT - y, 0);
}
static void put_chequers(ssimcu_frame *frame, const void *what)
{
    (void)what;
    for (uint32_t y = 0; y < HEIGHT; y += 32)
        for (uint32_t x = y % 64; x < WIDTH; x += 64)
            fill(frame, x, y, x + 32 < WIDTH ? 32 : WIDTH - x, y + 32 < HEIGHT ? 32 : HEIGHT - y,
                 0);
}
/* An L of two buckets, whose box is not of one colour. */
static void put_shape(ssimcu_frame *frame, const void *what)
{
    (void)what;
    fill(frame, 40, 40, 32, 64, 0);
    fill(frame, 72, 72, 32, 32, 0);
}
/* A lost frame with text burnt in. */
static void put_text(ssimcu_frame *frame, const void *what)
{
    (void)what;
    fill(frame, 0, 0, WIDTH, HEIGHT, 0);
    for (uint32_t x = 20; x < 180; x += 5) fill(frame, x, 140 + x % 3, 2, 9, 255);
}

Test(detect_areas, many_buckets_and_shapes)
{
    static const uint32_t kept[ENDS] = {0, 17, 34}; /* of 7 x 5 */
    for (int f = 0; f < ENDS; f++)
        for (int k = 0; k < ENDS; k++) {
            struct shot shot;
            (void)judge(&shot, 3, 8, frames[f], put_all_but, &kept[k]);
            shot_free(&shot);
        }
    void (*const put[])(ssimcu_frame *, const void *) = {put_chequers, put_shape, put_text};
    for (size_t k = 0; k < sizeof put / sizeof *put; k++)
        for (int f = 0; f < ENDS; f++) {
            struct shot shot;
            (void)judge(&shot, 3, 8, frames[f], put[k], NULL);
            shot_free(&shot);
        }
}

/* The largest areas are reported if there are more than are kept, in whatever order they lie. */
Test(detect_areas, the_largest_of_many)
{
    enum { COUNT = AREAS_MOST + 2, LEAST = 16 * 20 /* pixels of the third smallest */ };
    for (uint32_t order = 0; order < ENDS; order++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            for (uint32_t k = 0; k < COUNT && i == 5; k++) {
                const uint32_t size = order == 0 ? k : order == 1 ? COUNT - 1 - k : 5 * k % COUNT;
                fill(&frame, 40 * (k % 5) + 4, 52 * (k / 5), 16 + size / 3 * 4,
                     12 + 4 * ((size + 1) / 3 + (size + 2) / 3), k % 2 ? 255 : 0);
            }
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        size_t found = 0;
        for (size_t k = 0; k < shot.frame[5].found.count; k++) {
            const struct finding *area = &shot.frame[5].found.at[k];
            if (area->kind != FINDING_FLAT_AREA) continue;
            cr_expect_geq(area->place.width * area->place.height, LEAST, "order %u", order);
            found++;
        }
        cr_expect_eq(found, AREAS_MOST, "order %u: %d areas", order, (int)found);
        shot_free(&shot);
    }
}

/* A picture that only one channel shows: the first, the middle and the last. */
static ssimcu_frame draw_channel(uint32_t channel, int time)
{
    ssimcu_frame frame = draw(3, 8, time);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t i = 0; i < 3 * WIDTH; i++)
            if (i % 3 != channel) ((uint8_t *)frame.data)[y * frame.pitch + i] = 0;
    return frame;
}

Test(detect_areas, areas_of_one_channel)
{
    for (uint32_t channel = 0; channel < 3; channel++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw_channel(channel, i);
            if (i == 5) fill(&frame, 61, 42, 16, 16, 0);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        cr_expect_eq(only(&shot, 5)->kind, FINDING_FLAT_AREA, "channel %u", channel);
        shot_free(&shot);
    }
}

/* Light far below what the other statistics count as black. */
Test(detect_areas, floats_near_black)
{
    for (int f = 0; f < ENDS; f++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, SSIMCU_BITS_F32, i);
            for (size_t k = 0; k < HEIGHT * frame.pitch / sizeof(float); k++)
                ((float *)frame.data)[k] *= 1.0F / 600;
            if (i == frames[f]) fill(&frame, 61, 42, 16, 16, 0);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        const struct finding *found = only(&shot, (size_t)frames[f]);
        cr_expect_eq(found->kind, FINDING_FLAT_AREA);
        cr_expect(found->place.x == 61 && found->place.width == 16);
        shot_free(&shot);
    }
}

/* Dark surroundings that have the square's colour do not hide it. */
Test(detect_areas, surroundings_of_the_same_colour)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        fill(&frame, 0, 0, 60, HEIGHT, 0);
        if (i == 5) fill(&frame, 50, 42, 42, 32, 0);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    const struct finding *found = only(&shot, 5);
    cr_expect(found->place.x <= 60 && found->place.x + found->place.width == 92);
    shot_free(&shot);
}

/* ---- Work that looks like it ----------------------------------------------------------------- */

/* An object that jumps, and is where it was in the next frame, is found if it jumps far. */
Test(detect_areas, objects_that_move)
{
    for (uint32_t far = 40; far <= 120; far += 80)
        for (int f = 0; f < ENDS; f++) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, i);
                fill(&frame, i == frames[f] ? 20 + far : 20, 80, 24, 24, 7);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            (void)only(&shot, far < 48 ? SIZE_MAX : (size_t)frames[f]);
            shot_free(&shot);
        }
}

/* An object that moves steadily is in a neighbour, also in the outer frames, whose neighbours are
 * both on one side. */
Test(detect_areas, objects_that_move_on)
{
    static const int ways[][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            const int x = 90 + 10 * ways[w][0] * (i - FRAMES / 2),
                      y = 66 + 10 * ways[w][1] * (i - FRAMES / 2);
            ssimcu_frame frame = draw(3, 8, i);
            fill(&frame, (uint32_t)x, (uint32_t)y, 24, 24, 7);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
    }
}

/* Something of one colour that fades has, in each frame, a level between those of its neighbours.
 */
Test(detect_areas, a_fade)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        fill(&frame, 60, 40, 32, 32, (uint8_t)(10 + 20 * i));
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    for (int i = 1; i < FRAMES - 1; i++) cr_expect_eq(shot.frame[i].found.count, 0, "%d", i);
    shot_free(&shot);
}

/* An object that comes into a scene is only in the next frame, and one that leaves it only in the
 * one before. */
Test(detect_areas, objects_that_come_and_go)
{
    for (int way = 0; way < 2; way++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            if (way == 0 ? i >= 6 : i < 6) fill(&frame, 20 + 12 * (uint32_t)i, 66, 24, 24, 7);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
    }
}

/* A light that comes on at one place in three frames is part of the shot. A dark area is not. */
Test(detect_areas, lights_that_come_on)
{
    for (int count = 2; count <= 3; count++)
        for (int byte = 0; byte < 256; byte += 255) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, i);
                if (i % 5 == 1 && i < 5 * count) fill(&frame, 60, 40, 30, 20, (uint8_t)byte);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            for (int i = 0; i < FRAMES; i++)
                cr_expect_eq(shot.frame[i].found.count,
                             i % 5 == 1 && i < 5 * count && (count == 2 || byte == 0),
                             "%d times %d, frame %d", count, byte, i);
            shot_free(&shot);
        }
}

/* A red area where the picture changes from dark to light is brighter than one neighbour. It is no
 * light. */
Test(detect_areas, brighter_than_one_neighbour)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        const int turn = i % 4; /* dark, red, light, dark */
        for (uint32_t y = 30; y < 70; y++)
            for (uint32_t x = 50; x < 100; x++) {
                uint8_t *pixel = (uint8_t *)frame.data + y * frame.pitch + 3 * x;
                for (int c = 0; c < 3; c++)
                    pixel[c] = (uint8_t)((turn == 2 ? 120 : 40) + (5 * x + 3 * y) % 17);
                if (turn == 1 && x >= 60 && x < 90 && y >= 40 && y < 60)
                    pixel[0] = 255, pixel[1] = pixel[2] = 0;
            }
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    for (int i = 0; i < FRAMES; i++)
        cr_expect_eq(has(&shot, i, FINDING_FLAT_AREA), i % 4 == 1, "frame %d", i);
    shot_free(&shot);
}

/* Lights in one row or in one column, which do not touch, are not at one place. */
Test(detect_areas, lights_at_several_places)
{
    for (int column = 0; column < 2; column++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            const uint32_t at = 10 + 45 * (uint32_t)(i / 5);
            if (i % 5 == 1) fill(&frame, column ? 60 : at, column ? at : 60, 30, 20, 255);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < FRAMES; i++)
            cr_expect_eq(shot.frame[i].found.count, i % 5 == 1, "%d: frame %d", column, i);
        shot_free(&shot);
    }
}

/* A shot that makes areas of many colours, as an animation does, has no lost ones of their size. */
Test(detect_areas, areas_that_are_usual)
{
    for (int count = 1; count <= 3; count++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            if (i % 3 == 1 && i < 3 * count)
                fill(&frame, 10 + 12 * (uint32_t)i, 40, 24, 24, (uint8_t)(20 * i));
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < FRAMES; i++)
            cr_expect_eq(shot.frame[i].found.count, i % 3 == 1 && i < 3 * count && count < 3,
                         "%d areas, frame %d", count, i);
        shot_free(&shot);
    }
}

/* Frames that are damaged one after the other are all found. */
Test(detect_areas, damage_in_a_row)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        if (i >= 4 && i < 7) fill(&frame, i == 5 ? 160 : 5, i == 5 ? 10 : 110, 32, 32, 0);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    for (int i = 0; i < FRAMES; i++)
        cr_expect_eq(shot.frame[i].found.count, i >= 4 && i < 7, "frame %d", i);
    shot_free(&shot);
}

/* Adds a shot of frames with bars of one colour at the top or the left, whose width is that of each
 * frame. */
static void make_bars(struct shot *shot, const uint32_t width[FRAMES], bool upright)
{
    *shot = (struct shot){.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, 0.2 * i);
        fill(&frame, 0, 0, upright ? width[i] : WIDTH, upright ? HEIGHT : width[i], 0);
        add(shot, i, &frame);
    }
    shot_judge(shot);
}

/* A letterbox that shakes grows in many frames. A part that was lost beside one does not. */
Test(detect_areas, a_letterbox_that_shakes)
{
    static const uint32_t shakes[FRAMES] = {16, 40, 16, 16, 40, 16, 16, 16, 40, 16, 44, 16},
                          damaged[FRAMES] = {16, 16, 16, 16, 48, 16, 16, 16, 16, 16, 16, 16},
                          large[FRAMES] = {16, 80, 16, 16, 80, 16, 16, 16, 80, 16, 80, 16};
    for (int upright = 0; upright < 2; upright++) {
        struct shot shot;
        make_bars(&shot, shakes, upright);
        (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
        make_bars(&shot, damaged, upright);
        for (int i = 0; i < FRAMES; i++)
            cr_expect_eq(shot.frame[i].found.count > 0, i == 4, "frame %d", i);
        shot_free(&shot);
        make_bars(&shot, large, upright);
        cr_expect_gt(shot.frame[4].found.count, 0, "no letterbox shakes as far");
        shot_free(&shot);
    }
}

/* Returns the number of findings of a shot with a square in frame 5, `by` levels from what the
 * others have there, in a frame of one colour around it; `ground` levels from it. */
static size_t judge_level(int by, int ground, uint32_t side)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        fill(&frame, 40, 40, 60, 60, (uint8_t)(i == 5 ? 60 + by - ground : 60));
        if (i == 5) fill(&frame, 60, 60, side, side, (uint8_t)(60 + by));
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    const size_t count = shot.frame[5].found.count;
    shot_free(&shot);
    return count;
}

/* What is hardly seen is no fault, and a square of few pixels must have a border. */
Test(detect_areas, faint_areas)
{
    cr_expect_eq(judge_level(8, 8, 24), 0);
    cr_expect_eq(judge_level(12, 12, 24), 1);
    cr_expect_eq(judge_level(40, 40, 12), 1);
}

/* A digit of a counter has one place and a colour that damage hardly has. Black areas have not. */
Test(detect_areas, counters)
{
    for (uint8_t level = 0; level <= 40; level += 40) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < 2 * FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, 0.1 * i);
            fill(&frame, 50, 50, 60, 60, 200);
            if (i % 8 == 4) fill(&frame, 60, 60, 20, 20, level);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < 2 * FRAMES; i++)
            cr_expect_eq(has(&shot, i, FINDING_FLAT_AREA), level == 0 && i % 8 == 4,
                         "level %u, frame %d", level, i);
        shot_free(&shot);
    }
}

/* A small area next to a cut may be a part of the other scene. */
Test(detect_areas, next_to_a_cut)
{
    for (uint32_t side = 16; side <= 48; side += 32) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < 2 * FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, 0.1 * i + (i < FRAMES ? 0 : 80));
            if (i == FRAMES || i == 5) fill(&frame, 61, 40, side, side, 0);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        cr_expect_gt(shot.frame[5].found.count, 0);
        cr_expect_eq(shot.frame[FRAMES].found.count > 0, side > 32, "%u pixels", side);
        shot_free(&shot);
    }
}
