/* Squares of an earlier frame at the first, a middle and the last place, in grain; and pictures
 * that repeat by themselves. */
#include "detect_shot.h"

enum {
    NOWHERE = -1,
    ENDS = 3,
    FIRST = 2 /* an area cannot be stale earlier: two frames before must differ */
};

static const uint32_t types[ENDS] = {8, 16, SSIMCU_BITS_F32};

/* Adds grain to a frame, another in each. */
static void add_grain(ssimcu_frame *frame, uint64_t seed)
{
    check_random random = {seed};
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t i = 0; i < frame->width * frame->channels; i++) {
            char *row = (char *)frame->data + y * frame->pitch;
            const int by = (int)check_between(&random, 0, 12);
            if (frame->bits == 8)
                ((uint8_t *)row)[i] = (uint8_t)(((uint8_t *)row)[i] + by);
            else if (frame->bits == 16)
                ((uint16_t *)row)[i] = (uint16_t)(((uint16_t *)row)[i] + 257 * by);
            else
                ((float *)row)[i] *= 1 + (float)by / 30;
        }
}

static ssimcu_frame draw_grain(uint32_t bits, int n)
{
    ssimcu_frame frame = draw(3, bits, 0.2 * n);
    add_grain(&frame, 100 + (uint64_t)n);
    return frame;
}

/* Replaces a square of frame `at` by that of a frame before it. */
static void put_stale(ssimcu_frame *frame, uint32_t bits, int at, int back,
                      const struct finding_place *box)
{
    ssimcu_frame old = draw_grain(bits, at - back);
    const size_t pixel = 3 * (bits == 8 ? 1 : bits == 16 ? 2 : 4);
    for (uint32_t y = box->y; y < box->y + box->height; y++)
        memcpy((char *)frame->data + y * frame->pitch + box->x * pixel,
               (char *)old.data + y * old.pitch + box->x * pixel, box->width * pixel);
    ssimcu_frame_free(&old);
}

/* Makes a shot with a stale square in one frame; `back` 0: none. */
static void make_stale(struct shot *shot, uint32_t bits, int at, int back,
                       const struct finding_place *box)
{
    *shot = (struct shot){.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw_grain(bits, i);
        if (back > 0 && i == at) put_stale(&frame, bits, at, back, box);
        add(shot, i, &frame);
    }
    shot_judge(shot);
}

static void expect(uint32_t bits, int at, int back, const struct finding_place *box)
{
    struct shot shot;
    make_stale(&shot, bits, at, back, box);
    const struct finding *found = only(&shot, (size_t)at);
    const struct finding_place *place = &found->place;
    cr_expect_eq(found->kind, FINDING_STALE_AREA, "%s", found->text);
    cr_expect_eq(found->value, back);
    cr_expect(place->x >= box->x && place->x <= box->x + 7 && place->y >= box->y &&
                  place->y <= box->y + 7 && place->width + 14 >= box->width &&
                  place->height + 14 >= box->height && place->width <= box->width,
              "%ux%u+%u+%u for %ux%u+%u+%u", place->width, place->height, place->x, place->y,
              box->width, box->height, box->x, box->y);
    shot_free(&shot);
}

Test(detect_stale, at_each_place)
{
    static const uint32_t xs[ENDS] = {0, 61, WIDTH / 8 * 8 - 32},
                          ys[ENDS] = {0, 42, HEIGHT / 8 * 8 - 32};
    static const int frames[ENDS] = {FIRST, 6, FRAMES - 1};
    for (int f = 0; f < ENDS; f++)
        for (int x = 0; x < ENDS; x++)
            for (int y = 0; y < ENDS; y++)
                expect(types[(x + y) % ENDS], frames[f], 1,
                       &(struct finding_place){xs[x], ys[y], 32, 32});
}

Test(detect_stale, of_each_frame_before)
{
    for (int back = 1; back <= STALE_FURTHEST; back++)
        for (int t = 0; t < ENDS; t++)
            expect(types[t], 8, back, &(struct finding_place){80, 56, 40, 32});
    struct shot shot;
    make_stale(&shot, 8, 9, STALE_FURTHEST + 1, &(struct finding_place){80, 56, 40, 32});
    (void)only(&shot, SIZE_MAX);
    shot_free(&shot);
}

/* Judges a shot, and expects a stale area in this frame alone; NOWHERE: in none. */
static void expect_in(struct shot *shot, int frame, const char *what, int variant)
{
    shot_judge(shot);
    for (size_t i = 0; i < shot->count; i++)
        cr_expect_eq(findings_kinds(&shot->frame[i].found) >> FINDING_STALE_AREA & 1,
                     (int)i == frame, "%s %d, frame %zu", what, variant, i);
    shot_free(shot);
}

/* Expects nothing of a shot whose frames are those of `number`, with or without grain. */
static void expect_clean(int (*number)(int), bool grain)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < 2 * FRAMES; i++) {
        ssimcu_frame frame = grain ? draw_grain(8, number(i)) : draw(3, 8, number(i));
        if (grain && i == 9) put_stale(&frame, 8, 9, 2, &(struct finding_place){80, 56, 4, 4});
        add(&shot, i, &frame);
    }
    expect_in(&shot, NOWHERE, "grain", grain);
}

