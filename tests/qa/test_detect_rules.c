/* Areas of one colour that both others lack, painted on noise: their size, place, shape and colour,
 * at each bound. */
#include "detect_pictures.h"

enum { SIDE = 96, ENDS = 3 };

static const struct finding_place square = {32, 40, 24, 24};

/* ---- Size and place -------------------------------------------------------------------------- */

/* Rectangles of 8 to 12 pixels, wherever the patches of 4 x 4 pixels lie, and at each end. */
Test(detect_rules, boxes_to_the_pixel)
{
    static const uint32_t lefts[] = {0, 1, 2, 3, 4, 30, 31, 32, 33};
    for (size_t l = 0; l < sizeof lefts / sizeof *lefts; l++)
        for (uint32_t width = 7; width <= 12; width++)
            for (int place = 0; place < 4; place++) { /* measured from each corner */
                struct pictures pictures;
                const uint32_t height = 8 + (width + (uint32_t)place) % 5,
                               top = lefts[(l + width) % 9];
                struct finding_place box = {lefts[l], top, width, height};
                if (place % 2) box.x = SIDE - box.x - width;
                if (place / 2) box.y = SIDE - box.y - height;
                open_pictures(&pictures, SIDE, SIDE, 1 + 2 * (width % 2));
                paint(&pictures, NOW, &box, 200);
                cr_assert_eq(find_areas(&pictures, 0, false), width > 7);
                const struct flat_area *area = &pictures.areas.at[0];
                if (width > 7)
                    cr_assert(memcmp(&area->place, &box, sizeof box) == 0 && area->lost &&
                                  area->channel == 0 && area->level[0] == 200 && area->brighter,
                              "%ux%u+%u+%u for %ux%u+%u+%u", area->place.width, area->place.height,
                              area->place.x, area->place.y, width, height, box.x, box.y);
                close_pictures(&pictures);
            }
}

/* Frames of one to four channels: alpha says nothing. */
Test(detect_rules, channels_that_are_colours)
{
    for (uint32_t channels = 1; channels <= 4; channels++)
        for (uint32_t odd = 0; odd <= channels; odd++) { /* a channel that is not of one level */
            struct pictures pictures;
            open_pictures(&pictures, SIDE, SIDE, channels);
            const bool alpha = channels % 2 == 0 && odd + 1 == channels;
            for (uint32_t c = 0; c < channels; c++)
                if (c != odd) paint_channel(&pictures, NOW, &square, c, (uint8_t)(200 + 10 * c));
            const uint32_t count = find_areas(&pictures, 0, false);
            cr_expect_eq(count, alpha || odd == channels, "%u of %u", odd, channels);
            if (count > 0) {
                const struct flat_area *area = &pictures.areas.at[0];
                cr_expect_eq(area->pixels, 25 * 16); /* patches at its left and top are not flat */
                for (uint32_t c = 0; c < channels - (channels % 2 == 0); c++)
                    cr_expect_eq(area->level[c], 200 + 10 * (float)c);
            }
            close_pictures(&pictures);
        }
}

