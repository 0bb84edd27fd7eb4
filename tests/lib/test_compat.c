/* The numbers of other tools: what the tools themselves printed for the documented pair. How they
 * were run is in tests/compat/check.py. */
#include "check.h"
#include "compat/compat.h"

#include <math.h>
#include <stdlib.h>

enum { FFMPEG = 1, VMAF, FUSED, SSIMULACRA2 };
enum { SSIM, PSNR, MS_SSIM, SSIMULACRA2_METRIC };

static const double *make_plane(const ssimcu_frame *frame, uint32_t channel, uint32_t step,
                                uint32_t bits)
{
    const uint32_t width = (frame->width + step - 1) / step;
    const uint32_t height = (frame->height + step - 1) / step, low = bits - 8;
    double *plane = malloc((size_t)width * height * sizeof *plane);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t v = check_sample(frame, x * step, y * step, channel);
            plane[y * width + x] = (v << low) + (v * 7 + x * step) % (1u << low);
        }
    return plane;
}

/* Makes planes of a frame's channels. In the format 420 the second and third have every other
 * sample. The low bits of deep samples differ from the high ones. */
static struct ssimcu_compat_picture make_picture(const ssimcu_frame *frame, uint32_t format,
                                                 uint32_t bits)
{
    struct ssimcu_compat_picture picture = {.planes = 3, .bits = bits};
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t step = i > 0 && format == 420 ? 2 : 1;
        picture.width[i] = (frame->width + step - 1) / step;
        picture.height[i] = (frame->height + step - 1) / step;
        picture.plane[i] = make_plane(frame, i, step, bits);
    }
    return picture;
}

static void make_pair(uint32_t width, uint32_t height, uint32_t format, uint32_t bits,
                      struct ssimcu_compat_picture pair[2])
{
    ssimcu_frame ref, out;
    check_reference_pair(width, height, &ref, &out);
    pair[0] = make_picture(&ref, format, bits);
    pair[1] = make_picture(&out, format, bits);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

static void free_pair(struct ssimcu_compat_picture pair[2])
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < 3; i++) free((void *)pair[side].plane[i]);
}

static double score_of(int mode, int metric, const struct ssimcu_compat_picture *ref,
                       const struct ssimcu_compat_picture *out, double channel[3])
{
    double score = NAN;
    ssimcu_message message = {{0}};
    cr_assert_eq(ssimcu_compat_score((ssimcu_compat)mode, (ssimcu_metric)metric, ref, out, &score,
                                     channel, &message),
                 SSIMCU_OK, "%s", message.text);
    return score;
}

/* `digits` is how many decimals the tool prints, or we keep. */
struct golden {
    int mode, metric, digits;
    double score, channel[3];
};

static void check_rows(uint32_t width, uint32_t height, uint32_t format, uint32_t bits,
                       const struct golden *row, size_t count)
{
    struct ssimcu_compat_picture pair[2];
    make_pair(width, height, format, bits, pair);
    for (; count > 0; count--, row++) {
        const double tolerance = 0.5 * pow(10, -row->digits) + 1e-14;
        double channel[3];
        const double score = score_of(row->mode, row->metric, &pair[0], &pair[1], channel);
        const char *name = ssimcu_compat_name((ssimcu_compat)row->mode);
        check_near(score, row->score, tolerance, "%s, metric %d", name, row->metric);
        for (int i = 0; i < 3; i++)
            check_near(channel[i], row->channel[i], tolerance, "%s, metric %d, channel %d", name,
                       row->metric, i);
    }
    free_pair(pair);
}

#define CHECK_ROWS(width, height, format, bits, ...)                                               \
    do {                                                                                           \
        const struct golden rows[] = {__VA_ARGS__};                                                \
        check_rows(width, height, format, bits, rows, sizeof rows / sizeof *rows);                 \
    } while (0)

