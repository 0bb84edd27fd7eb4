/* The SSIM kernels that read samples where they lie, by themselves. Every type, layout and
 * alignment is held against the reference, and so are samples that no frame holds. Bytes:
 * test_ssim_u8.c. */
#include "check.h"
#include "device.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_TEST(name)                                                                            \
    static void name(void);                                                                        \
    Test(ssim_types, name)                                                                         \
    {                                                                                              \
        if (check_has_cuda()) name();                                                              \
    }                                                                                              \
    static void name(void)

enum lie { PLANES, PIXELS, FIRST_OF_PAIRS, SECOND_OF_PAIRS };

struct kind {
    uint32_t type;
    float peak;
    enum lie lie;
    int channels, frames;
    size_t gap, offset; /* samples after each row, before the first */
};

static const struct kind KINDS[] = {
    {SSIMCU_SAMPLE_U16, 1023, PLANES, 1, 1, 0, 0},
    {SSIMCU_SAMPLE_U16, 1023, PLANES, 3, 2, 3, 1},
    {SSIMCU_SAMPLE_U16, 1023, PLANES, 3, 1, 0, 8},
    {SSIMCU_SAMPLE_U16, 1000, PLANES, 1, 3, 8, 0},
    {SSIMCU_SAMPLE_U16, 512, PLANES, 1, 1, 1, 3},
    {SSIMCU_SAMPLE_U16, 511, PLANES, 1, 1, 0, 0},
    {SSIMCU_SAMPLE_U16, 1, PLANES, 1, 1, 0, 0},
    {SSIMCU_SAMPLE_U16, 1024, PLANES, 1, 1, 0, 0},
    {SSIMCU_SAMPLE_U16, 4095, PLANES, 3, 1, 5, 1},
    {SSIMCU_SAMPLE_U16, 65472, PLANES, 1, 2, 0, 0},
    {SSIMCU_SAMPLE_U16, 65535, PLANES, 3, 1, 1, 0},
    {SSIMCU_SAMPLE_U16, 65535, PIXELS, 3, 1, 0, 0},
    {SSIMCU_SAMPLE_U16, 1023, PIXELS, 3, 2, 1, 1},
    {SSIMCU_SAMPLE_U16, 4095, PIXELS, 3, 1, 8, 0},
    {SSIMCU_SAMPLE_U8, 255, FIRST_OF_PAIRS, 1, 1, 0, 0},
    {SSIMCU_SAMPLE_U8, 255, SECOND_OF_PAIRS, 1, 1, 0, 0},
    {SSIMCU_SAMPLE_U8, 255, FIRST_OF_PAIRS, 1, 2, 3, 1},
    {SSIMCU_SAMPLE_U8, 255, SECOND_OF_PAIRS, 1, 1, 16, 16},
    {SSIMCU_SAMPLE_U16, 65472, FIRST_OF_PAIRS, 1, 1, 0, 0},
    {SSIMCU_SAMPLE_U16, 65472, SECOND_OF_PAIRS, 1, 1, 0, 8},
    {SSIMCU_SAMPLE_U16, 1023, SECOND_OF_PAIRS, 1, 2, 1, 3},
    {SSIMCU_SAMPLE_F16, 1, PLANES, 3, 1, 0, 0},
    {SSIMCU_SAMPLE_F16, 255, PLANES, 1, 2, 1, 1},
    {SSIMCU_SAMPLE_F16, 1, PIXELS, 3, 1, 0, 0},
    {SSIMCU_SAMPLE_F16, 0.7f, PIXELS, 3, 2, 3, 1},
    {SSIMCU_SAMPLE_BF16, 1, PLANES, 3, 1, 0, 0},
    {SSIMCU_SAMPLE_BF16, 3, PLANES, 1, 2, 1, 1},
    {SSIMCU_SAMPLE_BF16, 1, PIXELS, 3, 1, 0, 0},
    {SSIMCU_SAMPLE_BF16, 1, PIXELS, 3, 2, 5, 3},
    {SSIMCU_SAMPLE_F32, 1, PLANES, 3, 1, 0, 0},
    {SSIMCU_SAMPLE_F32, 1e6f, PLANES, 1, 2, 1, 1},
};
enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0], LARGE = 1 << 18 };

