/* The rules of a shot for areas of garbage and for stale ones, each held at its bound. */
#include "detect_numbers.h"

enum { COUNT = 48, AT = 20, ENDS = 3 };

static const struct finding_place box = {160, 80, 32, 32};

/* ---- Garbage --------------------------------------------------------------------------------- */

static void make_garbage(struct shot *shot)
{
    make_moving(shot, COUNT);
    shot->frame[AT].garbage = (struct garbage){.times = 2, .sure = 0.5, .place = box};
}
static void make_outer(struct shot *shot)
{
    make_garbage(shot);
    shot->frame[AT].outer = true;
}
static void make_changing(struct shot *shot)
{
    make_garbage(shot);
    shot->frame[AT].garbage.changes = true, shot->frame[AT].garbage.sure = 2;
    shot->frame[AT].garbage.times = 0.5;
}
static void make_narrow(struct shot *shot)
{
    make_garbage(shot);
    shot->frame[AT].garbage.place = (struct finding_place){160, 80, 8, 64};
}
/* A shape that moves: it is uneven, and its channels change together. */
static void make_shape(struct shot *shot)
{
    make_garbage(shot);
    struct garbage *shape = &shot->frame[AT].garbage;
    shape->sure = 0.49, shape->even = 0.52;
    shape->place = (struct finding_place){0, 80, WIDE, HIGH / 4 - 1};
}

Test(detect_garbage, garbage_at_each_bound)
{
    static const struct row rows[] = {ROW(AT, garbage.times, 1, 0.99),
                                      ROW(AT, garbage.changes, false, true),
                                      ROW(AT, garbage.place.width, 16, 15),
                                      ROW(AT, garbage.place.height, 16, 15)},
                            narrow[] = {ROW(AT, garbage.place.height, 64, 63)},
                            outer[] = {ROW(AT, garbage.times, 1.6, 1.59)},
                            changing[] = {ROW(AT, garbage.sure, 1, 0.99)},
                            shape[] = {ROW(AT, garbage.sure, 0.5, 0.49),
                                       ROW(AT, garbage.even, 0.53, 0.52), ROW(AT, channels, 2, 3),
                                       ROW(AT, garbage.place.height, HIGH / 4, HIGH / 4 - 1)};
    EXPECT_ROWS(rows, make_garbage, recurring_garbage, FINDING_GARBAGE, AT);
    EXPECT_ROWS(narrow, make_narrow, recurring_garbage, FINDING_GARBAGE, AT);
    EXPECT_ROWS(outer, make_outer, recurring_garbage, FINDING_GARBAGE, AT);
    EXPECT_ROWS(changing, make_changing, recurring_garbage, FINDING_GARBAGE, AT);
    EXPECT_ROWS(shape, make_shape, recurring_garbage, FINDING_GARBAGE, AT);
    struct shot shot;
    make_garbage(&shot);
    recurring_garbage(&shot);
    cr_assert_eq(count_found(&shot, FINDING_GARBAGE), 1);
    const struct finding *found = &shot.frame[AT].found.at[0];
    cr_expect(found->value == 2 && memcmp(&found->place, &box, sizeof box) == 0);
    shot_free(&shot);
}

/* Others are at least 0.7 times as rough, and as rough as garbage, at a sixteenth of the size. More
 * than a twentieth, and three, are usual; of most of a frame three are. */
