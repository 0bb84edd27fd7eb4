/* The loops over samples of frame_stats_scan. Each instruction set has a file that is compiled for
 * it; all give the same numbers. Samples are bytes, or the codes of 15 bits in frame_stats.h. The
 * samples of a pixel are adjacent. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LOOPS_PART = 1 << 10,   /* eight rows fit the first cache, and sums fit 32 bits */
    LOOPS_SECOND = 4,       /* so that four second differences of codes fit 16 bits */
    LOOPS_SHOWN = 32,       /* codes of a level that show_codes writes: 10 times white fits */
    LOOPS_LARGEST = 0x7bff, /* the largest half */
    LOOPS_BLACK = 0x1800    /* 2^-9: darker values look black, and their stops would be noise */
};

struct detect_loops {
    const char *name;
    /* Add a row to its strip, which keeps the largest step of each column of samples, from the left
     * or upper neighbour. It also sums columns: of pairs of bytes, or of eighths of codes. Eight
     * rows fit. Both return the sum of the steps along the row. `up`: the row above, or the row
     * itself. `next`: prefetched meanwhile, the next row or the row itself. Codes are added in
     * pieces of at most LOOPS_PART samples. */
    uint64_t (*row_bytes)(const uint8_t *now, const uint8_t *up, const uint8_t *next, size_t count,
                          size_t channels, uint8_t *most, uint16_t *sum);
    uint32_t (*row_codes)(const int16_t *now, const int16_t *up, size_t begin, size_t end,
                          size_t channels, int16_t *most, int16_t *sum);
    /* Reduce columns to cells: the largest step and the sum of each. */
    void (*cells_bytes)(const uint8_t *most, const uint16_t *sum, size_t cells, size_t channels,
                        int16_t *cell_most, int32_t *cell_sum);
    void (*cells_codes)(const int16_t *most, const int16_t *sum, size_t cells, size_t channels,
                        int16_t *cell_most, int32_t *cell_sum);
    /* Write, for each sample of four rows, 0 if it and the next three of its channel have no step.
     */
    void (*patches_bytes)(const uint8_t *most, size_t count, size_t channels, uint8_t *step);
    void (*patches_codes)(const int16_t *most, size_t count, size_t channels, uint8_t *step);
    /* Write the second differences of a row, left - 2 * sample + right; of codes a part, as
     * LOOPS_SECOND says. Samples at the ends have none. */
    void (*second_bytes)(const uint8_t *row, size_t count, size_t channels, int16_t *second);
    void (*second_codes)(const int16_t *row, size_t count, size_t channels, int16_t *second);
    /* Write, for each sample, the sum of it and of the next three of its channel, none larger than
     * `most`: of second differences, or of what the second differences of two adjacent channels
     * differ by. */
    void (*second_sums)(const int16_t *second, size_t count, size_t channels, unsigned most,
                        uint16_t *sum);
    void (*colour_sums)(const int16_t *second, size_t count, size_t channels, unsigned most,
                        uint16_t *sum);
    /* Keep the larger of two steps. */
    void (*join_bytes)(uint8_t *most, const uint8_t *other, size_t count);
    void (*join_codes)(int16_t *most, const int16_t *other, size_t count);
    /* Return the most by which any of these samples stands out from its four neighbours. `own` gets
     * it for each sample; for codes it is above 0 where they are brighter. */
    int (*four_bytes)(const uint8_t *up, const uint8_t *now, const uint8_t *down, size_t count,
                      size_t channels, uint8_t *own);
    int (*four_codes)(const int16_t *up, const int16_t *now, const int16_t *down, size_t count,
                      size_t channels, int16_t *own);
    /* Writes the same for the eight neighbours of each sample. */
    void (*eight_codes)(const int16_t *up, const int16_t *now, const int16_t *down, size_t count,
                        size_t channels, int16_t *own);
    /* Return the largest, over pixels, of the least of its `colours` absolute values (1 or 3).
     * `own` has two more. */
    int (*most_of_bytes)(const uint8_t *own, size_t count, size_t colours);
    int (*most_of_pixels)(const int16_t *own, size_t count, size_t colours);
    /* Convert floats to codes, of which `black` is 0. Return whether a number may be invalid as
     * light: below 0, even -0, or not finite. */
    bool (*take_halves)(const uint16_t *from, size_t count, int16_t black, int16_t *to);
    bool (*take_floats)(const uint32_t *from, size_t count, int16_t black, int16_t *to);
    /* Converts codes of floats to levels that a display shows, about light^(1/2.2). */
    void (*show_codes)(const int16_t *from, size_t count, int16_t *to);
    int (*available)(void);
};

extern const struct detect_loops detect_loops_plain;

/* The instruction sets of this build, best first. The last one, plain C, is available everywhere.
 */
extern const struct detect_loops *const detect_loops_all[];

const struct detect_loops *detect_loops_best(void);
