/* Undoing PNG's filters. A Sub, Average or Paeth pixel needs the one to its left, so that a row is
 * one chain of dependent steps; but row k may run a little behind row k - 1. A level reads that
 * many rows abreast, one to a part of a vector register, and makes many chains of one. */
#ifndef SSIMCU_IMAGE_UNFILTER_H
#define SSIMCU_IMAGE_UNFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_FILTER, SUB, UP, AVERAGE, PAETH };

/* Rows as they are compressed: each begins with its filter's number. */
struct ssimcu_filtered_rows {
    const uint8_t *raw; /* row after row, row_bytes + 1 each */
    uint8_t *to;        /* rows pitch bytes apart; not beside raw */
    size_t pitch;
    const uint8_t *above; /* the row above the first, without filter; zeros above the picture */
    size_t row_bytes;
    uint32_t pixel_bytes; /* 1, 2, 3, 4, 6, 8 */
};

struct ssimcu_unfilter_level {
    const char *name;
    uint32_t
        rows[2]; /* abreast, where a pixel has up to 4 bytes and where it has more; at most 8 */
    /* Undoes the filters of that many rows, whose numbers are at most 4. NULL: one by one. */
    void (*abreast)(const struct ssimcu_filtered_rows *rows);
    int (*available)(void);
};

/* Best first; the last is available everywhere. */
extern const struct ssimcu_unfilter_level ssimcu_unfilter_levels[];

const struct ssimcu_unfilter_level *ssimcu_unfilter_best(void);

void ssimcu_unfilter_avx2(const struct ssimcu_filtered_rows *rows);
void ssimcu_unfilter_avx512(const struct ssimcu_filtered_rows *rows);
void ssimcu_unfilter_neon(const struct ssimcu_filtered_rows *rows);

/* False where a row's filter has no meaning. */
bool ssimcu_unfilter(const struct ssimcu_unfilter_level *level, struct ssimcu_filtered_rows rows,
                     uint32_t count);

#endif
