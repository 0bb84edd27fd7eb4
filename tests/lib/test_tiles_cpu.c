/* Scores per tile on the CPU, which adds them up while it scores. Every level is held against
 * the double reference; also what else must agree to the bit, and the memory. */
#include "api/context.h"
#include "picture.h"
#include "plan/view.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { LEVELS = SSIMCU_CPU_NEON + 1 };

/* ---- Random cases ---------------------------------------------------------------------------- */

/* A pair, and what the reference says of it. */
struct random_case {
    int number;
    struct picture ref, out;
    ssimcu_map map;                      /* its data is room */
    ssimcu_tiles tiles;                  /* its data is room */
    double *expected, *windows, *shifts; /* of the reference */
};

static void draw_frames(check_random *random, int number, int zero_pad, ssimcu_frame *ref,
                        ssimcu_frame *out)
{
    const uint32_t least = zero_pad ? 1 : 11;
    const uint32_t width = check_between(random, least, number % 8 ? 130 : 400);
    const uint32_t height = check_between(random, least, number % 8 ? 100 : 600);
    *ref = check_noise(random, width, height, number % 2 ? 3 : 1, 8);
    if (number % 3 == 0) check_flatten(random, ref);
    *out = check_damaged(random, ref);
}

/* Sets `map` to the reference's map, and makes its scores per tile. */
static void expect(struct random_case *c, const ssimcu_frame *ref, const ssimcu_frame *out,
                   int zero_pad)
{
    double score;
    cr_assert_eq(reference_shifts(ref, out, zero_pad, &c->tiles, c->shifts), 0);
    cr_assert_eq(reference_score(ref, out, zero_pad, &score, c->map.data), 0);
    reference_tiles(&c->map, &c->tiles, c->expected, c->windows);
}

static struct random_case make_case(ssimcu_context *context, check_random *random, int number,
                                    ssimcu_pad pad)
{
    static const ssimcu_type types[] = {SSIMCU_TYPE_U8, SSIMCU_TYPE_U16, SSIMCU_TYPE_F32};
    static const double peaks[] = {255, 65535, 1};
    const uint32_t type = check_between(random, 0, 2);
    const struct picture_kind kind = {(ssimcu_layout)check_between(random, 0, 2), types[type],
                                      peaks[type], check_between(random, 0, 2)};
    struct random_case c = {.number = number, .map = SSIMCU_INIT(map), .tiles = SSIMCU_INIT(tiles)};
    ssimcu_frame ref, out;
    draw_frames(random, number, pad == SSIMCU_PAD_ZERO, &ref, &out);
    c.ref = picture_make(&ref, 1, kind), c.out = picture_make(&out, 1, kind);
    c.tiles.width = check_between(random, 11, number % 4 ? 200 : 30);
    c.tiles.height = check_between(random, 11, number % 5 ? 200 : 30);
    cr_assert_eq(ssimcu_views_layout(context, &c.ref.view, &c.out.view, &c.map, &c.tiles, NULL),
                 SSIMCU_OK);
    const size_t count = (size_t)c.tiles.columns * c.tiles.rows;
    c.map.data = malloc((size_t)c.map.width * c.map.height * c.map.channels * sizeof *c.map.data);
    c.tiles.data = malloc(count * sizeof *c.tiles.data);
    c.expected = malloc(count * sizeof *c.expected);
    c.windows = malloc(count * sizeof *c.windows);
    c.tiles.level_shift = malloc(count * c.map.channels * sizeof *c.tiles.level_shift);
    c.shifts = malloc(count * c.map.channels * sizeof *c.shifts);
    expect(&c, &ref, &out, pad == SSIMCU_PAD_ZERO);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    return c;
}

static void free_case(struct random_case *c)
{
    picture_free(&c->ref), picture_free(&c->out);
    free(c->map.data), free(c->tiles.data), free(c->expected), free(c->windows);
    free(c->tiles.level_shift), free(c->shifts);
}

static double score(ssimcu_context *context, struct random_case *c, const struct picture *out,
                    ssimcu_map *map, ssimcu_tiles *tiles, ssimcu_level_shift *shift)
{
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_message why = {{0}};
    for (uint32_t i = 0; tiles && i < tiles->columns * tiles->rows; i++) tiles->data[i] = NAN;
    cr_assert_eq(ssimcu_compare_views(context, &c->ref.view, &out->view, &score, map, tiles, &why),
                 SSIMCU_OK, "case %d: %s", c->number, why.text);
    if (shift) *shift = score.level_shift;
    return score.score;
}

