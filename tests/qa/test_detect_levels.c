/* The colours of frames by their numbers. What is taken of the pixels, and what is made of it, is
 * held against its definition. */
#include "detect_cells.h"

#include <stdio.h>

enum { ENDS = 3, TILES = COLOURS_TILES, BETWEEN = COLOURS_SHARES - 1 };

/* ---- What is taken --------------------------------------------------------------------------- */

/* Returns the level of a sample on a display. */
static double level_at(const ssimcu_frame *frame, uint32_t x, uint32_t y, uint32_t c)
{
    const char *row = (const char *)frame->data + y * frame->pitch;
    const size_t at = (size_t)x * frame->channels + c;
    if (frame->bits == 8) return ((const uint8_t *)row)[at];
    if (frame->bits == 10) return ((const uint16_t *)row)[at] * 255.0 / 1023;
    if (frame->bits == 16) return ((const uint16_t *)row)[at] * 255.0 / 65535;
    if (frame->bits == SSIMCU_BITS_F32) {
        const float light = ((const float *)row)[at];
        return isfinite(light) && light > 0 ? 255 * pow(light, 1 / 2.2) : 0;
    }
    const uint16_t half = ((const uint16_t *)row)[at];
    const double light =
        half >> 10 ? ldexp(1024 + (half & 0x3ff), (half >> 10) - 25) : ldexp(half, -24);
    return half < 0x7c00 ? 255 * pow(light, 1 / 2.2) : 0;
}

/* Returns the distance of the samples that are taken, of so many that are wanted: at least `least`,
 * and at most half of a tile. */
static uint32_t step_of(uint32_t length, uint32_t want, uint32_t least, uint32_t tiles)
{
    const uint32_t step = length / want < least ? least : length / want,
                   most = length / (2 * tiles);
    return step < most ? step : most;
}

static int by_value(const void *a, const void *b)
{
    return (*(const float *)a > *(const float *)b) - (*(const float *)a < *(const float *)b);
}

/* Holds one channel against its definition. Levels between shares are found by whole numbers, so
 * they may be half a level away, or one if the samples are no whole levels. */
static void hold(const ssimcu_frame *frame, uint32_t channel, const struct colours *own, int c)
{
    static float level[4 * 256 * 256];
    double sum[TILES] = {0}, low = INFINITY, high = -INFINITY;
    uint32_t count[TILES] = {0}, all = 0;
    const uint32_t across = step_of(frame->width, 256, 4, 12),
                   down = step_of(frame->height, 64, 2, 8);
    for (uint32_t y = down / 2, row = 0; y < frame->height; y += down, row++)
        for (uint32_t x = (across / 2 + row) % across; x < frame->width; x += across) {
            const uint32_t tile = y * 8 / frame->height * 12 + x * 12 / frame->width;
            const double sample = level_at(frame, x, y, channel);
            sum[tile] += sample, count[tile]++;
            low = fmin(low, sample), high = fmax(high, sample);
            level[all++] = (float)fmin(sample, 255);
        }
    const float far = frame->bits == 8 ? 0.51F : 1.01F;
    qsort(level, all, sizeof *level, by_value);
    cr_expect_float_eq(own->low[c], low, 1e-3);
    cr_expect_float_eq(own->high[c], high, 1e-3);
    for (int t = 0; t < TILES; t++)
        cr_expect_float_eq(own->mean[c][t], count[t] ? sum[t] / count[t] : 0, 1e-3, "tile %d", t);
    for (uint32_t k = 1; k < COLOURS_SHARES; k++) {
        const float want = own->between[c][k - 1], at = (float)all * (float)k / COLOURS_SHARES;
        const uint32_t before = (uint32_t)at - (at == floorf(at));
        cr_expect(want >= level[before] - far && want <= level[(uint32_t)at] + far, "share %u: %g",
                  k, want);
    }
}

