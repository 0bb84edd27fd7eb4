/* Plans: what will run for a pair, worked out for made-up devices. No device takes part. */
#include "check.h"
#include "core/ssim_limits.h"
#include "plan/plan.h"
#include "plan/view.h"

#include <math.h>

/* ---- Devices and pairs ----------------------------------------------------------------------- */

/* Adds up the partial sums, if the plan has any. */
static size_t partials(const struct ssimcu_plan *plan)
{
    return 1000 + 100u * plan->kernel + 10 * plan->shape.planes + (plan->want_map ? 1 : 0);
}

static const struct ssimcu_traits CPU = {.reads_samples = 1, .row_floats = 1, .partials = partials};
static const struct ssimcu_traits GPU = {
    .uploads = 1, .has_tensor_cores = 1, .row_floats = 32, .partials = partials};
static const struct ssimcu_traits OLD_GPU = {.uploads = 1, .row_floats = 32, .partials = partials};

#define SIZED .struct_size = sizeof(ssimcu_view)
#define UHD SIZED, .width = 3840, .height = 2160
#define GREY UHD, .channels = 1
#define RGB UHD, .channels = 3
#define RGBA UHD, .channels = 4
#define WORDS .type = SSIMCU_TYPE_U16
#define FLOATS .type = SSIMCU_TYPE_F32
#define HOST .data = {memory}
static char memory[16]; /* memory of pairs whose samples are not looked at */

/* The pair as the library checks it, where a view has data or none. */
static ssimcu_status make(struct ssimcu_plan *plan, const ssimcu_settings *settings,
                          const struct ssimcu_traits *traits, ssimcu_view ref, ssimcu_view out,
                          const ssimcu_tiles *tiles, ssimcu_message *message)
{
    ssimcu_view pair[SSIMCU_PAIR];
    cr_assert_eq(ssimcu_view_check(&ref, "ref", ref.data[0] != NULL, &pair[0], NULL), SSIMCU_OK);
    cr_assert_eq(ssimcu_view_check(&out, "out", out.data[0] != NULL, &pair[1], NULL), SSIMCU_OK);
    return ssimcu_plan_make(plan, settings, traits, pair, tiles, message);
}

static struct ssimcu_plan plan_of(const ssimcu_settings *settings,
                                  const struct ssimcu_traits *traits, ssimcu_view ref,
                                  ssimcu_view out, const ssimcu_tiles *tiles)
{
    struct ssimcu_plan plan;
    ssimcu_message why = {{0}};
    cr_assert_eq(make(&plan, settings, traits, ref, out, tiles, &why), SSIMCU_OK, "%s", why.text);
    return plan;
}

static struct ssimcu_plan default_plan(const struct ssimcu_traits *traits, ssimcu_view ref,
                                       ssimcu_view out)
{
    return plan_of(&SSIMCU_INIT(settings), traits, ref, out, NULL);
}

/* ---- Kernels --------------------------------------------------------------------------------- */

#define CHW .layout = SSIMCU_LAYOUT_CHW
#define SMALL(w, h) SIZED, .width = w, .height = h, .channels = 3

