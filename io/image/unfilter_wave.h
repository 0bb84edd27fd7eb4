/* The wavefront, for a level's vectors, which the including file defines:
 *
 *   vec             8 * SLOTS bytes; a slot is 4 lanes of 16 bits, which hold bytes
 *   vec_load4       SLOTS rows' 4 bytes, stride bytes apart, each widened to a slot
 *   vec_load8       SLOTS / 2 rows' 8 bytes, each widened to two slots
 *   vec_below4/8    the first row's lanes from 4 or 8 bytes above it, those of the others from the
 * row before vec_store       all lanes as bytes, 4 * SLOTS of them vec_add8, vec_sub, vec_add,
 * vec_abs, vec_min, vec_and, vec_or, vec_half, vec_where_equal
 *
 * Row k is LAG pixels behind row k - 1. With one, what a row has just made would be what the next
 * row needs at once; with two, moving it across the register is off the critical path. */
#include "unfilter.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { LAG = 2, LANES = 4 * SLOTS };

struct wave {
    vec left, corner; /* the pixels before */
    vec made;         /* one before `left`: what the next row sees above it */
    vec is_sub, is_up, is_average, is_paeth;
};

/* Paeth's pixel. The three that it may be are made beforehand, beside finding out which. */
INLINE vec make_paeth(vec raw, vec left, vec upper, vec corner)
{
    const vec upward = vec_sub(upper, corner), leftward = vec_sub(left, corner);
    return vec_nearest(vec_abs(upward), vec_abs(leftward), vec_abs(vec_add(upward, leftward)),
                       vec_add8(raw, left), vec_add8(raw, upper), vec_add8(raw, corner));
}

/* All rows' next pixels. */
INLINE vec step(struct wave *wave, vec raw, vec upper, bool all_paeth)
{
    const vec left = wave->left;
    vec pixel = make_paeth(raw, left, upper, wave->corner);
    if (!all_paeth) {
        const vec guess = vec_or(vec_or(vec_and(left, wave->is_sub), vec_and(upper, wave->is_up)),
                                 vec_and(vec_half(vec_add(left, upper)), wave->is_average));
        pixel = vec_or(vec_and(pixel, wave->is_paeth),
                       vec_and_not(vec_add8(raw, guess), wave->is_paeth));
    }
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
    const uint32_t room = pixel > 4 ? 8 : 4, count = 4 * SLOTS / room;
    const size_t width = rows->row_bytes / pixel;
    uint8_t raw[4 * SLOTS + WIDE] = {0}, above[WIDE] = {0}, made[4 * SLOTS];
    if (t < width) memcpy(above, rows->above + t * pixel, pixel);
    for (size_t k = 0; k < count; k++)
        if (t >= LAG * k && t - LAG * k < width)
            memcpy(raw + k * room,
                   rows->raw + k * (rows->row_bytes + 1) + 1 + (t - LAG * k) * pixel, pixel);
    const vec upper = room == 8 ? vec_below8(wave->made, above) : vec_below4(wave->made, above);
    vec_store(made, step(wave, room == 8 ? vec_load8(raw, room) : vec_load4(raw, room), upper,
                         all_paeth));
    for (size_t k = 0; k < count; k++)
        if (t >= LAG * k && t - LAG * k < width)
            memcpy(rows->to + k * rows->pitch + (t - LAG * k) * pixel, made + k * room, pixel);
}

/* Steps in which all rows read and write `room` bytes within themselves. What a pixel does not fill
 * is overwritten by the next one. */
INLINE void steps(struct wave *wave, const struct ssimcu_filtered_rows *rows, size_t t, size_t end,
                  uint32_t pixel, bool all_paeth)
{
    const uint32_t room = pixel > 4 ? 8 : 4, count = 4 * SLOTS / room;
    /* A row's next pixel from that of the row before, which is LAG ahead. */
    const ptrdiff_t ahead = (ptrdiff_t)LAG * pixel,
                    raw_stride = (ptrdiff_t)rows->row_bytes + 1 - ahead,
                    stride = (ptrdiff_t)rows->pitch - ahead;
    const uint8_t *raw = rows->raw + 1 + t * pixel, *above = rows->above + t * pixel;
    uint8_t *to = rows->to + t * pixel;
    struct wave w = *wave;
    for (; t < end; t++, raw += pixel, above += pixel, to += pixel) {
        uint8_t made[4 * SLOTS];
        const vec upper = room == 8 ? vec_below8(w.made, above) : vec_below4(w.made, above);
        const vec next = room == 8 ? vec_load8(raw, raw_stride) : vec_load4(raw, raw_stride);
        vec_store(made, step(&w, next, upper, all_paeth));
        for (uint32_t k = 0; k < count; k++) memcpy(to + k * stride, made + k * room, room);
    }
    *wave = w;
}

INLINE void run(struct wave *wave, const struct ssimcu_filtered_rows *rows, uint32_t pixel,
                bool all_paeth)
{
    const uint32_t room = pixel > 4 ? 8 : 4, count = 4 * SLOTS / room;
    const size_t width = rows->row_bytes / pixel, last = width + LAG * (count - 1);
    const size_t begin = LAG * (count - 1); /* the last row's first pixel */
    const size_t end = rows->row_bytes >= room ? (rows->row_bytes - room) / pixel + 1 : 0;
    size_t t = 0;
    for (; t < begin && t < last; t++) step_at_end(wave, rows, t, pixel, all_paeth);
    if (t < end) {
        steps(wave, rows, t, end, pixel, all_paeth);
        t = end;
    }
    for (; t < last; t++) step_at_end(wave, rows, t, pixel, all_paeth);
}

/* The lanes of the rows with this filter. */
INLINE vec rows_with(const struct ssimcu_filtered_rows *rows, int filter)
{
    int16_t lane[LANES];
    const int per_row = rows->pixel_bytes > 4 ? 8 : 4;
    for (int i = 0; i < LANES; i++)
        lane[i] = rows->raw[(size_t)(i / per_row) * (rows->row_bytes + 1)] == filter ? -1 : 0;
    vec lanes;
    memcpy(&lanes, lane, sizeof lanes);
    return lanes;
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
