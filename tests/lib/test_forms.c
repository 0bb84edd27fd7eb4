/* Forms of a view that are turned into others, the worst tile, and the curve that is chosen from
 * what a frame says about itself. All are compared to the bit with the plain form. */
#include "check.h"
#include "device.h"

#include <ssimcu.h>

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 75, HEIGHT = 50, CHANNELS = 4, ROW = WIDTH * CHANNELS, COUNT = ROW * HEIGHT };

static float sample[2][COUNT];

static void fill(void)
{
    uint32_t seed = 7;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < COUNT; i++) {
            seed = seed * 1664525u + 1013904223u;
            sample[side][i] = (float)(seed >> 8) / (1 << 24) * (side && i % 7 == 0 ? 0.2f : 1.2f);
        }
}

static ssimcu_context *open_cpu(ssimcu_transfer transfer, ssimcu_color color)
{
    const ssimcu_settings settings =
        SSIMCU_INIT(settings, .device = SSIMCU_DEVICE_CPU, .transfer = transfer, .color = color);
    ssimcu_context *context = NULL;
    cr_assert_eq(ssimcu_open(&settings, &context, NULL), SSIMCU_OK);
    return context;
}

static ssimcu_view view_of(const void *data, ssimcu_type type)
{
    return SSIMCU_INIT(view, .width = WIDTH, .height = HEIGHT, .channels = CHANNELS, .type = type,
                       .data = {data});
}

static ssimcu_score score_of(ssimcu_context *context, const ssimcu_view *ref,
                             const ssimcu_view *out)
{
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = 16, .height = 16);
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_views(context, ref, out, &score, NULL, &tiles, &why), SSIMCU_OK,
                 "%s", why.text);
    return score;
}

static void check_same(const ssimcu_score *a, const ssimcu_score *b)
{
    cr_expect_eq(a->score, b->score, "%.17g, %.17g", a->score, b->score);
    cr_expect_eq(memcmp(a->channel, b->channel, sizeof a->channel), 0);
    cr_expect_eq(memcmp(&a->worst, &b->worst, sizeof a->worst), 0);
    cr_expect_lt(a->score, 0.95);
}

Test(forms, order_rows_and_doubles_change_no_bit)
{
    static float bgra[COUNT], upwards[COUNT];
    static double doubles[COUNT];
    fill();
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        for (int c = 0; c < CHANNELS; c++)
            bgra[i * CHANNELS + (c < 3 ? 2 - c : c)] = sample[1][i * CHANNELS + c];
    for (int y = 0; y < HEIGHT; y++)
        memcpy(upwards + (HEIGHT - 1 - y) * ROW, sample[1] + y * ROW, ROW * sizeof(float));
    for (int i = 0; i < COUNT; i++) doubles[i] = sample[1][i] * (1 + 1e-9);
    const ssimcu_color colors[] = {SSIMCU_COLOR_RGB, SSIMCU_COLOR_Y709};
    for (int i = 0; i < 2; i++) {
        ssimcu_context *context = open_cpu(SSIMCU_TRANSFER_AUTO, colors[i]);
        const ssimcu_view ref = view_of(sample[0], SSIMCU_TYPE_F32),
                          out = view_of(sample[1], SSIMCU_TYPE_F32);
        const ssimcu_score plain = score_of(context, &ref, &out);
        ssimcu_view other = view_of(bgra, SSIMCU_TYPE_F32);
        other.order = SSIMCU_ORDER_BGR;
        ssimcu_score score = score_of(context, &ref, &other);
        check_same(&score, &plain);
        other = view_of(upwards + (HEIGHT - 1) * ROW, SSIMCU_TYPE_F32);
        other.pitch = -(ptrdiff_t)(ROW * sizeof(float));
        score = score_of(context, &ref, &other);
        check_same(&score, &plain);
        other = view_of(doubles, SSIMCU_TYPE_F64);
        score = score_of(context, &ref, &other);
        check_same(&score, &plain);
        ssimcu_close(&context);
    }
}

