/* Areas of one colour: objects which moved, shapes that grow, the largest of many, and areas of a
 * change of the picture. */
#include "detect_pictures.h"

enum { SIDE = 192 };

static const struct finding_place square = {96, 96, 24, 24};

/* ---- Objects --------------------------------------------------------------------------------- */

/* An object was elsewhere in one of the others: up to 48 pixels away in each direction. Two fifths
 * of its pixels in kept rows are as near: 8 of its columns, or 16 of its columns and rows. */
Test(detect_moved, objects_that_are_near)
{
    static const int ways[8][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                   {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
    for (int f = ONE; f <= OTHER; f++)
        for (int w = 0; w < 8; w++)
            for (int more = 0; more <= 4; more += 4) {
                struct pictures pictures;
                struct finding_place there = square;
                const int far = (w < 4 ? 64 : 56) + more;
                there.x += (uint32_t)(far * ways[w][0]), there.y += (uint32_t)(far * ways[w][1]);
                open_pictures(&pictures, SIDE, SIDE, 3);
                paint(&pictures, NOW, &square, 200);
                paint(&pictures, f, &there, 200);
                cr_assert_eq(find_areas(&pictures, 0, false), 1);
                cr_expect_eq(has_lost(&pictures), more > 0, "%d %d, %d", ways[w][0], ways[w][1],
                             far);
                close_pictures(&pictures);
            }
}

/* Forty of a hundred pixels are enough, if they are at one place of its size, and this frame lacks
 * them. */
Test(detect_moved, objects_that_are_partly_there)
{
    static const struct {
        uint32_t width;   /* two kept rows are as wide */
        int32_t second;   /* how far below it the same is once more; 0: it is not */
        bool kept, moved; /* this frame has it, too */
    } rows[] = {{20, 0, false, true},
                {19, 0, false, false},
                {19, 28, false, false},
                {19, 16, false, true},
                {20, 0, true, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int f = ONE; f <= OTHER; f++) {
            struct pictures pictures;
            const struct finding_place there = {56, 96, rows[r].width, 8};
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint(&pictures, NOW, &square, 200);
            paint(&pictures, f, &there, 200);
            if (rows[r].kept) paint(&pictures, NOW, &there, 200);
            const struct finding_place more = {56, 96 + (uint32_t)rows[r].second, there.width, 8};
            paint(&pictures, f, &more, 200);
            cr_assert_geq(find_areas(&pictures, 0, false), 1);
            cr_expect_eq(has_lost(&pictures), !rows[r].moved, "row %zu", r);
            close_pictures(&pictures);
        }
}

/* An object moves further in a wide picture: by a thirty-second of its width. */
Test(detect_moved, objects_of_wide_pictures)
{
    for (uint32_t far = 80; far <= 84; far += 4) {
        struct pictures pictures;
        open_pictures(&pictures, 2048, 64, 1);
        paint(&pictures, NOW, &(struct finding_place){1000, 20, 24, 24}, 200);
        paint(&pictures, OTHER, &(struct finding_place){1000 + far, 20, 24, 24}, 200);
        cr_assert_eq(find_areas(&pictures, 0, false), 1);
        cr_expect_eq(has_lost(&pictures), far > 80);
        close_pictures(&pictures);
    }
}

/* ---- Shapes that grow ------------------------------------------------------------------------ */

/* A shape of the same colour, which a neighbour has too, 12 pixels beside one of the four sides. It
 * covers four fifths of the side. */
Test(detect_moved, shapes_beside_each_side)
{
    static const struct {
        int side; /* left, right, top, bottom */
        uint32_t away, along;
        bool grown;
    } rows[] = {{0, 12, 48, true},  {0, 16, 48, false}, {0, 12, 36, false}, {1, 12, 48, true},
                {1, 17, 48, false}, {1, 12, 36, false}, {2, 12, 48, true},  {2, 16, 48, false},
                {2, 12, 36, false}, {3, 12, 48, true},  {3, 17, 48, false}, {3, 12, 36, false},
                {2, 12, 40, true},  {2, 12, 38, false}, {3, 12, 40, true},  {3, 12, 38, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int f = ONE; f <= OTHER; f++) {
            struct pictures pictures;
            const uint32_t away = rows[r].away, along = rows[r].along;
            const struct finding_place box = {80, 80, 48, 48},
                                       beside[4] = {{80 - away - 4, 80, 8, along},
                                                    {80 + 48 + away - 4, 80, 8, along},
                                                    {80, 80 - away - 4, along, 8},
                                                    {80, 80 + 48 + away - 4, along, 8}};
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint(&pictures, NOW, &box, 0);
            paint(&pictures, NOW, &beside[rows[r].side], 0);
            paint(&pictures, f, &beside[rows[r].side], 0);
            cr_assert_geq(find_areas(&pictures, 0, false), 1);
            cr_expect_eq(pictures.areas.at[0].grown, rows[r].grown, "row %zu, %d", r, f);
            close_pictures(&pictures);
            /* one of both frames lacks it */
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint(&pictures, NOW, &box, 0);
            paint(&pictures, r % 2 ? NOW : f, &beside[rows[r].side], 0);
            cr_assert_geq(find_areas(&pictures, 0, false), 1);
            for (uint32_t i = 0; i < pictures.areas.count; i++)
                cr_expect(!pictures.areas.at[i].grown, "row %zu, %d", r, f);
            close_pictures(&pictures);
        }
}

/* The last pixels count at an end of the frame. No shape grows by more than 48 pixels both ways.
 */
Test(detect_moved, shapes_at_the_ends)
{
    static const struct {
        struct finding_place shape, box;
        bool grown;
    } rows[] = {{{0, 0, 16, SIDE}, {16, 0, 24, SIDE}, true},
                {{SIDE - 16, 0, 16, SIDE}, {SIDE - 40, 0, 24, SIDE}, true},
                {{0, 0, SIDE, 16}, {0, 16, SIDE, 24}, true},
                {{0, SIDE - 16, SIDE, 16}, {0, SIDE - 40, SIDE, 24}, true},
                {{0, 0, 4, SIDE}, {4, 0, 24, SIDE}, true},
                {{SIDE - 4, 0, 4, SIDE}, {SIDE - 28, 0, 24, SIDE}, true},
                {{0, 0, SIDE, 4}, {0, 4, SIDE, 24}, true},
                {{0, SIDE - 4, SIDE, 4}, {0, SIDE - 28, SIDE, 24}, true},
                {{0, 40, 16, 48}, {16, 40, 48, 48}, true},
                {{0, 40, 16, 49}, {16, 40, 49, 49}, false},
                {{0, 40, 16, 48}, {16, 40, 60, 48}, true},
                {{0, 40, 16, 60}, {16, 40, 48, 60}, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct pictures pictures;
        open_pictures(&pictures, SIDE, SIDE, 3);
        for (int f = 0; f < 3; f++) paint(&pictures, f, &rows[r].shape, 0);
        paint(&pictures, NOW, &rows[r].box, 0);
        cr_assert_eq(find_areas(&pictures, 0, false), 1, "row %zu", r);
        cr_expect_eq(pictures.areas.at[0].grown, rows[r].grown, "row %zu", r);
        close_pictures(&pictures);
    }
}

/* ---- Many areas ------------------------------------------------------------------------------ */

/* The largest are kept, and of work, such as an object that moved, none that needs the room. */
Test(detect_moved, the_largest_of_many)
{
    enum { COUNT = 16 };
    for (uint32_t order = 0; order < 4; order++)
        for (uint32_t work = 0; work <= COUNT; work += 4) {
            struct pictures pictures;
            uint32_t lost = 0, least = UINT32_MAX;
            open_pictures(&pictures, 256, 256, 1);
            for (uint32_t k = 0; k < COUNT; k++) {
                const uint32_t n = order == 0   ? k
                                   : order == 1 ? COUNT - 1 - k
                                                : (2 * order + 1) * k % COUNT;
                const struct finding_place box = {64 * (k % 4) + 4, 64 * (k / 4) + 4, 12 + 2 * n,
                                                  20};
                paint(&pictures, NOW, &box, (uint8_t)(k % 2 ? 10 : 240));
                /* hardly seen, like work */
                if (n < work) paint(&pictures, BOTH, &box, (uint8_t)(k % 2 ? 18 : 232));
            }
            cr_assert_eq(find_areas(&pictures, 0, false), AREAS_MOST);
            for (uint32_t i = 0; i < AREAS_MOST; i++) {
                const struct flat_area *area = &pictures.areas.at[i];
                lost += area->lost;
                if (area->lost && area->place.width < least) least = area->place.width;
            }
            const uint32_t damage = COUNT - work, kept = damage < AREAS_MOST ? damage : AREAS_MOST;
            cr_expect_eq(lost, kept, "order %u, %u of work: %u", order, work, lost);
            if (kept > 0) cr_expect_eq(least, 12 + 2 * (COUNT - kept), "order %u, %u", order, work);
            close_pictures(&pictures);
        }
}

/* ---- Changes --------------------------------------------------------------------------------- */

/* Areas of an outer frame belong to a change if much around one changes, unless a larger area there
 * explains it. */
Test(detect_moved, areas_of_a_change)
{
    static const struct {
        struct finding_place place;
        size_t pixels;
        bool lost, change; /* the second area's */
    } rows[] = {{{0, 0, 8, 8}, 64, true, true},        {{90, 90, 40, 40}, 1600, true, false},
                {{90, 90, 40, 40}, 1600, false, true}, {{90, 90, 40, 40}, 100, true, true},
                {{120, 96, 8, 24}, 1600, true, true},  {{119, 96, 8, 24}, 1600, true, false},
                {{88, 96, 8, 24}, 1600, true, true},   {{88, 96, 9, 24}, 1600, true, false},
                {{96, 120, 24, 8}, 1600, true, true},  {{96, 119, 24, 8}, 1600, true, false},
                {{96, 88, 24, 8}, 1600, true, true},   {{96, 88, 24, 9}, 1600, true, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int first = 0; first < 3; first++) { /* the area's place; 2: it is none of damage */
            struct pictures pictures;
            struct areas areas = {.count = 2};
            areas.at[first == 1] =
                (struct flat_area){.place = square, .pixels = 576, .lost = first < 2};
            areas.at[first != 1] = (struct flat_area){.place = rows[r].place,
                                                      .pixels = rows[r].pixels,
                                                      .lost = rows[r].lost && first < 2};
            open_pictures(&pictures, SIDE, SIDE, 3);
            paint(&pictures, NOW, &(struct finding_place){72, 72, 72, 72}, 200);
            find_areas(&pictures, 0, false);
            cr_assert(temporal_changes_around(&pictures.temporal, &square));
            cr_expect(!temporal_changes_around(&pictures.temporal, &rows[0].place));
            /* a larger second area has no change around it, or is there by itself */
            const bool own = rows[r].lost && r > 0 &&
                             temporal_changes_around(&pictures.temporal, &rows[r].place);
            cr_expect_eq(areas_are_changes(&pictures.temporal, &areas),
                         first < 2 && (rows[r].change || own), "row %zu, %d", r, first);
            close_pictures(&pictures);
        }
}
