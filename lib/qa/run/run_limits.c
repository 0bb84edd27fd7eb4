/* The limits of a run from a file, and its learned limits. */
#include "run/run.h"

#include "base/refuse.h"
#include "limits/limits_file.h"
#include "limits/reference.h"
#include "record/record.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

struct limits run_limits(const struct ssimcu_run *run)
{
    struct limits limits = run->options.limits;
    limits.file = &run->limits;
    return limits;
}

/* Returns the learned limits that judge a record, and sets *limits to the limits in the file of
 * their reference. */
static struct learned_file *learned_of(const struct ssimcu_run *run, const struct record *record,
                                       const struct limits_learned **limits)
{
    const struct limits_learned *own = &run->limits.learned;
    *limits = record->reference > 0 ? &own->variant[record->reference - 1].learned : own;
    return record->reference > 0 ? run->others[record->reference - 1] : run->learned;
}

/* Returns whether a variant limits a rule that REF limits, too. Its other rules do not count. */
static bool has_common_rule(const double *ref, const double *variant)
{
    for (int r = 0; ref && variant && r < LEARNED_RULES; r++)
        if (ref[r] > 0 && variant[r] > 0) return true;
    return false;
}

/* Finds the learned limits of a frame, and how far it may be over them. A frame of a variant
 * without a limit that counts is not judged. */
static ssimcu_status find(void *user, const struct record *record, struct learned_frame *found,
                          const double **max_excess, ssimcu_message *message)
{
    const struct ssimcu_run *run = user;
    const struct limits limits = run_limits(run);
    *max_excess = limits_for(&limits, record, NULL).max_excess;
    const struct limits_learned *own;
    struct learned_file *file = learned_of(run, record, &own);
    if (record->reference > 0 && !has_common_rule(*max_excess, limits_excess(own, record)))
        return SSIMCU_OK;
    return learned_file_find(file, record->shot, record->frame, found, message);
}

/* Scales a record's excess over a variant's learned limits to REF's limits, so that its share of
 * the limit stays the same. So one limits file judges all records, even after a merge. */
static void settle(void *user, struct record *record)
{
    const struct ssimcu_run *run = user;
    const struct limits_learned *variant;
    if (record->reference == 0) return;
    (void)learned_of(run, record, &variant);
    const double *to = limits_excess(&run->limits.learned, record),
                 *from = limits_excess(variant, record);
    for (int r = 0; r < LEARNED_RULES && to && from; r++)
        if (to[r] > 0)
            record->learned.z[r] = from[r] > 0 ? record->learned.z[r] * to[r] / from[r] : 0;
}

/* Returns whether the limits of a frame were learned from another reference. */
static bool is_stale(void *user, const struct record *record)
{
    const struct ssimcu_run *run = user;
    const struct limits_learned *limits;
    const struct learned_file *learned = learned_of(run, record, &limits);
    struct learned_reference reference;
    return learned_file_reference(learned, record->shot, record->frame, &reference) &&
           reference_is_other(record->variant.path ? &record->variant : &record->side[0],
                              &reference);
}

/* Returns whether a record within its learned limits is beyond a limit on the same numbers. */
static bool is_tight(void *user, const struct record *record)
{
    const struct ssimcu_run *run = user;
    const struct limits limits = run_limits(run);
    const finding_mask faults = verdict_judge(&limits, record, NULL, NULL).fails;
    return !(faults & finding_bit(FINDING_LEARNED)) &&
           faults & (1u << SSIMCU_LIMIT_MIN_FRAME | 1u << SSIMCU_LIMIT_MIN_TILE |
                     1u << SSIMCU_LIMIT_MAX_LEVEL_SHIFT); /* limits of SSIM */
}

/* Returns the next ignored areas of a frame. */
static const struct ignored_areas *next_ignored(void *user, const struct record *record, size_t *at)
{
    return limits_next_ignored(&((struct ssimcu_run *)user)->limits, record, at);
}

const struct judge *run_judge(const struct ssimcu_run *run)
{
    return run->judging.find || run->judging.ignored ? &run->judging : NULL;
}

/* Sets the tiles to those of the learned limits. */
static ssimcu_status take_tile(struct options *options, const struct limits_file *file,
                               ssimcu_message *message)
{
    const uint32_t tile = file->learned.tile;
    if (options->run.tile != 0 && options->tile != tile)
        FAIL(ARGUMENT, "--tile %u: the learned limits of %.300s have tiles of %u pixels",
             options->tile, file->path, tile);
    options->tile = tile;
    return SSIMCU_OK;
}

