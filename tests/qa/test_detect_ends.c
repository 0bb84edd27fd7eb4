/* Whole frames at the first, a middle and the last place where they can be judged, what lies next
 * to a pixel or an area on each side, and neighbours of another kind. */
#include "detect_shot.h"

enum { ENDS = 3 };

/* Adds a frame of the waves at a time. */
static void add_at(struct shot *shot, int64_t number, double time)
{
    ssimcu_frame frame = draw(3, 8, time);
    add(shot, number, &frame);
}

/* ---- Frames at another place ----------------------------------------------------------------- */

/* A repeat needs two frames before it and one after it. */
Test(detect_ends, repeats)
{
    static const int places[ENDS] = {2, 5, FRAMES - 2};
    for (int p = 0; p < ENDS; p++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) add_at(&shot, i, i - (i == places[p]));
        shot_judge(&shot);
        cr_expect_eq(only(&shot, (size_t)places[p])->kind, FINDING_DUPLICATE);
        shot_free(&shot);
    }
}

/* A frame is held if all of its neighbours show the same: in a hold, all but its first and last
 * frame, unless that is the first or last of the shot. */
Test(detect_ends, frames_that_are_held)
{
    for (int length = 2; length <= 4; length++) {
        const int places[ENDS] = {0, 5, 2 * FRAMES - length};
        for (int p = 0; p < ENDS; p++) {
            struct shot shot = {.numbered = false};
            const int first = places[p], last = first + length - 1;
            for (int i = 0; i < 2 * FRAMES; i++)
                add_at(&shot, i, i <= first ? i : i <= last ? first : i - length + 1);
            shot_judge(&shot);
            for (int i = 0; i < 2 * FRAMES; i++)
                cr_expect_eq(shot.frame[i].is_hold,
                             i >= first && i <= last && (i > first || i == 0) &&
                                 (i < last || i + 1 == 2 * FRAMES),
                             "%d frames from %d on: frame %d", length, first, i);
            shot_free(&shot);
        }
    }
}

/* An identical frame of a video may have been inserted. One of numbered files has not. */
Test(detect_ends, inserted_repeats)
{
    for (int numbered = 0; numbered < 2; numbered++) {
        struct shot shot = {.numbered = numbered};
        for (int i = 0; i < 2 * FRAMES; i++) add_at(&shot, i, i - (i >= 9));
        shot_judge(&shot);
        (void)only(&shot, numbered ? 9 : SIZE_MAX);
        shot_free(&shot);
    }
}

/* Repeats of up to a tenth of the frames are faults. */
Test(detect_ends, repeats_that_recur)
{
    enum { COUNT = 20 };
    for (int third = 0; third < 2; third++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < COUNT; i++)
            add_at(&shot, i, i - (i == 5 || i == 9 || (third && i == 16)));
        shot_judge(&shot);
        for (int i = 0; i < COUNT; i++)
            cr_expect_eq(shot.frame[i].found.count, !third && (i == 5 || i == 9), "frame %d", i);
        shot_free(&shot);
    }
}

/* Repeats at one distance are a converted frame rate: neither the first, a middle nor the last is a
 * fault. One that is out of step makes all of them faults. */
Test(detect_ends, repeats_at_one_distance)
{
    enum { COUNT = 60 };
    static const int repeats[][ENDS] = {{12, 24, 36}, {20, 37, 54}, {12, 24, 40}};
    for (int k = 0; k < 3; k++) {
        struct shot shot = {.numbered = true};
        int shown = 0;
        for (int i = 0; i < COUNT; i++) {
            const int *at = repeats[k];
            shown += i != at[0] && i != at[1] && i != at[2];
            add_at(&shot, i, shown);
        }
        shot_judge(&shot);
        for (int i = 0; i < COUNT; i++) {
            const bool is = i == repeats[k][0] || i == repeats[k][1] || i == repeats[k][2];
            cr_expect_eq(shot.frame[i].found.count, is && k == 2, "set %d: frame %d", k, i);
        }
        shot_free(&shot);
    }
}

/* A picture that hardly moves twice nearby, before or after, stands still by itself. Once is not
 * enough, and neither is twice far away. */
Test(detect_ends, repeats_among_holds)
{
    enum { COUNT = 40, AT = 20 };
    static const int holds[][2] = {{8, 8}, {8, 14}, {14, 26}, {26, 32}, {7, 33}, {6, 7}};
    for (size_t k = 0; k < sizeof holds / sizeof *holds; k++) {
        struct shot shot = {.numbered = true};
        double shown = 0;
        for (int i = 0; i < COUNT; i++) {
            const bool hold = i == holds[k][0] || i == holds[k][1];
            shown += i == AT ? 0 : hold ? 0.12 : 1;
            add_at(&shot, i, shown);
        }
        shot_judge(&shot);
        (void)only(&shot, k >= 1 && k <= 3 ? SIZE_MAX : AT);
        shot_free(&shot);
    }
}