/* Checks that tiles are near the reference, and that their mean over all windows is the score. */
static void check_means(const struct random_case *c, double whole)
{
    double sum = 0, windows = 0;
    for (uint32_t i = 0; i < c->tiles.columns * c->tiles.rows; i++) {
        check_near(c->tiles.data[i], c->expected[i], 1e-6, "case %d, tile %u of %g windows",
                   c->number, i, c->windows[i]);
        sum += c->tiles.data[i] * c->windows[i];
        windows += c->windows[i];
    }
    check_near(sum / windows, whole, 1e-13, "case %d: the mean over the tiles", c->number);
}

/* Checks the shift of each tile and channel, and which is the largest. */
static void check_shifts(const struct random_case *c, const double *expected, double off,
                         const ssimcu_level_shift *largest)
{
    const uint32_t tiles = c->tiles.columns * c->tiles.rows;
    double most = 0;
    for (uint32_t i = 0; i < tiles * c->map.channels; i++) {
        check_near(c->tiles.level_shift[i], expected ? expected[i] : 0, off,
                   "case %d, shift %u of %u", c->number, i, tiles);
        most = fmax(most, fabs(c->tiles.level_shift[i]));
    }
    const uint32_t column = largest->x / c->tiles.width, row = largest->y / c->tiles.height;
    const uint32_t at = (largest->channel * c->tiles.rows + row) * c->tiles.columns + column;
    cr_assert_eq(fabs(largest->levels), most, "case %d", c->number);
    cr_assert_eq(largest->levels, c->tiles.level_shift[at], "case %d", c->number);
    cr_assert_gt(largest->width, 0);
}

/* Tiles change no bit of the score. The map changes none of the tiles. Each tile of identical
 * frames is exactly 1. */
static void check_case(ssimcu_context *context, struct random_case *c)
{
    const size_t count = (size_t)c->tiles.columns * c->tiles.rows;
    ssimcu_level_shift shift;
    const double whole = score(context, c, &c->out, NULL, &c->tiles, &shift);
    check_means(c, whole);
    check_shifts(c, c->shifts, 1e-3, &shift);
    memcpy(c->expected, c->tiles.data, count * sizeof *c->expected);
    cr_assert_eq(whole, score(context, c, &c->out, NULL, NULL, NULL), "case %d", c->number);
    cr_assert_eq(whole, score(context, c, &c->out, &c->map, &c->tiles, NULL), "case %d", c->number);
    cr_assert_eq(memcmp(c->expected, c->tiles.data, count * sizeof *c->expected), 0,
                 "case %d: tiles with a map", c->number);
    cr_assert_eq(score(context, c, &c->ref, NULL, &c->tiles, &shift), 1.0);
    check_shifts(c, NULL, 0, &shift);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(c->tiles.data[i], 1.0, "case %d: tile %zu of identical frames", c->number, i);
}

static void random_cases(ssimcu_pad pad)
{
    int usable = 0;
    for (int level = SSIMCU_CPU_PLAIN; level < LEVELS; level++) {
        const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, pad);
        ssimcu_context *context;
        check_random random = {71 + (uint32_t)pad};
        if (ssimcu_open_level(&settings, (enum ssimcu_cpu_level)level, &context, NULL) != SSIMCU_OK)
            continue;
        for (int i = 0; i < 250; i++) {
            struct random_case c = make_case(context, &random, i, pad);
            check_case(context, &c);
            free_case(&c);
        }
        usable++;
        ssimcu_close(&context);
    }
    cr_assert(usable >= 1);
}

Test(tiles_cpu, levels_on_random_cases_valid) { random_cases(SSIMCU_PAD_VALID); }
Test(tiles_cpu, levels_on_random_cases_zero) { random_cases(SSIMCU_PAD_ZERO); }

/* ---- Memory ---------------------------------------------------------------------------------- */

/* The plan says what is taken: no map, and partial sums for each part of the frame. */
Test(tiles_cpu, memory_of_the_plan)
{
    static const struct {
        ssimcu_layout layout;
        uint32_t tile;
        size_t parts, cells, numbers; /* of each part; of each cell */
    } cases[] = {{SSIMCU_LAYOUT_HWC, 64, 120 * 8, 2 * 6, 4},
                 {SSIMCU_LAYOUT_HWC, 11, 120 * 8, 4 * 26, 4},
                 {SSIMCU_LAYOUT_CHW, 64, 40 * 8, 3 * 6, 2},
                 {SSIMCU_LAYOUT_CHW, 11, 40 * 8, 10 * 26, 2},
                 {SSIMCU_LAYOUT_CHW, 4000, 40 * 8, 2 * 2, 2}};
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ssimcu_view view = SSIMCU_INIT(view);
        ssimcu_tiles tiles = SSIMCU_INIT(tiles);
        struct ssimcu_plan plan;
        view.width = 3840, view.height = 2160, view.channels = 3, view.frames = 1;
        view.layout = cases[i].layout;
        tiles.width = tiles.height = cases[i].tile;
        ssimcu_view pair[SSIMCU_PAIR];
        cr_assert_eq(ssimcu_view_check(&view, "ref", 0, &pair[SSIMCU_REF], NULL), SSIMCU_OK);
        pair[SSIMCU_OUT] = pair[SSIMCU_REF];
        cr_assert_eq(ssimcu_context_plan(context, pair, NULL, &tiles, &plan, NULL), SSIMCU_OK);
        cr_assert_eq(plan.bytes.map, 0);
        cr_assert_eq(plan.bytes.partial,
                     cases[i].parts * (6 + cases[i].cells * cases[i].numbers) * sizeof(double),
                     "case %zu", i);
        cr_assert_eq(ssimcu_context_plan(context, pair, NULL, NULL, &plan, NULL), SSIMCU_OK);
        cr_assert_eq(plan.bytes.partial, cases[i].parts * 6 * sizeof(double));
    }
    ssimcu_close(&context);
}

