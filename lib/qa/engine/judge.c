#include "engine/judge.h"

#include "facts/record.h"
#include "floors/tells.h"
#include "pair/pair.h"

#include "fail.h"

#include <math.h>
#include <zlib.h>

/* Moves the places from the scored region to the frame. */
static void move(struct floor_excess *excess, const struct pair *pair)
{
    for (int r = 0; r < FLOOR_RULES; r++) {
        excess->place[r].x += pair->x;
        excess->place[r].y += pair->y;
    }
}

/* Says which frames the floors are of. */
static ssimcu_status mismatch(const struct floor_grid *floor, const struct floor_grid *frame,
                              ssimcu_message *message)
{
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "not judged: its floors are of %u x %u pixels (channels %u, tile %u), the "
                       "frame has %u x %u (channels %u, tile %u)",
                       floor->width, floor->height, floor->channels, floor->tile, frame->width,
                       frame->height, frame->channels, frame->tile);
}

/* Leaves out what some parts touch. Those of a mask are of frames of one size. */
static ssimcu_status leave_out(const struct ignored_parts *parts, const struct floor_tiles *tiles,
                               const struct pair *pair, struct ignored_tiles *ignored,
                               ssimcu_message *message)
{
    if (!ignored->tile && !ignored_make(tiles, ignored))
        return ssimcu_no_memory(message, "what is ignored");
    if (parts->width > 0 && (parts->width != pair->width || parts->height != pair->height))
        return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                           "not judged: its ignore_mask is of %u x %u pixels, the frame has %u x "
                           "%u",
                           parts->width, parts->height, pair->width, pair->height);
    ignored_add(parts, pair->x, pair->y, pair->spread, tiles, ignored);
    return SSIMCU_OK;
}

ssimcu_status judge_find_ignored(const struct judge *judge, const struct floor_tiles *tiles,
                                 const struct pair *pair, struct ignored_tiles *ignored,
                                 ssimcu_message *message)
{
    const struct ignored_parts *parts;
    ssimcu_status status = SSIMCU_OK;
    size_t at = 0;
    *ignored = (struct ignored_tiles){0};
    while (judge->ignored && status == SSIMCU_OK &&
           (parts = judge->ignored(judge->user, pair->record, &at)))
        status = leave_out(parts, tiles, pair, ignored, message);
    return status;
}

ssimcu_status judge_ignore(const struct judge *judge, const struct floor_tiles *tiles,
                           struct pair *pair, ssimcu_score *score, struct ignored_tiles *ignored,
                           ssimcu_message *message)
{
    struct record *record = pair->record;
    record->scored.ignored = (ssimcu_ignored){0};
    const ssimcu_status status = judge_find_ignored(judge, tiles, pair, ignored, message);
    if (status != SSIMCU_OK || ignored->count == 0) return status;
    record->scored.ignored =
        (ssimcu_ignored){.tiles = ignored->count,
                         .all = ignored->all,
                         .crc = (uint32_t)crc32(0, ignored->tile, ignored->all),
                         .share = fmin(ignored->share, 1)};
    if (ignored_score(tiles, ignored, score)) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_MISMATCH,
                       "not judged: no tile is left beside what is ignored");
}

ssimcu_status judge_floors(const struct judge *judge, const struct floor_tiles *tiles,
                           const struct ignored_tiles *ignored, uint32_t channels,
                           struct pair *pair, ssimcu_message *message)
{
    struct record *record = pair->record;
    struct floor_frame floor = {0};
    struct floor_values values = {0};
    const double *max_excess = NULL;
    if (!judge->find) return SSIMCU_OK;
    record->floor.known = false; /* the record of a further reference begins as a copy of REF's */
    ssimcu_status status = judge->find(judge->user, record, &floor, &max_excess, message);
    if (status == SSIMCU_OK && floor.mean) {
        if (!floor_values_make(tiles, channels, &values))
            status = ssimcu_no_memory(message, "the floors");
        else if (!floor_same_grid(&floor.grid, &values.grid))
            status = mismatch(&floor.grid, &values.grid, message);
        else
            floor_judge(&floor, &values, ignored->tile, &record->floor);
        record->floor.known = status == SSIMCU_OK;
        if (status == SSIMCU_OK) record->floor.tells = floor_tell(&floor, &values, ignored->tile);
    }
    if (record->floor.known) {
        move(&record->floor, pair);
        if (judge->settle) judge->settle(judge->user, record);
        record->floor.stale = judge->is_stale && judge->is_stale(judge->user, record);
        record->floor_worst = record_floor_worst(max_excess, record->floor.z);
        if (record->floor.tells == FLOOR_TELLS_ALIKE &&
            !(judge->is_tight && judge->is_tight(judge->user, record)))
            record->floor.tells = FLOOR_TELLS_NOTHING;
    }
    floor_values_free(&values);
    floor_frame_free(&floor);
    return status;
}

void judge_hint(const struct record *record, struct hints *hints)
{
    static const char *const kinds[] = {[FLOOR_TELLS_NOISE] = "noise",
                                        [FLOOR_TELLS_DENOISED] = "denoised",
                                        [FLOOR_TELLS_ALIKE] = "seed"};
    if (record->floor.known && record->floor.tells != FLOOR_TELLS_NOTHING)
        hints_add_last(hints, kinds[record->floor.tells]);
}
