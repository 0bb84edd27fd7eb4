/* Hints near the condition that decides: pairs on its far side, which must have no hint or
 * another. */
#include "hints/analysis.h"
#include "hints_find.h"
#include "hints_image.h"

#include <stdio.h>
#include <string.h>

static void expect_scored(const struct shot *ref, const struct shot *out, const ssimcu_score *score,
                          const char *expected)
{
    struct signature signature[2];
    struct hints hints;
    char text[HINTS_MOST * (HINT_BYTES + 2) + 1] = "";
    analysis_both(ref->plane, out->plane, ref->planes, score, &hints, signature);
    for (uint32_t i = 0; i < hints.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? "; " : "",
                 hints.text[i]);
    cr_expect_str_eq(text, expected, "\"%s\", not \"%s\"", text, expected);
}

static void expect(const struct shot *ref, const struct shot *out, const char *expected)
{
    const ssimcu_score score = shot_score(ref, out);
    expect_scored(ref, out, &score, expected);
}

static void expect_of(const struct image *ref, const struct image *out, enum kind kind,
                      const char *expected)
{
    struct shot a = shot_make(ref, kind, false), b = shot_make(out, kind, false);
    expect(&a, &b, expected);
    shot_release(&a);
    shot_release(&b);
}

static struct image part_of_photo(void) { return image_crop(600, 200, 2, 480, 270); }

Test(hints_limits, a_score_of_1_needs_none)
{
    struct image image = part_of_photo();
    struct shot flat = shot_make(&image, RGB8, false), deep = shot_make(&image, RGB16, false);
    ssimcu_score score = shot_score(&flat, &deep);
    score.score = 1;
    expect_scored(&flat, &deep, &score, "");
    shot_release(&flat), shot_release(&deep);
    image_free(&image);
}

/* Both sides have an alpha channel with few pixels that are not opaque: nothing is on one side
 * only. */
Test(hints_limits, one_transparent_pixel_is_no_alpha_on_one_side)
{
    struct image image = part_of_photo(), noisy = image_copy(&image);
    image_noise(&noisy, 1, 5);
    struct shot ref = shot_make(&image, RGBA8, false), out = shot_make(&noisy, RGBA8, false);
    check_set_sample(&ref.plane[0], 0, 0, 3, 0);
    expect(&ref, &out, "");
    expect(&out, &ref, "");
    shot_release(&ref), shot_release(&out);
    image_free(&image), image_free(&noisy);
}

/* Black under a ramp of alpha is black on the background of the score, and on no other. */
Test(hints_limits, black_is_so_on_its_background)
{
    struct image image = part_of_photo(), dark = image_copy(&image);
    image_scale(&dark, 0);
    struct shot ref = shot_make(&image, RGBA8, true), out = shot_make(&dark, RGBA8, true);
    ssimcu_score score = shot_score(&ref, &out);
    score.background = SSIMCU_BACKGROUND_BLACK;
    expect_scored(&ref, &out, &score, "black");
    score.background = SSIMCU_BACKGROUND_WHITE;
    expect_scored(&ref, &out, &score, "");
    shot_release(&ref), shot_release(&out);
    image_free(&image), image_free(&dark);
}

Test(hints_limits, grain_that_is_lost_leaves_no_flat_frame)
{
    struct image grain = part_of_photo(), out;
    image_fill(&grain, 0, 0, grain.width, grain.height, (const float[3]){0.4f, 0.5f, 0.6f});
    out = image_copy(&grain);
    image_noise(&grain, 1, 3);
    for (enum kind kind = 0; kind < KINDS; kind++) expect_of(&grain, &out, kind, "");
    image_free(&grain), image_free(&out);
}

Test(hints_limits, black_of_video_is_16)
{
    struct image ref = part_of_photo(), out = image_copy(&ref);
    const float level = 16.0f / 255;
    image_fill(&out, 0, 0, out.width, out.height, (const float[3]){level, level, level});
    expect_of(&ref, &out, YUV8, "black");
    expect_of(&ref, &out, RGB8, "solid");
    image_free(&ref), image_free(&out);
}

/* A mark of a few pixels lies between the points that are looked at. */
Test(hints_limits, a_frame_with_a_mark_is_not_flat)
{
    for (uint32_t i = 0; i < 12; i++) {
        struct image ref = part_of_photo(), out = image_copy(&ref);
        image_fill(&out, 0, 0, out.width, out.height, (const float[3]){0.2f, 0.3f, 0.6f});
        image_fill(&out, 20 + 31 * i, 10 + 17 * i, 6, 4, (const float[3]){1, 1, 1});
        expect_of(&ref, &out, RGB8, "");
        image_free(&ref), image_free(&out);
    }
}