Test(compat, small)
{
    CHECK_ROWS(64, 48, 444, 8, {FFMPEG, SSIM, 6, 0.850943, {0.852236, 0.848751, 0.851842}},
               {FFMPEG, PSNR, 6, 30.578078, {30.712320, 30.508679, 30.516288}},
               {VMAF, SSIM, 6, 0.864307, {0.864307}},
               {FUSED, SSIM, 12, 0.889655171658, {0.889005275613, 0.887921754893, 0.892038484469}},
               {SSIMULACRA2, SSIMULACRA2_METRIC, 8, -5.15109393, {0}});
}

Test(compat, odd_video_of_10_bits)
{
    CHECK_ROWS(641, 363, 420, 10, {FFMPEG, SSIM, 6, 0.902969, {0.886919, 0.934245, 0.935616}},
               {FFMPEG, PSNR, 6, 30.650915, {30.657294, 30.631544, 30.644944}},
               {VMAF, SSIM, 6, 0.907990, {0.907990}}, {VMAF, MS_SSIM, 6, 0.967256, {0.967256}},
               {FUSED, SSIM, 12, 0.941883742185, {0.910810928465, 0.957186051309, 0.957654246780}});
}

Test(compat, shrunk_by_two)
{
    CHECK_ROWS(400, 391, 444, 8, {FFMPEG, SSIM, 6, 0.886963, {0.886915, 0.886500, 0.887473}},
               {FFMPEG, PSNR, 6, 30.659079, {30.663921, 30.641328, 30.672047}},
               {VMAF, SSIM, 6, 0.978898, {0.978898}}, {VMAF, MS_SSIM, 6, 0.959779, {0.959779}},
               {FUSED, SSIM, 12, 0.910800673304, {0.910762057443, 0.910487765947, 0.911152196520}},
               {SSIMULACRA2, SSIMULACRA2_METRIC, 8, 36.38276525, {0}});
}

Test(compat, shrunk_by_three)
{
    CHECK_ROWS(771, 775, 444, 8, {FFMPEG, SSIM, 6, 0.890614, {0.890734, 0.890347, 0.890761}},
               {FFMPEG, PSNR, 6, 30.700540, {30.656055, 30.652655, 30.794409}},
               {VMAF, SSIM, 6, 0.992825, {0.992825}}, {VMAF, MS_SSIM, 6, 0.979911, {0.979911}},
               {FUSED, SSIM, 12, 0.912558241585, {0.912853134577, 0.912470226150, 0.912351364027}},
               {SSIMULACRA2, SSIMULACRA2_METRIC, 8, 44.18114761, {0}});
}

Test(compat, least_of_ms_ssim)
{
    CHECK_ROWS(176, 177, 444, 10, {FFMPEG, SSIM, 6, 0.878061, {0.878020, 0.877740, 0.878424}},
               {FFMPEG, PSNR, 6, 30.675211, {30.711167, 30.665785, 30.648922}},
               {VMAF, SSIM, 6, 0.898780, {0.898780}}, {VMAF, MS_SSIM, 6, 0.886842, {0.886842}},
               {FUSED, SSIM, 12, 0.905003318337, {0.904857724345, 0.904445707461, 0.905706523206}},
               {SSIMULACRA2, SSIMULACRA2_METRIC, 8, 22.70048931, {0}});
}

Test(compat, tiny_of_16_bits)
{
    CHECK_ROWS(17, 13, 444, 16, {FFMPEG, SSIM, 6, 0.614973, {0.618562, 0.599860, 0.626498}},
               {FFMPEG, PSNR, 6, 30.869429, {31.065371, 30.462354, 31.111213}},
               {FUSED, SSIM, 12, 0.818121526746, {0.817863688024, 0.814346730089, 0.822154162126}},
               {SSIMULACRA2, SSIMULACRA2_METRIC, 8, 77.01437496, {0}});
}

