#include "calibrate/check.h"

#include "engine/score.h"
#include "floors/learn.h"

#include "fail.h"

#include <string.h>

/* Checks runs of which one becomes REF. */
static ssimcu_status check_central(const ssimcu_run_options *given, ssimcu_message *message)
{
    enum { LEAST = LEARN_LEAST + 1 };
    if (given->ref)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "calibrate: --central makes a run REF, and none is expected beside it");
    if (given->outs < LEAST)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "calibrate: --central: expected at least %d runs: one becomes REF, the "
                           "others teach",
                           LEAST);
    if (given->offset != 0)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "calibrate: --central: any run may become REF, so --offset cannot be");
    for (uint32_t i = 0; i < given->outs; i++)
        if (given->out[i] && strcmp(given->out[i], "-") == 0)
            return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                               "calibrate: --central reads each run several times: expected files");
    return SSIMCU_OK;
}

/* Refuses options of runs that would be passed over. */
static ssimcu_status check_options(const ssimcu_run_options *given, ssimcu_message *message)
{
    const struct {
        bool is_given;
        const char *name;
    } refused[] = {{given->list != NULL, "--list"},
                   {given->shards > 0, "--shard"},
                   {given->limits != 0 || given->score_limits != 0 || given->frame_limits != 0 ||
                        given->max_bad > 0,
                    "a limit"},
                   {given->baseline != NULL, "--baseline"},
                   {given->fail_on_hint != NULL, "--fail-on-hint"},
                   {given->resume != NULL, "--resume"},
                   {given->junit != NULL, "--junit"},
                   {given->metrics != 0 || given->metric != 0, "--metric"},
                   {given->compat != SSIMCU_COMPAT_NONE, "--compat"},
                   {given->scale != SSIMCU_SCALE_NONE, "--scale"},
                   {given->align != 0, "--align"},
                   {given->groups > 0, "--group"},
                   {given->map != NULL, "--map"},
                   {given->report_frames != 0, "--report-frames"},
                   {given->all_tiles != 0, "--all-tiles"},
                   {given->results == SSIMCU_RESULTS_CSV, "--csv"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (refused[i].is_given)
            return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                               "calibrate: learns limits, %s is for the runs after it",
                               refused[i].name);
    if (!given->output || !given->output[0])
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "calibrate: expected --output limits.json");
    if (given->tile != 0 && !score_allows_tile(given->tile))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "calibrate: --tile: expected " SCORE_TILES);
    return SSIMCU_OK;
}

/* Checks results of runs that were scored before. */
static ssimcu_status check_results(const ssimcu_calibrate_options *given,
                                   const ssimcu_run_options *run, ssimcu_message *message)
{
    if (given->central)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "calibrate: --central: results have a REF already");
    if (run->ref || run->outs > 0)
        return ssimcu_fail(
            message, SSIMCU_ERROR_ARGUMENT,
            "calibrate: expected results of earlier runs, or REF and runs, not both");
    if (run->tile != 0)
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "calibrate: --tile: results have tiles already");
    return SSIMCU_OK;
}

ssimcu_status calibrate_check(const ssimcu_calibrate_options *given, const ssimcu_run_options *run,
                              ssimcu_message *message)
{
    ssimcu_status status = check_options(run, message);
    if (status == SSIMCU_OK && run->merges > 0) status = check_results(given, run, message);
    if (status == SSIMCU_OK && run->merges == 0 && given->central)
        status = check_central(run, message);
    if (status != SSIMCU_OK) return status;
    if (given->false_alarms != 0 && !(given->false_alarms >= 1e-9 && given->false_alarms <= 0.1))
        return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT,
                           "--false-alarms: expected a number from 1e-9 to 0.1");
    return SSIMCU_OK;
}
