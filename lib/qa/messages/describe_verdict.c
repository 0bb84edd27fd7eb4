/* The frames that decide a verdict, in lines for users. */
#include "messages/describe.h"

#include "base/text.h"
#include "delivery/picture_pair.h"

#include "sequence/sequence.h"

#include <inttypes.h>
#include <stdio.h>

enum { FRAMES_NAMED = 16, NAMES = (TEXT_FRAME + 1) * (FRAMES_NAMED + 1) };

/* Writes the first of the frames with a fault, such as " 1015 1018 1020 ...". `unjudged`: those
 * that the limit could not judge, or else the others. `count`: their number. */
static void name_frames(const struct verdict *verdict, int fault, bool unjudged, uint64_t count,
                        char text[NAMES])
{
    char name[TEXT_FRAME];
    size_t used = 0;
    uint64_t named = 0;
    text[0] = '\0';
    for (size_t i = 0; i < verdict->listed && named < FRAMES_NAMED; i++) {
        const struct verdict_frame *frame = &verdict->frame[i];
        if (!(frame->judged.fails >> fault & 1)) continue;
        if ((frame->judged.unjudged >> fault & 1) != unjudged) continue;
        used += (size_t)snprintf(text + used, NAMES - used, " %s",
                                 text_frame(name, frame->shot, frame->frame));
        named++;
    }
    if (named < count) snprintf(text + used, NAMES - used, " ...");
}

static const char *lead(int fault) { return finding_row(fault)->over ? "over" : "below"; }

/* Prints the frames beyond a limit, and those that it could not judge. */
static void print_fault(const struct line_sink *to, const struct verdict *verdict,
                        const struct summary *summary, int fault)
{
    char frames[NAMES], name[TEXT_FRAME], limit[VERDICT_LIMIT], learned[VERDICT_LIMIT];
    char extreme[RECORD_TILE_TEXT + TEXT_FRAME + 80] = "";
    const struct finding_row *row = finding_row(fault);
    const struct verdict_extreme *furthest = &verdict->extreme[fault];
    const uint64_t unjudged = verdict->unjudged[fault], beyond = verdict->count[fault] - unjudged;
    if (!verdict->too_many) return;
    (void)verdict_limit_name(limit, &verdict->limits, fault);
    snprintf(learned, sizeof learned, "their learned limits (%.300s)",
             verdict->limits.file ? text_base(verdict->limits.file->path) : "--limits");
    if (furthest->known)
        snprintf(extreme, sizeof extreme, "; %s %s of frame %s", row->extreme, furthest->text,
                 text_frame(name, furthest->shot, furthest->frame));
    name_frames(verdict, fault, false, beyond, frames);
    if (beyond > 0)
        print_line(to, "%s: %" PRIu64 " of %" PRIu64 " frames %s %s:%s%s", lead(fault), beyond,
                   summary->scored, limit_side(fault), fault == FINDING_LEARNED ? learned : limit,
                   frames, extreme);
    name_frames(verdict, fault, true, unjudged, frames);
    if (unjudged > 0)
        print_line(to, "not judged by %s: %" PRIu64 " of %" PRIu64 " frames, %s:%s", limit,
                   unjudged, summary->scored, row->unjudged, frames);
}

/* Prints the frames that fail by findings other than limits. */
static void print_found(const struct line_sink *to, const struct verdict *verdict,
                        const struct summary *summary)
{
    char frames[NAMES];
    for (int kind = FINDING_FAILED + 1; kind < FINDING_KINDS && verdict->too_many; kind++) {
        if (verdict->count[kind] == 0) continue;
        name_frames(verdict, kind, false, verdict->count[kind], frames);
        print_line(to, "found: %" PRIu64 " of %" PRIu64 " frames fail on %s:%s",
                   verdict->count[kind], summary->pairs, finding_row(kind)->name, frames);
    }
}

void describe_verdict(const struct line_sink *to, const struct verdict *verdict,
                      const struct summary *summary)
{
    const struct limits *limits = &verdict->limits;
    char mean[VERDICT_LIMIT];
    if (verdict->passed) return;
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (verdict->low_mean >> m & 1)
            print_line(to, "below: mean %s", verdict_mean_text(mean, verdict, summary, m));
    for (int i = 0; i < FINDING_FAIL_ON; i++) print_fault(to, verdict, summary, i);
    print_found(to, verdict, summary);
    if (verdict->unlimited)
        print_line(to, "not judged: no frame has a limit in %s", limits->file->path);
}

/* Prints that a limit judges nothing. Learned limits apply to frames by number, and a pair of files
 * is frame 0. Its number may be in its name. */
static void print_unjudged(const struct line_sink *to, const struct picture_pair *pictures,
                           const struct limits *limits, int fault)
{
    const char *name = text_base(pictures->side[0].path);
    char limit[VERDICT_LIMIT], way[120] = "";
    size_t start, end;
    if (fault == FINDING_LEARNED && ssimcu_sequence_digits(name, &start, &end))
        snprintf(way, sizeof way,
                 "; for the limits of a run, give the directories REF and OUT and --frames %.*s",
                 (int)(end - start), name + start);
    print_line(to, "not judged by %s: %s%s", verdict_limit_text(limit, limits, fault),
               finding_row(fault)->unjudged, way);
}

void describe_pair_verdict(const struct line_sink *to, const struct picture_pair *pictures,
                           const struct verdict *verdict, const struct summary *summary)
{
    const struct record *record = pictures->pair.record;
    const struct limits *limits = &verdict->limits;
    char text[VERDICT_BEYOND], limit[VERDICT_LIMIT];
    if (verdict->unlimited)
        print_line(to, "not judged: the pair has no limit in %s", limits->file->path);
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (verdict->low_mean >> m & 1)
            print_line(to, "below: score %s", verdict_mean_text(limit, verdict, summary, m));
    if (verdict->listed == 0) return; /* the pair has no fault, or memory ran out */
    for (int i = 0; i < FINDING_FAIL_ON; i++) {
        if (verdict->unjudged[i] > 0)
            print_unjudged(to, pictures, &verdict->frame->judged.own, i);
        else if (verdict->too_many && verdict->count[i] > 0)
            print_line(to, "%s: %s", i == FINDING_LEARNED ? "over its learned limit" : lead(i),
                       verdict_beyond(text, &verdict->frame->judged, i, record));
    }
    for (int i = FINDING_FAILED + 1; i < FINDING_KINDS && verdict->too_many; i++)
        if (verdict->count[i] > 0)
            print_line(to, "found: the pair fails on %s", finding_row(i)->name);
}
