/* What a look at a pair reads: samples of every kind, pixels over their background, the places of
 * points and of the pixels around them, and how alike two signatures are. */
#include "check.h"

#include "hints/analysis.h"

#include <stdio.h>
#include <stdlib.h>

static ssimcu_score score = SSIMCU_INIT(score);

static struct analysis analysis_of(const ssimcu_frame *ref, const ssimcu_frame *out,
                                   uint32_t planes)
{
    return (struct analysis){
        .frame = {ref, out}, .planes = planes, .channels = planes, .score = &score};
}

/* ---- Samples --------------------------------------------------------------------------------- */

/* Returns the first sample of a frame of one pixel, at light or as a display shows it. */
static float sample_of(uint32_t bits, const void *data, bool linear, bool at_light)
{
    ssimcu_frame frame = {.width = 1,
                          .height = 1,
                          .channels = 1,
                          .bits = bits,
                          .linear = linear,
                          .data = (void *)(uintptr_t)data};
    struct analysis analysis = analysis_of(&frame, &frame, 1);
    analysis.light = at_light;
    return analysis_sample(&analysis, &frame, 0, 0, 0);
}

static float sample_of_word(uint32_t bits, uint16_t word, bool linear, bool at_light)
{
    return sample_of(bits, &word, linear, at_light);
}

static float sample_of_float(float value, bool linear, bool at_light)
{
    return sample_of(SSIMCU_BITS_F32, &value, linear, at_light);
}

Test(hints_samples, whole_numbers)
{
    const uint8_t byte = 51;
    cr_expect_eq(sample_of(8, &byte, false, false), 0.2f);
    cr_expect_eq(sample_of_word(10, 1023, false, false), 1);
    cr_expect_eq(sample_of_word(12, 819, false, false), 0.2f);
    cr_expect_eq(sample_of_word(16, 13107, false, false), 0.2f);
}

