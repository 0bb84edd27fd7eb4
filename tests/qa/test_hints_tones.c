/* Changes of tone in numbers: the means that are compared, how well a guess fits, lines through
 * points, and how they are said. */
#include "check.h"

#include "hints/tones.h"
#include "joined.h"

#include <stdlib.h>

enum { N = SIGNATURE_POINTS };

static ssimcu_score score = SSIMCU_INIT(score);
static struct hints hints;
static struct analysis analysis;
static struct tones tones = {.analysis = &analysis}; /* too large for a stack */
static struct tone_values guess;

/* `frame` NULL: one of 8 bits, whose samples are not read. */
static struct analysis analysis_of(const ssimcu_frame *frame, uint32_t planes, uint32_t channels)
{
    static const ssimcu_frame none = {.bits = 8};
    if (!frame) frame = &none;
    return (struct analysis){.frame = {frame, frame},
                             .planes = planes,
                             .channels = channels,
                             .score = &score,
                             .hints = &hints};
}

/* ---- Curves and means ------------------------------------------------------------------------ */

Test(hints_tones, middle_of_chroma)
{
    ssimcu_frame frame = {.bits = 8};
    const struct analysis picture = analysis_of(&frame, 1, 3), video = analysis_of(&frame, 3, 3);
    cr_expect_eq(tones_middle(&picture, 1), 0);
    cr_expect_eq(tones_middle(&video, 0), 0);
    cr_expect_eq(tones_middle(&video, 2), 128.0f / 255);
    frame.bits = 10;
    cr_expect_eq(tones_middle(&video, 1), 512.0f / 1023);
    frame.bits = SSIMCU_BITS_F32;
    cr_expect_eq(tones_middle(&video, 1), 0.5f);
}

/* Each curve has another one that takes it back. */
Test(hints_tones, curves)
{
    analysis = analysis_of(NULL, 1, 3);
    for (int light = 0; light < 2; light++) {
        analysis.light = light;
        for (int i = 0; i <= 20; i++) {
            const float value = (float)i / 20;
            for (int curve = 0; curve < TONE_CURVES; curve++)
                check_near(tones_curve(&analysis, curve ^ 1, tones_curve(&analysis, curve, value)),
                           value, 5e-6, "curve %d of %g", curve, value);
        }
        check_near(tones_curve(&analysis, 0, 0.5f), 0.2140411, 1e-6, "none");
    }
    analysis.light = false;
    check_near(tones_curve(&analysis, 2, 0.5f), 0.4962, 1e-4, "gamma of a display");
    check_near(tones_curve(&analysis, 3, 0.5f), 0.5034, 1e-3, "curve of sRGB");
    analysis.light = true;
    check_near(tones_curve(&analysis, 2, 0.25f), pow(analysis_to_display(0.25f), 2.2), 1e-6,
               "of light");
}

/* Makes a frame of noise whose left quarter is black. */
static ssimcu_frame make_frame(void)
{
    check_random random = {3};
    ssimcu_frame frame = check_noise(&random, 128, 96, 3, 8);
    for (uint32_t y = 0; y < frame.height; y++)
        for (uint32_t x = 0; x < frame.width; x++)
            for (uint32_t c = 0; c < 3; c++)
                check_set_sample(&frame, x, y, c,
                                 x < 32 ? 0 : 1 + check_sample(&frame, x, y, c) % 254);
    return frame;
}

/* Fails unless the means at point i are those of the pixels around it. */
static void expect_means(const struct analysis *analysis, uint32_t i, uint32_t c)
{
    double own = 0, light = 0, curve = 0;
    struct around around;
    samples_around(analysis, 0, i, &around);
    for (uint32_t k = 0; k < around.count; k++) {
        const float value = around.pixel[k][c];
        own += (double)value / around.count;
        light += (double)analysis_to_light(value) / around.count;
        curve += (double)tones_curve(analysis, 3, value) / around.count;
    }
    const bool clipped = samples_are_clipped(analysis, &around, c);
    for (int side = 0; side < 2; side++) {
        check_near(tones.own[side].at[c][i], clipped ? -1 : own, 1e-5, "own %u", i);
        check_near(tones.light[side].at[c][i], clipped ? -1 : light, 1e-5, "light %u", i);
    }
    check_near(tones.curve[3].at[c][i], clipped ? -1 : curve, 1e-5, "curve %u", i);
}

