#include "detect/shot.h"

#include "detect/temporal.h"

#include "base/results.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LIGHT 2.5 /* times by which another light may make a texture clearer */
#define FADE 4.0  /* levels between a frame and a solid one: below it, a fade ends */

static const struct finding_place whole = {0, 0, 0, 0};

static void drop(struct frame_stats *stats)
{
    if (!stats) return;
    frame_stats_free(stats);
    free(stats);
}

/* Copies the members that temporal_one_scene reads. */
static struct frame_stats *copy_cells(const struct frame_stats *stats)
{
    const size_t cells = (size_t)stats->across * stats->down;
    struct frame_stats *copy = malloc(sizeof *copy);
    if (!copy) return NULL;
    *copy = *stats;
    copy->step = NULL, copy->print = NULL, copy->rough = NULL;
    copy->patches = (struct patches){0};
    copy->mean = malloc((cells + 1) * sizeof *copy->mean);
    if (copy->mean) memcpy(copy->mean, stats->mean, cells * sizeof *copy->mean);
    if (copy->mean) return copy;
    free(copy);
    return NULL;
}

/* ---- A frame by itself ----------------------------------------------------------------------- */

static void add_numbers(const struct frame_stats *stats, struct findings *list)
{
    const struct finding_place infinite = {stats->infinite_x, stats->infinite_y, 1, 1},
                               negative = {stats->negative_x, stats->negative_y, 1, 1};
    if (stats->infinite > 0)
        findings_add(list, FINDING_NAN, infinite, (double)stats->infinite,
                     "%llu sample%s NaN or infinite", (unsigned long long)stats->infinite,
                     stats->infinite == 1 ? " is" : "s are");
    if (stats->negative > 0)
        findings_add(list, FINDING_NEGATIVE, negative, (double)stats->negative,
                     "%llu sample%s below 0", (unsigned long long)stats->negative,
                     stats->negative == 1 ? " is" : "s are");
}

static void note_colours(const struct colours *colours, struct shot_colours *to)
{
    to->known = colours->known, to->video = colours->video;
    to->power = 1;
    to->constant = colours_constant(colours);
    to->chroma = colours_chroma(colours);
    for (int c = 0; c < COLOURS; c++) {
        to->spread[c] = colours->between[c][COLOURS_SHARES - 2] - colours->between[c][0];
        for (int i = 0; i < COLOURS_TILES; i++) to->mean[c] += colours->mean[c][i] / COLOURS_TILES;
    }
}

static void note(const struct frame_stats *stats, struct shot_frame *frame)
{
    frame->read = true;
    frame->width = stats->width, frame->height = stats->height;
    frame->channels = stats->channels, frame->bits = stats->bits;
    frame->flat = stats->flat;
    frame->alpha = stats->alpha;
    note_colours(&stats->colours, &frame->colours);
    add_numbers(stats, &frame->found);
}

/* ---- A frame and others ---------------------------------------------------------------------- */

/* Finds the flat areas of a frame. Most frames have none. */
static void find_areas(struct shot *shot, struct shot_frame *frame, const struct temporal *temporal,
                       bool relit)
{
    struct areas areas = {.count = 0};
    const bool good = areas_find(temporal, relit, &areas);
    if (temporal->outer && areas_are_changes(temporal, &areas))
        for (uint32_t i = 0; i < areas.count; i++) areas.at[i].lost = false;
    if (areas.count > 0) frame->areas = malloc(sizeof areas);
    if (frame->areas) *frame->areas = areas;
    if (!good || (areas.count > 0 && !frame->areas)) shot->out_of_memory = true;
}

/* Finds the stale areas of frame `now` of the last ones. A codec repeats areas by itself. */
static void find_stale(struct shot *shot, int now)
{
    struct prints before[STALE_FURTHEST] = {{0}};
    const struct frame_stats *stats = shot->last[now];
    int count = 0;
    for (int i = now + 1; i < 3; i++)
        if (shot->last[i])
            before[count++] =
                (struct prints){shot->last[i]->across, shot->last[i]->down, shot->last[i]->print};
    for (int i = 0; i < STALE_FURTHEST - 1 && count < STALE_FURTHEST; i++)
        before[count++] = shot->older[i];
    if (stats->tolerance == 0 && !stale_find(stats, now > 0 ? shot->last[now - 1] : NULL, before,
                                             &shot->frame[shot->last_at[now]].stale))
        shot->out_of_memory = true;
}

/* Judges a frame by two others. `between`: they are the frames before and after it. */
static void judge(struct shot *shot, int now, int one, int other, bool between)
{
    const struct temporal temporal = {
        shot->last[now], {shot->last[one], shot->last[other]}, !between};
    struct shot_frame *frame = &shot->frame[shot->last_at[now]];
    if (!temporal_compares(&temporal) || temporal.now->flat) return;
    const struct temporal_tiles tiles = temporal_compare(&temporal);
    const bool relit = temporal_is_relit(&tiles);
    find_areas(shot, frame, &temporal, relit);
    const bool alone = !between && tiles.textured + tiles.lost == 0; /* all texture is new */
    if (!alone && !squares_garbage(&temporal, &frame->garbage)) shot->out_of_memory = true;
    if (relit) frame->garbage.times /= LIGHT;
    if (!relit && !alone) {
        temporal_blocks(&temporal, &frame->found);
        temporal_bands(&temporal, &frame->found);
    }
    frame->colours.swapped =
        colours_swapped(&temporal, &frame->colours.first, &frame->colours.second);
    frame->colours.power = colours_power(&temporal);
    frame->judged = true, frame->outer = temporal.outer;
    frame->beyond = temporal_pixel(&temporal, &frame->pixel);
    const struct finding_place pixel = {frame->pixel.x, frame->pixel.y, 1, 1};
    frame->changes = frame->outer && temporal_changes_around(&temporal, &pixel);
    if (between) frame->outlier = temporal_outlier(&temporal, &tiles);
}

