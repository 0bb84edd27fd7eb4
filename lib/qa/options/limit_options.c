#include "options/internal.h"

#include "base/refuse.h"
#include "source/variants.h"

/* Reads the kinds by which frames fail in addition to their limits. A merge takes kinds of runs or
 * of checks.
 */
static ssimcu_status take_fail_on(const ssimcu_run_options *given, struct limits *limits,
                                  ssimcu_message *message)
{
    const unsigned any = FINDING_OF_PAIRS | FINDING_BY_CHECK;
    limits->alone = given->check;
    limits->has_fail_on = given->fail_on != NULL;
    if (!given->fail_on) return SSIMCU_OK;
    return findings_read(given->fail_on,
                         given->merges > 0 ? any
                         : given->check    ? FINDING_BY_CHECK
                                           : FINDING_OF_PAIRS,
                         "--fail-on", &limits->fail_on, message);
}

static double number_of(const ssimcu_run_options *given, int fault)
{
    return fault < FINDING_METRIC ? given->limit[fault]
                                  : given->min_frames[finding_row(fault)->metric];
}

/* Checks the limits on scores of the run. */
static ssimcu_status check_scores(const ssimcu_run_options *given, ssimcu_message *message)
{
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (given->score_limits >> m & 1 && !metrics_allow(m, given->min_scores[m]))
            FAIL(ARGUMENT, "--min-score%s%s: expected %s", m > 0 ? " " : "",
                 m > 0 ? metrics_name(m) : "", metrics_expected(m));
    return SSIMCU_OK;
}

/* Refuses limits on metrics that the run does not have. The metrics of a merge are in its
 * results. */
static ssimcu_status check_metrics(const ssimcu_run_options *given, ssimcu_message *message)
{
    const uint32_t limited = given->score_limits | given->frame_limits,
                   wanted = given->metrics | 1u << given->metric;
    if (given->limits >= 1u << SSIMCU_LIMITS)
        FAIL(ARGUMENT, "limits: expected 1 << ssimcu_limit, added up");
    if (given->frame_limits & 1u << SSIMCU_METRIC_SSIM || limited >= 1u << SSIMCU_METRICS)
        FAIL(ARGUMENT, "score_limits, frame_limits: expected metrics, for frames other than SSIM");
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS && given->merges == 0; m++)
        if (limited >> m & 1 && !(wanted >> m & 1))
            FAIL(ARGUMENT, "--min-%s %s=... needs --metric %s",
                 given->score_limits >> m & 1 ? "score" : "frame", metrics_name(m),
                 metrics_name(m));
    return SSIMCU_OK;
}

ssimcu_status limit_options_take(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    struct limits *limits = &options->limits;
    *limits = (struct limits){0};
    TRY(check_scores(given, message));
    if (!(given->diff_threshold >= 0)) FAIL(ARGUMENT, "--diff-threshold: expected a number from 0");
    TRY(check_metrics(given, message));
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (given->score_limits >> m & 1) limits_set_score(limits, m, given->min_scores[m]);
    for (int f = 0; f < FINDING_LEARNED; f++) {
        if (f < FINDING_METRIC ? !(given->limits >> f & 1)
                               : !(given->frame_limits >> finding_row(f)->metric & 1))
            continue;
        if (!limits_allow(f, number_of(given, f)))
            FAIL(ARGUMENT, "%s: expected %s", finding_row(f)->option, limits_expected(f));
        limits_set(limits, f, number_of(given, f));
    }
    limits->max_bad = given->max_bad;
    limits->allow_stale = given->stale == SSIMCU_STALE_WARN;
    limits->allow_missing = given->missing == SSIMCU_MISSING_SKIP;
    return take_fail_on(given, limits, message);
}

static bool needs_baseline(const struct finding_row *row) { return row->drop; }

static bool needs_tiles(const struct finding_row *row)
{
    return row->of == FINDING_OF_TILE || row->of == FINDING_OF_LEVEL_SHIFT;
}

static bool needs_pixels(const struct finding_row *row) { return row->of == FINDING_OF_PIXELS; }

/* Returns the name of the first limit that needs something, as in the options or the file; else
 * NULL. */
static const char *find_limit(const struct limits *limits,
                              bool (*needs)(const struct finding_row *))
{
    for (int f = 0; f < FINDING_MISSING; f++) {
        if (!needs(finding_row(f))) continue;
        if (limits_has(limits, f)) return finding_row(f)->option;
        if (limits_file_has(limits->file) >> f & 1) return finding_row(f)->name;
    }
    return NULL;
}

/* Refuses limits in the file on metrics that the run does not have. The metrics of a merge are in
 * its results. */
