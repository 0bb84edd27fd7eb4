/* Numbers that are just enough for a finding, and just too few or too many, at the first, a middle
 * and the last place of their axis. */
#include "detect_shot.h"

#include "base/statistics.h"
#include "sequence/sequence.h"

enum { ENDS = 3, LONG = 4 * FRAMES };

static const int frames[ENDS] = {0, 5, FRAMES - 1}; /* first, middle, last */

static uint8_t *pixel_at(const ssimcu_frame *frame, uint32_t x, uint32_t y)
{
    return (uint8_t *)frame->data + y * frame->pitch + (size_t)x * frame->channels;
}

/* ---- Colours --------------------------------------------------------------------------------- */

/* Draws a picture. Two of its channels are so many levels apart, and may be exchanged. */
static ssimcu_frame draw_apart(uint32_t first, uint32_t second, int apart, bool exchanged)
{
    ssimcu_frame frame = draw(3, 8, 0);
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++)
            for (uint32_t c = 0; c < 3; c++) {
                const int by = c == (exchanged ? first : second) ? apart
                               : c == first || c == second       ? 0
                                                                 : 90;
                pixel_at(&frame, x, y)[c] = (uint8_t)(60 + 40 * x / WIDTH + (uint32_t)by);
            }
    return frame;
}

/* Channels that are nearly equal, as in pictures that are nearly grey, are not called exchanged. */
Test(detect_bounds, channels_that_are_just_apart)
{
    for (int f = 0; f < ENDS; f++)
        for (uint32_t left = 0; left < 3; left++) /* the channel that stays */
            for (int apart = 3; apart <= 5; apart += 2) {
                struct shot shot = {.numbered = true};
                const uint32_t first = left == 0, second = left == 2 ? 1 : 2;
                for (int i = 0; i < FRAMES; i++) {
                    ssimcu_frame frame = draw_apart(first, second, apart, i == frames[f]);
                    add(&shot, i, &frame);
                }
                shot_judge(&shot);
                for (int i = 0; i < FRAMES; i++)
                    cr_expect_eq(has(&shot, i, FINDING_CHANNEL_SWAP), apart > 4 && i == frames[f],
                                 "%u and %u, %d apart: frame %d", first, second, apart, i);
                shot_free(&shot);
            }
}

/* Makes one channel 0, or the picture grey. */
static void lose(ssimcu_frame *frame, uint32_t channel)
{
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++) {
            uint8_t *pixel = pixel_at(frame, x, y);
            if (channel < 3)
                pixel[channel] = 0;
            else
                pixel[1] = pixel[2] = pixel[0];
        }
}

