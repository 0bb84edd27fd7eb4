#include "options/parts.h"

#include "base/refuse.h"
#include "hints/hints.h"
#include "source/variants.h"

#include <stdio.h>

/* Checks a list of kinds of hints, or none. */
static ssimcu_status check_kinds(const char *list, ssimcu_message *message)
{
    char kinds[HINTS_KINDS * HINT_BYTES] = "";
    if (!list || hints_are_kinds(list)) return SSIMCU_OK;
    for (size_t i = 0, used = 0; i < HINTS_KINDS; i++)
        used += (size_t)snprintf(kinds + used, sizeof kinds - used, " %s", hints_kinds[i]);
    return refuse(message, "--fail-on-hint %.40s: expected kinds with commas between:%s", list,
                  kinds);
}

static double number_of(const ssimcu_run_options *given, int fault)
{
    return fault < FAULT_METRIC ? given->limit[fault]
                                : given->min_frames[faults_row(fault)->metric];
}

/* Checks the limits of scores of the run. */
static ssimcu_status check_scores(const ssimcu_run_options *given, ssimcu_message *message)
{
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (given->score_limits >> m & 1 && !metrics_allow(m, given->min_scores[m]))
            return refuse(message, "--min-score%s%s: expected %s", m > 0 ? " " : "",
                          m > 0 ? metrics_name(m) : "", metrics_expected(m));
    return SSIMCU_OK;
}

/* Refuses limits of metrics that the run does not have. Those of a merge are in its results. */
static ssimcu_status check_metrics(const ssimcu_run_options *given, ssimcu_message *message)
{
    const uint32_t limited = given->score_limits | given->frame_limits,
                   wanted = given->metrics | 1u << given->metric;
    if (given->limits >= 1u << SSIMCU_LIMITS)
        return refuse(message, "limits: expected 1 << ssimcu_limit, added up");
    if (given->frame_limits & 1u << SSIMCU_METRIC_SSIM || limited >= 1u << SSIMCU_METRICS)
        return refuse(message, "score_limits, frame_limits: expected metrics, of frames beside "
                               "SSIM");
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS && given->merges == 0; m++)
        if (limited >> m & 1 && !(wanted >> m & 1))
            return refuse(message, "--min-%s %s=... needs --metric %s",
                          given->score_limits >> m & 1 ? "score" : "frame", metrics_name(m),
                          metrics_name(m));
    return SSIMCU_OK;
}

ssimcu_status limit_options_take(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    struct limits *limits = &options->limits;
    ssimcu_status status = check_scores(given, message);
    *limits = (struct limits){0};
    if (!(given->differ_above >= 0))
        return refuse(message, "--differ-above: expected a number from 0");
    if (status == SSIMCU_OK) status = check_metrics(given, message);
    if (status != SSIMCU_OK) return status;
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (given->score_limits >> m & 1) limits_set_score(limits, m, given->min_scores[m]);
    for (int f = 0; f < FAULT_FLOOR; f++) {
        if (f < FAULT_METRIC ? !(given->limits >> f & 1)
                             : !(given->frame_limits >> faults_row(f)->metric & 1))
            continue;
        if (!limits_allow(f, number_of(given, f)))
            return refuse(message, "%s: expected %s", faults_row(f)->option, limits_expected(f));
        limits_set(limits, f, number_of(given, f));
    }
    limits->hints = given->fail_on_hint;
    limits->max_bad = given->max_bad;
    limits->allow_stale = given->stale == SSIMCU_STALE_WARN;
    limits->allow_missing = given->missing == SSIMCU_MISSING_SKIP;
    return check_kinds(given->fail_on_hint, message);
}

static bool needs_baseline(const struct fault_row *row) { return row->drop; }

static bool needs_tiles(const struct fault_row *row)
{
    return row->of == FAULT_OF_TILE || row->of == FAULT_OF_SHIFT;
}

/* Returns the name of the first limit that needs something, an option's or a file's; else NULL. */
static const char *find_limit(const struct limits *limits, bool (*needs)(const struct fault_row *))
{
    for (int f = 0; f < FAULT_MISSING; f++) {
        if (!needs(faults_row(f))) continue;
        if (limits_has(limits, f)) return faults_row(f)->option;
        if (limits_file_has(limits->file) >> f & 1) return faults_row(f)->name;
    }
    return NULL;
}

/* Refuses what the file of limits says of metrics that the run does not have. Those of a merge are
 * in its results. */
