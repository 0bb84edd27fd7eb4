/* The wavefront: undoes the filters of several rows abreast. The including file defines the level's
 * vectors:
 *
 *   vec             4 * SLOTS bytes: 4 of each of SLOTS rows, or 8 of each of SLOTS / 2 rows.
 *   vec_load_rows, vec_store_rows
 *                   16 bytes of a row and, if they fit, of the row that is `second` bytes away.
 *   vec_zip4/8_low/high
 *                   Within each 16 bytes: parts of 4 or 8 bytes of both operands by turns.
 *   vec_lookup      Within each 16 bytes: the bytes that the second operand names; 0 for 128.
 *   vec_below4/8    The first row gets 4 or 8 bytes from above, every other row those of the row
 *                   before it.
 *   vec_load, vec_store, vec_add, vec_add_sat, vec_sub_sat, vec_min, vec_max, vec_and, vec_or
 *                   What their names say.
 *   vec_average     Rounds down.
 *   vec_at_most     All bits of a byte if a <= b, else none.
 *   vec_select      The second operand if the bits of the first are set, else the third.
 *
 * Row k is LAG pixels behind row k - 1. With a lag of one, the next row would need the newest pixel
 * at once. With two, moving it across the register is off the critical path. */
#include "unfilter.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { LAG = 2, BYTES = 4 * SLOTS };

struct wave {
    vec left, corner; /* pixels before the current one: left, and left above */
    vec made;         /* the pixel before `left`: the next row sees it above its own */
    vec is_sub, is_up, is_average, is_paeth;
};

/* Chooses Paeth's predictor in byte arithmetic. Let p be left + upper - corner, and let low and
 * high be the smaller and the larger of left and upper. The distance of p to low equals that of
 * high to the corner, and vice versa. Its distance to the corner is the difference of the two. So
 * low is nearest if high is at most half as far from the corner as low, and vice versa. If both lie
 * on one side of the corner, one distance saturates at 0, and the rule still holds. */
INLINE vec guess_paeth(vec left, vec upper, vec corner)
{
    const vec low = vec_min(left, upper), high = vec_max(left, upper);
    const vec over = vec_sub_sat(high, corner), under = vec_sub_sat(corner, low);
    const vec is_low = vec_at_most(vec_add_sat(over, over), under),
              is_high = vec_at_most(vec_add_sat(under, under), over);
    return vec_select(is_high, high, vec_select(is_low, low, corner));
}

/* Decodes the next pixel of every row. */
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

/* Does a step at the ends of the rows: reads and writes only existing pixels, byte by byte. */
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

/* Returns the lookup that moves pixels of `pixel` bytes `room` bytes apart; gather's moves them
 * back. */
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

/* Transposes between pixels of one row and one pixel of all rows. */
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

/* Does the steps in which every row can read and write 16 bytes within itself, several pixels at a
 * time. The next step overwrites the bytes after those pixels. Returns the first remaining step. */
INLINE size_t steps(struct wave *wave, const struct ssimcu_filtered_rows *rows, size_t t,
                    size_t end, uint32_t pixel, bool all_paeth)
{
    const uint32_t room = pixel > 4 ? 8 : 4, count = 16 / room;
    /* Each row works LAG pixels behind the row before. */
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

/* Returns a mask of the rows with this filter. */
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
