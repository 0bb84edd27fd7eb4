#include "console.h"

#include <inttypes.h>
#include <stdio.h>

enum { FRAMES_NAMED = 16, HINTS_NAMED = 10 };

const char *const console_limits[FAULT_MISSING] = {"--min-frame", "--min-tile", "--max-drop"};

/* Writes the first frames with a fault, such as " 1015 1018 1020 ...". */
static void name_frames(const struct verdict *verdict, enum fault fault, char *text, size_t size)
{
    size_t used = 0;
    uint64_t named = 0;
    text[0] = '\0';
    for (size_t i = 0; i < verdict->listed && named < FRAMES_NAMED; i++) {
        if (!(verdict->frame[i].faults >> fault & 1)) continue;
        used += (size_t)snprintf(text + used, size - used, " %" PRId64, verdict->frame[i].frame);
        named++;
    }
    if (named < verdict->count[fault]) snprintf(text + used, size - used, " ...");
}

static void console_fault(const struct verdict *verdict, const struct summary *summary,
                          enum fault fault, double limit)
{
    char frames[24 * (FRAMES_NAMED + 1)], lowest[120] = "", unjudged[80] = "", tile[CONSOLE_TILE];
    const struct verdict_frame *frame = &verdict->lowest;
    if (!verdict->too_many || verdict->count[fault] == 0) return;
    name_frames(verdict, fault, frames, sizeof frames);
    if (fault == FAULT_TILE && frame->tile.known)
        snprintf(lowest, sizeof lowest, "; lowest %s of frame %" PRId64,
                 console_tile(tile, &frame->tile), frame->frame);
    if (verdict->unjudged[fault] > 0)
        snprintf(unjudged, sizeof unjudged, "; %" PRIu64 " of them %s", verdict->unjudged[fault],
                 verdict_unjudged[fault]);
    console_line("below: %" PRIu64 " of %" PRIu64 " frames %s %s %.9g:%s%s%s",
                 verdict->count[fault], summary->scored, fault == FAULT_DROP ? "over" : "under",
                 console_limits[fault], limit, frames, lowest, unjudged);
}

static void console_hints(const struct verdict *verdict)
{
    size_t named = 0, more = 0;
    for (size_t i = 0; i < verdict->listed; i++) {
        const struct verdict_frame *frame = &verdict->frame[i];
        if (!frame->hints) continue;
        if (named++ < HINTS_NAMED)
            console_line("hint: frame %" PRId64 ": %s", frame->frame, frame->hints);
        else
            more++;
    }
    if (more > 0) console_line("hint: %zu frames more", more);
}

/* Prints the line that a farm shows as the reason why a task failed. */
static void console_openjd_fail(const struct verdict *verdict, const struct summary *summary)
{
    char mean[TEXT_DIGITS];
    fprintf(stderr,
            "openjd_fail: %" PRIu64 " of %" PRIu64 " frames below a limit, %" PRIu64
            " missing, %" PRIu64 " failed",
            verdict->bad, summary->pairs, verdict->count[FAULT_MISSING],
            verdict->count[FAULT_FAILED]);
    if (verdict->low_mean)
        fprintf(stderr, "; mean %s is too low", text_digits(mean, summary->all.mean));
    if (verdict->incomplete) fputs("; incomplete", stderr);
    fputc('\n', stderr);
}

void console_verdict(const struct verdict *verdict, const struct summary *summary, bool openjd)
{
    const struct limits *limits = &verdict->limits;
    char mean[TEXT_DIGITS];
    if (verdict->clamped > 0)
        console_line("clamped: %" PRIu64 " of %" PRIu64 " frames have more than %g %% of their "
                     "pixels where the curve ends, up to %.1f %% in frame %" PRId64
                     ": " CONSOLE_CLAMPED,
                     verdict->clamped, summary->scored, 100 * RECORD_CLAMPED_MOST,
                     100 * verdict->most_clamped, verdict->clamped_frame);
    if (verdict->passed) return;
    if (verdict->low_mean)
        console_line("below: mean %s under --min-score %.9g", text_digits(mean, summary->all.mean),
                     limits->min_score);
    console_fault(verdict, summary, FAULT_FRAME, limits->min_frame);
    console_fault(verdict, summary, FAULT_TILE, limits->min_tile);
    console_fault(verdict, summary, FAULT_DROP, limits->max_drop);
    console_hints(verdict);
    if (openjd) console_openjd_fail(verdict, summary);
}
