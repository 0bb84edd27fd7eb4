/* Hints of a pair: each is right on its case, with no other beside it, and none on clean pairs. */
#include "hints/analysis.h"
#include "hints/hints.h"
#include "hints_find.h"
#include "hints_image.h"
#include "joined.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const float black[3] = {0}, blue[3] = {0.2f, 0.3f, 0.6f};

/* ---- What is found --------------------------------------------------------------------------- */

static struct hints look_at(const struct shot *ref, const struct shot *out)
{
    const ssimcu_score score = shot_score(ref, out);
    struct signature signature[2];
    struct hints hints;
    analysis_both(ref->plane, out->plane, ref->planes, &score, &hints, signature);
    return hints;
}

/* Compares words, and numbers within 0.005. */
static bool agrees(const char *found, const char *expected)
{
    while (*found && *expected) {
        char *found_end = NULL, *expected_end = NULL;
        const double a = strtod(found, &found_end), b = strtod(expected, &expected_end);
        if (found_end == found || expected_end == expected) {
            if (*found++ != *expected++) return false;
        } else {
            if (fabs(a - b) > 0.005) return false;
            found = found_end;
            expected = expected_end;
        }
    }
    return *found == *expected;
}

static void expect_hints(const struct image *ref, const struct image *out, enum kind kind,
                         const char *expected, const char *what)
{
    struct shot a = shot_make(ref, kind, false), b = shot_make(out, kind, false);
    const struct hints hints = look_at(&a, &b);
    cr_expect(agrees(joined(&hints), expected), "%s, kind %d: \"%s\", not \"%s\"", what, kind,
              joined(&hints), expected);
    shot_release(&a);
    shot_release(&b);
}

/* ---- Scenes ---------------------------------------------------------------------------------- */

enum { SCENES = 10 };

/* Textured, dark, bright and blurred parts of the photo, at several sizes. */
static struct image scene(int index)
{
    static const struct {
        double x, y, zoom;
        uint32_t width, height;
    } scenes[SCENES] = {{600, 200, 2, 480, 270},     {0, 0, 8, 480, 270},
                        {800, 400, 1, 320, 240},     {1500, 0, 2.5, 333, 251},
                        {2600, 1300, 1, 480, 270},   {0, 1500, 1.5, 301, 199},
                        {3300, 300, 1.25, 400, 300}, {1200, 1300, 4, 240, 200},
                        {2000, 700, 3, 512, 288},    {300, 600, 6, 200, 200}};
    return image_crop(scenes[index].x, scenes[index].y, scenes[index].zoom, scenes[index].width,
                      scenes[index].height);
}

/* ---- Clean ----------------------------------------------------------------------------------- */

Test(hints, clean_pairs_have_none)
{
    uint32_t pairs = 0;
    for (int s = 0; s < SCENES; s += CHECK_LESS) {
        struct image source = scene(s);
        for (int how = 0; how < CLEAN; how++) {
            struct image ref = image_copy(&source), out = image_copy(&source);
            const char *what = image_spoil(&ref, &out, how, (uint32_t)(100 * s + how));
            const enum kind kind = (enum kind)((s + how) % KINDS);
            expect_hints(&ref, &out, kind, "", what);
            pairs++;
            image_free(&ref);
            image_free(&out);
        }
        image_free(&source);
    }
    cr_expect_geq(pairs, 200 / CHECK_LESS);
}

/* ---- Each on its case ------------------------------------------------------------------------ */

/* Changes such as image_line, each with what is found in grey, in RGB and in Y, U and V. */
static const struct fault {
    const char *what, *grey, *rgb, *yuv;
} faults[] = {
    {"black", "black", "black", "black"},
    {"blue", "solid", "solid", "solid"},
    {"one pixel to the right", "shift +1 +0", "shift +1 +0", "shift +1 +0"},
    {"seven pixels to the left, three down", "shift -7 +3", "shift -7 +3", "shift -7 +3"},
    {"eight up", "shift +0 -8", "shift +0 -8", "shift +0 -8"},
    {"all channels 0.9", "gain grey 0.900", "gain rgb 0.900", NULL},
    {"all channels 1.1", "gain grey 1.100", "gain rgb 1.100", NULL},
    {"all channels + 0.03", "offset grey +0.0300", "offset rgb +0.0300", "offset y +0.0300"},
    {"all channels 0.8 + 0.05", "gain grey 0.800; offset grey +0.0500",
     "gain rgb 0.800; offset rgb +0.0500", NULL},
    {"red 0.9", NULL, "gain r 0.900", NULL},
    {"green - 0.02", NULL, "offset g -0.0200", NULL},
    {"red 1.1, green 0.9 + 0.02", NULL, "gain r 1.100; gain g 0.900; offset g +0.0200", NULL},
    {"limited", "range OUT limited", "range OUT limited", NULL},
    {"full", "range OUT full", "range OUT full", NULL},
};

