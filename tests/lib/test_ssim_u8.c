/* The 8-bit SSIM kernel by itself against the CPU's map. It reads every layout, at sizes that
 * the pipeline gives to the other kernel too. */
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_TEST(name)                                                                            \
    static void name(void);                                                                        \
    Test(ssim_u8, name)                                                                            \
    {                                                                                              \
        if (check_has_cuda()) name();                                                              \
    }                                                                                              \
    static void name(void)

struct layout {
    int channels, frames, interleaved;
    size_t gap;    /* bytes after each row and each plane */
    size_t offset; /* the first sample's */
};

static const struct layout LAYOUTS[] = {{1, 1, 1, 0, 0}, {3, 1, 1, 0, 0}, {3, 1, 0, 0, 0},
                                        {3, 2, 1, 0, 0}, {1, 3, 0, 3, 0}, {3, 2, 0, 5, 1},
                                        {3, 3, 1, 1, 7}, {1, 2, 1, 8, 8}};
enum { LAYOUT_COUNT = sizeof LAYOUTS / sizeof LAYOUTS[0] };

enum { LARGE = 1 << 18 }; /* window positions from which the pipeline uses this kernel */

enum content { NOISE, NEAR, RAMP, PATCHES, APART, CONTENTS };

static uint8_t clip(int v) { return (uint8_t)(v < 0 ? 0 : v > 255 ? 255 : v); }

/* A pair of samples. */
static void draw(check_random *random, enum content content, uint32_t x, uint32_t y, uint32_t c,
                 uint8_t *ref, uint8_t *out)
{
    const int noise = (int)check_between(random, 0, 18) - 9;
    const uint32_t patch = x / 23 * 31 + y / 19 * 17 + c * 7, other = x / 17 * 13 + y / 9 * 41;
    const int level = content >= PATCHES ? (int)(patch * 2654435761u >> 8 & 255)
                      : content == RAMP  ? (int)((x + 2 * y) / 3 & 255)
                                         : (int)(check_draw(random) & 255);
    *ref = (uint8_t)level;
    *out = content == NOISE   ? (uint8_t)(check_draw(random) & 255)
           : content == RAMP  ? clip(level + (noise > 5) - (noise < -5))
           : content == APART ? clip((int)(other * 2654435761u >> 8 & 255) + noise / 4)
                              : clip(level + noise);
}

struct pair {
    struct device_frames frames;
    uint8_t *ref, *out;
};

static size_t sample_at(const struct device_frames *f, int frame, int c, uint32_t x, uint32_t y)
{
    const size_t start = f->offset + (size_t)frame * f->frame_bytes + y * f->pitch_bytes;
    return f->interleaved ? start + x * (size_t)f->channels + (size_t)c
                          : start + (size_t)c * f->plane_bytes + x;
}

static struct pair make_pair(const struct layout *layout, int width, int height, int zero_pad)
{
    const size_t pitch =
        (size_t)width * (size_t)(layout->interleaved ? layout->channels : 1) + layout->gap;
    const size_t plane = pitch * (size_t)height + (layout->interleaved ? 0 : layout->gap);
    const size_t frame = layout->interleaved ? plane : plane * (size_t)layout->channels;
    const size_t bytes = layout->offset + frame * (size_t)layout->frames - 2 * layout->gap;
    struct pair pair = {.ref = calloc(bytes + 2 * layout->gap, 1),
                        .out = calloc(bytes + 2 * layout->gap, 1)};
    pair.frames = (struct device_frames){.ref = pair.ref,
                                         .out = pair.out,
                                         .bytes = bytes + (layout->interleaved ? layout->gap : 0),
                                         .offset = layout->offset,
                                         .width = width,
                                         .height = height,
                                         .channels = layout->channels,
                                         .frames = layout->frames,
                                         .interleaved = layout->interleaved,
                                         .zero_pad = zero_pad,
                                         .pitch_bytes = pitch,
                                         .plane_bytes = plane,
                                         .frame_bytes = frame};
    return pair;
}

static void free_pair(struct pair *pair)
{
    free(pair->ref);
    free(pair->out);
}

static void fill(struct pair *pair, enum content content, uint32_t seed)
{
    check_random random = {seed};
    const struct device_frames *f = &pair->frames;
    for (int frame = 0; frame < f->frames; frame++)
        for (uint32_t y = 0; y < (uint32_t)f->height; y++)
            for (uint32_t x = 0; x < (uint32_t)f->width; x++)
                for (int c = 0; c < f->channels; c++) {
                    const size_t at = sample_at(f, frame, c, x, y);
                    draw(&random, content, x, y, (uint32_t)c, &pair->ref[at], &pair->out[at]);
                }
}

/* Returns one frame of the pair as the library knows it. */
static ssimcu_frame take(const struct device_frames *f, const uint8_t *from, int frame)
{
    const ssimcu_frame taken =
        check_frame((uint32_t)f->width, (uint32_t)f->height, (uint32_t)f->channels, 8);
    for (uint32_t y = 0; y < taken.height; y++)
        for (uint32_t x = 0; x < taken.width; x++)
            for (int c = 0; c < f->channels; c++)
                ((uint8_t *)taken.data)[y * taken.pitch + x * taken.channels + (uint32_t)c] =
                    from[sample_at(f, frame, c, x, y)];
    return taken;
}

