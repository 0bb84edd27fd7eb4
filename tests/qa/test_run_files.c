/* ssimcu_compare_files: digits, what was read, options, a context of the caller's, errors. */
#include "ssimcu_qa.h"

#include "check.h"
#include "ssimcu_io.h"

#include <stdlib.h>
#include <unistd.h>

#define DATA SSIMCU_TESTDATA "/"

static ssimcu_file_result compare(ssimcu_context *context, const char *ref, const char *out,
                                  const ssimcu_run_options *options)
{
    ssimcu_file_result result = SSIMCU_INIT(file_result);
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_files(context, ref, out, options, &result, &why), SSIMCU_OK, "%s",
                 why.text);
    return result;
}

static void check_facts(const ssimcu_file_facts *facts, const char *format, uint32_t bits)
{
    cr_assert_str_eq(facts->format, format);
    cr_assert(facts->width == 96 && facts->height == 64 && facts->channels == 3);
    cr_assert_eq(facts->bits, bits, "%s: %u bits", format, facts->bits);
    cr_assert(facts->reader && facts->reader[0]);
}

/* Checks the score against the value of another program, which every level of the CPU keeps
 * within 1e-7. A run of the same pair, which is what the program does, has the same mean to the
 * bit. */
static void check_pair(const char *ref, const char *out, double expected)
{
    const ssimcu_file_result result = compare(NULL, ref, out, NULL);
    check_near(result.scored.score, expected, 1e-7, "%s", ref);
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    options.ref = ref, options.out = &out, options.outs = 1;
    ssimcu_run *run = NULL;
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_run_open(&options, &run, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_eq(ssimcu_run_score(run, NULL, &why), SSIMCU_OK, "%s", why.text);
    ssimcu_summary summary = SSIMCU_INIT(summary);
    cr_assert_eq(ssimcu_run_summary(run, 0, &summary, &why), SSIMCU_OK, "%s", why.text);
    cr_assert(summary.scored == 1 && summary.all.mean == result.scored.score, "%s", ref);
    cr_assert(ssimcu_run_is_pair(run) && ssimcu_run_exit_code(run) == SSIMCU_EXIT_SCORED);
    ssimcu_run_close(&run);
}

/* Skips the test if this build does not read the file. */
static void need(const char *path)
{
    ssimcu_frame frame = {0};
    const ssimcu_status status = ssimcu_image_read(path, NULL, &frame, NULL);
    ssimcu_frame_free(&frame);
    if (status == SSIMCU_ERROR_UNSUPPORTED) cr_skip_test("this build does not read %s", path);
}

Test(run_files, pair_of_png)
{
    check_pair(DATA "rgb8_a.png", DATA "rgb8_b.png", 0.890096434);
    const ssimcu_file_result result = compare(NULL, DATA "rgb8_a.png", DATA "rgb8_b.png", NULL);
    const ssimcu_scored *scored = &result.scored;
    for (int i = 0; i < 2; i++) check_facts(&result.side[i], "PNG", 8);
    cr_assert(scored->channels == 3 && scored->bits == 8 && !scored->light[0].known);
    cr_assert_str_eq(scored->layout, "rgb");
    cr_assert(scored->tile.width > 0 && scored->tile.width == 64 && scored->tile.score < 0.89);
    check_near((scored->channel[0] + scored->channel[1] + scored->channel[2]) / 3, scored->score,
               1e-12, "mean of the channels");
}

Test(run_files, pair_of_tiff)
{
    need(DATA "rgb8_a.tif");
    check_pair(DATA "rgb8_a.tif", DATA "rgb8_b.tif", 0.890096434);
    const ssimcu_file_result result = compare(NULL, DATA "rgb8_a.tif", DATA "rgb8_b.png", NULL);
    check_facts(&result.side[0], "TIFF", 8);
    check_facts(&result.side[1], "PNG", 8);
}

Test(run_files, pair_of_exr)
{
    need(DATA "light.exr");
    check_pair(DATA "light.exr", DATA "rgb16_b.png", 0.890099049);
    const ssimcu_file_result result = compare(NULL, DATA "light.exr", DATA "rgb16_b.png", NULL);
    cr_assert_str_eq(result.side[0].format, "EXR");
    check_facts(&result.side[1], "PNG", 16);
    cr_assert(result.scored.light[0].known && !result.scored.light[1].known);
    cr_assert_eq(result.scored.bits, 0);
}

/* A region scores like pictures that are cut to it; the core cuts them here. */
Test(run_files, pair_with_options_and_a_context)
{
    enum { X = 3, Y = 5 };
    const ssimcu_settings settings = check_settings_for(SSIMCU_DEVICE_CPU, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    ssimcu_frame frame[2], cut[2];
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(
            ssimcu_image_read(i ? DATA "rgb8_b.png" : DATA "rgb8_a.png", NULL, &frame[i], NULL),
            SSIMCU_OK);
        cut[i] = check_frame(40, 30, 3, 8);
        for (uint32_t at = 0; at < 40 * 30 * 3; at++)
            check_set_sample(&cut[i], at / 3 % 40, at / 120, at % 3,
                             check_sample(&frame[i], at / 3 % 40 + X, at / 120 + Y, at % 3));
    }
    options.tile = SSIMCU_NONE;
    const double whole = check_compare(context, &frame[0], &frame[1]).score;
    for (int own = 0; own < 2; own++) {
        const ssimcu_file_result result =
            compare(own ? NULL : context, DATA "rgb8_a.png", DATA "rgb8_b.png", &options);
        cr_assert(result.scored.score == whole && result.scored.tile.width == 0);
    }
    options.region.width = 40, options.region.height = 30, options.region.x = X;
    options.region.y = Y;
    cr_assert_eq(compare(context, DATA "rgb8_a.png", DATA "rgb8_b.png", &options).scored.score,
                 check_compare(context, &cut[0], &cut[1]).score);
    for (int i = 0; i < 2; i++) ssimcu_frame_free(&frame[i]), ssimcu_frame_free(&cut[i]);
    ssimcu_close(&context);
}

/* Writes a copy of a PNG that says that its samples are PQ of BT.2020. */
static void write_hdr(const char *from, char *path)
{
    enum { BEFORE = 33 }; /* signature and header */
    static const char cicp[] = "\0\0\0\4cICP\x09\x10\0\1"
                               "\x4D\x23\x23\xFE";
    static char bytes[1 << 20];
    FILE *const file = fopen(from, "rb"), *const copy = fdopen(mkstemp(path), "wb");
    cr_assert(file && copy);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    cr_assert(fwrite(bytes, 1, BEFORE, copy) == BEFORE &&
              fwrite(cicp, 1, sizeof cicp - 1, copy) == sizeof cicp - 1 &&
              fwrite(bytes + BEFORE, 1, size - BEFORE, copy) == size - BEFORE);
    fclose(file), fclose(copy);
}

Test(run_files, pair_of_other_colours)
{
    char hdr[] = "/tmp/ssimcu_run_files_XXXXXX";
    write_hdr(DATA "rgb8_a.png", hdr);
    ssimcu_file_result result = compare(NULL, DATA "rgb8_a.png", hdr, NULL);
    cr_expect_str_eq(result.colours, "transfers are sRGB in REF, smpte2084 in OUT; primaries are "
                                     "bt709 in REF, bt2020 in OUT");
    cr_expect_eq(result.scored.score, 1);
    cr_expect_str_eq(compare(NULL, hdr, hdr, NULL).colours, "");
    unlink(hdr);
}

Test(run_files, pairs_that_cannot_be_compared)
{
    const char *const png = DATA "rgb8_a.png";
    ssimcu_file_result result = SSIMCU_INIT(file_result);
    ssimcu_run_options options = SSIMCU_INIT(run_options);
    options.layers = 1;
    CHECK_FAILS(ssimcu_compare_files(NULL, png, png, &options, &result, &message),
                SSIMCU_ERROR_ARGUMENT, "layers");
    options.layers = 0;
    CHECK_FAILS(ssimcu_compare_files(NULL, png, "gone.png", NULL, &result, &message),
                SSIMCU_ERROR_FILE, "gone.png");
    CHECK_FAILS(ssimcu_compare_files(NULL, png, DATA "tiny11x11.png", NULL, &result, &message),
                SSIMCU_ERROR_MISMATCH, "tiny11x11.png");
    CHECK_FAILS(ssimcu_compare_files(NULL, png, NULL, NULL, &result, &message),
                SSIMCU_ERROR_ARGUMENT, "OUT");
    WRONG_SIZES(ssimcu_compare_files(NULL, png, png, NULL, &result, &message), result,
                "file_result");
    WRONG_SIZES(ssimcu_compare_files(NULL, png, png, &options, &result, &message), options,
                "run_options");
}
