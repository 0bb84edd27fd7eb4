/* What is found about a frame, and the one table of its kinds. */
#ifndef SSIMCU_QA_FINDINGS_H
#define SSIMCU_QA_FINDINGS_H

#include "fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum check_kind {
    CHECK_UNREADABLE,
    CHECK_MISSING,
    CHECK_SIZE,
    CHECK_FORMAT,
    CHECK_LAYERS,
    CHECK_NAN,
    CHECK_NEGATIVE,
    CHECK_FLAT,
    CHECK_BLANK,
    CHECK_BLOCK,
    CHECK_BAND,
    CHECK_ALPHA,
    CHECK_PIXEL,
    CHECK_STUCK,
    CHECK_SWAPPED,
    CHECK_ELSEWHERE,
    CHECK_KINDS
};

/* Kinds of findings that fail a frame: 1 << enum check_kind added up. */
typedef unsigned check_mask;

/* Returns the name of a kind, such as "nan". */
const char *check_kind_name(enum check_kind kind);

/* Returns the kinds that fail unless others are asked for: those that clean work does not have. */
check_mask check_default(void);

/* Reads kinds, such as "nan,block". "all" is all of them, and "none" none. Errors: ARGUMENT. */
ssimcu_status check_read_kinds(const char *text, check_mask *kinds, ssimcu_message *message);

struct check_place {
    uint32_t x, y, width, height; /* no width: the whole frame */
};

struct finding {
    enum check_kind kind;
    struct check_place place;
    double number;  /* what a kind counts or measures; its sentence says what */
    char text[512]; /* a sentence */
};

/* The findings of a frame, in the order in which they were added. */
struct findings_list {
    struct finding *finding; /* own */
    size_t count, room;
    bool out_of_memory;
};

SSIMCU_PRINTF(5, 6)
void findings_add(struct findings_list *list, enum check_kind kind, struct check_place place,
                  double number, const char *format, ...);

void findings_free(struct findings_list *list);

#endif
