/* Faults of a few frames: their number is far from those of their shot. So one rule serves noise
 * and no noise, rain and still air. A property of more than a tenth of the frames is recurring and
 * not a fault, and faults do not train the limit. */
#include "detect/shot.h"

#include "base/statistics.h"
#include "detect/frame/codes.h"

#include <math.h>
#include <stdlib.h>

enum {
    LEAST = 8 /* frames needed to know what recurs */,
    RECURRING = 10 /* one of so many frames */
};

#define STILL 0.02 /* levels by which a codec changes a held frame */
#define SCENE 20.0 /* levels between frames: above it, the scene changes */
#define OUTER 1.6  /* factor of the limit at a border and in an outer frame */
#define FAR 0.5    /* levels to a foreign frame: below it, a detail differs */

static const struct finding_place whole = {0, 0, 0, 0};

/* Sorts the numbers of all frames that have one, and returns how many there are. The caller frees
 * *sorted. */
static size_t sort(struct shot *shot, double (*number)(const struct shot_frame *), double **sorted)
{
    size_t count = 0;
    *sorted = malloc((shot->count + 1) * sizeof **sorted);
    if (!*sorted) shot->out_of_memory = true;
    for (size_t i = 0; i < shot->count && *sorted; i++) {
        const double value = number(&shot->frame[i]);
        if (!isnan(value)) (*sorted)[count++] = value;
    }
    if (*sorted) qsort(*sorted, count, sizeof **sorted, statistics_by_value);
    return count;
}

/* Returns whether more than a tenth of the numbers are over a limit. */
static bool is_recurring(const double *sorted, size_t count, double limit)
{
    return sorted[count - 1 - count / RECURRING] > limit;
}

static double step_of(const struct shot_frame *frame) { return frame->step[0]; }

/* Returns the step below which a frame repeats the one before. It is a tenth of the usual step, or
 * what a codec changes if most frames are held. 0: too few frames, or none moves. */
static double still_step(struct shot *shot)
{
    double *sorted;
    const size_t count = sort(shot, step_of, &sorted);
    const double middle = count >= LEAST ? sorted[count / 2] : 0,
                 upper = count >= LEAST ? sorted[count - 1 - count / 20] : 0;
    free(sorted);
    return middle >= STILL ? 0.1 * middle : upper > 5 * STILL ? STILL : 0;
}

/* ---- Pixels ---------------------------------------------------------------------------------- */

/* Return by how much a pixel of a moving frame, or of a held one, stands out. NAN: the frame is of
 * the other kind, or has no such number, like a solid frame. */
static double moving_pixel(const struct shot_frame *frame)
{
    return frame->judged && !frame->is_hold ? frame->beyond : NAN;
}
static double held_pixel(const struct shot_frame *frame)
{
    return frame->judged && frame->is_hold ? frame->beyond : NAN;
}

/* Marks frames that both neighbours repeat. Moving frames have other pixels than held ones. */
static void mark_held(struct shot *shot)
{
    const double still = still_step(shot);
    for (size_t i = 0; i < shot->count; i++)
        shot->frame[i].is_hold = (i == 0 || shot->frame[i].step[0] < still) &&
                                 (i + 1 == shot->count || shot->frame[i + 1].step[0] < still);
}

static void add_pixel(struct shot_frame *frame)
{
    const struct finding_place place = {frame->pixel.x, frame->pixel.y, 1, 1};
    if (recurring_explains(&frame->found, &place)) return;
    const double by = abs(frame->pixel.by) / codes_level(frame->bits);
    findings_add(&frame->found, FINDING_OUTLIER_PIXEL, place, by,
                 "a pixel is %s than its neighbours by %.0f levels of 255, only in this frame",
                 frame->pixel.by > 0 ? "brighter" : "darker", by);
}

