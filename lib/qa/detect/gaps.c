/* The numbers that a shot lacks. */
#include "detect/shot.h"

#include "base/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct finding_place whole = {0, 0, 0, 0};

/* Orders frames by number, and files of the same number (f1, f01) by their names. */
static int by_number(const void *a, const void *b)
{
    const struct shot_frame *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return x->path && y->path ? strcmp(x->path, y->path) : 0;
}

static void add(struct shot *shot, int64_t first, int64_t last, int64_t count)
{
    char text[FINDING_TEXT];
    if (!results_grow(&shot->frame, shot->count, &shot->room, sizeof *shot->frame)) {
        shot->out_of_memory = true;
        return;
    }
    struct shot_frame *frame = &shot->frame[shot->count++];
    *frame = (struct shot_frame){.number = first};
    findings_add(&frame->found, FINDING_MISSING, whole, (double)count, "%s",
                 finding_gap(text, first, last, (uint64_t)count));
}

static bool same_size(const struct shot_frame *a, const struct shot_frame *b)
{
    return a->width == b->width && a->height == b->height;
}

/* ---- Between frames -------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the step between at least half of the numbers; 0: there is none, or too few numbers. */
static int64_t usual_step(const struct shot *shot)
{
    enum { LEAST = 4 };
    const size_t count = shot->count > 0 ? shot->count - 1 : 0;
    int64_t *steps = count >= LEAST ? malloc(count * sizeof *steps) : NULL;
    if (!steps) return 0;
    for (size_t i = 0; i < count; i++) steps[i] = shot->frame[i + 1].number - shot->frame[i].number;
    qsort(steps, count, sizeof *steps, by_value);
    const int64_t middle = steps[count / 2];
    size_t same = 0;
    for (size_t i = 0; i < count; i++) same += steps[i] == middle;
    free(steps);
    return 2 * same >= count && middle > 0 ? middle : 0;
}

/* Returns whether fewer than four in five pictures have one size. */
static bool is_of_several_sizes(const struct shot *shot)
{
    const struct shot_frame *most = NULL;
    size_t lead = 0, alike = 0, read = 0;
    for (size_t i = 0; i < shot->count; i++) { /* a size of more than half is left at the end */
        const struct shot_frame *frame = &shot->frame[i];
        if (!frame->read) continue;
        if (lead == 0) most = frame;
        lead = same_size(frame, most) ? lead + 1 : lead - 1;
    }
    for (size_t i = 0; i < shot->count; i++) {
        read += shot->frame[i].read;
        alike += shot->frame[i].read && same_size(&shot->frame[i], most);
    }
    return 5 * alike < 4 * read;
}

void gaps_between(struct shot *shot)
{
    shot->of_several_sizes = is_of_several_sizes(shot);
    const int64_t step = shot->of_several_sizes ? 0 : usual_step(shot);
    const size_t there = shot->count;
    for (size_t at = 1; step > 0 && at < there; at++) {
        const int64_t first = shot->frame[at - 1].number + step,
                      last = shot->frame[at].number - step;
        const int64_t count = last < first ? 0 : (last - first) / step + 1;
        if (count > GAPS_NAMED) add(shot, first, last, count);
        for (int64_t i = 0; i < count && count <= GAPS_NAMED; i++)
            add(shot, first + i * step, first + i * step, 1);
    }
    if (shot->count > there) qsort(shot->frame, shot->count, sizeof *shot->frame, by_number);
}

/* ---- Pictures that are no frames ------------------------------------------------------------- */

/* Returns whether the numbers may be those of UDIM tiles: 1001 to 1010 is the first row, and so on,
 * and each row begins at its first tile. Chunks of ten frames that a farm lost have such gaps,
 * too. */
static bool may_be_tiles(const struct shot *shot)
{
    enum { FIRST = 1001, LAST = 1999, ROW = 10 };
    int64_t before = FIRST - 1;
    for (size_t i = 0; i < shot->count; i++) {
        const int64_t number = shot->frame[i].number;
        if (!shot->frame[i].path) continue;
        if (number < FIRST || number > LAST) return false;
        if (number != before + 1 && (number - FIRST) % ROW != 0) return false;
        before = number;
    }
    return true;
}

/* Returns whether most pictures have nothing in common with the one before, like textures. */
static bool are_unrelated(const struct shot *shot)
{
    const double FAR = 16; /* levels between most cells; at most a few in film, except at cuts */
    size_t steps = 0, far = 0;
    for (size_t i = 0; i < shot->count; i++) {
        if (!shot->frame[i].read || isnan(shot->frame[i].step[0])) continue;
        steps++;
        far += shot->frame[i].step[0] > FAR;
    }
    return steps > 0 && 5 * far >= 4 * steps;
}

bool gaps_are_doubtful(const struct shot *shot)
{
    bool missing = false;
    for (size_t i = 0; i < shot->count; i++) missing = missing || !shot->frame[i].path;
    return missing && (may_be_tiles(shot) || are_unrelated(shot));
}

/* ---- Requested frames ------------------------------------------------------------------------ */

/* Returns how many of the requested frames must exist. The end of an open range is the last frame
 * that exists. */
static size_t count_required(const struct shot *shot, const ssimcu_ranges *frames)
{
    const int64_t end = shot->count > 0 ? shot->frame[shot->count - 1].number + 1 : 0;
    return ssimcu_ranges_until(frames, end);
}

void gaps_requested(struct shot *shot, const ssimcu_ranges *frames)
{
    const size_t there = shot->count, required = count_required(shot, frames);
    for (size_t i = 0, at = 0, end; i < required; i = end) {
        while (at < there && shot->frame[at].number < frames->number[i]) at++;
        const int64_t next = at < there ? shot->frame[at].number : INT64_MAX;
        for (end = i; end < required && frames->number[end] < next;) end++;
        if (end - i > GAPS_NAMED)
            add(shot, frames->number[i], frames->number[end - 1], (int64_t)(end - i));
        for (size_t k = i; k < end && end - i <= GAPS_NAMED; k++)
            add(shot, frames->number[k], frames->number[k], 1);
        if (end == i) end++; /* it exists */
    }
    if (shot->count > there) qsort(shot->frame, shot->count, sizeof *shot->frame, by_number);
}
