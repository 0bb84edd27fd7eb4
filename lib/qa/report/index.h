/* The page over the reports of several OUTs. It lies in the directory that holds their folders. */
#ifndef SSIMCU_QA_REPORT_INDEX_H
#define SSIMCU_QA_REPORT_INDEX_H

#include "report/report.h"

/* An OUT and what it came to. */
struct index_row {
    const char *name;                 /* OUT, as it was given */
    const char *folder;               /* name of its report's folder in the directory; NULL: none */
    const char *why;                  /* reason for its having no result; NULL: it has one */
    unsigned group;                   /* group that it is in, from 1; 0: none */
    const struct source_input *input; /* input of the pictures */
    const struct report *report;      /* this and what follows: NULL without a result */
    const struct summary *summary;
    const struct verdict *verdict;
};

struct index {
    const char *ref; /* REF, as it was given */
    const struct index_row *row;
    size_t count;
    bool sides;         /* there is a page of frames of two OUTs (sides.h) */
    bool share;         /* share of a batch: the merge judges */
    char *const *group; /* names of groups of OUTs */
    unsigned groups;
    const ssimcu_settings *settings; /* of the pictures, as in struct pictures_config */
    uint64_t memory_bytes;
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};

/* Checks whether the page may be written: none is there, or one of an earlier run. Errors: ARGUMENT
 * (something else is there), MEMORY. */
ssimcu_status index_check(const char *directory, ssimcu_message *message);

/* Writes the page, in the place of an earlier one. Errors: ARGUMENT, WRITE, MEMORY. */
ssimcu_status index_write(const char *directory, const struct index *index,
                          ssimcu_message *message);

/* Makes the page of an earlier run say that a later one ended early, and why. Does nothing if there
 * is none. Errors: WRITE, MEMORY. */
ssimcu_status index_withdraw(const char *directory, const char *why, ssimcu_message *message);

#endif
