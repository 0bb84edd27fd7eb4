/* The verdict as JUnit XML, which build servers and farms show beside their own tests. The suite
 * has a case for the run, and one for each frame or each part. Their names are the same every
 * night, so that a server can show a frame's history. */
#ifndef SSIMCU_QA_JUNIT_H
#define SSIMCU_QA_JUNIT_H

#include "verdict/verdict.h"

/* What is known of each frame. */
struct junit_cases {
    bool by_part; /* a case for each part, not for each frame; set it before the first frame */
    struct junit_case {
        int64_t frame;
        const char *part; /* one of `part` below; NULL: none */
        unsigned faults;  /* 1 << enum fault */
        bool scored;
        double seconds; /* time of decoding and scoring; 0: unknown, as of results read back */
        char *why;      /* own; why the frame is bad, or with which
                           reference it is not; NULL: neither, or `by_part` */
        char *side[2];  /* own; files of a frame with `why`; NULL: there is none */
    } * at;
    char **part; /* own */
    size_t count, room, parts, parts_room;
    bool has_backend[2]; /* cpu, cuda: has scored a frame */
    bool out_of_memory;
};

/* Adds a frame, in order. If memory runs out, junit_write says so. */
void junit_add(struct junit_cases *cases, const struct record *record, const struct judged *judged);

void junit_free(struct junit_cases *cases);

/* What the file says beside the verdict. */
struct junit_run {
    const struct junit_cases *cases;
    const struct json_t *contract; /* of the header */
    const struct json_t *device;   /* names of a header's devices; NULL: several */
    const char *side[2];           /* REF and OUT as they were named; NULL: none, as of a list */
    const char *list;              /* the list of pairs; NULL: none */
    const char *report;            /* way to the report's page from the XML; NULL: none */
    double seconds;                /* duration of the run; negative: unknown */
};

extern const struct draft_kind junit_kind; /* what a verdict may replace */

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

#endif
