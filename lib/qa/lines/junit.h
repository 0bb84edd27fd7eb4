/* The verdict as JUnit XML, which build servers and farms show next to their tests. The suite has
 * one case for the run, and one for each frame or shot. Names never change between runs, so that a
 * server can show a frame's history. */
#pragma once

#include "verdict/verdict.h"

/* The facts about each frame. */
struct junit_cases {
    bool by_part; /* one case per shot, not per frame; set it before the first frame */
    struct junit_case {
        int64_t frame;
        const char *shot; /* one of `shot` below; may be NULL */
        finding_mask fails;
        bool scored;    /* scored or checked */
        char *name;     /* owned; file name of a frame without a number, else NULL */
        double seconds; /* time of decoding and scoring; 0: unknown, as in results read back */
        char *why;      /* owned; why the frame is bad, or the reference with which it is not; NULL:
                           neither, or `by_part` */
        char *side[2];  /* owned; files of a frame with `why`; may be NULL */
    } * at;
    char **shot; /* owned */
    size_t count, room, shots, shots_room;
    bool has_backend[2]; /* cpu, cuda: whether it scored a frame */
    bool out_of_memory;
};

/* Adds a frame, in order. If memory runs out, junit_write reports it. */
void junit_add(struct junit_cases *cases, const struct record *record, const struct judged *judged);

void junit_free(struct junit_cases *cases);

/* Facts for the file besides the verdict. */
struct junit_run {
    const struct junit_cases *cases;
    const struct json_t *contract; /* of the header */
    const struct json_t *device;   /* names of a header's devices; NULL: several */
    const char *side[2];           /* REF and OUT as given; NULL for a list */
    const char *list;              /* the list of pairs or frames; may be NULL */
    const struct json_t *paths;    /* paths of a check, as given; NULL: not a check */
    ssimcu_exit code;              /* exit code of the program; the suite fails unless it is 0 */
    const char *why;               /* the error; "": none */
    const char *report;            /* relative path from the XML to the report; may be NULL */
    double seconds;                /* duration of the run; negative: unknown */
};

extern const struct atomic_file_kind junit_kind; /* the files that a verdict may replace */

/* Writes the verdict as JUnit XML, first under a temporary name. A bad frame within max_bad passes.
 * A missing frame that may be missing is skipped. Errors: WRITE, MEMORY. */
ssimcu_status junit_write(const char *path, const struct junit_run *run,
                          const struct verdict *verdict, const struct summary *summary,
                          ssimcu_message *message);

/* The end of a run without a verdict. */
struct junit_end {
    ssimcu_status status;
    const char *text;    /* the message */
    const char *side[2]; /* REF and OUT as given; may be NULL */
};

/* Writes the end as the only case, which is an error. If writing fails, no older verdict is left
 * either. Errors: WRITE, MEMORY. */
ssimcu_status junit_write_end(const char *path, const struct junit_end *end,
                              ssimcu_message *message);
