/* Cells of a frame and two others. Garbage and changes of the picture are held against their
 * definitions. Boxes of cells are drawn as maps. */
#include "detect_cells.h"

/* ---- Boxes of marked cells ------------------------------------------------------------------- */

/* A map of cells, row after row. `#`: marked; the box begins at `o`, a marked cell. */
Test(detect_cells, boxes_that_widen)
{
    static const struct {
        const char *map; /* 6 x 4 cells */
        struct finding_place box;
    } rows[] = {{"o....."
                 "......"
                 "......"
                 "......",
                 {0, 0, 1, 1}},
                {"......"
                 "......"
                 "......"
                 ".....o",
                 {5, 3, 1, 1}},
                {"o....."
                 ".#...."
                 "..#..."
                 "...###",
                 {0, 0, 6, 4}},
                {".....#"
                 "...##."
                 "..#..."
                 "##o...",
                 {0, 0, 6, 4}},
                {"#.#..."
                 "......"
                 "#.o.#."
                 "......",
                 {2, 2, 1, 1}},
                {"......"
                 ".#.#.."
                 "..o..."
                 ".#....",
                 {1, 1, 3, 3}},
                {"......"
                 ".....#"
                 "....#."
                 "#.#o..",
                 {2, 1, 4, 3}},
                {"#....."
                 "o.#..."
                 "#....."
                 ".#....",
                 {0, 0, 3, 4}}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        uint8_t marks[24];
        struct finding_place box = {0, 0, 1, 1}, *const want = (struct finding_place *)&rows[r].box;
        for (uint32_t i = 0; i < 24; i++) {
            marks[i] = rows[r].map[i] != '.';
            if (rows[r].map[i] == 'o') box.x = i % 6, box.y = i / 6;
        }
        areas_widen(marks, 6, 4, &box);
        cr_expect(memcmp(&box, want, sizeof box) == 0, "row %zu: %ux%u+%u+%u", r, box.width,
                  box.height, box.x, box.y);
    }
}

/* ---- Changes of a picture -------------------------------------------------------------------- */

/* Returns whether the cells two to four cells around a box change. More than an eighth of them do,
 * and three times as many as further off. A cell stands still in the others by half a level, and
 * differs from both by three. */
static bool changes(const struct three *three, const struct finding_place *box)
{
    const struct frame_stats *now = &three->frame[NOW];
    double all[2] = {0}, changed[2] = {0};
    for (uint32_t i = 0; i < three->cells; i++) {
        const int x = (int)(i % now->across), y = (int)(i / now->across);
        const int left = (int)box->x / 8 - x, right = x - (int)(box->x + box->width - 1) / 8,
                  top = (int)box->y / 8 - y, bottom = y - (int)(box->y + box->height - 1) / 8;
        const double away = fmax(fmax(left, right), fmax(top, bottom));
        const int a = three->frame[ONE].mean[i], c = three->frame[OTHER].mean[i];
        if (away < 2) continue;
        all[away < 5]++;
        changed[away < 5] += 2 * abs(a - c) <= LEVEL && abs(now->mean[i] - a) > 3 * LEVEL;
    }
    return 8 * changed[1] > all[1] && changed[1] * all[0] > 3 * changed[0] * all[1];
}

