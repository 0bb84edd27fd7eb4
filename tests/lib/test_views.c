/* Views: whatever type and layout a picture has, its score is that of the frame. Also what
 * floats do that integers cannot. */
#include "api/context.h"
#include "picture.h"
#include "ssim_reference.h"

#include <math.h>
#include <stdlib.h>

enum { KINDS = 24 };

/* Returns each layout of each type in turn. Peaks that are powers of two times 255 keep binary16
 * exact. */
static struct picture_kind kind_of(int index, size_t padding)
{
    static const struct picture_kind type[] = {
        {.type = SSIMCU_TYPE_U8, .peak = 255},   {.type = SSIMCU_TYPE_U16, .peak = 65535},
        {.type = SSIMCU_TYPE_U16, .peak = 1020}, {.type = SSIMCU_TYPE_F16, .peak = 255.0 / 256},
        {.type = SSIMCU_TYPE_F32, .peak = 255},  {.type = SSIMCU_TYPE_F32, .peak = 1},
        {.type = SSIMCU_TYPE_BF16, .peak = 255}, {.type = SSIMCU_TYPE_U16, .peak = 65280}};
    struct picture_kind kind = type[index / 3];
    kind.layout = (ssimcu_layout)(index % 3);
    kind.padding = padding;
    return kind;
}

static ssimcu_context *open_with(ssimcu_device device, ssimcu_pad pad, ssimcu_color color,
                                 ssimcu_alpha alpha)
{
    const ssimcu_settings settings = {.struct_size = sizeof settings,
                                      .device = device,
                                      .pad = pad,
                                      .color = color,
                                      .alpha = alpha};
    return check_open(&settings);
}

/* Makes a frame of `channels` with the reference pair's samples; its alpha is their grain. */
static ssimcu_frame with_channels(const ssimcu_frame *rgb, uint32_t channels, bool opaque)
{
    ssimcu_frame frame = check_frame(rgb->width, rgb->height, channels, 8);
    for (uint32_t y = 0; y < rgb->height; y++)
        for (uint32_t x = 0; x < rgb->width; x++)
            for (uint32_t c = 0; c < channels; c++) {
                const bool alpha = channels % 2 == 0 && c == channels - 1;
                const uint32_t value =
                    alpha ? (opaque ? 255 : check_sample(rgb, y % rgb->width, y, 2) | x % 2)
                          : check_sample(rgb, x, y, c);
                check_set_sample(&frame, x, y, c, value);
            }
    return frame;
}

static void every_kind(ssimcu_context *context, const ssimcu_frame *ref, const ssimcu_frame *out,
                       bool luma)
{
    const ssimcu_score expected = check_compare(context, ref, out);
    for (int i = 0; i < KINDS; i++) {
        /* the other side has another layout and type half of the time */
        const int j = i % 2 ? (i * 7 + 5) % KINDS : i;
        const struct picture_kind kind[] = {kind_of(i, (size_t)i % 4), kind_of(j, (size_t)i % 3)};
        struct picture a = picture_make_apart(ref, 1, kind[0], (uint32_t)i % 3);
        struct picture b = picture_make_apart(out, 1, kind[1], (uint32_t)j % 3);
        const ssimcu_score score = picture_compare(context, &a, &b);
        const bool floats = kind[0].type >= SSIMCU_TYPE_F16 || kind[1].type >= SSIMCU_TYPE_F16;
        /* 8-bit luma alone is rounded as the frame's is */
        const bool rounded = kind[0].type == SSIMCU_TYPE_U8 && kind[1].type == SSIMCU_TYPE_U8;
        check_near(score.score, expected.score, luma && !rounded ? 1e-2 : 1e-6,
                   "%ux%ux%u, kinds %d and %d", ref->width, ref->height, ref->channels, i, j);
        cr_assert_eq(score.channels, expected.channels);
        cr_assert_eq(score.background, expected.background);
        cr_assert(!floats || score.bits == 0);
        picture_free(&a), picture_free(&b);
    }
}

