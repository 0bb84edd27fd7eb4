/* What the files of a shot declare, and their numbers. Each property is held in the first, a middle
 * and the last frame. Most frames must agree on it. */
#include "detect_numbers.h"

#include "image/declared.h"
#include "sequence/sequence.h"

#include <stdio.h>

enum { COUNT = 10, ENDS = 3 };

static const size_t places[ENDS] = {0, 5, COUNT - 1};
static const char *const names[SSIMCU_DECLARED] = {"format",         "compression",  "data window",
                                                   "display window", "pixel aspect", "frame rate",
                                                   "transfer",       "primaries"};

/* Lets a frame declare "a0" to "a7", or another text for one property. */
static void declare(struct shot_frame *frame, int property, const char *text)
{
    char all[2000] = "";
    size_t used = 0;
    for (int p = 0; p < SSIMCU_DECLARED; p++) {
        char own[16];
        snprintf(own, sizeof own, "a%d", p);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", p > 0 ? "\n" : "",
                                 p == property ? text : own);
    }
    free(frame->declared);
    frame->declared = strdup(all);
}

static void make_declared(struct shot *shot, size_t count)
{
    make_moving(shot, count);
    for (size_t i = 0; i < count; i++) declare(&shot->frame[i], -1, "");
}

/* Expects one finding, of this frame, with this text. */
static void expect_text(const struct shot *shot, size_t at, double value, const char *text)
{
    for (size_t i = 0; i < shot->count; i++)
        cr_assert_eq(shot->frame[i].found.count, i == at, "frame %zu: %s", i, text);
    const struct finding *found = &shot->frame[at].found.at[0];
    cr_expect(found->kind == FINDING_HEADER && found->value == value);
    cr_expect_str_eq(found->text, text);
}

/* Another text, a longer one, the begin of the usual one, and none. */
Test(detect_header, each_property)
{
    static const char *const others[] = {"b", "a%d0", "a", ""};
    for (int f = 0; f < ENDS; f++)
        for (int p = 0; p < SSIMCU_DECLARED; p++)
            for (int o = 0; o < 4; o++)
                for (int rest = 0; rest < 2; rest++) { /* the others declare it instead */
                    char own[16], usual[16], text[200];
                    struct shot shot;
                    const char *none =
                        p < SSIMCU_DECLARED_TRANSFER ? "not declared" : "sRGB or not declared";
                    snprintf(own, sizeof own, others[o], p);
                    snprintf(usual, sizeof usual, "a%d", p);
                    make_declared(&shot, COUNT);
                    for (size_t i = 0; i < COUNT; i++)
                        if ((i == places[f]) != rest) declare(&shot.frame[i], p, own);
                    header_judge(&shot);
                    const char *const mine = o == 3 ? none : own;
                    snprintf(text, sizeof text, "%s %s, in the rest %s", names[p],
                             rest ? usual : mine, rest ? mine : usual);
                    expect_text(&shot, places[f], 1, text);
                    shot_free(&shot);
                }
}