static ssimcu_frame draw(check_random *random, uint32_t width, uint32_t height, uint32_t channels,
                         uint32_t bits)
{
    ssimcu_frame frame = {.width = width, .height = height, .channels = channels, .bits = bits};
    cr_assert_eq(ssimcu_frame_alloc(&frame, NULL), SSIMCU_OK);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t i = 0; i < width * channels; i++) {
            char *row = (char *)frame.data + y * frame.pitch;
            const double level = fmin(1, (double)(i * 200 / width / channels + y * 50 / height +
                                                  check_between(random, 0, 20)) /
                                             255);
            if (bits == 8) ((uint8_t *)row)[i] = (uint8_t)(255 * level);
            if (bits == 10) ((uint16_t *)row)[i] = (uint16_t)(1023 * level);
            if (bits == 16) ((uint16_t *)row)[i] = (uint16_t)(65535 * level);
            if (bits == SSIMCU_BITS_F16)
                ((uint16_t *)row)[i] =
                    (uint16_t)(check_between(random, 0, 40) == 0 ? 0x7c00 : 0x3800 + 0x500 * level);
            if (bits == SSIMCU_BITS_F32) {
                const uint64_t odd = check_between(random, 0, 40);
                ((float *)row)[i] = odd == 0 ? INFINITY : odd == 1 ? -1 : (float)(1.2 * level);
            }
        }
    return frame;
}

Test(detect_levels, samples_that_are_taken)
{
    static const struct {
        uint32_t width, height, channels, bits;
    } rows[] = {{48, 16, 3, 8},
                {120, 48, 3, 8},
                {203, 157, 4, 8},
                {1536, 575, 3, 8},
                {1535, 576, 3, 8},
                {60, 300, 3, 8},
                {1500, 200, 3, 10},
                {97, 33, 3, 16},
                {128, 64, 3, SSIMCU_BITS_F16},
                {128, 64, 4, SSIMCU_BITS_F32},
                {1029, 131, 3, 8}};
    check_random random = {4};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct colours colours;
        ssimcu_frame frame =
            draw(&random, rows[r].width, rows[r].height, rows[r].channels, rows[r].bits);
        colours_take(&frame, 1, 2, &colours);
        cr_assert(colours.known && !colours.video && colours.coded == 6);
        for (int c = 0; c < 3; c++) hold(&frame, (uint32_t)c, &colours, c);
        if (rows[r].bits == 8) { /* nearly white */
            memset(frame.data, 254, frame.pitch * frame.height);
            colours_take(&frame, 1, 2, &colours);
            hold(&frame, 0, &colours, 0);
        }
        ssimcu_frame_free(&frame);
    }
}

/* Planes of video; V, the smallest, decides whether they are large enough. */
Test(detect_levels, planes_that_are_taken)
{
    static const struct {
        uint32_t width, height, planes, channels; /* the last plane has these */
        bool known;
    } rows[] = {{48, 16, 3, 1, true},  {47, 16, 3, 1, false}, {48, 15, 3, 1, false},
                {48, 16, 1, 3, true},  {47, 16, 1, 3, false}, {48, 15, 1, 4, false},
                {48, 16, 1, 2, false}, {48, 16, 1, 1, false}};
    check_random random = {5};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct colours colours = {0};
        ssimcu_frame plane[3];
        for (uint32_t c = 0; c < rows[r].planes; c++) {
            const uint32_t scale = c + 1 < rows[r].planes ? 2 : 1;
            plane[c] =
                draw(&random, scale * rows[r].width, scale * rows[r].height, rows[r].channels, 8);
        }
        colours_take(plane, rows[r].planes, 0, &colours);
        cr_expect_eq(colours.known, rows[r].known, "row %zu", r);
        cr_expect_eq(colours.video, rows[r].planes == 3);
        cr_expect_eq(colours.coded, 0);
        for (int c = 0; c < 3 && r == 0; c++) hold(&plane[c], 0, &colours, c);
        for (uint32_t c = 0; c < rows[r].planes; c++) ssimcu_frame_free(&plane[c]);
    }
}

Test(detect_levels, names_of_channels)
{
    for (unsigned c = 0; c < 3; c++)
        cr_expect(colours_name(false, c)[0] == "RGB"[c] && colours_name(true, c)[0] == "YUV"[c]);
}

/* ---- A frame by itself ----------------------------------------------------------------------- */