/* The kernel that each pair gets on a GPU with tensor cores. An empty `out` is as ref. */
static const struct {
    const char *what;
    enum ssimcu_kernel kernel;
    ssimcu_view ref, out;
    ssimcu_pad pad;
    ssimcu_color color;
    ssimcu_alpha alpha;
    uint32_t tile; /* 0: no tiles */
    bool features; /* of the tiles */
} kernels[] = {
    {"bytes", SSIMCU_KERNEL_SAMPLES, .ref = {RGB}},
    {"grey bytes", SSIMCU_KERNEL_SAMPLES, .ref = {GREY}},
    {"planes of bytes", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, CHW}},
    {"words", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, WORDS}},
    {"planes of words", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, CHW, WORDS, .peak = 65472}},
    {"bytes, words", SSIMCU_KERNEL_TENSOR, .ref = {RGB}, .out = {RGB, WORDS}},
    {"halves", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, .type = SSIMCU_TYPE_F16}},
    {"planes of halves", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, CHW, .type = SSIMCU_TYPE_BF16}},
    {"two kinds of halves", SSIMCU_KERNEL_TENSOR, .ref = {RGB, .type = SSIMCU_TYPE_F16},
     .out = {RGB, .type = SSIMCU_TYPE_BF16}},
    {"two peaks", SSIMCU_KERNEL_TENSOR, .ref = {RGB, CHW, FLOATS},
     .out = {RGB, CHW, FLOATS, .peak = 2}},
    {"floats", SSIMCU_KERNEL_TENSOR, .ref = {RGB, FLOATS}},
    {"planes of floats", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, CHW, FLOATS}},
    {"bytes, floats", SSIMCU_KERNEL_TENSOR, .ref = {RGB}, .out = {RGB, FLOATS}},
    {"up to 254", SSIMCU_KERNEL_TENSOR, .ref = {RGB, .peak = 254}},
    {"up to 255, to 254", SSIMCU_KERNEL_TENSOR, .ref = {RGB}, .out = {RGB, .peak = 254}},
    {"words up to 255", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, WORDS, .peak = 255}},
    {"10 bits", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, WORDS, .peak = 1023}},
    {"10 bits, 12 bits", SSIMCU_KERNEL_TENSOR, .ref = {RGB, WORDS, .peak = 1023},
     .out = {RGB, WORDS, .peak = 4095}},
    {"chroma in turn", SSIMCU_KERNEL_SAMPLES, .ref = {GREY, .pixel_stride = 2}},
    {"words in turn", SSIMCU_KERNEL_SAMPLES, .ref = {GREY, WORDS, .pixel_stride = 4}},
    {"every third", SSIMCU_KERNEL_TENSOR, .ref = {GREY, .pixel_stride = 3}},
    {"a byte after each pixel", SSIMCU_KERNEL_TENSOR, .ref = {RGB, .pixel_stride = 4}},
    {"luma", SSIMCU_KERNEL_TENSOR, .ref = {RGB}, .color = SSIMCU_COLOR_Y709},
    {"luma of grey", SSIMCU_KERNEL_SAMPLES, .ref = {GREY}, .color = SSIMCU_COLOR_Y601},
    {"alpha", SSIMCU_KERNEL_TENSOR, .ref = {RGBA}},
    {"alpha ignored", SSIMCU_KERNEL_TENSOR, .ref = {RGBA}, .alpha = SSIMCU_ALPHA_IGNORE},
    {"colour, grey", SSIMCU_KERNEL_TENSOR, .ref = {RGB}, .out = {GREY}},
    {"two layouts", SSIMCU_KERNEL_TENSOR, .ref = {RGB}, .out = {RGB, CHW, .pitch = 3 * 3840}},
    {"two pitches", SSIMCU_KERNEL_TENSOR, .ref = {RGB, .pitch = 11776}, .out = {RGB}},
    {"uploaded", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, .pitch = 11776, HOST}, .out = {RGB, HOST}},
    {"tiles", SSIMCU_KERNEL_SAMPLES, .ref = {RGB}, .tile = 64},
    {"tiles of words", SSIMCU_KERNEL_SAMPLES, .ref = {RGB, WORDS}, .tile = 11},
    {"tiles of floats", SSIMCU_KERNEL_PLAIN, .ref = {RGB, CHW, FLOATS}, .tile = 64},
    {"tiles of halves", SSIMCU_KERNEL_PLAIN, .ref = {RGB, .type = SSIMCU_TYPE_F16}, .tile = 64},
    {"tiles of luma", SSIMCU_KERNEL_TENSOR, .ref = {RGB}, .color = SSIMCU_COLOR_Y709, .tile = 64},
    {"features of tiles", SSIMCU_KERNEL_SAMPLES, .ref = {RGB}, .tile = 64, .features = true},
    {"just enough windows", SSIMCU_KERNEL_SAMPLES, .ref = {SMALL(522, 522)}},
    {"a column too few", SSIMCU_KERNEL_PLAIN, .ref = {SMALL(521, 522)}},
    {"zeros, enough", SSIMCU_KERNEL_SAMPLES, .ref = {SMALL(512, 512)}, .pad = SSIMCU_PAD_ZERO},
    {"zeros, too few", SSIMCU_KERNEL_PLAIN, .ref = {SMALL(512, 511)}, .pad = SSIMCU_PAD_ZERO},
};

