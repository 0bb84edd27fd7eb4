/* Rectangles of one colour in frames of a codec, which changes colours by two levels: their
 * borders, size, place and colour, at each bound. */
#include "detect_pictures.h"

#include "detect/frame/flat_areas.h"

enum { SIDE = 200, CODED = 2 };

/* Scans the first picture, and closes all. Returns what it has; its memory is released. */
static struct frame_stats scan(struct pictures *pictures)
{
    cr_assert_eq(frame_stats_scan(&pictures->frame[NOW], CODED, &pictures->stats[NOW], NULL),
                 SSIMCU_OK);
    const struct frame_stats stats = pictures->stats[NOW];
    close_pictures(pictures);
    return stats;
}

/* Expects one rectangle, or none. */
static void expect(struct pictures *pictures, const struct finding_place *box, bool found, int row)
{
    const struct frame_stats stats = scan(pictures);
    const struct coded_area *part = &stats.part[0];
    cr_assert_eq(stats.parts, found, "row %d: %u, %ux%u+%u+%u", row, stats.parts, part->width,
                 part->height, part->x, part->y);
    if (found)
        cr_expect(part->x == box->x && part->y == box->y && part->width == box->width &&
                      part->height == box->height,
                  "row %d: %ux%u+%u+%u", row, part->width, part->height, part->x, part->y);
}

/* Wherever the cells of 8 x 8 pixels lie, and at each end of the frame. */
Test(detect_coded, boxes_to_the_pixel)
{
    for (uint32_t left = 0; left < 9; left++)
        for (int place = 0; place < 4; place++)
            for (uint32_t channels = 1; channels <= 3; channels += 2) {
                struct pictures pictures;
                struct finding_place box = {left, 3 * left % 9, 24 + left, 31 - left};
                if (place % 2) box.x = SIDE - box.x - box.width;
                if (place / 2) box.y = SIDE - box.y - box.height;
                open_pictures(&pictures, SIDE, SIDE, channels);
                paint(&pictures, NOW, &box, 20);
                expect(&pictures, &box, true, (int)left);
            }
}

