/* Pixels that differ: their number and their largest group, against a flood fill; ranks of
 * Cryptomatte; and samples of every type that are far apart. */
#include "check.h"

#include "learned/ignored.h"
#include "pair/diff.h"
#include "record/contract.h"
#include "record/record.h"

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

Test(diff, counts_as_a_flood_fill)
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
        const struct diff_rule rule = {0};
        cr_assert_eq(diff_count_marked(&pair, &rule, &record.scored.diff, NULL), SSIMCU_OK);
        const ssimcu_diff *found = &record.scored.diff;
        cr_assert(found->known && found->cluster == most, "%d x %d: %d, not %d", width, height,
                  (int)found->cluster, (int)most);
        cr_assert_float_eq(found->ratio, (double)all / (width * height), 1e-12);
        cr_assert(most == 0 || (found->x >= 3 && found->x + found->width <= 3 + (uint64_t)width &&
                                found->y >= 5 && found->y + found->height <= 5 + (uint64_t)height &&
                                found->width * found->height >= most));
    }
}

Test(diff, ranks_by_bits_and_coverage)
{
    const float nan = nanf(""), id[2][6] = {{1, 1, 1, 2, 3, nan}, {1, 1, 2, 1, 3, nan}},
                coverage[2][6] = {{1, 0.5f, 0.5f, 0.01f, 0.5f, 1}, {1, 0.509f, 0.5f, 0, 0.52f, 1}};
    static const uint8_t expected[6] = {0, 0, 255, 0, 255, 0};
    uint8_t mask[6] = {0};
    const struct diff_rank rank = {{id[0], id[1]}, {coverage[0], coverage[1]}, 1, 1};
    diff_mark(&rank, 6, mask);
    cr_expect_eq(memcmp(mask, expected, sizeof mask), 0);
}

enum { W = 4 };

/* A row of W pixels. */
struct row {
    uint32_t channels, bits;
    const void *samples;
};

static struct diff_rule rule_of(double above) { return (struct diff_rule){.above = above}; }

/* Returns the share of W pixels that differ. */
static double share_of(struct row ref, struct row out, const struct diff_rule *rule)
{
    struct record record = {0};
    struct pair pair = {.record = &record};
    static const struct contract_region whole;
    uint8_t bytes[2][W * 4 * sizeof(float)];
    for (int s = 0; s < 2; s++) {
        const struct row *row = s ? &out : &ref;
        const size_t size = row->bits == 8 ? 1 : row->bits == SSIMCU_BITS_F32 ? 4 : 2;
        memcpy(bytes[s], row->samples, W * row->channels * size);
        pair.plane[s][0] = (ssimcu_frame){.width = W,
                                          .height = 1,
                                          .channels = row->channels,
                                          .bits = row->bits,
                                          .pitch = W * row->channels * size,
                                          .data = bytes[s]};
    }
    cr_assert_eq(diff_count(&pair, rule, &whole, &record.scored.diff, NULL), SSIMCU_OK);
    return record.scored.diff.ratio;
}

static void expect_share(uint32_t bits, const void *ref, const void *out, double above,
                         double share)
{
    const struct diff_rule rule = rule_of(above);
    const double found = share_of((struct row){1, bits, ref}, (struct row){1, bits, out}, &rule);
    cr_expect_eq(found, share, "%u bits: %f", bits, found);
}

Test(diff, samples_of_every_type)
{
    const uint8_t a8[W] = {0, 10, 200, 255}, b8[W] = {0, 12, 200, 0};
    const uint16_t a16[W] = {0, 100, 65535, 9}, b16[W] = {0, 100, 0, 10},
                   ah[W] = {0x3c00, 0, 0x7c00, 0x7e00},
                   bh[W] = {0x3c00, 0x2e66, 0x7c00, 0x7e00}; /* 1, 0 and 0.1, infinity, NaN */
    const float af[W] = {1, NAN, INFINITY, 5}, bf[W] = {1.25f, NAN, INFINITY, NAN};
    expect_share(8, a8, b8, 0, 0.5);
    expect_share(8, a8, b8, 0.01, 0.25);
    expect_share(8, a8, b8, 1, 0);
    expect_share(8, a8, b8, INFINITY, 0);
    expect_share(16, a16, b16, 0, 0.5);
    expect_share(SSIMCU_BITS_F16, ah, bh, 0.05, 0.25);
    expect_share(SSIMCU_BITS_F16, ah, bh, 0.15, 0);
    expect_share(SSIMCU_BITS_F32, af, bf, 0.5, 0.25);
    expect_share(SSIMCU_BITS_F32, af, bf, 0, 0.5);
}

