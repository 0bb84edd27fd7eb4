/* Trials of a calibration: the part of a frame that is scored again has the numbers of the whole
 * frame, and damage is where and what it says. */
#include "calibrate/fault_injection.h"
#include "check.h"
#include "pair/pair.h"
#include "record/record.h"

#include "sample_size.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { PLACES = 4 };

/* Scores a pair and returns the values of its tiles. */
static struct learned_values score(ssimcu_context *context, const struct pair *pair, uint32_t tile)
{
    struct learned_tiles tiles;
    struct learned_values values;
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_view view[2][3];
    for (uint32_t p = 0; p < pair->planes; p++)
        for (int s = 0; s < 2; s++) view[s][p] = check_view(&pair->plane[s][p]);
    cr_assert_eq(
        learned_tiles_make(context, view[0], view[1], pair->planes, tile, false, &tiles, NULL),
        SSIMCU_OK);
    const ssimcu_status status =
        pair->planes == 1
            ? ssimcu_compare_views(context, view[0], view[1], &score, NULL, tiles.tiles, NULL)
            : ssimcu_compare_planes(context, view[0], view[1], 3, &score, tiles.tiles, NULL);
    cr_assert_eq(status, SSIMCU_OK);
    cr_assert(learned_values_make(&tiles, score.channels, &values));
    learned_tiles_free(&tiles);
    return values;
}

/* Returns learned limits of which these values are the means. */
static struct learned_frame learned_of(const struct learned_values *values)
{
    const size_t count = learned_all_values(&values->grid);
    struct learned_frame learned = {values->grid, 8, malloc(count * sizeof(float)),
                                    malloc(count * sizeof(float))};
    cr_assert(learned.mean && learned.sigma);
    memcpy(learned.mean, values->value[0], count * sizeof(float));
    for (size_t i = 0; i < count; i++) learned.sigma[i] = 0.01f;
    return learned;
}

/* Returns a frame of halves or floats with the samples of one of 8 bits. */
static ssimcu_frame as_halves(const ssimcu_frame *from)
{
    ssimcu_frame frame = *from;
    frame.bits = SSIMCU_BITS_F16;
    frame.pitch = 0;
    cr_assert_eq(ssimcu_frame_alloc(&frame, NULL), SSIMCU_OK);
    for (uint32_t y = 0; y < frame.height; y++)
        for (uint32_t i = 0; i < frame.width * frame.channels; i++) {
            /* 0.5 and a fraction of 8 bits: exact in a half */
            const uint8_t sample = ((const uint8_t *)from->data)[y * from->pitch + i];
            ((uint16_t *)((char *)frame.data + y * frame.pitch))[i] =
                (uint16_t)(0x3800 + (sample << 2));
        }
    return frame;
}

/* OUT has one value, so a square that becomes flat stays as it was: no tile may tell. Black does.
 */