Test(plan, kernels_suit_the_views_and_the_device)
{
    cr_assert_eq(SSIMCU_TENSOR_POSITIONS, 512 * 512);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        const ssimcu_view *ref = &kernels[i].ref,
                          *out = kernels[i].out.width ? &kernels[i].out : ref;
        const ssimcu_settings settings = {
            .pad = kernels[i].pad, .color = kernels[i].color, .alpha = kernels[i].alpha};
        ssimcu_tiles tiles = SSIMCU_INIT(tiles);
        double feature;
        tiles.width = tiles.height = kernels[i].tile;
        if (kernels[i].features) tiles.feature[SSIMCU_FEATURE_DARK] = &feature;
        const ssimcu_tiles *wanted = kernels[i].tile ? &tiles : NULL;
        const char *what = kernels[i].what;
        cr_assert_eq(plan_of(&settings, &GPU, *ref, *out, wanted).kernel, kernels[i].kernel, "%s",
                     what);
        cr_assert_eq(plan_of(&settings, &GPU, *out, *ref, wanted).kernel, kernels[i].kernel, "%s",
                     what);
        cr_assert_eq(plan_of(&settings, &OLD_GPU, *ref, *out, wanted).kernel, SSIMCU_KERNEL_PLAIN,
                     "%s", what);
        cr_assert_eq(plan_of(&settings, &CPU, *ref, *out, wanted).kernel, SSIMCU_KERNEL_SAMPLES,
                     "%s", what);
    }
}

/* Uploads leave the padding out; what a device reads itself lies as the caller says. */
Test(plan, samples_as_kernels_find_them)
{
    const ssimcu_view padded = {RGB, .pitch = 11776, HOST};
    ssimcu_view there = padded;
    there.data[0] = NULL;
    const struct ssimcu_plan gpu = default_plan(&GPU, padded, there),
                             cpu = default_plan(&CPU, padded, there);
    cr_assert_eq(gpu.host[SSIMCU_REF].pitch_bytes, 11776);
    cr_assert_eq(gpu.host[SSIMCU_REF].channel[2], memory + 2);
    cr_assert_eq(gpu.samples[SSIMCU_REF].pitch_bytes, 3 * 3840);
    cr_assert(gpu.samples[SSIMCU_REF].step == 3 && !gpu.samples[SSIMCU_REF].channel[2]);
    cr_assert_eq(gpu.samples[SSIMCU_OUT].pitch_bytes, 11776);
    cr_assert_eq(cpu.samples[SSIMCU_REF].pitch_bytes, 11776);
    cr_assert_eq(cpu.samples[SSIMCU_REF].channel[2], memory + 2);
}

/* ---- Passes and rules ------------------------------------------------------------------------ */

enum alpha { NONE, OPAQUE, TRANSPARENT, UNKNOWN };

/* Makes a view of 12 x 12 pixels. If alpha is transparent, one pixel is so by the least step. */
static ssimcu_view with_alpha(enum alpha alpha)
{
    static uint8_t pixels[2][12][12][4];
    memset(pixels, 255, sizeof pixels);
    pixels[1][11][11][3] = 254;
    ssimcu_view view = {SIZED, .width = 12, .height = 12, .channels = alpha == NONE ? 3 : 4};
    if (alpha == OPAQUE || alpha == TRANSPARENT) view.data[0] = pixels[alpha == TRANSPARENT];
    return view;
}

