#include "hints/analysis.h"

#include <stdio.h>
#include <string.h>

enum { RING = 2 * TIMELINE_REACH + 2 };

/* Mean squares of half a level and of one, in 65536ths of the peak. */
static const double HALF_LEVEL = 128.5 * 128.5, ONE_LEVEL = 257.0 * 257.0;

static double mean_square(const struct signature *a, const struct signature *b)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        const int64_t difference = (int64_t)a->value[i] - b->value[i];
        sum += (uint64_t)(difference * difference);
    }
    return (double)sum / SIGNATURE_POINTS;
}

/* Returns the frame of this number if it is in the ring and has signatures, else NULL. */
static const struct timeline_frame *find(const struct timeline *timeline, int64_t frame)
{
    const uint64_t first = timeline->added > RING ? timeline->added - RING : 0;
    for (uint64_t i = timeline->added; i-- > first;) {
        const struct timeline_frame *entry = &timeline->ring[i % RING];
        if (entry->frame == frame) return entry->has_signatures ? entry : NULL;
    }
    return NULL;
}

/* ---- Duplicates
 * ---------------------------------------------------------------------------------- */

/* Returns whether OUT shows what it showed before: it did not change, or only a little compared
 * with REF. */
static bool is_repeated(const struct timeline_frame *before, const struct timeline_frame *now)
{
    const double out = mean_square(&before->signature[1], &now->signature[1]);
    return out <= HALF_LEVEL || out <= mean_square(&before->signature[0], &now->signature[0]) / 16;
}

/* How much nearer OUT is to `anchor` than to `ref`: the sum of all points, and its standard error
 * squared. */
struct nearer {
    double sum, error;
};

static struct nearer nearer_by(const struct signature *out, const struct signature *anchor,
                               const struct signature *ref)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < SIGNATURE_POINTS; i++) {
        const double here = (double)out->value[i] - ref->value[i];
        const double there = (double)out->value[i] - anchor->value[i];
        const double nearer = here * here - there * there;
        sum += nearer;
        squares += nearer * nearer;
    }
    return (struct nearer){sum, squares - sum * sum / SIGNATURE_POINTS};
}

/* Returns whether OUT is much nearer to `anchor` than to `ref`, relative to the distance of those
 * two. The value is 1 if OUT is the anchor plus an independent error, 0 in the middle, and -1 at
 * `ref`. Grain of REF that OUT lacks moves it around 0, so it must be six times its standard
 * error. */
static bool is_nearer(const struct signature *out, const struct signature *anchor,
                      const struct signature *ref)
{
    const double apart = mean_square(anchor, ref) * SIGNATURE_POINTS;
    const struct nearer by = nearer_by(out, anchor, ref);
    return by.sum > 0.6 * apart && by.sum * by.sum > 36 * by.error;
}

/* Returns whether a render has the noise of the frame before, which two frames do not share by
 * chance. REF's noise is new, and OUT has as much of it. A clean OUT would be half as far from REF
 * as two frames of REF are. The scene itself may stand still or move too little. But OUT must not
 * fit the current REF better, as where the frame before was the wrong one. */
static bool is_copy(const struct timeline *timeline, const struct timeline_frame *before,
                    const struct timeline_frame *now)
{
    const struct signature *ref = &now->signature[0], *out = &now->signature[1];
    const double moved = mean_square(&before->signature[0], ref);
    const struct nearer by = nearer_by(out, &timeline->anchor, ref);
    return moved >= ONE_LEVEL && 16 * mean_square(&before->signature[1], out) <= moved &&
           mean_square(out, ref) >= 0.65 * moved && (by.sum > 0 || by.sum * by.sum < 4 * by.error);
}

/* Returns whether OUT shows REF as it was when OUT last changed, instead of REF as it is. It is
 * false for a still scene whose grain OUT lacks, and while both fade. */
