/* The CPU's instruction-set levels against the double reference and against each other. Each
 * level must read nothing but the frames. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "api/context.h"
#include "check.h"
#include "ssim_reference.h"
#include "ssimcu_io.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The tolerance of the score and of each element of the map: as floats, two neighbours below 1
 * are 6e-8 apart. */
static const double TOLERANCE = 1e-7;
static const double FEW_WINDOWS = 4e-7; /* 2.3e-7 was seen between levels */

enum { LEVELS = SSIMCU_CPU_NEON + 1 };

/* Opens a context for each level that this CPU has; the others stay NULL. */
static void open_levels(ssimcu_context *context[LEVELS], ssimcu_settings settings)
{
    int usable = 0;
    settings.struct_size = sizeof settings;
    settings.device = SSIMCU_DEVICE_CPU;
    for (int level = SSIMCU_CPU_BEST; level < LEVELS; level++) {
        const ssimcu_status status =
            ssimcu_open_level(&settings, (enum ssimcu_cpu_level)level, &context[level], NULL);
        cr_assert(status == SSIMCU_OK || status == SSIMCU_ERROR_DEVICE);
        usable += status == SSIMCU_OK;
    }
    cr_assert(context[SSIMCU_CPU_BEST] && context[SSIMCU_CPU_PLAIN] && usable >= 2);
}

static void close_levels(ssimcu_context *context[LEVELS])
{
    for (int level = 0; level < LEVELS; level++) ssimcu_close(&context[level]);
}

/* Noise, patches and ramps of any step, with little, much or opposite damage. */
static void draw_pair(check_random *random, ssimcu_frame *ref, ssimcu_frame *out)
{
    const uint32_t kind = check_between(random, 0, 4), step = check_between(random, 5, 60);
    const uint32_t salt = check_draw(random), least = check_between(random, 0, 255);
    for (uint32_t y = 0; y < ref->height; y++)
        for (uint32_t x = 0; x < ref->width; x++)
            for (uint32_t c = 0; c < ref->channels; c++) {
                const uint32_t patch = ((x / step) * 31 + (y / step) * 17 + c * 7) * 2654435761u;
                uint32_t a = kind == 0 ? check_draw(random) : patch >> 8, b = a;
                if (kind == 1) b = (patch + salt) >> 8;
                if (kind == 2) b = a + check_between(random, 0, 20);
                if (kind == 3) a = least + x / step, b = a + (x % 7 == y % 5);
                if (kind == 4) b = ~a;
                check_set_sample(ref, x, y, c, ref->bits == 16 ? a * 257 + (a >> 16) % 200 : a);
                check_set_sample(out, x, y, c, out->bits == 16 ? b * 257 + (b >> 16) % 200 : b);
            }
}

static void check_pair(ssimcu_context *const context[LEVELS], const ssimcu_frame *ref,
                       const ssimcu_frame *out, int zero_pad, int number)
{
    const size_t most = (size_t)ref->width * ref->height * 3;
    float *expected_map = malloc(most * sizeof(float));
    float *low_map = malloc(most * sizeof(float)), *high_map = malloc(most * sizeof(float));
    double expected;
    cr_assert_eq(reference_score(ref, out, zero_pad, &expected, expected_map), 0);
    double low = 2, high = -2, apart = 0;
    for (size_t i = 0; i < most; i++) low_map[i] = 2, high_map[i] = -2;
    for (int level = 0; level < LEVELS; level++) {
        if (!context[level]) continue;
        ssimcu_map map;
        const double score = check_compare_map(context[level], ref, out, &map).score;
        check_near(score, expected, TOLERANCE, "case %d, level %d: %ux%u, %u channels", number,
                   level, ref->width, ref->height, ref->channels);
        low = fmin(low, score), high = fmax(high, score);
        for (size_t i = 0; i < (size_t)map.width * map.height * map.channels; i++) {
            const double error = fabs((double)map.data[i] - (double)expected_map[i]);
            cr_assert(error <= TOLERANCE, "case %d, level %d: map element %zu off by %g", number,
                      level, i, error);
            low_map[i] = fminf(low_map[i], map.data[i]);
            high_map[i] = fmaxf(high_map[i], map.data[i]);
            apart = fmax(apart, (double)high_map[i] - (double)low_map[i]);
        }
        free(map.data);
    }
    cr_assert(high - low <= TOLERANCE, "case %d: the levels differ by %g", number, high - low);
    cr_assert(apart <= TOLERANCE, "case %d: the levels' maps differ by %g", number, apart);
    free(expected_map), free(low_map), free(high_map);
}