static void check_pair(struct pair *pair, uint32_t tile)
{
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    struct learned_values values = score(context, pair, tile);
    struct learned_frame learned = learned_of(&values);
    struct injection injection = {0};
    struct injection_found found = {0};
    static const double limit[LEARNED_RULES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct record record = {0};
    pair->record = &record;
    for (int i = 0; i < PLACES; i++) { /* other places each time */
        record.frame = i;
        cr_assert_eq(injection_make(context, pair, &values, &injection, NULL), SSIMCU_OK);
    }
    injection_judge(&injection, &learned);
    for (size_t i = 0; i < injection.count; i++)
        for (int r = 0; r < LEARNED_RULES && injection.trial[i].kind == FAULT_MODEL_FLAT; r++)
            cr_expect_lt(fabs(injection.trial[i].z[r]), 0.1, "trial %zu, rule %d: %f", i, r,
                         injection.trial[i].z[r]);
    injection_count(&injection, limit, &found);
    cr_expect_eq(injection.count, 0);
    for (int size = 0; size < 3; size++) {
        cr_expect_eq(found.tried[FAULT_MODEL_BLACK][size], PLACES);
        cr_expect_eq(found.found[FAULT_MODEL_BLACK][size], PLACES, "size %d", size);
        cr_expect_eq(found.tried[FAULT_MODEL_FLAT][size], PLACES);
        cr_expect_eq(found.found[FAULT_MODEL_FLAT][size], 0);
    }
    cr_expect_eq(found.tried[FAULT_MODEL_BLACK][3], 0, "64 pixels of 100");
    injection_free(&injection);
    learned_values_free(&values);
    learned_frame_free(&learned);
    ssimcu_close(&context);
}

static ssimcu_frame flat(uint32_t width, uint32_t height, uint32_t channels)
{
    return check_flat(width, height, channels, (const uint32_t[]){130, 90, 60});
}

static void free_pair(struct pair *pair)
{
    for (int s = 0; s < 2; s++)
        for (uint32_t p = 0; p < pair->planes; p++) ssimcu_frame_free(&pair->plane[s][p]);
}

Test(fault_injection, of_8_and_16_bits)
{
    check_random random = {5};
    struct pair pair = {.planes = 1};
    pair.plane[0][0] = check_noise(&random, 150, 101, 3, 8);
    pair.plane[1][0] = flat(150, 101, 3);
    check_pair(&pair, 32);
    ssimcu_frame wide[2] = {check_widen(&pair.plane[0][0]), check_widen(&pair.plane[1][0])};
    free_pair(&pair);
    pair.plane[0][0] = wide[0], pair.plane[1][0] = wide[1];
    check_pair(&pair, 24);
    free_pair(&pair);
}

Test(fault_injection, of_halves)
{
    check_random random = {6};
    struct pair pair = {.planes = 1};
    ssimcu_frame noise = check_noise(&random, 150, 101, 1, 8), same = flat(150, 101, 1);
    pair.plane[0][0] = as_halves(&noise);
    pair.plane[1][0] = as_halves(&same);
    check_pair(&pair, 32);
    ssimcu_frame_free(&noise);
    ssimcu_frame_free(&same);
    free_pair(&pair);
}

Test(fault_injection, of_planes)
{
    check_random random = {7};
    struct pair pair = {.planes = 3};
    for (uint32_t p = 0; p < 3; p++) {
        pair.plane[0][p] = check_noise(&random, p ? 76 : 151, p ? 51 : 101, 1, 8);
        pair.plane[1][p] = flat(p ? 76 : 151, p ? 51 : 101, 1);
    }
    check_pair(&pair, 32);
    free_pair(&pair);
}

/* Nothing is damaged where a tile is ignored, and nothing at all if there is no room beside. */
Test(fault_injection, not_where_tiles_are_ignored)
{
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    check_random random = {9};
    struct record record = {0};
    struct pair pair = {.planes = 1, .record = &record};
    struct injection injection = {0};
    pair.plane[0][0] = check_noise(&random, 128, 96, 1, 8);
    pair.plane[1][0] = flat(128, 96, 1);
    struct learned_values values = score(context, &pair, 32);
    values.ignored = calloc(12, 1);
    cr_assert(values.ignored);
    for (int row = 0; row < 3; row++) values.ignored[4 * row] = 1; /* the first column */
    cr_assert_eq(injection_make(context, &pair, &values, &injection, NULL), SSIMCU_OK);
    cr_expect_gt(injection.count, 8);
    for (size_t i = 0; i < injection.count; i++)
        cr_expect(injection.trial[i].column > 0 || injection.trial[i].kind >= FAULT_MODEL_OF_FRAME);
    injection_free(&injection);
    memset(values.ignored, 1, 12);
    cr_assert_eq(injection_make(context, &pair, &values, &injection, NULL), SSIMCU_OK);
    cr_expect_eq(injection.count, 0);
    injection_free(&injection);
    learned_values_free(&values);
    free_pair(&pair);
    ssimcu_close(&context);
}

/* ---- Damage ---------------------------------------------------------------------------------- */

/* Returns a frame of floats with noise, in which a sample keeps what it is made. */
static ssimcu_frame float_noise(check_random *random)
{
    ssimcu_frame noise = check_noise(random, 9, 7, 3, 8), frame = noise;
    frame.bits = SSIMCU_BITS_F32;
    frame.pitch = 0;
    cr_assert_eq(ssimcu_frame_alloc(&frame, NULL), SSIMCU_OK);
    for (uint32_t i = 0; i < 9 * 7 * 3; i++)
        ((float *)frame.data)[i] =
            ((const uint8_t *)noise.data)[i / 27 * noise.pitch + i % 27] / 255.0f;
    ssimcu_frame_free(&noise);
    return frame;
}

Test(fault_injection, fault_model_is_what_it_says)
{
    check_random random = {8};
    ssimcu_frame ref = float_noise(&random), before = float_noise(&random),
                 out = float_noise(&random);
    const struct fault_model_square square = {1, 2, 3, 2};
    const struct damaged frames = {&ref, &before, &out, 0, false};
    const float *r = ref.data, *b = before.data, *o = out.data;
    for (int kind = 0; kind < FAULT_MODELS; kind++) {
        int other = 0;
        memcpy(out.data, before.data, 9 * 7 * 3 * sizeof(float));
        fault_model_apply(kind, &frames, &square, 1);
        for (uint32_t i = 0; i < 9 * 7 * 3; i++) {
            const uint32_t x = i / 3 % 9, y = i / 27, c = i % 3;
            const bool inside = x >= 1 && x < 4 && y >= 2 && y < 4;
            const double was = b[i];
            other += o[i] != b[i];
            if (!inside) {
                cr_expect_eq(o[i], b[i], "%s at %u,%u", fault_model_names[kind], x, y);
                continue;
            }
            const double now = kind == FAULT_MODEL_BLACK     ? 0
                               : kind == FAULT_MODEL_SHIFT   ? b[i - 3]
                               : kind == FAULT_MODEL_GAIN    ? 1.1 * was
                               : kind == FAULT_MODEL_CAST    ? (c == 0 ? 1.1 * was : was)
                               : kind == FAULT_MODEL_NOISE   ? 2 * was - r[i]
                               : kind == FAULT_MODEL_SWAPPED ? b[i - c + 2 - c]
                                                             : o[i];
            cr_expect_eq(o[i], (float)now, "%s", fault_model_names[kind]);
        }
        cr_expect_gt(other, 0, "%s", fault_model_names[kind]);
    }
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&before);
    ssimcu_frame_free(&out);
}

