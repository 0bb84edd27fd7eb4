#include "calibrate/check.h"

#include "engine/score.h"
#include "floors/learn.h"
#include "options/verbs.h"

#include "fail.h"

#include <string.h>

enum { LEAST = LEARN_LEAST + 1 /* runs, of which one becomes REF */ };
_Static_assert(LEAST == 4, "a message says so");

static bool reads_standard_input(const ssimcu_run_options *given)
{
    for (uint32_t i = 0; i < given->outs; i++)
        if (given->out[i] && strcmp(given->out[i], "-") == 0) return true;
    return false;
}

ssimcu_status calibrate_check(const ssimcu_calibrate_options *given, const ssimcu_run_options *run,
                              ssimcu_message *message)
{
    const bool results = run->merges > 0, central = given->central && !results;
    const double rate = given->false_alarms;
    const struct {
        bool refused;
        const char *why;
    } checks[] = {{!run->output || !run->output[0], "calibrate: expected --output limits.json"},
                  {run->tile != 0 && !score_allows_tile(run->tile),
                   "calibrate: --tile: expected " SCORE_TILES},
                  {results && given->central, "calibrate: --central: results have a REF already"},
                  {results && (run->ref || run->outs > 0),
                   "calibrate: expected results of earlier runs, or REF and runs, not both"},
                  {central && run->ref,
                   "calibrate: --central makes a run REF, and none is expected beside it"},
                  {central && run->outs < LEAST,
                   "calibrate: --central: expected at least 4 runs: one "
                   "becomes REF, the others teach"},
                  {central && run->offset != 0,
                   "calibrate: --central: any run may become REF, so --offset cannot be"},
                  {central && reads_standard_input(run),
                   "calibrate: --central reads each run several times: expected files"},
                  {rate != 0 && !(rate >= 1e-9 && rate <= 0.1),
                   "--false-alarms: expected a number from 1e-9 to 0.1"}};
    const ssimcu_status status = verbs_check(run, results ? VERB_TEACH : VERB_CALIBRATE, message);
    for (size_t i = 0; status == SSIMCU_OK && i < sizeof checks / sizeof *checks; i++)
        if (checks[i].refused)
            return ssimcu_fail(message, SSIMCU_ERROR_ARGUMENT, "%s", checks[i].why);
    return status;
}