enum content { NOISE, NEAR, RAMP, EDGES, DARK, CONTENTS };

struct pair {
    struct device_frames frames;
    uint8_t *memory[2];
};

static bool is_float(const struct kind *kind) { return ssimcu_samples_are_float(kind->type); }

/* Returns the nearest half below, which is as good as any. */
static uint16_t to_half(float value)
{
    uint16_t low = 0, high = 0x7c00;
    while (high - low > 1) {
        const uint16_t middle = (uint16_t)((low + high) / 2);
        *(ssimcu_sample_half(middle) <= fabsf(value) ? &low : &high) = middle;
    }
    return (uint16_t)(low | (signbit(value) ? 0x8000 : 0));
}

static void put(const struct kind *kind, uint8_t *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t word = kind->type == SSIMCU_SAMPLE_F16    ? to_half(value)
                          : kind->type == SSIMCU_SAMPLE_BF16 ? (uint16_t)(bits >> 16)
                                                             : (uint16_t)value;
    switch (ssimcu_sample_bytes(kind->type)) {
    case 1: *at = (uint8_t)value; break;
    case 2: memcpy(at, &word, sizeof word); break;
    default: memcpy(at, &value, sizeof value);
    }
}

/* Returns a sample in 8-bit units, as the CPU has it. */
static float get(const struct kind *kind, const uint8_t *at)
{
    uint16_t word;
    float value;
    memcpy(&word, at, kind->type == SSIMCU_SAMPLE_U8 ? 1 : 2);
    switch (kind->type) {
    case SSIMCU_SAMPLE_U8: return (float)*at * 255 / kind->peak;
    case SSIMCU_SAMPLE_U16: return (float)word * 255 / kind->peak;
    case SSIMCU_SAMPLE_F16: value = ssimcu_sample_half(word); break;
    case SSIMCU_SAMPLE_BF16: value = ssimcu_sample_bfloat(word); break;
    default: memcpy(&value, at, sizeof value);
    }
    return value * (255 / kind->peak);
}

/* Makes memory that ends with the last sample. Bytes that are no samples are 0xff: not a number
 * for floats. */
static struct pair make_pair(const struct kind *kind, int width, int height, int zero_pad)
{
    const size_t sample = ssimcu_sample_bytes(kind->type), w = (size_t)width, h = (size_t)height;
    const size_t step = kind->lie == PIXELS ? 3 : kind->lie >= FIRST_OF_PAIRS ? 2 : 1;
    const size_t pitch = (w * step + kind->gap) * sample, plane = pitch * h + kind->gap * sample;
    const size_t planes = kind->lie == PLANES ? (size_t)kind->channels : 1, frame = plane * planes;
    const size_t own = step == 3 ? 3 : 1;
    const size_t offset = (kind->offset + (kind->lie == SECOND_OF_PAIRS)) * sample;
    const size_t bytes = offset + frame * ((size_t)kind->frames - 1) + plane * (planes - 1) +
                         pitch * (h - 1) + ((w - 1) * step + own) * sample;
    struct pair pair;
    for (int i = 0; i < 2; i++) memset(pair.memory[i] = malloc(bytes), 0xff, bytes);
    pair.frames = (struct device_frames){.path = DEVICE_ANY,
                                         .ref = pair.memory[0],
                                         .out = pair.memory[1],
                                         .bytes = bytes,
                                         .offset = offset,
                                         .width = width,
                                         .height = height,
                                         .channels = kind->channels,
                                         .frames = kind->frames,
                                         .interleaved = kind->lie == PIXELS,
                                         .zero_pad = zero_pad,
                                         .pitch_bytes = pitch,
                                         .plane_bytes = plane,
                                         .frame_bytes = frame,
                                         .type = kind->type,
                                         .pairs = kind->lie >= FIRST_OF_PAIRS,
                                         .peak = kind->peak};
    return pair;
}

static void free_pair(struct pair *pair) { free(pair->memory[0]), free(pair->memory[1]); }

