/* Faults of colour: a channel that is lost, exchanged or grey, and levels to a power, in the first,
 * a middle and the last frame and channel; and changes of colour that are no faults. */
#include "detect_shot.h"

enum { ENDS = 3, CHANNELS = 3 };

static const int frames[ENDS] = {0, 5, FRAMES - 1}; /* first, middle, last */
static const uint32_t types[ENDS] = {8, 16, SSIMCU_BITS_F32};

/* Replaces the pixels of a picture: `change` gets three samples, from 0 to 1. */
static void change_pixels(ssimcu_frame *frame, void (*change)(double *pixel, unsigned what),
                          unsigned what)
{
    for (uint32_t y = 0; y < frame->height; y++)
        for (uint32_t x = 0; x < frame->width; x++) {
            void *row = (char *)frame->data + y * frame->pitch;
            uint8_t *bytes = (uint8_t *)row + (size_t)3 * x;
            uint16_t *words = (uint16_t *)row + (size_t)3 * x;
            float *floats = (float *)row + (size_t)3 * x;
            double pixel[3];
            for (int c = 0; c < 3; c++)
                pixel[c] = frame->bits == 8    ? bytes[c] / 255.0
                           : frame->bits == 16 ? words[c] / 65535.0
                                               : floats[c];
            change(pixel, what);
            for (int c = 0; c < 3; c++)
                if (frame->bits == 8)
                    bytes[c] = (uint8_t)lround(255 * pixel[c]);
                else if (frame->bits == 16)
                    words[c] = (uint16_t)lround(65535 * pixel[c]);
                else
                    floats[c] = (float)pixel[c];
        }
}

/* Makes a shot in which some frames are changed, and judges it. */
static void make_changed(struct shot *shot, uint32_t bits, int begin, int end,
                         void (*change)(double *, unsigned), unsigned what)
{
    *shot = (struct shot){.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(3, bits, 0.3 * i);
        if (i >= begin && i < end) change_pixels(&frame, change, what);
        add(shot, i, &frame);
    }
    shot_judge(shot);
}

/* Expects a kind in these frames, and no finding in any other. */
static void expect(uint32_t bits, int begin, int end, enum finding_kind kind,
                   void (*change)(double *, unsigned), unsigned what)
{
    struct shot shot;
    make_changed(&shot, bits, begin, end, change, what);
    for (int i = 0; i < FRAMES; i++) {
        const struct findings *list = &shot.frame[i].found;
        const bool has = findings_kinds(list) >> kind & 1;
        cr_expect_eq(has, i >= begin && i < end, "%s, %u: frame %d, changed %d to %d",
                     finding_row(kind)->name, what, i, begin, end);
        cr_expect(has || list->count == 0, "frame %d: %s", i,
                  list->count > 0 ? list->at[0].text : "");
    }
    shot_free(&shot);
}

static void lose(double *pixel, unsigned channel) { pixel[channel] = 0; }
static void set(double *pixel, unsigned channel) { pixel[channel] = 0.5; }

Test(detect_colours, lost_channels)
{
    for (int f = 0; f < ENDS; f++)
        for (unsigned channel = 0; channel < CHANNELS; channel++) {
            expect(types[channel], frames[f], frames[f] + 1, FINDING_LOST_CHANNEL, lose, channel);
            expect(types[f], frames[f], frames[f] + 1, FINDING_LOST_CHANNEL, set, channel);
        }
    expect(8, 4, 7, FINDING_LOST_CHANNEL, lose, 1); /* three frames in a row */
}

static void swap(double *pixel, unsigned pair)
{
    static const int pairs[CHANNELS][2] = {{0, 1}, {0, 2}, {1, 2}};
    const double first = pixel[pairs[pair][0]];
    pixel[pairs[pair][0]] = pixel[pairs[pair][1]];
    pixel[pairs[pair][1]] = first;
}

Test(detect_colours, exchanged_channels)
{
    for (int f = 0; f < ENDS; f++)
        for (unsigned pair = 0; pair < CHANNELS; pair++)
            expect(types[pair], frames[f], frames[f] + 1, FINDING_CHANNEL_SWAP, swap, pair);
}

static void mix(double *pixel, unsigned what)
{
    (void)what;
    pixel[0] = pixel[1] = pixel[2] = (pixel[0] + pixel[1] + pixel[2]) / 3;
}

