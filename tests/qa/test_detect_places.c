/* Damage at the first, a middle and the last place: frames, rows, columns and channels. */
#include "detect_shot.h"

#include <stdio.h>

enum { ENDS = 3, SIDE = 16 };

static const int frames[ENDS] = {0, 5, FRAMES - 1}; /* first, middle, last */

/* A place of damage is a frame of the shot, a pixel and a channel. */
struct place {
    int frame;
    uint32_t x, y, channel;
};

static const char *name_of(const struct place *place)
{
    static char text[64];
    snprintf(text, sizeof text, "frame %d, %u,%u, channel %u", place->frame, place->x, place->y,
             place->channel);
    return text;
}

/* Makes a shot with damage at one place, and returns the first finding. Only that frame has any. */
static const struct finding *judge(struct shot *shot, uint32_t bits, const struct place *place,
                                   void (*damage)(ssimcu_frame *, const struct place *))
{
    *shot = (struct shot){.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, bits, i);
        if (i == place->frame) damage(&frame, place);
        add(shot, i, &frame);
    }
    shot_judge(shot);
    for (int i = 0; i < FRAMES; i++)
        cr_assert_eq(shot->frame[i].found.count > 0, i == place->frame, "%s: frame %d",
                     name_of(place), i);
    return &shot->frame[place->frame].found.at[0];
}

/* Expects a finding of this kind and extent. */
static void expect(uint32_t bits, const struct place *place, uint32_t width, uint32_t height,
                   enum finding_kind kind, void (*damage)(ssimcu_frame *, const struct place *))
{
    struct shot shot;
    const struct finding *found = judge(&shot, bits, place, damage);
    cr_expect_eq(found->kind, kind, "%s: %s", name_of(place), found->text);
    cr_expect(found->place.x == place->x && found->place.y == place->y &&
                  found->place.width == width && found->place.height == height,
              "%s: %u x %u at %u,%u", name_of(place), found->place.width, found->place.height,
              found->place.x, found->place.y);
    shot_free(&shot);
}

static void put_block(ssimcu_frame *frame, const struct place *place)
{
    fill(frame, place->x, place->y, SIDE, SIDE, 0);
}

Test(detect_places, lost_blocks)
{
    static const uint32_t xs[ENDS] = {0, 61, WIDTH - SIDE}, ys[ENDS] = {0, 42, HEIGHT - SIDE};
    for (int f = 0; f < ENDS; f++)
        for (int x = 0; x < ENDS; x++)
            for (int y = 0; y < ENDS; y++) {
                const struct place place = {frames[f], xs[x], ys[y], 0};
                expect(8, &place, SIDE, SIDE, FINDING_FLAT_AREA, put_block);
            }
}

enum { ROWS = 6 };
static const uint32_t tops[ENDS] = {0, 90, HEIGHT - ROWS};

static void put_noise(ssimcu_frame *frame, const struct place *place)
{
    check_random random = {3};
    for (uint32_t y = place->y; y < place->y + ROWS; y++)
        for (uint32_t x = 0; x < WIDTH * frame->channels; x++)
            ((uint8_t *)frame->data)[y * frame->pitch + x] =
                (uint8_t)check_between(&random, 0, 255);
}

static void put_rows(ssimcu_frame *frame, const struct place *place)
{
    fill(frame, 0, place->y, WIDTH, ROWS, 200);
}

/* The last rows are those that a transfer that broke off leaves. */
Test(detect_places, rows_of_garbage_and_of_one_colour)
{
    for (int f = 0; f < ENDS; f++)
        for (int y = 0; y < ENDS; y++) {
            const struct place place = {frames[f], 0, tops[y], 0};
            expect(8, &place, WIDTH, ROWS, FINDING_GARBAGE, put_noise);
            expect(8, &place, WIDTH, ROWS, FINDING_FLAT_AREA, put_rows);
        }
}

/* Up to a quarter of the frame is named as rows; more is an area. */
Test(detect_places, rows_of_a_quarter)
{
    static const uint32_t counts[] = {HEIGHT / 4, HEIGHT / 4 + 1};
    for (int f = 0; f < ENDS; f++)
        for (uint32_t k = 0; k < 2 * ENDS; k++) {
            const uint32_t rows = counts[k % 2], top = k / 2 * (HEIGHT - rows) / 2;
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, i);
                for (uint32_t y = top; y < top + rows && i == frames[f]; y += ROWS) {
                    const uint32_t last = top + rows - ROWS;
                    put_noise(&frame, &(struct place){i, 0, y < last ? y : last, 0});
                }
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            const struct findings *list = &shot.frame[frames[f]].found; /* it may be foreign, too */
            bool named = false;
            for (size_t n = 0; n < list->count; n++)
                named = named || strstr(list->at[n].text, "rows of garbage");
            cr_expect(findings_kinds(list) >> FINDING_GARBAGE & 1, "%u rows", rows);
            cr_expect_eq(named, k % 2 == 0, "%u rows from %u on", rows, top);
            shot_free(&shot);
        }
}

static void put_pixel(ssimcu_frame *frame, const struct place *place)
{
    fill(frame, place->x, place->y, 1, 1, 255);
}

Test(detect_places, outlier_pixels)
{
    static const uint32_t xs[5] = {0, 1, 30, WIDTH - 2, WIDTH - 1},
                          ys[5] = {0, 1, 40, HEIGHT - 2, HEIGHT - 1};
    static const uint32_t types[2] = {8, 16};
    for (int f = 0; f < ENDS; f++)
        for (int x = 0; x < 5; x++)
            for (int y = 0; y < 5; y++) {
                const struct place place = {frames[f], xs[x], ys[y], 0};
                expect(types[(x + y + f) % 2], &place, 1, 1, FINDING_OUTLIER_PIXEL, put_pixel);
            }
}

