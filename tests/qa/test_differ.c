/* Pixels that differ: their number and their largest group, against a flood fill; ranks of
 * Cryptomatte; and samples of every type that are far apart. */
#include "check.h"

#include "facts/record.h"
#include "pair/differ.h"

#include <math.h>
#include <string.h>

enum { MOST = 40 };

/* Fills the group of a pixel, and returns how many it has. */
static uint64_t fill(uint8_t *mask, int width, int height, int x, int y)
{
    uint64_t pixels = 1;
    if (x < 0 || y < 0 || x >= width || y >= height || !mask[y * width + x]) return 0;
    mask[y * width + x] = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (i || j) pixels += fill(mask, width, height, x + i, y + j);
    return pixels;
}

Test(differ, counts_as_a_flood_fill)
{
    check_random random = {7};
    for (int round = 0; round < 400; round++) {
        uint8_t mask[MOST * MOST], copy[MOST * MOST];
        const int width = (int)check_between(&random, 1, MOST),
                  height = (int)check_between(&random, 1, MOST),
                  one_of = (int)check_between(&random, 1, 5);
        uint64_t most = 0, all = 0;
        for (int i = 0; i < width * height; i++) {
            mask[i] = check_between(&random, 1, one_of) == 1 ? 255 : 0;
            all += mask[i] != 0;
        }
        memcpy(copy, mask, sizeof copy);
        for (int i = 0; i < width * height; i++) {
            const uint64_t pixels = fill(copy, width, height, i % width, i / width);
            if (pixels > most) most = pixels;
        }
        struct record record = {0};
        struct pair pair = {.record = &record, .x = 3, .y = 5};
        pair.plane[1][0] = (ssimcu_frame){.width = (uint32_t)width,
                                          .height = (uint32_t)height,
                                          .channels = 1,
                                          .bits = 8,
                                          .pitch = (size_t)width,
                                          .data = mask};
        cr_assert_eq(differ_count(&pair, &record.scored.differing, NULL), SSIMCU_OK);
        const ssimcu_differing *found = &record.scored.differing;
        cr_assert(found->known && found->blob == most, "%d x %d: %d, not %d", width, height,
                  (int)found->blob, (int)most);
        cr_assert_float_eq(found->share, (double)all / (width * height), 1e-12);
        cr_assert(most == 0 || (found->x >= 3 && found->x + found->width <= 3 + (uint64_t)width &&
                                found->y >= 5 && found->y + found->height <= 5 + (uint64_t)height &&
                                found->width * found->height >= most));
    }
}

Test(differ, ranks_by_bits_and_coverage)
{
    const float nan = nanf(""), id[2][6] = {{1, 1, 1, 2, 3, nan}, {1, 1, 2, 1, 3, nan}},
                coverage[2][6] = {{1, 0.5f, 0.5f, 0.01f, 0.5f, 1}, {1, 0.509f, 0.5f, 0, 0.52f, 1}};
    static const uint8_t expected[6] = {0, 0, 255, 0, 255, 0};
    uint8_t mask[6] = {0};
    const struct differ_rank rank = {{id[0], id[1]}, {coverage[0], coverage[1]}, 1, 1};
    differ_mark(&rank, 6, mask);
    cr_expect_eq(memcmp(mask, expected, sizeof mask), 0);
}

/* Checks how many of four grey pixels differ. */
static void expect_share(uint32_t bits, const void *ref, const void *out, size_t sample,
                         double above, double share)
{
    struct record record = {0};
    struct pair pair = {.record = &record};
    const void *const side[2] = {ref, out};
    static const struct contract_region whole;
    uint8_t bytes[2][16];
    for (int s = 0; s < 2; s++) {
        memcpy(bytes[s], side[s], 4 * sample);
        pair.plane[s][0] = (ssimcu_frame){.width = 4,
                                          .height = 1,
                                          .channels = 1,
                                          .bits = bits,
                                          .pitch = 4 * sample,
                                          .data = bytes[s]};
    }
    cr_assert_eq(differ_above(&pair, above, &whole, &record.scored.differing, NULL), SSIMCU_OK);
    cr_expect_eq(record.scored.differing.share, share, "%u bits: %f", bits,
                 record.scored.differing.share);
}

Test(differ, samples_of_every_type)
{
    const uint8_t a8[4] = {0, 10, 200, 255}, b8[4] = {0, 12, 200, 0};
    const uint16_t a16[4] = {0, 100, 65535, 9}, b16[4] = {0, 100, 0, 10},
                   ah[4] = {0x3c00, 0, 0x7c00, 0x7e00},
                   bh[4] = {0x3c00, 0x2e66, 0x7c00, 0x7e00}; /* 1, 0 and 0.1, infinity, NaN */
    const float af[4] = {1, NAN, INFINITY, 5}, bf[4] = {1.25f, NAN, INFINITY, NAN};
    expect_share(8, a8, b8, 1, 0, 0.5);
    expect_share(8, a8, b8, 1, 0.01, 0.25);
    expect_share(16, a16, b16, 2, 0, 0.5);
    expect_share(SSIMCU_BITS_F16, ah, bh, 2, 0.05, 0.25);
    expect_share(SSIMCU_BITS_F16, ah, bh, 2, 0.15, 0);
    expect_share(SSIMCU_BITS_F32, af, bf, 4, 0.5, 0.25);
    expect_share(SSIMCU_BITS_F32, af, bf, 4, 0, 0.5);
}