static ssimcu_status match_metrics(const struct options *options, const struct limits *limits,
                                   ssimcu_message *message)
{
    const uint32_t metrics = options->settings.metrics;
    if (!limits->file) return SSIMCU_OK;
    if (metrics != 0 && limits->file->ignored[0])
        FAIL(ARGUMENT, "%.300s: ignored areas need SSIM without other metrics (--metric)",
             limits->file->path);
    for (int m = SSIMCU_METRIC_PSNR; m < SSIMCU_METRICS && options->run.merges == 0; m++)
        if (limits_file_has(limits->file) >> limits_fault(m) & 1 && !(metrics >> m & 1))
            FAIL(ARGUMENT, "%.300s: %s needs --metric %s", limits->file->path,
                 finding_row(limits_fault(m))->in_file, metrics_name(m));
    return SSIMCU_OK;
}

/* Returns whether options and rules make frames fail only by findings of this origin. */
static bool fails_by(const struct limits *limits, unsigned by)
{
    finding_mask kinds = limits->fail_on;
    for (size_t i = 0; limits->file && i < limits->file->rules; i++)
        kinds |= limits->file->rule[i].limits.fail_on;
    return kinds & findings_by(by) & ~findings_by(FINDING_BY_PAIR);
}

bool limit_options_need_neighbours(const struct limits *limits)
{
    return !limits->alone && fails_by(limits, FINDING_BY_FRAMES);
}

/* Refuses kinds of hints that cannot occur without learned limits. */
static ssimcu_status match_hints(const struct options *options, const struct limits *limits,
                                 ssimcu_message *message)
{
    const bool unread = options->run.limits_file && !limits->file; /* the file is not read yet */
    const bool unknown =
        options->run.merges > 0 && limits == &options->limits; /* nor the results */
    const bool later = unread || unknown;
    const bool learned = limits->file && limits->file->learned.path;
    if (later || learned || !fails_by(limits, FINDING_BY_LEARNED)) return SSIMCU_OK;
    FAIL(ARGUMENT, "--fail-on: noise, denoised and seed need learned limits: expected --limits of "
                   "ssimcu calibrate");
}

ssimcu_status limit_options_match(const struct options *options, const struct limits *limits,
                                  ssimcu_message *message)
{
    TRY(match_metrics(options, limits, message));
    TRY(match_hints(options, limits, message));
    const char *drop = find_limit(limits, needs_baseline), *tiled = find_limit(limits, needs_tiles);
    const bool later = options->run.limits_file && !limits->file; /* the file is not read yet */
    if (!options->run.baseline && drop && limits->file)
        FAIL(ARGUMENT, "%.300s: %s needs --baseline", limits->file->path, drop);
    if (options->run.baseline ? !drop && !later : drop != NULL)
        FAIL(ARGUMENT, "--baseline needs --max-drop or --max-tile-drop, which need --baseline");
    if (!tiled && limits->file && limits->file->ignored[0]) tiled = "ignore";
    const char *tool = ssimcu_compat_name(options->settings.compat);
    if (!tiled && tool && limits_file_has(limits->file) >> FINDING_LEARNED & 1)
        tiled = "learned limits";
    if (tiled && tool) FAIL(ARGUMENT, "%s: --compat %s: the tool has no tiles", tiled, tool);
    if (options->tile > 0 || !tiled) return SSIMCU_OK;
    FAIL(ARGUMENT, "%s needs tiles: expected --tile above 0", tiled);
}

bool limit_options_count_pixels(const ssimcu_run_options *given, const struct limits *limits)
{
    return given->diff_threshold > 0 || find_limit(limits, needs_pixels);
}

ssimcu_status variant_options_take(struct options *options, ssimcu_message *message)
{
    const ssimcu_run_options *given = &options->run;
    char names[LIMIT_LIST];
    bool limited = given->limits_file != NULL;
    if (given->variants == 0) return SSIMCU_OK;
    for (int f = 0; f < FINDING_FAIL_ON; f++) limited = limited || limits_has(&options->limits, f);
    if (given->variants > SOURCE_MOST_VARIANTS)
        FAIL(ARGUMENT, "--or: expected at most %d", (int)SOURCE_MOST_VARIANTS);
    for (uint32_t i = 0; i < given->variants; i++)
        if (!given->variant || !given->variant[i] || !given->variant[i][0])
            FAIL(ARGUMENT, "--or: expected pictures, as REF is");
    if (options->share) FAIL(ARGUMENT, "--or does not go with a share, which judges no frame");
    if (given->list || given->outs > 1)
        FAIL(ARGUMENT, "--or does not go with a list or with several OUTs");
    if (limited) return SSIMCU_OK;
    FAIL(ARGUMENT, "--or needs a limit: expected %s or %s", limit_list(names, true),
         finding_row(FINDING_LEARNED)->option);
}
