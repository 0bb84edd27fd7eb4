#include "record/hinted.h"
#include "base/results.h"
#include "base/text.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static bool joins(const struct hinted_run *run, const struct record *record, const char *hints)
{
    if (!same_text(run->shot, record->shot)) return false;
    if (run->kinds == finding_bit(FINDING_FRAME_OFFSET)) return same_text(run->hints, hints);
    return record->frame == run->last + 1 && run->kinds == findings_kinds(&record->findings);
}

/* Returns a new run; NULL: there are too many, or memory ran out. */
static struct hinted_run *new_run(struct hinted *hinted, const struct record *record,
                                  const char *hints)
{
    if (hinted->runs == HINTED_RUNS) return NULL;
    struct hinted_run run = {.first = record->frame,
                             .kinds = findings_kinds(&record->findings),
                             .alike = true,
                             .from_start = record->frame - hinted->part_from <= 3};
    if (results_grow(&hinted->run, hinted->runs, &hinted->room, sizeof run) &&
        text_copy(&run.shot, record->shot) && text_copy(&run.hints, hints)) {
        hinted->run[hinted->runs] = run;
        return &hinted->run[hinted->runs++];
    }
    hinted->out_of_memory = true;
    free(run.shot);
    return NULL;
}

static void note_part(struct hinted *hinted, const struct record *record)
{
    if (hinted->begun && same_text(hinted->shot, record->shot)) return;
    free(hinted->shot);
    hinted->out_of_memory |= !text_copy(&hinted->shot, record->shot);
    hinted->part_from = record->frame;
    hinted->begun = true;
}

void hinted_add(struct hinted *hinted, const struct record *record, bool bad)
{
    char hints[HINTED_TEXT];
    note_part(hinted, record);
    if (record->findings.count == 0) return;
    (void)findings_line(hints, sizeof hints, &record->findings, ~(finding_mask)0);
    struct hinted_run *run = hinted->runs ? &hinted->run[hinted->runs - 1] : NULL;
    if (hinted->more > 0 || !run || !joins(run, record, hints))
        run = new_run(hinted, record, hints);
    if (!run) {
        hinted->more++;
        return;
    }
    run->alike = run->alike && same_text(run->hints, hints);
    run->last = record->frame;
    run->count++;
    run->bad += bad;
}

void hinted_free(struct hinted *hinted)
{
    for (size_t i = 0; i < hinted->runs; i++) free(hinted->run[i].shot), free(hinted->run[i].hints);
    free(hinted->run);
    free(hinted->shot);
    *hinted = (struct hinted){0};
}
