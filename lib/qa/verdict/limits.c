#include "verdict/limits.h"
#include "base/text.h"
#include "facts/record.h"

#include "sequence/sequence.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

int limits_fault(ssimcu_metric metric)
{
    return (metric == SSIMCU_METRIC_SSIM ? SSIMCU_LIMIT_MIN_FRAME : FAULT_OF_METRIC(metric));
}

void limits_set(struct limits *limits, int fault, double number)
{
    limits->number[fault] = number;
    limits->has |= 1u << fault;
}

double limits_score(const struct limits *limits, ssimcu_metric metric)
{
    return limits->has_score >> metric & 1 ? limits->min_score[metric] : NAN;
}

void limits_set_score(struct limits *limits, ssimcu_metric metric, double number)
{
    limits->min_score[metric] = number;
    limits->has_score |= 1u << metric;
}

bool limits_allow(int fault, double number)
{
    const struct fault_row *row = faults_row(fault);
    if (!row->expected) return metrics_allow(row->metric, number);
    return number >= 0 && number <= row->most;
}

const char *limits_expected(int fault)
{
    const struct fault_row *row = faults_row(fault);
    return row->expected ? row->expected : metrics_expected(row->metric);
}

bool limits_has(const struct limits *limits, int fault)
{
    if (fault == FAULT_FLOOR) return limits->max_excess != NULL;
    return fault == FAULT_HINT ? limits->hints != NULL : limits->has >> fault & 1;
}

/* Returns whether a glob is for a record's frame, which is called `name`. NULL is for all. */
static bool matches(const char *glob, const struct record *record, const char *name)
{
    const char *path = record->side[1].path;
    return !glob || fnmatch(glob, name, 0) == 0 || (path && fnmatch(glob, path, 0) == 0);
}

static bool is_for(const struct limits_file *file, size_t at, const struct record *record,
                   const char *name)
{
    const struct limits_rule *rule = &file->rule[at];
    if (rule->in && !ssimcu_ranges_hold(rule->in, record->frame)) return false;
    if (rule->in && rule->in->part && !record_is_of(record, rule->in->part, file->layers))
        return false;
    return matches(rule->match, record, name);
}

/* Takes the limits of a rule over, except those that are options. */
static void take_rule(struct limits *own, const struct limits *options,
                      const struct limits_rule *rule)
{
    for (int f = 0; f < FAULT_MISSING; f++) {
        if (!limits_has(&rule->limits, f) || limits_has(options, f)) continue;
        own->rule[f] = rule->name;
        if (f == FAULT_HINT)
            own->hints = rule->limits.hints;
        else
            limits_set(own, f, limits_number(&rule->limits, f));
    }
    if (rule->names_missing && !options->allow_missing)
        own->allow_missing = rule->limits.allow_missing;
}

/* Returns the last shot that is for a frame; NULL: there is none. The path of OUT does not count: a
 * folder of renders may be called as a shot. */
static const struct limits_shot *find_shot(const struct limits_floors *floors, const char *name)
{
    const struct limits_shot *found = NULL;
    for (size_t i = 0; i < floors->shots; i++)
        if (fnmatch(floors->shot[i].match, name, 0) == 0) found = &floors->shot[i];
    return found;
}

const double *limits_excess(const struct limits_floors *floors, const struct record *record)
{
    char name[TEXT_FRAME];
    const struct limits_shot *shot =
        find_shot(floors, text_frame(name, record->part, record->frame));
    return shot ? shot->max_excess : NULL;
}

/* Takes the limits of the shot that is for a frame. A frame of a shot that was never learnt has a
 * limit that nothing can be held against. */
static void take_shot(struct limits *own, const struct limits_floors *floors, const char *name)
{
    static const double none[FLOOR_RULES];
    const struct limits_shot *shot = find_shot(floors, name);
    own->max_excess = shot ? shot->max_excess : none;
    own->rule[FAULT_FLOOR] = shot ? shot->match : "floors";
}

struct limits limits_for(const struct limits *limits, const struct record *record,
                         uint64_t *matched)
{
    const struct limits_file *file = limits->file;
    struct limits own = *limits;
    char name[TEXT_FRAME];
    own.file = NULL;
    if (file) (void)text_frame(name, record->part, record->frame);
    for (size_t i = 0; file && i < file->rules; i++) {
        if (!is_for(file, i, record, name)) continue;
        take_rule(&own, limits, &file->rule[i]);
        if (matched) matched[i]++;
    }
    if (file && file->floors.path) take_shot(&own, &file->floors, name);
    return own;
}

const struct ignored_parts *limits_next_ignored(void *user, const struct record *record, size_t *at)
{
    const struct limits_file *file = user;
    char name[TEXT_FRAME];
    (void)text_frame(name, record->part, record->frame);
    while (*at < 2 * file->rules) {
        const size_t number = *at / 2;
        const struct limits_rule *rule = &file->rule[number];
        const bool masked = (*at)++ % 2 == 1;
        const struct ignored_parts *parts = masked ? &rule->mask : &rule->ignore;
        if ((masked ? rule->mask_path != NULL : parts->count > 0) &&
            is_for(file, number, record, name))
            return parts;
    }
    return NULL;
}

const struct compare_rule *limits_compare(void *user, const struct record *record)
{
    const struct limits_file *file = user;
    const struct compare_rule *found = NULL;
    char name[TEXT_FRAME];
    (void)text_frame(name, record->part, record->frame);
    for (size_t i = 0; i < file->rules; i++) {
        const struct compare_rule *own = &file->rule[i].compare;
        if ((own->as != COMPARE_BY_NAME || own->has_range) && is_for(file, i, record, name))
            found = own;
    }
    return found;
}

unsigned limits_file_has(const struct limits_file *file)
{
    unsigned has = 0;
    for (size_t i = 0; file && i < file->rules; i++)
        for (int f = 0; f < FAULT_MISSING; f++)
            has |= (unsigned)limits_has(&file->rule[i].limits, f) << f;
    if (file && file->floors.path) has |= 1u << FAULT_FLOOR;
    return has;
}
