/* The loops of one instruction set. Its file defines LOOPS, LOOPS_NAME and LOOPS_AVAILABLE, and
 * row_bytes and four_bytes. They are plain C that compilers vectorise: one operation for each
 * sample, no branch, and sums in pieces that fit 32 bits. */
#include <stdlib.h>
#include <string.h>

/* ---- Steps and sums of columns --------------------------------------------------------------- */

static uint32_t steps_codes(const int16_t *restrict now, const int16_t *restrict left,
                            const int16_t *restrict up, size_t count, int16_t *restrict most)
{
    uint32_t all = 0;
    for (size_t i = 0; i < count; i++) {
        const int16_t along = (int16_t)abs((int16_t)(now[i] - left[i])),
                      down = (int16_t)abs((int16_t)(now[i] - up[i]));
        const int16_t step = LARGEST(along, down);
        most[i] = LARGEST(most[i], step);
        all += (uint16_t)along;
    }
    return all;
}

static void sums_codes(const int16_t *restrict row, size_t count, int16_t *restrict sum)
{
    for (size_t i = 0; i < count; i++) sum[i] = (int16_t)(sum[i] + (row[i] >> 3));
}

static uint32_t row_codes(const int16_t *now, const int16_t *up, size_t begin, size_t end,
                          size_t channels, int16_t *most, int16_t *sum)
{
    sums_codes(now + begin, end - begin, sum + begin);
    if (begin == 0) { /* the first pixel has no left neighbour */
        (void)steps_codes(now, now, up, channels, most);
        begin = channels;
    }
    return steps_codes(now + begin, now + begin - channels, up + begin, end - begin, most + begin);
}

/* ---- Cells ----------------------------------------------------------------------------------- */

enum { CELLS = 64 /* cells made at a time */, MOST_CHANNELS = 4 };

/* Combine two numbers each, so that cells of 8 pixels become cells of 4 and so on. */
#define HALVE(name, type, wide, one_of)                                                            \
    static void name(const type *restrict from, size_t count, wide *restrict to)                   \
    {                                                                                              \
        for (size_t i = 0; i < count; i++) to[i] = (wide)one_of(from[2 * i], from[2 * i + 1]);     \
    }
#define SUM(a, b) ((a) + (b))
HALVE(halve_bytes, uint8_t, uint8_t, LARGEST)
HALVE(halve_codes, int16_t, int16_t, LARGEST)
HALVE(halve_pairs, uint16_t, uint16_t, SUM) /* 32 bytes of eight rows fit */
HALVE(halve_eighths, int16_t, int32_t, SUM)
HALVE(halve_sums, int32_t, int32_t, SUM)

static void cells_bytes(const uint8_t *most, const uint16_t *sum, size_t cells, size_t channels,
                        int16_t *cell_most, int32_t *cell_sum)
{
    uint8_t step[2][CELLS * MOST_CHANNELS * 4];
    uint16_t pair[2][CELLS * MOST_CHANNELS * 2];
    for (size_t begin = 0; begin < cells; begin += CELLS) {
        const size_t count = LEAST(cells - begin, CELLS), samples = count * channels;
        halve_bytes(most + begin * channels * 8, samples * 4, step[0]);
        halve_bytes(step[0], samples * 2, step[1]);
        halve_bytes(step[1], samples, step[0]);
        halve_pairs(sum + begin * channels * 4, samples * 2, pair[0]);
        halve_pairs(pair[0], samples, pair[1]);
        for (size_t i = 0; i < count; i++) {
            cell_most[begin + i] = 0, cell_sum[begin + i] = 0;
            for (size_t c = i * channels; c < (i + 1) * channels; c++) {
                cell_most[begin + i] = LARGEST(cell_most[begin + i], step[0][c]);
                cell_sum[begin + i] += pair[1][c];
            }
        }
    }
}

static void cells_codes(const int16_t *most, const int16_t *sum, size_t cells, size_t channels,
                        int16_t *cell_most, int32_t *cell_sum)
{
    int16_t step[2][CELLS * MOST_CHANNELS * 4];
    int32_t wide[2][CELLS * MOST_CHANNELS * 4];
    for (size_t begin = 0; begin < cells; begin += CELLS) {
        const size_t count = LEAST(cells - begin, CELLS), samples = count * channels;
        halve_codes(most + begin * channels * 8, samples * 4, step[0]);
        halve_codes(step[0], samples * 2, step[1]);
        halve_codes(step[1], samples, step[0]);
        halve_eighths(sum + begin * channels * 8, samples * 4, wide[0]);
        halve_sums(wide[0], samples * 2, wide[1]);
        halve_sums(wide[1], samples, wide[0]);
        for (size_t i = 0; i < count; i++) {
            cell_most[begin + i] = 0, cell_sum[begin + i] = 0;
            for (size_t c = i * channels; c < (i + 1) * channels; c++) {
                cell_most[begin + i] = LARGEST(cell_most[begin + i], step[0][c]);
                cell_sum[begin + i] += wide[0][c];
            }
        }
    }
}

