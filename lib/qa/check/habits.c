/* What a few frames of a shot have: a number that is far from the shot's own, so that one limit
 * serves noise and no noise, rain and still air. What more than a tenth of the frames have is the
 * shot's habit and no fault, so that faults do not teach the limit either. */
#include "check/shot.h"

#include "check/codes.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST = 8 /* frames of which a habit is known */, HABIT = 10 /* one of so many frames */ };

#define STILL 0.02 /* levels that a codec changes in a frame that is held */
#define SCENE 20.0 /* levels between frames: more is another scene */
#define FAR 0.5    /* levels to a frame of elsewhere: less is a detail */

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

/* Returns the step that a quarter of those around a frame have or exceed. */
static double usual_step(const struct check_shot *shot, size_t at)
{
    enum { REACH = 16 };
    double steps[2 * REACH + 1];
    size_t count = 0;
    for (size_t i = at > REACH ? at - REACH : 1; i <= at + REACH && i < shot->count; i++)
        if (!isnan(shot->frame[i].step[0])) steps[count++] = shot->frame[i].step[0];
    qsort(steps, count, sizeof *steps, by_value);
    return count >= LEAST ? steps[count - 1 - count / 4] : INFINITY;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* Return by how much the pixel of a frame stands out that moves, or that is held; NAN: it is none,
 * or nothing says, as of a flat frame. */
static double moving_pixel(const struct shot_frame *frame)
{
    return frame->judged && !frame->held ? frame->beyond : NAN;
}
static double held_pixel(const struct shot_frame *frame)
{
    return frame->judged && frame->held ? frame->beyond : NAN;
}

/* Marks frames that both beside them repeat. What moves has other pixels than what is held. */
static void mark_held(struct check_shot *shot)
{
    const double still = still_step(shot);
    for (size_t i = 0; i + 1 < shot->count; i++)
        shot->frame[i].held = shot->frame[i].step[0] < still && shot->frame[i + 1].step[0] < still;
}

static void add_pixel(struct shot_frame *frame)
{
    const struct check_place place = {frame->pixel.x, frame->pixel.y, 1, 1};
    const double by = abs(frame->pixel.by) / codes_level(frame->bits);
    findings_add(&frame->found, CHECK_PIXEL, place, by,
                 "a pixel is %s than its neighbours by %.0f levels of 255, and the frames beside "
                 "it have none like it",
                 frame->pixel.by > 0 ? "brighter" : "darker", by);
}

/* Returns whether a frame lies between two cuts, so that those beside it say nothing of it. */
static bool is_cut_off(const struct check_shot *shot, size_t at)
{
    const double nearer = at + 1 < shot->count
                              ? fmin(shot->frame[at].step[0], shot->frame[at + 1].step[0])
                              : shot->frame[at].step[0];
    return nearer > 10 * FAR && nearer > fmin(SCENE, 4 * usual_step(shot, at));
}

enum {
    PASSAGE = 16, /* frames to each side whose pixels tell what is usual around a frame */
    COMPANY = 2   /* of those frames that have one, too: then it is usual */
};

/* Returns by how many levels a pixel may stand out in clean work: in more frames by more. */
static double lonely(size_t frames) { return 28 + 2 * log2(fmax(1, (double)frames / 24)); }

/* Returns whether a pixel that stands out has its like in other frames: at the same place anywhere
 * in the shot, such as what sparkles or comes again, or anywhere in several of the frames around
 * it. */
static bool is_usual_around(const struct check_shot *shot, size_t at, double limit)
{
    const struct shot_frame *own = &shot->frame[at];
    size_t around = 0;
    bool again = false;
    for (size_t i = 0; i < shot->count && !again; i++) {
        const struct shot_frame *other = &shot->frame[i];
        if (i == at || !other->judged) continue;
        again = other->beyond > limit / 2 && labs((long)other->pixel.x - (long)own->pixel.x) <= 3 &&
                labs((long)other->pixel.y - (long)own->pixel.y) <= 3;
        around += i + PASSAGE >= at && i <= at + PASSAGE && 2 * other->beyond > own->beyond;
    }
    return again || around >= COMPANY;
}

/* Adds pixels of one of the two kinds of frames. */
static void add_pixels(struct check_shot *shot, double (*number)(const struct shot_frame *))
{
    double *sorted, limit = INFINITY;
    const size_t count = sort(shot, number, &sorted);
    if (count >= LEAST) {
        const double middle = sorted[count / 2], upper = sorted[count - 1 - count / 4];
        limit = 1.25 * (upper + 4 * (upper - middle)) + lonely(count);
        if (is_habit(sorted, count, limit)) limit = INFINITY;
    }
    free(sorted);
    for (size_t i = 0; i < shot->count; i++)
        if (number(&shot->frame[i]) > limit && !is_cut_off(shot, i) &&
            !is_usual_around(shot, i, limit))
            add_pixel(&shot->frame[i]);
}

void habits_pixels(struct check_shot *shot)
{
    mark_held(shot);
    add_pixels(shot, moving_pixel);
    add_pixels(shot, held_pixel);
}

/* ---- Stuck frames ---------------------------------------------------------------------------- */

#define REPEATS 0.1 /* of the steps around it: less is a repeat */
#define JUMP 1.2    /* times the steps around them: a frame behind one that took another's place */

/* Returns a frame's step; 0: it has none. */
static double step_at(const struct check_shot *shot, size_t at)
{
    return at < shot->count && shot->frame[at].step[0] > 0 ? shot->frame[at].step[0] : 0;
}

/* Returns whether a frame repeats the one before, and both beside it have moved. A hold, which is
 * longer, is none. */
static bool is_repeat(const struct check_shot *shot, size_t at)
{
    if (at < 2 || at + 1 >= shot->count) return false;
    const double moved = fmin(step_at(shot, at - 1), step_at(shot, at + 1));
    return shot->frame[at].read && !shot->frame[at].flat && moved >= 5 * STILL &&
           step_of(&shot->frame[at]) <= REPEATS * moved;
}

/* Returns whether there is a repeat at a place, or beside it. */
static bool repeats_near(const struct check_shot *shot, size_t at)
{
    return is_repeat(shot, at) || is_repeat(shot, at + 1) || (at > 0 && is_repeat(shot, at - 1));
}

/* Returns whether two other repeats are at one distance from this one and from each other, as those
 * of a frame rate that was converted. */
static bool is_regular(const struct check_shot *shot, size_t at)
{
    enum { SHORTEST = 4 };
    bool regular = false;
    for (size_t d = SHORTEST; d < shot->count && !regular; d++) {
        const bool before = at >= d && repeats_near(shot, at - d),
                   behind = repeats_near(shot, at + d);
        regular = (before && behind) || (before && at >= 2 * d && repeats_near(shot, at - 2 * d)) ||
                  (behind && repeats_near(shot, at + 2 * d));
    }
    return regular;
}

/* Returns whether a repeat has taken the place of another frame: then the next step is that of two
 * frames. Of one that was put between them it is not. Only pictures repeat to the bit by a fault.
 */
static bool has_replaced(const struct check_shot *shot, size_t at)
{
    const double before = step_at(shot, at - 1), behind = step_at(shot, at + 2);
    return (shot->frame[at].same && shot->numbered) ||
           step_at(shot, at + 1) > JUMP * (behind > 0 ? (before + behind) / 2 : before);
}

void habits_stuck(struct check_shot *shot)
{
    size_t repeats = 0;
    for (size_t i = 0; i < shot->count; i++) repeats += is_repeat(shot, i);
    if (shot->count < LEAST || repeats * HABIT > shot->count) return;
    for (size_t i = 0; i < shot->count; i++)
        if (is_repeat(shot, i) && has_replaced(shot, i) && !is_regular(shot, i))
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

/* Returns by how much this frame and the next have changed places: each is further from its old
 * neighbour than the other is; 0: they have not. */
static double swapped_by(const struct check_shot *shot, size_t at)
{
    if (at + 2 >= shot->count || !(shot->frame[at].step[0] > 10 * STILL)) return 0;
    const struct shot_frame *frame = &shot->frame[at];
    const double first = skips(shot, at), last = frame[2].step[0] / frame[2].step[1],
                 between = frame[1].step[0], before = frame[0].step[0],
                 over = fmax(frame[1].step[1], frame[2].step[1]);
    const bool near = between < before && over < fmin(SCENE, 2 * usual_step(shot, at));
    return near && between > 0.25 * before && first > 1.1 && last > 1.1 ? first * last : 0;
}

void habits_swapped(struct check_shot *shot)
{
    const double limit = 1.4;
    size_t count = 0;
    for (size_t i = 0; i < shot->count; i++) count += skips(shot, i) > 1.1;
    if (shot->count < LEAST || count * HABIT > shot->count + 2 * HABIT) return;
    for (size_t i = 0; i < shot->count; i++) {
        if (swapped_by(shot, i) < limit) continue;
        for (size_t k = i; k < i + 2; k++)
            findings_add(&shot->frame[k].found, CHECK_SWAPPED, whole, skips(shot, i),
                         "the frame has changed places with the one %s",
                         k == i ? "behind" : "before");
        i++;
    }
}

/* Returns whether a frame is a stranger between two that are alike: it is further from both than
 * they are from each other, and than frames around here move. */
static bool is_stranger(const struct check_shot *shot, size_t at)
{
    if (at < 1 || at + 1 >= shot->count || !(shot->frame[at].stranger > 0.04)) return false;
    const double in = shot->frame[at].step[0], out = shot->frame[at + 1].step[0],
                 nearer = fmin(in, out);
    return nearer > FAR && nearer > 1.4 * shot->frame[at + 1].step[1] &&
           nearer > 1.6 * usual_step(shot, at);
}

/* Returns whether a stranger has another close by: then the scene flickers, or cuts come fast. */
static bool has_company(const struct check_shot *shot, size_t at)
{
    enum { CLOSE = 5 };
    bool has = false;
    for (size_t i = at > CLOSE ? at - CLOSE : 0; i <= at + CLOSE; i++)
        has = has || (i != at && is_stranger(shot, i));
    return has;
}

void habits_elsewhere(struct check_shot *shot)
{
    size_t count = 0;
    for (size_t i = 0; i < shot->count; i++) count += is_stranger(shot, i);
    if (shot->count < LEAST || count * HABIT > shot->count) return;
    for (size_t i = 0; i < shot->count; i++)
        if (is_stranger(shot, i) && !has_company(shot, i))
            findings_add(&shot->frame[i].found, CHECK_ELSEWHERE, whole, shot->frame[i].stranger,
                         "the frames beside it are more alike than either is with this one, in "
                         "%.0f %% of the tiles",
                         100 * shot->frame[i].stranger);
}
