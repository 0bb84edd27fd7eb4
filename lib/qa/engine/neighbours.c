#include "engine/neighbours.h"

#include "engine/judge.h"

#include "record/record.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum { RING = 2 * TIMELINE_REACH + 2 };

static const int64_t PARTS_APART = (int64_t)1 << 40;

/* Hands a record to `take`, and frees it. */
static void hand_out(struct neighbours *neighbours, struct record *record, bool known)
{
    if (!neighbours->closed)
        neighbours->closed = !neighbours->take(neighbours->user, record, known);
    record_free(record);
}

/* Returns a record's place in the timeline. Frames of two shots are never neighbours. */
static int64_t place_of(struct neighbours *neighbours, const struct record *record)
{
    const char *shot = record->shot ? record->shot : "";
    const char *last = neighbours->shot ? neighbours->shot : "";
    if (strcmp(shot, last) != 0) {
        neighbours->base += PARTS_APART;
        free(neighbours->shot);
        neighbours->shot = strdup(shot); /* each frame is a separate shot without memory */
    }
    return neighbours->base + record->frame;
}

static void fail_for_memory(struct record *record)
{
    ssimcu_message message = {{0}};
    (void)ssimcu_no_memory(&message, "the hints");
    record_fail(record, SSIMCU_ERROR_MEMORY, &message);
}

/* Writes findings into their record as text. */
static void write_pending_hints(struct record *record, struct pending_hints *findings)
{
    char text[PENDING_HINTS_TEXT];
    pending_hints_to_text(findings, text);
    free(findings);
    record->text[RECORD_PENDING_HINTS] = strdup(text);
    if (!record->text[RECORD_PENDING_HINTS]) fail_for_memory(record);
}

/* Returns the findings in the record of a share; may be NULL. */
static struct pending_hints *read_look(struct record *record)
{
    char **look = &record->text[RECORD_PENDING_HINTS];
    struct pending_hints *findings = *look ? malloc(sizeof *findings) : NULL;
    if (*look && !findings) fail_for_memory(record);
    if (findings && !pending_hints_from_text(*look, findings)) {
        free(findings);
        findings = NULL;
    }
    free(*look);
    *look = NULL;
    return findings;
}

static void hand_out_ready(struct neighbours *neighbours, bool end)
{
    struct hints hints;
    struct neighbour *next;
    while ((next = timeline_take(&neighbours->timeline, end, &hints))) {
        if (next->findings) judge_note_hints(next->record, &hints);
        if (next->findings && neighbours->keeps)
            write_pending_hints(next->record, next->findings);
        else
            free(next->findings);
        hand_out(neighbours, next->record, next->known);
    }
}

void neighbours_add(struct neighbours *neighbours, struct record *record,
                    struct pending_hints *findings, bool known)
{
    struct neighbour *now = &neighbours->ring[neighbours->added % RING];
    *now = (struct neighbour){record, findings, known};
    if (neighbours->in_shares && neighbours->sequence) {
        if (findings) write_pending_hints(record, findings);
        hand_out(neighbours, record, known);
        return;
    }
    if (!findings) now->findings = read_look(record);
    /* Next to frames of REF, a frame of a variant would look as if REF had moved on. */
    const struct pending_hints *own = now->findings;
    neighbours->added++;
    neighbours->timeline.has_learned = record->learned.known;
    timeline_add(&neighbours->timeline, place_of(neighbours, record),
                 own && neighbours->sequence ? own->signature : NULL, own ? &own->hints : NULL,
                 record->variant.path ? 1 : record->scored.score, now);
    hand_out_ready(neighbours, false);
}

void neighbours_end(struct neighbours *neighbours)
{
    hand_out_ready(neighbours, true);
    free(neighbours->shot);
    neighbours->shot = NULL;
    neighbours->closed = true;
}