static void patches_bytes(const uint8_t *restrict most, size_t count, size_t channels,
                          uint8_t *restrict step)
{
    const size_t end = count < 3 * channels ? 0 : count - 3 * channels;
    const uint8_t *const second = most + channels, *const third = most + 2 * channels,
                         *const fourth = most + 3 * channels;
    for (size_t i = 0; i < end; i++)
        step[i] = (uint8_t)(most[i] | second[i] | third[i] | fourth[i]);
}

static void patches_codes(const int16_t *restrict most, size_t count, size_t channels,
                          uint8_t *restrict step)
{
    const size_t end = count < 3 * channels ? 0 : count - 3 * channels;
    const int16_t *const second = most + channels, *const third = most + 2 * channels,
                         *const fourth = most + 3 * channels;
    for (size_t i = 0; i < end; i++) step[i] = (most[i] | second[i] | third[i] | fourth[i]) != 0;
}

static void join_bytes(uint8_t *restrict most, const uint8_t *restrict other, size_t count)
{
    for (size_t i = 0; i < count; i++) most[i] = LARGEST(most[i], other[i]);
}

static void join_codes(int16_t *restrict most, const int16_t *restrict other, size_t count)
{
    for (size_t i = 0; i < count; i++) most[i] = LARGEST(most[i], other[i]);
}

/* ---- Second differences ---------------------------------------------------------------------- */

#define SECOND(name, type, by_one)                                                                 \
    static void name(const type *restrict row, size_t count, size_t channels,                      \
                     int16_t *restrict second)                                                     \
    {                                                                                              \
        const type *const left = row - channels, *const right = row + channels;                    \
        const size_t end = count < channels ? 0 : count - channels;                                \
        for (size_t i = 0; i < channels && i < count; i++) second[i] = second[count - 1 - i] = 0;  \
        for (size_t i = channels; i < end; i++)                                                    \
            second[i] = (int16_t)((left[i] - 2 * row[i] + right[i]) / (by_one));                   \
    }
SECOND(second_bytes, uint8_t, 1)
SECOND(second_codes, int16_t, 1 << LOOPS_SECOND)

/* Sums four pixels in place. */
static void sum_four(uint16_t *restrict sum, size_t count, size_t channels)
{
    for (size_t i = 0; i + 3 * channels < count; i++)
        sum[i] =
            (uint16_t)(sum[i] + sum[i + channels] + sum[i + 2 * channels] + sum[i + 3 * channels]);
}

static void second_sums(const int16_t *restrict second, size_t count, size_t channels,
                        unsigned most, uint16_t *restrict sum)
{
    const int16_t limit = (int16_t)most;
    for (size_t i = 0; i < count; i++) {
        const int16_t by = (int16_t)abs(second[i]);
        sum[i] = (uint16_t)LEAST(by, limit);
    }
    sum_four(sum, count, channels);
}

static void colour_sums(const int16_t *restrict second, size_t count, size_t channels,
                        unsigned most, uint16_t *restrict sum)
{
    const int16_t limit = (int16_t)most;
    for (size_t i = 0; i + 1 < count; i++) {
        const int16_t by = (int16_t)abs((int16_t)(second[i] - second[i + 1]));
        sum[i] = (uint16_t)LEAST(by, limit);
    }
    sum_four(sum, count, channels);
}

/* ---- Pixels that stand out ------------------------------------------------------------------- */

/* Returns by how much a sample stands out from others, given their largest and least. */
static inline int16_t over(int16_t now, int16_t high, int16_t low)
{
    const int16_t above = (int16_t)(now - high), below = (int16_t)(now - low);
    return (int16_t)(LARGEST(above, 0) + LEAST(below, 0));
}

static int four_codes(const int16_t *restrict up, const int16_t *restrict now,
                      const int16_t *restrict down, size_t count, size_t channels,
                      int16_t *restrict own)
{
    const int16_t *const left = now - channels, *const right = now + channels;
    int16_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const int16_t high = LARGEST(LARGEST(left[i], right[i]), LARGEST(up[i], down[i])),
                      low = LEAST(LEAST(left[i], right[i]), LEAST(up[i], down[i])),
                      by = over(now[i], high, low), size = (int16_t)abs(by);
        own[i] = by;
        most = LARGEST(most, size);
    }
    return most;
}