Test(hints_tones, means_around_points)
{
    ssimcu_frame frame = make_frame();
    analysis = analysis_of(&frame, 1, 3);
    static struct tone_values change;
    tones_take(&analysis, &tones);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t c = 0; c < 3; c++) expect_means(&analysis, i, c);
    tones_power(&tones, 2, 1, &guess, &change);
    for (uint32_t i = 0; i < N; i++) {
        double raised = 0, slope = 0;
        struct around around;
        samples_around(&analysis, 0, i, &around);
        for (uint32_t k = 0; k < around.count; k++) {
            const double value = fmax(around.pixel[k][1], 1e-4);
            raised += value * value / around.count;
            slope += value * value * log(value) / around.count;
        }
        check_near(guess.at[1][i], tones.own[0].at[1][i] < 0 ? -1 : raised, 1e-5, "power");
        check_near(change.at[1][i], slope, 1e-5, "its change");
    }
    ssimcu_frame_free(&frame);
}

/* ---- How well a guess fits ------------------------------------------------------------------- */

/* Fills in points of REF, and OUT and the guess as lines of them. `off`: so many of a hundred
 * points of OUT are far from the guess. */
static void fill(uint32_t channel, struct tone_line out, struct tone_line guessed, uint32_t off)
{
    check_random random = {channel + 11};
    for (uint32_t i = 0; i < N; i++) {
        const double ref = ldexp(check_draw(&random), -32) * 0.6 + 0.2;
        tones.own[0].at[channel][i] = (float)ref;
        tones.own[1].at[channel][i] = (float)(out.gain * ref + out.offset);
        guess.at[channel][i] = (float)(guessed.gain * ref + guessed.offset);
        if (i * 37 % 100 < off) tones.own[1].at[channel][i] += ref < 0.5 ? 0.4f : -0.4f;
    }
}

static const struct tone_line NONE = {1, 0}, UP = {1, 0.1}, UP_MORE = {1, 0.11};

Test(hints_tones, what_a_guess_leaves)
{
    analysis = analysis_of(NULL, 1, 1);
    fill(0, UP_MORE, UP, 0);
    const struct tone_fit fit = tones_fit(&tones, &guess, false);
    cr_expect(fit.usable);
    check_near(fit.left, 1e-4, 1e-9, "left");
    check_near(fit.before, 0.0121, 1e-7, "before");
    check_near(fit.explains, 0.012, 1e-7, "explains");
    check_near(fit.blurred, (1e-4 + 0.01 * LEVEL * LEVEL) / 0.03, 4e-4, "blurred");
    check_near(fit.bent, 2 * 1e-4 / 0.01, 1e-3, "bent"); /* in parts of values and of the frame */
    fill(0, UP, UP, 0);
    const struct tone_fit whole = tones_fit(&tones, &guess, false);
    cr_expect(whole.usable && whole.left < 1e-12 && whole.bent < 1e-9 && whole.blurred < 1e-3);
}

/* Any line goes through points that are all alike, so that none may be said. */
Test(hints_tones, a_flat_channel_tells_of_no_change)
{
    analysis = analysis_of(NULL, 1, 1);
    const struct tone_line flat = {0, 0.5};
    fill(0, flat, flat, 0);
    check_near(tones_fit(&tones, &guess, false).blurred, 1, 1e-3, "as if nothing were explained");
}