Test(compat, ffmpegs_window_beyond_the_edge)
{
    CHECK_ROWS(88, 50, 420, 8, {FFMPEG, SSIM, 6, 0.857101, {0.846157, 0.878268, 0.879712}},
               {FFMPEG, PSNR, 6, 30.553210, {30.731989, 30.401189, 30.039003}},
               {VMAF, SSIM, 6, 0.871339, {0.871339}},
               {FUSED, SSIM, 12, 0.923913214561, {0.894540021165, 0.938065417578, 0.939134204941}});
}

Test(compat, identical_pictures)
{
    struct ssimcu_compat_picture pair[2];
    double channel[3];
    make_pair(177, 176, 444, 8, pair);
    for (int mode = FFMPEG; mode < SSIMULACRA2; mode++)
        cr_assert_eq(score_of(mode, SSIM, &pair[0], &pair[0], channel), 1, "mode %d", mode);
    cr_assert_eq(score_of(FFMPEG, PSNR, &pair[0], &pair[0], channel), INFINITY);
    check_near(score_of(VMAF, MS_SSIM, &pair[0], &pair[0], channel), 1, 5e-7, "MS-SSIM");
    cr_assert_eq(score_of(SSIMULACRA2, SSIMULACRA2_METRIC, &pair[0], &pair[0], channel), 100);
    free_pair(pair);
}

static void paint(const struct ssimcu_compat_picture *picture, uint32_t x, uint32_t y,
                  uint32_t side, double level)
{
    for (uint32_t i = 0; i < side * side; i++)
        ((double *)picture->plane[0])[(y + i / side) * picture->width[0] + x + i % side] = level;
}

/* VMAF's weights make slightly more than 1, so what a flat window has in common with another seems
 * negative. It counts as 0: a flat area that stays the same, anywhere, costs nothing. */
Test(compat, vmafs_flat_windows)
{
    enum { SIDE = 176, AREA = 24 };
    static const uint32_t places[] = {0, (SIDE - AREA) / 2, SIDE - AREA};
    static const double levels[] = {0, 1, 128, 254, 255};
    struct ssimcu_compat_picture pair[2];
    double channel[3];
    for (int k = 0; k < 9; k++) {
        make_pair(SIDE, SIDE, 420, 8, pair);
        paint(&pair[0], places[k % 3], places[k / 3], AREA, 255);
        check_near(score_of(VMAF, SSIM, &pair[0], &pair[0], channel), 1, 1e-7, "place %d", k);
        free_pair(pair);
    }
    make_pair(SIDE, SIDE, 420, 8, pair);
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        paint(&pair[0], 0, 0, SIDE, levels[i]);
        check_near(score_of(VMAF, SSIM, &pair[0], &pair[0], channel), 1, 1e-7, "%g", levels[i]);
        check_near(score_of(VMAF, MS_SSIM, &pair[0], &pair[0], channel), 1, 1e-6, "%g", levels[i]);
    }
    free_pair(pair);
}

/* A last bit that differs shows in the score of ssimulacra2. */
Test(compat, floats_are_as_integers)
{
    static const int modes[] = {FUSED, SSIMULACRA2};
    struct ssimcu_compat_picture pair[2];
    double whole[2], channel[3];
    make_pair(64, 48, 444, 8, pair);
    for (int i = 0; i < 2; i++)
        whole[i] =
            score_of(modes[i], i < 1 ? SSIM : SSIMULACRA2_METRIC, &pair[0], &pair[1], channel);
    for (int side = 0; side < 2; side++) {
        pair[side].bits = 0;
        for (int plane = 0; plane < 3; plane++)
            for (int i = 0; i < 64 * 48; i++) ((double *)pair[side].plane[plane])[i] /= 255;
    }
    for (int i = 0; i < 2; i++)
        check_near(
            score_of(modes[i], i < 1 ? SSIM : SSIMULACRA2_METRIC, &pair[0], &pair[1], channel),
            whole[i], i < 1 ? 1e-12 : 1e-2, "mode %d", modes[i]);
    CHECK_FAILS(ssimcu_compat_score(SSIMCU_COMPAT_FFMPEG, SSIMCU_METRIC_PSNR, &pair[0], &pair[1],
                                    whole, channel, &message),
                SSIMCU_ERROR_UNSUPPORTED, "floats");
    CHECK_FAILS(ssimcu_compat_score(SSIMCU_COMPAT_VMAF, SSIMCU_METRIC_SSIM, &pair[0], &pair[1],
                                    whole, channel, &message),
                SSIMCU_ERROR_UNSUPPORTED, "floats");
    free_pair(pair);
}

