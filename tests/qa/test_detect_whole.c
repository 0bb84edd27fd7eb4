/* The rules of a shot for frames that differ as a whole, each held at its bound: shapes, frames of
 * one colour, alpha and colours. */
#include "detect_numbers.h"

enum { COUNT = 48, AT = 20, ENDS = 3 };

/* ---- Shapes ---------------------------------------------------------------------------------- */

static void make_five(struct shot *shot) { make_moving(shot, 5); }

/* One frame differs in one number. */
Test(detect_whole, shapes_at_each_bound)
{
    static const struct row sizes[] = {ROW(2, width, WIDE + 1, WIDE),
                                       ROW(2, height, HIGH - 1, HIGH)},
                            formats[] = {ROW(2, channels, 4, 3), ROW(2, bits, 16, 8)};
    EXPECT_ROWS(sizes, make_five, consistency_shapes, FINDING_DIMENSIONS, 2);
    EXPECT_ROWS(formats, make_five, consistency_shapes, FINDING_PIXEL_FORMAT, 2);
}

/* Four of five frames that can be read have one shape, and there are five. */
Test(detect_whole, shapes_that_are_usual)
{
    static const struct {
        size_t count, unread, odd;
        bool usual;
    } rows[] = {{4, 0, 1, false}, {5, 0, 1, true},  {5, 1, 1, false}, {6, 1, 1, true},
                {9, 0, 2, false}, {10, 0, 2, true}, {11, 1, 2, true}, {10, 1, 2, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int place = 0; place < ENDS; place++) {
            struct shot shot;
            size_t found = 0;
            make_moving(&shot, rows[r].count);
            for (size_t i = 0; i < rows[r].unread + rows[r].odd; i++) {
                const size_t left = rows[r].count - 1, at = place == 0   ? i
                                                            : place == 1 ? left - i
                                                                         : i * (left / 2);
                if (i < rows[r].unread)
                    shot.frame[at].read = false, shot.frame[at].width = shot.frame[at].bits = 0;
                else
                    shot.frame[at].width += 8 * (uint32_t)i + 8,
                        shot.frame[at].bits = 16 * (uint32_t)i + 16;
            }
            consistency_shapes(&shot);
            for (size_t i = 0; i < shot.count; i++) {
                found += has(&shot, i, FINDING_DIMENSIONS);
                cr_expect_eq(has(&shot, i, FINDING_DIMENSIONS),
                             has(&shot, i, FINDING_PIXEL_FORMAT));
                cr_expect(shot.frame[i].read || shot.frame[i].found.count == 0);
            }
            cr_expect_eq(found, rows[r].usual ? rows[r].odd : 0, "row %zu, place %d", r, place);
            shot_free(&shot);
        }
}

/* Two odd shapes may come before the usual one, also by turns. */
Test(detect_whole, shapes_before_the_usual_one)
{
    for (size_t odd = 2; odd <= 4; odd++)
        for (uint32_t turns = 0; turns < 2; turns++) {
            struct shot shot;
            make_moving(&shot, 25);
            for (uint32_t i = 0; i < odd; i++) shot.frame[i].width += 8 + 8 * (turns ? i % 2 : i);
            consistency_shapes(&shot);
            cr_expect_eq(count_found(&shot, FINDING_DIMENSIONS), odd < 3 || turns ? odd : 0);
            shot_free(&shot);
        }
}

Test(detect_whole, what_a_shape_says)
{
    static const struct {
        uint32_t bits;
        const char *says;
    } rows[] = {{16, "1 channels of 16 bits, the rest of its shot has 3 of 8 bits"},
                {SSIMCU_BITS_F16, "1 channels of half, the rest"},
                {SSIMCU_BITS_F32, "1 channels of float, the rest"},
                {10, "1 channels of another depth, the rest"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_five(&shot);
        struct shot_frame *frame = &shot.frame[2];
        frame->bits = rows[r].bits, frame->channels = 1, frame->width = 32, frame->height = 16;
        consistency_shapes(&shot);
        cr_assert_eq(frame->found.count, 2);
        cr_expect_str_eq(frame->found.at[0].text,
                         "32 x 16 pixels, the rest of its shot has 640 x 400");
        cr_expect_eq(frame->found.at[0].value, 32);
        cr_expect(strstr(frame->found.at[1].text, rows[r].says), "%s", frame->found.at[1].text);
        cr_expect_eq(frame->found.at[1].value, 1);
        shot_free(&shot);
    }
}

/* ---- Frames of one colour -------------------------------------------------------------------- */

/* Three frames in a row are solid, of which one cannot be read. */
static void make_solid(struct shot *shot)
{
    make_moving(shot, COUNT);
    for (size_t i = AT; i < AT + 3; i++) shot->frame[i].flat = true;
    shot->frame[AT + 1].read = shot->frame[AT + 1].flat = false;
    shot->frame[AT + 3].same_scene = true;
}

Test(detect_whole, solid_frames_at_each_bound)
{
    static const struct row rows[] = {ROW(AT + 3, same_scene, true, false),
                                      ROW(AT, flat, SKIPPED, false), ROW(AT, read, SKIPPED, false),
                                      ROW(AT - 1, same_scene, true, SKIPPED)};
    EXPECT_ROWS(rows, make_solid, consistency_solid, FINDING_SOLID, AT);
    struct shot shot;
    make_solid(&shot);
    consistency_solid(&shot);
    cr_expect_eq(count_found(&shot, FINDING_SOLID), 2);
    cr_expect_eq(shot.frame[AT + 1].found.count, 0);
    cr_expect(strstr(shot.frame[AT].found.at[0].text, "in the middle of a scene"));
    shot_free(&shot);
}

/* Makes a shot whose last frame is solid. */
static void make_end(struct shot *shot)
{
    make_moving(shot, 4);
    shot->frame[3].flat = true;
    shot->frame[3].step[0] = 20, shot->frame[2].step[0] = 4.5;
}
static void make_low_end(struct shot *shot)
{
    make_end(shot);
    shot->frame[2].step[0] = 1;
}

Test(detect_whole, a_sudden_end_at_each_bound)
{
    static const struct row far[] = {ROW(3, step[0], 18.1, 18), ROW(2, step[0], 4.9, 5),
                                     ROW(2, step[0], SKIPPED, NAN), ROW(2, flat, false, true)},
                            low[] = {ROW(3, step[0], 16.1, 16)};
    EXPECT_ROWS(far, make_end, consistency_solid, FINDING_SOLID, 3);
    EXPECT_ROWS(low, make_low_end, consistency_solid, FINDING_SOLID, 3);
    for (int row = 0; row < 5; row++) {
        struct shot shot;
        make_end(&shot);
        if (row == 1) shot.video = true;
        if (row == 2) shot.layer = strdup("z");
        if (row == 3) { /* three frames */
            free(shot.frame[0].path);
            memmove(shot.frame, shot.frame + 1, 3 * sizeof *shot.frame);
            shot.count = 3;
        }
        if (row == 4) shot.frame[3].flat = false, shot.frame[0].flat = true;
        consistency_solid(&shot);
        const size_t at = row == 3 ? 2 : row == 4 ? 0 : 3;
        cr_assert_eq(shot.frame[at].found.count, 1, "row %d", row);
        const struct finding *found = &shot.frame[at].found.at[0];
        cr_expect_eq(found->kind, row == 0 ? FINDING_SOLID : FINDING_BLANK, "row %d", row);
        cr_expect_str_eq(found->text, row == 0
                                          ? "the whole last frame is one colour, without a fade"
                                          : "the whole frame is one colour");
        shot_free(&shot);
    }
}

/* ---- Alpha ----------------------------------------------------------------------------------- */

/* Judges a shot with whole alpha in a run of frames, of which others can be without any alpha.
 * Returns how many findings there are. */
static size_t judge_alpha(size_t count, size_t begin, size_t end, size_t opaque,
                          enum stats_alpha as)
{
    struct shot shot;
    make_moving(&shot, count);
    for (size_t i = 0; i < count; i++) shot.frame[i].alpha = i < opaque ? STATS_OPAQUE : STATS_SOME;
    for (size_t i = begin; i < end; i++) shot.frame[i].alpha = as;
    consistency_alpha(&shot);
    const size_t found = count_found(&shot, FINDING_ALPHA);
    if (found > 0) {
        const struct finding *first = &shot.frame[begin].found.at[0];
        cr_expect(strstr(first->text, as == STATS_EMPTY ? "alpha is empty" : "alpha is full"));
    }
    shot_free(&shot);
    return found;
}

Test(detect_whole, alpha_at_each_bound)
{
    static const struct {
        size_t count, begin, end, opaque, found;
    } rows[] = {{6, 3, 4, 0, 1},  {5, 3, 4, 0, 0},  {7, 3, 4, 1, 1},   {7, 3, 4, 2, 0},
                {6, 0, 1, 0, 0},  {6, 5, 6, 0, 0},  {6, 1, 2, 0, 1},   {6, 4, 5, 0, 1},
                {12, 3, 5, 0, 2}, {11, 3, 5, 0, 0}, {23, 9, 12, 0, 3}, {22, 9, 12, 0, 0}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int full = 0; full < 2; full++)
            cr_expect_eq(judge_alpha(rows[r].count, rows[r].begin, rows[r].end, rows[r].opaque,
                                     full ? STATS_FULL : STATS_EMPTY),
                         rows[r].found, "row %zu", r);
    cr_expect_eq(judge_alpha(20, 9, 10, 0, STATS_OPAQUE), 0);
}

/* A frame that cannot be read continues a run, but begins none, and has no finding. */
Test(detect_whole, alpha_around_unreadable_frames)
{
    for (size_t unread = 9; unread <= 11; unread++) {
        struct shot shot;
        make_moving(&shot, 24);
        for (size_t i = 0; i < 24; i++) shot.frame[i].alpha = STATS_SOME;
        for (size_t i = 9; i <= 11; i++) shot.frame[i].alpha = STATS_EMPTY;
        shot.frame[unread].read = false;
        consistency_alpha(&shot);
        cr_expect_eq(count_found(&shot, FINDING_ALPHA), 2, "%zu", unread);
        cr_expect_eq(shot.frame[unread].found.count, 0);
        shot_free(&shot);
    }
}

/* ---- Colours --------------------------------------------------------------------------------- */

static void make_lost(struct shot *shot)
{
    make_moving(shot, COUNT);
    shot->frame[AT].colours.constant = 1 << 1;
    for (int c = 0; c < COLOURS; c++) /* neither the spread nor the mean of others shows it */
        shot->frame[AT - 1].colours.spread[c] = shot->frame[AT + 1].colours.spread[c] = 90,
                         shot->frame[AT].colours.mean[c] = 50 + 10 * (float)c;
}
static void make_unspread(struct shot *shot)
{
    make_lost(shot);
    for (size_t i = AT - 1; i <= AT + 1; i += 2)
        for (int c = 0; c < COLOURS; c++) shot->frame[i].colours.spread[c] = 0;
}

/* A channel is lost between frames that have 16 levels of it, or another level. */
Test(detect_whole, lost_channels_at_each_bound)
{
    static const struct row rows[] = {ROW(AT, flat, false, true),
                                      ROW(AT, colours.known, SKIPPED, false),
                                      ROW(AT - 1, read, true, false),
                                      ROW(AT + 1, read, true, false),
                                      ROW(AT + 1, colours.known, true, false),
                                      ROW(AT + 1, step[0], 99, SKIPPED),
                                      ROW(AT, step[0], 99, SKIPPED)},
                            mean[] = {ROW(AT - 1, colours.mean[1], 76, 75.9),
                                      ROW(AT + 1, colours.mean[1], 44, 44.1),
                                      ROW(AT + 1, colours.mean[0], 60, SKIPPED),
                                      ROW(AT + 1, colours.mean[2], 60, SKIPPED)};
    EXPECT_ROWS(rows, make_lost, consistency_colours, FINDING_LOST_CHANNEL, AT);
    EXPECT_ROWS(mean, make_unspread, consistency_colours, FINDING_LOST_CHANNEL, AT);
}

/* The same by the spread of each channel, at each place; 48 levels at an end of the shot. */
Test(detect_whole, the_spread_beside_a_lost_channel)
{
    static const size_t places[ENDS] = {0, AT, COUNT - 1};
    for (int p = 0; p < ENDS; p++)
        for (unsigned channel = 0; channel < COLOURS; channel++)
            for (int beside = -1; beside <= 1; beside += 2)
                for (int few = 0; few < 2; few++) {
                    const float least = p == 1 ? 16 : 48;
                    const size_t at = places[p], other = at + (size_t)beside;
                    struct shot shot;
                    if (other >= COUNT) continue;
                    make_moving(&shot, COUNT);
                    shot.frame[at].colours.constant = 1u << channel;
                    shot.frame[other].colours.spread[channel] = few ? least - 1 : least;
                    consistency_colours(&shot);
                    cr_expect_eq(has(&shot, at, FINDING_LOST_CHANNEL), !few, "%zu, %u", at,
                                 channel);
                    if (!few) {
                        const struct finding *found = &shot.frame[at].found.at[0];
                        cr_expect(found->value == channel && found->text[0] == "RGB"[channel]);
                    }
                    shot_free(&shot);
                }
}

static void make_grey(struct shot *shot)
{
    make_moving(shot, COUNT);
    shot->frame[AT].colours.chroma = 0;
}

Test(detect_whole, grey_frames_at_each_bound)
{
    static const struct row rows[] = {ROW(AT, colours.chroma, 0.49, 0.5),
                                      ROW(AT, colours.known, SKIPPED, false),
                                      ROW(AT, colours.video, SKIPPED, true),
                                      ROW(AT, flat, false, true),
                                      ROW(AT - 1, colours.chroma, 6, 5.9),
                                      ROW(AT + 1, colours.chroma, 6, 5.9),
                                      ROW(AT - 1, read, true, false),
                                      ROW(AT + 1, colours.known, true, false),
                                      ROW(AT, step[0], 23.9, 24),
                                      ROW(AT + 1, step[0], 23.9, 24)};
    EXPECT_ROWS(rows, make_grey, consistency_colours, FINDING_NO_COLOUR, AT);
}

static void make_power(struct shot *shot)
{
    make_moving(shot, COUNT);
    shot->frame[AT].colours.power = 2.2;
}
static void make_swapped(struct shot *shot)
{
    make_moving(shot, COUNT);
    shot->frame[AT].colours.swapped = true;
    shot->frame[AT].colours.first = 1, shot->frame[AT].colours.second = 2;
}
static void make_swapped_video(struct shot *shot)
{
    make_swapped(shot);
    for (size_t i = 0; i < COUNT; i++) shot->frame[i].colours.video = true;
}

Test(detect_whole, other_colours_at_each_bound)
{
    static const struct row power[] = {ROW(AT, colours.power, 1.01, 1),
                                       ROW(AT, colours.known, true, false),
                                       ROW(AT, step[0], 99, SKIPPED)},
                            video[] = {ROW(AT, step[0], 7.9, 8), ROW(AT + 1, step[0], 7.9, 8)};
    EXPECT_ROWS(power, make_power, consistency_colours, FINDING_GAMMA, AT);
    EXPECT_ROWS(video, make_swapped_video, consistency_colours, FINDING_CHANNEL_SWAP, AT);
}

Test(detect_whole, what_a_colour_says)
{
    void (*const make[])(struct shot *) = {make_lost, make_grey, make_power, make_swapped,
                                           make_swapped_video};
    static const struct {
        double value;
        const char *says;
    } rows[] = {{1, "G has one value"},
                {0, "the frame is grey"},
                {2.2, "to the power 2.20"},
                {1, "G and B are exchanged"},
                {1, "U and V are exchanged"}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make[r](&shot);
        consistency_colours(&shot);
        for (size_t i = 0; i < COUNT; i++) cr_assert_eq(shot.frame[i].found.count, i == AT);
        const struct finding *found = &shot.frame[AT].found.at[0];
        cr_expect(strstr(found->text, rows[r].says), "%s", found->text);
        cr_expect_eq(found->value, rows[r].value);
        shot_free(&shot);
    }
}

/* More than a tenth of the frames and two is no fault; nor is a whole shot. Of video, any run that
 * is as rare is one. */
Test(detect_whole, colours_that_are_common)
{
    static const struct {
        size_t count, bad, in_a_row;
        bool video, found;
    } rows[] = {{40, 6, 1, false, true},  {40, 7, 1, false, false}, {40, 6, 4, false, true},
                {40, 5, 5, false, false}, {40, 5, 5, true, true},   {40, 6, 6, true, true},
                {40, 7, 7, true, false},  {2, 2, 2, true, false},   {20, 4, 1, false, true},
                {20, 5, 1, false, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_moving(&shot, rows[r].count);
        for (size_t i = 0, bad = 0; bad < rows[r].bad; i++)
            if (i / rows[r].in_a_row % 2 == 0) shot.frame[i].colours.swapped = true, bad++;
        for (size_t i = 0; i < rows[r].count; i++) shot.frame[i].colours.video = rows[r].video;
        consistency_colours(&shot);
        cr_expect_eq(count_found(&shot, FINDING_CHANNEL_SWAP), rows[r].found ? rows[r].bad : 0,
                     "row %zu", r);
        shot_free(&shot);
    }
}

/* Three runs of frames of another power are flashes. Runs of the same length of another fault are
 * not. */
Test(detect_whole, colours_that_flash)
{
    for (size_t runs = 2; runs <= 3; runs++)
        for (int gamma = 0; gamma < 2; gamma++) {
            struct shot shot;
            make_moving(&shot, COUNT);
            for (size_t i = 0; i < runs; i++)
                for (size_t k = 0; k < (i == 0 ? 3 : 1); k++) {
                    struct shot_colours *colours = &shot.frame[20 * i + k].colours;
                    if (gamma)
                        colours->power = 2;
                    else
                        colours->swapped = true;
                }
            consistency_colours(&shot);
            cr_expect_eq(count_found(&shot, gamma ? FINDING_GAMMA : FINDING_CHANNEL_SWAP),
                         gamma && runs == 3 ? 0 : runs + 2);
            shot_free(&shot);
        }
}
