/* The SSIM kernels of float planes by themselves against the CPU's map: on the tensor cores, and
 * without, where small frames are computed in double. The planes hold 16-bit samples in 8-bit
 * units, which binary16 cannot hold. What lies between the end of a row and its pitch is NaN. */
#include "check.h"
#include "device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_TEST(name)                                                                            \
    static void name(enum device_path path);                                                       \
    Test(ssim_planes, name##_tensor)                                                               \
    {                                                                                              \
        if (check_has_cuda()) name(DEVICE_F32);                                                    \
    }                                                                                              \
    Test(ssim_planes, name##_plain)                                                                \
    {                                                                                              \
        if (check_has_cuda()) name(DEVICE_FMA);                                                    \
    }                                                                                              \
    static void name(enum device_path path)

/* Window positions up to which windows are computed in double, and from which the pipeline uses
 * the tensor cores. */
enum { SMALL = 1 << 14, LARGE = 1 << 18 };

enum content { NOISE, NEAR, RAMP, PATCHES, APART, DARK, CHECKERS, CONTENTS };

struct pair {
    struct device_frames frames;
    uint16_t *ref, *out; /* interleaved samples, frames one after the other */
};

static int clip(int v) { return v < 0 ? 0 : v > 65535 ? 65535 : v; }

static void draw(check_random *random, enum content content, uint32_t x, uint32_t y, uint16_t *ref,
                 uint16_t *out)
{
    const int noise = (int)check_between(random, 0, 4626) - 2313;
    const int patch = (int)((x / 23 * 31 + y / 19 * 17) * 2654435761u >> 8 & 65535);
    const int other = (int)((x / 17 * 13 + y / 9 * 41) * 2654435761u >> 8 & 65535);
    const int checker = (x / 9 + y / 7) % 2 ? 65535 : 0;
    const int level = content == PATCHES || content == APART ? patch
                      : content == CHECKERS                  ? checker
                      : content == RAMP                      ? (int)((x + 2 * y) * 23 & 65535)
                      : content == DARK                      ? (int)check_between(random, 0, 700)
                                                             : (int)check_between(random, 0, 65535);
    *ref = (uint16_t)level;
    *out = (uint16_t)(content == NOISE                     ? (int)check_between(random, 0, 65535)
                      : content == APART                   ? clip(other + noise / 8)
                      : content == CHECKERS                ? (x / 5 + y / 11) % 2 ? 65000 : 100
                      : content == RAMP || content == DARK ? clip(level + noise / 30)
                                                           : clip(level + noise));
}

static struct pair make_pair(enum device_path path, int width, int height, int channels, int frames,
                             int zero_pad)
{
    const size_t pitch = ((size_t)width + 3) / 4 * 16 + 16, plane = pitch * (size_t)height + 32;
    const size_t samples = (size_t)width * (size_t)height * (size_t)(channels * frames);
    struct pair pair = {.ref = malloc(samples * sizeof(uint16_t)),
                        .out = malloc(samples * sizeof(uint16_t))};
    pair.frames = (struct device_frames){.path = path,
                                         .bytes = plane * (size_t)(channels * frames),
                                         .width = width,
                                         .height = height,
                                         .channels = channels,
                                         .frames = frames,
                                         .zero_pad = zero_pad,
                                         .pitch_bytes = pitch,
                                         .plane_bytes = plane,
                                         .frame_bytes = plane * (size_t)channels};
    return pair;
}

static size_t sample_at(const struct device_frames *f, int frame, int c, int x, int y)
{
    return (((size_t)frame * (size_t)f->height + (size_t)y) * (size_t)f->width + (size_t)x) *
               (size_t)f->channels +
           (size_t)c;
}

/* Returns the samples as float planes with NaN around them. */
static float *make_planes(const struct device_frames *f, const uint16_t *from)
{
    float *planes = malloc(f->bytes);
    for (size_t i = 0; i < f->bytes / sizeof(float); i++) planes[i] = NAN;
    for (int frame = 0; frame < f->frames; frame++)
        for (int c = 0; c < f->channels; c++)
            for (int y = 0; y < f->height; y++)
                for (int x = 0; x < f->width; x++)
                    planes[((size_t)frame * f->frame_bytes + (size_t)c * f->plane_bytes +
                            (size_t)y * f->pitch_bytes) /
                               sizeof(float) +
                           (size_t)x] = (float)from[sample_at(f, frame, c, x, y)] / 257.0f;
    return planes;
}

static void fill(struct pair *pair, enum content content, uint32_t seed)
{
    check_random random = {seed};
    const struct device_frames *f = &pair->frames;
    for (int frame = 0; frame < f->frames; frame++)
        for (int y = 0; y < f->height; y++)
            for (int x = 0; x < f->width; x++)
                for (int c = 0; c < f->channels; c++) {
                    const size_t at = sample_at(f, frame, c, x, y);
                    draw(&random, content, (uint32_t)x, (uint32_t)y, &pair->ref[at],
                         &pair->out[at]);
                }
    pair->frames.ref = make_planes(f, pair->ref);
    pair->frames.out = make_planes(f, pair->out);
}

static void free_pair(struct pair *pair)
{
    free((void *)pair->frames.ref);
    free((void *)pair->frames.out);
    free(pair->ref);
    free(pair->out);
}

static size_t map_plane(const struct device_frames *f)
{
    const int shrink = f->zero_pad ? 0 : 10;
    return (size_t)(f->width - shrink) * (size_t)(f->height - shrink);
}

static ssimcu_frame frame_of(const struct device_frames *f, uint16_t *samples, int frame)
{
    return (ssimcu_frame){.data = samples + sample_at(f, frame, 0, 0, 0),
                          .width = (uint32_t)f->width,
                          .height = (uint32_t)f->height,
                          .channels = (uint32_t)f->channels,
                          .bits = 16,
                          .pitch = (size_t)(f->width * f->channels) * sizeof(uint16_t)};
}

/* Checks one frame's sums and map against the CPU's. */
static void check_one(const struct pair *pair, int frame, const double *sums, const float *map,
                      int label)
{
    const struct device_frames *f = &pair->frames;
    const ssimcu_frame ref = frame_of(f, pair->ref, frame), out = frame_of(f, pair->out, frame);
    const size_t windows = map_plane(f);
    const double tolerance = f->path == DEVICE_F32 && windows < LARGE    ? 2e-5
                             : f->path == DEVICE_FMA && windows <= SMALL ? 2e-7
                                                                         : 1e-6;
    check_kernel(&ref, &out, f->zero_pad, sums, map, tolerance, label);
}

static void check_pair(const struct pair *pair, int label)
{
    const struct device_frames *f = &pair->frames;
    const size_t planes = (size_t)(f->frames * f->channels), plane = map_plane(f);
    double sums[9], sums_with_map[9];
    float *map = malloc(planes * plane * sizeof *map);
    device_ssim(f, sums, NULL);
    device_ssim(f, sums_with_map, map);
    if (f->path == DEVICE_FMA)
        cr_assert_eq(memcmp(sums, sums_with_map, planes * sizeof *sums), 0, "case %d", label);
    for (size_t p = 0; p < planes; p++) /* tensor cores may repeat more tiles for a map */
        check_near(sums_with_map[p] / (double)plane, sums[p] / (double)plane,
                   plane < LARGE ? 2e-5 : 1e-6, "case %d: with a map", label);
    for (int frame = 0; frame < f->frames; frame++) {
        const size_t first = (size_t)(frame * f->channels);
        check_one(pair, frame, sums + first, map + first * plane, label);
    }
    free(map);
}

CUDA_TEST(any_size)
{
    static const int sizes[][2] = {{1, 1},     {3, 1},    {10, 10},   {11, 11},   {12, 300},
                                   {300, 12},  {37, 53},  {129, 265}, {22, 18},   {261, 219},
                                   {48, 200},  {1, 30},   {128, 128}, {131, 127}, {1, 20011},
                                   {20011, 1}, {12, 9011}};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        for (int pad = 0; pad <= 1; pad++)
            for (int content = NOISE; content < CONTENTS; content++) {
                if (!pad && (sizes[s][0] < 11 || sizes[s][1] < 11)) continue;
                const int label = (int)s * 100 + content, channels = content % 2 ? 3 : 1;
                struct pair pair =
                    make_pair(path, sizes[s][0], sizes[s][1], channels, 1 + content % 3, pad);
                fill(&pair, (enum content)content, (uint32_t)label + 1);
                check_pair(&pair, label);
                free_pair(&pair);
            }
}

CUDA_TEST(ragged_4k)
{
    for (int content = NOISE; content < CONTENTS; content++) {
        struct pair pair = make_pair(path, 3841, 2161, 1, 1, content % 2);
        fill(&pair, (enum content)content, 9);
        check_pair(&pair, content);
        free_pair(&pair);
    }
}

/* A bright and nearly flat frame has zeros around it: every window lies at an edge. */
CUDA_TEST(small_and_bright)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        check_random random = {seed};
        const int width = (int)check_between(&random, 11, 40);
        const int height = (int)check_between(&random, 11, 40);
        struct pair pair = make_pair(path, width, height, 1, 1, 1);
        fill(&pair, NOISE, seed);
        for (int i = 0; i < width * height; i++) {
            pair.ref[i] = (uint16_t)(257 * check_between(&random, 160, 200));
            pair.out[i] = (uint16_t)(257 * check_between(&random, 180, 213));
        }
        free((void *)pair.frames.ref);
        free((void *)pair.frames.out);
        pair.frames.ref = make_planes(&pair.frames, pair.ref);
        pair.frames.out = make_planes(&pair.frames, pair.out);
        check_pair(&pair, (int)seed);
        free_pair(&pair);
    }
}

