/* What pages are given to show: a run, or the runs of several OUTs. */
#ifndef SSIMCU_QA_REPORT_PAGE_VIEW_H
#define SSIMCU_QA_REPORT_PAGE_VIEW_H

#include "facts/header.h"
#include "source/source.h"
#include "verdict/verdict.h"

struct judge;
struct report;

/* Name of the folder with the page of frames of two OUTs, beside those of the OUTs. */
#define SIDES_FOLDER "side-by-side"

/* Facts about the run and its result. */
struct report_facts {
    const struct header *header;
    const struct summary *summary;
    const struct verdict *verdict;
    bool share;                       /* share of a batch: the merge judges */
    bool pair;                        /* two pictures instead of a batch */
    double score_seconds;             /* time that scoring took; negative: unknown */
    const struct source_input *input; /* input of the pictures */
    const ssimcu_settings *settings;  /* settings of the scores */
    const struct judge *judge;        /* floors, for maps; NULL: none */
    uint64_t memory_bytes;            /* limit as in struct batch_config */
    /* Gets the number of pictures done; returns false to stop. NULL is allowed. */
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};

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
    bool sides;         /* there is a page of frames of two OUTs (page_sides.c) */
    bool share;         /* share of a batch: the merge judges */
    char *const *group; /* names of groups of OUTs */
    unsigned groups;
    const ssimcu_settings *settings; /* of the pictures, as in struct pictures_config */
    uint64_t memory_bytes;
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};

#endif
