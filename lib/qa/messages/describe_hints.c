/* The hints of a batch, in lines for users. Frames that follow each other and have one hint are one
 * line. */
#include "messages/describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HINTS_NAMED = 10 };

/* Returns whether all frames from the first to the last of a run have the hints. */
static bool is_whole(const struct hinted_run *run)
{
    return run->count == (uint64_t)(run->last - run->first) + 1;
}

/* Describes a run of frames that all show another frame. Returns false if the run is too short to
 * judge, or if some frames within it do not. */
static bool print_ahead(const struct line_sink *to, const struct hinted_run *run, const char *first)
{
    enum { LEAST = 3 };
    int k = 0;
    char cause[TEXT_FRAME + 80];
    if (run->count < LEAST || !is_whole(run) || sscanf(run->hints, "frame-offset %d", &k) != 1 ||
        strchr(run->hints, ';'))
        return false;
    const char *plural = abs(k) > 1 ? "s" : "";
    if (run->from_start)
        snprintf(cause, sizeof cause, "--offset %+d compares them in step", -k);
    else if (abs(k) == 1)
        snprintf(cause, sizeof cause, "a frame was %s before frame %s", k > 0 ? "dropped" : "added",
                 first);
    else
        snprintf(cause, sizeof cause, "frames were %s before frame %s", k > 0 ? "dropped" : "added",
                 first);
    print_line(to, "hint: from frame %s to %" PRId64 " OUT is %d frame%s %s: %s", first, run->last,
               abs(k), plural, k > 0 ? "ahead" : "behind", cause);
    return true;
}

static void print_run(const struct line_sink *to, const struct hinted_run *run)
{
    char first[TEXT_FRAME];
    text_frame(first, run->shot, run->first);
    if (run->count == 1)
        print_line(to, "hint: frame %s: %s", first, run->hints);
    else if (!is_whole(run))
        print_line(to, "hint: %" PRIu64 " of the frames %s to %" PRId64 ": %s", run->count, first,
                   run->last, run->hints);
    else if (!print_ahead(to, run, first))
        print_line(to, "hint: frame %s to %" PRId64 ": %s%s", first, run->last, run->hints,
                   run->alike ? "" : " at first");
}

void describe_hints(const struct line_sink *to, const struct verdict *verdict, bool all)
{
    const struct hinted *hinted = &verdict->hinted;
    size_t named = 0;
    uint64_t more = all ? hinted->more : 0;
    for (int bad = 1; bad >= (all ? 0 : 1); bad--)
        for (size_t i = 0; i < hinted->runs; i++) {
            const struct hinted_run *run = &hinted->run[i];
            if ((run->bad > 0) != bad) continue;
            if (named++ < HINTS_NAMED)
                print_run(to, run);
            else
                more += run->count;
        }
    if (more > 0) print_line(to, "hint: %" PRIu64 " more frames", more);
}