/* Returns whether a frame after solid ones is of the scene before them, which did not fade. */
static bool is_alike(const struct shot *shot, const struct frame_stats *now)
{
    return shot->last_nonsolid_step > FADE &&
           temporal_distance(now, shot->last_nonsolid) < shot->last_nonsolid_step / 2 &&
           temporal_one_scene(now, shot->last_nonsolid);
}

/* Keeps the last frame before solid ones. A fade has reached it by steps as large as the last. */
static void keep_lit(struct shot *shot, double step)
{
    const double before = shot->frame[shot->last_at[1]].step[0];
    shot->last_nonsolid_step = step < 1.5 * before ? 0 : step;
    shot->last_nonsolid = copy_cells(shot->last[1]);
    shot->out_of_memory = shot->out_of_memory || !shot->last_nonsolid;
}

/* Measures the distance of the newest frame from those before it. */
static void measure(struct shot *shot)
{
    const struct frame_stats *now = shot->last[0];
    struct shot_frame *frame = &shot->frame[shot->last_at[0]];
    for (int back = 1; back < 3; back++)
        if (shot->last[back]) frame->step[back - 1] = temporal_distance(now, shot->last[back]);
    if (frame->step[0] == 0)
        frame->same =
            memcmp(now->rough, shot->last[1]->rough, now->height * sizeof *now->rough) == 0 &&
            memcmp(now->step, shot->last[1]->step, (size_t)now->across * now->down) == 0;
    if (!now->flat && shot->last_nonsolid) frame->same_scene = is_alike(shot, now);
    if (!now->flat) drop(shot->last_nonsolid), shot->last_nonsolid = NULL;
    if (now->flat && !shot->last_nonsolid && shot->last[1] && !shot->last[1]->flat)
        keep_lit(shot, frame->step[0]);
}

/* Drops the oldest frame, but for its patches and prints. */
static void drop_oldest(struct shot *shot)
{
    struct frame_stats *oldest = shot->last[2];
    if (!oldest) return;
    free(shot->older[STALE_FURTHEST - 2].cell);
    memmove(shot->older + 1, shot->older, (STALE_FURTHEST - 2) * sizeof *shot->older);
    shot->older[0] = (struct prints){oldest->across, oldest->down, oldest->print};
    oldest->print = NULL;
    patches_free(&shot->spare);
    shot->spare = oldest->patches;
    oldest->patches = (struct patches){.row = NULL};
    drop(oldest);
}

static void take(struct shot *shot, struct frame_stats *stats)
{
    const bool third = !shot->last[2] && shot->last[1]; /* of the frames that could be read */
    drop_oldest(shot);
    for (int i = 2; i > 0; i--) {
        shot->last[i] = shot->last[i - 1];
        shot->last_at[i] = shot->last_at[i - 1];
    }
    shot->last[0] = stats;
    shot->last_at[0] = shot->count - 1;
    note(stats, &shot->frame[shot->count - 1]);
    measure(shot);
    if (shot->last[1]) find_stale(shot, 1);
    if (!shot->last[2]) return;
    if (third) judge(shot, 2, 1, 0, false);
    judge(shot, 1, 2, 0, true);
}

void shot_add(struct shot *shot, int64_t number, const char *path, const char *why,
              struct frame_stats *stats)
{
    const bool grown = results_grow(&shot->frame, shot->count, &shot->room, sizeof *shot->frame);
    char *copy = grown && path ? strdup(path) : NULL;
    if (!grown || (path && !copy)) {
        shot->out_of_memory = true;
        drop(stats);
        return;
    }
    struct shot_frame *frame = &shot->frame[shot->count++];
    *frame = (struct shot_frame){.number = number, .path = copy, .time = NAN, .step = {NAN, NAN}};
    if (why)
        findings_add(&frame->found, FINDING_UNREADABLE, whole, 0, "%s", text_behind(why, path));
    if (stats) take(shot, stats);
}

void shot_judge(struct shot *shot)
{
    if (shot->last[2]) judge(shot, 0, 1, 2, false);
    if (shot->last[0]) find_stale(shot, 0);
    consistency_shapes(shot);
    consistency_solid(shot);
    consistency_alpha(shot);
    consistency_colours(shot);
    recurring_areas(shot);
    recurring_garbage(shot);
    recurring_pixels(shot);
    recurring_duplicates(shot);
    recurring_order(shot);
    recurring_foreign(shot);
    recurring_stale(shot);
    timing_judge(shot);
    header_judge(shot);
    if (shot->numbered) gaps_between(shot);
    for (size_t i = 0; i < shot->count; i++)
        shot->out_of_memory = shot->out_of_memory || shot->frame[i].found.out_of_memory;
}

void shot_free(struct shot *shot)
{
    for (int i = 0; i < 3; i++) drop(shot->last[i]);
    for (int i = 0; i < STALE_FURTHEST - 1; i++) free(shot->older[i].cell);
    drop(shot->last_nonsolid);
    patches_free(&shot->spare);
    for (size_t i = 0; i < shot->count; i++) {
        free(shot->frame[i].path), free(shot->frame[i].streams), free(shot->frame[i].why);
        free(shot->frame[i].declared), free(shot->frame[i].left);
        free(shot->frame[i].areas);
        findings_free(&shot->frame[i].found);
    }
    free(shot->frame);
    free(shot->name);
    free(shot->layer);
    *shot = (struct shot){0};
}
