#include "calibrate/check.h"

#include "engine/score.h"
#include "options/verbs.h"

#include "fail.h"

ssimcu_status calibrate_check(const ssimcu_calibrate_options *given, const ssimcu_run_options *run,
                              ssimcu_message *message)
{
    const double rate = given->false_alarms;
    const struct {
        bool refused;
        const char *why;
    } checks[] = {{!run->output || !run->output[0], "calibrate: expected --output limits.json"},
                  {run->tile != 0 && !score_allows_tile(run->tile),
                   "calibrate: --tile: expected " SCORE_TILES},
                  {run->merges > 0, "calibrate: expected REF and runs, and no results"},
                  {rate != 0 && !(rate >= 1e-9 && rate <= 0.1),
                   "--false-alarms: expected a number from 1e-9 to 0.1"}};
    const ssimcu_status status = verbs_check(run, VERB_CALIBRATE, message);
    for (size_t i = 0; status == SSIMCU_OK && i < sizeof checks / sizeof *checks; i++)
        if (checks[i].refused)
            return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s", checks[i].why);
    return status;
}