static size_t peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (size_t)usage.ru_maxrss << 10;
}

/* The map of this pair would be 98 MB. */
Test(tiles_cpu, in_bounded_memory)
{
    ssimcu_frame ref, out;
    check_reference_pair(3840, 2160, &ref, &out);
    const ssimcu_view a = check_view(&ref), b = check_view(&out);
    const size_t before = peak_bytes();
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles);
    ssimcu_score score = SSIMCU_INIT(score);
    tiles.width = tiles.height = 64;
    cr_assert_eq(ssimcu_views_layout(context, &a, &b, NULL, &tiles, NULL), SSIMCU_OK);
    tiles.data = malloc((size_t)tiles.columns * tiles.rows * sizeof *tiles.data);
    cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, &tiles, NULL), SSIMCU_OK);
    cr_assert_leq(peak_bytes() - before, (size_t)4 << 20);
    free(tiles.data);
    ssimcu_close(&context);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
}

/* ---- Tiles beside a change ------------------------------------------------------------------- */

enum { WIDE = 300, HIGH = 200, SIDE = 32, TILES = 10 * 7, SAMPLES = WIDE * HIGH * 3 };

/* Scores the tiles of a pair of random samples. `changed`: others lie in tiles 3 and 4 of row 2. */
static void score_tiles(ssimcu_type type, int changed, double *tile)
{
    static float memory[2][SAMPLES];
    check_random random = {17}, other = {18};
    ssimcu_view view[2];
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < SAMPLES; i++) {
            const uint32_t x = i / 3 % WIDE, y = i / 3 / WIDE, drawn = check_draw(&random);
            const int inside = x / SIDE - 3 < 2 && y / SIDE == 2;
            const uint32_t value = changed && inside ? check_draw(&other) : drawn;
            if (type == SSIMCU_TYPE_U8) ((uint8_t *)memory[s])[i] = (uint8_t)(value >> 24);
            if (type == SSIMCU_TYPE_U16) ((uint16_t *)memory[s])[i] = (uint16_t)(value >> 16);
            if (type == SSIMCU_TYPE_F32) memory[s][i] = (float)(value >> 8) / (1 << 24);
        }
        view[s] = (ssimcu_view){.struct_size = sizeof *view,
                                .width = WIDE,
                                .height = HIGH,
                                .channels = 3,
                                .type = type,
                                .linear = type == SSIMCU_TYPE_F32,
                                .data = {memory[s]}};
    }
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = SIDE, .height = SIDE);
    ssimcu_score score = SSIMCU_INIT(score);
    cr_assert_eq(ssimcu_views_layout(context, &view[0], &view[1], NULL, &tiles, NULL), SSIMCU_OK);
    cr_assert_eq(tiles.columns * tiles.rows, TILES);
    tiles.data = tile;
    cr_assert_eq(ssimcu_compare_views(context, &view[0], &view[1], &score, NULL, &tiles, NULL),
                 SSIMCU_OK);
    ssimcu_close(&context);
}

/* The origin that windows are measured from moves with what lies above them: that is a matter of
 * rounding. */
Test(tiles_cpu, a_change_reaches_other_tiles_by_rounding_alone)
{
    static const ssimcu_type types[] = {SSIMCU_TYPE_U8, SSIMCU_TYPE_U16, SSIMCU_TYPE_F32};
    for (int t = 0; t < 3; t++) {
        double tile[2][TILES];
        for (int changed = 0; changed < 2; changed++) score_tiles(types[t], changed, tile[changed]);
        cr_assert_neq(tile[0][23], tile[1][23]);
        for (uint32_t i = 0; i < TILES; i++) {
            const uint32_t column = i % 10, row = i / 10;
            if (column >= 2 && column <= 5 && row >= 1 && row <= 3) continue;
            check_near(tile[1][i], tile[0][i], 1e-8, "type %d, tile %u", (int)types[t], i);
        }
    }
}
