/* Pixels, rows and coded rectangles of a frame and two others, by their numbers, at each bound. */
#include "detect_cells.h"

enum { ENDS = 3, ACROSS = 10, DOWN = 20, HEIGHT = 8 * DOWN };

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* A pixel stands out by the most levels above the largest step around it in both others. */
Test(detect_rows, the_pixel_that_stands_out_most)
{
    for (int order = 0; order < 2; order++)
        for (int o = ONE; o <= OTHER; o++) {
            struct three three;
            struct stats_pixel found = {0};
            const struct stats_pixel pixels[ENDS] = {
                {4, 4, -3000}, {44, 44, 2000}, {76, 156, 2500}};
            open_three(&three, ACROSS, DOWN);
            for (int i = 0; i < ENDS; i++)
                three.frame[NOW].pixel[order ? i : ENDS - 1 - i] = pixels[i];
            three.frame[NOW].pixels = ENDS;
            three.frame[NOW].pixel[ENDS] = (struct stats_pixel){20, 20, 9999}; /* left over */
            cr_expect_eq(temporal_pixel(&three.temporal, &found), 30);
            cr_expect_eq(found.x, 4);
            three.frame[o].step[ACROSS + 1] = 80; /* 10 levels, beside the first cell */
            cr_expect_eq(temporal_pixel(&three.temporal, &found), 25);
            cr_expect_eq(found.x, 76);
            three.frame[o].step[ACROSS * DOWN - 1] = 254; /* the cell itself */
            cr_expect_eq(temporal_pixel(&three.temporal, &found), 20);
            three.frame[3 - o].step[5 * ACROSS + 5] = 88;
            cr_expect_eq(temporal_pixel(&three.temporal, &found), 20);
            cr_expect_eq(found.x, 4);
            three.frame[3 - o].step[0] = 255; /* 32 levels or more: up to 72 */
            cr_expect_eq(temporal_pixel(&three.temporal, &found), 9);
            cr_expect_eq(found.x, 44);
            three.frame[NOW].pixel[order ? 0 : 2].by = -7300;
            cr_expect_eq(temporal_pixel(&three.temporal, &found), 9);
            three.frame[NOW].pixel[order ? 1 : 1].by = 1100;
            cr_expect_eq(temporal_pixel(&three.temporal, &found), 1);
            cr_expect_eq(found.x, 4);
            close_three(&three);
        }
}