BACKEND_TEST(views, every_type_and_layout_scores_as_the_frame)
{
    static const uint32_t size[][2] = {{11, 11}, {37, 53}, {130, 21}, {640, 430}};
    for (size_t s = 0; s < sizeof size / sizeof size[0]; s++) {
        const ssimcu_pad pad = s == 1 ? SSIMCU_PAD_ZERO : SSIMCU_PAD_VALID;
        ssimcu_context *context = open_with(device, pad, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_WORST);
        ssimcu_frame ref, out;
        check_reference_pair(size[s][0], size[s][1], &ref, &out);
        for (uint32_t channels = 1; channels <= (s == 3 ? 3u : 4u); channels++) {
            if (s == 3 && channels == 2) continue;
            ssimcu_frame a = with_channels(&ref, channels, channels == 2 && s == 0);
            ssimcu_frame b = with_channels(&out, channels, channels == 2 && s == 0);
            every_kind(context, &a, &b, false);
            ssimcu_frame_free(&a), ssimcu_frame_free(&b);
        }
        ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
        ssimcu_close(&context);
    }
}

/* Checks each element of the maps of views against the frame's. It takes the kinds that hold the
 * samples exactly: others round them before anything is computed. */
static void every_map(ssimcu_context *context, const ssimcu_frame *ref, const ssimcu_frame *out)
{
    ssimcu_map map;
    ssimcu_score score = check_compare_map(context, ref, out, &map);
    const size_t count = (size_t)map.width * map.height * map.channels;
    float *expected = map.data, *got = map.data = malloc(count * sizeof *got);
    for (int i = 0; i < KINDS; i++) {
        const struct picture_kind kind = kind_of(i, (size_t)i % 4);
        if (kind.peak == 1) continue;
        struct picture a = picture_make(ref, 1, kind), b = picture_make(out, 1, kind);
        memset(got, 0xff, count * sizeof *got);
        cr_assert_eq(ssimcu_compare_views(context, &a.view, &b.view, &score, &map, NULL, NULL),
                     SSIMCU_OK);
        for (size_t k = 0; k < count; k++)
            check_near((double)got[k], (double)expected[k], 1e-7, "kind %d, element %zu", i, k);
        picture_free(&a), picture_free(&b);
    }
    free(expected), free(got);
}

/* Each instruction set reads samples by code of its own. */
Test(views, every_cpu_level)
{
    int levels = 0;
    for (int level = SSIMCU_CPU_PLAIN; level <= SSIMCU_CPU_NEON; level++)
        for (int alpha = SSIMCU_ALPHA_WORST; alpha <= SSIMCU_ALPHA_IGNORE; alpha++) {
            const ssimcu_settings settings = {.struct_size = sizeof settings,
                                              .device = SSIMCU_DEVICE_CPU,
                                              .alpha = (ssimcu_alpha)alpha};
            ssimcu_context *context = NULL;
            if (ssimcu_open_level(&settings, (enum ssimcu_cpu_level)level, &context, NULL) !=
                SSIMCU_OK)
                continue;
            ssimcu_frame ref, out;
            check_reference_pair(211, 30, &ref, &out);
            ssimcu_frame rgba = with_channels(&out, 4, false);
            every_kind(context, &ref, &out, false);
            every_kind(context, &ref, &rgba, false);
            every_map(context, &ref, &out);
            ssimcu_frame_free(&ref), ssimcu_frame_free(&out), ssimcu_frame_free(&rgba);
            ssimcu_close(&context);
            levels++;
        }
    cr_assert(levels >= 2);
}

/* Alpha and luma, with grey against colour on the way. */
BACKEND_TEST(views, every_setting_scores_as_the_frame)
{
    ssimcu_frame ref, out;
    check_reference_pair(37, 24, &ref, &out);
    ssimcu_frame rgba = with_channels(&ref, 4, false), grey = with_channels(&out, 2, false);
    for (int color = SSIMCU_COLOR_RGB; color <= SSIMCU_COLOR_Y601; color++)
        for (int alpha = SSIMCU_ALPHA_WORST; alpha <= SSIMCU_ALPHA_WHITE; alpha++) {
            ssimcu_context *context =
                open_with(device, SSIMCU_PAD_VALID, (ssimcu_color)color, (ssimcu_alpha)alpha);
            every_kind(context, &rgba, &grey, color != SSIMCU_COLOR_RGB);
            every_kind(context, &out, &rgba, color != SSIMCU_COLOR_RGB);
            ssimcu_close(&context);
        }
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    ssimcu_frame_free(&rgba), ssimcu_frame_free(&grey);
}

