/* The input of pages: a run, or the runs of several OUTs. */
#pragma once

#include "record/header.h"
#include "source/source.h"
#include "verdict/verdict.h"

struct judge;
struct report;

/* Name of the folder with the page of frames of two OUTs, next to the OUTs' folders. */
#define SIDES_FOLDER "side-by-side"

/* Facts about the run and its result. */
struct report_facts {
    const struct header *header;
    const struct summary *summary;
    const struct verdict *verdict;
    bool share;                       /* a share of a batch, judged by the merge */
    bool pair;                        /* the run is two pictures, not a batch */
    double score_seconds;             /* time of scoring; negative: unknown */
    const struct source_input *input; /* input of the pictures */
    const ssimcu_settings *settings;  /* settings of the scores */
    const struct judge *judge;        /* learned limits, for maps; may be NULL */
    uint64_t memory_bytes;            /* limit as in struct batch_config */
    /* Gets the number of pictures done; returns false to stop. May be NULL. */
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};

/* An OUT and its outcome. */
struct index_row {
    const char *name;   /* OUT as given */
    const char *folder; /* name of its report's folder in the directory; may be NULL */
    const char *why;    /* reason why it has no result; NULL: it has one */
    unsigned group;     /* its group, from 1; 0: none */
    const struct source_input *input; /* input of the pictures */
    const struct report *report;      /* this and the next members: NULL without a result */
    const struct summary *summary;
    const struct verdict *verdict;
};

struct index {
    const char *ref; /* REF as given */
    const struct index_row *row;
    size_t count;
    bool sides;         /* there is a page of frames of two OUTs (page_sides.c) */
    bool share;         /* a share of a batch, judged by the merge */
    char *const *group; /* names of groups of OUTs */
    unsigned groups;
    const ssimcu_settings *settings; /* settings of the pictures, as in struct pictures_config */
    uint64_t memory_bytes;
    bool (*progress)(void *user, size_t done, size_t count);
    void *user;
};
