/* The loops over samples of a look at a frame. Each instruction set has a file that is compiled for
 * it; all give the same numbers. Samples are bytes, or the codes of 15 bits that seen.h explains;
 * those of a pixel lie side by side. */
#ifndef SSIMCU_QA_LOOPS_H
#define SSIMCU_QA_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOOPS_PART = 1 << 10,   /* eight rows fit the cache next to the CPU, and sums fit 32 bits */
    LOOPS_LARGEST = 0x7bff, /* the largest half */
    LOOPS_BLACK = 0x1800    /* 2^-9: what is darker is black to the eye, its stops would be noise */
};

struct check_loops {
    const char *name;
    /* Add a row to its strip, which has the largest step of each column of samples, from the one
     * on the left or above. It also has sums of columns: of pairs of bytes, or of eighths of codes.
     * Eight rows fit. Both return the sum of the steps along the row. `up`: the row above, or the
     * row itself. `next` is fetched from memory meanwhile: the next row, or the row itself. Codes
     * are added part by part, of at most LOOPS_PART samples. */
    uint64_t (*row_bytes)(const uint8_t *now, const uint8_t *up, const uint8_t *next, size_t count,
                          size_t channels, uint8_t *most, uint16_t *sum);
    uint32_t (*row_codes)(const int16_t *now, const int16_t *up, size_t begin, size_t end,
                          size_t channels, int16_t *most, int16_t *sum);
    /* Make the largest step and the sum of each cell from those of its columns. */
    void (*cells_bytes)(const uint8_t *most, const uint16_t *sum, size_t cells, size_t channels,
                        int16_t *cell_most, int32_t *cell_sum);
    void (*cells_codes)(const int16_t *most, const int16_t *sum, size_t cells, size_t channels,
                        int16_t *cell_most, int32_t *cell_sum);
    /* Return by how much any of some samples stands out over the four around it, at most. `own`
     * gets it of each; of codes it is above 0 where they are brighter. */
    int (*four_bytes)(const uint8_t *up, const uint8_t *now, const uint8_t *down, size_t count,
                      size_t channels, uint8_t *own);
    int (*four_codes)(const int16_t *up, const int16_t *now, const int16_t *down, size_t count,
                      size_t channels, int16_t *own);
    /* Writes it over the eight around each sample. */
    void (*eight_codes)(const int16_t *up, const int16_t *now, const int16_t *down, size_t count,
                        size_t channels, int16_t *own);
    /* Return the largest of the least of `colours` samples in a row, 1 or 3, whatever their sign.
     * `own` has two more. */
    int (*most_of_bytes)(const uint8_t *own, size_t count, size_t colours);
    int (*most_of_pixels)(const int16_t *own, size_t count, size_t colours);
    /* Make codes of floats. Return whether a number may be none of light: one below 0, even -0, or
     * no finite one. */
    bool (*take_halves)(const uint16_t *from, size_t count, int16_t *to);
    bool (*take_floats)(const uint32_t *from, size_t count, int16_t *to);
    int (*available)(void);
};

extern const struct check_loops check_loops_plain;

/* The instruction sets of this build, best first. The last one, plain C, is available everywhere.
 */
extern const struct check_loops *const check_loops_all[];

const struct check_loops *check_loops_best(void);

#endif