/* Luma of floats is not rounded: it scores as a grey picture of just those values. */
BACKEND_TEST(views, luma_of_floats)
{
    ssimcu_frame ref, out;
    check_reference_pair(40, 30, &ref, &out);
    const struct picture_kind kind = {SSIMCU_LAYOUT_CHW, SSIMCU_TYPE_F32, 2, 3};
    const ssimcu_frame *frames[] = {&ref, &out};
    struct picture rgb[2], luma[2];
    for (int i = 0; i < 2; i++) {
        ssimcu_frame grey = check_channel(frames[i], 0);
        rgb[i] = picture_make(frames[i], 1, kind);
        luma[i] = picture_make(&grey, 1, kind);
        for (uint32_t y = 0; y < ref.height; y++)
            for (uint32_t x = 0; x < ref.width; x++)
                picture_set(&luma[i], 0, x, y, 0,
                            (0.2126 * check_sample(frames[i], x, y, 0) +
                             0.7152 * check_sample(frames[i], x, y, 1) +
                             0.0722 * check_sample(frames[i], x, y, 2)) *
                                2 / 255);
        ssimcu_frame_free(&grey);
    }
    ssimcu_context *context =
        open_with(device, SSIMCU_PAD_VALID, SSIMCU_COLOR_Y709, SSIMCU_ALPHA_WORST);
    const ssimcu_score score = picture_compare(context, &rgb[0], &rgb[1]);
    cr_assert_eq(score.channels, 1u);
    check_near(score.score, picture_compare(context, &luma[0], &luma[1]).score, 1e-6, "luma");
    for (int i = 0; i < 2; i++) picture_free(&rgb[i]), picture_free(&luma[i]);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    ssimcu_close(&context);
}

/* Any data range is a range: peaks that no depth has. */
BACKEND_TEST(views, any_peak_is_a_range)
{
    ssimcu_frame ref, out;
    check_reference_pair(50, 40, &ref, &out);
    ssimcu_context *context =
        open_with(device, SSIMCU_PAD_VALID, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_WORST);
    double expected = 0;
    for (int type = SSIMCU_TYPE_U8; type <= SSIMCU_TYPE_BF16; type++) {
        /* samples stay 0 to 255 while white is said to be 200, so that the brightest lie outside */
        const struct picture_kind kind = {SSIMCU_LAYOUT_HWC, (ssimcu_type)type, 255, 0};
        struct picture a = picture_make(&ref, 1, kind), b = picture_make(&out, 1, kind);
        a.view.peak = b.view.peak = 200;
        const ssimcu_score score = picture_compare(context, &a, &b);
        if (type == SSIMCU_TYPE_U8) expected = score.score;
        check_near(score.score, expected, 1e-6, "type %d", type);
        cr_assert_eq(score.bits, 0u);
        a.view.peak = b.view.peak = 255;
        cr_assert(fabs(picture_compare(context, &a, &b).score - expected) > 1e-4,
                  "the peak has no effect");
        picture_free(&a), picture_free(&b);
    }
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    ssimcu_close(&context);
}

/* A grey pair of floats with values around the range, and the reference's planes of it. */
struct outside {
    struct picture ref, out;
    float *planes[2];
};

static struct outside make_outside(uint32_t width, uint32_t height, ssimcu_type type,
                                   double amplitude, uint32_t seed)
{
    struct outside pair;
    check_random random = {seed};
    ssimcu_frame blank = check_frame(width, height, 1, 8);
    const struct picture_kind kind = {SSIMCU_LAYOUT_PLANES, type, 1, 1};
    pair.ref = picture_make(&blank, 1, kind), pair.out = picture_make(&blank, 1, kind);
    for (int i = 0; i < 2; i++) pair.planes[i] = malloc((size_t)width * height * sizeof(float));
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            /* steps of 2^-9, which binary16 holds */
            const double v = (double)check_between(&random, 0, 512) / 512 * amplitude - 0.5;
            const double d = (double)check_between(&random, 0, 64) / 512 * amplitude;
            picture_set(&pair.ref, 0, x, y, 0, v), picture_set(&pair.out, 0, x, y, 0, v + d);
            pair.planes[0][y * width + x] = (float)(v * 255);
            pair.planes[1][y * width + x] = (float)((v + d) * 255);
        }
    ssimcu_frame_free(&blank);
    return pair;
}

