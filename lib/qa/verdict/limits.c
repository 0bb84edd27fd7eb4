#include "verdict/limits.h"
#include "base/text.h"
#include "record/record.h"

#include "sequence/sequence.h"

#include <fnmatch.h>
#include <math.h>

int limits_fault(ssimcu_metric metric)
{
    return (metric == SSIMCU_METRIC_SSIM ? SSIMCU_LIMIT_MIN_FRAME : FINDING_OF_METRIC(metric));
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
    const struct finding_row *row = finding_row(fault);
    if (!row->expected) return metrics_allow(row->metric, number);
    return number >= 0 && number <= row->most;
}

const char *limits_expected(int fault)
{
    const struct finding_row *row = finding_row(fault);
    return row->expected ? row->expected : metrics_expected(row->metric);
}

bool limits_has(const struct limits *limits, int fault)
{
    if (fault == FINDING_LEARNED) return limits->max_excess != NULL;
    return fault == FINDING_FAIL_ON ? limits->has_fail_on : limits->has >> fault & 1;
}

/* Returns whether a glob matches a record's frame called `name`. NULL matches all. */
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
    if (rule->in && rule->in->shot && !record_is_of(record, rule->in->shot, file->layers))
        return false;
    return matches(rule->match, record, name);
}

/* Copies the limits of a rule, except those that are set as options. */
static void take_rule(struct limits *limits, const struct limits *options,
                      const struct limits_rule *rule)
{
    for (int f = 0; f < FINDING_MISSING; f++) {
        if (!limits_has(&rule->limits, f) || limits_has(options, f)) continue;
        limits->rule[f] = rule->name;
        if (f == FINDING_FAIL_ON)
            limits->fail_on = rule->limits.fail_on, limits->has_fail_on = true;
        else
            limits_set(limits, f, limits_number(&rule->limits, f));
    }
    if (rule->names_missing && !options->allow_missing)
        limits->allow_missing = rule->limits.allow_missing;
}

/* Returns the last shot whose glob matches a frame; NULL: none. The path of OUT does not count,
 * because a folder of renders may have the name of a shot. */
static const struct limits_shot *find_shot(const struct limits_learned *learned, const char *name)
{
    const struct limits_shot *found = NULL;
    for (size_t i = 0; i < learned->shots; i++)
        if (fnmatch(learned->shot[i].match, name, 0) == 0) found = &learned->shot[i];
    return found;
}

const double *limits_excess(const struct limits_learned *learned, const struct record *record)
{
    char name[TEXT_FRAME];
    const struct limits_shot *shot =
        find_shot(learned, text_frame(name, record->shot, record->frame));
    return shot ? shot->max_excess : NULL;
}

/* Copies the limits of the frame's shot. A frame of a shot that was not learned has a limit that
 * cannot judge anything. */
static void take_shot(struct limits *limits, const struct limits_learned *learned, const char *name)
{
    static const double none[LEARNED_RULES];
    const struct limits_shot *shot = find_shot(learned, name);
    limits->max_excess = shot ? shot->max_excess : none;
    limits->rule[FINDING_LEARNED] = shot ? shot->match : "learned";
}

struct limits limits_for(const struct limits *limits, const struct record *record,
                         uint64_t *matched)
{
    const struct limits_file *file = limits->file;
    struct limits found = *limits;
    char name[TEXT_FRAME];
    found.file = NULL;
    if (file) (void)text_frame(name, record->shot, record->frame);
    for (size_t i = 0; file && i < file->rules; i++) {
        if (!is_for(file, i, record, name)) continue;
        take_rule(&found, limits, &file->rule[i]);
        if (matched) matched[i]++;
    }
    if (file && file->learned.path) take_shot(&found, &file->learned, name);
    return found;
}

const struct ignored_areas *limits_next_ignored(void *user, const struct record *record, size_t *at)
{
    const struct limits_file *file = user;
    char name[TEXT_FRAME];
    (void)text_frame(name, record->shot, record->frame);
    while (*at < 2 * file->rules) {
        const size_t number = *at / 2;
        const struct limits_rule *rule = &file->rule[number];
        const bool masked = (*at)++ % 2 == 1;
        const struct ignored_areas *shots = masked ? &rule->mask : &rule->ignore;
        if ((masked ? rule->mask_path != NULL : shots->count > 0) &&
            is_for(file, number, record, name))
            return shots;
    }
    return NULL;
}

const struct compare_rule *limits_compare(void *user, const struct record *record)
{
    const struct limits_file *file = user;
    const struct compare_rule *found = NULL;
    char name[TEXT_FRAME];
    (void)text_frame(name, record->shot, record->frame);
    for (size_t i = 0; i < file->rules; i++) {
        const struct compare_rule *compare = &file->rule[i].compare;
        if ((compare->as != COMPARE_BY_NAME || compare->has_range) && is_for(file, i, record, name))
            found = compare;
    }
    return found;
}

unsigned limits_file_has(const struct limits_file *file)
{
    unsigned has = 0;
    for (size_t i = 0; file && i < file->rules; i++)
        for (int f = 0; f < FINDING_MISSING; f++)
            has |= (unsigned)limits_has(&file->rule[i].limits, f) << f;
    if (file && file->learned.path) has |= 1u << FINDING_LEARNED;
    return has;
}
