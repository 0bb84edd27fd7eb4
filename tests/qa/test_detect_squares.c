/* Squares and columns of garbage at the first, a middle and the last place, and texture that is no
 * garbage. */
#include "detect_shot.h"

enum { ENDS = 3 };

static const int frames[ENDS] = {0, 5, FRAMES - 1}; /* first, middle, last */
static const uint32_t types[ENDS] = {8, 16, SSIMCU_BITS_F32};

static void put_garbage(ssimcu_frame *frame, const struct finding_place *box)
{
    check_random random = {11};
    for (uint32_t y = box->y; y < box->y + box->height; y++)
        for (uint32_t i = 3 * box->x; i < 3 * (box->x + box->width); i++) {
            char *row = (char *)frame->data + y * frame->pitch;
            const uint8_t byte = (uint8_t)check_between(&random, 0, 255);
            if (frame->bits == 8)
                ((uint8_t *)row)[i] = byte;
            else if (frame->bits == 16)
                ((uint16_t *)row)[i] = (uint16_t)(byte * 257);
            else
                ((float *)row)[i] = (float)byte / 255;
        }
}

/* Expects garbage in this place, give or take the cells around it, and in no other frame. */
static void expect(uint32_t bits, int at, const struct finding_place *box)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, bits, i);
        if (i == at) put_garbage(&frame, box);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    for (int i = 0; i < FRAMES; i++)
        cr_assert_eq(shot.frame[i].found.count > 0, i == at, "frame %d of %d", i, at);
    const struct finding *found = &shot.frame[at].found.at[0];
    cr_expect_eq(found->kind, FINDING_GARBAGE, "%s", found->text);
    const struct finding_place *place = &found->place;
    cr_expect(place->x <= box->x + 7 && place->x + 8 >= box->x && place->y <= box->y + 7 &&
                  place->y + 8 >= box->y && place->x + place->width + 7 >= box->x + box->width &&
                  place->x + place->width <= box->x + box->width + 8,
              "%ux%u+%u+%u for %ux%u+%u+%u", place->width, place->height, place->x, place->y,
              box->width, box->height, box->x, box->y);
    shot_free(&shot);
}

Test(detect_squares, squares_of_garbage)
{
    static const uint32_t xs[ENDS] = {0, 61, WIDTH - 24}, ys[ENDS] = {0, 42, HEIGHT - 24};
    for (int f = 0; f < ENDS; f++)
        for (int x = 0; x < ENDS; x++)
            for (int y = 0; y < ENDS; y++)
                expect(types[(x + y) % ENDS], frames[f],
                       &(struct finding_place){xs[x], ys[y], 24, 24});
}

/* A shape flies by: every third cell is as rough as garbage. If all cells are, or the channels
 * differ, it is garbage. */
Test(detect_squares, shapes_that_fly_by)
{
    static const struct {
        uint32_t every; /* so many cells one is rough */
        bool coloured, garbage;
    } rows[] = {{3, false, false}, {1, false, true}, {3, true, true}};
    for (int f = 0; f < ENDS; f++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, i);
                for (uint32_t y = 40; y < 64 && i == frames[f]; y++)
                    for (uint32_t x = 40; x < 64; x++) {
                        uint8_t *pixel = (uint8_t *)frame.data + y * frame.pitch + 3 * (size_t)x;
                        const bool rough = (x / 8 + 2 * (y / 8)) % rows[r].every == 0;
                        for (uint32_t c = 0; c < 3; c++)
                            pixel[c] = rough && (x + y + (rows[r].coloured ? c : 0)) % 2 ? 190 : 90;
                    }
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            cr_expect_eq(has(&shot, (size_t)frames[f], FINDING_GARBAGE), rows[r].garbage,
                         "frame %d, row %zu", frames[f], r);
            shot_free(&shot);
        }
}

