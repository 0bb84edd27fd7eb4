/* The wavefront, for a level's vectors, which the including file defines:
 *
 *   vec             4 * SLOTS bytes, SLOTS rows' 4 or SLOTS / 2 rows' 8
 *   vec_load_rows, vec_store_rows
 *                   16 bytes of a row, and of one that is `second` bytes away where they fit
 *   vec_zip4/8_low/high
 *                   of each 16 bytes, the parts of 4 or 8 by turns
 *   vec_lookup      of each 16 bytes, those that the second names, 0 for 128
 *   vec_below4/8    the first row's from 4 or 8 bytes above it, those of the others from the row
 *                   before
 *   vec_load, vec_store, vec_add, vec_add_sat, vec_sub_sat, vec_min, vec_max, vec_and, vec_or
 *   vec_average     rounded down
 *   vec_at_most     all bits where a <= b
 *   vec_select      of the second where those are set, else of the third
 *
 * Row k is LAG pixels behind row k - 1. With one, what a row has just made would be what the next
 * row needs at once; with two, moving it across the register is off the critical path. */
#include "unfilter.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { LAG = 2, BYTES = 4 * SLOTS };

struct wave {
    vec left, corner; /* the pixels before */
    vec made;         /* one before `left`: what the next row sees above it */
    vec is_sub, is_up, is_average, is_paeth;
};

/* Paeth's choice in bytes. Of left and upper, the lower is as far from left + upper - corner as the
 * higher is from the corner, and the other way round; the corner is as far as these distances
 * differ. So the lower is nearest where the higher is at most half as far from the corner as the
 * lower. A distance below 0 saturates: then both lie on one side, and that rule still holds. */
INLINE vec guess_paeth(vec left, vec upper, vec corner)
{
    const vec low = vec_min(left, upper), high = vec_max(left, upper);
    const vec over = vec_sub_sat(high, corner), under = vec_sub_sat(corner, low);
    const vec is_low = vec_at_most(vec_add_sat(over, over), under),
              is_high = vec_at_most(vec_add_sat(under, under), over);
    return vec_select(is_high, high, vec_select(is_low, low, corner));
}

/* All rows' next pixels. */
INLINE vec step(struct wave *wave, vec raw, vec upper, bool all_paeth)
{
    const vec left = wave->left;
    vec guess = guess_paeth(left, upper, wave->corner);
    if (!all_paeth) {
        const vec other = vec_or(vec_or(vec_and(left, wave->is_sub), vec_and(upper, wave->is_up)),
                                 vec_and(vec_average(left, upper), wave->is_average));
        guess = vec_select(wave->is_paeth, guess, other);
    }
    const vec pixel = vec_add(raw, guess);
    wave->corner = upper;
    wave->made = left;
    wave->left = pixel;
    return pixel;
}

/* A step at the rows' ends: reads and writes the pixels that there are, byte for byte. */
INLINE void step_at_end(struct wave *wave, const struct ssimcu_filtered_rows *rows, size_t t,
                        uint32_t pixel, bool all_paeth)
{
    enum { WIDE = 8 };
    const uint32_t room = pixel > 4 ? 8 : 4, count = BYTES / room;
    const size_t width = rows->row_bytes / pixel;
    uint8_t raw[BYTES] = {0}, above[WIDE] = {0}, made[BYTES];
    if (t < width) memcpy(above, rows->above + t * pixel, pixel);
    for (size_t k = 0; k < count; k++)
        if (t >= LAG * k && t - LAG * k < width)
            memcpy(raw + k * room,
                   rows->raw + k * (rows->row_bytes + 1) + 1 + (t - LAG * k) * pixel, pixel);
    const vec upper = room == 8 ? vec_below8(wave->made, above) : vec_below4(wave->made, above);
    vec_store(made, step(wave, vec_load(raw), upper, all_paeth));
    for (size_t k = 0; k < count; k++)
        if (t >= LAG * k && t - LAG * k < width)
            memcpy(rows->to + k * rows->pitch + (t - LAG * k) * pixel, made + k * room, pixel);
}

/* Which bytes make pixels of `pixel` bytes lie `room` bytes apart, or back. */
INLINE vec spread(uint32_t pixel, uint32_t room)
{
    uint8_t from[BYTES];
    for (uint32_t i = 0; i < BYTES; i++)
        from[i] = (uint8_t)(i % room < pixel ? i % 16 / room * pixel + i % room : 128);
    return vec_load(from);
}

INLINE vec gather(uint32_t pixel, uint32_t room)
{
    uint8_t from[BYTES];
    for (uint32_t i = 0; i < BYTES; i++)
        from[i] =
            (uint8_t)(i % 16 < 16 / room * pixel ? i % 16 / pixel * room + i % 16 % pixel : 128);
    return vec_load(from);
}

