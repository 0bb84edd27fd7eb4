/* What a few frames of a shot have: a number that is far from the shot's own, so that one limit
 * serves noise and no noise, rain and still air. What more than a tenth of the frames have is the
 * shot's habit and no fault, so that faults do not teach the limit either. */
#include "check/shot.h"

#include "check/codes.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 8 /* frames of which a habit is known */, HABIT = 10 /* one of so many frames */ };

#define STILL 0.02 /* levels that a codec changes in a frame that is held */

static const struct check_place whole = {0, 0, 0, 0};

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the numbers of all frames that have one and returns how many those are. The caller frees
 * *sorted. */
static size_t sort(struct check_shot *shot, double (*number)(const struct shot_frame *),
                   double **sorted)
{
    size_t count = 0;
    *sorted = malloc((shot->count + 1) * sizeof **sorted);
    if (!*sorted) shot->out_of_memory = true;
    for (size_t i = 0; i < shot->count && *sorted; i++) {
        const double value = number(&shot->frame[i]);
        if (!isnan(value)) (*sorted)[count++] = value;
    }
    if (*sorted) qsort(*sorted, count, sizeof **sorted, by_value);
    return count;
}

/* Returns whether more than a tenth of the numbers are beyond a limit. */
static bool is_habit(const double *sorted, size_t count, double limit)
{
    return sorted[count - 1 - count / HABIT] > limit;
}

static double step_of(const struct shot_frame *frame) { return frame->read ? frame->step[0] : NAN; }

/* Returns the step below which a frame repeats the one before: a tenth of the usual one, or what a
 * codec changes, if most frames are held. 0: the frames are too few, or none moves. */