Test(plan, two_passes_for_alpha_that_counts)
{
    static const ssimcu_background expected[][SSIMCU_MAX_PASSES] = {
        [SSIMCU_ALPHA_WORST] = {SSIMCU_BACKGROUND_BLACK, SSIMCU_BACKGROUND_WHITE},
        [SSIMCU_ALPHA_IGNORE] = {SSIMCU_BACKGROUND_NONE},
        [SSIMCU_ALPHA_BLACK] = {SSIMCU_BACKGROUND_BLACK},
        [SSIMCU_ALPHA_WHITE] = {SSIMCU_BACKGROUND_WHITE}};
    for (int i = 0; i < 4 * 4 * 4; i++) {
        const int choice = i / 16, ref = i / 4 % 4, out = i % 4;
        const ssimcu_settings settings = {.alpha = (ssimcu_alpha)choice};
        const struct ssimcu_plan plan =
            plan_of(&settings, ref % 2 ? &GPU : &CPU, with_alpha((enum alpha)ref),
                    with_alpha((enum alpha)out), NULL);
        const int counts =
            choice != SSIMCU_ALPHA_IGNORE && (ref >= TRANSPARENT || out >= TRANSPARENT);
        cr_assert_eq(plan.passes, counts && choice == SSIMCU_ALPHA_WORST ? 2 : 1,
                     "choice %d, ref %d, out %d", choice, ref, out);
        for (uint32_t p = 0; p < plan.passes; p++) {
            const ssimcu_background background =
                counts ? expected[choice][p] : SSIMCU_BACKGROUND_NONE;
            const uint32_t over = background == SSIMCU_BACKGROUND_WHITE ? 255 : 0;
            cr_assert_eq(plan.background[p], background);
            cr_assert_eq(plan.rule[p][SSIMCU_REF].alpha, counts && ref != NONE);
            cr_assert_eq(plan.rule[p][SSIMCU_OUT].alpha, counts && out != NONE);
            cr_assert_eq(plan.rule[p][SSIMCU_REF].background, over);
            cr_assert_eq(plan.rule[p][SSIMCU_OUT].background, over);
        }
    }
}

struct side {
    ssimcu_type type;
    double peak;           /* the view's peak */
    uint32_t scored, bits; /* the rule's peak and bits */
    uint32_t widen;
};