static void ragged_cases(ssimcu_pad pad, int count)
{
    ssimcu_context *context[LEVELS] = {NULL};
    const uint32_t least = pad == SSIMCU_PAD_ZERO ? 1 : 11;
    check_random random = {11 + (uint32_t)pad};
    open_levels(context, (ssimcu_settings){.pad = pad});
    for (int i = 0; i < count; i++) {
        const uint32_t width = check_between(&random, least, i % 50 ? 120 : 400);
        const uint32_t height = check_between(&random, least, i % 50 ? 60 : 500);
        const uint32_t channels = i % 3 ? 1 : 3, draw = check_draw(&random);
        ssimcu_frame ref = check_frame(width, height, channels, draw & 1 ? 8 : 16);
        ssimcu_frame out = check_frame(width, height, channels, draw & 2 ? 8 : 16);
        draw_pair(&random, &ref, &out);
        check_pair(context, &ref, &out, pad == SSIMCU_PAD_ZERO, i);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
    close_levels(context);
}

Test(ssim_cpu, levels_on_ragged_pairs_valid) { ragged_cases(SSIMCU_PAD_VALID, 1000 / CHECK_LESS); }
Test(ssim_cpu, levels_on_ragged_pairs_zero) { ragged_cases(SSIMCU_PAD_ZERO, 1000 / CHECK_LESS); }

static bool same_map(const ssimcu_map *a, const ssimcu_map *b)
{
    return memcmp(a->data, b->data, (size_t)a->width * a->height * a->channels * sizeof(float)) ==
           0;
}

/* A map changes no bit of the score. Swapped frames change no bit of the map. Identical frames
 * have a map of nothing but 1. */
Test(ssim_cpu, maps_of_swapped_and_of_identical_frames)
{
    check_random random = {51};
    for (int i = 0; i < 100; i++) {
        const ssimcu_pad pad = i % 2 ? SSIMCU_PAD_ZERO : SSIMCU_PAD_VALID;
        ssimcu_context *context[LEVELS] = {NULL};
        const uint32_t width = check_between(&random, 11, 130);
        const uint32_t height = check_between(&random, 11, i % 10 ? 60 : 450);
        const uint32_t channels = i % 3 ? 3 : 1, draw = check_draw(&random);
        ssimcu_frame ref = check_frame(width, height, channels, draw & 1 ? 8 : 16);
        ssimcu_frame out = check_frame(width, height, channels, draw & 2 ? 8 : 16);
        draw_pair(&random, &ref, &out);
        open_levels(context, (ssimcu_settings){.pad = pad});
        for (int level = 0; level < LEVELS; level++) {
            if (!context[level]) continue;
            ssimcu_map there, back, self;
            const double score = check_compare_map(context[level], &ref, &out, &there).score;
            cr_assert_eq(score, check_compare(context[level], &ref, &out).score, "case %d", i);
            cr_assert_eq(score, check_compare_map(context[level], &out, &ref, &back).score,
                         "case %d", i);
            cr_assert(same_map(&there, &back), "case %d, level %d: swapped", i, level);
            cr_assert_eq(check_compare_map(context[level], &ref, &ref, &self).score, 1.0, "case %d",
                         i);
            for (size_t k = 0; k < (size_t)self.width * self.height * self.channels; k++)
                cr_assert_eq(self.data[k], 1.0f, "case %d, level %d: element %zu", i, level, k);
            free(there.data), free(back.data), free(self.data);
        }
        close_levels(context);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

static ssimcu_frame read_photo(const char *name)
{
    char path[512];
    ssimcu_frame frame;
    snprintf(path, sizeof path, "%s/%s", SSIMCU_TESTDATA, name);
    cr_assert_eq(ssimcu_image_read(path, NULL, &frame, NULL), SSIMCU_OK);
    return frame;
}

Test(ssim_cpu, levels_on_the_photo)
{
    ssimcu_context *context[LEVELS] = {NULL};
    ssimcu_frame ref = read_photo("dandelion-ref.png"), out = read_photo("dandelion-jpeg-q50.jpg");
    ref.height /= CHECK_LESS, out.height /= CHECK_LESS;
    ssimcu_frame ref16 = check_widen(&ref);
    open_levels(context, (ssimcu_settings){0});
    check_pair(context, &ref, &out, 0, 8);
    check_pair(context, &ref16, &out, 0, 16);
    close_levels(context);
    ssimcu_frame *const all[] = {&ref, &out, &ref16};
    for (int i = 0; i < 3; i++) ssimcu_frame_free(all[i]);
}

Test(ssim_cpu, levels_on_small_files)
{
    static const char *const pair[][2] = {{"rgb8_a.png", "rgb8_b.png"},
                                          {"grey8_a.png", "grey8_b.png"},
                                          {"rgb16_a.png", "rgb16_b.png"},
                                          {"tiny11x11.png", "tiny11x11_b.png"},
                                          {"yuv444.jpg", "yuv444_b.jpg"}};
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        ssimcu_context *context[LEVELS] = {NULL};
        open_levels(context, (ssimcu_settings){.pad = (ssimcu_pad)pad});
        for (int i = 0; i < (int)(sizeof pair / sizeof pair[0]); i++) {
            ssimcu_frame ref = read_photo(pair[i][0]), out = read_photo(pair[i][1]);
            check_pair(context, &ref, &out, pad, i);
            ssimcu_frame_free(&ref);
            ssimcu_frame_free(&out);
        }
        close_levels(context);
    }
}

/* Opening fails at a level that the CPU or the build lacks. */
Test(ssim_cpu, missing_level)
{
    ssimcu_settings settings = {.struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU};
    ssimcu_context *context = NULL;
    int missing = 0;
    for (int level = SSIMCU_CPU_PLAIN; level < LEVELS; level++) {
        ssimcu_message message = {{0}};
        const ssimcu_status status =
            ssimcu_open_level(&settings, (enum ssimcu_cpu_level)level, &context, &message);
        if (status == SSIMCU_ERROR_DEVICE) {
            missing++;
            cr_assert_null(context);
            cr_assert_neq(message.text[0], '\0');
        }
        ssimcu_close(&context);
    }
    cr_assert(missing >= 1, "no CPU has both AVX and NEON");
}

/* Makes a frame whose first byte begins a page or whose last byte ends one, or both. The pages
 * on either side must not be touched. */
static ssimcu_frame fenced_frame(uint32_t width, uint32_t height, uint32_t channels, uint32_t bits,
                                 int at_end, void **memory, size_t *bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pitch = (size_t)width * channels * bits / 8;
    const size_t inside = (pitch * height + page - 1) / page * page;
    *bytes = inside + 2 * page;
    char *start = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq((void *)start, MAP_FAILED);
    cr_assert_eq(mprotect(start, page, PROT_NONE), 0);
    cr_assert_eq(mprotect(start + page + inside, page, PROT_NONE), 0);
    *memory = start;
    return (ssimcu_frame){width, height, channels,
                          bits,  pitch,  start + page + (at_end ? inside - pitch * height : 0),
                          0};
}

Test(ssim_cpu, reads_nothing_outside_the_frames)
{
    check_random random = {31};
    ssimcu_context *context[2][LEVELS] = {{NULL}};
    for (int pad = 0; pad < 2; pad++)
        open_levels(context[pad], (ssimcu_settings){.pad = (ssimcu_pad)pad});
    for (uint32_t i = 0; i < 600; i++) {
        const bool near_a_tile = i % 3 == 0;
        const uint32_t width =
            near_a_tile ? check_between(&random, 124, 130) : check_between(&random, 11, 150);
        const uint32_t height = check_between(&random, 11, 30);
        void *memory[2];
        size_t bytes[2];
        ssimcu_frame frame[2];
        for (int k = 0; k < 2; k++) {
            frame[k] = fenced_frame(width, height, 1 + i / 2 % 4, i / 8 % 2 ? 16 : 8, i % 2,
                                    &memory[k], &bytes[k]);
            for (size_t b = 0; b < frame[k].pitch * height; b++)
                ((uint8_t *)frame[k].data)[b] = (uint8_t)check_draw(&random);
        }
        for (int pad = 0; pad < 2; pad++)
            for (int level = 0; level < LEVELS; level++) {
                if (!context[pad][level]) continue;
                ssimcu_map map;
                cr_assert_lt(
                    check_compare_map(context[pad][level], &frame[0], &frame[1], &map).score, 1);
                free(map.data);
            }
        for (int k = 0; k < 2; k++) munmap(memory[k], bytes[k]);
    }
    for (int pad = 0; pad < 2; pad++) close_levels(context[pad]);
}

/* Frames have one window or a few, of any contrast: nothing averages the rounding of a window
 * out. */
Test(ssim_cpu_levels, frames_of_a_few_windows)
{
    ssimcu_context *context[2][LEVELS] = {{0}};
    check_random random = {16};
    for (int pad = 0; pad < 2; pad++)
        open_levels(context[pad], (ssimcu_settings){.pad = (ssimcu_pad)pad});
    for (int i = 0; i < 20000; i++) {
        ssimcu_frame frame[2];
        const uint32_t width = check_between(&random, 11, 14);
        const uint32_t height = check_between(&random, 11, 14);
        for (int k = 0; k < 2; k++) {
            frame[k] = check_frame(width, height, 1, i % 2 ? 16 : 8);
            const uint32_t peak = i % 2 ? 65535 : 255;
            const uint32_t noise = peak >> check_between(&random, 0, i % 2 ? 16 : 8);
            const uint32_t base = check_between(&random, 0, peak - noise);
            for (uint32_t y = 0; y < height; y++)
                for (uint32_t x = 0; x < width; x++)
                    check_set_sample(&frame[k], x, y, 0, base + check_between(&random, 0, noise));
        }
        for (int pad = 0; pad < 2; pad++) {
            const double best = check_compare(context[pad][0], &frame[0], &frame[1]).score;
            for (int level = 1; level < LEVELS; level++)
                if (context[pad][level])
                    check_near(check_compare(context[pad][level], &frame[0], &frame[1]).score, best,
                               FEW_WINDOWS, "level %d, pad %d, pair %d", level, pad, i);
        }
        for (int k = 0; k < 2; k++) ssimcu_frame_free(&frame[k]);
    }
    for (int pad = 0; pad < 2; pad++) close_levels(context[pad]);
}