CUDA_TEST(swapping_and_batching_change_no_bit)
{
    for (int content = NOISE; content < CONTENTS; content++) {
        struct pair pair = make_pair(path, 301, 207, content % 2 ? 3 : 1, 3, content % 2);
        fill(&pair, (enum content)content, (uint32_t)content + 77);
        double sums[9], swapped[9], alone[3], same[9];
        device_ssim(&pair.frames, sums, NULL);
        struct device_frames other = pair.frames;
        other.ref = pair.frames.out, other.out = pair.frames.ref;
        device_ssim(&other, swapped, NULL);
        other.out = other.ref;
        device_ssim(&other, same, NULL);
        const int channels = pair.frames.channels;
        const size_t planes = (size_t)(channels * pair.frames.frames);
        cr_assert_eq(memcmp(sums, swapped, planes * sizeof *sums), 0, "content %d", content);
        for (size_t p = 0; p < planes; p++) cr_assert_eq(same[p], 0, "content %d", content);
        for (int frame = 0; frame < pair.frames.frames; frame++) {
            struct device_frames one = pair.frames;
            one.frames = 1;
            one.offset = (size_t)frame * one.frame_bytes;
            device_ssim(&one, alone, NULL);
            cr_assert_eq(memcmp(alone, sums + frame * channels, (size_t)channels * sizeof *sums), 0,
                         "content %d, frame %d", content, frame);
        }
        free_pair(&pair);
    }
}
