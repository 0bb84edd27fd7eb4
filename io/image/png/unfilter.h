/* Undoes PNG's filters. A Sub, Average or Paeth pixel needs the pixel to its left, so a row is one
 * chain of dependent steps. But row k can run a little behind row k - 1. A level reads several rows
 * abreast, each in its part of a vector register, and so has many chains at once. */
#ifndef SSIMCU_IMAGE_UNFILTER_H
#define SSIMCU_IMAGE_UNFILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NO_FILTER, SUB, UP, AVERAGE, PAETH };

/* Rows as they are compressed: each begins with the number of its filter. */
struct ssimcu_filtered_rows {
    const uint8_t *raw; /* the rows, row_bytes + 1 each */
    uint8_t *to;        /* target rows, `pitch` bytes apart; must not overlap `raw` */
    size_t pitch;
    const uint8_t *above; /* row above the first, without filter; zeros above the picture */
    size_t row_bytes;
    uint32_t pixel_bytes; /* bytes of a pixel: 1, 2, 3, 4, 6 or 8 */
};

struct ssimcu_unfilter_level {
    const char *name;
    uint32_t rows[2]; /* rows abreast for pixels of up to 4 bytes, and of more; at most 8 */
    /* Undoes the filters of that many rows; their numbers are at most 4. NULL: rows go one by
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

/* Undoes the filters of `count` rows. False if a filter's number has no meaning. */
bool ssimcu_unfilter(const struct ssimcu_unfilter_level *level, struct ssimcu_filtered_rows rows,
                     uint32_t count);

#endif