Test(detect_colours, frames_without_colour)
{
    for (int f = 0; f < ENDS; f++)
        expect(types[f], frames[f], frames[f] + 1, FINDING_NO_COLOUR, mix, 0);
    expect(8, 4, 7, FINDING_NO_COLOUR, mix, 0);
}

static void raise(double *pixel, unsigned percent)
{
    for (int c = 0; c < 3; c++) pixel[c] = pow(pixel[c], percent / 100.0);
}

Test(detect_colours, levels_to_a_power)
{
    static const unsigned percents[ENDS] = {45, 130, 220};
    for (int f = 0; f < ENDS; f++)
        for (int p = 0; p < ENDS; p++)
            expect(types[f], frames[f], frames[f] + 1, FINDING_GAMMA, raise, percents[p]);
}

/* A light that flashes looks like another power. Three flashes of a shot are meant, two are faults.
 */
Test(detect_colours, flashes)
{
    for (int flashes = 2; flashes <= 3; flashes++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < 4 * FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, 0.3 * i);
            if (i % 16 == 0 && i < 16 * flashes) change_pixels(&frame, raise, 45);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < 4 * FRAMES; i++)
            cr_expect_eq(has(&shot, i, FINDING_GAMMA), flashes == 2 && i % 16 == 0 && i < 32,
                         "%d flashes, frame %d", flashes, i);
        shot_free(&shot);
    }
}

/* A bucket without one channel, at the ends of the frame. */
Test(detect_colours, buckets_without_a_channel)
{
    for (int f = 0; f < ENDS; f++)
        for (uint32_t channel = 0; channel < CHANNELS; channel++) {
            const uint32_t side = f == 1 ? 16 : 40, xs[ENDS] = {0, 61, WIDTH - side},
                           ys[ENDS] = {0, 42, HEIGHT - side};
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, i);
                for (uint32_t y = ys[channel]; y < ys[channel] + side && i == frames[f]; y++)
                    for (uint32_t x = xs[f]; x < xs[f] + side; x++)
                        ((uint8_t *)frame.data)[y * frame.pitch + 3 * x + channel] = 0;
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            const struct finding *found = only(&shot, (size_t)frames[f]);
            cr_expect(found->kind == FINDING_LOST_CHANNEL && found->value == channel);
            cr_expect(found->place.x == xs[f] && found->place.y == ys[channel] &&
                      found->place.width == side && found->place.height == side);
            shot_free(&shot);
        }
}

static void light(double *pixel, unsigned percent)
{
    for (int c = 0; c < 3; c++) pixel[c] = fmin(1, pixel[c] * percent / 100);
}

/* Another light is not another power, a scene without colour is longer, and what recurs is meant.
 */