Test(detect_cells, changes_as_defined)
{
    check_random random = {2};
    int found[2] = {0};
    for (int trial = 0; trial < 2000; trial++) {
        struct three three;
        open_three(&three, (uint32_t)check_between(&random, 1, 24),
                   (uint32_t)check_between(&random, 1, 24));
        const uint32_t width = three.frame[0].width, height = three.frame[0].height;
        struct finding_place box = {(uint32_t)check_between(&random, 0, width - 1),
                                    (uint32_t)check_between(&random, 0, height - 1), 1, 1};
        box.width = (uint32_t)check_between(&random, 1, width - box.x);
        box.height = (uint32_t)check_between(&random, 1, height - box.y);
        const uint64_t near = check_between(&random, 0, 60), far = check_between(&random, 0, 20);
        for (uint32_t i = 0; i < three.cells; i++) {
            const double dx = 8.0 * (i % three.frame[0].across) - box.x - box.width / 2.0,
                         dy = 8.0 * (i / three.frame[0].across) - box.y - box.height / 2.0;
            const bool in = fabs(dx) < box.width / 2.0 + 32 && fabs(dy) < box.height / 2.0 + 32;
            const bool change = check_between(&random, 0, 99) < (in ? near : far);
            const int sign = check_between(&random, 0, 1) ? 1 : -1;
            three.frame[ONE].mean[i] = 5000;
            three.frame[OTHER].mean[i] =
                (int16_t)(5000 + sign * (int)check_between(&random, 49, 51));
            three.frame[NOW].mean[i] =
                (int16_t)(5000 + (change ? sign * (int)check_between(&random, 299, 302) : 0));
        }
        const bool want = changes(&three, &box);
        cr_assert_eq(temporal_changes_around(&three.temporal, &box), want, "trial %d", trial);
        found[want]++;
        close_three(&three);
    }
    cr_expect(found[0] > 200 && found[1] > 200, "%d, %d", found[0], found[1]);
}

/* ---- Garbage --------------------------------------------------------------------------------- */

/* What is compared: cells, or the colours of squares of 2 x 2 cells, which are held against others
 * up to two cells away. Numbers are levels. */
struct rule {
    bool colour;
    uint32_t side;
    double faint, floor, least;
};

/* Returns the mean level of a square. */
static double level_of(const struct rule *rule, const struct frame_stats *frame, uint32_t x,
                       uint32_t y)
{
    double sum = 0;
    for (uint32_t j = y; j < y + rule->side; j++)
        for (uint32_t i = x; i < x + rule->side; i++)
            sum += (rule->colour ? frame->patches.colour
                                 : frame->patches.second)[j * frame->across + i];
    return sum / 4 / (rule->side * rule->side);
}

static double roughness(const struct rule *rule, const struct three *three, uint32_t x, uint32_t y)
{
    const struct frame_stats *now = &three->frame[NOW];
    const double over = level_of(rule, now, x, y) - rule->faint;
    double most = 0;
    for (int o = ONE; o <= OTHER; o++) {
        if (over <= 0 || over < 0.5 * (level_of(rule, &three->frame[o], x, y) + rule->floor))
            return 0;
        for (uint32_t j = 0; j + rule->side <= now->down; j++)
            for (uint32_t i = 0; i + rule->side <= now->across; i++)
                if (abs((int)i - (int)x) <= 2 && abs((int)j - (int)y) <= 2)
                    most = fmax(most, level_of(rule, &three->frame[o], i, j));
    }
    return over / (most + rule->floor) / rule->least;
}

/* Finds the roughest square, in cells. */
static double find(const struct rule *rule, const struct three *three, uint8_t *rough,
                   struct finding_place *box)
{
    const struct frame_stats *now = &three->frame[NOW];
    double most = 0;
    for (uint32_t y = 0; y + rule->side <= now->down; y++)
        for (uint32_t x = 0; x + rule->side <= now->across; x++) {
            const double times = roughness(rule, three, x, y);
            rough[y * now->across + x] = times > 0.5;
            if (times > most)
                most = times, *box = (struct finding_place){x, y, rule->side, rule->side};
        }
    return most;
}

/* Returns how many times a large box is as rough as in both others, in the mean. */
static double mean_roughness(const struct three *three, const struct finding_place *box)
{
    const struct frame_stats *now = &three->frame[NOW];
    const double cells = (double)box->width * box->height;
    double mean[3] = {0};
    for (uint32_t i = 0; i < cells; i++)
        for (int f = 0; f < 3; f++)
            mean[f] += three->frame[f].patches.second[(box->y + i / box->width) * now->across +
                                                      box->x + i % box->width] /
                       4.0 / cells;
    return 40 * cells < (double)three->cells ? 0
                                             : (mean[0] - 12) / (fmax(mean[1], mean[2]) + 4) / 2;
}

