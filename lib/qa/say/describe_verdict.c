/* Which frames a verdict is about, in lines for a person. */
#include "say/describe.h"

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
        if (!(verdict->frame[i].judged.faults >> fault & 1)) continue;
        const struct verdict_frame *frame = &verdict->frame[i];
        used += (size_t)snprintf(text + used, size - used, " %s",
                                 text_frame(name, frame->part, frame->frame));
        named++;
    }
    if (named < verdict->count[fault]) snprintf(text + used, size - used, " ...");
}

/* Returns how a line begins: what is beyond its floor lies over a limit, and mostly below nothing.
 */
static const char *lead(int fault) { return fault == FAULT_FLOOR ? "beyond its floor" : "below"; }

static void say_fault(const struct say *to, const struct verdict *verdict,
                      const struct summary *summary, int fault)
{
    char frames[(TEXT_FRAME + 1) * (FRAMES_NAMED + 1)], name[TEXT_FRAME];
    char extreme[RECORD_TILE_TEXT + TEXT_FRAME + 40] = "", unjudged[80] = "", limit[VERDICT_LIMIT];
    const struct fault_row *row = faults_row(fault);
    const struct verdict_extreme *own = &verdict->extreme[fault];
    if (!verdict->too_many || verdict->count[fault] == 0) return;
    name_frames(verdict, fault, frames, sizeof frames);
    if (own->known)
        snprintf(extreme, sizeof extreme, "; %s %s of frame %s", row->extreme, own->text,
                 text_frame(name, own->part, own->frame));
    if (verdict->unjudged[fault] > 0)
        snprintf(unjudged, sizeof unjudged, "; %" PRIu64 " of them %s", verdict->unjudged[fault],
                 row->unjudged);
    say(to, "%s: %" PRIu64 " of %" PRIu64 " frames %s %s:%s%s%s", lead(fault),
        verdict->count[fault], summary->scored, faults_side(fault),
        verdict_limit_name(limit, &verdict->limits, fault), frames, extreme, unjudged);
}

static void say_fault_of_hints(const struct say *to, const struct verdict *verdict,
                               const struct summary *summary)
{
    char frames[(TEXT_FRAME + 1) * (FRAMES_NAMED + 1)], limit[VERDICT_LIMIT];
    if (!verdict->too_many || verdict->count[FAULT_HINT] == 0) return;
    name_frames(verdict, FAULT_HINT, frames, sizeof frames);
    say(to, "hinted: %" PRIu64 " of %" PRIu64 " frames by %s:%s", verdict->count[FAULT_HINT],
        summary->scored, verdict_limit_name(limit, &verdict->limits, FAULT_HINT), frames);
}

void describe_verdict(const struct say *to, const struct verdict *verdict,
                      const struct summary *summary)
{
    const struct limits *limits = &verdict->limits;
    char mean[VERDICT_LIMIT];
    if (verdict->passed) return;
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (verdict->low_mean >> m & 1)
            say(to, "below: mean %s", verdict_mean_text(mean, verdict, summary, m));
    for (int i = 0; i < FAULT_HINT; i++) say_fault(to, verdict, summary, i);
    say_fault_of_hints(to, verdict, summary);
    if (verdict->unlimited) say(to, "below: no frame has a limit in %s", limits->file->path);
}

/* Says that a limit judges nothing. Floors of a run are those of its frames' numbers, and a pair of
 * files is frame 0: the number may stand in the name. */
static void say_unjudged(const struct say *to, const struct picture_pair *pictures,
                         const struct limits *own, int fault)
{
    const char *name = text_base(pictures->side[0].path);
    char limit[VERDICT_LIMIT], way[120] = "";
    size_t start, end;
    if (fault == FAULT_FLOOR && ssimcu_sequence_digits(name, &start, &end))
        snprintf(way, sizeof way, "; for those of a run give REF, OUT and --frames %.*s",
                 (int)(end - start), name + start);
    say(to, "%s: %s judges nothing: %s%s", lead(fault), verdict_limit_text(limit, own, fault),
        faults_row(fault)->unjudged, way);
}

void describe_pair_verdict(const struct say *to, const struct picture_pair *pictures,
                           const struct verdict *verdict, const struct summary *summary)
{
    const struct record *record = pictures->pair.record;
    const struct limits *limits = &verdict->limits;
    char text[VERDICT_BEYOND], limit[VERDICT_LIMIT];
    if (verdict->unlimited) say(to, "below: the pair has no limit in %s", limits->file->path);
    for (int m = 0; m < SSIMCU_METRICS; m++)
        if (verdict->low_mean >> m & 1)
            say(to, "below: score %s", verdict_mean_text(limit, verdict, summary, m));
    if (verdict->listed == 0) return; /* it has no fault, or memory ran out */
    for (int i = 0; i < FAULT_HINT; i++) {
        if (verdict->unjudged[i] > 0)
            say_unjudged(to, pictures, &verdict->frame->judged.own, i);
        else if (verdict->too_many && verdict->count[i] > 0)
            say(to, "%s: %s", lead(i), verdict_beyond(text, &verdict->frame->judged, i, record));
    }
    if (verdict->too_many && verdict->count[FAULT_HINT] > 0)
        say(to, "hinted: by %s",
            verdict_limit_text(limit, &verdict->frame->judged.own, FAULT_HINT));
}
