/* Shots without pictures: only the numbers that the rules of a shot judge. Rows of a table change
 * one number each, to a value with which a finding stays, and to one with which it does not. */
#ifndef SSIMCU_TEST_DETECT_NUMBERS_H
#define SSIMCU_TEST_DETECT_NUMBERS_H

#include "check.h"
#include "detect_found.h"

#include "detect/shot.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE = 640, HIGH = 400, LEVEL = 32767 / 255 /* codes of a level, nearly */ };

/* Makes frames of a picture that moves by a level from each frame to the next. */
static inline void make_moving(struct shot *shot, size_t count)
{
    *shot = (struct shot){.numbered = true, .count = count, .room = count};
    shot->frame = calloc(count, sizeof *shot->frame);
    for (size_t i = 0; i < count; i++) {
        struct shot_frame *frame = &shot->frame[i];
        *frame = (struct shot_frame){.number = (int64_t)i,
                                     .path = strdup("x.png"),
                                     .time = NAN,
                                     .read = true,
                                     .width = WIDE,
                                     .height = HIGH,
                                     .channels = 3,
                                     .bits = 8,
                                     .judged = true,
                                     .step = {i > 0 ? 1 : NAN, i > 1 ? 2 : NAN},
                                     .colours = {.known = true, .chroma = 40, .power = 1}};
        for (int c = 0; c < COLOURS; c++)
            frame->colours.spread[c] = 100, frame->colours.mean[c] = 100;
    }
}

/* A member of a frame, its type, and two values of it. */
struct row {
    int line; /* where the table has it */
    size_t at, offset;
    char type;
    double kept, lost; /* the finding stays, or not; SKIPPED: no such value */
};

#define SKIPPED (-HUGE_VAL)
#define ROW(at, member, kept, lost)                                                                \
    {                                                                                              \
        __LINE__, at, offsetof(struct shot_frame, member),                                         \
            _Generic(((struct shot_frame *)0)->member, double                                      \
                     : 'd', float                                                                  \
                     : 'f', bool                                                                   \
                     : 'b', uint32_t                                                               \
                     : 'u', int16_t                                                                \
                     : 's', size_t                                                                 \
                     : 'z'),                                                                       \
            kept, lost                                                                             \
    }

static inline void change_number(struct shot *shot, const struct row *row, double value)
{
    char *at = (char *)&shot->frame[row->at] + row->offset;
    switch (row->type) {
    case 'd': memcpy(at, &value, sizeof value); break;
    case 'f': *(float *)(void *)at = (float)value; break;
    case 'b': *(bool *)(void *)at = value != 0; break;
    case 'u': *(uint32_t *)(void *)at = (uint32_t)value; break;
    case 's': *(int16_t *)(void *)at = (int16_t)value; break;
    default: *(size_t *)(void *)at = (size_t)value;
    }
}

/* Returns how many frames have a finding of a kind. */
static inline size_t count_found(const struct shot *shot, enum finding_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < shot->count; i++) count += has(shot, i, kind);
    return count;
}

/* Expects a finding of frame `at` with one value of each row, and none with the other. */
static inline void expect_rows(const struct row *rows, size_t count, void (*make)(struct shot *),
                               void (*judge)(struct shot *), enum finding_kind kind, size_t at)
{
    for (size_t r = 0; r < 2 * count; r++) {
        const struct row *row = &rows[r / 2];
        const double value = r % 2 ? row->lost : row->kept;
        struct shot shot;
        if (value == SKIPPED) continue;
        make(&shot);
        change_number(&shot, row, value);
        judge(&shot);
        cr_expect_eq(has(&shot, at, kind), r % 2 == 0, "line %d: %g", row->line, value);
        shot_free(&shot);
    }
}
#define EXPECT_ROWS(rows, make, judge, kind, at)                                                   \
    expect_rows(rows, sizeof(rows) / sizeof *(rows), make, judge, kind, at)

#endif