/* Returns whether a frame lies between two cuts, so that its neighbours prove nothing. */
static bool is_cut_off(const struct shot *shot, size_t at)
{
    const double nearer = at + 1 < shot->count
                              ? fmin(shot->frame[at].step[0], shot->frame[at + 1].step[0])
                              : shot->frame[at].step[0];
    return nearer > 10 * FAR && nearer > fmin(SCENE, 4 * shot_usual_step(shot, at));
}

enum {
    PASSAGE = 16, /* frames on each side that show what is usual around a frame */
    COMPANY = 2   /* number of similar frames there that makes a pixel usual */
};

/* Returns by how many levels a pixel may stand out in correct work; more frames allow more. */
static double lonely(size_t frames) { return 28 + 2 * log2(fmax(1, (double)frames / 24)); }

static bool are_within(const struct stats_pixel *a, const struct stats_pixel *b, long reach)
{
    return labs((long)a->x - (long)b->x) <= reach && labs((long)a->y - (long)b->y) <= reach;
}

/* Returns whether other frames have a pixel like this one. It may be at the same place anywhere in
 * the shot, like sparkle, not far away in a frame nearby, like sparkle that moves, or at any place
 * in several frames nearby. */
static bool is_usual_around(const struct shot *shot, size_t at, double limit)
{
    enum { SAME = 3, NEAR = 16 /* pixels */ };
    const struct shot_frame *now = &shot->frame[at];
    size_t around = 0;
    bool again = false;
    for (size_t i = 0; i < shot->count && !again; i++) {
        const struct shot_frame *other = &shot->frame[i];
        const bool nearby = i + PASSAGE >= at && i <= at + PASSAGE;
        if (i == at || !other->judged) continue;
        again = other->beyond > limit / 2 &&
                are_within(&other->pixel, &now->pixel, nearby ? NEAR : SAME);
        around += nearby && 2 * other->beyond > now->beyond;
    }
    return again || around >= COMPANY;
}

static bool is_at_border(const struct shot_frame *frame)
{
    const struct stats_pixel *pixel = &frame->pixel;
    return pixel->x == 0 || pixel->y == 0 || pixel->x + 1 == frame->width ||
           pixel->y + 1 == frame->height;
}

/* Adds outlier pixels of moving or of held frames. */
static void add_pixels(struct shot *shot, double (*number)(const struct shot_frame *))
{
    double *sorted, limit = INFINITY;
    const size_t count = sort(shot, number, &sorted);
    if (count >= LEAST) {
        const double middle = sorted[count / 2], upper = sorted[count - 1 - count / 4];
        limit = 1.25 * (upper + 4 * (upper - middle)) + lonely(count);
        if (is_recurring(sorted, count, limit)) limit = INFINITY;
    }
    free(sorted);
    for (size_t i = 0; i < shot->count; i++) {
        struct shot_frame *frame = &shot->frame[i];
        const double least = frame->outer || is_at_border(frame) ? OUTER * limit : limit;
        if (number(frame) > least && !frame->changes && !is_cut_off(shot, i) &&
            !is_usual_around(shot, i, limit))
            add_pixel(frame);
    }
}

void recurring_pixels(struct shot *shot)
{
    mark_held(shot);
    add_pixels(shot, moving_pixel);
    add_pixels(shot, held_pixel);
}

/* ---- Duplicate frames ------------------------------------------------------------------------ */

#define REPEATS 0.1 /* share of the steps around it below which a step is a repeat */
#define SLOW 0.2    /* share of the usual step: below it, the picture comes to rest */
#define HOLDS 0.15  /* share of the steps around it, of a frame that hardly moves */
#define EVENT 1.6   /* usual steps: two frames that are further from both neighbours are an event */
#define JUMP 1.2    /* multiple of the steps around it for the step after a replaced frame */

/* Returns a frame's step; 0: unknown. */
static double step_at(const struct shot *shot, size_t at)
{
    return at < shot->count && shot->frame[at].step[0] > 0 ? shot->frame[at].step[0] : 0;
}

/* Returns whether several frames nearby have hardly moved: then the picture stands still by itself.
 */