Test(detect_squares, columns_of_garbage)
{
    static const uint32_t xs[ENDS] = {0, 61, WIDTH - 12};
    for (int f = 0; f < ENDS; f++)
        for (int x = 0; x < ENDS; x++)
            expect(types[x], frames[f], &(struct finding_place){xs[x], 0, 12, HEIGHT});
}

/* Texture that moves a little is in the neighbours, and noise in many frames is the shot's own. */
Test(detect_squares, texture_of_the_shot)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        put_garbage(&frame, &(struct finding_place){40 + 12 * (uint32_t)i, 40, 24, 24});
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
    for (int i = 0; i < 2 * FRAMES; i++) {
        ssimcu_frame frame = draw(3, 8, i);
        if (i % 4 == 1) put_garbage(&frame, &(struct finding_place){8 * (uint32_t)i, 60, 24, 24});
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    for (int i = 0; i < 2 * FRAMES; i++) cr_expect_eq(has(&shot, i, FINDING_GARBAGE), 0, "%d", i);
    shot_free(&shot);
}

/* Draws a triangle of noise whose tip is at the top, or, with `down`, at the bottom. */
static void put_triangle(ssimcu_frame *frame, int left, int top, bool down)
{
    for (int row = 0; row < 48; row++) {
        const int half = down ? (47 - row) / 2 : row / 2;
        put_garbage(frame,
                    &(struct finding_place){(uint32_t)(left + 24 - half), (uint32_t)(top + row),
                                            (uint32_t)(2 * half + 1), 1});
    }
}

/* Texture with a slanting edge may have moved by two cells in any direction, also in the outer
 * frames, whose neighbours are both on one side. */
Test(detect_squares, texture_that_moves)
{
    static const int outer[] = {0, FRAMES - 1};
    for (int f = 0; f < 2; f++)
        for (int across = -1; across <= 1; across++)
            for (int down = -1; down <= 1; down++) {
                struct shot shot = {.numbered = true};
                for (int i = 0; i < FRAMES; i++) {
                    ssimcu_frame frame = draw(3, 8, i);
                    const int moved = i == outer[f] ? 16 : 0;
                    put_triangle(&frame, 72 + across * moved, 56 + down * moved, down < 0);
                    add(&shot, i, &frame);
                }
                shot_judge(&shot);
                (void)only(&shot, SIZE_MAX);
                shot_free(&shot);
            }
}

/* Adds stripes that are rougher than the picture, by between 1 and 1.6 times. */
static void put_faint(ssimcu_frame *frame)
{
    for (uint32_t y = 40; y < 64; y++)
        for (uint32_t x = 41; x < 64; x += 2)
            for (uint32_t c = 0; c < 3; c++)
                ((uint8_t *)frame->data)[y * frame->pitch + 3 * x + c] += 9;
}

/* Faint texture may enter the picture of an outer frame. Between two frames it is garbage. */
Test(detect_squares, faint_texture_that_enters)
{
    for (int f = 0; f < ENDS; f++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            if (i == frames[f]) put_faint(&frame);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        const struct finding *found = only(&shot, f == 1 ? 5 : SIZE_MAX);
        if (f == 1) cr_expect_eq(found->kind, FINDING_GARBAGE, "%s", found->text);
        shot_free(&shot);
    }
}

/* The larger the garbage, the surer: neither a brighter picture nor small rough places excuse it.
 */
Test(detect_squares, garbage_of_most_of_a_frame)
{
    for (int f = 0; f < ENDS; f++)
        for (uint32_t height = HEIGHT / 4; height <= HEIGHT; height += HEIGHT / 4) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, i);
                if (i != frames[f])
                    put_garbage(&frame, &(struct finding_place){8 * (uint32_t)i, 8, 8, 8});
                else
                    put_garbage(&frame, &(struct finding_place){0, 0, WIDTH, height});
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            cr_expect_gt(shot.frame[frames[f]].found.count, 0, "%u rows of frame %d", height,
                         frames[f]);
            shot_free(&shot);
        }
}

