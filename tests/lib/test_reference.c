/* Scores against numbers that other tools computed (scikit-image, fused-ssim's contract,
 * Octave), on the documented pair and on closed forms. */
#include "check.h"
#include "ssimcu_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double TOLERANCE = 1e-6;

static void expect_rgb(ssimcu_device device, ssimcu_settings settings, uint32_t width,
                       uint32_t height, double expected)
{
    ssimcu_frame ref, out;
    settings.struct_size = sizeof settings;
    settings.device = device;
    check_reference_pair(width, height, &ref, &out);
    check_near(check_score(&settings, &ref, &out).score, expected, TOLERANCE,
               "%ux%u pad %d color %d", width, height, settings.pad, settings.color);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

/* Returns the first 16 hex digits of the SHA-256 of the frame's bytes. */
static void sha256(const ssimcu_frame *frame, char digest[17])
{
    char path[] = "/tmp/ssimcu-sha-XXXXXX", command[128];
    const int fd = mkstemp(path);
    cr_assert(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    cr_assert_eq(fwrite(frame->data, frame->pitch, frame->height, file), frame->height);
    cr_assert_eq(fclose(file), 0);
    snprintf(command, sizeof command, "sha256sum %s", path);
    FILE *pipe = popen(command, "r");
    cr_assert_eq(fread(digest, 1, 16, pipe), 16u);
    digest[16] = '\0';
    pclose(pipe);
    remove(path);
}

Test(reference, pair_is_rebuilt_byte_for_byte)
{
    static const struct {
        uint32_t width, height;
        const char *ref, *out;
    } known[] = {{64, 48, "5852ec1d5efc0242", "e63fb1d780dae97d"},
                 {640, 360, "946f0cdfd10bbb24", "1d02b134c2acdbe5"},
                 {3840, 2160, "9bc77b4ea58c3823", "ae6ae8c525f9bf41"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        ssimcu_frame ref, out;
        char digest[17];
        check_reference_pair(known[i].width, known[i].height, &ref, &out);
        sha256(&ref, digest);
        cr_assert_str_eq(digest, known[i].ref);
        sha256(&out, digest);
        cr_assert_str_eq(digest, known[i].out);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

BACKEND_TEST(reference, small_pairs)
{
    const ssimcu_settings rgb = {0}, zero = {.pad = SSIMCU_PAD_ZERO};
    const ssimcu_settings y709 = {.color = SSIMCU_COLOR_Y709}, y601 = {.color = SSIMCU_COLOR_Y601};
    const ssimcu_settings y709_zero = {.color = SSIMCU_COLOR_Y709, .pad = SSIMCU_PAD_ZERO};
    expect_rgb(device, rgb, 11, 11, 0.557085369394);
    expect_rgb(device, rgb, 12, 11, 0.482538534302);
    expect_rgb(device, rgb, 64, 48, 0.865117191);
    expect_rgb(device, rgb, 640, 360, 0.909132240);
    expect_rgb(device, zero, 11, 11, 0.809930773801);
    expect_rgb(device, zero, 12, 11, 0.802553234518);
    expect_rgb(device, zero, 64, 48, 0.889655172);
    expect_rgb(device, zero, 640, 360, 0.911685911);
    expect_rgb(device, y709, 64, 48, 0.887605667);
    expect_rgb(device, y709, 640, 360, 0.935977075);
    expect_rgb(device, y601, 64, 48, 0.895865131);
    expect_rgb(device, y601, 640, 360, 0.945100980);
    expect_rgb(device, y709_zero, 64, 48, 0.911190595);
    expect_rgb(device, y709_zero, 640, 360, 0.937871344);
}

BACKEND_TEST(reference, negative_scores_are_the_known_ones)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    static const struct {
        uint32_t width, height;
        double score;
    } known[] = {{64, 48, -0.173255114271}, {640, 360, -0.310459662839}};
    for (size_t i = 0; i < 2; i++) {
        ssimcu_frame ref, out;
        check_reference_pair(known[i].width, known[i].height, &ref, &out);
        for (size_t b = 0; b < out.pitch * out.height; b++)
            ((uint8_t *)out.data)[b] = (uint8_t)(255 - ((uint8_t *)ref.data)[b]);
        check_near(check_score(&settings, &ref, &out).score, known[i].score, TOLERANCE,
                   "%ux%u negative", known[i].width, known[i].height);
        ssimcu_frame_free(&ref);
        ssimcu_frame_free(&out);
    }
}

/* One context scores the 4K pair in every mode that has a number. */
BACKEND_TEST(reference, pair_4k)
{
    static const struct {
        ssimcu_pad pad;
        ssimcu_color color;
        double score;
    } known[] = {{SSIMCU_PAD_VALID, SSIMCU_COLOR_RGB, 0.910727273},
                 {SSIMCU_PAD_ZERO, SSIMCU_COLOR_RGB, 0.911127880},
                 {SSIMCU_PAD_VALID, SSIMCU_COLOR_Y709, 0.938605233},
                 {SSIMCU_PAD_VALID, SSIMCU_COLOR_Y601, 0.947862685},
                 {SSIMCU_PAD_ZERO, SSIMCU_COLOR_Y709, 0.938899927}};
    static const double channel[3] = {0.910357880, 0.911103878, 0.910720061};
    ssimcu_frame ref, out;
    check_reference_pair(3840, 2160, &ref, &out);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const ssimcu_settings settings = {.struct_size = sizeof settings,
                                          .device = device,
                                          .pad = known[i].pad,
                                          .color = known[i].color};
        const ssimcu_score score = check_score(&settings, &ref, &out);
        check_near(score.score, known[i].score, TOLERANCE, "4K pad %d color %d", known[i].pad,
                   known[i].color);
        for (uint32_t c = 0; i == 0 && c < 3; c++)
            check_near(score.channel[c], channel[c], TOLERANCE, "4K channel %u", c);
    }
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

static ssimcu_frame read_frame(const char *name)
{
    char path[512];
    ssimcu_message message = {{0}};
    ssimcu_frame frame;
    snprintf(path, sizeof path, "%s/%s", SSIMCU_TESTDATA, name);
    cr_assert_eq(ssimcu_image_read(path, NULL, &frame, &message), SSIMCU_OK, "%s", message.text);
    return frame;
}

/* A 4K photo against its JPEG. The score is from scikit-image 0.19.3 in float64; luma from
 * scikit-image 0.26.0 on (2990 R + 5870 G + 1140 B + 5000) / 10000. (0.957110200198 is the score
 * of another rounding, that of Pillow's conversion to grey.) */
BACKEND_TEST(reference, photo_4k)
{
    static const double channel[3] = {0.945589665746410, 0.952230686663189, 0.904519583873714};
    ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_frame ref = read_frame("dandelion-ref.png"), out = read_frame("dandelion-jpeg-q50.jpg");
    const ssimcu_score rgb = check_score(&settings, &ref, &out);
    check_near(rgb.score, 0.934113312094437, TOLERANCE, "photo, RGB");
    for (uint32_t c = 0; c < 3; c++)
        check_near(rgb.channel[c], channel[c], TOLERANCE, "photo, channel %u", c);
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++) {
        settings.pad = (ssimcu_pad)pad;
        cr_assert_eq(check_score(&settings, &ref, &ref).score, 1.0, "photo against itself");
    }
    settings.pad = SSIMCU_PAD_VALID;
    settings.color = SSIMCU_COLOR_Y601;
    check_near(check_score(&settings, &ref, &out).score, 0.957110006055, TOLERANCE, "Y601");
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

/* The same photo by the definitions of other metrics in double: numpy's PSNR, MS-SSIM as
 * TensorFlow, pytorch-msssim and piq compute it, and SSIMULACRA2 without the rounding of its
 * program. */
BACKEND_TEST(reference, photo_4k_metrics)
{
    static const double expected[SSIMCU_METRICS] = {0.934113312094, 38.398423704, 0.975374501,
                                                    61.993411},
                        tolerance[SSIMCU_METRICS] = {1e-6, 1e-8, 1e-6, 1e-4};
    ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    settings.metrics = (1u << SSIMCU_METRICS) - 1;
    ssimcu_frame ref = read_frame("dandelion-ref.png"), out = read_frame("dandelion-jpeg-q50.jpg");
    const ssimcu_score score = check_score(&settings, &ref, &out);
    for (int m = 0; m < SSIMCU_METRICS; m++)
        check_near(score.metric[m], expected[m], tolerance[m], "photo, metric %d", m);
    ssimcu_frame_free(&ref);
    ssimcu_frame_free(&out);
}

BACKEND_TEST(reference, sixteen_bit_equals_eight_bit)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    ssimcu_frame ref, out;
    check_reference_pair(640, 360, &ref, &out);
    ssimcu_frame ref16 = check_widen(&ref), out16 = check_widen(&out);
    ssimcu_context *context = check_open(&settings);
    const double eight = check_compare(context, &ref, &out).score;
    const ssimcu_score sixteen = check_compare(context, &ref16, &out16);
    cr_assert_eq(sixteen.bits, 16u);
    check_near(sixteen.score, eight, 1e-8, "16 bit against 16 bit");
    check_near(check_compare(context, &ref, &out16).score, eight, 1e-8, "8 bit against 16 bit");
    ssimcu_close(&context);
    ssimcu_frame *const all[] = {&ref, &out, &ref16, &out16};
    for (int i = 0; i < 4; i++) ssimcu_frame_free(all[i]);
}

/* Flat a against flat b has a closed form. The frame is larger than one strip. The levels are
 * every pair of a coarse set and of the neighbourhood of the extremes. */
BACKEND_TEST(reference, flat_pairs)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings, .device = device};
    static const uint32_t level[] = {0, 1, 2, 3, 17, 64, 100, 127, 128, 200, 230, 250, 254, 255};
    const size_t levels = sizeof level / sizeof level[0];
    ssimcu_context *context = check_open(&settings);
    for (size_t i = 0; i < levels; i++)
        for (size_t j = 0; j < levels; j++) {
            const double a = level[i], b = level[j];
            ssimcu_frame ref = check_flat(150, 40, 1, &level[i]);
            ssimcu_frame out = check_flat(150, 40, 1, &level[j]);
            check_near(check_compare(context, &ref, &out).score,
                       (2 * a * b + 6.5025) / (a * a + b * b + 6.5025), TOLERANCE, "flat %g vs %g",
                       a, b);
            ssimcu_frame_free(&ref);
            ssimcu_frame_free(&out);
        }
    ssimcu_close(&context);
}