/* Two levels apart is a drawing, however faint: the darkest and the lightest points both tell. */
Test(hints_limits, a_frame_of_three_levels_is_not_flat)
{
    const float level[] = {100.0f / 255, 101.0f / 255, 102.0f / 255};
    struct image ref = part_of_photo(), out = image_copy(&ref);
    for (uint32_t x = 0; x < out.width; x++)
        image_fill(&out, x, 0, 1, out.height,
                   (const float[3]){level[x % 2], level[x % 2], level[x % 2]});
    expect_of(&ref, &out, RGB8, "solid");
    image_fill(&out, 20, 10, 6, 4, (const float[3]){level[2], level[2], level[2]});
    expect_of(&ref, &out, RGB8, "");
    image_free(&ref), image_free(&out);
}

/* Half of the picture is darker: a line that explains half of it is no gain. */
Test(hints_limits, a_darker_half_is_no_gain)
{
    struct image ref = part_of_photo(), out = image_copy(&ref);
    for (uint32_t y = 0; y < out.height; y++)
        for (uint32_t x = 0; x < out.width / 2 * 3; x++) out.rgb[y * out.width * 3 + x] *= 0.9f;
    expect_of(&ref, &out, RGB8, "");
    expect_of(&ref, &out, GREY16, "");
    image_free(&ref), image_free(&out);
}

/* Offsets that differ are said of each channel, not as one of all. */
Test(hints_limits, offsets_apart_are_said_apart)
{
    struct image ref = part_of_photo(), out = image_copy(&ref);
    for (uint32_t c = 0; c < 3; c++) image_line(&out, c, 1, 0.03 - 0.01 * c);
    expect_of(&ref, &out, RGB16, "offset r +0.0300; offset g +0.0200; offset b +0.0100");
    image_free(&ref), image_free(&out);
    ref = part_of_photo(), out = image_copy(&ref);
    for (uint32_t c = 0; c < 3; c++) image_line(&out, c, 0.94 - 0.02 * c, 0);
    expect_of(&ref, &out, RGB16, "gain r 0.940; gain g 0.920; gain b 0.900");
    image_free(&ref), image_free(&out);
}

/* Adds shares of the two other channels to a line of each channel. */
static struct image blend(const struct image *ref, double next, double other)
{
    struct image out = image_copy(ref);
    for (size_t i = 0; i < (size_t)ref->width * ref->height; i++)
        for (size_t c = 0; c < 3; c++) {
            const float *rgb = ref->rgb + 3 * i;
            out.rgb[3 * i + c] = (float)((0.85 - next - other) * rgb[c] + next * rgb[(c + 1) % 3] +
                                         other * rgb[(c + 2) % 3] + 0.03);
        }
    return out;
}

/* Lines explain most of OUT. A sum of all channels explains the rest, so that no line is said. */
Test(hints_limits, channels_that_are_mixed_are_no_lines)
{
    static const double share[][2] = {{0.05, 0.05}, {0.08, 0}, {0, 0.08}, {0.02, 0.06}};
    struct image ref = part_of_photo(), out = blend(&ref, 0, 0);
    expect_of(&ref, &out, RGB16, "gain rgb 0.850; offset rgb +0.0300");
    image_free(&out);
    for (size_t i = 0; i < sizeof share / sizeof share[0]; i++) {
        out = blend(&ref, share[i][0], share[i][1]);
        expect_of(&ref, &out, RGB8, "");
        expect_of(&ref, &out, RGB16, "");
        image_free(&out);
    }
    image_free(&ref);
}

/* A gain of chroma is about grey, not about 0. */
Test(hints_limits, less_colour_is_a_gain_of_chroma)
{
    struct image image = part_of_photo();
    struct shot ref = shot_make(&image, YUV8, false), out = shot_make(&image, YUV8, false);
    for (int p = 1; p < 3; p++)
        for (uint32_t y = 0; y < out.plane[p].height; y++) {
            unsigned char *row = (unsigned char *)out.plane[p].data + y * out.plane[p].pitch;
            for (uint32_t x = 0; x < out.plane[p].width; x++)
                row[x] = (unsigned char)(128.5 + 0.5 * (row[x] - 128.0));
        }
    ssimcu_score score = shot_score(&ref, &out);
    struct signature signature[2];
    struct hints hints;
    analysis_both(ref.plane, out.plane, 3, &score, &hints, signature);
    cr_expect_eq(hints.count, 2u);
    for (uint32_t i = 0; i < hints.count; i++)
        cr_expect(strncmp(hints.text[i], i ? "gain v 0.5" : "gain u 0.5", 10) == 0 ||
                      strncmp(hints.text[i], i ? "gain v 0.49" : "gain u 0.49", 11) == 0,
                  "%s", hints.text[i]);
    shot_release(&ref), shot_release(&out);
    image_free(&image);
}

