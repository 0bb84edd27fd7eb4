#include "calibrate/check.h"

#include "engine/score.h"
#include "floors/learn.h"
#include "options/verbs.h"

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

/* Refuses options that do not go with a calibration, and what it cannot do without. */
static ssimcu_status check_options(const ssimcu_run_options *given, ssimcu_message *message)
{
    const enum verb verb = given->merges > 0 ? VERB_TEACH : VERB_CALIBRATE;
    const ssimcu_status status = verbs_check(given, verb, message);
    if (status != SSIMCU_OK) return status;
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