Test(plan, the_deeper_side_decides_the_bits)
{
    static const struct {
        struct side ref, out;
        uint32_t bits;
    } cases[] = {
        {{SSIMCU_TYPE_U8, 0, 255, 8, 1}, {SSIMCU_TYPE_U8, 0, 255, 8, 1}, 8},
        {{SSIMCU_TYPE_U8, 0, 65535, 8, 257}, {SSIMCU_TYPE_U16, 0, 65535, 16, 1}, 16},
        {{SSIMCU_TYPE_U16, 0, 65535, 16, 1}, {SSIMCU_TYPE_U16, 0, 65535, 16, 1}, 16},
        {{SSIMCU_TYPE_U8, 0, 255, 8, 1}, {SSIMCU_TYPE_U16, 1023, 1023, 16, 1}, 10},
        {{SSIMCU_TYPE_U8, 100, 100, 8, 1}, {SSIMCU_TYPE_U16, 0, 65535, 16, 1}, 0},
        {{SSIMCU_TYPE_U8, 127, 127, 8, 1}, {SSIMCU_TYPE_U16, 0, 65535, 16, 1}, 16},
        {{SSIMCU_TYPE_U8, 0, 255, 8, 1}, {SSIMCU_TYPE_F32, 4, 255, 16, 1}, 0},
        {{SSIMCU_TYPE_F16, 0, 255, 16, 1}, {SSIMCU_TYPE_U16, 0, 65535, 16, 1}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int swapped = 0; swapped < 2; swapped++) {
            const struct side *side[] = {&cases[i].ref, &cases[i].out};
            ssimcu_view view[] = {{RGBA}, {RGBA}};
            for (int s = 0; s < 2; s++) view[s].type = side[s]->type, view[s].peak = side[s]->peak;
            const struct ssimcu_plan plan = default_plan(&GPU, view[swapped], view[!swapped]);
            cr_assert_eq(plan.bits, cases[i].bits, "case %zu", i);
            for (int s = 0; s < 2; s++) {
                const struct ssimcu_pixel_rule *rule = &plan.rule[1][s ^ swapped];
                cr_assert_eq(rule->peak, side[s]->scored, "case %zu, side %d", i, s);
                cr_assert_eq(rule->background, rule->peak, "white");
                cr_assert_eq(rule->bits, side[s]->bits, "case %zu, side %d", i, s);
                cr_assert_eq(rule->widen, side[s]->widen, "case %zu, side %d", i, s);
            }
        }
}

Test(plan, channels_and_luma)
{
    static const uint32_t weights[][3] = {{0, 0, 0}, {2126, 7152, 722}, {2990, 5870, 1140}};
    for (uint32_t i = 0; i < 3 * 4 * 4; i++) {
        const uint32_t color = i / 16, channels[] = {1 + i / 4 % 4, 1 + i % 4};
        const ssimcu_settings settings = {.color = (ssimcu_color)color};
        const ssimcu_view ref = {UHD, .channels = channels[0]},
                          out = {UHD, .channels = channels[1]};
        const struct ssimcu_plan plan = plan_of(&settings, &GPU, ref, out, NULL);
        const int colour = channels[0] >= 3 || channels[1] >= 3;
        cr_assert_eq(plan.shape.planes, color == SSIMCU_COLOR_RGB && colour ? 3 : 1, "case %u", i);
        for (int s = 0; s < SSIMCU_PAIR; s++) {
            const struct ssimcu_pixel_rule *rule = &plan.rule[0][s];
            cr_assert_eq(rule->channels, channels[s]);
            cr_assert_eq(rule->planes, plan.shape.planes);
            const uint32_t *luma = weights[channels[s] >= 3 ? color : 0]; /* grey is its own luma */
            cr_assert_eq(memcmp(rule->luma, luma, sizeof rule->luma), 0);
        }
    }
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Rows of 1300 floats and of 1290 windows; a GPU sets both 1312 apart. */
static const ssimcu_view wide = {SIZED, .width = 1300,          .height = 700, .channels = 4,
                                 WORDS, .pitch = 1300 * 8 + 64, .frames = 5};

/* Planes are of whole numbers if a side has a curve, and the other side cannot be anything. Tiles
 * of PU21, which goes beyond white, are scored on tensor cores then. */
Test(plan, whole_numbers_under_a_curve)
{
    const ssimcu_view light = {RGB, FLOATS, .linear = 1}, floats = {RGB, FLOATS}, bytes = {RGB};
    const ssimcu_settings pu21 = SSIMCU_INIT(settings, .transfer = SSIMCU_TRANSFER_PU21);
    const ssimcu_tiles tiles = SSIMCU_INIT(tiles, .width = 64, .height = 64);
    cr_assert_eq(default_plan(&GPU, light, light).fixed, 1);
    cr_assert_eq(default_plan(&CPU, bytes, light).fixed, 1);
    cr_assert_eq(default_plan(&GPU, light, floats).fixed, 0);
    cr_assert_eq(default_plan(&GPU, floats, floats).fixed, 0);
    cr_assert_eq(default_plan(&GPU, bytes, bytes).fixed, 0);
    cr_assert_eq(plan_of(&pu21, &GPU, light, light, &tiles).kernel, SSIMCU_KERNEL_TENSOR);
    cr_assert_eq(plan_of(&pu21, &OLD_GPU, light, light, &tiles).kernel, SSIMCU_KERNEL_PLAIN);
}

/* On a GPU they are also of whole numbers if values are computed: luma of floats, and what alpha
 * composites. Luma of integers is an integer. */
Test(plan, whole_numbers_of_what_is_computed)
{
    const ssimcu_view floats = {RGB, FLOATS}, bytes = {RGB};
    ssimcu_view alpha = bytes, grey = bytes;
    alpha.channels = 4, grey.channels = 2;
    const ssimcu_settings luma = SSIMCU_INIT(settings, .color = SSIMCU_COLOR_Y709);
    const struct ssimcu_plan plan = plan_of(&luma, &GPU, floats, floats, NULL);
    cr_assert(plan.fixed && !plan.bounded);
    cr_assert(plan_of(&luma, &GPU, bytes, floats, NULL).fixed);
    cr_assert_not(plan_of(&luma, &CPU, floats, floats, NULL).fixed);
    cr_assert_not(plan_of(&luma, &GPU, bytes, bytes, NULL).fixed);
    cr_assert_not(plan_of(&luma, &GPU, alpha, alpha, NULL).fixed);
    cr_assert(plan_of(&luma, &GPU, grey, bytes, NULL).fixed);
    cr_assert(default_plan(&GPU, alpha, bytes).fixed && default_plan(&GPU, alpha, bytes).bounded);
}

Test(plan, bytes_of_a_known_plan)
{
    ssimcu_view rgb = wide;
    rgb.channels = 3;
    const struct ssimcu_plan gpu = default_plan(&GPU, wide, rgb),
                             cpu = default_plan(&CPU, wide, rgb);
    cr_assert(gpu.kernel == SSIMCU_KERNEL_TENSOR && gpu.pairs == 5 && gpu.passes == 2);
    cr_assert(gpu.planes_pitch == 1312 && gpu.map_pitch == 1312);
    cr_assert_eq(gpu.bytes.samples[SSIMCU_REF], 1300u * 700 * 8);
    cr_assert_eq(gpu.bytes.samples[SSIMCU_OUT], 1300u * 700 * 6);
    cr_assert_eq(gpu.bytes.planes, 1312u * 700 * 3 * sizeof(float));
    cr_assert_eq(gpu.bytes.partial, 1130u * 5 * sizeof(double));
    cr_assert(gpu.bytes.map == 0 && ssimcu_plan_tiles(&gpu) == 0);
    cr_assert(ssimcu_plan_sums(&gpu) == 30 && gpu.bytes.results == 30 * sizeof(double));
    cr_assert(cpu.map_pitch == 1290 && cpu.bytes.planes == 0);
    cr_assert_eq(cpu.bytes.partial, 1030u * 5 * sizeof(double));
    cr_assert_eq(default_plan(&GPU, (ssimcu_view){RGB}, (ssimcu_view){RGB}).bytes.planes, 0);
}

Test(plan, memory_with_tiles)
{
    const ssimcu_settings settings = {.color = SSIMCU_COLOR_Y601};
    ssimcu_tiles tiles = SSIMCU_INIT(tiles);
    tiles.width = 256, tiles.height = 64;
    const struct ssimcu_plan plan = plan_of(&settings, &GPU, wide, wide, &tiles),
                             cpu = plan_of(&settings, &CPU, wide, wide, &tiles);
    const size_t count = 6 * 11; /* tiles of 1295 x 695 pixels, up to the last centre */
    cr_assert_eq(ssimcu_plan_tiles(&plan), count);
    cr_assert(plan.bytes.map == 0 && cpu.bytes.map == 0);
    cr_assert_eq(plan.bytes.results, 2 * 5 * (1 + 2 * count) * sizeof(double));
    double means[2 * 5 * 2 * 6 * 11]; /* luma: a score and a shift per tile */
    const struct ssimcu_results results = {.means = means};
    cr_assert_eq(ssimcu_plan_means(&plan, &results, 0, 0), means);
    cr_assert_eq(ssimcu_plan_means(&plan, &results, 3, 1), means + (5 + 3) * 2 * count);
}

/* PAD_VALID has no centres in the last 5 pixels, which make no tile of their own. */
Test(plan, the_last_5_pixels_make_no_tile)
{
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        const ssimcu_settings settings = {.pad = (ssimcu_pad)pad};
        const ssimcu_view view = {SIZED, .width = 70, .height = 69, .channels = 1};
        ssimcu_tiles tiles = SSIMCU_INIT(tiles);
        tiles.width = tiles.height = 64;
        const struct ssimcu_plan plan = plan_of(&settings, &CPU, view, view, &tiles);
        cr_assert_eq(plan.shape.map_width, pad ? 70 : 60);
        cr_assert_eq(plan.shape.map_height, pad ? 69 : 59);
        cr_assert_eq(plan.grid.border, pad ? 0 : 5);
        cr_assert_eq(plan.grid.columns, 2);
        cr_assert_eq(plan.grid.rows, pad ? 2 : 1);
    }
}

Test(plan, add_map_keeps_one_pass)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        struct ssimcu_plan plan = default_plan(&GPU, wide, wide);
        const struct ssimcu_plan before = plan;
        ssimcu_plan_add_map(&plan, &GPU, pass);
        cr_assert(plan.passes == 1 && plan.background[0] == before.background[pass]);
        cr_assert_eq(memcmp(plan.rule[0], before.rule[pass], sizeof plan.rule[0]), 0);
        cr_assert_eq(plan.rule[0][SSIMCU_REF].background, pass ? 65535 : 0);
        cr_assert_eq(plan.bytes.map, 1312u * 690 * 3 * sizeof(float));
        cr_assert_eq(plan.bytes.results, before.bytes.results / 2);
        cr_assert_eq(plan.bytes.partial, 1131u * 5 * sizeof(double));
        cr_assert_eq(plan.bytes.planes, before.bytes.planes);
    }
}