static uint8_t *place(const struct kind *kind, const struct pair *pair, int image, int frame, int c,
                      int x, int y)
{
    const struct device_frames *f = &pair->frames;
    const size_t sample = ssimcu_sample_bytes(kind->type);
    const size_t step = kind->lie == PIXELS ? 3 : kind->lie >= FIRST_OF_PAIRS ? 2 : 1;
    return pair->memory[image] + f->offset + (size_t)frame * f->frame_bytes +
           (size_t)y * f->pitch_bytes + (size_t)x * step * sample +
           (size_t)c * (kind->lie == PIXELS ? sample : f->plane_bytes);
}

/* Draws values from 0, black, to 1, white. */
static void draw(check_random *random, enum content content, int x, int y, float value[2])
{
    const float noise = (float)check_between(random, 0, 2000) / 1e6f - 1e-3f;
    const uint32_t patch = (uint32_t)(x / 23 * 31 + y / 19 * 17) * 2654435761u >> 8 & 255;
    const float any = (float)check_between(random, 0, 1 << 20) / (1 << 20);
    value[0] = content == EDGES  ? (float)patch / 255
               : content == RAMP ? (float)((x + 2 * y) % 4096) / 4096
               : content == DARK ? any / 50
                                 : any;
    value[1] = content == NOISE ? (float)check_between(random, 0, 1 << 20) / (1 << 20)
                                : value[0] + noise * (content == NEAR ? 30 : 4);
    value[1] = fminf(fmaxf(value[1], 0), 1);
}

/* Fills both frames; the values reach `most` times white. */
static void fill(const struct kind *kind, struct pair *pair, enum content content, uint32_t seed,
                 float most)
{
    check_random random = {seed};
    for (int frame = 0; frame < kind->frames; frame++)
        for (int y = 0; y < pair->frames.height; y++)
            for (int x = 0; x < pair->frames.width; x++)
                for (int c = 0; c < kind->channels; c++) {
                    float value[2];
                    draw(&random, content, x, y, value);
                    for (int i = 0; i < 2; i++) {
                        const float sample = value[i] * kind->peak * most;
                        put(kind, place(kind, pair, i, frame, c, x, y),
                            is_float(kind) ? sample : rintf(sample));
                    }
                }
}

static size_t map_plane(const struct device_frames *f)
{
    const int shrink = f->zero_pad ? 0 : 10;
    return (size_t)(f->width - shrink) * (size_t)(f->height - shrink);
}

/* Checks one plane's sum and map against the reference's. */
static void check_plane(const struct kind *kind, const struct pair *pair, int frame, int c,
                        double sum, const float *map, double tolerance, const char *what)
{
    const struct device_frames *f = &pair->frames;
    const size_t pixels = (size_t)f->width * (size_t)f->height, windows = map_plane(f);
    float *planes[2], *expected = malloc(windows * sizeof *expected);
    double want = 0, worst = 0;
    for (int i = 0; i < 2; i++) {
        planes[i] = malloc(pixels * sizeof *planes[i]);
        for (int y = 0; y < f->height; y++)
            for (int x = 0; x < f->width; x++)
                planes[i][y * f->width + x] = get(kind, place(kind, pair, i, frame, c, x, y));
    }
    cr_assert_eq(reference_ssim(planes[0], planes[1], (uint32_t)f->width, (uint32_t)f->height,
                                f->zero_pad, 255, &want, expected),
                 0);
    for (size_t i = 0; i < windows; i++) {
        const double apart = fabs((double)map[i] - (double)expected[i]);
        if (!(apart <= worst)) worst = apart;
    }
    const double positions = (double)windows;
    check_near(
        sum / positions, want / positions, tolerance,
        "%s: type %u, peak %g, lie %d, gap %zu, offset %zu, %dx%d, pad %d, frame %d, channel %d",
        what, kind->type, (double)kind->peak, (int)kind->lie, kind->gap, kind->offset, f->width,
        f->height, f->zero_pad, frame, c);
    check_near(worst, 0, fmax(5e-5, tolerance), "%s: map of type %u, peak %g, lie %d, %dx%d", what,
               kind->type, (double)kind->peak, (int)kind->lie, f->width, f->height);
    free(planes[0]), free(planes[1]), free(expected);
}