static void free_outside(struct outside *pair)
{
    picture_free(&pair->ref), picture_free(&pair->out);
    free(pair->planes[0]), free(pair->planes[1]);
}

BACKEND_TEST(views, values_outside_the_range_are_scored_as_they_are)
{
    static const double amplitude[] = {1, 2, 8, 64};
    for (int pad = SSIMCU_PAD_VALID; pad <= SSIMCU_PAD_ZERO; pad++)
        for (size_t i = 0; i < sizeof amplitude / sizeof amplitude[0]; i++) {
            const uint32_t width = 61, height = 33;
            struct outside pair =
                make_outside(width, height, SSIMCU_TYPE_F32, amplitude[i], (uint32_t)i);
            ssimcu_context *context =
                open_with(device, (ssimcu_pad)pad, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_WORST);
            const double windows = pad ? width * height : (width - 10) * (height - 10);
            double sum = 0;
            cr_assert_eq(
                reference_ssim(pair.planes[0], pair.planes[1], width, height, pad, 255, &sum, NULL),
                0);
            check_near(picture_compare(context, &pair.ref, &pair.out).score, 1 - sum / windows,
                       2e-6, "amplitude %g, pad %d", amplitude[i], pad);
            cr_assert_eq(picture_compare(context, &pair.ref, &pair.out).score,
                         picture_compare(context, &pair.out, &pair.ref).score, "swapped");
            cr_assert_eq(picture_compare(context, &pair.out, &pair.out).score, 1.0);
            ssimcu_close(&context);
            free_outside(&pair);
        }
}

BACKEND_TEST(views, samples_that_are_not_finite_are_refused)
{
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 3e9, -70000};
    check_random random = {7};
    ssimcu_context *context[] = {
        open_with(device, SSIMCU_PAD_VALID, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_WORST),
        open_with(device, SSIMCU_PAD_ZERO, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_WORST)};
    for (int type = SSIMCU_TYPE_F16; type <= SSIMCU_TYPE_BF16; type++)
        for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
            for (uint32_t place = 0; place < 8; place++) {
                const uint32_t width = 150, height = 31;
                struct outside pair = make_outside(width, height, (ssimcu_type)type, 1, place);
                const uint32_t x = place & 1   ? width - 1
                                   : place & 4 ? check_between(&random, 0, 149)
                                               : 0;
                const uint32_t y = place & 2   ? height - 1
                                   : place & 4 ? check_between(&random, 0, 30)
                                               : 0;
                ssimcu_score score = {.struct_size = sizeof score, .score = 42};
                picture_set(place % 3 ? &pair.ref : &pair.out, 0, x, y, 0, wrong[i]);
                for (int c = 0; c < 2; c++)
                    CHECK_FAILS(ssimcu_compare_views(context[c], &pair.ref.view, &pair.out.view,
                                                     &score, NULL, NULL, &message),
                                SSIMCU_ERROR_DATA, "not finite");
                cr_assert_eq(score.score, 42);
                if (place % 3 == 0)
                    cr_assert_eq(picture_compare(context[0], &pair.ref, &pair.ref).score, 1.0,
                                 "the context is good after the error");
                free_outside(&pair);
            }
    for (int c = 0; c < 2; c++) ssimcu_close(&context[c]);
}

/* Alpha that is ignored may be anything. */
BACKEND_TEST(views, ignored_alpha_may_be_anything)
{
    ssimcu_frame ref, out;
    check_reference_pair(30, 30, &ref, &out);
    ssimcu_frame a = with_channels(&ref, 4, true), b = with_channels(&out, 4, true);
    for (int layout = SSIMCU_LAYOUT_HWC; layout <= SSIMCU_LAYOUT_PLANES; layout++) {
        const struct picture_kind kind = {(ssimcu_layout)layout, SSIMCU_TYPE_F32, 1, 0};
        struct picture p = picture_make(&a, 1, kind), q = picture_make(&b, 1, kind);
        ssimcu_context *ignore =
            open_with(device, SSIMCU_PAD_VALID, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_IGNORE);
        ssimcu_context *worst =
            open_with(device, SSIMCU_PAD_VALID, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_WORST);
        const ssimcu_score score = picture_compare(ignore, &p, &q);
        cr_assert_eq(picture_compare(worst, &p, &q).background, SSIMCU_BACKGROUND_NONE);
        picture_set(&p, 0, 3, 4, 3, NAN);
        cr_assert_eq(picture_compare(ignore, &p, &q).score, score.score);
        ssimcu_score untouched = {.struct_size = sizeof untouched};
        CHECK_FAILS(ssimcu_compare_views(worst, &p.view, &q.view, &untouched, NULL, NULL, &message),
                    SSIMCU_ERROR_DATA, "not finite");
        ssimcu_close(&ignore), ssimcu_close(&worst);
        picture_free(&p), picture_free(&q);
    }
    ssimcu_frame_free(&a), ssimcu_frame_free(&b);
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
}