/* Up to four frames in a row are a fault. More are a scene of their own. */
Test(detect_bounds, frames_in_a_row_without_a_channel)
{
    for (int length = 3; length <= 5; length++)
        for (int p = 0; p < ENDS; p++)
            for (uint32_t channel = 0; channel <= 3; channel++) {
                const int begins[ENDS] = {0, 20, LONG - length}, begin = begins[p];
                struct shot shot = {.numbered = true};
                for (int i = 0; i < LONG; i++) {
                    ssimcu_frame frame = draw(3, 8, 0.3 * i);
                    if (i >= begin && i < begin + length) lose(&frame, channel);
                    add(&shot, i, &frame);
                }
                shot_judge(&shot);
                for (int i = 0; i < LONG; i++)
                    cr_expect_eq(
                        has(&shot, i, channel < 3 ? FINDING_LOST_CHANNEL : FINDING_NO_COLOUR),
                        length <= 4 && i >= begin && i < begin + length,
                        "channel %u, %d frames from %d on: frame %d", channel, length, begin, i);
                shot_free(&shot);
            }
}

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Files of one number stay in the order of their names when missing frames are added. */
Test(detect_bounds, files_of_one_number)
{
    enum { COUNT = 10, GAP = 6 };
    static const int places[ENDS] = {0, 4, COUNT - 1};
    for (int p = 0; p < 2 * ENDS; p++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < COUNT; i++) {
            char long_name[16], name[16];
            snprintf(long_name, sizeof long_name, "f0%d.png", i);
            snprintf(name, sizeof name, "f%d.png", i);
            if (i == places[p / 2]) shot_add(&shot, i, long_name, "damaged", NULL);
            if (i != GAP) shot_add(&shot, i, name, "damaged", NULL);
        }
        ssimcu_ranges ranges;
        cr_assert_eq(ssimcu_ranges_parse("0-9", &ranges, NULL), SSIMCU_OK);
        if (p % 2 == 0)
            gaps_between(&shot);
        else
            gaps_requested(&shot, &ranges);
        cr_assert_eq(shot.count, COUNT + 1);
        for (size_t i = 1; i < shot.count; i++) {
            const struct shot_frame *now = &shot.frame[i], *before = now - 1;
            cr_expect(before->number < now->number || strcmp(before->path, now->path) < 0,
                      "%d: frame %d", p, (int)i);
        }
        ssimcu_ranges_free(&ranges);
        shot_free(&shot);
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

/* The usual step is that of a quarter of the frames up to 16 away, if there are eight. */
Test(detect_bounds, steps_that_are_just_known)
{
    enum { MOST = 50, REACH = 16, LEAST = 8 };
    for (size_t count = LEAST; count <= MOST; count += count < LEAST + 3 ? 1 : 13) {
        struct shot_frame frame[MOST] = {{0}};
        struct shot shot = {.frame = frame, .count = count};
        for (size_t i = 0; i < count; i++) frame[i].step[0] = i == 0 ? NAN : (double)(i * 7 % 50);
        for (size_t at = 0; at < count; at++) {
            double steps[MOST];
            size_t known = 0;
            for (size_t i = 1; i < count; i++)
                if (i + REACH >= at && i <= at + REACH) steps[known++] = frame[i].step[0];
            qsort(steps, known, sizeof *steps, statistics_by_value);
            const double usual = known >= LEAST ? steps[known - 1 - known / 4] : INFINITY;
            cr_expect_eq(shot_usual_step(&shot, at), usual, "%zu of %zu", at, count);
        }
    }
}

/* Two pairs of frames that changed places are a motion to and fro if they are at most twelve frames
 * apart. */
Test(detect_bounds, swaps_near_each_other)
{
    for (int apart = 11; apart <= 14; apart++)
        for (int first = 4; first <= 16; first += 12) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < LONG; i++) {
                const int second = first + apart,
                          by = (i == first || i == second) - (i == first + 1 || i == second + 1);
                ssimcu_frame frame = draw(3, 8, i + by);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            for (int i = 0; i < LONG; i++) {
                const bool is =
                    i == first || i == first + 1 || i == first + apart || i == first + apart + 1;
                cr_expect_eq(has(&shot, i, FINDING_FRAME_ORDER), apart > 12 && is,
                             "%d apart: frame %d", apart, i);
            }
            shot_free(&shot);
        }
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* A pixel has fewer neighbours at a border, so it must stand out more there: in the first and the
 * last row and column. */
Test(detect_bounds, pixels_at_each_border)
{
    static const uint32_t xs[ENDS] = {0, 100, WIDTH - 1}, ys[ENDS] = {0, 76, HEIGHT - 1};
    for (int by = 38; by <= 60; by += 22)
        for (int place = 0; place < ENDS * ENDS; place++) {
            const int column = place % ENDS, row = place / ENDS;
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(1, 8, i);
                for (uint32_t y = 0; y < HEIGHT; y++)
                    for (uint32_t x = 0; x < WIDTH; x++)
                        *pixel_at(&frame, x, y) = (uint8_t)(80 + x / 4);
                if (i == 5) *pixel_at(&frame, xs[column], ys[row]) += (uint8_t)by;
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            const bool inner = column == 1 && row == 1;
            cr_expect_eq(has(&shot, 5, FINDING_OUTLIER_PIXEL), by > 38 || inner,
                         "by %d at %u,%u: %d", by, xs[column], ys[row],
                         (int)shot.frame[5].found.count);
            shot_free(&shot);
        }
}

/* A sparkle that moves by one pixel to any side is excused. One further away is another. */
Test(detect_bounds, sparkles_that_move)
{
    for (int beside = 4; beside <= 6; beside += 2)
        for (int down = -2; down <= 2; down++)
            for (int right = -2; right <= 2; right++) {
                struct shot shot = {.numbered = true};
                for (int i = 0; i < FRAMES; i++) {
                    ssimcu_frame frame = draw(1, 8, 0.1 * i);
                    fill(&frame, 24, 32, 24, 24, 120);
                    if (i == 5) *pixel_at(&frame, 36, 44) = 120 + 62;
                    if (i == beside)
                        *pixel_at(&frame, (uint32_t)(36 + right), (uint32_t)(44 + down)) = 120 + 31;
                    add(&shot, i, &frame);
                }
                shot_judge(&shot);
                cr_expect_eq(has(&shot, 5, FINDING_OUTLIER_PIXEL), abs(right) > 1 || abs(down) > 1,
                             "frame %d: %d,%d away", beside, right, down);
                shot_free(&shot);
            }
}

/* ---- Garbage --------------------------------------------------------------------------------- */

/* Adds stripes that many levels high to a square, and light to the whole picture. */
static void add_stripes(ssimcu_frame *frame, uint32_t left, uint32_t top, int high, int light)
{
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            const bool in = x >= left && x < left + 32 && y >= top && y < top + 32 && x % 2;
            for (uint32_t c = 0; c < frame->channels; c++)
                pixel_at(frame, x, y)[c] += (uint8_t)(light + (in ? high : 0));
        }
}