/* Four of five frames agree, and there are five that were read and declare something. */
Test(detect_header, values_that_are_usual)
{
    static const struct {
        size_t count, silent, unread, odd;
        bool usual;
    } rows[] = {{5, 0, 0, 1, true},  {4, 0, 0, 1, false},  {6, 1, 0, 1, true},
                {5, 1, 0, 1, false}, {6, 0, 1, 1, true},   {5, 0, 1, 1, false},
                {10, 0, 0, 2, true}, {9, 0, 0, 2, false},  {12, 2, 0, 2, true},
                {12, 0, 2, 2, true}, {11, 0, 2, 2, false}, {15, 0, 0, 3, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int order = 0; order < ENDS; order++) {
            struct shot shot;
            make_declared(&shot, rows[r].count);
            const size_t silent = rows[r].silent, unread = silent + rows[r].unread;
            for (size_t i = 0; i < unread + rows[r].odd; i++) {
                const size_t at = order == 0   ? i
                                  : order == 1 ? rows[r].count - 1 - i
                                               : i * (rows[r].count / 5);
                declare(&shot.frame[at], 2, i % 2 ? "b" : "c");
                if (i < silent)
                    free(shot.frame[at].declared), shot.frame[at].declared = NULL;
                else if (i < unread)
                    shot.frame[at].read = false;
            }
            header_judge(&shot);
            cr_expect_eq(count_found(&shot, FINDING_HEADER), rows[r].usual ? rows[r].odd : 0,
                         "row %zu, order %d", r, order);
            shot_free(&shot);
        }
}

/* Several properties are one finding. The rest follows from another format. Long texts are cut. */
Test(detect_header, several_properties)
{
    static const char *const all[] = {"a0\nb\na2\na3\na4\na5\na6\nb", "b\nb\nb\nb\nb\nb\nb\nb",
                                      "a0\na1\nb\nb\nb\na5\na6\na7"};
    static const char *const texts[] = {
        "compression b, in the rest a1; primaries b, in the rest a7", "format b, in the rest a0",
        ("data window b, in the rest a2; display window b, in the rest a3; pixel aspect b, in the "
         "rest a4")};
    static const double values[] = {2, 1, 3};
    for (int r = 0; r < 3; r++) {
        struct shot shot;
        make_declared(&shot, COUNT);
        free(shot.frame[5].declared);
        shot.frame[5].declared = strdup(all[r]);
        header_judge(&shot);
        expect_text(&shot, 5, values[r], texts[r]);
        shot_free(&shot);
    }
    struct shot shot;
    char text[800] = "a0";
    for (int p = 1; p < SSIMCU_DECLARED; p++) {
        const size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "\n%0*d", 30 * p, p);
    }
    make_declared(&shot, COUNT);
    free(shot.frame[5].declared);
    shot.frame[5].declared = strdup(text);
    header_judge(&shot);
    cr_assert_eq(count_found(&shot, FINDING_HEADER), 1);
    const struct finding *found = &shot.frame[5].found.at[0];
    cr_expect_eq(found->value, SSIMCU_DECLARED - 1);
    cr_expect_eq(strncmp(found->text, "compression 0000", 16), 0, "%s", found->text);
    shot_free(&shot);
}

/* ---- Numbers of files ------------------------------------------------------------------------ */

/* Frames with these steps between their numbers; the usual step is that of at least half of them.
 */
Test(detect_header, gaps_by_the_usual_step)
{
    static const struct {
        int64_t steps[6];
        size_t count, missing;
    } rows[] = {{{1, 1, 2, 3}, 4, 0},       {{2, 2, 4, 1}, 4, 1},       {{2, 2, 5, 1}, 4, 1},
                {{2, 2, 6, 1}, 4, 2},       {{1, 2, 2}, 3, 0},          {{0, 0, 0, 3, 3}, 5, 0},
                {{1, 1, 1, 2, 3, 9}, 6, 0}, {{3, 3, 6, 9, 9, 9}, 6, 0}, {{1, 2, 1, 2, 1}, 5, 2},
                {{5, 5, 5, 5, 4, 9}, 6, 0}, {{5, 5, 5, 5, 4, 10}, 6, 1}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        size_t missing = 0;
        make_moving(&shot, rows[r].count + 1);
        shot.frame[0].number = 100;
        for (size_t i = 0; i < rows[r].count; i++)
            shot.frame[i + 1].number = shot.frame[i].number + rows[r].steps[i];
        gaps_between(&shot);
        for (size_t i = 0; i < shot.count; i++) {
            missing += !shot.frame[i].path;
            cr_expect(i == 0 || shot.frame[i].number >= shot.frame[i - 1].number);
        }
        cr_expect_eq(missing, rows[r].missing, "row %zu: %zu", r, missing);
        shot_free(&shot);
    }
}

/* Fewer than four in five pictures of one size are no sequence, in any order. Those that cannot be
 * read do not count. */
