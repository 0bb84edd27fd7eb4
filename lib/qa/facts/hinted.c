#include "facts/hinted.h"
#include "base/results.h"
#include "base/text.h"
#include "facts/record.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

/* Returns whether both have hints of the same kinds, whatever their numbers. */
static bool same_kinds(const char *a, const char *b)
{
    const char *first, *second;
    size_t length, other;
    do {
        first = record_next_kind(&a, &length);
        second = record_next_kind(&b, &other);
    } while (first && second && length == other && strncmp(first, second, length) == 0);
    return !first && !second;
}

static bool joins(const struct hinted_run *run, const struct record *record)
{
    if (!same_text(run->part, record->part)) return false;
    if (strncmp(run->hints, "frame ", 6) == 0) return same_text(run->hints, record->scored.hints);
    return record->frame == run->last + 1 && same_kinds(run->hints, record->scored.hints);
}

/* Returns a new run, or NULL if there is no room or no memory. */
static struct hinted_run *new_run(struct hinted *hinted, const struct record *record)
{
    if (hinted->runs == HINTED_RUNS) return NULL;
    struct hinted_run run = {.first = record->frame,
                             .alike = true,
                             .from_start = record->frame - hinted->part_from <= 3};
    if (results_grow(&hinted->run, hinted->runs, &hinted->room, sizeof run) &&
        text_copy(&run.part, record->part) && text_copy(&run.hints, record->scored.hints)) {
        hinted->run[hinted->runs] = run;
        return &hinted->run[hinted->runs++];
    }
    hinted->out_of_memory = true;
    free(run.part);
    return NULL;
}

static void note_part(struct hinted *hinted, const struct record *record)
{
    if (hinted->begun && same_text(hinted->part, record->part)) return;
    free(hinted->part);
    hinted->out_of_memory |= !text_copy(&hinted->part, record->part);
    hinted->part_from = record->frame;
    hinted->begun = true;
}

void hinted_add(struct hinted *hinted, const struct record *record, bool bad)
{
    note_part(hinted, record);
    if (!record->scored.hints[0]) return;
    struct hinted_run *run = hinted->runs ? &hinted->run[hinted->runs - 1] : NULL;
    if (hinted->more > 0 || !run || !joins(run, record)) run = new_run(hinted, record);
    if (!run) {
        hinted->more++;
        return;
    }
    run->alike = run->alike && same_text(run->hints, record->scored.hints);
    run->last = record->frame;
    run->count++;
    run->bad += bad;
}

void hinted_free(struct hinted *hinted)
{
    for (size_t i = 0; i < hinted->runs; i++) free(hinted->run[i].part), free(hinted->run[i].hints);
    free(hinted->run);
    free(hinted->part);
    *hinted = (struct hinted){0};
}
