/* The planes stage by itself. Samples of any type and layout become what the rule says of them,
 * to the last bit, and nothing beside the planes is written. What lies between rows is random,
 * and the memory ends with the last sample. */
#include "check.h"
#include "device.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POISON = 0xA5 };

/* TOGETHER: pixels. APART: planes in any order. BY_ROWS: rows of one channel after rows of
 * another. SCATTERED: pixels or planes with samples in between that do not count. */
enum layout { TOGETHER, APART, BY_ROWS, SCATTERED, LAYOUTS };

/* Draws a random way to treat a frame of `type`. */
static struct ssimcu_pixel_rule random_rule(check_random *random, uint32_t type)
{
    const bool is_float = ssimcu_samples_are_float(type);
    const uint32_t bits = type == SSIMCU_SAMPLE_U16 ? check_between(random, 9, 16) : 8;
    const bool widen = type == SSIMCU_SAMPLE_U8 && check_between(random, 0, 1);
    const uint32_t peak = widen ? 65535 : (1u << bits) - 1;
    struct ssimcu_pixel_rule rule = {.channels = check_between(random, 1, 4),
                                     .planes = check_between(random, 0, 1) ? 3 : 1,
                                     .bits = bits,
                                     .peak = is_float ? 255 : peak,
                                     .widen = widen ? 257 : 1};
    rule.unit = check_between(random, 0, 1) ? 256.0f / (float)(rule.peak + 1) : 255.0f / 256;
    rule.alpha = rule.channels % 2 == 0 && check_between(random, 0, 1);
    rule.background = check_between(random, 0, 1) ? rule.peak : 0;
    if (rule.planes == 1 && rule.channels >= 3 && check_between(random, 0, 1))
        rule.luma[0] = 2126, rule.luma[1] = 7152, rule.luma[2] = 722;
    return rule;
}

/* Draws mostly from 0 to 1, with values in between that no score can hold. */
static float random_float(check_random *random)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 1e30f, -0.0f, 1e-40f, 65504.0f};
    if (check_between(random, 0, 50) == 0) return odd[check_between(random, 0, 6)];
    return (float)check_between(random, 0, 3000000) / 2e6f - 0.25f;
}

static uint16_t random_half(check_random *random)
{
    if (check_between(random, 0, 20) == 0) return (uint16_t)check_draw(random);
    return (uint16_t)check_between(random, 0, 0x3c00); /* halves from 0 to 1 */
}

static uint16_t random_bfloat(check_random *random)
{
    if (check_between(random, 0, 20) == 0) return (uint16_t)check_draw(random);
    return (uint16_t)check_between(random, 0, 0x3f80); /* bfloat16 from 0 to 1 */
}

static void fill(check_random *random, uint8_t *memory, size_t bytes, uint32_t type, uint32_t bits)
{
    uint16_t *words = (uint16_t *)memory;
    float *floats = (float *)memory;
    switch (type) {
    case SSIMCU_SAMPLE_U8:
        for (size_t i = 0; i < bytes; i++) memory[i] = (uint8_t)check_draw(random);
        break;
    case SSIMCU_SAMPLE_U16:
        for (size_t i = 0; i < bytes / 2; i++)
            words[i] = (uint16_t)(check_draw(random) >> (32 - bits));
        break;
    case SSIMCU_SAMPLE_F16:
        for (size_t i = 0; i < bytes / 2; i++) words[i] = random_half(random);
        break;
    case SSIMCU_SAMPLE_BF16:
        for (size_t i = 0; i < bytes / 2; i++) words[i] = random_bfloat(random);
        break;
    default:
        for (size_t i = 0; i < bytes / 4; i++) floats[i] = random_float(random);
    }
}