/* A picture that comes to rest and moves on stands still in between. */
Test(detect_ends, repeats_at_rest)
{
    for (int slow = 0; slow < 3; slow++) {
        struct shot shot = {.numbered = true};
        double shown = 0;
        for (int i = 0; i < 2 * FRAMES; i++) {
            const bool rests = slow == 1 ? i == 9 : slow == 2 && i == 11;
            shown += i == 10 ? 0 : rests ? 0.18 : 1;
            add_at(&shot, i, shown);
        }
        shot_judge(&shot);
        (void)only(&shot, slow > 0 ? SIZE_MAX : 10);
        shot_free(&shot);
    }
}

/* Two frames that are swapped, also the first two and the last two. */
Test(detect_ends, swapped_frames)
{
    static const int places[] = {0, 1, 5, FRAMES - 3, FRAMES - 2};
    for (int p = 0; p < 5; p++) {
        struct shot shot = {.numbered = true};
        const int at = places[p];
        for (int i = 0; i < FRAMES; i++) add_at(&shot, i, i + (i == at) - (i == at + 1));
        shot_judge(&shot);
        for (int i = 0; i < FRAMES; i++)
            cr_expect_eq(shot.frame[i].found.count, i == at || i == at + 1, "%d: frame %d", at, i);
        cr_expect_eq(shot.frame[at].found.at[0].kind, FINDING_FRAME_ORDER);
        cr_expect_gt(shot.frame[at].found.at[0].value, 1);
        cr_expect_gt(shot.frame[at + 1].found.at[0].value, 1);
        shot_free(&shot);
    }
}

Test(detect_ends, foreign_frames)
{
    static const int places[ENDS] = {1, 5, FRAMES - 2};
    for (int p = 0; p < ENDS; p++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) add_at(&shot, i, i == places[p] ? 40 : i);
        shot_judge(&shot);
        cr_expect_eq(only(&shot, (size_t)places[p])->kind, FINDING_FOREIGN_FRAME);
        shot_free(&shot);
    }
}

/* Foreign frames that are at most five frames apart are a scene that flickers. */
Test(detect_ends, foreign_frames_near_each_other)
{
    for (int apart = 4; apart <= 6; apart++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < 4 * FRAMES; i++)
            add_at(&shot, i, 0.1 * i + (i == 9 || i == 9 + apart ? 30 : 0));
        shot_judge(&shot);
        for (int i = 0; i < 4 * FRAMES; i++)
            cr_expect_eq(shot.frame[i].found.count, apart > 5 && (i == 9 || i == 9 + apart),
                         "%d apart: frame %d", apart, i);
        shot_free(&shot);
    }
}

/* ---- Shapes and numbers ---------------------------------------------------------------------- */

/* One frame of five may differ from the shape of its shot. */
Test(detect_ends, one_shape_of_five)
{
    for (int other = 0; other < 5; other += 2) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < 5; i++) {
            ssimcu_frame frame = draw(i == other ? 1 : 3, 8, i);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        cr_expect_eq(only(&shot, (size_t)other)->kind, FINDING_PIXEL_FORMAT);
        shot_free(&shot);
    }
}

/* Two frames of different odd sizes come before the first frame of the usual size, after it, or
 * last. Each is named. */
Test(detect_ends, two_odd_sizes)
{
    static const int places[ENDS] = {0, 5, FRAMES - 2};
    for (int p = 0; p < ENDS; p++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            if (i == places[p] || i == places[p] + 1)
                frame.width -= 8 * (uint32_t)(1 + i - places[p]);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        for (int i = 0; i < FRAMES; i++) {
            const bool odd = i == places[p] || i == places[p] + 1;
            cr_assert_eq(shot.frame[i].found.count, odd, "odd from %d: frame %d", places[p], i);
            if (odd) cr_expect_eq(shot.frame[i].found.at[0].kind, FINDING_DIMENSIONS);
        }
        shot_free(&shot);
    }
}

