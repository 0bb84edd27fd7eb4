/* The limits that a file has for a run, and the floors beside them. */
#include "run/run.h"

#include "base/refuse.h"
#include "facts/record.h"
#include "limits/limits_file.h"
#include "limits/reference.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

struct limits run_limits(const struct ssimcu_run *run)
{
    struct limits limits = run->options.limits;
    limits.file = &run->limits;
    return limits;
}

/* Returns the floors that judge a record, and *limits, what the file of their reference says. */
static struct floors_file *floors_of(const struct ssimcu_run *run, const struct record *record,
                                     const struct limits_floors **limits)
{
    const struct limits_floors *own = &run->limits.floors;
    *limits = record->reference > 0 ? &own->look[record->reference - 1].floors : own;
    return record->reference > 0 ? run->others[record->reference - 1] : run->floors;
}

/* Returns whether a look limits some rule that REF limits, too. No other rule of it counts. */
static bool has_common_rule(const double *own, const double *look)
{
    bool common = false;
    for (int r = 0; own && look && r < FLOOR_RULES; r++)
        common = common || (own[r] > 0 && look[r] > 0);
    return common;
}

/* Finds the floors of a frame, and how far it may be beyond them. A frame of a look without a limit
 * that counts is not judged. */
static ssimcu_status find(void *user, const struct record *record, struct floor_frame *floor,
                          const double **max_excess, ssimcu_message *message)
{
    const struct ssimcu_run *run = user;
    const struct limits limits = run_limits(run);
    *max_excess = limits_for(&limits, record, NULL).max_excess;
    const struct limits_floors *own;
    struct floors_file *floors = floors_of(run, record, &own);
    if (record->reference > 0 && !has_common_rule(*max_excess, limits_excess(own, record)))
        return SSIMCU_OK;
    return floors_file_find(floors, record->part, record->frame, floor, message);
}

/* Makes how far a record is beyond the floors of another look as large a part of REF's limits as it
 * is of that look's. So one file of limits judges all records, also when they are merged. */
static void settle(void *user, struct record *record)
{
    const struct ssimcu_run *run = user;
    const struct limits_floors *look;
    if (record->reference == 0) return;
    (void)floors_of(run, record, &look);
    const double *to = limits_excess(&run->limits.floors, record),
                 *from = limits_excess(look, record);
    for (int r = 0; r < FLOOR_RULES && to && from; r++)
        if (to[r] > 0) record->floor.z[r] = from[r] > 0 ? record->floor.z[r] * to[r] / from[r] : 0;
}

/* Returns whether the floors of a frame were learnt against another reference. */
static bool is_stale(void *user, const struct record *record)
{
    const struct ssimcu_run *run = user;
    const struct limits_floors *limits;
    const struct floors_file *floors = floors_of(run, record, &limits);
    struct floor_reference reference;
    return floors_file_reference(floors, record->part, record->frame, &reference) &&
           reference_is_other(record->variant.path ? &record->variant : &record->side[0],
                              &reference);
}

/* Returns whether a record that keeps to its floors is beyond a limit of the same numbers. */
static bool is_tight(void *user, const struct record *record)
{
    const struct ssimcu_run *run = user;
    const struct limits limits = run_limits(run);
    const unsigned faults = verdict_judge(&limits, record, NULL, NULL).faults;
    return !(faults & 1u << FAULT_FLOOR) &&
           faults & (1u << SSIMCU_LIMIT_MIN_FRAME | 1u << SSIMCU_LIMIT_MIN_TILE |
                     1u << SSIMCU_LIMIT_MAX_SHIFT); /* of SSIM */
}