/* Another light makes textures clearer, so an area must be rougher to be garbage then. */
Test(detect_bounds, garbage_in_another_light)
{
    static const uint32_t xs[ENDS] = {0, 80, WIDTH / 8 * 8 - 32},
                          ys[ENDS] = {0, 64, HEIGHT / 8 * 8 - 32};
    for (int f = 0; f < ENDS; f++)
        for (int place = 0; place < ENDS; place++)
            for (int high = 11; high <= 40; high += 29)
                for (int light = 0; light <= 20; light += 20) {
                    struct shot shot = {.numbered = true};
                    for (int i = 0; i < FRAMES; i++) {
                        ssimcu_frame frame = draw(1, 8, 0.2 * i);
                        if (i == frames[f]) add_stripes(&frame, xs[place], ys[place], high, light);
                        add(&shot, i, &frame);
                    }
                    shot_judge(&shot);
                    cr_expect_eq(has(&shot, frames[f], FINDING_GARBAGE), high > 11 || light == 0,
                                 "%d high, light %d, place %d: frame %d", high, light, place,
                                 frames[f]);
                    shot_free(&shot);
                }
}

/* ---- Ends of a shot -------------------------------------------------------------------------- */

static void put_block(ssimcu_frame *frame) { fill(frame, 61, 42, 16, 16, 0); }
static void put_pixel(ssimcu_frame *frame) { fill(frame, 30, 40, 1, 1, 255); }
static void put_garbage(ssimcu_frame *frame) { add_stripes(frame, 80, 64, 40, 0); }
static void put_faint_garbage(ssimcu_frame *frame) { add_stripes(frame, 80, 64, 9, 0); }
static void put_faint_bucket(ssimcu_frame *frame)
{
    for (uint32_t y = 40; y < 64; y++)
        for (uint32_t x = 60; x < 84; x++) *pixel_at(frame, x, y) = 0;
}

/* Expects that a change of the first or last frame that can be read is found, or not. `lost`: how
 * many frames before or after it cannot be read. */
static void expect_outer(int lost, bool last, void (*change)(ssimcu_frame *frame), bool found)
{
    struct shot shot = {.numbered = true};
    const int at = last ? FRAMES - 1 - lost : lost;
    for (int i = 0; i < FRAMES; i++) {
        if (last ? i > at : i < at) {
            shot_add(&shot, i, "x.png", "truncated", NULL);
            continue;
        }
        ssimcu_frame frame = draw(3, 8, 0.2 * i);
        if (i == at) change(&frame);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    cr_expect_eq(shot.frame[at].found.count, found, "%d lost, frame %d: %d", lost, at,
                 (int)shot.frame[at].found.count);
    shot_free(&shot);
}

/* The first and the last frame that can be read are outer frames, also beside frames that cannot.
 */
Test(detect_bounds, outer_frames_beside_unreadable_ones)
{
    for (int lost = 0; lost <= 2; lost++)
        for (int last = 0; last < 2; last++) {
            expect_outer(lost, last, put_block, true);
            expect_outer(lost, last, put_pixel, true);
            expect_outer(lost, last, put_garbage, true);
            expect_outer(lost, last, put_faint_garbage, false);
            expect_outer(lost, last, put_faint_bucket, false);
        }
}
