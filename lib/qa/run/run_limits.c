/* The limits that a file has for a run, and the floors beside them. */
#include "run/run.h"

#include "base/refuse.h"
#include "limits/limits_file.h"
#include "limits/reference.h"

#include "fail.h"

#include <string.h>

/* Finds the floors of a frame, and how far it may be beyond them. */
static ssimcu_status find(void *user, const struct record *record, struct floor_frame *floor,
                          const double **max_excess, ssimcu_message *message)
{
    const struct ssimcu_run *run = user;
    struct limits limits = run->options.limits;
    limits.file = &run->limits;
    *max_excess = limits_for(&limits, record, NULL).max_excess;
    return floors_file_find(run->floors, record->part, record->frame, floor, message);
}

/* Returns whether the floors of a frame were learnt against another reference. */
static bool is_stale(void *user, const struct record *record)
{
    const struct ssimcu_run *run = user;
    struct floor_reference reference;
    return floors_file_reference(run->floors, record->part, record->frame, &reference) &&
           reference_is_other(&record->side[0], &reference);
}

/* Returns whether a record that keeps to its floors is beyond a limit of the same numbers. */
static bool is_tight(void *user, const struct record *record)
{
    const struct ssimcu_run *run = user;
    struct limits limits = run->options.limits;
    limits.file = &run->limits;
    const unsigned faults = verdict_judge(&limits, record, NULL, NULL).faults;
    return !(faults & 1u << FAULT_FLOOR) &&
           faults & (1u << FAULT_FRAME | 1u << FAULT_TILE | 1u << FAULT_SHIFT); /* of SSIM */
}

/* Returns the next parts that are ignored in a frame. */
static const struct ignored_parts *next_ignored(void *user, const struct record *record, size_t *at)
{
    return limits_next_ignored(&((const struct ssimcu_run *)user)->limits, record, at);
}

const struct judge *run_judge(const struct ssimcu_run *run)
{
    return run->judging.find || run->judging.ignored ? &run->judging : NULL;
}

/* Makes the tiles those of the floors. */
static ssimcu_status take_tile(struct options *options, const struct limits_file *file,
                               ssimcu_message *message)
{
    const uint32_t tile = file->floors.tile;
    if (options->run.tile != 0 && options->tile != tile)
        return refuse(message, "--tile %u: the floors of %.300s are of tiles of %u pixels",
                      options->tile, file->path, tile);
    options->tile = tile;
    return SSIMCU_OK;
}

/* Opens the floors. Those of another calibration would judge by numbers that the limits are not of:
 * a checkout may have one file of two, and a calibration may be killed between both. */
static ssimcu_status open_floors(struct ssimcu_run *run, ssimcu_message *message)
{
    const struct limits_floors *named = &run->limits.floors;
    const ssimcu_status status = floors_file_open(named->path, &run->floors, message);
    if (status != SSIMCU_OK || strcmp(floors_file_print(run->floors), named->print) == 0)
        return status;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.200s: is of another calibration than %.200s: expected the two files that "
                       "one call of calibrate wrote",
                       named->path, run->limits.path);
}

ssimcu_status run_read_limits(struct ssimcu_run *run, ssimcu_message *message)
{
    struct options *options = &run->options;
    if (!options->run.limits_file) return SSIMCU_OK;
    const ssimcu_status status = limits_file_read(options->run.limits_file, &run->limits, message);
    const char *floors = run->limits.floors.path;
    if (status != SSIMCU_OK) return status;
    options->limits_read = &run->limits;
    run->limits.layers = options->input.layers;
    run->judging =
        (struct judge){.ignored = run->limits.ignored[0] ? next_ignored : NULL, .user = run};
    if (!floors) return options_check_tile(options, message);
    options->floors = floors;
    if (options->run.merges > 0) return SSIMCU_OK; /* the merged results have numbers and tiles */
    run->judging.find = find;
    run->judging.is_stale = is_stale;
    run->judging.is_tight = is_tight;
    const ssimcu_status good = take_tile(options, &run->limits, message);
    return good == SSIMCU_OK ? open_floors(run, message) : good;
}