/* Scores two views that hold the same samples. */
static double score_of_same(const ssimcu_settings *settings, const ssimcu_view side[2])
{
    ssimcu_context *context = check_open(settings);
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_views(context, &side[0], &side[1], &score, NULL, NULL, &why),
                 SSIMCU_OK, "%s", why.text);
    ssimcu_close(&context);
    return score.score;
}

/* Every byte under every opacity, as integers and as floats. */
BACKEND_TEST(forms, alpha_of_floats_is_that_of_the_same_integers)
{
    enum { SIDE = 256 };
    static uint8_t bytes[SIDE * SIDE * 4];
    static float floats[SIDE * SIDE * 4];
    check_random random = {56};
    for (uint32_t i = 0; i < SIDE * SIDE * 4; i++) {
        const uint32_t x = i / 4 % SIDE, y = i / 4 / SIDE;
        bytes[i] = (uint8_t)(i % 4 == 3 ? y : i % 4 == 0 ? x : check_draw(&random));
        floats[i] = bytes[i];
    }
    ssimcu_view side[2];
    for (int i = 0; i < 2; i++)
        side[i] = (ssimcu_view){.struct_size = sizeof *side,
                                .width = SIDE,
                                .height = SIDE,
                                .channels = 4,
                                .type = i ? SSIMCU_TYPE_F32 : SSIMCU_TYPE_U8,
                                .peak = UINT8_MAX,
                                .data = {i ? (const void *)floats : bytes}};
    for (int alpha = SSIMCU_ALPHA_WORST; alpha <= SSIMCU_ALPHA_WHITE; alpha++) {
        ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
        settings.alpha = (ssimcu_alpha)alpha;
        cr_expect_eq(score_of_same(&settings, side), 1, "alpha %d", alpha);
    }
}

/* Samples in the lower bits of 16 and in the upper ones. */
BACKEND_TEST(forms, low_and_high_bits_score_1)
{
    enum { SIDE = 128 };
    static uint16_t low[SIDE * SIDE * 3], high[SIDE * SIDE * 3];
    static const ssimcu_color colors[] = {SSIMCU_COLOR_RGB, SSIMCU_COLOR_Y709, SSIMCU_COLOR_Y601};
    check_random random = {57};
    for (uint32_t bits = 9; bits < 16; bits++) {
        for (uint32_t i = 0; i < SIDE * SIDE * 3; i++) {
            low[i] = (uint16_t)(check_draw(&random) >> (32 - bits));
            high[i] = (uint16_t)(low[i] << (16 - bits));
        }
        ssimcu_view side[2];
        for (int i = 0; i < 2; i++)
            side[i] = (ssimcu_view){.struct_size = sizeof *side,
                                    .width = SIDE,
                                    .height = SIDE,
                                    .channels = 3,
                                    .type = SSIMCU_TYPE_U16,
                                    .peak = ((1 << bits) - 1) << (i ? 16 - bits : 0),
                                    .data = {i ? high : low}};
        for (int c = 0; c < 3; c++) {
            ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
            settings.color = colors[c];
            cr_expect_eq(score_of_same(&settings, side), 1, "%u bits, color %d", bits, c);
        }
    }
}

