/* The rules of a shot for areas of a frame, each held at its bound: of one colour, of garbage, and
 * of an earlier frame. */
#include "detect_numbers.h"

enum { COUNT = 48, AT = 20, ENDS = 3 };

/* ---- Flat areas ------------------------------------------------------------------------------ */

static const struct flat_area lost = {
    .place = {100, 100, 32, 32}, .pixels = 1024, .level = {0, 0, 0, 9}, .lost = true};

static void add_area(struct shot *shot, size_t at, const struct flat_area *area)
{
    struct shot_frame *frame = &shot->frame[at];
    if (!frame->areas) frame->areas = calloc(1, sizeof *frame->areas);
    frame->areas->at[frame->areas->count++] = *area;
}

/* Judges a shot with an area in one frame, and another area in some others; returns whether the
 * area is found. */
static bool is_found(const struct flat_area *area, const struct flat_area *other, size_t count,
                     const size_t *places)
{
    struct shot shot;
    make_moving(&shot, COUNT);
    for (size_t i = 0; i < count; i++) add_area(&shot, places[i], other);
    add_area(&shot, AT, area);
    recurring_areas(&shot);
    const struct findings *list = &shot.frame[AT].found;
    bool found = false;
    for (size_t i = 0; i < list->count; i++)
        found = found || memcmp(&list->at[i].place, &area->place, sizeof area->place) == 0;
    shot_free(&shot);
    return found;
}

/* Two frames with areas of another colour, and at least half the size, make one usual. */
Test(detect_usual, areas_of_other_colours)
{
    static const size_t ends[2] = {0, COUNT - 1}, here[2] = {AT, COUNT - 1};
    for (int c = 0; c < 4; c++)
        for (int far = 6; far <= 7; far++) {
            struct flat_area other = lost;
            other.place.x = 400, other.pixels = 512, other.lost = false;
            other.level[c] += (float)far;
            cr_expect_eq(is_found(&lost, &other, 2, ends), far == 6, "channel %d", c);
            cr_expect(is_found(&lost, &other, 1, ends));
            cr_expect(is_found(&lost, &other, 2, here), "a frame alone says nothing of itself");
            other.pixels = 511;
            cr_expect(is_found(&lost, &other, 2, ends), "half the size");
            other.pixels = 512, other.channel = 1;
            cr_expect(is_found(&lost, &other, 2, ends), "another kind of area");
        }
}

/* A small area is usual if one other has another colour, of any size, in its frame or any other. */
Test(detect_usual, small_areas)
{
    static const size_t places[ENDS] = {0, AT, COUNT - 1};
    for (int p = 0; p < ENDS; p++)
        for (uint32_t small = 0; small < 2; small++) {
            struct flat_area area = lost, other = lost;
            area.place.width = small ? 15 : 16,
            area.place.height = 16 + small; /* it has 255 or 256 pixels */
            area.pixels = 255;
            other.place.x = 400, other.pixels = 64, other.level[1] = 50, other.lost = false;
            cr_expect_eq(is_found(&area, &other, 1, &places[p]), !small);
        }
}

/* An area of a channel is usual if two others have it, of any level. */
Test(detect_usual, areas_of_a_channel)
{
    static const size_t ends[2] = {0, COUNT - 1};
    for (uint32_t channel = 1; channel <= 3; channel++) {
        struct flat_area area = lost, other;
        area.channel = channel;
        other = area, other.place.x = 400;
        cr_expect(!is_found(&area, &other, 2, ends), "%u", channel);
        cr_expect(is_found(&area, &other, 1, ends), "%u", channel);
        other.channel = channel % 3 + 1;
        cr_expect(is_found(&area, &other, 2, ends), "%u", channel);
    }
}