/* A single channel must be empty or full, and 16 pixels across and down. */
Test(detect_rules, areas_of_one_channel)
{
    static const struct {
        uint8_t level;
        uint32_t width, height;
        bool found;
    } rows[] = {{0, 16, 16, true},    {255, 16, 16, true}, {1, 16, 16, false},
                {254, 16, 16, false}, {0, 15, 17, false},  {0, 17, 15, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (uint32_t c = 0; c < 3; c++) {
            struct pictures pictures;
            const struct finding_place box = {33, 42, rows[r].width, rows[r].height};
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint_channel(&pictures, NOW, &box, c, rows[r].level);
            cr_expect_eq(find_areas(&pictures, 0, false), rows[r].found, "row %zu, %u", r, c);
            const struct flat_area *area = &pictures.areas.at[0];
            if (rows[r].found)
                cr_expect(area->channel == c + 1 && area->lost && area->level[c] == rows[r].level &&
                          memcmp(&area->place, &box, sizeof box) == 0);
            close_pictures(&pictures);
        }
}

/* ---- How clear it is ------------------------------------------------------------------------- */

/* Others have a square that is so many levels away, in one channel or in all. Seven are a
 * difference. From 0.77 * 12 on, or of a channel 0.9 * 12, it is seen. An area so faint must be
 * larger. */
Test(detect_rules, differences_that_are_seen)
{
    static const struct {
        int by;
        uint32_t width;
        uint32_t count;
        bool lost;
    } rows[] = {{6, 24, 0, false},  {7, 24, 1, false}, {9, 24, 1, false},  {10, 24, 1, true},
                {7, 8, 0, false},   {7, 9, 1, false},  {-6, 24, 0, false}, {-7, 24, 1, false},
                {-9, 24, 1, false}, {-10, 24, 1, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int f = ONE; f <= BOTH; f++)
            for (uint32_t c = 0; c <= 3; c++) {
                struct pictures pictures;
                const struct finding_place box = {32, 40, rows[r].width,
                                                  rows[r].width > 9 ? 24 : 8};
                const uint8_t level = (uint8_t)(200 - rows[r].by);
                if (rows[r].by < 0 && f != BOTH) continue; /* it would lie between both others */
                open_pictures(&pictures, SIDE, SIDE, 3);
                paint(&pictures, NOW, &box, 200);
                if (c < 3 && f == BOTH) paint(&pictures, BOTH, &box, 200);
                if (c < 3 && f != BOTH) paint(&pictures, f, &box, 200);
                if (c == 3)
                    paint(&pictures, f, &box, level);
                else
                    paint_channel(&pictures, f, &box, c, level);
                cr_expect_eq(find_areas(&pictures, 0, false), rows[r].count, "row %zu, %d, %u", r,
                             f, c);
                cr_expect_eq(has_lost(&pictures), rows[r].lost, "row %zu, %d, %u", r, f, c);
                close_pictures(&pictures);
            }
}

Test(detect_rules, channels_that_are_seen)
{
    for (int by = 6; by <= 11; by++)
        for (uint32_t c = 0; c < 3; c++) {
            struct pictures pictures;
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint_channel(&pictures, NOW, &square, c, 0);
            paint_channel(&pictures, BOTH, &square, c, (uint8_t)by);
            cr_expect_eq(find_areas(&pictures, 0, false), by > 6, "%d, %u", by, c);
            cr_expect_eq(has_lost(&pictures), by > 10, "%d, %u", by, c);
            close_pictures(&pictures);
        }
}

/* Three of four pixels of a patch must be new. */
Test(detect_rules, pixels_that_are_shared)
{
    for (int f = ONE; f <= OTHER; f++)
        for (uint32_t shared = 1; shared <= 2; shared++)
            for (uint32_t first = 0; first < 2; first++) {
                struct pictures pictures;
                open_pictures(&pictures, SIDE, SIDE, 3);
                paint(&pictures, NOW, &square, 200);
                for (uint32_t x = 32; x < 56; x += 4)
                    paint(&pictures, f, &(struct finding_place){x + first, 40, shared, 24}, 200);
                cr_expect_eq(find_areas(&pictures, 0, false), shared == 1);
                close_pictures(&pictures);
            }
}

/* An area between the colours of both others, in more than three of five pixels, fades. It has 25
 * patches, of which three fifths lie below its first 16 rows. */
Test(detect_rules, areas_that_fade)
{
    for (uint32_t more = 0; more < 2; more++) /* pixels */
        for (int way = 0; way < 3; way++) {   /* it rises, falls, or stays in one channel */
            struct pictures pictures;
            const struct finding_place box = {32, 40, 24, 16}, pixel = {36, 56, more, 1};
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint(&pictures, NOW, &square, 100);
            paint(&pictures, BOTH, &square, 50);
            for (int k = 0; k < 2; k++) {
                paint(&pictures, ONE, k ? &pixel : &box, way == 1 ? 140 : 50);
                paint(&pictures, OTHER, k ? &pixel : &box, way == 1 ? 50 : 140);
            }
            if (way == 2) paint_channel(&pictures, OTHER, &square, 2, 50);
            cr_assert_eq(find_areas(&pictures, 0, false), 1);
            cr_expect_eq(has_lost(&pictures), more == 0 || way == 2, "%u, %d", more, way);
            close_pictures(&pictures);
        }
}

/* More than half of the 25 patches of an area are brighter than both others. */
Test(detect_rules, areas_that_are_brighter)
{
    for (uint32_t patches = 12; patches <= 13; patches++)
        for (int f = ONE; f <= BOTH; f++) {
            struct pictures pictures;
            const struct finding_place rows = {32, 40, 24, 12},
                                       more = {36, 52, 4 * (patches - 10), 4};
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint(&pictures, NOW, &square, 100);
            paint(&pictures, BOTH, &square, 140);
            paint(&pictures, BOTH, &rows, 70), paint(&pictures, BOTH, &more, 70);
            if (f != BOTH) paint(&pictures, f, &square, 140);
            cr_assert_eq(find_areas(&pictures, 0, false), 1);
            cr_expect_eq(pictures.areas.at[0].brighter, patches == 13 && f == BOTH);
            close_pictures(&pictures);
        }
}

/* ---- Shape ----------------------------------------------------------------------------------- */

/* Holes in a square of 32 pixels, of which 256 are in kept rows: a sixtieth may have another
 * colour. */
static uint32_t count_with_holes(uint32_t holes, uint32_t tolerance, uint32_t side)
{
    struct pictures pictures;
    open_pictures(&pictures, side, side, 3);
    paint(&pictures, NOW, &(struct finding_place){16, 20, 32, 32}, 200);
    for (uint32_t i = 0; i < holes; i++)
        *byte_at(&pictures.frame[NOW], 26 + i % 6, 28 + 4 * (i / 6)) = 90;
    const uint32_t count = find_areas(&pictures, tolerance, false);
    close_pictures(&pictures);
    return count;
}

/* A codec changes a tenth of an area, which is a sixteenth of the frame. */
Test(detect_rules, shares_of_a_box)
{
    cr_expect_eq(count_with_holes(3, 0, SIDE), 1);
    cr_expect_eq(count_with_holes(4, 0, SIDE), 0);
    cr_expect_eq(count_with_holes(25, 2, SIDE), 1);
    cr_expect_eq(count_with_holes(26, 2, SIDE), 0);
    cr_expect_eq(count_with_holes(0, 2, 128), 1);
    cr_expect_eq(count_with_holes(0, 2, 129), 0);
    cr_expect_eq(count_with_holes(1, 2, 128), 0);
    cr_expect_eq(count_with_holes(0, 0, 129), 1);
}

/* Half of a frame may be 0.85 of its box. Smaller shapes consist of rectangles, and have 64
 * patches. */
Test(detect_rules, shapes)
{
    static const struct {
        uint32_t side, holes; /* kept rows have 640 pixels */
        bool found;
    } rows[] = {{64, 95, true}, {64, 97, false}, {72, 95, false}, {72, 9, true}, {72, 11, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct pictures pictures;
        const uint32_t each = rows[r].holes / 8;
        open_pictures(&pictures, rows[r].side, rows[r].side, 3);
        paint(&pictures, NOW, &(struct finding_place){0, 0, 64, 40}, 200);
        for (uint32_t k = 0; k < 8; k++) { /* no row begins as the next one */
            const uint32_t width = each - 1 + 2 * (k % 2) + (k == 7 ? rows[r].holes % 8 : 0);
            paint(&pictures, NOW, &(struct finding_place){0, 4 * k + 4, width, 4}, 90);
        }
        cr_expect_eq(find_areas(&pictures, 0, false), rows[r].found, "row %zu", r);
        close_pictures(&pictures);
    }
    for (uint32_t cut = 0; cut < 2; cut++) { /* an L of 64 or 63 patches */
        struct pictures pictures;
        open_pictures(&pictures, SIDE, SIDE, 3);
        paint(&pictures, NOW, &(struct finding_place){8, 8, 20, 40 - 4 * cut}, 200);
        paint(&pictures, NOW, &(struct finding_place){28, 8, 56 - 20 * cut, 4 + 4 * cut}, 200);
        cr_expect_eq(find_areas(&pictures, 0, false), !cut, "%u", cut);
        close_pictures(&pictures);
    }
}

/* ---- Borders and light ----------------------------------------------------------------------- */

/* Small areas have a border: half of the pixels left and right of it differ, two pixels away. */
Test(detect_rules, borders_of_small_areas)
{
    static const struct {
        uint32_t x, width;    /* the area is 8 pixels high */
        uint32_t left, right; /* kept rows beside it that are alike */
        bool lost;
    } rows[] = {{40, 16, 2, 0, true},  {40, 16, 0, 2, true},  {40, 16, 1, 1, true},
                {40, 16, 2, 1, false}, {40, 16, 1, 2, false}, {0, 16, 0, 1, true},
                {0, 16, 0, 2, false},  {80, 16, 1, 0, true},  {80, 16, 2, 0, false},
                {40, 32, 2, 2, true},  {40, 31, 2, 2, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct pictures pictures;
        const struct finding_place box = {rows[r].x, 40, rows[r].width, 8};
        open_pictures(&pictures, SIDE, SIDE, 3);
        paint(&pictures, NOW, &box, 200);
        for (uint32_t k = 0; k < rows[r].left; k++)
            memset(byte_at(&pictures.frame[NOW], box.x - 2, 40 + 4 * k), 206, 3);
        for (uint32_t k = 0; k < rows[r].right; k++)
            memset(byte_at(&pictures.frame[NOW], box.x + box.width + 1, 40 + 4 * k), 194, 3);
        cr_assert_eq(find_areas(&pictures, 0, false), 1, "row %zu", r);
        cr_expect_eq(has_lost(&pictures), rows[r].lost, "row %zu", r);
        close_pictures(&pictures);
    }
}

/* Another light makes areas that are clipped, small, or flat in one of the others. */
Test(detect_rules, areas_in_another_light)
{
    static const struct {
        uint8_t level;
        uint32_t width, height; /* the frame has 96 x 96 */
        uint32_t flat;          /* rows of the others that are of one colour */
        bool lost;
    } rows[] = {{200, 24, 20, 0, true}, {200, 24, 19, 0, false}, {255, 48, 48, 0, false},
                {254, 48, 48, 0, true}, {200, 48, 48, 24, true}, {200, 48, 48, 28, false},
                {0, 48, 48, 0, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int f = ONE; f <= OTHER; f++)
            for (int relit = 0; relit < 2; relit++) {
                struct pictures pictures;
                const struct finding_place box = {24, 24, rows[r].width, rows[r].height};
                open_pictures(&pictures, SIDE, SIDE, 3);
                paint(&pictures, NOW, &box, rows[r].level);
                paint(&pictures, f, &(struct finding_place){24, 24, 48, rows[r].flat}, 60);
                cr_assert_eq(find_areas(&pictures, 0, relit), 1);
                cr_expect_eq(has_lost(&pictures), rows[r].lost || !relit, "row %zu, %d", r, relit);
                close_pictures(&pictures);
            }
}

/* Each channel must be clipped, and be of one colour with the others in the neighbour. */
Test(detect_rules, channels_in_another_light)
{
    for (uint32_t c = 0; c <= 3; c++)
        for (int flat = 0; flat < 2; flat++) {
            struct pictures pictures;
            const struct finding_place box = {24, 24, 48, 48}, half = {24, 24, 48, 24};
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint(&pictures, NOW, &box, flat ? 200 : 255);
            if (!flat && c < 3) paint_channel(&pictures, NOW, &box, c, 250);
            if (flat) paint(&pictures, OTHER, &box, 60);
            if (flat && c < 3) paint_channel(&pictures, OTHER, &half, c, 70);
            cr_assert_eq(find_areas(&pictures, 0, true), 1);
            cr_expect_eq(has_lost(&pictures), c < 3, "%u, %d", c, flat);
            close_pictures(&pictures);
        }
}