static void apply(struct image *out, size_t fault)
{
    static const double lines[][2] = {{0.9, 0}, {1.1, 0}, {1, 0.03}, {0.8, 0.05}};
    switch (fault) {
    case 0: image_fill(out, 0, 0, out->width, out->height, black); break;
    case 1: image_fill(out, 0, 0, out->width, out->height, blue); break;
    case 2: image_shift(out, 1, 0); break;
    case 3: image_shift(out, -7, 3); break;
    case 4: image_shift(out, 0, -8); break;
    case 5:
    case 6:
    case 7:
    case 8:
        for (uint32_t c = 0; c < 3; c++)
            image_line(out, c, lines[fault - 5][0], lines[fault - 5][1]);
        break;
    case 9: image_line(out, 0, 0.9, 0); break;
    case 10: image_line(out, 1, 1, -0.02); break;
    case 11:
        image_line(out, 0, 1.1, 0);
        image_line(out, 1, 0.9, 0.02);
        break;
    case 12: image_range(out, true); break;
    default: image_range(out, false);
    }
}

/* Scenes that show each fault. */
static void check_faults(int index, int quality)
{
    struct image ref = scene(index);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        struct image out = image_copy(&ref);
        apply(&out, i);
        if (quality > 0) image_jpeg(&out, quality);
        for (enum kind kind = (enum kind)(i % CHECK_LESS); kind < KINDS; kind += CHECK_LESS) {
            const bool grey = kind == GREY8 || kind == GREY16, yuv = kind == YUV8 || kind == YUV10;
            const char *expected = grey ? faults[i].grey : yuv ? faults[i].yuv : faults[i].rgb;
            if (expected) expect_hints(&ref, &out, kind, expected, faults[i].what);
        }
        image_free(&out);
    }
    image_free(&ref);
}

Test(hints, each_on_its_case) { check_faults(0, 0); }
Test(hints, each_on_its_case_all_of_the_photo) { check_faults(1, 0); }
Test(hints, each_on_its_case_coded) { check_faults(0, 75); }

/* ---- Facts ----------------------------------------------------------------------------------- */

static void expect_of(const struct shot *ref, const struct shot *out, const char *expected)
{
    const struct hints hints = look_at(ref, out);
    cr_expect_str_eq(joined(&hints), expected, "\"%s\", not \"%s\"", joined(&hints), expected);
}

Test(hints, alpha_on_one_side)
{
    struct image image = scene(0), spoilt = image_copy(&image), dark = image_copy(&image);
    image_noise(&spoilt, 1, 5);
    image_scale(&dark, 0.9);
    struct shot rgb = shot_make(&image, RGB8, false), noisy = shot_make(&spoilt, RGB8, false);
    struct shot opaque = shot_make(&spoilt, RGBA8, false), clear = shot_make(&image, RGBA8, true);
    struct shot clear_too = shot_make(&spoilt, RGBA8, true);
    struct shot clear_dark = shot_make(&dark, RGBA8, true);
    expect_of(&rgb, &clear, "alpha OUT only");
    expect_of(&opaque, &clear, "alpha OUT only");
    expect_of(&clear, &noisy, "alpha REF only");
    expect_of(&rgb, &opaque, "");
    expect_of(&clear, &clear_too, "");
    expect_of(&clear, &clear_dark, "gain rgb 0.900");
    expect_of(&clear, &clear, "");
    struct shot *shots[] = {&rgb, &noisy, &opaque, &clear, &clear_too, &clear_dark};
    for (size_t i = 0; i < sizeof shots / sizeof shots[0]; i++) shot_release(shots[i]);
    image_free(&image);
    image_free(&spoilt);
    image_free(&dark);
}