/* One of the others has the pixel, half as strong, one pixel away. It may be the last of many. */
Test(detect_rows, pixels_that_others_have)
{
    static const struct {
        struct stats_pixel pixel;
        bool same;
    } rows[] = {{{39, 39, 1000}, true},  {{41, 41, 1000}, true},  {{40, 40, 999}, false},
                {{38, 40, 1000}, false}, {{42, 40, 1000}, false}, {{40, 38, 1000}, false},
                {{40, 42, 1000}, false}, {{40, 40, -2000}, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int o = ONE; o <= OTHER; o++)
            for (uint32_t before = 0; before < 2; before++) {
                struct three three;
                struct stats_pixel found = {0};
                open_three(&three, ACROSS, DOWN);
                three.frame[NOW].pixel[0] = (struct stats_pixel){40, 40, 2000};
                three.frame[NOW].pixels = 1;
                three.frame[o].pixel[0] = (struct stats_pixel){70, 70, 3000};
                three.frame[o].pixel[before] = rows[r].pixel;
                three.frame[o].pixels = 2;
                three.frame[3 - o].pixel[0] = three.frame[NOW].pixel[0]; /* left over */
                cr_expect_eq(temporal_pixel(&three.temporal, &found), rows[r].same ? 0 : 20,
                             "row %zu", r);
                close_three(&three);
            }
}

/* ---- Rows ------------------------------------------------------------------------------------ */

enum { ROUGH = 64 /* units of a level */ };

/* Rows of noise: from which row to before which, how rough, and how rough others are there. */
struct noise {
    uint32_t begin, end, rough, other, at; /* row of the other */
    bool outer, found;
};

static size_t judge_bands(const struct three *three, struct finding *first)
{
    struct findings list = {0};
    temporal_bands(&three->temporal, &list);
    const size_t count = list.count;
    if (count > 0) *first = list.at[0];
    findings_free(&list);
    return count;
}

/* Rows 2.5 times as rough as rows up to 8 away, and rougher by a tenth than all, and by 8 levels.
 */
Test(detect_rows, rows_of_garbage)
{
    static const struct noise rows[] = {
        {80, 83, 8 * ROUGH, 0, 0, false, true},   {80, 83, 8 * ROUGH - 1, 0, 0, false, false},
        {80, 82, 8 * ROUGH, 0, 0, false, false},  {80, 83, 8 * ROUGH, 0, 0, true, false},
        {80, 84, 8 * ROUGH, 0, 0, true, true},    {0, 3, 8 * ROUGH, 0, 0, false, true},
        {157, 160, 8 * ROUGH, 0, 0, false, true}, {80, 120, 8 * ROUGH, 0, 0, false, true},
        {80, 121, 8 * ROUGH, 0, 0, false, false}, {0, 40, 8 * ROUGH, 0, 0, false, true},
        {120, 160, 8 * ROUGH, 0, 0, false, true}, {119, 160, 8 * ROUGH, 0, 0, false, false},
        {80, 83, 1000, 400, 72, false, false},    {80, 83, 1000, 400, 71, false, true},
        {80, 83, 1000, 400, 90, false, false},    {80, 83, 1000, 400, 91, false, true},
        {80, 83, 1001, 400, 81, false, true},     {80, 83, 1000, 400, 81, false, false},
        {80, 83, 1100, 1000, 10, false, true},    {80, 83, 1099, 1000, 10, false, false},
        {80, 83, 1100, 1000, 159, false, true},   {80, 83, 1099, 1000, 159, false, false},
        {80, 83, 1099, 1000, 0, false, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int o = ONE; o <= OTHER; o++) {
            const struct noise *row = &rows[r];
            struct three three;
            struct finding found;
            open_three(&three, ACROSS, DOWN);
            three.temporal.outer = row->outer;
            for (int f = 0; f < 3; f++)
                for (uint32_t y = 0; y < HEIGHT; y++) three.frame[f].rough[y] = 1;
            for (uint32_t y = row->begin; y < row->end; y++)
                three.frame[NOW].rough[y] = (uint16_t)row->rough;
            three.frame[o].rough[row->at] = (uint16_t)row->other;
            const size_t count = judge_bands(&three, &found);
            cr_assert_eq(count, row->found, "row %zu, %d", r, o);
            if (count == 1) {
                cr_expect(found.kind == FINDING_GARBAGE && found.value == row->end - row->begin);
                cr_expect(found.place.x == 0 && found.place.y == row->begin &&
                          found.place.width == 80 && found.place.height == row->end - row->begin);
                cr_expect(strstr(found.text, "rows of garbage"));
            }
            close_three(&three);
        }
}

/* Four to seven rows of one colour where both others have texture, and no such row up to 64 away.
 * A codec leaves some, so in video any number counts, up to a quarter of the frame. */
Test(detect_rows, rows_of_one_colour)
{
    static const struct {
        uint32_t begin, end, other, at; /* the same as in struct noise */
        int tolerance;
        uint32_t rough; /* the rows of one colour are as rough */
        bool found;
    } rows[] = {{80, 84, 64, 80, 0, 0, true},      {80, 83, 64, 80, 0, 0, false},
                {80, 84, 64, 80, 0, 1, false},     {80, 87, 64, 80, 0, 0, true},
                {80, 88, 64, 80, 0, 0, false},     {0, 4, 64, 0, 0, 0, true},
                {156, 160, 64, 156, 0, 0, true},   {0, 8, 64, 0, 0, 0, false},
                {152, 160, 64, 152, 0, 0, false},  {80, 84, 63, 80, 0, 0, false},
                {80, 84, 63, 83, 0, 0, false},     {80, 84, 0, 16, 0, 0, false},
                {80, 84, 0, 15, 0, 0, true},       {80, 84, 0, 147, 0, 0, false},
                {80, 84, 0, 148, 0, 0, true},      {70, 74, 0, 135, 0, 0, false},
                {70, 74, 0, 138, 0, 0, true},      {80, 88, 192, 80, 200, 48, true},
                {80, 88, 192, 80, 200, 49, false}, {80, 88, 191, 80, 200, 48, true},
                {80, 120, 192, 80, 200, 48, true}, {80, 121, 192, 80, 200, 48, false},
                {80, 84, 48, 16, 200, 48, false},  {80, 84, 49, 16, 200, 48, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int o = ONE; o <= OTHER; o++) {
            struct three three;
            struct finding found;
            open_three(&three, ACROSS, DOWN);
            for (int f = 0; f < 3; f++) {
                three.frame[f].tolerance = rows[r].tolerance;
                for (uint32_t y = 0; y < HEIGHT; y++)
                    three.frame[f].rough[y] = rows[r].tolerance ? 192 : 64;
            }
            for (uint32_t y = rows[r].begin; y < rows[r].end; y++)
                three.frame[NOW].rough[y] = (uint16_t)rows[r].rough;
            three.frame[o].rough[rows[r].at] = (uint16_t)rows[r].other;
            const size_t count = judge_bands(&three, &found);
            const uint32_t high = rows[r].end - rows[r].begin;
            /* one row of several may be hidden: the rest is still reported */
            cr_assert_eq(count, rows[r].found, "row %zu, %d", r, o);
            if (count == 1)
                cr_expect(found.kind == FINDING_FLAT_AREA && found.place.height <= high &&
                              found.value == found.place.height &&
                              strstr(found.text, "rows of one colour"),
                          "row %zu", r);
            three.frame[NOW].flat = true;
            cr_expect_eq(judge_bands(&three, &found), 0);
            three.frame[NOW].flat = false, three.frame[NOW].width = 15;
            cr_expect_eq(judge_bands(&three, &found), 0);
            three.frame[NOW].width = 16;
            cr_expect_eq(judge_bands(&three, &found), rows[r].found);
            close_three(&three);
        }
}

/* ---- Coded rectangles ------------------------------------------------------------------------ */

/* Numbers of a rectangle of 24 x 16 pixels in a frame of a codec, and of the others. */
struct block {
    int tolerance;
    int now, one, other; /* means inside it, in codes */
    uint8_t step;        /* the others have it there */
    int moved;           /* codes by which the others differ outside it */
    bool found;
};

Test(detect_rows, coded_rectangles)
{
    static const struct block rows[] = {
        {200, 0, 1500, 1500, 9, 0, true},     {200, 0, 1499, 1500, 9, 0, false},
        {200, 0, 1500, 1499, 9, 0, false},    {200, 3000, 1500, 1500, 9, 0, true},
        {200, 0, 2000, 2250, 9, 0, true},     {200, 0, 1999, 2250, 9, 0, false},
        {200, 0, 2510, 2000, 9, 0, false},    {200, 0, 2500, 3000, 9, 0, true},
        {200, 0, 2500, 3001, 9, 0, false},    {0, 0, 500, 500, 9, 0, true},
        {0, 0, 499, 500, 9, 0, false},        {0, 0, 2500, 3500, 9, 0, true},
        {0, 0, 2500, 3501, 9, 0, false},      {200, 0, 1500, 1500, 9, 1030, true},
        {200, 0, 1500, 1500, 9, 1031, false}, {0, 0, 1500, 1500, 9, 2061, true},
        {0, 0, 1500, 1500, 9, 2062, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct block *row = &rows[r];
        struct three three;
        struct findings list = {0};
        open_three(&three, ACROSS, DOWN);
        for (size_t i = 0; i < three.cells; i++) {
            const size_t x = i % ACROSS, y = i / ACROSS;
            const bool in = x >= 2 && x < 5 && y >= 3 && y < 5; /* whole cells of the rectangle */
            for (int f = 0; f < 3; f++) three.frame[f].step[i] = row->step;
            three.frame[NOW].mean[i] = (int16_t)(in ? row->now : 700);
            three.frame[ONE].mean[i] = (int16_t)(in ? row->one : 700);
            three.frame[OTHER].mean[i] = (int16_t)(in ? row->other : 700 + row->moved);
        }
        for (int f = 0; f < 3; f++) three.frame[f].tolerance = row->tolerance;
        three.frame[NOW].part[0] = (struct coded_area){9, 17, 31, 23, 4000};
        three.frame[NOW].parts = 1;
        temporal_blocks(&three.temporal, &list);
        cr_assert_eq(list.count, row->found, "row %zu", r);
        if (list.count == 1) {
            const struct finding *found = &list.at[0];
            cr_expect(found->kind == FINDING_FLAT_AREA && found->value == 40 &&
                      strstr(found->text, "level 40 of 255"));
            cr_expect(found->place.x == 9 && found->place.y == 17 && found->place.width == 31 &&
                      found->place.height == 23);
        }
        findings_free(&list);
        close_three(&three);
    }
}

/* A quarter of the cells inside may be the same in one of the others, without a step there. */
Test(detect_rows, rectangles_that_are_partly_there)
{
    for (int o = ONE; o <= OTHER; o++)
        for (size_t same = 2; same <= 3; same++)
            for (int how = 0; how < 3; how++) { /* the same; a level away; with a step */
                struct three three;
                struct findings list = {0};
                open_three(&three, ACROSS, DOWN);
                for (int f = ONE; f <= OTHER; f++)
                    for (size_t i = 0; i < three.cells; i++) {
                        const size_t at = i - 3 * ACROSS - 2;
                        three.frame[f].mean[i] = at >= same ? 9000 : how == 1 ? 100 : 99;
                        three.frame[f].step[i] = f == o && how < 2 ? 7 : 8;
                    }
                three.frame[NOW].part[0] = (struct coded_area){16, 24, 32, 16, 0};
                three.frame[NOW].parts = 1;
                temporal_blocks(&three.temporal, &list);
                cr_expect_eq(list.count, same == 2 || how > 0, "%zu of 8, %d", same, how);
                findings_free(&list);
                close_three(&three);
            }
}

/* One of the others has a rectangle of the size and colour, anywhere: an object that moves. */
Test(detect_rows, rectangles_that_others_have)
{
    static const struct {
        struct coded_area part;
        int tolerance;
        bool same;
    } rows[] = {{{0, 0, 34, 14, 600}, 0, true},   {{0, 0, 30, 18, 400}, 0, true},
                {{0, 0, 35, 16, 500}, 0, false},  {{0, 0, 29, 16, 500}, 0, false},
                {{0, 0, 32, 19, 500}, 0, false},  {{0, 0, 32, 13, 500}, 0, false},
                {{0, 0, 32, 16, 601}, 0, false},  {{0, 0, 32, 16, 399}, 0, false},
                {{0, 0, 32, 16, 700}, 100, true}, {{0, 0, 32, 16, 701}, 100, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int o = ONE; o <= OTHER; o++)
            for (uint32_t last = 0; last < 2; last++) {
                struct three three;
                struct findings list = {0};
                open_three(&three, ACROSS, DOWN);
                for (int f = 0; f < 3; f++) {
                    three.frame[f].tolerance = rows[r].tolerance;
                    for (size_t i = 0; i < three.cells; i++)
                        three.frame[f].mean[i] = f == NOW ? 500 : 9000;
                }
                three.frame[NOW].part[0] = (struct coded_area){16, 24, 8, 8, 500};
                three.frame[NOW].part[1] = (struct coded_area){40, 24, 32, 16, 500};
                three.frame[NOW].parts = 2;
                three.frame[o].part[last] = rows[r].part;
                three.frame[o].part[!last] = (struct coded_area){0, 0, 99, 99, 500};
                three.frame[o].parts = 2;
                three.frame[3 - o].part[0] = three.frame[NOW].part[1]; /* left over */
                three.frame[NOW].part[2] = (struct coded_area){8, 8, 16, 16, 500};
                temporal_blocks(&three.temporal, &list);
                cr_expect_eq(list.count, rows[r].same ? 1 : 2, "row %zu, %d", r, o);
                findings_free(&list);
                close_three(&three);
            }
}
