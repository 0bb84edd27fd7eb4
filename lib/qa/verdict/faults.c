#include "verdict/faults.h"

#include "facts/metrics.h"
#include "facts/record.h"
#include "metric_table.h"
#include "verdict/limits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BELOW_2 (2 - DBL_EPSILON) /* the largest number there */

/* The lowest value of a frame, of a metric beside SSIM. */
#define FRAME_OF(id, option_name, key, columns, article, words, ...)                               \
    [FAULT_OF_METRIC(SSIMCU_METRIC_##id)] = {.name = "min_frame_" key,                             \
                                             .option = "--min-frame " option_name,                 \
                                             .in_file = "min_frame " option_name,                  \
                                             .metric = SSIMCU_METRIC_##id,                         \
                                             .noun = (option_name),                                \
                                             .title = (words),                                     \
                                             .unjudged = "without " option_name,                   \
                                             .frames = "have " article " " words " below",         \
                                             .pair = words " is below"},

static const struct fault_row ROWS[FAULT_COUNT] = {
    [SSIMCU_LIMIT_MIN_FRAME] = {.name = "min_frame",
                                .option = "--min-frame",
                                .in_file = "min_frame",
                                .noun = "score",
                                .title = "score",
                                .unjudged = "without ssim",
                                .frames = "score below",
                                .pair = "The score is below"},
    [SSIMCU_LIMIT_MIN_TILE] = {.name = "min_tile",
                               .option = "--min-tile",
                               .in_file = "min_tile",
                               .of = FAULT_OF_TILE,
                               .noun = "tile",
                               .title = "worst tile",
                               .extreme = "lowest",
                               .unjudged = "without tiles",
                               .frames = "have a tile below",
                               .pair = "The worst tile is below"},
    [SSIMCU_LIMIT_MAX_DROP] = {.name = "max_drop",
                               .option = "--max-drop",
                               .in_file = "max_drop",
                               .over = true,
                               .drop = true,
                               .most = BELOW_2,
                               .expected = "a number from 0, below 2",
                               .noun = "score",
                               .title = "score",
                               .unjudged = "not in the baseline",
                               .frames = "dropped by more than",
                               .pair = "The drop is more than"},
    [SSIMCU_LIMIT_MAX_TILE_DROP] = {.name = "max_tile_drop",
                                    .option = "--max-tile-drop",
                                    .in_file = "max_tile_drop",
                                    .of = FAULT_OF_TILE,
                                    .over = true,
                                    .drop = true,
                                    .most = BELOW_2,
                                    .expected = "a number from 0, below 2",
                                    .noun = "tile",
                                    .title = "worst tile",
                                    .unjudged = "without a tile in the baseline",
                                    .frames = "have a worst tile that dropped by more than",
                                    .pair = "The drop of the worst tile is more than"},
    [SSIMCU_LIMIT_MAX_SHIFT] = {.name = "max_shift",
                                .option = "--max-shift",
                                .in_file = "max_shift",
                                .of = FAULT_OF_SHIFT,
                                .over = true,
                                .most = 255,
                                .expected = "a number from 0 to 255",
                                .noun = "shift",
                                .title = "largest shift",
                                .extreme = "largest",
                                .unjudged = "without a shift",
                                .frames = "have a tile that is shifted by more than",
                                .pair = "The largest shift is more than"},
    [SSIMCU_LIMIT_MAX_DIFFERING] = {.name = "max_differing",
                                    .option = "--max-differing",
                                    .in_file = "max_differing",
                                    .of = FAULT_OF_PIXELS,
                                    .over = true,
                                    .most = 1,
                                    .expected = "a number from 0 to 1",
                                    .noun = "differing",
                                    .title = "share of pixels that differ",
                                    .extreme = "most",
                                    .unjudged = "without a count of pixels that differ",
                                    .frames = "have a share of pixels that differ over",
                                    .pair = "The share of pixels that differ is over"},
    [SSIMCU_LIMIT_MAX_BLOB] = {.name = "max_blob",
                               .option = "--max-blob",
                               .in_file = "max_blob",
                               .of = FAULT_OF_PIXELS,
                               .over = true,
                               .most = 1e15,
                               .expected = "a number of pixels, from 0",
                               .noun = "blob",
                               .title = "largest group of pixels that differ",
                               .extreme = "largest",
                               .unjudged = "without a count of pixels that differ",
                               .frames = "have a group of pixels that differ over",
                               .pair = "The largest group of pixels that differ is over"},
    [FAULT_FLOOR] = {.name = "floor",
                     .option = "--limits",
                     .in_file = "max_excess",
                     .of = FAULT_OF_FLOOR,
                     .over = true,
                     .title = "beyond its floor",
                     .extreme = "furthest",
                     .unjudged = "without floors for this REF",
                     .frames = "are beyond their floors by more than",
                     .pair = "The pair is beyond its floors by more than"},
    [FAULT_HINT] = {.name = "fail_on_hint",
                    .option = "--fail-on-hint",
                    .in_file = "fail_on_hint",
                    .title = "has a hint of",
                    .frames = "have a hint of",
                    .pair = "The pair has a hint of"},
    [FAULT_MISSING] = {.name = "missing"},
    [FAULT_FAILED] = {.name = "failed"},
    SSIMCU_OTHER_METRICS(FRAME_OF)};

const struct fault_row *faults_row(int fault) { return &ROWS[fault]; }

/* It is here, because limits.c calls this file and must not be called by it. */
double limits_number(const struct limits *limits, int fault)
{
    return limits->has >> fault & 1 ? limits->number[fault] : NAN;
}

const char *faults_side(int fault) { return ROWS[fault].over ? "over" : "under"; }

const char *faults_list(char text[FAULTS_LIST], bool options)
{
    size_t used = 0;
    for (int f = 0; f < FAULT_METRIC; f++)
        used += (size_t)snprintf(text + used, FAULTS_LIST - used, "%s%s", f > 0 ? ", " : "",
                                 options ? ROWS[f].option : ROWS[f].name);
    return text;
}

/* ---- A record against a limit ---------------------------------------------------------------- */

/* Returns whether any rule of floors counts. */
static bool has_rule(const double *max_excess)
{
    bool has = false;
    for (int r = 0; r < FLOOR_RULES; r++) has = has || max_excess[r] > 0;
    return has;
}

bool faults_can_judge(int fault, const struct limits *limits, const struct record *record,
                      const struct verdict_baseline *baseline)
{
    const struct fault_row *row = &ROWS[fault];
    if (row->drop && !baseline) return false;
    switch (row->of) {
    case FAULT_OF_TILE: return record->scored.tile.width > 0 && (!row->drop || baseline->tiled);
    case FAULT_OF_SHIFT: return record->scored.shift.width > 0;
    case FAULT_OF_PIXELS: return record->scored.differing.known;
    case FAULT_OF_FLOOR:
        return record->floor.known && has_rule(limits->max_excess) &&
               (!record->floor.stale || limits->allow_stale);
    default: return record_has(record, row->metric);
    }
}

double faults_before(int fault, const struct verdict_baseline *baseline)
{
    return ROWS[fault].of == FAULT_OF_TILE ? baseline->tile : baseline->score;
}

static bool is_beyond_floor(const double *max_excess, const double z[FLOOR_RULES])
{
    bool beyond = false;
    for (int r = 0; r < FLOOR_RULES; r++)
        beyond = beyond || (max_excess[r] > 0 && z[r] > max_excess[r]);
    return beyond;
}

/* Returns the number that a limit other than floors is held against. */
static double number_of(const struct fault_row *row, const struct record *record,
                        const struct verdict_baseline *baseline)
{
    const ssimcu_differing *differing = &record->scored.differing;
    const bool blob = row == &ROWS[SSIMCU_LIMIT_MAX_BLOB];
    const double value = row->of == FAULT_OF_SHIFT ? fabs(record->scored.shift.levels)
                         : row->of == FAULT_OF_PIXELS
                             ? (blob ? (double)differing->blob : differing->share)
                         : row->of == FAULT_OF_TILE ? record->scored.tile.score
                                                    : record_value(record, row->metric);
    return row->drop ? faults_before((int)(row - ROWS), baseline) - value : value;
}

bool faults_is_beyond(int fault, const struct limits *limits, const struct record *record,
                      const struct verdict_baseline *baseline)
{
    const struct fault_row *row = &ROWS[fault];
    if (row->of == FAULT_OF_FLOOR) return is_beyond_floor(limits->max_excess, record->floor.z);
    const double limit = limits_number(limits, fault), value = number_of(row, record, baseline);
    if (row->over) return value > limit;
    return row->of == FAULT_OF_TILE ? value < limit : !(value >= limit); /* NaN is below */
}

double faults_excess(int fault, const struct limits *limits, const struct record *record,
                     const struct verdict_baseline *baseline)
{
    const struct fault_row *row = &ROWS[fault];
    if (row->of == FAULT_OF_FLOOR) {
        const enum floor_rule worst = record_floor_worst(limits->max_excess, record->floor.z);
        return record->floor.z[worst] / limits->max_excess[worst];
    }
    const double limit = limits_number(limits, fault), value = number_of(row, record, baseline),
                 best = row->over ? 0 : metrics_best(row->metric);
    if (isnan(value)) return INFINITY;
    if (isinf(best)) return exp2((limit - value) / (20 * log10(2))); /* dB: errors to errors */
    return limit == best ? 1 + fabs(value - best) : (value - best) / (limit - best);
}

/* Returns the rule of tiles that is furthest beyond its limit: a rule of the frame has no place. */
static enum floor_rule worst_of_tiles(const double *max_excess, const double z[FLOOR_RULES])
{
    double own[FLOOR_RULES] = {0};
    memcpy(own, max_excess, FLOOR_TILE_RULES * sizeof *own);
    return record_floor_worst(has_rule(own) ? own : max_excess, z);
}

bool faults_place(int fault, const struct limits *limits, const struct record *record,
                  ssimcu_tile *place)
{
    const ssimcu_tile_shift *shift = &record->scored.shift;
    const ssimcu_differing *pixels = &record->scored.differing;
    const struct floor_place *floor;
    switch (ROWS[fault].of) {
    case FAULT_OF_TILE: *place = record->scored.tile; break;
    case FAULT_OF_SHIFT:
        *place = (ssimcu_tile){NAN, shift->x, shift->y, shift->width, shift->height};
        break;
    case FAULT_OF_PIXELS:
        *place = (ssimcu_tile){NAN, (uint32_t)pixels->x, (uint32_t)pixels->y,
                               (uint32_t)pixels->width, (uint32_t)pixels->height};
        break;
    case FAULT_OF_FLOOR:
        floor = &record->floor.place[worst_of_tiles(limits->max_excess, record->floor.z)];
        *place = (ssimcu_tile){NAN, floor->x, floor->y, floor->width, floor->height};
        break;
    default: return false;
    }
    return place->width > 0;
}

const char *faults_text(char text[RECORD_TILE_TEXT], int fault, const struct limits *limits,
                        const struct record *record)
{
    const ssimcu_metric metric = ROWS[fault].metric;
    switch (ROWS[fault].of) {
    case FAULT_OF_TILE: return record_tile_text(text, &record->scored.tile);
    case FAULT_OF_SHIFT:
        return record_shift_text(text, record->scored.layout, &record->scored.shift);
    case FAULT_OF_PIXELS:
        return record_differing_text(text, &record->scored.differing,
                                     fault == SSIMCU_LIMIT_MAX_BLOB);
    case FAULT_OF_FLOOR:
        return record_floor_text(text, record->scored.layout, &record->floor,
                                 record_floor_worst(limits->max_excess, record->floor.z));
    default: return metrics_text(text, metric, record_value(record, metric));
    }
}
