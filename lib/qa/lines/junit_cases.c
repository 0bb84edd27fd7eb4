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
    char *own = NULL;
    if (results_grow(&cases->part, cases->parts, &cases->parts_room, sizeof own) &&
        text_copy(&own, name))
        cases->part[cases->parts++] = own;
    else
        cases->out_of_memory = true;
    return own;
}

/* Says why a frame with a fault is bad, and names its files. Returns false if memory runs out. */
static bool explain(struct junit_case *own, const struct judged *judged,
                    const struct record *record)
{
    char text[VERDICT_WRONG];
    bool good = (own->why = strdup(verdict_wrong(text, judged, record, false))) != NULL;
    for (int side = 0; side < 2; side++)
        good = text_copy(&own->side[side], record->side[side].path) && good;
    return good;
}

void junit_add(struct junit_cases *cases, const struct record *record, const struct judged *judged)
{
    if (!results_grow(&cases->at, cases->count, &cases->room, sizeof *cases->at)) {
        cases->out_of_memory = true;
        return;
    }
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
