/* A record judged, added or put in words, in one call. */
#ifndef SSIMCU_TEST_JUDGED_H
#define SSIMCU_TEST_JUDGED_H

#include "record/record.h"
#include "verdict/verdict.h"

#include <stdlib.h>

static inline const char *beyond_text(char text[VERDICT_BEYOND], const struct limits *limits,
                                      int fault, const struct record *record)
{
    const struct judged judged = verdict_judge(limits, record, NULL, NULL);
    return verdict_beyond(text, &judged, fault, record);
}

/* Adds a record as verdict_add does, and leaves the record itself without the findings of its
 * limits. */
static inline struct judged add_judged(struct verdict *verdict, const struct record *record,
                                       const struct verdict_baseline *baseline)
{
    struct record own;
    if (!record_copy(&own, record)) abort();
    const struct judged judged = verdict_add(verdict, &own, baseline);
    record_clear(&own);
    return judged;
}

#endif