static int in_order(int i) { return i; }
static int in_a_cycle(int i) { return i % 5; }
static int back_and_forth(int i) { return i < FRAMES ? i : 2 * FRAMES - 2 - i; }
static int held(int i) { return i / 4; }

Test(detect_stale, what_repeats_by_itself)
{
    expect_clean(in_order, true);
    expect_clean(in_a_cycle, true);
    expect_clean(back_and_forth, true);
    expect_clean(held, true);
    expect_clean(in_a_cycle, false);
}

/* Frames 8 and 9 show an area of frame 7, or of frame 6. What stands still is not stale. What comes
 * back and stays one frame longer repeats the frame before only there. */
Test(detect_stale, areas_that_stay)
{
    const struct finding_place box = {80, 56, 40, 32};
    for (int back = 1; back <= 2; back++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < 2 * FRAMES; i++) {
            ssimcu_frame frame = draw_grain(8, i);
            if (i == 8 || i == 9) put_stale(&frame, 8, i, i - 8 + back, &box);
            add(&shot, i, &frame);
        }
        expect_in(&shot, back == 2 ? 9 : NOWHERE, "frames back:", back);
    }
}

/* A node may leave several buckets, but a picture that comes back belongs to the shot. */
Test(detect_stale, in_several_frames)
{
    for (int count = 2; count <= 5; count++)
        for (int large = 0; large < 2; large++) {
            struct shot shot = {.numbered = true};
            const struct finding_place box = {16, 16, large ? 160 : 40, large ? 96 : 32};
            for (int i = 0; i < 2 * FRAMES; i++) {
                ssimcu_frame frame = draw_grain(8, i);
                if (i % 3 == 0 && i >= 3 && i < 3 + 3 * count) put_stale(&frame, 8, i, 2, &box);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            size_t found = 0;
            for (int i = 0; i < 2 * FRAMES; i++) found += has(&shot, i, FINDING_STALE_AREA);
            cr_expect_eq(found, large || count > 4 ? 0 : (size_t)count, "%d, %d", count, large);
            shot_free(&shot);
        }
}

/* Single cells that repeat an earlier frame are traces of a codec, although larger areas follow
 * them. Then an area is usual. Pairs of cells are no traces. */
Test(detect_stale, single_cells_before_others)
{
    static const struct finding_place box = {80, 56, 40, 32};
    static const struct finding_place cells[2] = {{8, 8, 8, 8}, {160, 120, 16, 8}};
    for (int with = 0; with < 2; with++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < 2 * FRAMES; i++) {
            ssimcu_frame frame = draw_grain(8, i);
            if (i == 8) put_stale(&frame, 8, i, 2, &box);
            for (int k = 1 - with; k < 2 && i % 4 >= 2; k++) put_stale(&frame, 8, i, 2, &cells[k]);
            add(&shot, i, &frame);
        }
        expect_in(&shot, with == 0 ? 8 : NOWHERE, "single cells:", with);
    }
}

/* A frame that repeats more than half of the one before, or three quarters of an earlier one, is a
 * repeat or a cycle, not an area, at either end of the frame. */
Test(detect_stale, shares_of_a_frame)
{
    static const struct {
        uint32_t width, height;
        int backs; /* how many of the two kinds of area it may be: of any frame, of an earlier one
                    */
    } sizes[ENDS] = {{160, 80, 2}, {160, 120, 1}, {200, 136, 0}};
    for (int s = 0; s < ENDS; s++)
        for (int back = 1; back <= 3; back += 2)
            for (int far = 0; far < 2; far++) {
                struct shot shot = {.numbered = true};
                const uint32_t width = sizes[s].width, height = sizes[s].height;
                const struct finding_place box = {far ? (WIDTH - width) / 8 * 8 : 0,
                                                  far ? (HEIGHT - height) / 8 * 8 : 0, width,
                                                  height};
                for (int i = 0; i < 2 * FRAMES; i++) {
                    ssimcu_frame frame = draw_grain(8, i);
                    if (i == 8) put_stale(&frame, 8, i, back, &box);
                    add(&shot, i, &frame);
                }
                expect_in(&shot, sizes[s].backs > (back == 1) ? 8 : NOWHERE, "share",
                          10 * s + back);
            }
}

/* Nothing comes before the first frame that can be read, so it does not show what is usual: neither
 * at the begin of a shot nor after frames that cannot be read. */
Test(detect_stale, after_unreadable_frames)
{
    const struct finding_place box = {80, 56, 40, 32};
    for (int lost = 0; lost <= 3; lost++)
        for (int last = 0; last < 2; last++) {
            struct shot shot = {.numbered = true};
            const int at = last ? FRAMES - 1 : lost + FIRST;
            for (int i = 0; i < FRAMES; i++) {
                if (i < lost) {
                    shot_add(&shot, i, "x.png", "truncated", NULL);
                    continue;
                }
                ssimcu_frame frame = draw_grain(8, i);
                if (i == at) put_stale(&frame, 8, i, 1, &box);
                add(&shot, i, &frame);
            }
            expect_in(&shot, at, "unreadable:", lost);
        }
}