/* A single frame is missing after the first frame, in the middle, and before the last. */
Test(detect_ends, single_gaps)
{
    static const int places[ENDS] = {1, 5, FRAMES - 1};
    for (int p = 0; p < ENDS; p++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) add_at(&shot, i + (i >= places[p]), i);
        shot_judge(&shot);
        cr_assert_eq(shot.count, FRAMES + 1);
        const struct finding *found = only(&shot, (size_t)places[p]);
        cr_expect(found->kind == FINDING_MISSING && found->value == 1);
        cr_expect_eq(shot.frame[places[p]].number, places[p]);
        shot_free(&shot);
    }
}

/* ---- Frames around it ------------------------------------------------------------------------ */

/* Neither neighbour may be of another kind: then nothing proves damage of a frame. */
Test(detect_ends, neighbours_of_another_format)
{
    for (int other = 4; other <= 6; other += 2) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(i == other ? 1 : 3, 8, i);
            if (i == 5) fill(&frame, 0, 90, WIDTH, 6, 200);
            add(&shot, i, &frame);
        }
        shot_judge(&shot);
        cr_expect_eq(only(&shot, (size_t)other)->kind, FINDING_PIXEL_FORMAT);
        shot_free(&shot);
    }
}

static void put_garbage(ssimcu_frame *frame)
{
    check_random random = {3};
    for (uint32_t y = 90; y < 96; y++)
        for (uint32_t x = 0; x < WIDTH * frame->channels; x++)
            ((uint8_t *)frame->data)[y * frame->pitch + x] =
                (uint8_t)check_between(&random, 0, 255);
}
static void put_rows(ssimcu_frame *frame) { fill(frame, 0, 90, WIDTH, 6, 200); }
static void put_block(ssimcu_frame *frame) { fill(frame, 61, 42, 16, 16, 0); }
static void put_pixel(ssimcu_frame *frame) { fill(frame, 30, 40, 1, 1, 255); }

/* What two frames show, one after the other, is not damage, wherever it is in the second. */
Test(detect_ends, what_two_frames_show)
{
    void (*const put[][2])(ssimcu_frame *) = {{put_garbage, put_garbage},
                                              {put_rows, put_rows},
                                              {put_block, put_block},
                                              {put_pixel, put_pixel}};
    static const int places[ENDS] = {0, 5, FRAMES - 2};
    for (size_t k = 0; k < sizeof put / sizeof *put; k++)
        for (int p = 0; p < ENDS; p++) {
            struct shot shot = {.numbered = true};
            for (int i = 0; i < FRAMES; i++) {
                ssimcu_frame frame = draw(3, 8, i);
                if (i == places[p] || i == places[p] + 1) put[k][i - places[p]](&frame);
                add(&shot, i, &frame);
            }
            shot_judge(&shot);
            (void)only(&shot, SIZE_MAX);
            shot_free(&shot);
        }
}

/* Frames of one colour are one run, also around a frame that cannot be read. */
Test(detect_ends, unreadable_among_frames_of_one_colour)
{
    for (int unreadable = 5; unreadable <= 7; unreadable++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, i);
            if (i >= 5 && i <= 7) fill(&frame, 0, 0, WIDTH, HEIGHT, 0);
            if (i != unreadable) {
                add(&shot, i, &frame);
                continue;
            }
            shot_add(&shot, i, "x.png", "truncated", NULL);
            ssimcu_frame_free(&frame);
        }
        shot_judge(&shot);
        for (int i = 5; i <= 7; i++)
            cr_expect_eq(shot.frame[i].found.at[0].kind,
                         i == unreadable ? FINDING_UNREADABLE : FINDING_SOLID, "%d: frame %d: %s",
                         unreadable, i, shot.frame[i].found.at[0].text);
        shot_free(&shot);
    }
}

/* ---- Places around it ------------------------------------------------------------------------ */

/* Judges a shot whose frame 5 has a pixel that stands out in the middle of a cell of 8 x 8. All its
 * frames have a small square in the cell that lies this far away. Returns whether the pixel is
 * found. */
static bool is_found(uint32_t column, uint32_t row, int right, int down)
{
    struct shot shot = {.numbered = true};
    for (int i = 0; i < FRAMES; i++) {
        ssimcu_frame frame = draw(1, 8, i);
        const uint32_t x = 8 * (uint32_t)((int)column + right) + 2,
                       y = 8 * (uint32_t)((int)row + down) + 2;
        uint8_t *pixel = (uint8_t *)frame.data + (8 * row + 4) * frame.pitch + 8 * column + 4;
        if (right != 0 || down != 0) fill(&frame, x, y, 4, 4, 255);
        if (i == 5) *pixel = (uint8_t)(*pixel + (*pixel < 100 ? 58 : -58));
        add(&shot, i, &frame);
    }
    shot_judge(&shot);
    const bool found = shot.frame[5].found.count > 0;
    shot_free(&shot);
    return found;
}