/* All pixels of pictures count, and the middle seven eighths of video, to 6 levels. */
Test(detect_levels, channels_of_one_value)
{
    for (unsigned c = 0; c < 3; c++)
        for (int row = 0; row < 6; row++) {
            struct colours colours = {.known = row != 5, .coded = row == 2 || row == 3 ? 6 : 0};
            for (unsigned i = 0; i < 3; i++) {
                const bool other = i != c;
                colours.low[i] = 100, colours.high[i] = other || row == 1 ? 101 : 100;
                if (colours.coded > 0) colours.high[i] = 200;
                for (int k = 0; k < BETWEEN; k++)
                    colours.between[i][k] = (float)(100 + (other ? k : 0));
                if (!other)
                    colours.between[i][0] -= 3,
                        colours.between[i][BETWEEN - 1] += row == 3 ? 3.1F : 3;
            }
            const bool one = row == 0 || row == 2 || row == 4;
            cr_expect_eq(colours_constant(&colours), one ? 1u << c : 0, "row %d", row);
        }
}

static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

Test(detect_levels, chroma)
{
    for (int o = 0; o < 6; o++) {
        struct colours colours = {.known = true};
        for (int t = 0; t < TILES; t++)
            for (int c = 0; c < 3; c++)
                colours.mean[orders[o][c]][t] = (float)(t % 2 ? 50 : 10 + 15 * c);
        cr_expect_float_eq(colours_chroma(&colours), 15, 1e-6);
        colours.mean[orders[o][0]][TILES - 1] -= 96;
        cr_expect_float_eq(colours_chroma(&colours), 16, 1e-6);
    }
}

/* ---- A frame and others ---------------------------------------------------------------------- */

/* Returns the mean distance of two channels. */
static double distance(const struct colours *a, unsigned first, const struct colours *b,
                       unsigned second)
{
    double sum = 0;
    for (int t = 0; t < TILES; t++) sum += fabs((double)a->mean[first][t] - b->mean[second][t]);
    return sum / TILES;
}

/* Two channels are exchanged if both are 4 levels from their own of either other. They are twice as
 * near to each other's, and so are both others. Returns the pair; 0: none. */
static unsigned exchanged(const struct three *three)
{
    const struct colours *now = &three->frame[NOW].colours;
    unsigned pair = 0;
    for (unsigned x = now->video; x < 3; x++)
        for (unsigned y = x + 1; y < 3 && pair == 0; y++) {
            double own = INFINITY, left = 0;
            for (int o = ONE; o <= OTHER; o++) {
                const struct colours *other = &three->frame[o].colours,
                                     *next = &three->frame[3 - o].colours;
                own = fmin(own, fmin(distance(now, x, other, x), distance(now, y, other, y)));
                left = fmax(left, fmax(distance(now, x, other, y), distance(now, y, other, x)));
                left = fmax(left, fmax(distance(next, x, other, x), distance(next, y, other, y)));
            }
            if (own > 4 && own > 2 * left) pair = 10 * x + y;
        }
    return pair;
}

Test(detect_levels, channels_that_are_exchanged)
{
    check_random random = {6};
    int seen[40] = {0};
    for (int trial = 0; trial < 8000; trial++) {
        struct three three;
        open_three(&three, 1, 1);
        const int kept = (int)check_between(&random, 0, 2), video = trial % 4 == 0;
        double base[3];
        for (int c = 0; c < 3; c++)
            base[c] = (double)check_between(&random, 0, trial % 2 ? 16 : 120);
        for (int f = 0; f < 3; f++)
            for (int c = 0; c < 3; c++) {
                const int from = f == NOW && c != kept ? 3 - kept - c : c;
                const double off = (double)check_between(&random, 0, 60) *
                                   (trial % 3 ? fabs(base[0] - base[1]) / 100 : 0);
                for (int t = 0; t < TILES; t++)
                    three.frame[f].colours.mean[c][t] = (float)(base[from] + (t % 2 ? off : 0));
                three.frame[f].colours.video = video;
            }
        for (int f = 0; f < 3; f++) three.frame[f].colours.known = trial % 50 != f;
        unsigned first = 9, second = 9, want = trial % 50 < 3 ? 0 : exchanged(&three);
        const bool swapped = colours_swapped(&three.temporal, &first, &second);
        cr_assert_eq(swapped, want > 0, "trial %d", trial);
        if (swapped) cr_assert_eq(10 * first + second, want);
        seen[want]++;
        close_three(&three);
    }
    cr_expect(seen[0] > 500 && seen[1] > 200 && seen[2] > 200 && seen[12] > 200);
}