Test(hints_samples, floats_of_16_bits)
{
    static const struct {
        uint16_t half;
        float value;
    } rows[] = {{0x0000, 0},          {0x0001, 0x1p-24f}, {0x03ff, 0x3ffp-24f}, {0x0400, 0x1p-14f},
                {0x0401, 0x401p-24f}, {0x3800, 0.5f},     {0x3c00, 1},          {0x3e00, 1.5f},
                {0x7bff, 65504},      {0x7c00, 0},        {0x7e00, 0},          {0xbc00, 0},
                {0x8000, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(sample_of_word(SSIMCU_BITS_F16, rows[i].half, true, true), rows[i].value,
                     "%#x", rows[i].half);
    cr_expect_eq(sample_of_word(SSIMCU_BITS_F16, 0x3e00, false, false), 1);
}

Test(hints_samples, floats_of_32_bits)
{
    const float none[] = {-0.5f, 0, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        for (int k = 0; k < 4; k++) cr_expect_eq(sample_of_float(none[i], k & 1, k & 2), 0);
    cr_expect_eq(sample_of_float(7, true, true), 7);
    check_near(sample_of_float(7, true, false), 1, 1e-6, "white");
    cr_expect_eq(sample_of_float(7, false, false), 1);
    cr_expect_eq(sample_of_float(0.25f, false, false), 0.25f);
    cr_expect_eq(sample_of_float(0.25f, true, false), analysis_to_display(0.25f));
}

/* The curve of sRGB, there and back, joins its straight part. */
Test(hints_samples, curve_of_a_display)
{
    check_near(analysis_to_display(0.002f), 0.02584, 1e-7, "straight");
    check_near(analysis_to_display(0.214041f), 0.5, 1e-6, "middle");
    check_near(analysis_to_display(1), 1, 1e-6, "white");
    check_near(analysis_to_display(0.0031308f), analysis_to_display(0.0031309f), 2e-6, "joint");
    for (int i = 0; i <= 40; i++)
        check_near(analysis_to_light(analysis_to_display((float)i / 20)), i / 20.0, 2e-6, "back");
    check_near(analysis_to_light(0.04f), 0.04 / 12.92, 1e-8, "straight");
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

static void expect_pixel(const struct analysis *analysis, uint32_t x, const float expected[3],
                         bool opaque)
{
    float value[3] = {0};
    cr_expect_eq(samples_pixel(analysis, 0, x, 0, value), opaque, "pixel %u", x);
    for (int c = 0; c < 3; c++) check_near(value[c], expected[c], 1e-6, "channel");
}

/* Alpha counts if the score had a background; a pixel of grey has three channels. */
Test(hints_samples, pixels_lie_on_their_background)
{
    uint8_t rgba[] = {255, 51, 0, 51, 255, 51, 0, 255}, grey_alpha[] = {102, 51, 102, 255};
    ssimcu_frame colour = {.width = 2, .height = 1, .channels = 4, .bits = 8, .data = rgba};
    ssimcu_frame grey = {.width = 2, .height = 1, .channels = 2, .bits = 8, .data = grey_alpha};
    const struct analysis of_colour = analysis_of(&colour, &colour, 1),
                          of_grey = analysis_of(&grey, &grey, 1);
    const float whole[3] = {1, 0.2f, 0}, half = 0.4f * 0.2f;
    score.background = SSIMCU_BACKGROUND_NONE;
    expect_pixel(&of_colour, 0, whole, true);
    score.background = SSIMCU_BACKGROUND_BLACK;
    expect_pixel(&of_colour, 0, (const float[]){0.2f, 0.04f, 0}, false);
    expect_pixel(&of_colour, 1, whole, true);
    expect_pixel(&of_grey, 0, (const float[]){half, half, half}, false);
    expect_pixel(&of_grey, 1, (const float[]){0.4f, 0.4f, 0.4f}, true);
    score.background = SSIMCU_BACKGROUND_WHITE;
    expect_pixel(&of_colour, 0, (const float[]){1, 0.84f, 0.8f}, false);
    expect_pixel(&of_grey, 0, (const float[]){0.8f + half, 0.8f + half, 0.8f + half}, false);
    score.background = SSIMCU_BACKGROUND_NONE;
}

/* A pixel of Y has the colour that lies in its place in U and V. */
Test(hints_samples, pixels_of_planes)
{
    uint8_t y[8] = {0, 51, 102, 153, 204, 255, 0, 51}, u[4] = {0, 51, 102, 153}, v[2] = {51, 204};
    const ssimcu_frame planes[] = {{.width = 8, .height = 1, .channels = 1, .bits = 8, .data = y},
                                   {.width = 4, .height = 1, .channels = 1, .bits = 8, .data = u},
                                   {.width = 2, .height = 1, .channels = 1, .bits = 8, .data = v}};
    const struct analysis analysis = analysis_of(planes, planes, 3);
    expect_pixel(&analysis, 0, (const float[]){0, 0, 0.2f}, true);
    expect_pixel(&analysis, 3, (const float[]){0.6f, 0.2f, 0.2f}, true);
    expect_pixel(&analysis, 4, (const float[]){0.8f, 0.4f, 0.8f}, true);
    expect_pixel(&analysis, 7, (const float[]){0.2f, 0.6f, 0.8f}, true);
}

/* ---- Points ---------------------------------------------------------------------------------- */

/* Makes a frame in which each sample is its place, from 0 to 65535. */
static ssimcu_frame places(uint32_t width, uint32_t height)
{
    ssimcu_frame frame = check_frame(width, height, 1, 16);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) check_set_sample(&frame, x, y, 0, y * width + x);
    return frame;
}

static uint32_t place_in(const struct samples *samples, uint32_t index)
{
    return (uint32_t)(samples->value[0][index] * 65535 + 0.5f);
}

/* Each cell of 32 x 32 has a point somewhere inside, and a signature has 12 bits of its sample. */
Test(hints_samples, a_point_in_each_cell)
{
    ssimcu_frame frame = places(256, 256);
    const struct analysis analysis = analysis_of(&frame, &frame, 1);
    struct samples samples;
    struct signature signature;
    uint32_t seen[8][8] = {{0}};
    samples_take(&analysis, 0, &samples, &signature);
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        const uint32_t x = place_in(&samples, i) % 256, y = place_in(&samples, i) / 256;
        cr_expect(x / 8 == i % 32 && y / 8 == i / 32, "point %u: %u, %u", i, x, y);
        seen[y % 8][x % 8]++;
        cr_expect_eq(signature.value[i], (uint16_t)(samples.value[0][i] * 4095 + 0.5f) * 16);
    }
    for (int i = 0; i < 64; i++)
        cr_expect(seen[i / 8][i % 8] > 2, "all places in a cell are taken");
    cr_expect_eq(samples.transparent, 0u);
    ssimcu_frame_free(&frame);
}

/* The pixels around a point are 8 x 8, with the point inside, or as many as the frame has. */
static uint32_t moved(uint32_t at, uint32_t by, uint32_t size)
{
    return at + by < size ? at + by : at - by;
}

/* What a frame has in common with itself moved decides whether a shift is looked for. Points move
 * to the left or up if there is no room at the other end. */
Test(hints_samples, points_that_move)
{
    enum { BY = 8 };
    check_random random = {4};
    ssimcu_frame frame = check_noise(&random, 128, 96, 1, 8), other = check_frame(128, 96, 1, 8);
    const struct analysis analysis = analysis_of(&frame, &other, 1);
    static struct samples samples;
    static struct signature wanted, found;
    for (uint32_t y = 0; y < frame.height; y++)
        for (uint32_t x = 0; x < frame.width; x++)
            check_set_sample(
                &other, x, y, 0,
                check_sample(&frame, moved(x, BY, frame.width), moved(y, BY, frame.height), 0));
    memset(&found, 0xFF, sizeof found);
    samples_take(&analysis, 1, &samples, &wanted);
    samples_moved(&analysis, BY, &found);
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++)
        cr_expect_eq(found.value[i], wanted.value[i], "point %u", i);
    ssimcu_frame_free(&frame), ssimcu_frame_free(&other);
}

Test(hints_samples, pixels_around_a_point)
{
    static const uint32_t sizes[][2] = {{256, 256}, {8, 40}, {5, 300}, {33, 7}, {9, 9}, {1, 1}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        const uint32_t width = sizes[k][0], height = sizes[k][1];
        const uint32_t across = width < 8 ? width : 8, down = height < 8 ? height : 8;
        ssimcu_frame frame = places(width, height);
        const struct analysis analysis = analysis_of(&frame, &frame, 1);
        struct samples samples;
        struct signature signature;
        samples_take(&analysis, 0, &samples, &signature);
        for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
            struct around around;
            samples_around(&analysis, 0, i, &around);
            cr_assert_eq(around.count, across * down);
            const uint32_t at = place_in(&samples, i), x = at % width, y = at / width;
            const uint32_t first = (uint32_t)(around.pixel[0][0] * 65535 + 0.5f);
            const uint32_t left = x < 4 ? 0 : x - 4, top = y < 4 ? 0 : y - 4;
            cr_expect_eq(first % width, left + across > width ? width - across : left);
            cr_expect_eq(first / width, top + down > height ? height - down : top);
            for (uint32_t n = 0; n < around.count; n++)
                cr_expect_eq((uint32_t)(around.pixel[n][0] * 65535 + 0.5f),
                             first + n / across * width + n % across);
        }
        ssimcu_frame_free(&frame);
    }
}