Test(hints, depth_and_colour_may_differ)
{
    struct image image = scene(0), dark = image_copy(&image), moved = image_copy(&image);
    image_scale(&dark, 0.9);
    image_shift(&moved, 2, 1);
    struct shot deep = shot_make(&image, RGB16, false), flat = shot_make(&image, RGB8, false);
    struct shot out = shot_make(&dark, RGB8, false), aside = shot_make(&moved, RGB8, false);
    struct shot grey = shot_make(&image, GREY8, false);
    expect_of(&deep, &flat, "depth REF 16 OUT 8");
    expect_of(&flat, &deep, "depth REF 8 OUT 16");
    expect_of(&deep, &out, "depth REF 16 OUT 8; gain rgb 0.900");
    expect_of(&deep, &aside, "depth REF 16 OUT 8; shift +2 +1");
    expect_of(&grey, &flat, "");
    struct shot *shots[] = {&deep, &flat, &out, &aside, &grey};
    for (size_t i = 0; i < sizeof shots / sizeof shots[0]; i++) shot_release(shots[i]);
    image_free(&image);
    image_free(&dark);
    image_free(&moved);
}

/* A curve is no gain. */
Test(hints, gamma_is_no_line)
{
    for (int s = 0; s < 4; s += 3) {
        struct image ref = scene(s), out = image_copy(&ref);
        image_gamma(&out, 1.25);
        for (enum kind kind = 0; kind < YUV8; kind++) {
            const bool grey = kind == GREY8 || kind == GREY16;
            expect_hints(&ref, &out, kind, grey ? "gamma grey 0.804" : "gamma rgb 0.800", "gamma");
        }
        image_free(&ref);
        image_free(&out);
    }
}

/* The gamma of means is another one than that of the pixels, and grain tells the two apart. */
Test(hints, gamma_of_grain_is_that_of_pixels)
{
    struct image ref = scene(0);
    image_noise(&ref, 7, 60);
    struct image out = image_copy(&ref);
    image_gamma(&out, 1.25);
    expect_hints(&ref, &out, RGB8, "gamma rgb 0.800", "gamma of grain");
    image_free(&ref);
    image_free(&out);
}

/* Grey has no primaries, even if its exposure is that of red in them. */
Test(hints, grey_has_no_primaries)
{
    struct image ref = scene(0), out = image_copy(&ref);
    const float light = 0.822462f;
    for (uint32_t i = 0; i < out.width * out.height * 3; i++)
        out.rgb[i] = analysis_to_display(light * analysis_to_light(out.rgb[i]));
    expect_hints(&ref, &out, GREY16, "gain grey 0.915", "exposure of grey");
    image_free(&ref);
    image_free(&out);
}

static void mirror(struct image *image, bool across, bool down)
{
    struct image from = image_copy(image);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            const uint32_t right = across ? image->width - 1 - x : x;
            const uint32_t below = down ? image->height - 1 - y : y;
            memcpy(image->rgb + 3 * ((size_t)y * image->width + x),
                   from.rgb + 3 * ((size_t)below * image->width + right), 3 * sizeof(float));
        }
    image_free(&from);
}

static void expect_of_all(const struct image *ref, struct image out, const char *hint)
{
    for (enum kind kind = 0; kind < ALL_KINDS; kind++)
        expect_hints(ref, &out, kind, hint, "a part");
    image_free(&out);
}

/* A black strip on one side of the frame alone is no pair of bars. */
Test(hints, strips_on_one_side)
{
    static const struct {
        uint32_t x, y, width, height;
        const char *hint;
    } strips[] = {{0, 0, 40, 270, "black-area 40x270+0+0"},
                  {440, 0, 40, 270, "black-area 40x270+440+0"},
                  {0, 0, 480, 40, "black-area 480x40+0+0"},
                  {0, 230, 480, 40, "black-area 480x40+0+230"}};
    struct image ref = image_crop(600, 200, 2, 480, 270);
    for (size_t s = 0; s < sizeof strips / sizeof *strips; s++) {
        struct image out = image_copy(&ref);
        image_fill(&out, strips[s].x, strips[s].y, strips[s].width, strips[s].height, black);
        expect_of_all(&ref, out, strips[s].hint);
    }
    image_free(&ref);
}

/* Bars are two black lines at least on each of two sides. A single line, which filters leave, is
 * none, whichever side it is on. */