/* Measures how levels follow from others: by a power, and what that leaves of their logarithms, and
 * what a factor leaves. Levels from 6 to 250 count, and two fifths must. */
static void relate(const struct colours *now, const struct colours *other, double *power,
                   double left[2])
{
    double p[3 * BETWEEN], q[3 * BETWEEN], squares = 0, products = 0, factor = 0;
    int count = 0;
    for (int i = 0; i < 3 * BETWEEN; i++) {
        const float from = other->between[i / BETWEEN][i % BETWEEN],
                    to = now->between[i / BETWEEN][i % BETWEEN];
        if (fminf(from, to) < 6 || fmaxf(from, to) > 250) continue;
        p[count] = log(from / 255), q[count] = log(to / 255);
        squares += p[count] * p[count], products += p[count] * q[count];
        factor += q[count] - p[count];
        count++;
    }
    *power = left[0] = left[1] = 1;
    if (count < 20) return;
    *power = products / squares, factor /= count, left[0] = left[1] = 0;
    for (int i = 0; i < count; i++) {
        left[0] += pow(q[i] - *power * p[i], 2) / count;
        left[1] += pow(q[i] - p[i] - factor, 2) / count;
    }
    left[0] = sqrt(left[0]), left[1] = sqrt(left[1]);
}

/* Returns the power by which both others, which agree, give the levels; 1: none does. */
static double power_of(const struct three *three)
{
    const struct colours *now = &three->frame[NOW].colours, *a = &three->frame[ONE].colours,
                         *c = &three->frame[OTHER].colours;
    double one, other, others, left_one[2], left_other[2], left[2];
    relate(now, a, &one, left_one), relate(now, c, &other, left_other), relate(c, a, &others, left);
    const double scale = fmax(1, one);
    const bool agree = fabs(one - other) < 0.04 * scale && fabs(others - 1) < 0.04 &&
                       left[0]<0.06, power = fabs(log(one))> 0.12 && left_one[0] < 0.06 * scale &&
                       2 * left_one[0] < left_one[1] && 2 * left_other[0] < left_other[1];
    return agree && power && !now->video ? (one + other) / 2 : 1;
}

Test(detect_levels, levels_to_a_power)
{
    static const double powers[] = {0.45, 0.85, 0.88, 0.9, 1, 1.1, 1.13, 1.16, 1.5, 2.2, 3};
    check_random random = {7};
    int found = 0;
    for (int trial = 0; trial < 20000; trial++) {
        struct three three;
        open_three(&three, 1, 1);
        const double power = powers[check_between(&random, 0, 10)],
                     factor = trial % 3 ? 1 : (double)check_between(&random, 60, 140) / 100,
                     own = (double)check_between(&random, 0, 16) / 100,
                     apart = (double)check_between(&random, 0, 12) / 100,
                     other = 1 + ((double)check_between(&random, 0, 16) - 8) / 100,
                     floor = trial % 7 ? 0 : (double)check_between(&random, 0, 6);
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < BETWEEN; k++) {
                const double share = (k + 1.0) / (COLOURS_SHARES + 3 * (trial % 5 == 4)) *
                                     (trial % 11 ? 1 : 0.06 + 0.02 * floor),
                             noise = (double)check_between(&random, 0, 200) / 100 - 1,
                             more = (double)check_between(&random, 0, 200) / 100 - 1;
                three.frame[ONE].colours.between[c][k] = (float)(255 * share);
                three.frame[OTHER].colours.between[c][k] =
                    (float)(255 * pow(share, other) * exp(apart * more));
                three.frame[NOW].colours.between[c][k] =
                    (float)fmin(255, 255 * factor * pow(share, power) * exp(own * noise));
            }
        for (int f = 0; f < 3; f++) three.frame[f].colours.known = trial % 50 != f;
        for (int f = 0; f < 3; f++) three.frame[f].colours.video = trial % 50 == 3;
        const double want = trial % 50 < 3 ? 1 : power_of(&three);
        cr_assert_float_eq(colours_power(&three.temporal), want, 1e-6, "trial %d", trial);
        found += want != 1;
        close_three(&three);
    }
    cr_expect(found > 1000, "%d", found);
}
