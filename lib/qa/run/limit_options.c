#include "run/limit_options.h"

#include "fail.h"
#include "hints/hints.h"

#include <stdio.h>

/* Checks a list of kinds of hints, or none. */
static ssimcu_status check_kinds(const char *list, ssimcu_message *message)
{
    char kinds[HINTS_KINDS * HINT_BYTES] = "";
    if (!list || hints_are_kinds(list)) return SSIMCU_OK;
    for (size_t i = 0, used = 0; i < HINTS_KINDS; i++)
        used += (size_t)snprintf(kinds + used, sizeof kinds - used, " %s", hints_kinds[i]);
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                       "--fail-on-hint %.40s: expected kinds with commas between:%s", list, kinds);
}

/* A value that is not a number is in no range. */
ssimcu_status limit_options_check(const ssimcu_run_options *given, ssimcu_message *message)
{
    static const char *const scores = "a number above -1, at most 1",
                             *const drops = "a number from 0, below 2",
                             *const levels = "a number from 0 to 255";
    const struct {
        uint32_t limit;
        bool good;
        const char *name, *expected;
    } rows[] = {
        {SSIMCU_LIMIT_SCORE, given->min_score > -1 && given->min_score <= 1, "--min-score", scores},
        {SSIMCU_LIMIT_FRAME, given->min_frame > -1 && given->min_frame <= 1, "--min-frame", scores},
        {SSIMCU_LIMIT_TILE, given->min_tile > -1 && given->min_tile <= 1, "--min-tile", scores},
        {SSIMCU_LIMIT_DROP, given->max_drop >= 0 && given->max_drop < 2, "--max-drop", drops},
        {SSIMCU_LIMIT_TILE_DROP, given->max_tile_drop >= 0 && given->max_tile_drop < 2,
         "--max-tile-drop", drops},
        {SSIMCU_LIMIT_SHIFT, given->max_shift >= 0 && given->max_shift <= 255, "--max-shift",
         levels}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((given->limits & rows[i].limit) && !rows[i].good)
            return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s: expected %s", rows[i].name,
                               rows[i].expected);
    return check_kinds(given->fail_on_hint, message);
}

void limit_options_take(const ssimcu_run_options *given, struct limits *limits)
{
    *limits = (struct limits)LIMITS_NONE;
    if (given->limits & SSIMCU_LIMIT_SCORE) limits->min_score = given->min_score;
    if (given->limits & SSIMCU_LIMIT_FRAME) limits->min_frame = given->min_frame;
    if (given->limits & SSIMCU_LIMIT_TILE) limits->min_tile = given->min_tile;
    if (given->limits & SSIMCU_LIMIT_DROP) limits->max_drop = given->max_drop;
    if (given->limits & SSIMCU_LIMIT_TILE_DROP) limits->max_tile_drop = given->max_tile_drop;
    if (given->limits & SSIMCU_LIMIT_SHIFT) limits->max_shift = given->max_shift;
    limits->hints = given->fail_on_hint;
    limits->max_bad = given->max_bad;
    limits->allow_missing = given->missing == SSIMCU_MISSING_SKIP;
}

/* Returns the name of a limit, an option's or a file's, if it is among `faults`; else NULL. */
static const char *find_limit(const struct limits *limits, unsigned faults)
{
    for (int f = 0; f < FAULT_MISSING; f++) {
        if (!(faults >> f & 1)) continue;
        if (limits_has(limits, f)) return verdict_options[f];
        if (limits_file_has(limits->file) >> f & 1) return verdict_fault_names[f];
    }
    return NULL;
}

ssimcu_status limit_options_match(const struct options *options, const struct limits *limits,
                                  ssimcu_message *message)
{
    static const unsigned drops = 1u << FAULT_DROP | 1u << FAULT_TILE_DROP,
                          tiles = 1u << FAULT_TILE | 1u << FAULT_TILE_DROP | 1u << FAULT_SHIFT;
    const char *drop = find_limit(limits, drops), *tiled = find_limit(limits, tiles);
    const bool later = options->batch.limits && !limits->file; /* the file is not read yet */
    if (!options->batch.baseline && drop && limits->file)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%.300s: %s needs --baseline",
                           limits->file->path, drop);
    if (options->batch.baseline ? !drop && !later : drop != NULL)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--baseline and --max-drop or --max-tile-drop need each other");
    if (options->tile > 0 || !tiled) return SSIMCU_OK;
    return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s needs tiles, --tile 0 makes none",
                       tiled);
}