static size_t map_plane(const struct device_frames *f)
{
    const int shrink = f->zero_pad ? 0 : 10;
    return (size_t)(f->width - shrink) * (size_t)(f->height - shrink);
}

/* Checks one frame's sums and map against the CPU's. */
static void check_one(const struct pair *pair, int frame, const double *sums, const float *map,
                      int label)
{
    const struct device_frames *f = &pair->frames;
    ssimcu_frame ref = take(f, pair->ref, frame), out = take(f, pair->out, frame);
    const double tolerance = map_plane(f) >= LARGE ? 1e-6 : 2e-5;
    check_kernel(&ref, &out, f->zero_pad, sums, map, tolerance, label);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

static void check_pair(const struct pair *pair, int label)
{
    const struct device_frames *f = &pair->frames;
    const size_t planes = (size_t)(f->frames * f->channels), plane = map_plane(f);
    double sums[9], sums_with_map[9];
    float *map = malloc(planes * plane * sizeof *map);
    device_ssim(f, sums, NULL);
    device_ssim(f, sums_with_map, map);
    for (size_t p = 0; p < planes; p++) /* tensor cores may repeat more tiles for a map */
        check_near(sums_with_map[p] / (double)plane, sums[p] / (double)plane,
                   plane < LARGE ? 2e-5 : 1e-6, "case %d: with a map", label);
    for (int frame = 0; frame < f->frames; frame++) {
        const size_t first = (size_t)(frame * f->channels);
        check_one(pair, frame, sums + first, map + first * plane, label);
    }
    free(map);
}

CUDA_TEST(any_layout_and_size)
{
    static const int sizes[][2] = {{1, 1},   {3, 1},     {10, 10}, {11, 11},   {12, 300}, {300, 12},
                                   {37, 53}, {129, 265}, {32, 26}, {261, 219}, {48, 200}, {1, 30}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int pad = 0; pad <= 1; pad++)
            for (int l = 0; l < LAYOUT_COUNT; l++) {
                if (!pad && (sizes[s][0] < 11 || sizes[s][1] < 11)) continue;
                struct pair pair = make_pair(&LAYOUTS[l], sizes[s][0], sizes[s][1], pad);
                const int label = (int)s * 100 + l;
                fill(&pair, (enum content)(label % CONTENTS), (uint32_t)label + 1);
                check_pair(&pair, label);
                free_pair(&pair);
            }
}

CUDA_TEST(ragged_4k)
{
    const struct layout layout = {1, 1, 1, 0, 0};
    for (enum content content = NOISE; content < CONTENTS; content++) {
        struct pair pair = make_pair(&layout, 3841, 2161, 0);
        fill(&pair, content, 9);
        check_pair(&pair, (int)content);
        free_pair(&pair);
    }
}

CUDA_TEST(flat_pairs)
{
    const struct layout layout = {1, 1, 1, 0, 0};
    struct pair pair = make_pair(&layout, 40, 30, 0);
    const double positions = (double)map_plane(&pair.frames);
    for (int a = 0; a < 256; a += 15)
        for (int b = 0; b < 256; b += 5) {
            memset(pair.ref, a, pair.frames.bytes);
            memset(pair.out, b, pair.frames.bytes);
            const double expected = (2.0 * a * b + 6.5025) / (a * a + b * b + 6.5025);
            double sum;
            device_ssim(&pair.frames, &sum, NULL);
            check_near(1 - sum / positions, expected, 1e-6, "%d against %d", a, b);
            if (a == b) cr_assert_eq(sum, 0);
        }
    free_pair(&pair);
}

CUDA_TEST(swapping_and_batching_change_no_bit)
{
    for (int l = 0; l < LAYOUT_COUNT; l++) {
        struct pair pair = make_pair(&LAYOUTS[l], 301, 207, l % 2);
        fill(&pair, (enum content)(l % CONTENTS), (uint32_t)l + 77);
        double sums[9], swapped[9], alone[3], same[9];
        device_ssim(&pair.frames, sums, NULL);
        struct device_frames other = pair.frames;
        other.ref = pair.out, other.out = pair.ref;
        device_ssim(&other, swapped, NULL);
        other.out = other.ref;
        device_ssim(&other, same, NULL);
        const int channels = pair.frames.channels;
        const size_t planes = (size_t)(channels * pair.frames.frames);
        cr_assert_eq(memcmp(sums, swapped, planes * sizeof *sums), 0, "layout %d", l);
        for (size_t p = 0; p < planes; p++) cr_assert_eq(same[p], 0, "layout %d", l);
        for (int frame = 0; frame < pair.frames.frames; frame++) {
            struct device_frames one = pair.frames;
            one.frames = 1;
            one.offset += (size_t)frame * one.frame_bytes;
            device_ssim(&one, alone, NULL);
            cr_assert_eq(memcmp(alone, sums + frame * channels, (size_t)channels * sizeof *sums), 0,
                         "layout %d, frame %d", l, frame);
        }
        free_pair(&pair);
    }
}
