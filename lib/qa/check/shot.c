#include "check/shot.h"

#include "check/beside.h"

#include "base/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FADE 4.0 /* levels from a frame to one of one colour: less is the end of a fade */

static const struct check_place whole = {0, 0, 0, 0};

static void drop(struct seen *seen)
{
    if (!seen) return;
    seen_free(seen);
    free(seen);
}

/* Makes a copy of what beside_one_scene reads. */
static struct seen *copy_cells(const struct seen *seen)
{
    const size_t cells = (size_t)seen->across * seen->down;
    struct seen *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *seen;
    copy->step = NULL, copy->rough = NULL;
    copy->mean = malloc((cells + 1) * sizeof *copy->mean);
    if (copy->mean) memcpy(copy->mean, seen->mean, cells * sizeof *copy->mean);
    if (copy->mean) return copy;
    free(copy);
    return NULL;
}

/* ---- A frame alone --------------------------------------------------------------------------- */

static void add_numbers(const struct seen *seen, struct findings_list *list)
{
    const struct check_place infinite = {seen->infinite_x, seen->infinite_y, 1, 1},
                             negative = {seen->negative_x, seen->negative_y, 1, 1};
    if (seen->infinite > 0)
        findings_add(list, CHECK_NAN, infinite, (double)seen->infinite,
                     "%llu samples are no finite number, the first at %u,%u",
                     (unsigned long long)seen->infinite, infinite.x, infinite.y);
    if (seen->negative > 0)
        findings_add(list, CHECK_NEGATIVE, negative, (double)seen->negative,
                     "%llu samples are below 0, the first at %u,%u",
                     (unsigned long long)seen->negative, negative.x, negative.y);
}

static void note(const struct seen *seen, struct shot_frame *frame)
{
    frame->read = true;
    frame->width = seen->width, frame->height = seen->height;
    frame->channels = seen->channels, frame->bits = seen->bits;
    frame->flat = seen->flat;
    frame->alpha = seen->alpha;
    add_numbers(seen, &frame->found);
}

/* ---- A frame beside others ------------------------------------------------------------------- */

/* Judges a frame beside two others. `between`: they are those before and behind it. */
static void judge(struct check_shot *shot, int now, int one, int other, bool between)
{
    const struct beside beside = {shot->last[now], {shot->last[one], shot->last[other]}};
    struct shot_frame *frame = &shot->frame[shot->last_at[now]];
    if (!beside_compares(&beside) || beside.now->flat) return;
    if (!beside_is_flash(&beside)) {
        beside_blocks(&beside, &frame->found);
        beside_bands(&beside, &frame->found);
    }
    if (!between) return;
    frame->judged = true;
    frame->beyond = beside_pixel(&beside, &frame->pixel);
    frame->stranger = beside_stranger(&beside);
}

/* Returns whether a frame behind flat ones is of the scene before them, which had no fade. */
static bool is_alike(const struct check_shot *shot, const struct seen *now)
{
    return shot->lit_step > FADE && beside_distance(now, shot->lit) < shot->lit_step / 2 &&
           beside_one_scene(now, shot->lit);
}

/* Keeps the last frame before flat ones. A fade has reached it by steps as large as the last. */
static void keep_lit(struct check_shot *shot, double step)
{
    const double before = shot->frame[shot->last_at[1]].step[0];
    shot->lit_step = step < 1.5 * before ? 0 : step;
    shot->lit = copy_cells(shot->last[1]);
    shot->out_of_memory = shot->out_of_memory || !shot->lit;
}

/* Measures the newest frame from those before it. */
static void measure(struct check_shot *shot)
{
    const struct seen *now = shot->last[0];
    struct shot_frame *frame = &shot->frame[shot->last_at[0]];
    for (int back = 1; back < 3; back++)
        if (shot->last[back]) frame->step[back - 1] = beside_distance(now, shot->last[back]);
    if (frame->step[0] == 0)
        frame->same =
            memcmp(now->rough, shot->last[1]->rough, now->height * sizeof *now->rough) == 0 &&
            memcmp(now->step, shot->last[1]->step, (size_t)now->across * now->down) == 0;
    if (!now->flat && shot->lit) frame->alike = is_alike(shot, now);
    if (!now->flat) drop(shot->lit), shot->lit = NULL;
    if (now->flat && !shot->lit && shot->last[1] && !shot->last[1]->flat)
        keep_lit(shot, frame->step[0]);
}

static void take(struct check_shot *shot, struct seen *seen)
{
    drop(shot->last[2]);
    for (int i = 2; i > 0; i--) {
        shot->last[i] = shot->last[i - 1];
        shot->last_at[i] = shot->last_at[i - 1];
    }
    shot->last[0] = seen;
    shot->last_at[0] = shot->count - 1;
    note(seen, &shot->frame[shot->count - 1]);
    measure(shot);
    if (!shot->last[2]) return;
    if (shot->last_at[2] == 0) judge(shot, 2, 1, 0, false);
    judge(shot, 1, 2, 0, true);
}

/* Returns what a message says behind the path that it begins with. */
static const char *behind(const char *why, const char *path)
{
    const size_t length = path ? strlen(path) : 0;
    const bool names = length > 0 && strncmp(why, path, length) == 0;
    return names && strncmp(why + length, ": ", 2) == 0 ? why + length + 2 : why;
}

void check_shot_add(struct check_shot *shot, int64_t number, const char *path, const char *why,
                    struct seen *seen)
{
    const bool grown = results_grow(&shot->frame, shot->count, &shot->room, sizeof *shot->frame);
    char *own = grown && path ? strdup(path) : NULL;
    if (!grown || (path && !own)) {
        shot->out_of_memory = true;
        drop(seen);
        return;
    }
    struct shot_frame *frame = &shot->frame[shot->count++];
    *frame = (struct shot_frame){.number = number, .path = own, .step = {NAN, NAN}};
    if (why) findings_add(&frame->found, CHECK_UNREADABLE, whole, 0, "%s", behind(why, path));
    if (seen) take(shot, seen);
}

void check_shot_judge(struct check_shot *shot)
{
    if (shot->last[2]) judge(shot, 0, 1, 2, false);
    unlike_shapes(shot);
    unlike_flat(shot);
    unlike_alpha(shot);
    habits_pixels(shot);
    habits_stuck(shot);
    habits_swapped(shot);
    habits_elsewhere(shot);
    if (shot->numbered) unlike_gaps(shot);
    for (size_t i = 0; i < shot->count; i++)
        shot->out_of_memory = shot->out_of_memory || shot->frame[i].found.out_of_memory;
}

void check_shot_free(struct check_shot *shot)
{
    for (int i = 0; i < 3; i++) drop(shot->last[i]);
    drop(shot->lit);
    for (size_t i = 0; i < shot->count; i++) {
        free(shot->frame[i].path);
        findings_free(&shot->frame[i].found);
    }
    free(shot->frame);
    free(shot->name);
    free(shot->layer);
    *shot = (struct check_shot){0};
}