static void check_pair(const struct kind *kind, const struct pair *pair, double tolerance,
                       const char *what)
{
    const struct device_frames *f = &pair->frames;
    const size_t planes = (size_t)(f->frames * f->channels), plane = map_plane(f);
    double sums[9], sums_with_map[9];
    float *map = malloc(planes * plane * sizeof *map);
    device_ssim(f, sums, NULL);
    device_ssim(f, sums_with_map, map);
    for (size_t p = 0; p < planes; p++) /* tensor cores may repeat more tiles for a map */
        check_near(sums_with_map[p] / (double)plane, sums[p] / (double)plane, tolerance,
                   "%s: type %u with a map", what, kind->type);
    for (size_t p = 0; p < planes; p++)
        check_plane(kind, pair, (int)p / f->channels, (int)p % f->channels, sums[p],
                    map + p * plane, tolerance, what);
    free(map);
}

CUDA_TEST(any_kind_and_size)
{
    static const int sizes[][2] = {{1, 1},   {3, 1},   {10, 10}, {11, 11}, {37, 53},
                                   {12, 90}, {90, 12}, {32, 26}, {1, 30},  {129, 75}};
    static const char *const name[] = {"noise", "near", "ramp", "edges", "dark"};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int pad = 0; pad <= 1; pad++)
            for (int k = 0; k < KIND_COUNT; k++) {
                if (!pad && (sizes[s][0] < 11 || sizes[s][1] < 11)) continue;
                const enum content content = (enum content)((size_t)k + s) % CONTENTS;
                struct pair pair = make_pair(&KINDS[k], sizes[s][0], sizes[s][1], pad);
                fill(&KINDS[k], &pair, content, (uint32_t)(s * 100) + (uint32_t)k + 1, 1);
                check_pair(&KINDS[k], &pair, 2e-5, name[content]);
                free_pair(&pair);
            }
}

/* These are sizes from which the library uses these kernels. */
CUDA_TEST(large_frames)
{
    for (int k = 0; k < KIND_COUNT; k++) {
        struct kind kind = KINDS[k];
        kind.frames = 1;
        if (kind.lie == PLANES) kind.channels = 1;
        const int width = k % 2 ? 641 : 640, height = 430;
        struct pair pair = make_pair(&kind, width, height, k % 3 == 0);
        fill(&kind, &pair, (enum content)(k % CONTENTS), (uint32_t)k, 1);
        check_pair(&kind, &pair, 1e-6, "large");
        free_pair(&pair);
    }
}

CUDA_TEST(ragged_4k)
{
    for (int k = 0; k < KIND_COUNT; k += 2) {
        struct kind kind = KINDS[k];
        kind.frames = kind.channels = 1;
        if (kind.lie == PIXELS) continue;
        struct pair pair = make_pair(&kind, 3841, 2161, k % 4 == 0);
        fill(&kind, &pair, (enum content)(k / 2 % CONTENTS), (uint32_t)k, 1);
        check_pair(&kind, &pair, 1e-6, "4K");
        free_pair(&pair);
    }
}

/* Sums of the pair, of the swapped pair, of each frame with itself, and of each frame alone. */
static void check_symmetry(const struct kind *kind, struct pair *pair, int label)
{
    double sums[9], swapped[9], alone[3], same[9];
    const size_t planes = (size_t)(kind->channels * kind->frames);
    device_ssim(&pair->frames, sums, NULL);
    struct device_frames other = pair->frames;
    other.ref = pair->memory[1], other.out = pair->memory[0];
    device_ssim(&other, swapped, NULL);
    other.out = other.ref;
    device_ssim(&other, same, NULL);
    cr_assert_eq(memcmp(sums, swapped, planes * sizeof *sums), 0, "kind %d", label);
    for (size_t p = 0; p < planes; p++) {
        cr_assert_eq(same[p], 0, "kind %d", label);
        cr_assert(isfinite(sums[p]) && sums[p] >= 0, "kind %d: %g", label, sums[p]);
    }
    for (int frame = 0; frame < kind->frames; frame++) {
        struct device_frames one = pair->frames;
        one.frames = 1;
        one.offset += (size_t)frame * one.frame_bytes;
        device_ssim(&one, alone, NULL);
        cr_assert_eq(
            memcmp(alone, sums + frame * kind->channels, (size_t)kind->channels * sizeof *sums), 0,
            "kind %d, frame %d", label, frame);
    }
}