/* Every half is itself again, and what lies between two is the nearer one, or the even one. */
Test(fault_injection, halves_there_and_back)
{
    const struct {
        float value;
        uint16_t half;
    } rows[] = {{0, 0},
                {-0.0f, 0x8000},
                {0x1p-24f, 1},
                {-0x1p-24f, 0x8001},
                {0x1p-25f, 0},
                {0x1.8p-24f, 2},
                {0x1p-149f, 0},
                {0x3ffp-24f, 0x03ff},
                {0x1p-14f, 0x0400},
                {0.25f, 0x3400},
                {1 + 0x1p-11f, 0x3c00},
                {1 + 0x3p-11f, 0x3c02},
                {65504, 0x7bff},
                {-65504, 0xfbff},
                {65519, 0x7bff},
                {65520, 0x7c00},
                {FLT_MAX, 0x7c00},
                {INFINITY, 0x7c00},
                {-INFINITY, 0xfc00},
                {NAN, 0x7e00}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_expect_eq(ssimcu_half_of(rows[i].value), rows[i].half, "%g", (double)rows[i].value);
    for (uint32_t half = 0; half < 0x10000; half++) {
        const float value = ssimcu_half_value((uint16_t)half);
        const bool nan = (half & 0x7fff) > 0x7c00;
        if (nan ? !isnan(value) || (ssimcu_half_of(value) & 0x7fff) != 0x7e00
                : ssimcu_half_of(value) != half)
            cr_assert_fail("%#x is %g and back %#x", half, (double)value, ssimcu_half_of(value));
    }
}

/* Damage to halves: black is 0, samples of any size are what they were multiplied to, and none
 * becomes infinite. */
Test(fault_injection, fault_model_of_halves)
{
    static const uint16_t before[] = {0x3c00, 0, 0x0001, 0x03ff, 0x8001, 0xbc00, 0x7bff, 0xfbff};
    enum { WIDTH = sizeof before / sizeof before[0] };
    uint16_t word[2][WIDTH];
    ssimcu_frame frame[2];
    for (int i = 0; i < 2; i++)
        frame[i] = (ssimcu_frame){.width = WIDTH,
                                  .height = 1,
                                  .channels = 1,
                                  .bits = SSIMCU_BITS_F16,
                                  .pitch = sizeof word[i],
                                  .data = word[i]};
    const struct damaged frames = {&frame[0], &frame[0], &frame[1], 0, false};
    const struct fault_model_square all = {0, 0, WIDTH, 1};
    memcpy(word[0], before, sizeof before);
    memcpy(word[1], before, sizeof before);
    fault_model_apply(FAULT_MODEL_BLACK, &frames, &all, 1);
    for (int i = 0; i < WIDTH; i++) cr_expect_eq(word[1][i], 0, "%d: %#x", i, word[1][i]);
    fault_model_apply(FAULT_MODEL_GAIN, &frames, &all, 1);
    for (int i = 0; i < WIDTH; i++) {
        const float value = 1.1f * ssimcu_half_value(before[i]),
                    now = ssimcu_half_value(word[1][i]);
        const float expected = fmaxf(fminf(value, 65504), -65504);
        cr_expect(isfinite(now) && fabsf(now - expected) <= fmaxf(fabsf(expected) / 2048, 0x1p-25f),
                  "%d: %g", i, (double)now);
    }
}
