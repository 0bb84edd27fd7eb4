/* The CPU's row reader, its threads and what memory it takes. Its instruction-set levels:
 * test_ssim_cpu_levels.c. */
#include "check.h"
#include "cpu/ssim/read_interleaved.h"
#include "cpu/ssim/ssim_tiles.h"
#include "plan/view.h"
#include "ssim_reference.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The row reader is the pixel rule to the last bit, for every format and rule. */
Test(ssim_cpu, samples_are_the_rule)
{
    check_random random = {21};
    for (uint32_t mix = 0; mix < 4 * 2 * 2 * 3 * 3; mix++) {
        const uint32_t channels = 1 + mix % 4, bits = mix / 4 % 2 ? 16 : 8, color = mix / 16 % 3;
        const uint32_t peak = bits == 16 || mix / 8 % 2 ? 65535 : 255, over = mix / 48 % 3;
        ssimcu_frame frame = check_frame(67, 5, channels, bits);
        for (size_t i = 0; i < frame.pitch * frame.height; i++)
            ((uint8_t *)frame.data)[i] =
                check_draw(&random) % 9 ? (uint8_t)check_draw(&random) : 255;
        for (uint32_t planes = 1; planes <= 3; planes += 2) {
            if (color ? planes == 3 : planes == 1 && channels >= 3) continue;
            const struct ssimcu_pixel_rule rule = {.channels = channels,
                                                   .planes = planes,
                                                   .bits = bits,
                                                   .peak = peak,
                                                   .widen = peak == 65535 && bits == 8 ? 257 : 1,
                                                   .alpha = channels % 2 == 0 && over > 0,
                                                   .background = over == 2 ? peak : 0,
                                                   .unit = peak == 65535 ? 1.0f / 256
                                                           : mix % 3     ? 1
                                                                         : 255.0f / 256,
                                                   .luma = {color && channels >= 3 ? 2126 : 0,
                                                            color && channels >= 3 ? 7152 : 0,
                                                            color && channels >= 3 ? 722 : 0}};
            float expected[3 * 67 * 5], row[3 * 67], low[3 * 67];
            reference_planes(&rule, &frame, expected);
            for (uint32_t y = 0; y < 5; y++) {
                read_interleaved(&rule, (const char *)frame.data + y * frame.pitch, 67, row, low);
                for (uint32_t i = 0; i < 67 * planes; i++)
                    cr_assert_eq(row[i], expected[i % planes * 67 * 5 + y * 67 + i / planes],
                                 "mix %u, %u planes, sample %u", mix, planes, i);
            }
        }
        ssimcu_frame_free(&frame);
    }
}

/* Tiles, partial sums and bits do not depend on how many threads there are. */
Test(ssim_cpu, thread_counts_give_the_same_bits)
{
    static const uint32_t counts[] = {1, 2, 3, 5, 7, 64};
    ssimcu_frame ref, out;
    check_reference_pair(901, 703, &ref, &out);
    const struct ssimcu_shape shape = {
        .width = 901, .height = 703, .planes = 3, .map_width = 891, .map_height = 693};
    const struct ssimcu_pixel_rule rule = {
        .channels = 3, .planes = 3, .bits = 8, .peak = 255, .widen = 1, .unit = 1};
    const ssimcu_view views[] = {ssimcu_view_of_frame(&ref), ssimcu_view_of_frame(&out)};
    const struct ssimcu_samples samples[] = {ssimcu_view_samples(&views[0]),
                                             ssimcu_view_samples(&views[1])};
    const size_t elements = (size_t)shape.map_width * shape.map_height * 3;
    float *map = malloc(elements * sizeof *map), *first_map = malloc(elements * sizeof *map);
    const struct ssimcu_tile_grid grid = {.width = 40,
                                          .height = 37,
                                          .columns = 23,
                                          .rows = 19,
                                          .border = 5,
                                          .features = SSIMCU_TILE_FEATURES};
    const struct ssimcu_ssim_cpu_task task = {
        .shape = &shape,
        .samples = {&samples[0], &samples[1]},
        .rule = {&rule, &rule},
        .white = 255,
        .grid = &grid,
        .map = map,
    };
    double *partial = malloc(ssimcu_ssim_cpu_partials(&shape, &grid) * sizeof *partial);
    enum { TILES = 23 * 19, NUMBERS = (1 + 3 + 3 * SSIMCU_TILE_FEATURES / 2) * TILES };
    double first[3], first_tiles[NUMBERS];
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        for (int run = 0; run < 20 / CHECK_LESS; run++) {
            struct ssimcu_threads *threads = ssimcu_threads_create(counts[i]);
            double sums[3], tiles[NUMBERS] = {0};
            memset(map, 0xff, elements * sizeof *map);
            ssimcu_ssim_tiles(
                &task, ssimcu_ssim_level(SSIMCU_CPU_BEST), threads, partial, sums, NULL,
                &(struct ssimcu_ssim_numbers){
                    .score = tiles, .feature = ssimcu_tile_features(tiles, TILES, 3), .planes = 3});
            if (i == 0 && run == 0) {
                memcpy(first, sums, sizeof first);
                memcpy(first_tiles, tiles, sizeof tiles);
                memcpy(first_map, map, elements * sizeof *map);
            }
            cr_assert_eq(memcmp(first, sums, sizeof first), 0, "%u threads", counts[i]);
            cr_assert_eq(memcmp(first_tiles, tiles, sizeof tiles), 0, "%u threads", counts[i]);
            cr_assert_eq(memcmp(first_map, map, elements * sizeof *map), 0, "%u threads",
                         counts[i]);
            ssimcu_threads_destroy(threads);
        }
    free(partial), free(map), free(first_map);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

static size_t peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss << 10;
}

/* An 8K pair takes hardly more memory than its two frames. */
Test(ssim_cpu, eight_k_in_bounded_memory)
{
    check_random random = {41};
    ssimcu_frame ref = check_frame(7680, 4320, 3, 8), out = check_frame(7680, 4320, 3, 8);
    for (size_t i = 0; i < ref.pitch * ref.height; i++) {
        const uint8_t value = (uint8_t)(i / 1000 + i / ref.pitch);
        ((uint8_t *)ref.data)[i] = value;
        ((uint8_t *)out.data)[i] = i % 16 ? value : (uint8_t)check_draw(&random);
    }
    const size_t before = peak_bytes();
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .threads = UINT32_MAX};
    const double score = check_score(&settings, &ref, &out).score;
    cr_assert(score > 0 && score < 1);
    cr_assert_eq(check_score(&settings, &ref, &ref).score, 1.0);
    cr_assert_leq(peak_bytes() - before, (size_t)16 << 20);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

/* A map costs the caller's copy and the context's, and no more. */
Test(ssim_cpu, map_in_bounded_memory)
{
    ssimcu_frame ref, out;
    check_reference_pair(3840, 2160, &ref, &out);
    const ssimcu_settings settings = {
        .struct_size = sizeof settings, .device = SSIMCU_DEVICE_CPU, .threads = UINT32_MAX};
    ssimcu_context *context = check_open(&settings);
    ssimcu_map map;
    const size_t before = peak_bytes();
    cr_assert_lt(check_compare_map(context, &ref, &out, &map).score, 1);
    const size_t bytes = (size_t)map.width * map.height * map.channels * sizeof(float);
    cr_assert_leq(peak_bytes() - before, 2 * bytes + ((size_t)16 << 20));
    free(map.data);
    ssimcu_close(&context);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}