/* Lights of one colour, or areas of a colour that damage hardly has, are usual at one place. */
Test(detect_usual, lights)
{
    static const size_t ends[2] = {0, COUNT - 1}, here[2] = {AT, COUNT - 1};
    static const struct {
        int right, down;
        float level, of_other;
        bool brighter, other_brighter, usual;
    } rows[] = {{0, 0, 255, 255, true, true, true},          {0, 0, 255, 255, false, true, false},
                {0, 0, 255, 255, true, false, false},        {31, 31, 255, 255, true, true, true},
                {-31, -31, 255, 255, true, true, true},      {32, 0, 255, 255, true, true, false},
                {-32, 0, 255, 255, true, true, false},       {0, 32, 255, 255, true, true, false},
                {0, -32, 255, 255, true, true, false},       {0, 0, 1, 1, false, false, true},
                {0, 0, 0.9F, 0.9F, false, false, false},     {0, 0, 254, 254, false, false, true},
                {0, 0, 254.1F, 254.1F, false, false, false}, {0, 0, 0.9F, 1, false, false, false},
                {0, 0, 1, 0.9F, false, false, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int c = 0; c < 3; c++) {
            struct flat_area area = lost, other = lost;
            area.level[c] = rows[r].level, other.level[c] = rows[r].of_other;
            area.brighter = rows[r].brighter, other.brighter = rows[r].other_brighter;
            other.place.x += (uint32_t)rows[r].right, other.place.y += (uint32_t)rows[r].down;
            other.lost = false;
            cr_expect_eq(is_found(&area, &other, 2, ends), !rows[r].usual, "row %zu, %d", r, c);
            cr_expect(is_found(&area, &other, 1, ends), "row %zu, %d", r, c);
            if (rows[r].right == 0 && rows[r].down == 0)
                cr_expect(is_found(&area, &other, 2, here), "row %zu, %d", r, c);
        }
}

/* Areas that touch have two places. */
Test(detect_usual, lights_of_any_shape)
{
    static const size_t ends[2] = {0, COUNT - 1};
    static const int sides[2][2] = {{64, 16}, {16, 64}};
    for (int shape = 0; shape < 2; shape++)
        for (int axis = 0; axis < 2; axis++)
            for (int sign = -1; sign <= 1; sign += 2)
                for (int apart = 0; apart < 2; apart++) {
                    struct flat_area area = lost, other;
                    const int moved = sign * (sides[shape][axis] - 1 + apart);
                    area.place.width = (uint32_t)sides[shape][0];
                    area.place.height = (uint32_t)sides[shape][1];
                    area.level[0] = 255, area.brighter = true;
                    other = area, other.lost = false;
                    other.place.x += (uint32_t)(axis == 0 ? moved : 0);
                    other.place.y += (uint32_t)(axis == 1 ? moved : 0);
                    cr_expect_eq(is_found(&area, &other, 2, ends), apart, "%d, axis %d: %d", shape,
                                 axis, moved);
                }
}

/* A letterbox that grows in three frames. */
Test(detect_usual, shapes_that_grow)
{
    static const size_t ends[2] = {0, COUNT - 1}, here[2] = {AT, 0};
    for (int row = 0; row < 4; row++) {
        struct flat_area area = lost, other = lost;
        area.grown = row != 1, other.grown = row != 2;
        other.place.x = 400;
        if (row == 3) other.level[2] = 7, other.pixels = 0;
        cr_expect_eq(is_found(&area, &other, 2, ends), row != 0, "row %d", row);
        cr_expect(is_found(&area, &other, 1, ends));
        cr_expect(is_found(&area, &other, 2, here));
    }
}

/* Frame AT and the next show two scenes, if they are further apart than 5 levels and four steps. */
static void make_cut(struct shot *shot)
{
    struct flat_area small = lost;
    small.pixels = 1023;
    make_moving(shot, COUNT);
    add_area(shot, AT, &small);
}
static void make_fast_cut(struct shot *shot)
{
    make_cut(shot);
    for (size_t i = 1; i < COUNT; i++) shot->frame[i].step[0] = 3;
}
static void make_faster_cut(struct shot *shot)
{
    make_cut(shot);
    for (size_t i = 1; i < COUNT; i++) shot->frame[i].step[0] = 10;
}
static void make_large_at_cut(struct shot *shot)
{
    make_moving(shot, COUNT);
    add_area(shot, AT, &lost);
}

Test(detect_usual, areas_at_a_cut)
{
    static const struct row slow[] = {ROW(AT + 1, step[1], 5, 5.1), ROW(AT, step[1], 99, SKIPPED),
                                      ROW(AT, outer, true, SKIPPED)},
                            fast[] = {ROW(AT + 1, step[1], 12, 12.1)},
                            faster[] = {ROW(AT + 1, step[1], 20, 20.1)},
                            large[] = {ROW(AT + 1, step[1], 99, SKIPPED)};
    EXPECT_ROWS(slow, make_cut, recurring_areas, FINDING_FLAT_AREA, AT);
    EXPECT_ROWS(fast, make_fast_cut, recurring_areas, FINDING_FLAT_AREA, AT);
    EXPECT_ROWS(faster, make_faster_cut, recurring_areas, FINDING_FLAT_AREA, AT);
    EXPECT_ROWS(large, make_large_at_cut, recurring_areas, FINDING_FLAT_AREA, AT);
}

/* A small area of one channel of an outer frame is none. */
Test(detect_usual, channels_of_outer_frames)
{
    static const size_t places[ENDS] = {0, AT, COUNT - 1};
    for (int p = 0; p < ENDS; p++)
        for (int row = 0; row < 4; row++)
            for (uint32_t channel = 0; channel <= 3; channel++) {
                struct flat_area area = lost;
                struct shot shot;
                area.channel = channel, area.pixels -= row % 2;
                make_moving(&shot, COUNT);
                shot.frame[places[p]].outer = row < 2;
                add_area(&shot, places[p], &area);
                recurring_areas(&shot);
                cr_expect_eq(shot.frame[places[p]].found.count, !(row == 1 && channel > 0),
                             "row %d, channel %u", row, channel);
                shot_free(&shot);
            }
}

/* What areas say; a channel that the whole frame lacks is another finding. */
Test(detect_usual, what_an_area_says)
{
    for (uint32_t channel = 0; channel <= 3; channel++)
        for (unsigned constant = 0; constant < 8; constant++) {
            struct shot shot;
            struct flat_area area = lost, work = lost;
            const bool whole = channel > 0 && constant >> (channel - 1) & 1;
            area.level[0] = 200, area.channel = channel;
            work.lost = false, work.level[0] = 200;
            make_moving(&shot, COUNT);
            shot.frame[AT].colours.constant = constant;
            add_area(&shot, AT, &work);
            add_area(&shot, AT, &area);
            recurring_areas(&shot);
            cr_assert_eq(shot.frame[AT].found.count, !whole);
            if (whole) {
                shot_free(&shot);
                continue;
            }
            const struct finding *found = &shot.frame[AT].found.at[0];
            cr_expect_eq(found->kind, channel ? FINDING_LOST_CHANNEL : FINDING_FLAT_AREA);
            cr_expect_eq(found->value, channel ? channel - 1 : 200);
            cr_expect(memcmp(&found->place, &lost.place, sizeof lost.place) == 0);
            if (channel == 0) cr_expect(strstr(found->text, "(level 200 of 255)"));
            if (channel > 0) cr_expect_eq(found->text[0], "RGB"[channel - 1], "%s", found->text);
            shot_free(&shot);
        }
}

/* An area replaces those that lie in it. */
Test(detect_usual, areas_in_an_area)
{
    static const struct {
        enum finding_kind kind;
        struct finding_place place;
        bool stays;
    } rows[] = {{FINDING_FLAT_AREA, {100, 100, 32, 32}, false},
                {FINDING_FLAT_AREA, {110, 110, 8, 8}, false},
                {FINDING_FLAT_AREA, {99, 110, 8, 8}, true},
                {FINDING_FLAT_AREA, {125, 110, 8, 8}, true},
                {FINDING_FLAT_AREA, {110, 99, 8, 8}, true},
                {FINDING_FLAT_AREA, {110, 125, 8, 8}, true},
                {FINDING_FLAT_AREA, {110, 110, 0, 0}, true},
                {FINDING_GARBAGE, {110, 110, 8, 8}, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint32_t channel = 0; channel < 2; channel++) {
            struct shot shot;
            struct flat_area area = lost;
            area.channel = channel;
            make_moving(&shot, COUNT);
            struct findings *list = &shot.frame[AT].found;
            findings_add(list, rows[r].kind, rows[r].place, 0, "first");
            findings_add(list, FINDING_SOLID, rows[r].place, 0, "second");
            add_area(&shot, AT, &area);
            recurring_areas(&shot);
            const bool stays = rows[r].stays || channel > 0;
            cr_expect_eq(list->count, 2 + stays, "row %zu", r);
            cr_expect_str_eq(list->at[0].text, stays ? "first" : "second");
            shot_free(&shot);
        }
}