Test(forms, worst_is_the_lowest_tile)
{
    double scores[64];
    ssimcu_context *context = open_cpu(SSIMCU_TRANSFER_AUTO, SSIMCU_COLOR_RGB);
    fill();
    for (int y = 40; y < HEIGHT; y++) /* the last tiles, cut at both edges */
        for (int x = 70 * CHANNELS; x < ROW; x++)
            sample[1][y * ROW + x] = 1 - sample[0][y * ROW + x];
    const ssimcu_view ref = view_of(sample[0], SSIMCU_TYPE_F32),
                      out = view_of(sample[1], SSIMCU_TYPE_F32);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = 16, .height = 16);
    ssimcu_score score = SSIMCU_INIT(score);
    cr_assert_eq(ssimcu_views_layout(context, &ref, &out, NULL, &tiles, NULL), SSIMCU_OK);
    tiles.data = scores;
    cr_assert_leq(tiles.columns * tiles.rows, 64);
    cr_assert_eq(ssimcu_compare_views(context, &ref, &out, &score, NULL, &tiles, NULL), SSIMCU_OK);
    uint32_t worst = 0;
    for (uint32_t i = 1; i < tiles.columns * tiles.rows; i++)
        if (scores[i] < scores[worst]) worst = i;
    const uint32_t x = worst % tiles.columns * 16, y = worst / tiles.columns * 16;
    cr_expect_eq(score.worst.score, scores[worst]);
    cr_expect_eq(score.worst.x, x);
    cr_expect_eq(score.worst.y, y);
    cr_expect_eq(score.worst.width, x + 16 > WIDTH ? WIDTH - x : 16);
    cr_expect_eq(score.worst.height, y + 16 > HEIGHT ? HEIGHT - y : 16);
    cr_assert_eq(ssimcu_compare_views(context, &ref, &out, &score, NULL, NULL, NULL), SSIMCU_OK);
    cr_expect_eq(score.worst.width, 0);
    ssimcu_close(&context);
}

Test(forms, linear_light_is_bent_unless_the_caller_says_otherwise)
{
    fill();
    ssimcu_context *automatic = open_cpu(SSIMCU_TRANSFER_AUTO, SSIMCU_COLOR_RGB),
                   *srgb = open_cpu(SSIMCU_TRANSFER_SRGB, SSIMCU_COLOR_RGB),
                   *none = open_cpu(SSIMCU_TRANSFER_NONE, SSIMCU_COLOR_RGB);
    ssimcu_frame frame[2];
    ssimcu_score score[5];
    for (int side = 0; side < 2; side++) /* a pitch of 0 is a row without padding */
        frame[side] = (ssimcu_frame){.width = WIDTH,
                                     .height = HEIGHT,
                                     .channels = CHANNELS,
                                     .bits = SSIMCU_BITS_F32,
                                     .data = sample[side]};
    for (int i = 0; i < 5; i++) score[i] = SSIMCU_INIT(score);
    cr_assert_eq(ssimcu_compare(automatic, &frame[0], &frame[1], &score[0], NULL), SSIMCU_OK);
    frame[0].linear = frame[1].linear = 1;
    cr_assert_eq(ssimcu_compare(automatic, &frame[0], &frame[1], &score[1], NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_compare(none, &frame[0], &frame[1], &score[2], NULL), SSIMCU_OK);
    frame[0].linear = frame[1].linear = 0;
    cr_assert_eq(ssimcu_compare(srgb, &frame[0], &frame[1], &score[3], NULL), SSIMCU_OK);
    cr_expect_eq(score[0].score, score[2].score);
    cr_expect_eq(score[1].score, score[3].score);
    cr_expect_neq(score[0].score, score[1].score);
    cr_expect_gt(score[1].light[0].clamped, 0);
    frame[0].linear = 1; /* the other side is no light and stays as it is */
    cr_assert_eq(ssimcu_compare(automatic, &frame[0], &frame[1], &score[4], NULL), SSIMCU_OK);
    cr_expect_neq(score[4].score, score[0].score);
    cr_expect_neq(score[4].score, score[1].score);
    cr_expect_eq(score[4].light[1].clamped, 0);
    ssimcu_close(&automatic), ssimcu_close(&srgb), ssimcu_close(&none);
}

Test(forms, version_is_a_number)
{
    char text[32];
    snprintf(text, sizeof text, "%u.%u.%u", ssimcu_version_number() / 10000,
             ssimcu_version_number() / 100 % 100, ssimcu_version_number() % 100);
    cr_expect_str_eq(text, ssimcu_version());
    cr_expect(SSIMCU_VERSION_AT_LEAST(0, 2, 0) && !SSIMCU_VERSION_AT_LEAST(99, 0, 0));
    cr_expect_str_eq(ssimcu_status_identifier(SSIMCU_ERROR_TOO_SMALL), "SSIMCU_ERROR_TOO_SMALL");
    cr_expect_str_eq(ssimcu_status_identifier((ssimcu_status)-1), "unknown");
}

/* ---- Identical samples ----------------------------------------------------------------------- */

/* Returns the bits of a number that binary16 and bfloat16 both hold, k / 256 for k up to 255. */
static uint16_t bits_of(uint32_t k, ssimcu_type type)
{
    const float value = (float)k / 256;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (type == SSIMCU_TYPE_BF16) return (uint16_t)(bits >> 16);
    return k == 0 ? 0 : (uint16_t)((bits >> 13) - ((127 - 15) << 10));
}

/* One picture in four channels, as samples of a type in a layout. */
static ssimcu_view same_picture(ssimcu_type type, ssimcu_layout layout, uint32_t channels,
                                float *memory)
{
    const ssimcu_view view =
        SSIMCU_INIT(view, .width = WIDTH, .height = HEIGHT, .channels = channels, .type = type,
                    .layout = layout, .data = {memory});
    for (uint32_t c = 0; c < channels; c++)
        for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
            const uint32_t k = c == 3 ? 128 : (i * (7 + c) + i / WIDTH * 31) % 256;
            const size_t at =
                layout == SSIMCU_LAYOUT_HWC ? i * channels + c : (size_t)c * WIDTH * HEIGHT + i;
            if (type == SSIMCU_TYPE_F32)
                memory[at] = (float)k / 256;
            else
                ((uint16_t *)memory)[at] = bits_of(k, type);
        }
    return view;
}

