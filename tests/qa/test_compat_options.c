/* Options with a tool whose numbers are wanted: what they come to, and what goes with which source.
 */
#include "check.h"
#include "options/internal.h"

#include "ssimcu_qa.h"

static const char *const out = "out";

/* Nothing tries a GPU, and no tile is asked for. */
Test(compat_options, the_cpu_scores_and_decodes)
{
    for (int c = SSIMCU_COMPAT_NONE; c < SSIMCU_COMPAT_SSIMULACRA2; c++) {
        ssimcu_run_options given = SSIMCU_INIT(run_options, .ref = "ref", .out = &out, .outs = 1);
        struct options options;
        const bool own = c == SSIMCU_COMPAT_NONE;
        given.compat = (ssimcu_compat)c;
        cr_assert_eq(options_make(&options, &given, NULL), SSIMCU_OK);
        cr_assert_eq((int)options.settings.compat, c);
        cr_assert_eq(options.settings.device, own ? SSIMCU_DEVICE_AUTO : SSIMCU_DEVICE_CPU);
        cr_assert_eq((int)options.input.decode, own ? SSIMCU_DECODE_AUTO : SSIMCU_DECODE_CPU);
        cr_assert_eq(options.tile, own ? 64u : 0u);
        options_free(&options);
    }
}

/* libvmaf scores luma, and SSIMULACRA2 no planes of video. */
Test(compat_options, sources)
{
    struct options options = {.settings = {.compat = SSIMCU_COMPAT_VMAF}};
    cr_assert_eq(compat_options_match(&options, true, NULL), SSIMCU_OK);
    CHECK_FAILS(compat_options_match(&options, false, &message), SSIMCU_ERROR_ARGUMENT, "--color");
    options.settings.color = SSIMCU_COLOR_Y601;
    cr_assert_eq(compat_options_match(&options, false, NULL), SSIMCU_OK);
    options.settings = (ssimcu_settings){.compat = SSIMCU_COMPAT_SSIMULACRA2};
    cr_assert_eq(compat_options_match(&options, false, NULL), SSIMCU_OK);
    CHECK_FAILS(compat_options_match(&options, true, &message), SSIMCU_ERROR_ARGUMENT, "pictures");
}

/* Two files in one call have the tool's numbers, or its errors. */
Test(compat_options, two_files)
{
    const char *const ref = SSIMCU_TESTDATA "/rgb8_a.png", *const other =
                                                               SSIMCU_TESTDATA "/rgb8_b.png";
    ssimcu_run_options given = SSIMCU_INIT(run_options);
    ssimcu_file_result result = SSIMCU_INIT(file_result);
    given.compat = SSIMCU_COMPAT_FFMPEG;
    given.metric = SSIMCU_METRIC_PSNR;
    cr_assert_eq(ssimcu_compare_files(NULL, ref, other, &given, &result, NULL), SSIMCU_OK);
    check_near(result.scored.score, 0.871352, 5e-7, "All of ssim");
    check_near(result.metrics.metric[SSIMCU_METRIC_PSNR], 30.661222, 5e-7, "average of psnr");
    cr_assert_eq(result.scored.tile.width, 0u);
    given.compat = SSIMCU_COMPAT_VMAF;
    given.metric = SSIMCU_METRIC_SSIM;
    CHECK_FAILS(ssimcu_compare_files(NULL, ref, other, &given, &result, &message),
                SSIMCU_ERROR_ARGUMENT, "luma");
}