Test(hints, lines_opposite_a_bar)
{
    enum { ACROSS = 480, DOWN = 270, BAR = 40 };
    struct image ref = image_crop(600, 200, 2, ACROSS, DOWN);
    for (int rows = 0; rows < 2; rows++)
        for (int far = 0; far < 2; far++) /* the side of the line */
            for (uint32_t lines = 1; lines <= 2; lines++) {
                struct image out = image_copy(&ref);
                const uint32_t length = rows ? DOWN : ACROSS;
                const uint32_t line = far ? length - lines : 0, bar = far ? 0 : length - BAR;
                char hint[HINT_BYTES];
                if (rows) {
                    image_fill(&out, 0, line, ACROSS, lines, black);
                    image_fill(&out, 0, bar, ACROSS, BAR, black);
                } else {
                    image_fill(&out, line, 0, lines, DOWN, black);
                    image_fill(&out, bar, 0, BAR, DOWN, black);
                }
                if (lines > 1)
                    snprintf(hint, sizeof hint, "bars OUT %s %u %u", rows ? "rows" : "columns",
                             far ? BAR : lines, far ? lines : BAR);
                else
                    snprintf(hint, sizeof hint, "black-area %dx%d+%u+%u", rows ? ACROSS : BAR,
                             rows ? BAR : DOWN, rows ? 0 : bar, rows ? bar : 0);
                expect_of_all(&ref, out, hint);
            }
    image_free(&ref);
}

/* Y, U and V are of full range here, in which a Y of 0 is black as well. */
Test(hints, parts_and_mirrors)
{
    struct image ref = image_crop(600, 200, 2, 480, 270);
    struct image out = image_copy(&ref);
    image_fill(&out, 101, 53, 67, 31, black);
    expect_of_all(&ref, out, "black-area 67x31+101+53");
    for (uint32_t high = 7; high <= 8; high++) { /* a bucket has 8 pixels on a side at least */
        out = image_copy(&ref);
        image_fill(&out, 100, 120, 64, high, black);
        expect_hints(&ref, &out, RGB8, high < 8 ? "" : "black-area 64x8+100+120", "a low part");
        image_free(&out);
    }
    out = image_copy(&ref);
    image_fill(&out, 0, 0, 40, 270, black), image_fill(&out, 450, 0, 30, 270, black);
    for (enum kind kind = 0; kind < ALL_KINDS; kind++)
        expect_hints(&out, &ref, kind, "bars REF columns 40 30", "bars");
    expect_of_all(&ref, out, "bars OUT columns 40 30");
    out = image_copy(&ref);
    image_fill(&out, 20, 20, 40, 40, black), image_fill(&out, 200, 100, 40, 40, black);
    expect_of_all(&ref, out, ""); /* two shots are no rectangle */
    for (int how = 1; how < 4; how++) {
        static const char *const hints[] = {"flipped left right", "flipped up down",
                                            "flipped both ways"};
        out = image_copy(&ref);
        mirror(&out, how & 1, how & 2);
        expect_of_all(&ref, out, hints[how - 1]);
    }
    image_free(&ref);
}

/* An area is known to its last pixels, at the first, a middle and the last row and column, too. */
Test(hints, parts_at_the_ends)
{
    static const uint32_t xs[] = {0, 101, 480 - 67}, ys[] = {0, 53, 270 - 31};
    struct image ref = image_crop(600, 200, 2, 480, 270);
    for (int k = 0; k < 9; k++) {
        char hint[40];
        struct image out = image_copy(&ref);
        snprintf(hint, sizeof hint, "black-area 67x31+%u+%u", xs[k % 3], ys[k / 3]);
        image_fill(&out, xs[k % 3], ys[k / 3], 67, 31, black);
        expect_hints(&ref, &out, RGB8, hint, "a part at an end");
        image_free(&out);
    }
    image_free(&ref);
}

/* In a noisy, dark render single pixels are black anywhere, which hide no bucket. */
Test(hints, parts_in_noise)
{
    struct image ref = image_crop(600, 200, 2, 480, 270);
    image_scale(&ref, 0.2);
    struct image out = image_copy(&ref);
    image_noise(&ref, 1, 12);
    image_noise(&out, 2, 12);
    expect_hints(&ref, &out, RGB8, "", "noise");
    image_fill(&out, 300, 130, 32, 32, black);
    expect_hints(&ref, &out, RGB8, "black-area 32x32+300+130", "a part in noise");
    image_free(&out);
    image_free(&ref);
}

/* A picture that is its own mirror image is not flipped if it is noisy. */
Test(hints, symmetry)
{
    struct image ref = image_crop(600, 200, 2, 480, 270);
    for (uint32_t y = 0; y < ref.height; y++)
        for (uint32_t x = 0; x < ref.width / 2; x++)
            memcpy(ref.rgb + 3 * ((size_t)(y + 1) * ref.width - 1 - x),
                   ref.rgb + 3 * ((size_t)y * ref.width + x), 3 * sizeof(float));
    struct image out = image_copy(&ref);
    image_noise(&out, 5, 30);
    expect_of_all(&ref, out, "");
    image_free(&ref);
}