static void put_infinity(ssimcu_frame *frame, const struct place *place)
{
    float *row = (float *)((char *)frame->data + place->y * frame->pitch);
    row[3 * place->x + place->channel] = INFINITY;
}

Test(detect_places, samples_that_are_not_finite)
{
    static const uint32_t xs[ENDS] = {0, 50, WIDTH - 1}, ys[ENDS] = {0, 20, HEIGHT - 1};
    for (int f = 0; f < ENDS; f++)
        for (int x = 0; x < ENDS; x++)
            for (uint32_t channel = 0; channel < 3; channel++) {
                const struct place place = {frames[f], xs[x], ys[(x + f) % ENDS], channel};
                expect(SSIMCU_BITS_F32, &place, 1, 1, FINDING_NAN, put_infinity);
            }
}

static void put_infinite_pixel(ssimcu_frame *frame, const struct place *place)
{
    struct place at = *place;
    for (at.channel = 0; at.channel < 3; at.channel++) put_infinity(frame, &at);
}

/* Such a pixel stands out from its neighbours, but is one fault, not two. */
Test(detect_places, infinite_pixels_are_not_outliers)
{
    static const uint32_t xs[5] = {0, 1, 30, WIDTH - 2, WIDTH - 1},
                          ys[5] = {0, 1, 40, HEIGHT - 2, HEIGHT - 1};
    for (int f = 0; f < ENDS; f++)
        for (int x = 0; x < 5; x++) {
            const struct place place = {frames[f], xs[x], ys[(x + f) % 5], 0};
            struct shot shot;
            (void)judge(&shot, SSIMCU_BITS_F32, &place, put_infinite_pixel);
            cr_expect_eq(findings_kinds(&shot.frame[frames[f]].found), finding_bit(FINDING_NAN),
                         "%s", name_of(&place));
            shot_free(&shot);
        }
}

static void put_negative(ssimcu_frame *frame, const struct place *place)
{
    float *row = (float *)((char *)frame->data + place->y * frame->pitch);
    row[3 * place->x + place->channel] = -1;
}

Test(detect_places, samples_below_0)
{
    static const uint32_t xs[ENDS] = {0, 50, WIDTH - 1}, ys[ENDS] = {0, 20, HEIGHT - 1};
    for (int f = 0; f < ENDS; f++)
        for (int x = 0; x < ENDS; x++)
            for (uint32_t channel = 0; channel < 3; channel++) {
                const struct place place = {frames[f], xs[x], ys[(x + f) % ENDS], channel};
                expect(SSIMCU_BITS_F32, &place, 1, 1, FINDING_NEGATIVE, put_negative);
            }
}

/* Returns the place opposite to another one. */
static struct place opposite(const struct place *place)
{
    return (struct place){place->frame, WIDTH - 1 - place->x, HEIGHT - 1 - place->y,
                          2 - place->channel};
}

static void put_both(ssimcu_frame *frame, const struct place *place)
{
    const struct place other = opposite(place);
    put_negative(frame, place);
    put_infinity(frame, &other);
}

/* Each of two faults in a frame has its own place. */
Test(detect_places, samples_of_both_kinds)
{
    static const uint32_t xs[ENDS] = {0, 50, WIDTH - 1}, ys[ENDS] = {0, 20, HEIGHT - 1};
    for (int x = 0; x < ENDS; x++)
        for (int y = 0; y < ENDS; y++) {
            const struct place place = {5, xs[x], ys[y], 0}, other = opposite(&place);
            struct shot shot;
            const struct finding *found = judge(&shot, SSIMCU_BITS_F32, &place, put_both);
            cr_assert_eq(shot.frame[5].found.count, 2);
            cr_expect(found[0].kind == FINDING_NAN && found[0].place.x == other.x &&
                      found[0].place.y == other.y);
            cr_expect(found[1].kind == FINDING_NEGATIVE && found[1].place.x == place.x &&
                      found[1].place.y == place.y);
            shot_free(&shot);
        }
}

/* Sets alpha of some frames, of the same shot, to this byte. */
static void judge_alpha(struct shot *shot, int begin, int end, uint8_t alpha)
{
    *shot = (struct shot){0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(4, 8, i);
        for (uint32_t y = 0; y < HEIGHT && i >= begin && i < end; y++)
            for (uint32_t x = 0; x < WIDTH; x++)
                ((uint8_t *)frame.data)[y * frame.pitch + 4 * x + 3] = alpha;
        add(shot, i, &frame);
    }
    shot_judge(shot);
}

/* An object may enter after the first frame, and leave before the last. */
Test(detect_places, alpha_at_the_ends_is_no_fault)
{
    static const int begins[] = {0, 1, 6, FRAMES - 2, FRAMES - 1};
    for (size_t k = 0; k < sizeof begins / sizeof *begins; k++)
        for (int byte = 0; byte < 256; byte += 255) {
            const int at = begins[k];
            const bool inner = at > 0 && at < FRAMES - 1;
            struct shot shot;
            judge_alpha(&shot, at, at + 1, (uint8_t)byte);
            const struct finding *found = only(&shot, inner ? (size_t)at : SIZE_MAX);
            cr_expect(!inner || found->kind == FINDING_ALPHA, "frame %d", at);
            shot_free(&shot);
        }
    for (int begin = 0; begin < FRAMES; begin += FRAMES - 2) { /* two frames of either end */
        struct shot shot;
        judge_alpha(&shot, begin, begin + 2, 0);
        (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
    }
}
