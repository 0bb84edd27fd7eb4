#include "tiff_unpack.h"

#include <string.h>

bool ssimcu_tiff_unpack_copy(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
    if (size < wanted) return false;
    memcpy(to, from, wanted);
    return true;
}

bool ssimcu_tiff_unpack_packbits(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
    size_t at = 0, made = 0;
    while (made < wanted) {
        if (at == size) return false;
        const size_t kind = from[at++], run = kind < 128 ? kind + 1 : 257 - kind;
        if (kind == 128) continue; /* no operation */
        const size_t bytes = kind < 128 ? run : 1;
        if (run > wanted - made || bytes > size - at) return false;
        if (kind < 128)
            memcpy(to + made, from + at, run);
        else
            memset(to + made, from[at], run);
        at += bytes;
        made += run;
    }
    return size - at <= 1; /* a byte may pad the size to even */
}

/* ---- LZW ------------------------------------------------------------------------------------- */

/* The decoder's state. The string of a code is already in the output: it is the previous code's
 * string and the byte after it. */
struct lzw {
    const uint8_t *from, *end;
    uint64_t held; /* bits read but not used; the next one is bit `count` - 1 */
    uint32_t count;
    uint32_t where[1 << 12]; /* offset in the output */
    uint16_t length[1 << 12];
};

enum { CLEAR = 256, END = 257, FIRST = 258, LEAST_BITS = 9, MOST_BITS = 12 };

/* Reads four bytes at once if they exist. A code takes less than two. */
static inline void refill(struct lzw *z)
{
    if (z->count >= MOST_BITS) return;
    if (z->end - z->from >= 4) {
        const uint32_t more = (uint32_t)z->from[0] << 24 | (uint32_t)z->from[1] << 16 |
                              (uint32_t)z->from[2] << 8 | z->from[3];
        z->held = z->held << 32 | more;
        z->count += 32;
        z->from += 4;
    }
    for (; z->count < MOST_BITS && z->from < z->end; z->count += 8)
        z->held = z->held << 8 | *z->from++;
}

/* Returns the next code; -1 at the end of the data. */
static inline int next_code(struct lzw *z, uint32_t bits)
{
    refill(z);
    if (z->count < bits) return -1;
    z->count -= bits;
    return (int)(z->held >> z->count & ((1U << bits) - 1));
}

/* Copies an LZW string whose source may overlap its destination. Without overlap, and with room
 * behind the string, copies 8 bytes at a time; later strings overwrite the bytes past the end. */
static inline void copy_string(uint8_t *to, const uint8_t *from, size_t length, size_t room)
{
    enum { WIDE = 8 };
    size_t i = 0;
    if (to - from >= WIDE && room >= length + WIDE)
        for (; i < length; i += WIDE) memcpy(to + i, from + i, WIDE);
    for (; i < length; i++) to[i] = from[i];
}

bool ssimcu_tiff_unpack_lzw(const uint8_t *from, size_t size, uint8_t *to, size_t wanted)
{
    struct lzw z = {.from = from, .end = from + size};
    uint32_t next = FIRST, bits = LEAST_BITS;
    size_t made = 0;
    if (next_code(&z, bits) != CLEAR) return false;
    while (made < wanted) {
        const int code = next_code(&z, bits);
        if (code == CLEAR) {
            next = FIRST;
            bits = LEAST_BITS;
            continue;
        }
        if (code < 0 || code == END || (uint32_t)code >= next) return false;
        const uint32_t length = code < CLEAR ? 1 : z.length[code];
        if (length > wanted - made) return false;
        if (code < CLEAR)
            to[made] = (uint8_t)code;
        else
            copy_string(to + made, to + z.where[code], length, wanted - made);
        if (next < 1 << MOST_BITS) {
            z.where[next] = (uint32_t)made;
            z.length[next] = (uint16_t)(length + 1);
            next++;
            if (next == (1U << bits) && bits < MOST_BITS) bits++;
        }
        made += length;
    }
    return (size_t)(z.end - z.from) + z.count / 8 <= SSIMCU_UNPACK_SLACK;
}

/* ---- The predictor --------------------------------------------------------------------------- */

/* Each caller passes `step` as a constant, so the sums stay in registers. Reading a sum back from
 * memory takes five times as long. */
#define SUM(bits, type)                                                                            \
    static inline                                                                                  \
        __attribute__((always_inline)) void add_##bits(type *row, size_t count, const size_t step) \
    {                                                                                              \
        type sum[4] = {0};                                                                         \
        for (size_t i = 0; i < count; i += step)                                                   \
            for (size_t c = 0; c < step; c++) row[i + c] = sum[c] = (type)(sum[c] + row[i + c]);   \
    }                                                                                              \
    void ssimcu_tiff_unpack_sum_##bits(type *row, size_t count, size_t step)                       \
    {                                                                                              \
        switch (step) {                                                                            \
        case 1: add_##bits(row, count, 1); break;                                                  \
        case 2: add_##bits(row, count, 2); break;                                                  \
        case 3: add_##bits(row, count, 3); break;                                                  \
        default: add_##bits(row, count, 4); break;                                                 \
        }                                                                                          \
    }
SUM(8, uint8_t)
SUM(16, uint16_t)
SUM(32, uint32_t)

void ssimcu_tiff_unpack_sum_bytes(uint8_t *row, size_t count, size_t step, size_t sample,
                                  uint8_t *scratch)
{
    const bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    ssimcu_tiff_unpack_sum_8(row, count * sample, step);
    memcpy(scratch, row, count * sample);
    for (size_t b = 0; b < sample; b++) {
        const uint8_t *const from = scratch + b * count;
        uint8_t *const to = row + (little_endian ? sample - 1 - b : b);
        for (size_t i = 0; i < count; i++) to[i * sample] = from[i];
    }
}