Test(detect_garbage, garbage_that_is_usual)
{
    static const struct {
        uint32_t width, height, other; /* pixels across of others, which are 32 high */
        double times, of_other;
        size_t count, others;
        bool usual;
    } rows[] = {{32, 32, 32, 1.2, 0.85, 48, 3, true},   {32, 32, 32, 1.2, 0.83, 48, 3, false},
                {32, 32, 32, 2, 1.01, 48, 3, true},     {32, 32, 32, 2, 1, 48, 3, false},
                {32, 32, 32, 2, 1.01, 48, 2, false},    {32, 32, 32, 2, 1.01, 60, 3, false},
                {32, 32, 32, 2, 1.01, 59, 3, true},     {32, 32, 32, 2, 1.01, 40, 2, false},
                {32, 32, 2, 2, 1.01, 48, 3, true},      {32, 32, 1, 2, 1.01, 48, 3, false},
                {640, 201, 300, 2, 1.01, 60, 3, true},  {640, 201, 300, 2, 1.01, 60, 2, false},
                {640, 200, 300, 2, 1.01, 60, 3, false}, {640, 201, 252, 2, 1.01, 60, 3, true},
                {640, 201, 251, 2, 1.01, 60, 3, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int ends = 0; ends < 2; ends++) {
            struct shot shot;
            make_moving(&shot, rows[r].count);
            for (size_t i = 0; i < rows[r].others; i++) {
                const size_t at = ends ? rows[r].count - 1 - 7 * i : 5 * i;
                shot.frame[at].garbage = (struct garbage){
                    .times = rows[r].of_other, .even = 1, .place = {400, 300, rows[r].other, 32}};
            }
            shot.frame[AT].garbage = (struct garbage){
                .times = rows[r].times, .even = 1, .place = {0, 0, rows[r].width, rows[r].height}};
            recurring_garbage(&shot);
            cr_expect_eq(has(&shot, AT, FINDING_GARBAGE), !rows[r].usual, "row %zu, %d", r, ends);
            shot_free(&shot);
        }
}

/* A narrow area replaces rows of garbage that it touches. Rows, and flat areas that it touches,
 * explain any other. */
Test(detect_garbage, garbage_that_is_known)
{
    static const struct {
        enum finding_kind kind;
        struct finding_place place;
        uint32_t width; /* the area of garbage is as wide */
        size_t found;   /* findings */
        bool area;
    } rows[] = {{FINDING_GARBAGE, {0, 90, WIDE, 4}, 480, 1, true},
                {FINDING_GARBAGE, {0, 90, WIDE, 4}, 481, 1, false},
                {FINDING_GARBAGE, {0, 113, WIDE, 4}, 480, 1, false},
                {FINDING_GARBAGE, {0, 112, WIDE, 4}, 480, 1, true},
                {FINDING_GARBAGE, {0, 75, WIDE, 4}, 480, 1, false},
                {FINDING_GARBAGE, {0, 76, WIDE, 4}, 480, 1, true},
                {FINDING_FLAT_AREA, {0, 0, 160, 80}, 32, 1, false},
                {FINDING_FLAT_AREA, {0, 0, 159, 80}, 32, 2, true},
                {FINDING_FLAT_AREA, {0, 0, 160, 79}, 32, 2, true},
                {FINDING_FLAT_AREA, {192, 112, 8, 8}, 32, 1, false},
                {FINDING_FLAT_AREA, {193, 112, 8, 8}, 32, 2, true},
                {FINDING_FLAT_AREA, {192, 113, 8, 8}, 32, 2, true},
                {FINDING_ALPHA, {0, 0, 0, 0}, 32, 2, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_garbage(&shot);
        shot.frame[AT].garbage.place.width = rows[r].width;
        struct findings *list = &shot.frame[AT].found;
        findings_add(list, rows[r].kind, rows[r].place, 0, "known");
        recurring_garbage(&shot);
        bool area = false;
        for (size_t i = 0; i < list->count; i++)
            area = area || strcmp(list->at[i].text, "an area of garbage, only in this frame") == 0;
        cr_expect(list->count == rows[r].found && area == rows[r].area, "row %zu: %zu", r,
                  list->count);
        shot_free(&shot);
    }
}

/* Three frames with garbage at one place have none. An outer frame counts with garbage that is too
 * faint for it. */
Test(detect_garbage, garbage_at_one_place)
{
    static const size_t places[ENDS] = {0, AT, COUNT - 1};
    static const struct {
        int right, down;
        double times;      /* the first frame's */
        bool outer, small; /* too small for a finding */
        size_t found;
    } rows[] = {{0, 0, 2, false, false, 0},     {31, 31, 2, false, false, 0},
                {-31, -31, 2, false, false, 0}, {32, 0, 2, false, false, 3},
                {0, 32, 2, false, false, 3},    {-32, 0, 2, false, false, 3},
                {0, -32, 2, false, false, 3},   {0, 0, 1, true, false, 0},
                {0, 0, 0.99, true, false, 2},   {32, 0, 1.59, true, false, 2},
                {0, 0, 0.99, false, false, 2},  {0, 0, 2, false, true, 2}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_moving(&shot, 70);
        for (int p = 0; p < ENDS; p++) {
            struct garbage *garbage = &shot.frame[places[p]].garbage;
            *garbage =
                (struct garbage){.times = p > 0 ? 2 : rows[r].times, .even = 1, .place = box};
            if (p == 0) garbage->place.x += (uint32_t)rows[r].right;
            if (p == 0) garbage->place.y += (uint32_t)rows[r].down;
        }
        shot.frame[0].outer = rows[r].outer;
        if (rows[r].small) shot.frame[0].garbage.place.width = 8;
        findings_add(&shot.frame[1].found, FINDING_STALE_AREA,
                     (struct finding_place){0, 0, WIDE, HIGH}, 0, "not garbage");
        recurring_garbage(&shot);
        cr_expect_eq(count_found(&shot, FINDING_GARBAGE), rows[r].found, "row %zu: %zu", r,
                     count_found(&shot, FINDING_GARBAGE));
        shot_free(&shot);
    }
}

/* ---- Stale areas ----------------------------------------------------------------------------- */

static void make_stale(struct shot *shot)
{
    make_moving(shot, COUNT);
    shot->frame[AT].stale = (struct stale){.cells = 16, .back = 2, .place = box, .repeats = 1};
}

Test(detect_garbage, stale_areas_at_each_bound)
{
    static const struct row rows[] = {ROW(AT, stale.cells, 1, 0),
                                      ROW(AT, stale.scattered, true, SKIPPED)};
    EXPECT_ROWS(rows, make_stale, recurring_stale, FINDING_STALE_AREA, AT);
    struct shot shot;
    make_stale(&shot);
    recurring_stale(&shot);
    cr_assert_eq(count_found(&shot, FINDING_STALE_AREA), 1);
    const struct finding *found = &shot.frame[AT].found.at[0];
    cr_expect(found->value == 2 && memcmp(&found->place, &box, sizeof box) == 0);
    cr_expect(strstr(found->text, "repeats the frame 2 before"), "%s", found->text);
    shot_free(&shot);
}

/* Half of the frame before, or three quarters of an earlier one, is a repeat or a cycle. */
Test(detect_garbage, stale_shares_of_a_frame)
{
    for (unsigned back = 1; back <= 3; back++)
        for (uint32_t over = 0; over < 2; over++) {
            struct shot shot;
            make_stale(&shot);
            struct stale *stale = &shot.frame[AT].stale;
            stale->back = back;
            stale->place =
                (struct finding_place){0, 0, WIDE, (back == 1 ? HIGH / 2 : HIGH * 3 / 4) + over};
            recurring_stale(&shot);
            cr_expect_eq(has(&shot, AT, FINDING_STALE_AREA), !over, "%u", back);
            shot_free(&shot);
        }
}

/* A repeat and an exchanged frame are known. */
Test(detect_garbage, stale_areas_that_are_known)
{
    static const enum finding_kind kinds[ENDS] = {FINDING_DUPLICATE, FINDING_FRAME_ORDER,
                                                  FINDING_FOREIGN_FRAME};
    for (int k = 0; k < ENDS; k++) {
        struct shot shot;
        make_stale(&shot);
        findings_add(&shot.frame[AT].found, kinds[k], box, 0, "known");
        recurring_stale(&shot);
        cr_expect_eq(has(&shot, AT, FINDING_STALE_AREA), k == 2, "%d", k);
        shot_free(&shot);
    }
}

/* Nine of ten frames up to twelve away have hardly any cells that repeat, and there are four. */
Test(detect_garbage, stale_areas_among_repeats)
{
    static const struct {
        size_t first, last, known; /* frames that are there, and those with a frame before them */
        size_t still;              /* the number of them that repeat cells */
        double repeats;
        bool found;
    } rows[] = {{AT - 12, AT + 12, 24, 2, 1, true},      {AT - 12, AT + 12, 24, 3, 1, false},
                {AT - 12, AT + 12, 24, 3, 0.0019, true}, {AT - 12, AT + 12, 24, 3, 0.002, false},
                {AT - 12, AT + 12, 4, 0, 1, true},       {AT - 12, AT + 12, 3, 0, 1, false},
                {AT - 12, AT + 12, 10, 1, 1, true},      {AT - 12, AT + 12, 9, 1, 1, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int order = 0; order < 2; order++)
            for (int scattered = 0; scattered < (rows[r].repeats == 1) + 1; scattered++) {
                struct shot shot;
                make_stale(&shot);
                size_t known = 0;
                for (size_t i = 0; i < COUNT; i++) {
                    const size_t at = order ? COUNT - 1 - i : i;
                    struct shot_frame *frame = &shot.frame[at];
                    if (at < rows[r].first || at > rows[r].last) { /* says nothing */
                        frame->stale.repeats = 1, frame->stale.scattered = true;
                    } else if (at != AT) {
                        if (known >= rows[r].known) frame->step[0] = NAN;
                        if (known++ < rows[r].still && scattered)
                            frame->stale.scattered = true;
                        else if (known <= rows[r].still)
                            frame->stale.repeats = rows[r].repeats;
                    }
                }
                recurring_stale(&shot);
                cr_expect_eq(has(&shot, AT, FINDING_STALE_AREA), rows[r].found, "row %zu, %d", r,
                             order);
                shot_free(&shot);
            }
}

/* An eighth of the frames may have stale areas. A large one nearby, up to twelve frames away, is
 * enough. */
Test(detect_garbage, stale_areas_that_are_usual)
{
    static const struct {
        uint32_t high; /* the area is as wide as the frame */
        size_t count, others, first;
        bool usual;
    } rows[] = {{100, 48, 6, 21, false}, {100, 48, 7, 21, true},  {100, 47, 6, 21, true},
                {101, 48, 1, 32, true},  {101, 48, 1, 33, false}, {101, 48, 1, 8, true},
                {101, 48, 1, 7, false},  {100, 48, 1, 21, false}, {101, 48, 1, 0, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_stale(&shot);
        for (size_t i = rows[r].count; i < COUNT; i++) free(shot.frame[i].path);
        shot.count = rows[r].count;
        shot.frame[AT].stale.place = (struct finding_place){0, 0, WIDE, rows[r].high};
        for (size_t i = 0; i < rows[r].others; i++)
            shot.frame[rows[r].first + 2 * i].stale.cells = 1;
        recurring_stale(&shot);
        cr_expect_eq(has(&shot, AT, FINDING_STALE_AREA), !rows[r].usual, "row %zu", r);
        shot_free(&shot);
    }
}