/* Sides of 14 pixels are enough. A whole frame is no area, and a large part of it is one. */
Test(detect_coded, sizes)
{
    static const struct {
        struct finding_place box;
        bool found;
    } rows[] = {{{18, 18, 14, 14}, true},       {{19, 18, 13, 24}, false},
                {{18, 19, 24, 13}, false},      {{0, 0, SIDE, SIDE - 1}, true},
                {{0, 0, SIDE - 1, SIDE}, true}, {{0, 0, SIDE, SIDE}, false},
                {{64, 8, 120, 120}, true},      {{8, 64, 120, 120}, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct pictures pictures;
        open_pictures(&pictures, SIDE, SIDE, 1);
        paint(&pictures, NOW, &rows[r].box, 20);
        expect(&pictures, &rows[r].box, rows[r].found, (int)r);
    }
    struct pictures pictures;
    open_pictures(&pictures, SIDE, SIDE, 1); /* the last pixel makes the frame not flat */
    paint(&pictures, NOW, &(struct finding_place){0, 0, SIDE, SIDE}, 20);
    *byte_at(&pictures.frame[NOW], SIDE - 1, SIDE - 1) = 25;
    expect(&pictures, &(struct finding_place){0, 0, 0, 0}, false, -1);
}

/* What the lines beside each side show: `.` a quarter of the colour, `:` just more, `-` just less
 * than four fifths, and `=` as much. Such a line belongs to the area, and one of `:` or `-` is
 * smeared. At the left, the first row of cells does not count yet. */
Test(detect_coded, borders_at_each_side)
{
    static const struct {
        char lines[4];
        uint32_t more;
        bool found;
    } rows[] = {{"   ", 0, true},  {".  ", 0, true},  {":  ", 1, true}, {":. ", 1, true},
                {":: ", 0, false}, {"-: ", 0, false}, {"=: ", 2, true}, {"==.", 2, true},
                {"==:", 3, true},  {"=::", 0, false}, {"=. ", 1, true}, {"=-.", 2, true},
                {"-. ", 1, true},  {"-- ", 0, false}};
    static const char shares[] = " .:-=";
    static const uint32_t counts[2][5] = {{0, 8, 9, 25, 26}, {0, 6, 7, 19, 20}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int side = 0; side < 4; side++) {
            struct pictures pictures;
            struct finding_place box = {48, 48, 32, 32};
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint(&pictures, NOW, &box, 20);
            for (uint32_t k = 0; k < 3; k++) {
                const uint32_t first = side == 0 ? 56 : 48, length = 80 - first,
                               count = counts[side == 0][strchr(shares, rows[r].lines[k]) - shares];
                for (uint32_t i = 0; i < length;
                     i++) { /* spread, so that no cell is of one colour */
                    const uint32_t along = first + i, across = side % 2 ? 80 + k : 47 - k;
                    const struct finding_place pixel = {side < 2 ? across : along,
                                                        side < 2 ? along : across, 1, 1};
                    if (5 * i % length < count) paint(&pictures, NOW, &pixel, 20);
                }
            }
            if (side == 0) box.x -= rows[r].more;
            if (side == 2) box.y -= rows[r].more;
            *(side < 2 ? &box.width : &box.height) += rows[r].more;
            expect(&pictures, &box, rows[r].found, (int)(10 * r) + side);
        }
}

/* Pixels of the area differ by up to ten levels from its middle, in each channel. */
Test(detect_coded, colours_of_a_border)
{
    for (uint32_t channel = 0; channel < 3; channel++)
        for (int by = -11; by <= 11; by += by == -10 ? 20 : 1) {
            struct pictures pictures;
            const struct finding_place box = {48, 48, 32, 32}, line = {47, 48, 1, 32},
                                       wide = {47, 48, 33, 32};
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint(&pictures, NOW, &box, 20);
            paint(&pictures, NOW, &line, 20);
            paint_channel(&pictures, NOW, &line, channel, (uint8_t)(20 + by));
            expect(&pictures, abs(by) == 10 ? &wide : &box, true, by);
        }
}

/* Cells of an area have steps of up to nine levels, and its means are four levels apart at most. */
Test(detect_coded, colours_of_cells)
{
    for (int by = 4; by <= 5; by++) {
        struct pictures pictures;
        open_pictures(&pictures, SIDE, SIDE, 1);
        paint(&pictures, NOW, &(struct finding_place){48, 48, 32, 32}, 20);
        paint(&pictures, NOW, &(struct finding_place){80, 48, 32, 32}, (uint8_t)(20 + by));
        const struct frame_stats stats = scan(&pictures);
        cr_expect_eq(stats.parts, by == 4 ? 1 : 2, "two groups grow to one area");
        cr_expect_eq(stats.part[0].width, 64);
        cr_expect_eq(stats.part[0].code, (by == 4 ? 24 : 20) << 7, "%d", stats.part[0].code);
    }
    for (int step = 9; step <= 10; step++)
        for (uint32_t corner = 0; corner < 4; corner++) {
            struct pictures pictures;
            const struct finding_place box = {48, 48, 24, 24};
            open_pictures(&pictures, SIDE, SIDE, 1);
            paint(&pictures, NOW, &box, 20);
            for (uint32_t y = 48; y < 72; y += 4) /* all cells have one */
                for (uint32_t x = 48; x < 72; x += 4)
                    *byte_at(&pictures.frame[NOW], x + corner % 2, y + corner / 2) =
                        (uint8_t)(20 + step);
            expect(&pictures, &box, step == 9, step);
        }
}

/* An area with a spoiled cell is found from the cell in its middle, up to 48 pixels away. */
Test(detect_coded, areas_with_a_spoiled_cell)
{
    static const struct {
        uint32_t width, height;
        bool found;
    } rows[] = {{96, 40, true}, {40, 96, true}, {104, 40, false}, {40, 104, false}, {88, 40, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint32_t spoiled = 0; spoiled < 2; spoiled++) {
            struct pictures pictures;
            const struct finding_place box = {40, 40, rows[r].width, rows[r].height};
            open_pictures(&pictures, SIDE, SIDE, 1);
            paint(&pictures, NOW, &box, 20);
            if (spoiled) *byte_at(&pictures.frame[NOW], 52, 52) = 60;
            expect(&pictures, &box, rows[r].found || !spoiled, (int)r);
        }
    struct pictures pictures; /* an L, whose middle is not of its colour */
    open_pictures(&pictures, SIDE, SIDE, 1);
    paint(&pictures, NOW, &(struct finding_place){40, 40, 16, 80}, 20);
    paint(&pictures, NOW, &(struct finding_place){40, 104, 80, 16}, 20);
    expect(&pictures, &(struct finding_place){0, 0, 0, 0}, false, -2);
}

/* ---- Frames of one colour -------------------------------------------------------------------- */

/* All pixels at the left end, and all means, are two levels from the first at most. */
Test(detect_coded, frames_of_one_colour)
{
    static const struct {
        struct finding_place box;
        int by;
        bool flat;
    } rows[] = {{{0, 0, 0, 0}, 0, true},
                {{0, 100, 8, 8}, 2, true},
                {{0, 100, 8, 8}, 3, false},
                {{0, SIDE - 1, 1, 1}, 3, false},
                {{0, SIDE - 1, 1, 1}, 2, true},
                {{SIDE - 8, SIDE - 8, 8, 8}, 2, true},
                {{SIDE - 8, SIDE - 8, 8, 8}, 3, false},
                {{8, 8, 1, 1}, 3, false},
                {{8, 8, 1, 1}, 2, true},
                {{0, 100, 8, 8}, -2, true},
                {{0, 100, 8, 8}, -3, false},
                {{SIDE - 8, SIDE - 8, 8, 8}, -3, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct pictures pictures;
        open_pictures(&pictures, SIDE, SIDE, 1);
        paint(&pictures, NOW, &(struct finding_place){0, 0, SIDE, SIDE}, 20);
        paint(&pictures, NOW, &rows[r].box, (uint8_t)(20 + rows[r].by));
        cr_expect_eq(scan(&pictures).flat, rows[r].flat, "row %zu", r);
    }
}