/* Makes a frame of random samples; the caller frees its memory. */
static struct device_samples random_samples(check_random *random, uint32_t type, uint32_t bits,
                                            enum layout layout, uint32_t channels, uint32_t width,
                                            uint32_t height)
{
    const bool scattered = layout == SCATTERED, planar = layout == APART || layout == BY_ROWS;
    const uint32_t extra = scattered ? check_between(random, 1, 3) : 0;
    const uint32_t step = planar ? 1 : channels + extra;
    const size_t size = ssimcu_sample_bytes(type);
    const size_t row = ((width - 1) * step + (planar ? 1 : channels)) * size;
    const size_t gap = check_between(random, 0, 2) * check_between(random, 0, 40) * size;
    const size_t pitch = (layout == BY_ROWS ? row * channels : row + extra * size) + gap;
    const size_t plane = pitch * height + (gap ? 3 * size : 0);
    const size_t apart = !planar ? size : layout == APART ? plane : row;
    const uint32_t turn = layout == APART || scattered ? check_between(random, 0, channels - 1) : 0;
    const size_t span = pitch * (height - 1) + row; /* one channel's rows */
    const size_t bytes = !planar ? span : apart * (channels - 1) + span;
    uint8_t *memory = malloc((bytes + 3) / 4 * 4);
    fill(random, memory, bytes, type, bits);
    struct device_samples from = {
        .samples = {.pitch_bytes = (int64_t)pitch,
                    .step = step,
                    .planar = channels > 1 && (planar || turn),
                    .type = type,
                    .scale = 255.0f / (float)check_between(random, 1, 2)},
        .memory = memory,
        .bytes = bytes,
        .shift = check_between(random, 0, 1) * check_between(random, 0, 15) * size,
        .width = width,
        .height = height,
    };
    for (uint32_t c = 0; c < channels; c++)
        from.samples.channel[c] = memory + (c + turn) % channels * apart;
    return from;
}

/* Converts one pixel, by the conversions that the CPU and the GPU share. */
static void convert(const struct ssimcu_samples *samples, const struct ssimcu_pixel_rule *rule,
                    uint32_t x, uint32_t y, float *plane)
{
    uint32_t whole[4] = {0};
    float real[4] = {0};
    for (uint32_t c = 0; c < rule->channels; c++) {
        const char *row = (const char *)samples->channel[c] + y * samples->pitch_bytes;
        const size_t i = (size_t)x * samples->step;
        switch (samples->type) {
        case SSIMCU_SAMPLE_U8: whole[c] = ((const uint8_t *)row)[i]; break;
        case SSIMCU_SAMPLE_U16: whole[c] = ((const uint16_t *)row)[i]; break;
        case SSIMCU_SAMPLE_F16: real[c] = ssimcu_sample_half(((const uint16_t *)row)[i]); break;
        case SSIMCU_SAMPLE_BF16: real[c] = ssimcu_sample_bfloat(((const uint16_t *)row)[i]); break;
        default: real[c] = ((const float *)row)[i];
        }
    }
    if (ssimcu_samples_are_float(samples->type))
        ssimcu_sample_convert(rule, samples->scale, real, plane);
    else
        ssimcu_pixel_convert(rule, whole, plane);
}

/* Makes planes without padding: the CPU's own stage converts interleaved integers. */
static float *make_expected(const struct device_samples *from, const struct ssimcu_pixel_rule *rule)
{
    const struct ssimcu_samples *samples = &from->samples;
    const size_t plane = (size_t)from->width * from->height;
    float *planes = malloc(plane * rule->planes * sizeof *planes);
    if (!ssimcu_samples_are_float(samples->type) && samples->step == rule->channels &&
        !samples->planar) {
        const ssimcu_frame frame = {.width = from->width,
                                    .height = from->height,
                                    .channels = rule->channels,
                                    .bits = rule->bits,
                                    .pitch = (size_t)samples->pitch_bytes,
                                    .data = (void *)from->memory};
        reference_planes(rule, &frame, planes);
        return planes;
    }
    for (uint32_t y = 0; y < from->height; y++)
        for (uint32_t x = 0; x < from->width; x++) {
            float value[3] = {0};
            convert(samples, rule, x, y, value);
            for (uint32_t c = 0; c < rule->planes; c++)
                planes[c * plane + (size_t)y * from->width + x] = value[c];
        }
    return planes;
}

/* Compares bits; numbers that are none have many. A GPU may join a product and a sum of floats
 * into one step. */
static bool is_same(float got, float expected, float tolerance)
{
    if (memcmp(&got, &expected, sizeof got) == 0) return true;
    if (isnan(expected)) return isnan(got);
    return fabsf(got - expected) <= tolerance * fmaxf(1, fabsf(expected));
}