/* Whatever lies between pixels, or is of another size, is no shift by whole pixels. */
Test(hints, between_pixels_is_no_shift)
{
    static const struct {
        double x, y, scale;
    } off[] = {{0.5, 0, 1},   {0.5, 0.5, 1}, {1.5, 0, 1},  {0, 2.5, 1},
               {0, -1.35, 1}, {0, 2.7, 1},   {0, -0.7, 1}, {3.6, 2, 0.97}};
    for (int place = 0; place < 24; place += CHECK_LESS) {
        const double x = 130 * place, y = 60 * place;
        struct image ref = image_crop(x, y, 2, 320, 240);
        for (size_t i = 0; i < sizeof off / sizeof off[0]; i++) {
            struct image out =
                image_crop(x + 2 * off[i].x, y + 2 * off[i].y, 2 * off[i].scale, 320, 240);
            expect_hints(&ref, &out, (enum kind)((place + i) % KINDS), "", "between pixels");
            image_free(&out);
        }
        image_free(&ref);
    }
}

/* ---- Sizes ----------------------------------------------------------------------------------- */

/* The same frames lie in memory that ends with their last sample, so that an address sanitizer
 * sees more. */
static struct shot tight(struct shot *shot)
{
    struct shot copy = *shot;
    for (uint32_t p = 0; p < shot->planes; p++) {
        ssimcu_frame *from = &shot->plane[p], *to = &copy.plane[p];
        to->pitch = (size_t)from->width * from->channels * (from->bits > 8 ? 2 : 1);
        to->data = malloc(to->pitch * to->height);
        for (uint32_t y = 0; y < to->height; y++)
            memcpy((char *)to->data + y * to->pitch, (char *)from->data + y * from->pitch,
                   to->pitch);
    }
    shot_release(shot);
    return copy;
}

static void analysis_tight(const struct image *ref, const struct image *out, enum kind kind,
                           const char *expected)
{
    struct shot a = shot_make(ref, kind, false), b = shot_make(out, kind, true);
    ssimcu_score score = SSIMCU_INIT(score);
    struct signature signature[2];
    struct hints hints;
    a = tight(&a);
    b = tight(&b);
    score.score = 0.5;
    analysis_both(a.plane, b.plane, a.planes, &score, &hints, signature);
    cr_expect_str_eq(joined(&hints), expected);
    score.background = SSIMCU_BACKGROUND_WHITE;
    analysis_both(a.plane, b.plane, a.planes, &score, &hints, signature);
    for (uint32_t p = 0; p < a.planes; p++) {
        free(a.plane[p].data);
        free(b.plane[p].data);
    }
}

Test(hints, reads_no_sample_outside)
{
    check_random random = {5};
    for (int i = 0; i < 150; i++) {
        const uint32_t width = check_between(&random, 11, i % 2 ? 60 : 400);
        const uint32_t height = check_between(&random, 11, i % 2 ? 60 : 400);
        struct image ref = image_crop(900, 200, 1.5, i == 0 ? 11 : width, i == 0 ? 11 : height);
        struct image out = image_copy(&ref);
        if (i % 3 == 0) image_noise(&out, (uint32_t)i, 20);
        if (i % 3 == 1) image_scale(&out, 0);
        if (i % 3 == 2 && height > 50 && width > 50) image_shift(&out, 3, -2);
        analysis_tight(&ref, &out, (enum kind)(i % KINDS),
                       i % 3 == 0                  ? ""
                       : i % 3 == 1                ? "black"
                       : height > 50 && width > 50 ? "shift +3 -2"
                                                   : "");
        image_free(&ref);
        image_free(&out);
    }
}

/* What learned limits tell is said if the pair itself tells nothing but alpha and depth. */
Test(hints, what_learned_tell_comes_last)
{
    static const char *const cases[][2] = {{"", "noise"},
                                           {"alpha OUT only", "alpha OUT only; noise"},
                                           {"depth REF 16 OUT 8", "depth REF 16 OUT 8; noise"},
                                           {"gain r 0.900", "gain r 0.900"},
                                           {"alphabet", "alphabet"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hints hints = {.count = cases[i][0][0] != '\0'};
        snprintf(hints.text[0], HINT_BYTES, "%s", cases[i][0]);
        hints_add_last(&hints, "noise");
        cr_expect_str_eq(joined(&hints), cases[i][1]);
    }
}