/* A mean of parts tells where a guess is wrong: at one end of the values, or in one place. */
Test(hints_tones, a_guess_that_is_wrong_in_part)
{
    analysis = analysis_of(NULL, 1, 1);
    fill(0, UP, UP, 0);
    for (uint32_t i = 0; i < N; i++)
        if (i % 32 / 8 == 3 && i / 256 == 1) tones.own[1].at[0][i] += 0.01f;
    check_near(tones_fit(&tones, &guess, false).bent, 0.01 * (1 + 1 / 16.0) / 16, 1e-4, "a place");
    fill(0, UP, UP, 0);
    for (uint32_t i = 0; i < N; i++) tones.own[1].at[0][i] += i % 2 ? 0.01f : -0.01f;
    cr_expect_lt(tones_fit(&tones, &guess, false).bent, 1e-3, "it is wrong all over alike");
    for (uint32_t i = 0; i < N; i++) tones.own[1].at[0][i] = tones.own[0].at[0][i] * 1.04f + 0.08f;
    const double bent = tones_fit(&tones, &guess, false).bent;
    cr_expect(bent > 0.004 && bent < 0.007, "%g: it is another line", bent);
}

/* Four of five points of a channel must be near the guess, and there must be enough of them. */
Test(hints_tones, points_that_are_off)
{
    analysis = analysis_of(NULL, 1, 3);
    for (uint32_t off = 10; off <= 30; off += 5) {
        fill(0, UP, UP, 0), fill(1, UP, UP, off), fill(2, UP, UP, 0);
        const struct tone_fit fit = tones_fit(&tones, &guess, false);
        cr_expect_eq(fit.usable, off < 20, "%u of a hundred", off);
        cr_expect_lt(fit.left, 1e-9, "they do not count");
        check_near(fit.before, off < 20 ? 0.01 : 0, 1e-8, "%u of a hundred", off);
    }
    analysis.channels = 1;
    for (uint32_t points = 127; points < 129; points++) {
        fill(0, UP, UP, 0);
        for (uint32_t i = points; i < N; i++) (i % 2 ? &guess : tones.own)->at[0][i] = -1;
        cr_expect_eq(tones_fit(&tones, &guess, false).usable, points > 127);
    }
}

/* Black is a value like others, on either side and of a guess. */
Test(hints_tones, black_points_count)
{
    analysis = analysis_of(NULL, 1, 1);
    for (int black = 0; black < 2; black++) {
        fill(0, UP, UP, 0);
        for (uint32_t i = 100; i < N; i++) {
            tones.own[0].at[0][i] = black ? 0.1f : 0;
            tones.own[1].at[0][i] = guess.at[0][i] = black ? 0 : 0.1f;
        }
        const struct tone_fit fit = tones_fit(&tones, &guess, false);
        cr_expect(fit.usable, "%d", black);
        check_near(fit.before, 0.01, 1e-8, "%d", black);
    }
}

/* One channel of three may have no points. */
Test(hints_tones, channels_that_tell)
{
    analysis = analysis_of(NULL, 1, 3);
    for (uint32_t lost = 0; lost < 3; lost++) {
        fill(0, UP, UP, 0), fill(1, NONE, NONE, 0), fill(2, UP_MORE, UP, 0);
        for (uint32_t c = 0; c < lost; c++)
            for (uint32_t i = 0; i < N; i++) tones.own[1].at[c][i] = -1;
        const struct tone_fit fit = tones_fit(&tones, &guess, false);
        cr_expect_eq(fit.usable, lost < 2, "%u", lost);
        check_near(fit.left, 1e-4 / (3 - lost), 1e-8, "%u", lost);
        check_near(fit.explains, 0.012, 1e-6, "the most of any channel");
        check_near(fit.before, (lost < 1 ? 0.01 + 0.0121 : 0.0121) / (3 - lost), 1e-7, "%u", lost);
    }
}