/* Samples that are `apart` levels apart, from the first level to the last, of all depths. */
static void expect_levels(uint32_t bits, uint32_t apart)
{
    const uint32_t white = (1u << bits) - 1;
    const double just = (double)apart / white;
    const struct diff_rule at = rule_of(just), below = rule_of(nextafter(just, 0));
    for (uint32_t level = 0; level + apart <= white; level += bits > 10 ? 257 : 1) {
        uint8_t byte[2][W];
        uint16_t word[2][W];
        for (int i = 0; i < W; i++)
            for (int s = 0; s < 2; s++) {
                word[s][i] = (uint16_t)(level + (s == i % 2 ? apart : 0));
                byte[s][i] = (uint8_t)word[s][i];
            }
        const struct row ref = {1, bits, bits == 8 ? (const void *)byte[0] : word[0]},
                         out = {1, bits, bits == 8 ? (const void *)byte[1] : word[1]};
        cr_expect_eq(share_of(ref, out, &at), 0, "%u + %u of %u bits", level, apart, bits);
        cr_expect_eq(share_of(ref, out, &below), 1, "%u + %u of %u bits", level, apart, bits);
    }
}

Test(diff, a_level_is_always_on_one_side)
{
    for (uint32_t bits = 8; bits <= 16; bits += 2)
        for (uint32_t apart = 1; apart < 200; apart = apart * 3 + 1) expect_levels(bits, apart);
}

/* Two depths: a byte beside the same fraction of white, and a level off. */
Test(diff, depths_and_floats_beside_bytes)
{
    const struct diff_rule none = rule_of(0), level = rule_of(1 / 255.0), less = rule_of(0.0039);
    for (uint32_t from = 0; from < 256; from += W) {
        uint8_t byte[W], next[W];
        uint16_t word[W];
        float real[W];
        for (uint32_t i = 0; i < W; i++) {
            byte[i] = (uint8_t)(from + i);
            next[i] = (uint8_t)(byte[i] + (byte[i] < 255 ? 1 : -1));
            word[i] = (uint16_t)(257 * byte[i]);
            real[i] = (float)(byte[i] / 255.0);
        }
        const struct row a = {1, 8, byte}, b = {1, 16, word}, f = {1, SSIMCU_BITS_F32, real},
                         off = {1, 8, next};
        cr_expect_eq(share_of(a, b, &none), 0, "%u", from);
        cr_expect_eq(share_of(b, a, &none), 0, "%u", from);
        cr_expect_eq(share_of(a, f, &none), 0, "%u", from);
        cr_expect_eq(share_of(off, b, &level), 0, "%u", from);
        cr_expect_eq(share_of(b, off, &less), 1, "%u", from);
        cr_expect_eq(share_of(f, off, &less), 1, "%u", from);
    }
}

Test(diff, grey_beside_colour)
{
    const uint8_t grey[W] = {0, 7, 128, 255},
                  colour[3 * W] = {0, 0, 0, 7, 7, 7, 128, 128, 128, 255, 255, 255};
    uint8_t other[3 * W];
    const struct diff_rule rule = rule_of(0);
    const struct row a = {1, 8, grey}, b = {3, 8, colour}, c = {3, 8, other};
    cr_expect_eq(share_of(a, b, &rule), 0);
    cr_expect_eq(share_of(b, a, &rule), 0);
    for (int i = 0; i < 3 * W; i++) {
        memcpy(other, colour, sizeof other);
        other[i] ^= 1;
        cr_expect_eq(share_of(a, c, &rule), 0.25, "sample %d", i);
        cr_expect_eq(share_of(c, a, &rule), 0.25, "sample %d", i);
    }
}

