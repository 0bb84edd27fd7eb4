/* Collects the cases of JUnit XML, with the reasons in words. */
#include "base/results.h"
#include "base/text.h"
#include "lines/junit.h"
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

enum { WHY = 2048 };

/* Returns a copy of the name. Consecutive frames of one shot share it. NULL if there is no name or
 * no memory. */
static const char *shot_of(struct junit_cases *cases, const char *name)
{
    if (!name) return NULL;
    if (cases->shots > 0 && strcmp(cases->shot[cases->shots - 1], name) == 0)
        return cases->shot[cases->shots - 1];
    char *copy = NULL;
    if (results_grow(&cases->shot, cases->shots, &cases->shots_room, sizeof copy) &&
        text_copy(&copy, name))
        cases->shot[cases->shots++] = copy;
    else
        cases->out_of_memory = true;
    return copy;
}

/* Notes why a frame fails, and its files. Returns false if memory runs out. */
static bool explain(struct junit_case *frame, const struct record *record)
{
    char text[WHY];
    (void)findings_line(text, sizeof text, &record->findings, ~(finding_mask)0);
    bool good = (frame->why = strdup(text)) != NULL;
    for (int side = 0; side < 2; side++)
        good = text_copy(&frame->side[side], record->side[side].path) && good;
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
                               .shot = shot_of(cases, record->shot),
                               .fails = judged->fails,
                               .scored =
                                   record->kind == RECORD_SCORED || record->kind == RECORD_CHECKED,
                               .seconds = record->seconds};
    if (record->kind == RECORD_SCORED)
        cases->has_backend[strcmp(record->scored.backend, "cuda") == 0] = true;
    bool good = true;
    if (record->frame < 0 && record->side[1].path)
        good = text_copy(&own->name, text_base(record->side[1].path));
    if (judged->fails && !cases->by_part)
        good = explain(own, record) && good;
    else if (record->variant.path && !cases->by_part)
        good = (own->why = text_join("passes against --or ", record->variant.path, "", "")) != NULL;
    if (!good) cases->out_of_memory = true;
}

void junit_free(struct junit_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        free(cases->at[i].why), free(cases->at[i].name);
        for (int side = 0; side < 2; side++) free(cases->at[i].side[side]);
    }
    for (size_t i = 0; i < cases->shots; i++) free(cases->shot[i]);
    free(cases->shot);
    free(cases->at);
    *cases = (struct junit_cases){0};
}
