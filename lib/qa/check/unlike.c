/* Frames that are unlike their shot as a whole: their shape, alpha, a picture, and their numbers.
 */
#include "check/shot.h"

#include "base/results.h"

#include <stdlib.h>
#include <string.h>

static const struct check_place whole = {0, 0, 0, 0};

/* ---- Shapes ---------------------------------------------------------------------------------- */

static bool same_size(const struct shot_frame *a, const struct shot_frame *b)
{
    return a->width == b->width && a->height == b->height;
}

static bool same_format(const struct shot_frame *a, const struct shot_frame *b)
{
    return a->channels == b->channels && a->bits == b->bits;
}

/* Returns a frame that is like at least four of five others; NULL: the frames have no shape in
 * common, as pictures that only lie in one folder. */
static const struct shot_frame *typical(const struct check_shot *shot,
                                        bool (*same)(const struct shot_frame *,
                                                     const struct shot_frame *))
{
    enum { LEAST = 5, TRIED = 3 };
    size_t read = 0, tried = 0;
    for (size_t i = 0; i < shot->count; i++) read += shot->frame[i].read;
    if (read < LEAST) return NULL;
    const struct shot_frame *before[TRIED];
    for (size_t i = 0; i < shot->count && tried < TRIED; i++) {
        const struct shot_frame *frame = &shot->frame[i];
        bool known = !frame->read;
        size_t alike = 0;
        for (size_t t = 0; t < tried; t++) known = known || same(frame, before[t]);
        for (size_t k = 0; k < shot->count && !known; k++)
            alike += shot->frame[k].read && same(frame, &shot->frame[k]);
        if (5 * alike >= 4 * read) return frame;
        if (!known) before[tried++] = frame;
    }
    return NULL;
}

static const char *samples_of(const struct shot_frame *frame)
{
    switch (frame->bits) {
    case SSIMCU_BITS_F16: return "half";
    case SSIMCU_BITS_F32: return "float";
    case 8: return "8 bits";
    case 16: return "16 bits";
    default: return "other bits";
    }
}

void unlike_shapes(struct check_shot *shot)
{
    const struct shot_frame *size = typical(shot, same_size), *format = typical(shot, same_format);
    for (size_t i = 0; i < shot->count; i++) {
        struct shot_frame *frame = &shot->frame[i];
        if (!frame->read) continue;
        if (size && !same_size(frame, size))
            findings_add(&frame->found, CHECK_SIZE, whole, frame->width,
                         "%u x %u pixels, and its sequence has %u x %u", frame->width,
                         frame->height, size->width, size->height);
        if (format && !same_format(frame, format))
            findings_add(&frame->found, CHECK_FORMAT, whole, frame->channels,
                         "%u channels of %s, and its sequence has %u of %s", frame->channels,
                         samples_of(frame), format->channels, samples_of(format));
    }
}

/* ---- Runs of frames -------------------------------------------------------------------------- */

/* Returns the place behind a run of frames that have `is`, from `begin` on. Frames that could not
 * be read belong to it. */
static size_t run_end(const struct check_shot *shot, size_t begin,
                      bool (*is)(const struct shot_frame *))
{
    size_t end = begin;
    while (end < shot->count && (!shot->frame[end].read || is(&shot->frame[end]))) end++;
    return end;
}

static bool is_flat(const struct shot_frame *frame) { return frame->flat; }

/* A flat frame is a fault between two that are alike. At an end, and between two scenes, clean work
 * has such frames, too. */
void unlike_flat(struct check_shot *shot)
{
    for (size_t i = 0, end; i < shot->count; i = end) {
        end = i + 1;
        if (!shot->frame[i].read || !shot->frame[i].flat) continue;
        end = run_end(shot, i, is_flat);
        const bool fault = i > 0 && end < shot->count && shot->frame[end].alike;
        for (size_t k = i; k < end; k++) {
            if (!shot->frame[k].read) continue;
            findings_add(&shot->frame[k].found, fault ? CHECK_FLAT : CHECK_BLANK, whole, 0,
                         fault ? "the frame is one colour, and those around it are one scene"
                               : "the frame is one colour");
        }
    }
}

static bool is_whole_alpha(const struct shot_frame *frame)
{
    return frame->alpha == SEEN_EMPTY || frame->alpha == SEEN_FULL;
}

/* An object may come into the frame and leave it, so only alpha between two others is a fault. */
void unlike_alpha(struct check_shot *shot)
{
    enum { LEAST = 5, LONGEST = 10 /* one of so many frames */ };
    size_t some = 0;
    for (size_t i = 0; i < shot->count; i++)
        some += shot->frame[i].read && shot->frame[i].alpha == SEEN_SOME;
    if (some < LEAST) return;
    for (size_t i = 0, end; i < shot->count; i = end) {
        end = i + 1;
        if (!shot->frame[i].read || !is_whole_alpha(&shot->frame[i])) continue;
        end = run_end(shot, i, is_whole_alpha);
        if (i == 0 || end == shot->count || LONGEST * (end - i) > some + LONGEST) continue;
        for (size_t k = i; k < end; k++)
            if (shot->frame[k].read)
                findings_add(&shot->frame[k].found, CHECK_ALPHA, whole, 0,
                             "alpha is %s everywhere, and in the frames around it is not",
                             shot->frame[k].alpha == SEEN_EMPTY ? "empty" : "full");
    }
}

/* ---- Numbers --------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Returns the distance that at least half of the numbers have; 0: there is none, or too few. */
static int64_t usual_step(const struct check_shot *shot)
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

void unlike_missing(struct findings_list *list, int64_t first, int64_t last, int64_t count)
{
    if (count == 1)
        findings_add(list, CHECK_MISSING, whole, 1, "frame %lld is missing", (long long)first);
    else
        findings_add(list, CHECK_MISSING, whole, (double)count,
                     "%lld frames are missing, %lld to %lld", (long long)count, (long long)first,
                     (long long)last);
}

/* Adds the frames before frame `at` that are missing, as one. */
static void add_gap(struct check_shot *shot, size_t at, int64_t step)
{
    const int64_t first = shot->frame[at - 1].number + step, last = shot->frame[at].number - step,
                  count = (last - first) / step + 1;
    if (!results_grow(&shot->frame, shot->count, &shot->room, sizeof *shot->frame)) {
        shot->out_of_memory = true;
        return;
    }
    struct shot_frame *const frame = shot->frame;
    memmove(frame + at + 1, frame + at, (shot->count++ - at) * sizeof *frame);
    frame[at] = (struct shot_frame){.number = first};
    unlike_missing(&frame[at].found, first, last, count);
}

void unlike_gaps(struct check_shot *shot)
{
    const int64_t step = usual_step(shot);
    for (size_t at = shot->count; step > 0 && at-- > 1;)
        if (shot->frame[at].number - shot->frame[at - 1].number >= 2 * step)
            add_gap(shot, at, step);
}
