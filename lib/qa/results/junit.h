/* The verdict as JUnit XML, which build servers and farms show beside their own tests. The suite
 * has a case for the run, and one for each frame or each part. Their names are the same every
 * night, so that a server can show a frame's history. */
#ifndef SSIMCU_QA_JUNIT_H
#define SSIMCU_QA_JUNIT_H

#include "results/header.h"
#include "results/verdict.h"

/* What is known of each frame. {0} has none. */
struct junit_cases {
    struct junit_case {
        int64_t frame;
        const char *part; /* one of `part` below; NULL: none */
        unsigned faults;  /* 1 << enum fault */
        bool scored;
        double seconds; /* of decoding and scoring; 0: an earlier run has done that */
    } * at;
    char **part; /* own */
    size_t count, room, parts, parts_room;
    bool out_of_memory;
};

/* Adds a frame, in order. If memory runs out, junit_write says so. */
void junit_add(struct junit_cases *cases, const struct record *record, unsigned faults);

void junit_free(struct junit_cases *cases);

/* What the file says beside the verdict. */
struct junit_run {
    const struct junit_cases *cases;
    bool by_part; /* a case for each part, not for each frame */
    const struct header *header;
    const char *side[2]; /* REF and OUT as they were named; NULL: none, as of a list */
    const char *report;  /* way from the file to the report's folder; NULL: none */
    double seconds;      /* duration of the run; negative: unknown */
};

/* Returns whether a verdict may replace the file: it is missing, empty or a verdict. */
bool junit_may_go(const char *path);

/* Writes the verdict as JUnit XML, under a temporary name first. A frame that max_bad forgives has
 * passed. One that is missing and may be is skipped. Errors: WRITE, MEMORY. */
ssimcu_status junit_write(const char *path, const struct junit_run *run,
                          const struct verdict *verdict, const struct summary *summary,
                          ssimcu_message *message);

/* How a run ended that came to no verdict. */
struct junit_end {
    ssimcu_status status;
    const char *text;    /* its message */
    const char *side[2]; /* REF and OUT as they were named; NULL: none */
};

/* Writes that instead of a verdict, as the only case, which has an error. If that fails, no older
 * verdict is left either. Errors: WRITE, MEMORY. */
ssimcu_status junit_write_end(const char *path, const struct junit_end *end,
                              ssimcu_message *message);

/* Removes the verdict of an earlier run, if there is one. Errors: WRITE. */
ssimcu_status junit_remove(const char *path, ssimcu_message *message);

#endif