static void eight_codes(const int16_t *restrict up, const int16_t *restrict now,
                        const int16_t *restrict down, size_t count, size_t channels,
                        int16_t *restrict own)
{
    const int16_t *const up_left = up - channels, *const up_right = up + channels,
                         *const left = now - channels, *const right = now + channels,
                         *const down_left = down - channels, *const down_right = down + channels;
    for (size_t i = 0; i < count; i++) {
        int16_t high = LARGEST(left[i], right[i]), low = LEAST(left[i], right[i]);
        high = LARGEST(high, LARGEST(up_left[i], LARGEST(up[i], up_right[i])));
        low = LEAST(low, LEAST(up_left[i], LEAST(up[i], up_right[i])));
        high = LARGEST(high, LARGEST(down_left[i], LARGEST(down[i], down_right[i])));
        low = LEAST(low, LEAST(down_left[i], LEAST(down[i], down_right[i])));
        own[i] = over(now[i], high, low);
    }
}

static int most_of_bytes(const uint8_t *own, size_t count, size_t colours)
{
    uint8_t most = 0;
    const uint8_t *const second = own + (colours > 1 ? 1 : 0), *const third =
                                                                   own + (colours > 2 ? 2 : 0);
    for (size_t i = 0; i < count; i++) {
        const uint8_t two = LEAST(own[i], second[i]), three = LEAST(two, third[i]);
        most = LARGEST(most, three);
    }
    return most;
}

static int most_of_pixels(const int16_t *own, size_t count, size_t colours)
{
    int16_t most = 0;
    const size_t second = colours > 1 ? 1 : 0, third = colours > 2 ? 2 : 0;
    for (size_t i = 0; i < count; i++) {
        const int16_t a = (int16_t)abs(own[i]), b = (int16_t)abs(own[i + second]),
                      c = (int16_t)abs(own[i + third]);
        most = LARGEST(most, LEAST(a, LEAST(b, c)));
    }
    return most;
}

/* ---- Floats ---------------------------------------------------------------------------------- */

/* Values below 0 become 0, and so do black ones. */
static bool take_halves(const uint16_t *restrict from, size_t count, int16_t black,
                        int16_t *restrict to)
{
    uint16_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        const int16_t half = (int16_t)from[i], above = LARGEST(half, black),
                      code = LEAST(above, LOOPS_LARGEST);
        largest = LARGEST(largest, from[i]);
        to[i] = (int16_t)(code - black);
    }
    return largest > LOOPS_LARGEST;
}

/* The exponent of a float is 112 more than that of a half. */
static bool take_floats(const uint32_t *restrict from, size_t count, int16_t black,
                        int16_t *restrict to)
{
    uint32_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t half = ((int32_t)from[i] >> 13) - (112 << 10), above = LARGEST(half, black),
                      code = LEAST(above, LOOPS_LARGEST);
        largest = LARGEST(largest, from[i]);
        to[i] = (int16_t)(code - black);
    }
    return largest >= 0x7f800000u;
}

/* A number whose logarithm is a fraction of another's is a root of it, and the bits of a float are
 * its logarithm, or nearly so: a line between powers of two. */
static void show_codes(const int16_t *restrict from, size_t count, int16_t *restrict to)
{
    const float stop = 8192 / 2.2f; /* bits of a root for each code: 2^23 for 2.2 stops */
    const int32_t black = (int32_t)((127 - 15 / 2.2) * (1 << 23)); /* of code 0, 2^-15 */
    for (size_t i = 0; i < count; i++) {
        const int32_t bits = (int32_t)(from[i] * stop) + black;
        float root;
        memcpy(&root, &bits, sizeof root);
        const int32_t code = (int32_t)(root * (255 * LOOPS_SHOWN));
        to[i] = (int16_t)LEAST(code, INT16_MAX);
    }
}

/* ---------------------------------------------------------------------------------------------- */

static int available(void) { return LOOPS_AVAILABLE; }

const struct detect_loops LOOPS = {
    LOOPS_NAME,    row_bytes,    row_codes,    cells_bytes, cells_codes,   patches_bytes,
    patches_codes, second_bytes, second_codes, second_sums, colour_sums,   join_bytes,
    join_codes,    four_bytes,   four_codes,   eight_codes, most_of_bytes, most_of_pixels,
    take_halves,   take_floats,  show_codes,   available,
};
