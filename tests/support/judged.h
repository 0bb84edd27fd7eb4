/* A record judged and put in words, in one call. */
#ifndef SSIMCU_TEST_JUDGED_H
#define SSIMCU_TEST_JUDGED_H

#include "verdict/verdict.h"

static inline const char *beyond_text(char text[VERDICT_BEYOND], const struct limits *limits,
                                      int fault, const struct record *record)
{
    const struct judged judged = verdict_judge(limits, record, NULL, NULL);
    return verdict_beyond(text, &judged, fault, record);
}

#endif