/* One plane is the score of that plane, and grey to ssimulacra2. */
Test(compat, one_plane)
{
    struct ssimcu_compat_picture pair[2];
    double channel[3], again[3];
    make_pair(64, 48, 444, 8, pair);
    const double three = score_of(FUSED, SSIM, &pair[0], &pair[1], channel);
    for (int side = 0; side < 2; side++) pair[side].planes = 1;
    cr_assert_neq(score_of(FUSED, SSIM, &pair[0], &pair[1], again), three);
    cr_assert_eq(score_of(FUSED, SSIM, &pair[0], &pair[1], again), channel[0]);
    cr_assert_eq(again[1], 0);
    check_near(score_of(SSIMULACRA2, SSIMULACRA2_METRIC, &pair[0], &pair[1], again), 80.02587738,
               5e-9, "grey");
    free_pair(pair);
}

/* Each tool's smallest picture, and one that is a column or a row smaller. */
Test(compat, smallest_pictures)
{
    static const int tools[][3] = {{FFMPEG, SSIM, 8}, {FFMPEG, PSNR, 1},
                                   {VMAF, SSIM, 11},  {VMAF, MS_SSIM, 176},
                                   {FUSED, SSIM, 1},  {SSIMULACRA2, SSIMULACRA2_METRIC, 8}};
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
        const uint32_t least = (uint32_t)tools[i][2];
        struct ssimcu_compat_picture pair[2];
        double score, channel[3];
        make_pair(least, least, tools[i][0] == VMAF ? 420 : 444, 8, pair); /* it scores Y alone */
        cr_assert_leq(score_of(tools[i][0], tools[i][1], &pair[0], &pair[1], channel), 100);
        for (int side = 0; side < 4 && least > 1; side++) { /* 0 and 1: width, 2 and 3: height */
            (side < 2 ? pair[side % 2].width : pair[side % 2].height)[0]--;
            if (side % 2 == 0) continue;
            CHECK_FAILS(ssimcu_compat_score((ssimcu_compat)tools[i][0], (ssimcu_metric)tools[i][1],
                                            &pair[0], &pair[1], &score, channel, &message),
                        SSIMCU_ERROR_TOO_SMALL, ssimcu_compat_name((ssimcu_compat)tools[i][0]));
            for (int back = 0; side == 1 && back < 2; back++) pair[back].width[0]++;
        }
        free_pair(pair);
    }
}

Test(compat, misuse)
{
    struct ssimcu_compat_picture pair[2];
    double score, channel[3];
    make_pair(64, 48, 420, 8, pair);
#define SCORE(mode, metric)                                                                        \
    ssimcu_compat_score((ssimcu_compat)(mode), (ssimcu_metric)(metric), &pair[0], &pair[1],        \
                        &score, channel, &message)
    CHECK_FAILS(SCORE(FUSED, PSNR), SSIMCU_ERROR_UNSUPPORTED, "fused-ssim");
    CHECK_FAILS(SCORE(99, SSIM), SSIMCU_ERROR_UNSUPPORTED, "unknown");
    CHECK_FAILS(SCORE(SSIMULACRA2, SSIMULACRA2_METRIC), SSIMCU_ERROR_UNSUPPORTED, "one size");
    pair[0].bits = pair[1].bits = 7;
    CHECK_FAILS(SCORE(FUSED, SSIM), SSIMCU_ERROR_ARGUMENT, "bits is 7");
    pair[0].bits = pair[1].bits = 8;
    pair[0].planes = pair[1].planes = 2;
    CHECK_FAILS(SCORE(FUSED, SSIM), SSIMCU_ERROR_ARGUMENT, "planes is 2");
    free_pair(pair);
}