/* Light is compared as a display shows it. */
Test(hints_tones, light_is_compared_on_a_display)
{
    analysis = analysis_of(NULL, 1, 1);
    fill(0, NONE, NONE, 0);
    for (uint32_t i = 0; i < N; i++) {
        tones.light[0].at[0][i] = analysis_to_light(tones.own[0].at[0][i]);
        tones.light[1].at[0][i] = analysis_to_light(tones.own[0].at[0][i] + 0.1f);
        guess.at[0][i] = analysis_to_light(tones.own[0].at[0][i] + 0.09f);
    }
    const struct tone_fit fit = tones_fit(&tones, &guess, true);
    check_near(fit.left, 1e-4, 1e-8, "left");
    check_near(fit.before, 0.01, 1e-6, "before");
}

/* ---- Lines ----------------------------------------------------------------------------------- */

/* Returns the line of channel 0. */
static struct tone_line line_of(uint32_t planes, struct tone_line out, uint32_t off, double noise)
{
    check_random random = {5};
    static ssimcu_frame frame = {.bits = SSIMCU_BITS_F32};
    analysis = analysis_of(&frame, planes, 1);
    struct tone_line line[3];
    fill(0, out, NONE, off);
    for (uint32_t i = 0; i < N; i++)
        tones.own[1].at[0][i] += (float)(noise * (ldexp(check_draw(&random), -31) - 1));
    lines_fit(&tones, line);
    return line[0];
}

static void expect_line(struct tone_line line, double gain, double offset, const char *what)
{
    check_near(line.gain, gain, 2e-3, "%s: gain %g", what, line.gain);
    check_near(line.offset, offset, 1e-3, "%s: offset %g", what, line.offset);
}

/* The simplest line that is as good as the best is taken. */
Test(hints_tones, lines)
{
    static const struct tone_line both = {0.8, 0.05}, little = {1, 0.003};
    expect_line(line_of(1, NONE, 0, 0.02), 1, 0, "noise");
    expect_line(line_of(1, little, 0, 0), 1, 0, "less than a level");
    expect_line(line_of(1, UP, 0, 0), 1, 0.1, "an offset");
    expect_line(line_of(1, (struct tone_line){0.9, 0}, 0, 0), 0.9, 0, "a gain");
    expect_line(line_of(1, both, 0, 0), 0.8, 0.05, "both");
    expect_line(line_of(1, both, 10, 0), 0.8, 0.05, "a few far off");
    cr_expect_eq(line_of(1, UP, 0, 0.004).gain, 1);
    cr_expect_eq(line_of(1, (struct tone_line){0.9, 0}, 0, 0.004).offset, 0);
}

Test(hints_tones, clipped_points_are_on_no_line)
{
    analysis = analysis_of(NULL, 1, 1);
    struct tone_line line[3];
    for (uint32_t points = 127; points < 129; points++) {
        fill(0, UP, NONE, 0);
        for (uint32_t i = points; i < N; i++)
            tones.own[i % 2].at[0][i] = i % 3 == 0 ? 0 : i % 3 == 1 ? -1 : 1;
        lines_fit(&tones, line);
        cr_expect_eq(line[0].gain, 1);
        check_near(line[0].offset, points < 128 ? 0 : 0.1, 1e-6, "%u points", points);
    }
}

/* A glance at the points: may there be a line that is a level better than none? */
Test(hints_tones, lines_that_may_be)
{
    static struct samples samples[2];
    analysis = analysis_of(NULL, 1, 1);
    static const struct {
        double offset;
        uint32_t points;
        bool may_be;
    } rows[] = {{0, N, false},           {0.9 * LEVEL, N, false}, {1.1 * LEVEL, N, true},
                {-1.1 * LEVEL, N, true}, {0.1, 128, true},        {0.1, 127, false}};
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        fill(0, (struct tone_line){1, rows[k].offset}, NONE, 0);
        for (uint32_t i = 0; i < N; i++)
            for (int side = 0; side < 2; side++)
                samples[side].value[0][i] =
                    i < rows[k].points ? tones.own[side].at[0][i] : (float)(i % 2);
        cr_expect_eq(lines_may_be(&analysis, samples, 0), rows[k].may_be, "row %zu", k);
    }
}