Test(detect_header, pictures_of_several_sizes)
{
    static const struct {
        size_t count, odd, unread;
        bool several;
    } rows[] = {{10, 2, 0, false}, {10, 3, 0, true}, {11, 2, 1, false}, {11, 3, 1, true},
                {10, 2, 1, true},  {5, 1, 0, false}, {4, 1, 0, true}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int way = 0; way < 6; way++) {
            struct shot shot;
            const size_t count = rows[r].count;
            make_moving(&shot, count);
            for (size_t i = 0; i < rows[r].odd + rows[r].unread; i++) {
                const size_t at = way / 2 == 0 ? i : way / 2 == 1 ? count - 1 - i : i * (count / 4);
                if (i >= rows[r].odd)
                    shot.frame[at].read = false, shot.frame[at].width = 0;
                else if (way % 2)
                    shot.frame[at].width = 1 + 8 * (i % 2 > 0);
                else
                    shot.frame[at].height = 1 + 8 * (i % 2 > 0);
            }
            shot.frame[count - 1].number += 2; /* a gap */
            gaps_between(&shot);
            cr_expect_eq(shot.of_several_sizes, rows[r].several, "row %zu, way %d", r, way);
            cr_expect_eq(shot.count, count + (rows[r].several || count < 5 ? 0 : 2), "row %zu", r);
            shot_free(&shot);
        }
}

/* Numbers may be those of UDIM tiles, whose rows have ten tiles and begin at the first. */
Test(detect_header, numbers_of_tiles)
{
    static const struct {
        int64_t numbers[6];
        size_t missing; /* this frame, from 1, does not exist */
        bool doubtful;
    } rows[] = {{{1001, 1002, 1003, 1011, 1012, 1013}, 3, true},
                {{1001, 1002, 1003, 1011, 1012, 1013}, 0, false},
                {{1000, 1002, 1003, 1011, 1012, 1013}, 2, false},
                {{1001, 1002, 1003, 1012, 1013, 1014}, 2, false},
                {{1001, 1002, 1004, 1011, 1012, 1013}, 2, false},
                {{1001, 1002, 1990, 1991, 1992, 1993}, 3, true},
                {{1001, 1981, 1982, 1991, 1992, 1993}, 3, true},
                {{1001, 1002, 1003, 1981, 1982, 1991}, 3, true},
                {{1001, 1002, 1003, 1981, 1991, 1999}, 6, true},
                {{1001, 1002, 1003, 1971, 1981, 1991}, 1, false},
                {{1002, 1003, 1004, 1011, 1012, 1013}, 5, false},
                {{1011, 1012, 1013, 1991, 2001, 2002}, 3, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct shot shot;
        make_moving(&shot, 6);
        for (size_t i = 0; i < 6; i++) shot.frame[i].number = rows[r].numbers[i];
        if (rows[r].missing > 0)
            free(shot.frame[rows[r].missing - 1].path), shot.frame[rows[r].missing - 1].path = NULL;
        cr_expect_eq(gaps_are_doubtful(&shot), rows[r].doubtful, "row %zu", r);
        shot_free(&shot);
    }
}

/* Four of five pictures that were read are more than 16 levels from the one before. */
Test(detect_header, pictures_that_are_unrelated)
{
    static const struct {
        size_t count, near, unread;
        double step;
        bool missing, doubtful;
    } rows[] = {{11, 2, 0, 16.1, true, true},  {11, 2, 0, 16, true, false},
                {11, 3, 0, 16.1, true, false}, {11, 2, 0, 16.1, false, false},
                {12, 2, 1, 16.1, true, true},  {2, 0, 1, 99, true, false},
                {12, 3, 1, 16.1, true, false}};
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int last = 0; last < 2; last++) {
            struct shot shot;
            const size_t count = rows[r].count;
            make_moving(&shot, count);
            for (size_t i = 1; i < count; i++) shot.frame[i].step[0] = rows[r].step;
            for (size_t i = 1; i <= rows[r].near + rows[r].unread; i++) {
                struct shot_frame *frame = &shot.frame[last ? count - i : i];
                frame->step[0] = 1;
                if (i > rows[r].near) frame->read = false, frame->step[0] = NAN;
            }
            if (rows[r].missing) free(shot.frame[0].path), shot.frame[0].path = NULL;
            cr_expect_eq(gaps_are_doubtful(&shot), rows[r].doubtful, "row %zu, %d", r, last);
            shot_free(&shot);
        }
}