Test(compat, names)
{
    for (int mode = 1; mode < SSIMCU_COMPAT_MODES; mode++) {
        const char *name = ssimcu_compat_name((ssimcu_compat)mode);
        cr_assert_eq(ssimcu_compat_find(name), (ssimcu_compat)mode, "%s", name);
    }
    cr_assert_eq(ssimcu_compat_find("fused-ssim"), SSIMCU_COMPAT_FUSED_SSIM);
    cr_assert_eq(ssimcu_compat_find("wang"), SSIMCU_COMPAT_NONE);
    cr_assert_null(ssimcu_compat_name((ssimcu_compat)SSIMCU_COMPAT_MODES));
    cr_assert(ssimcu_compat_has(SSIMCU_COMPAT_VMAF, SSIMCU_METRIC_MS_SSIM));
    cr_assert_not(ssimcu_compat_has(SSIMCU_COMPAT_VMAF, SSIMCU_METRIC_PSNR));
}

/* The same numbers by way of a context. */
Test(compat, context)
{
    ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_AUTO, SSIMCU_PAD_VALID);
    ssimcu_context *context = NULL;
    ssimcu_score score = SSIMCU_INIT(score);
    ssimcu_frame ref, out;
    check_reference_pair(640, 360, &ref, &out);
    settings.compat = SSIMCU_COMPAT_FFMPEG;
    settings.metrics = 1u << SSIMCU_METRIC_PSNR;
    score = check_score(&settings, &ref, &out);
    check_near(score.score, 0.888177, 5e-7, "ssim");
    check_near(score.metric[SSIMCU_METRIC_PSNR], 30.659444, 5e-7, "psnr");
    check_near(10 * log10(1 / score.mse), score.metric[SSIMCU_METRIC_PSNR], 1e-12, "mse");
    settings.compat = SSIMCU_COMPAT_SSIMULACRA2;
    settings.metrics = 1u << SSIMCU_METRIC_SSIMULACRA2;
    score = check_score(&settings, &ref, &out);
    check_near(score.metric[SSIMCU_METRIC_SSIMULACRA2], 38.10530836, 5e-9, "ssimulacra2");
    check_near(score.score, 0.909132240, 1e-7, "ssim of the library");
    cr_assert(isnan(score.metric_channel[SSIMCU_METRIC_SSIMULACRA2][0]) && score.channels == 3);
    settings.compat = SSIMCU_COMPAT_VMAF;
    settings.metrics = 1u << SSIMCU_METRIC_MS_SSIM;
    cr_assert_eq(check_score(&settings, &ref, &out).channels, 1u);
    settings.color = SSIMCU_COLOR_Y709;
    settings.compat = SSIMCU_COMPAT_FUSED_SSIM;
    settings.metrics = 0;
    check_near(check_score(&settings, &ref, &out).score, 0.937871344157, 1e-11, "luma");
    settings.metrics = 1u << SSIMCU_METRIC_PSNR;
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_UNSUPPORTED,
                "fused-ssim has no PSNR");
    settings.metrics = 0;
    settings.compat = SSIMCU_COMPAT_SSIMULACRA2;
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_UNSUPPORTED, "no SSIM");
    settings.compat = SSIMCU_COMPAT_FFMPEG;
    settings.device = SSIMCU_DEVICE_CUDA;
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_UNSUPPORTED,
                "only the CPU");
    settings.compat = (ssimcu_compat)5;
    CHECK_FAILS(ssimcu_open(&settings, &context, &message), SSIMCU_ERROR_ARGUMENT, "compat");
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}
