#include "base/counts.h"

#include "base/refuse.h"
#include "options/parts.h"

#include <inttypes.h>

/* A negative number that became unsigned on its way is a huge count. No option wants one. */
ssimcu_status count_options_check(const ssimcu_run_options *given, ssimcu_message *message)
{
    const struct {
        const char *name;
        uint64_t value, most;
        bool none; /* SSIMCU_NONE is a value */
    } count[] = {{"--shard", given->shards, COUNTS_SHARDS, false},
                 {"--max-pixels", given->max_pixels, COUNTS_PIXELS, false},
                 {"--max-bad", given->max_bad, COUNTS_BAD, false},
                 {"--report-frames", given->report_frames, COUNTS_PICTURES, true},
                 {"--worst", given->worst, COUNTS_WORST, true},
                 {"--memory", given->memory_bytes, COUNTS_BYTES, false}};
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        if (count[i].value > count[i].most && !(count[i].none && count[i].value == SSIMCU_NONE))
            return refuse(message, "%s %" PRIu64 ": expected up to %" PRIu64, count[i].name,
                          count[i].value, count[i].most);
    return SSIMCU_OK;
}