static bool has_holds(const struct shot *shot, size_t at)
{
    enum { NEARBY = 12, SEVERAL = 2 };
    const double still =
        HOLDS * fmin(shot_usual_step(shot, at), fmin(step_at(shot, at - 1), step_at(shot, at + 1)));
    size_t holds = 0;
    for (size_t i = at > NEARBY ? at - NEARBY : 1; i <= at + NEARBY && i < shot->count; i++)
        holds += i != at && step_of(&shot->frame[i]) <= still;
    return holds >= SEVERAL;
}

/* Returns whether a frame repeats the one before, and both neighbours have moved. A hold is longer,
 * so it is not a repeat. Nor is the second of two frames of another picture, or what is beyond an
 * end of the shot. */
static bool is_repeat(const struct shot *shot, size_t at)
{
    if (at < 2 || at >= shot->count || at + 1 == shot->count) return false;
    const double usual = shot_usual_step(shot, at),
                 around = fmin(step_at(shot, at - 1), step_at(shot, at + 1)),
                 moved = fmin(usual, around);
    if (around > EVENT * usual) return false;
    return !shot->frame[at].flat && moved >= 5 * STILL && around >= SLOW * usual &&
           step_of(&shot->frame[at]) <= REPEATS * moved;
}

/* Returns whether there is a repeat at a place or next to it. */
static bool repeats_near(const struct shot *shot, size_t at)
{
    return is_repeat(shot, at) || is_repeat(shot, at + 1) || is_repeat(shot, at - 1);
}

/* Returns whether two other repeats are at one distance from this one and from each other, as in a
 * converted frame rate. */
static bool is_regular(const struct shot *shot, size_t at)
{
    enum { SHORTEST = 4 };
    bool regular = false;
    for (size_t d = SHORTEST; d < shot->count && !regular; d++) {
        const bool before = repeats_near(shot, at - d), behind = repeats_near(shot, at + d);
        regular = (before && (behind || repeats_near(shot, at - 2 * d))) ||
                  (behind && repeats_near(shot, at + 2 * d));
    }
    return regular;
}

/* Returns whether a repeat replaced another frame: then the next step spans two frames. It does not
 * if the repeat was inserted. Only pictures are identical by a fault. */
static bool has_replaced(const struct shot *shot, size_t at)
{
    const double before = step_at(shot, at - 1), behind = step_at(shot, at + 2);
    return (shot->frame[at].same && shot->numbered) ||
           step_at(shot, at + 1) > JUMP * (behind > 0 ? (before + behind) / 2 : before);
}

void recurring_duplicates(struct shot *shot)
{
    size_t repeats = 0;
    for (size_t i = 0; i < shot->count; i++) repeats += is_repeat(shot, i);
    if (repeats * RECURRING > shot->count) return;
    for (size_t i = 0; i < shot->count; i++)
        if (is_repeat(shot, i) && has_replaced(shot, i) && !is_regular(shot, i) &&
            !has_holds(shot, i))
            findings_add(&shot->frame[i].found, FINDING_DUPLICATE, whole, step_of(&shot->frame[i]),
                         "the frame repeats the previous one, while the frames around it move");
}

/* ---- Frames at a wrong place ----------------------------------------------------------------- */

/* Returns how much nearer the frame before is to the next frame than to this one; NAN: unknown. */
static double skips(const struct shot *shot, size_t at)
{
    if (at < 1 || at + 1 >= shot->count) return NAN;
    const double step = shot->frame[at].step[0], over = shot->frame[at + 1].step[1];
    return over > 0 ? step / over : NAN;
}

/* Returns by how much this frame and the next are swapped: each is further from its neighbour than
 * the other is. At an end of the shot one of them has a neighbour. 0: they are not. */