/* Small chroma planes have fewer pixels around, and then so has Y. */
Test(hints_samples, planes_have_as_many_pixels_around)
{
    ssimcu_frame planes[3] = {places(64, 64), places(6, 5), places(32, 32)};
    const struct analysis analysis = analysis_of(planes, planes, 3);
    struct around around;
    samples_around(&analysis, 1, 500, &around);
    cr_expect_eq(around.count, 30u);
    for (int p = 0; p < 3; p++) ssimcu_frame_free(&planes[p]);
}

/* One pixel of 32 may be clipped. Light above 1 is not. */
Test(hints_samples, clipped_pixels)
{
    struct analysis analysis = analysis_of(NULL, NULL, 1);
    for (uint32_t count = 0; count < 5; count++)
        for (int white = 0; white < 2; white++) {
            struct around around = {.count = 64};
            for (uint32_t i = 0; i < 64; i++) around.pixel[i][0] = 0.5f;
            for (uint32_t i = 0; i < count; i++) around.pixel[9 * i][0] = (float)white;
            analysis.light = false;
            cr_expect_eq(samples_are_clipped(&analysis, &around, 0), count > 2);
            analysis.light = true;
            cr_expect_eq(samples_are_clipped(&analysis, &around, 0), count > 2 && !white);
        }
}

/* ---- Signatures ------------------------------------------------------------------------------ */

static struct signature made_of(check_random *random, const struct signature *from, double gain,
                                double offset, double noise)
{
    struct signature made;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        const double own = check_between(random, 0, 40000) - 20000.0;
        made.value[i] = (uint16_t)(offset + (from ? gain * from->value[i] : 0) + noise * own);
    }
    return made;
}

Test(hints_samples, what_signatures_have_in_common)
{
    check_random random = {7};
    const struct signature a = made_of(&random, NULL, 0, 32768, 0.5),
                           other = made_of(&random, NULL, 0, 32768, 0.5),
                           darker = made_of(&random, &a, 0.5, 1000, 0),
                           noisy = made_of(&random, &a, 1, 0, 0.25),
                           negative = made_of(&random, &a, -1, 65535, 0),
                           flat = made_of(&random, NULL, 0, 32768, 0.04),
                           dim = made_of(&random, &a, 0.1, 1000, 0);
    cr_expect_eq(signature_unexplained(&a, &a), 0);
    check_near(signature_unexplained(&a, &darker), 0, 1e-6, "gain and offset");
    check_near(signature_unexplained(&a, &dim), 0, 1e-5, "a deviation of 577");
    check_near(signature_unexplained(&a, &noisy), 0.2, 0.02, "a quarter of the variance is noise");
    check_near(signature_unexplained(&noisy, &a), 0.2, 0.02, "the other way round");
    check_near(signature_unexplained(&a, &other), 1, 0.02, "nothing in common");
    cr_expect_eq(signature_unexplained(&a, &negative), 1);
    cr_expect_eq(signature_unexplained(&a, &flat), 1, "a deviation of 462 shows nothing");
    cr_expect_eq(signature_unexplained(&flat, &a), 1);
}
