/* The frames that decide a verdict, in lines for users. */
#include "messages/describe.h"

#include "base/text.h"
#include "delivery/picture_pair.h"

#include "sequence/sequence.h"

#include <inttypes.h>
#include <stdio.h>

enum { FRAMES_NAMED = 16 };

/* Writes the first frames with a fault, such as " 1015 1018 1020 ...". */
static void name_frames(const struct verdict *verdict, int fault, char *text, size_t size)
{
    char name[TEXT_FRAME];
    size_t used = 0;
    uint64_t named = 0;
    text[0] = '\0';
    for (size_t i = 0; i < verdict->listed && named < FRAMES_NAMED; i++) {
        if (!(verdict->frame[i].judged.fails >> fault & 1)) continue;
        const struct verdict_frame *frame = &verdict->frame[i];
        used += (size_t)snprintf(text + used, size - used, " %s",
                                 text_frame(name, frame->shot, frame->frame));
        named++;
    }
    if (named < verdict->count[fault]) snprintf(text + used, size - used, " ...");
}

/* Returns how a line about a limit begins. */
static const char *lead(int fault, bool several)
{
    if (fault == FINDING_LEARNED)
        return several ? "over their learned limits" : "over its learned limit";
    return finding_row(fault)->over ? "over" : "below";
}

static void print_fault(const struct line_sink *to, const struct verdict *verdict,
                        const struct summary *summary, int fault)
{
    char frames[(TEXT_FRAME + 1) * (FRAMES_NAMED + 1)], name[TEXT_FRAME];
    char extreme[RECORD_TILE_TEXT + TEXT_FRAME + 40] = "", unjudged[80] = "", limit[VERDICT_LIMIT];
    const struct finding_row *row = finding_row(fault);
    const struct verdict_extreme *furthest = &verdict->extreme[fault];
    if (!verdict->too_many || verdict->count[fault] == 0) return;
    name_frames(verdict, fault, frames, sizeof frames);
    if (furthest->known)
        snprintf(extreme, sizeof extreme, "; %s %s of frame %s", row->extreme, furthest->text,
                 text_frame(name, furthest->shot, furthest->frame));
    if (verdict->unjudged[fault] > 0)
        snprintf(unjudged, sizeof unjudged, "; %" PRIu64 " of them %s", verdict->unjudged[fault],
                 row->unjudged);
    print_line(to, "%s: %" PRIu64 " of %" PRIu64 " frames %s %s:%s%s%s", lead(fault, true),
               verdict->count[fault], summary->scored, limit_side(fault),
               verdict_limit_name(limit, &verdict->limits, fault), frames, extreme, unjudged);
}

/* Prints the frames that fail by findings other than limits. */
static void print_found(const struct line_sink *to, const struct verdict *verdict,
                        const struct summary *summary)
{
    char frames[(TEXT_FRAME + 1) * (FRAMES_NAMED + 1)];
    for (int kind = FINDING_FAILED + 1; kind < FINDING_KINDS && verdict->too_many; kind++) {
        if (verdict->count[kind] == 0) continue;
        name_frames(verdict, kind, frames, sizeof frames);
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
            print_line(to, "%s: %s", lead(i, false),
                       verdict_beyond(text, &verdict->frame->judged, i, record));
    }
    for (int i = FINDING_FAILED + 1; i < FINDING_KINDS && verdict->too_many; i++)
        if (verdict->count[i] > 0)
            print_line(to, "found: the pair fails on %s", finding_row(i)->name);
}
