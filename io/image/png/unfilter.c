/* Undoes the filters of groups of rows with a level's wavefront. Rows without a chain, and those
 * left over, are done one by one. */
#include "unfilter.h"

#include <stdlib.h>
#include <string.h>

const struct ssimcu_unfilter_level *ssimcu_unfilter_best(void)
{
    const struct ssimcu_unfilter_level *level = ssimcu_unfilter_levels;
    while (!level->available()) level++;
    return level;
}

/* Inlining is forced to make the pixel's size a constant, so that the bytes to the left stay in
 * registers. */
#define INLINE static inline __attribute__((always_inline))

INLINE void sub(uint8_t *restrict to, const uint8_t *restrict raw, size_t size, uint32_t pixel)
{
    for (size_t i = 0; i < pixel; i++) to[i] = raw[i];
    for (size_t i = pixel; i < size; i++) to[i] = (uint8_t)(raw[i] + to[i - pixel]);
}

static void up(uint8_t *restrict to, const uint8_t *restrict raw, const uint8_t *restrict above,
               size_t size)
{
    for (size_t i = 0; i < size; i++) to[i] = (uint8_t)(raw[i] + above[i]);
}

INLINE void average(uint8_t *restrict to, const uint8_t *restrict raw,
                    const uint8_t *restrict above, size_t size, uint32_t pixel)
{
    for (size_t i = 0; i < pixel; i++) to[i] = (uint8_t)(raw[i] + (above[i] >> 1));
    for (size_t i = pixel; i < size; i++)
        to[i] = (uint8_t)(raw[i] + ((to[i - pixel] + above[i]) >> 1));
}

INLINE void paeth(uint8_t *restrict to, const uint8_t *restrict raw, const uint8_t *restrict above,
                  size_t size, uint32_t pixel)
{
    for (size_t i = 0; i < pixel; i++) to[i] = (uint8_t)(raw[i] + above[i]);
    for (size_t i = pixel; i < size; i++) {
        const int left = to[i - pixel], upper = above[i], corner = above[i - pixel];
        const int from_left = abs(upper - corner), from_upper = abs(left - corner),
                  from_corner = abs(left + upper - 2 * corner);
        const int second = from_upper <= from_corner ? upper : corner;
        const int least = from_upper <= from_corner ? from_upper : from_corner;
        to[i] = (uint8_t)(raw[i] + (from_left <= least ? left : second));
    }
}

INLINE void chain(const struct ssimcu_filtered_rows *rows, uint32_t pixel)
{
    const uint8_t *const raw = rows->raw + 1;
    switch (rows->raw[0]) {
    case SUB: sub(rows->to, raw, rows->row_bytes, pixel); break;
    case AVERAGE: average(rows->to, raw, rows->above, rows->row_bytes, pixel); break;
    default: paeth(rows->to, raw, rows->above, rows->row_bytes, pixel); break;
    }
}

static void one(const struct ssimcu_filtered_rows *rows)
{
    if (rows->raw[0] == NO_FILTER) {
        memcpy(rows->to, rows->raw + 1, rows->row_bytes);
        return;
    }
    if (rows->raw[0] == UP) {
        up(rows->to, rows->raw + 1, rows->above, rows->row_bytes);
        return;
    }
    switch (rows->pixel_bytes) {
    case 1: chain(rows, 1); break;
    case 2: chain(rows, 2); break;
    case 3: chain(rows, 3); break;
    case 4: chain(rows, 4); break;
    case 6: chain(rows, 6); break;
    default: chain(rows, 8); break;
    }
}

static bool has_chain(uint8_t filter) { return filter != NO_FILTER && filter != UP; }

/* Returns whether the wavefront pays off. It takes as long for one slow row as for a full group. So
 * the group needs two rows of Average or Paeth, which take many cycles per pixel; Sub is one
 * addition. A first row without a chain is left out if another row can take its place in the
 * group. */
static bool go_abreast(const struct ssimcu_filtered_rows *rows, uint32_t count, uint32_t abreast)
{
    if (count < abreast || (count > abreast && !has_chain(rows->raw[0]))) return false;
    uint32_t slow = 0;
    for (uint32_t k = 0; k < abreast; k++) slow += rows->raw[k * (rows->row_bytes + 1)] >= AVERAGE;
    return slow >= 2;
}

bool ssimcu_unfilter(const struct ssimcu_unfilter_level *level, struct ssimcu_filtered_rows rows,
                     uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        if (rows.raw[k * (rows.row_bytes + 1)] > PAETH) return false;
    const uint32_t abreast = level->rows[rows.pixel_bytes > 4];
    while (count > 0) {
        uint32_t done = 1;
        if (abreast > 1 && go_abreast(&rows, count, abreast)) {
            level->abreast(&rows);
            done = abreast;
        } else {
            one(&rows);
        }
        rows.raw += done * (rows.row_bytes + 1);
        rows.to += done * rows.pitch;
        rows.above = rows.to - rows.pitch;
        count -= done;
    }
    return true;
}
