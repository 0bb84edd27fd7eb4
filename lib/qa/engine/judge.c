#include "engine/judge.h"

#include "fail.h"

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

ssimcu_status judge_pair(const struct judge_floors *floors, const struct floor_tiles *tiles,
                         struct pair *pair, ssimcu_message *message)
{
    struct record *record = &pair->record;
    struct floor_frame floor = {0};
    struct floor_values values = {0};
    const double *max_excess = NULL;
    ssimcu_status status = floors->find(floors->user, record, &floor, &max_excess, message);
    if (status == SSIMCU_OK && floor.mean) {
        if (!floor_values_make(tiles, record->channels, &values))
            status = ssimcu_fail(message, SSIMCU_ERROR_MEMORY, "out of memory for the floors");
        else if (!floor_same_grid(&floor.grid, &values.grid))
            status = mismatch(&floor.grid, &values.grid, message);
        else
            floor_judge(&floor, &values, &record->floor);
        record->floor.known = status == SSIMCU_OK;
    }
    if (record->floor.known) {
        move(&record->floor, pair);
        record->floor_worst = record_floor_worst(max_excess, record->floor.z);
    }
    floor_values_free(&values);
    floor_frame_free(&floor);
    return status;
}
