/* What containers tell, in lines for a person: bit rate, and frames that are missing by their
 * times.
 */
#include "say/describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static void say_gap(const struct say *to, const struct times_gap *gap)
{
    const char *const side = gap->side == 0 ? "REF" : "OUT";
    if (gap->frames < 1)
        say(to, "times: frame %" PRId64 " of %s comes late", gap->frame, side);
    else
        say(to, "times: %s lacks %" PRId64 " frame%s before frame %" PRId64 ", by its times", side,
            gap->frames, gap->frames == 1 ? "" : "s", gap->frame);
}

void describe_coded(const struct say *to, const struct summary *summary)
{
    enum { NAMED = 4 };
    const struct summary_coded *const coded = &summary->coded;
    const struct times *const times = &summary->times;
    if (coded->frames > 0 && !isnan(coded->rate))
        say(to, "coded: %.1f kbit/s, %" PRIu64 " bytes in %.3f s", coded->rate / 1000, coded->bytes,
            coded->seconds);
    for (uint64_t i = 0; i < times->gaps && i < NAMED; i++) say_gap(to, &times->gap[i]);
    if (times->gaps > NAMED)
        say(to, "times: %" PRIu64 " gaps in all: the rate of a side varies", times->gaps);
}