static struct garbage model(const struct three *three)
{
    static const struct rule cells = {false, 1, 12, 4, 1}, colours = {true, 2, 24, 16, 1.25},
                             single = {true, 1, 24, 16, 1};
    struct frame_stats *now = (struct frame_stats *)&three->frame[NOW];
    struct garbage out = {.place = {0, 0, 1, 1}};
    struct finding_place box = out.place, other = out.place;
    uint8_t *rough = calloc(three->cells, 1);
    out.times = find(&cells, three, rough, &box);
    if (now->patches.channels >= 3) out.sure = find(&colours, three, rough, &other);
    const bool colour = out.sure > out.times;
    struct finding_place ignored;
    if (colour) out.times = out.sure, box = other;
    memset(rough, 0, three->cells);
    (void)find(colour ? &single : &cells, three, rough, &ignored);
    out.place = box;
    if (out.times > 0.5) areas_widen(rough, now->across, now->down, &out.place);
    free(rough);
    out.times = fmax(out.times, mean_roughness(three, &out.place));
    const bool most = 2 * out.place.width * out.place.height > three->cells;
    struct finding_place *place = &out.place;
    *place =
        (struct finding_place){8 * place->x, 8 * place->y, 8 * place->width, 8 * place->height};
    out.changes =
        three->temporal.outer && (most || temporal_changes_around(&three->temporal, place));
    return out;
}

/* Fills the cells with texture, and rough squares of any strength, of which some are in all frames.
 */
static void fill_cells(struct three *three, check_random *random)
{
    const uint32_t across = three->frame[0].across, down = three->frame[0].down;
    const uint32_t texture = (uint32_t)check_between(random, 1, 60),
                   colour = (uint32_t)check_between(random, 1, 120);
    for (int f = 0; f < 3; f++)
        for (size_t i = 0; i < three->cells; i++) {
            three->frame[f].patches.second[i] = (uint16_t)check_between(random, 0, texture);
            three->frame[f].patches.colour[i] = (uint16_t)check_between(random, 0, colour);
        }
    for (uint64_t n = check_between(random, 0, 4); n > 0; n--) {
        const uint32_t x = (uint32_t)check_between(random, 0, across - 1),
                       y = (uint32_t)check_between(random, 0, down - 1),
                       width = (uint32_t)check_between(random, 1, 4),
                       height = (uint32_t)check_between(random, 1, 4);
        const uint64_t high = check_between(random, 60, 300);
        const int first = (int)check_between(random, 0, 5), end = first > 2 ? 1 : first + 1;
        for (int f = first > 2 ? 0 : first; f < end; f++)
            for (uint32_t j = y; j < y + height && j < down; j++)
                for (uint32_t i = x; i < x + width && i < across; i++) {
                    three->frame[f].patches.second[j * across + i] +=
                        (uint16_t)check_between(random, high / 2, high);
                    three->frame[f].patches.colour[j * across + i] +=
                        (uint16_t)check_between(random, high, 3 * high);
                }
    }
}

Test(detect_cells, garbage_as_defined)
{
    check_random random = {3};
    int some[4] = {0};
    for (int trial = 0; trial < 4000; trial++) {
        struct three three;
        struct garbage own;
        open_three(&three, (uint32_t)check_between(&random, 1, 20),
                   (uint32_t)check_between(&random, 1, 20));
        fill_cells(&three, &random);
        three.temporal.outer = trial % 2;
        for (int f = 0; f < 3; f++) three.frame[f].patches.channels = trial % 5 ? 3 : 1;
        for (size_t i = 0; i < three.cells; i += 3) three.frame[NOW].mean[i] = 500;
        cr_assert(squares_garbage(&three.temporal, &own));
        const struct garbage want = model(&three);
        cr_assert_float_eq(own.times, want.times, 1e-9, "trial %d: %g, %g", trial, own.times,
                           want.times);
        cr_assert_float_eq(own.sure, want.sure, 1e-9);
        cr_assert(memcmp(&own.place, &want.place, sizeof own.place) == 0, "trial %d", trial);
        cr_assert_eq(own.changes, want.changes, "trial %d", trial);
        const bool seen[4] = {own.sure == own.times && own.times > 0, own.times > 0.5, own.changes,
                              own.place.width > 8};
        for (int i = 0; i < 4; i++) some[i] += seen[i];
        close_three(&three);
    }
    for (int i = 0; i < 4; i++) cr_expect_gt(some[i], 40, "%d of kind %d", some[i], i);
}