/* Rows of pixels to pixels of all rows, and back. */
INLINE void transpose(vec x[4], uint32_t room)
{
    if (room == 8) {
        const vec first = vec_zip8_low(x[0], x[1]);
        x[1] = vec_zip8_high(x[0], x[1]);
        x[0] = first;
        return;
    }
    const vec a = vec_zip4_low(x[0], x[1]), b = vec_zip4_low(x[2], x[3]),
              c = vec_zip4_high(x[0], x[1]), d = vec_zip4_high(x[2], x[3]);
    x[0] = vec_zip8_low(a, b);
    x[1] = vec_zip8_high(a, b);
    x[2] = vec_zip8_low(c, d);
    x[3] = vec_zip8_high(c, d);
}

/* Steps in which all rows read and write 16 bytes within themselves, some pixels at a time. What
 * these do not fill is overwritten by the next. Returns the first step that is left. */
INLINE size_t steps(struct wave *wave, const struct ssimcu_filtered_rows *rows, size_t t,
                    size_t end, uint32_t pixel, bool all_paeth)
{
    const uint32_t room = pixel > 4 ? 8 : 4, count = 16 / room;
    /* A row's next pixel from that of the row before, which is LAG ahead. */
    const ptrdiff_t ahead = (ptrdiff_t)LAG * pixel, second = BYTES / 2 / room,
                    raw_stride = (ptrdiff_t)rows->row_bytes + 1 - ahead,
                    stride = (ptrdiff_t)rows->pitch - ahead;
    const uint8_t *raw = rows->raw + 1 + t * pixel, *above = rows->above + t * pixel;
    uint8_t *to = rows->to + t * pixel;
    const vec apart = spread(pixel, room), together = gather(pixel, room);
    struct wave w = *wave;
    for (; t < end; t += count, raw += count * pixel, to += count * pixel) {
        vec x[4];
        for (uint32_t k = 0; k < count; k++)
            x[k] = vec_lookup(vec_load_rows(raw + k * raw_stride, second * raw_stride), apart);
        transpose(x, room);
        for (uint32_t i = 0; i < count; i++, above += pixel)
            x[i] = step(&w, x[i], room == 8 ? vec_below8(w.made, above) : vec_below4(w.made, above),
                        all_paeth);
        transpose(x, room);
        for (uint32_t k = 0; k < count; k++)
            vec_store_rows(to + k * stride, second * stride, vec_lookup(x[k], together));
    }
    *wave = w;
    return t;
}

INLINE void run(struct wave *wave, const struct ssimcu_filtered_rows *rows, uint32_t pixel,
                bool all_paeth)
{
    const uint32_t room = pixel > 4 ? 8 : 4, count = BYTES / room;
    const size_t width = rows->row_bytes / pixel, last = width + LAG * (count - 1);
    const size_t begin = LAG * (count - 1); /* the last row's first pixel */
    const size_t end = rows->row_bytes >= 16 ? (rows->row_bytes - 16) / pixel + 1 : 0;
    size_t t = 0;
    for (; t < begin && t < last; t++) step_at_end(wave, rows, t, pixel, all_paeth);
    t = steps(wave, rows, t, end, pixel, all_paeth);
    for (; t < last; t++) step_at_end(wave, rows, t, pixel, all_paeth);
}

/* The bytes of the rows with this filter. */
INLINE vec rows_with(const struct ssimcu_filtered_rows *rows, int filter)
{
    uint8_t byte[BYTES];
    const int per_row = rows->pixel_bytes > 4 ? 8 : 4;
    for (int i = 0; i < BYTES; i++)
        byte[i] = rows->raw[(size_t)(i / per_row) * (rows->row_bytes + 1)] == filter ? 255 : 0;
    vec bytes;
    memcpy(&bytes, byte, sizeof bytes);
    return bytes;
}

static bool are_all_paeth(const struct ssimcu_filtered_rows *rows)
{
    const size_t count = SLOTS / (rows->pixel_bytes > 4 ? 2 : 1);
    for (size_t k = 0; k < count; k++)
        if (rows->raw[k * (rows->row_bytes + 1)] != PAETH) return false;
    return true;
}

INLINE void abreast(const struct ssimcu_filtered_rows *rows, uint32_t pixel)
{
    struct wave wave = {.is_sub = rows_with(rows, SUB),
                        .is_up = rows_with(rows, UP),
                        .is_average = rows_with(rows, AVERAGE),
                        .is_paeth = rows_with(rows, PAETH)};
    if (are_all_paeth(rows))
        run(&wave, rows, pixel, true);
    else
        run(&wave, rows, pixel, false);
}

void ABREAST(const struct ssimcu_filtered_rows *rows)
{
    switch (rows->pixel_bytes) {
    case 1: abreast(rows, 1); break;
    case 2: abreast(rows, 2); break;
    case 3: abreast(rows, 3); break;
    case 4: abreast(rows, 4); break;
    case 6: abreast(rows, 6); break;
    default: abreast(rows, 8); break;
    }
}