/* Opens the learned limits. It refuses those of another calibration, which do not match the limits.
 * A checkout may have only one of the two files, and a calibration may be killed between writing
 * them. */
static ssimcu_status open_learned(const struct limits_learned *named, const char *limits,
                                  struct learned_file **learned, ssimcu_message *message)
{
    TRY(learned_file_open(named->path, learned, message));
    if (strcmp(learned_file_print(*learned), named->print) == 0) return SSIMCU_OK;
    FAIL(DATA,
         "%.200s is from another calibration than %.200s: expected the two files that one call of "
         "calibrate wrote",
         named->path, limits);
}

/* Opens the learned limits of REF and of all variants. */
static ssimcu_status open_all(struct ssimcu_run *run, ssimcu_message *message)
{
    const struct limits_learned *own = &run->limits.learned;
    if (run->options.run.variants > own->variants)
        FAIL(ARGUMENT,
             "--or: learned limits belong to one reference: calibrate each variant and name its "
             "limits in %.200s (learned: \"or\"), or score twice",
             run->limits.path);
    run->others = calloc(own->variants + 1, sizeof *run->others);
    if (!run->others) return no_memory(message);
    TRY(open_learned(own, run->limits.path, &run->learned, message));
    for (size_t i = 0; i < own->variants; i++)
        TRY(open_learned(&own->variant[i].learned, own->variant[i].path, &run->others[i], message));
    return SSIMCU_OK;
}

static int by_order(const void *a, const void *b)
{
    const struct source_frame *x = a, *y = b;
    return record_order(x->shot, x->frame, y->shot, y->frame);
}

/* Expects the frames that have learned limits, because a frame missing on both sides was not
 * judged.
 */
static ssimcu_status expect_frames(struct ssimcu_run *run, ssimcu_message *message)
{
    struct source_frame frame;
    size_t at = 0, count = 0;
    run->expected = calloc(learned_file_frames(run->learned) + 1, sizeof *run->expected);
    if (!run->expected) return no_memory(message);
    while (learned_file_next(run->learned, &at, &frame.shot, &frame.frame))
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
    TRY(limits_file_read(options->run.limits_file, &run->limits, message));
    const char *learned = run->limits.learned.path;
    options->limits_read = &run->limits;
    run->limits.layers = options->input.layers;
    run->judging = (struct judge){.ignored = run->limits.ignored[0] ? next_ignored : NULL,
                                  .tile = run->limits.learned.tile,
                                  .user = run};
    if (run->limits.compared[0]) run->input.compare = limits_compare;
    run->input.user = &run->limits;
    if (!learned) return options_check_tile(options, message);
    options->learned = learned;
    TRY(limits_variants_read(&run->limits, message));
    if (options->run.merges == 0) { /* merged results have numbers and tiles */
        run->judging.find = find;
        run->judging.settle = settle;
        run->judging.is_stale = is_stale;
        run->judging.is_tight = is_tight;
        TRY(take_tile(options, &run->limits, message));
        TRY(open_all(run, message));
        TRY(expect_frames(run, message));
    }
    limits_variants_fingerprint(&run->limits.learned);
    return SSIMCU_OK;
}

ssimcu_status run_expect_frames(struct ssimcu_run *run, ssimcu_message *message)
{
    const struct limits_file *limits = &run->limits;
    if (!limits->learned.path) return SSIMCU_OK;
    TRY(open_learned(&limits->learned, limits->path, &run->learned, message));
    return expect_frames(run, message);
}

void run_offer_learned(struct ssimcu_run *run)
{
    const struct limits_file *limits = &run->limits;
    ssimcu_message why;
    if (!limits->learned.path || !run->options.run.report) return;
    if (!run->learned &&
        open_learned(&limits->learned, limits->path, &run->learned, &why) != SSIMCU_OK) {
        learned_file_close(run->learned);
        run->learned = NULL;
    }
    if (run->learned) run->judging.find = find;
}

void run_miss_behind(const struct ssimcu_run *run, uint32_t out, int64_t end)
{
    const struct source_input *input = &run->input;
    for (size_t k = 0; k < input->expected_count; k++) {
        struct record record = {.frame = input->expected[k].frame, .out = out};
        if (input->expected[k].shot || record.frame < end) continue;
        for (int side = 0; side < 2; side++) record_miss(&record, side);
        const bool going = delivery_take(&run->out[out].delivery, &record, false);
        record_clear(&record);
        if (!going) return;
    }
}