/* Returns the next parts that are ignored in a frame. */
static const struct ignored_parts *next_ignored(void *user, const struct record *record, size_t *at)
{
    return limits_next_ignored(&((struct ssimcu_run *)user)->limits, record, at);
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
static ssimcu_status open_floors(const struct limits_floors *named, const char *limits,
                                 struct floors_file **floors, ssimcu_message *message)
{
    const ssimcu_status status = floors_file_open(named->path, floors, message);
    if (status != SSIMCU_OK || strcmp(floors_file_print(*floors), named->print) == 0) return status;
    return ssimcu_fail(message, SSIMCU_ERROR_DATA,
                       "%.200s: is of another calibration than %.200s: expected the two files that "
                       "one call of calibrate wrote",
                       named->path, limits);
}

/* Opens the floors of REF and of all looks. */
static ssimcu_status open_all(struct ssimcu_run *run, ssimcu_message *message)
{
    const struct limits_floors *own = &run->limits.floors;
    if (run->options.run.variants > own->looks)
        return refuse(message,
                      "--or: floors are of one reference, and further ones have noise of their "
                      "own: calibrate each, and name their limits in %.200s (floors: \"or\"), or "
                      "score twice",
                      run->limits.path);
    run->others = calloc(own->looks + 1, sizeof *run->others);
    if (!run->others) return no_memory(message);
    ssimcu_status status = open_floors(own, run->limits.path, &run->floors, message);
    for (size_t i = 0; i < own->looks && status == SSIMCU_OK; i++)
        status = open_floors(&own->look[i].floors, own->look[i].path, &run->others[i], message);
    return status;
}

static int by_order(const void *a, const void *b)
{
    const struct source_frame *x = a, *y = b;
    return record_order(x->part, x->frame, y->part, y->frame);
}

/* Expects the frames that have floors: one that is gone on both sides has not been judged. */
static ssimcu_status expect_frames(struct ssimcu_run *run, ssimcu_message *message)
{
    struct source_frame frame;
    size_t at = 0, count = 0;
    run->expected = calloc(floors_file_frames(run->floors) + 1, sizeof *run->expected);
    if (!run->expected) return no_memory(message);
    while (floors_file_next(run->floors, &at, &frame.part, &frame.frame))
        run->expected[count++] = frame;
    qsort(run->expected, count, sizeof *run->expected, by_order);
    run->input.expected = run->expected;
    run->input.expected_count = count;
    return SSIMCU_OK;
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
    run->judging = (struct judge){.ignored = run->limits.ignored[0] ? next_ignored : NULL,
                                  .tile = run->limits.floors.tile,
                                  .user = run};
    if (run->limits.compared[0]) run->input.compare = limits_compare;
    run->input.user = &run->limits;
    if (!floors) return options_check_tile(options, message);
    options->floors = floors;
    ssimcu_status good = limits_looks_read(&run->limits, message);
    if (options->run.merges == 0) { /* merged results have numbers and tiles */
        run->judging.find = find;
        run->judging.settle = settle;
        run->judging.is_stale = is_stale;
        run->judging.is_tight = is_tight;
        if (good == SSIMCU_OK) good = take_tile(options, &run->limits, message);
        if (good == SSIMCU_OK) good = open_all(run, message);
        if (good == SSIMCU_OK) good = expect_frames(run, message);
    }
    if (good == SSIMCU_OK) limits_looks_fingerprint(&run->limits.floors);
    return good;
}

ssimcu_status run_expect_frames(struct ssimcu_run *run, ssimcu_message *message)
{
    const struct limits_file *limits = &run->limits;
    if (!limits->floors.path) return SSIMCU_OK;
    const ssimcu_status status = open_floors(&limits->floors, limits->path, &run->floors, message);
    return status == SSIMCU_OK ? expect_frames(run, message) : status;
}

void run_offer_floors(struct ssimcu_run *run)
{
    const struct limits_file *limits = &run->limits;
    ssimcu_message why;
    if (!limits->floors.path || !run->options.run.report) return;
    if (!run->floors &&
        open_floors(&limits->floors, limits->path, &run->floors, &why) != SSIMCU_OK) {
        floors_file_close(run->floors);
        run->floors = NULL;
    }
    if (run->floors) run->judging.find = find;
}

void run_miss_behind(const struct ssimcu_run *run, uint32_t out, int64_t end)
{
    const struct source_input *input = &run->input;
    for (size_t k = 0; k < input->expected_count; k++) {
        struct record record = {.frame = input->expected[k].frame, .out = out};
        if (input->expected[k].part || record.frame < end) continue;
        for (int side = 0; side < 2; side++) record_miss(&record, side);
        if (!delivery_take(&run->out[out].delivery, &record, false)) return;
    }
}