static double swapped_by(const struct shot *shot, size_t at)
{
    const bool begins = at == 0, ends = at + 2 >= shot->count;
    if (at + 1 >= shot->count || (begins && ends)) return 0;
    const struct shot_frame *frame = &shot->frame[at];
    const double first = skips(shot, at), last = ends ? 0 : frame[2].step[0] / frame[2].step[1],
                 between = frame[1].step[0], before = frame[begins ? 2 : 0].step[0],
                 over = fmax(begins ? 0 : frame[1].step[1], ends ? 0 : frame[2].step[1]);
    const bool near = between < before && over < fmin(SCENE, 2 * shot_usual_step(shot, at));
    if (!(before > 10 * STILL) || !near || between <= 0.25 * before) return 0;
    if (begins || ends) /* a foreign frame is further off */
        return over > 0.6 * between ? (begins ? last : first) : 0;
    return first > 1.1 && last > 1.1 ? first * last : 0;
}

/* Returns whether others are swapped nearby: then the motion goes to and fro. */
static bool is_to_and_fro(const struct shot *shot, size_t at, double limit)
{
    enum { CLOSE = 12 };
    bool is = false;
    for (size_t i = at > CLOSE ? at - CLOSE : 0; i <= at + CLOSE; i++)
        is = is || ((i < at || i > at + 1) && swapped_by(shot, i) >= limit);
    return is;
}

void recurring_order(struct shot *shot)
{
    const double limit = 1.4;
    size_t count = 0;
    for (size_t i = 0; i < shot->count; i++) count += skips(shot, i) > 1.1;
    if (shot->count < LEAST || count * RECURRING > shot->count + 2 * RECURRING) return;
    for (size_t i = 0; i < shot->count; i++) {
        if (swapped_by(shot, i) < limit || is_to_and_fro(shot, i, limit)) continue;
        const double by = i == 0 ? swapped_by(shot, i) : skips(shot, i);
        for (size_t k = i; k < i + 2; k++)
            findings_add(&shot->frame[k].found, FINDING_FRAME_ORDER, whole, by,
                         "the frame has changed places with the %s one",
                         k == i ? "next" : "previous");
        i++;
    }
}

/* Returns whether a frame is an outlier between two similar frames. It is further from both than
 * they are from each other, and than frames around it move. */
static bool is_outlier(const struct shot *shot, size_t at)
{
    if (at < 1 || at + 1 >= shot->count || !(shot->frame[at].outlier > 0.04)) return false;
    const double in = shot->frame[at].step[0], out = shot->frame[at + 1].step[0],
                 nearer = fmin(in, out);
    return nearer > FAR && nearer > 1.4 * shot->frame[at + 1].step[1] &&
           nearer > 1.6 * shot_usual_step(shot, at);
}

/* Returns whether another outlier is close by: then the scene flickers, or cuts come fast. */
static bool has_company(const struct shot *shot, size_t at)
{
    enum { CLOSE = 5 };
    for (size_t i = at > CLOSE ? at - CLOSE : 0; i <= at + CLOSE; i++)
        if (i != at && is_outlier(shot, i)) return true;
    return false;
}

/* Returns whether a frame is one of at least three of which a part is unlike the others, such as
 * local flashes: they belong to the shot. */
static bool is_local_event(const struct shot *shot, size_t at)
{
    enum { EVENTS = 3 };
    const double local = 0.5; /* share of the tiles */
    size_t events = 0;
    if (shot->frame[at].outlier >= local) return false;
    for (size_t i = 0; i < shot->count; i++)
        events += is_outlier(shot, i) && shot->frame[i].outlier < local;
    return events >= EVENTS;
}

void recurring_foreign(struct shot *shot)
{
    size_t count = 0;
    for (size_t i = 0; i < shot->count; i++) count += is_outlier(shot, i);
    if (count * RECURRING > shot->count) return;
    for (size_t i = 0; i < shot->count; i++)
        if (is_outlier(shot, i) && !has_company(shot, i) && !is_local_event(shot, i))
            findings_add(&shot->frame[i].found, FINDING_FOREIGN_FRAME, whole,
                         shot->frame[i].outlier,
                         "the previous and the next frame resemble each other, but not this one, "
                         "in %.0f %% of the tiles",
                         100 * shot->frame[i].outlier);
}