/* Benchmarks of a kernel have the memory of a plan that chose it. */
Test(plan, use_kernel_measures_anew)
{
    const ssimcu_view rgb = {RGB};
    const struct ssimcu_plan plain = default_plan(&OLD_GPU, rgb, rgb);
    struct ssimcu_plan plan = default_plan(&GPU, rgb, rgb);
    cr_assert_eq(plan.kernel, SSIMCU_KERNEL_SAMPLES);
    ssimcu_plan_use_kernel(&plan, &GPU, SSIMCU_KERNEL_PLAIN);
    cr_assert_eq(plan.kernel, SSIMCU_KERNEL_PLAIN);
    cr_assert_eq(memcmp(&plan.bytes, &plain.bytes, sizeof plan.bytes), 0);
    ssimcu_plan_use_kernel(&plan, &GPU, SSIMCU_KERNEL_SAMPLES);
    cr_assert(plan.bytes.planes == 0 && plan.bytes.partial == 1030u * sizeof(double));
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* Two pairs of 4 x 2 windows over two backgrounds. */
static const ssimcu_view batch = {SIZED, .width = 14, .height = 12, .channels = 4, .frames = 2};

/* The first of equal scores, over black, is the pair's score. */
Test(plan, the_lower_pass_is_the_score)
{
    static const struct {
        double sums[2][2][3]; /* sums[pass][pair][plane] */
        uint32_t pair, kept;
        double channel[3];
    } cases[] = {
        {{{{0, 2, 4}, {1, 1, 1}}, {{1, 2, 2}, {0, 8, 16}}}, 0, 0, {1, 0.75, 0.5}},
        {{{{0, 2, 4}, {1, 1, 1}}, {{1, 2, 2}, {0, 8, 16}}}, 1, 1, {1, 0, -1}},
        {{{{0, 2, 4}, {1, 1, 1}}, {{4, 0, 2}, {0, 8, 16}}}, 0, 0, {1, 0.75, 0.5}},
    };
    const struct ssimcu_plan plan = default_plan(&GPU, batch, batch);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct ssimcu_results results = {.sums = &cases[i].sums[0][0][0]};
        const double *channel = cases[i].channel;
        const uint32_t pair = cases[i].pair;
        ssimcu_score score;
        uint32_t kept = 9;
        cr_assert_eq(ssimcu_plan_score(&plan, &results, pair, &score, &kept, NULL), SSIMCU_OK);
        cr_assert_eq(kept, cases[i].kept, "case %zu", i);
        cr_assert_eq(score.background, plan.background[kept]);
        cr_assert_eq(memcmp(score.channel, channel, sizeof score.channel), 0, "case %zu", i);
        cr_assert_eq(score.score, (channel[0] + channel[1] + channel[2]) / 3);
        cr_assert(score.channels == 3 && score.bits == 8);
    }
}