/* Garbage at several places is damage in three frames of a shot. In four it belongs to the shot, if
 * more than a twentieth of the frames have it. */
Test(detect_squares, garbage_in_several_frames)
{
    static const struct {
        int frames, garbage;
        bool usual;
    } shots[] = {{32, 3, false}, {32, 4, true}, {72, 4, false}};
    for (size_t s = 0; s < sizeof shots / sizeof *shots; s++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < shots[s].frames; i++) {
            ssimcu_frame frame = draw(3, 8, 0.2 * i);
            if (i % 8 == 4 && i < 8 * shots[s].garbage)
                put_garbage(&frame, &(struct finding_place){i % 16 == 4 ? 8 : 120, i < 16 ? 8 : 80,
                                                            24, 24});
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < shots[s].frames; i++)
            cr_expect_eq(shot.frame[i].found.count > 0,
                         !shots[s].usual && i % 8 == 4 && i < 8 * shots[s].garbage,
                         "shot %zu, frame %d", s, i);
        shot_free(&shot);
    }
}

/* A wave that comes every second, at one place, belongs to the picture. */
Test(detect_squares, garbage_that_comes_again)
{
    for (int count = 2; count <= 3; count++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < 2 * FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, 0.2 * i);
            if (i % 8 == 4 && i < 8 * count)
                put_garbage(&frame, &(struct finding_place){0, 80, WIDTH, 6});
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < 2 * FRAMES; i++)
            cr_expect_eq(shot.frame[i].found.count > 0, count < 3 && i % 8 == 4 && i < 8 * count,
                         "%d times, frame %d", count, i);
        shot_free(&shot);
    }
}

/* Adds noise to all channels of a pixel alike, or to each by itself, up to so many levels. Floats
 * become as dark as shadows, where noise has many stops. */
static void put_texture(ssimcu_frame *frame, uint64_t seed, int levels, bool colour)
{
    check_random random = {seed};
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0, by = 0; x < frame->width * frame->channels; x++) {
            void *row = (char *)frame->data + y * frame->pitch;
            if (x % frame->channels == 0 || colour)
                by = (uint32_t)check_between(&random, 0, 2 * (uint64_t)levels);
            const int level = (int)by - levels;
            if (frame->bits == 8)
                ((uint8_t *)row)[x] = (uint8_t)(((uint8_t *)row)[x] + level);
            else if (frame->bits == 16)
                ((uint16_t *)row)[x] = (uint16_t)(((uint16_t *)row)[x] + level * 257);
            else
                ((float *)row)[x] *= 0.002F * (float)(1 + by);
        }
}

/* Squares of 16 pixels in texture that is as rough, but grey, and in shadows full of noise, whose
 * channels are as many stops apart as those of garbage. */
Test(detect_squares, garbage_in_texture)
{
    enum { LAST_X = WIDTH / 8 * 8 - 16, LAST_Y = HEIGHT / 8 * 8 - 16 }; /* of whole cells */
    static const uint32_t xs[ENDS] = {0, 61, LAST_X}, ys[ENDS] = {0, 45, LAST_Y};
    for (int f = 0; f < ENDS; f++)
        for (int k = 0; k < ENDS * ENDS; k++) {
            struct shot shot = {.numbered = true};
            const uint32_t bits = types[k % ENDS];
            const bool light = bits == SSIMCU_BITS_F32;
            const struct finding_place box = {xs[k % ENDS], ys[(k + k / ENDS) % ENDS], 16, 16};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, bits, i);
                put_texture(&frame, (uint64_t)i + 1, light ? 4 : 40, light);
                if (i == frames[f]) put_garbage(&frame, &box);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            for (int i = 0; i < FRAMES; i++)
                cr_assert_eq(has(&shot, i, FINDING_GARBAGE), i == frames[f],
                             "bits %u, %u,%u: frame %d of %d", bits, box.x, box.y, i, frames[f]);
            shot_free(&shot);
        }
}