Test(detect_colours, changes_that_are_no_faults)
{
    for (unsigned percent = 50; percent <= 140; percent += 30) {
        struct shot shot;
        make_changed(&shot, 8, 5, 6, light, percent);
        cr_expect_eq(has(&shot, 5, FINDING_GAMMA), 0);
        shot_free(&shot);
    }
    struct shot shot = {.numbered = true};
    for (int i = 0; i < 4 * FRAMES; i++) { /* five frames in a row */
        ssimcu_frame frame = draw(3, 8, 0.3 * i);
        if (i >= 5 && i < 10) change_pixels(&frame, mix, 0);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    for (int i = 0; i < 4 * FRAMES; i++) cr_expect_eq(has(&shot, i, FINDING_NO_COLOUR), 0);
    shot_free(&shot);
    shot = (struct shot){.numbered = true};
    for (int i = 0; i < 2 * FRAMES; i++) { /* five of 24 frames */
        ssimcu_frame frame = draw(3, 8, 0.5 * i);
        if (i % 5 == 1) change_pixels(&frame, lose, 0);
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    for (int i = 0; i < 2 * FRAMES; i++)
        for (size_t k = 0; k < shot.frame[i].found.count; k++)
            cr_expect_neq(shot.frame[i].found.at[k].kind, FINDING_LOST_CHANNEL, "frame %d", i);
    shot_free(&shot);
}

/* Size of luma: that of draw() and the smallest whose colours are judged. */
static const uint32_t sizes[][2] = {{WIDTH, HEIGHT}, {96, 32}};

/* Planes of video, of which chroma has half the size. Frame `at` has the chroma of `change`. */
static void make_video(struct shot *shot, const uint32_t size[2], int begin, int end,
                       void (*change)(ssimcu_frame plane[3]))
{
    *shot = (struct shot){0};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame plane[3] = {draw(1, 8, 0.5 * i), draw(1, 8, 20 + 0.5 * i),
                                 draw(1, 8, 47 + 0.5 * i)};
        for (int c = 0; c < 3; c++)
            plane[c].width = size[0] >> (c > 0), plane[c].height = size[1] >> (c > 0);
        if (i >= begin && i < end) change(plane);
        struct frame_stats *stats = malloc(sizeof *stats);
        cr_assert_eq(frame_stats_scan(plane, 2, stats, NULL), SSIMCU_OK);
        colours_take(plane, 3, 2, &stats->colours);
        shot_add(shot, i, "x.mp4", NULL, stats);
        for (int c = 0; c < 3; c++) ssimcu_frame_free(&plane[c]);
    }
    shot_judge(shot);
}

static void lose_chroma(ssimcu_frame plane[3])
{
    for (int c = 1; c < 3; c++) memset(plane[c].data, 0, plane[c].pitch * plane[c].height);
}
static void lose_v(ssimcu_frame plane[3])
{
    memset(plane[2].data, 128, plane[2].pitch * plane[2].height);
}
static void swap_chroma(ssimcu_frame plane[3])
{
    const ssimcu_frame u = plane[1];
    plane[1] = plane[2], plane[2] = u;
}

Test(detect_colours, chroma_of_video)
{
    for (int f = 0; f < 2 * ENDS; f++) {
        const int at = frames[f / 2];
        const uint32_t *const size = sizes[f % 2];
        struct shot shot;
        make_video(&shot, size, at, at + 1, lose_chroma);
        cr_expect_eq(shot.frame[at].found.count, 2, "frame %d", at); /* U and V */
        cr_expect_eq(shot.frame[at].found.at[0].kind, FINDING_LOST_CHANNEL);
        cr_expect_eq(shot.frame[at].found.at[1].value, 2);
        shot_free(&shot);
        make_video(&shot, size, at, at + 1, lose_v);
        cr_expect(only(&shot, (size_t)at)->kind == FINDING_LOST_CHANNEL);
        shot_free(&shot);
        make_video(&shot, size, at, at + 1, swap_chroma);
        cr_expect(only(&shot, (size_t)at)->kind == FINDING_CHANNEL_SWAP);
        shot_free(&shot);
    }
    for (int s = 0; s < 2; s++) {
        struct shot shot;
        make_video(&shot, sizes[s], 0, 0, NULL);
        (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
    }
}

static struct {
    uint32_t first, rows;
} traces; /* rows of V that are left */

static void lose_v_but_traces(ssimcu_frame plane[3])
{
    for (uint32_t y = 0; y < plane[2].height; y++)
        if (y < traces.first || y >= traces.first + traces.rows)
            memset((char *)plane[2].data + y * plane[2].pitch, 128, plane[2].width);
}

static int drawn, first_of_swap; /* frames so far, and the lower of the exchanged planes */

/* Draws planes whose levels are a little apart, and exchanges two of them in frame 5. More would be
 * another scene. */
static void draw_planes(ssimcu_frame plane[3])
{
    const bool swapped = drawn++ == 5;
    for (int c = 0; c < 3; c++) {
        const int from =
            swapped && c >= first_of_swap && c < first_of_swap + 2 ? 2 * first_of_swap + 1 - c : c;
        for (uint32_t y = 0; y < plane[c].height; y++)
            for (uint32_t x = 0; x < plane[c].width; x++)
                ((uint8_t *)plane[c].data)[y * plane[c].pitch + x] =
                    (uint8_t)(60 + 6 * from + 40 * x / plane[c].width + drawn % 2);
    }
}

/* U and V may be exchanged. Y is light, so it is never one of them. */
Test(detect_colours, luma_is_no_chroma)
{
    for (first_of_swap = 0; first_of_swap < 2; first_of_swap++) {
        struct shot shot;
        size_t found = 0;
        drawn = 0;
        make_video(&shot, sizes[0], 0, FRAMES, draw_planes);
        for (int i = 0; i < FRAMES; i++) found += has(&shot, i, FINDING_CHANNEL_SWAP);
        cr_expect_eq(found, (size_t)first_of_swap);
        shot_free(&shot);
    }
}

/* A codec leaves traces of other frames in a lost channel, at its top, in its middle or at its
 * bottom. If half of it is left, it is not lost. */
Test(detect_colours, traces_in_a_lost_channel)
{
    enum { DOWN = HEIGHT / 2 };
    static const uint32_t rows[] = {4, DOWN / 2};
    for (int f = 0; f < ENDS; f++)
        for (uint32_t place = 0; place < ENDS; place++)
            for (int r = 0; r < 2; r++) {
                struct shot shot;
                traces.rows = rows[r];
                traces.first = place * (DOWN - rows[r]) / 2;
                make_video(&shot, sizes[0], frames[f], frames[f] + 1, lose_v_but_traces);
                const struct finding *found = only(&shot, r == 0 ? (size_t)frames[f] : SIZE_MAX);
                cr_expect(r == 1 || (found->kind == FINDING_LOST_CHANNEL && found->value == 2));
                shot_free(&shot);
            }
}

static struct {
    int seen, raised;
} dark; /* how many frames, and the one whose codes are raised to a power */

static void make_dark(ssimcu_frame plane[3])
{
    const double power = dark.seen++ == dark.raised ? 1.15 : 1;
    for (int c = 0; c < 3; c++)
        for (size_t i = 0; i < plane[c].pitch * plane[c].height; i++) {
            uint8_t *sample = (uint8_t *)plane[c].data + i;
            *sample = (uint8_t)lround(255 * pow(*sample / 255.0 / 5, power));
        }
}

/* Codes of Y, U and V are no levels of light, so no power of them is a gamma. */
Test(detect_colours, no_gamma_of_video)
{
    for (int f = 0; f < ENDS; f++) {
        struct shot shot;
        dark.seen = 0, dark.raised = frames[f];
        make_video(&shot, sizes[0], 0, FRAMES, make_dark);
        (void)only(&shot, SIZE_MAX);
        shot_free(&shot);
    }
}

/* Stripes as wide as the distance of the samples, at another place in one frame, are no other
 * levels. */
Test(detect_colours, stripes_that_move)
{
    for (uint32_t across = 1; across <= 8; across++)
        for (int f = 0; f < ENDS; f++) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, i);
                for (uint32_t y = 0; y < HEIGHT; y++)
                    for (uint32_t x = 0; x < WIDTH; x++) {
                        const uint32_t stripe = (x + (i == frames[f] ? across : 0)) / across % 2;
                        memset((uint8_t *)frame.data + y * frame.pitch + 3 * (size_t)x,
                               (int)(60 + (x + y) % 50 + 60 * stripe), 3);
                    }
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            for (int i = 0; i < FRAMES; i++)
                for (size_t k = 0; k < shot.frame[i].found.count; k++)
                    cr_expect_neq(shot.frame[i].found.at[k].kind, FINDING_GAMMA, "%u, frame %d",
                                  across, i);
            shot_free(&shot);
        }
}