/* A sum that is no number spoils its own pair alone, in whichever pass and plane. */
Test(plan, sums_that_are_not_finite)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const struct ssimcu_plan plan = default_plan(&GPU, batch, batch);
    ssimcu_score score;
    uint32_t kept;
    for (uint32_t place = 0; place < 12; place++)
        for (int b = 0; b < 3; b++) {
            double sums[12] = {0};
            const struct ssimcu_results results = {.sums = sums};
            const uint32_t pair = place / 3 % 2;
            sums[place] = bad[b];
            CHECK_FAILS(ssimcu_plan_score(&plan, &results, pair, &score, &kept, &message),
                        SSIMCU_ERROR_DATA, "not finite");
            cr_assert_eq(ssimcu_plan_score(&plan, &results, !pair, &score, &kept, NULL), SSIMCU_OK);
            cr_assert_eq(score.score, 1.0);
        }
}

/* ---- Errors ---------------------------------------------------------------------------------- */

#define REFUSES(ref, out, tiles, status, word)                                                     \
    CHECK_FAILS(make(&plan, &settings, &CPU, ref, out, tiles, &message), status, word)

Test(plan, frames_that_do_not_fit_are_refused)
{
    static const uint32_t tile[][2] = {{10, 64}, {64, 10}, {0, 64}, {1u << 31, 64}, {64, 1u << 31}};
    const ssimcu_settings settings = {.pad = SSIMCU_PAD_VALID}, zero = {.pad = SSIMCU_PAD_ZERO};
    const ssimcu_view view = {SIZED, .width = 20, .height = 30, .channels = 1};
    ssimcu_view wider = view, taller = view, two = view, narrow = view, flat = view;
    wider.width = 21, taller.height = 31, two.frames = 2, narrow.width = 10, flat.height = 10;
    struct ssimcu_plan plan;
    REFUSES(view, wider, NULL, SSIMCU_ERROR_MISMATCH, "ref is 20x30, out is 21x30");
    REFUSES(taller, view, NULL, SSIMCU_ERROR_MISMATCH, "ref is 20x31, out is 20x30");
    REFUSES(two, view, NULL, SSIMCU_ERROR_MISMATCH, "ref has 2, out has 1");
    REFUSES(narrow, narrow, NULL, SSIMCU_ERROR_TOO_SMALL, "10x30");
    REFUSES(flat, flat, NULL, SSIMCU_ERROR_TOO_SMALL, "20x10");
    cr_assert_eq(plan_of(&zero, &CPU, narrow, narrow, NULL).shape.map_width, 10);
    ssimcu_tiles tiles = SSIMCU_INIT(tiles);
    for (size_t i = 0; i < sizeof tile / sizeof tile[0]; i++) {
        tiles.width = tile[i][0], tiles.height = tile[i][1];
        REFUSES(view, view, &tiles, SSIMCU_ERROR_ARGUMENT, "expected 11 to 2147483647");
    }
    tiles.width = INT32_MAX, tiles.height = 11;
    cr_assert_eq(plan_of(&settings, &CPU, view, view, &tiles).grid.columns, 1);
}