static void check_planes(check_random *random, const struct device_samples *from,
                         const struct ssimcu_pixel_rule *rule, const char *what)
{
    const size_t pitch = (from->width + 3) / 4 * 4 + 4 * check_between(random, 0, 2);
    const size_t plane = pitch * from->height + 4 * check_between(random, 0, 2);
    const size_t floats = plane * rule->planes, tight = (size_t)from->width * from->height;
    const bool blends = rule->alpha || (rule->luma[1] && rule->channels >= 3);
    const float tolerance = ssimcu_samples_are_float(from->samples.type) && blends ? 1e-3f : 0;
    float *got = malloc(floats * sizeof *got), *expected = make_expected(from, rule);
    float poison;
    memset(&poison, POISON, sizeof poison);
    memset(got, POISON, floats * sizeof *got);
    device_planes(from, rule, got, floats, pitch, plane);
    for (size_t i = 0; i < floats; i++) {
        const size_t c = i / plane, y = i % plane / pitch, x = i % plane % pitch;
        const bool inside = y < from->height && x < from->width;
        const float value = inside ? expected[c * tight + y * from->width + x] : poison;
        if (is_same(got[i], value, inside ? tolerance : 0)) continue;
        cr_assert(false,
                  "%s %ux%u, type %u, %u channels to %u planes, step %u, pitch %d, shift %zu, "
                  "peak %u, alpha %u, luma %u: plane %zu (%zu, %zu) is %.9g, expected %.9g",
                  what, from->width, from->height, from->samples.type, rule->channels, rule->planes,
                  from->samples.step, (int)from->samples.pitch_bytes, from->shift, rule->peak,
                  rule->alpha, rule->luma[1], c, x, y, got[i], value);
    }
    free(got), free(expected);
}

static void check_random_frame(check_random *random, uint32_t type, enum layout layout,
                               uint32_t width, uint32_t height)
{
    static const char *const name[] = {"together", "apart", "by rows", "scattered"};
    const struct ssimcu_pixel_rule rule = random_rule(random, type);
    const struct device_samples from =
        random_samples(random, type, rule.bits, layout, rule.channels, width, height);
    check_planes(random, &from, &rule, name[layout]);
    free((void *)from.memory);
}

/* Frames smaller than a block's run of 1024 pixels, as long, longer by one, and of many runs. */
Test(planes, any_samples_cuda)
{
    static const uint32_t sizes[][2] = {{1, 1},    {1, 9},     {9, 1},    {10, 10},   {11, 11},
                                        {37, 53},  {4, 64},    {512, 3},  {513, 2},   {511, 5},
                                        {1023, 3}, {1024, 7},  {1025, 2}, {5, 33},    {3841, 11},
                                        {3840, 3}, {1027, 31}, {2049, 4}, {16385, 2}, {3, 2050}};
    check_random random = {12};
    if (!check_has_cuda()) return;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint32_t type = SSIMCU_SAMPLE_U8; type <= SSIMCU_SAMPLE_BF16; type++)
            for (enum layout layout = TOGETHER; layout < LAYOUTS; layout++)
                for (int repeat = 0; repeat < 12; repeat++)
                    check_random_frame(&random, type, layout, sizes[i][0], sizes[i][1]);
}

Test(planes, ragged_4k_cuda)
{
    check_random random = {13};
    if (!check_has_cuda()) return;
    for (uint32_t type = SSIMCU_SAMPLE_U8; type <= SSIMCU_SAMPLE_BF16; type++)
        for (enum layout layout = TOGETHER; layout < LAYOUTS; layout++)
            check_random_frame(&random, type, layout, 3841, 2161);
}

/* Every number that an integer or a half can be stands in every plane. */
Test(planes, every_value_cuda)
{
    check_random random = {14};
    if (!check_has_cuda()) return;
    for (uint32_t type = SSIMCU_SAMPLE_U8; type <= SSIMCU_SAMPLE_BF16; type++) {
        if (type == SSIMCU_SAMPLE_F32) continue;
        const uint32_t size = ssimcu_sample_bytes(type), width = size == 1 ? 256 : 65536;
        struct ssimcu_pixel_rule rule = {
            .channels = 1, .planes = 3, .bits = 8 * size, .widen = 1, .unit = 1};
        rule.peak = type == SSIMCU_SAMPLE_U16 ? 65535 : 255;
        uint16_t *words = malloc(width * size);
        for (uint32_t i = 0; i < width; i++)
            size == 1 ? (void)(((uint8_t *)words)[i] = (uint8_t)i) : (void)(words[i] = (uint16_t)i);
        const struct device_samples from = {
            .samples = {.channel = {words},
                        .pitch_bytes = (int64_t)width * size,
                        .step = 1,
                        .type = type,
                        .scale = 255},
            .memory = words,
            .bytes = width * size,
            .width = width,
            .height = 1,
        };
        check_planes(&random, &from, &rule, "every value");
        free(words);
    }
}