static ssimcu_status match_metrics(const struct options *options, const struct limits *limits,
                                   ssimcu_message *message)
{
    const uint32_t metrics = options->settings.metrics;
    if (!limits->file) return SSIMCU_OK;
    if (metrics != 0 && limits->file->ignored[0])
        return refuse(message,
                      "%.300s: parts of frames that it ignores count for SSIM alone, not for other "
                      "metrics (--metric)",
                      limits->file->path);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS && options->run.merges == 0; m++)
        if (limits_file_has(limits->file) >> limits_fault(m) & 1 && !(metrics >> m & 1))
            return refuse(message, "%.300s: %s needs --metric %s", limits->file->path,
                          faults_row(limits_fault(m))->in_file, metrics_name(m));
    return SSIMCU_OK;
}

/* Returns what the hints need that options and rules limit. */
static unsigned needs_of(const struct limits *limits)
{
    unsigned needs = hints_need(limits->hints);
    for (size_t i = 0; limits->file && i < limits->file->rules; i++)
        needs |= hints_need(limits->file->rule[i].limits.hints);
    return needs;
}

bool limit_options_need_neighbours(const struct limits *limits)
{
    return needs_of(limits) & HINTS_NEED_NEIGHBOURS;
}

/* Refuses kinds of hints that nobody can see without floors. */
static ssimcu_status match_hints(const struct options *options, const struct limits *limits,
                                 ssimcu_message *message)
{
    const bool later = options->run.limits_file && !limits->file; /* the file is not read yet */
    const bool floors = limits->file && limits->file->floors.path;
    if (later || floors || !(needs_of(limits) & HINTS_NEED_FLOORS)) return SSIMCU_OK;
    return refuse(message, "--fail-on-hint: noise, denoised and seed are seen by floors alone: "
                           "expected --limits of ssimcu calibrate");
}

ssimcu_status limit_options_match(const struct options *options, const struct limits *limits,
                                  ssimcu_message *message)
{
    ssimcu_status matched = match_metrics(options, limits, message);
    if (matched == SSIMCU_OK) matched = match_hints(options, limits, message);
    if (matched != SSIMCU_OK) return matched;
    const char *drop = find_limit(limits, needs_baseline), *tiled = find_limit(limits, needs_tiles);
    const bool later = options->run.limits_file && !limits->file; /* the file is not read yet */
    if (!options->run.baseline && drop && limits->file)
        return refuse(message, "%.300s: %s needs --baseline", limits->file->path, drop);
    if (options->run.baseline ? !drop && !later : drop != NULL)
        return refuse(message, "--baseline and --max-drop or --max-tile-drop need each other");
    if (!tiled && limits->file && limits->file->ignored[0]) tiled = "ignore";
    const char *tool = ssimcu_compat_name(options->settings.compat);
    if (!tiled && tool && limits_file_has(limits->file) >> FAULT_FLOOR & 1) tiled = "floors";
    if (tiled && tool)
        return refuse(message, "%s: --compat %s: the tool has no tiles", tiled, tool);
    if (options->tile > 0 || !tiled) return SSIMCU_OK;
    return refuse(message, "%s needs tiles, --tile 0 makes none", tiled);
}

bool limit_options_count_pixels(const ssimcu_run_options *given, const struct limits *limits)
{
    const unsigned counted = 1u << SSIMCU_LIMIT_MAX_DIFFERING | 1u << SSIMCU_LIMIT_MAX_BLOB;
    return given->differ_above > 0 || (limits->has | limits_file_has(limits->file)) & counted;
}

ssimcu_status variant_options_take(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    char names[FAULTS_LIST];
    bool limited = given->limits_file != NULL;
    if (given->variants == 0) return SSIMCU_OK;
    for (int f = 0; f < FAULT_HINT; f++) limited = limited || limits_has(&options->limits, f);
    if (given->variants > SOURCE_MOST_VARIANTS)
        return refuse(message, "--or: at most %d at a time", (int)SOURCE_MOST_VARIANTS);
    for (uint32_t i = 0; i < given->variants; i++)
        if (!given->variant || !given->variant[i] || !given->variant[i][0])
            return refuse(message, "--or: expected pictures, as REF is");
    if (options->share)
        return refuse(
            message,
            "--or: a share does not judge, so it cannot tell which frames need another reference");
    if (given->list || given->outs > 1)
        return refuse(message, "--or takes pictures, and neither a list nor several OUTs");
    if (limited) return SSIMCU_OK;
    return refuse(message, "--or is for frames beyond a limit: expected %s or %s",
                  faults_list(names, true), faults_row(FAULT_FLOOR)->option);
}
