/* The cases of JUnit XML, collected one by one, with what is wrong in words. */
#include "base/results.h"
#include "base/text.h"
#include "facts/record.h"
#include "lines/junit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns a copy of the name, which frames of one part share because they follow each other. NULL
 * if there is no name or no memory. */
static const char *part_of(struct junit_cases *cases, const char *name)
{
    if (!name) return NULL;
    if (cases->parts > 0 && strcmp(cases->part[cases->parts - 1], name) == 0)
        return cases->part[cases->parts - 1];
    char **const grown = results_grow(cases->part, cases->parts, &cases->parts_room, sizeof *grown);
    if (grown) cases->part = grown;
    char *const own = grown ? strdup(name) : NULL;
    if (own)
        cases->part[cases->parts++] = own;
    else
        cases->out_of_memory = true;
    return own;
}

/* Writes in words what is wrong with a scored frame. */
static void describe(const struct judged *judged, const struct record *record, char *text,
                     size_t size)
{
    char beyond[VERDICT_BEYOND];
    size_t used = 0;
    for (int i = 0; i < FAULT_HINT && used < size; i++) {
        if (!(judged->faults >> i & 1)) continue;
        const char *what = judged->unjudged >> i & 1 ? faults_row(i)->unjudged
                                                     : verdict_beyond(beyond, judged, i, record);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", what);
    }
    if (record->scored.hints[0] && used < size)
        snprintf(text + used, size - used, "%s%s", used > 0 ? "; " : "", record->scored.hints);
}

/* Says why a frame with a fault is bad, and names its files. Returns false if memory runs out. */
static bool explain(struct junit_case *own, const struct judged *judged,
                    const struct record *record)
{
    enum { MESSAGE = 1024 };
    char text[MESSAGE] = "";
    if (record->kind == RECORD_SCORED)
        describe(judged, record, text, sizeof text);
    else if (record->kind == RECORD_FAILED)
        snprintf(text, sizeof text, "%s", record->message.text);
    else
        snprintf(text, sizeof text, "missing: %s", record_missing(record));
    bool good = (own->why = strdup(text)) != NULL;
    for (int side = 0; side < 2; side++)
        good = text_copy(&own->side[side], record->side[side].path) && good;
    return good;
}

void junit_add(struct junit_cases *cases, const struct record *record, const struct judged *judged)
{
    struct junit_case *const grown =
        results_grow(cases->at, cases->count, &cases->room, sizeof *grown);
    if (!grown) {
        cases->out_of_memory = true;
        return;
    }
    cases->at = grown;
    struct junit_case *const own = &cases->at[cases->count++];
    *own = (struct junit_case){.frame = record->frame,
                               .part = part_of(cases, record->part),
                               .faults = judged->faults,
                               .scored = record->kind == RECORD_SCORED,
                               .seconds = record->seconds};
    if (own->scored) cases->has_backend[strcmp(record->scored.backend, "cuda") == 0] = true;
    bool good = true;
    if (judged->faults && !cases->by_part)
        good = explain(own, judged, record);
    else if (record->variant.path && !cases->by_part)
        good = (own->why = text_join("passes against --or ", record->variant.path, "", "")) != NULL;
    if (!good) cases->out_of_memory = true;
}

void junit_free(struct junit_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        free(cases->at[i].why);
        for (int side = 0; side < 2; side++) free(cases->at[i].side[side]);
    }
    for (size_t i = 0; i < cases->parts; i++) free(cases->part[i]);
    free(cases->part);
    free(cases->at);
    *cases = (struct junit_cases){0};
}
