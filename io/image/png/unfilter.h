/* Undoes PNG's filters. A Sub, Average or Paeth pixel needs the pixel to its left, so a row is one
 * chain of dependent steps. But row k can run a little behind row k - 1. A level processes several
 * rows abreast, each in one part of a vector register, and so has many chains at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_FILTER, SUB, UP, AVERAGE, PAETH };

/* Filtered rows: each begins with the number of its filter. */
struct ssimcu_filtered_rows {
    const uint8_t *raw; /* the rows, row_bytes + 1 each */
    uint8_t *to;        /* target rows, `pitch` bytes apart; must not overlap `raw` */
    size_t pitch;
    const uint8_t *above; /* unfiltered row above the first; zeros above the picture */
    size_t row_bytes;
    uint32_t pixel_bytes; /* bytes of a pixel: 1, 2, 3, 4, 6 or 8 */
};

struct ssimcu_unfilter_level {
    const char *name;
    uint32_t rows[2]; /* rows abreast for pixels of up to 4 bytes, and for larger ones; at most 8 */
    /* Undoes the filters, whose numbers are at most 4, of that many rows. NULL: rows go one by
     * one. */
    void (*abreast)(const struct ssimcu_filtered_rows *rows);
    int (*available)(void);
};

/* The levels, best first. The last one is available everywhere. */
extern const struct ssimcu_unfilter_level ssimcu_unfilter_levels[];

const struct ssimcu_unfilter_level *ssimcu_unfilter_best(void);

void ssimcu_unfilter_avx2(const struct ssimcu_filtered_rows *rows);
void ssimcu_unfilter_avx512(const struct ssimcu_filtered_rows *rows);
void ssimcu_unfilter_neon(const struct ssimcu_filtered_rows *rows);

/* Undoes the filters of `count` rows. Returns false if a filter's number is invalid. */
bool ssimcu_unfilter(const struct ssimcu_unfilter_level *level, struct ssimcu_filtered_rows rows,
                     uint32_t count);