CUDA_TEST(swapping_and_batching_change_no_bit)
{
    for (int k = 0; k < KIND_COUNT; k++) {
        struct pair pair = make_pair(&KINDS[k], 301, 107, k % 2);
        fill(&KINDS[k], &pair, (enum content)(k % CONTENTS), (uint32_t)k + 77, 1);
        check_symmetry(&KINDS[k], &pair, k);
        free_pair(&pair);
    }
}

/* Any 16 bits: the score has no meaning but is a number, and 1 for the same frame. */
CUDA_TEST(above_the_peak)
{
    for (int k = 0; k < KIND_COUNT; k++) {
        if (KINDS[k].type != SSIMCU_SAMPLE_U16) continue;
        check_random random = {(uint32_t)k};
        struct pair pair = make_pair(&KINDS[k], 211, 77, k % 2);
        for (size_t i = 0; i < pair.frames.bytes; i++)
            for (int image = 0; image < 2; image++)
                pair.memory[image][i] = (uint8_t)check_draw(&random);
        check_symmetry(&KINDS[k], &pair, k);
        free_pair(&pair);
    }
}

/* Floats beyond white are scored as they are. */
CUDA_TEST(outside_the_range)
{
    static const float most[] = {2, 16, 200, 3000, 60000, -1, -0.02f, -300};
    for (int k = 0; k < KIND_COUNT; k++)
        for (size_t m = 0; m < sizeof most / sizeof most[0]; m++) {
            struct kind kind = KINDS[k];
            kind.frames = 1;
            if (!is_float(&kind) || (kind.type == SSIMCU_SAMPLE_F16 && kind.peak > 1)) continue;
            struct pair pair = make_pair(&kind, 150, 90, (int)m % 2);
            fill(&kind, &pair, (enum content)(m % CONTENTS), (uint32_t)k, most[m]);
            check_pair(&kind, &pair, fabsf(most[m]) < 300 ? 1e-4 : 2e-2, "outside");
            check_symmetry(&kind, &pair, k);
            free_pair(&pair);
        }
}

/* One sample anywhere is not a number: only the sum of its plane is NaN. */
CUDA_TEST(not_finite)
{
    static const float wrong[] = {NAN, INFINITY, -INFINITY, -70000, 66048};
    check_random random = {5};
    for (int k = 0; k < KIND_COUNT; k++)
        for (size_t i = 0; i < 5; i++) {
            struct kind kind = KINDS[k];
            const float sample = i < 3 ? wrong[i] : wrong[i] * kind.peak;
            if (!is_float(&kind)) continue;
            if (kind.type == SSIMCU_SAMPLE_F16 && fabsf(sample) > 65504) continue;
            const int width = 170, height = 47;
            struct pair pair = make_pair(&kind, width, height, k % 2);
            fill(&kind, &pair, NOISE, (uint32_t)k, 1);
            const int frame = (int)check_between(&random, 0, (uint32_t)kind.frames - 1);
            const int c = (int)check_between(&random, 0, (uint32_t)kind.channels - 1);
            const int x = i == 0 ? width - 1 : (int)check_between(&random, 0, (uint32_t)width - 1);
            const int y =
                i == 1 ? height - 1 : (int)check_between(&random, 0, (uint32_t)height - 1);
            uint8_t *at = place(&kind, &pair, (int)i % 2, frame, c, x, y);
            const uint16_t word = isnan(sample) ? 0x7fff : 0x7c00;
            if (kind.type == SSIMCU_SAMPLE_F16)
                memcpy(at, &word, sizeof word);
            else
                put(&kind, at, sample);
            double sums[9];
            device_ssim(&pair.frames, sums, NULL);
            for (int p = 0; p < kind.frames * kind.channels; p++)
                cr_assert_eq(isnan(sums[p]) != 0, p == frame * kind.channels + c,
                             "kind %d, %g at (%d, %d), plane %d of %d: %g", k, (double)sample, x, y,
                             p, frame * kind.channels + c, sums[p]);
            free_pair(&pair);
        }
}