/* ---- Primaries ------------------------------------------------------------------------------- */

/* Writes a space's matrix from light to X, Y and Z, from the chromaticities of its primaries and of
 * D65, or the inverse of that. */
static void invert(const double a[3][3], double to[3][3])
{
    double determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            const int r = (k + 1) % 3, s = (k + 2) % 3, t = (i + 1) % 3, u = (i + 2) % 3;
            to[i][k] = a[r][t] * a[s][u] - a[r][u] * a[s][t];
        }
    for (int k = 0; k < 3; k++) determinant += a[0][k] * to[k][0];
    for (int i = 0; i < 9; i++) to[i / 3][i % 3] /= determinant;
}

static void matrix_of(const double xy[3][2], double to[3][3])
{
    static const double white[3] = {0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290};
    double inverse[3][3];
    for (int c = 0; c < 3; c++) {
        to[0][c] = xy[c][0] / xy[c][1];
        to[1][c] = 1;
        to[2][c] = (1 - xy[c][0] - xy[c][1]) / xy[c][1];
    }
    invert(to, inverse);
    for (int c = 0; c < 3; c++) {
        const double much =
            inverse[c][0] * white[0] + inverse[c][1] * white[1] + inverse[c][2] * white[2];
        for (int i = 0; i < 3; i++) to[i][c] *= much;
    }
}

/* Each pair of spaces is told by its name, both ways. */
Test(hints_limits, primaries_of_each_space)
{
    static const double spaces[3][3][2] = {{{0.640, 0.330}, {0.300, 0.600}, {0.150, 0.060}},
                                           {{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}},
                                           {{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}}};
    static const char *const names[3] = {"709", "P3", "2020"};
    for (int i = 0; i < 9; i++) {
        const int from = i / 3, to = i % 3;
        char expected[64];
        double there[3][3], back[3][3], inverse[3][3];
        if (from == to) continue;
        matrix_of(spaces[from], there), matrix_of(spaces[to], back), invert(back, inverse);
        struct image ref = part_of_photo(), out = image_copy(&ref);
        for (size_t p = 0; p < (size_t)ref.width * ref.height; p++) {
            double xyz[3] = {0}, light[3];
            for (int c = 0; c < 3; c++) {
                ref.rgb[3 * p + c] = 0.2f + 0.6f * ref.rgb[3 * p + c]; /* no colour is too strong */
                light[c] = analysis_to_light(ref.rgb[3 * p + c]);
            }
            for (int k = 0; k < 9; k++) xyz[k / 3] += there[k / 3][k % 3] * light[k % 3];
            for (int c = 0; c < 3; c++)
                out.rgb[3 * p + c] = analysis_to_display((float)fmax(
                    0, inverse[c][0] * xyz[0] + inverse[c][1] * xyz[1] + inverse[c][2] * xyz[2]));
        }
        snprintf(expected, sizeof expected, "primaries REF %s OUT %s", names[from], names[to]);
        expect_of(&ref, &out, RGB16, expected);
        image_free(&ref), image_free(&out);
    }
}

/* A frame whose sides have 42 pixels has room for a shift. */
Test(hints_limits, shifts_need_room)
{
    for (uint32_t side = 41; side < 43; side++)
        for (int tall = 0; tall < 2; tall++) {
            struct image ref = image_crop(600, 200, 2, tall ? side : 160, tall ? 160 : side);
            struct image out = image_copy(&ref);
            image_shift(&out, 3, 2);
            expect_of(&ref, &out, RGB8, side < 42 ? "" : "shift +3 +2");
            image_free(&ref), image_free(&out);
        }
}

/* A shift is found up to 8 pixels to each side, also in a small frame with noise. */
Test(hints_limits, shifts_to_all_sides)
{
    enum { REACH = 8 };
    for (int small = 0; small < 2; small++)
        for (int down = -REACH; down <= REACH; down += REACH / 2)
            for (int right = -REACH; right <= REACH; right += REACH / 2) {
                struct image ref = image_crop(750, 270, 2, small ? 64 : 480, small ? 64 : 270);
                struct image out = image_copy(&ref);
                char wanted[32] = "";
                if (right != 0 || down != 0)
                    snprintf(wanted, sizeof wanted, "shift %+d %+d", right, down);
                image_shift(&out, right, down);
                image_noise(&out, 3, 4);
                expect_of(&ref, &out, GREY8, wanted);
                image_free(&ref), image_free(&out);
            }
}
