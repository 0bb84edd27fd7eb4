/* Cells that repeat those of an earlier frame, drawn as maps. */
#include "detect_cells.h"

#include "detect/stale.h"

enum { ACROSS = 9, DOWN = 5 };

/* Maps of the frame that is judged. A digit: the cell repeats the frame so many before. `=`: it and
 * the one before repeat the frame two before. `n`: it repeats the one before, and so does the next
 * one.
 * `~`: it repeats the one before without grain. `,`: it has no grain. */
Test(detect_prints, stale_cells)
{
    static const struct {
        const char *map;
        size_t cells;
        unsigned back;
        struct finding_place place;
        bool scattered;
    } rows[] = {{"........."
                 ".111....."
                 ".111....."
                 ".111....."
                 ".........",
                 9,
                 1,
                 {8, 8, 24, 24},
                 false},
                {"666......"
                 "666......"
                 "666......"
                 "........."
                 ".........",
                 9,
                 6,
                 {0, 0, 24, 24},
                 false},
                {"........."
                 "........."
                 "......333"
                 "......333"
                 "......333",
                 9,
                 3,
                 {48, 16, 24, 24},
                 false},
                {"........."
                 ".11......"
                 ".11......"
                 ".11......"
                 ".........",
                 0,
                 0,
                 {0, 0, 0, 0},
                 false},
                {"........."
                 ".1111...."
                 ".1111...."
                 "........."
                 ".........",
                 0,
                 0,
                 {0, 0, 0, 0},
                 false},
                {"2222....."
                 "22.2....."
                 "2.22....."
                 "....1...."
                 ".........",
                 10,
                 2,
                 {0, 0, 32, 24},
                 true},
                {"2222....."
                 "2..2....."
                 "2.22....."
                 "........."
                 ".........",
                 9,
                 2,
                 {0, 0, 32, 24},
                 false},
                {"2222....."
                 "2..2....."
                 "2..2....."
                 "........."
                 ".........",
                 0,
                 0,
                 {0, 0, 0, 0},
                 false},
                {"222..4444"
                 "222..4444"
                 "222..4444"
                 "222......"
                 ".........",
                 12,
                 2,
                 {0, 0, 24, 32},
                 false},
                {"222..4444"
                 "222..4444"
                 "222..4444"
                 "........."
                 ".........",
                 12,
                 4,
                 {40, 0, 32, 24},
                 false},
                {"222.22222"
                 "222.22222"
                 "222.22222"
                 "........."
                 ".........",
                 15,
                 2,
                 {32, 0, 40, 24},
                 false},
                {"2222.2222"
                 "2222.2222"
                 "2222.2222"
                 "........."
                 ".........",
                 12,
                 2,
                 {0, 0, 32, 24},
                 false},
                {"........."
                 ".===....."
                 ".===....."
                 ".===....."
                 ".........",
                 0,
                 0,
                 {0, 0, 0, 0},
                 false},
                {"........."
                 ".nnn....."
                 ".nnn....."
                 ".nnn....."
                 ".........",
                 0,
                 0,
                 {0, 0, 0, 0},
                 false},
                {"........."
                 ".~~~....."
                 ".~~~....."
                 ".~~~....."
                 ".........",
                 0,
                 0,
                 {0, 0, 0, 0},
                 false},
                {"1........"
                 "........."
                 "........."
                 "........."
                 ".........",
                 0,
                 0,
                 {0, 0, 0, 0},
                 true},
                {"1........"
                 "........."
                 "........."
                 "........."
                 "........1",
                 0,
                 0,
                 {0, 0, 0, 0},
                 true},
                {"........."
                 "........."
                 "....55..."
                 "........."
                 ".........",
                 0,
                 0,
                 {0, 0, 0, 0},
                 false},
                {",,,,,,,,,"
                 ",,,,,,,,,"
                 ",,,,,,,,,"
                 ",,,,,,,,,"
                 ",,,,,,,,1",
                 0,
                 0,
                 {0, 0, 0, 0},
                 true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct three three;
        uint32_t cell[STALE_FURTHEST][ACROSS * DOWN];
        struct prints before[STALE_FURTHEST];
        struct stale stale;
        double repeats = 0, grain = 0;
        open_three(&three, ACROSS, DOWN);
        for (unsigned b = 0; b < STALE_FURTHEST; b++)
            before[b] = (struct prints){ACROSS, DOWN, cell[b]};
        for (uint32_t i = 0; i < ACROSS * DOWN; i++) {
            const char c = rows[r].map[i];
            const uint32_t print = 1000 * i + 1;
            three.frame[NOW].print[i] = print, three.frame[ONE].print[i] = c == 'n' ? print : 0;
            three.frame[NOW].patches.second[i] = c == '~' || c == ',' ? 7 : 8;
            for (uint32_t b = 1; b <= STALE_FURTHEST; b++)
                cell[b - 1][i] = (c == '=' && b <= 2) || ((c == 'n' || c == '~') && b == 1) ||
                                         c == (char)('0' + b)
                                     ? print
                                     : print + b;
            grain += c != '~' && c != ',';
            repeats += c == '=' || c == 'n' || c == '1';
        }
        cr_assert(stale_find(&three.frame[NOW], &three.frame[ONE], before, &stale));
        cr_expect(stale.cells == rows[r].cells && stale.back == rows[r].back, "row %zu: %zu of %u",
                  r, stale.cells, stale.back);
        cr_expect(memcmp(&stale.place, &rows[r].place, sizeof stale.place) == 0, "row %zu", r);
        cr_expect_eq(stale.scattered, rows[r].scattered, "row %zu", r);
        cr_expect_float_eq(stale.repeats, repeats / grain, 1e-9, "row %zu", r);
        close_three(&three);
    }
}

/* Frames of another size, or that are not there, show nothing. */
Test(detect_prints, stale_cells_of_other_sizes)
{
    for (int row = 0; row < 9; row++) {
        struct three three;
        uint32_t cell[2][ACROSS * DOWN];
        struct prints before[STALE_FURTHEST] = {{ACROSS, DOWN, cell[0]}, {ACROSS, DOWN, cell[1]}};
        struct stale stale;
        open_three(&three, ACROSS, DOWN);
        for (uint32_t i = 0; i < ACROSS * DOWN; i++) {
            three.frame[NOW].print[i] = cell[0][i] = i + 1;
            cell[1][i] = 0, three.frame[NOW].patches.second[i] = row == 8 ? 7 : 8;
            three.frame[ONE].print[i] = i + 1;
        }
        struct frame_stats *next = &three.frame[ONE];
        if (row == 1) next = NULL;
        if (row == 2) next->across--;
        if (row == 3) next->down--;
        if (row > 3) next = NULL;
        if (row == 4) before[0].cell = NULL;
        if (row == 5) before[0].down--;
        if (row == 6) before[1].across--;
        if (row == 7) before[1].cell = NULL;
        cr_assert(stale_find(&three.frame[NOW], next, before, &stale));
        cr_expect_eq(stale.cells, row >= 1 && row <= 3 ? ACROSS * DOWN : 0, "row %d", row);
        cr_expect_eq(stale.repeats, 1);
        close_three(&three);
    }
}