/* Rows of planes lie between each other, as in line-interleaved pictures. */
BACKEND_TEST(views, planes_row_by_row)
{
    ssimcu_frame ref, out;
    check_reference_pair(33, 20, &ref, &out);
    ssimcu_context *context =
        open_with(device, SSIMCU_PAD_VALID, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_WORST);
    static uint8_t lines[2][20][3][33];
    for (uint32_t y = 0; y < 20; y++)
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t x = 0; x < 33; x++) {
                lines[0][y][c][x] = (uint8_t)check_sample(&ref, x, y, c);
                lines[1][y][c][x] = (uint8_t)check_sample(&out, x, y, c);
            }
    ssimcu_view a = {.struct_size = sizeof a,
                     .width = 33,
                     .height = 20,
                     .channels = 3,
                     .layout = SSIMCU_LAYOUT_CHW,
                     .pitch = 99,
                     .plane_stride = 33,
                     .data = {lines[0]}};
    ssimcu_view b = a;
    b.data[0] = lines[1];
    ssimcu_score score = {.struct_size = sizeof score};
    ssimcu_message why = {{0}};
    cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, NULL, &why), SSIMCU_OK, "%s",
                 why.text);
    check_near(score.score, check_compare(context, &ref, &out).score, 1e-7, "rows of planes");
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    ssimcu_close(&context);
}

/* A program that was built before `frames` existed hands in a shorter view. */
BACKEND_TEST(views, views_of_an_older_header)
{
    ssimcu_frame ref, out;
    check_reference_pair(40, 30, &ref, &out);
    ssimcu_context *context =
        open_with(device, SSIMCU_PAD_VALID, SSIMCU_COLOR_RGB, SSIMCU_ALPHA_WORST);
    const size_t older = offsetof(ssimcu_view, frames);
    ssimcu_view a = {.struct_size = sizeof a}, b = a;
    cr_assert_eq(ssimcu_frame_view(&ref, &a, NULL), SSIMCU_OK);
    b.struct_size = older;
    memset((char *)&b + older, 0xee, sizeof b - older);
    cr_assert_eq(ssimcu_frame_view(&out, &b, NULL), SSIMCU_OK);
    cr_assert_eq(b.frames, 0xeeeeeeeeu, "written beyond the older end");
    a.struct_size = older;
    memset((char *)&a + older, 0xee, sizeof a - older);
    ssimcu_score score = {.struct_size = sizeof score};
    cr_assert_eq(ssimcu_compare_views(context, &a, &b, &score, NULL, NULL, NULL), SSIMCU_OK);
    cr_assert_eq(score.score, check_compare(context, &ref, &out).score);
    a.struct_size = sizeof a;
    CHECK_FAILS(ssimcu_compare_views(context, &a, &b, &score, NULL, NULL, &message),
                SSIMCU_ERROR_ARGUMENT, "frames");
    ssimcu_frame_free(&ref), ssimcu_frame_free(&out);
    ssimcu_close(&context);
}

/* ---- Reading back ---------------------------------------------------------------------------- */

enum { READ_WIDTH = 19, READ_HEIGHT = 11 };

/* V of samples beside U, ten bits in the upper ones of 16, as a decoder writes them; dense R, G, B;
 * and floats. Views of host memory take the same way on every device. */
