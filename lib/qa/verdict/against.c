#include "verdict/against.h"

#include "record/record.h"
#include "verdict/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Defined here, because limits.c calls this file and must not be called by it. */
double limits_number(const struct limits *limits, int fault)
{
    return limits->has >> fault & 1 ? limits->number[fault] : NAN;
}

const char *limit_side(int fault) { return finding_row(fault)->over ? "over" : "under"; }

const char *limit_list(char text[LIMIT_LIST], bool options)
{
    size_t used = 0;
    for (int f = 0; f < FINDING_METRIC; f++)
        used += (size_t)snprintf(text + used, LIMIT_LIST - used, "%s%s", f > 0 ? ", " : "",
                                 options ? finding_row(f)->option : finding_row(f)->name);
    return text;
}

/* ---- A record against a limit ---------------------------------------------------------------- */

/* Returns whether any rule of learned limits has a limit. */
static bool has_rule(const double *max_excess)
{
    for (int r = 0; r < LEARNED_RULES; r++)
        if (max_excess[r] > 0) return true;
    return false;
}

bool limit_can_judge(int fault, const struct limits *limits, const struct record *record,
                     const struct verdict_baseline *baseline)
{
    const struct finding_row *row = finding_row(fault);
    if (row->drop && !baseline) return false;
    switch (row->of) {
    case FINDING_OF_TILE: return record->scored.tile.width > 0 && (!row->drop || baseline->tiled);
    case FINDING_OF_LEVEL_SHIFT: return record->scored.level_shift.width > 0;
    case FINDING_OF_PIXELS: return record->scored.diff.known;
    case FINDING_OF_LEARNED:
        return record->learned.known && has_rule(limits->max_excess) &&
               (!record->learned.stale || limits->allow_stale);
    default: return record_has(record, row->metric);
    }
}

double limit_before(int fault, const struct verdict_baseline *baseline)
{
    return finding_row(fault)->of == FINDING_OF_TILE ? baseline->tile : baseline->score;
}

static bool is_beyond_learned(const double *max_excess, const double z[LEARNED_RULES])
{
    for (int r = 0; r < LEARNED_RULES; r++)
        if (max_excess[r] > 0 && z[r] > max_excess[r]) return true;
    return false;
}

/* Returns the number that a limit judges, except for learned limits. */
static double number_of(int fault, const struct record *record,
                        const struct verdict_baseline *baseline)
{
    const struct finding_row *row = finding_row(fault);
    const double value = row->number ? row->number(record) : record_value(record, row->metric);
    return row->drop ? limit_before(fault, baseline) - value : value;
}

bool limit_is_beyond(int fault, const struct limits *limits, const struct record *record,
                     const struct verdict_baseline *baseline)
{
    const struct finding_row *row = finding_row(fault);
    if (row->of == FINDING_OF_LEARNED)
        return is_beyond_learned(limits->max_excess, record->learned.z);
    const double limit = limits_number(limits, fault), value = number_of(fault, record, baseline);
    if (row->over) return value > limit;
    return row->of == FINDING_OF_TILE ? value < limit : !(value >= limit); /* NaN is below */
}

double limit_value(int fault, const struct limits *limits, const struct record *record,
                   const struct verdict_baseline *baseline)
{
    if (finding_row(fault)->of != FINDING_OF_LEARNED) return number_of(fault, record, baseline);
    return record->learned.z[record_learned_worst(limits->max_excess, record->learned.z)];
}

double limit_excess(int fault, const struct limits *limits, const struct record *record,
                    const struct verdict_baseline *baseline)
{
    const struct finding_row *row = finding_row(fault);
    if (row->of == FINDING_OF_LEARNED) {
        const enum learned_rule worst = record_learned_worst(limits->max_excess, record->learned.z);
        return record->learned.z[worst] / limits->max_excess[worst];
    }
    const double limit = limits_number(limits, fault), value = number_of(fault, record, baseline),
                 best = row->over ? 0 : metrics_best(row->metric);
    if (isnan(value)) return INFINITY;
    if (isinf(best)) return exp2((limit - value) / (20 * log10(2))); /* dB: the ratio of errors */
    return limit == best ? 1 + fabs(value - best) : (value - best) / (limit - best);
}

/* Returns the rule of tiles that is furthest beyond its limit. A rule of the frame has no place. */
static enum learned_rule worst_of_tiles(const double *max_excess, const double z[LEARNED_RULES])
{
    double of_tiles[LEARNED_RULES] = {0};
    memcpy(of_tiles, max_excess, LEARNED_TILE_RULES * sizeof *of_tiles);
    return record_learned_worst(has_rule(of_tiles) ? of_tiles : max_excess, z);
}

bool limit_place(int fault, const struct limits *limits, const struct record *record,
                 ssimcu_tile *place)
{
    const ssimcu_level_shift *shift = &record->scored.level_shift;
    const ssimcu_diff *pixels = &record->scored.diff;
    const struct learned_place *learned;
    switch (finding_row(fault)->of) {
    case FINDING_OF_TILE: *place = record->scored.tile; break;
    case FINDING_OF_LEVEL_SHIFT:
        *place = (ssimcu_tile){NAN, shift->x, shift->y, shift->width, shift->height};
        break;
    case FINDING_OF_PIXELS:
        *place = (ssimcu_tile){NAN, (uint32_t)pixels->x, (uint32_t)pixels->y,
                               (uint32_t)pixels->width, (uint32_t)pixels->height};
        break;
    case FINDING_OF_LEARNED:
        learned = &record->learned.place[worst_of_tiles(limits->max_excess, record->learned.z)];
        *place = (ssimcu_tile){NAN, learned->x, learned->y, learned->width, learned->height};
        break;
    default: return false;
    }
    return place->width > 0;
}

const char *limit_text(char text[RECORD_TILE_TEXT], int fault, const struct limits *limits,
                       const struct record *record)
{
    const struct finding_row *row = finding_row(fault);
    switch (row->of) {
    case FINDING_OF_TILE: return record_tile_text(text, &record->scored.tile);
    case FINDING_OF_LEVEL_SHIFT:
        return record_level_shift_text(text, record->scored.layout, &record->scored.level_shift);
    case FINDING_OF_PIXELS: return record_diff_text(text, &record->scored.diff, row->counts);
    case FINDING_OF_LEARNED:
        return record_learned_text(text, record->scored.layout, &record->learned,
                                   record_learned_worst(limits->max_excess, record->learned.z));
    default: return metrics_text(text, row->metric, record_value(record, row->metric));
    }
}