/* Texture in any of the eight cells around it hides a pixel, and none hides it from further on. */
Test(detect_ends, texture_around_a_pixel)
{
    static const uint32_t columns[ENDS] = {0, 3, WIDTH / 8 - 1},
                          rows[ENDS] = {0, 5, HEIGHT / 8 - 1};
    for (int p = 0; p < ENDS; p++) {
        cr_expect(is_found(columns[p], rows[p], 0, 0), "cell %u", columns[p]);
        for (int down = -2; down <= 2; down++)
            for (int right = -2; right <= 2; right++) {
                const int x = (int)columns[p] + right, y = (int)rows[p] + down;
                const bool near = abs(right) < 2 && abs(down) < 2;
                if ((right == 0 && down == 0) || x < 0 || y < 0 || x >= WIDTH / 8 ||
                    y >= HEIGHT / 8)
                    continue;
                cr_expect_eq(is_found(columns[p], rows[p], right, down), !near, "cell %u: %d,%d",
                             columns[p], right, down);
            }
    }
}

/* A pixel is excused by one of a neighbour only if both are brighter or both are darker. */
Test(detect_ends, pixels_of_the_other_sign)
{
    for (int sign = -1; sign <= 1; sign += 2)
        for (int beside = 4; beside <= 6; beside += 2)
            for (int same = 0; same < 2; same++) {
                struct shot shot = {.numbered = true};
                for (int i = 0; i < FRAMES; i++) {
                    ssimcu_frame frame = draw(1, 8, 0.1 * i);
                    fill(&frame, 24, 32, 24, 24, 120);
                    uint8_t *pixel = (uint8_t *)frame.data + 44 * frame.pitch + 36;
                    if (i == 5) *pixel = (uint8_t)(120 + sign * 62);
                    if (i == beside) *pixel = (uint8_t)(120 + (same ? sign : -sign) * 31);
                    add(&shot, i, &frame);
                }
                shot_judge(&shot);
                cr_expect_eq(shot.frame[5].found.count, !same, "%d beside %d", sign, beside);
                shot_free(&shot);
            }
}

/* In video, a painted rectangle excuses a lost block only if it has its width, its height and its
 * colour. */
Test(detect_ends, areas_that_excuse_a_block)
{
    static const struct {
        uint32_t width, height;
        uint8_t byte;
        bool excuses;
    } painted[] = {{24, 32, 7, true},
                   {26, 34, 7, true},
                   {24, 48, 7, false},
                   {40, 32, 7, false},
                   {24, 32, 90, false}};
    for (size_t k = 0; k < sizeof painted / sizeof *painted; k++) {
        struct shot shot = {.numbered = true};
        for (int i = 0; i < FRAMES; i++) {
            ssimcu_frame frame = draw(3, 8, 0.2 * i);
            fill(&frame, 120, 80, painted[k].width, painted[k].height, painted[k].byte);
            if (i == 5) fill(&frame, 40, 24, 24, 32, 7);
            add_coded(&shot, i, 2, &frame);
        }
        shot_judge(&shot);
        const struct findings *list = &shot.frame[5].found; /* it may be foreign, too */
        cr_expect_eq(findings_kinds(list) >> FINDING_FLAT_AREA & 1, !painted[k].excuses, "%d",
                     (int)k);
        shot_free(&shot);
    }
}

/* The largest areas are kept if there are too many, in whatever order they come. */
Test(detect_ends, the_largest_areas_are_kept)
{
    for (int order = 0; order < ENDS; order++) {
        ssimcu_frame frame = draw(1, 8, 0);
        struct frame_stats stats;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < STATS_AREAS + 4; k++) {
            const uint32_t count = STATS_AREAS + 4, size = order == 0   ? k
                                                           : order == 1 ? count - 1 - k
                                                                        : 5 * k % count;
            fill(&frame, 1 + k % 4 * 50, 1 + k / 4 * 50, 17 + size, 20 + size, 0);
        }
        cr_assert_eq(frame_stats_scan(&frame, 2, &stats, NULL), SSIMCU_OK);
        cr_assert_eq(stats.parts, STATS_AREAS);
        for (uint32_t i = 0; i < stats.parts; i++) kept += stats.part[i].width >= 17 + 4;
        cr_expect_eq(kept, STATS_AREAS, "order %d: %u of the largest are kept", order, kept);
        frame_stats_free(&stats);
        ssimcu_frame_free(&frame);
    }
}
