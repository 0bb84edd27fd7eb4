#include "results/junit.h"
#include "results/results.h"

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

void junit_add(struct junit_cases *cases, const struct record *record, unsigned faults)
{
    struct junit_case *const grown =
        results_grow(cases->at, cases->count, &cases->room, sizeof *grown);
    if (!grown) {
        cases->out_of_memory = true;
        return;
    }
    cases->at = grown;
    cases->at[cases->count++] = (struct junit_case){.frame = record->frame,
                                                    .part = part_of(cases, record->part),
                                                    .faults = faults,
                                                    .scored = record->kind == RECORD_SCORED,
                                                    .seconds = record->seconds};
}

void junit_free(struct junit_cases *cases)
{
    for (size_t i = 0; i < cases->parts; i++) free(cases->part[i]);
    free(cases->part);
    free(cases->at);
    *cases = (struct junit_cases){0};
}