static void fade(double *pixel, unsigned percent)
{
    const double grey = (pixel[0] + pixel[1] + pixel[2]) / 3;
    for (int c = 0; c < 3; c++) pixel[c] = grey + (pixel[c] - grey) * percent / 100;
}

/* A frame is without colour between two that clearly have it. One with a faint colour on either
 * side shows that the colour comes or goes. */
Test(detect_colours, frames_whose_colour_comes_or_goes)
{
    for (int beside = 4; beside <= 6; beside += 2)
        for (unsigned percent = 20; percent <= 30; percent += 10) { /* 6 levels: a quarter */
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, 0.3 * i);
                if (i == 5) change_pixels(&frame, mix, 0);
                if (i == beside) change_pixels(&frame, fade, percent);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            cr_expect_eq(has(&shot, 5, FINDING_NO_COLOUR), percent > 20, "%u %% in frame %d",
                         percent, beside);
            shot_free(&shot);
        }
}

/* A few pixels without one channel are reported between two frames. In an outer frame, a colour may
 * come or go. */
Test(detect_colours, small_buckets_in_outer_frames)
{
    for (int f = 0; f < ENDS; f++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            for (uint32_t y = 40; y < 64 && i == frames[f]; y++)
                for (uint32_t x = 60; x < 84; x++)
                    ((uint8_t *)frame.data)[y * frame.pitch + 3 * x] = 0;
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        (void)only(&shot, f == 1 ? 5 : SIZE_MAX);
        shot_free(&shot);
    }
}