static double still_step(struct check_shot *shot)
{
    double *sorted;
    const size_t count = sort(shot, step_of, &sorted);
    const double middle = count >= LEAST ? sorted[count / 2] : 0,
                 upper = count >= LEAST ? sorted[count - 1 - count / 20] : 0;
    free(sorted);
    return middle >= STILL ? 0.1 * middle : upper > 5 * STILL ? STILL : 0;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* Return by how much the pixel of a frame stands out that moves, or that is held; NAN: it is none,
 * or nothing says, as of a flat frame. */
static double moving_pixel(const struct shot_frame *frame)
{
    return frame->judged && !frame->held ? abs(frame->pixel.by) / codes_level(frame->bits) : NAN;
}
static double held_pixel(const struct shot_frame *frame)
{
    return frame->judged && frame->held ? abs(frame->pixel.by) / codes_level(frame->bits) : NAN;
}

/* Marks frames that both beside them repeat. What moves has other pixels than what is held. */
static void mark_held(struct check_shot *shot)
{
    const double still = still_step(shot);
    for (size_t i = 0; i + 1 < shot->count; i++)
        shot->frame[i].held = shot->frame[i].step[0] < still && shot->frame[i + 1].step[0] < still;
}

static void add_pixel(struct shot_frame *frame, double by, double limit)
{
    const struct check_place place = {frame->pixel.x, frame->pixel.y, 1, 1};
    findings_add(&frame->found, CHECK_PIXEL, place, by,
                 "a pixel is %s than its neighbours by %.0f levels of 255, those of this shot by "
                 "%.0f at most",
                 frame->pixel.by > 0 ? "brighter" : "darker", by, limit);
}

/* Adds pixels of one of the two kinds of frames. */
static void add_pixels(struct check_shot *shot, double (*number)(const struct shot_frame *))
{
    double *sorted, limit = INFINITY;
    const size_t count = sort(shot, number, &sorted);
    if (count >= LEAST) {
        const double middle = sorted[count / 2], upper = sorted[count - 1 - count / 4];
        limit = 1.25 * (upper + 4 * (upper - middle)) + 56;
        if (is_habit(sorted, count, limit)) limit = INFINITY;
    }
    free(sorted);
    for (size_t i = 0; i < shot->count; i++)
        if (number(&shot->frame[i]) > limit)
            add_pixel(&shot->frame[i], number(&shot->frame[i]), limit);
}

void habits_pixels(struct check_shot *shot)
{
    mark_held(shot);
    add_pixels(shot, moving_pixel);
    add_pixels(shot, held_pixel);
}

/* ---- Stuck frames ---------------------------------------------------------------------------- */

/* Returns whether repeats come at one distance or its multiples, as those of a frame rate that was
 * converted. */
static bool is_regular(const struct check_shot *shot, double still)
{
    enum { SHORTEST = 4 /* a smaller distance has multiples everywhere */ };
    size_t last = 0, count = 0, least = SIZE_MAX;
    bool regular = true;
    for (int round = 0; round < 2; round++) {
        count = 0;
        for (size_t i = 1; i < shot->count; i++) {
            if (!(step_of(&shot->frame[i]) <= still)) continue;
            const size_t distance = i - last;
            if (count++ > 0 && round == 0 && distance < least) least = distance;
            if (count > 1 && round == 1 && (distance + 1) % least > 2) regular = false;
            last = i;
        }
    }
    return count >= 3 && least >= SHORTEST && regular;
}

/* Returns whether a frame repeats the one before, and both beside it have moved. A hold, which is
 * longer, is none. */
static bool is_stuck(const struct check_shot *shot, size_t at, double still, double moves)
{
    const struct shot_frame *frame = &shot->frame[at];
    if (at < 2 || at + 1 >= shot->count || !(step_of(frame) <= still) || frame->flat) return false;
    return step_of(frame - 1) >= moves && step_of(frame + 1) >= moves;
}

void habits_stuck(struct check_shot *shot)
{
    const double still = still_step(shot);
    size_t stills = 0;
    for (size_t i = 0; i < shot->count; i++) stills += step_of(&shot->frame[i]) <= still;
    if (still == 0 || stills * HABIT > shot->count || is_regular(shot, still)) return;
    for (size_t i = 0; i < shot->count; i++)
        if (is_stuck(shot, i, still, 5 * still))
            findings_add(&shot->frame[i].found, CHECK_STUCK, whole, step_of(&shot->frame[i]),
                         "the frame repeats the one before, and those around it move");
}

/* ---- Frames at another place ----------------------------------------------------------------- */

/* Returns how much nearer the frame before is to the one behind than to this one, if they are. */
static double skips(const struct check_shot *shot, size_t at)
{
    if (at < 1 || at + 1 >= shot->count) return NAN;
    const double step = shot->frame[at].step[0], over = shot->frame[at + 1].step[1];
    return over > 0 ? step / over : NAN;
}

/* Returns whether this frame and the next have changed places: each is further from its old
 * neighbour than the other is. */
static bool is_swapped(const struct check_shot *shot, size_t at, double limit)
{
    if (!(skips(shot, at) > limit && shot->frame[at].step[0] > 10 * STILL) || at + 2 >= shot->count)
        return false;
    const double last = shot->frame[at + 2].step[0], over = shot->frame[at + 2].step[1];
    const double between = shot->frame[at + 1].step[0], before = shot->frame[at].step[0];
    return last > limit * over && between < 0.85 * before && between > 0.25 * before;
}

void habits_swapped(struct check_shot *shot)
{
    const double limit = 1.4;
    size_t count = 0;
    for (size_t i = 0; i < shot->count; i++) count += skips(shot, i) > limit;
    if (shot->count < LEAST || count * HABIT > shot->count + HABIT) return;
    for (size_t i = 0; i < shot->count; i++) {
        if (!is_swapped(shot, i, limit)) continue;
        for (size_t k = i; k < i + 2; k++)
            findings_add(&shot->frame[k].found, CHECK_SWAPPED, whole, skips(shot, i),
                         "the frame has changed places with the one %s",
                         k == i ? "behind" : "before");
        i++;
    }
}

static double stranger_of(const struct shot_frame *frame)
{
    return frame->read ? frame->stranger : NAN;
}

void habits_elsewhere(struct check_shot *shot)
{
    double *sorted, limit = 0.6;
    const size_t count = sort(shot, stranger_of, &sorted);
    const bool known = count >= LEAST && !is_habit(sorted, count, 0.25 * limit);
    free(sorted);
    for (size_t i = 0; i < shot->count && known; i++)
        if (stranger_of(&shot->frame[i]) > limit)
            findings_add(
                &shot->frame[i].found, CHECK_ELSEWHERE, whole, stranger_of(&shot->frame[i]),
                "the frames beside it are more alike than either is with this one, in %.0f "
                "%% of the tiles",
                100 * stranger_of(&shot->frame[i]));
}
