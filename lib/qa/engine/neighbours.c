#include "engine/neighbours.h"

#include "facts/record.h"

#include "fail.h"

#include <stdlib.h>
#include <string.h>

enum { RING = 2 * TIMELINE_REACH + 2 };

static const int64_t PARTS_APART = (int64_t)1 << 40;

/* Gives a record to whoever takes it, and frees it. */
static void hand_out(struct neighbours *neighbours, struct record *record, bool known)
{
    if (!neighbours->closed)
        neighbours->closed = !neighbours->take(neighbours->user, record, known);
    record_free(record);
}

/* Returns the place of a record in the timeline. Frames of two parts follow each other in no time.
 */
static int64_t place_of(struct neighbours *neighbours, const struct record *record)
{
    const char *part = record->part ? record->part : "";
    const char *last = neighbours->part ? neighbours->part : "";
    if (strcmp(part, last) != 0) {
        neighbours->base += PARTS_APART;
        free(neighbours->part);
        neighbours->part = strdup(part); /* each frame is a part of its own if memory runs out */
    }
    return neighbours->base + record->frame;
}

static void fail_for_memory(struct record *record)
{
    ssimcu_message message = {{0}};
    (void)ssimcu_no_memory(&message, "the hints");
    record_fail(record, SSIMCU_ERROR_MEMORY, &message);
}

/* Makes findings a text of their record. */
static void write_look(struct record *record, struct findings *findings)
{
    char text[FINDINGS_TEXT];
    findings_to_text(findings, text);
    free(findings);
    record->text[RECORD_LOOK] = strdup(text);
    if (!record->text[RECORD_LOOK]) fail_for_memory(record);
}

/* Returns the findings that the record of a share carries; NULL: none. */
static struct findings *read_look(struct record *record)
{
    char **look = &record->text[RECORD_LOOK];
    struct findings *findings = *look ? malloc(sizeof *findings) : NULL;
    if (*look && !findings) fail_for_memory(record);
    if (findings && !findings_from_text(*look, findings)) {
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
        if (next->findings) hints_text(&hints, next->record->scored.hints, RECORD_HINTS_BYTES);
        if (next->findings && neighbours->keeps)
            write_look(next->record, next->findings);
        else
            free(next->findings);
        hand_out(neighbours, next->record, next->known);
    }
}

void neighbours_add(struct neighbours *neighbours, struct record *record, struct findings *findings,
                    bool known)
{
    struct neighbour *now = &neighbours->ring[neighbours->added % RING];
    *now = (struct neighbour){record, findings, known};
    if (neighbours->in_shares && neighbours->sequence) {
        if (findings) write_look(record, findings);
        hand_out(neighbours, record, known);
        return;
    }
    if (!findings) now->findings = read_look(record);
    /* Beside frames of REF, one of another reference would look as if REF had moved on. */
    const struct findings *own = now->findings;
    neighbours->added++;
    neighbours->timeline.has_floors = record->floor.known;
    timeline_add(&neighbours->timeline, place_of(neighbours, record),
                 own && neighbours->sequence ? own->signature : NULL, own ? &own->hints : NULL,
                 record->variant.path ? 1 : record->scored.score, now);
    hand_out_ready(neighbours, false);
}

void neighbours_end(struct neighbours *neighbours)
{
    hand_out_ready(neighbours, true);
    free(neighbours->part);
    neighbours->part = NULL;
    neighbours->closed = true;
}