/* Whatever type and layout each side has, and with or without an alpha that is not looked at. */
static void check_identical(ssimcu_context *context, const char *what)
{
    static const ssimcu_type types[] = {SSIMCU_TYPE_F16, SSIMCU_TYPE_BF16, SSIMCU_TYPE_F32};
    static float memory[2][COUNT];
    enum { KINDS = 3 * 2 * 2 };
    for (uint32_t a = 0; a < KINDS; a++)
        for (uint32_t b = 0; b < KINDS; b++) {
            const uint32_t kind[2] = {a, b};
            ssimcu_view side[2];
            for (int s = 0; s < 2; s++)
                side[s] = same_picture(types[kind[s] % 3],
                                       kind[s] / 3 % 2 ? SSIMCU_LAYOUT_CHW : SSIMCU_LAYOUT_HWC,
                                       kind[s] / 6 ? 4 : 3, memory[s]);
            const ssimcu_score score = score_of(context, &side[0], &side[1]);
            cr_assert_eq(score.score, 1.0, "%s, kinds %u and %u: %.17g", what, a, b, score.score);
            cr_assert_eq(score.worst.score, 1.0, "%s, kinds %u and %u", what, a, b);
        }
}

BACKEND_TEST(forms, identical_samples_score_1)
{
    for (int transfer = SSIMCU_TRANSFER_SRGB; transfer <= SSIMCU_TRANSFER_NONE; transfer++)
        for (int color = SSIMCU_COLOR_RGB; color <= SSIMCU_COLOR_Y601; color++) {
            const ssimcu_settings settings = SSIMCU_INIT(
                settings, .device = device, .transfer = (ssimcu_transfer)transfer,
                .color = (ssimcu_color)color, .alpha = SSIMCU_ALPHA_IGNORE, .gain = 0.7);
            ssimcu_context *context = check_open(&settings);
            char what[40];
            snprintf(what, sizeof what, "transfer %d, color %d", transfer, color);
            check_identical(context, what);
            ssimcu_close(&context);
        }
}