static void expect_said(uint32_t planes, uint32_t channels, const struct tone_line line[3],
                        const char *expected)
{
    analysis = analysis_of(NULL, planes, channels);
    hints.count = 0;
    cr_expect_eq(lines_say(&analysis, line), expected[0] != '\0');
    cr_expect_str_eq(joined(&hints), expected);
}

#define LINES(...) ((const struct tone_line[3]){__VA_ARGS__})

Test(hints_tones, how_lines_are_said)
{
    expect_said(1, 1, LINES({0.9, 0}), "gain grey 0.900");
    expect_said(1, 1, LINES({0.9, -0.02}), "gain grey 0.900; offset grey -0.0200");
    expect_said(1, 1, LINES({1.0004, 0.00004}), "");
    expect_said(1, 3, LINES({0.9, 0}, {0.902, 0}, {0.9035, 0}), "gain rgb 0.902");
    expect_said(1, 3, LINES({0.9, 0}, {0.902, 0}, {0.905, 0}),
                "gain r 0.900; gain g 0.902; gain b 0.905");
    expect_said(1, 3, LINES({1, 0.01}, {1, 0.011}, {1, 0.012}), "offset rgb +0.0110");
    expect_said(1, 3, LINES({1, 0.01}, {1, 0.0121}, {1, 0.01}),
                "offset r +0.0100; offset g +0.0121; offset b +0.0100");
    expect_said(1, 3, LINES({1, 0.001}, {1, 0}, {1, 0.001}), "offset r +0.0010; offset b +0.0010");
    expect_said(1, 3, LINES({1.003, 0}, {1, 0}, {1.003, 0}), "gain r 1.003; gain b 1.003");
    expect_said(1, 3, LINES({1, 0}, {1, 0}, {1, 0}), "");
    expect_said(3, 3, LINES({0.9, 0}, {0.9, 0}, {0.9, 0}),
                "gain y 0.900; gain u 0.900; gain v 0.900");
    expect_said(3, 3, LINES({1, 0}, {1, 0}, {1, 0.02}), "offset v +0.0200");
}

/* ---- A sum of all channels ------------------------------------------------------------------- */

Test(hints_tones, a_sum_of_channels)
{
    analysis = analysis_of(NULL, 1, 3);
    for (int light = 0; light < 2; light++) {
        analysis.light = light;
        for (uint32_t c = 0; c < 3; c++) fill(c, NONE, NONE, 0);
        for (uint32_t i = 0; i < N; i++) {
            const float r = tones.own[0].at[0][i], g = tones.own[0].at[1][i];
            tones.own[1].at[0][i] = 0.5f * r + 0.3f * g + 0.1f;
            tones.own[1].at[2][i] = g - 0.4f; /* below 0 is clipped */
        }
        tones.own[0].at[2][7] = -1;
        cr_assert(affine_fit(&tones, &guess));
        for (uint32_t i = 0; i < N; i++) {
            check_near(guess.at[0][i], i == 7 ? -1 : tones.own[1].at[0][i], 1e-5, "sum %u", i);
            check_near(guess.at[1][i], i == 7 ? -1 : tones.own[0].at[1][i], 1e-5, "own %u", i);
            cr_expect(i == 7 || guess.at[2][i] >= 0);
        }
    }
    analysis.channels = 1;
    cr_expect_not(affine_fit(&tones, &guess));
    analysis.channels = 3;
    memcpy(tones.own[0].at[1], tones.own[0].at[0], sizeof tones.own[0].at[0]);
    cr_expect_not(affine_fit(&tones, &guess), "two channels are one");
}