/* Opaque alpha counts as none; colours below alpha 0 do not count; alpha is composited. */
Test(diff, alpha_as_a_score_has_it)
{
    const uint8_t plain[3 * W] = {9, 8, 7, 0, 0, 0, 255, 255, 255, 100, 150, 200},
                            opaque[4 * W] = {9,   8,   7,   255, 0,   0,   0,   255,
                                             255, 255, 255, 255, 100, 150, 200, 255},
                            clear[4 * W] = {9, 8, 7, 0, 3, 3, 3, 0, 1, 2, 3, 0, 0, 0, 0, 0},
                            clearer[4 * W] = {1, 1, 1, 0, 2, 2, 2, 0, 255, 255, 255, 0, 5, 6, 7, 0};
    struct row a = {3, 8, plain}, b = {4, 8, opaque}, c = {4, 8, clear}, d = {4, 8, clearer};
    for (int alpha = SSIMCU_ALPHA_WORST; alpha <= SSIMCU_ALPHA_WHITE; alpha++) {
        const struct diff_rule rule = {.alpha = (ssimcu_alpha)alpha};
        const bool ignores = alpha == SSIMCU_ALPHA_IGNORE;
        cr_expect_eq(share_of(a, b, &rule), 0, "%d", alpha);
        cr_expect_eq(share_of(b, a, &rule), 0, "%d", alpha);
        cr_expect_eq(share_of(c, d, &rule), ignores ? 1 : 0, "%d", alpha);
        /* Black with alpha 0 is black over black, and white over white. */
        static const uint8_t black[3 * W], hole[4 * W];
        a.samples = black, b.samples = hole;
        cr_expect_eq(share_of(a, b, &rule), alpha == SSIMCU_ALPHA_BLACK || ignores ? 0 : 1, "%d",
                     alpha);
        a.samples = plain, b.samples = opaque;
    }
}

/* One pixel of each row of a frame differs, and the shots that are ignored move over it. */
static const struct ignored_areas *one_part(void *user, const struct record *record, size_t *at)
{
    (void)record;
    return (*at)++ == 0 ? user : NULL;
}

Test(diff, ignored_pixels_do_not_count)
{
    enum { SIDE = 9 };
    uint8_t ref[SIDE * SIDE] = {0}, out[SIDE * SIDE];
    memset(out, 255, sizeof out);
    for (uint32_t at = 0; at < SIDE * SIDE; at++) {
        struct ignored_rect rect[2] = {{at % SIDE, at / SIDE, 2, 3}, {at % SIDE, at / SIDE, 1, 1}};
        struct ignored_areas shots = {.rect = rect, .count = 2};
        struct diff_rule rule = {.ignored = one_part, .user = &shots};
        struct record record = {0};
        struct pair pair = {.record = &record};
        const struct contract_region region = {.x = 1, .y = 2, .width = 8, .height = 6};
        const ssimcu_frame frame = {
            .width = SIDE, .height = SIDE, .channels = 1, .bits = 8, .pitch = SIDE};
        pair.plane[0][0] = frame, pair.plane[1][0] = frame;
        pair.plane[0]->data = ref, pair.plane[1]->data = out;
        uint32_t inside = 0;
        for (uint32_t y = at / SIDE; y < at / SIDE + 3; y++)
            for (uint32_t x = at % SIDE; x < at % SIDE + 2; x++)
                inside += x >= 1 && x < 9 && y >= 2 && y < 8;
        const ssimcu_diff *found = &record.scored.diff;
        cr_assert_eq(diff_count(&pair, &rule, &region, &record.scored.diff, NULL), SSIMCU_OK);
        cr_expect_eq(found->ratio, 1, "%u: of those that count", at);
        cr_expect_eq(found->cluster, 48 - inside, "%u: %d", at, (int)found->cluster);
        memset(out, 0, sizeof out);
        for (uint32_t y = rect->y; y < rect->y + 3 && y < SIDE; y++)
            for (uint32_t x = rect->x; x < rect->x + 2 && x < SIDE; x++) out[y * SIDE + x] = 1;
        cr_assert_eq(diff_count(&pair, &rule, &region, &record.scored.diff, NULL), SSIMCU_OK);
        cr_expect(found->ratio == 0 && found->cluster == 0, "%u: all that differs is ignored", at);
        memset(out, 255, sizeof out);
    }
}