static void read_on(ssimcu_device device)
{
    static uint16_t chroma[READ_HEIGHT][32][2], got[READ_HEIGHT][READ_WIDTH + 3];
    static uint16_t both[READ_HEIGHT][READ_WIDTH][2];
    static uint8_t rgb[READ_HEIGHT][READ_WIDTH][3], same[READ_HEIGHT][READ_WIDTH][3];
    static float light[READ_HEIGHT][READ_WIDTH], again[READ_HEIGHT][READ_WIDTH];
    const ssimcu_settings settings = check_settings_for(device, SSIMCU_PAD_VALID);
    ssimcu_context *context = check_open(&settings);
    ssimcu_message why = {{0}};
    for (int y = 0; y < READ_HEIGHT; y++)
        for (int x = 0; x < READ_WIDTH; x++) {
            chroma[y][x][0] = 0xffff;
            chroma[y][x][1] = (uint16_t)((y * READ_WIDTH + x) * 4 % 1024 << 6);
            for (int c = 0; c < 3; c++) rgb[y][x][c] = (uint8_t)(x * y + c);
            light[y][x] = (float)(x + y) / 7;
        }
    ssimcu_view view = SSIMCU_INIT(view, .width = READ_WIDTH, .height = READ_HEIGHT, .channels = 1,
                                   .type = SSIMCU_TYPE_U16, .peak = 1023 << 6, .pixel_stride = 4,
                                   .pitch = sizeof chroma[0], .data = {&chroma[0][0][1]});
    ssimcu_frame frame = {.width = READ_WIDTH,
                          .height = READ_HEIGHT,
                          .channels = 1,
                          .bits = 10,
                          .pitch = sizeof got[0],
                          .data = got};
    cr_assert_eq(ssimcu_view_read(context, &view, &frame, &why), SSIMCU_OK, "%s", why.text);
    for (int y = 0; y < READ_HEIGHT; y++)
        for (int x = 0; x < READ_WIDTH + 3; x++)
            cr_assert_eq(got[y][x], x < READ_WIDTH ? chroma[y][x][1] >> 6 : 0, "%d, %d", x, y);
    view.channels = frame.channels = 2, view.data[0] = chroma;
    frame.data = both, frame.pitch = sizeof both[0];
    cr_assert_eq(ssimcu_view_read(context, &view, &frame, &why), SSIMCU_OK, "%s", why.text);
    for (int y = 0; y < READ_HEIGHT; y++)
        for (int x = 0; x < READ_WIDTH; x++)
            for (int c = 0; c < 2; c++) cr_assert_eq(both[y][x][c], chroma[y][x][c] >> 6);
    frame.channels = view.channels = 1, frame.bits = 12;
    cr_assert_eq(ssimcu_view_read(context, &view, &frame, &why), SSIMCU_ERROR_ARGUMENT);
    frame.bits = 10, frame.width--;
    cr_assert_eq(ssimcu_view_read(context, &view, &frame, &why), SSIMCU_ERROR_ARGUMENT);
    view =
        SSIMCU_INIT(view, .width = READ_WIDTH, .height = READ_HEIGHT, .channels = 3, .data = {rgb});
    frame = (ssimcu_frame){READ_WIDTH, READ_HEIGHT, 3, 8, .pitch = sizeof same[0], .data = same};
    cr_assert_eq(ssimcu_view_read(context, &view, &frame, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_arr_eq(same, rgb, sizeof rgb);
    view.layout = SSIMCU_LAYOUT_CHW;
    cr_assert_eq(ssimcu_view_read(context, &view, &frame, &why), SSIMCU_ERROR_ARGUMENT);
    view = SSIMCU_INIT(view, .width = READ_WIDTH, .height = READ_HEIGHT, .channels = 1,
                       .type = SSIMCU_TYPE_F32, .data = {light});
    frame = (ssimcu_frame){READ_WIDTH,   READ_HEIGHT, 1, SSIMCU_BITS_F32, .pitch = sizeof again[0],
                           .data = again};
    cr_assert_eq(ssimcu_view_read(context, &view, &frame, &why), SSIMCU_OK, "%s", why.text);
    cr_assert_arr_eq(again, light, sizeof light);
    ssimcu_close(&context);
}

Test(views, read_back_cpu) { read_on(SSIMCU_DEVICE_CPU); }

Test(views, read_back_cuda)
{
    if (check_has_cuda()) read_on(SSIMCU_DEVICE_CUDA);
}