static bool is_behind(const struct signature *anchor, const struct timeline_frame *now)
{
    const struct signature *ref = &now->signature[0], *out = &now->signature[1];
    const double here = mean_square(out, ref);
    if (mean_square(anchor, ref) < ONE_LEVEL || here < ONE_LEVEL) return false;
    return 4 * mean_square(out, anchor) < here ||
           4 * signature_unexplained(out, anchor) < signature_unexplained(out, ref) ||
           is_nearer(out, anchor, ref);
}

/* Updates the anchor, and returns whether OUT is a duplicate. */
static bool is_stuck(struct timeline *timeline, const struct timeline_frame *now)
{
    const struct timeline_frame *before = find(timeline, now->frame - 1);
    if (before && is_repeated(before, now))
        return is_behind(&timeline->anchor, now) ||
               (now->has_learned && is_copy(timeline, before, now));
    timeline->anchor = now->signature[0];
    return false;
}

/* ---- Another frame --------------------------------------------------------------------------- */

/* Returns the distance to the neighbour of REF that OUT fits far better than its own frame; 0: no
 * neighbour. */
static int fitting(const struct timeline *timeline, const struct timeline_frame *now)
{
    const double here = signature_unexplained(&now->signature[1], &now->signature[0]);
    double least = here / 4;
    int best = 0;
    if (here < 0.002) return 0;
    for (int distance = 1; distance <= TIMELINE_REACH; distance++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const struct timeline_frame *other = find(timeline, now->frame + sign * distance);
            const double rest =
                other ? signature_unexplained(&now->signature[1], &other->signature[0]) : 1;
            if (rest >= least) continue;
            least = rest;
            best = sign * distance;
        }
    if (best == 0 || !now->has_learned) return best;
    /* A few bright points may make two frames of a noisy render similar, so most must. */
    const struct timeline_frame *other = find(timeline, now->frame + best);
    const struct nearer by =
        nearer_by(&now->signature[1], &other->signature[0], &now->signature[0]);
    return by.sum > 0 && by.sum * by.sum > 6 * by.error ? best : 0;
}

/* ---- The timeline ---------------------------------------------------------------------------- */

/* Adds a hint in place of those that compare OUT with the wrong frame. */
static void replace(struct hints *hints, const char *hint)
{
    struct hints rest = {0};
    for (uint32_t i = 0; i < hints->count; i++)
        if (hints_is(hints->text[i], "alpha") || hints_is(hints->text[i], "depth"))
            hints_add(&rest, "%s", hints->text[i]);
    hints_add(&rest, "%s", hint);
    *hints = rest;
}

void timeline_add(struct timeline *timeline, int64_t frame, const struct signature signature[2],
                  const struct hints *hints, double score, void *user)
{
    struct timeline_frame *now = &timeline->ring[timeline->added % RING];
    now->frame = frame;
    now->user = user;
    now->has_signatures = signature != NULL;
    now->has_learned = timeline->has_learned;
    now->waits = false;
    now->hints = hints ? *hints : (struct hints){0};
    if (now->has_signatures) {
        memcpy(now->signature, signature, sizeof now->signature);
        const bool stuck = is_stuck(timeline, now);
        if (!hints_has(&now->hints, "black") && !hints_has(&now->hints, "solid") && score < 1) {
            if (stuck)
                replace(&now->hints, "duplicate");
            else
                now->waits = score < 0.99;
        }
    }
    timeline->added++;
}

void *timeline_take(struct timeline *timeline, bool end, struct hints *hints)
{
    if (timeline->taken == timeline->added) return NULL;
    struct timeline_frame *next = &timeline->ring[timeline->taken % RING];
    const struct timeline_frame *last = &timeline->ring[(timeline->added - 1) % RING];
    if (next->waits) {
        const bool may_come = timeline->added - timeline->taken <= TIMELINE_REACH;
        if (!end && may_come && last->frame < next->frame + TIMELINE_REACH) return NULL;
        const int other = fitting(timeline, next);
        char hint[HINT_BYTES];
        snprintf(hint, sizeof hint, "frame-offset %+d", other);
        if (other != 0) replace(&next->hints, hint);
    }
    timeline->taken++;
    *hints = next->hints;
    return next->user;
}
